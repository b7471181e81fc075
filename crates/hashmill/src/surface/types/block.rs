//! The block-level core that the types of [`super`] are made of: public as the traits of `digest` want it, and named by
//! nobody.

use crate::contract::{Inputs, State};
use crate::engine::dispatch;
use crate::plumbing::message::Finisher;
use crate::registry::algorithm::Algorithm;
use crate::registry::table::Rule;
use ::digest::array::{Array, ArraySize};
use ::digest::block_api::{
    AlgorithmName, Block, BlockSizeUser, Buffer, BufferKindUser, FixedOutputCore, OutputSizeUser, UpdateCore,
};
use ::digest::block_buffer::{BlockSizes, BufferKind};
use ::digest::{HashMarker, Output, Reset};
use std::fmt;
use std::marker::PhantomData;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// What distinguishes the cores of this module; implemented for [`marks`] alone.
pub trait Named: sealed::Sealed + Send + Sync + 'static {
    /// The algorithm's canonical name.
    const NAME: &'static str;
    /// Its block length in bytes.
    type Block: BlockSizes;
    /// Its digest length in bytes.
    type Size: ArraySize;
    /// Whether a full block is processed at once or held back until more comes.
    type Kind: BufferKind;
    /// The algorithm.
    fn algorithm() -> Algorithm;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// The block-level core of a digest: the state between two blocks.
pub struct Core<T> {
    state: State,
    total: u128,
    of: PhantomData<fn() -> T>,
}

impl<T: Named> Core<T> {
    fn finisher<'a>(a: &'a Algorithm) -> Finisher<'a> {
        match a.row().rule {
            Rule::Blocks(rule) => Finisher { rule, kernel: dispatch::single(a.params.row), p: &a.params },
            Rule::Whole { .. } => {
                unreachable!("the types with a core are made of blocks: their test makes each of them")
            }
        }
    }
}

impl<T: Named> Default for Core<T> {
    fn default() -> Self {
        let a = T::algorithm();
        let mut state = State::zero();
        Core::<T>::finisher(&a).rule.init(&a.params, &Inputs::NONE, &mut state);
        Core { state, total: 0, of: PhantomData }
    }
}

impl<T> Clone for Core<T> {
    fn clone(&self) -> Self {
        Core { state: self.state.clone(), total: self.total, of: PhantomData }
    }
}

impl<T> Drop for Core<T> {
    fn drop(&mut self) {
        // A MAC's key may have gone into it: nobody says so here.
        self.state.0.zeroize();
    }
}

impl<T> ZeroizeOnDrop for Core<T> {}

impl<T: Named> Reset for Core<T> {
    fn reset(&mut self) {
        *self = Core::default();
    }
}

impl<T: Named> HashMarker for Core<T> {}

impl<T: Named> BlockSizeUser for Core<T> {
    type BlockSize = T::Block;
}

impl<T: Named> OutputSizeUser for Core<T> {
    type OutputSize = T::Size;
}

impl<T: Named> BufferKindUser for Core<T> {
    type BufferKind = T::Kind;
}

impl<T: Named> UpdateCore for Core<T> {
    fn update_blocks(&mut self, blocks: &[Block<Self>]) {
        let a = T::algorithm();
        let f = Core::<T>::finisher(&a);
        let bytes = Array::slice_as_flattened(blocks);
        f.kernel.run_one(f.p, &mut self.state, bytes, f.rule.block(f.p));
        self.total += bytes.len() as u128;
    }
}

impl<T: Named> FixedOutputCore for Core<T> {
    fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
        let a = T::algorithm();
        let rest = buffer.get_data();
        Core::<T>::finisher(&a).finish(&mut self.state, rest, self.total + rest.len() as u128, out);
    }
}

impl<T: Named> AlgorithmName for Core<T> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::NAME)
    }
}

impl<T: Named> fmt::Debug for Core<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("algorithm", &T::NAME).finish_non_exhaustive()
    }
}
