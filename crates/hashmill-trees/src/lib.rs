//! What changed in trees of files, what moved and what rotted: snapshots of trees from lists and from the file system,
//! and what differs between two of them.
//!
//! A [`Snapshot`] is what is known of the files of a tree; [`Comparison`] compares it with what is found later, without
//! touching a file; [`audit`] walks and reads a folder for that.

mod base;
mod decide;
mod read;
mod surface;

/// Bags (BagIt, RFC 8493): folders with manifests of their content.
pub mod bag {
    pub use crate::base::bag::flaw::{Flaw, FlawKind};
    pub use crate::base::bag::tags::{Oxum, Tag, parse_tags};
    pub use crate::surface::bag::check::{BagClass, BagEvent, BagFile, BagSummary, CheckBagOptions, Depth, check};
    pub use crate::surface::bag::create::{CreateBagOptions, CreatedBag, create};
    pub use crate::surface::bag::update::{UpdateBagEvent, UpdateBagOptions, UpdatedBag, update};
    pub use crate::surface::bag::write::{BagError, Put};
}

pub use base::class::Class;
pub use base::snapshot::{Contradiction, Known, Row, Snapshot};
pub use decide::comparison::{Change, Comparison};
pub use decide::content::same_content;
pub use read::history::{Damage, HistoryEvent};
pub use read::list::{ListEvent, Source, times_of, unfinished_of, verified_of};
pub use read::verified::Verified;
pub use surface::audit::{AuditError, AuditEvent, AuditOptions, AuditSummary, FileChange, Share, audit};
pub use surface::copies::{CopiesOptions, Copy, Wanted, copies};
pub use surface::diff::{DiffEvent, DiffFile, DiffOptions, DiffSummary, Side, Sides, diff};
pub use surface::dups::{Duplicates, DupsOptions, Group, Holds, Member, dups};
pub use surface::merge::{Merged, merge};
pub use surface::mhl::compare::{check_history, diff_history};
pub use surface::mhl::create::{Draft, create_generation};
pub use surface::mhl::{CreateOptions, FolderChange, MhlError, MhlEvent, MhlOptions, MhlSummary};
pub use surface::update::{UpdateOptions, Updated, update};
