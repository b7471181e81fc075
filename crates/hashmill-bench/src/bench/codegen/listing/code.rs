//! Finds the loop, which is what runs more often for a longer message, and formats its machine code.

use super::trace::{Counted, Memory, Place};
use iced_x86::{
    Decoder, DecoderOptions, Formatter, FormatterOperandOptions, FormatterOptions, FormatterOptionsProvider,
    Instruction, IntelFormatter, MemorySizeOptions, Mnemonic, NumberFormattingOptions, OpKind, SymbolResolver,
    SymbolResult,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Data addresses closer together than this belong to one table, or to related tables.
const TABLE: u64 = 4096;

/// Instructions that run less than once in this many iterations are not listed.
const RARE: u64 = 16;

/// One instruction of a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Line {
    /// Offset in its file.
    pub(super) offset: u64,
    /// File, if it is not the program itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Whether it does not directly follow the previous instruction.
    #[serde(skip)]
    pub(super) apart: bool,
    /// Label, if it is a jump target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    pub(super) text: String,
    pub(super) bytes_hex: String,
    /// How often it runs per iteration of the loop.
    pub(super) per_turn: f64,
    pub(super) per_byte: f64,
}

/// The loop of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Listing {
    pub(super) name: String,
    pub(super) kernel: Option<String>,
    /// Word size of the code, 64 or 32.
    pub(super) bits: u32,
    /// How many more bytes the longer messages had.
    pub(super) bytes: u64,
    pub(super) instructions_per_byte: f64,
    pub(super) turn_bytes: f64,
    pub(super) turn_instructions: f64,
    pub(super) instructions: Vec<Line>,
}

/// An instruction that ran more often for longer messages.
struct Grown {
    place: Place,
    instruction: Instruction,
    bytes: Vec<u8>,
    growth: u64,
}

/// Returns how much more often each instruction ran in the second run than in the first, by address. The second message
/// is twice as long, so an instruction of the loop ran about as often in the first run as it ran more often in the
/// second. Anything else is a different way to begin or end, because memory was at another address.
fn grown(first: &Counted, second: &Counted) -> BTreeMap<u64, Grown> {
    let mut all = BTreeMap::new();
    for (place, (address, times)) in &second.times {
        let Some(code) = second.code.get(address) else { continue };
        let mut decoder = Decoder::with_ip(second.bits, code, *address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let count = |t: super::trace::Times| if repeats { t.all - t.repeated } else { t.all };
        let before = first.times.get(place).map_or(0, |(_, t)| count(*t));
        let growth = count(*times).saturating_sub(before);
        if growth > 1 && 2 * before >= growth {
            let bytes = code[..instruction.len().min(code.len())].to_vec();
            all.insert(*address, Grown { place: place.clone(), instruction, bytes, growth });
        }
    }
    all
}

/// Returns how many iterations the loop made for this many bytes. Of nested loops, this counts the outermost one whose
/// iteration takes a whole number of bytes and at most `limit`; if there is none, the one that executes the most
/// instructions.
fn turns(growths: &[u64], bytes: u64, limit: u64) -> u64 {
    let whole = |g: &u64| bytes % g == 0 && bytes / g <= limit;
    let outermost = growths.iter().copied().filter(whole).min();
    let most = || {
        let mut executed: BTreeMap<u64, u64> = BTreeMap::new();
        growths.iter().for_each(|&g| *executed.entry(g).or_default() += g);
        executed.into_iter().max_by_key(|e| e.1).map(|e| e.0)
    };
    outermost.or_else(most).unwrap_or(1)
}

/// Returns the target address of a jump or call.
fn target(i: &Instruction) -> Option<u64> {
    let near =
        i.op_count() > 0 && matches!(i.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64);
    near.then(|| i.near_branch_target())
}

/// Returns the address of data that an instruction names, absolute or relative to itself.
fn data(i: &Instruction, memory: &Memory) -> Option<u64> {
    let has = (0..i.op_count()).any(|o| i.op_kind(o) == OpKind::Memory);
    let address = i.memory_displacement64();
    (has && i.mnemonic() != Mnemonic::Nop && memory.is_of_file(address)).then_some(address)
}

/// Names of addresses.
#[derive(Clone, Default)]
struct Names {
    code: BTreeMap<u64, String>,
    /// Starting addresses of tables.
    data: BTreeMap<u64, String>,
}

impl Names {
    fn of(all: &BTreeMap<u64, Grown>, memory: &Memory) -> Names {
        let targets: BTreeSet<u64> = all.values().filter_map(|g| target(&g.instruction)).collect();
        let listed = targets.into_iter().filter(|t| all.contains_key(t));
        let code = listed.enumerate().map(|(i, address)| (address, format!("L{}", i + 1))).collect();
        let addresses: BTreeSet<u64> = all.values().filter_map(|g| data(&g.instruction, memory)).collect();
        let mut starts: Vec<u64> = Vec::new();
        let mut before = None;
        for address in addresses {
            if before.is_none_or(|b| address - b > TABLE) {
                starts.push(address);
            }
            before = Some(address);
        }
        let one = starts.len() == 1;
        let name = |(i, start)| (start, if one { "data".to_string() } else { format!("data{}", i + 1) });
        Names { code, data: starts.into_iter().enumerate().map(name).collect() }
    }
}

/// Resolver that the formatter asks for symbols.
struct Resolver {
    names: Names,
    memory: Memory,
}

impl SymbolResolver for Resolver {
    fn symbol(
        &mut self,
        i: &Instruction,
        _operand: u32,
        operand: Option<u32>,
        address: u64,
        _size: u32,
    ) -> Option<SymbolResult<'_>> {
        if target(i) == Some(address) {
            let name = self.names.code.get(&address).map_or("outside", String::as_str);
            return Some(SymbolResult::with_str(address, name));
        }
        // A constant that looks like an address is not one.
        let memory = operand.is_some_and(|o| o < i.op_count() && i.op_kind(o) == OpKind::Memory);
        if !memory || data(i, &self.memory) != Some(address) {
            return None;
        }
        let (start, name) = self.names.data.range(..=address).next_back()?;
        Some(SymbolResult::with_str(*start, name))
    }
}

/// Shows sign-extended operands with a sign (`add rsi, -64`), but not constants.
struct Signs;

impl FormatterOptionsProvider for Signs {
    fn operand_options(
        &mut self,
        i: &Instruction,
        _operand: u32,
        operand: Option<u32>,
        _options: &mut FormatterOperandOptions,
        numbers: &mut NumberFormattingOptions<'_>,
    ) {
        let kind = operand.filter(|&o| o < i.op_count()).map(|o| i.op_kind(o));
        numbers.signed_number = matches!(
            kind,
            Some(
                OpKind::Immediate8to16
                    | OpKind::Immediate8to32
                    | OpKind::Immediate8to64
                    | OpKind::Immediate32to64
                    | OpKind::Memory
            )
        );
    }
}

/// Sets the usual conventions of assembly listings.
fn options(options: &mut FormatterOptions, widest: u32) {
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_branch_leading_zeros(false);
    options.set_space_after_operand_separator(true);
    options.set_show_branch_size(false);
    options.set_rip_relative_addresses(false);
    options.set_memory_size_options(MemorySizeOptions::Minimal);
    options.set_first_operand_char_index(widest);
}

/// Returns the loop, given what ran for a message and for one that is `bytes` longer. One iteration takes at most
/// `limit` bytes.
pub(super) fn listing(
    (name, kernel): (String, Option<String>),
    first: &Counted,
    second: &Counted,
    bytes: u64,
    limit: u64,
) -> Option<Listing> {
    let mut all = grown(first, second);
    if all.is_empty() {
        return None;
    }
    let growths = |all: &BTreeMap<u64, Grown>| all.values().map(|g| g.growth).collect::<Vec<u64>>();
    let turns = turns(&growths(&all), bytes, limit);
    all.retain(|_, g| g.growth * RARE >= turns);
    let growths = growths(&all);
    let turns = turns as f64;
    let names = Names::of(&all, &second.memory);
    let resolver = Resolver { names: names.clone(), memory: second.memory.clone() };
    let mut formatter = IntelFormatter::with_options(Some(Box::new(resolver)), Some(Box::new(Signs)));
    // Align the operands, unless one mnemonic is much longer than the others.
    let mut mnemonic = |i: &Instruction| {
        let mut text = String::new();
        formatter.format_mnemonic(i, &mut text);
        text.len() as u32
    };
    let widest = all.values().map(|g| mnemonic(&g.instruction)).max().unwrap_or(0);
    options(formatter.options_mut(), widest.min(14) + 1);
    let mut lines = Vec::new();
    let mut end = None;
    for (address, g) in &all {
        let mut text = String::new();
        formatter.format(&g.instruction, &mut text);
        let file = (g.place.file != second.memory.program()).then(|| match Path::new(&g.place.file).file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => "no file".to_string(),
        });
        lines.push(Line {
            offset: g.place.offset,
            file,
            apart: end != Some(*address),
            label: names.code.get(address).cloned(),
            text,
            bytes_hex: g.bytes.iter().map(|b| format!("{b:02x}")).collect(),
            per_turn: g.growth as f64 / turns,
            per_byte: g.growth as f64 / bytes as f64,
        });
        end = Some(g.instruction.next_ip());
    }
    let executed = growths.iter().sum::<u64>() as f64;
    Some(Listing {
        name,
        kernel,
        bits: second.bits,
        bytes,
        instructions_per_byte: executed / bytes as f64,
        turn_bytes: bytes as f64 / turns,
        turn_instructions: executed / turns,
        instructions: lines,
    })
}

/// Formats a number with as few decimals as needed, at most four below 1 and three above.
fn number(x: f64) -> String {
    let digits = if x < 1.0 { 4 } else { 3 };
    let text = format!("{x:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Listing {
    /// Returns the listing's name: `crc32/slicing8`.
    fn title(&self) -> String {
        self.kernel.as_ref().map_or_else(|| self.name.clone(), |k| format!("{}/{k}", self.name))
    }

    /// Formats the listing for people.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "{}: {} instructions a byte ({} instructions for {} bytes){}\n",
            self.title(),
            number(self.instructions_per_byte),
            number(self.turn_instructions),
            number(self.turn_bytes),
            if self.bits == 32 { ", code of 32 bits" } else { "" },
        );
        // A column of ones would say nothing.
        let times: Vec<String> = self.instructions.iter().map(|l| number(l.per_turn)).collect();
        let width = if times.iter().all(|t| t == "1") { 0 } else { times.iter().map(String::len).max().unwrap_or(0) };
        if width > 0 {
            text +=
                &format!("In front of each instruction: how often it runs for {} bytes.\n", number(self.turn_bytes));
        }
        let mut file = None;
        for (line, times) in self.instructions.iter().zip(times) {
            if line.apart {
                text.push('\n');
            }
            if line.file != file {
                file.clone_from(&line.file);
                text += &format!("; {}\n", file.as_deref().unwrap_or("the program"));
            }
            if let Some(label) = &line.label {
                text += &format!("{label}:\n");
            }
            match width {
                0 => text += &format!("    {}\n", line.text),
                _ => text += &format!("{times:>width$}    {}\n", line.text),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::Times;
    use super::*;

    const START: u64 = 0x40_1000;

    /// Builds a count from (instruction, how often it ran, how often right after itself), with consecutive
    /// instructions.
    fn counted(bits: u32, ran: &[(&[u8], u64, u64)]) -> Counted {
        let mut c = Counted { bits, memory: Memory::for_tests("/bin/x", START, START + 0x1000), ..Counted::default() };
        let mut address = START;
        for &(bytes, all, repeated) in ran {
            if all > 0 {
                let place = Place { file: "/bin/x".into(), offset: address - START };
                c.times.insert(place, (address, Times { all, repeated }));
                c.code.insert(address, bytes.to_vec());
            }
            address += bytes.len() as u64;
        }
        c
    }

    fn of(bits: u32, first: &[(&[u8], u64, u64)], second: &[(&[u8], u64, u64)], bytes: u64) -> Option<Listing> {
        let names = ("crc".to_string(), Some("fast".to_string()));
        listing(names, &counted(bits, first), &counted(bits, second), bytes, TURN)
    }

    const TURN: u64 = 256;
    // mov eax, [rsi]; add rsi, -8; dec rcx; jne (to the first); ret
    const LOAD: &[u8] = &[0x8b, 0x06];
    const ADD: &[u8] = &[0x48, 0x83, 0xc6, 0xf8];
    const DEC: &[u8] = &[0x48, 0xff, 0xc9];
    const JUMP: &[u8] = &[0x75, 0xf5];
    const RETURN: &[u8] = &[0xc3];

    #[test]
    fn a_loop() {
        let ran = |n| [(RETURN, 1, 0), (LOAD, n, 0), (ADD, n, 0), (DEC, n, 0), (JUMP, n, 0), (RETURN, n / 17, 0)];
        // Instructions that run only now and then are left out.
        let l = of(64, &ran(16), &ran(32), 128).unwrap();
        assert_eq!((l.turn_bytes, l.turn_instructions, l.instructions_per_byte), (8.0, 4.0, 0.5));
        let text = "crc/fast: 0.5 instructions a byte (4 instructions for 8 bytes)\n\n\
                    L1:\n    mov eax, [rsi]\n    add rsi, -8\n    dec rcx\n    jne L1\n";
        assert_eq!(l.text(), text);
        assert_eq!(l.instructions[1].bytes_hex, "4883c6f8");
        assert_eq!((l.instructions[0].offset, l.instructions[1].offset), (1, 3));
        let sum: f64 = l.instructions.iter().map(|i| i.per_byte).sum();
        assert!((sum - l.instructions_per_byte).abs() < 1e-9);
        assert_eq!(of(64, &ran(16), &ran(16), 128), None);
        // A path that only the longer message took.
        let mut long = ran(32);
        long[0].1 = 10;
        assert_eq!(of(64, &ran(16), &long, 128).unwrap(), l);
    }

    #[test]
    fn loops_in_loops_and_what_is_left_out() {
        // The inner loop runs four times per 16 bytes; the jump into it is not taken from the second iteration on.
        let ran =
            |n| [(LOAD, 4 * n, 0), (ADD, 4 * n, 0), (DEC, 4 * n, 0), (JUMP, 4 * n, 0), (RETURN, 0, 0), (DEC, n, 0)];
        let l = of(64, &ran(10), &ran(20), 160).unwrap();
        assert_eq!((l.turn_bytes, l.turn_instructions), (16.0, 17.0));
        let text = l.text();
        assert!(text.contains("\n4    jne L1\n\n1    dec rcx\n"), "{text}");
        assert!(text.contains("how often it runs for 16 bytes"), "{text}");
        // A jump to an address that is not listed.
        let l = of(64, &ran(10)[1..4], &ran(20)[1..4], 160).unwrap();
        assert!(l.text().ends_with("    jne outside\n"), "{}", l.text());
    }

    #[test]
    fn turns_are_of_whole_bytes_and_not_too_long() {
        // A window of 1024 bytes, a block of 64, a word of 8.
        assert_eq!(turns(&[4, 64, 512, 512], 4096, 256), 64);
        assert_eq!(turns(&[4, 512, 512], 4096, 256), 512);
        // A branch that is taken only now and then is not an iteration.
        assert_eq!(turns(&[77, 512, 512], 4096, 256), 512);
        // If all iterations are long, the loop that runs the most is chosen.
        assert_eq!(turns(&[1, 8, 8, 4], 4096, 256), 8);
    }

    #[test]
    fn repeated_instructions_and_other_sizes() {
        // A `rep movsb` of 64 bytes counts as one instruction, and a jump to itself counts once for each time it runs.
        let rep: &[u8] = &[0xf3, 0xa4];
        let l = of(64, &[(rep, 640, 630), (RETURN, 10, 0)], &[(rep, 1280, 1260), (RETURN, 20, 0)], 640).unwrap();
        assert_eq!((l.turn_bytes, l.turn_instructions), (64.0, 2.0));
        let itself: &[u8] = &[0xe2, 0xfe];
        let l = of(64, &[(itself, 640, 630)], &[(itself, 1280, 1260)], 640).unwrap();
        assert_eq!((l.turn_bytes, l.text().contains("L1:\n    loop L1\n")), (1.0, true));
        // 0x41 is `inc ecx` in 32 bits and a prefix in 64 bits.
        let l = of(32, &[(&[0x41], 10, 0)], &[(&[0x41], 20, 0)], 10).unwrap();
        assert!(l.text().ends_with("code of 32 bits\n\n    inc ecx\n"), "{}", l.text());
    }

    #[test]
    fn tables_have_names() {
        // mov eax, [rcx*4+0x401800]; mov eax, [rcx*4+0x401c00]; add eax, 0x401800
        let (a, b): (&[u8], &[u8]) = (&[0x8b, 4, 0x8d, 0, 0x18, 0x40, 0], &[0x8b, 4, 0x8d, 0, 0x1c, 0x40, 0]);
        let constant: &[u8] = &[5, 0, 0x18, 0x40, 0];
        let ran = |n| [(a, n, 0), (b, n, 0), (constant, n, 0)];
        let text = of(64, &ran(10), &ran(20), 10).unwrap().text();
        let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
        assert_eq!(lines, ["mov eax, [rcx*4+data]", "mov eax, [rcx*4+data+0x400]", "add eax, 0x401800"]);
    }
}
