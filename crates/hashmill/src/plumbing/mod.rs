//! What is written once for all algorithms of blocks, and compiled for each: calling kernels, taking a message to its
//! end, batches of short messages. It knows the contract, and no algorithm.

pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod message;
mod pack;

use crate::contract::{Blocks, Inputs, Kernel, Params, State};
use batch::{Batch, Job, Plain};
use message::Finisher;

/// An algorithm of blocks with the plumbing around it. Short messages take less time than calls through a table: so for
/// each algorithm its own calls are part of these.
pub(crate) trait Driven: Blocks {
    /// Hashes messages of one shape side by side.
    fn batch(&self, plain: Option<Plain>, b: &mut Batch<'_, &[Job<'_>]>);

    /// The digest of one message.
    fn digest(&self, kernel: &Kernel, p: &Params, m: &[u8], out: &mut [u8]);
}

impl<R: Blocks> Driven for R {
    fn batch(&self, plain: Option<Plain>, b: &mut Batch<'_, &[Job<'_>]>) {
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
