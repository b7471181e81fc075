//! Which files of a tree are taken.

use crate::base::error::plain;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Which files are taken, as options say it. `hashmill sum` and `hashmill copy` have the same.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "Selection"))]
pub struct Selection {
    /// Leave out what matches GLOB, as in a .gitignore file: `*.tmp` and `cache/` anywhere, `/top` only at the top, and
    /// `!keep` takes back
    #[cfg_attr(feature = "clap", arg(long, value_name = "GLOB"))]
    pub exclude: Vec<String>,

    /// Take only files that match GLOB, or are in folders that do
    #[cfg_attr(feature = "clap", arg(long, value_name = "GLOB"))]
    pub include: Vec<String>,

    /// Leave out what matches any line of FILE, which is like a .gitignore file
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath))]
    pub exclude_from: Vec<PathBuf>,

    /// Take only files of at least SIZE: 5000, 64k, 2GB
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = hashmill::unstable::parse_size))]
    pub min_size: Option<u64>,

    /// Take only files of at most SIZE
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = hashmill::unstable::parse_size))]
    pub max_size: Option<u64>,

    /// Take only files modified less than AGE ago: 30m, 12h, 7d, 2w
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGE", value_parser = age))]
    pub newer: Option<Duration>,

    /// Take only files modified more than AGE ago
    #[cfg_attr(feature = "clap", arg(long, value_name = "AGE", value_parser = age))]
    pub older: Option<Duration>,

    /// Leave out files and folders whose names begin with a dot
    #[cfg_attr(feature = "clap", arg(long))]
    pub skip_hidden: bool,

    /// Do not enter folders on other file systems
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_file_system: bool,
}

/// Parses an age: `30s`, `30m`, `12h`, `7d`, `2w`.
///
/// # Errors
/// One line that says what is allowed.
pub fn age(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not an age: a whole number with s, m, h, d or w");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86400,
        'w' => 7 * 86400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// A selection that is ready to be applied.
#[derive(Clone, Default)]
pub struct Filter {
    exclude: Option<Gitignore>,
    include: Option<Gitignore>,
    /// Ends of names, each beginning with a dot.
    extensions: Vec<String>,
    sizes: (u64, Option<u64>),
    since: Option<SystemTime>,
    until: Option<SystemTime>,
    skip_hidden: bool,
    one_file_system: bool,
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filter")
    }
}

impl Filter {
    /// Returns the filter of a selection that also takes only files with these extensions (in either case, with a dot
    /// before them or not), if there are any.
    ///
    /// # Errors
    /// Returns what is wrong with a pattern, or why a file of patterns cannot be read.
    pub fn new(selection: &Selection, extensions: &[String]) -> Result<Filter, String> {
        let patterns = |globs: &[String], files: &[PathBuf]| {
            if globs.is_empty() && files.is_empty() {
                return Ok(None);
            }
            let mut builder = GitignoreBuilder::new("");
            for file in files {
                if let Some(e) = builder.add(file) {
                    return Err(e
                        .io_error()
                        .map_or_else(|| e.to_string(), |io| format!("{}: {}", file.display(), plain(io))));
                }
            }
            for glob in globs {
                builder.add_line(None, glob).map_err(|e| e.to_string())?;
            }
            builder.build().map(Some).map_err(|e| e.to_string())
        };
        let now = SystemTime::now();
        let extension = |text: &String| {
            let bare = text.trim_start_matches('*').trim_start_matches('.');
            if bare.is_empty() || bare.contains(|c: char| c.is_whitespace() || "*?[];|/".contains(c)) {
                return Err(format!("'{text}' is no extension; --include takes patterns"));
            }
            Ok(format!(".{bare}"))
        };
        Ok(Filter {
            exclude: patterns(&selection.exclude, &selection.exclude_from)?,
            include: patterns(&selection.include, &[])?,
            extensions: extensions.iter().map(extension).collect::<Result<_, String>>()?,
            sizes: (selection.min_size.unwrap_or(0), selection.max_size),
            since: selection.newer.and_then(|age| now.checked_sub(age)),
            until: selection.older.and_then(|age| now.checked_sub(age)),
            skip_hidden: selection.skip_hidden,
            one_file_system: selection.one_file_system,
        })
    }

    /// Returns whether to stay on the file system of a tree's root.
    pub fn is_on_one_file_system(&self) -> bool {
        self.one_file_system
    }

    fn is_left_out(&self, below: &Path, is_folder: bool) -> bool {
        let hidden = self.skip_hidden && below.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        hidden || self.exclude.as_ref().is_some_and(|rules| rules.matched(below, is_folder).is_ignore())
    }

    /// Returns whether everything is taken, so that no name needs to be examined.
    pub(crate) fn takes_all(&self) -> bool {
        self.exclude.is_none() && self.include.is_none() && self.extensions.is_empty() && !self.skip_hidden
    }

    /// Returns whether to enter a folder, given its path below the tree's root.
    pub fn enters(&self, below: &Path) -> bool {
        !self.is_left_out(below, true)
    }

    /// Returns whether a file's path below the tree's root allows it to be taken.
    pub fn takes_name(&self, below: &Path) -> bool {
        if self.is_left_out(below, false) {
            return false;
        }
        if let Some(rules) = &self.include
            && !rules.matched_path_or_any_parents(below, false).is_ignore()
        {
            return false;
        }
        let name = below.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
        // A name that is nothing but the end has no extension.
        let ends = |end: &String| {
            name.len()
                .checked_sub(end.len())
                .is_some_and(|at| at > 0 && name[at..].eq_ignore_ascii_case(end.as_bytes()))
        };
        self.extensions.is_empty() || self.extensions.iter().any(ends)
    }

    /// Returns whether the length and age of files matter.
    pub fn asks_for_more(&self) -> bool {
        self.sizes != (0, None) || self.since.is_some() || self.until.is_some()
    }

    /// Returns whether the file at a path is taken for its length and age. What cannot be examined is taken, so that it
    /// is reported.
    pub(crate) fn takes_content(&self, path: &Path) -> bool {
        !self.asks_for_more() || std::fs::metadata(path).map_or(true, |m| self.takes(m.len(), m.modified().ok()))
    }

    /// Returns whether the file at a path is taken, which is called `below` in the tree it belongs to.
    pub fn takes_file(&self, path: &Path, below: &Path) -> bool {
        self.takes_name(below) && self.takes_content(path)
    }

    /// Returns whether a file's length and the time of its last modification allow it to be taken.
    pub fn takes(&self, size: u64, modified: Option<SystemTime>) -> bool {
        let (least, most) = self.sizes;
        let young = |since| modified.is_none_or(|m| m >= since);
        let old = |until| modified.is_none_or(|m| m <= until);
        size >= least
            && most.is_none_or(|most| size <= most)
            && self.since.is_none_or(young)
            && self.until.is_none_or(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(set: impl FnOnce(&mut Selection)) -> Filter {
        let mut selection = Selection::default();
        set(&mut selection);
        Filter::new(&selection, &[]).unwrap()
    }

    #[test]
    fn patterns_are_those_of_git() {
        let f = filter(|s| s.exclude = ["*.tmp", "/top", "cache/", "!keep.tmp"].map(String::from).to_vec());
        let takes = |path: &str| f.takes_name(Path::new(path));
        assert!(!takes("a.tmp") && !takes("x/a.tmp") && takes("keep.tmp") && takes("x/keep.tmp"));
        assert!(!takes("top") && takes("x/top") && takes("cache"));
        assert!(!f.enters(Path::new("cache")) && !f.enters(Path::new("x/cache")) && f.enters(Path::new("x")));
        let f = filter(|s| s.include = ["*.jpg", "raw/"].map(String::from).to_vec());
        let takes = |path: &str| f.takes_name(Path::new(path));
        assert!(takes("a.jpg") && takes("x/a.jpg") && takes("raw/a.cr2") && takes("x/raw/y/a") && !takes("a.cr2"));
        let broken = Selection { exclude: vec!["{a".into()], ..Selection::default() };
        assert!(Filter::new(&broken, &[]).is_err());
    }

    #[test]
    fn extensions_sizes_and_ages() {
        let f = Filter::new(&Selection::default(), &[".JPG".into(), "*.cr2".into()]).unwrap();
        assert!(
            f.takes_name(Path::new("x/a.jpg")) && f.takes_name(Path::new("A.CR2")) && !f.takes_name(Path::new("jpg"))
        );
        let f = filter(|s| (s.min_size, s.max_size) = (Some(2), Some(4)));
        assert!(f.asks_for_more() && f.takes(2, None) && f.takes(4, None) && !f.takes(1, None) && !f.takes(5, None));
        let f = filter(|s| s.newer = Some(Duration::from_secs(3600)));
        let ago = |seconds| Some(SystemTime::now() - Duration::from_secs(seconds));
        assert!(f.takes(0, ago(60)) && !f.takes(0, ago(7200)));
        let f = filter(|s| s.older = Some(Duration::from_secs(3600)));
        assert!(!f.takes(0, ago(60)) && f.takes(0, ago(7200)));
        assert!(!filter(|s| s.skip_hidden = true).enters(Path::new("x/.git")));
        assert_eq!(age("2w"), Ok(Duration::from_secs(14 * 86400)));
        for bad in ["", "5", "d", "-1d", "1y", "99999999999999999999d", "5µ"] {
            assert!(age(bad).is_err(), "{bad}");
        }
    }
}
