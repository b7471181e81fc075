//! Metadata of pictures and videos, as `hashmill copy` reads it. The file name comes first, up to a NUL.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|&b| b == 0).unwrap_or(0);
    let (name, content) = (&data[..end], &data[(end + 1).min(data.len())..]);
    let memory = Path::new("/dev/shm");
    let mut file = if memory.is_dir() { tempfile::tempfile_in(memory) } else { tempfile::tempfile() }.expect("a file");
    file.write_all(content).expect("room");
    file.rewind().expect("a file of our own");
    let said: (&File, &OsStr) = (&file, OsStr::from_bytes(name));
    hashmill_copy::fuzzing::picture(said.0, said.1);
});
