//! The command line of xxhsum. Options precede the files and may not be abbreviated; short ones may be clustered.

use super::Variant;
use super::bench::Bench;
use super::check::Check;
use super::print::{Listed, Print};
use hashmill_lists::dialects::xxhsum::Reading;
use std::ffi::OsString;

/// Why the program stops before doing any work.
pub(super) enum Stop {
    Help,
    Version,
    Wrong(String),
    /// A number is too large.
    TooLarge,
}

/// The parsed command line.
pub(super) struct Asked {
    pub(super) work: Wanted,
    pub(super) files: Vec<OsString>,
    /// Whether `-` was among the options.
    pub(super) stdin: bool,
}

pub(super) enum Wanted {
    Print(Print),
    /// Print the checksums of the files that lists name.
    PrintListed(Print, Listed),
    Check(Check),
    Bench(Bench),
}

/// Parses the arguments of the program `name`, whose default algorithm is `usual`.
pub(super) fn read(name: &str, usual: Variant, args: impl IntoIterator<Item = OsString>) -> Result<Asked, Stop> {
    let mut variant = usual;
    let (mut check, mut listed, mut benchmark, mut stdin) = (false, false, false, false);
    let (mut tagged, mut little_endian) = (false, false);
    let mut bench = Bench::default();
    let mut quiet = 0u32;
    let (mut status, mut strict, mut warn, mut ignore_missing) = (false, false, false, false);
    let mut args = args.into_iter().peekable();
    let mut files = Vec::new();
    while let Some(arg) = args.next_if(|a| a.as_encoded_bytes().starts_with(b"-")) {
        let text = arg.to_string_lossy();
        let wrong = || Stop::Wrong(format!("{:?}", text));
        match &*text {
            "--" => break,
            "-" => {
                stdin = true;
                files.push(arg);
                continue;
            }
            "--check" => check = true,
            "--files-from" | "--filelist" => listed = true,
            "--bench-all" | "--benchmark-all" => (benchmark, bench.all) = (true, true),
            "--quiet" => quiet += 1,
            "--little-endian" => little_endian = true,
            "--strict" => strict = true,
            "--status" => status = true,
            "--warn" => warn = true,
            "--ignore-missing" => ignore_missing = true,
            // All files are read in binary mode anyway.
            "--binary" => {}
            "--help" => return Err(Stop::Help),
            "--version" => return Err(Stop::Version),
            "--tag" => tagged = true,
            long if long.starts_with("--") => return Err(wrong()),
            letters => {
                let mut rest = &letters[1..];
                while let Some(letter) = rest.chars().next() {
                    rest = &rest[letter.len_utf8()..];
                    match letter {
                        'V' => return Err(Stop::Version),
                        'h' => return Err(Stop::Help),
                        'H' => {
                            variant = match number(&mut rest)? {
                                0 | 32 => Variant::Xxh32,
                                1 | 64 => Variant::Xxh64,
                                2 | 128 => Variant::Xxh128,
                                3 => Variant::Xxh3,
                                _ => return Err(wrong()),
                            }
                        }
                        'c' => check = true,
                        'w' => warn = true,
                        'q' => quiet += 1,
                        'b' => {
                            benchmark = true;
                            loop {
                                bench.choose(number(&mut rest)?);
                                let Some(more) = rest.strip_prefix(',') else { break };
                                rest = more;
                            }
                        }
                        'i' => bench.iterations = number(&mut rest)?,
                        'B' => bench.size = number(&mut rest)? as usize,
                        _ => return Err(wrong()),
                    }
                }
            }
        }
    }
    files.extend(args);
    let print = Print { variant, tagged, little_endian };
    let work = if benchmark {
        bench.quiet = quiet;
        Wanted::Bench(bench)
    } else if check {
        // The programs that are named after an algorithm read no lists of others.
        let only = (name != "xxhsum").then_some(usual.name());
        let reading = Reading { little_endian, only };
        Wanted::Check(Check { reading, quiet: quiet > 0, status, strict, warn, ignore_missing })
    } else if listed {
        Wanted::PrintListed(print, Listed { status, warn, ignore_missing })
    } else {
        Wanted::Print(print)
    };
    Ok(Asked { work, files, stdin })
}

/// Parses the number at the start of `text`, with an optional suffix K, KB, KiB, M, MB or MiB, and advances `text` past
/// it. Returns 0 if there is no number.
fn number(text: &mut &str) -> Result<u32, Stop> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, mut rest) = text.split_at(digits);
    let mut n = if number.is_empty() { 0 } else { number.parse::<u32>().map_err(|_| Stop::TooLarge)? };
    for (unit, factor) in [('K', 1 << 10), ('M', 1 << 20)] {
        if let Some(more) = rest.strip_prefix(unit) {
            n = n.checked_mul(factor).ok_or(Stop::TooLarge)?;
            let more = more.strip_prefix('i').unwrap_or(more);
            rest = more.strip_prefix('B').unwrap_or(more);
            break;
        }
    }
    *text = rest;
    Ok(n)
}

/// Returns the help text of a program.
pub(super) fn help(name: &str, variant: Variant) -> String {
    format!(
        "\
Usage: {name} [OPTION]... [FILE]...
Print or verify xxHash checksums, which are no protection against people.

Without FILE, or where FILE is -, standard input is read.

  -H#                   0 or 32: XXH32, 1 or 64: XXH64, 2 or 128: XXH128,
                        3: XXH3 of 64 bits ({number} if not given)
      --tag             lines of the form  XXH64 (name) = digest
      --little-endian   digests with their last byte first
      --files-from      the FILEs are lists of the files to hash
      --binary          nothing: all files are read so
  -c, --check           read lists from the FILEs and verify what they name

With --check:
  -q, --quiet           no OK for every file that is well
      --status          nothing at all: the exit status tells
      --strict          fail for lines that are not properly formatted
  -w, --warn            name such lines
      --ignore-missing  neither fail for nor mention files that do not exist

Measuring, in memory:
  -b                    the speed of XXH32, XXH64, XXH3 and XXH128
  -b#, -b#,#            only the lines with these numbers (--bench-all: all 28)
  -i#                   how often, of which the fastest counts ({iterations} if not given)
  -B#                   bytes to hash, of nothing if no FILE is named
  -q                    fewer words

  -h, --help            this text
  -V, --version         the version

This is hashmill's; hashmill sum -a xxh3 and hashmill check do more.
hashmill speed and hashmill bench measure with more care.
",
        number = variant.number(),
        iterations = Bench::default().iterations
    )
}
