//! Files by their paths, many at once.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, Outcome, hm_error};
use crate::guard::guard;
use hashmill::{Algorithm, Digest};
use hashmill_files::{Event, Input, Options, Progress};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::ptr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// What became of a file. It stays as it is until the callback returns.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_file {
    /// Its index among the paths, from 0.
    pub index: usize,
    /// Its path, the caller's own pointer.
    pub path: *const c_char,
    /// HM_OK or HM_IO.
    pub error: hm_error,
    /// One line that says why there are no digests, without the path: "no such file or directory". Empty if there are.
    pub message: *const c_char,
    /// The digests, in the order of the algorithms and with nothing between them; null if there are none.
    pub digests: *const u8,
    /// The length of all of them in bytes; 0 if there are none.
    pub digests_len: usize,
}

/// How far the work has come.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_files_progress {
    /// Bytes that have been read.
    pub bytes: u64,
    /// Bytes in all files that have been looked at; it grows until `complete`. Pipes count for nothing here.
    pub bytes_total: u64,
    /// Files that are done, failed ones too.
    pub files: u64,
    /// Files that have been looked at.
    pub files_total: u64,
    /// 1 if every file has been looked at, so that the totals are final; else 0.
    pub complete: u32,
}

/// Told what became of a file; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no exception and
/// no longjmp may leave it.
pub type hm_file_done = Option<unsafe extern "C" fn(user: *mut c_void, file: *const hm_file) -> c_int>;

/// Told how far the work has come; 0 goes on, anything else ends the call with HM_CANCELLED. It returns: no exception
/// and no longjmp may leave it.
pub type hm_files_tick = Option<unsafe extern "C" fn(user: *mut c_void, progress: *const hm_files_progress) -> c_int>;

/// So often the caller is told how far the work has come, and asked whether it shall go on.
const TICK: Duration = Duration::from_millis(100);

/// So many results wait for the caller at most; more make the work wait.
const WAITING: usize = 1024;

/// A path as the system has them.
fn path(text: &CStr) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(text.to_bytes()).into()
    }
    #[cfg(not(unix))]
    text.to_string_lossy().into_owned().into()
}

/// The caller's paths, none of which is null.
unsafe fn paths<'a>(at: *const *const c_char, count: usize) -> Result<Vec<&'a CStr>, CallError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if at.is_null() || !at.is_aligned() || count > isize::MAX as usize / size_of::<*const c_char>() {
        return Err(CallError::argument(format!("there are no {count} paths here: null, not aligned, or too many")));
    }
    // SAFETY: not null, aligned, not too many, and there as the caller promises.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    let mut paths = Vec::new();
    if paths.try_reserve_exact(count).is_err() {
        return Err(CallError::new(hm_error::HM_NO_MEMORY, format!("no memory for {count} paths")));
    }
    for (i, &p) in all.iter().enumerate() {
        if p.is_null() {
            return Err(CallError::argument(format!("path {i} is null")));
        }
        // SAFETY: not null, and ends with a zero byte as the caller promises.
        paths.push(unsafe { CStr::from_ptr(p) });
    }
    Ok(paths)
}

/// The caller's algorithms, at least one.
unsafe fn algorithms(at: *const *const hm_algorithm, count: usize) -> Result<Vec<Algorithm>, CallError> {
    if count == 0 || at.is_null() || !at.is_aligned() || count > isize::MAX as usize / size_of::<*const hm_algorithm>()
    {
        return Err(CallError::argument(format!(
            "there are no {count} algorithms here: none, null, not aligned, or too many"
        )));
    }
    // SAFETY: not null, aligned, not too many, and there as the caller promises.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    // SAFETY: the header's rules for pointers.
    all.iter().map(|&a| unsafe { algorithm(a) }).collect()
}

type Found = Result<Vec<Digest>, hashmill_files::Error>;

/// Who is told, and what has been.
struct Caller<'a> {
    paths: &'a [&'a CStr],
    done: hm_file_done,
    tick: hm_files_tick,
    user: *mut c_void,
    told: usize,
    last: Instant,
    digests: Vec<u8>,
}

fn cancelled(by: &str, answer: c_int, told: usize) -> CallError {
    CallError::new(hm_error::HM_CANCELLED, format!("the {by} callback ended it with {answer} after {told} files"))
}

impl Caller<'_> {
    /// What became of the next file.
    fn file(&mut self, found: &Found) -> Outcome {
        let index = self.told;
        self.told += 1;
        let Some(done) = self.done else { return Ok(()) };
        let mut file = hm_file {
            index,
            path: self.paths[index].as_ptr(),
            error: hm_error::HM_OK,
            message: c"".as_ptr(),
            digests: ptr::null(),
            digests_len: 0,
        };
        let message;
        match found {
            Ok(digests) => {
                self.digests.clear();
                digests.iter().for_each(|d| self.digests.extend_from_slice(d.as_bytes()));
                (file.digests, file.digests_len) = (self.digests.as_ptr(), self.digests.len());
            }
            Err(e) => {
                message = CString::new(e.to_string()).unwrap_or_default();
                (file.error, file.message) = (hm_error::HM_IO, message.as_ptr());
            }
        }
        // SAFETY: the caller's function, with the caller's pointer.
        match unsafe { done(self.user, &raw const file) } {
            0 => Ok(()),
            answer => Err(cancelled("file", answer, index + 1)),
        }
    }

    /// How far the work has come, unless that has just been told.
    fn tick(&mut self, progress: &Progress, at_last: bool) -> Outcome {
        let Some(tick) = self.tick else { return Ok(()) };
        if !at_last && self.last.elapsed() < TICK {
            return Ok(());
        }
        self.last = Instant::now();
        let now = hm_files_progress {
            bytes: progress.bytes(),
            bytes_total: progress.bytes_total(),
            files: progress.files(),
            files_total: progress.files_total(),
            complete: progress.is_complete().into(),
        };
        // SAFETY: the caller's function, with the caller's pointer.
        match unsafe { tick(self.user, &raw const now) } {
            0 => Ok(()),
            answer => Err(cancelled("progress", answer, self.told)),
        }
    }

    /// Does all the work on the caller's own thread, where the system starts no other.
    fn work_here(&mut self, options: &Options, progress: &Progress) -> Outcome {
        let mut ended = Ok(());
        let paths = self.paths;
        let worked = work(options, paths, progress, |found| {
            ended = self.file(&found).and_then(|()| self.tick(progress, false));
            ended.is_ok()
        });
        ended.and(worked)?;
        self.tick(progress, true)
    }

    /// Tells the caller all that comes.
    fn listen(&mut self, results: &Receiver<Found>, progress: &Progress) -> Outcome {
        loop {
            match results.recv_timeout(TICK) {
                Ok(found) => self.file(&found)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.tick(progress, true),
            }
            self.tick(progress, false)?;
        }
    }
}

/// Hashes the files, and hands on what became of them until `tell` wants no more.
fn work(options: &Options, paths: &[&CStr], progress: &Progress, mut tell: impl FnMut(Found) -> bool) -> Outcome {
    let inputs = paths.iter().map(|p| Ok(Input::Path(path(p))));
    let ended = hashmill_files::sum(options, inputs, progress, |event| {
        let Event::Outcome(outcome) = event else { return ControlFlow::Continue(()) };
        if tell(outcome.result) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    ended.map_err(|e| fault(&e.to_string()))
}

fn fault(what: &str) -> CallError {
    CallError::new(hm_error::HM_INTERNAL, format!("a fault of this library, please report it: {what}"))
}

/// Hashes files, each read once for all algorithms, many side by side in SIMD lanes and on several threads. `done` is
/// called with `user` for each path, in the order of the paths; `progress`, if it is not null, about ten times a second
/// and at the end. Both are called by the thread that calls this function; threads that it starts take no signals, and
/// are gone when it returns.
///
/// `algorithms` points to `algorithm_count` pointers, at least one; `paths` to `count` of them. A path is what the
/// system's open() takes (UTF-8 on Windows): "-" is a file of this name, links are followed, FIFOs and devices are read
/// to their end. `threads` is how many hash; 0 for as many as there are cores for the process. Neither the number of
/// files nor their lengths make memory grow, but for some bytes for each path.
///
/// A file that cannot be read is no failure of the call: `done` is told HM_IO and why, and the others go on.
/// HM_CANCELLED if a callback wants no more; files that were being read are left. HM_NO_MEMORY. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_digest_files(
    algorithms: *const *const hm_algorithm,
    algorithm_count: usize,
    paths: *const *const c_char,
    count: usize,
    threads: usize,
    done: hm_file_done,
    progress: hm_files_tick,
    user: *mut c_void,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        let (algorithms, paths) =
            unsafe { (self::algorithms(algorithms, algorithm_count)?, self::paths(paths, count)?) };
        let options = Options { threads: NonZeroUsize::new(threads), ..Options::new(algorithms) };
        let state = Progress::default();
        let mut caller =
            Caller { paths: &paths, done, tick: progress, user, told: 0, last: Instant::now(), digests: Vec::new() };
        std::thread::scope(|s| {
            let (sender, results) = sync_channel(WAITING);
            let (options, paths, state) = (&options, &paths, &state);
            let run = move || work(options, paths, state, |found| sender.send(found).is_ok());
            let Ok(worker) = hashmill_files::spawn(s, run) else {
                return caller.work_here(options, state);
            };
            let told = caller.listen(&results, state);
            if told.is_err() {
                // What is being read ends soon, and nobody waits for its results.
                state.stop();
            }
            drop(results);
            let ended = worker.join().unwrap_or_else(|_| Err(fault("a worker thread panicked")));
            told.and(ended)
        })
    })
}
