//! Parses the output of `objdump -d --no-show-raw-insn -C`, `objdump -R` and `objdump -s`.

use std::collections::HashMap;

/// The architecture of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arch {
    X86_64,
    Aarch64,
}

impl Arch {
    /// As `cfg(target_arch)` spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Arch::X86_64 => "x86_64",
            Arch::Aarch64 => "aarch64",
        }
    }

    /// Reads the line `…: file format elf64-x86-64`.
    pub(crate) fn of(text: &str) -> Option<Arch> {
        let line = text.lines().find(|l| l.contains("file format"))?;
        match line {
            l if l.contains("x86-64") => Some(Arch::X86_64),
            l if l.contains("aarch64") => Some(Arch::Aarch64),
            _ => None,
        }
    }
}

/// One instruction: its address, its mnemonic without prefixes, and the rest of the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Instruction<'a> {
    pub(crate) address: u64,
    pub(crate) mnemonic: &'a str,
    pub(crate) operands: &'a str,
}

/// One function of the program.
pub(crate) struct Function<'a> {
    /// Demangled, without the hash of the legacy scheme, the crate's disambiguator and LLVM's suffixes.
    pub(crate) name: String,
    pub(crate) instructions: Vec<Instruction<'a>>,
}

/// All functions, in the order of their addresses.
pub(crate) fn functions(text: &str) -> Vec<Function<'_>> {
    let mut all: Vec<Function<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = header(line) {
            all.push(Function { name: clean(name), instructions: Vec::new() });
        } else if let (Some(i), Some(f)) = (instruction(line), all.last_mut()) {
            f.instructions.push(i);
        }
    }
    all
}

/// `0000000000004a30 <name>:`
fn header(line: &str) -> Option<&str> {
    let (address, name) = line.split_once(" <")?;
    let is_address = !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit());
    if is_address { name.strip_suffix(">:") } else { None }
}

/// `    4a30:<tab>mnemonic operands`
fn instruction(line: &str) -> Option<Instruction<'_>> {
    let (address, rest) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let mut rest = rest.trim();
    loop {
        let (word, after) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let prefix = matches!(word, "addr32" | "data16" | "notrack" | "bnd" | "cs" | "ds" | "es" | "lock" | "rex.W");
        if !prefix || after.is_empty() {
            return Some(Instruction { address, mnemonic: word, operands: after.trim() });
        }
        rest = after.trim_start();
    }
}

/// A demangled symbol without the parts that differ from build to build.
fn clean(symbol: &str) -> String {
    let mut name = symbol;
    for cut in [" [clone", ".llvm.", "@"] {
        name = name.split(cut).next().unwrap_or(name);
    }
    if let Some((path, hash)) = name.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|b| b.is_ascii_hexdigit())
    {
        name = path;
    }
    // `hashmill[1f2e3d4c]::algo`
    match name.split_once('[') {
        Some((krate, rest)) if krate.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => {
            match rest.split_once(']') {
                Some((hex, path)) if !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    format!("{krate}{path}")
                }
                _ => name.to_string(),
            }
        }
        _ => name.to_string(),
    }
}

/// Slot address in the global offset table → function whose address the loader puts there, from `objdump -R`.
pub(crate) fn slots(text: &str, all: &[Function<'_>]) -> HashMap<u64, String> {
    let starts: HashMap<u64, &str> =
        all.iter().filter_map(|f| Some((f.instructions.first()?.address, f.name.as_str()))).collect();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let slot = hex(words.next()?)?;
        let value = words.nth(1)?;
        match value.strip_prefix("*ABS*+0x") {
            Some(address) => Some((slot, starts.get(&hex(address)?)?.to_string())),
            None => Some((slot, clean(value))),
        }
    };
    text.lines().filter_map(row).collect()
}

/// Like [`slots`], for a program at fixed addresses, where the linker has put the address of each of its functions into
/// its slot. From `objdump -s -j .got`: the address of a slot, and bytes in groups of four.
pub(crate) fn filled(text: &str, all: &[Function<'_>]) -> HashMap<u64, String> {
    let starts: HashMap<u64, &str> =
        all.iter().filter_map(|f| Some((f.instructions.first()?.address, f.name.as_str()))).collect();
    let mut found = HashMap::new();
    // After the bytes come two spaces and the same as text.
    for (place, bytes) in text.lines().filter_map(|l| l.strip_prefix(' ')?.split("  ").next()?.split_once(' ')) {
        let Some(place) = hex(place) else { continue };
        let groups: Vec<u64> = bytes.split(' ').map_while(|g| Some(hex(g)?.swap_bytes() >> 32)).collect();
        for (slot, halves) in (place..).step_by(8).zip(groups.chunks_exact(2)) {
            if let Some(name) = starts.get(&(halves[0] | halves[1] << 32)) {
                found.insert(slot, name.to_string());
            }
        }
    }
    found
}

/// Where control goes when it leaves the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Leaves {
    /// To a function of this name.
    To(String),
    /// To an address in a register or in memory.
    Indirect,
}

impl Function<'_> {
    /// Every call, and every jump out of the function.
    pub(crate) fn leaves(&self, slots: &HashMap<u64, String>) -> Vec<Leaves> {
        let Some((first, last)) = self.instructions.first().zip(self.instructions.last()) else {
            return Vec::new();
        };
        let inside = first.address..=last.address;
        let leaves = |i: &Instruction<'_>| {
            let call = matches!(i.mnemonic, "call" | "callq" | "bl" | "blr");
            let jump = i.mnemonic.starts_with('j') || i.mnemonic == "b" || i.mnemonic.starts_with("b.");
            if call {
                return Some(i.target(slots).unwrap_or(Leaves::Indirect));
            }
            // A jump through a register is a jump table.
            let out = jump && !i.operands.split([' ', ',']).next().and_then(hex).is_some_and(|a| inside.contains(&a));
            if out { i.target(slots) } else { None }
        };
        // Behind an instruction that the disassembler does not know it reads on in the middle of the next one, and
        // finds branches that are none. Only a branch to the start of a function is believed there.
        let mut unknown = 0;
        let believed = |i: &&Instruction<'_>| {
            if i.mnemonic == "(bad)" {
                unknown = i.address + OUT_OF_STEP;
            }
            i.address >= unknown || i.operands.ends_with('>') && !i.operands.contains("+0x")
        };
        self.instructions.iter().filter(believed).filter_map(leaves).collect()
    }
}

/// Bytes after which a disassembler that has met an instruction unknown to it is in step again.
const OUT_OF_STEP: u64 = 32;

impl Instruction<'_> {
    /// `4a30 <name+0x10>`, or `*0x123(%rip) # 4a30 <name>`: the name, looked up in `slots` in the second case.
    fn target(&self, slots: &HashMap<u64, String>) -> Option<Leaves> {
        let (place, symbol) = self.operands.split_once(" <")?;
        let symbol = symbol.strip_suffix('>').unwrap_or(symbol);
        if self.operands.starts_with('*') {
            let slot = hex(place.rsplit_once("# ")?.1)?;
            return Some(slots.get(&slot).map_or(Leaves::Indirect, |s| Leaves::To(s.clone())));
        }
        let name = match symbol.rsplit_once("+0x") {
            Some((name, _)) => name,
            None => symbol,
        };
        Some(Leaves::To(clean(name)))
    }

    /// Padding between functions and before loops.
    pub(crate) fn is_padding(&self) -> bool {
        self.mnemonic.starts_with("nop")
            || self.mnemonic == "int3"
            || (self.mnemonic == "xchg" && self.operands == "%ax,%ax")
    }

    /// A register of 32 bytes or more, with an operand on the stack.
    pub(crate) fn is_wide_on_stack(&self) -> bool {
        self.operands.contains("(%rsp") && (self.operands.contains("%ymm") || self.operands.contains("%zmm"))
    }

    /// `and $0xffffffffffffffc0,%rsp`
    pub(crate) fn aligns_stack(&self) -> bool {
        self.mnemonic == "and" && self.operands.ends_with(",%rsp")
    }

    /// A vector register moved to or from the stack.
    pub(crate) fn is_spill(&self) -> bool {
        let o = self.operands;
        let x86 = self.mnemonic.trim_start_matches('v').starts_with("mov")
            && o.contains("(%rsp")
            && (o.contains("%xmm") || o.contains("%ymm") || o.contains("%zmm"));
        let store = ["str", "ldr", "stp", "ldp", "stur", "ldur"].contains(&self.mnemonic);
        x86 || (store && o.starts_with('q') && o.contains("[sp"))
    }
}

fn hex(s: &str) -> Option<u64> {
    u64::from_str_radix(s.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
target/release/hashmill:     file format elf64-x86-64


Disassembly of section .text:

0000000000004a30 <hashmill[1f2e3d]::algo::md5::avx2x16>:
    4a30:\tpush   %rbp
    4a31:\tvmovdqa %ymm3,0x40(%rsp)
    4a37:\tvpaddd 0x60(%rsp),%ymm1,%ymm2
    4a3d:\tjb     4a31 <hashmill::algo::md5::avx2x16+0x1>
    4a3f:\taddr32 call 5000 <core::panicking::panic_bounds_check>
    4a45:\tcall   *0x1234(%rip)        # 9000 <_GLOBAL_OFFSET_TABLE_+0x28>
    4a4b:\tcall   *%rax
    4a4d:\tnotrack jmp *%rcx
    4a50:\tjmp    6000 <core::core_arch::x86::avx2::_mm256_add_epi32+0x4>
    4a55:\tdata16 cs nopw 0x0(%rax,%rax,1)
    4a5f:\tret

0000000000005000 <core::panicking::panic_bounds_check::h0123456789abcdef>:
    5000:\tud2
\t...
";

    #[test]
    fn what_follows_an_unknown_instruction_is_no_call() {
        let text = "
0000000000001000 <k>:
    1000:\t(bad)
    1004:\tadd    $0x4c925d4,%eax
    1009:\tcall   8105b3d8 <other+0x7fa99938>
    100e:\tcall   *%rax
    1010:\tcall   2000 <seen>
    1030:\tcall   2010 <seen+0x10>
";
        let leaves = functions(text)[0].leaves(&HashMap::new());
        assert_eq!(leaves, [Leaves::To("seen".into()), Leaves::To("seen".into())]);
        let sure = text.replace("(bad)", "nop");
        assert_eq!(functions(&sure)[0].leaves(&HashMap::new()).len(), 4);
    }

    #[test]
    fn functions_and_instructions() {
        assert_eq!(Arch::of(TEXT), Some(Arch::X86_64));
        let f = functions(TEXT);
        assert_eq!(f.len(), 2);
        assert_eq!(f[0].name, "hashmill::algo::md5::avx2x16");
        assert_eq!(f[1].name, "core::panicking::panic_bounds_check");
        assert_eq!(f[0].instructions.len(), 11);
        assert_eq!(f[0].instructions[0], Instruction { address: 0x4a30, mnemonic: "push", operands: "%rbp" });
        assert_eq!(f[0].instructions[4].mnemonic, "call");
        let spills: Vec<u64> = f[0].instructions.iter().filter(|i| i.is_spill()).map(|i| i.address).collect();
        assert_eq!(spills, [0x4a31]);
        let padding: Vec<u64> = f[0].instructions.iter().filter(|i| i.is_padding()).map(|i| i.address).collect();
        assert_eq!(padding, [0x4a55]);
    }

    #[test]
    fn every_way_out() {
        let f = functions(TEXT);
        let rows = "\
OFFSET           TYPE              VALUE
0000000000009000 R_X86_64_GLOB_DAT  memcpy@GLIBC_2.14
0000000000009008 R_X86_64_RELATIVE  *ABS*+0x0000000000005000
0000000000009010 R_X86_64_RELATIVE  *ABS*+0x0000000000007777
";
        let slots = slots(rows, &f);
        assert_eq!(slots.len(), 2);
        assert_eq!(slots[&0x9008], "core::panicking::panic_bounds_check");
        let to = |s: &str| Leaves::To(s.to_string());
        assert_eq!(
            f[0].leaves(&slots),
            [
                to("core::panicking::panic_bounds_check"),
                to("memcpy"),
                Leaves::Indirect,
                to("core::core_arch::x86::avx2::_mm256_add_epi32"),
            ]
        );
        assert_eq!(f[0].leaves(&HashMap::new())[1], Leaves::Indirect);
        assert!(f[1].leaves(&slots).is_empty());
    }

    #[test]
    fn a_program_at_fixed_addresses() {
        let f = functions(TEXT);
        let text = "
target/release/hashmill:     file format elf64-x86-64

Contents of section .got:
 8ff8 305a4000 00000000 00500000 00000000  0Z@......P......
 9008 304a0000 00000000                    0J......
";
        let slots = filled(text, &f);
        assert_eq!(slots.len(), 2);
        assert_eq!(slots[&0x9000], "core::panicking::panic_bounds_check");
        assert_eq!(slots[&0x9008], "hashmill::algo::md5::avx2x16");
        assert_eq!(f[0].leaves(&slots)[1], Leaves::To("core::panicking::panic_bounds_check".into()));
    }

    #[test]
    fn aarch64() {
        let text = "\
x:     file format elf64-littleaarch64
0000000000001000 <hashmill::algo::md5::neonx8>:
    1000:\tstr\tq0, [sp, #16]
    1004:\tb.eq\t1000 <hashmill::algo::md5::neonx8>  // b.none
    1008:\tbl\t2000 <memcpy@plt>
    100c:\tret
";
        assert_eq!(Arch::of(text), Some(Arch::Aarch64));
        let f = &functions(text)[0];
        assert!(f.instructions[0].is_spill());
        assert_eq!(f.leaves(&HashMap::new()), [Leaves::To("memcpy".to_string())]);
    }

    #[test]
    fn names() {
        assert_eq!(clean("hashmill::algo::md5::portable.llvm.123"), "hashmill::algo::md5::portable");
        assert_eq!(clean("<[u8] as core::fmt::Debug>::fmt"), "<[u8] as core::fmt::Debug>::fmt");
        assert_eq!(clean("a::hello"), "a::hello");
    }
}
