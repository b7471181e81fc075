//! What users of other programs type by habit, and what that is here.

use clap::Command;
use hashmill::Algorithm;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Commands that other programs have or that one might expect, each with the command above it (none: the program
/// itself), and what to type instead.
const COMMANDS: [(&str, &str, &str); 27] = [
    ("", "verify validate test chk ck", "check"),
    ("", "hash digest dgst checksum checksums hashsum create generate", "sum"),
    ("", "rhash hashdeep shasum", "sum"),
    ("", "cfv", "check"),
    ("", "dup duplicate duplicates dedupe dedup fdupes jdupes fclones rdfind rmlint", "dups"),
    ("", "update refresh", "sum --update"),
    ("", "join combine", "merge"),
    ("", "cp import ingest backup sync clone mirror verify-copy", "copy"),
    ("", "mv move", "copy --move"),
    ("", "ls algorithms algos hashes kernels", "list"),
    ("", "benchmark benchmarks", "bench"),
    ("", "compare", "results compare"),
    ("", "history", "results history"),
    ("", "runs", "results list"),
    ("", "completion complete autocomplete", "completions"),
    ("", "manual manpage manpages manuals", "man"),
    ("", "link symlink symlinks", "links"),
    ("", "version", "--version"),
    ("", "usage", "help"),
    ("", "ascmhl", "mhl"),
    ("mhl", "verify audit", "check"),
    ("", "bagit bagit.py bags", "bag"),
    ("bag", "verify validate", "check"),
    ("bag", "make new", "create"),
    ("bag", "save refresh", "update"),
    ("results", "diff", "compare"),
    ("results", "rm remove", "delete"),
];

/// Options of other programs: the commands with which they may be typed, the options, and what to type instead, where
/// `{}` is the option itself. Where that is empty, nothing comes close, and a name that merely looks similar would
/// mislead.
const OPTIONS: [(&str, &str, &str); 44] = [
    ("sum", "-R", "-r"),
    ("sum check copy", "--algo --alg --algos --hash --hashes --digest --type", "-a"),
    ("sum", "--verify-list --test", "hashmill check"),
    ("sum check", "--audit", "hashmill audit LIST DIR"),
    ("sum", "-w --warn --quiet --status --strict --ignore-missing --no-guess --allow-short", "hashmill check {}"),
    ("sum", "--bsd", "--tag"),
    ("sum", "--gnu --simple --reverse --no-tag", "--untagged"),
    ("sum", "--sfv", "--format sfv"),
    ("sum", "--keyed --derive-key --no-names --no-mmap --seek", "hashmill b3sum {}"),
    ("sum check copy", "--num-threads --jobs --parallel --workers --cores --transfers --checkers", "-j"),
    ("sum check copy", "--percents -P", "--progress always"),
    ("sum check copy", "--no-progress", "--progress never"),
    ("sum", "--filelist --file-list", "--files-from"),
    ("sum", "--list --list-hashes --list-algorithms", "hashmill list"),
    ("sum", "--benchmark --bench --speed", "hashmill speed"),
    ("sum", "-0 --null --print0", "--zero"),
    ("sum", "-s --string --text-string", "printf %s TEXT | hashmill sum"),
    ("check copy list", "--bsd", ""),
    ("sum", "--output-file --out-file", "--output"),
    ("sum check", "--hmac --key", "--key-file"),
    ("sum", "-q --silent", ""),
    ("sum", "-p --printf", "--template"),
    ("sum", "--magnet", "--format magnet"),
    ("sum", "-L --dereference", "--follow"),
    ("sum", "--expect --compare --against", "hashmill check --expect DIGEST FILE"),
    ("sum", "-k -m -x -M -H -u --torrent", ""),
    ("check", "-q --skip-ok --no-ok --failed --only-failed", "--quiet"),
    ("check", "-s --silent", "--status"),
    ("check", "-f --file -k --known --sums", "hashmill check LIST"),
    ("check", "--chdir --base-dir --root", "-C"),
    ("check", "--compare --against", "--expect"),
    ("check", "--verify --test -r -R --recursive -l --length --seek -m -x -u", ""),
    ("copy", "--checksum -c --full", "--fresh"),
    ("copy", "--move-files --remove-source --remove-source-files --delete-source -m", "--move"),
    ("copy", "--rename --skip", "--on-conflict={}"),
    ("copy", "-u --update --ignore-existing --skip-existing --no-clobber", "--on-conflict=skip"),
    ("copy", "--simulate --dryrun --rehearse --what-if --check-only", "--dry-run"),
    ("copy", "--pictures --images --videos", "--photos"),
    ("copy", "--sums --checksums --list --hash-list", "--manifest"),
    ("copy", "--backup --force -f --overwrite -i --interactive", "--on-conflict"),
    ("copy", "-r -R --recursive --archive -p --preserve -t --times", ""),
    ("copy", "--delete --filter -L --follow --dereference --copy-links", ""),
    ("copy", "--log-file", "--log"),
    ("list", "--verbose -v", "--long"),
];

/// Returns the last word of a command's name: that of `hashmill sum` is `sum`.
fn name(command: &Command) -> &str {
    command.get_name().rsplit(' ').next().unwrap_or_default()
}

/// Returns what to type instead of an unknown command below `above`.
pub(super) fn command(typed: &str, above: &Command) -> Option<String> {
    let above = Some(name(above)).filter(|name| *name != "hashmill").unwrap_or_default();
    let known = COMMANDS.iter().find(|(of, names, _)| *of == above && names.split(' ').any(|n| n == typed));
    if let Some((_, _, instead)) = known {
        return Some(instead.to_string());
    }
    // `md5`, `sha3-256sum`, `sha256deep`
    let word = typed.strip_suffix("sum").or_else(|| typed.strip_suffix("deep")).unwrap_or(typed);
    (above.is_empty() && Algorithm::named(word).is_some()).then(|| format!("sum -a {word}"))
}

/// Returns what to type instead of an unknown option of a command, or `None` if nothing is known about it. An empty
/// text means that nothing comes close. `words` are the arguments as they were typed.
pub(super) fn option(typed: &str, of: &Command, words: &[OsString]) -> Option<String> {
    let option = typed.split('=').next().unwrap_or(typed);
    // Before a command, its options are unknown. `sum` takes this one only for `check`.
    if ["-c", "--check"].contains(&option) && of.find_subcommand("check").is_some() {
        return Some("hashmill check".into());
    }
    let of_command = |name| of.find_subcommand(name).filter(|c| has(c, option));
    if let Some(command) = ["sum", "check"].into_iter().find_map(of_command) {
        return Some(format!("hashmill {} {option}", command.get_name()));
    }
    let (of, start) = of.find_subcommand("sum").map_or((of, ""), |sum| (sum, "hashmill sum "));
    let known = OPTIONS.iter().find(|(commands, options, _)| {
        commands.split(' ').any(|c| c == name(of)) && options.split(' ').any(|o| o == option)
    });
    // The letters of `-sha256` may be those of other options.
    if (known.is_none() || !option.starts_with("--"))
        && has(of, "-a")
        && let Some(word) = algorithm(option, words)
    {
        return Some(format!("{start}-a {word}"));
    }
    let (_, _, instead) = known?;
    let bare = if instead.contains("={}") { option.trim_start_matches('-') } else { option };
    let instead = instead.replace("{}", bare);
    Some(if instead.starts_with('-') { format!("{start}{instead}") } else { instead })
}

/// Returns the algorithm that an option names: `--sha256`, or `-sha256` as with openssl, which clap takes for several
/// options.
fn algorithm<'a>(option: &'a str, words: &'a [OsString]) -> Option<&'a str> {
    let named = |word: &'a str| Some(word).filter(|w| w.len() > 2 && Algorithm::named(w).is_some());
    if let Some(word) = option.strip_prefix("--") {
        return named(word);
    }
    let letters = words.iter().filter_map(|w| w.to_str()?.strip_prefix('-'));
    letters.filter(|w| w.contains(&option[1..])).find_map(named)
}

/// Returns whether a command has a visible option.
fn has(command: &Command, option: &str) -> bool {
    let short = |c: char| option.strip_prefix('-').is_some_and(|o| o.chars().eq([c]));
    let mut shown = command.get_arguments().filter(|a| !a.is_hide_set());
    shown
        .any(|a| a.get_short().is_some_and(short) || a.get_long().is_some_and(|l| option.strip_prefix("--") == Some(l)))
}

/// Returns the command that was meant by the name of an existing file in its place: one that verifies it if its name is
/// that of a list, or else one that hashes it.
pub(super) fn file(path: &Path) -> Option<&'static str> {
    if path == Path::new("-") {
        return Some("sum");
    }
    match path.metadata() {
        Ok(m) if m.is_dir() => Some("sum -r"),
        Ok(_) if is_list(path) => Some("check"),
        Ok(_) => Some("sum"),
        Err(_) => None,
    }
}

/// Returns whether a file's name is that of a list: `SHA256SUMS`, `md5sum.txt`, `x.sha256`, `CHECKSUMS`.
fn is_list(path: &Path) -> bool {
    let text = |part: Option<&OsStr>| part.and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let name = text(path.file_name());
    let named = || name.contains("sum") && hashmill_lists::suggests(path).is_some();
    Algorithm::named(&text(path.extension())).is_some() || name.contains("sums") || named()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::cli;

    /// Every command and option that is suggested exists, and no option of the tables is one of the commands'.
    #[test]
    fn the_tables_are_right() {
        let whole = cli::command();
        let of = |name: &str| whole.find_subcommand(name);
        for (above, names, instead) in COMMANDS {
            let command = if above.is_empty() { Some(&whole) } else { of(above) };
            let Some(command) = command else { continue };
            let first = instead.split(' ').next().unwrap();
            let may_lack = ["--version", "help", "copy", "bench", "results"];
            assert!(command.find_subcommand(first).is_some() || may_lack.contains(&first), "{instead}");
            for name in names.split(' ') {
                assert!(command.find_subcommand(name).is_none(), "{name}");
            }
        }
        for (commands, options, instead) in OPTIONS {
            for command in commands.split(' ').filter_map(of) {
                let is_option = instead.starts_with('-');
                let first = instead.split(['=', ' ']).next().unwrap();
                assert!(!is_option || has(command, first), "{}: {instead}", command.get_name());
                for option in options.split(' ') {
                    assert!(!has(command, option), "{} {option}", command.get_name());
                }
            }
            if let Some(rest) = instead.strip_prefix("hashmill ") {
                let name = rest.split(' ').next().unwrap();
                assert!(
                    of(name).is_some() || name == "speed" || crate::programs::PROGRAMS.iter().any(|p| p.name == name),
                    "{instead}"
                );
            }
        }
    }

    #[test]
    fn names_of_lists() {
        for name in ["SHA256SUMS", "a/SHA256SUMS.txt", "md5sum.txt", "x.md5", "x.iso.sha256", "CHECKSUMS", "b2sums"] {
            assert!(is_list(Path::new(name)), "{name}");
        }
        for name in ["x.iso", "md5.c", "sumatra.pdf", "consumer", "notes.txt", ".md", "sum"] {
            assert!(!is_list(Path::new(name)), "{name}");
        }
    }
}
