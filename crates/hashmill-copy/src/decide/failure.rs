//! Why a file was not copied, and what follows from it.

use crate::model::event::Problem;
use crate::model::options::OnConflict;
use indicatif::HumanBytes;
use std::path::{Path, PathBuf};

/// Why a file was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Source(String),
    #[error("changed while it was read")]
    Changed,
    #[error("{}: {cause}", .path.display())]
    Destination { path: PathBuf, cause: String },
    /// There is no room for the file, so nothing of it was written.
    #[error("does not fit: {}", room(*.needed, *.free, .place))]
    DoesNotFit { needed: u64, free: u64, place: PathBuf },
    /// The file system was full before the copy was complete.
    #[error("{}: {cause}", .path.display())]
    Full { path: PathBuf, cause: String },
    /// The copy or the source had different content when it was read again.
    #[error("{}", if *.original { "had different content when it was read again" }
        else { "the copy read back from the medium differs" })]
    Mismatch { original: bool },
    #[error("{} exists with other content", .0.display())]
    Conflict(PathBuf),
    /// A fault of this program, or a thread that the system refused: later files would fare no better.
    #[error("{0}")]
    Broken(String),
}

impl Failure {
    /// Converts an error from hashing a source.
    pub(crate) fn of_source(e: &hashmill_files::Error) -> Failure {
        if matches!(e, hashmill_files::Error::Panicked) {
            Failure::Broken(e.to_string())
        } else {
            Failure::Source(e.to_string())
        }
    }
}

/// Returns how much is needed and free, exactly if the rounded figures are the same.
fn room(needed: u64, free: u64, place: &Path) -> String {
    let rounded = (HumanBytes(needed).to_string(), HumanBytes(free).to_string());
    let (needed, free) =
        if rounded.0 == rounded.1 { (format!("{needed} bytes"), format!("{free} bytes")) } else { rounded };
    format!("{needed} needed, {free} free in {}", place.display())
}

/// What follows from a failure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sequel {
    /// The file is copied again.
    Repeat,
    /// The file is reported as failed, for this reason.
    Fail(Problem),
    /// The file is reported as left alone, as the policy asks.
    LeaveAlone,
}

/// Decides what follows when the `attempt`th copy of a file, counted from 1, has failed.
pub(crate) fn sequel(failure: &Failure, attempt: u32, policy: OnConflict) -> Sequel {
    match failure {
        // A bad cable or a file in use may do better at the second attempt; further attempts would only hide a fault.
        Failure::Mismatch { .. } | Failure::Changed if attempt == 1 => Sequel::Repeat,
        Failure::Conflict(_) if policy == OnConflict::Skip => Sequel::LeaveAlone,
        Failure::Source(_) | Failure::Changed => Sequel::Fail(Problem::Unreadable),
        Failure::Destination { .. } | Failure::DoesNotFit { .. } | Failure::Full { .. } | Failure::Broken(_) => {
            Sequel::Fail(Problem::Unwritable)
        }
        Failure::Mismatch { .. } => Sequel::Fail(Problem::Mismatch),
        Failure::Conflict(_) => Sequel::Fail(Problem::Conflict),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        let said = |needed, free| Failure::DoesNotFit { needed, free, place: "there".into() }.to_string();
        assert_eq!(said(419_430_400, 0), "does not fit: 400.00 MiB needed, 0 B free in there");
        assert_eq!(said(1536, 1023), "does not fit: 1.50 KiB needed, 1023 B free in there");
        assert_eq!(said(1 << 30, (1 << 30) - 4096), "does not fit: 1.00 GiB needed, 1024.00 MiB free in there");
        assert_eq!(
            said(5_000_000_000, 4_999_999_488),
            "does not fit: 5000000000 bytes needed, 4999999488 bytes free in there"
        );
        assert!(said(u64::MAX, 1).contains("16.00 EiB"));
    }

    #[test]
    fn sequels() {
        let destination = Failure::Destination { path: "there".into(), cause: "disk full".into() };
        let unfit = Failure::DoesNotFit { needed: 2, free: 1, place: "there".into() };
        let full = Failure::Full { path: "there".into(), cause: "disk full".into() };
        let mismatch = Failure::Mismatch { original: false };
        let conflict = Failure::Conflict("there".into());
        // The sequel of the first and of the second attempt, under every policy.
        let table = [
            (Failure::Source("gone".into()), Sequel::Fail(Problem::Unreadable), Sequel::Fail(Problem::Unreadable)),
            (Failure::Changed, Sequel::Repeat, Sequel::Fail(Problem::Unreadable)),
            (destination, Sequel::Fail(Problem::Unwritable), Sequel::Fail(Problem::Unwritable)),
            (unfit, Sequel::Fail(Problem::Unwritable), Sequel::Fail(Problem::Unwritable)),
            (full, Sequel::Fail(Problem::Unwritable), Sequel::Fail(Problem::Unwritable)),
            (mismatch, Sequel::Repeat, Sequel::Fail(Problem::Mismatch)),
            (Failure::Broken("panicked".into()), Sequel::Fail(Problem::Unwritable), Sequel::Fail(Problem::Unwritable)),
        ];
        for (failure, first, second) in table {
            for policy in [OnConflict::Rename, OnConflict::Skip, OnConflict::Fail, OnConflict::Repair] {
                assert_eq!(sequel(&failure, 1, policy), first, "{failure}");
                assert_eq!(sequel(&failure, 2, policy), second, "{failure}");
            }
        }
        for attempt in [1, 2] {
            assert_eq!(sequel(&conflict, attempt, OnConflict::Skip), Sequel::LeaveAlone);
            for policy in [OnConflict::Rename, OnConflict::Fail, OnConflict::Repair] {
                assert_eq!(sequel(&conflict, attempt, policy), Sequel::Fail(Problem::Conflict));
            }
        }
    }
}
