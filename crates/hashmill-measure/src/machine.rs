//! The machine that the measurements ran on, and what else happened on it meanwhile.

use crate::clock::{self, Clocks};
use crate::quiet;
use crate::sys::clock::{Jiffies, jiffies_per_second, own_cpu_seconds};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::{Duration, Instant};

/// The compiler that built this program, with its target and flags.
pub const COMPILER: &str = env!("HASHMILL_COMPILER");

/// Returns when this program was built.
pub fn built() -> DateTime<Utc> {
    env!("HASHMILL_BUILT_AT").parse().ok().and_then(|s| DateTime::from_timestamp(s, 0)).unwrap_or_default()
}

/// The machine, the system and this program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: String,
    /// Architecture: `x86_64`, `aarch64`.
    pub arch: String,
    /// CPU features that this CPU has; see [`cpu_features`].
    pub cpu_features: Vec<String>,
    /// Number of CPUs that this program may run on.
    pub cpus: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// Operating system with its version: `Linux 6.1.0`.
    pub os: String,
    /// Version of this program.
    pub hashmill: String,
    /// Compiler that built it, with its target and flags.
    pub compiler: String,
    /// Clock properties when the run began.
    pub clocks: Clocks,
}

impl Machine {
    /// Describes this machine. Takes about 30 ms, because the clocks are measured.
    pub fn here() -> Machine {
        let line = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
        let info = line("/proc/meminfo");
        let total = info.lines().find_map(|l| l.strip_prefix("MemTotal:"));
        let total = total.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        let os = format!("{} {}", line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease"));
        Machine {
            cpu: cpu_model(),
            arch: std::env::consts::ARCH.into(),
            cpu_features: cpu_features(),
            cpus: cpus(),
            memory: total.map_or(0, |kib| kib * 1024),
            os: if os == " " { std::env::consts::OS.into() } else { os },
            hashmill: env!("CARGO_PKG_VERSION").into(),
            compiler: COMPILER.into(),
            clocks: Clocks::measure(),
        }
    }

    /// Describes the machine in one line: `AMD EPYC, 2 CPUs, 3.61 GHz, Linux 6.1.0`.
    pub fn line(&self) -> String {
        let plural = if self.cpus == 1 { "" } else { "s" };
        format!("{}, {} CPU{plural}, {:.2} GHz, {}", self.cpu, self.cpus, self.clocks.core_hertz / 1e9, self.os)
    }
}

/// Returns the processor's name as the system gives it, or else the architecture.
pub fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| Some(l.strip_prefix("model name")?.split_once(':')?.1.trim().to_string()));
    model.filter(|m| !m.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// Returns those of these CPU features that this CPU has, as rustc spells them: the ones that code for digests and
/// ciphers is written for.
pub fn cpu_features() -> Vec<String> {
    macro_rules! detected {
        ($is:ident: $($name:tt)*) => {
            [$((std::arch::$is!($name), $name)),*].into_iter().filter_map(|(has, name)| has.then(|| name.to_string())).collect()
        };
    }
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return detected!(is_x86_feature_detected:
        "adx" "aes" "avx" "avx2" "avx512bitalg" "avx512bw" "avx512cd" "avx512dq" "avx512f" "avx512ifma" "avx512vbmi"
        "avx512vbmi2" "avx512vl" "avx512vnni" "avx512vpopcntdq" "bmi1" "bmi2" "gfni" "pclmulqdq" "popcnt" "sha" "sha512" "sm3"
        "sse2" "sse3" "sse4.1" "sse4.2" "ssse3" "vaes" "vpclmulqdq");
    #[cfg(target_arch = "aarch64")]
    return detected!(is_aarch64_feature_detected: "aes" "asimd" "crc" "neon" "pmull" "sha2" "sha3" "sm4" "sve" "sve2");
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    return Vec::new();
}

/// Returns the number of CPUs that this program may run on.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the load average of the last minute, if the system provides it.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Returns what makes measurements on this machine doubtful from the start, each with its remedy.
pub fn warnings() -> Vec<String> {
    let mut found = Vec::new();
    if cfg!(debug_assertions) {
        found.push("this is a debug build: build with --release".to_string());
    }
    if let Ok(governor) = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        && governor.trim() != "performance"
    {
        let governor = governor.trim();
        found.push(format!(
            "the CPU frequency governor is '{governor}': `cpupower frequency-set -g performance` holds the clock still"
        ));
    }
    // The load is that of the last minute, when what runs now may have been running itself.
    if load().is_some_and(|load| load > cpus() as f64)
        && let Some(busy) = used_by_others(Duration::from_millis(300))
        && busy > 0.25
    {
        found.push(format!("other programs use {busy:.1} of {} CPUs: let them end first", cpus()));
    }
    found
}

/// Returns how many CPUs other programs use, on average over this time.
fn used_by_others(time: Duration) -> Option<f64> {
    let (before, own, start) = (Jiffies::now()?, own_cpu_seconds(), Instant::now());
    std::thread::sleep(time);
    let busy = Jiffies::now()?.busy.saturating_sub(before.busy) as f64 / jiffies_per_second();
    Some(((busy - (own_cpu_seconds() - own)) / start.elapsed().as_secs_f64()).max(0.0))
}

/// What happened on the machine during a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Weather {
    /// Load average of the last minute when the run began.
    pub load_before: Option<f64>,
    /// Load average of the last minute when it ended.
    pub load_after: Option<f64>,
    /// Cycles per second of the core when the run began.
    pub core_hertz_before: f64,
    /// Cycles per second of the core when it ended.
    pub core_hertz_after: f64,
    /// CPU seconds that the hypervisor gave to other machines (steal time).
    pub stolen_seconds: f64,
    /// CPU seconds that other programs used.
    pub others_seconds: f64,
    /// Duration of the run in seconds.
    pub seconds: f64,
    /// Those of them that went to waiting for neighbors on the same cores, and to repeating what they disturbed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub neighbors_seconds: f64,
}

/// Runs from before this was counted are written as they were read.
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Watches the machine while something is being measured.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    load: Option<f64>,
    core_hertz: f64,
    jiffies: Option<Jiffies>,
    own: f64,
    lost: Duration,
}

impl Watch {
    /// Starts watching.
    pub fn start() -> Watch {
        Watch {
            start: Instant::now(),
            load: load(),
            core_hertz: clock::core_hertz(40),
            jiffies: Jiffies::now(),
            own: own_cpu_seconds(),
            lost: quiet::lost(),
        }
    }

    /// Reports what has happened since the start. The CPU time of children counts as our own once they have been waited
    /// for.
    pub fn weather(&self) -> Weather {
        let seconds = self.start.elapsed().as_secs_f64();
        let (stolen, busy) = match (self.jiffies, Jiffies::now()) {
            (Some(a), Some(b)) => {
                let per = jiffies_per_second();
                (b.stolen.saturating_sub(a.stolen) as f64 / per, b.busy.saturating_sub(a.busy) as f64 / per)
            }
            _ => (0.0, 0.0),
        };
        let own = own_cpu_seconds() - self.own;
        Weather {
            load_before: self.load,
            load_after: load(),
            core_hertz_before: self.core_hertz,
            core_hertz_after: clock::core_hertz(40),
            stolen_seconds: stolen,
            others_seconds: (busy - own).max(0.0),
            seconds,
            neighbors_seconds: (quiet::lost() - self.lost).as_secs_f64(),
        }
    }
}

impl Weather {
    /// Returns how long neighbors have delayed the run, if that was long.
    pub fn delay(&self) -> Option<String> {
        let (all, lost) = (self.seconds, self.neighbors_seconds);
        (lost >= 20.0 && lost >= 0.05 * all)
            .then(|| format!("{lost:.0} of {all:.0} s went to waiting for cores without neighbors, and to repeating"))
    }

    /// Returns what makes the measurements doubtful, each with its remedy.
    pub fn warnings(&self, cpus: usize) -> Vec<String> {
        let mut found = Vec::new();
        let moved = self.core_hertz_after / self.core_hertz_before - 1.0;
        if moved.abs() > 0.03 {
            found.push(format!(
                "the core's clock moved from {:.2} to {:.2} GHz: hold it still (cpupower frequency-set -g \
                 performance, no turbo), or trust only ratios",
                self.core_hertz_before / 1e9,
                self.core_hertz_after / 1e9
            ));
        }
        let whole = self.seconds * cpus as f64;
        // The kernel counts in hundredths of a second.
        let counted = |seconds: f64| seconds > 0.05 && seconds > 0.02 * whole;
        if counted(self.stolen_seconds) {
            found.push(format!(
                "the hypervisor gave {:.1} % of the CPUs' time to other machines (steal): measure on a machine of \
                 your own, or trust only ratios",
                100.0 * self.stolen_seconds / whole
            ));
        }
        if counted(self.others_seconds) {
            found.push(format!(
                "other programs used {:.1} % of the CPUs' time: end them, or give this one a CPU of its own (taskset \
                 -c N)",
                100.0 * self.others_seconds / whole
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_weather_is_told() {
        let fair = Weather {
            load_before: Some(0.1),
            load_after: Some(0.9),
            core_hertz_before: 3.6e9,
            core_hertz_after: 3.62e9,
            stolen_seconds: 0.0,
            others_seconds: 0.02,
            seconds: 10.0,
            neighbors_seconds: 0.0,
        };
        assert_eq!(fair.warnings(2), Vec::<String>::new());
        assert_eq!(fair.delay(), None);
        let delayed = Weather { seconds: 60.0, neighbors_seconds: 22.4, ..fair };
        assert!(delayed.delay().is_some_and(|said| said.starts_with("22 of 60 s went to waiting")));
        let foul = Weather { core_hertz_after: 3.0e9, stolen_seconds: 1.0, others_seconds: 4.0, ..fair };
        let text = foul.warnings(2);
        assert_eq!(text.len(), 3);
        assert!(text[0].starts_with("the core's clock moved from 3.60 to 3.00 GHz"), "{text:?}");
        assert!(text[1].contains("gave 5.0 % of the CPUs' time to other machines"), "{text:?}");
        assert!(text[2].starts_with("other programs used 20.0 % of the CPUs' time"), "{text:?}");
    }

    #[test]
    fn what_others_use_is_seen() {
        let mut busy = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let used = used_by_others(Duration::from_millis(500)).unwrap();
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(used > 0.2, "{used}");
    }

    #[test]
    fn here_is_somewhere() {
        let m = Machine::here();
        assert!(!m.cpu.is_empty() && m.cpus > 0 && m.line().contains("CPU"));
        let w = Watch::start().weather();
        assert!(w.seconds > 0.0 && w.others_seconds >= 0.0);
    }
}
