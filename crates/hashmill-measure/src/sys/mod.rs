//! Direct calls to the operating system: signals, process times, counters. The crate's only unsafe code.

#![allow(unsafe_code, reason = "libc calls and instructions that no safe crate has")]

pub mod clock;

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

static STOP: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns whether the timed loop should end. This is one relaxed load.
#[inline(always)]
pub fn stopped() -> bool {
    STOP.load(Relaxed)
}

/// Ends the timed loop, or lets the next one run, unless the user has interrupted the program.
pub fn set_stopped(stop: bool) {
    STOP.store(stop, Relaxed);
    if INTERRUPTED.load(Relaxed) {
        STOP.store(true, Relaxed);
    }
}

/// Returns whether a SIGINT has arrived.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

extern "C" fn on_interrupt(_: c_int) {
    INTERRUPTED.store(true, Relaxed);
    STOP.store(true, Relaxed);
}

/// Makes the first SIGINT from now on end the timed loop; a second one kills the program, as usual.
pub fn catch_interrupt() {
    // SAFETY: a zeroed sigaction is valid; the handler only stores to atomics, which is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_interrupt as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_RESETHAND;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, ptr::null_mut());
    }
}

/// Sends SIGINT to a child process that was started here and has not been waited for.
pub fn interrupt(child: &std::process::Child) {
    if let Ok(pid) = libc::pid_t::try_from(child.id()) {
        // SAFETY: no memory is involved; the child has not been reaped, so the process ID is still its own.
        unsafe { libc::kill(pid, libc::SIGINT) };
    }
}

/// How a child ended.
pub struct Ended {
    /// Exit status.
    pub status: std::process::ExitStatus,
    /// User and system CPU time.
    pub cpu: Duration,
    /// Peak resident set size in bytes. It is no less than that of this process when it started the child.
    pub peak_rss: u64,
}

/// Waits for a child process and returns its exit status and resource usage.
pub fn wait(child: std::process::Child) -> std::io::Result<Ended> {
    use std::os::unix::process::ExitStatusExt;
    let pid = libc::pid_t::try_from(child.id()).map_err(std::io::Error::other)?;
    let mut status = 0;
    // SAFETY: a zeroed rusage is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are valid for writes; the child was started here and is waited for only once, because
        // `child` is consumed (dropping it does not wait).
        if unsafe { libc::wait4(pid, &mut status, 0, &mut usage) } == pid {
            break;
        }
        let e = std::io::Error::last_os_error();
        if e.kind() != std::io::ErrorKind::Interrupted {
            return Err(e);
        }
    }
    let time = |t: libc::timeval| {
        Duration::new(u64::try_from(t.tv_sec).unwrap_or(0), u32::try_from(t.tv_usec).unwrap_or(0) * 1000)
    };
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    Ok(Ended {
        status: std::process::ExitStatus::from_raw(status),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        peak_rss: u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit,
    })
}

/// Forgets what memory this process once had, and returns the bytes that it has now, if the system tells.
pub fn resident() -> Option<u64> {
    // Since Linux 4.0, this sets the peak to what there is.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Returns the user CPU time of this process.
pub fn user_time() -> Duration {
    // SAFETY: a zeroed rusage is valid, and getrusage writes no more than one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let t = usage.ru_utime;
    Duration::new(u64::try_from(t.tv_sec).unwrap_or(0), u32::try_from(t.tv_usec).unwrap_or(0) * 1000)
}

/// Returns the CPU time, user and system, of this thread.
pub fn thread_time() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a timespec that may be written to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    Duration::new(u64::try_from(t.tv_sec).unwrap_or(0), u32::try_from(t.tv_nsec).unwrap_or(0))
}

/// A set of CPUs.
#[cfg(target_os = "linux")]
pub struct Cpus(libc::cpu_set_t);

#[cfg(target_os = "linux")]
impl Cpus {
    /// Returns the set of one CPU.
    pub fn one(cpu: usize) -> Cpus {
        // SAFETY: a zeroed set is the empty one; the macro ignores numbers that are too large.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu.min(libc::CPU_SETSIZE as usize - 1), &mut set);
            Cpus(set)
        }
    }

    /// Returns their numbers.
    pub fn each(&self) -> Vec<usize> {
        // SAFETY: the numbers are those that a set has.
        (0..libc::CPU_SETSIZE as usize).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &self.0) }).collect()
    }
}

/// Returns the CPUs that this thread may run on, if the system tells.
#[cfg(target_os = "linux")]
pub fn affinity() -> Option<Cpus> {
    // SAFETY: a zeroed set is valid, and the call writes no more than one.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) == 0).then_some(Cpus(set))
    }
}

/// Lets a thread, or this one if that is 0, run only on these CPUs from now on. Returns whether it does.
#[cfg(target_os = "linux")]
pub fn set_affinity(thread: i32, cpus: &Cpus) -> bool {
    // SAFETY: the set is valid, and the call only reads it.
    unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &cpus.0) == 0 }
}

/// Returns the CPU that this thread is on, if the system tells.
#[cfg(target_os = "linux")]
pub fn current_cpu() -> Option<usize> {
    // SAFETY: no memory is involved.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// A set of CPUs, on a system that does not let programs choose: the only one there is.
#[cfg(not(target_os = "linux"))]
pub struct Cpus;

#[cfg(not(target_os = "linux"))]
impl Cpus {
    /// Returns the set of one CPU.
    pub fn one(_: usize) -> Cpus {
        Cpus
    }

    /// Returns their numbers: none is known.
    pub fn each(&self) -> Vec<usize> {
        Vec::new()
    }
}

/// Returns nothing: the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn affinity() -> Option<Cpus> {
    None
}

/// Does nothing: the system does not let programs choose.
#[cfg(not(target_os = "linux"))]
pub fn set_affinity(_: i32, _: &Cpus) -> bool {
    false
}

/// Returns nothing: the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn current_cpu() -> Option<usize> {
    None
}

/// Returns the bytes of memory that a program can use without making others suffer, if the system provides them.
pub fn memory_available() -> Option<u64> {
    // SAFETY: no memory is involved.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)?;
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let available = available.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Some(available.map_or(physical, |kb| kb * 1024))
}
