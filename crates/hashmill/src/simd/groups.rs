//! Several registers side by side. A round function is a chain of dependent operations; two to four independent chains
//! keep the execution ports busy during each other's latencies.

#![allow(dead_code, reason = "each target uses the group counts that are fastest on it")]

#[cfg(target_arch = "x86_64")]
use super::Gather;
use super::{Logic, Word, Word8};

macro_rules! groups {
    ($name:ident, $n:literal, $($i:tt $v:ident),+) => {
        #[doc = concat!($n, " registers of the same kind: the lanes of the first, then those of the next.")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub(crate) struct $name<V>($(pub(crate) $v),+);

        impl<V: Word> Word for $name<V> {
            type Isa = V::Isa;
            type Lane = V::Lane;
            const LANES: usize = $n * V::LANES;
            const BYTES: usize = V::BYTES;

            #[inline(always)]
            fn splat(isa: V::Isa, x: V::Lane) -> Self {
                let v = V::splat(isa, x);
                $name($(groups!(@use $i v)),+)
            }
            #[inline(always)]
            unsafe fn load(isa: V::Isa, from: *const u8) -> Self {
                // SAFETY: the caller vouches for all groups' bytes.
                unsafe { $name($(V::load(isa, from.add($i * V::LANES * V::BYTES))),+) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: the caller vouches for all groups' bytes.
                unsafe { $(self.$i.store(to.add($i * V::LANES * V::BYTES));)+ }
            }
            #[inline(always)]
            unsafe fn column<const BE: bool>(isa: V::Isa, rows: *const *const u8, at: usize, out: *mut Self) {
                // Transpose and store one group before starting the next, to keep few registers live at a time.
                let out = out.cast::<V>();
                $(
                    // SAFETY: the caller vouches for the rows of all groups and for PER_COLUMN words of `out`; a column
                    // has at most 16 words, so `t` is large enough; $name is its groups in order (`repr(C)`).
                    unsafe {
                        let mut t = [core::mem::MaybeUninit::<V>::uninit(); 16];
                        V::column::<BE>(isa, rows.add($i * V::LANES), at, t.as_mut_ptr().cast());
                        for k in 0..V::PER_COLUMN {
                            *out.add(k * $n + $i) = t[k].assume_init();
                        }
                    }
                )+
            }
            const DIRECT: bool = V::DIRECT;

            #[inline(always)]
            unsafe fn direct<const BE: bool>(isa: V::Isa, rows: *const *const u8, at: usize) -> Self {
                // SAFETY: the caller vouches for the rows of all groups.
                unsafe { $name($(V::direct::<BE>(isa, rows.add($i * V::LANES), at)),+) }
            }
            #[inline(always)]
            fn pieces(words: usize) -> usize {
                $n * V::pieces(words)
            }
            #[inline(always)]
            unsafe fn piece<const BE: bool>(
                isa: V::Isa,
                rows: *const *const u8,
                at: usize,
                i: usize,
                words: usize,
                out: *mut Self,
                stride: usize,
            ) {
                // One group after the other, to keep few registers live at a time.
                let (group, i) = (i / V::pieces(words), i % V::pieces(words));
                // SAFETY: the caller vouches for the rows of all groups and for `out`; $name is its groups in order
                // (`repr(C)`), so word k of a group lies at k * stride * $n plus the group's number.
                unsafe {
                    let (rows, out) = (rows.add(group * V::LANES), out.cast::<V>().add(group));
                    V::piece::<BE>(isa, rows, at, i, words, out, stride * $n);
                }
            }
        }

        impl<V: Logic> Logic for $name<V> {
            #[inline(always)]
            fn add(self, o: Self) -> Self { $name($(self.$i.add(o.$i)),+) }
            #[inline(always)]
            fn xor(self, o: Self) -> Self { $name($(self.$i.xor(o.$i)),+) }
            #[inline(always)]
            fn and(self, o: Self) -> Self { $name($(self.$i.and(o.$i)),+) }
            #[inline(always)]
            fn or(self, o: Self) -> Self { $name($(self.$i.or(o.$i)),+) }
            #[inline(always)]
            fn andnot(self, o: Self) -> Self { $name($(self.$i.andnot(o.$i)),+) }
            #[inline(always)]
            fn not(self) -> Self { $name($(self.$i.not()),+) }
            #[inline(always)]
            fn rotl(self, n: u32) -> Self { $name($(self.$i.rotl(n)),+) }
            #[inline(always)]
            fn shr(self, n: u32) -> Self { $name($(self.$i.shr(n)),+) }
            #[inline(always)]
            fn rotr(self, n: u32) -> Self { $name($(self.$i.rotr(n)),+) }
            #[inline(always)]
            fn choose(self, y: Self, z: Self) -> Self { $name($(self.$i.choose(y.$i, z.$i)),+) }
            #[inline(always)]
            fn majority(self, y: Self, z: Self) -> Self { $name($(self.$i.majority(y.$i, z.$i)),+) }
            #[inline(always)]
            fn xor3(self, y: Self, z: Self) -> Self { $name($(self.$i.xor3(y.$i, z.$i)),+) }
            #[inline(always)]
            fn chi(self, y: Self, z: Self) -> Self { $name($(self.$i.chi(y.$i, z.$i)),+) }
            #[inline(always)]
            fn xor_or_not(self, y: Self, z: Self) -> Self { $name($(self.$i.xor_or_not(y.$i, z.$i)),+) }
            #[inline(always)]
            fn settled(self) -> Self { $name($(self.$i.settled()),+) }
            #[inline(always)]
            fn in_order(self) -> Self { $name($(self.$i.in_order()),+) }
            #[inline(always)]
            fn add_choose(self, x: Self, y: Self, z: Self) -> Self { $name($(self.$i.add_choose(x.$i, y.$i, z.$i)),+) }
            #[inline(always)]
            fn add_majority(self, x: Self, y: Self, z: Self) -> Self { $name($(self.$i.add_majority(x.$i, y.$i, z.$i)),+) }
        }

        #[cfg(target_arch = "x86_64")]
        impl<V: Gather> Gather for $name<V> {
            #[inline(always)]
            fn gather(self, table: &[u32; 256]) -> Self { $name($(self.$i.gather(table)),+) }
        }

        impl<V: Word8> Word8 for $name<V> {
            type Table = V::Table;
            #[inline(always)]
            fn table(isa: V::Isa, s: &'static [u8; 256]) -> V::Table { V::table(isa, s) }
            #[inline(always)]
            fn lookup(self, t: &V::Table) -> Self { $name($(self.$i.lookup(t)),+) }
            #[inline(always)]
            fn add(self, o: Self) -> Self { $name($(self.$i.add(o.$i)),+) }
            #[inline(always)]
            fn xor(self, o: Self) -> Self { $name($(self.$i.xor(o.$i)),+) }
        }
    };
    (@use $i:tt $v:ident) => { $v };
}

groups!(X2, 2, 0 V, 1 V);
groups!(X3, 3, 0 V, 1 V, 2 V);
groups!(X4, 4, 0 V, 1 V, 2 V, 3 V);

#[cfg(test)]
mod tests {
    use super::super::Scalar;
    use super::*;
    use core::mem::MaybeUninit;

    /// Every way of reading a block gives each group the bytes of its own rows, including the ways that no kernel
    /// currently uses.
    #[test]
    fn groups_read_their_own_rows() {
        let rows: [[u8; 64]; 4] = std::array::from_fn(|l| std::array::from_fn(|i| (64 * l + i) as u8));
        let pointers = rows.each_ref().map(|row| row.as_ptr());
        let word = |l: usize, at: usize| u32::from_le_bytes(std::array::from_fn(|i| rows[l][at + i]));
        macro_rules! check {
            ($name:ident, $($i:tt),+) => {{
                let mut column = [MaybeUninit::<$name<u32>>::uninit(); 4];
                let mut block = [MaybeUninit::<$name<u32>>::uninit(); 16];
                // SAFETY: four rows of 64 bytes; room for the four words of a column and the sixteen of a block.
                unsafe {
                    $name::<u32>::column::<false>(Scalar, pointers.as_ptr(), 16, column.as_mut_ptr().cast());
                    for i in 0..$name::<u32>::pieces(16) {
                        let out = block.as_mut_ptr().cast::<$name<u32>>();
                        $name::<u32>::piece::<false>(Scalar, pointers.as_ptr(), 0, i, 16, out, 1);
                    }
                }
                // SAFETY: all were written.
                let (column, block) = unsafe { (column.map(|w| w.assume_init()), block.map(|w| w.assume_init())) };
                // SAFETY: as above.
                let direct = unsafe { $name::<u32>::direct::<true>(Scalar, pointers.as_ptr(), 8) };
                $(
                    let group = concat!(stringify!($name), ", group ", $i);
                    for k in 0..4 {
                        assert_eq!(column[k].$i, word($i, 16 + 4 * k), "{group}: column, word {k}");
                    }
                    for k in 0..16 {
                        assert_eq!(block[k].$i, word($i, 4 * k), "{group}: block, word {k}");
                    }
                    assert_eq!(direct.$i, word($i, 8).swap_bytes(), "{group}: direct");
                )+
            }};
        }
        check!(X2, 0, 1);
        check!(X3, 0, 1, 2);
        check!(X4, 0, 1, 2, 3);
    }
}
