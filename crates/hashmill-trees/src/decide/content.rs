//! Whether files have the same content.

use hashmill_lists::Stated;

/// Returns whether two files have the same content by their digests, if they have one of the same function. All such
/// digests must be the same.
pub fn same_content(stated: &[Stated], computed: &[Stated]) -> Option<bool> {
    let mut same = None;
    for s in stated {
        let Some(function) = s.function else { continue };
        if let Some(c) = computed.iter().find(|c| c.function == s.function) {
            let accepted = std::iter::once(&s.digest).chain(&s.or).any(|digest| function.accepts(digest, &c.digest));
            same = Some(accepted && same.unwrap_or(true));
        }
    }
    same
}
