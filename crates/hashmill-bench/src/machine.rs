//! What the measurements ran on.

use hashmill::Algorithm;
use std::fs;

/// The processor's name as the system gives it, or the architecture.
pub fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| Some(l.strip_prefix("model name")?.split_once(':')?.1.trim().to_string()));
    model.filter(|m| !m.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// The CPU features that some kernel uses and this CPU has, as rustc spells them.
pub fn cpu_features() -> Vec<String> {
    let kernels = Algorithm::all().flat_map(|a| a.kernels());
    let mut features: Vec<String> = kernels
        .filter(|k| k.available)
        .flat_map(|k| k.needs.split(',').filter(|f| !f.is_empty()).map(str::to_string).collect::<Vec<_>>())
        .collect();
    features.sort();
    features.dedup();
    features
}

/// How many CPUs this program may run on.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Things that make measurements on this machine doubtful, each with its remedy.
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
    if let Ok(load) = fs::read_to_string("/proc/loadavg")
        && let Some(Ok(load)) = load.split(' ').next().map(str::parse::<f64>)
        && load > cpus() as f64
    {
        found.push(format!("the load is {load} on {} CPUs: let other programs end first", cpus()));
    }
    found
}
