//! Sizes as people type them.

/// Parses a number of bytes: `5000`, `64k`, `16KiB`, `1M`, `2GB`. The units k, M and G (or KiB, MiB, GiB) are powers of
/// 1024; kB, MB and GB are powers of 1000. Case does not matter.
///
/// # Errors
/// One line that says what is allowed.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("'{text}' is not a size: a whole number, with k, M or G for powers of 1024 (kB, MB, GB: of 1000)");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [("5", 5), ("64k", 65536), ("16KiB", 16384), ("1kB", 1000), ("2G", 2 << 30), ("0", 0)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5k", "5x", "99999999999999999999", "18446744073709551615k"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
