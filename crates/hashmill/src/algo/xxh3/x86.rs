//! XXH3's stripes, compiled for AVX2 and for AVX-512.
//!
//! The text is `mix`, the same as for every CPU: with these features the compiler takes four and eight accumulators at a time.

#![allow(unsafe_code, reason = "calls of functions with features")]

use super::{Long, Running, STRIPE, mix};
use crate::cpu::on_cpu;

#[inline(always)]
pub(super) fn mix_avx2(running: &mut Running, secret: &Long<'_>, stripes: &[[u8; STRIPE]]) {
    on_cpu!([AVX2]; avx2(running, secret, stripes));
}

#[inline(always)]
pub(super) fn mix_avx512(running: &mut Running, secret: &Long<'_>, stripes: &[[u8; STRIPE]]) {
    on_cpu!([AVX512]; avx512(running, secret, stripes));
}

#[hashmill_isa::isa(AVX2)]
fn avx2(running: &mut Running, secret: &Long<'_>, stripes: &[[u8; STRIPE]]) {
    mix(running, secret, stripes);
}

#[hashmill_isa::isa(AVX512)]
fn avx512(running: &mut Running, secret: &Long<'_>, stripes: &[[u8; STRIPE]]) {
    mix(running, secret, stripes);
}
