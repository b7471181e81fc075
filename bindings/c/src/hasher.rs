//! Hashers: in memory of the caller's or of ours.

use crate::algorithm::{algorithm, hm_algorithm};
use crate::error::{CallError, Outcome, hm_error};
use crate::guard::{bytes, bytes_mut, give, guard, place, text};
use hashmill::{Algorithm, Digest, Engine, Hasher, Xof};
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

/// The header has its text, since C sees bytes.
///
/// cbindgen:ignore
#[repr(C, align(64))]
pub struct hm_hasher {
    /// `LIVE` or `HEAP` and its own address, as long as there is a hasher in it: what was never made, was freed or was
    /// copied byte by byte is told from it.
    mark: usize,
    hasher: MaybeUninit<Hasher>,
}

/// Bytes of a hasher, whatever it hashes. They stay the same as long as the library's name does, so some are spare.
pub const HM_HASHER_BYTES: usize = 4096;
/// The longest state that hm_hasher_export writes, in bytes.
pub const HM_MAX_STATE_BYTES: usize = 4096;

/// For the layout of our own allocations.
const ALIGN: usize = 64;
const _: () = assert!(size_of::<hm_hasher>() <= HM_HASHER_BYTES && align_of::<hm_hasher>() == ALIGN);
// Salt and personalization come in addition: sixteen bytes each at most.
const _: () = assert!(Hasher::MAX_STATE_BYTES + 64 <= HM_MAX_STATE_BYTES);

/// Several threads may look at one at the same time.
const _: () = {
    const fn is_sync<T: Sync>() {}
    is_sync::<Hasher>();
};

/// In the caller's memory.
const LIVE: usize = 0x686d_5f6c;
/// In ours.
const HEAP: usize = 0x686d_5f68;

/// What goes into a hash besides the message. All of it is optional: what is not used is null.
///
/// `hm_inputs in = {sizeof in};` sets all to nothing; hm_inputs_none() returns the same.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct hm_inputs {
    /// sizeof(hm_inputs), by which a later library knows what this one did not have.
    pub size: usize,
    /// A key (BLAKE2, BLAKE3, SipHash); for XXH3 the secret. Not null with a length of 0 is an empty key.
    pub key: *const c_void,
    /// Its length in bytes.
    pub key_len: usize,
    /// A salt (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8), filled up with zeros.
    pub salt: *const c_void,
    /// Its length in bytes.
    pub salt_len: usize,
    /// A personalization (BLAKE2b: up to 16 bytes, BLAKE2s: up to 8), filled up with zeros.
    pub personal: *const c_void,
    /// Its length in bytes.
    pub personal_len: usize,
    /// A context string, to derive keys (BLAKE3); the message is the key material.
    pub context: *const c_void,
    /// Its length in bytes.
    pub context_len: usize,
    /// A digest to go on from (CRCs, Adler-32), as zlib's crc32(crc, data) does: the hasher then gives the digest of
    /// A‖B.
    pub resume_from: *const c_void,
    /// Its length in bytes.
    pub resume_from_len: usize,
    /// The kernel to run on, for tests and benchmarks; null for what the CPU prefers.
    pub kernel: *const c_char,
}

impl hm_inputs {
    const NONE: hm_inputs = hm_inputs {
        size: size_of::<hm_inputs>(),
        key: std::ptr::null(),
        key_len: 0,
        salt: std::ptr::null(),
        salt_len: 0,
        personal: std::ptr::null(),
        personal_len: 0,
        context: std::ptr::null(),
        context_len: 0,
        resume_from: std::ptr::null(),
        resume_from_len: 0,
        kernel: std::ptr::null(),
    };

    /// What the caller gives, be it of a program that knew fewer of them.
    unsafe fn read(at: *const hm_inputs) -> Result<hm_inputs, CallError> {
        let mut x = hm_inputs::NONE;
        if at.is_null() {
            return Ok(x);
        }
        if !at.is_aligned() {
            return Err(CallError::argument("the inputs are not aligned"));
        }
        // SAFETY: not null, aligned, and at least the first field is there.
        let size = unsafe { (*at).size };
        if size < size_of::<usize>() || size > size_of::<hm_inputs>() {
            return Err(CallError::argument(format!(
                "the inputs' size is {size}, not {}: set it to sizeof(hm_inputs)",
                size_of::<hm_inputs>()
            )));
        }
        // SAFETY: the caller has `size` bytes there, and any bytes are some value of these fields.
        unsafe { std::ptr::copy_nonoverlapping(at.cast::<u8>(), (&raw mut x).cast::<u8>(), size) };
        Ok(x)
    }
}

/// An algorithm on the kernel of this name, if there is one.
pub(crate) unsafe fn engine(a: Algorithm, kernel: *const c_char) -> Result<Engine, CallError> {
    if kernel.is_null() {
        return Ok(a.into());
    }
    // SAFETY: the header's rules for pointers.
    Ok(a.with_kernel(&unsafe { text(kernel, "the kernel") }?)?)
}

unsafe fn make(a: *const hm_algorithm, inputs: *const hm_inputs) -> Result<Hasher, CallError> {
    // SAFETY: the header's rules for pointers.
    unsafe {
        let a = algorithm(a)?;
        if inputs.is_null() {
            return Ok(Hasher::new(a));
        }
        let x = hm_inputs::read(inputs)?;
        let engine = engine(a, x.kernel)?;
        let mut builder = engine.builder();
        let given = |at: *const c_void, len: usize, what: &str| match at.is_null() && len == 0 {
            true => Ok(None),
            false => bytes(at, len, what).map(Some),
        };
        if let Some(key) = given(x.key, x.key_len, "the key")? {
            builder = builder.key(key);
        }
        if let Some(salt) = given(x.salt, x.salt_len, "the salt")? {
            builder = builder.salt(salt);
        }
        if let Some(personal) = given(x.personal, x.personal_len, "the personalization")? {
            builder = builder.personal(personal);
        }
        if let Some(context) = given(x.context, x.context_len, "the context")? {
            builder = builder.context(context);
        }
        if let Some(digest) = given(x.resume_from, x.resume_from_len, "the digest to go on from")? {
            builder = builder.resume_from(digest);
        }
        Ok(builder.build()?)
    }
}

fn wrong(h: *const hm_hasher) -> CallError {
    CallError::argument(if h.is_null() {
        "the hasher is null"
    } else if h.is_aligned() {
        "there is no hasher here: it was never made, is freed, or was copied without hm_hasher_clone"
    } else {
        "an hm_hasher begins at a multiple of 64 bytes: use hm_hasher_new, or aligned_alloc"
    })
}

/// Whether a hasher is here, and its memory of our own making.
#[inline(always)]
unsafe fn kind(h: *const hm_hasher) -> Option<bool> {
    if h.is_null() || !h.is_aligned() {
        return None;
    }
    // SAFETY: not null, aligned, and HM_HASHER_BYTES bytes as the caller promises, which may be anything.
    match unsafe { (*h).mark } ^ h.addr() {
        LIVE => Some(false),
        HEAP => Some(true),
        _ => None,
    }
}

/// The hasher at `h`.
#[inline(always)]
pub(crate) unsafe fn hasher<'a>(h: *const hm_hasher) -> Result<&'a Hasher, CallError> {
    // SAFETY: its mark says that there is one.
    unsafe { kind(h).map(|_| (*h).hasher.assume_init_ref()).ok_or_else(|| wrong(h)) }
}

/// The hasher at `h`, which nobody else uses at the same time.
#[inline(always)]
pub(crate) unsafe fn hasher_mut<'a>(h: *mut hm_hasher) -> Result<&'a mut Hasher, CallError> {
    // SAFETY: its mark says that there is one.
    unsafe { kind(h).map(|_| (*h).hasher.assume_init_mut()).ok_or_else(|| wrong(h)) }
}

/// Puts a hasher into the caller's memory.
unsafe fn put_at(h: *mut hm_hasher, value: Hasher) -> Outcome {
    if h.is_null() || !h.is_aligned() {
        return Err(wrong(h));
    }
    // SAFETY: not null, aligned, and the caller's to write to.
    unsafe {
        (*h).hasher.write(value);
        (*h).mark = LIVE ^ h.addr();
    }
    Ok(())
}

const LAYOUT: Layout = match Layout::from_size_align(HM_HASHER_BYTES, ALIGN) {
    Ok(layout) => layout,
    Err(_) => panic!("a size and a power of two"),
};

/// Puts a hasher into memory of our own.
unsafe fn put_new(out: *mut *mut hm_hasher, value: impl FnOnce() -> Result<Hasher, CallError>) -> Outcome {
    place(out)?;
    let value = value()?;
    // SAFETY: the layout has a size.
    let h = unsafe { alloc(LAYOUT) }.cast::<hm_hasher>();
    if h.is_null() {
        return Err(CallError::new(hm_error::HM_NO_MEMORY, "no memory for a hasher"));
    }
    // SAFETY: new, large enough and aligned; `out` can be written to.
    unsafe {
        (*h).hasher.write(value);
        (*h).mark = HEAP ^ h.addr();
        give(out, h, "out")
    }
}

/// Sets `out` to a new hasher, with `inputs` or, if it is null, with nothing but the message to come. hm_hasher_free
/// frees it.
///
/// HM_BAD_KEY, HM_BAD_PARAMETER, HM_NOT_RESUMABLE, HM_WRONG_LENGTH (of the digest to go on from), HM_UNKNOWN_KERNEL,
/// HM_KERNEL_UNAVAILABLE, HM_NO_MEMORY.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_new(
    a: *const hm_algorithm,
    inputs: *const hm_inputs,
    out: *mut *mut hm_hasher,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { put_new(out, || make(a, inputs)) })
}

/// Makes a hasher in memory of the caller's, without any allocation if `inputs` is null. hm_hasher_free ends it, and
/// leaves the memory to the caller; without inputs it need not be called. What was in the memory before is not looked
/// at.
///
/// As hm_hasher_new; HM_BAD_ARGUMENT if the memory does not begin at a multiple of 64 bytes.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_init(
    h: *mut hm_hasher,
    a: *const hm_algorithm,
    inputs: *const hm_inputs,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { put_at(h, make(a, inputs)?) })
}

/// Frees a hasher, and overwrites it if a key went into it. Null is fine; a hasher that is freed already is
/// HM_BAD_ARGUMENT if it lay in memory of the caller's (else it is undefined, as with free). Threads: one at a time for
/// each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_free(h: *mut hm_hasher) -> hm_error {
    guard(|| {
        if h.is_null() {
            return Ok(());
        }
        // SAFETY: there is a hasher, which nobody uses any more; its memory is ours if its mark says so.
        unsafe {
            let heap = kind(h).ok_or_else(|| wrong(h))?;
            (*h).mark = 0;
            (*h).hasher.assume_init_drop();
            if heap {
                dealloc(h.cast(), LAYOUT);
            }
        }
        Ok(())
    })
}

/// Takes `len` more bytes of the message.
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_update(h: *mut hm_hasher, message: *const c_void, len: usize) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { hasher_mut(h)?.update(bytes(message, len, "the message")?) };
        Ok(())
    })
}

/// Takes the first `bits` bits of a message of (`bits` + 7) / 8 bytes, from the high bit of the last byte down; for
/// Keccak, SHA-3 and SHAKE from the low bit up (FIPS 202, B.1). More may follow.
///
/// HM_BAD_BITS if the algorithm's messages are whole bytes.
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_update_bits(h: *mut hm_hasher, message: *const c_void, bits: u64) -> hm_error {
    guard(|| {
        let Ok(len) = usize::try_from(bits.div_ceil(8)) else {
            return Err(CallError::argument(format!("{bits} bits are more than there can be")));
        };
        // SAFETY: the header's rules for pointers.
        unsafe { Ok(hasher_mut(h)?.update_bits(bytes(message, len, "the message")?, bits)?) }
    })
}

/// Writes the digest of everything so far to `out`, which has `len` bytes, the digest's length. It may be called again,
/// and more of the message may follow.
///
/// HM_WRONG_LENGTH.
/// Threads: any, while none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_final(h: *const hm_hasher, out: *mut c_void, len: usize) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { Ok(hasher(h)?.finalize_into(bytes_mut(out, len, "out")?)?) })
}

/// Back to the beginning of a message, with the same inputs.
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_reset(h: *mut hm_hasher) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { hasher_mut(h)?.reset() };
        Ok(())
    })
}

/// Sets `out` to a new hasher that has taken the same message.
///
/// HM_NO_MEMORY.
/// Threads: any, while none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_clone(h: *const hm_hasher, out: *mut *mut hm_hasher) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { put_new(out, || Ok(hasher(h)?.clone())) })
}

/// Makes a hasher in memory of the caller's that has taken the same message, as hm_hasher_init does. `to` and `h` do
/// not overlap. Threads: any, while none changes `h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_clone_to(h: *const hm_hasher, to: *mut hm_hasher) -> hm_error {
    guard(|| {
        if crate::guard::overlap(h.cast(), HM_HASHER_BYTES, to.cast(), HM_HASHER_BYTES) {
            return Err(CallError::argument("a hasher cannot be cloned over itself"));
        }
        // SAFETY: the header's rules for pointers.
        unsafe { put_at(to, hasher(h)?.clone()) }
    })
}

/// Sets `out` to its algorithm.
/// Threads: any, while none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_algorithm(h: *const hm_hasher, out: *mut hm_algorithm) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { give(out, hm_algorithm::new(hasher(h)?.algorithm()), "out") })
}

/// Writes what has been hashed so far to `out`, which has room for `room` bytes, and sets `len` to how many they are:
/// no more than HM_MAX_STATE_BYTES. hm_hasher_import goes on from them, on any kernel and on any machine; docs/api.md
/// has the form.
///
/// HM_SECRET_STATE if a key went into it; HM_WRONG_LENGTH if there is not enough room, with `len` set.
/// Threads: any, while none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_export(
    h: *const hm_hasher,
    out: *mut c_void,
    room: usize,
    len: *mut usize,
) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let state = hasher(h)?.export()?;
            give(len, state.len(), "len")?;
            if room < state.len() {
                let text = format!("the state has {} bytes; there is room for {room}", state.len());
                return Err(CallError::new(hm_error::HM_WRONG_LENGTH, text));
            }
            bytes_mut(out, state.len(), "out")?.copy_from_slice(&state);
            Ok(())
        }
    })
}

/// Sets `out` to a new hasher that goes on from a state of `len` bytes, on the kernel of this name or, if it is null,
/// on what the CPU prefers.
///
/// HM_BAD_STATE if the bytes are no state, damaged, or cannot be; HM_UNKNOWN_KERNEL, HM_KERNEL_UNAVAILABLE,
/// HM_NO_MEMORY. Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_import(
    state: *const c_void,
    len: usize,
    kernel: *const c_char,
    out: *mut *mut hm_hasher,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { put_new(out, || resume(state, len, kernel)) })
}

/// hm_hasher_import into memory of the caller's, as hm_hasher_init does.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_hasher_import_to(
    state: *const c_void,
    len: usize,
    kernel: *const c_char,
    to: *mut hm_hasher,
) -> hm_error {
    // SAFETY: the header's rules for pointers.
    guard(|| unsafe { put_at(to, resume(state, len, kernel)?) })
}

unsafe fn resume(state: *const c_void, len: usize, kernel: *const c_char) -> Result<Hasher, CallError> {
    // SAFETY: the header's rules for pointers.
    unsafe {
        let state = bytes(state, len, "the state")?;
        let h = Hasher::import(state)?;
        if kernel.is_null() {
            return Ok(h);
        }
        Ok(engine(h.algorithm(), kernel)?.import(state)?)
    }
}

/// The output of SHAKE and BLAKE3, of any length: hm_xof_new.
pub struct hm_xof {
    mark: usize,
    xof: Xof,
}

const XOF: usize = 0x686d_5f78;

unsafe fn xof<'a>(x: *mut hm_xof) -> Result<&'a mut hm_xof, CallError> {
    // SAFETY: null is none; the rest is the caller's promise.
    match unsafe { x.as_mut() } {
        Some(x) if x.mark == XOF => Ok(x),
        _ => Err(CallError::argument("there is no hm_xof here")),
    }
}

/// Sets `out` to the output after everything that the hasher has taken, from its first byte on; the first bytes are the
/// digest. The hasher may go on. hm_xof_free frees it.
///
/// HM_NOT_EXTENDABLE if the algorithm has a fixed digest.
/// Threads: any, while none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_xof_new(h: *const hm_hasher, out: *mut *mut hm_xof) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            place(out)?;
            let x = Box::new(hm_xof { mark: XOF, xof: hasher(h)?.finalize_xof()? });
            give(out, Box::into_raw(x), "out")
        }
    })
}

/// Writes the next `len` bytes of output to `out`.
/// Threads: one at a time for each output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_xof_read(x: *mut hm_xof, out: *mut c_void, len: usize) -> hm_error {
    guard(|| {
        // SAFETY: the header's rules for pointers.
        unsafe { xof(x)?.xof.fill(bytes_mut(out, len, "out")?) };
        Ok(())
    })
}

/// Frees an output. Null is fine.
/// Threads: one at a time for each output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hm_xof_free(x: *mut hm_xof) -> hm_error {
    guard(|| {
        if !x.is_null() {
            // SAFETY: made by hm_xof_new, and used by nobody any more.
            unsafe {
                xof(x)?.mark = 0;
                drop(Box::from_raw(x));
            }
        }
        Ok(())
    })
}

/// Writes a digest to the caller's room, which must be as long.
pub(crate) fn write_digest(digest: &Digest, out: &mut [u8], a: Algorithm) -> Outcome {
    if out.len() != digest.as_bytes().len() {
        let text = format!("{}: the digest has {} bytes, not {}", a.name(), digest.as_bytes().len(), out.len());
        return Err(CallError::new(hm_error::HM_WRONG_LENGTH, text));
    }
    out.copy_from_slice(digest.as_bytes());
    Ok(())
}
