//! Modes, owners, attributes, access control lists and holes.

use crate::support::injected::{ENXIO, PATIENCE, copying, done, faulty, said, within};
use crate::support::running::{copy, copy_ok, files};
use crate::support::trees::{contents, folder, has, is_root, mode, sources, write};
use hashmill_testing::{executable, noise, run, text};
use rustix::fs::XattrFlags;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::path::Path;

/// A copy gets mode and owner of the file that was read, not of the one that was listed: otherwise a file of mode 0600
/// that takes the place of a listed one of mode 0644 would become readable for all.
#[test]
fn a_secret_file_that_takes_a_listed_ones_place_stays_secret() {
    for options in ["", "--move", "--verify source", "--verify none", "--by-date"] {
        for what in ["open,/s/f,0,1,run", "open,/d/.hashmill,0,1,run"] {
            let dir = folder(&[("s/f", "public"), ("secret", "secret")]);
            fs::set_permissions(dir.path().join("s/f"), Permissions::from_mode(0o644)).unwrap();
            let secret = dir.path().join("secret");
            fs::set_permissions(&secret, Permissions::from_mode(0o600)).unwrap();
            if is_root() {
                chown(&secret, Some(12345), Some(23456)).unwrap();
            }
            let of = |m: fs::Metadata| (m.mode(), m.uid(), m.mtime(), m.mtime_nsec());
            let want = of(secret.metadata().unwrap());
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(what, "mv secret s/f", &copying(dir.path(), &args)));
            assert!(!secret.exists(), "{what}: the fault did not strike");
            let d = dir.path().join("d");
            assert!(has(&d, "secret") || has(&dir.path().join("s"), "secret"), "{options}: lost: {}", said(&o));
            for (name, content) in files(&d) {
                if content == b"secret" {
                    assert_eq!(of(d.join(name).metadata().unwrap()), want, "{options} {what}: {}", said(&o));
                }
            }
        }
    }
}

/// If a file system wrongly reports holes, the data there must be copied, not zeros that pass verification.
#[test]
fn holes_that_are_none_are_copied_as_what_they_are() {
    for lie in [
        format!("data,/s/sparse,0,-1,e{ENXIO}"),
        format!("data,/s/sparse,0,1,e{ENXIO}"),
        "data,/s/sparse,0,1,v2097152".into(),
    ] {
        for options in ["", "--verify source", "--verify hash", "--move", "-a md5,sha256", "--dedupe"] {
            let dir = folder(&[("s/plain", "content")]);
            let file = File::create(dir.path().join("s/sparse")).unwrap();
            file.write_all_at(&noise(100_000, 1), 0).unwrap();
            file.write_all_at(&noise(100_000, 2), 2 << 20).unwrap();
            file.set_len(5_000_000).unwrap();
            drop(file);
            let before = contents(&dir.path().join("s"));
            let args: Vec<&str> = options.split_whitespace().chain(["s", "d"]).collect();
            let o = within(PATIENCE, &mut faulty(&lie, "", &copying(dir.path(), &args)));
            let what = format!("{lie} {options}: {}", said(&o));
            // Compared without printing five million bytes.
            let there = contents(&dir.path().join("d"));
            assert!(there.is_subset(&before), "{what}: wrong content");
            assert!(
                there == before || (!o.status.success() && contents(&dir.path().join("s")) == before),
                "{what}: lost"
            );
        }
    }
}

/// Returns an access control list in the kernel's format, which gives the user 12345 the permissions `user`.
fn acl(user: u16) -> Vec<u8> {
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [(1u16, 7u16, !0u32), (2, user, 12345), (4, 5, !0), (16, 7, !0), (32, 0, !0)] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 4096];
    let n = rustix::fs::lgetxattr(path, name, &mut value).ok()?;
    value.truncate(n);
    Some(value)
}

/// Folders keep owner, mode, extended attributes and default access control list.
#[test]
fn folders_keep_owner_mode_attributes_and_default_acl() {
    let dir = folder(&[("s/one/two/f", "content")]);
    let none = XattrFlags::empty();
    for (i, name) in ["one", "one/two", "empty"].into_iter().enumerate() {
        let path = dir.path().join("s").join(name);
        fs::create_dir_all(&path).unwrap();
        if is_root() {
            chown(&path, Some(12345 + i as u32), Some(23456)).unwrap();
        }
        fs::set_permissions(&path, Permissions::from_mode([0o2750, 0o1777, 0o500][i])).unwrap();
        if rustix::fs::setxattr(&path, "user.test", name.as_bytes(), none).is_err()
            || rustix::fs::setxattr(&path, "system.posix_acl_default", &acl(7), none).is_err()
        {
            hashmill_testing::skip("this file system has no extended attributes");
            return;
        }
    }
    // One file inherits its access control list from its folder, another has none.
    write(dir.path(), "s/one/inherited", "more");
    let f = dir.path().join("s/one/two/f");
    fs::set_permissions(&f, Permissions::from_mode(0o640)).unwrap();
    for (options, to) in [("", "d"), ("--move", "e")] {
        let of = |at: &str, name: &str| {
            let path = dir.path().join(at).join(name);
            let m = path.symlink_metadata().unwrap();
            let names = ["user.test", "system.posix_acl_default", "system.posix_acl_access"];
            // Deleting files changes the modification time of their folder.
            let time = if options == "--move" && m.is_dir() { 0 } else { m.mtime() };
            (format!("{:o}", m.mode()), m.uid(), m.gid(), time, names.map(|n| attribute(&path, n)))
        };
        let all = ["one", "one/two", "empty", "one/two/f", "one/inherited"];
        let before = all.map(|n| of("s", n));
        let args: Vec<&str> = options.split_whitespace().chain(["s", to]).collect();
        done(dir.path(), &args);
        for (name, before) in all.into_iter().zip(before) {
            assert_eq!(of(to, name), before, "{name} {options}");
        }
    }
}

/// The default access control list of DEST must not be added to the copies.
#[test]
fn a_default_acl_of_the_destination_gives_copies_nothing() {
    let dir = folder(&[("s/f", "content"), ("s/sub/g", "other"), ("old/.x", "")]);
    for (name, bits) in [("s/f", 0o600), ("s/sub/g", 0o644), ("s/sub", 0o755)] {
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(bits)).unwrap();
    }
    let d = dir.path().join("d");
    fs::create_dir(&d).unwrap();
    if rustix::fs::setxattr(&d, "system.posix_acl_default", &acl(7), XattrFlags::empty()).is_err() {
        hashmill_testing::skip("this file system has no access control lists");
        return;
    }
    done(dir.path(), &["s", "d"]);
    for (name, bits) in [("f", 0o600), ("sub/g", 0o644), ("sub", 0o755)] {
        let path = d.join(name);
        assert_eq!(mode(&path), bits, "{name}: {:o}", mode(&path));
        assert_eq!(attribute(&path, "system.posix_acl_access"), None, "{name}");
    }
}

#[test]
fn holes_and_attributes_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    let path = dir.path().join("src/sparse");
    let f = File::create(&path).unwrap();
    use std::os::unix::fs::FileExt;
    f.write_all_at(b"begin", 0).unwrap();
    f.write_all_at(&noise(10_000, 1), 5_000_000).unwrap();
    f.set_len(20_000_000).unwrap();
    f.sync_all().unwrap();
    let flags = XattrFlags::empty();
    let attributes = rustix::fs::setxattr(&path, "user.test", b"value", flags).is_ok();
    if !attributes {
        hashmill_testing::skip("this file system has no extended attributes");
    }
    copy_ok(dir.path(), &["-a", "md5,sha256", "src", "dst"]);
    assert_eq!(files(&dir.path().join("src")), files(&dir.path().join("dst")));
    let blocks = |p: &str| fs::metadata(dir.path().join(p)).unwrap().blocks();
    assert!(blocks("dst/sparse") <= blocks("src/sparse") + 16, "{} {}", blocks("src/sparse"), blocks("dst/sparse"));
    if attributes {
        let mut value = [0; 16];
        let n = rustix::fs::getxattr(dir.path().join("dst/sparse"), "user.test", &mut value).unwrap();
        assert_eq!(&value[..n], b"value");
    }
}

/// A folder that its owner cannot write to must get the same mode in the copy, but files added to it later must be
/// copied.
#[test]
fn folders_without_permission_to_write() {
    let dir = sources();
    let d = dir.path();
    fs::set_permissions(d, PermissionsExt::from_mode(0o777)).unwrap();
    let mode = |f: &str| fs::metadata(d.join(f)).unwrap().permissions().mode() & 0o777;
    let close = || fs::set_permissions(d.join("s/sub"), PermissionsExt::from_mode(0o555)).unwrap();
    let by_somebody = |args: &[&str]| {
        let mut all = vec!["--reuid=65534", "--regid=65534", "--clear-groups", executable(), "copy"];
        all.extend(args);
        let root = rustix::process::geteuid().is_root();
        if root { run(d, "setpriv", &all, b"") } else { copy(d, args) }
    };
    close();
    let o = by_somebody(&["s", "d"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!(mode("d/sub"), 0o555);
    fs::set_permissions(d.join("s/sub"), PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(d.join("s/sub/later"), "later").unwrap();
    close();
    let o = by_somebody(&["s", "d"]);
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!((fs::read(d.join("d/sub/later")).unwrap(), mode("d/sub")), (b"later".to_vec(), 0o555));
    for f in ["s/sub", "d/sub"] {
        fs::set_permissions(d.join(f), PermissionsExt::from_mode(0o755)).unwrap();
    }
}
