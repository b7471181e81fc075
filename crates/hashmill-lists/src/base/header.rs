//! What a list says of itself.

use crate::base::digits::Digits;
use crate::base::function::Function;

/// What a list is made of besides its entries. Each form takes what it has a place for.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// What every file's digests are of, in their order.
    pub functions: Vec<Function>,
    /// Lines end with NUL, and nothing in names is escaped.
    pub zero: bool,
    /// Names are marked as those of binary files, in forms that tell them from texts.
    pub binary: bool,
    /// How digests are written.
    pub digits: Digits,
    /// The folder in which the program runs.
    pub folder: String,
    /// The command that makes the list.
    pub command: String,
    /// Whether it runs as root.
    pub is_root: bool,
    /// The name of the machine.
    pub host: String,
    /// The program and its version.
    pub program: String,
    /// The time: seconds since 1970 (UTC), and nanoseconds.
    pub now: (i64, u32),
}
