//! Every kind of error: what causes it, its number, and what `docs/api.md` says about it.

use hashmill::{Algorithm, Encoding, Error, ErrorKind, Hasher, Hmac, Parts, digest_many_into};
use std::path::Path;

fn a(name: &str) -> Algorithm {
    name.parse().unwrap()
}

fn refused(name: &str) -> Error {
    name.parse::<Algorithm>().unwrap_err()
}

/// Returns one error of every kind, with its number.
fn errors() -> Vec<(u32, ErrorKind, Error)> {
    let into = |offsets: &[i64], out: &mut [u8]| digest_many_into(a("md5"), offsets, b"abcd", Encoding::Raw, out);
    let mut parts = Parts::new(a("crc32"), 4096).unwrap();
    parts.push(a("crc32").part(0, &[0; 4096]).unwrap()).unwrap();
    let mut damaged = Hasher::new(a("sha256")).export().unwrap();
    damaged[20] ^= 1;
    let keyed = Hasher::builder(a("blake3")).key(&[1; 32]).build().unwrap();
    vec![
        (1, ErrorKind::UnknownAlgorithm, refused("sha265")),
        (2, ErrorKind::ImpossibleName, refused("skein512-7")),
        (3, ErrorKind::AmbiguousName, refused("crc16-ccitt")),
        (4, ErrorKind::BadParameter, refused("md5:8")),
        (5, ErrorKind::BadKey, Hasher::builder(a("siphash-2-4")).key(&[0; 15]).build().unwrap_err()),
        (6, ErrorKind::UnknownKernel, a("md5").with_kernel("vpclmul").unwrap_err()),
        (7, ErrorKind::KernelUnavailable, unavailable()),
        (8, ErrorKind::WrongLength, a("crc32").digest_into(b"", &mut [0; 3]).unwrap_err()),
        (9, ErrorKind::WrongTotal, into(&[0, 2, 4], &mut [0; 31]).unwrap_err()),
        (10, ErrorKind::BadOffsets, into(&[0, -2, 4], &mut [0; 32]).unwrap_err()),
        (11, ErrorKind::WrongPart, parts.push(a("crc32").part(0, &[0; 4096]).unwrap()).unwrap_err()),
        (12, ErrorKind::NotExtendable, Hasher::new(a("sha256")).finalize_xof().unwrap_err()),
        (13, ErrorKind::NotResumable, Hasher::builder(a("md5")).resume_from(&[0; 16]).build().unwrap_err()),
        (14, ErrorKind::BadState, Hasher::import(&damaged).unwrap_err()),
        (15, ErrorKind::SecretState, keyed.export().unwrap_err()),
        (16, ErrorKind::BadBits, Hasher::new(a("crc32")).update_bits([0], 1).unwrap_err()),
    ]
}

/// Returns the error for a kernel that this CPU cannot run, or one like it if the CPU can run all kernels.
fn unavailable() -> Error {
    let lacking = Algorithm::all().find_map(|a| Some((a, a.kernels().into_iter().find(|k| !k.available)?.name)));
    match lacking {
        Some((a, name)) => a.with_kernel(name).unwrap_err(),
        None => Error::KernelUnavailable { algorithm: "md5".into(), kernel: "x".into(), needs: "y".into() },
    }
}

#[test]
fn every_kind_has_its_number() {
    for (i, (number, kind, error)) in errors().into_iter().enumerate() {
        assert_eq!((error.kind(), kind.code()), (kind, number), "{error}");
        // In ascending order, without gaps or duplicates.
        assert_eq!(number as usize, i + 1);
        let text = error.to_string();
        assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
    }
}

/// Returns the rows of the table: number, kind, example.
fn table() -> Vec<(u32, String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let text = std::fs::read_to_string(page).unwrap();
    let rows = text.lines().filter_map(|l| {
        let cells: Vec<&str> = l.split(" | ").map(|c| c.trim_matches(['|', ' '])).collect();
        let number = cells.first()?.parse().ok()?;
        (cells.len() == 4).then(|| (number, cells[1].to_string(), cells[3].trim_matches('`').to_string()))
    });
    rows.collect()
}

#[test]
fn the_page_says_what_the_code_does() {
    let table = table();
    let errors = errors();
    assert_eq!(table.len(), errors.len());
    for ((number, kind, error), (shown, name, example)) in errors.iter().zip(&table) {
        assert_eq!((*number, &format!("{kind:?}")), (*shown, name));
        // The missing features and the available kernels depend on the machine.
        if *kind == ErrorKind::KernelUnavailable {
            assert!(error.to_string().contains("which this CPU lacks"), "{error}");
            continue;
        }
        let text = error.to_string();
        match example.split_once('…') {
            Some((head, tail)) => assert!(text.starts_with(head) && text.ends_with(tail), "{text}\n{example}"),
            None => assert_eq!(text, *example),
        }
    }
}

/// The builder, HMAC and parameters reject invalid input with a text that says what would be valid.
#[test]
fn refusals_say_what_would_be_right() {
    let kind_and_text = |e: Error| (e.kind(), e.to_string());
    let built = |b: hashmill::HasherBuilder<'_>| kind_and_text(b.build().unwrap_err());
    let bad = ErrorKind::BadParameter;
    assert_eq!(built(Hasher::builder(a("md5")).key(b"k")), (ErrorKind::BadKey, "md5: it takes no key".into()));
    assert_eq!(built(Hasher::builder(a("md5")).salt(b"s")), (bad, "md5: it takes no salt".into()));
    assert_eq!(
        built(Hasher::builder(a("blake2s")).personal(&[1; 9])),
        (bad, "blake2s-256: a personalization has at most 8 bytes, not 9".into())
    );
    assert_eq!(
        built(Hasher::builder(a("sha256")).context(b"c")),
        (bad, "sha256: it derives no keys from a context".into())
    );
    assert_eq!(
        built(Hasher::builder(a("blake3")).context(b"c").key(&[1; 32])),
        (bad, "blake3: either a key or a context, not both".into())
    );
    assert_eq!(
        built(Hasher::builder(a("xxh3:seed=1")).key(&[1; 136])),
        (bad, "xxh3:seed=1: either a seed or a key, not both".into())
    );
    assert_eq!(
        kind_and_text(Hmac::new(a("crc32"), b"k").unwrap_err()),
        (ErrorKind::BadKey, "crc32: HMAC needs a cryptographic digest".into())
    );
    assert_eq!(kind_and_text(refused("md5:seed=1")), (bad, "md5: it takes no seed".into()));
    assert_eq!(
        kind_and_text(a("xxh32").with_seed(1 << 32).unwrap_err()),
        (bad, "xxh32: the seed 4294967296 is impossible: 0 to 4294967295".into())
    );
    assert_eq!(
        kind_and_text(a("blake2b").with_digest_len(65).unwrap_err()),
        (bad, "blake2b-512: a digest of 65 bytes is impossible: 1 to 64".into())
    );
    assert_eq!(
        kind_and_text(a("shake128").with_digest_len(0).unwrap_err()),
        (bad, "shake128: a digest of 0 bytes is impossible: 1 to 1048576".into())
    );
    // Numbers that do not fit in 32 and in 64 bits.
    for bytes in ["4294967296", "18446744073709551616"] {
        let (kind, text) = kind_and_text(refused(&format!("shake128:{bytes}")));
        assert!(
            kind == bad && text.starts_with(&format!("shake128: a digest of {bytes} bytes is impossible")),
            "{text}"
        );
    }
}

#[test]
fn bits_that_do_not_fit_their_bytes() {
    let error = Hasher::new(a("sha256")).update_bits([0, 0], 3).unwrap_err();
    assert_eq!(error.to_string(), "sha256: 3 bits fill a buffer of length 1, not 2");
    assert_eq!(error.kind(), ErrorKind::BadBits);
}

/// Algorithms are equal if they are the same function, whatever names they were parsed from, and differ otherwise.
#[test]
fn equality_is_that_of_the_function() {
    for (x, y) in [
        ("sha256", "SHA2-256"),
        ("shake128:32", "shake128"),
        ("blake2b:20", "blake2b-160"),
        ("xxh64:seed=0", "xxh64"),
        ("skein512-512", "skein512"),
        ("cubehash160+16/32+160-512", "cubehash512"),
        ("crc32b", "crc32"),
    ] {
        assert_eq!(a(x), a(y), "{x}, {y}");
    }
    let mut seen = std::collections::HashMap::new();
    for algorithm in Algorithm::all() {
        assert_eq!(a(&algorithm.name()), algorithm);
        assert_eq!(seen.insert(algorithm, algorithm.name()), None);
        for k in algorithm.kernels().iter().filter(|k| k.available) {
            assert_eq!(algorithm.with_kernel(k.name).unwrap().algorithm(), algorithm, "{}", k.name);
        }
    }
}

/// The message is always a single line that is safe to print on a terminal, whatever was requested.
#[test]
fn one_line() {
    let long = "x".repeat(1 << 20);
    let odd = [
        "sha\n265", "\u{1b}[31mred", "skein512-\n7", "sha256:seed=\n7", "xxh64:seed=\u{202e}7", "haval256,\r3",
        "md5:\n8", "crc\n", "a\u{2028}b", &long,
    ];
    let mut texts: Vec<String> = odd.iter().map(|name| refused(name).to_string()).collect();
    texts.extend(odd.iter().map(|name| a("md5").with_kernel(name).unwrap_err().to_string()));
    for text in texts {
        assert!(!text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{202e}')), "{text:?}");
        assert!(text.len() < 1000, "{} bytes", text.len());
    }
    assert!(refused("sha\n265").to_string().starts_with(r"unknown algorithm 'sha\n265'; did you mean sha256?"));
}
