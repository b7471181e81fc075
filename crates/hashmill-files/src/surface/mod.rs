//! The operations that the crate offers to its callers.

pub(crate) mod check;
pub(crate) mod filter;
pub(crate) mod memory;
pub(crate) mod perform;
pub(crate) mod sum;
#[cfg(test)]
mod tests;
pub(crate) mod walk;
