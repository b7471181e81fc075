//! Plain words, for one message. The `portable` kernels are these instances of the generic text.

use super::{Logic, Word, Word8};

/// The token of the baseline ISA that every machine has.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

macro_rules! scalar_word {
    ($t:ty) => {
        impl Word for $t {
            type Isa = Scalar;
            type Lane = $t;
            const LANES: usize = 1;
            const BYTES: usize = size_of::<$t>();

            #[inline(always)]
            fn splat(_: Scalar, x: $t) -> $t {
                x
            }
            #[inline(always)]
            unsafe fn load(_: Scalar, from: *const u8) -> $t {
                // SAFETY: the caller vouches for the bytes; the read is unaligned.
                unsafe { from.cast::<$t>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: the caller vouches for the bytes; the write is unaligned.
                unsafe { to.cast::<$t>().write_unaligned(self) }
            }
            #[inline(always)]
            unsafe fn column<const BE: bool>(isa: Scalar, rows: *const *const u8, at: usize, out: *mut $t) {
                for i in 0..Self::PER_COLUMN {
                    // SAFETY: within the column that the caller vouches for.
                    unsafe { *out.add(i) = Self::direct::<BE>(isa, rows, at + i * Self::BYTES) }
                }
            }
            #[inline(always)]
            unsafe fn direct<const BE: bool>(_: Scalar, rows: *const *const u8, at: usize) -> $t {
                // SAFETY: the caller vouches for the row and its bytes.
                let x = unsafe { (*rows).add(at).cast::<$t>().read_unaligned() };
                if BE { <$t>::from_be(x) } else { <$t>::from_le(x) }
            }
        }
    };
}

macro_rules! scalar_logic {
    ($t:ty, $register:literal) => {
        impl Logic for $t {
            #[inline(always)]
            fn add(self, o: $t) -> $t {
                self.wrapping_add(o)
            }
            #[inline(always)]
            fn xor(self, o: $t) -> $t {
                self ^ o
            }
            #[inline(always)]
            fn and(self, o: $t) -> $t {
                self & o
            }
            #[inline(always)]
            fn or(self, o: $t) -> $t {
                self | o
            }
            #[inline(always)]
            fn andnot(self, o: $t) -> $t {
                !self & o
            }
            #[inline(always)]
            fn not(self) -> $t {
                !self
            }
            #[inline(always)]
            fn rotl(self, n: u32) -> $t {
                self.rotate_left(n)
            }
            #[inline(always)]
            fn shr(self, n: u32) -> $t {
                self >> n
            }
            #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
            #[inline(always)]
            fn settled(mut self) -> $t {
                // SAFETY: no instruction at all; the value passes through a register.
                unsafe { core::arch::asm!($register, inout(reg) self, options(pure, nomem, nostack, preserves_flags)) }
                self
            }
            #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
            #[inline(always)]
            fn in_order(mut self) -> $t {
                // SAFETY: no instruction at all; the value passes through a register, and the compiler keeps it in
                // order.
                unsafe { core::arch::asm!($register, inout(reg) self, options(nomem, nostack, preserves_flags)) }
                self
            }
            #[inline(always)]
            fn add_choose(self, x: $t, y: $t, z: $t) -> $t {
                // The half with z does not wait for y, which is the word just computed in MD5's G and RIPEMD's f4.
                Logic::settled(self.wrapping_add(!x & z)).wrapping_add(x & y)
            }
            #[inline(always)]
            fn add_majority(self, x: $t, y: $t, z: $t) -> $t {
                // The half without x does not wait for it.
                self.wrapping_add(y & z).wrapping_add(x & (y ^ z))
            }
        }
    };
}

scalar_word!(u32);
scalar_word!(u64);
#[cfg(target_arch = "x86_64")]
scalar_logic!(u32, "/* {0:e} */");
#[cfg(target_arch = "aarch64")]
scalar_logic!(u32, "/* {0:w} */");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
scalar_logic!(u32, "");
scalar_logic!(u64, "/* {0} */");

/// A byte zero-extended in a register. With `u8`, each table lookup would have to wait for the previous result to be
/// truncated to eight bits: one cycle in six when the lookups form a chain.
#[derive(Clone, Copy)]
pub(crate) struct Byte(u32);

impl Word for Byte {
    type Isa = Scalar;
    type Lane = u8;
    const LANES: usize = 1;
    const BYTES: usize = 1;

    #[inline(always)]
    fn splat(_: Scalar, x: u8) -> Byte {
        Byte(u32::from(x))
    }
    #[inline(always)]
    unsafe fn load(_: Scalar, from: *const u8) -> Byte {
        // SAFETY: the caller vouches for the byte.
        Byte(u32::from(unsafe { *from }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for the byte.
        unsafe { *to = self.0 as u8 }
    }
    #[inline(always)]
    unsafe fn column<const BE: bool>(isa: Scalar, rows: *const *const u8, at: usize, out: *mut Byte) {
        for i in 0..Self::PER_COLUMN {
            // SAFETY: within the column that the caller vouches for.
            unsafe { *out.add(i) = Self::direct::<BE>(isa, rows, at + i) }
        }
    }
    #[inline(always)]
    unsafe fn direct<const BE: bool>(_: Scalar, rows: *const *const u8, at: usize) -> Byte {
        // SAFETY: the caller vouches for the row and its byte.
        Byte(u32::from(unsafe { *(*rows).add(at) }))
    }
}

impl Word8 for Byte {
    type Table = &'static [u8; 256];
    #[inline(always)]
    fn table(_: Scalar, s: &'static [u8; 256]) -> &'static [u8; 256] {
        s
    }
    #[inline(always)]
    fn lookup(self, t: &&'static [u8; 256]) -> Byte {
        // SAFETY: every way of making a `Byte` in this file yields less than 256: a u8, the exclusive or of two bytes,
        // or a masked sum.
        Byte(u32::from(unsafe { *t.get_unchecked(self.0 as usize) }))
    }
    #[inline(always)]
    fn add(self, o: Byte) -> Byte {
        Byte((self.0 + o.0) & 0xff)
    }
    #[inline(always)]
    fn xor(self, o: Byte) -> Byte {
        Byte(self.0 ^ o.0)
    }
}
