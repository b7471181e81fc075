//! The options of `hashmill speed`, separated by NUL or LF.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|data: &[u8]| {
    let args = data.split(|b| matches!(b, 0 | b'\n')).map(|arg| OsString::from_vec(arg.to_vec())).collect();
    if let Err(message) = hashmill_speed::speed_options(args) {
        assert!(!message.contains('\n'), "an error is one line: {message:?}");
    }
});
