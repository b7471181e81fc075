//! What can be wrong with a bag, apart from its files.

/// The kinds of flaws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// A tag file, or a line of it, breaks the rules.
    Malformed,
    /// A part of the bag is not there.
    Missing,
    /// A name leads out of the bag.
    Outside,
    /// A tag file cannot be read.
    Unreadable,
    /// Digests cannot be checked, since nothing computes them.
    NotChecked,
    /// `Payload-Oxum` states another number of bytes or files.
    Oxum,
    /// Nothing is wrong: it is only worth telling.
    Note,
}

impl FlawKind {
    /// Returns a stable word for it, as `--json` has it.
    pub fn name(self) -> &'static str {
        match self {
            FlawKind::Malformed => "malformed",
            FlawKind::Missing => "missing",
            FlawKind::Outside => "outside",
            FlawKind::Unreadable => "unreadable",
            FlawKind::NotChecked => "not-checked",
            FlawKind::Oxum => "oxum",
            FlawKind::Note => "note",
        }
    }

    /// Returns the bits of an exit status that say so.
    pub(crate) fn bits(self) -> u8 {
        match self {
            FlawKind::Note => 0,
            FlawKind::Oxum => 1,
            FlawKind::Outside | FlawKind::Unreadable | FlawKind::NotChecked => 4,
            FlawKind::Malformed => 8,
            FlawKind::Missing => 16,
        }
    }
}

/// Something that is wrong with a bag, or worth telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Its kind.
    pub kind: FlawKind,
    /// The tag file, by its name in the bag, or empty for the bag itself.
    pub file: String,
    /// The number of the line, starting from 1.
    pub line: Option<u64>,
    /// What is wrong, in one line.
    pub what: String,
}

impl Flaw {
    pub(crate) fn new(kind: FlawKind, file: impl Into<String>, what: impl Into<String>) -> Self {
        Flaw { kind, file: file.into(), line: None, what: what.into() }
    }

    pub(crate) fn at(self, line: u64) -> Self {
        Flaw { line: Some(line), ..self }
    }
}
