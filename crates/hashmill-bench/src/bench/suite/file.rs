//! A suite as its file describes it (TOML): what is measured against what, on which files, and how that is shown.
//!
//! Commands are lists of arguments. `{name}` in an argument is the path of the suite's files of that name, and an
//! argument `{name/*}` stands for all files below it. `@name` begins with one of the suite's own commands. The program
//! `hashmill` is the one that is measured, and `hashmill:NAME` the same under another name. A command that is one text
//! is a line for the shell.

use hashmill::unstable::parse_size;
use hashmill_measure::stats::Summary;
use hashmill_measure::suite::Details;
use serde::de;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a suite cannot be used.
#[derive(Debug, Error)]
#[error("{path}: {what}")]
pub struct SuiteError {
    path: String,
    what: String,
}

/// What is measured against what.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// What the suite is about, in a line.
    pub(crate) title: String,
    /// Number of pairs of rows that do not say; of tables with several starts, in each of them.
    #[serde(default = "pairs")]
    pub(crate) pairs: usize,
    /// How often the programs are started, unless a table has its own number: speed depends on where code and data are
    /// in memory, and on what else the machine does. Each start gives one value; of whole commands, each pair does, and
    /// this is the number of parts that they are measured in.
    #[serde(default = "starts")]
    pub(crate) starts: usize,
    /// Beginnings of commands: `@name` in place of a program stands for these arguments.
    #[serde(default)]
    commands: BTreeMap<String, Vec<String>>,
    /// Programs that run slices (`hashmill_measure::engine`), relative to the suite's file, with their arguments.
    #[serde(default)]
    pub(crate) engines: BTreeMap<String, Vec<String>>,
    /// The files that the commands work on.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Files>,
    #[serde(rename = "table")]
    pub(crate) tables: Vec<Rows>,
    /// Variables of the environment, each with a program that prints its value last; relative to the suite's file.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// The files and folders of which a change can change the figures, relative to the repository.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Where its file is.
    #[serde(skip)]
    pub(crate) path: PathBuf,
}

fn pairs() -> usize {
    15
}

/// The interval from the smallest to the largest of six values has a confidence of 97 %.
fn starts() -> usize {
    6
}

/// Files that are made before anything is measured, and kept for the next time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Files {
    /// A program that makes them in the folder that it is given; relative to the suite's file.
    pub(crate) program: Option<String>,
    /// Number of folders that they are in.
    pub(crate) folders: Option<usize>,
    /// Number of files in each folder.
    pub(crate) files: Option<usize>,
    /// Length of each file, or of the only one.
    #[serde(default, deserialize_with = "size")]
    pub(crate) size: Option<u64>,
    /// Number of copies of the files `of`, each in a folder.
    pub(crate) copies: Option<usize>,
    pub(crate) of: Option<String>,
    /// A command whose output it is, made again every time.
    pub(crate) output: Option<Vec<String>>,
    /// The files in whose folder that command runs.
    pub(crate) below: Option<String>,
    /// Whether they are in memory (tmpfs), and made for each run of the suite.
    #[serde(default)]
    pub(crate) memory: bool,
}

/// One table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    /// Its name.
    pub(crate) name: String,
    pub(crate) title: String,
    /// What the other programs are called in the head.
    #[serde(default = "other")]
    pub(crate) other: String,
    /// Whether the files are taken out of the page cache before every run, which takes root.
    #[serde(default)]
    pub(crate) cold: bool,
    #[serde(default, rename = "row")]
    pub(crate) rows: Vec<Row>,
    /// Instead: arguments of `hashmill bench`, whose comparisons are the rows. `{pairs}` is their number, `{folder}`
    /// where files are made.
    #[serde(default)]
    pub(crate) bench: Vec<String>,
    /// What `{each}` in these arguments stands for in turn: each is a column.
    #[serde(default)]
    pub(crate) each: Vec<String>,
    /// The name of such a column, with `{each}`.
    #[serde(default = "each")]
    pub(crate) column: String,
    /// Instead: whose loops are compared with whose, for every case that they have. Several of ours are columns; of
    /// several others the fastest counts.
    #[serde(default, deserialize_with = "some")]
    pub(crate) ours: Vec<By>,
    #[serde(default, deserialize_with = "some")]
    pub(crate) theirs: Vec<By>,
    /// Only cases that begin with one of these texts.
    #[serde(default)]
    pub(crate) cases: Vec<String>,
    /// Cases of ours that the others call something else.
    #[serde(default)]
    pub(crate) alias: BTreeMap<String, String>,
    /// Whether loops use several CPUs at once.
    #[serde(default)]
    pub(crate) parallel: bool,
    /// The aim of all rows that do not say, why it is missed, and the number of pairs.
    #[serde(default)]
    pub(crate) aim: f64,
    pub(crate) why: Option<String>,
    pub(crate) pairs: Option<usize>,
    pub(crate) starts: Option<usize>,
    /// Length of a loop's slice in microseconds.
    pub(crate) slice: Option<u64>,
    /// Whether cycles a byte are shown.
    #[serde(default)]
    cycles: bool,
    /// What the rows are, by their names.
    #[serde(default)]
    notes: BTreeMap<String, String>,
    /// Number of operations that times are shown for.
    times: Option<u32>,
    /// Figures of others.
    #[serde(default)]
    published: Vec<Published>,
    /// The picture that is made of it, relative to the repository.
    picture: Option<String>,
}

/// Figures that others published, as a column.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    column: String,
    /// A JSON file, relative to the suite's.
    file: String,
    /// A pointer (RFC 6901) to a figure in it: `{name}` is the row's name without what follows a comma and a blank,
    /// `{first}` its first word.
    at: String,
    /// If that is an array of figures for several lengths: these, in bytes. Otherwise its median counts.
    #[serde(default)]
    sizes: Vec<u64>,
    unit: Per,
}

/// What a published figure counts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Per {
    /// Seconds for as many operations as the table says, or for one.
    Seconds,
    Milliseconds,
    Nanoseconds,
    /// Thousands of bytes in a second.
    KilobytesPerSecond,
    OperationsPerSecond,
}

/// Loops of an engine that are by the same: `php:hash_many`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct By {
    pub(crate) engine: String,
    pub(crate) by: String,
}

impl TryFrom<String> for By {
    type Error = String;

    fn try_from(text: String) -> Result<By, String> {
        let (engine, by) = text.split_once(':').ok_or_else(|| format!("'{text}' is not ENGINE:LOOP"))?;
        Ok(By { engine: engine.into(), by: by.into() })
    }
}

fn other() -> String {
    "the other".into()
}

fn each() -> String {
    "{each}".into()
}

/// One comparison, or one for each of several names.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Names that `{each}` stands for in turn, with the aim of each.
    #[serde(default)]
    each: Vec<(String, f64)>,
    pub(crate) what: String,
    /// The other command.
    pub(crate) theirs: Line,
    pub(crate) ours: Line,
    /// How many times as fast ours should be; as the table says if it does not.
    aim: Option<f64>,
    /// Why it is not, if it is not.
    why: Option<String>,
    /// What of them is compared.
    #[serde(default)]
    pub(crate) told: Told,
    /// What of the outputs has to be equal.
    #[serde(default)]
    pub(crate) equal: Equal,
    /// Exit statuses that are no failure.
    #[serde(default = "zero")]
    pub(crate) statuses: Vec<i32>,
    /// The files, one folder of which is emptied before every run.
    pub(crate) emptied: Option<String>,
    pub(crate) pairs: Option<usize>,
}

fn zero() -> Vec<i32> {
    vec![0]
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Arguments(Vec<String>),
    Shell(String),
}

impl Line {
    /// Returns the program that it is about.
    pub(crate) fn program(&self) -> &str {
        match self {
            Line::Arguments(all) => all.first().map_or("", |a| a),
            Line::Shell(line) => line.split(' ').next().unwrap_or_default(),
        }
    }

    fn replace(&mut self, from: &str, to: &str) {
        match self {
            Line::Arguments(all) => all.iter_mut().for_each(|a| *a = a.replace(from, to)),
            Line::Shell(line) => *line = line.replace(from, to),
        }
    }
}

/// What of two commands is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Told {
    /// Their times.
    #[default]
    Time,
    /// The bytes per second that they print in the form of `openssl speed -mr`.
    Rate,
    /// The signatures per second that they print so.
    Signatures,
    /// The verifications per second that they print so.
    Verifications,
}

/// What of two outputs has to be equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Equal {
    /// Nothing: they have different forms.
    #[default]
    Nothing,
    /// Every byte.
    Bytes,
    /// The lines, in any order.
    Lines,
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// Returns one line that says what is wrong with the file, and where.
    pub fn read(path: &Path) -> Result<Suite, SuiteError> {
        let error = |what: String| SuiteError { path: path.display().to_string(), what };
        let text = fs::read_to_string(path).map_err(|e| error(hashmill_files::plain(&e)))?;
        let suite = toml::from_str::<Suite>(&text).map_err(|e| {
            let line = e.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            error(format!("line {line}: {}", e.message()))
        })?;
        let mut suite = suite.checked().map_err(error)?;
        path.clone_into(&mut suite.path);
        Ok(suite)
    }

    /// Returns the path of a file whose name is relative to the suite's.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty());
        folder.unwrap_or(Path::new(".")).join(name)
    }

    /// Returns its name.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns a text that differs if something else is measured.
    pub fn essence(&self) -> String {
        let table = |t: &Rows| {
            let rows: Vec<_> = t
                .rows
                .iter()
                .map(|r| (&r.what, &r.theirs, &r.ours, r.told, &r.statuses, &r.emptied, r.pairs))
                .collect();
            let what = (&t.name, t.cold, rows, &t.bench, &t.each, &t.ours, &t.theirs, &t.cases, &t.alias);
            format!("{:?}", (what, t.parallel, t.pairs, t.starts, t.slice))
        };
        let tables: Vec<String> = self.tables.iter().map(table).collect();
        format!("{:?}", (self.pairs, self.starts, &self.engines, &self.environment, &self.files, tables))
    }

    /// Whether there is a table of this name.
    pub fn has_table(&self, name: &str) -> bool {
        self.tables.iter().any(|t| t.name == name)
    }

    /// Takes what is shown beside the figures of a run from the suite's file: titles, aims, reasons, notes, published
    /// figures.
    ///
    /// # Errors
    /// If a file of published figures cannot be read.
    pub fn describe(&self, details: &mut Details) -> Result<(), SuiteError> {
        self.title.clone_into(&mut details.title);
        for of in &mut details.tables {
            let Some(table) = self.tables.iter().find(|t| t.name == of.name) else { continue };
            let error = |what: String| SuiteError { path: self.path.display().to_string(), what };
            table.title.clone_into(&mut of.title);
            table.other.clone_into(&mut of.other);
            (of.cycles, of.times) = (table.cycles, table.times);
            table.picture.clone_into(&mut of.picture);
            of.published = table.published.iter().map(|p| p.column.clone()).collect();
            let read = |p: &Published| p.read(&self.beside(&p.file));
            let files: Result<Vec<Value>, String> = table.published.iter().map(read).collect();
            let files = files.map_err(error)?;
            for row in &mut of.rows {
                let (aim, why) = table.aimed(&row.what);
                (row.aim, row.why) = (aim, why.cloned());
                row.note = table.notes.get(&row.what).cloned();
                let figures = table.published.iter().zip(&files);
                row.published = figures.map(|(p, file)| p.nanoseconds(file, &row.what, table.times)).collect();
            }
        }
        Ok(())
    }

    fn checked(mut self) -> Result<Suite, String> {
        let several = |t: &Rows| (t.pairs, t.starts, t.rows.iter().map(|r| r.pairs).collect::<Vec<_>>());
        for (pairs, starts, rows) in
            self.tables.iter().map(several).chain([(Some(self.pairs), Some(self.starts), vec![])])
        {
            if pairs == Some(0) || rows.contains(&Some(0)) {
                return Err("pairs: at least 1".into());
            }
            if starts == Some(0) {
                return Err("starts: at least 1".into());
            }
        }
        for (name, files) in &self.files {
            let kinds = [
                files.program.is_some(),
                files.size.is_some(),
                files.copies.is_some() && files.of.is_some(),
                files.output.is_some(),
            ];
            if kinds.iter().filter(|k| **k).count() != 1 || files.folders.is_some() != files.files.is_some() {
                return Err(format!(
                    "files.{name}: it takes one of program, size (with folders and files), copies with of, output"
                ));
            }
            let others = files.of.iter().chain(&files.below);
            if let Some(unknown) = others.into_iter().find(|other| !self.files.contains_key(*other)) {
                return Err(format!("files.{name}: there are no files {unknown}"));
            }
        }
        for table in &mut self.tables {
            let engines = table.ours.iter().chain(&table.theirs);
            if let Some(unknown) =
                engines.into_iter().find(|of| of.engine != super::loops::HERE && !self.engines.contains_key(&of.engine))
            {
                return Err(format!("table {}: there is no engine {}", table.name, unknown.engine));
            }
            let both = !table.ours.is_empty() && !table.theirs.is_empty();
            let kinds = [!table.rows.is_empty(), both, !table.bench.is_empty()];
            if kinds.iter().filter(|k| **k).count() != 1 || table.ours.is_empty() == both {
                return Err(format!("table {}: it takes rows, ours and theirs of engines, or bench", table.name));
            }
            // Otherwise it would be measured for as long as it likes, in every start.
            if !table.bench.is_empty() && !table.bench.iter().any(|a| a.contains("{pairs}")) {
                return Err(format!(
                    "table {}: bench says nothing of {{pairs}}: \"--reps\", \"{{pairs}}\"",
                    table.name
                ));
            }
            table.rows = std::mem::take(&mut table.rows).into_iter().flat_map(Row::expanded).collect();
            for row in &mut table.rows {
                for line in [&mut row.theirs, &mut row.ours] {
                    if let Line::Arguments(all) = line
                        && let Some(name) = all.first().and_then(|a| a.strip_prefix('@'))
                    {
                        let begin = self.commands.get(name).ok_or_else(|| format!("there is no command {name}"))?;
                        all.splice(..1, begin.iter().cloned());
                    }
                }
            }
            for (i, row) in table.rows.iter().enumerate() {
                if row.ours.program() == "" || row.theirs.program() == "" {
                    return Err(format!("table {}: {}: an empty command", table.name, row.what));
                }
                if table.rows[..i].iter().any(|other| other.what == row.what) {
                    return Err(format!("table {}: {} stands there twice", table.name, row.what));
                }
            }
        }
        for (i, table) in self.tables.iter().enumerate() {
            if self.tables[..i].iter().any(|other| other.name == table.name) {
                return Err(format!("there are two tables {}", table.name));
            }
        }
        Ok(self)
    }
}

impl Rows {
    /// Returns the aim of a row, and why it is missed.
    pub(crate) fn aimed(&self, what: &str) -> (f64, Option<&String>) {
        let row = self.rows.iter().find(|r| r.what == what);
        let why = row.and_then(|r| r.why.as_ref()).or(self.why.as_ref());
        (row.and_then(|r| r.aim).unwrap_or(self.aim), why)
    }
}

impl Published {
    fn read(&self, path: &Path) -> Result<Value, String> {
        let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", self.file);
        let text = fs::read_to_string(path).map_err(|e| wrong(&hashmill_files::plain(&e)))?;
        serde_json::from_str(&text).map_err(|e| wrong(&e))
    }

    /// Returns the time of one operation that was published for a row.
    fn nanoseconds(&self, file: &Value, what: &str, times: Option<u32>) -> Option<f64> {
        let what = what.replace('`', "");
        let (name, rest) = what.split_once(", ").unwrap_or((&what, ""));
        let bytes: Option<u64> = rest.split(' ').find_map(|word| word.parse().ok());
        let key = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let first = name.split(' ').next().unwrap_or_default();
        let found = file.pointer(&self.at.replace("{name}", &key(name)).replace("{first}", &key(first)))?;
        let figure = match found {
            Value::Array(all) if self.sizes.is_empty() => {
                let all: Option<Vec<f64>> = all.iter().map(Value::as_f64).collect();
                Summary::of(&all?)?.median
            }
            Value::Array(all) => all.get(self.sizes.iter().position(|n| Some(*n) == bytes)?)?.as_f64()?,
            one => one.as_f64()?,
        };
        Some(match self.unit {
            Per::Seconds => figure * 1e9 / f64::from(times.unwrap_or(1)),
            Per::Milliseconds => figure * 1e6,
            Per::Nanoseconds => figure,
            Per::KilobytesPerSecond => bytes? as f64 / figure * 1e6,
            Per::OperationsPerSecond => 1e9 / figure,
        })
    }
}

impl Row {
    /// Returns a row for each name.
    fn expanded(self) -> Vec<Row> {
        if self.each.is_empty() {
            return vec![self];
        }
        let one = |(name, aim): &(String, f64)| {
            let mut row = Row { each: Vec::new(), aim: Some(*aim), ..self.clone() };
            row.what = row.what.replace("{each}", name);
            row.theirs.replace("{each}", name);
            row.ours.replace("{each}", name);
            row
        };
        self.each.iter().map(one).collect()
    }
}

/// One, or a list.
fn some<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<By>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Some {
        One(String),
        Many(Vec<String>),
    }
    let all = match Some::deserialize(from)? {
        Some::One(one) => vec![one],
        Some::Many(all) => all,
    };
    all.into_iter().map(|text| By::try_from(text).map_err(de::Error::custom)).collect()
}

/// Sizes are whole numbers or texts: `4096`, `"4K"`.
fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Size {
        Bytes(u64),
        Text(String),
    }
    match Size::deserialize(from)? {
        Size::Bytes(n) => Ok(Some(n)),
        Size::Text(text) => parse_size(&text).map(Some).map_err(de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Result<Suite, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.toml");
        fs::write(&path, text).unwrap();
        Suite::read(&path).map_err(|e| e.to_string().rsplit_once("s.toml: ").unwrap().1.to_string())
    }

    #[test]
    fn rows_for_each_name() {
        let text = "title = \"t\"\n[files]\na = { size = \"4K\" }\nmany = { folders = 2, files = 3, size = 5 }\n\
                    [[table]]\nname = \"x\"\ntitle = \"X\"\n[[table.row]]\neach = [[\"md5sum\", 15], [\"cksum\", 1.5]]\n\
                    what = \"`{each}`\"\ntheirs = [\"{each}\", \"{a}\"]\nours = \"hashmill:{each} {a} | cat\"\n";
        let suite = suite(text).unwrap();
        assert_eq!((suite.files["a"].size, suite.files["many"].files, suite.pairs), (Some(4096), Some(3), 15));
        let rows = &suite.tables[0].rows;
        let aims = rows.iter().map(|r| (&*r.what, suite.tables[0].aimed(&r.what).0));
        assert_eq!(aims.collect::<Vec<_>>(), [("`md5sum`", 15.0), ("`cksum`", 1.5)]);
        assert_eq!(rows[1].theirs, Line::Arguments(vec!["cksum".into(), "{a}".into()]));
        assert_eq!(rows[1].ours.program(), "hashmill:cksum");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let table =
            "[[table]]\nname = \"x\"\ntitle = \"X\"\nours = \"e:a\"\ntheirs = \"e:b\"\n[engines]\ne = [\"e\"]\n";
        let twice = "[[table]]\nname = \"x\"\ntitle = \"X\"\nours = \"e:a\"\ntheirs = \"e:b\"\n";
        for (text, wrong) in [
            ("title = 5\n", "line 1: invalid type: integer `5`, expected a string"),
            ("title = \"t\"\nfiles.a.sise = 5\n", "line 2: unknown field `sise`"),
            (
                "title = \"t\"\n[[table]]\nname = \"y\"\ntitle = \"Y\"\n[[table.row]]\nwhat = \"w\"\ntheirs = [\"@z\"]\nours = \"x\"\n",
                "there is no command z",
            ),
            ("title = \"t\"\npairs = 0\n", "pairs: at least 1"),
            ("title = \"t\"\nstarts = 0\n", "starts: at least 1"),
            ("title = \"t\"\nfiles.a.size = \"4X\"\n", "line 2: "),
            ("title = \"t\"\nfiles.a = { size = 5, output = [\"x\"] }\n", "files.a: it takes one of"),
            ("title = \"t\"\nfiles.a = { copies = 2, of = \"b\" }\n", "files.a: there are no files b"),
            (&format!("title = \"t\"\n{twice}"), "there are two tables x"),
            (
                "title = \"t\"\n[[table]]\nname = \"y\"\ntitle = \"Y\"\nours = \"f:a\"\ntheirs = \"e:b\"\n",
                "table y: there is no engine f",
            ),
            ("title = \"t\"\n[[table]]\nname = \"y\"\ntitle = \"Y\"\n", "table y: it takes rows, ours"),
            (
                "title = \"t\"\n[[table]]\nname = \"y\"\ntitle = \"Y\"\nbench = [\"lanes\"]\n",
                "table y: bench says nothing of {pairs}",
            ),
        ] {
            let e = suite(&format!("{text}{table}")).unwrap_err();
            assert!(e.contains(wrong), "{e}");
        }
    }
}
