//! What somebody may have meant by a name that does not exist.

use crate::registry::{ROWS, Row};

/// How many names a message suggests at most.
pub(crate) const MOST: usize = 3;

/// What people mostly want, where several algorithms are equally like what was typed.
const USUAL: [&str; 13] = [
    "sha256", "sha512", "sha3-256", "sha3-512", "blake3", "blake2b-512", "blake2s-256", "md5", "xxh64", "xxh3",
    "xxh128", "crc32", "crc32c",
];

/// The algorithms whose names are most like this one, at most three, best first.
pub(crate) fn algorithms(name: &str) -> Vec<String> {
    let typed = key(name);
    let ranked = ROWS.iter().flat_map(|row| {
        let of_names = std::iter::once(&row.name).chain(row.aliases).map(|n| rank(&typed, &key(n)));
        // A family's name stands for its members, as the beginning of a name does for all that begin so.
        let of_family = rank(&typed, &key(row.family)).map(|rank| rank.max(BEGINS));
        of_names.chain([of_family]).map(move |rank| (rank, row.name))
    });
    let names = best(ranked);
    let mut found: Vec<&Row> = ROWS.iter().filter(|row| names.contains(&row.name)).collect();
    let usual = |row: &Row| USUAL.iter().position(|n| *n == row.name);
    if found.iter().any(|row| usual(row).is_some()) {
        found.retain(|row| usual(row).is_some());
    }
    found.sort_by_key(|row| (usual(row), !row.common));
    found.into_iter().take(MOST).map(|row| row.name.into()).collect()
}

/// Of names, each with what it stands for, what those stand for that are most like `typed`: all that are equally like
/// it, in the order given. Nothing where none is like it at all.
pub fn nearest<'a, T: PartialEq>(typed: &str, names: impl IntoIterator<Item = (&'a str, T)>) -> Vec<T> {
    let typed = key(typed);
    best(names.into_iter().map(|(name, meaning)| (rank(&typed, &key(name)), meaning)))
}

/// Those of the lowest rank, each once.
fn best<T: PartialEq>(ranked: impl Iterator<Item = (Option<usize>, T)>) -> Vec<T> {
    let mut lowest = usize::MAX;
    let mut found = Vec::new();
    for (rank, meaning) in ranked {
        let Some(rank) = rank.filter(|rank| *rank <= lowest) else { continue };
        if rank < lowest {
            lowest = rank;
            found.clear();
        }
        if !found.contains(&meaning) {
            found.push(meaning);
        }
    }
    found
}

/// What counts of a name: its letters and digits, in any case.
fn key(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// The rank of a name that begins with what was typed.
const BEGINS: usize = 1;
/// That of one with which what was typed begins, less its length.
const CONTINUED: usize = 900;
/// That of one that differs in its number.
const SAME_WORD: usize = 1000;

/// How far a name is from what was typed; nothing if it is not like it.
fn rank(typed: &[char], name: &[char]) -> Option<usize> {
    if typed == name {
        return Some(0);
    }
    // One letter is the beginning of too much.
    if typed.len() < 2 {
        return None;
    }
    if name.starts_with(typed) {
        return Some(BEGINS);
    }
    let allowed = (typed.len() / 3).clamp(1, 3);
    if typed.len().abs_diff(name.len()) <= allowed {
        let n = edits(typed, name);
        if n <= allowed {
            return Some(BEGINS + n);
        }
    }
    // `md5sum`: the longer the name in front, the better. Another number is another name.
    if name.len() > 2 && typed.starts_with(name) && !typed[name.len()..].iter().all(char::is_ascii_digit) {
        return Some(CONTINUED - name.len());
    }
    // `sha999`: a word that there is, with a number that there is not.
    let word = typed
        .iter()
        .position(char::is_ascii_digit)
        .filter(|n| *n > 1 && typed[*n..].iter().all(char::is_ascii_digit))?;
    (name.starts_with(&typed[..word]) && name.get(word).is_some_and(char::is_ascii_digit)).then_some(SAME_WORD)
}

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to get from one to the
/// other.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            let mut best = (last[j - 1] + usize::from(!same)).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// `; did you mean a, b or c?`, or nothing where there is nothing to suggest.
pub fn did_you_mean<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [most @ .., last] => format!("; did you mean {} or {last}?", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typical_mistakes() {
        for (typed, meant) in [
            ("sha265", "sha256"),
            ("sha-256x", "sha256"),
            ("sh256", "sha256"),
            ("sha 256", "sha256"),
            ("sha2", "sha256 sha512"),
            ("SHA-2", "sha256 sha512"),
            ("sha3", "sha3-256 sha3-512"),
            ("sha3-265", "sha3-256"),
            ("sha999", "sha256 sha512 sha3-256"),
            ("blake", "blake3 blake2b-512 blake2s-256"),
            ("blake4", "blake3 blake2b-512 blake2s-256"),
            ("xxhash", "xxh64 xxh3 xxh128"),
            ("crc", "crc32 crc32c"),
            ("md", "md5"),
            ("md6", "md5"),
            ("md5sum", "md5"),
            ("sha512sum", "sha512"),
            ("m5d", "md5"),
            ("shake", "shake128 shake256"),
            ("whirpool", "whirlpool"),
            ("nosuch", ""),
            ("nonsense", ""),
            ("entirely-different-name", ""),
            ("x", ""),
            ("", ""),
            ("-", ""),
        ] {
            assert_eq!(algorithms(typed).join(" "), meant, "{typed}");
        }
    }

    /// Whatever is suggested is a name.
    #[test]
    fn suggestions_are_names() {
        for row in ROWS {
            for typed in [format!("{}x", row.name), row.family.into(), row.name[..row.name.len() - 1].into()] {
                for name in algorithms(&typed) {
                    assert!(crate::Algorithm::named(&name).is_some(), "{typed}: {name}");
                }
            }
        }
    }

    #[test]
    fn of_any_names() {
        let near = |typed| nearest(typed, ["seconds", "sizes", "svg", "save"].map(|n| (n, n)));
        assert_eq!(near("secnods"), ["seconds"]);
        assert_eq!(near("s"), Vec::<&str>::new());
        assert_eq!(near("si"), ["sizes"]);
        assert_eq!(near("bogus"), Vec::<&str>::new());
    }

    #[test]
    fn as_a_question() {
        assert_eq!(did_you_mean::<&str>(&[]), "");
        assert_eq!(did_you_mean(&["a"]), "; did you mean a?");
        assert_eq!(did_you_mean(&["a", "b"]), "; did you mean a or b?");
        assert_eq!(did_you_mean(&["a", "b", "c"]), "; did you mean a, b or c?");
    }
}
