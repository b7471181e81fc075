//! Uses the C library like a hostile program: calls any function on any object, initialized or not, freed or copied
//! byte by byte, with null pointers, wrong lengths and overlapping buffers. Every result must be a valid error code.
//! The input of a hasher is known, and so is its digest.
#![no_main]

use hashmill::Algorithm;
use hashmill_c::algorithm::*;
use hashmill_c::digest::*;
use hashmill_c::error::hm_error::{self, *};
use hashmill_c::error::*;
use hashmill_c::files::*;
use hashmill_c::hasher::*;
use hashmill_c::hmac::*;
use hashmill_c::many::*;
use hashmill_c::parts::*;
use hashmill_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::{null, null_mut};

/// Memory that a C program provides for a hasher.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Memory([u8; HM_HASHER_BYTES]);

/// The expected content of such memory.
#[derive(Clone, PartialEq)]
enum Is {
    /// No hasher: never initialized, freed, or a byte-by-byte copy.
    Nothing,
    /// A hasher of an algorithm, with the message so far.
    Plain(Algorithm, Vec<u8>),
    /// A hasher with inputs, or one imported from a state that the fuzzer made up.
    Other,
}

struct Program {
    algorithms: [[u64; 4]; 3],
    known: [Option<Algorithm>; 3],
    hashers: Vec<Memory>,
    is: [Is; 3],
    hmac: *mut hm_hmac,
    /// Algorithm, key and message of the HMAC.
    hmac_of: Option<(Algorithm, Vec<u8>, Vec<u8>)>,
    xof: *mut hm_xof,
    parts: *mut hm_parts,
}

fn at(bytes: &[u8]) -> *const c_void {
    bytes.as_ptr().cast()
}

fn message() -> String {
    // SAFETY: the text ends with a zero byte.
    unsafe { CStr::from_ptr(hm_error_message()) }.to_str().expect("UTF-8").into()
}

/// Checks that every failure has a one-line message, and that no call reports an internal error.
fn check(e: hm_error) -> hm_error {
    assert!(e != HM_INTERNAL, "{}", message());
    if e != HM_OK {
        let text = message();
        assert!(!text.is_empty() && !text.contains('\n'), "{e:?}: {text:?}");
    }
    e
}

/// Number of files reported so far, and the number after which to cancel.
struct Told(usize, usize);

unsafe extern "C" fn on_file(user: *mut c_void, file: *const hm_file) -> c_int {
    // SAFETY: `user` is what `files` passed, and `file` is valid, as the library promises.
    let (told, file) = unsafe { (&mut *user.cast::<Told>(), &*file) };
    assert_eq!(file.index, told.0);
    told.0 += 1;
    // SAFETY: the text ends with a zero byte.
    let why = unsafe { CStr::from_ptr(file.message) };
    match file.error {
        HM_OK => assert!(!file.digests.is_null() && file.digests_len > 0 && why.is_empty()),
        HM_IO => assert!(file.digests.is_null() && file.digests_len == 0 && !why.is_empty()),
        e => panic!("{e:?}"),
    }
    c_int::from(told.0 == told.1)
}

impl Program {
    fn a(&self, i: usize) -> *const hm_algorithm {
        self.algorithms[i].as_ptr().cast()
    }

    fn h(&mut self, i: usize) -> *mut hm_hasher {
        self.hashers[i].0.as_mut_ptr().cast()
    }

    fn name(&mut self, i: usize, name: &[u8]) {
        let Ok(c) = CString::new(name) else { return };
        // SAFETY: a C string, and room for an algorithm.
        let e = check(unsafe { hm_algorithm_parse(c.as_ptr(), self.algorithms[i].as_mut_ptr().cast()) });
        let own = std::str::from_utf8(name).ok().map(|n| n.parse::<Algorithm>());
        match own {
            Some(Ok(a)) => {
                assert_eq!(e, HM_OK);
                self.known[i] = Some(a);
            }
            _ => assert_ne!(e, HM_OK, "{name:?}"),
        }
    }

    /// Queries all properties of an algorithm, with a buffer of any size.
    fn ask(&self, i: usize, room: usize) {
        let a = self.a(i);
        let mut text = vec![0x7f; room + 1];
        let ask: [unsafe extern "C" fn(*const hm_algorithm, *mut std::ffi::c_char, usize) -> usize; 4] =
            [hm_algorithm_name, hm_algorithm_family, hm_algorithm_specification, hm_algorithm_security_reason];
        for f in ask {
            // SAFETY: `room` bytes may be written.
            let n = unsafe { f(a, text.as_mut_ptr().cast(), room) };
            assert_eq!(text[room], 0x7f, "beyond the room");
            if room > 0 && self.known[i].is_some() {
                let end = text.iter().position(|&b| b == 0).expect("a zero byte");
                assert!(end <= n && std::str::from_utf8(&text[..end]).is_ok());
            }
        }
        // SAFETY: the functions may be called on any readable memory.
        unsafe {
            let len = hm_algorithm_digest_len(a);
            assert_eq!(len, self.known[i].map_or(0, |a| a.digest_len()));
            hm_algorithm_block_len(a);
            hm_algorithm_max_key_len(a);
            hm_algorithm_security(a);
            hm_algorithm_is_divisible(a);
        }
    }

    fn init(&mut self, h: usize, a: usize, key: Option<&[u8]>) {
        self.drop_hasher(h);
        let to = self.h(h);
        let from = self.a(a);
        let e = match key {
            // SAFETY: memory for a hasher that contains none.
            None => check(unsafe { hm_hasher_init(to, from, null()) }),
            Some(key) => {
                // SAFETY: all fields are numbers and pointers, which may be zero and null.
                let mut inputs: hm_inputs = unsafe { std::mem::zeroed() };
                inputs.size = size_of::<hm_inputs>();
                inputs.key = at(key);
                inputs.key_len = key.len();
                // SAFETY: as above, and the key is readable.
                check(unsafe { hm_hasher_init(to, from, &inputs) })
            }
        };
        self.is[h] = match (e, self.known[a], key) {
            (HM_OK, Some(a), None) => Is::Plain(a, Vec::new()),
            (HM_OK, Some(_), Some(_)) => Is::Other,
            (HM_OK, None, _) => panic!("a hasher of no algorithm"),
            (e, None, _) => {
                assert_eq!(e, HM_BAD_ARGUMENT);
                Is::Nothing
            }
            (e, Some(_), None) => panic!("{e:?}"),
            (..) => Is::Nothing,
        };
    }

    /// Frees a hasher twice; the second time must be an error, not a fault.
    fn drop_hasher(&mut self, h: usize) {
        let p = self.h(h);
        // SAFETY: memory that may contain a hasher.
        let e = check(unsafe { hm_hasher_free(p) });
        if self.is[h] != Is::Nothing {
            assert_eq!(e, HM_OK);
        }
        self.is[h] = Is::Nothing;
        // SAFETY: as above.
        check(unsafe { hm_hasher_free(p) });
    }

    fn update(&mut self, h: usize, bytes: &[u8], null_instead: bool) {
        let p = self.h(h);
        let data = if null_instead { null() } else { at(bytes) };
        // SAFETY: the bytes are readable, or the pointer is null.
        let e = check(unsafe { hm_hasher_update(p, data, bytes.len()) });
        match &mut self.is[h] {
            Is::Nothing => assert_eq!(e, HM_BAD_ARGUMENT),
            _ if null_instead && !bytes.is_empty() => assert_eq!(e, HM_BAD_ARGUMENT),
            Is::Plain(_, m) => {
                assert_eq!(e, HM_OK);
                m.extend(bytes);
            }
            Is::Other => assert_eq!(e, HM_OK),
        }
    }

    fn last(&mut self, h: usize, off: usize) {
        let p = self.h(h);
        let mut a = [0u64; 4];
        // SAFETY: room for an algorithm.
        let len = match unsafe { hm_hasher_algorithm(p, a.as_mut_ptr().cast()) } {
            // SAFETY: just initialized.
            HM_OK => unsafe { hm_algorithm_digest_len(a.as_ptr().cast()) },
            _ => 32,
        };
        let mut out = vec![0x5a; len + 8];
        let room = if off == 0 { len } else { (len + off) % (len + 8) };
        // SAFETY: there is as much room as stated.
        let e = check(unsafe { hm_hasher_final(p, out.as_mut_ptr().cast(), room) });
        assert!(out[room..].iter().all(|&b| b == 0x5a), "beyond the room");
        match &self.is[h] {
            Is::Nothing => assert_eq!(e, HM_BAD_ARGUMENT),
            _ if room != len => assert_eq!(e, HM_WRONG_LENGTH),
            Is::Plain(a, m) => {
                assert_eq!(e, HM_OK);
                assert_eq!(out[..len], *a.digest(m).as_bytes(), "{a}");
            }
            Is::Other => assert_eq!(e, HM_OK),
        }
        if e != HM_OK {
            assert!(out.iter().all(|&b| b == 0x5a), "a failure wrote");
        }
    }

    fn clone_to(&mut self, from: usize, to: usize) {
        if from != to {
            self.drop_hasher(to);
        }
        let (source, place) = (self.h(from).cast_const(), self.h(to));
        // SAFETY: memory for a hasher that contains none, or the same memory.
        let e = check(unsafe { hm_hasher_clone_to(source, place) });
        if from == to {
            return;
        }
        assert_eq!(e == HM_OK, self.is[from] != Is::Nothing);
        self.is[to] = self.is[from].clone();
    }

    /// Exports a hasher as bytes and imports it elsewhere.
    fn carry(&mut self, from: usize, to: usize, room: usize) {
        let mut state = vec![0x5a; HM_MAX_STATE_BYTES];
        let mut len = usize::MAX;
        let p = self.h(from).cast_const();
        // SAFETY: there is as much room as stated.
        let e = check(unsafe { hm_hasher_export(p, state.as_mut_ptr().cast(), room.min(state.len()), &mut len) });
        match (&self.is[from], e) {
            (Is::Plain(..), HM_OK) => assert!(len <= room),
            (Is::Plain(..), e) => assert!(matches!(e, HM_WRONG_LENGTH | HM_NOT_RESUMABLE), "{e:?}"),
            (Is::Nothing, e) => assert_eq!(e, HM_BAD_ARGUMENT),
            (Is::Other, _) => {}
        }
        if e != HM_OK || from == to {
            return;
        }
        let was = self.is[from].clone();
        self.drop_hasher(to);
        // SAFETY: memory for a hasher that contains none.
        let e = check(unsafe { hm_hasher_import_to(at(&state), len, null(), self.h(to)) });
        assert_eq!(e, HM_OK);
        self.is[to] = was;
    }

    fn import(&mut self, to: usize, data: &[u8], sealed: bool) {
        let mut state = data.to_vec();
        if sealed {
            state = [b"HMST\x01\0", data].concat();
            let crc: Algorithm = "crc32c".parse().expect("known");
            state.extend(crc.digest(&state).as_bytes().iter().rev());
        }
        self.drop_hasher(to);
        // SAFETY: memory for a hasher that contains none.
        let e = check(unsafe { hm_hasher_import_to(at(&state), state.len(), null(), self.h(to)) });
        self.is[to] = if e == HM_OK { Is::Other } else { Is::Nothing };
    }

    fn mac(&mut self, a: usize, key: &[u8], step: u8) {
        // SAFETY: an HMAC of the library or null; buffers are readable or writable as stated.
        unsafe {
            match step % 4 {
                0 => {
                    check(hm_hmac_free(self.hmac));
                    self.hmac = null_mut();
                    let e = check(hm_hmac_new(self.a(a), at(key), key.len(), &mut self.hmac));
                    assert_eq!(e == HM_OK, !self.hmac.is_null());
                    self.hmac_of = self.known[a].filter(|_| e == HM_OK).map(|a| (a, key.to_vec(), Vec::new()));
                }
                1 => {
                    let e = check(hm_hmac_update(self.hmac, at(key), key.len()));
                    match &mut self.hmac_of {
                        Some((_, _, m)) => m.extend(key),
                        None => assert_eq!(e, HM_BAD_ARGUMENT),
                    }
                }
                2 => {
                    let mut out = [0u8; 256];
                    let len = self.hmac_of.as_ref().map_or(32, |(a, ..)| a.digest_len());
                    let e = check(hm_hmac_final(self.hmac, out.as_mut_ptr().cast(), len));
                    let Some((a, key, m)) = &self.hmac_of else { return };
                    assert_eq!(e, HM_OK);
                    let mut own = hashmill::Hmac::new(*a, key).expect("as before");
                    own.update(m);
                    assert_eq!(own.finalize().as_bytes(), &out[..len]);
                    assert!(hm_hmac_verify(self.hmac, at(&out), len));
                    assert!(!hm_hmac_verify(self.hmac, at(&out), len - 1), "a prefix");
                }
                _ => {
                    check(hm_hmac_reset(self.hmac));
                    if let Some((_, _, m)) = &mut self.hmac_of {
                        m.clear();
                    }
                }
            }
        }
    }

    fn output(&mut self, h: usize, len: usize) {
        // SAFETY: an output of the library or null.
        unsafe {
            check(hm_xof_free(self.xof));
            self.xof = null_mut();
            let p = self.h(h).cast_const();
            let e = check(hm_xof_new(p, &mut self.xof));
            assert_eq!(e == HM_OK, !self.xof.is_null());
            let mut out = vec![0u8; len];
            let e2 = check(hm_xof_read(self.xof, out.as_mut_ptr().cast(), len));
            assert_eq!(e == HM_OK, e2 == HM_OK);
        }
    }

    fn column(&self, a: usize, bytes: &mut Bytes<'_>) {
        let (kind, encoding) = (u32::from(bytes.byte() % 6), u32::from(bytes.byte() % 3));
        let count = bytes.below(40);
        let wild = bytes.byte().is_multiple_of(4);
        let data = bytes.some();
        let mut offsets: Vec<u64> = (0..=count).map(|_| bytes.below(data.len() + 1) as u64).collect();
        if wild {
            offsets[count] = u64::from(bytes.byte()) << 56 | 0xffff_0000;
        } else {
            offsets.sort_unstable();
        }
        let narrow: Vec<u32> = offsets.iter().map(|&o| o as u32).collect();
        let place: *const c_void =
            if kind.is_multiple_of(2) { narrow.as_ptr().cast() } else { offsets.as_ptr().cast() };
        let each = self.known[a].map_or(16, |a| a.digest_len()) * if encoding == 1 { 2 } else { 1 };
        let mut out = vec![0x5a; count * each + 1];
        let room = count * each + usize::from(bytes.byte() % 16 == 1);
        // SAFETY: count + 1 offsets of that type, the bytes, and the room.
        let e = check(unsafe {
            hm_digest_column(
                self.a(a),
                place,
                kind,
                count,
                at(data),
                data.len(),
                encoding,
                out.as_mut_ptr().cast(),
                room,
            )
        });
        if let (HM_OK, Some(a), 0, false) = (e, self.known[a], encoding, wild) {
            for (i, o) in offsets.windows(2).enumerate() {
                let m = &data[o[0] as usize..o[1] as usize];
                assert_eq!(out[i * each..][..each], *a.digest(m).as_bytes(), "{a}: message {i}");
            }
        }
        if e != HM_OK {
            assert!(out.iter().all(|&b| b == 0x5a), "a failure wrote");
        }
    }

    /// Writes the digest over the message.
    fn overlapping(&self, a: usize, m: &[u8], place: usize) {
        let Some(algorithm) = self.known[a] else { return };
        let len = algorithm.digest_len();
        let mut memory = [m, &vec![0; len]].concat();
        let to = place.min(m.len());
        let base = memory.as_mut_ptr();
        // SAFETY: both lie within `memory`.
        let e = check(unsafe { hm_digest(self.a(a), base.cast(), m.len(), base.add(to).cast(), len) });
        assert_eq!(e, HM_OK);
        assert_eq!(memory[to..to + len], *algorithm.digest(m).as_bytes());
    }

    /// Hashes one file that exists and others that do not.
    fn files(&self, x: usize, y: usize, bytes: &mut Bytes<'_>) {
        let algorithms = [self.a(x), self.a(y)];
        let mut texts = vec![CString::from(c"/dev/null")];
        for _ in 0..bytes.below(4) {
            let name = [b"/nonexistent/", bytes.some()].concat();
            texts.extend(CString::new(name));
        }
        let mut paths: Vec<_> = texts.iter().map(|t| t.as_ptr()).collect();
        if bytes.below(8) == 7 {
            paths.push(null());
        }
        let mut told = Told(0, bytes.below(6));
        let (threads, user) = (bytes.below(4), (&raw mut told).cast());
        // SAFETY: arrays of these lengths, algorithms in memory of the right size, and a callback for the type of
        // `user`.
        let e = check(unsafe {
            hm_digest_files(algorithms.as_ptr(), 2, paths.as_ptr(), paths.len(), threads, Some(on_file), None, user)
        });
        match e {
            HM_OK => assert_eq!(told.0, paths.len()),
            HM_CANCELLED => assert_eq!(told.0, told.1),
            e => assert!(e == HM_BAD_ARGUMENT && told.0 == 0, "{e:?}"),
        }
    }

    fn in_parts(&mut self, a: usize, m: &[u8], where_: u64) {
        // SAFETY: objects of the library or null.
        unsafe {
            let mut part = null_mut();
            let e = check(hm_part_new(self.a(a), where_, at(m), m.len(), &mut part));
            assert_eq!(e == HM_OK, !part.is_null());
            if self.parts.is_null() {
                check(hm_parts_new(self.a(a), HM_SHORTEST_PART, &mut self.parts));
            }
            check(hm_parts_push(self.parts, part));
            check(hm_part_free(part));
            if where_.is_multiple_of(3) {
                let mut out = [0u8; 64];
                check(hm_parts_final(self.parts, at(m), m.len(), out.as_mut_ptr().cast(), 4));
                check(hm_parts_free(self.parts));
                self.parts = null_mut();
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let mut p = Program {
        algorithms: [[u64::from_le_bytes([bytes.byte(); 8]); 4]; 3],
        known: [None; 3],
        hashers: vec![Memory([bytes.byte(); HM_HASHER_BYTES]); 3],
        is: [Is::Nothing, Is::Nothing, Is::Nothing],
        hmac: null_mut(),
        hmac_of: None,
        xof: null_mut(),
        parts: null_mut(),
    };
    while !bytes.0.is_empty() {
        let what = bytes.byte();
        let i = usize::from(bytes.byte());
        let (x, y) = (i % 3, i / 3 % 3);
        match what % 16 {
            0 => p.name(x, bytes.some()),
            1 => {
                let index = bytes.below(Algorithm::all().len() + 1);
                // SAFETY: room for an algorithm.
                let e = check(unsafe { hm_algorithm_at(index, p.algorithms[x].as_mut_ptr().cast()) });
                if e == HM_OK {
                    p.known[x] = Algorithm::all().nth(index);
                }
            }
            2 => p.ask(x, bytes.below(100)),
            3 => p.init(x, y, None),
            4 => p.init(x, y, Some(bytes.some())),
            5 | 6 => p.update(x, bytes.some(), i > 240),
            7 => p.last(x, usize::from(bytes.byte()) % 3),
            8 => {
                let h = p.h(x);
                // SAFETY: memory that may contain a hasher.
                check(unsafe { hm_hasher_reset(h) });
                match &mut p.is[x] {
                    Is::Plain(_, m) => m.clear(),
                    Is::Nothing | Is::Other => {}
                }
            }
            9 => p.clone_to(x, y),
            10 => p.carry(x, y, if i > 200 { bytes.below(300) } else { HM_MAX_STATE_BYTES }),
            11 => p.import(x, bytes.some(), i > 100),
            12 if x != y && p.is[y] == Is::Nothing => p.hashers[y] = p.hashers[x],
            12 => p.drop_hasher(x),
            13 => p.mac(x, bytes.some(), (i / 9) as u8),
            14 => match i % 5 {
                4 => p.files(x, y, &mut bytes),
                0 => p.output(x, bytes.below(500)),
                1 => p.overlapping(x, bytes.some(), bytes.byte().into()),
                2 => {
                    let repeated = bytes.some().repeat(64);
                    p.in_parts(x, &repeated[..repeated.len().min(1 << 16)], u64::from(bytes.byte()) << 10);
                }
                _ => {
                    let (m, n) = (bytes.some(), bytes.some());
                    // SAFETY: both are readable.
                    assert_eq!(unsafe { hm_equal(at(m), m.len(), at(n), n.len()) }, !m.is_empty() && m == n);
                }
            },
            _ => p.column(x, &mut bytes),
        }
    }
    for i in 0..3 {
        p.last(i, 0);
        p.drop_hasher(i);
    }
    // SAFETY: objects of the library or null.
    unsafe {
        check(hm_hmac_free(p.hmac));
        check(hm_xof_free(p.xof));
        check(hm_parts_free(p.parts));
    }
});
