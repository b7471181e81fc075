//! Values on the command line that measuring programs share: algorithms and sizes.

use hashmill::Algorithm;
pub use hashmill::unstable::parse_size as size;

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
