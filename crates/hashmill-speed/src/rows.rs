//! Measures the rows of `speed` one after the other, in this process.

use super::data::Data;
use super::log::{Log, end_of_line, tell};
use super::options::Options;
use super::report::{self, Row};
use super::time::{self, Cell};
use super::turns;
use hashmill_measure::sys;

/// Measures all rows in this process.
pub(super) fn measure(options: &Options, data: &[(String, Data)], log: &mut Log) -> Vec<Row> {
    if (options.elapsed || options.threads > 1) && !options.machine {
        tell("You have chosen to measure elapsed time instead of user CPU time.\n");
    }
    let mut peers = turns::Peers::open(options, log);
    let mut rows = Vec::new();
    for job in &options.jobs {
        let mut row = Row::new(job);
        for op in job.ops(&options.sizes, options.style) {
            if sys::interrupted() {
                break;
            }
            let turns = options.takes_turns();
            let measured = if !turns && let Some((_, data)) = data.first() {
                tell(&report::before(job, op, options));
                time::measure(job, op, options, data).map(|(by, cell)| (by, cell, Vec::new()))
            } else {
                turns::rotate(job, op, options, data, &mut peers, log)
            };
            match measured {
                Ok((_, cell, _)) if cell.count == 0 && sys::interrupted() => tell(end_of_line(options)),
                Ok((by, cell, versus)) => {
                    tell(&report::after(job, &cell, options));
                    row.by = by;
                    row.cells.push(cell);
                    row.versus.push(versus);
                }
                Err(e) => {
                    if !turns {
                        tell(end_of_line(options));
                    }
                    log.error_once(e.to_string());
                    // Keeps the columns after it in their places.
                    row.cells.push(Cell::none(op));
                    row.versus.push(Vec::new());
                }
            }
            for warning in std::mem::take(&mut log.later) {
                log.warn(warning);
            }
        }
        if row.cells.iter().any(|c| c.count > 0) || options.child {
            rows.push(row);
        }
    }
    rows
}
