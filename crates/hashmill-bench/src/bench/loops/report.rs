//! Formats the survey as lines, as a table, as CSV and as a chart.

use super::{Row, Sort, Survey};
use crate::bench::lanes::kernel;
use hashmill::Algorithm;
use hashmill_measure::chart::{Bar, Chart, LENGTHS, Point};
use hashmill_measure::stats::Summary;
use hashmill_measure::table::Table;
use hashmill_peers::peer;
use std::fmt::Write;

/// Maximum number of bars, as many as a person will look at.
const MOST_BARS: usize = 40;
/// Maximum number of lines, as many as there are colors.
const MOST_LINES: usize = 8;

impl Survey<'_> {
    fn bytes(&self, row: &Row) -> usize {
        self.messages[row.message].len()
    }

    /// Returns the seconds per call.
    fn call(&self, row: &Row) -> f64 {
        row.seconds() / self.args.loops as f64
    }

    fn rate(&self, row: &Row) -> f64 {
        self.bytes(row) as f64 / self.call(row)
    }

    /// Returns the indices of the messages, sorted by size.
    fn by_size(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.messages.len()).collect();
        order.sort_by_key(|&m| self.messages[m].len());
        order
    }

    /// Returns the rows of one message in the order that the user wants.
    fn sorted(&self, message: usize) -> Vec<&Row> {
        let of = |m: usize| self.rows.iter().filter(move |r| r.message == m);
        let mut rows: Vec<&Row> = of(message).collect();
        let sizes = self.by_size();
        let by = match self.args.sort {
            None => return rows,
            Some(Sort::Registry) => {
                let place = |r: &&Row| Algorithm::all().position(|a| a.base_name() == r.algorithm.base_name());
                rows.sort_by_cached_key(place);
                return rows;
            }
            Some(Sort::Name) => {
                rows.sort_by(|a, b| a.name.cmp(&b.name));
                return rows;
            }
            Some(Sort::Time) => sizes[0],
            Some(Sort::Speed) => sizes[sizes.len() - 1],
        };
        // An interrupted run may lack the row that determines the order; such an algorithm comes last.
        let key = |r: &&Row| of(by).find(|x| x.name == r.name).map_or(f64::INFINITY, Row::seconds);
        let mut keyed: Vec<(f64, &Row)> = rows.iter().map(|r| (key(r), *r)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        keyed.into_iter().map(|k| k.1).collect()
    }

    fn heading(&self, message: usize) -> String {
        format!("{} iterations on {} bytes message", self.args.loops, self.messages[message].len())
    }

    /// Formats the survey's own lines.
    pub(super) fn lines(&self) -> String {
        let mut text = String::new();
        for (m, message) in self.messages.iter().enumerate() {
            let rows = self.sorted(m);
            if rows.is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            text += &format!("{}\n{}: {} bytes\n", self.heading(m), self.source, message.len());
            for row in rows {
                let _ = writeln!(text, "{:<15}\t{:.6} sec \t{}", row.name, row.seconds(), row.digest);
            }
        }
        text
    }

    /// Formats one row per algorithm.
    pub(super) fn table(&self) -> String {
        let sizes = self.by_size();
        let Some(&largest) = sizes.last() else { return String::new() };
        let of = |name: &str, m| self.rows.iter().find(|r| r.name == name && r.message == m);
        // Start from the message with the most rows, because an interrupted run may lack some.
        let rows = sizes.iter().map(|&m| self.sorted(m)).max_by_key(Vec::len).unwrap_or_default();
        if rows.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "ns for one call of {} on the same message, on one core of {}; medians of {} loops; MB/s and cycles/byte \
             at {} bytes\n",
            self.args.loops,
            self.machine,
            self.args.reps,
            self.messages[largest].len()
        );
        let lengths: Vec<String> = sizes.iter().map(|m| format!("{} B", self.messages[*m].len())).collect();
        let columns = ["algorithm", "<kernel"].into_iter().chain(lengths.iter().map(|l| &**l));
        let mut table = Table::new("", columns.chain(["MB/s", "cycles/byte"]));
        for row in rows {
            let mut cells = vec![row.name.clone(), kernel(row.algorithm, 1, true)];
            let ns = |m: &usize| of(&row.name, *m).map_or("-".into(), |r| format!("{:.1}", self.call(r) * 1e9));
            cells.extend(sizes.iter().map(ns));
            let (mb, cycles) = of(&row.name, largest).map_or(("-".into(), "-".into()), |r| {
                let rate = self.rate(r);
                (format!("{:.1}", rate / 1e6), format!("{:.3}", self.core_hertz / rate))
            });
            cells.extend([mb, cycles]);
            table.row(cells);
        }
        text += &table.show();
        text
    }

    /// Formats our times and each peer's side by side.
    pub(super) fn comparisons(&self) -> String {
        let mut text = String::new();
        for (by, version) in &self.peers {
            let mut ratios: Vec<&Summary> = Vec::new();
            for m in 0..self.messages.len() {
                let rows = self.sorted(m);
                let rows: Vec<_> = rows
                    .into_iter()
                    .filter_map(|r| r.rivals.iter().find(|b| b.by == *by).map(|b| (&r.name, b)))
                    .collect();
                if rows.is_empty() {
                    continue;
                }
                text += &format!(
                    "\n{}, against {version}; in alternation, medians of {} pairs\n",
                    self.heading(m),
                    self.args.pairs
                );
                let theirs = format!("{by} sec");
                let mut table = Table::new("", ["algorithm", "hashmill sec", &*theirs, "ratio", "<95 % interval"]);
                for (name, b) in rows {
                    table.row([
                        name.clone(),
                        format!("{:.6}", b.ours),
                        format!("{:.6}", b.theirs),
                        format!("{:.3}", b.ratio.median),
                        format!("[{:.3}, {:.3}]", b.ratio.interval.0, b.ratio.interval.1),
                    ]);
                    ratios.push(&b.ratio);
                }
                text += &table.show();
            }
            if !ratios.is_empty() {
                let faster = ratios.iter().filter(|r| r.interval.0 > 1.0).count();
                let slower = ratios.iter().filter(|r| r.interval.1 < 1.0).count();
                text += &format!(
                    "\nhashmill is faster than {version} in {faster} of {}, slower in {slower}; the intervals of {} \
                     hold 1.\n",
                    ratios.len(),
                    ratios.len() - faster - slower
                );
            }
        }
        text
    }

    /// Formats one row per algorithm, size and program.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from(
            "algorithm,php_name,by,version,kernel,bytes,loops,seconds,low,high,ns_per_call,mb_per_s,cycles_per_byte,\
             our_seconds_beside,ratio,ratio_low,ratio_high,digest\n",
        );
        let empty = || ["", "", "", ""].map(String::from);
        for m in 0..self.messages.len() {
            for row in self.sorted(m) {
                let mut line = |by: &str, version: &str, kernel: &str, seconds: [f64; 3], compared: [String; 4]| {
                    let call = seconds[0] / self.args.loops as f64;
                    let bytes = self.bytes(row) as f64;
                    let mut fields: Vec<String> = vec![
                        row.name.clone(),
                        peer::php_name(row.algorithm).unwrap_or_default().into(),
                        by.into(),
                        version.into(),
                        kernel.into(),
                        bytes.to_string(),
                        self.args.loops.to_string(),
                    ];
                    fields.extend(seconds.map(|s| if s.is_nan() { String::new() } else { format!("{s:.9}") }));
                    fields.push(format!("{:.3}", call * 1e9));
                    fields.push(format!("{:.3}", bytes / call / 1e6));
                    fields.push(format!("{:.4}", call * self.core_hertz / bytes));
                    fields.extend(compared);
                    fields.push(row.digest.to_hex());
                    let fields: Vec<String> = fields.iter().map(|f| quoted(f)).collect();
                    text += &(fields.join(",") + "\n");
                };
                let Some(own) = Summary::of(&row.samples) else { continue };
                let seconds = [own.median, own.interval.0, own.interval.1];
                line("hashmill", env!("CARGO_PKG_VERSION"), &kernel(row.algorithm, 1, true), seconds, empty());
                for b in &row.rivals {
                    let compared = [
                        format!("{:.9}", b.ours),
                        format!("{:.4}", b.ratio.median),
                        format!("{:.4}", b.ratio.interval.0),
                        format!("{:.4}", b.ratio.interval.1),
                    ];
                    line(b.by, &b.version, "", [b.theirs, f64::NAN, f64::NAN], compared);
                }
            }
        }
        text
    }

    /// Draws lines over the sizes for a few algorithms without peers; otherwise bars at the largest size, the fastest
    /// first, next to the peers' if there are any.
    pub(super) fn chart(&self) -> Chart {
        let sizes = self.by_size();
        let largest = sizes.last().copied().unwrap_or_default();
        let mut rows: Vec<&Row> = self.rows.iter().filter(|r| r.message == largest).collect();
        let new =
            |what: &str| Chart::new(format!("{} calls on one message {what}", self.args.loops), self.machine.as_str());
        if self.peers.is_empty() && rows.len() <= MOST_LINES && sizes.len() > 1 {
            let mut chart = new("of each size");
            for top in rows {
                for row in self.rows.iter().filter(|r| r.name == top.name) {
                    let point = Point::at(self.bytes(row) as f64, self.rate(row) / 1e6);
                    chart.point("MB/s", LENGTHS, &top.name, true, point);
                }
            }
            return chart;
        }
        rows.sort_by(|a, b| self.rate(b).total_cmp(&self.rate(a)));
        let bytes = self.messages.get(largest).map_or(0, Vec::len);
        let mut chart = new(&format!("of {bytes} bytes"));
        let mut left = MOST_BARS;
        for (i, row) in rows.iter().enumerate() {
            left = match left.checked_sub(1 + row.rivals.len()) {
                Some(left) => left,
                None => {
                    chart.left_out.push(format!("{} slower algorithms", rows.len() - i));
                    break;
                }
            };
            let rate = |seconds: f64| self.args.loops as f64 * self.bytes(row) as f64 / seconds / 1e6;
            let own = match row.rivals.first() {
                // Both values from the same slices.
                Some(b) => Bar::ours("hashmill", rate(b.ours)),
                None => {
                    let own = Summary::of(&row.samples);
                    let interval = own.map(|s| (rate(s.interval.1), rate(s.interval.0)));
                    Bar { interval, ..Bar::ours("hashmill", rate(row.seconds())) }
                }
            };
            chart.bar("MB/s", &row.name, own);
            row.rivals.iter().for_each(|b| chart.bar("MB/s", &row.name, Bar::peer(b.by, rate(b.theirs))));
        }
        chart
    }
}

/// Formats a CSV field (RFC 4180), quoted if it has to be, like `haval256,5`.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_fields() {
        assert_eq!(quoted("md5"), "md5");
        assert_eq!(quoted("haval256,5"), "\"haval256,5\"");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
    }
}
