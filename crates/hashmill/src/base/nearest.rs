//! What somebody may have meant by a name that does not exist.
//!
//! Serves algorithms (`registry/nearest.rs`), ciphers and options alike.

/// Of names, each with what it stands for, what those stand for that are most like `typed`: all that are equally like
/// it, in the order given. Nothing where none is like it at all.
pub fn nearest<'a, T: PartialEq>(typed: &str, names: impl IntoIterator<Item = (&'a str, T)>) -> Vec<T> {
    let typed = key(typed);
    best(names.into_iter().map(|(name, meaning)| (rank(&typed, &key(name)), meaning)))
}

/// Those of the lowest rank, each once.
pub(crate) fn best<T: PartialEq>(ranked: impl Iterator<Item = (Option<usize>, T)>) -> Vec<T> {
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
pub(crate) fn key(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// The rank of a name that begins with what was typed.
pub(crate) const BEGINS: usize = 1;
/// That of one with which what was typed begins, less its length.
const CONTINUED: usize = 900;
/// That of one that differs in its number.
const SAME_WORD: usize = 1000;

/// How far a name is from what was typed; nothing if it is not like it.
pub(crate) fn rank(typed: &[char], name: &[char]) -> Option<usize> {
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
    // `sha999`: a known word with an unknown number.
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
