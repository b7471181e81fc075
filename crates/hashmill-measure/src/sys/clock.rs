//! CPU counters: time stamps, jiffies, CPU time.

use std::arch::asm;
use std::hint::black_box;

/// Runs a chain of `steps` dependent additions, which take 1 cycle each on every CPU that the kernels support. The loop
/// overhead runs in parallel.
pub fn additions(steps: u64) -> u64 {
    let mut x = black_box(1u64);
    let y = black_box(3u64);
    for _ in 0..steps / 16 {
        macro_rules! step {
            ($($_:literal)*) => {$({
                let _ = $_;
                x = x.wrapping_add(y);
                // SAFETY: the assembly is empty; it only keeps the compiler from folding the additions.
                unsafe { asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
            })*};
        }
        step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }
    x
}

/// Runs about so many instructions that do nothing, as many in a cycle as the core can take.
pub fn nops(count: u64) {
    for _ in 0..count / 64 {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        // SAFETY: the instructions do nothing.
        unsafe {
            asm!(".rept 64", "nop", ".endr", options(nomem, nostack, preserves_flags));
        }
        // Elsewhere, there is a turn of the loop, which the compiler must not remove.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        black_box(());
    }
}

/// Returns the time-stamp counter, if the CPU has one that programs may read.
pub fn time_stamp() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 CPU has the instruction; a system that forbids it to programs cannot run glibc, either.
        Some(unsafe { std::arch::x86_64::_rdtsc() })
    }
    #[cfg(target_arch = "aarch64")]
    {
        let count: u64;
        // SAFETY: Linux lets programs read the virtual counter.
        unsafe { asm!("mrs {0}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
        Some(count)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// Jiffies of all CPUs since boot, busy and stolen by the hypervisor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jiffies {
    /// Jiffies spent on programs and the kernel.
    pub busy: u64,
    /// Jiffies given to other machines by the hypervisor.
    pub stolen: u64,
}

impl Jiffies {
    /// Returns the jiffies counted so far, if the system counts them.
    pub fn now() -> Option<Jiffies> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let fields: Vec<u64> =
            stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map_while(|f| f.parse().ok()).collect();
        let at = |i: usize| fields.get(i).copied().unwrap_or(0);
        Some(Jiffies { busy: at(0) + at(1) + at(2) + at(5) + at(6), stolen: at(7) })
    }
}

/// Returns the number of jiffies per second.
pub fn jiffies_per_second() -> f64 {
    // SAFETY: no memory is involved.
    let n = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    if n > 0 { n as f64 } else { 100.0 }
}

/// Returns the CPU seconds, user and system, of this process and of the children that it has waited for.
pub fn own_cpu_seconds() -> f64 {
    let mut sum = 0.0;
    for who in [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN] {
        // SAFETY: a zeroed rusage is valid, and getrusage writes no more than one.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        for t in [usage.ru_utime, usage.ru_stime] {
            sum += t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        }
    }
    sum
}
