//! MD5 of one message in general-purpose registers.
//!
//! The compiler keeps the sixteen words of a block in registers and, when these run out, on the stack, and it cannot
//! know that the last addition of a block is better moved before it. This code reads the words from the message each
//! time, and its dependency chain is as short as possible.

#![allow(unsafe_code, reason = "assembly")]

use super::T;
use crate::contract::Params;
use crate::simd::Rows;
use core::arch::asm;

/// `{x:e}`: the lower half of an operand.
macro_rules! low {
    ($x:literal) => {
        concat!("{", $x, ":e}")
    };
}

/// `a += T[i] + M[k]`, which depends only on the step four steps back. It is placed late because a core issues the
/// oldest ready instruction first, and those of the chain should be older.
macro_rules! words {
    ($a:literal, $i:literal, $k:literal) => {
        concat!("add ", low!($a), ", {", $i, "}\n", "add ", low!($a), ", [{p} + 4*", $k, "]\n")
    };
}

/// `a += f(b, c, d) + T[i] + M[k]`. `t` holds the part of f that does not wait for b.
#[rustfmt::skip]
macro_rules! sum {
    // d ^ (b & (c ^ d))
    (f, $a:literal $b:literal $c:literal $d:literal, $i:literal, $k:literal) => {
        concat!(
            "mov {t:e}, ", low!($c), "\nxor {t:e}, ", low!($d), "\nand {t:e}, ", low!($b), "\nxor {t:e}, ", low!($d), "\n",
            words!($a, $i, $k), "add ", low!($a), ", {t:e}\n",
        )
    };
    // (c & !d) + (b & d)
    (g, $a:literal $b:literal $c:literal $d:literal, $i:literal, $k:literal) => {
        concat!(
            words!($a, $i, $k),
            "mov {t:e}, ", low!($d), "\nnot {t:e}\nand {t:e}, ", low!($c), "\nadd ", low!($a), ", {t:e}\n",
            "mov {t:e}, ", low!($d), "\nand {t:e}, ", low!($b), "\nadd ", low!($a), ", {t:e}\n",
        )
    };
    // b ^ (c ^ d)
    (h, $a:literal $b:literal $c:literal $d:literal, $i:literal, $k:literal) => {
        concat!(
            "mov {t:e}, ", low!($c), "\nxor {t:e}, ", low!($d), "\nxor {t:e}, ", low!($b), "\n",
            words!($a, $i, $k), "add ", low!($a), ", {t:e}\n",
        )
    };
    // c ^ (b | !d)
    (i, $a:literal $b:literal $c:literal $d:literal, $i:literal, $k:literal) => {
        concat!(
            "mov {t:e}, ", low!($d), "\nnot {t:e}\nor {t:e}, ", low!($b), "\nxor {t:e}, ", low!($c), "\n",
            words!($a, $i, $k), "add ", low!($a), ", {t:e}\n",
        )
    };
}

/// One step: `a := b + ((a + f(b, c, d) + T[i] + M[k]) <<< s)`.
macro_rules! step {
    ($f:ident, $a:literal $b:literal $c:literal $d:literal, $i:literal, $k:literal, $s:literal) => {
        concat!(
            sum!($f, $a $b $c $d, $i, $k),
            "rol ", low!($a), ", ", $s, "\n",
            "add ", low!($a), ", ", low!($b), "\n",
        )
    };
}

/// Four steps, after which a, b, c, d are back in their registers.
macro_rules! four {
    ($f:ident $s:tt: $i0:literal $k0:literal, $i1:literal $k1:literal, $i2:literal $k2:literal,
     $i3:literal $k3:literal) => {
        concat!(three!($f $s: $i0 $k0, $i1 $k1, $i2 $k2), four!(@ $f $s: $i3 $k3))
    };
    (@ $f:ident [$s0:literal $s1:literal $s2:literal $s3:literal]: $i3:literal $k3:literal) => {
        step!($f, "b" "c" "d" "a", $i3, $k3, $s3)
    };
}

/// The first three of four steps.
macro_rules! three {
    ($f:ident [$s0:literal $s1:literal $s2:literal $s3:literal]: $i0:literal $k0:literal, $i1:literal $k1:literal,
     $i2:literal $k2:literal) => {
        concat!(
            step!($f, "a" "b" "c" "d", $i0, $k0, $s0),
            step!($f, "d" "a" "b" "c", $i1, $k1, $s1),
            step!($f, "c" "d" "a" "b", $i2, $k2, $s2),
        )
    };
}

/// All blocks. The constants are operands 0 … 63.
macro_rules! blocks {
    ($($i:literal)*; $p:ident $end:ident $a:ident $b:ident $c:ident $d:ident) => {
        asm!(
            ".p2align 5",
            "2:",
            "mov {a0:e}, {a:e}",
            "mov {b0:e}, {b:e}",
            "mov {c0:e}, {c:e}",
            "mov {d0:e}, {d:e}",
            four!(f [7 12 17 22]: 0 0, 1 1, 2 2, 3 3),
            four!(f [7 12 17 22]: 4 4, 5 5, 6 6, 7 7),
            four!(f [7 12 17 22]: 8 8, 9 9, 10 10, 11 11),
            four!(f [7 12 17 22]: 12 12, 13 13, 14 14, 15 15),
            four!(g [5 9 14 20]: 16 1, 17 6, 18 11, 19 0),
            four!(g [5 9 14 20]: 20 5, 21 10, 22 15, 23 4),
            four!(g [5 9 14 20]: 24 9, 25 14, 26 3, 27 8),
            four!(g [5 9 14 20]: 28 13, 29 2, 30 7, 31 12),
            four!(h [4 11 16 23]: 32 5, 33 8, 34 11, 35 14),
            four!(h [4 11 16 23]: 36 1, 37 4, 38 7, 39 10),
            four!(h [4 11 16 23]: 40 13, 41 0, 42 3, 43 6),
            four!(h [4 11 16 23]: 44 9, 45 12, 46 15, 47 2),
            four!(i [6 10 15 21]: 48 0, 49 7, 50 14, 51 5),
            four!(i [6 10 15 21]: 52 12, 53 3, 54 10, 55 1),
            four!(i [6 10 15 21]: 56 8, 57 15, 58 6, 59 13),
            three!(i [6 10 15 21]: 60 4, 61 11, 62 2),
            // The last step adds c and the value of b before the block in one go, which takes one addition out of the
            // chain to the next block.
            "add {b0:e}, {c:e}",
            sum!(i, "b" "c" "d" "a", 63, 9),
            "rol {b:e}, 21",
            "add {b:e}, {b0:e}",
            "add {a:e}, {a0:e}",
            "add {c:e}, {c0:e}",
            "add {d:e}, {d0:e}",
            "add {p}, 64",
            "cmp {p}, {end}",
            "jb 2b",
            $(const T[$i] as i32,)*
            a = inout(reg) $a,
            b = inout(reg) $b,
            c = inout(reg) $c,
            d = inout(reg) $d,
            a0 = out(reg) _,
            b0 = out(reg) _,
            c0 = out(reg) _,
            d0 = out(reg) _,
            t = out(reg) _,
            p = inout(reg) $p => _,
            end = in(reg) $end,
            options(nostack, readonly),
        )
    };
}

pub(super) fn asm(p: &Params, packed: &mut [u8], rows: &Rows<'_>) {
    // Miri does not run assembly.
    if cfg!(miri) {
        return super::portable(p, packed, rows);
    }
    let state: &mut [u8; 16] = packed.first_chunk_mut().expect("four words");
    let message = rows.lane(0);
    assert!(rows.lanes() == 1 && !message.is_empty() && message.len().is_multiple_of(64));
    let [mut a, mut b, mut c, mut d] =
        [0, 4, 8, 12].map(|i| u32::from_ne_bytes([state[i], state[i + 1], state[i + 2], state[i + 3]]));
    let message = message.as_ptr_range();
    let (from, end) = (message.start, message.end);
    // SAFETY: reads one block after the other, at least one, up to the end of the message, whose length is a multiple
    // of the block.
    unsafe {
        blocks!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
            40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63; from end a b c d);
    }
    for (i, x) in [a, b, c, d].into_iter().enumerate() {
        state[4 * i..4 * i + 4].copy_from_slice(&x.to_ne_bytes());
    }
}
