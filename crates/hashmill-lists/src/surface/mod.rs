//! Reading and writing lists, and recognizing what is none.

pub(crate) mod expect;
pub mod mhl;
pub(crate) mod read;
pub(crate) mod recognize;
pub(crate) mod template;
#[cfg(test)]
mod tests;
pub(crate) mod write;
