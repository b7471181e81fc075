//! What programs see beside the types of the other folders: what an [`Algorithm`] and an [`Engine`] do, HMAC,
//! constants, and the traits of the `digest` crate.

pub(crate) mod algorithm;
mod constants;
mod engine;
pub(crate) mod hmac;
#[cfg(feature = "digest")]
pub mod types;

use crate::engine::chosen::Engine;
use crate::registry::algorithm::Algorithm;
