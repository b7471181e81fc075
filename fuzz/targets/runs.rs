//! Results of measurements as JSON: whatever is read must survive being written and read again, to the last bit.
#![no_main]

use hashmill_measure::run::Run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(run) = serde_json::from_slice::<Run>(data) else { return };
    let written = serde_json::to_string(&run).expect("numbers and text");
    let read: Run = serde_json::from_str(&written).expect("what we wrote");
    assert_eq!(read, run);
});
