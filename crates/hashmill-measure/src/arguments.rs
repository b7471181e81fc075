//! Values on the command line that several programs share.

use std::ops::RangeInclusive;

/// Returns a parser of whole numbers in `range`, for clap's `value_parser`.
pub fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let found = text.parse().ok().filter(|n| range.contains(n));
        found.ok_or_else(|| format!("it is a whole number from {} to {}", range.start(), range.end()))
    }
}
