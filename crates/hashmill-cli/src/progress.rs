//! The progress bar.

use crate::cli::When;
use hashmill_files::Progress;
use indicatif::{BinaryBytes, HumanBytes, HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Work that takes less than this is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar moves, and how often a line is printed where there is no terminal.
const FRAME: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(1);

/// Shows progress from a thread of its own until it is dropped.
pub(crate) struct Meter {
    bar: Arc<Mutex<Option<ProgressBar>>>,
    running: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Meter {
    pub(crate) fn start(when: When, progress: &Arc<Progress>) -> Self {
        let bar = Arc::new(Mutex::new(None));
        let terminal = io::stderr().is_terminal();
        if when == When::Never || when == When::Auto && !terminal {
            return Meter { bar, running: None };
        }
        let (stop, stopped) = mpsc::channel();
        let (progress, shared) = (Arc::clone(progress), Arc::clone(&bar));
        let watch = move || {
            if terminal { draw(&progress, &shared, &stopped) } else { print(&progress, &stopped) }
        };
        // Where no thread can be had, the work goes on unseen.
        let running = thread::Builder::new().spawn(watch).ok().map(|thread| (stop, thread));
        Meter { bar, running }
    }

    /// Takes the bar away while `f` writes to the terminal.
    pub(crate) fn pause<T>(&self, f: impl FnOnce() -> T) -> T {
        if self.running.is_none() {
            return f();
        }
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(f),
            None => f(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // It cannot have panicked for a reason that would matter now.
            let _ = thread.join();
        }
    }
}

/// Waits. True when the work is over.
fn over(stopped: &mpsc::Receiver<()>, wait: Duration) -> bool {
    !matches!(stopped.recv_timeout(wait), Err(mpsc::RecvTimeoutError::Timeout))
}

fn draw(progress: &Progress, shared: &Mutex<Option<ProgressBar>>, stopped: &mpsc::Receiver<()>) {
    if over(stopped, PATIENCE) {
        return;
    }
    const TEMPLATE: &str = "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {msg} ETA {eta}";
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    loop {
        bar.set_length(progress.bytes_total().max(progress.bytes()));
        bar.set_message(files(progress));
        bar.set_position(progress.bytes());
        if over(stopped, FRAME) {
            break;
        }
    }
    *shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
    bar.finish_and_clear();
}

/// A line every second and one at the end.
fn print(progress: &Progress, stopped: &mpsc::Receiver<()>) {
    let start = Instant::now();
    loop {
        let end = over(stopped, LINE);
        let (bytes, seconds) = (progress.bytes(), start.elapsed().as_secs_f64());
        let rate = bytes as f64 / seconds.max(1e-9);
        let left = progress.bytes_total().saturating_sub(bytes) as f64 / rate.max(1.0);
        eprintln!(
            "{} of {}, {}/s, {}{}",
            BinaryBytes(bytes),
            BinaryBytes(progress.bytes_total().max(bytes)),
            HumanBytes(rate as u64),
            files(progress),
            if end { String::new() } else { format!(", {} left", HumanDuration(Duration::from_secs_f64(left))) },
        );
        if end {
            return;
        }
    }
}

fn files(progress: &Progress) -> String {
    let more = if progress.is_complete() { "" } else { "+" };
    format!("{}/{}{more} files", progress.files(), progress.files_total())
}
