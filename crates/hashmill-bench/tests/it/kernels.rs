//! Tests `hashmill bench kernels` as a whole: short runs measure every kernel that this CPU supports, each in the mode
//! that it is designed for.

use hashmill::Algorithm;
use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::process::{Command, Output};

fn command(args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "kernels"]).args(args.split_whitespace());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(out: &Output) -> Value {
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Returns the lines on stderr, without warnings about the machine.
fn said(out: &Output) -> Vec<String> {
    text(&out.stderr).lines().filter(|l| !l.contains("warning: ")).map(String::from).collect()
}

/// Checks that a summary is plausible, and returns its median.
fn sane(summary: &Value) -> f64 {
    let at = |v: &Value, i: usize| v[i].as_f64().unwrap();
    let (low, high) = (at(&summary["interval"], 0), at(&summary["interval"], 1));
    let median = summary["median"].as_f64().unwrap();
    assert!(0.0 < low && low <= median && median <= high && high.is_finite(), "{summary}");
    median
}

#[test]
fn every_kernel_is_measured_in_its_way() {
    let out = command("md5 sha256 --size 64,1k --reps 6 --time 0.003 --json").output().unwrap();
    let run = json(&out);
    assert_eq!(
        run["series"].as_array().unwrap().iter().filter(|s| s["samples"].as_array().unwrap().is_empty()).count(),
        0
    );
    let rows = run["details"]["results"].as_array().unwrap();
    let mut expected = Vec::new();
    for a in ["md5", "sha256"].map(|n| n.parse::<Algorithm>().unwrap()) {
        for bytes in [64, 1024] {
            expected.extend(a.kernels().into_iter().filter(|k| k.available).map(|k| (a, k, bytes)));
        }
    }
    assert_eq!(rows.len(), expected.len());
    for (row, (a, kernel, bytes)) in rows.iter().zip(expected) {
        let mode = if kernel.lanes == 1 { "one stream" } else { "lanes" };
        assert_eq!((row["algorithm"].as_str(), row["kernel"].as_str()), (Some(&*a.name()), Some(kernel.name)));
        assert_eq!((row["mode"].as_str(), row["bytes"].as_u64()), (Some(mode), Some(bytes)), "{row}");
        let messages = row["messages"].as_u64().unwrap() as usize;
        assert!(messages == 1 || messages % kernel.lanes == 0 && messages > kernel.lanes, "{row}");
        let (rate, cycles) = (sane(&row["rate"]), sane(&row["core_cycles"]));
        // The core's clock is between 0.2 and 20 GHz, so this shows that cycles and bytes are consistent.
        assert!((2e8..2e10).contains(&(rate * cycles)), "{row}");
        match kernel.name {
            "portable" => assert!(row["to_portable"].is_null(), "{row}"),
            _ => drop(sane(&row["to_portable"])),
        }
        if !row["peer"].is_null() {
            sane(&row["to_peer"]);
        }
        let of_series = |s: &&Value| {
            ["kernel", "mode", "bytes"].iter().all(|k| s[k] == row[k])
                && s["what"] == row["algorithm"]
                && s["by"] == "hashmill"
        };
        let series: Vec<&Value> = run["series"].as_array().unwrap().iter().filter(of_series).collect();
        assert_eq!((series.len(), series[0]["unit"].as_str()), (1, Some("bytes-per-second")), "{row}");
    }
    // Every pairing is between two series of the same algorithm and length.
    for p in run["pairings"].as_array().unwrap() {
        let (a, b) =
            (&run["series"][p["a"].as_u64().unwrap() as usize], &run["series"][p["b"].as_u64().unwrap() as usize]);
        assert!(a["what"] == b["what"] && a["bytes"] == b["bytes"] && a != b, "{a} {b}");
        assert!(b["kernel"] == "portable" || b["by"] != "hashmill", "{b}");
        sane(&p["summary"]);
    }
}

#[test]
fn a_table_and_what_has_no_peer() {
    let dir = tempfile::tempdir().unwrap();
    let svg = dir.path().join("kernels.svg");
    let mut run = command("fnv1a32 joaat --size 64 --reps 6 --time 0.002 --sort speed --svg");
    let out = run.arg(&svg).output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let said = said(&out);
    assert!(
        said[0].starts_with("hashmill: bench kernels: 2 algorithms, ") && said[0].contains(" ms: about "),
        "{said:?}"
    );
    assert_eq!(said[1..], ["hashmill: bench kernels: no peer in this process has fnv1a32 joaat"], "{said:?}");
    let table = text(&out.stdout);
    assert!(table.contains("The core ran at "), "{table}");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip_while(|l| !l.starts_with("algorithm"))
        .skip(1)
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert!(rows.len() >= 2 && rows.iter().any(|r| r[0] == "joaat" && r[1] == "portable"), "{table}");
    let speeds: Vec<f64> =
        rows.iter().map(|r| r.iter().find_map(|w| w.contains('.').then(|| w.parse().unwrap())).unwrap()).collect();
    assert!(speeds.windows(2).all(|w| w[0] >= w[1]), "{table}");
    assert!(std::fs::read_to_string(svg).unwrap().contains("joaat portable"));
}

#[test]
fn chosen_kernels_only() {
    let out = command("sha-1 --kernel PORTABLE --size 100 --reps 6 --time 0.002 --json").output().unwrap();
    let run = json(&out);
    let rows = run["details"]["results"].as_array().unwrap();
    assert_eq!((rows.len(), rows[0]["kernel"].as_str()), (1, Some("portable")));
    // Algorithms that lack the kernel do not keep the others from being measured.
    let out = command("crc32 md5 --kernel bytewise --size 100 --reps 6 --time 0.002").output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out)[0].starts_with("hashmill: bench kernels: md5: no such kernel (it has "), "{:?}", said(&out));
    assert!(text(&out.stdout).contains("bytewise"));
}

#[test]
fn a_sweep() {
    let args = "md5 crc32 --sweep --size 5k,64k --reps 6 --time 0.002";
    let run = json(&command(args).arg("--json").output().unwrap());
    let cells = run["details"]["results"].as_array().unwrap();
    for name in ["md5", "crc32"] {
        let a: Algorithm = name.parse().unwrap();
        let active = a.kernels().into_iter().find(|k| k.active).unwrap();
        for bytes in [5 << 10, 64 << 10] {
            let cell = |mode: &str| {
                cells
                    .iter()
                    .find(|c| c["algorithm"] == name && c["mode"] == mode && c["working_set"].as_u64() == Some(bytes))
            };
            let one = cell("one stream").unwrap();
            assert_eq!((one["kernel"].as_str(), one["messages"].as_u64()), (Some(active.name), Some(1)));
            sane(&one["rate"]);
            if let Some(lanes) = cell("lanes") {
                let messages = lanes["messages"].as_u64().unwrap();
                assert!(messages > 1 && bytes / messages >= 256, "{lanes}");
                sane(&lanes["to_one_stream"]);
            }
        }
    }
    let out = command(args).output().unwrap();
    let table = text(&out.stdout);
    let fits = table.lines().find(|l| l.trim_start().starts_with("fits into")).unwrap();
    assert_eq!(fits.split_whitespace().count(), 4, "{table}");
}

#[test]
fn wrong_usage() {
    for (args, line) in [
        ("nonesuch", "unknown algorithm 'nonesuch'"),
        ("md5 --kernel nonesuch", "unknown kernel 'nonesuch'"),
        ("md5 --size 0", "messages have 1 byte to 1 GiB"),
        ("md5 --time 0", "0.001 to 3600 seconds"),
        ("md5 --sort size", "registry"),
    ] {
        let out = command(args).output().unwrap();
        let stderr = text(&out.stderr);
        assert_eq!((out.status.code(), stderr.contains(line)), (Some(2), true), "{args}: {stderr}");
        assert!(out.stdout.is_empty());
    }
    let out = command("md5").env("HASHMILL_KERNEL", "nonesuch").output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
}

#[test]
fn bounds_are_of_algorithms() {
    let read =
        |name: &str| std::fs::read_to_string(format!("{}/../../bench/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let all: Value = serde_json::from_str(&read("bounds.json")).unwrap();
    let positive = |v: &Value| v.as_f64().is_some_and(|n| n > 0.0);
    assert!(["Intel", "AMD"].iter().all(|vendor| positive(&all["operations_per_cycle"][vendor])));
    let bounds = all["bounds"].as_object().unwrap();
    for (name, modes) in bounds {
        assert_eq!(name.parse::<Algorithm>().unwrap().name(), *name, "not the canonical name");
        for (mode, bound) in modes.as_object().unwrap() {
            assert!(["stream", "lanes"].contains(&&**mode), "{name} {mode}");
            let cycles = ["any", "Intel", "AMD"].iter().filter(|k| positive(&bound[k])).count();
            let operations = ["operations", "bytes"].iter().filter(|k| positive(&bound[k])).count();
            assert!((cycles > 0 && operations == 0) || (cycles == 0 && operations == 2), "{name} {bound}");
            assert!(!bound["from"].as_str().unwrap().is_empty());
        }
    }
    // All algorithms on the results page.
    let suite = read("suites/kernels.toml").parse::<toml::Table>().unwrap();
    let arguments = suite["table"][0]["bench"].as_array().unwrap().iter().filter_map(|a| a.as_str());
    let shown: Vec<&str> = arguments.filter(|a| a.parse::<Algorithm>().is_ok()).collect();
    assert!(shown.len() > 30 && shown.iter().all(|name| bounds[*name]["stream"].is_object()));
}
