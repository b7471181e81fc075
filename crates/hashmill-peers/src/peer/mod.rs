//! Other implementations to compare with: OpenSSL's libcrypto, loaded at run time; RustCrypto and other crates,
//! compiled in; other languages and programs, as child processes whose own clock is read.

mod best;
mod compiled;
pub(crate) mod contract;
mod coreutils;
mod crates;
mod language;
pub mod libcrypto;
mod names;
mod open;
pub(crate) mod rustcrypto;
mod turn;

pub use best::{Best, Peers};
pub use contract::{Job, Peer, PeerError, PeerKind, stretches};
pub use names::{PHP_NAMES, name_for, php_name};
pub use open::{available, open, open_program};
pub use turn::Turn;
