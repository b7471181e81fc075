//! How near the kernels come to what a machine allows: `bench/bounds.json` has lower bounds on cycles a byte.

use hashmill_measure::run::{Run, Series, Unit};
use hashmill_measure::suite::Details;
use hashmill_measure::table::Table;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Length of the messages whose speed is compared with a bound.
const BYTES: u64 = 16384;

/// How much of a bound the best kernel reaches.
struct Reached {
    name: String,
    mode: String,
    /// In cycles a byte.
    bound: f64,
    best: f64,
    from: String,
}

/// Returns a table of the bounds that are known for the machine of the latest run of the suite `kernels`.
pub(crate) fn table(root: &Path, runs: &[(Run, Details)]) -> Result<String, String> {
    let all = match reached(root, runs)? {
        Ok(all) => all,
        Err(none) => return Ok(none),
    };
    let columns = ["", "<mode", "bound", "best kernel", "share of the bound", "<from"];
    let mut table = Table::new("", columns);
    for Reached { name, mode, bound, best, from } in all {
        let share = format!("{:.0} %", 100.0 * bound / best);
        table.row([name, mode, format!("{bound:.3}"), format!("{best:.3}"), share, from]);
    }
    Ok(table.markdown())
}

/// Returns the smallest share of a bound that lanes reach, and of which algorithm.
pub(crate) fn least(root: &Path, runs: &[(Run, Details)]) -> Result<String, String> {
    let Ok(all) = reached(root, runs)? else { return Ok("–".into()) };
    let lanes = all.into_iter().filter(|one| one.mode == "lanes");
    let least = lanes.min_by(|a, b| (a.bound / a.best).total_cmp(&(b.bound / b.best)));
    Ok(least.map_or("–".into(), |one| format!("{:.0} % ({})", 100.0 * one.bound / one.best, one.name)))
}

/// Returns all that are known, or why there are none.
fn reached(root: &Path, runs: &[(Run, Details)]) -> Result<Result<Vec<Reached>, String>, String> {
    let Some((run, _)) = runs.last() else { return Ok(Err("Not measured yet.\n".into())) };
    let text = fs::read_to_string(root.join("bench/bounds.json")).map_err(|e| format!("bench/bounds.json: {e}"))?;
    let all: Value = serde_json::from_str(&text).map_err(|e| format!("bench/bounds.json: {e}"))?;
    let vendor = ["Intel", "AMD"].into_iter().find(|v| run.machine.cpu.contains(v));
    // They are those of code that uses AVX-512.
    let Some(vendor) = vendor.filter(|_| run.machine.cpu_features.iter().any(|f| f == "avx512vl")) else {
        return Ok(Err(format!("None are known for {}.\n", run.machine.cpu)));
    };
    let per_cycle = all["operations_per_cycle"][vendor].as_f64().ok_or("bench/bounds.json: no operations per cycle")?;
    let mut reached = Vec::new();
    for (name, modes) in all["bounds"].as_object().into_iter().flatten() {
        for (mode, entry) in modes.as_object().into_iter().flatten() {
            let bound = match (entry["operations"].as_f64(), entry["bytes"].as_f64()) {
                (Some(operations), Some(bytes)) => Some(operations / bytes / per_cycle),
                _ => entry[vendor].as_f64().or(entry["any"].as_f64()),
            };
            let mode = if mode == "stream" { "one stream" } else { mode };
            let (Some(bound), Some(best)) = (bound, best(run, name, mode)) else { continue };
            let from = entry["from"].as_str().unwrap_or_default().into();
            reached.push(Reached { name: name.clone(), mode: mode.into(), bound, best, from });
        }
    }
    Ok(Ok(reached))
}

/// Returns the cycles a byte of the fastest of our kernels.
fn best(run: &Run, name: &str, mode: &str) -> Option<f64> {
    let ours = |s: &&Series| {
        s.by == "hashmill"
            && s.what == name
            && s.mode == mode
            && s.bytes == Some(BYTES)
            && s.unit == Unit::BytesPerSecond
    };
    let rates = run.series.iter().filter(ours).map(Series::median);
    rates.map(|rate| run.machine.clocks.core_hertz / rate).min_by(f64::total_cmp)
}
