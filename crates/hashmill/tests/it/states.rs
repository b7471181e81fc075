//! Running hashes as bytes: exported, and resumed on every other kernel; hostile states; and CRCs that continue from a
//! value.

use crate::common::{Random, Tier, bits_of, on_every_kernel, tier};
use hashmill::{Algorithm, Engine, Error, ErrorKind, Hasher};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn message(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i % 251) as u8).collect()
}

/// Returns the offsets at which messages are cut: around blocks, chunks, and the bytes that XXH3 holds back.
fn cuts(a: Algorithm) -> Vec<usize> {
    let block = a.block_len().max(8);
    let mut all =
        vec![0, 1, block - 1, block, block + 1, 3 * block, 255, 256, 257, 320, 1024, 1025, 2048, 2049, 3073, 7000];
    if tier() == Tier::Quick {
        all.retain(|n| n % 3 == 0);
    }
    all.sort();
    all.dedup();
    all
}

/// Returns all algorithms, and some with parameters.
fn algorithms() -> Vec<Algorithm> {
    let more = [
        "shake128:200",
        "blake3:77",
        "xxh3:seed=7",
        "xxh128:seed=18446744073709551615",
        "xxh32:seed=1",
        "murmur3f:seed=9",
        "skein512-224",
        "blake2b-160",
        "cubehash8/1-512",
    ];
    Algorithm::all().chain(more.map(|n| n.parse().unwrap())).collect()
}

#[test]
fn a_state_of_one_kernel_goes_on_under_every_other() {
    let m = message(7700);
    for a in algorithms() {
        let kernels = on_every_kernel(a);
        for cut in cuts(a) {
            let expect = a.digest(&m);
            let mut states: Vec<Vec<u8>> = Vec::new();
            for k in &kernels {
                let mut h = k.hasher();
                // In pieces of a different length for every kernel.
                for piece in m[..cut].chunks(61 + 37 * states.len()) {
                    h.update(piece);
                }
                let state = h.export().unwrap();
                assert!(state.len() <= Hasher::MAX_STATE_BYTES, "{k:?}: {} bytes", state.len());
                states.push(state);
            }
            for (i, (from, state)) in kernels.iter().zip(&states).enumerate() {
                // Under emulation: only to the next kernel, and from the last to the first.
                let next = (i + 1) % kernels.len();
                for to in if tier() == Tier::Quick { &kernels[next..=next] } else { &kernels[..] } {
                    let mut h = to.import(state).unwrap_or_else(|e| panic!("{from:?} to {to:?} at {cut}: {e}"));
                    assert_eq!(h.algorithm(), a);
                    h.update(&m[cut..]);
                    assert_eq!(h.finalize(), expect, "{from:?} to {to:?} at {cut}");
                    h.reset();
                    h.update(&m);
                    assert_eq!(h.finalize(), expect, "{from:?} to {to:?} at {cut}, from the beginning");
                }
                let h = Hasher::import(state).unwrap();
                assert_eq!(h.export().unwrap(), *state, "{from:?} at {cut}: exported again");
            }
        }
    }
}

/// States in the middle of a byte, around blocks and where a full block is held back.
#[test]
fn a_state_goes_on_in_the_middle_of_a_byte() {
    let m = message(1000);
    let mut seen = 0;
    for a in algorithms().into_iter().filter(|a| a.takes_bits()) {
        let kernels = on_every_kernel(a);
        let block = 8 * a.block_len();
        for (nth, bytes) in [0, block - 8, block, block + 8, 2 * block].into_iter().enumerate() {
            // A different number of bits in each of these bytes.
            let cut = bytes + 1 + (nth + a.digest_len()) % 7;
            let mut whole = Hasher::new(a);
            whole.update_bits(bits_of(a, &m, 0, 7003), 7003).unwrap();
            let expect = whole.finalize();
            let mut states = Vec::new();
            for k in &kernels {
                let mut h = k.hasher();
                h.update_bits(bits_of(a, &m, 0, cut), cut as u64).unwrap();
                let digest = h.finalize();
                let state = h.export().unwrap();
                assert_eq!(state[5], (cut % 8) as u8, "{k:?}: bits after the last whole byte");
                assert_eq!(k.import(&state).unwrap().finalize(), digest, "{k:?} at {cut}");
                states.push(state);
            }
            for (from, state) in kernels.iter().zip(&states) {
                assert_eq!(*state, states[0], "{from:?} at {cut}");
                for to in &kernels {
                    let mut h = to.import(state).unwrap_or_else(|e| panic!("{from:?} to {to:?} at {cut}: {e}"));
                    assert_eq!(h.export().unwrap(), *state, "{to:?} at {cut}: exported again");
                    // Bits to the next byte and beyond, bytes, and the rest.
                    for (from, to) in [(cut, cut + 9), (cut + 9, cut + 9 + 1600), (cut + 9 + 1600, 7003)] {
                        let piece = bits_of(a, &m, from, to - from);
                        if (to - from) % 8 == 0 {
                            h.update(piece);
                        } else {
                            h.update_bits(piece, (to - from) as u64).unwrap();
                        }
                    }
                    assert_eq!(h.finalize(), expect, "{from:?} to {to:?} at {cut}");
                    h.reset();
                    h.update(&m);
                    assert_eq!(h.finalize(), a.digest(&m), "{to:?} at {cut}, from the beginning");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 200);
}

/// Salts and personalizations are not secret.
#[test]
fn salted_states() {
    let m = message(2000);
    let mut seen = 0;
    for a in Algorithm::all().filter(|a| a.max_salt_len() > 0 || a.max_personal_len() > 0) {
        let (salt, personal) = (message(a.max_salt_len().min(5)), message(a.max_personal_len().min(300)));
        for k in on_every_kernel(a) {
            let mut h = k.builder().salt(&salt).personal(&personal).build().unwrap();
            h.update(&m[..777]);
            let mut resumed = Hasher::import(&h.export().unwrap()).unwrap();
            h.update(&m[777..]);
            resumed.update(&m[777..]);
            assert_eq!(h.finalize(), resumed.finalize(), "{k:?}");
            resumed.reset();
            resumed.update(&m);
            assert_eq!(h.finalize(), resumed.finalize(), "{k:?}: after a reset");
            assert_ne!(h.finalize(), a.digest(&m));
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn keyed_states_are_not_exported() {
    for (name, key) in
        [("blake2b", 32), ("blake2s", 32), ("blake3", 32), ("skein512-512", 9), ("siphash-2-4", 16), ("xxh3", 136)]
    {
        let a: Algorithm = name.parse().unwrap();
        let mut h = Hasher::builder(a).key(&message(key)).build().unwrap();
        h.update(b"message");
        let error = h.export().unwrap_err();
        assert_eq!((error.kind(), error.kind().code()), (ErrorKind::SecretState, 15), "{name}");
        assert!(
            error.to_string().ends_with("the state of a hasher with a key or a context is not exported"),
            "{error}"
        );
    }
    let mut h = Hasher::builder("blake3".parse().unwrap()).context(b"context").build().unwrap();
    h.update(b"key material");
    assert_eq!(h.export().unwrap_err().kind(), ErrorKind::SecretState);
}

/// Returns a state as another program would write it: with a matching checksum.
fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    let crc: Algorithm = "crc32c".parse().unwrap();
    let n = state.len() - 4;
    let mut sum = crc.digest(&state[..n]).as_bytes().to_vec();
    sum.reverse();
    state[n..].copy_from_slice(&sum);
    state
}

fn refused(state: &[u8]) -> String {
    match Hasher::import(state) {
        Err(e @ Error::BadState { .. }) => e.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hostile_states() {
    let mut random = Random::new(40);
    // Under emulation: one algorithm for every family and block length, and every seventh byte.
    let quick = tier() == Tier::Quick;
    let (more, step) = if quick { (message(300), 7) } else { (message(3000), 1) };
    let mut seen = std::collections::HashSet::new();
    for a in algorithms().into_iter().filter(|a| !quick || seen.insert((a.family(), a.block_len()))) {
        for (cut, bits) in [(0, 0), (130, 0), (5000, 0), (0, 3), (255, 7)] {
            let mut h = Hasher::new(a);
            h.update(message(cut));
            if bits > 0 {
                if !a.takes_bits() {
                    continue;
                }
                h.update_bits([0x5a], bits).unwrap();
            }
            let state = h.export().unwrap();
            for n in (0..state.len()).step_by(step) {
                refused(&state[..n]);
                if n >= 12 {
                    // Truncated, with a checksum recomputed to match.
                    refused(&sealed(state[..n].to_vec()));
                }
            }
            refused(&[&state[..], &[0]].concat());
            for i in (0..state.len()).step_by(step) {
                let mut bad = state.clone();
                bad[i] ^= 1 << (i % 8);
                refused(&bad);
            }
            // Any content gives either an error or a hasher that works.
            for i in (0..state.len() - 4).step_by(step) {
                for value in [0, 0xff, state[i] ^ 0x80, random.next() as u8] {
                    let mut bad = state.clone();
                    bad[i] = value;
                    survives(&sealed(bad), &more);
                }
            }
            for _ in 0..if quick { 5 } else { 60 } {
                let mut bad = state.clone();
                let end = bad.len() - 4;
                let from = random.below(end);
                for byte in &mut bad[from..end] {
                    *byte = random.next() as u8;
                }
                survives(&sealed(bad), &more);
            }
        }
    }
}

fn survives(state: &[u8], more: &[u8]) {
    match Hasher::import(state) {
        Ok(mut h) => {
            h.finalize();
            if h.algorithm().takes_bits() {
                h.update_bits([0xa5], 3).unwrap();
                h.finalize();
            }
            h.update(&more[..1]);
            h.update(more);
            h.finalize();
            h.export().unwrap();
            if h.algorithm().is_extendable() {
                h.finalize_xof().unwrap().fill(&mut [0; 300]);
            }
            h.reset();
            h.finalize();
        }
        Err(e) => assert_eq!(e.kind(), ErrorKind::BadState, "{e}"),
    }
}

#[test]
fn what_is_wrong_is_said() {
    let a: Algorithm = "sha256".parse().unwrap();
    let mut h = Hasher::new(a);
    h.update(message(100));
    let state = h.export().unwrap();
    let with = |at: usize, value: u8| {
        let mut bad = state.clone();
        bad[at] = value;
        bad
    };
    for (bytes, says) in [
        (b"".to_vec(), "state: these bytes are not an exported state"),
        (b"HMST".to_vec(), "state: it ends too early"),
        (with(0, b'h'), "state: these bytes are not an exported state"),
        (with(4, 2), "state: version 2 is not known here, only 1"),
        (with(30, 1), "state: it is truncated or damaged: the checksum at its end does not match"),
        (sealed(with(5, 8)), "state: bits after the last whole byte: 8; no message of sha256 ends so"),
        (sealed(with(5, 3)), "state: its last byte, which is not whole, has bits that are not the message's"),
        (sealed(with(7, b'S')), "state: no algorithm has the canonical name 'Sha256'"),
        (sealed(with(13, 101)), "state: no message leads to this state of sha256"),
        (sealed(with(28, 0x10)), "state: no message is that long"),
    ] {
        assert_eq!(refused(&bytes), says);
    }
    let other: Engine = "sha1".parse::<Algorithm>().unwrap().into();
    assert_eq!(other.import(&state).unwrap_err().to_string(), "state: it is of sha256, not of sha1");
    // Bits in a state of an algorithm that takes none, and bits beyond the counted ones.
    let mut h = Hasher::new("blake2b".parse().unwrap());
    h.update(message(100));
    let mut bytes = h.export().unwrap();
    bytes[5] = 1;
    let says = "state: bits after the last whole byte: 1; no message of blake2b-512 ends so";
    assert_eq!(refused(&sealed(bytes)), says);
    for (name, good, bad) in [("sha256", 0b1010_0000, 0b1011_0000), ("sha3-256", 0b101, 0b1101)] {
        let mut h = Hasher::new(name.parse().unwrap());
        h.update(b"byte");
        h.update_bits([good], 3).unwrap();
        let state = h.export().unwrap();
        let at = state.windows(5).position(|w| w == [b'b', b'y', b't', b'e', good]).unwrap() + 4;
        let mut more = state.clone();
        more[at] = bad;
        assert_eq!(
            refused(&sealed(more)),
            "state: its last byte, which is not whole, has bits that are not the message's",
            "{name}"
        );
        assert_eq!(Hasher::import(&state).unwrap().finalize(), h.finalize());
    }
    // Names that parse but are not the canonical one.
    let alias = [&b"HMST\x01\x00\x07SHA-256"[..], &state[13..]].concat();
    assert_eq!(refused(&sealed(alias)), "state: no algorithm has the canonical name 'SHA-256'");
    // Impossible sums, and counters that do not match the length.
    for (name, word) in
        [("adler32", 0xffff), ("fletcher16", 255), ("crc16-arc", 0x1_0000), ("blake2b-512", 0), ("skein512-512", 0)]
    {
        let mut h = Hasher::new(name.parse().unwrap());
        h.update(message(1000));
        let mut bad = h.export().unwrap();
        let n = bad.len() - 4;
        let at = match name {
            "blake2b-512" => n - 24,
            "skein512-512" => n - 16,
            _ => n - 32,
        };
        bad[at..at + 8].copy_from_slice(&u64::to_le_bytes(word));
        assert_eq!(refused(&sealed(bad)), format!("state: no message leads to this state of {name}"));
    }
}

/// States recorded once, on a little-endian machine. Every machine and every version must read them and write the same
/// bytes.
#[test]
fn states_on_paper() {
    let file = states();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut seen = std::collections::HashSet::new();
    for line in text.lines() {
        let v: Value = serde_json::from_str(line).unwrap();
        let hex = |k: &str| hashmill::Digest::from_hex(v[k].as_str().unwrap().as_bytes()).unwrap().as_bytes().to_vec();
        let a: Algorithm = v["algorithm"].as_str().unwrap().parse().unwrap();
        let (cut, n) = (v["cut"].as_u64().unwrap() as usize, v["length"].as_u64().unwrap() as usize);
        let (m, state) = (message(n), hex("state_hex"));
        for k in on_every_kernel(a) {
            let mut h = k.import(&state).unwrap_or_else(|e| panic!("{k:?}: {e}"));
            assert_eq!(h.export().unwrap(), state, "{k:?}");
            h.update(&m[cut..]);
            assert_eq!(h.finalize().as_bytes(), hex("digest_hex"), "{k:?}");
        }
        let mut h = Hasher::new(a);
        h.update(&m[..cut]);
        assert_eq!(h.export().unwrap(), state, "{a}: as it is written today");
        assert_eq!(a.digest(&m).as_bytes(), hex("digest_hex"), "{a}");
        seen.insert(a);
    }
    for a in Algorithm::all().filter(|a| a.is_common()) {
        assert!(seen.iter().any(|b| b.base_name() == a.base_name()), "{a} has no state on paper");
    }
}

fn states() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/states/v1.jsonl")
}

/// Records the states of algorithms that have none yet:
/// `HASHMILL_WRITE_STATES=1 cargo test -p hashmill --test it states`.
#[test]
fn states_are_written_when_asked_for() {
    if std::env::var_os("HASHMILL_WRITE_STATES").is_none() {
        return;
    }
    let file = states();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut text = std::fs::read_to_string(&file).unwrap_or_default();
    let more = ["xxh3:seed=7", "shake128:64", "skein512-224", "blake2b-160"].map(|n| n.parse::<Algorithm>().unwrap());
    for a in Algorithm::all().filter(|a| a.is_common()).chain(more) {
        if text.contains(&format!("\"algorithm\":\"{a}\"")) {
            continue;
        }
        let (cut, n) = if a.family() == "BLAKE3" { (7 * 1024 + 5, 20_000) } else { (391, 1000) };
        let m = message(n);
        let mut h = Hasher::new(a);
        h.update(&m[..cut]);
        let state: String = h.export().unwrap().iter().map(|b| format!("{b:02x}")).collect();
        text += &format!(
            "{{\"algorithm\":\"{a}\",\"message_pattern\":\"mod251\",\"cut\":{cut},\"length\":{n},\"state_hex\":\"{state}\",\"digest_hex\":\"{}\"}}\n",
            a.digest(&m)
        );
    }
    std::fs::write(file, text).unwrap();
}

#[test]
fn checksums_go_on_from_a_value() {
    let m = message(5000);
    let mut seen = 0;
    for a in Algorithm::all() {
        let empty = a.digest(b"");
        for k in on_every_kernel(a) {
            let made = k.builder().resume_from(empty.as_bytes()).build();
            if a.base_name() != "adler32" && (a.family() != "CRC" || a.base_name() == "cksum") {
                assert_eq!(made.unwrap_err().kind(), ErrorKind::NotResumable, "{a}");
                continue;
            }
            seen += 1;
            for cut in [0, 1, 7, 100, 2048, 4999] {
                let first = a.digest(&m[..cut]);
                let mut h = k.builder().resume_from(first.as_bytes()).build().unwrap();
                assert_eq!(h.finalize(), first, "{k:?}");
                h.update(&m[cut..4500.max(cut)]);
                // The state continues, too.
                let mut h = k.import(&h.export().unwrap()).unwrap();
                h.update(&m[4500.max(cut)..]);
                assert_eq!(h.finalize(), a.digest(&m), "{k:?} from {cut}");
                h.reset();
                assert_eq!(h.finalize(), first, "{k:?} from {cut}");
            }
        }
    }
    assert!(seen > 100);
    let crc: Algorithm = "crc32".parse().unwrap();
    let error = Hasher::builder(crc).resume_from(&[0; 3]).build().unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::WrongLength, "crc32: the digest has 4 bytes, not 3".into())
    );
    // Values that no message gives: more bits than the CRC has, or sums that are not reduced.
    for (name, value) in [("crc3-gsm", vec![0x08]), ("crc12-3gpp", vec![0x10, 0]), ("adler32", vec![0xff, 0xff, 0, 1])]
    {
        let a: Algorithm = name.parse().unwrap();
        let error = Hasher::builder(a).resume_from(&value).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotResumable, "{name}");
        assert_eq!(a.combine(&hashmill::Digest::from_bytes(&value), &a.digest(b"x"), 1), None, "{name}");
    }
}
