//! `hashmill completions`: a completion script for a shell, and the answers to the queries that such a script makes at
//! every completion.
//!
//! The scripts of bash, zsh and fish pass the words of the line and get the candidates for the word at the cursor, one
//! per line, with a tab before the description. Thus they offer what this program understands, and names that change,
//! such as those of stored runs, are always up to date.

use crate::args::cli::{self, CandidatesArgs, CompletionsArgs};
use crate::programs;
use crate::terminal::output::print;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use hashmill::Algorithm;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

const BASH: &str = r#"_hashmill() {
    local line program=${COMP_WORDS[0]/#\~/$HOME} current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames 2>/dev/null
                    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${current#=}") ;;
            :dirs)  compopt -o filenames 2>/dev/null
                    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "${current#=}") ;;
            *)      line=${line%%$'\t'*}
                    [[ $line == *' '* ]] && printf -v line %q "$line"
                    COMPREPLY+=("$line") ;;
        esac
    done < <("$program" completions --index "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -F _hashmill hashmill
"#;

const ZSH: &str = r#"#compdef hashmill
_hashmill() {
    local line
    local -a values shown
    for line in "${(@f)$(${(Q)~words[1]} completions --index $((CURRENT - 1)) -- "${(@Q)words}" 2>/dev/null)}"; do
        case $line in
            :files) _files ;;
            :dirs) _files -/ ;;
            ?*)
                values+=("${line%%$'\t'*}")
                shown+=("${line/$'\t'/  -- }")
                ;;
        esac
    done
    compadd -l -d shown -a values
}
if [[ $funcstack[1] = _hashmill ]]; then
    _hashmill "$@"
else
    compdef _hashmill hashmill
fi
"#;

const FISH: &str = r#"function __hashmill_candidates
    set -l current (commandline -ct)
    set -l words (commandline -opc) "$current"
    for line in ($words[1] completions --index (math (count $words) - 1) -- $words 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :dirs
                __fish_complete_directories "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c hashmill -f -k -a '(__hashmill_candidates)'
"#;

pub(crate) fn run(args: &CompletionsArgs) -> ExitCode {
    match args.shell {
        Shell::Bash => print(BASH.as_bytes()),
        Shell::Zsh => print(ZSH.as_bytes()),
        Shell::Fish => print(FISH.as_bytes()),
        other => {
            let mut text = Vec::new();
            clap_complete::generate(other, &mut cli::command(), "hashmill", &mut text);
            print(&text)
        }
    }
}

/// Prints the candidates for a completion script.
pub(crate) fn answer(args: &CandidatesArgs) -> ExitCode {
    let words: Vec<&str> = args.words.iter().map(|w| w.to_str().unwrap_or_default()).collect();
    let mut text = String::new();
    for candidate in candidates(&words, args.index) {
        let _ = match candidate {
            Candidate::Word(word, "") => writeln!(text, "{word}"),
            Candidate::Word(word, what) => writeln!(text, "{word}\t{what}"),
            Candidate::Said(word, what) => writeln!(text, "{word}\t{what}"),
            Candidate::Files => writeln!(text, ":files"),
            Candidate::Directories => writeln!(text, ":dirs"),
        };
    }
    print(text.as_bytes())
}

/// A candidate for the word at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Candidate {
    /// A word and its description.
    Word(String, &'static str),
    /// A word with a description made at run time.
    Said(String, String),
    /// The shell completes file names.
    Files,
    Directories,
}

impl Candidate {
    fn begins_with(&self, typed: &str) -> bool {
        match self {
            Candidate::Word(word, _) | Candidate::Said(word, _) => word.starts_with(typed),
            Candidate::Files | Candidate::Directories => true,
        }
    }
}

fn word(text: impl Into<String>) -> Candidate {
    Candidate::Word(text.into(), "")
}

/// Returns the candidates for the word at this index; the first word is the program's name.
fn candidates(words: &[&str], index: usize) -> Vec<Candidate> {
    // The cursor may be after the last word.
    let current = words.get(index).copied().unwrap_or_default();
    let before = words.get(1..index.min(words.len())).unwrap_or_default();
    let mut before: Vec<&str> = before.to_vec();
    // Bash splits `--option=value` into three words.
    let mut typed = current;
    if current == "=" {
        typed = "";
    } else if before.last() == Some(&"=") {
        before.pop();
    }
    before.retain(|w| *w != "=");

    let whole = {
        let mut whole = cli::command();
        whole.build();
        whole
    };
    let found = match &before[..] {
        [] => commands(&whole),
        ["help", .., "help"] | ["help"] => {
            let option = |c: &Candidate| matches!(c, Candidate::Said(w, _) if w.starts_with('-'));
            commands(&whole).into_iter().filter(|c| !option(c)).collect()
        }
        ["help", after @ ..] => below(after.iter().fold(&whole, |c, word| c.find_subcommand(word).unwrap_or(c))),
        [name, after @ ..] => match programs::PROGRAMS.iter().find(|p| p.name == *name && p.name != "sum") {
            Some(program) => of_program(*program, after, typed),
            #[cfg(feature = "measure")]
            None if *name == "speed" => of_speed(after, typed),
            None => of_command(&whole, &before, typed),
        },
    };
    let mut fitting: Vec<Candidate> = found.into_iter().filter(|c| c.begins_with(typed)).collect();
    // Unless a dash was typed, offer options only if there is nothing else.
    if !typed.starts_with('-') {
        let option = |c: &Candidate| matches!(c, Candidate::Said(w, _) | Candidate::Word(w, _) if w.starts_with('-'));
        if fitting.iter().any(|c| !option(c)) {
            fitting.retain(|c| !option(c));
        }
    }
    fitting
}

/// Returns the top-level commands, the programs whose names this one answers to, `help` and the options.
fn commands(whole: &Command) -> Vec<Candidate> {
    let mut found = below(whole);
    let programs = programs::PROGRAMS.iter().filter(|p| p.name != "sum");
    found.extend(programs.map(|p| Candidate::Word(p.name.into(), "as the program of this name")));
    found.push(Candidate::Word("help".into(), "Print the help of a command"));
    found.extend(options(whole));
    found
}

/// Returns the subcommands of a command.
fn below(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    shown.map(|c| Candidate::Said(c.get_name().into(), first_line(c.get_about()))).collect()
}

fn first_line(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default().lines().next().unwrap_or_default().into()
}

/// Returns the options of a command, long and short.
fn options(command: &Command) -> Vec<Candidate> {
    let mut found = Vec::new();
    for a in command.get_arguments().filter(|a| !a.is_positional() && !a.is_hide_set()) {
        let what = first_line(a.get_help());
        found.extend(a.get_long().map(|long| Candidate::Said(format!("--{long}"), what.clone())));
        found.extend(a.get_short().map(|short| Candidate::Said(format!("-{short}"), what.clone())));
    }
    found
}

/// Returns the command that the arguments of one without a subcommand are for: `bench md5` and `bench --json` are
/// `bench lanes …`.
fn usual(command: &Command) -> &Command {
    command.find_subcommand("lanes").filter(|_| command.get_name() == "bench").unwrap_or(command)
}

/// Returns the candidates in a command that clap describes.
fn of_command(whole: &Command, before: &[&str], typed: &str) -> Vec<Candidate> {
    let mut command = whole;
    let mut positionals = 0;
    // The option whose value comes next, and whether only operands may follow.
    let mut pending: Option<&Arg> = None;
    let mut only_operands = false;
    for text in before {
        if pending.take().is_some() {
            continue;
        }
        if !only_operands && *text == "--" {
            only_operands = true;
        } else if !only_operands && text.len() > 1 && text.starts_with('-') {
            command = usual(command);
            pending = option_at_end(command, text);
        } else if let Some(next) = command.find_subcommand(text).filter(|_| positionals == 0) {
            command = next;
        } else {
            command = usual(command);
            positionals += 1;
        }
    }
    if let Some(option) = pending {
        return values(option, typed, before);
    }
    if !only_operands && let Some((name, value)) = typed.split_once('=').filter(|_| typed.starts_with("--")) {
        let Some(option) = usual(command).get_arguments().find(|a| a.get_long() == name.strip_prefix("--")) else {
            return Vec::new();
        };
        return values(option, value, before).into_iter().map(|c| behind(&format!("{name}="), c)).collect();
    }
    if !only_operands && typed.starts_with('-') {
        return options(usual(command));
    }
    let mut found = if positionals == 0 { below(command) } else { Vec::new() };
    let all: Vec<&Arg> = usual(command).get_positionals().filter(|a| !a.is_hide_set()).collect();
    if let Some(operand) = all.get(positionals).or(all.last()) {
        // The last operand may take several values.
        let many = operand.get_num_args().is_some_and(|n| n.max_values() > 1);
        if positionals < all.len() || many {
            found.extend(values(operand, typed, before));
        }
    }
    found
}

/// Returns the option whose value is the next word, given a word of options such as `--threads`, `-j` or `-rj`.
fn option_at_end<'a>(command: &'a Command, text: &str) -> Option<&'a Arg> {
    let takes = |a: &&Arg| a.get_action().takes_values() && !a.is_require_equals_set();
    let found = match text.strip_prefix("--") {
        Some(long) => command.get_arguments().find(|a| a.get_long() == Some(long)),
        None => {
            let short = text.chars().last();
            // Whatever follows an option that takes a value is that value.
            let first = text
                .chars()
                .skip(1)
                .find_map(|c| command.get_arguments().filter(takes).find(|a| a.get_short() == Some(c)));
            first.filter(|a| a.get_short() == short)
        }
    };
    found.filter(takes)
}

/// Prepends to a candidate what has already been typed of the same word.
fn behind(typed: &str, candidate: Candidate) -> Candidate {
    match candidate {
        Candidate::Word(word, what) => Candidate::Word(format!("{typed}{word}"), what),
        Candidate::Said(word, what) => Candidate::Said(format!("{typed}{word}"), what),
        other => other,
    }
}

/// Returns the candidates for a value of an argument.
fn values(arg: &Arg, typed: &str, before: &[&str]) -> Vec<Candidate> {
    let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|n| n.as_str()).collect();
    let named = |text: &str| names.iter().any(|n| n.contains(text));
    let list = arg.get_value_delimiter() == Some(',')
        || named(",")
        || names == ["LIST"] && arg.get_long() == Some("algorithm");
    let (start, last) = match typed.rsplit_once(',').filter(|_| list) {
        Some((start, last)) => (format!("{start},"), last),
        None => (String::new(), typed),
    };
    let possible = arg.get_possible_values();
    let found = if !possible.is_empty() {
        let shown = possible.iter().filter(|v| !v.is_hide_set());
        shown.map(|v| Candidate::Said(v.get_name().into(), first_line(v.get_help()))).collect()
    } else if named("ALG") || arg.get_long() == Some("algorithm") {
        let mut found = algorithms(last);
        if arg.get_id() == "algorithms" && before.contains(&"sum") || before.contains(&"check") {
            found.extend(functions(last));
        }
        if named("FAMILY") {
            let families: BTreeSet<&str> = Algorithm::all().map(|a| a.family()).collect();
            found.extend(families.into_iter().map(|f| Candidate::Word(f.to_lowercase(), "family")));
        }
        found
    } else if arg.get_id() == "kernel" {
        kernels().into_iter().map(word).collect()
    } else if named("RUN") || matches!(&names[..], ["A" | "B"]) {
        let found = runs(before);
        // What is compared or shown may be in a file, too.
        let is_file = arg.get_value_hint() == ValueHint::AnyPath && !found.iter().any(|c| c.begins_with(typed));
        if is_file { vec![Candidate::Files] } else { found }
    } else if arg.get_id() == "tag" {
        let tag = |c: &Candidate| matches!(c, Candidate::Said(w, _) if w.parse::<u64>().is_err());
        runs(before).into_iter().filter(tag).collect()
    } else {
        match arg.get_value_hint() {
            ValueHint::DirPath => vec![Candidate::Directories],
            ValueHint::Unknown | ValueHint::Other => Vec::new(),
            _ => vec![Candidate::Files],
        }
    };
    let taken: Vec<&str> = start.split(',').collect();
    let new = found.into_iter().filter(|c| match c {
        Candidate::Word(w, _) | Candidate::Said(w, _) => !taken.contains(&w.as_str()),
        _ => true,
    });
    new.map(|c| behind(&start, c)).collect()
}

/// Returns the names of the common algorithms or, if none begins with what was typed, of all algorithms, or else the
/// aliases.
fn algorithms(typed: &str) -> Vec<Candidate> {
    let fits = |name: &str| name.starts_with(typed);
    let named = |common: bool| {
        let all = Algorithm::all().filter(move |a| a.is_common() || !common);
        all.map(|a| Candidate::Word(a.name().into_owned(), a.security().as_str())).collect::<Vec<_>>()
    };
    if Algorithm::all().any(|a| a.is_common() && fits(&a.name())) {
        return named(true);
    }
    if Algorithm::all().any(|a| fits(&a.name())) {
        return named(false);
    }
    let aliases = Algorithm::all().flat_map(|a| a.aliases().iter().map(move |alias| (*alias, a.base_name())));
    aliases.map(|(alias, name)| Candidate::Word(alias.into(), name)).collect()
}

/// Returns what `sum` and `check` have besides algorithms.
fn functions(typed: &str) -> Vec<Candidate> {
    let composed = ["tth", "ed2k", "aich", "btih", "c4", "git", "git-sha256", "s3-etag:part=8M"];
    let of_keys = ["hmac-", "keyed-"].into_iter().filter(|prefix| typed.starts_with(prefix));
    let keyed =
        of_keys.flat_map(|prefix| algorithms(&typed[prefix.len()..]).into_iter().map(move |c| behind(prefix, c)));
    composed.into_iter().map(word).chain(keyed).collect()
}

/// Returns the names of the kernels that this machine can run.
fn kernels() -> BTreeSet<&'static str> {
    Algorithm::all().flat_map(|a| a.kernels()).filter(|k| k.available).map(|k| k.name).collect()
}

/// Returns the stored runs, from the store that the line names, if any.
#[cfg(feature = "measure")]
fn runs(before: &[&str]) -> Vec<Candidate> {
    use hashmill_results::store::{Filter, Store};
    let given = before.iter().position(|w| *w == "--db").and_then(|at| before.get(at + 1)).copied();
    let given = given.or(before.iter().find_map(|w| w.strip_prefix("--db=")));
    // The words come as they were typed.
    let home = std::env::home_dir().unwrap_or_default();
    let db = given.map(|db| db.strip_prefix("~/").map_or_else(|| db.into(), |below| home.join(below)));
    let Ok(runs) = Store::open_existing(db.as_deref()).and_then(|store| store.list(&Filter::default())) else {
        // There is no store yet, or it cannot be read; the command itself will say so.
        return Vec::new();
    };
    let clean = |text: &str| !text.contains(char::is_control);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (name, what) in [("last", "the latest run"), ("last~1", "the one before")].into_iter().take(runs.len()) {
        found.push(Candidate::Word(name.into(), what));
    }
    for run in &runs {
        let what: Vec<String> = run.command.iter().map(|w| w.replace(char::is_control, " ")).collect();
        let what = format!("{} {}", run.started, what.join(" "));
        if let Some(tag) = run.tag.as_ref().filter(|t| clean(t) && seen.insert(t.to_string())) {
            found.push(Candidate::Said(tag.clone(), what.clone()));
        }
        found.push(Candidate::Said(run.id.to_string(), what));
    }
    found
}

#[cfg(not(feature = "measure"))]
fn runs(_before: &[&str]) -> Vec<Candidate> {
    Vec::new()
}

/// Returns the candidates in `speed`, whose options are OpenSSL's.
#[cfg(feature = "measure")]
fn of_speed(before: &[&str], typed: &str) -> Vec<Candidate> {
    use hashmill_speed::{Offer, options, others};
    let bare = |text: &str| text.strip_prefix("--").or(text.strip_prefix('-')).map(String::from);
    let all = options();
    let named = |text: &str| {
        let name = bare(text)?;
        all.iter().find(|(option, _)| *option == name).and_then(|(_, offer)| *offer)
    };
    let offered = |offer, typed: &str| -> Vec<Candidate> {
        match offer {
            Offer::Nothing => Vec::new(),
            Offer::Words(words) => {
                let start = typed.rsplit_once(',').map(|(start, _)| format!("{start},")).unwrap_or_default();
                words.split(' ').map(|w| word(format!("{start}{w}"))).collect()
            }
            Offer::Algorithms => {
                let mut found = algorithms(typed);
                found.extend(others().into_iter().map(word));
                found
            }
            Offer::Files => vec![Candidate::Files],
        }
    };
    if let Some(offer) = before.last().and_then(|last| named(last)) {
        return offered(offer, typed);
    }
    if let Some((name, value)) = typed.split_once('=') {
        let found = named(name).map(|offer| offered(offer, value)).unwrap_or_default();
        return found.into_iter().map(|c| behind(&format!("{name}="), c)).collect();
    }
    if typed.starts_with('-') {
        let dash = if typed.starts_with("--") { "--" } else { "-" };
        return all.iter().map(|(name, _)| word(format!("{dash}{name}"))).collect();
    }
    offered(Offer::Algorithms, typed)
}

/// Returns the candidates for a program whose name this one answers to: the options that its help lists, algorithms,
/// and files.
fn of_program(program: programs::Program, before: &[&str], typed: &str) -> Vec<Candidate> {
    let help = programs::help(program);
    let name = typed.split_once('=').map(|(name, _)| name);
    if before.last().is_some_and(|w| ["-a", "--algorithm"].contains(w)) || name == Some("--algorithm") {
        let start = name.map(|n| format!("{n}=")).unwrap_or_default();
        let listed =
            help.lines().skip_while(|l| !l.starts_with("DIGEST, for -a")).skip(1).take_while(|l| !l.is_empty());
        return listed.filter_map(|l| l.split_whitespace().next()).map(|w| word(format!("{start}{w}"))).collect();
    }
    if !typed.starts_with('-') || before.contains(&"--") {
        return vec![Candidate::Files];
    }
    let mut found = Vec::new();
    for line in help.lines().filter(|l| l.trim_start().starts_with('-')) {
        let (names, what) = line.trim_start().split_once("  ").unwrap_or((line.trim(), ""));
        for name in names.split(", ").map(|n| n.split(['=', ' ']).next().unwrap_or(n)) {
            found.push(Candidate::Said(name.into(), what.trim().into()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words offered at the end of a line.
    fn offered(line: &str) -> Vec<String> {
        let words: Vec<&str> = line.split(' ').collect();
        let found = candidates(&words, words.len() - 1);
        let text = |c| match c {
            Candidate::Word(w, _) | Candidate::Said(w, _) => w,
            Candidate::Files => ":files".into(),
            Candidate::Directories => ":dirs".into(),
        };
        found.into_iter().map(text).collect()
    }

    #[test]
    fn what_is_offered() {
        for (line, words) in [
            ("hashmill ch", "check"),
            ("hashmill md", "md5sum"),
            ("hashmill help com", "completions"),
            ("hashmill help md5", "md5sum"),
            ("hashmill help help md5", "md5sum"),
            ("hashmill help sum ", ""),
            ("hashmill sum -a sha25", "sha256"),
            ("hashmill sum --algorithm sha25", "sha256"),
            ("hashmill sum --algorithm=sha25", "--algorithm=sha256"),
            ("hashmill sum --algorithm = sha25", "sha256"),
            ("hashmill sum -a md5,sha25", "md5,sha256"),
            ("hashmill sum -ra sha25", "sha256"),
            ("hashmill sum -a hmac-sha25", "hmac-sha256"),
            ("hashmill sum -a md5,tt", "md5,tth"),
            ("hashmill check -a git", "git git-sha256"),
            ("hashmill sum -a crc3-g", "crc3-gsm"),
            ("hashmill sum -a sha2-25", "sha2-256"),
            ("hashmill sum --progress a", "auto always"),
            ("hashmill sum ", ":files"),
            ("hashmill sum -j 4 ", ":files"),
            ("hashmill sum -j ", ""),
            ("hashmill sum --rec", "--recursive"),
            ("hashmill sum -- --rec", ":files"),
            ("hashmill check -a blake3 --ig", "--ignore-missing"),
            (
                "hashmill list hav",
                "haval128-3 haval128-4 haval128-5 haval160-3 haval160-4 haval160-5 haval192-3 haval192-4 haval192-5 \
              haval224-3 haval224-4 haval224-5 haval256-3 haval256-4 haval256-5 haval",
            ),
            ("hashmill man ", ":dirs"),
            ("hashmill completions f", "fish"),
            ("hashmill md5sum --ig", "--ignore-missing"),
            ("hashmill md5sum ", ":files"),
            ("hashmill cksum -a sha", "sha1 sha2 sha3"),
            ("hashmill cksum --algorithm=sm", "--algorithm=sm3"),
            ("hashmill nosuch ", ""),
        ] {
            assert_eq!(offered(line).join(" "), words, "{line}");
        }
        // No algorithm is offered twice.
        assert!(!offered("hashmill sum -a md5,").contains(&"md5,md5".into()));
    }

    #[cfg(feature = "measure")]
    #[test]
    fn what_is_offered_where_things_are_measured() {
        for (line, words) in [
            ("hashmill bench ker", "kernels"),
            ("hashmill bench sha25", "sha256"),
            ("hashmill bench md5 sha25", "sha256"),
            ("hashmill bench --peer p", "php python"),
            ("hashmill bench --siz", "--size"),
            ("hashmill bench --json md5 sha25", "sha256"),
            ("hashmill results show nosuch", ":files"),
            ("hashmill help bench k", "kernels"),
            ("hashmill bench kernels sha25", "sha256"),
            ("hashmill bench loops --peer php,rustc", "php,rustcrypto"),
            ("hashmill results com", "compare"),
            ("hashmill speed -secon", "-seconds"),
            ("hashmill speed --secon", "--seconds"),
            ("hashmill speed -style ", "1.1.1 3.0 3.2"),
            ("hashmill speed -peer php,g", "php,go"),
            ("hashmill speed -evp aes-128-g", "aes-128-gcm"),
            ("hashmill speed -evp md5 rsa2", "rsa2048"),
            ("hashmill speed -svg ", ":files"),
            ("hashmill results show --db /nowhere/x.db ", ":files"),
            ("hashmill results delete --db /nowhere/x.db ", ""),
        ] {
            assert_eq!(offered(line).join(" "), words, "{line}");
        }
    }
}
