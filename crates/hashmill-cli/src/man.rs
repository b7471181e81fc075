//! `hashmill man`: a page per command, made of its description for clap. What stands below its help in paragraphs gets
//! the sections in which readers of manual pages look for it.

use crate::cli::{self, ManArgs};
use crate::output::{message, print, shown};
use clap::Command;
use clap_mangen::Man;
use hashmill_files::plain;
use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

pub(crate) fn run(args: &ManArgs) -> ExitCode {
    let mut whole = cli::command().disable_help_subcommand(true);
    whole.build();
    let Some(dir) = &args.dir else { return print(page(&whole, &[]).as_bytes()) };
    let mut pages = Vec::new();
    all(&whole, &mut Vec::new(), &mut pages);
    for (name, text) in pages {
        let path = dir.join(name);
        if let Err(e) = fs::write(&path, text) {
            message(&format!("{}: {}", shown(path.as_os_str()), plain(&e)));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// An apostrophe, which clap_mangen writes as a string of this name: groff has a sign for it, others may not.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of a command's page.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// The pages of a command and all below it, with the names of their files. `above` are the names of the pages above.
fn all(command: &Command, above: &mut Vec<String>, pages: &mut Vec<(String, String)>) {
    pages.push((format!("{}.1", name(command)), page(command, above)));
    above.push(name(command).into());
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        all(below, above, pages);
    }
    above.pop();
}

/// A page, in the language of troff's macro package `man`.
fn page(command: &Command, above: &[String]) -> String {
    let man = Man::new(command.clone());
    // Without a date, which would be that of the build.
    let title = escaped(&name(command).to_uppercase());
    let mut text = format!("{APOSTROPHE}.TH \"{title}\" 1 \"\" \"hashmill {VERSION}\" \"User Commands\"\n");
    let mut made = Vec::new();
    // Writing to a vector cannot fail.
    let _ = man.render_name_section(&mut made);
    text += &cleaned(&made);
    text += &synopsis(command);
    made.clear();
    let _ = man.render_description_section(&mut made);
    if command.get_arguments().any(|a| !a.is_hide_set()) {
        let _ = man.render_options_section(&mut made);
    }
    if command.has_subcommands() {
        let _ = man.render_subcommands_section(&mut made);
    }
    text += &cleaned(&made);
    let below = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    for (heading, section) in sections(&below) {
        if !section.is_empty() {
            let _ = write!(text, ".SH \"{heading}\"\n{section}");
        }
    }
    if !above.is_empty() {
        let names: Vec<String> = above.iter().rev().map(|n| format!(".BR {} (1)", escaped(n))).collect();
        let _ = writeln!(text, ".SH \"SEE ALSO\"\n{}", names.join(" ,\n"));
    }
    text
}

/// How the command is called, as its help says it.
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

/// The sections that the text below a command's help becomes, in the order in which they stand on a page.
///
/// A paragraph that begins with `Examples:`, `Environment:` or `Exit status:` is of that section, any other is a note,
/// and what its first line says before a colon at its end heads it. Indented lines are shown as they are.
fn sections(text: &str) -> [(&'static str, String); 4] {
    const NOTES: usize = 2;
    let mut sections = [
        ("EXIT STATUS", String::new()),
        ("ENVIRONMENT", String::new()),
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
        let named = ["Exit status:", "Environment:", "Usage:", "Examples:"].iter().find(|n| line.starts_with(**n));
        match named {
            // In the synopsis.
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

/// Lines as they are, less what all of them are indented by.
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

/// Text as troff prints it letter by letter: what can be copied from a page must be what was meant.
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

/// With the signs of the keyboard that troff would print as accents and quotation marks.
fn typed(text: &str) -> String {
    text.replace('`', "\\(ga").replace('~', "\\(ti").replace('^', "\\(ha")
}

/// What clap_mangen wrote, without the definition of the apostrophe that it puts in front of each section, and with one
/// request for an empty line in place of three lines that come to the same.
fn cleaned(made: &[u8]) -> String {
    let text = String::from_utf8_lossy(made);
    let lines = text.lines().filter(|l| !l.starts_with(".ie \\n(.g") && !l.starts_with(".el .ds Aq"));
    let line = |text: String, line: &str| text + &if line.starts_with('.') { line.into() } else { typed(line) } + "\n";
    lines.fold(String::new(), line).replace("\n.br\n\n.br\n", "\n.sp\n")
}
