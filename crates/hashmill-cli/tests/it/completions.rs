//! Completions, tested in the shells that are installed.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, skip, stdout, text};
use std::fs;
use std::path::Path;

/// Runs a script in a shell, with our program first in its PATH, in a folder that contains a file and a folder, which
/// is also its home. Returns what it prints, or `None` if the shell is not installed.
fn shell(name: &str, options: &[&str], script: &str) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("completions"), stdout(&hashmill(dir.path(), &["completions", name]))).unwrap();
    fs::write(dir.path().join("notes"), "").unwrap();
    fs::create_dir(dir.path().join("afolder")).unwrap();
    let program = Path::new(executable()).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = bare::command(name);
    command.args(options).args(["-c", script]).current_dir(dir.path()).env("PATH", path).env("HOME", dir.path());
    let Ok(out) = command.output() else {
        skip(&format!("no {name}"));
        return None;
    };
    assert!(out.status.success(), "{name}: {}", text(&out.stderr));
    Some(text(&out.stdout))
}

/// Command lines, and the completion of the last word of each.
const LINES: [(&str, &str); 9] = [
    ("hashmill ch", "check"),
    ("hashmill md5", "md5sum"),
    ("hashmill completions f", "fish"),
    ("hashmill sum -a sha25", "sha256"),
    ("hashmill sum -a md5,sha25", "md5,sha256"),
    ("hashmill sum --rec", "--recursive"),
    ("hashmill cksum --ignore", "--ignore-missing"),
    ("hashmill sum no", "notes"),
    ("hashmill man a", "afolder"),
];

#[test]
fn bash() {
    let mut script = String::from("source ./completions && complete -p hashmill >/dev/null || exit\n");
    for (line, _) in LINES.into_iter().chain([("hashmill sum --algorithm = sha25", "")]) {
        script += &format!(
            "COMP_WORDS=({line}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hashmill\n\
             IFS='|'; echo \"${{COMPREPLY[*]}}\"; unset IFS\n"
        );
    }
    let Some(printed) = shell("bash", &["--norc", "--noprofile"], &script) else { return };
    let expected = LINES.map(|(_, words)| words).join("\n") + "\nsha256\n";
    assert_eq!(printed, expected);
}

#[test]
fn fish() {
    let mut script = String::from("set fish_complete_path; source ./completions\n");
    for (line, _) in LINES {
        script += &format!(
            "echo (complete -C '{line}' | string replace -r '\\t.*' '' | string trim -r -c / | string join '|')\n"
        );
    }
    let Some(printed) = shell("fish", &["--no-config"], &script) else { return };
    assert_eq!(printed, LINES.map(|(_, words)| words).join("\n") + "\n");
}

/// Runs in a terminal of its own, since zsh completes nowhere else. The completed line is printed instead of run.
#[test]
fn zsh() {
    let script = r#"
        zmodload zsh/zpty
        zpty z "zsh -f -i"
        zpty -w z "PS1=; bindkey -e; autoload -Uz compinit; compinit -u -D; source ./completions; print rea''dy"
        zpty -r -m z seen '*ready*' || exit
        for line in "hashmill ch" "hashmill sum -a md5,sha25" "hashmill sum --rec" "hashmill man af"; do
            zpty -w -n z "$line"$'\t\C-aprint -r -- became'"':' "$'\n'
            zpty -r -m z seen "*became: *"$'\n'
            print -r -- "$seen"
        done
        zpty -d z"#;
    let Some(printed) = shell("zsh", &["-f"], script) else { return };
    for words in ["hashmill check", "hashmill sum -a md5,sha256", "hashmill sum --recursive", "hashmill man afolder"] {
        let became = |line: &str| {
            line.split_once("became: ").map(|(_, words)| words.trim_end().trim_end_matches('/').to_string())
        };
        assert!(printed.lines().filter_map(became).any(|w| w == words), "{words}: {printed}");
    }
}

/// Tags of saved runs are completed, too.
#[test]
fn runs_that_were_kept() {
    let dir = tempfile::tempdir().unwrap();
    let bench = ["bench", "kernels", "md5", "--size", "64", "--time", "0.01", "--save=before", "--db", "x.db"];
    // It may print warnings about the machine.
    assert!(hashmill(dir.path(), &bench).status.success());
    let line = ["completions", "--index", "6", "--", "hashmill", "results", "--db", "x.db", "compare", "last", "b"];
    assert!(stdout(&hashmill(dir.path(), &line)).starts_with("before\t"));
}

/// The shells offer them where a run is an operand, from the usual store and from one below the home directory.
#[test]
fn runs_in_shells() {
    let save = "hashmill bench kernels md5 --size 64 --time 0.01 >/dev/null 2>&1";
    let script =
        format!("export XDG_DATA_HOME=$PWD/data; {save} --save=before; {save} --save=elsewhere --db=$PWD/x.db\n");
    let lines = [
        ("hashmill results compare ", "last|before|1"),
        ("hashmill results compare before ", "last|before|1"),
        ("hashmill results show be", "before"),
        ("hashmill results export l", "last"),
        ("hashmill results delete b", "before"),
        ("hashmill results list --tag ", "before"),
        ("hashmill results show --db ~/x.db e", "elsewhere"),
        ("hashmill results show not", "notes"),
    ];
    let expected = lines.map(|(_, words)| words).join("\n") + "\n";
    let mut bash = format!("source ./completions; {script}");
    let mut fish = format!("source ./completions; {script}");
    for (line, _) in lines {
        let words: Vec<String> = line.split(' ').map(|w| format!("'{w}'")).collect();
        bash += &format!(
            "COMP_WORDS=({}) COMP_CWORD={}; _hashmill; IFS='|'; echo \"${{COMPREPLY[*]}}\"; unset IFS\n",
            words.join(" "),
            words.len() - 1
        );
        fish += &format!("echo (complete -C '{line}' | string replace -r '\\t.*' '' | string join '|')\n");
    }
    if let Some(printed) = shell("bash", &["--norc"], &bash) {
        assert_eq!(printed, expected);
    }
    if let Some(printed) = shell("fish", &["--no-config"], &fish) {
        let sorted = |text: &str| {
            let line = |l: &str| -> Vec<String> {
                let mut words: Vec<String> = l.split('|').map(String::from).collect();
                words.sort();
                words
            };
            text.lines().map(line).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&printed), sorted(&expected));
    }
    let zsh = format!(
        r#"
        {script}
        zmodload zsh/zpty
        zpty z "zsh -f -i"
        zpty -w z "PS1=; bindkey -e; autoload -Uz compinit; compinit -u -D; source ./completions; print rea''dy"
        zpty -r -m z seen '*ready*' || exit
        for line in "hashmill results compare be" "hashmill results show --db ~/x.db el"; do
            zpty -w -n z "$line"$'\t\C-aprint -r -- became'"':' "$'\n'
            zpty -r -m z seen "*became: *"$'\n'
            print -r -- "$seen"
        done
        zpty -d z"#
    );
    if let Some(printed) = shell("zsh", &["-f"], &zsh) {
        assert!(printed.contains("became: hashmill results compare before"), "{printed}");
        assert!(printed.contains("/x.db elsewhere"), "{printed}");
    }
}
