//! Tests `hashmill bench choice` as a whole.

use hashmill::Algorithm;
use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::process::{Command, Output};

fn command(args: &str) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "choice"]).args(args.split_whitespace());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn rows(out: &Output) -> Vec<Value> {
    let run: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&out.stderr)));
    run["details"]["results"].as_array().unwrap().clone()
}

#[test]
fn the_choice_takes_turns_with_every_other_kernel() {
    let out = command("sha256 xxh3 --size 64,1k --messages 1,300 --reps 3 --json").output().unwrap();
    let rows = rows(&out);
    assert_eq!(rows.len(), 2 * 2 * 2);
    for row in &rows {
        let a: Algorithm = row["algorithm"].as_str().unwrap().parse().unwrap();
        let kernels = a.kernels();
        let one = row["messages"] == 1;
        let chosen = kernels.iter().find(|k| if one { k.active } else { k.from_messages.is_some_and(|n| n <= 300) });
        let chosen = chosen.or(kernels.iter().find(|k| k.active)).unwrap();
        assert_eq!(row["chosen"], chosen.name, "{row}");
        let other = kernels.iter().find(|k| row["other"] == k.name).unwrap();
        assert!(other.available && other.name != chosen.name && (!one || other.lanes == 1), "{row}");
        assert!(row["ratio"]["median"].as_f64().unwrap() > 0.0, "{row}");
    }
}

/// A kernel that is known to be slower than another is called a wrong choice: one line, and the exit status.
#[test]
fn a_wrong_choice_is_told() {
    let run = |args: &str| command(args).env("HASHMILL_KERNEL", "bytewise").output().unwrap();
    let out = run("crc32 --size 16k --messages 1 --reps 7");
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    let line = said.lines().find(|l| l.contains("crc32, 1 message of 16384 B: bytewise was chosen")).expect(&said);
    assert!(line.starts_with("hashmill: bench choice: "), "{line}");
    let table = text(&out.stdout);
    assert!(table.starts_with("1 choices on ") && table.contains(": 1 surely more than 3 % slower"), "{table}");
    assert!(table.lines().any(|l| l.starts_with("crc32 ") && l.contains("bytewise")), "{table}");
    assert!(rows(&run("crc32 --size 16k --messages 1 --reps 7 --json"))[0]["wrong"].as_bool().unwrap());
}

#[test]
fn wrong_usage() {
    for (args, line) in [
        ("nonesuch", "unknown algorithm 'nonesuch'"),
        ("md5 --messages 0", "1 to 65536"),
        ("md5 --size 0", "messages have 1 byte to 1 GiB"),
    ] {
        let out = command(args).output().unwrap();
        let stderr = text(&out.stderr);
        assert_eq!((out.status.code(), stderr.contains(line)), (Some(2), true), "{args}: {stderr}");
        assert!(out.stdout.is_empty());
    }
    let out = command("md5").env("HASHMILL_KERNEL", "nonesuch").output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
}
