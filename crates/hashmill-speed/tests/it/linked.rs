//! `hashmill speed` in the linked program: libcrypto must work there, in several processes and threads as well.

use hashmill_measure::bare;
use hashmill_testing::{hashmill, text};

fn openssl_is_here() -> bool {
    let there = bare::command("openssl").arg("version").output().is_ok();
    assert!(there || std::env::var_os("HASHMILL_TEST_REQUIRE_PEERS").is_none(), "no openssl");
    there
}

#[test]
fn libcrypto_in_the_linked_command() {
    if !openssl_is_here() {
        hashmill_testing::skip("no openssl");
        return;
    }
    let dir = std::env::temp_dir();
    let all = [
        "md5", "sha256", "hmac(sha256)", "aes-128-cbc", "aes-256-gcm", "chacha20-poly1305", "rsa512", "ecdsap256",
        "ed25519",
    ];
    for more in [&["-testmode"][..], &["-seconds", "1", "-bytes", "64", "-multi", "2"]] {
        let names = if more.len() > 1 { &all[..1] } else { &all };
        let args = [&["speed", "-provider", "openssl"], more, names].concat();
        let out = hashmill(&dir, &args);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
        assert!(text(&out.stdout).contains("\nmd5 "), "{}", text(&out.stdout));
    }
    let out = hashmill(&dir, &["speed", "-testmode", "-peer", "openssl", "md5", "aes-128-cbc", "rsa512"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}

#[test]
fn threads_and_libcrypto() {
    let dir = std::env::temp_dir();
    let whose: &[&str] = if openssl_is_here() { &["hashmill", "openssl"] } else { &["hashmill"] };
    for whose in whose {
        let args = ["speed", "-provider", whose, "-seconds", "1", "-bytes", "64", "-threads", "2", "md5"];
        let out = hashmill(&dir, &args);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
    }
}
