//! `hashmill bench`: one file per kind of measurement.
//!
//! Arguments are clap structs beside the code that uses them. Comparisons go through [`hashmill_measure::paired`],
//! except the kinds whose set-up must not be timed (`io`, `files`, `sum`): they take turns in the same way, in loops of
//! their own.

pub mod choice;
pub mod codegen;
pub mod copy;
pub mod files;
pub mod io;
pub mod kernels;
pub mod lanes;
pub mod loops;
mod programs;
pub mod scaling;
pub mod suite;
pub mod sum;
mod tree;
