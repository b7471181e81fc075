//! `hashmill sum`: digests of files.

use crate::args::cli::SumArgs;
use crate::args::usage::USAGE;
use crate::terminal::input::{Stdin, announce, key};
use crate::terminal::output::{Lines, Sink, Stdout, how_read, message, shown};
use crate::terminal::progress::{Interrupt, Meter};
use crate::terminal::target::{standard_output, target};
use hashmill_files::{
    Error, Event, FileId, Filter, Found, Input, Options, Outcome, Problem, Progress, Recipe, RecipeError, Walked,
    not_an_output, plain, sum, walk,
};
use hashmill_lists::{
    Closing, Digits, Entry, Fault, Form, Function, Header, Item, LineReader, List, ReadOptions, Record, RecordError,
    Stated, Unfit, Writer, bagit, os_string, usual_form, usual_function,
};
use serde::Serialize;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Algorithms of which the first that the form can hold is used if none is asked for.
const DEFAULTS: [&str; 6] = ["sha256", "blake3", "md5", "crc32", "xxh64", "sha512"];

pub(crate) fn run(args: &SumArgs) -> ExitCode {
    if args.check {
        // `cli::parse` has already turned `-c` into `check`, unless it is grouped with a letter that has nothing to do
        // with lists, as in `-rc`, which is a mistake.
        return wrong("-c cannot be combined with options for making lists: see hashmill check --help");
    }
    match Plan::new(args) {
        Ok(plan) => plan.run(args),
        Err(text) => wrong(&text),
    }
}

fn wrong(text: &str) -> ExitCode {
    message(text);
    ExitCode::from(USAGE)
}

/// How entries are written.
enum Out {
    List(Writer),
    Template,
    /// The bytes of digests.
    Raw,
}

/// What the options ask for.
struct Plan {
    options: Options,
    filter: Filter,
    out: Out,
    digits: Digits,
    /// Whether lines end with NUL.
    zero: bool,
    json: bool,
    /// The absolute path that names are relative to, if that is asked for.
    relative_to: Option<PathBuf>,
}

/// The totals of a run.
#[derive(Debug, Default, Serialize)]
struct Totals {
    files: u64,
    bytes: u64,
    errors: u64,
}

impl Plan {
    fn new(args: &SumArgs) -> Result<Plan, String> {
        let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
        let digits = match () {
            () if args.upper => Digits::Upper,
            () if args.base64 => Digits::Base64,
            () if args.base32 => Digits::Base32,
            () => Digits::Hex,
        };
        let form = match () {
            () if args.json => Form::named("json"),
            () if args.tag => Form::named("bsd"),
            () if args.untagged => Form::named("gnu"),
            () => args.format,
        };
        let functions = functions(args, form, output)?;
        let key = key(args.key_file.as_deref())?;
        if key.is_some() && !functions.iter().any(|f| f.takes_key()) {
            return Err("--key-file: no algorithm takes the key; hmac-ALG and keyed-ALG do".into());
        }
        let recipe = |f: &Function| match Recipe::new(*f, key.as_ref()) {
            Err(e @ RecipeError::NoKey(_)) => Err(format!("{e}: --key-file names its file")),
            other => other.map_err(|e| e.to_string()),
        };
        let recipes = functions.iter().map(recipe).collect::<Result<Vec<_>, String>>()?;
        if args.untagged && functions.len() > 1 {
            return Err("--untagged takes one algorithm: lines of several could not be told apart".into());
        }
        if args.raw
            && (args.files.len() > 1 || args.recursive || args.files_from.is_some() || args.files0_from.is_some())
        {
            return Err("--raw takes one file, since its output has neither names nor line ends".into());
        }
        let form = form.unwrap_or_else(|| usual_form(&functions, output));
        if let Some(path) = output
            && form.name == "bagit"
            && let Some(named) = bagit::of_name(path)
            && functions != [Function::Hash(named)]
        {
            let path = shown(path.as_os_str());
            return Err(format!("{path}: the name of such a list says what its digests are of: {}", named.name()));
        }
        let header = header(args, functions, digits);
        let out = match () {
            () if args.template.is_some() => Out::Template,
            () if args.raw => Out::Raw,
            () => Out::List(writer(form, &header)?),
        };
        if let (Some(path), Out::List(_)) = (output, &out)
            && !is_read_back(form, &header, path)
        {
            return Err(format!(
                "{}: in a list of this name, lines of the form '{}' are read as something else; choose another name, or \
                 another --format",
                shown(path.as_os_str()),
                form.name
            ));
        }
        // In some forms, names are relative to the list's own folder.
        let base = output.and_then(|list| form.base_of(list)).filter(|_| matches!(out, Out::List(_)));
        let relative_to = match args.relative_to.clone().or(base) {
            Some(folder) => Some(std::path::absolute(folder).map_err(|e| plain(&e))?),
            None => None,
        };
        Ok(Plan {
            options: Options { threads: args.threads, io: args.io, ..Options::of(recipes) },
            filter: Filter::new(&args.selection, &args.ext)?,
            out,
            digits,
            zero: args.zero,
            json: args.json,
            relative_to,
        })
    }

    fn run(mut self, args: &SumArgs) -> ExitCode {
        // The list gets its name when everything is done, and then -C has changed the directory.
        let fixed = |path: &PathBuf| match &args.directory {
            Some(_) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            None => path.clone(),
        };
        let output = args.output.as_ref().filter(|path| path.as_os_str() != "-").map(fixed);
        let output = output.as_deref();
        if let Some(path) = output
            && let Some(id) = FileId::at(path)
            && args.files.iter().any(|f| f != "-" && FileId::at(Path::new(f)) == Some(id))
            && !may_be_list(path)
        {
            let path = shown(path.as_os_str());
            message(&format!(
                "{path} is among the files to hash and is not a checksum list, so it is not replaced: nothing was done"
            ));
            return ExitCode::FAILURE;
        }
        // Why the list of files could not be read to its end.
        let failed_list = Rc::new(RefCell::new(None));
        let listed = match (&args.files_from, &args.files0_from) {
            (Some(list), _) => Some(names(list, false, &failed_list)),
            (_, Some(list)) => Some(names(list, true, &failed_list)),
            _ => None,
        };
        let roots: Box<dyn Iterator<Item = Input>> = match listed {
            Some(Ok(names)) => names,
            Some(Err(text)) => {
                message(&text);
                return ExitCode::FAILURE;
            }
            None if args.files.is_empty() && args.recursive && args.directory.is_some() => {
                Box::new(std::iter::once(Input::Path(".".into())))
            }
            None if args.files.is_empty() => {
                announce("what to hash");
                Box::new(std::iter::once(Input::Stdin))
            }
            None => Box::new(args.files.clone().into_iter().map(|f| Input::from_argument(&f))),
        };
        let (to, outputs): (Box<dyn Sink>, _) = match output.map(|path| (path, target(path))) {
            None => (Box::new(Stdout), standard_output()),
            Some((_, Ok(made))) => made,
            Some((path, Err(e))) => {
                message(&format!("{}: {}", shown(path.as_os_str()), plain(&e)));
                return ExitCode::FAILURE;
            }
        };
        if let Some(folder) = &args.directory
            && let Err(e) = std::env::set_current_dir(folder)
        {
            return wrong(&format!("{}: {}", shown(folder.as_os_str()), plain(&e)));
        }
        let inputs: Box<dyn Iterator<Item = Result<Found, Problem>>> = if args.recursive {
            let how = Walked { outputs, filter: self.filter.clone(), follow: args.follow, ..Walked::default() };
            match args.shard {
                Some(shard) => {
                    let mine = move |found: &Result<Found, Problem>| {
                        found.as_ref().map_or(true, |f| shard.has(f.input().name().as_os_str().as_encoded_bytes()))
                    };
                    Box::new(walk(roots, how).filter(mine))
                }
                None => Box::new(walk(roots, how)),
            }
        } else {
            let filter = self.filter.clone();
            let taken = move |input: &Input| match input {
                Input::Path(path) => filter.takes_file(path, path.file_name().map_or(path, Path::new)),
                _ => true,
            };
            Box::new(roots.filter(taken).map(move |input| not_an_output(input, &outputs).map(Found::from)))
        };

        let progress = Arc::new(Progress::default());
        let meter = Meter::start(args.progress, Interrupt::Ends, &progress);
        let out = Lines::to(to, &meter);
        let mut out = if output.is_some() || args.raw { out } else { out.safe() };
        // Lines and messages that go to the same terminal come in the order of the files.
        let say = |out: &mut Lines<'_>, text: &str| {
            out.flush();
            meter.pause(|| message(text));
        };
        let mut failed = false;
        let mut totals = Totals::default();
        if let Out::List(writer) = &mut self.out {
            out.add(|line| writer.begin(line));
        }
        let options = self.options.clone();
        let end = sum(&options, inputs, &progress, |event| {
            match event {
                Event::Outcome(outcome) => {
                    if let Some(text) = self.put(outcome, args, &mut out, &mut totals) {
                        failed |= text.1;
                        say(&mut out, &text.0);
                    }
                }
                Event::Device { path, one_reader } if args.verbose => say(&mut out, &how_read(&path, one_reader)),
                Event::Device { .. } => {}
                Event::Idle => out.flush(),
            }
            out.flow()
        });
        if let Err(e) = end {
            failed = true;
            say(&mut out, &e.to_string());
        }
        if let Some(text) = failed_list.take() {
            failed = true;
            say(&mut out, &text);
        }
        if let Out::List(writer) = &mut self.out {
            out.add(|line| writer.end(line));
        }
        if self.json {
            out.add(|line| {
                Closing::new(&totals, u8::from(failed)).put(line);
                line.push(if self.zero { 0 } else { b'\n' });
            });
        }
        // A list that has nothing in it does not take another one's place.
        if totals.files == 0 && failed && output.is_some_and(Path::exists) {
            drop(out);
            drop(meter);
            message(&format!(
                "{}: not replaced, since no file could be hashed",
                shown(output.unwrap_or(Path::new("")).as_os_str())
            ));
            return ExitCode::FAILURE;
        }
        failed |= !out.finish();
        drop(meter);
        ExitCode::from(u8::from(failed))
    }

    /// Writes what is known of a file. Returns a message, if there is something to say, and whether it is a failure.
    fn put(
        &mut self,
        outcome: Outcome,
        args: &SumArgs,
        out: &mut Lines<'_>,
        totals: &mut Totals,
    ) -> Option<(String, bool)> {
        let path = outcome.input.name().to_owned();
        let name = match &self.relative_to {
            Some(folder) if outcome.input != Input::Stdin => relative(&path, folder),
            _ => path.clone(),
        };
        let name_bytes = name.as_os_str().as_encoded_bytes().to_vec();
        let digests = match outcome.result {
            Ok(digests) => digests,
            Err(e) => {
                let is_failure = !e.is_skipped();
                totals.errors += u64::from(is_failure);
                if e.is_own() && args.recursive && !args.verbose {
                    return None;
                }
                let more = if matches!(e, Error::IsDirectory) { " (use -r to hash what is in it)" } else { "" };
                if self.json && is_failure {
                    let error = Some(RecordError { kind: e.kind(), message: e.to_string() });
                    out.add(|line| {
                        Record { error, ..Record::of(&name_bytes) }.put(line);
                        line.push(if self.zero { 0 } else { b'\n' });
                    });
                }
                return Some((format!("{}: {e}{more}", shown(path.as_os_str())), is_failure));
            }
        };
        let stated = self.options.recipes.iter().zip(digests).map(|(r, d)| Stated::of(r.function(), d)).collect();
        let entry =
            Entry { name: name_bytes, size: Some(outcome.bytes), mtime: outcome.modified, stated, ..Entry::default() };
        let mut unfit = Ok(());
        out.add(|line| match (&mut self.out, &args.template) {
            (Out::List(_), _) if self.json => {
                Record { changed_while_read: outcome.changed, ..Record::entry(&entry, self.digits) }.put(line);
                line.push(if self.zero { 0 } else { b'\n' });
            }
            (Out::List(writer), _) => unfit = writer.entry(&entry, line),
            (Out::Template, Some(template)) => {
                template.put(&entry, self.digits, line);
                line.push(if self.zero { 0 } else { b'\n' });
            }
            (Out::Template, None) => {}
            (Out::Raw, _) => entry.stated.iter().for_each(|s| {
                line.extend_from_slice(s.function.map_or(s.digest.as_bytes(), |f| f.bytes(&s.digest)));
            }),
        });
        totals.files += 1;
        totals.bytes += outcome.bytes;
        if let Err(e) = unfit {
            totals.errors += 1;
            return Some((format!("{}: {e}", shown(path.as_os_str())), true));
        }
        outcome.changed.then(|| {
            totals.errors += 1;
            (format!("{}: changed while it was read", shown(path.as_os_str())), true)
        })
    }
}

/// Returns what to compute for a list of this form and name, as far as they are known.
pub(crate) fn functions(args: &SumArgs, form: Option<&Form>, output: Option<&Path>) -> Result<Vec<Function>, String> {
    let mut all: Vec<Function> = Vec::new();
    let asked = args.algorithms.iter().flat_map(|list| &list.0).copied();
    for f in asked.chain(args.template.iter().flat_map(|t| t.functions())) {
        if !all.contains(&f) {
            all.push(f);
        }
    }
    if all.is_empty() {
        let fits = |f: &Function| form.is_none_or(|form| writer(form, &header(args, vec![*f], Digits::Hex)).is_ok());
        let defaults = DEFAULTS.iter().filter_map(|name| Function::named(name));
        all.extend(output.and_then(usual_function).into_iter().chain(defaults).find(fits));
    }
    if let Some(bits) = args.length {
        if bits % 8 != 0 {
            return Err(format!("a digest of {bits} bits is impossible: the length is a multiple of 8"));
        }
        for f in &mut all {
            let a = f.algorithm().with_digest_len(bits / 8).map_err(|e| e.to_string());
            *f = match f {
                Function::Hash(_) => Function::Hash(a?),
                Function::Hmac(_) => Function::Hmac(a?),
                Function::Keyed(_) => Function::Keyed(a?),
                f => return Err(format!("the length of {} cannot be chosen", f.name())),
            };
        }
    }
    Ok(all)
}

/// Returns what forms say of the list itself.
pub(crate) fn header(args: &SumArgs, functions: Vec<Function>, digits: Digits) -> Header {
    Header { zero: args.zero, binary: args.binary, ..header_of(functions, digits) }
}

/// Returns what forms say of a list that this program makes now.
pub(crate) fn header_of(functions: Vec<Function>, digits: Digits) -> Header {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    Header {
        functions,
        zero: false,
        binary: false,
        digits,
        folder: std::env::current_dir().map_or_else(|_| ".".into(), |dir| dir.to_string_lossy().into_owned()),
        command: words.join(" "),
        #[cfg(unix)]
        is_root: rustix::process::geteuid().is_root(),
        #[cfg(not(unix))]
        is_root: false,
        host: host(),
        program: concat!("hashmill ", env!("CARGO_PKG_VERSION")).into(),
        now: (now.as_secs() as i64, now.subsec_nanos()),
    }
}

/// Returns the name of this machine, if it is known.
fn host() -> String {
    let file =
        std::fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::fs::read_to_string("/etc/hostname"));
    let name = file.ok().or_else(|| std::env::var("COMPUTERNAME").ok()).unwrap_or_default();
    name.trim().to_string()
}

/// Returns a writer of a form, or why it cannot hold such digests.
pub(crate) fn writer(form: &Form, header: &Header) -> Result<Writer, String> {
    let lacks = || format!("{} can only be read", form.name);
    let mut trial = Writer::new(form, header).ok_or_else(lacks)?;
    let stated = header.functions.iter().map(|f| Stated::of(*f, f.algorithm().digest(b""))).collect();
    let entry = Entry { name: b"x".to_vec(), size: Some(0), mtime: Some((0, 0)), stated, ..Entry::default() };
    let mut line = Vec::new();
    match trial.entry(&entry, &mut line) {
        Ok(()) if header.zero && !line.ends_with(b"\0") => {
            return Err(format!("--format {}: its lines cannot end with NUL", form.name));
        }
        Err(e @ (Unfit::Algorithm(_) | Unfit::Lacks(_))) => return Err(format!("--format {}: {e}", form.name)),
        _ if header.functions.len() > 1 && !form.several && form.name != "gnu" => {
            return Err(format!("--format {} takes one algorithm", form.name));
        }
        _ => {}
    }
    Writer::new(form, header).ok_or_else(lacks)
}

/// Returns whether what is written to a list is read back as the same.
fn is_read_back(form: &Form, header: &Header, list: &Path) -> bool {
    let Some(mut writer) = Writer::new(form, header) else { return true };
    let stated: Vec<Stated> = header.functions.iter().map(|f| Stated::of(*f, f.algorithm().digest(b""))).collect();
    let entry = Entry { name: b"name".to_vec(), size: Some(1), mtime: Some((1, 0)), stated, ..Entry::default() };
    let mut text = Vec::new();
    writer.begin(&mut text);
    if writer.entry(&entry, &mut text).is_err() {
        return true;
    }
    writer.end(&mut text);
    let reading = ReadOptions { zero: header.zero, allow_short: true, ..ReadOptions::default() };
    let is_same = |read: &Stated| {
        let same = |w: &Stated| read.digest == w.digest && read.function.is_none_or(|f| Some(f) == w.function);
        entry.stated.iter().any(same)
    };
    let mut is_right = false;
    let read = List::open(&text[..], list, &reading).and_then(|list| {
        list.read(|line| {
            match line.item {
                Item::Entry(entry) => is_right = entry.stated.iter().all(is_same),
                // Only `-a` allows such parameters.
                Item::Bad(Fault::Slow(_)) => is_right = true,
                Item::Nothing | Item::Note(_) => return ControlFlow::Continue(()),
                Item::Lone(_) | Item::Bad(_) => {}
            }
            if is_right { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    read.is_ok() && is_right
}

/// Returns the files that a list names, one a line, or each ended by NUL. Why it cannot be read to its end goes to
/// `failed`.
fn names(
    list: &Path,
    zero: bool,
    failed: &Rc<RefCell<Option<String>>>,
) -> Result<Box<dyn Iterator<Item = Input>>, String> {
    let shown_name = shown(list.as_os_str());
    let reader: Box<dyn BufRead> = if list.as_os_str() == "-" {
        announce("names of files");
        Box::new(Stdin::new())
    } else {
        let file = File::open(list).map_err(|e| format!("{shown_name}: {}", plain(&e)))?;
        Box::new(BufReader::with_capacity(64 << 10, file))
    };
    let mut lines = if zero {
        LineReader::detect(reader, true).map_err(|e| format!("{shown_name}: {}", plain(&e)))?
    } else {
        LineReader::new(reader)
    };
    let failed = Rc::clone(failed);
    let mut is_first = true;
    Ok(Box::new(std::iter::from_fn(move || {
        loop {
            let name = match lines.next_line() {
                Ok(line) => line?.map(|line| if zero { line.to_vec() } else { name_in(line, is_first) }),
                Err(e) => {
                    *failed.borrow_mut() = Some(format!("{shown_name}: {}", plain(&e)));
                    return None;
                }
            };
            is_first = false;
            // Lines that end with NUL are one, and so is much of a text in UTF-16.
            if name.as_ref().is_some_and(|name| name.contains(&0)) {
                let what = "has NULs in it; --files0-from reads names that end with NUL, and other text must be UTF-8";
                *failed.borrow_mut() = Some(format!("{shown_name}: {what}"));
                return None;
            }
            match name.map(os_string) {
                Some(Some(name)) if name.is_empty() => {}
                Some(Some(name)) => return Some(Input::from_argument(&name)),
                _ => *failed.borrow_mut() = Some(format!("{shown_name}: has a line that no file can have as its name")),
            }
        }
    })))
}

/// Returns the name on a line: without the byte order mark and the CR that editors on Windows put there.
fn name_in(line: &[u8], is_first: bool) -> Vec<u8> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first).unwrap_or(line);
    let exists = |name: &[u8]| os_string(name.to_vec()).is_some_and(|n| Path::new(&n).symlink_metadata().is_ok());
    match line.strip_suffix(b"\r") {
        Some(name) if !exists(line) => name.to_vec(),
        _ => line.to_vec(),
    }
}

/// Returns a path relative to an absolute folder, as far as names tell.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let Ok(path) = std::path::absolute(path) else { return path.to_owned() };
    let normal = |path: &Path| {
        let mut parts: Vec<Component<'_>> = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => _ = parts.pop(),
                part => parts.push(part),
            }
        }
        parts.iter().collect::<PathBuf>()
    };
    let (path, folder) = (normal(&path), normal(folder));
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    if relative.as_os_str().is_empty() { ".".into() } else { relative }
}

/// Returns whether a file is empty or contains lines of a checksum list, and may thus be replaced by a new list.
fn may_be_list(path: &Path) -> bool {
    /// This much is enough to recognize a list.
    const HEAD: u64 = 1 << 20;
    let Ok(file) = File::open(path) else { return false };
    if file.metadata().is_ok_and(|m| m.len() == 0) {
        return true;
    }
    let Ok(list) = List::open(BufReader::new(file.take(HEAD)), path, &ReadOptions::default()) else { return false };
    // Forms that are only read, such as lock files, are not replaced.
    if let Some(form) = list.form() {
        return form.writes;
    }
    let mut found = false;
    // Where the beginning ends does not matter.
    let _ = list.read(|line| {
        found |= match line.item {
            Item::Nothing | Item::Note(_) | Item::Lone(_) => false,
            Item::Bad(fault) => !matches!(fault, Fault::Text | Fault::Malformed | Fault::TooLong),
            Item::Entry(_) => true,
        };
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths() {
        for (path, folder, want) in [
            ("/a/b/c", "/a", "b/c"),
            ("/a/b", "/a/b", "."),
            ("/a/b", "/a/x/y", "../../b"),
            ("/a/./b/../c", "/a", "c"),
            ("/a", "/", "a"),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(folder)), Path::new(want), "{path} {folder}");
        }
    }
}
