//! Runs of suites: measuring them, and rendering the pages that show their figures.
//!
//! A suite (`bench/suites/NAME.toml`) says what is measured against what. Its run (`bench/runs/MACHINE/NAME.json`) has
//! the figures, and hashes of the sources that they depend on. Pages are written by hand but for marked places, which
//! are filled from runs. So text is edited without measuring, and measuring touches no text.
//!
//! `<!-- SUITE/TABLE: begin -->` to `<!-- SUITE/TABLE: end -->`, on lines of their own, have a table between them, or
//! with `about` and `missed` in place of TABLE what was measured, and what falls short. `SUITE/TABLE short` has the
//! table without all that is beside times and ratios, `SUITE/TABLE spread` only how its ratios are spread.
//!
//! `published/KEY` has figures that others published (`bench/published.json`), `bounds/table` how near the kernels come
//! to what the machine allows (`bench/bounds.json`), `accuracy/table` what `xtask accuracy` found, `times/table` how
//! long each suite took.
//!
//! `<!-- =SUITE/TABLE | ROW -->1.23<!-- = -->` is a figure in a sentence: a ratio, or with ` | FIELD` after the row
//! `ours`, `theirs`, `interval`, `kernel`, `cycles`, or the ratio in the column of that name.

use crate::{accuracy, bounds, published, stale};
use hashmill_bench::bench::suite::Suite;
use hashmill_measure::run::{FORMAT, Run};
use hashmill_measure::stats::Summary;
use hashmill_measure::suite::{Details, Form};
use hashmill_measure::table::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const SUITES: &str = "bench/suites";
pub(crate) const RUNS: &str = "bench/runs";

/// Options of `xtask measure`.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// The suites; all if none is named
    suites: Vec<String>,

    /// The program to measure
    #[arg(long, default_value = "target/release/hashmill")]
    hashmill: PathBuf,

    /// Where files are made and kept
    #[arg(long, default_value = "target/bench/suites")]
    to: PathBuf,

    /// Number of pairs of every row
    #[arg(long)]
    reps: Option<u32>,
}

/// Options of `xtask render`.
#[derive(clap::Args)]
pub(crate) struct RenderArgs {
    /// Only check that the pages are as they would be rendered
    #[arg(long)]
    check: bool,

    /// The repository
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// Measures suites on this machine, one after the other, and renders the pages.
pub(crate) fn measure(args: &MeasureArgs) -> Result<bool, String> {
    let root = Path::new(".");
    let known = names(&root.join(SUITES), "toml")?;
    if let Some(unknown) = args.suites.iter().find(|name| !known.contains(name)) {
        return Err(format!("{unknown}: no such suite; there are {}", known.join(", ")));
    }
    let suites = if args.suites.is_empty() { &known } else { &args.suites };
    let mut all = true;
    for suite in suites {
        let file = format!("{SUITES}/{suite}.toml");
        println!("measure: {suite}");
        // What changes while it is measured is not part of it.
        let sources = sources(root, &Suite::read(&root.join(&file)).map_err(|e| e.to_string())?)?;
        let mut command = Command::new(&args.hashmill);
        command.args(["bench", "suite", &file, "--json", "--to"]).arg(&args.to);
        if let Some(reps) = args.reps {
            command.arg("--reps").arg(reps.to_string());
        }
        let out = command.stderr(std::process::Stdio::inherit()).output();
        let out = out.map_err(|e| format!("{}: {e}", args.hashmill.display()))?;
        if out.status.code() == Some(130) {
            return Err("interrupted: the same command goes on".into());
        }
        // What could not be measured has been said; the rest counts.
        all &= out.status.success();
        let mut run: Run = serde_json::from_slice(&out.stdout).map_err(|e| format!("{suite}: {e}"))?;
        if run.pairings.is_empty() {
            continue;
        }
        let mut details = Details::of(&run).ok_or_else(|| format!("{suite}: the run is not of a suite"))?;
        details.sources = sources;
        run.details = serde_json::to_value(details).map_err(|e| format!("{suite}: {e}"))?;
        abridge(&mut run, &file);
        let folder = root.join(RUNS).join(slug(&run));
        let path = folder.join(format!("{suite}.json"));
        let text = serde_json::to_string(&run).map_err(|e| format!("{suite}: {e}"))? + "\n";
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    render(&RenderArgs { check: false, root: root.into() }).map(|rendered| rendered && all)
}

/// Leaves out what no page needs of a run, because it is kept for good: the samples of each side, digits that nobody
/// trusts, where it was measured, and what follows from the ratios ([`complete`]).
fn abridge(run: &mut Run, suite: &str) {
    run.command = ["hashmill", "bench", "suite", suite].map(String::from).to_vec();
    for series in &mut run.series {
        series.samples.clear();
        if let Some(s) = &mut series.summary {
            let figures = [&mut s.median, &mut s.quartiles.0, &mut s.quartiles.1, &mut s.interval.0, &mut s.interval.1];
            figures.into_iter().for_each(|x| *x = rounded(*x));
        }
    }
    for pairing in &mut run.pairings {
        pairing.ratios.iter_mut().for_each(|r| *r = rounded(*r));
        pairing.summary = None;
    }
}

/// Rounds to five significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

/// Adds what [`abridge`] left out because it follows from the rest.
fn complete(run: &mut Run) {
    run.pairings.iter_mut().for_each(|p| p.summary = Summary::of(&p.ratios));
}

/// Fills the marked places of all pages.
pub(crate) fn render(args: &RenderArgs) -> Result<bool, String> {
    let runs = read(&args.root)?;
    let mut right = runs.values().all(|all| !all.is_empty());
    for page in pages(&args.root)? {
        let path = args.root.join(&page);
        let old = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let new = filled(&old, &runs, &args.root).map_err(|e| format!("{}: {e}", page.display()))?;
        if new == old {
            continue;
        }
        if args.check {
            println!("{}: not as its runs say: `make pages` renders it", page.display());
            right = false;
        } else {
            fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    for (path, svg) in pictures(&runs)? {
        let path = args.root.join(path);
        let old = fs::read_to_string(&path).unwrap_or_default();
        if args.check {
            right &= old == svg;
        } else if old != svg {
            fs::write(&path, svg).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(right)
}

/// Returns the pictures of tables that have one, with their paths: of the latest run of each.
fn pictures(runs: &Runs) -> Result<Vec<(String, String)>, String> {
    let mut pictures = Vec::new();
    for (run, details) in runs.values().filter_map(|all| all.last()) {
        for table in &details.tables {
            let chart = table.picture.as_ref().and_then(|path| Some((path, details.chart(run, &table.name)?)));
            if let Some((path, chart)) = chart {
                pictures.push((path.clone(), chart.svg().map_err(|e| format!("{path}: {e}"))?));
            }
        }
    }
    Ok(pictures)
}

/// Prints which sources of which runs have changed. Returns whether none has.
pub(crate) fn stale(root: &Path) -> Result<bool, String> {
    let mut fresh = true;
    for (suite, runs) in read(root)? {
        let now = Suite::read(&root.join(format!("{SUITES}/{suite}.toml"))).map_err(|e| e.to_string())?;
        let now = sources(root, &now)?;
        for run in runs {
            let then = &run.1.sources;
            let changed: Vec<&str> = now.iter().filter(|(k, v)| then.get(*k) != Some(*v)).map(|(k, _)| &**k).collect();
            let name = format!("{RUNS}/{}/{suite}.json", slug(&run.0));
            match &changed[..] {
                [] => println!("{name}: measured with these sources"),
                changed => println!("{name}: stale, other now: {}", changed.join(", ")),
            }
            fresh &= changed.is_empty();
        }
    }
    let measured = read(root)?;
    for suite in names(&root.join(SUITES), "toml")?.into_iter().filter(|name| !measured.contains_key(name)) {
        println!("{SUITES}/{suite}.toml: not measured yet");
        fresh = false;
    }
    Ok(fresh)
}

/// The runs of each suite, one for each machine, the latest last. A suite that has a run which cannot be read has none
/// here: what pages show of it stays as it is.
type Runs = BTreeMap<String, Vec<(Run, Details)>>;

fn read(root: &Path) -> Result<Runs, String> {
    let (mut runs, mut unread) = (Runs::new(), BTreeSet::new());
    let folder = root.join(RUNS);
    let machines = fs::read_dir(&folder).map(|all| all.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>());
    let mut machines = machines.unwrap_or_default();
    machines.sort();
    for machine in machines {
        for suite in names(&machine, "json")? {
            let path = machine.join(format!("{suite}.json"));
            let all = runs.entry(suite.clone()).or_default();
            match of(&path, &root.join(format!("{SUITES}/{suite}.toml"))) {
                Ok(run) => all.push(run),
                Err(e) => {
                    println!("{}: {e}: pages stay as they are", path.display());
                    unread.insert(suite);
                }
            }
        }
    }
    for (suite, all) in &mut runs {
        all.sort_by(|a, b| a.0.started.cmp(&b.0.started));
        if unread.contains(suite) {
            all.clear();
        }
    }
    Ok(runs)
}

/// Reads a run, with what its suite's file says.
fn of(path: &Path, suite: &Path) -> Result<(Run, Details), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut run: Run = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    if run.format > FORMAT {
        return Err(format!("its format {} is of a newer version", run.format));
    }
    complete(&mut run);
    let mut details = Details::of(&run).ok_or("it is not the run of a suite")?;
    Suite::read(suite).and_then(|suite| suite.describe(&mut details)).map_err(|e| e.to_string())?;
    Ok((run, details))
}

/// Returns the names of the files with this extension, in order.
pub(crate) fn names(folder: &Path, extension: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.filter_map(|e| Some(e.ok()?.path()));
    let right = paths.filter(|p| p.extension().is_some_and(|e| e == extension));
    let mut names: Vec<String> = right.filter_map(|p| Some(p.file_stem()?.to_str()?.to_string())).collect();
    names.sort();
    Ok(names)
}

/// Returns the pages that may have marked places.
fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "bench", "bindings/cpp/docs"] {
        let names = names(&root.join(folder), "md")?;
        pages.extend(names.iter().map(|name| Path::new(folder).join(format!("{name}.md"))));
    }
    Ok(pages)
}

/// Returns hashes of the sources that a suite names, and of what it measures.
fn sources(root: &Path, suite: &Suite) -> Result<BTreeMap<String, String>, String> {
    let hash = |name: &String| stale::hash(root, name).map_err(|e| format!("{name}: {e}"));
    let mut all = BTreeMap::new();
    for name in &suite.sources {
        all.insert(name.clone(), hash(name)?);
    }
    all.insert("the suite".into(), stale::digest(suite.essence().as_bytes()));
    Ok(all)
}

/// Returns the name of a machine's folder: of its processor and the number of its CPUs.
pub(crate) fn slug(run: &Run) -> String {
    let text = format!("{} {} CPUs", run.machine.cpu.replace("(R)", ""), run.machine.cpus).to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Returns a page with its marked places filled. Places of other kinds stay.
fn filled(page: &str, runs: &Runs, root: &Path) -> Result<String, String> {
    let mut new = String::new();
    let mut rest = page;
    // A suite whose runs cannot be read.
    let stays = |name: &str| name.split_once('/').and_then(|(suite, _)| runs.get(suite)).is_some_and(Vec::is_empty);
    while let Some((before, after)) = rest.split_once("<!-- ") {
        new += before;
        if let Some((name, after)) = after.strip_prefix('=').and_then(|a| a.split_once(" -->")) {
            let (old, after) =
                after.split_once("<!-- = -->").ok_or_else(|| format!("the figure {name} does not end"))?;
            let figure = if stays(name) { old.into() } else { figure(name, runs, root)? };
            new += &format!("<!-- ={name} -->{figure}<!-- = -->");
            rest = after;
            continue;
        }
        let mark = after.split_once(": begin -->\n").filter(|(name, _)| name.contains('/') && !name.contains('\n'));
        let Some((name, inside)) = mark else {
            new += "<!-- ";
            rest = after;
            continue;
        };
        let end = format!("<!-- {name}: end -->\n");
        let (old, after) = inside.split_once(&end).ok_or_else(|| format!("the place {name} does not end"))?;
        let text = if stays(name) { old.into() } else { place(name, runs, root)? };
        new += &format!("<!-- {name}: begin -->\n{text}{end}");
        rest = after;
    }
    Ok(new + rest)
}

/// Whether a suite has a table of this name now. Its runs may be older, or an engine may have been missing.
fn has_table(root: &Path, suite: &str, table: &str) -> bool {
    Suite::read(&root.join(format!("{SUITES}/{suite}.toml"))).is_ok_and(|s| s.has_table(table))
}

/// Returns a figure of the latest run that has it: not every machine has every kernel. In cells of tables, bars are
/// escaped.
fn figure(name: &str, runs: &Runs, root: &Path) -> Result<String, String> {
    let wrong = |e: &str| format!("={name}: {e}");
    let text = name.replace(" \\| ", " | ");
    let mut parts = text.split(" | ");
    let (suite, table) = parts.next().and_then(|p| p.split_once('/')).ok_or_else(|| wrong("no SUITE/TABLE"))?;
    if (suite, table) == ("bounds", "least") {
        return bounds::least(root, runs.get("kernels").map_or(&[], |all| all));
    }
    let row = parts.next().ok_or_else(|| wrong("no row"))?;
    let field = parts.next().unwrap_or("ratio");
    let Some(all) = runs.get(suite) else { return Ok("–".into()) };
    let mut found = all.iter().rev().map(|(run, details)| details.figure(run, table, row, field));
    let latest = found.next().unwrap_or_else(|| Err("no run".into()));
    let measured = all.iter().any(|(_, details)| details.tables.iter().any(|t| t.name == table && !t.rows.is_empty()));
    if !measured && has_table(root, suite, table) {
        return Ok("–".into());
    }
    latest.or_else(|e| found.find_map(Result::ok).ok_or_else(|| wrong(&e)))
}

/// Returns how long each suite took, by machine, and all of them together.
fn times(runs: &Runs) -> String {
    let machines: BTreeSet<String> = runs.values().flatten().map(|(run, _)| slug(run)).collect();
    let mut text = String::new();
    for machine in machines {
        let mut table = Table::new("", ["suite", "seconds", "of these for neighbors"]);
        let (mut line, mut sums) = (String::new(), [0.0; 2]);
        for (suite, all) in runs {
            let Some((run, _)) = all.iter().find(|(run, _)| slug(run) == machine) else { continue };
            let both = [run.weather.seconds, run.weather.neighbors_seconds];
            line = run.machine.line();
            sums = [sums[0] + both[0], sums[1] + both[1]];
            table.row([suite.clone(), format!("{:.0}", both[0]), format!("{:.0}", both[1])]);
        }
        table.row(["all".into(), format!("{:.0}", sums[0]), format!("{:.0}", sums[1])]);
        text += &format!("{line}:\n\n{}", table.markdown());
    }
    if text.is_empty() { "Not measured yet.\n".into() } else { text }
}

/// Returns what belongs in a place.
fn place(name: &str, runs: &Runs, root: &Path) -> Result<String, String> {
    let (suite, what) = name.split_once('/').unwrap_or((name, ""));
    match suite {
        "published" => return published::table(root, what).map_err(|e| format!("{name}: {e}")),
        "bounds" => return bounds::table(root, runs.get("kernels").map_or(&[], |all| all)),
        "accuracy" => return accuracy::place(root, what),
        "times" if what == "table" => return Ok(times(runs)),
        _ => {}
    }
    let Some(all) = runs.get(suite) else { return Ok("Not measured yet.\n".into()) };
    let (table, form) = what.split_once(' ').unwrap_or((what, ""));
    let has_columns = |(_, d): &(Run, Details)| d.tables.iter().any(|t| t.name == table && !t.columns.is_empty());
    if all.len() > 1 && form != "spread" && !["about", "missed"].contains(&table) && !all.iter().any(has_columns) {
        let beside = Details::beside(all, table).ok_or_else(|| format!("no run has a table {name}"))?;
        return Ok(beside.markdown());
    }
    let mut parts = Vec::new();
    for (run, details) in all {
        let shown = |form| details.table(run, table, form).map(|t| t.markdown());
        let text = match (table, form) {
            ("about", _) => Some(details.about(run)),
            ("missed", _) => Some(details.missed(run)),
            (_, "spread") => details.spread(run, table),
            (_, "short") => shown(Form::Short),
            (_, "") => shown(Form::Full),
            (_, other) => return Err(format!("{name}: a table cannot be {other}")),
        };
        let Some(text) = text else { continue };
        parts.push(if all.len() > 1 && table != "about" { format!("{}:\n\n{text}", run.machine.line()) } else { text });
    }
    if table == "about" {
        // Machines that other suites have been measured on.
        let here: Vec<String> = all.iter().map(|(run, _)| slug(run)).collect();
        let others: BTreeSet<String> = runs.values().flatten().map(|(run, _)| slug(run)).collect();
        let missing: Vec<String> = others.into_iter().filter(|m| !here.contains(m)).collect();
        if !missing.is_empty() {
            parts.push(format!("- Not measured on {}.\n", missing.join(", ")));
        }
        return Ok(parts.concat());
    }
    match parts.is_empty() {
        true if has_table(root, suite, table) => Ok("Not measured.\n".into()),
        true => Err(format!("no run has a table {name}")),
        false => Ok(parts.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::machine::{Machine, Watch};
    use hashmill_measure::run::{Pairing, Series, Unit};

    #[test]
    fn pages_are_as_their_runs_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(render(&RenderArgs { check: true, root }), Ok(true));
    }

    /// What a run says about the machine is its processor, not where its files are.
    #[test]
    fn runs_name_no_paths_of_a_machine() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut seen = 0;
        for file in crate::files::below(&root.join(RUNS)).unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            let words = text.split(|c: char| c.is_whitespace() || "\"'`=,()".contains(c));
            let paths: Vec<&str> = words.filter(|w| w.starts_with('/') && w.matches('/').count() > 1).collect();
            assert!(paths.is_empty(), "{}: {paths:?}", file.display());
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn only_marked_places_are_filled() {
        let (runs, root) = (Runs::new(), Path::new("."));
        let page = "# T\n\nText.\n<!-- a comment -->\n<!-- attacks: begin -->\nx\n<!-- attacks: end -->\n\
                    <!-- trees/photos: begin -->\nold\n<!-- trees/photos: end -->\nMore.\n";
        let want = page.replace("old", "Not measured yet.");
        assert_eq!(filled(page, &runs, root).as_deref(), Ok(&*want));
        assert_eq!(filled(&want, &runs, root).as_deref(), Ok(&*want));
        let figure = "It is <!-- =daily/photos | `md5sum` -->3<!-- = --> times.\n";
        let cell = "| x | <!-- =daily/photos \\| `md5sum` \\| ours -->3<!-- = --> |\n";
        assert_eq!(filled(cell, &runs, root).as_deref(), Ok(&*cell.replace('3', "–")));
        assert_eq!(filled(figure, &runs, root).as_deref(), Ok(&*figure.replace('3', "–")));
        assert_eq!(filled("<!-- =daily/photos -->3<!-- = -->", &runs, root).unwrap_err(), "=daily/photos: no row");
        // What cannot be read changes nothing.
        let unread = Runs::from([("trees".into(), vec![]), ("daily".into(), vec![])]);
        assert_eq!(filled(&format!("{page}{figure}"), &unread, root), Ok(format!("{page}{figure}")));
        let open = "<!-- trees/photos: begin -->\nold\n";
        assert_eq!(filled(open, &runs, root).unwrap_err(), "the place trees/photos does not end");
    }

    #[test]
    fn an_abridged_run_says_the_same() {
        let ratios = vec![1.234_567_89, 2.0, 1_234.567_89];
        let pairing = Pairing::new(0, 1, ratios);
        let mut run: Run = serde_json::from_value(empty(FORMAT)).unwrap();
        run.series.push(Series::ours("md5", "", Unit::Nanoseconds, vec![123.456_78, 0.000_123_456_78]));
        run.pairings.push(pairing.clone());
        abridge(&mut run, "bench/suites/x.toml");
        complete(&mut run);
        assert_eq!(run.pairings[0].ratios, [1.2346, 2.0, 1234.6]);
        assert_eq!(run.pairings[0].summary.map(|s| s.median), Some(2.0));
        assert_eq!(run.series[0].summary.map(|s| s.interval), Some((0.000_123_46, 123.46)));
        assert!(run.series[0].samples.is_empty());
    }

    fn empty(format: u32) -> serde_json::Value {
        serde_json::json!({
            "format": format, "command": [], "started": "2026-01-01T00:00:00Z", "machine": Machine::here(),
            "weather": Watch::start().weather(), "interrupted": false, "warnings": [], "series": [], "pairings": [],
            "details": Details::default(),
        })
    }

    #[test]
    fn runs_that_cannot_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let machine = dir.path().join(RUNS).join("m");
        fs::create_dir_all(&machine).unwrap();
        let text = |format: u32| empty(format).to_string();
        for (name, text) in [("newer", text(FORMAT + 1)), ("nonsense", "{".into()), ("no-suite", text(FORMAT))] {
            fs::write(machine.join(format!("{name}.json")), text).unwrap();
        }
        let runs = read(dir.path()).unwrap();
        assert_eq!(
            runs.iter().map(|(k, v)| (&**k, v.len())).collect::<Vec<_>>(),
            [("newer", 0), ("no-suite", 0), ("nonsense", 0)]
        );
    }
}
