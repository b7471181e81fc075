//! Reading one file: what it is, which device it is on, and the ways of getting at its bytes; and listing directories.
//!
//! Differences between systems are side by side under `cfg` in a few functions (`read/input.rs`, `read/list.rs`,
//! `base/error.rs`); what only Linux offers is in `read/sys.rs`, `read/device.rs` and `read/direct.rs`. On Windows,
//! names get `/` as soon as they are known, since lists are meant for all systems.

pub(crate) mod ahead;
pub(crate) mod device;
pub(crate) mod direct;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod sys;
