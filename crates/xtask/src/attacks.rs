//! The table in docs/copy.md of what the attacks on `hashmill copy` did, made from what the tests wrote to
//! `target/attack`.

use chrono::DateTime;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Options of `xtask attacks`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only check the existing table: fail if there is none, or if one of its rows is not clean.
    #[arg(long)]
    check: bool,
}

const PAGE: &str = "docs/copy.md";
const BEGIN: &str = "<!-- attacks: begin -->";
const END: &str = "<!-- attacks: end -->";
/// The columns that must be zero.
const BAD: [&str; 4] = ["lost", "wrong", "hung", "left over"];

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let page = std::fs::read_to_string(PAGE).map_err(|e| format!("{PAGE}: {e}"))?;
    let begin = page.find(BEGIN).ok_or(format!("{PAGE}: no line {BEGIN}"))? + BEGIN.len();
    let end = page.find(END).filter(|&end| end >= begin).ok_or(format!("{PAGE}: no line {END} after {BEGIN}"))?;
    if args.check {
        return check(&page[begin..end]);
    }
    let new = format!("{}\n{}{}", &page[..begin], table(&rows()?)?, &page[end..]);
    std::fs::write(PAGE, &new).map(|()| true).map_err(|e| format!("{PAGE}: {e}"))
}

fn check(table: &str) -> Result<bool, String> {
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| fault"))
        .map(|l| l.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    if rows.is_empty() {
        return Err(format!("{PAGE}: no table of attacks; `make attack` writes it"));
    }
    let bad: Vec<_> = rows.iter().filter(|r| r.len() != 6 || r[2..].iter().any(|n| *n != "0")).collect();
    for row in &bad {
        println!("{PAGE}: not clean: {}", row.join(" | "));
    }
    Ok(bad.is_empty())
}

/// The rows that the tests wrote, in the order of the file names.
fn rows() -> Result<Vec<Value>, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let folder = target.join("attack");
    let wrong = |at: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", at.display());
    let entries = std::fs::read_dir(&folder).map_err(|e| wrong(&folder, &e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).map_err(|e| wrong(file, &e))?;
        serde_json::from_str(&text).map_err(|e| wrong(file, &e))
    };
    files.iter().map(read).collect()
}

fn table(rows: &[Value]) -> Result<String, String> {
    let last = rows.iter().max_by_key(|r| r["seconds"].as_u64()).ok_or("no attack has been made yet")?;
    let text = |row: &Value, key: &str| row[key].as_str().map(str::to_string).ok_or(format!("a row without {key}"));
    let usual = rows.iter().any(|r| r["tier"] != "long");
    let mut s = format!(
        "Written by `make attack` ({}, Linux {}, {}):\n\n| fault | tries | lost | wrong | hung | left over |\n\
         |---|---:|---:|---:|---:|---:|\n",
        date(last["seconds"].as_i64().unwrap_or(0)),
        text(last, "kernel")?,
        if usual { "the part that every `make test` tries" } else { "everything" }
    );
    // A call that the program never makes on this machine says nothing.
    for row in rows.iter().filter(|r| r["tries"] != 0) {
        let _ = write!(s, "| {} | {} |", text(row, "fault")?, row["tries"]);
        for column in BAD {
            let _ = write!(s, " {} |", row[column]);
        }
        s.push('\n');
    }
    Ok(s)
}

/// The date of a time in seconds since 1970.
fn date(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default().format("%F").to_string()
}

#[cfg(test)]
mod tests {
    use super::{check, table};

    #[test]
    fn a_table_is_checked() {
        let row = |lost: u32| {
            serde_json::json!({"fault": "a | b", "tries": 3, "lost": lost, "wrong": 0, "hung": 0, "left over": 0, "seconds": 0,
                "kernel": "6.1", "tier": "long"})
        };
        let mut clean = row(0);
        clean["fault"] = "a call fails".into();
        assert_eq!(check(&table(&[clean.clone()]).unwrap()), Ok(true));
        clean["lost"] = 1.into();
        assert_eq!(check(&table(&[clean]).unwrap()), Ok(false));
        assert_eq!(check(&table(&[row(0)]).unwrap()), Ok(false));
        assert!(check("").is_err() && table(&[]).is_err());
    }
}
