//! Values on the command line that several programs share: algorithms, sizes, numbers.

use hashmill::Algorithm;
use std::ops::RangeInclusive;

/// Algorithms, one argument each or in lists with commas.
#[derive(Debug, Clone)]
pub struct AlgorithmList(pub Vec<Algorithm>);

/// For clap's `value_parser`.
///
/// # Errors
/// For names that are none, with the nearest.
pub fn algorithms(text: &str) -> Result<AlgorithmList, hashmill::Error> {
    Algorithm::parse_list(text).map(AlgorithmList)
}

/// Lists one after the other, without repetitions.
pub fn flatten(lists: &[AlgorithmList]) -> Vec<Algorithm> {
    let mut all: Vec<Algorithm> = Vec::new();
    for a in lists.iter().flat_map(|l| &l.0) {
        if !all.contains(a) {
            all.push(*a);
        }
    }
    all
}

/// A number of bytes: `5000`, `64k`, `16KiB`, `1M`, `2GB`. k, M and G are 1024, 1024² and 1024³, kB, MB and GB 1000 and
/// so on.
///
/// # Errors
/// With one line that says what is allowed.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("'{text}' is no size: a whole number, with k, M or G for powers of 1024 (kB, MB, GB: of 1000)");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).ok_or_else(wrong)
}

/// For clap's `value_parser`: a whole number in this range.
pub fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let found = text.parse().ok().filter(|n| range.contains(n));
        found.ok_or_else(|| format!("it is a whole number from {} to {}", range.start(), range.end()))
    }
}

/// A size of a message: 1 byte to 1 GiB.
///
/// # Errors
/// With one line that says what is allowed.
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
    fn sizes() {
        for (text, bytes) in [("5", 5), ("64k", 65536), ("16KiB", 16384), ("1kB", 1000), ("2G", 2 << 30), ("0", 0)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5k", "5x", "99999999999999999999", "18446744073709551615k"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert!(message_size("0").is_err() && message_size("2G").is_err());
    }
}
