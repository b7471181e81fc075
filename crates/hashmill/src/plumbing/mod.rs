//! Code that is written once for all block algorithms and compiled for each: calling kernels, finishing a message,
//! batches of short messages. It depends on the contract, not on any algorithm.

pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod message;
mod pack;

use crate::contract::{Blocks, Inputs, Kernel, Params, State};
use batch::{Batch, Member, Plain};
use message::Finisher;

/// A block algorithm together with its plumbing. Hashing a short message takes less time than calls through a table, so
/// each algorithm gets an instance of these with its own calls inlined.
pub(crate) trait Driven: Blocks {
    /// Hashes messages of one shape side by side.
    fn batch(&self, plain: Option<Plain>, b: &mut Batch<'_, &[Member<'_>]>);

    /// Computes the digest of one message.
    fn digest(&self, kernel: &Kernel, p: &Params, m: &[u8], out: &mut [u8]);
}

impl<R: Blocks> Driven for R {
    fn batch(&self, plain: Option<Plain>, b: &mut Batch<'_, &[Member<'_>]>) {
        b.run(self, plain);
    }

    fn digest(&self, kernel: &Kernel, p: &Params, m: &[u8], out: &mut [u8]) {
        let block = self.block(p);
        let mut s = State::zero();
        self.init(p, &Inputs::NONE, &mut s);
        let whole = if self.keep_last() { m.len().saturating_sub(1) / block } else { m.len() / block } * block;
        kernel.run_one(p, &mut s, &m[..whole], block);
        Finisher { rule: self, kernel, p }.finish(&mut s, &m[whole..], m.len() as u128, out);
    }
}
