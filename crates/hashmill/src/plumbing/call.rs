//! The only place that calls a kernel.
//!
//! A kernel's `needs` are what the CPU must have. A hint among them (`FAST_VROT`, for vector rotations that take one
//! cycle, and the like) says where the kernel is the best choice, not where it can run.

#![allow(unsafe_code, reason = "calling a kernel is sound once the CPU is known to have its features")]

use crate::base::cpu;
use crate::contract::{Kernel, Params, State};
use crate::simd::Rows;
use std::ptr;

/// The largest number of lanes of any kernel.
pub(crate) const MAX_LANES: usize = 256;

/// Whether this CPU can run the kernel.
pub(crate) fn available(k: &Kernel) -> bool {
    cpu::features().has(k.needs.without(cpu::Features::HINTS))
}

impl Kernel {
    /// Runs `blocks` blocks of every row. `rows` has one slice per lane, of at least that many blocks.
    ///
    /// # Panics
    /// If the CPU cannot run the kernel, or rows are missing or too short.
    pub(crate) fn run_rows(&self, p: &Params, packed: &mut [u8], rows: &[&[u8]], blocks: usize, block: usize) {
        let k = self.block_kernel();
        assert!(available(self) && rows.len() == usize::from(k.lanes));
        let mut pointers = [ptr::null(); MAX_LANES];
        let rows = Rows::new(rows, &mut pointers, blocks, block);
        if blocks > 0 {
            // SAFETY: the CPU has the kernel's features.
            unsafe { (k.run)(p, packed, &rows) }
        }
    }

    /// Runs `messages` messages of `blocks` blocks in every lane; more than one message only on kernels that keep them
    /// apart ([`Rows::apart`]). `row` returns the bytes of a lane, which are at least that long.
    ///
    /// # Panics
    /// If the CPU cannot run the kernel, or a row is too short.
    #[inline(always)]
    pub(crate) fn run_lanes<'r>(
        &self,
        p: &Params,
        packed: &mut [u8],
        (messages, blocks): (usize, usize),
        block: usize,
        row: impl Fn(usize) -> &'r [u8],
    ) {
        let k = self.block_kernel();
        let lanes = usize::from(k.lanes);
        assert!(available(self) && blocks > 0 && messages > 0 && (messages == 1 || k.apart));
        let (mut few, mut many) = ([ptr::null(); 16], [ptr::null(); MAX_LANES]);
        let pointers = if lanes <= few.len() { &mut few[..lanes] } else { &mut many[..lanes] };
        let rows = Rows::of(pointers, messages * blocks, block, |l| -> &[u8] { row(l) }).apart(blocks);
        // SAFETY: the CPU has the kernel's features.
        unsafe { (k.run)(p, packed, &rows) }
    }

    /// Runs whole blocks of one message through the kernel. With a multi-lane kernel, all lanes hash the same bytes.
    #[inline]
    pub(crate) fn run_one(&self, p: &Params, s: &mut State, m: &[u8], block: usize) {
        debug_assert!(m.len() % block == 0);
        if m.is_empty() {
            return;
        }
        let k = self.block_kernel();
        if k.lanes == 1 {
            assert!(available(self));
            let mut pointer = [ptr::null(); 1];
            let rows = Rows::new(&[m], &mut pointer, m.len() / block, block);
            // SAFETY: the CPU has the kernel's features.
            unsafe { (k.run)(p, &mut s.0, &rows) }
        } else {
            let mut packed = vec![0; k.packed_bytes()];
            for lane in 0..usize::from(k.lanes) {
                k.seat(s, &mut packed, lane);
            }
            let rows = vec![m; usize::from(k.lanes)];
            self.run_rows(p, &mut packed, &rows, m.len() / block, block);
            k.unseat(&packed, 0, s);
        }
    }
}
