//! Code shared by several fuzz targets.

use hashmill::{Algorithm, Engine, KernelInfo};

/// Takes values from the front of the fuzzer's bytes.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns the next byte, or zero at the end.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(b, rest)| (*b, rest));
        self.0 = rest;
        first
    }

    /// Returns a number below `end`, from two bytes.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % end.max(1)
    }

    /// Returns a byte string that is preceded by its length.
    pub fn some(&mut self) -> &'a [u8] {
        let (head, rest) = self.0.split_at(self.below(self.0.len() + 1).min(self.0.len()));
        self.0 = rest;
        head
    }
}

/// Returns an algorithm of the registry and one of its kernels that this machine can run.
pub fn algorithm_and_kernel(bytes: &mut Bytes<'_>) -> (Algorithm, Engine) {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    let a = all[bytes.below(all.len())];
    let kernels: Vec<KernelInfo> = a.kernels().into_iter().filter(|k| k.available).collect();
    let kernel = kernels[usize::from(bytes.byte()) % kernels.len()].name;
    (a, a.with_kernel(kernel).expect("one that is available"))
}
