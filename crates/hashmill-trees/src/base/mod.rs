//! What everything else speaks of: snapshots of trees, and the classes of what is compared.

pub(crate) mod bag;
pub(crate) mod class;
pub(crate) mod history;
pub(crate) mod names;
pub(crate) mod snapshot;
