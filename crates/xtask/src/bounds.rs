//! How near the kernels come to what a machine allows: `bench/bounds.json` has lower bounds on cycles a byte.

use hashmill_measure::run::{Run, Series, Unit};
use hashmill_measure::suite::Details;
use hashmill_measure::table::Table;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Length of the messages whose speed is compared with a bound.
const BYTES: u64 = 16384;

/// Returns a table of the bounds that are known for the machine of the latest run of the suite `kernels`.
pub(crate) fn table(root: &Path, runs: &[(Run, Details)]) -> Result<String, String> {
    let Some((run, _)) = runs.last() else { return Ok("Not measured yet.\n".into()) };
    let text = fs::read_to_string(root.join("bench/bounds.json")).map_err(|e| format!("bench/bounds.json: {e}"))?;
    let all: Value = serde_json::from_str(&text).map_err(|e| format!("bench/bounds.json: {e}"))?;
    let vendor = ["Intel", "AMD"].into_iter().find(|v| run.machine.cpu.contains(v));
    // They are those of code that uses AVX-512.
    let Some(vendor) = vendor.filter(|_| run.machine.cpu_features.iter().any(|f| f == "avx512vl")) else {
        return Ok(format!("None are known for {}.\n", run.machine.cpu));
    };
    let per_cycle = all["operations_per_cycle"][vendor].as_f64().ok_or("bench/bounds.json: no operations per cycle")?;
    let columns = ["", "<mode", "bound", "best kernel", "share of the bound", "<from"];
    let mut table = Table::new("", columns);
    for (name, modes) in all["bounds"].as_object().into_iter().flatten() {
        for (mode, entry) in modes.as_object().into_iter().flatten() {
            let bound = match (entry["operations"].as_f64(), entry["bytes"].as_f64()) {
                (Some(operations), Some(bytes)) => Some(operations / bytes / per_cycle),
                _ => entry[vendor].as_f64().or(entry["any"].as_f64()),
            };
            let mode = if mode == "stream" { "one stream" } else { mode };
            let (Some(bound), Some(best)) = (bound, best(run, name, mode)) else { continue };
            table.row([
                name.clone(),
                mode.into(),
                format!("{bound:.3}"),
                format!("{best:.3}"),
                format!("{:.0} %", 100.0 * bound / best),
                entry["from"].as_str().unwrap_or_default().into(),
            ]);
        }
    }
    Ok(table.markdown())
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
