//! Tables and charts of kernels.

use super::measure::Row;
use hashmill_measure::chart::{Bar, Chart, LENGTHS, Point};
use hashmill_measure::stats::Summary;
use hashmill_measure::table::Table;

/// Formats the rates of both clocks, for the head of a table.
pub(super) fn clocks(core: &[f64], counter: f64) -> String {
    let Some(s) = Summary::of(core) else { return String::new() };
    let (low, high) = core.iter().fold((f64::INFINITY, 0.0f64), |(l, h), c| (l.min(*c), h.max(*c)));
    let counter = match counter > 0.0 {
        true => format!("the time-stamp counter at {:.3} GHz", counter / 1e9),
        false => "there is no time-stamp counter".to_string(),
    };
    format!(
        "The core ran at {:.3} GHz ({:.3} to {:.3}, measured with every row), {counter}.",
        s.median / 1e9,
        low / 1e9,
        high / 1e9
    )
}

/// Lists which peer was compared with which algorithms.
fn peers(rows: &[Row]) -> String {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(peer) = &row.peer else { continue };
        match all.iter_mut().find(|(p, _)| p == peer) {
            Some((_, names)) if names.contains(&row.algorithm.as_str()) => {}
            Some((_, names)) => names.push(&row.algorithm),
            None => all.push((peer, vec![&row.algorithm])),
        }
    }
    let lines = all.iter().map(|(peer, names)| format!("Peer of {}: {peer}.\n", names.join(", ")));
    lines.collect()
}

pub(super) fn table(rows: &[Row], machine: &str, clocks: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rounds = rows.iter().map(|r| r.rate.n);
    let (least, most) = (rounds.clone().min().unwrap_or(0), rounds.max().unwrap_or(0));
    let rounds = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let mut text = format!(
        "One core of {machine}; medians of {rounds} rounds, 95 % intervals.\n{clocks}\n{}\
         \"lanes ×L, N\" is N messages at once on L lanes; \"from\" is the number of messages from which on the \
         library uses the kernel here.\n",
        peers(rows)
    );
    let columns = [
        "algorithm", "<kernel", "<mode", "from", "bytes", "GB/s", "95 %", "cycles/B", "ticks/B", "to portable", "95 %",
        "to peer", "95 %",
    ];
    let mut cells = Table::new("", columns);
    let interval = |s: &Summary, scale: f64, digits: usize| {
        format!("[{:.digits$}, {:.digits$}]", s.interval.0 / scale, s.interval.1 / scale)
    };
    let ratio = |s: &Option<Summary>| match s {
        Some(s) => [format!("{:.3}", s.median), interval(s, 1.0, 3)],
        None => ["-".into(), String::new()],
    };
    let per_byte = |s: &Option<Summary>| s.map_or("-".into(), |s| format!("{:.3}", s.median));
    for r in rows {
        let mode = match r.lanes {
            1 => r.mode.to_string(),
            lanes => format!("{} ×{lanes}, {}", r.mode, r.messages),
        };
        let from = r.used_from.map_or("-".into(), |n| n.to_string());
        let mut row = vec![r.algorithm.clone(), r.kernel.clone(), mode, from, r.bytes.to_string()];
        row.extend([format!("{:.3}", r.rate.median / 1e9), interval(&r.rate, 1e9, 3)]);
        row.extend([per_byte(&r.core_cycles), per_byte(&r.counter_ticks)]);
        row.extend(ratio(&r.to_portable));
        row.extend(ratio(&r.to_peer));
        cells.row(row);
    }
    text += &cells.show();
    text
}

/// Draws lines over the lengths for one algorithm, or bars at the longest length for several.
pub(super) fn chart(rows: &[Row], machine: &str) -> Chart {
    let longest = rows.iter().map(|r| r.bytes).max().unwrap_or(0);
    let one = rows.iter().all(|r| r.algorithm == rows[0].algorithm);
    if one && rows.iter().any(|r| r.bytes != longest) {
        let mut chart = Chart::new(format!("Kernels of {}", rows[0].algorithm), machine);
        let mut point = |line: &str, ours, bytes: usize, rate: &Summary| {
            let point = Point::at(bytes as f64, rate.median / 1e9).within(rate.interval, 1e9);
            chart.point("GB/s", LENGTHS, line, ours, point);
        };
        rows.iter().for_each(|r| point(&r.kernel, true, r.bytes, &r.rate));
        // Every row of a length names the same peer.
        let mut seen = Vec::new();
        for r in rows {
            if let (Some(peer), Some(rate), false) = (&r.peer, &r.peer_rate, seen.contains(&r.bytes)) {
                seen.push(r.bytes);
                point(peer, false, r.bytes, rate);
            }
        }
        return chart;
    }
    let mut chart = Chart::new(format!("Kernels on messages of {longest} bytes"), machine);
    let rows: Vec<&Row> = rows.iter().filter(|r| r.bytes == longest).collect();
    for (i, r) in rows.iter().enumerate() {
        let kind = if r.kernel == "portable" { "portable" } else { r.mode };
        let bar = Bar::ours(kind, r.rate.median / 1e9).within(r.rate.interval, 1e9);
        chart.bar("GB/s", &format!("{} {}", r.algorithm, r.kernel), bar);
        // The peer comes after the last row of its algorithm.
        let last = rows[i + 1..].iter().all(|later| later.algorithm != r.algorithm);
        if let (true, Some(peer), Some(rate)) = (last, &r.peer, &r.peer_rate) {
            let word = peer.split(' ').next().unwrap_or(peer);
            let bar = Bar::peer("peer", rate.median / 1e9).within(rate.interval, 1e9);
            chart.bar("GB/s", &format!("{} {word}", r.algorithm), bar);
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(algorithm: &str, kernel: &str, bytes: usize, gb: f64) -> Row {
        let s = |v: f64| Summary::of(&[v, v, v]);
        Row {
            algorithm: algorithm.into(),
            kernel: kernel.into(),
            mode: "one stream",
            lanes: 1,
            messages: 1,
            bytes,
            used_from: Some(1),
            rate: s(gb * 1e9).unwrap(),
            core_cycles: s(4.0 / gb),
            counter_ticks: None,
            to_portable: s(1.5),
            peer: Some("OpenSSL 3.0".into()),
            peer_rate: s(0.5e9),
            to_peer: s(gb / 0.5),
        }
    }

    #[test]
    fn a_table_says_what_there_is() {
        let text = table(&[row("md5", "portable", 64, 0.75)], "here", "clocks.");
        assert!(text.starts_with("One core of here; medians of 3 rounds"), "{text}");
        assert!(text.contains("Peer of md5: OpenSSL 3.0.\n"), "{text}");
        let last: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last[..7], ["md5", "portable", "one", "stream", "1", "64", "0.750"], "{text}");
        assert_eq!(last[9..], ["5.333", "-", "1.500", "[1.500,", "1.500]", "1.500", "[1.500,", "1.500]"], "{text}");
        assert_eq!(table(&[], "here", ""), "");
    }

    #[test]
    fn lines_for_one_algorithm_and_bars_for_several() {
        let one = [row("md5", "portable", 64, 0.5), row("md5", "portable", 1024, 0.7)];
        let svg = chart(&one, "here").svg().unwrap();
        assert!(svg.contains("Kernels of md5") && svg.matches("<circle").count() == 4, "{svg}");
        let two = [row("md5", "portable", 1024, 0.7), row("sha1", "shani", 1024, 1.7), row("sha1", "x", 64, 1.0)];
        let svg = chart(&two, "here").svg().unwrap();
        assert!(svg.contains("messages of 1024 bytes") && svg.contains("sha1 shani"), "{svg}");
        assert!(svg.contains("md5 OpenSSL") && !svg.contains("sha1 x"), "{svg}");
        assert!(chart(&[], "here").svg().is_err());
    }
}
