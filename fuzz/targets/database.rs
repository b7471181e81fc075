//! Opens and uses an arbitrary file as the database of results.
#![no_main]

use hashmill_results::store::{Filter, SeriesFilter, Store};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    // In memory, if the system has such a folder.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder");
    let path = dir.path().join("results.db");
    fs::write(&path, data).expect("room");
    let Ok(mut store) = Store::open_existing(Some(&path)) else { return };
    let _ = store.check();
    let _ = store.find("last");
    let _ = store.each_series(&SeriesFilter::default(), |_, _| ());
    let Ok(heads) = store.list(&Filter::default()) else { return };
    for head in heads.iter().take(4) {
        if let Ok(run) = store.load(head.id) {
            let _ = store.save(&run);
        }
        let _ = store.delete(head.id);
    }
});
