//! What the metadata of one file say, as the readers of the formats collect it.

use super::sensible;
use super::text::{self, Moment};
use crate::model::taken::Origin;

/// Maximum length in bytes of a camera's make or model, since these become names of folders.
const LONGEST_NAME: usize = 100;

/// Everything of interest that was found. The first value found for each kind of date, and for the names, stays.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) dates: Vec<(Origin, Moment)>,
    /// When a film was made, by its own header, by that of a track, and when it was last changed: in seconds since
    /// 1970, in UTC if its maker keeps to the specification.
    pub(super) film: Option<i64>,
    pub(super) track: Option<i64>,
    pub(super) film_modified: Option<i64>,
    /// The maker, as told by the structure of a film; empty if unknown.
    pub(super) brand: &'static str,
    pub(super) make: String,
    pub(super) model: String,
    /// Apple's identifier that a picture and the film taken with it have in common.
    pub(super) content_id: String,
}

impl Said {
    pub(super) fn date(&mut self, origin: Origin, moment: Option<Moment>) {
        if let Some(moment) = moment.filter(|m| sensible(m.local).is_some())
            && !self.dates.iter().any(|(o, _)| *o == origin)
        {
            self.dates.push((origin, moment));
        }
    }

    pub(super) fn text(&mut self, origin: Origin, text: &str) {
        let mut moment = text::moment(text);
        // A film's date in UTC, as opposed to one at a place whose time is UTC, is in this computer's time zone.
        if let Some(m) = moment.as_mut().filter(|_| origin == Origin::FilmText && text.trim_end().ends_with(['Z', 'z']))
        {
            *m = Moment::from_utc(m.local);
        }
        self.date(origin, moment);
    }

    pub(super) fn make(&mut self, text: &[u8]) {
        name(&mut self.make, text);
    }

    pub(super) fn model(&mut self, text: &[u8]) {
        name(&mut self.model, text);
    }

    pub(super) fn content_id(&mut self, text: &[u8]) {
        name(&mut self.content_id, text);
    }
}

/// Stores a name, up to its first NUL, unless there is one already.
fn name(to: &mut String, text: &[u8]) {
    if to.is_empty() {
        let text = text.split(|&b| b == 0).next().unwrap_or_default();
        *to = shortened(String::from_utf8_lossy(text).trim().to_string());
    }
}

fn shortened(mut name: String) -> String {
    let end = (0..=LONGEST_NAME.min(name.len())).rev().find(|&i| name.is_char_boundary(i)).unwrap_or(0);
    name.truncate(end);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cameras_are_cut() {
        assert_eq!(shortened("Canon EOS R5".into()), "Canon EOS R5");
        assert_eq!(shortened("x".repeat(60_000)), "x".repeat(100));
        assert_eq!(shortened(format!("x{}", "\u{e9}".repeat(100))), format!("x{}", "\u{e9}".repeat(49)));
    }
}
