//! Reading and writing lists, and recognizing what is none.

pub(crate) mod expect;
pub(crate) mod read;
pub(crate) mod recognize;
#[cfg(test)]
mod tests;
pub(crate) mod write;
