//! What is made durable before a source is deleted, and what is said of it.

use crate::support::injected::{PATIENCE, calls, copying, done, faulty, said, within};
use crate::support::trees::{Mount, folder, write};
use hashmill_testing::noise;
use std::path::Path;

/// A file that DEST already has is made durable before its source is deleted: another program may just have
/// written it.
#[test]
fn what_was_there_already_is_synced_before_its_source_goes() {
    const LOG: &str = "fsync,,0,-1,log;syncdir,,0,-1,log;syncfs,,0,-1,log;unlink,,0,-1,log";
    for (options, name) in [
        ("", "d/f"),
        ("--no-catalogue", "d/f"),
        ("--dedupe", "d/sub/other"),
        ("--layout x/{name}", "d/x/f"),
        ("--verify source", "d/f"),
    ] {
        for known in [false, true] {
            let dir = folder(&[("s/f", "content"), (name, "content"), ("empty/.x", "")]);
            if known {
                done(dir.path(), &["empty", "d"]);
                done(dir.path(), &["--dedupe", "s", "d"]);
            }
            let args: Vec<&str> = options.split_whitespace().chain(["--move", "s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(LOG, "", &copying(dir.path(), &args)));
            assert!(o.status.success() && !dir.path().join("s/f").exists(), "{args:?}: {}", said(&o));
            let (all, file) = (calls(dir.path()), dir.path().canonicalize().unwrap().join(name));
            let gone = all.iter().position(|(call, path)| call == "unlink" && path.ends_with("s/f")).unwrap();
            let synced = |what: &str, path: &Path| {
                all[..gone].iter().any(|(call, p)| call == "syncfs" || (call == what && p == path))
            };
            assert!(synced("fsync", &file), "{args:?}: the file was not synced: {all:?}");
            assert!(synced("syncdir", file.parent().unwrap()), "{args:?}: its folder was not synced: {all:?}");
        }
    }
}

/// The entries of the folders that a run creates, DEST included, are durable before a source is deleted.
#[test]
fn new_folders_are_synced_where_they_are_listed_before_a_source_goes() {
    const LOG: &str = "fsync,,0,-1,log;syncdir,,0,-1,log;syncfs,,0,-1,log;unlink,,0,-1,log";
    let dir = folder(&[("s/a/b/f", "content")]);
    let o = within(PATIENCE, &mut faulty(LOG, "", &copying(dir.path(), &["--move", "s", "new/d"])));
    assert!(o.status.success() && !dir.path().join("s/a/b/f").exists(), "{}", said(&o));
    let (all, root) = (calls(dir.path()), dir.path().canonicalize().unwrap());
    let gone = all.iter().position(|(call, path)| call == "unlink" && path.ends_with("s/a/b/f")).unwrap();
    for name in ["", "new", "new/d", "new/d/a", "new/d/a/b"] {
        let synced = all[..gone]
            .iter()
            .any(|(c, p)| c == "syncfs" || (c == "syncdir" && *p == root.join(name).components().as_path()));
        assert!(synced, "{name:?} was not synced: {all:?}");
    }
}

/// If the file system accepts O_DIRECT but ignores it, the closing line must not claim that it was used.
#[test]
fn the_closing_line_says_how_copies_were_read_back() {
    // "no O_DIRECT" denies the claim.
    let claims = |said: &str| said.contains("O_DIRECT") && !said.contains("no O_DIRECT");
    let dir = tempfile::tempdir().unwrap();
    for i in 0..5 {
        write(dir.path(), &format!("s/f{i}"), noise(100_000, i));
    }
    if Path::new("/dev/shm").is_dir() {
        let memory = tempfile::tempdir_in("/dev/shm").unwrap();
        let to = memory.path().join("d");
        let said = done(dir.path(), &["s", to.to_str().unwrap()]);
        assert!(!claims(&said) && said.contains("page cache") && !said.contains("the medium"), "tmpfs: {said}");
    } else {
        hashmill_testing::skip("no tmpfs");
    }
    let Some(_plain) = Mount::ext4(dir.path(), "loop", "plain") else { return };
    let said = done(dir.path(), &["s", "plain/d"]);
    assert!(claims(&said), "ext4: {said}");
    let Some(_journal) = Mount::ext4(dir.path(), "loop,data=journal", "journal") else { return };
    let said = done(dir.path(), &["s", "journal/d"]);
    assert!(!claims(&said) && said.contains("cache"), "ext4 with data=journal: {said}");
    let said = done(dir.path(), &["--move", "s", "journal/d"]);
    assert!(!claims(&said), "ext4 with data=journal, there already: {said}");
}
