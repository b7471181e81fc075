//! Which kernel runs.

#![allow(unsafe_code, reason = "kernels and functions behind atomic pointers")]

use crate::algo;
use crate::base::cpu;
use crate::base::digest::Digest;
use crate::base::error::Error;
use crate::contract::{Kernel, OneShot, Params, Run};
use crate::plumbing::call::available;
use crate::registry::table::{self, Row, Rule};
use std::mem;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What an algorithm runs on here, chosen once.
pub(crate) struct Choice {
    /// For one message: an index into the row's kernels.
    pub(crate) single: u16,
    /// For many messages, in the order of preference; every one can run here.
    pub(crate) many: Vec<u16>,
    /// Whether `HASHMILL_KERNEL` chose.
    pub(crate) forced: bool,
}

/// The preference list in `HASHMILL_KERNEL`.
fn preferences() -> &'static [String] {
    static LIST: OnceLock<Vec<String>> = OnceLock::new();
    LIST.get_or_init(|| {
        std::env::var("HASHMILL_KERNEL")
            .unwrap_or_default()
            .split(',')
            .map(|s| s.trim().to_ascii_lowercase())
            .filter(|s| !s.is_empty())
            .collect()
    })
}

/// Checks that every name in `HASHMILL_KERNEL` is the name of some algorithm's kernel on this architecture.
///
/// ```
/// // HASHMILL_KERNEL is not set, or names existing kernels.
/// assert!(hashmill::check_kernel_preference().is_ok());
/// ```
///
/// # Errors
/// [`Error::UnknownKernel`] for the first that is not. A kernel that is known but that the algorithm at hand lacks, or
/// that this CPU cannot run, leaves the algorithm its own choice.
pub fn check_kernel_preference() -> Result<(), Error> {
    for name in preferences() {
        if !table::ROWS.iter().any(|r| r.kernels.iter().any(|k| k.name == name)) {
            return Err(Error::UnknownKernel { algorithm: None, kernel: name.clone(), known: table::kernel_names() });
        }
    }
    Ok(())
}

fn choose(row: &Row) -> Choice {
    let usable = |i: &u16| available(&row.kernels[usize::from(*i)]);
    let all: Vec<u16> = (0..row.kernels.len() as u16).filter(usable).collect();
    for name in preferences() {
        if let Some(&i) = all.iter().find(|&&i| row.kernels[usize::from(i)].name == name) {
            return Choice { single: i, many: vec![i], forced: true };
        }
    }
    let good = |i: &u16| cpu::features().has(row.kernels[usize::from(*i)].needs);
    let many: Vec<u16> = all.into_iter().filter(good).collect();
    let single = many.iter().copied().find(|&i| row.kernels[usize::from(i)].lanes() == 1);
    Choice { single: single.expect("every algorithm has a portable kernel"), many, forced: false }
}

/// The choice for the algorithm in registry row `row`.
pub(crate) fn choice(row: u16) -> &'static Choice {
    static CHOICES: [OnceLock<Choice>; table::LEN] = [const { OnceLock::new() }; table::LEN];
    CHOICES[usize::from(row)].get_or_init(|| choose(&table::ROWS[usize::from(row)]))
}

/// The usual kernels for one message; null until one is asked for. What a stream of short pieces may not wait for: one
/// load, where a `OnceLock` takes two.
static SINGLE: [AtomicPtr<Kernel>; table::LEN] = [const { AtomicPtr::new(ptr::null_mut()) }; table::LEN];

/// The usual kernel for one message of the algorithm in registry row `row`.
#[inline]
pub(crate) fn single(row: u16) -> &'static Kernel {
    chosen(row).unwrap_or_else(|| choose_single(row))
}

#[cold]
fn choose_single(row: u16) -> &'static Kernel {
    let kernel = &table::ROWS[usize::from(row)].kernels[usize::from(choice(row).single)];
    SINGLE[usize::from(row)].store(ptr::from_ref(kernel).cast_mut(), Ordering::Release);
    kernel
}

/// The same, if it has been asked for before.
#[inline]
fn chosen(row: u16) -> Option<&'static Kernel> {
    // SAFETY: what is stored, if anything, is a kernel of the registry, which lives as long as the program and is only
    // read.
    unsafe { SINGLE[usize::from(row)].load(Ordering::Acquire).as_ref() }
}

/// What hashes one message at once, for each row; a function that looks for it, until it has been asked for. A call on
/// a few bytes takes some nanoseconds: here it is a load and a jump. As many as a byte can number, so that no number is
/// too large.
static ONE_SHOT: [AtomicPtr<()>; 256] = {
    assert!(table::LEN <= 256);
    [const { AtomicPtr::new(first_of_row as OneShot as *mut ()) }; 256]
};

/// The digest of one message on the usual kernel.
#[inline(always)]
pub(crate) fn one_shot(p: &Params, m: &[u8], out: &mut [u8]) {
    let function = ONE_SHOT[usize::from(p.row as u8)].load(Ordering::Relaxed);
    // SAFETY: what is stored are functions of this type only.
    let function = unsafe { mem::transmute::<*mut (), OneShot>(function) };
    function(p, m, out);
}

/// Looks for what hashes the messages of this row from now on.
#[cold]
fn first_of_row(p: &Params, m: &[u8], out: &mut [u8]) {
    let function = match &single(p.row).run {
        Run::Whole(whole) => whole.one_shot(),
        Run::Lanes(_) => by_blocks,
    };
    ONE_SHOT[usize::from(p.row)].store(function as *mut (), Ordering::Relaxed);
    function(p, m, out);
}

fn by_blocks(p: &Params, m: &[u8], out: &mut [u8]) {
    single(p.row).digest_by_blocks(p, m, out);
}

/// The digest of a message that is so short that looking for a kernel would take longer than the hash, made right where
/// the caller stands, or by a function that is called by its name; none of all other messages. Only for algorithms
/// whose kernels all hash such a message by one text, so that none is passed over.
#[inline(always)]
pub(crate) fn in_place(p: &Params, m: &[u8]) -> Option<[u8; 8]> {
    const XXH3: u16 = table::index("xxh3");
    const XXH64: u16 = table::index("xxh64");
    let hash = match (p.row, m.len()) {
        (XXH3, ..=16) => algo::xxh3::shortest64(p, m),
        (XXH3, ..=128) if p.seed == 0 => algo::xxh3::shorter64(m),
        (XXH3, ..=algo::xxh3::SHORT) => algo::xxh3::longer64(p, m),
        (XXH64, ..=16) => algo::xxh64::short(p, m),
        (XXH64, ..=algo::xxh64::MIDDLE) => algo::xxh64::middle(p, m),
        _ => return None,
    };
    Some(hash.to_be_bytes())
}

/// The digest of one message on the usual kernel, made where the caller stands if it is short.
#[inline(always)]
pub(crate) fn digest(p: &Params, m: &[u8]) -> Digest {
    match in_place(p, m) {
        Some(digest) => Digest::of(digest),
        // Checksums, which take no longer than another call would.
        None if p.out_len == 4 => Digest::written::<4>(|out| one_shot(p, m, out)),
        None if p.out_len == 8 => Digest::written::<8>(|out| one_shot(p, m, out)),
        None => Digest::with_len(p.out_len as usize, |out| one_shot(p, m, out)),
    }
}

impl Kernel {
    /// The digest of one message.
    #[inline]
    pub(crate) fn digest(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        match &self.run {
            Run::Whole(whole) => whole.digest(p, m, out),
            Run::Lanes(_) => self.digest_by_blocks(p, m, out),
        }
    }

    #[inline]
    fn digest_by_blocks(&self, p: &Params, m: &[u8], out: &mut [u8]) {
        match table::ROWS[usize::from(p.row)].rule {
            Rule::Blocks(rule) => rule.digest(self, p, m, out),
            Rule::Whole { .. } => unreachable!("the registry's tests hold every row to one shape"),
        }
    }
}
