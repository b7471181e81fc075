//! Assembles orders, loads them and runs them.

#![allow(unsafe_code, reason = "calls of functions that were assembled a moment ago")]

use super::kernel::{Algorithm, Work};
use hashmill_measure::random::Random;
use libloading::Library;
use std::path::Path;
use std::process::Command;

type Function = unsafe extern "C" fn(*mut u64, *const u64, *mut u64);

/// Eight words where the schedule's vectors may lie.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
struct Words([u64; 8]);

/// A state, and SHA-512's table: the next sums, W, the sums and K, eighty rows each. Of the woven rounds, the table has
/// the eighty sums of one block, its sixteen words, and the sixteen big-endian words of the next one.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Memory {
    work: Work,
    state: [u64; 25],
    table: Vec<Words>,
}

impl Memory {
    pub(super) fn random(work: Work, random: &mut Random) -> Memory {
        let words = match work {
            Work::Sha512 { lanes } => 4 * 80 * lanes,
            Work::Sha512Woven => 80 + 16 + 16,
            Work::Keccak => 0,
        };
        let state = std::array::from_fn(|_| random.next());
        let table = (0..words / 8).map(|_| Words(std::array::from_fn(|_| random.next()))).collect();
        Memory { work, state, table }
    }

    #[cfg(test)]
    pub(super) fn state(&self) -> &[u64; 25] {
        &self.state
    }

    #[cfg(test)]
    pub(super) fn table(&self) -> Vec<u64> {
        self.table.iter().flat_map(|w| w.0).collect()
    }
}

/// A shared object with a function for each of several orders.
pub(super) struct Object {
    functions: Vec<Function>,
    // The functions are of no use without it.
    _library: Library,
}

impl Object {
    /// Builds the text of [`Kernel::assembly`](super::kernel::Kernel::assembly) for `count` orders, in files of
    /// `folder` whose names have `serial`: a loader takes a second file of the same name for the first.
    pub(super) fn build(text: &str, count: usize, folder: &Path, serial: usize) -> Result<Object, String> {
        let (from, to) = (folder.join(format!("{serial}.s")), folder.join(format!("{serial}.so")));
        let said = |e: std::io::Error| format!("{}: {e}", from.display());
        std::fs::write(&from, text).map_err(said)?;
        let mut cc = Command::new("cc");
        let out =
            cc.args(["-shared", "-nostdlib", "-o"]).arg(&to).arg(&from).output().map_err(|e| format!("cc: {e}"))?;
        if !out.status.success() {
            let text = String::from_utf8_lossy(&out.stderr);
            let line = text.lines().find(|l| l.contains("rror:")).or(text.lines().next()).unwrap_or("it failed");
            return Err(format!("cc: {line}"));
        }
        let object = Object::load(&to, count);
        for file in [&from, &to] {
            std::fs::remove_file(file).map_err(said)?;
        }
        object
    }

    fn load(path: &Path, count: usize) -> Result<Object, String> {
        let said = |e: libloading::Error| format!("{}: {e}", path.display());
        // SAFETY: nothing in it runs when it is loaded.
        let library = unsafe { Library::new(path) }.map_err(said)?;
        let mut functions = Vec::new();
        for i in 0..count {
            // SAFETY: the assembly makes every `order_` a function of this type.
            let function = unsafe { library.get::<Function>(format!("order_{i}")) }.map_err(said)?;
            functions.push(*function);
        }
        Ok(Object { functions, _library: library })
    }

    /// One order: the blocks of all lanes, eight blocks, or eight permutations.
    pub(super) fn run(&self, order: usize, memory: &mut Memory) {
        let function = self.functions[order];
        let state = memory.state.as_mut_ptr();
        let table: *mut u64 = memory.table.as_mut_ptr().cast();
        match memory.work {
            // SAFETY: it reads and writes the 25 words of the state.
            Work::Keccak => unsafe { function(state, state, state) },
            Work::Sha512Woven => {
                for _ in 0..8 {
                    // SAFETY: it reads and writes the table's eighty sums and the sixteen words behind them, and reads
                    // the sixteen behind those.
                    unsafe { function(state, table, table.add(96)) };
                }
            }
            Work::Sha512 { lanes } => {
                for lane in 0..lanes {
                    // SAFETY: the table has 4 · 80 rows. The rounds read a lane of the sums' eighty. Each lane's turn
                    // makes 64 / lanes of the rows 16 to 79 of W, of up to sixteen rows before them and of K, and as
                    // many of the next sums.
                    unsafe {
                        let next = table.add((80 + 16 + 64 / lanes * lane) * lanes);
                        function(state, table.add(160 * lanes + lane), next);
                    }
                }
            }
        }
    }

    /// The first of the orders that does not compute the same as the first of all.
    pub(super) fn differing(&self, work: Work, random: &mut Random) -> Option<usize> {
        let inputs: [Memory; 2] = std::array::from_fn(|_| Memory::random(work, random));
        let output = |order: usize| {
            inputs.clone().map(|mut memory| {
                self.run(order, &mut memory);
                memory
            })
        };
        let expected = output(0);
        (1..self.functions.len()).find(|&order| output(order) != expected)
    }
}

/// What this machine lacks to run the algorithm's round, if anything.
pub(super) fn lacks(algorithm: Algorithm, wide: bool) -> Option<String> {
    let features: &[(&str, bool)] = match algorithm {
        Algorithm::Sha512 if !wide => &[("BMI2", has_bmi2())],
        Algorithm::Sha512 | Algorithm::Sha512Woven => &[("BMI2", has_bmi2()), ("AVX-512VL", has_avx512vl())],
        Algorithm::Keccak => &[("AVX-512VL", has_avx512vl())],
    };
    if let Some((feature, _)) = features.iter().find(|(_, has)| !has) {
        return Some(format!("this CPU, or this system, has no {feature}"));
    }
    match Command::new("cc").arg("--version").output() {
        Ok(out) if out.status.success() => None,
        Ok(_) => Some("cc does not work".into()),
        Err(e) => Some(format!("cc, which assembles the orders: {e}")),
    }
}

/// AVX-512 with short vectors, where functions of C take arguments as those here expect them.
pub(super) fn has_avx512vl() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    false
}

/// `rorx`, and AVX2, which every CPU with it has.
fn has_bmi2() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    false
}
