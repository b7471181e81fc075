//! The rounds that are searched, and whole functions of them in assembly.

use super::graph::{Graph, Order};
use super::source::{self, Kind, Line, Macro};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The rounds that can be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Algorithm {
    /// SHA-512 on plain words, with the schedule of four or eight blocks beside it
    Sha512,
    /// Two rounds of SHA-512 with the schedule of their own block woven in
    Sha512Woven,
    /// Keccak with a word in each of 25 registers
    Keccak,
}

impl Algorithm {
    pub(super) fn file(self) -> &'static str {
        match self {
            Algorithm::Sha512 | Algorithm::Sha512Woven => "crates/hashmill/src/algo/sha2_64/x86.rs",
            Algorithm::Keccak => "crates/hashmill/src/algo/keccak/x86.rs",
        }
    }

    pub(super) fn macro_name(self) -> &'static str {
        match self {
            Algorithm::Sha512 => "round",
            Algorithm::Sha512Woven => "woven_pair",
            Algorithm::Keccak => "rounds",
        }
    }

    /// Describes what is measured.
    pub(super) fn cost(self, wide: bool) -> &'static str {
        match (self, wide) {
            (Algorithm::Sha512, true) => "80 rounds a block beside avx512_step, eight blocks on eight lanes in turn",
            (Algorithm::Sha512, false) => "80 rounds a block beside avx2_step, four blocks on four lanes in turn",
            (Algorithm::Sha512Woven, _) => "eight blocks: 64 rounds beside woven_step, 16 beside woven_next",
            (Algorithm::Keccak, _) => "24 rounds, eight times on one state",
        }
    }

    fn temporaries(self) -> &'static [&'static str] {
        match self {
            Algorithm::Sha512 => &["{t0}", "{t1}", "{t2}"],
            // x holds b ^ c of the next pair of rounds.
            Algorithm::Sha512Woven => &["{t0}", "{t1}", "{t2}", "{y}"],
            Algorithm::Keccak => &["$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6"],
        }
    }
}

/// What one call of a function computes. Functions take the state, the sums, and where the schedule continues; Keccak's
/// use only the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// One block of as many lanes as a row of the table has words.
    Sha512 { lanes: usize },
    /// Eight blocks, of which the first words of each next one are the same.
    Sha512Woven,
    /// Eight permutations of the state.
    Keccak,
}

/// A round as it stands in the source, and what runs around it.
pub(super) struct Kernel {
    pub(super) graph: Graph,
    pub(super) work: Work,
    parameters: Vec<String>,
    again: Vec<String>,
    /// What `$v` and `$u` are in ten rounds of SHA-512.
    parts: Vec<Line>,
    /// What takes the place of `$step!(i, …)` in the last sixteen rounds of a block, where that is not nothing.
    next: BTreeMap<usize, Line>,
}

impl Kernel {
    /// Reads the round from the sources below `root`. With `wide`, SHA-512's schedule is that of AVX-512.
    pub(super) fn read(root: &Path, algorithm: Algorithm, wide: bool) -> Result<Kernel, String> {
        let path = root.join(algorithm.file());
        let said = |e: String| format!("{}: {e}", path.display());
        let file = std::fs::read_to_string(&path).map_err(|e| said(e.to_string()))?;
        Kernel::of(&file, algorithm, wide).map_err(said)
    }

    fn of(file: &str, algorithm: Algorithm, wide: bool) -> Result<Kernel, String> {
        let name = algorithm.macro_name();
        let said = |e: String| format!("macro {name}: {e}");
        let step = (algorithm == Algorithm::Sha512Woven).then_some("woven_step");
        let Macro { lines, parameters, again } = Macro::read(file, name, step)?;
        let mut next = BTreeMap::new();
        let mut replaced = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if let Some(call) = &line.call
                && let Some(line) = source::line_of(file, "woven_next", call.number)?
            {
                next.insert(call.number, line);
                replaced.push(at);
            }
        }
        let mut graph = Graph::new(lines, algorithm.temporaries()).map_err(said)?;
        // What takes their place depends on each other.
        replaced.sort_by_key(|&at| graph.line(at).call.as_ref().map(|c| c.number));
        graph.keep_order(&replaced);
        let (work, parts) = match algorithm {
            Algorithm::Keccak => (Work::Keccak, Vec::new()),
            Algorithm::Sha512Woven => (Work::Sha512Woven, Vec::new()),
            Algorithm::Sha512 => {
                let step = if wide { "avx512_step" } else { "avx2_step" };
                let parts = source::numbered(file, step, 2 * PERIOD)?;
                (Work::Sha512 { lanes: if wide { 8 } else { 4 } }, parts.into_iter().map(Line::plain).collect())
            }
        };
        let fits = match algorithm {
            Algorithm::Sha512 => parameters.join(" ") == "t v u a b c d e f g h x y" && again.is_empty(),
            Algorithm::Sha512Woven => {
                parameters.join(" ") == "step t w16 w14 w8 w6 w2 a b c d e f g h" && again.is_empty()
            }
            Algorithm::Keccak => {
                parameters.len() == 1 + KECCAK_REGISTERS && parameters[0] == "r" && again.len() == KECCAK_REGISTERS
            }
        };
        if !fits {
            return Err(said("it has other names than are known here".into()));
        }
        let kernel = Kernel { graph, work, parameters, again, parts, next };
        // Report unknown operands here, with the name of the source.
        kernel.assembly([&kernel.graph.committed()]).map_err(said)?;
        Ok(kernel)
    }

    /// Returns a file of assembly with a function for each order, `order_0` and so on. See [`Work`] for what they take.
    pub(super) fn assembly<'a>(&self, orders: impl IntoIterator<Item = &'a Order>) -> Result<String, String> {
        let mut text = String::from(".intel_syntax noprefix\n.text\n");
        for (i, order) in orders.into_iter().enumerate() {
            let lines = self.graph.lines(order);
            let body = match self.work {
                Work::Sha512 { lanes } => self.sha512(&lines, lanes)?,
                Work::Sha512Woven => self.sha512_woven(&lines)?,
                Work::Keccak => self.keccak(&lines)?,
            };
            let _ = write!(text, ".p2align 6\n.globl order_{i}\n.type order_{i}, @function\norder_{i}:\n{body}ret\n");
        }
        text += ".section .rodata\n.p2align 6\nrc:\n";
        for i in 0..80 {
            let _ = writeln!(text, ".quad {}", constant(i));
        }
        // For each of two words, the bytes that a rotation by eight bits moves there.
        text += "by8:\n.byte 1,2,3,4,5,6,7,0,9,10,11,12,13,14,15,8\n";
        text += "swap:\n.byte 7,6,5,4,3,2,1,0,15,14,13,12,11,10,9,8\n.section .note.GNU-stack,\"\",@progbits\n";
        Ok(text)
    }

    /// One block as `eighty!` has it: two turns of forty rounds.
    fn sha512(&self, lines: &[Line], lanes: usize) -> Result<String, String> {
        let row = 8 * lanes;
        let mut text: String = SAVED.iter().map(|r| format!("push {r}\n")).collect();
        text += "push rdi\nmov rbp, rdx\nvbroadcasti128 ymm15, [rip + by8]\n";
        for (i, word) in WORDS[..8].iter().enumerate() {
            let _ = writeln!(text, "mov {word}, [rdi + 8*{i}]");
        }
        text += "mov rdi, rsi\nmov r12, rbx\nxor r12, rcx\npush 2\n.p2align 6\n2:\n";
        let mut words = WORDS;
        for t in 0..40 {
            let value = |name: &str| match name {
                "$t" => Some(t.to_string()),
                "$v" => self.part(2 * t, row),
                "$u" => self.part(2 * t + 1, row),
                "{p}" => Some("rdi".into()),
                "{row}" => Some(row.to_string()),
                "{t0}" => Some("rsi".into()),
                "{t1}" => Some("r14".into()),
                "{t2}" => Some("r15".into()),
                _ => {
                    let at = self.parameters[3..].iter().position(|p| name.strip_prefix('$') == Some(p))?;
                    Some(words[at].into())
                }
            };
            text += &filled(lines, &value)?;
            // What was a is b in the next round, and x and y take turns.
            words[..8].rotate_right(1);
            words.swap(8, 9);
        }
        let _ = write!(text, "add rdi, 40*{row}\ndec qword ptr [rsp]\njnz 2b\nlea rsp, [rsp + 8]\npop rdi\n");
        for (i, word) in WORDS[..8].iter().enumerate() {
            let _ = writeln!(text, "add [rdi + 8*{i}], {word}");
        }
        text.extend(SAVED.iter().rev().map(|r| format!("pop {r}\n")));
        Ok(text + "vzeroupper\n")
    }

    /// One block as `block_by_block!` has it: four turns of sixteen rounds beside the schedule, and sixteen beside the
    /// first words of the next block.
    fn sha512_woven(&self, lines: &[Line]) -> Result<String, String> {
        let mut text: String = SAVED.iter().map(|r| format!("push {r}\n")).collect();
        text += "push rdi\npush rdx\n";
        for (i, word) in WORDS[..8].iter().enumerate() {
            let _ = writeln!(text, "mov {word}, [rdi + 8*{i}]");
        }
        text += "mov rdi, rsi\nmov r12, rbx\nxor r12, rcx\n";
        text.extend((0..8).map(|i| format!("vmovdqu xmm{i}, [rdi + 8*80 + 16*{i}]\n")));
        text += "lea rbp, [rip + rc + 128]\npush 4\n.p2align 6\n2:\n";
        text += &self.sixteen(lines)?;
        text += "add rdi, 128\nsub rbp, -128\ndec qword ptr [rsp]\njnz 2b\nlea rsp, [rsp + 8]\npop rbp\n";
        let last = lines.iter().filter_map(|line| match &line.call {
            Some(call) => self.next.get(&call.number).cloned(),
            None => Some(line.clone()),
        });
        text += &self.sixteen(&last.collect::<Vec<_>>())?;
        text.extend((0..8).map(|i| format!("vmovdqu [rdi - 512 + 8*80 + 16*{i}], xmm{i}\n")));
        text += "pop rdi\n";
        for (i, word) in WORDS[..8].iter().enumerate() {
            let _ = writeln!(text, "add [rdi + 8*{i}], {word}");
        }
        text.extend(SAVED.iter().rev().map(|r| format!("pop {r}\n")));
        Ok(text)
    }

    /// Sixteen rounds as `sixteen!` has them.
    fn sixteen(&self, lines: &[Line]) -> Result<String, String> {
        let mut text = String::new();
        let mut words = WORDS;
        for pair in 0..8 {
            let value = |name: &str| match name {
                "$t" => Some((2 * pair).to_string()),
                "{p}" => Some("rdi".into()),
                "{row}" => Some("8".into()),
                "{x}" => Some(words[8].into()),
                "{y}" => Some(words[9].into()),
                "{t0}" => Some("rsi".into()),
                "{t1}" => Some("r14".into()),
                "{t2}" => Some("r15".into()),
                "{first}" => Some("rc".into()),
                "{swap}" => Some("swap".into()),
                _ => {
                    let name = name.strip_prefix('$')?;
                    match name.strip_prefix('w').and_then(|back| back.parse::<usize>().ok()) {
                        // The words so far back are in the register of the pair that they belong to.
                        Some(back) => Some(((16 - back) / 2 + pair).rem_euclid(8).to_string()),
                        None => Some(words[self.parameters[7..].iter().position(|p| p == name)?].into()),
                    }
                }
            };
            text += &filled(lines, &value)?;
            words[..8].rotate_right(2);
        }
        Ok(text)
    }

    /// Returns the part of the schedule for a half round.
    fn part(&self, half: usize, row: usize) -> Option<String> {
        let value = |name: &str| match name {
            "{row}" => Some(row.to_string()),
            // The sums of the next blocks: the first of the table's four parts, where W is the second.
            "{sums}" => Some(format!("-80*{row}")),
            "{by8}" => Some("ymm15".into()),
            _ => None,
        };
        self.parts[half % (2 * PERIOD)].filled(&value).ok()
    }

    /// Permutations of one state, each of 24 rounds, after which every name is in its register again.
    fn keccak(&self, lines: &[Line]) -> Result<String, String> {
        let mut registers: Vec<String> = (0..KECCAK_REGISTERS).map(|i| format!("xmm{i}")).collect();
        let names = &self.parameters[1..];
        let at = |name: &str| names.iter().position(|n| n == name);
        let mut text: String = (0..25).map(|i| format!("vmovq xmm{i}, qword ptr [rdi + 8*{i}]\n")).collect();
        text += "mov eax, 8\n.p2align 6\n2:\n";
        for r in 0..24 {
            let value = |name: &str| match name {
                "$r" => Some(r.to_string()),
                "{rc}" => Some("rc".into()),
                _ => Some(registers[at(name.strip_prefix('$')?)?].clone()),
            };
            text += &filled(lines, &value)?;
            let next = self.again.iter().map(|name| Some(registers[at(name)?].clone()));
            registers = next.collect::<Option<_>>().ok_or("rounds! calls itself with another name")?;
        }
        text += "dec eax\njnz 2b\n";
        text.extend((0..25).map(|i| format!("vmovq qword ptr [rdi + 8*{i}], xmm{i}\n")));
        Ok(text)
    }
}

/// The registers of a to h, x and y; rsi, r14 and r15 are t0 to t2.
const WORDS: [&str; 10] = ["rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13"];

/// What a function must leave as it was.
const SAVED: [&str; 6] = ["rbx", "rbp", "r12", "r13", "r14", "r15"];

/// Number of rounds after which the schedule repeats.
const PERIOD: usize = 10;

/// 25 words and seven temporaries.
const KECCAK_REGISTERS: usize = 32;

/// Stands for ι's constants and SHA-512's K, whose values make no difference to how long anything takes: their places
/// do, in the comparison of what orders compute.
fn constant(i: usize) -> u64 {
    0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 1)
}

fn filled(lines: &[Line], value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    lines.iter().map(|line| line.filled(value)).collect()
}

/// Describes what a round consists of.
pub(super) fn contents(graph: &Graph) -> String {
    let (slots, directives) = (graph.count(Kind::Slot), graph.count(Kind::Directive));
    let instructions = graph.count(Kind::Instruction);
    match slots + directives {
        0 => format!("{instructions} instructions"),
        _ => format!("{instructions} instructions, {slots} parts of the schedule, {directives} alignment"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::native::{Memory, Object, lacks};
    use super::*;
    use hashmill_measure::random::Random;

    fn root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// Returns all kernels that this machine can run, and prints which ones it cannot run.
    fn kernels() -> Vec<Kernel> {
        let all = [
            (Algorithm::Sha512, true),
            (Algorithm::Sha512, false),
            (Algorithm::Sha512Woven, true),
            (Algorithm::Keccak, true),
        ];
        let can = |&(algorithm, wide): &(Algorithm, bool)| match lacks(algorithm, wide) {
            Some(why) => {
                println!("skipped: {algorithm:?}: {why}");
                false
            }
            None => true,
        };
        all.into_iter().filter(can).map(|(a, wide)| Kernel::read(&root(), a, wide).unwrap()).collect()
    }

    fn built(kernel: &Kernel, orders: &[Order]) -> Object {
        let folder = tempfile::tempdir().unwrap();
        Object::build(&kernel.assembly(orders).unwrap(), orders.len(), folder.path(), 0).unwrap()
    }

    #[test]
    fn sources_are_read() {
        let counts = |algorithm| {
            let g = Kernel::read(&root(), algorithm, true).unwrap().graph;
            [Kind::Instruction, Kind::Slot, Kind::Directive].map(|kind| g.count(kind))
        };
        assert_eq!(counts(Algorithm::Sha512), [25, 2, 1]);
        assert_eq!(counts(Algorithm::Sha512Woven), [71, 0, 0]);
        assert_eq!(counts(Algorithm::Keccak), [110, 0, 0]);
    }

    /// A committed order is printed exactly as it stands in the source.
    #[test]
    fn committed_orders_are_their_sources() {
        for algorithm in [Algorithm::Sha512, Algorithm::Sha512Woven, Algorithm::Keccak] {
            let kernel = Kernel::read(&root(), algorithm, true).unwrap();
            let committed = kernel.graph.committed();
            assert!(kernel.graph.allows(&committed));
            let file = std::fs::read_to_string(root().join(algorithm.file())).unwrap();
            let lines: Vec<&str> = file.lines().map(str::trim).collect();
            let printed: Vec<String> = kernel.graph.lines(&committed).iter().map(Line::source).collect();
            assert!(lines.windows(printed.len()).any(|w| w == printed), "{algorithm:?}");
        }
    }

    #[test]
    fn a_source_that_is_not_known_is_named() {
        let of = |text: &str| Kernel::of(text, Algorithm::Sha512, true).err().unwrap();
        assert_eq!(of("fn f() {}"), "no macro round");
        let round = r#"macro_rules! round { ($a:tt) => { concat!("cpuid ", $a, "\n") }; }"#;
        assert_eq!(of(round), "macro round: the instruction `cpuid $a`: it is not known here");
        let round = r#"macro_rules! round { ($a:tt) => { concat!("add ", $a, ", 1\n") }; }"#;
        assert_eq!(of(round), "no macro avx512_step");
        let step = "macro_rules! avx512_step { ($i:tt) => { \"\" }; }";
        assert_eq!(of(&format!("{round}{step}")), "macro round: it has other names than are known here");
        let round = r#"macro_rules! round { ($t:expr, $v:expr, $u:expr, $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt
            $x:tt $y:tt) => { concat!("add ", $h, ", {sum}\n") }; }"#;
        assert_eq!(of(&format!("{round}{step}")), "macro round: {sum} stands for nothing that is known here");
        let none = Kernel::read(Path::new("/nowhere"), Algorithm::Keccak, true).err().unwrap();
        assert!(none.starts_with("/nowhere/crates/hashmill/src/algo/keccak/x86.rs: "), "{none}");
    }

    /// FIPS 180-4's rounds on arbitrary sums, and the words of the schedule computed meanwhile.
    #[test]
    fn sha512_is_what_the_standard_says() {
        for kernel in &kernels() {
            let Work::Sha512 { lanes } = kernel.work else { continue };
            let before = Memory::random(kernel.work, &mut Random(1));
            let mut after = before.clone();
            built(kernel, &[kernel.graph.committed()]).run(0, &mut after);
            let mut state: [u64; 8] = *before.state().first_chunk().unwrap();
            let word = |m: &Memory, part: usize, t: usize, lane: usize| m.table()[(80 * part + t) * lanes + lane];
            for lane in 0..lanes {
                eighty_rounds(&mut state, |t| word(&before, 2, t, lane));
                for t in 16..80 {
                    let w = |back: usize| word(&after, 1, t - back, lane);
                    let next = scheduled(w);
                    assert_eq!(w(0), next, "W[{t}]");
                    assert_eq!(word(&after, 0, t, lane), next.wrapping_add(word(&before, 3, t, lane)), "sum {t}");
                }
            }
            assert_eq!(after.state()[..8], state);
        }
    }

    /// Computes FIPS 180-4's rounds on sums of W and K.
    fn eighty_rounds(state: &mut [u64; 8], sum: impl Fn(usize) -> u64) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for t in 0..80 {
            let big1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let t1 = h.wrapping_add(big1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(sum(t));
            let big0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let t2 = big0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (s, x) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *s = s.wrapping_add(x);
        }
    }

    /// Returns the next word of FIPS 180-4's schedule; `w(n)` is the word `n` places before it.
    fn scheduled(w: impl Fn(usize) -> u64) -> u64 {
        let small0 = w(15).rotate_right(1) ^ w(15).rotate_right(8) ^ w(15) >> 7;
        let small1 = w(2).rotate_right(19) ^ w(2).rotate_right(61) ^ w(2) >> 6;
        small1.wrapping_add(w(7)).wrapping_add(small0).wrapping_add(w(16))
    }

    #[test]
    fn woven_sha512_is_what_the_standard_says() {
        for kernel in kernels().iter().filter(|k| k.work == Work::Sha512Woven) {
            let before = Memory::random(kernel.work, &mut Random(1));
            let mut after = before.clone();
            built(kernel, &[kernel.graph.committed()]).run(0, &mut after);
            let mut state: [u64; 8] = *before.state().first_chunk().unwrap();
            let table = before.table();
            // The sums and words of the first block are random; those of the other blocks come from the words that
            // follow in the table.
            let mut sums: Vec<u64> = table[..16].to_vec();
            let mut words: Vec<u64> = table[80..96].to_vec();
            for _ in 0..8 {
                for t in 16..80 {
                    words.push(scheduled(|back| words[t - back]));
                    sums.push(words[t].wrapping_add(constant(t)));
                }
                eighty_rounds(&mut state, |t| sums[t]);
                words = table[96..112].iter().map(|w| w.swap_bytes()).collect();
                sums.splice(..16, words.iter().enumerate().map(|(t, w)| w.wrapping_add(constant(t))));
                sums.truncate(16);
            }
            assert_eq!(after.state()[..8], state);
            assert_eq!(after.table()[80..96], words);
            assert_eq!(after.table()[..16], sums[..16]);
        }
    }

    /// FIPS 202's rounds, except for the constants of ι.
    #[test]
    fn keccak_is_what_the_standard_says() {
        for kernel in kernels().iter().filter(|k| k.work == Work::Keccak) {
            let mut memory = Memory::random(kernel.work, &mut Random(1));
            let mut a: [u64; 25] = *memory.state();
            built(kernel, &[kernel.graph.committed()]).run(0, &mut memory);
            for round in 0..8 * 24 {
                let c: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ a[x + 5 * y]));
                for i in 0..25 {
                    a[i] ^= c[(i + 4) % 5] ^ c[(i + 1) % 5].rotate_left(1);
                }
                let (mut x, mut y) = (1, 0);
                let mut b = a;
                for t in 0..24 {
                    let (to_x, to_y) = (y, (2 * x + 3 * y) % 5);
                    b[to_x + 5 * to_y] = a[x + 5 * y].rotate_left((t + 1) * (t + 2) / 2 % 64);
                    (x, y) = (to_x, to_y);
                }
                for i in 0..25 {
                    let row = i / 5 * 5;
                    a[i] = b[i] ^ (!b[row + (i + 1) % 5] & b[row + (i + 2) % 5]);
                }
                a[0] ^= constant(round % 24);
            }
            assert_eq!(*memory.state(), a);
        }
    }

    #[test]
    fn any_order_computes_the_same() {
        for kernel in kernels() {
            let mut orders = vec![kernel.graph.committed()];
            for seed in 0..4 {
                let mut random = Random(seed);
                let any = kernel.graph.any(&mut random);
                assert_ne!(any, orders[0], "a dead end");
                let mut far = kernel.graph.committed();
                for _ in 0..200 {
                    far = kernel.graph.neighbour(&far, &mut random);
                }
                orders.extend([any, far]);
            }
            assert!(orders.iter().all(|o| kernel.graph.allows(o)));
            let object = built(&kernel, &orders);
            assert_eq!(object.differing(kernel.work, &mut Random(9)), None);
        }
    }

    /// Two instructions are swapped although one of them reads the result of the other.
    #[test]
    fn an_order_that_computes_something_else_is_noticed() {
        for kernel in kernels() {
            let committed = kernel.graph.committed();
            let swapped = |at: usize| {
                let mut order = committed.clone();
                order.swap(at, at + 1);
                order
            };
            let wrong = (0..committed.len() - 1).map(swapped).find(|o| !kernel.graph.allows(o)).unwrap();
            let object = built(&kernel, &[committed.clone(), committed, wrong]);
            assert_eq!(object.differing(kernel.work, &mut Random(9)), Some(2));
        }
    }
}
