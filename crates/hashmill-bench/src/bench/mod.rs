//! `hashmill bench`: one file per kind of measurement.

pub mod codegen;
pub mod copy;
pub mod files;
pub mod io;
pub mod kernels;
pub mod lanes;
pub mod loops;
pub mod sum;
mod tree;
