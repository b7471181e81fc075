//! Parses options like the GNU programs (glibc's `getopt_long`): they may stand anywhere among the operands, be
//! abbreviated and clustered, and errors have the same messages.

use std::ffi::{OsStr, OsString};

/// An option and its names.
pub(super) struct Spelling<K> {
    pub(super) short: Option<char>,
    pub(super) long: &'static str,
    /// Whether it takes a value.
    pub(super) value: bool,
    pub(super) key: K,
}

/// Calls `set` for each option and its value in order, and returns the operands in order.
///
/// # Errors
/// Returns what is wrong with an option, in getopt's words, or any error from `set`.
pub(super) fn read<K: Copy + PartialEq, E: From<String>>(
    options: &[Spelling<K>],
    args: impl IntoIterator<Item = OsString>,
    posix: bool,
    mut set: impl FnMut(K, Option<&str>) -> Result<(), E>,
) -> Result<Vec<OsString>, E> {
    let mut operands = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            operands.extend(args);
            break;
        }
        let text = arg.to_string_lossy();
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (long, None),
            };
            let option = find(options, name, long)?;
            let name = option.long;
            let value = match (option.value, value) {
                (false, Some(_)) => return Err(format!("option '--{name}' doesn't allow an argument").into()),
                (true, None) => match args.next() {
                    Some(next) => Some(lossy(&next)),
                    None => return Err(format!("option '--{name}' requires an argument").into()),
                },
                (_, value) => value,
            };
            set(option.key, value.as_deref())?;
        } else if text.len() > 1 && text.starts_with('-') {
            let mut letters = text[1..].chars();
            while let Some(letter) = letters.next() {
                let Some(option) = options.iter().find(|o| o.short == Some(letter)) else {
                    return Err(format!("invalid option -- '{letter}'").into());
                };
                if !option.value {
                    set(option.key, None)?;
                    continue;
                }
                let rest = letters.as_str();
                let value = match rest {
                    "" => match args.next() {
                        Some(next) => lossy(&next),
                        None => return Err(format!("option requires an argument -- '{letter}'").into()),
                    },
                    rest => rest.to_string(),
                };
                set(option.key, Some(&value))?;
                break;
            }
        } else {
            drop(text);
            operands.push(arg);
            if posix {
                operands.extend(args);
                break;
            }
        }
    }
    Ok(operands)
}

/// Converts the value of an option to text. Values are names and numbers, so invalid UTF-8 is wrong in either case.
fn lossy(value: &OsStr) -> String {
    value.to_string_lossy().into_owned()
}

/// Finds the option with this name, or the only one that it abbreviates. `typed` is everything after the two dashes.
fn find<'a, K: Copy + PartialEq, E: From<String>>(
    options: &'a [Spelling<K>],
    name: &str,
    typed: &str,
) -> Result<&'a Spelling<K>, E> {
    let named = |o: &&Spelling<K>| !o.long.is_empty();
    if let Some(exact) = options.iter().filter(named).find(|o| o.long == name) {
        return Ok(exact);
    }
    let like: Vec<_> = options.iter().filter(named).filter(|o| o.long.starts_with(name)).collect();
    match like[..] {
        [] => Err(format!("unrecognized option '--{typed}'").into()),
        [first, ref more @ ..] if more.iter().all(|o| o.key == first.key && o.value == first.value) => Ok(first),
        _ => {
            let names: String = like.iter().map(|o| format!(" '--{}'", o.long)).collect();
            Err(format!("option '--{typed}' is ambiguous; possibilities:{names}").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[Spelling<u8>] = &[
        Spelling { short: Some('c'), long: "check", value: false, key: 1 },
        Spelling { short: Some('l'), long: "length", value: true, key: 2 },
        Spelling { short: None, long: "status", value: false, key: 3 },
        Spelling { short: None, long: "strict", value: false, key: 4 },
    ];

    fn seen(args: &[&str], posix: bool) -> Result<String, String> {
        let mut log = String::new();
        let operands = read(OPTIONS, args.iter().map(OsString::from), posix, |key, value| {
            log += &format!("{key}{} ", value.map(|v| format!("={v}")).unwrap_or_default());
            Ok::<(), String>(())
        })?;
        Ok(operands.iter().fold(log, |log, o| log + &lossy(o) + ";"))
    }

    #[test]
    fn options_and_operands() {
        for (args, expected) in [
            (&["a", "-c", "b", "--", "-c"][..], "1 a;b;-c;"),
            (&["-cl8", "-l", "9", "-"], "1 2=8 2=9 -;"),
            (&["--len=1", "--length", "2", "--stat", "--c"], "2=1 2=2 3 1 "),
            (&["--length="], "2= "),
            (&[], ""),
        ] {
            assert_eq!(seen(args, false).as_deref(), Ok(expected), "{args:?}");
        }
        assert_eq!(seen(&["a", "-c"], true).as_deref(), Ok("a;-c;"));
    }

    #[test]
    fn what_is_wrong() {
        for (args, expected) in [
            (&["--st"][..], "option '--st' is ambiguous; possibilities: '--status' '--strict'"),
            (&["--foo=1"], "unrecognized option '--foo=1'"),
            (&["--check=1"], "option '--check' doesn't allow an argument"),
            (&["--length"], "option '--length' requires an argument"),
            (&["-cx"], "invalid option -- 'x'"),
            (&["-cl"], "option requires an argument -- 'l'"),
        ] {
            assert_eq!(seen(args, false).unwrap_err(), expected, "{args:?}");
        }
    }
}
