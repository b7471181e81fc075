//! Runs of suites: measuring them, and rendering the pages that show their figures.
//!
//! A suite (`bench/suites/NAME.toml`) says what is measured against what. Its run (`bench/runs/MACHINE/NAME.json`) has
//! the figures, and hashes of the sources that they depend on. Pages are written by hand but for marked places, which
//! are filled from runs: `<!-- NAME/TABLE: begin -->` to `<!-- NAME/TABLE: end -->`, where TABLE is one of the suite's, or
//! `about` or `missed`. So text is edited without measuring, and measuring touches no text.

use crate::stale;
use hashmill_measure::run::{FORMAT, Run};
use hashmill_measure::suite::Details;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITES: &str = "bench/suites";
const RUNS: &str = "bench/runs";

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
    pairs: Option<u32>,
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
        let mut command = Command::new(&args.hashmill);
        command.args(["bench", "suite", &file, "--json", "--to"]).arg(&args.to);
        if let Some(pairs) = args.pairs {
            command.arg("--pairs").arg(pairs.to_string());
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
        details.sources = sources(root, &file)?;
        run.details = serde_json::to_value(details).map_err(|e| format!("{suite}: {e}"))?;
        let folder = root.join(RUNS).join(slug(&run));
        let path = folder.join(format!("{suite}.json"));
        let text = serde_json::to_string(&run).map_err(|e| format!("{suite}: {e}"))? + "\n";
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    render(&RenderArgs { check: false, root: root.into() }).map(|rendered| rendered && all)
}

/// Fills the marked places of all pages.
pub(crate) fn render(args: &RenderArgs) -> Result<bool, String> {
    let runs = read(&args.root)?;
    let mut right = true;
    for page in pages(&args.root)? {
        let path = args.root.join(&page);
        let old = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let new = filled(&old, &runs).map_err(|e| format!("{}: {e}", page.display()))?;
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
    Ok(right)
}

/// Prints which sources of which runs have changed. Returns whether none has.
pub(crate) fn stale(root: &Path) -> Result<bool, String> {
    let mut fresh = true;
    for (suite, runs) in read(root)? {
        let now = sources(root, &format!("{SUITES}/{suite}.toml"))?;
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
    Ok(fresh)
}

/// The runs of each suite, by machine.
type Runs = BTreeMap<String, Vec<(Run, Details)>>;

fn read(root: &Path) -> Result<Runs, String> {
    let mut runs = Runs::new();
    let folder = root.join(RUNS);
    let machines = fs::read_dir(&folder).map(|all| all.filter_map(|e| Some(e.ok()?.path())).collect::<Vec<_>>());
    let mut machines = machines.unwrap_or_default();
    machines.sort();
    for machine in machines {
        for suite in names(&machine, "json")? {
            let path = machine.join(format!("{suite}.json"));
            let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
            let text = fs::read_to_string(&path).map_err(|e| wrong(&e))?;
            let run: Run = serde_json::from_str(&text).map_err(|e| wrong(&e))?;
            if run.format > FORMAT {
                return Err(wrong(&format_args!("format {} is of a newer version", run.format)));
            }
            let details = Details::of(&run).ok_or_else(|| wrong(&"not the run of a suite"))?;
            runs.entry(suite).or_default().push((run, details));
        }
    }
    Ok(runs)
}

/// Returns the names of the files with this extension, in order.
fn names(folder: &Path, extension: &str) -> Result<Vec<String>, String> {
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

/// Returns hashes of the sources that a suite names.
fn sources(root: &Path, suite: &str) -> Result<BTreeMap<String, String>, String> {
    let text = fs::read_to_string(root.join(suite)).map_err(|e| format!("{suite}: {e}"))?;
    let table: toml::Table = text.parse().map_err(|e| format!("{suite}: {e}"))?;
    let listed = table.get("sources").and_then(|s| s.as_array()).ok_or_else(|| format!("{suite}: no sources"))?;
    let names = listed.iter().filter_map(|s| s.as_str());
    names
        .map(|name| Ok((name.to_string(), stale::hash(&root.join(name)).map_err(|e| format!("{name}: {e}"))?)))
        .collect()
}

/// Returns the name of a machine's folder: of its processor and the number of its CPUs.
fn slug(run: &Run) -> String {
    let text = format!("{} {} CPUs", run.machine.cpu.replace("(R)", ""), run.machine.cpus).to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Returns a page with its marked places filled. Places of other kinds stay.
fn filled(page: &str, runs: &Runs) -> Result<String, String> {
    let mut new = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!-- ") {
        let mark = after.split_once(": begin -->\n").filter(|(name, _)| name.contains('/') && !name.contains('\n'));
        let Some((name, inside)) = mark else {
            new += before;
            new += "<!-- ";
            rest = after;
            continue;
        };
        let end = format!("<!-- {name}: end -->\n");
        let (_, after) = inside.split_once(&end).ok_or_else(|| format!("the place {name} does not end"))?;
        new += &format!("{before}<!-- {name}: begin -->\n{}{end}", place(name, runs)?);
        rest = after;
    }
    Ok(new + rest)
}

/// Returns what belongs in a place.
fn place(name: &str, runs: &Runs) -> Result<String, String> {
    let (suite, what) = name.split_once('/').unwrap_or((name, ""));
    let Some(all) = runs.get(suite) else { return Ok("Not measured yet.\n".into()) };
    let mut parts = Vec::new();
    for (run, details) in all {
        let text = match what {
            "about" => details.about(run),
            "missed" => details.missed(run),
            table => match details.table(run, table) {
                Some(table) => table.markdown(),
                None => continue,
            },
        };
        parts.push(if all.len() > 1 && what != "about" { format!("{}:\n\n{text}", run.machine.line()) } else { text });
    }
    if parts.is_empty() {
        return Err(format!("no run has a table {name}"));
    }
    Ok(parts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_as_their_runs_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(render(&RenderArgs { check: true, root }), Ok(true));
    }

    #[test]
    fn only_marked_places_are_filled() {
        let runs = Runs::new();
        let page = "# T\n\nText.\n<!-- a comment -->\n<!-- attacks: begin -->\nx\n<!-- attacks: end -->\n\
                    <!-- trees/photos: begin -->\nold\n<!-- trees/photos: end -->\nMore.\n";
        let want = page.replace("old", "Not measured yet.");
        assert_eq!(filled(page, &runs).as_deref(), Ok(&*want));
        assert_eq!(filled(&want, &runs).as_deref(), Ok(&*want));
        let open = "<!-- trees/photos: begin -->\nold\n";
        assert_eq!(filled(open, &runs).unwrap_err(), "the place trees/photos does not end");
    }
}
