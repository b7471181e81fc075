//! Which instructions of a round must follow which.
//!
//! Two instructions keep their order if one needs what the other makes, or overwrites what the other still reads. Sums
//! into one register (`add`, or all kinds of xor) may change places until somebody reads the sum. A temporary register
//! imposes no order: every value that one holds for a while may as well be in another, so an order must only never keep
//! more of them at once than there are registers. Flags impose none either, since no instruction known here reads them,
//! nor does memory: a round stores only what later rounds read. Stores keep their order.

use super::source::{Kind, Line, parts};
use hashmill_measure::random::Random;
use std::collections::BTreeMap;

/// The numbers of a round's lines as they follow each other.
pub(super) type Order = Vec<usize>;

/// What an instruction does to the register that it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// Overwrites it.
    Define,
    /// Adds to it.
    Add,
    /// Adds to it modulo 2.
    Xor,
    /// Makes something else of it.
    Change,
}

/// The register that an instruction writes, and those that it reads besides.
#[derive(PartialEq, Eq, Debug)]
struct Action {
    target: String,
    effect: Effect,
    reads: Vec<String>,
}

impl Action {
    fn of(text: &str) -> Result<Action, String> {
        let unknown = |what: &str| Err(format!("the instruction `{text}`: {what}"));
        let (mnemonic, operands) = without_prefix(text).split_once(' ').unwrap_or((text, ""));
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let [target, sources @ ..] = &operands[..] else { return unknown("no operands") };
        if let ("vmovdqu", true, [source]) = (mnemonic, is_memory(target), sources)
            && is_register(source)
        {
            let reads = [registers(target), registers(source)].concat();
            return Ok(Action { target: "stores".into(), effect: Effect::Change, reads });
        }
        if !is_register(target) {
            return unknown("it writes something other than a named register");
        }
        if let Some(strange) = sources.iter().find(|o| !is_register(o) && !is_memory(o) && !is_number(o)) {
            return unknown(&format!("`{strange}` is neither a name, nor memory, nor a number"));
        }
        let own = sources.iter().filter(|s| *s == target).count();
        let define = if own == 0 { Effect::Define } else { Effect::Change };
        let effect = match (mnemonic, sources) {
            ("mov" | "vmovdqa64", [_]) | ("rorx" | "vprolq" | "vprorq" | "vpsrlq", [_, _]) => define,
            ("vpalignr", [_, _, _]) => define,
            ("add", [_]) if own == 0 => Effect::Add,
            ("xor", [_]) if own == 0 => Effect::Xor,
            ("add" | "xor" | "and" | "or", [_]) => Effect::Change,
            ("vpaddq", [_, _]) if own == 1 => Effect::Add,
            ("vpxorq", [_, _]) if own == 1 => Effect::Xor,
            ("vpaddq" | "vpxorq" | "vpandq" | "vporq", [_, _]) => define,
            ("vpternlogq", [_, _, table]) if own == 0 && adds_to_its_target(table) => Effect::Xor,
            ("vpternlogq", [_, _, _]) => Effect::Change,
            _ => return unknown("it is not known here"),
        };
        let reads = sources.iter().flat_map(|s| registers(s)).filter(|r| r != target).collect();
        Ok(Action { target: target.to_string(), effect, reads })
    }
}

/// Without a `{{disp32}}`, which is about the encoding.
fn without_prefix(text: &str) -> &str {
    match text.strip_prefix("{{").and_then(|rest| rest.split_once("}}")) {
        Some((_, instruction)) => instruction.trim_start(),
        None => text,
    }
}

fn is_register(operand: &str) -> bool {
    let operand = operand.strip_prefix("xmm").map_or(operand, |n| if is_number(n) { "$xmm" } else { n });
    let name = operand.strip_prefix('$').or_else(|| operand.strip_prefix('{').and_then(|o| o.strip_suffix('}')));
    name.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

fn is_memory(operand: &str) -> bool {
    operand.contains('[')
}

fn is_number(operand: &str) -> bool {
    number(operand).is_some()
}

fn number(operand: &str) -> Option<u8> {
    match operand.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => operand.parse().ok(),
    }
}

/// Whether this table of three bits is the first plus something of the others.
fn adds_to_its_target(table: &str) -> bool {
    number(table).is_some_and(|t| t >> 4 == !t & 0xf)
}

/// The names in an operand.
fn registers(operand: &str) -> Vec<String> {
    if is_register(operand) {
        return vec![operand.to_string()];
    }
    let mut found = Vec::new();
    for part in parts(operand) {
        if is_register(part) {
            found.push(part.to_string());
        } else {
            let names = part.split('$').skip(1);
            let end = |n: &str| n.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(n.len());
            found.extend(names.map(|n| format!("${}", &n[..end(n)])));
        }
    }
    found
}

/// Who wrote and read a register so far.
#[derive(Default)]
struct Register {
    /// The last to write it: one, or several whose order is free.
    writers: Vec<usize>,
    effect: Option<Effect>,
    /// Who read it since.
    readers: Vec<usize>,
    /// Whom each of the writers had to follow.
    before: Vec<usize>,
    /// Of a temporary register: the number of the value that it holds.
    value: Option<usize>,
}

impl Register {
    /// Notes a reader; says whom it follows.
    fn read(&mut self, line: usize) -> Vec<usize> {
        self.readers.push(line);
        self.writers.clone()
    }

    /// Notes a writer; says whom it follows.
    fn write(&mut self, line: usize, effect: Effect) -> Vec<usize> {
        let sum = matches!(effect, Effect::Add | Effect::Xor);
        if sum && self.effect == Some(effect) && self.readers.is_empty() {
            self.writers.push(line);
        } else {
            self.before = std::mem::replace(&mut self.writers, vec![line]);
            self.before.append(&mut self.readers);
            self.effect = Some(effect);
        }
        self.before.clone()
    }
}

/// A value in a temporary register, as a line uses it.
#[derive(Clone, Copy)]
struct Use {
    value: usize,
    /// The line is the first.
    begins: bool,
}

/// A round's lines and what binds their order.
pub(super) struct Graph {
    lines: Vec<Line>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    /// The names of the temporary registers.
    temporaries: Vec<String>,
    uses: Vec<Vec<Use>>,
    /// For each value the temporary that the source keeps it in, and how many lines use it.
    values: Vec<(usize, usize)>,
}

impl Graph {
    /// `temporaries` are the names of registers that hold nothing from one round to the next.
    pub(super) fn new(lines: Vec<Line>, temporaries: &[&str]) -> Result<Graph, String> {
        let n = lines.len();
        let mut graph = Graph {
            lines,
            before: vec![Vec::new(); n],
            after: vec![Vec::new(); n],
            temporaries: temporaries.iter().map(|t| t.to_string()).collect(),
            uses: vec![Vec::new(); n],
            values: Vec::new(),
        };
        let mut registers: BTreeMap<String, Register> = BTreeMap::new();
        for line in 0..n {
            let action = match graph.lines[line].kind {
                Kind::Instruction => Action::of(&graph.lines[line].text())?,
                // What stands in the slots is for registers of its own, in the order of the slots.
                Kind::Slot => Action { target: "slots".into(), effect: Effect::Change, reads: Vec::new() },
                Kind::Directive => continue,
            };
            graph.bind(line, &action, &mut registers)?;
        }
        for line in 0..n {
            graph.before[line].sort_unstable();
            graph.before[line].dedup();
            for &first in &graph.before[line] {
                graph.after[first].push(line);
            }
        }
        Ok(graph)
    }

    /// Keeps these lines in the order of the source.
    pub(super) fn keep_order(&mut self, lines: &[usize]) {
        for pair in lines.windows(2) {
            if !self.before[pair[1]].contains(&pair[0]) {
                self.before[pair[1]].push(pair[0]);
                self.after[pair[0]].push(pair[1]);
            }
        }
    }

    fn bind(&mut self, line: usize, action: &Action, registers: &mut BTreeMap<String, Register>) -> Result<(), String> {
        let written = (&action.target, action.effect);
        let read = action.reads.iter().map(|r| (r, None));
        for (name, effect) in read.chain([(written.0, Some(written.1))]) {
            let register = registers.entry(name.clone()).or_default();
            let begins = effect == Some(Effect::Define);
            if let Some(temporary) = self.temporaries.iter().position(|t| t == name) {
                if begins {
                    *register = Register { value: Some(self.values.len()), ..Register::default() };
                    self.values.push((temporary, 0));
                }
                let text = || self.lines[line].text();
                let value = register.value.ok_or_else(|| format!("`{}`: {name} holds nothing yet", text()))?;
                if !self.uses[line].iter().any(|u| u.value == value) {
                    self.uses[line].push(Use { value, begins });
                    self.values[value].1 += 1;
                }
            }
            let before = match effect {
                Some(effect) => register.write(line, effect),
                None => register.read(line),
            };
            self.before[line].extend(before);
        }
        Ok(())
    }

    pub(super) fn line(&self, at: usize) -> &Line {
        &self.lines[at]
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// How many of the lines are of this kind.
    pub(super) fn count(&self, kind: Kind) -> usize {
        self.lines.iter().filter(|l| l.kind == kind).count()
    }

    /// The order of the source.
    pub(super) fn committed(&self) -> Order {
        (0..self.len()).collect()
    }

    /// Whether the order computes the same as the source's.
    pub(super) fn allows(&self, order: &[usize]) -> bool {
        let mut seen = vec![false; self.len()];
        let follows = |&line: &usize| {
            let free = !seen[line] && self.before[line].iter().all(|&first| seen[first]);
            seen[line] = true;
            free
        };
        order.len() == self.len() && order.iter().all(follows) && self.registers(order).is_some()
    }

    /// A temporary for each value, that of the source where it is free; none if there are too few.
    fn registers(&self, order: &[usize]) -> Option<Vec<usize>> {
        let mut place = vec![0; self.values.len()];
        let mut left: Vec<usize> = self.values.iter().map(|&(_, uses)| uses).collect();
        let mut free = vec![true; self.temporaries.len()];
        for &line in order {
            // What ends here makes room for what begins here: an instruction reads before it writes.
            for begins in [false, true] {
                for used in self.uses[line].iter().filter(|u| u.begins == begins) {
                    if begins {
                        let own = self.values[used.value].0;
                        place[used.value] = if free[own] { own } else { free.iter().position(|&f| f)? };
                        free[place[used.value]] = false;
                    }
                    left[used.value] -= 1;
                    if left[used.value] == 0 {
                        free[place[used.value]] = true;
                    }
                }
            }
        }
        Some(place)
    }

    /// The lines in this order, which is allowed, with the temporaries that they get in it.
    pub(super) fn lines(&self, order: &[usize]) -> Vec<Line> {
        let place = self.registers(order).unwrap_or_default();
        let of = |&line: &usize| {
            let other = |name: &str| {
                let used = self.uses[line].iter().find(|u| self.temporaries[self.values[u.value].0] == name)?;
                Some(self.temporaries[*place.get(used.value)?].clone())
            };
            self.lines[line].renamed(&other)
        };
        order.iter().map(of).collect()
    }

    /// An order that owes nothing to the source's: line after line, any of those that may come next.
    pub(super) fn any(&self, random: &mut Random) -> Order {
        // Some attempts end with all temporaries taken by values that wait for each other.
        (0..10_000).find_map(|_| self.attempt(random)).unwrap_or_else(|| self.committed())
    }

    fn attempt(&self, random: &mut Random) -> Option<Order> {
        let mut order = Order::new();
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut left: Vec<usize> = self.values.iter().map(|&(_, uses)| uses).collect();
        let mut free = self.temporaries.len();
        let mut ready: Vec<usize> = (0..self.len()).filter(|&l| missing[l] == 0).collect();
        while !ready.is_empty() {
            let ending = |line: usize| self.uses[line].iter().filter(|u| !u.begins && left[u.value] == 1).count();
            let begins = |line: usize| self.uses[line].iter().any(|u| u.begins);
            let fits = |&&line: &&usize| !begins(line) || free + ending(line) > 0;
            let fitting: Vec<usize> = ready.iter().filter(fits).copied().collect();
            let line = *fitting.get(random.below(fitting.len().max(1)))?;
            free = free + ending(line) - usize::from(begins(line));
            for used in &self.uses[line] {
                left[used.value] -= 1;
                free += usize::from(used.begins && left[used.value] == 0);
            }
            order.push(line);
            ready.retain(|&r| r != line);
            for &next in &self.after[line] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
        }
        Some(order)
    }

    /// An allowed order that differs from this one, which is allowed, in a few moves.
    pub(super) fn neighbour(&self, order: &[usize], random: &mut Random) -> Order {
        let mut new = order.to_vec();
        let mut moves = 1;
        while moves < 5 && random.below(2) == 0 {
            moves += 1;
        }
        for _ in 0..moves {
            // Where nothing can be moved, as in a chain, there is no other order.
            for _ in 0..1000 {
                let moved = self.moved(&new, random);
                if moved.as_ref().is_some_and(|m| self.registers(m).is_some()) {
                    new = moved.unwrap_or(new);
                    break;
                }
            }
        }
        new
    }

    /// The order with one line, or a few that stand together, elsewhere, as far as the lines around them let them.
    fn moved(&self, order: &[usize], random: &mut Random) -> Option<Order> {
        let (length, far) = match random.below(4) {
            0 => (1, false),
            1 => ((2 + random.below(5)).min(order.len()), true),
            _ => (1, true),
        };
        let from = random.below(order.len() + 1 - length);
        let block = &order[from..from + length];
        let binds = |other: &usize, edges: &[Vec<usize>]| block.iter().any(|&line| edges[line].contains(other));
        let first = order[..from].iter().rposition(|l| binds(l, &self.before)).map_or(0, |at| at + 1);
        let behind = order[from + length..].iter().position(|l| binds(l, &self.after));
        let last = behind.map_or(order.len() - length, |at| from + at);
        let to = if far {
            first + random.below(last - first + 1)
        } else if random.below(2) == 0 {
            from.saturating_sub(1).max(first)
        } else {
            (from + 1).min(last)
        };
        if to == from {
            return None;
        }
        let mut new = order.to_vec();
        if to < from {
            new[to..from + length].rotate_right(length);
        } else {
            new[from..to + length].rotate_left(length);
        }
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Piece;
    use super::*;

    fn graph(lines: &[&str], temporaries: &[&str]) -> Result<Graph, String> {
        let line = |text: &&str| {
            let kind = match text.chars().next() {
                Some('.') => Kind::Directive,
                Some('$') => Kind::Slot,
                _ => Kind::Instruction,
            };
            Line { kind, pieces: vec![Piece::Text(format!("{text}\n"))], call: None }
        };
        Graph::new(lines.iter().map(line).collect(), temporaries)
    }

    fn before(lines: &[&str], temporaries: &[&str]) -> Vec<Vec<usize>> {
        graph(lines, temporaries).unwrap().before
    }

    fn none() -> Vec<usize> {
        Vec::new()
    }

    #[test]
    fn what_is_read_was_written_before() {
        assert_eq!(before(&["mov {a}, {b}", "rorx {c}, {a}, 7", "and {d}, {b}"], &[]), [none(), vec![0], none()]);
        assert_eq!(before(&["mov {a}, {b}", "add {c}, [{p} + 8*{a}]"], &[]), [none(), vec![0]]);
        assert_eq!(before(&["and {a}, {b}", "and {a}, {c}"], &[]), [none(), vec![0]]);
    }

    #[test]
    fn what_is_overwritten_was_read_before() {
        assert_eq!(before(&["mov {a}, {b}", "mov {b}, {c}"], &[]), [none(), vec![0]]);
        assert_eq!(before(&["mov {a}, {b}", "mov {a}, {c}"], &[]), [none(), vec![0]]);
        assert_eq!(before(&["xor {a}, {b}", "and {b}, {c}"], &[]), [none(), vec![0]]);
    }

    #[test]
    fn temporaries_bind_only_within_a_value() {
        let lines = ["mov {t}, {a}", "xor {b}, {t}", "mov {t}, {c}", "xor {d}, {t}"];
        assert_eq!(before(&lines, &["{t}"]), [none(), vec![0], none(), vec![2]]);
        assert_eq!(before(&lines, &[]), [none(), vec![0], vec![0, 1], vec![2]]);
        let one = graph(&lines, &["{t}"]).unwrap();
        assert!(one.allows(&[2, 3, 0, 1]));
        assert!(!one.allows(&[0, 2, 1, 3]), "two values in one register");
        let two = graph(&lines, &["{t}", "{u}"]).unwrap();
        assert!(two.allows(&[0, 2, 1, 3]));
        let texts: Vec<String> = two.lines(&[0, 2, 1, 3]).iter().map(Line::text).collect();
        assert_eq!(texts, ["mov {t}, {a}", "mov {u}, {c}", "xor {b}, {t}", "xor {d}, {u}"]);
        let wrong = graph(&["xor {a}, {t}"], &["{t}"]).err();
        assert_eq!(wrong.as_deref(), Some("`xor {a}, {t}`: {t} holds nothing yet"));
    }

    #[test]
    fn the_value_that_ends_makes_room() {
        let lines = ["mov {t}, {a}", "rorx {u}, {t}, 1", "xor {b}, {u}"];
        assert!(graph(&lines, &["{t}", "{u}"]).unwrap().allows(&[0, 1, 2]));
        let lines = ["mov {t}, {a}", "rorx {u}, {t}, 1", "xor {b}, {u}", "xor {b}, {t}"];
        let g = graph(&lines, &["{t}", "{u}"]).unwrap();
        assert!(g.allows(&[0, 1, 2, 3]) && g.allows(&[0, 1, 3, 2]));
    }

    #[test]
    fn sums_may_be_added_in_any_order_until_they_are_read() {
        let lines = ["add {a}, {b}", "add {a}, {c}", "mov {d}, {a}", "add {a}, {e}"];
        assert_eq!(before(&lines, &[]), [none(), none(), vec![0, 1], vec![0, 1, 2]]);
        assert_eq!(before(&["add {a}, {b}", "xor {a}, {c}"], &[]), [none(), vec![0]]);
        assert_eq!(before(&["add {a}, {b}", "add {a}, {a}"], &[]), [none(), vec![0]]);
        let vectors = ["vpxorq {a}, {a}, {b}", "vpternlogq {a}, {c}, {d}, 0xd2", "vpternlogq {a}, {c}, {d}, 0xe8"];
        assert_eq!(before(&vectors, &[]), [none(), none(), vec![0, 1]]);
    }

    #[test]
    fn slots_keep_their_order_and_directives_need_not() {
        let g = graph(&["$v", ".p2align 5", "mov {a}, {b}", "$u"], &[]).unwrap();
        assert_eq!(g.before, [none(), none(), none(), vec![0]]);
        assert!(g.allows(&[1, 0, 3, 2]) && !g.allows(&[3, 1, 2, 0]));
        assert!(!g.allows(&[0, 0, 1, 2]) && !g.allows(&[0, 1, 2]));
    }

    #[test]
    fn instructions_that_are_not_known_are_refused() {
        let of = |line: &str| graph(&[line], &[]).err().unwrap();
        assert_eq!(of("adc {a}, {b}"), "the instruction `adc {a}, {b}`: it is not known here");
        let strange = "the instruction `mov {a}, rax`: `rax` is neither a name, nor memory, nor a number";
        assert_eq!(of("mov {a}, rax"), strange);
        let memory = "the instruction `mov [{p}], {a}`: it writes something other than a named register";
        assert_eq!(of("mov [{p}], {a}"), memory);
    }

    #[test]
    fn moves_stay_within_what_is_allowed() {
        let lines = [
            "$v", "mov {t}, {a}", "xor {b}, {t}", ".p2align 5", "mov {t}, {c}", "$u", "and {d}, {t}", "add {d}, {b}",
            "add {d}, {e}",
        ];
        let g = graph(&lines, &["{t}"]).unwrap();
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut order = g.any(&mut random);
            for _ in 0..100 {
                assert!(g.allows(&order), "{order:?}");
                let new = g.neighbour(&order, &mut random);
                order = new;
            }
        }
        let chain = graph(&["and {a}, {b}", "and {a}, {c}"], &[]).unwrap();
        assert_eq!(chain.neighbour(&[0, 1], &mut Random(0)), [0, 1]);
    }
}
