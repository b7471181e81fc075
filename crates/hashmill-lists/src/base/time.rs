//! Times as text: RFC 3339, in UTC.

/// Seconds in a day.
const DAY: i64 = 86400;

/// Returns the days since 1970-01-01 of a day in the Gregorian calendar (Howard Hinnant, `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month and day of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let m = (5 * of_year + 2) / 153;
    let month = if m < 10 { m + 3 } else { m - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * m + 2) / 5 + 1)
}

/// Returns a time, in seconds since 1970 (UTC) and nanoseconds, as `2026-11-28T12:00:00.5Z`, with as many digits of the
/// second as are not zero.
pub fn format((seconds, nanoseconds): (i64, u32)) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let of_day = seconds.rem_euclid(DAY);
    let mut text =
        format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    if nanoseconds > 0 {
        text += format!(".{nanoseconds:09}").trim_end_matches('0');
    }
    text + "Z"
}

/// Returns the seconds since 1970 (UTC), and nanoseconds, of a time with its offset from UTC, in the forms of RFC 3339
/// and of XML Schema.
pub fn parse(text: &str) -> Option<(i64, u32)> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let at = time.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = time.split_at(at);
    let number = |text: &str, digits: usize| {
        let right = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i64>().ok().filter(|_| right)
    };
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts2 = whole.split(':');
    let (hour, minute, second) = (number(parts2.next()?, 2)?, number(parts2.next()?, 2)?, number(parts2.next()?, 2)?);
    let right = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    if !right || parts.next().is_some() || parts2.next().is_some() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let offset = match zone {
        "Z" | "z" => 0,
        zone => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let offset = number(hours, 2)? * 3600 + number(minutes, 2)? * 60;
            if zone.starts_with('-') { -offset } else { offset }
        }
    };
    let nanoseconds = fraction.bytes().chain([b'0'; 9]).take(9).fold(0, |n, digit| 10 * n + u32::from(digit - b'0'));
    Some((days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset, nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for time in [
            (0, 0),
            (-1, 0),
            (1_795_867_200, 500_000_000),
            (951_782_400, 1),
            (-62_135_596_800, 0),
            (253_402_300_799, 999_999_999),
        ] {
            assert_eq!(parse(&format(time)), Some(time));
        }
        assert_eq!(format((951_782_400, 120_000_000)), "2000-02-29T00:00:00.12Z");
        assert_eq!(parse("2026-11-28T13:00:00+01:00"), parse("2026-11-28T12:00:00Z"));
        assert_eq!(parse("2026-11-28 10:30:00.25-01:30"), Some((1_795_867_200, 250_000_000)));
        for bad in
            ["", "2026-11-28", "2026-13-01T00:00:00Z", "2026-11-28T12:00:00", "26-11-28T12:00:00Z", "2026-11-28T12:00Z"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
