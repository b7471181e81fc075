//! The progress bar.

use clap::ValueEnum;
use console::Term;
use hashmill_files::Progress;
use indicatif::{BinaryBytes, FormattedDuration, HumanDuration};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// When to show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, for work that takes more than a second
    Auto,
    /// Even where standard error is no terminal
    Always,
    /// Not at all
    Never,
}

/// Work that takes less than this is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Intervals at which the bar is redrawn, and at which a line is printed if there is no terminal.
const FRAME: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(1);

/// The rate shown is that of the last few seconds; the time left is estimated over a longer period, so that it does not
/// jump.
const RATE_OVER: Duration = Duration::from_secs(3);
const ESTIMATE_OVER: Duration = Duration::from_secs(15);

/// Overhead of a file, in bytes: opening a short file takes as long as reading this many.
const FILE: u64 = 64 << 10;

/// Shows progress from its own thread until dropped. The thread is started only when the work turns out to be long
/// ([`Progress::when_long`]), since most work is over before a thread could have been started.
pub(crate) struct Meter {
    /// `None` if nothing is ever shown.
    shown: Option<Arc<Shown>>,
    /// Prints a final line if lines were asked for and the work was over before the thread was started.
    closing: Option<View>,
}

/// What the meter and its thread share.
#[derive(Default)]
struct Shown {
    state: Mutex<State>,
    /// Signalled when the work is over and when the thread has ended.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bar: Option<Bar>,
    running: bool,
    /// Whether the thread was ever started.
    ran: bool,
    over: bool,
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the work is over, but no longer than `wait`. Returns whether it is over.
    fn over_after(&self, wait: Duration) -> bool {
        let wait = self.changed.wait_timeout_while(self.lock(), wait, |s| !s.over);
        wait.unwrap_or_else(PoisonError::into_inner).0.over
    }
}

/// Who handles Ctrl-C while a bar is shown.
#[cfg_attr(not(feature = "copy"), allow(dead_code, reason = "only `copy` handles it itself"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Ctrl-C ends the program; the meter clears the bar first.
    Ends,
    /// The caller handles it.
    IsHandled,
}

impl Meter {
    /// Returns a meter that shows nothing.
    pub(crate) fn none() -> Self {
        Meter { shown: None, closing: None }
    }

    /// Starts a meter that shows progress as `when` says. Once the work turns out to be long, SIGUSR1 prints a line in
    /// any case.
    pub(crate) fn start(when: When, interrupt: Interrupt, progress: &Arc<Progress>) -> Self {
        let shown = Arc::new(Shown::default());
        let asked = Arc::new(AtomicBool::new(false));
        // If the signal cannot be caught, it ends the program as usual.
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&asked));
        let start = Instant::now();
        let (watched, shared) = (Arc::downgrade(progress), Arc::clone(&shown));
        let view = move |progress, shown, asked| View {
            shown,
            progress,
            asked,
            start,
            samples: VecDeque::from([(start, 0, 0)]),
        };
        let lines = when == When::Always && !io::stderr().is_terminal();
        let closing = lines.then(|| view(Arc::clone(progress), Arc::clone(&shown), Arc::clone(&asked)));
        progress.when_long(move || {
            let how = match when {
                When::Never => How::OnlyWhenAsked,
                _ if io::stderr().is_terminal() => How::Bar,
                When::Auto => How::OnlyWhenAsked,
                When::Always => How::Lines,
            };
            let Some(progress) = watched.upgrade() else { return };
            let mut state = shared.lock();
            if state.over || state.running {
                return;
            }
            let view = view(progress, Arc::clone(&shared), asked);
            // If no thread can be started, the work goes on without progress.
            state.running = thread::Builder::new().spawn(move || view.run(how, interrupt)).is_ok();
            state.ran = state.running;
        });
        Meter { shown: Some(shown), closing }
    }

    /// Hides the bar while `f` writes to the terminal.
    pub(crate) fn pause<T>(&self, f: impl FnOnce() -> T) -> T {
        let Some(shown) = &self.shown else { return f() };
        match &mut shown.lock().bar {
            Some(bar) => bar.pause(f),
            None => f(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(shown) = &self.shown {
            let mut state = shown.lock();
            state.over = true;
            shown.changed.notify_all();
            while state.running {
                state = shown.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let ran = state.ran;
            drop(state);
            if let Some(mut view) = self.closing.take().filter(|_| !ran) {
                say(&view.now(), false);
            }
        }
    }
}

enum How {
    Bar,
    Lines,
    OnlyWhenAsked,
}

/// What samples the progress and shows it, usually on the meter's own thread.
struct View {
    shown: Arc<Shown>,
    progress: Arc<Progress>,
    /// Set when a signal asks for a line.
    asked: Arc<AtomicBool>,
    start: Instant,
    /// Samples of the last seconds: the time, the bytes read, and the work done, which includes [`FILE`] per file.
    samples: VecDeque<(Instant, u64, u64)>,
}

/// Marks the thread as ended when dropped, even if it panicked.
struct Ended(Arc<Shown>);

impl Drop for Ended {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.bar = None;
        state.running = false;
        self.0.changed.notify_all();
    }
}

/// A snapshot of the progress.
struct Now {
    bytes: u64,
    /// `None` if the input is open-ended.
    bytes_total: Option<u64>,
    done: u64,
    total: u64,
    /// Bytes per second.
    rate: f64,
    /// `None` if it cannot be estimated.
    left: Option<Duration>,
    files: String,
}

impl View {
    fn run(mut self, how: How, interrupt: Interrupt) {
        let _ended = Ended(Arc::clone(&self.shown));
        match how {
            How::Bar => self.draw(interrupt),
            How::Lines => self.print(),
            How::OnlyWhenAsked => while !self.over_after(FRAME) {},
        }
    }

    /// Waits until the work is over, but no longer than `wait`, and prints a line if a signal asks for one meanwhile.
    /// Returns whether the work is over.
    fn over_after(&mut self, wait: Duration) -> bool {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.shown.over_after(left.min(FRAME)) {
                return true;
            }
            let now = self.now();
            if self.asked.swap(false, Ordering::Relaxed) {
                match &mut self.shown.lock().bar {
                    Some(bar) => bar.pause(|| say(&now, true)),
                    None => say(&now, true),
                }
            }
            if left <= FRAME {
                return false;
            }
        }
    }

    fn now(&mut self) -> Now {
        let p = &self.progress;
        // Read the totals last, so that what has been done never exceeds them.
        let (bytes, files) = (p.bytes(), p.files());
        let (bytes_total, files_total, complete) =
            (p.bytes_total().max(bytes), p.files_total().max(files), p.is_complete());
        let (done, total) = (bytes + FILE * files, bytes_total + FILE * files_total);
        let at = Instant::now();
        self.samples.push_back((at, bytes, done));
        while self.samples.len() > 2 && at - self.samples[1].0 > ESTIMATE_OVER {
            self.samples.pop_front();
        }
        let speed = |over: Duration, of: fn(&(Instant, u64, u64)) -> u64| {
            let since = self.samples.iter().rev().take_while(|s| at - s.0 <= over).last();
            // Early on, measure from the first sample, which is the start.
            let since = if at - self.start <= over { self.samples.front() } else { since };
            let (then, before) = since.map_or((self.start, 0), |s| (s.0, of(s)));
            (of(&(at, bytes, done)) - before) as f64 / (at - then).as_secs_f64().max(1e-3)
        };
        let pace = speed(ESTIMATE_OVER, |s| s.2);
        let open_ended = p.is_open_ended();
        let known = complete && !open_ended && pace > 0.0;
        let left = known.then(|| Duration::from_secs_f64(((total - done) as f64 / pace).min(1e9)));
        let more = if complete { "" } else { "+" };
        let files = format!("{files}/{files_total}{more} files");
        let bytes_total = (!open_ended).then_some(bytes_total);
        Now { bytes, bytes_total, done, total, rate: speed(RATE_OVER, |s| s.1), left, files }
    }

    fn draw(&mut self, interrupt: Interrupt) {
        if self.over_after(PATIENCE.saturating_sub(self.start.elapsed())) {
            return;
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        if interrupt == Interrupt::Ends && !is_ignored(signal_hook::consts::SIGINT) {
            use signal_hook::{consts::SIGINT, flag};
            // A second Ctrl-C ends the program at once, whatever this thread is doing.
            let _ = flag::register_conditional_default(SIGINT, Arc::clone(&interrupted));
            let _ = flag::register(SIGINT, Arc::clone(&interrupted));
        }
        #[cfg(not(unix))]
        let _ = interrupt;
        self.shown.lock().bar = Some(Bar::new());
        loop {
            let now = self.now();
            let elapsed = self.start.elapsed();
            if let Some(bar) = &mut self.shown.lock().bar {
                bar.draw(|columns| line(&now, elapsed, columns));
            }
            if self.over_after(FRAME) {
                break;
            }
            if interrupted.load(Ordering::Relaxed) {
                self.shown.lock().bar = None;
                #[cfg(unix)]
                let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
            }
        }
        self.shown.lock().bar = None;
    }

    /// Prints a line every second, and one at the end.
    fn print(&mut self) {
        loop {
            let over = self.over_after(LINE);
            say(&self.now(), !over);
            if over {
                return;
            }
        }
    }
}

/// Columns at the end of the line that stay empty, so that the `^C` that terminals echo stays on the bar's line and is
/// cleared with it.
const ECHO: usize = 3;

/// A line on the terminal of standard error, which is erased when this is dropped.
struct Bar {
    term: Term,
    /// What is on the screen: ASCII and block characters, of one column each.
    text: String,
    /// Whether a terminal that is made narrower wraps the lines that it shows.
    rewraps: bool,
}

impl Bar {
    fn new() -> Self {
        let set = |name| std::env::var_os(name).is_some();
        let old = |term: &std::ffi::OsStr| term == "linux" || term.as_encoded_bytes().starts_with(b"screen");
        // Inside tmux, the other variables may be those of the terminal that it was started on.
        let rewraps = set("TMUX") || !set("XTERM_VERSION") && !std::env::var_os("TERM").is_some_and(|t| old(&t));
        Bar { term: Term::buffered_stderr(), text: String::new(), rewraps }
    }

    fn columns(&self) -> usize {
        usize::from(self.term.size().1)
    }

    /// Shows what `line` returns for the number of columns that there are.
    fn draw(&mut self, line: impl FnOnce(usize) -> String) {
        self.erase();
        self.text = line(self.columns().saturating_sub(ECHO));
        self.show();
    }

    /// Hides the bar while `f` writes to the terminal.
    fn pause<T>(&mut self, f: impl FnOnce() -> T) -> T {
        self.erase();
        self.flush();
        let result = f();
        if self.text.chars().count() < self.columns() {
            self.show();
        } else {
            // The terminal has become narrower: the next frame is made for its new width.
            self.text.clear();
        }
        result
    }

    fn show(&self) {
        let _ = self.term.write_str(&self.text);
        self.flush();
    }

    /// Erases the line, with all the rows that it takes now.
    fn erase(&self) {
        if self.text.is_empty() {
            return;
        }
        let rows = self.text.chars().count().div_ceil(self.columns().max(1));
        let _ = self.term.clear_line();
        for _ in 1..if self.rewraps { rows } else { 1 } {
            let _ = self.term.move_cursor_up(1);
            let _ = self.term.clear_line();
        }
    }

    fn flush(&self) {
        // If the terminal is gone, there is nobody to tell.
        let _ = self.term.flush();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.erase();
        self.flush();
    }
}

/// Minimum number of columns for a bar.
const SHORT_BAR: usize = 5;

/// Returns the line for a terminal of so many columns: as much as fits, what matters most first. With few columns, the
/// percentage takes the place of the numbers of bytes.
fn line(now: &Now, elapsed: Duration, columns: usize) -> String {
    let (bytes, files) = (BinaryBytes(now.bytes), &now.files);
    let rate = format!("{}/s", BinaryBytes(now.rate as u64));
    let Some(bytes_total) = now.bytes_total else {
        let time = FormattedDuration(elapsed);
        let forms = [
            format!("{bytes} {rate} {files} {time}"),
            format!("{bytes} {rate} {time}"),
            format!("{bytes} {rate}"),
            bytes.to_string(),
        ];
        return forms.into_iter().find(|form| form.len() <= columns).unwrap_or_default();
    };
    let left = now.left.map_or(String::new(), |left| format!(" ETA {:#}", HumanDuration(left)));
    let all = now.total.max(1);
    let share = |of: usize| (u128::from(now.done) * of as u128 / u128::from(all)) as usize;
    let percent = share(100);
    // Each with the shortest bar that may be in front of it.
    let forms = [
        (2 * SHORT_BAR, format!("{bytes}/{} {rate} {files}{left}", BinaryBytes(bytes_total))),
        (2 * SHORT_BAR, format!("{percent}% {rate} {files}{left}")),
        (SHORT_BAR, format!("{percent}% {rate}{left}")),
        (0, format!("{percent}% {rate}{left}")),
        (0, format!("{percent}% {rate}")),
        (0, format!("{percent}%{left}")),
        (0, format!("{percent}%")),
    ];
    for (shortest, text) in forms {
        let Some(cells) = columns.checked_sub(text.len() + usize::from(shortest > 0)) else { continue };
        if shortest == 0 {
            return text;
        }
        if cells >= shortest {
            let full = share(cells);
            return format!("{}{} {text}", "█".repeat(full), "░".repeat(cells - full));
        }
    }
    String::new()
}

/// Returns whether this program was started with a signal ignored, as nohup does with SIGHUP and a shell with SIGINT
/// for what it runs in the background. Such a signal stays ignored.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|l| u64::from_str_radix(l.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.unwrap_or_default() >> (signal - 1) & 1 == 1
}

/// Prints a line on standard error.
fn say(now: &Now, goes_on: bool) {
    let left = now.left.filter(|_| goes_on).map_or(String::new(), |left| format!(", {:#} left", HumanDuration(left)));
    let (bytes, rate) = (BinaryBytes(now.bytes), BinaryBytes(now.rate as u64));
    let total = now.bytes_total.map_or(String::new(), |total| format!(" of {}", BinaryBytes(total)));
    let line = format!("{bytes}{total}, {rate}/s, {}{left}\n", now.files);
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(bytes: u64, bytes_total: Option<u64>) -> Now {
        let total = bytes_total.unwrap_or(bytes);
        let left = bytes_total.map(|_| Duration::from_secs(90));
        Now { bytes, bytes_total, done: bytes, total, rate: 1e9, left, files: "7/12+ files".into() }
    }

    #[test]
    fn a_line_fits() {
        let shown = |now: &Now, columns| line(now, Duration::from_secs(5), columns);
        let half = now(3 << 30, Some(6 << 30));
        for (columns, text) in [
            (64, "███████░░░░░░░ 3.00 GiB/6.00 GiB 953.67 MiB/s 7/12+ files ETA 2m"),
            (59, "███████████░░░░░░░░░░░░ 50% 953.67 MiB/s 7/12+ files ETA 2m"),
            (37, "██████░░░░░░░ 50% 953.67 MiB/s ETA 2m"),
            (27, "50% 953.67 MiB/s ETA 2m"),
            (17, "50% 953.67 MiB/s"),
            (15, "50% ETA 2m"),
            (7, "50%"),
            (2, ""),
            (0, ""),
        ] {
            assert_eq!(shown(&half, columns), text, "{columns}");
        }
        for now in [half, now(3 << 30, None), now(0, Some(0)), now(u64::MAX, Some(u64::MAX))] {
            for columns in 0..300 {
                let text = shown(&now, columns);
                assert!(text.chars().count() <= columns, "{columns}: {text}");
            }
        }
    }
}
