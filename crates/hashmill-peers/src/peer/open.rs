//! Starting and loading peers.

use crate::peer::contract::{Peer, PeerError, PeerKind, program};
use crate::peer::crates::CRATES;
use crate::peer::libcrypto::{self, Libcrypto};
use crate::peer::rustcrypto::RUSTCRYPTO;
use crate::peer::{coreutils, language};
use clap::ValueEnum as _;
use std::ffi::OsStr;

/// Starts or loads a peer. `HASHMILL_LIBCRYPTO`, `HASHMILL_LIBCRYPTO2`, `HASHMILL_PHP`, `HASHMILL_GO`,
/// `HASHMILL_PYTHON` and `HASHMILL_COREUTILS` (a directory) select which one.
///
/// # Errors
/// If it is not available.
pub fn open(kind: PeerKind) -> Result<Box<dyn Peer>, PeerError> {
    open_program(kind, program(kind).as_deref())
}

/// Like [`open`], with a program, library or directory instead of the variable's. (Compiled-in peers need none.)
///
/// # Errors
/// If it is not available.
pub fn open_program(kind: PeerKind, program: Option<&OsStr>) -> Result<Box<dyn Peer>, PeerError> {
    Ok(match kind {
        PeerKind::Openssl => Box::new(Libcrypto::open(program)?),
        PeerKind::Openssl2 => Box::new(second_libcrypto(program)?),
        PeerKind::OpensslOnce => Box::new(libcrypto::OneCall::open(program)?),
        PeerKind::Rustcrypto => Box::new(RUSTCRYPTO),
        PeerKind::Crates => Box::new(CRATES),
        PeerKind::Php => Box::new(language::php(program)?),
        PeerKind::Go => Box::new(language::go(program)?),
        PeerKind::Python => Box::new(language::python(program)?),
        PeerKind::Coreutils => Box::new(coreutils::Coreutils::open(program)?),
    })
}

/// Opens the second libcrypto, which has no default.
fn second_libcrypto(named: Option<&OsStr>) -> Result<Libcrypto, PeerError> {
    Libcrypto::open(Some(named.ok_or(PeerError::NoSecondLibcrypto)?))
}

/// Returns every peer with its version, or the reason why it cannot be used. Compiles nothing and keeps nothing open.
pub fn available() -> Vec<(PeerKind, Result<String, PeerError>)> {
    let version = |kind| {
        let program = program(kind);
        match kind {
            PeerKind::Openssl => Libcrypto::open(program.as_deref()).map(|l| l.version()),
            PeerKind::OpensslOnce => libcrypto::OneCall::open(program.as_deref()).map(|l| l.version()),
            PeerKind::Openssl2 => second_libcrypto(program.as_deref()).map(|l| l.version()),
            PeerKind::Rustcrypto => Ok(RUSTCRYPTO.version()),
            PeerKind::Crates => Ok(CRATES.version()),
            PeerKind::Coreutils => coreutils::Coreutils::open(program.as_deref()).map(|c| c.version()),
            PeerKind::Php | PeerKind::Go | PeerKind::Python => language::version(kind, program.as_deref()),
        }
    };
    PeerKind::value_variants().iter().map(|&kind| (kind, version(kind))).collect()
}
