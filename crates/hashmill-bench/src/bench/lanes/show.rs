//! How lanes against one stream are shown.

use super::{LanesArgs, Line};
use hashmill_measure::chart::{Bar, Chart};
use hashmill_measure::table::Table;

/// Describes the messages: `256 messages of 16384 bytes`.
fn title(args: &LanesArgs) -> String {
    match args.spread {
        Some(s) => format!("{} messages of {} to {} bytes", args.messages, s.min, s.max),
        None => format!("{} messages of {} bytes", args.messages, args.size),
    }
}

/// Returns the results as lines of text.
pub(super) fn table(lines: &[Line], args: &LanesArgs, machine: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let what = if args.single { "one stream" } else { "lanes" };
    let peer = if args.spread.is_some() { "ours, all of one length" } else { "peer: one stream" };
    let mut text =
        format!("{} on one core of {machine}; ours: {what}, {peer}; medians of {} pairs\n", title(args), args.pairs);
    let columns = ["algorithm", "our GB/s", "peer GB/s", "ratio", "<95 % interval", "<kernel", "<peer"];
    let mut table = Table::new("", columns);
    for l in lines {
        let r = &l.result;
        table.row([
            l.algorithm.clone(),
            format!("{:.3}", r.a.median / 1e9),
            format!("{:.3}", r.b.median / 1e9),
            format!("{:.3}", r.ratio.median),
            format!("[{:.3}, {:.3}]", r.ratio.interval.0, r.ratio.interval.1),
            l.kernel.clone(),
            l.peer.clone(),
        ]);
    }
    text += &table.show();
    text
}

/// Draws both sides of every algorithm.
pub(super) fn chart(lines: &[Line], args: &LanesArgs, machine: &str) -> Chart {
    let ours = if args.single { "hashmill, one stream" } else { "hashmill, lanes" };
    let mut chart = Chart::new(format!("{} on one core", title(args)), machine);
    for l in lines {
        let group = format!("{} ({})", l.algorithm, l.kernel);
        for (bar, s) in [
            (Bar::ours(ours, 0.0), &l.result.a),
            (Bar { ours: l.by == "hashmill", ..Bar::peer(&l.peer, 0.0) }, &l.result.b),
        ] {
            chart.bar("GB/s", &group, Bar { value: s.median / 1e9, ..bar }.within(s.interval, 1e9));
        }
    }
    chart
}
