//! Checks the machine code of every kernel in the program under test: it makes no calls and uses the registers that the
//! kernel is named after.

use hashmill_testing::executable;
use std::path::Path;

#[test]
fn every_kernel_is_compiled_as_its_name_says() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hashmill/src/algo");
    let task = ["xtask", "machine-code", executable(), "--sources", sources.to_str().expect("a path that is UTF-8")];
    assert!(xtask::run(task).expect("the program and the sources can be read"), "see the errors above");
}
