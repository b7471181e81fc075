//! `hashmill man`: a page for each command, made from its clap description, and one for each program whose name this
//! program answers to, made from its help text. Paragraphs below a help text go into the sections where readers of
//! manual pages look for them.

use crate::args::cli::{self, ManArgs};
use crate::programs;
use crate::terminal::output::{message, print, shown};
use crate::terminal::target::make_directory;
use clap::Command;
use clap_mangen::Man;
use hashmill_files::plain;
use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

pub(crate) fn run(args: &ManArgs) -> ExitCode {
    let mut whole = cli::command();
    whole.build();
    let Some(dir) = &args.dir else { return print(page(&whole, &[]).as_bytes()) };
    let mut pages = Vec::new();
    all(&whole, &mut Vec::new(), &mut pages);
    pages.extend(programs::PROGRAMS.iter().map(|p| {
        let name = of_program(p.name);
        (format!("{name}.1"), page_of_help(&name, &programs::help(*p)))
    }));
    if let Err(why) = make_directory(dir, "pages") {
        message(&why);
        return ExitCode::FAILURE;
    }
    for (name, text) in pages {
        let path = dir.join(name);
        if let Err(e) = fs::write(&path, text) {
            message(&format!("{}: {}", shown(path.as_os_str()), plain(&e)));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Defines the string `Aq`, which clap_mangen uses for an apostrophe: groff has a character for it, other formatters
/// may not.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Defaults for commands whose help does not mention them.
const EXIT_STATUS: &str = "0, or 1 if not all could be done, or 2 for wrong usage.";
const KERNEL: &str = "\
.TP
\\fBHASHMILL_KERNEL\\fR=\\fINAME\\fR[,\\fINAME\\fR\\[u2026]]
Kernels to prefer, of those that
.BR hashmill\\-list (1)
shows; portable is plain code.
";

/// Related pages, for the SEE ALSO section of each page.
const RELATED: [(&str, &[&str]); 11] = [
    ("hashmill", &["hashmill-sum", "hashmill-check", "hashmill-list", "hashmill-links"]),
    ("hashmill-sum", &["hashmill-check", "hashmill-list"]),
    ("hashmill-check", &["hashmill-sum", "hashmill-list"]),
    ("hashmill-copy", &["hashmill-check"]),
    ("hashmill-list", &["hashmill-sum"]),
    ("hashmill-speed", &["hashmill-bench", "hashmill-results"]),
    ("hashmill-bench", &["hashmill-speed", "hashmill-results"]),
    ("hashmill-results", &["hashmill-bench"]),
    ("hashmill-links", &["hashmill-sum", "hashmill-md5sum", "hashmill-cksum"]),
    ("hashmill-sum-coreutils", &["hashmill-cksum"]),
    ("hashmill-cksum", &["hashmill-md5sum"]),
];

/// Returns the name of the page of a program whose name this one answers to. It is not the plain name, which belongs to
/// the page of the system's own program. `hashmill-sum` is taken by the command.
fn of_program(name: &str) -> String {
    if name == "sum" { "hashmill-sum-coreutils".into() } else { format!("hashmill-{name}") }
}

/// Returns the name of a command's page.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// Adds the pages of a command and all its subcommands, with their file names. `above` holds the names of the parent
/// pages.
fn all(command: &Command, above: &mut Vec<String>, pages: &mut Vec<(String, String)>) {
    pages.push((format!("{}.1", name(command)), page(command, above)));
    above.push(name(command).into());
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        all(below, above, pages);
    }
    above.pop();
}

/// Returns the beginning of a page, in troff's `man` macros.
fn head(name: &str) -> String {
    let title = escaped(&name.to_uppercase());
    format!("{APOSTROPHE}.TH \"{title}\" 1 \"{}\" \"hashmill {VERSION}\" \"User Commands\"\n", date())
}

/// Returns the day in `SOURCE_DATE_EPOCH`, with which packagers state the age of the sources, or nothing if it is not
/// set. The day on which the pages are made would tell readers nothing and make every build different.
fn date() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse::<u32>().ok());
    given.map(|seconds| day(seconds / 86_400)).unwrap_or_default()
}

/// Formats a day given as the number of days since 1970-01-01.
fn day(mut days: u32) -> String {
    let leap = |year: u32| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u32::from(leap(year)) {
        days -= 365 + u32::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u32::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Returns the end of a page: the text below the help, and the related pages.
fn foot(name: &str, below: &str, hashes: bool, above: &[String]) -> String {
    let mut text = String::new();
    for (heading, mut section) in sections(below) {
        match heading {
            "EXIT STATUS" if section.is_empty() => section = format!("{EXIT_STATUS}\n"),
            "ENVIRONMENT" if hashes && !section.contains("HASHMILL_KERNEL") => section.insert_str(0, KERNEL),
            _ => {}
        }
        if !section.is_empty() {
            let _ = write!(text, ".SH \"{heading}\"\n{section}");
        }
    }
    let related = RELATED.iter().find(|(n, _)| *n == name).map(|(_, all)| *all).unwrap_or_default();
    let names: Vec<String> =
        above.iter().rev().map(String::as_str).chain(related.iter().copied()).map(reference).collect();
    if !names.is_empty() {
        let _ = writeln!(text, ".SH \"SEE ALSO\"\n{}", names.join(" ,\n"));
    }
    text
}

fn reference(name: &str) -> String {
    format!(".BR {} (1)", escaped(name))
}

/// Returns the page of a command.
fn page(command: &Command, above: &[String]) -> String {
    let man = Man::new(command.clone());
    let mut text = head(name(command));
    let mut made = Vec::new();
    // Writing to a vector cannot fail.
    let _ = man.render_name_section(&mut made);
    text += &cleaned(&made);
    text += &synopsis(command);
    made.clear();
    let _ = man.render_description_section(&mut made);
    text += &cleaned(&made);
    made.clear();
    if command.get_arguments().any(|a| !a.is_hide_set()) {
        let _ = man.render_options_section(&mut made);
        text += ".SH OPTIONS\n";
        text += &subsections(&cleaned(&made));
    }
    made.clear();
    if command.has_subcommands() {
        let _ = man.render_subcommands_section(&mut made);
    }
    text += &cleaned(&made);
    let below = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    let hashes = !["hashmill-completions", "hashmill-man", "hashmill-links"].contains(&name(command));
    text + &foot(name(command), &below, hashes, above)
}

/// Turns the sections that clap_mangen makes of the option headings into subsections of one section.
fn subsections(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_prefix(".SH ").map(|heading| heading.trim_matches('"')) {
            Some("OPTIONS") => {}
            Some(heading) => {
                let (first, rest) = heading.split_at(heading.len().min(1));
                let _ = writeln!(out, ".SS \"{first}{}\"", rest.to_lowercase());
            }
            None => {
                out += line;
                out.push('\n');
            }
        }
    }
    out
}

/// Makes a page from a help text: its usage, one line about its purpose, paragraphs, and options in two columns.
fn page_of_help(name: &str, help: &str) -> String {
    let mut lines = help.lines().peekable();
    let usage = lines.next_if(|l| l.starts_with("Usage:")).unwrap_or_default();
    let what = lines.next().unwrap_or_default().trim_end_matches('.');
    let called = usage.trim_start_matches("Usage:").trim();
    let (program, rest) = called.split_once(' ').unwrap_or((called, ""));
    let mut text = head(name);
    let summary = what[..what.len().min(1)].to_lowercase() + what.get(1..).unwrap_or_default();
    let _ = writeln!(text, ".SH NAME\n{} \\- {}", escaped(name), escaped(&summary));
    let rest = escaped(rest);
    let program = escaped(program);
    text += ".SH SYNOPSIS\n";
    // `hashmill sum` is a different command.
    if program != "sum" {
        let _ = writeln!(text, "\\fBhashmill {program}\\fR {rest}\n.br");
    }
    let _ = writeln!(text, "\\fB{program}\\fR {rest}");
    let _ = writeln!(text, ".SH DESCRIPTION\n{}.", escaped(what));
    let mut below = String::new();
    let mut options = String::new();
    let mut headed = false;
    while let Some(line) = lines.next() {
        let typed = line.trim_start();
        // Below the options, there are only paragraphs.
        if !below.is_empty() {
            let _ = writeln!(below, "{line}");
        } else if line.is_empty() {
            // Options after a blank line no longer belong to the heading above.
            if headed && lines.peek().is_some_and(|l| l.starts_with(' ') && l.trim_start().starts_with('-')) {
                options += ".SS \"Help\"\n";
                headed = false;
            }
        } else if typed.starts_with('-') && line.starts_with(' ') {
            let (names, meaning) = typed.split_once("  ").unwrap_or((typed, ""));
            let mut meaning = meaning.trim().to_string();
            // Continuation lines are indented further than option names.
            while let Some(more) = lines.next_if(|l| l.starts_with("          ")) {
                meaning = format!("{meaning} {}", more.trim()).trim().to_string();
            }
            let _ = writeln!(options, ".TP\n\\fB{}\\fR\n{}", escaped(names), escaped(&meaning));
        } else if let (Some(heading), Some(true)) =
            (line.strip_suffix(':'), lines.peek().map(|l| l.trim_start().starts_with('-')))
        {
            let _ = writeln!(options, ".SS \"{}\"", escaped(heading));
            headed = true;
        } else if options.is_empty() {
            let _ = writeln!(text, ".PP\n{}", escaped(typed));
        } else {
            let _ = writeln!(below, "{line}");
        }
    }
    if !options.is_empty() {
        let _ = write!(text, ".SH OPTIONS\n{options}");
    }
    text + &foot(name, &below, true, &["hashmill-check".into(), "hashmill-sum".into(), "hashmill".into()])
}

/// Returns the synopsis section of a command, from the usage in its help.
fn synopsis(command: &Command) -> String {
    let called = command.get_bin_name().unwrap_or(command.get_name());
    let usage = command.clone().render_usage().to_string();
    let lines = usage.lines().map(|line| {
        let line = line.trim_start_matches("Usage:").trim();
        let rest = line.strip_prefix(called).unwrap_or(line);
        format!("\\fB{}\\fR{}\n", escaped(called), escaped(rest))
    });
    format!(".SH SYNOPSIS\n{}", lines.collect::<Vec<_>>().join(".br\n"))
}

/// Splits the text below a command's help into sections, in their order on a page.
///
/// A paragraph that begins with `Examples:`, `Environment:`, `Files:` or `Exit status:` goes to that section, and any
/// other to the notes, where a first line that ends with a colon becomes its heading. Indented lines are shown
/// verbatim.
fn sections(text: &str) -> [(&'static str, String); 5] {
    const NOTES: usize = 3;
    let mut sections = [
        ("EXIT STATUS", String::new()),
        ("ENVIRONMENT", String::new()),
        ("FILES", String::new()),
        ("NOTES", String::new()),
        ("EXAMPLES", String::new()),
    ];
    let mut current = NOTES;
    let mut first = true;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            first = true;
            continue;
        }
        let mut shown = Vec::new();
        if line.starts_with(' ') {
            shown.push(line);
            while let Some(next) = lines.next_if(|l| l.starts_with(' ')) {
                shown.push(next);
            }
            literal(&shown, &mut sections[current].1);
            continue;
        }
        let named =
            ["Exit status:", "Environment:", "Files:", "Usage:", "Examples:"].iter().find(|n| line.starts_with(**n));
        match named {
            // Already in the synopsis.
            Some(&"Usage:") => continue,
            Some(name) => {
                let is = |heading: &str| name.trim_end_matches(':').eq_ignore_ascii_case(heading);
                current = sections.iter().position(|s| is(s.0)).unwrap_or(NOTES);
                let rest = line[name.len()..].trim();
                if !rest.is_empty() {
                    let _ = writeln!(sections[current].1, "{}", escaped(rest));
                }
            }
            None => {
                if first {
                    current = NOTES;
                }
                let section = &mut sections[current].1;
                if let (true, Some(heading)) = (first, line.strip_suffix(':')) {
                    let _ = writeln!(section, ".SS \"{}\"", escaped(heading));
                } else {
                    let paragraph = if first && !section.is_empty() { ".PP\n" } else { "" };
                    let _ = writeln!(section, "{paragraph}{}", escaped(line));
                }
            }
        }
        first = false;
    }
    sections
}

/// Adds lines verbatim, without their common indentation.
fn literal(lines: &[&str], section: &mut String) {
    let indented = |line: &&str| line.len() - line.trim_start().len();
    let margin = lines.iter().map(indented).min().unwrap_or_default();
    if section.lines().last().is_some_and(|l| !l.starts_with(".SS")) {
        *section += ".PP\n";
    }
    *section += ".EX\n";
    for line in lines {
        let _ = writeln!(section, "{}", escaped(&line[margin..]));
    }
    *section += ".EE\n";
}

/// Escapes text so that troff prints it character by character: what is copied from a page must be what was meant.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out += "\\(rs",
            '-' => out += "\\-",
            '\'' => out += "\\(aq",
            '"' => out += "\\(dq",
            c => out.push(c),
        }
    }
    if out.starts_with('.') {
        out.insert_str(0, "\\&");
    }
    typed(&out)
}

/// Escapes the ASCII characters that troff would print as accents and quotation marks.
fn typed(text: &str) -> String {
    text.replace('`', "\\(ga").replace('~', "\\(ti").replace('^', "\\(ha")
}

/// Returns what clap_mangen wrote, without the definition of the apostrophe that it puts before each section, and with
/// a single request for an empty line in place of three equivalent lines.
fn cleaned(made: &[u8]) -> String {
    let text = String::from_utf8_lossy(made);
    let lines = text.lines().filter(|l| !l.starts_with(".ie \\n(.g") && !l.starts_with(".el .ds Aq"));
    let line = |text: String, line: &str| text + &if line.starts_with('.') { line.into() } else { typed(line) } + "\n";
    lines.fold(String::new(), line).replace("\n.br\n\n.br\n", "\n.sp\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (number, date) in
            [(0, "1970-01-01"), (58, "1970-02-28"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_818, "2026-12-31")]
        {
            assert_eq!(day(number), date);
        }
    }

    #[test]
    fn a_help_text_becomes_a_page() {
        let page = page_of_help(
            "hashmill-x",
            "Usage: x [OPTION]... [FILE]...\nPrint X.\n\nWithout FILE: \
             stdin.\n\n  -a, --all   everything\n                      there is\n\n\
             With --check:\n      --quiet   less\n\nExamples:\n  x file\n\nExit status: 0.\n",
        );
        for part in [
            ".SH NAME\nhashmill\\-x \\- print X\n",
            ".SH OPTIONS\n.TP\n\\fB\\-a, \
             \\-\\-all\\fR\neverything there is\n.SS \"With \\-\\-check\"\n.TP\n\\fB\\-\\-quiet\\fR\nless\n",
            ".SH \"EXIT STATUS\"\n0.\n",
            ".SH \"EXAMPLES\"\n.EX\nx file\n.EE\n",
        ] {
            assert!(page.contains(part), "no {part:?} in {page}");
        }
    }
}
