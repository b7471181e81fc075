//! The lines of a list that wait for verdicts: files are hashed side by side, and reported in the order of the list.

use super::guess::{Guess, Guesses, SMALL};
use super::place::Places;
use super::{CheckEvent, CheckOptions, Summary, Verdict, parts};
use crate::base::error::Error;
use crate::base::options::{Io, Options};
use crate::base::progress::Progress;
use crate::base::recipe::Recipe;
use crate::base::threads::spawn;
use crate::hash::running::Running;
use crate::read::direct::Direct;
use crate::read::input::{Found, Input, Kind, Look, read};
use crate::surface::sum::{self, Event, Outcome};
use hashmill::{Algorithm, Digest};
use hashmill_lists::{Composition, Entry, Fault, Function, Note, Stated};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::collections::hash_map::{self, HashMap};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Files longer than this are worth several threads, if several candidates are tried on them.
const SHARED: usize = 1 << 20;

/// Maximum number of files that did not match whose verdicts wait for a file that confirms the assumed algorithm. When
/// there are more, the list is most likely of another one, and waiting would only delay its report.
const PATIENCE: usize = 8;

/// Number of files of which the smallest are to decide the algorithm. If they do not, more files are looked at.
const LOOKED_AT: usize = 64;

/// Number of bytes of a pipe that are read at once.
const CHUNK: usize = 256 << 10;

/// A line that has not been reported yet.
#[allow(clippy::large_enum_variant, reason = "nearly all are of the large variant")]
pub(super) enum Waiting {
    Bad {
        number: u64,
        fault: Fault,
    },
    File {
        number: u64,
        entry: Entry,
        input: Input,
        verdict: Option<Verdict>,
        /// Of a mismatch, which digest is wrong.
        wrong: usize,
        changed: bool,
        /// Whether other lines of the same part of the list have digests of other algorithms for the same file.
        among: bool,
    },
}

impl Waiting {
    pub(super) fn file(number: u64, entry: Entry, places: &mut Places, options: &CheckOptions) -> Self {
        let (input, error) = match places.of(&entry) {
            Ok(input) => (input, None),
            Err(e) => (Input::Stdin, Some(e)),
        };
        let keyed = entry.stated.iter().filter_map(|s| s.function).filter(|f| f.takes_key());
        let lacking = keyed.filter_map(|f| Recipe::new(f, options.key.as_ref()).err()).next();
        let verdict = error.map(Verdict::Unreadable).or(lacking.map(Verdict::NotChecked));
        Waiting::File { number, entry, input, verdict, wrong: 0, changed: false, among: false }
    }

    /// Returns the entry for the file at `path`, whose digest is all that a list has.
    pub(super) fn named_after(number: u64, path: PathBuf, stated: Stated) -> Self {
        let name = path.as_os_str().as_encoded_bytes().to_vec();
        let entry = Entry { name, stated: vec![stated], ..Entry::default() };
        let input = Input::Path(path);
        Waiting::File { number, entry, input, verdict: None, wrong: 0, changed: false, among: false }
    }

    /// Returns the digests of a line that has no verdict yet.
    fn open(&self) -> &[Stated] {
        match self {
            Waiting::File { entry, verdict: None, .. } => &entry.stated,
            _ => &[],
        }
    }
}

/// The digests of a file, and its length in bytes.
type Hashed = (Vec<Digest>, u64);

/// A file and the lines about it.
struct Listed {
    input: Input,
    /// The number among all lines of the first of these lines, and of the others.
    line: usize,
    others: Vec<usize>,
}

impl Listed {
    fn lines(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.line).chain(self.others.iter().copied())
    }
}

/// Lines that have been read and not been reported, and what is known about the list.
pub(super) struct Batch<'a> {
    waiting: VecDeque<Waiting>,
    /// Number of lines that have been reported, which no longer wait.
    reported: usize,
    /// Number of lines that have been grouped by file.
    grouped: usize,
    /// What has been found out about the list and not been told yet.
    pub(super) notes: Vec<Note>,
    pub(super) summary: Summary,
    pub(super) guesses: Guesses,
    expected: Option<Algorithm>,
    options: &'a CheckOptions,
    progress: &'a Progress,
}

impl<'a> Batch<'a> {
    pub(super) fn new(expected: Option<Algorithm>, options: &'a CheckOptions, progress: &'a Progress) -> Self {
        Batch {
            waiting: VecDeque::new(),
            reported: 0,
            grouped: 0,
            notes: Vec::new(),
            summary: Summary::default(),
            guesses: Guesses::new(),
            expected,
            options,
            progress,
        }
    }

    pub(super) fn put(&mut self, line: Waiting) {
        self.waiting.push_back(line);
    }

    /// Returns the only line that waits, if there is one and it is the first of the list.
    pub(super) fn only(&mut self) -> Option<&mut Waiting> {
        if self.waiting.len() == 1 && self.reported == 0 { self.waiting.front_mut() } else { None }
    }

    fn line(&self, number: usize) -> &Waiting {
        &self.waiting[number - self.reported]
    }

    fn line_mut(&mut self, number: usize) -> &mut Waiting {
        &mut self.waiting[number - self.reported]
    }

    /// Verifies all lines that wait, and those that `more` adds meanwhile. It returns whether there were any, without
    /// waiting for them: files are hashed without a pause as long as what is computed is the same.
    pub(super) fn verify(
        &mut self,
        more: &mut dyn FnMut(&mut Batch<'a>) -> bool,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let mut next = Some(self.group());
        while let Some(files) = next.take() {
            let Some(tried) = self.try_small(&files, sink) else {
                return Ok(ControlFlow::Break(()));
            };
            let mut sets: Vec<(Vec<Function>, VecDeque<Listed>)> = Vec::new();
            let mut by_set: HashMap<Vec<Function>, usize> = HashMap::new();
            let mut streams = Vec::new();
            let mut last = 0;
            for (f, file) in files.into_iter().enumerate() {
                // `tried` is in the order of the list.
                if tried.binary_search(&f).is_ok() {
                    streams.push(file);
                    continue;
                }
                // Most files have the same digests as the one before.
                if !sets.get(last).is_some_and(|(same, _)| self.wants(&file, same)) {
                    let set = self.wanted(&file);
                    if set.is_empty() {
                        continue;
                    }
                    last = *by_set.entry(set).or_insert_with_key(|set| {
                        sets.push((set.clone(), VecDeque::new()));
                        sets.len() - 1
                    });
                }
                sets[last].1.push_back(file);
            }
            if self.report(sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let count = sets.len();
            for (i, (functions, files)) in sets.into_iter().enumerate() {
                let is_last = i + 1 == count && streams.is_empty();
                let flow = self.hash(&functions, files, is_last.then_some(&mut *more), &mut next, sink)?;
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            for file in streams {
                let (functions, result) = self.hash_stream(&file);
                if self.judge(&file, &functions, result, false, sink).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if self.report(sink).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Groups the lines that have not been grouped by file, in the order of the list.
    fn group(&mut self) -> Vec<Listed> {
        let lines = self.waiting.range(self.grouped - self.reported..);
        let mut files: Vec<Listed> = Vec::with_capacity(lines.len());
        let mut by_input: HashMap<(bool, &OsStr), usize> = HashMap::with_capacity(lines.len());
        for (line, w) in (self.grouped..).zip(lines) {
            if let Waiting::File { input, entry, verdict: None, .. } = w {
                match by_input.entry((*input == Input::Stdin, input.name().as_os_str())) {
                    hash_map::Entry::Occupied(f) => files[*f.get()].others.push(line),
                    hash_map::Entry::Vacant(new) => {
                        new.insert(files.len());
                        files.push(Listed { input: Input::Stdin, line, others: Vec::new() });
                    }
                }
                for stated in entry.stated.iter().filter(|s| s.function.is_none()) {
                    self.guesses.get(stated).open += 1;
                }
            }
        }
        drop(by_input);
        self.grouped = self.reported + self.waiting.len();
        for file in &mut files {
            if let Waiting::File { input, .. } = self.line_mut(file.line) {
                file.input = std::mem::replace(input, Input::Stdin);
            }
        }
        for file in files.iter().filter(|f| !f.others.is_empty()) {
            let of = |i: usize| self.line(i).open().iter().map(|s| s.function);
            let first = of(file.line).next();
            if file.lines().all(|i| of(i).next() == first) {
                continue;
            }
            for i in file.lines() {
                if let Waiting::File { among, .. } = self.line_mut(i) {
                    *among = true;
                }
            }
        }
        files
    }

    /// Hashes files of which the same is to be computed, and gives verdicts to the lines about them. When the last has
    /// been handed over, asks `more` for others. If these need anything else, they are left in `next`.
    fn hash(
        &mut self,
        functions: &[Function],
        mut files: VecDeque<Listed>,
        mut more: Option<&mut dyn FnMut(&mut Batch<'a>) -> bool>,
        next: &mut Option<Vec<Listed>>,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let (options, progress) = (self.options, self.progress);
        let run = Options { threads: options.threads, io: options.io, ..Options::of(recipes(functions, options)) };
        // Both are used by turns, on this thread.
        let (batch, hashing) = (RefCell::new(self), RefCell::new(VecDeque::new()));
        let inputs = std::iter::from_fn(|| {
            while files.is_empty() {
                let batch = &mut **batch.borrow_mut();
                if !more.as_mut()?(batch) {
                    return None;
                }
                let new = batch.group();
                if new.iter().all(|file| batch.is_certain(file) && batch.wants(file, functions)) {
                    files.extend(new);
                } else {
                    *next = Some(new);
                    more = None;
                }
            }
            let mut file = files.pop_front()?;
            let input = std::mem::replace(&mut file.input, Input::Stdin);
            hashing.borrow_mut().push_back(file);
            Some(Ok(if options.allow_special { input.into() } else { Found::regular_only(input) }))
        });
        let mut flow = ControlFlow::Continue(());
        sum::sum(&run, inputs, progress, |event| {
            match event {
                Event::Idle => flow = sink(CheckEvent::Idle),
                Event::Device { path, one_reader } => flow = sink(CheckEvent::Device { path, one_reader }),
                Event::Outcome(Outcome { result, changed, bytes, .. }) => {
                    let file = hashing.borrow_mut().pop_front();
                    if let Some(file) = file {
                        let batch = &mut **batch.borrow_mut();
                        let result = result.map(|digests| (digests, bytes));
                        flow = batch.judge(&file, functions, result, changed, sink);
                        if flow.is_continue() {
                            flow = batch.report(sink);
                        }
                    }
                }
            }
            flow
        })?;
        Ok(flow)
    }

    /// Tries all candidates on the smallest of the first files whose algorithm is unknown, until one matches, and gives
    /// verdicts to the lines about these files. Returns the inputs that can be read only once and whose algorithm is
    /// unknown, or `None` if the sink breaks.
    fn try_small(
        &mut self,
        files: &[Listed],
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> Option<Vec<usize>> {
        let (options, progress) = (self.options, self.progress);
        let mut streams = Vec::new();
        let mut begin = 0;
        // Asking for the lengths of all files would take as long as hashing many of them.
        while begin < files.len() {
            let some = begin..files.len().min(begin + LOOKED_AT);
            begin = some.end;
            let mut small: Vec<(u64, usize)> = Vec::new();
            for f in some.filter(|&f| self.is_unknown(&files[f])) {
                match files[f].input.look() {
                    Ok(look) if look.kind == Kind::Regular => small.push((look.len, f)),
                    Ok(look)
                        if look.kind == Kind::Stream && (options.allow_special || files[f].input == Input::Stdin) =>
                    {
                        streams.push(f);
                    }
                    // Reading it with the others reports why it cannot be verified.
                    _ => {}
                }
            }
            small.sort_unstable();
            for (length, f) in small {
                if length > self.guesses.left {
                    break;
                }
                let file = &files[f];
                if !self.is_unknown(file) {
                    continue;
                }
                let Some((content, changed)) = content(&file.input, self.guesses.left, options.io) else { continue };
                self.guesses.left -= content.len() as u64;
                progress.found(content.len() as u64);
                progress.read(content.len());
                let (functions, digests) = self.all_digests(file, &content);
                progress.done();
                let result = Ok((digests, content.len() as u64));
                if self.judge(file, &functions, result, changed, sink).is_break() {
                    return None;
                }
            }
        }
        streams.retain(|&f| self.is_unknown(&files[f]));
        Some(streams)
    }

    /// Returns whether the algorithm of any digest of a file is unknown.
    fn is_unknown(&self, file: &Listed) -> bool {
        file.lines().any(|i| self.line(i).open().iter().any(|s| !self.is_settled(s)))
    }

    /// Returns whether files have shown what the digests of a file are of that do not say so. Otherwise mismatches may
    /// wait for others, and so would all lines behind them.
    fn is_certain(&self, file: &Listed) -> bool {
        let known = |s: &Stated| s.function.is_some() || self.guesses.known(s).is_some_and(|guess| guess.confirmed);
        file.lines().all(|i| self.line(i).open().iter().all(known))
    }

    /// Returns whether it is known what a digest is of, or has been narrowed down to what files do not tell apart.
    fn is_settled(&self, stated: &Stated) -> bool {
        stated.function.is_some() || self.guesses.known(stated).is_some_and(Guess::is_settled)
    }

    /// Returns whether [`Batch::wanted`] is this, as far as that can be told at a glance.
    fn wants(&self, file: &Listed, functions: &[Function]) -> bool {
        let stated = self.line(file.line).open();
        let is = |(stated, function): (&Stated, &Function)| match stated.function {
            Some(Function::Composed(Composition::S3Etag { part: None })) => false,
            Some(stated) => stated == *function,
            None => self.guesses.known(stated).is_some_and(|g| g.is_settled() && g.candidates == [*function]),
        };
        file.others.is_empty() && stated.len() == functions.len() && stated.iter().zip(functions).all(is)
    }

    /// Returns what to compute for the lines about a file, each once.
    fn wanted(&self, file: &Listed) -> Vec<Function> {
        let mut wanted = Vec::new();
        for stated in file.lines().flat_map(|i| self.line(i).open()) {
            match stated.function {
                Some(Function::Composed(Composition::S3Etag { part: None })) => {
                    add(&mut wanted, parts::parts(stated, file.input.look().map_or(0, |look| look.len)));
                }
                Some(function) => add(&mut wanted, [function]),
                None => add(&mut wanted, self.guesses.known(stated).map(Guess::cheap).unwrap_or_default()),
            }
        }
        wanted
    }

    /// Returns the digests that the lines about a file ask for, with what they are of. For digests of an unknown
    /// algorithm, these are all candidates, unless the cheap ones already have a match.
    fn all_digests(&mut self, file: &Listed, content: &[u8]) -> (Vec<Function>, Vec<Digest>) {
        let options = self.options;
        let mut functions = self.wanted(file);
        let mut digests = digests(&recipes(&functions, options), content, file, 1);
        let mut others = Vec::new();
        for stated in file.lines().flat_map(|i| self.waiting[i - self.reported].open()) {
            if !self.is_settled(stated) && !digests.contains(&stated.digest) {
                let guess = self.guesses.get(stated);
                guess.tried_all = true;
                add(&mut others, guess.candidates.iter().copied());
            }
        }
        others.retain(|f| !functions.contains(f));
        let threads = Options { threads: options.threads, ..Options::of(Vec::new()) }.threads();
        digests.extend(self::digests(&recipes(&others, options), content, file, threads));
        functions.extend(others);
        (functions, digests)
    }

    /// Hashes an input that can be read only once. If it ends soon, all candidates are tried on it.
    fn hash_stream(&mut self, file: &Listed) -> (Vec<Function>, Result<Hashed, Error>) {
        let (options, progress) = (self.options, self.progress);
        progress.open_ended();
        progress.found(0);
        let wanted = self.wanted(file);
        let recipes = recipes(&wanted, options);
        let mut start = Vec::new();
        let result = (|| {
            let open = file.input.open()?;
            let mut total = 0;
            let mut chunk = vec![0; CHUNK];
            let mut hashers: Vec<Running> = Vec::new();
            loop {
                let n = read(&open, &mut chunk)?;
                progress.read(n);
                total += n as u64;
                if progress.is_stopped() {
                    return Err(Error::Stopped);
                }
                match (n, &mut hashers[..]) {
                    (0, []) => return Ok(None),
                    (0, _) => return Ok(Some((finished(&recipes, hashers)?, total))),
                    (n, []) if start.len() as u64 + n as u64 <= SMALL => start.extend_from_slice(&chunk[..n]),
                    (n, []) => {
                        hashers = recipes.iter().map(|r| Running::of(r, 0, b"")).collect();
                        for part in [&start[..], &chunk[..n]] {
                            hashers.iter_mut().for_each(|h| h.update(part));
                        }
                        start = Vec::new();
                    }
                    (n, hashers) => hashers.iter_mut().for_each(|h| h.update(&chunk[..n])),
                }
            }
        })();
        progress.done();
        match result {
            Ok(None) => {
                let (functions, digests) = self.all_digests(file, &start);
                (functions, Ok((digests, start.len() as u64)))
            }
            Ok(Some(done)) => (wanted, Ok(done)),
            Err(e) => (wanted, Err(e)),
        }
    }

    /// Gives verdicts to the lines about a file. The first match with a candidate decides which algorithm all digests
    /// are of that do not name theirs.
    fn judge(
        &mut self,
        file: &Listed,
        functions: &[Function],
        result: Result<Hashed, Error>,
        was_changed: bool,
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for i in file.lines() {
            let Waiting::File { entry, verdict: None, .. } = self.line_mut(i) else { continue };
            // Taken out, so that what is known of the others can change meanwhile.
            let stated = std::mem::take(&mut entry.stated);
            let (size, is_optional) = (entry.size, entry.is_optional);
            let mut which = 0;
            let new = match &result {
                Err(e) if (self.options.ignore_missing || is_optional) && e.is_missing() => Verdict::Ignored,
                Err(Error::Skipped(what)) => Verdict::Skipped(what),
                Err(e) => Verdict::Unreadable(e.again()),
                Ok((digests, bytes)) => {
                    let mut wrong = None;
                    for (i, s) in stated.iter().enumerate() {
                        if !self.matches(s, functions, digests, sink)? && wrong.is_none() {
                            which = i;
                            let function = s.function.filter(|_| stated.len() > 1);
                            wrong = Some(Verdict::Mismatch { function, assumed: parts::assumed(s, functions) });
                        }
                    }
                    match wrong {
                        Some(mismatch) => mismatch,
                        None if size.is_some_and(|size| size != *bytes) => Verdict::OtherSize(*bytes),
                        None => Verdict::Ok,
                    }
                }
            };
            if result.is_err() {
                for s in stated.iter().filter(|s| s.function.is_none()) {
                    let guess = self.guesses.get(s);
                    guess.open = guess.open.saturating_sub(1);
                }
            }
            if let Waiting::File { entry, verdict, wrong, changed, .. } = self.line_mut(i) {
                entry.stated = stated;
                *verdict = Some(new);
                *wrong = which;
                *changed = was_changed;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns whether a file has a stated digest.
    fn matches(
        &mut self,
        stated: &Stated,
        functions: &[Function],
        digests: &[Digest],
        sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        let is_right = |f: Function, d: &Digest| {
            std::iter::once(&stated.digest).chain(&stated.or).any(|stated| f.accepts(stated, d))
        };
        let mut computed = functions.iter().zip(digests);
        if let Some(function) = stated.function {
            let of = computed.find(|(f, d)| (**f == function || parts::is_one(function, **f)) && is_right(**f, d));
            return ControlFlow::Continue(of.is_some());
        }
        let guess = self.guesses.get(stated);
        let is_candidate = |(f, d): &(&Function, &Digest)| guess.candidates.contains(f) && is_right(**f, d);
        let right: Vec<Function> = computed.filter(is_candidate).map(|(f, _)| *f).collect();
        guess.open = guess.open.saturating_sub(1);
        guess.mismatched += usize::from(right.is_empty());
        if let Some(found) = (!right.is_empty()).then(|| guess.matched(&right)).flatten() {
            sink(CheckEvent::Found(found))?;
        }
        ControlFlow::Continue(!right.is_empty())
    }

    /// Reports what can be reported without changing the order of the list. A mismatch under an assumed algorithm waits
    /// for a while, since another file may confirm the algorithm.
    fn report(&mut self, sink: &mut impl FnMut(CheckEvent<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        for note in self.notes.drain(..) {
            sink(CheckEvent::Note(note))?;
        }
        while let Some(w) = self.waiting.front_mut() {
            match w {
                Waiting::Bad { number, fault } => {
                    sink(CheckEvent::BadLine { number: *number, algorithm: self.expected, fault: fault.clone() })?;
                }
                Waiting::File { number, entry, verdict, wrong, changed, among, .. } => {
                    if let Some(Verdict::Mismatch { function, assumed }) = verdict
                        && let Some(stated) = entry.stated.get(*wrong).filter(|s| s.function.is_none())
                    {
                        let guess = self.guesses.get(stated);
                        *assumed = guess.assumed();
                        *function = guess.likely().filter(|_| entry.stated.len() > 1 && guess.confirmed);
                        if assumed.is_some() && guess.open > 0 && guess.mismatched <= PATIENCE {
                            break;
                        }
                    }
                    let Some(verdict) = verdict.take() else { break };
                    // By now it is known what the digests are of, or what they are taken to be of.
                    for stated in entry.stated.iter_mut().filter(|s| s.function.is_none()) {
                        stated.function = self.guesses.known(stated).and_then(Guess::likely);
                    }
                    match &verdict {
                        Verdict::Ok => self.summary.matched += 1,
                        Verdict::Mismatch { .. } | Verdict::OtherSize(_) => self.summary.mismatched += 1,
                        Verdict::Unreadable(e) if e.is_missing() => self.summary.missing += 1,
                        Verdict::Unreadable(_) => self.summary.unreadable += 1,
                        Verdict::Skipped(_) => self.summary.skipped += 1,
                        Verdict::NotChecked(_) => self.summary.not_checked += 1,
                        Verdict::Ignored => {}
                    }
                    let among = entry.stated.first().and_then(|s| s.function).filter(|_| *among);
                    sink(CheckEvent::File { entry, number: *number, verdict, changed: *changed, among })?;
                }
            }
            self.waiting.pop_front();
            self.reported += 1;
        }
        ControlFlow::Continue(())
    }
}

/// Adds those functions to a set that it lacks.
fn add(set: &mut Vec<Function>, functions: impl IntoIterator<Item = Function>) {
    for f in functions {
        if !set.contains(&f) {
            set.push(f);
        }
    }
}

/// Returns what computes functions, whose keys have been seen to be right.
fn recipes(functions: &[Function], options: &CheckOptions) -> Vec<Recipe> {
    functions.iter().filter_map(|f| Recipe::new(*f, options.key.as_ref()).ok()).collect()
}

/// Returns the digests of a file whose bytes have all come.
fn finished(recipes: &[Recipe], running: Vec<Running>) -> Result<Vec<Digest>, Error> {
    let digest = |(recipe, running): (&Recipe, Running)| {
        let mut value = Vec::new();
        running.finish(&mut value).map(|()| recipe.digest(&value))
    };
    recipes.iter().zip(running).map(digest).collect()
}

/// Returns the digests of a file with this content, computed on several threads if it is long.
fn digests(recipes: &[Recipe], content: &[u8], file: &Listed, threads: usize) -> Vec<Digest> {
    let name = file.input.name().file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
    let threads = if content.len() < SHARED { 1 } else { threads.min(recipes.len()) };
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(recipe) = recipes.get(i) else { return };
            let digest = match recipe.function().plain() {
                Some(a) => a.digest(content),
                None => {
                    let mut running = Running::of(recipe, content.len() as u64, name);
                    running.update(content);
                    let mut value = Vec::new();
                    // The length is right, so this does not fail.
                    let _ = running.finish(&mut value);
                    recipe.digest(&value)
                }
            };
            done.lock().unwrap_or_else(PoisonError::into_inner).push((i, digest));
        }
    };
    std::thread::scope(|s| {
        // If no thread can be started, this one does everything.
        let _ = (1..threads).try_for_each(|_| spawn(s, work).map(drop));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, digest)| digest).collect()
}

/// Returns the content of a regular file of at most `most` bytes, and whether the file was written to meanwhile.
/// Returns `None` if it cannot be read, or has become longer or something else.
fn content(input: &Input, most: u64, io: Io) -> Option<(Vec<u8>, bool)> {
    let (file, look) = input.open_listed().ok().filter(|(_, look)| look.kind == Kind::Regular)?;
    let mut direct = match io {
        Io::Direct if look.len > 0 => Direct::open(input.name()).ok()?,
        _ => None,
    };
    let mut content = Vec::new();
    // One byte more shows that the file has ended.
    let mut chunk = vec![0; look.len.saturating_add(1).clamp(4096, CHUNK as u64) as usize];
    loop {
        let n = match &mut direct {
            Some(direct) => direct.read(&mut chunk).ok()?,
            None => read(&file, &mut chunk).ok()?,
        };
        content.extend_from_slice(&chunk[..n]);
        if content.len() as u64 > most {
            return None;
        }
        if n == 0 {
            break;
        }
    }
    // What has no length is generated by the kernel as it is read.
    let changed = look.len > 0 && Look::at(&file).is_ok_and(|now| now.stamp != look.stamp);
    Some((content, changed))
}
