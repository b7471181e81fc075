//! Dates and times as cameras and programs write them.

use chrono::{Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime, Timelike};

/// A date and time as stated, and the offset from UTC if one is stated too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) local: NaiveDateTime,
    pub(super) offset: Option<FixedOffset>,
}

impl Moment {
    /// Returns a time in UTC whose place is unknown, as this computer's time zone has it.
    pub(super) fn from_utc(utc: NaiveDateTime) -> Moment {
        // At the ends of the calendar, there is no local time.
        if !(1..=9999).contains(&utc.year()) {
            return Moment { local: utc, offset: None };
        }
        let at = utc.and_utc().with_timezone(&Local).fixed_offset();
        Moment { local: at.naive_local(), offset: Some(*at.offset()) }
    }

    /// Adds a fraction of a second that is stated apart, as digits after a decimal point.
    pub(super) fn add_fraction(&mut self, digits: &str) {
        if self.local.nanosecond() == 0 {
            self.local = self.local.with_nanosecond(nanoseconds(digits)).unwrap_or(self.local);
        }
    }
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Parses a date with an optional time. The forms are those of EXIF (`2012:12:22 10:37:28`) with any of its usual
/// deviations (other separators, a zone, a fraction, missing seconds or a missing time, blanks for zeros, hour 24), of
/// ISO 8601, of C (`Mon Mar 10 15:04:43 2003`) and of mail (`Thu, 26 Oct 2006 16:46:04 +0200`).
pub(super) fn moment(text: &str) -> Option<Moment> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let text = text.strip_prefix("D:").unwrap_or(text);
    let mut scan = Scan(text.as_bytes());
    if scan.0.first()?.is_ascii_digit()
        && let Some((date, compact)) = numbered_date(&mut scan)
    {
        return time_after(date, compact, scan);
    }
    named_month(text)
}

/// Parses an offset from UTC: `Z`, `UTC`, `+02:00`, `+0200`, `+02`, `-7`.
pub(super) fn zone(text: &str) -> Option<FixedOffset> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    if ["z", "utc", "gmt"].iter().any(|z| text.eq_ignore_ascii_case(z)) {
        return FixedOffset::east_opt(0);
    }
    let text = ["UTC", "GMT"].iter().find_map(|z| text.strip_prefix(z)).unwrap_or(text);
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let mut scan = Scan(rest.as_bytes());
    let hours = scan.number(1, 2)?;
    // PDF's dates have an apostrophe here.
    scan.skip(|b| b == b':' || b == b'\'');
    let minutes = scan.number(2, 2).unwrap_or(0);
    (hours <= 15 && minutes < 60).then(|| FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60).cast_signed()))?
}

/// A cursor over bytes.
struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    /// Takes a number of `least` to `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let n = self.0.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = (n >= least && n > 0).then(|| self.0.split_at(n))?;
        self.0 = rest;
        Some(digits.iter().fold(0, |v, d| v * 10 + u32::from(d - b'0')))
    }

    /// Takes a number of two digits, the first of which may be a blank or missing.
    fn two(&mut self) -> Option<u32> {
        self.blanks();
        self.number(1, 2)
    }

    fn blanks(&mut self) -> usize {
        let n = self.0.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.0 = &self.0[n..];
        n
    }

    /// Takes one byte if it is as described.
    fn skip(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        wanted(first).then(|| {
            self.0 = rest;
            first
        })
    }
}

/// Takes a year, month and day; also returns whether nothing separates them.
fn numbered_date(scan: &mut Scan<'_>) -> Option<(NaiveDate, bool)> {
    let year = scan.number(4, 4)?.cast_signed();
    let separator = |b: u8| matches!(b, b':' | b'-' | b'/' | b'.' | b'_' | b' ');
    let compact = scan.skip(separator).is_none();
    let (month, day) = if compact {
        (scan.number(2, 2)?, scan.number(2, 2)?)
    } else {
        let month = scan.two()?;
        scan.skip(separator)?;
        (month, scan.two()?)
    };
    Some((NaiveDate::from_ymd_opt(year, month, day)?, compact))
}

/// Parses the time that follows a date, with its fraction and zone. Without a time it is midnight.
fn time_after(date: NaiveDate, compact: bool, mut scan: Scan<'_>) -> Option<Moment> {
    let midnight = Moment { local: date.and_hms_opt(0, 0, 0)?, offset: None };
    let before = scan.0.len();
    scan.skip(|b| matches!(b, b'T' | b't' | b'_' | b'-' | b',' | b'/' | b':' | b'.'));
    scan.blanks();
    let apart = scan.0.len() < before;
    if !apart && !compact && !scan.0.is_empty() {
        // `2012:12:223` is not a date.
        return None;
    }
    Some(time(&mut scan).and_then(|t| t.on(date)).unwrap_or(midnight))
}

struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    nanoseconds: u32,
    offset: Option<FixedOffset>,
}

impl Time {
    fn on(&self, date: NaiveDate) -> Option<Moment> {
        // Hour 24 is the end of the day, and a leap second has no name of its own here.
        let (date, hour) = if self.hour == 24 && self.minute == 0 && self.second == 0 {
            (date.succ_opt()?, 0)
        } else {
            (date, self.hour)
        };
        let second = if self.second == 60 { 59 } else { self.second };
        let local = date.and_hms_nano_opt(hour, self.minute, second, self.nanoseconds)?;
        Some(Moment { local, offset: self.offset })
    }
}

/// Takes `14:25`, `14:25:07`, `142507`, each with a fraction, `AM` or `PM`, and a zone.
fn time(scan: &mut Scan<'_>) -> Option<Time> {
    let separator = |b: u8| matches!(b, b':' | b'.' | b'-' | b'h' | b'_');
    let mut hour = scan.two()?;
    let compact = scan.skip(separator).is_none();
    let minute = if compact { scan.number(2, 2)? } else { scan.two()? };
    let mut second = 0;
    let mut nanoseconds = 0;
    let with_seconds = if compact {
        scan.0.first().is_some_and(u8::is_ascii_digit)
    } else {
        scan.0.first().is_some_and(|&b| separator(b)) && scan.0.get(1).is_some_and(|b| b.is_ascii_digit() || *b == b' ')
    };
    if with_seconds {
        if !compact {
            scan.skip(separator);
        }
        second = scan.two()?;
        // Some phones write milliseconds after a colon.
        if scan.0.first().is_some_and(|b| matches!(b, b'.' | b',' | b':')) {
            scan.skip(|_| true);
            let digits = scan.0.iter().take_while(|b| b.is_ascii_digit()).count();
            let fraction = std::str::from_utf8(&scan.0[..digits]).unwrap_or_default();
            nanoseconds = self::nanoseconds(fraction);
            scan.0 = &scan.0[digits..];
        }
    }
    scan.blanks();
    let half = scan.0.get(..2).map(<[u8]>::to_ascii_lowercase);
    if let Some(half @ (b"am" | b"pm")) = half.as_deref() {
        hour = hour % 12 + if half == b"pm" { 12 } else { 0 };
        scan.0 = &scan.0[2..];
    }
    let offset = std::str::from_utf8(scan.0).ok().and_then(zone);
    Some(Time { hour, minute, second, nanoseconds, offset })
}

/// Returns the nanoseconds that the digits after a decimal point stand for. Cameras write any number of them.
fn nanoseconds(digits: &str) -> u32 {
    let digits: String = digits.trim().chars().take_while(char::is_ascii_digit).take(9).collect();
    format!("{digits:0<9}").parse().unwrap_or(0)
}

/// Parses a date whose month is a word.
fn named_month(text: &str) -> Option<Moment> {
    let words: Vec<&str> = text.split([' ', ',', '-', '\n', '\0']).filter(|w| !w.is_empty()).take(8).collect();
    let month_of = |word: &str| {
        let start = word.get(..3)?.to_ascii_lowercase();
        let all_letters = word.trim_end_matches('.').bytes().all(|b| b.is_ascii_alphabetic());
        MONTHS.iter().position(|m| all_letters && *m == start).map(|i| i as u32 + 1)
    };
    let month = words.iter().find_map(|w| month_of(w))?;
    let number = |word: &&&str, len: std::ops::RangeInclusive<usize>| {
        len.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
    };
    let day: u32 = words.iter().find(|w| number(w, 1..=2))?.parse().ok()?;
    let year: i32 = words.iter().find(|w| number(w, 4..=4))?.parse().ok()?;
    let date = NaiveDate::from_ymd_opt(year, month, day)?;
    let clock = words.iter().find(|w| w.contains(':') && w.as_bytes()[0].is_ascii_digit());
    let mut moment = clock
        .and_then(|w| time(&mut Scan(w.as_bytes())))
        .and_then(|t| t.on(date))
        .unwrap_or(Moment { local: date.and_hms_opt(0, 0, 0)?, offset: None });
    if moment.offset.is_none() {
        // The dashes of negative offsets have been split off above, so they are looked up in the whole text.
        let last = text.rsplit(' ').next().unwrap_or_default();
        moment.offset = zone(last).filter(|_| last.len() >= 3 || last.eq_ignore_ascii_case("z"));
    }
    Some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        moment(text).map(|m| {
            let zone = m.offset.map_or_else(String::new, |o| format!(" {o}"));
            format!("{}{zone}", m.local.format("%Y-%m-%d %H:%M:%S%.f"))
        })
    }

    #[test]
    fn forms_of_dates() {
        for (text, want) in [
            ("2012:12:22 10:37:28", "2012-12-22 10:37:28"),
            ("2012-12-22 10:37:28", "2012-12-22 10:37:28"),
            ("2012/12/22 10:37:28", "2012-12-22 10:37:28"),
            ("2012.12.22 10.37.28", "2012-12-22 10:37:28"),
            ("2025-01-30T08:59:50+01:00", "2025-01-30 08:59:50 +01:00"),
            ("2025-01-30T08:59:50.123Z", "2025-01-30 08:59:50.123 +00:00"),
            ("2025:02:01 14:42:59+01:00", "2025-02-01 14:42:59 +01:00"),
            ("2025:02:01 14:42:59 -0730", "2025-02-01 14:42:59 -07:30"),
            ("2024-01-10T21:00:00+0000", "2024-01-10 21:00:00 +00:00"),
            ("2019:11:28 14:38:40:794", "2019-11-28 14:38:40.794"),
            ("2019:11:28 14:38:40.7", "2019-11-28 14:38:40.700"),
            ("2019:11:28 14:38:40,25", "2019-11-28 14:38:40.250"),
            ("2018:11:28", "2018-11-28 00:00:00"),
            ("2017:11:28 14:38", "2017-11-28 14:38:00"),
            ("2016:11:28 14:38:40   \0\0", "2016-11-28 14:38:40"),
            ("2015:11: 8  4:38:40", "2015-11-08 04:38:40"),
            ("2015:11:08 24:00:00", "2015-11-09 00:00:00"),
            ("2016:12:31 23:59:60", "2016-12-31 23:59:59"),
            ("2015:11:08 99:00:00", "2015-11-08 00:00:00"),
            ("20240531T142507Z", "2024-05-31 14:25:07 +00:00"),
            ("20240531142507", "2024-05-31 14:25:07"),
            ("D:20240531142507+02'00'", "2024-05-31 14:25:07 +02:00"),
            ("2001/ 1/27  1:42PM", "2001-01-27 13:42:00"),
            ("2005/11/28/ 09:19", "2005-11-28 09:19:00"),
            ("1998.10.24.12.08.57", "1998-10-24 12:08:57"),
            ("2002-12-16  15:35:01\0\0", "2002-12-16 15:35:01"),
            ("Mon Mar 10 15:04:43 2003\n", "2003-03-10 15:04:43"),
            ("MON MAR  3 15:04:43 2003", "2003-03-03 15:04:43"),
            ("Thu, 26 Oct 2006 16:46:04 +0200", "2006-10-26 16:46:04 +02:00"),
            ("Thu, 26 Oct 2006 16:46:04 -0700", "2006-10-26 16:46:04 -07:00"),
            ("26 October 2006 16:46 GMT", "2006-10-26 16:46:00 +00:00"),
            ("2012:12:22 12:05:00 am", "2012-12-22 00:05:00"),
        ] {
            assert_eq!(read(text).as_deref(), Some(want), "{text:?}");
        }
        for text in [
            "", " ", "0000:00:00 00:00:00", "    :  :     :  :  ", "2012:13:01", "2012:02:30", "2012", "2012:12",
            "12:12:2012", "2012:12:223", "march", "\0", "2012:1x:01",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn forms_of_zones() {
        let seconds = |text: &str| zone(text).map(|z| z.local_minus_utc());
        for (text, want) in [
            ("+02:00", 7200),
            ("-07:00", -25200),
            ("+0530", 19800),
            ("+01", 3600),
            ("-5", -18000),
            ("Z", 0),
            ("+00:00\0", 0),
            ("UTC+2", 7200),
        ] {
            assert_eq!(seconds(text), Some(want), "{text}");
        }
        for text in ["", "   :  ", "+", "02:00", "+99:00", "local"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
