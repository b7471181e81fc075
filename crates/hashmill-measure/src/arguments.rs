//! Values on the command line that several programs share: algorithms, sizes, numbers.

use hashmill::Algorithm;
pub use hashmill::unstable::parse_size as size;
use std::ops::RangeInclusive;

/// The algorithms of one argument: a name, or several separated by commas.
#[derive(Debug, Clone)]
pub struct AlgorithmList(pub Vec<Algorithm>);

/// Parses a comma-separated list of algorithms, for clap's `value_parser`.
///
/// # Errors
/// Returns the first unknown name, with the nearest known one.
pub fn algorithms(text: &str) -> Result<AlgorithmList, hashmill::Error> {
    Algorithm::parse_list(text).map(AlgorithmList)
}

/// Joins lists in order, each algorithm once.
pub fn flatten<'a>(lists: impl IntoIterator<Item = &'a AlgorithmList>) -> Vec<Algorithm> {
    let mut all: Vec<Algorithm> = Vec::new();
    for a in lists.into_iter().flat_map(|l| &l.0) {
        if !all.contains(a) {
            all.push(*a);
        }
    }
    all
}

/// Returns a parser of whole numbers in `range`, for clap's `value_parser`.
pub fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let found = text.parse().ok().filter(|n| range.contains(n));
        found.ok_or_else(|| format!("it is a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Parses the size of a message, 1 byte to 1 GiB, for clap's `value_parser`.
///
/// # Errors
/// Returns one line that names the allowed sizes.
pub fn message_size(text: &str) -> Result<usize, String> {
    let n = size(text)?;
    match usize::try_from(n) {
        Ok(n) if (1..=1 << 30).contains(&n) => Ok(n),
        _ => Err(format!("'{text}' is out of range: messages have 1 byte to 1 GiB")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_messages() {
        assert!(message_size("0").is_err() && message_size("2G").is_err());
    }
}
