//! What becomes of a file between two snapshots of a tree.

/// What became of a file. Every file of either snapshot is in one class, but for a file that has moved: both its names
/// are in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It has the content that it had.
    Same,
    /// It has the content that it had, and another time of modification.
    Touched,
    /// It has another name. Its content is known by its digests.
    Moved,
    /// It was not there, and has the content of a file that still is.
    Copied,
    /// It was not there.
    New,
    /// It has another content and another time of modification.
    Changed,
    /// It has another content, though neither its length nor its time of modification have changed: nothing that
    /// writes to files leaves them so.
    Rotten,
    /// It has another content. Whether it was changed or has rotted cannot be told, since the time of its modification
    /// is not known, or only its length is another.
    Differs,
    /// It is not there any more.
    Missing,
    /// It could not be read.
    Unreadable,
    /// It could not be verified, since its digests need a key.
    NotChecked,
    /// It is no regular file, and is not one that was there: a link, a pipe, a device.
    Skipped,
}

impl Class {
    /// All classes, in the order of totals.
    pub const ALL: [Class; 12] = [
        Class::Same,
        Class::Touched,
        Class::Moved,
        Class::Copied,
        Class::New,
        Class::Changed,
        Class::Rotten,
        Class::Differs,
        Class::Missing,
        Class::Unreadable,
        Class::NotChecked,
        Class::Skipped,
    ];

    /// Returns a stable word for it, as `--json` has it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Same => "same",
            Class::Touched => "touched",
            Class::Moved => "moved",
            Class::Copied => "copied",
            Class::New => "new",
            Class::Changed => "changed",
            Class::Rotten => "rotten",
            Class::Differs => "differs",
            Class::Missing => "missing",
            Class::Unreadable => "unreadable",
            Class::NotChecked => "not-checked",
            Class::Skipped => "skipped",
        }
    }

    /// Returns the bits of an exit status that say so: 1 for another content, 4 for what was not verified, 16 for a
    /// name that is gone, 32 for one that was not there.
    pub fn bits(self) -> u8 {
        match self {
            Class::Same | Class::Touched | Class::Skipped => 0,
            Class::Changed | Class::Rotten | Class::Differs => 1,
            Class::Unreadable | Class::NotChecked => 4,
            Class::Missing => 16,
            Class::Copied | Class::New => 32,
            Class::Moved => 16 | 32,
        }
    }
}
