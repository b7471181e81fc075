//! The tasks, on the program as it is built.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod machine_code;
