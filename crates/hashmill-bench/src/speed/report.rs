//! What `speed` writes to stdout.

use super::Options;
use crate::machine;
use hashmill::Algorithm;
use serde_json::{Map, Value, json};
use std::fmt;

/// One algorithm's results.
#[derive(Debug, Clone)]
pub struct Row {
    /// OpenSSL's number of the row.
    pub index: usize,
    /// As the user gave it.
    pub name: String,
    /// What was timed.
    pub algorithm: Algorithm,
    /// One for each size, fewer after an interruption.
    pub cells: Vec<Cell>,
}

/// One algorithm on one size.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The message's length.
    pub bytes: usize,
    /// How often it was hashed; 0 where several children were added up.
    pub count: u64,
    /// The time that took; 0 where several children were added up.
    pub seconds: f64,
    /// Bytes per second.
    pub rate: f64,
}

pub(super) struct Report<'a> {
    pub(super) options: &'a Options,
    pub(super) rows: &'a [Row],
    pub(super) interrupted: bool,
}

/// The kernel that hashes one message.
fn kernel(a: Algorithm) -> &'static str {
    a.kernels().iter().find(|k| k.active).map_or("", |k| k.name)
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.options.json {
            return writeln!(f, "{:#}", self.json());
        }
        let machine = self.options.machine;
        if !machine {
            self.head(f)?;
        }
        // OpenSSL leaves out both lines where children ran.
        if self.options.multi.is_none() {
            if machine {
                f.write_str("+H")?;
            } else {
                f.write_str("The 'numbers' are in 1000s of bytes per second processed.\ntype        ")?;
            }
            for size in &self.options.sizes {
                if machine { write!(f, ":{size}") } else { write!(f, "{size:7} bytes") }?;
            }
            writeln!(f)?;
        }
        for row in self.rows.iter().filter(|r| !r.cells.is_empty()) {
            if machine { write!(f, "+F:{}:{}", row.index, row.name) } else { write!(f, "{:<13}", row.name) }?;
            for cell in &row.cells {
                match cell.rate {
                    r if machine => write!(f, ":{r:.2}"),
                    r if r > 10000.0 => write!(f, " {:11.2}k", r / 1e3),
                    r => write!(f, " {r:11.2} "),
                }?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Report<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "version: {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "built on: {}", env!("HASHMILL_BUILT_ON"))?;
        let kernels: Vec<_> = self.rows.iter().map(|r| format!("{}({})", r.name, kernel(r.algorithm))).collect();
        writeln!(f, "options: hashmill {}", kernels.join(" "))?;
        writeln!(f, "compiler: {}", env!("HASHMILL_COMPILER"))?;
        writeln!(f, "CPUINFO: {}: {}", machine::cpu_model(), machine::cpu_features().join(","))
    }

    fn json(&self) -> Value {
        let options = self.options;
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|r| {
                let cells: Vec<Value> = r.cells.iter().map(|c| cell(c, options.multi.is_some())).collect();
                json!({ "name": r.name, "algorithm": r.algorithm.name(), "kernel": kernel(r.algorithm), "results": cells })
            })
            .collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "built_on": env!("HASHMILL_BUILT_ON"),
            "compiler": env!("HASHMILL_COMPILER"),
            "cpu": machine::cpu_model(),
            "cpu_features": machine::cpu_features(),
            "seconds": options.seconds,
            "divisor": if options.elapsed || options.multi.is_some() { "elapsed" } else { "user" },
            "processes": options.multi.unwrap_or(1),
            "interrupted": self.interrupted,
            "algorithms": rows,
        })
    }
}

fn cell(c: &Cell, summed: bool) -> Value {
    let mut map = Map::new();
    map.insert("bytes".into(), c.bytes.into());
    if !summed {
        map.insert("count".into(), c.count.into());
        map.insert("seconds".into(), c.seconds.into());
    }
    map.insert("bytes_per_second".into(), c.rate.into());
    map.into()
}
