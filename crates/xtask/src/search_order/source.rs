//! Reads the lines of assembly that a `macro_rules!` puts together with `concat!`.

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

/// A part of a line: text of the assembly, escaped as in a format string, or a name of the macro's pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Text(String),
    Name(String),
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Instruction,
    /// Of the assembler, as `.p2align 5`.
    Directive,
    /// A name alone, where whoever calls the macro puts lines of its own.
    Slot,
}

/// One line of the macro, and of its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) pieces: Vec<Piece>,
    /// The call of another macro that expands to the line, if it is not written out.
    pub(super) call: Option<Call>,
}

/// A call such as `$step!(3, $t, $w16)`, of a macro with an arm for each number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub(super) number: usize,
    source: String,
}

impl Line {
    fn new(pieces: Vec<Piece>) -> Line {
        let kind = match &pieces[..] {
            [Piece::Name(_)] => Kind::Slot,
            [Piece::Text(text), ..] if text.trim_start().starts_with('.') => Kind::Directive,
            _ => Kind::Instruction,
        };
        Line { kind, pieces, call: None }
    }

    /// Text alone, of any number of lines of assembly.
    pub(super) fn plain(text: String) -> Line {
        Line { kind: Kind::Slot, pieces: vec![Piece::Text(text)], call: None }
    }

    /// The names of the macro's pattern in the line.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|p| if let Piece::Name(name) = p { Some(name.as_str()) } else { None })
    }

    /// The assembly, with `$name` for names.
    pub(super) fn text(&self) -> String {
        let of = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Name(name) => format!("${name}"),
        };
        self.pieces.iter().map(of).collect::<String>().trim().to_string()
    }

    /// The assembly without its format string's escapes, with what `value` says for `$name` and `{operand}`.
    pub(super) fn filled(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut text = String::new();
        for piece in &self.pieces {
            text += &match piece {
                Piece::Text(format) => fill(format, value)?,
                Piece::Name(name) => {
                    let name = format!("${name}");
                    value(&name).ok_or_else(|| format!("{name} stands for nothing that is known here"))?
                }
            };
        }
        Ok(text)
    }

    /// The same line with other names where `other` has one for `$name` or `{operand}`, which is of the same kind.
    pub(super) fn renamed(&self, other: &dyn Fn(&str) -> Option<String>) -> Line {
        let of = |piece: &Piece| match piece {
            Piece::Text(format) => Piece::Text(parts(format).map(|p| other(p).unwrap_or(p.to_string())).collect()),
            Piece::Name(name) => {
                let new = other(&format!("${name}"));
                Piece::Name(new.map_or(name.clone(), |n| n.trim_start_matches('$').to_string()))
            }
        };
        Line { kind: self.kind, pieces: self.pieces.iter().map(of).collect(), call: self.call.clone() }
    }

    /// As it stands in the macro.
    pub(super) fn source(&self) -> String {
        if let Some(call) = &self.call {
            return format!("{},", call.source);
        }
        let of = |piece: &Piece| match piece {
            Piece::Text(text) => format!("\"{}\",", text.escape_default()),
            Piece::Name(name) => format!("${name},"),
        };
        self.pieces.iter().map(of).collect::<Vec<_>>().join(" ")
    }
}

/// What a format string makes of it, where `value` says what its operands are.
pub(super) fn fill(format: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let of = |part: &str| match part {
        "{{" => Ok("{".to_string()),
        "}}" => Ok("}".to_string()),
        operand if operand.starts_with('{') => {
            value(operand).ok_or_else(|| format!("{operand} stands for nothing that is known here"))
        }
        plain => Ok(plain.to_string()),
    };
    parts(format).map(of).collect()
}

/// A format string in parts: `{{`, `}}`, each `{operand}`, and what stands between them.
pub(super) fn parts(format: &str) -> impl Iterator<Item = &str> {
    let mut rest = format;
    std::iter::from_fn(move || {
        let end = match rest {
            "" => return None,
            r if r.starts_with("{{") || r.starts_with("}}") => 2,
            r if r.starts_with('{') => r.find('}').map_or(r.len(), |at| at + 1),
            r => r[1..].find(['{', '}']).map_or(r.len(), |at| at + 1),
        };
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

/// What a macro says.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) lines: Vec<Line>,
    /// The names of its pattern, in their order.
    pub(super) parameters: Vec<String>,
    /// The names with which it calls itself at its end; none where it does not.
    pub(super) again: Vec<String>,
}

impl Macro {
    /// Reads the one arm of the macro `name` that is a `concat!`, and for calls of a macro that is a parameter
    /// (`$step!(3, …)`) the lines of the macro `called`. Errors are one line, without the file's name.
    pub(super) fn read(file: &str, name: &str, called: Option<&str>) -> Result<Macro, String> {
        let said = |e: String| format!("macro {name}: {e}");
        let arms = arms(file, name)?;
        let mut found = arms.iter().filter_map(|(pattern, body)| Some((pattern, arguments_of_concat(body)?)));
        let (pattern, arguments) = found.next().ok_or_else(|| said("no arm is a concat!".into()))?;
        if found.next().is_some() {
            return Err(said("more than one arm is a concat!".into()));
        }
        let mut read = Macro { lines: Vec::new(), parameters: names(pattern, true), again: Vec::new() };
        read.fill(name, arguments, &|n| line_of(file, called.ok_or("it calls another macro")?, n)).map_err(said)?;
        Ok(read)
    }

    fn fill(
        &mut self,
        name: &str,
        arguments: TokenStream,
        called: &dyn Fn(usize) -> Result<Option<Line>, String>,
    ) -> Result<(), String> {
        let arguments: Vec<TokenTree> = arguments.into_iter().collect();
        let mut line = Vec::new();
        for argument in arguments.split(|t| is(t, ',')).filter(|a| !a.is_empty()) {
            if !self.again.is_empty() {
                return Err(format!("`{}` stands behind the call of {name}! itself", show(argument)));
            }
            match argument {
                [TokenTree::Literal(text)] => self.add(&mut line, &unquoted(text)?),
                [dollar, TokenTree::Ident(parameter)] if is(dollar, '$') => {
                    let parameter = parameter.to_string();
                    if !self.parameters.contains(&parameter) {
                        return Err(format!("${parameter} is not in the pattern"));
                    }
                    line.push(Piece::Name(parameter));
                    // No instruction begins with a name: the mnemonic comes first.
                    if line.len() == 1 {
                        self.lines.push(Line::new(std::mem::take(&mut line)));
                    }
                }
                [TokenTree::Ident(itself), bang, TokenTree::Group(with)]
                    if itself == name && is(bang, '!') && line.is_empty() =>
                {
                    self.again = names(&with.stream(), false);
                }
                [dollar, TokenTree::Ident(step), bang, TokenTree::Group(with)]
                    if is(dollar, '$') && is(bang, '!') && line.is_empty() =>
                {
                    let with = with.stream();
                    let number = first_number(&with).ok_or_else(|| format!("`{}` has no number", show(argument)))?;
                    let found = called(number)?.ok_or_else(|| format!("`{}` is of no number", show(argument)))?;
                    if let Some(strange) = found.names().find(|n| !self.parameters.iter().any(|p| p == n)) {
                        return Err(format!("${strange} of ${step}!({number}) is not in the pattern"));
                    }
                    let source = format!("${step}!({})", arguments_as_written(&with));
                    self.lines.push(Line { call: Some(Call { number, source }), ..found });
                }
                other => return Err(format!("`{}` is neither text nor a name", show(other))),
            }
        }
        if line.is_empty() { Ok(()) } else { Err(format!("the line `{}` has no end", Line::new(line).text())) }
    }

    /// Adds text to a line that has begun, and ends it where the text does.
    fn add(&mut self, line: &mut Vec<Piece>, text: &str) {
        for part in text.split_inclusive('\n') {
            line.push(Piece::Text(part.to_string()));
            if part.ends_with('\n') {
                self.lines.push(Line::new(std::mem::take(line)));
            }
        }
    }
}

/// What the macro `name` puts for each of the numbers below `n`: its arm `(number)`, which may pass on to another
/// number, or else nothing.
pub(super) fn numbered(file: &str, name: &str, n: usize) -> Result<Vec<String>, String> {
    let arms = arms(file, name)?;
    let arm = |number: usize| arms.iter().find(|(pattern, _)| show_stream(pattern) == number.to_string());
    let text = |number: usize| {
        let mut number = number;
        // As often as there are arms: whoever passes on more often goes in a circle.
        for _ in 0..=arms.len() {
            let Some((_, body)) = arm(number) else { return Ok(String::new()) };
            match &body.clone().into_iter().collect::<Vec<_>>()[..] {
                [TokenTree::Literal(text)] => return unquoted(text),
                [TokenTree::Ident(called), bang, TokenTree::Group(to)] if called == name && is(bang, '!') => {
                    let to = show_stream(&to.stream());
                    number = to.parse().map_err(|_| format!("{name}!({to}) is of no number"))?;
                }
                other => return Err(format!("arm {number}: `{}` is not text", show(other))),
            }
        }
        Err(format!("arm {number} leads back to itself"))
    };
    (0..n).map(|number| text(number).map_err(|e| format!("macro {name}: {e}"))).collect()
}

/// The line that the arm of the macro `name` whose pattern begins with a number expands to. The arm may pass on to
/// another macro. None if there is no such arm.
pub(super) fn line_of(file: &str, name: &str, number: usize) -> Result<Option<Line>, String> {
    let said = |e: &str| format!("macro {name}, arm {number}: {e}");
    let arms = arms(file, name)?;
    let Some((_, body)) = arms.iter().find(|(pattern, _)| first_number(pattern) == Some(number)) else {
        return Ok(None);
    };
    if let [TokenTree::Ident(other), bang, TokenTree::Group(with)] = &body.clone().into_iter().collect::<Vec<_>>()[..]
        && other != "concat"
        && is(bang, '!')
    {
        let with = first_number(&with.stream()).ok_or_else(|| said("it passes on without a number"))?;
        return if other == name { Err(said("it calls itself")) } else { line_of(file, &other.to_string(), with) };
    }
    let mut pieces = Vec::new();
    let arguments: Vec<TokenTree> = arguments_of_concat(body).unwrap_or_else(|| body.clone()).into_iter().collect();
    for argument in arguments.split(|t| is(t, ',')).filter(|a| !a.is_empty()) {
        pieces.push(match argument {
            [TokenTree::Literal(text)] => Piece::Text(unquoted(text)?),
            [dollar, TokenTree::Ident(parameter)] if is(dollar, '$') => Piece::Name(parameter.to_string()),
            other => return Err(said(&format!("`{}` is neither text nor a name", show(other)))),
        });
    }
    let texts = || pieces.iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None });
    match pieces.last() {
        Some(Piece::Text(last)) if last.ends_with('\n') && texts().collect::<String>().matches('\n').count() == 1 => {
            Ok(Some(Line { kind: Kind::Instruction, pieces, call: None }))
        }
        _ => Err(said("it is not one line")),
    }
}

/// The number that a pattern or an argument list begins with.
fn first_number(stream: &TokenStream) -> Option<usize> {
    match stream.clone().into_iter().next()? {
        TokenTree::Literal(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Arguments with the spaces that rustfmt puts: `3, $t, $w16 $w14`.
fn arguments_as_written(stream: &TokenStream) -> String {
    let mut text = String::new();
    for token in stream.clone() {
        if !text.is_empty() && !text.ends_with('$') && !is(&token, ',') {
            text.push(' ');
        }
        text += &token.to_string();
    }
    text
}

/// The arms of a macro: pattern and body.
fn arms(file: &str, name: &str) -> Result<Vec<(TokenStream, TokenStream)>, String> {
    let stream: TokenStream = file.parse().map_err(|e| format!("not Rust: {e}"))?;
    let body = definition(stream, name).ok_or_else(|| format!("no macro {name}"))?;
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut arms = Vec::new();
    for arm in tokens.split(|t| is(t, ';')).filter(|a| !a.is_empty()) {
        match arm {
            [TokenTree::Group(pattern), equals, greater, TokenTree::Group(body)]
                if is(equals, '=') && is(greater, '>') =>
            {
                arms.push((pattern.stream(), body.stream()));
            }
            other => return Err(format!("macro {name}: `{}` is not an arm", show(other))),
        }
    }
    Ok(arms)
}

/// What stands within the braces of `macro_rules! name`.
fn definition(stream: TokenStream, name: &str) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let begins = |w: &[TokenTree]| {
        matches!(w, [TokenTree::Ident(m), b, TokenTree::Ident(n), TokenTree::Group(_)]
        if m == "macro_rules" && is(b, '!') && n == name)
    };
    match tokens.windows(4).find(|w| begins(w))? {
        [.., TokenTree::Group(body)] => Some(body.stream()),
        _ => None,
    }
}

/// The arguments, if that is all there is.
fn arguments_of_concat(body: &TokenStream) -> Option<TokenStream> {
    match &body.clone().into_iter().collect::<Vec<_>>()[..] {
        [TokenTree::Ident(concat), bang, TokenTree::Group(arguments)]
            if concat == "concat" && is(bang, '!') && arguments.delimiter() == Delimiter::Parenthesis =>
        {
            Some(arguments.stream())
        }
        _ => None,
    }
}

/// The names behind `$`, but not those of a repetition. Of a pattern (`kinds`) only those with a kind behind them.
fn names(stream: &TokenStream, kinds: bool) -> Vec<String> {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let behind_dollar = i > 0 && is(&tokens[i - 1], '$');
        match token {
            TokenTree::Ident(name)
                if behind_dollar && (!kinds || tokens.get(i + 1).is_some_and(|next| is(next, ':'))) =>
            {
                found.push(name.to_string());
            }
            TokenTree::Group(group) if !behind_dollar => found.extend(names(&group.stream(), kinds)),
            _ => {}
        }
    }
    found
}

/// What a literal says, of the escapes that assembly needs.
fn unquoted(literal: &Literal) -> Result<String, String> {
    let source = literal.to_string();
    let inside = source.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
    let inside = inside.ok_or_else(|| format!("`{source}` is not text"))?;
    let mut text = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(c @ ('\\' | '"')) => c,
                _ => return Err(format!("`{source}` has an escape that is not known here")),
            },
            c => c,
        });
    }
    Ok(text)
}

fn is(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == c)
}

fn show(tokens: &[TokenTree]) -> String {
    show_stream(&tokens.iter().cloned().collect())
}

fn show_stream(stream: &TokenStream) -> String {
    stream.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        macro_rules! other { () => { "" } }
        macro_rules! text {
            ([] $($names:literal)*) => { "" };
            ([$r:literal $($more:literal)*] $v:expr, $a:literal $b:tt) => {
                concat!(
                    $v,
                    "add ", $a, ", ", $b, "\n",
                    ".p2align 5\nxor {t}, [{{x}} + ", $r, "]\n",
                    text!([$($more)*] $v, $b $a),
                )
            };
        }
        macro_rules! part {
            (0) => { "a\n" };
            (2) => { part!(0) };
            (3) => { part!(3) };
            ($i:literal) => { "" };
        }
    "#;

    #[test]
    fn lines_and_names() {
        let read = Macro::read(FILE, "text", None).unwrap();
        assert_eq!(read.parameters, ["r", "v", "a", "b"]);
        assert_eq!(read.again, ["v", "b", "a"]);
        let texts: Vec<String> = read.lines.iter().map(Line::text).collect();
        assert_eq!(texts, ["$v", "add $a, $b", ".p2align 5", "xor {t}, [{{x}} + $r]"]);
        let kinds: Vec<Kind> = read.lines.iter().map(|l| l.kind).collect();
        assert_eq!(kinds, [Kind::Slot, Kind::Instruction, Kind::Directive, Kind::Instruction]);
        assert_eq!(read.lines[0].source(), "$v,");
        assert_eq!(read.lines[1].source(), r#""add ", $a, ", ", $b, "\n","#);
    }

    #[test]
    fn operands_get_values_and_other_names() {
        let lines = Macro::read(FILE, "text", None).unwrap().lines;
        let value = |name: &str| match name {
            "{t}" => Some("rax".to_string()),
            "$r" => Some("7".to_string()),
            _ => None,
        };
        assert_eq!(lines[3].filled(&value).unwrap(), "xor rax, [{x} + 7]\n");
        assert_eq!(lines[1].filled(&value).unwrap_err(), "$a stands for nothing that is known here");
        let other = |name: &str| match name {
            "{t}" => Some("{u}".to_string()),
            "$r" => Some("$b".to_string()),
            _ => None,
        };
        assert_eq!(lines[3].renamed(&other).source(), r#""xor {u}, [{{x}} + ", $b, "]\n","#);
    }

    #[test]
    fn numbers() {
        assert_eq!(numbered(FILE, "part", 3).unwrap(), ["a\n", "", "a\n"]);
        assert_eq!(numbered(FILE, "part", 4).unwrap_err(), "macro part: arm 3 leads back to itself");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let of = |body: &str| Macro::read(&format!("macro_rules! m {{ {body} }}"), "m", None).unwrap_err();
        assert_eq!(Macro::read(FILE, "absent", None).unwrap_err(), "no macro absent");
        assert_eq!(of("($a:tt) => { $a }"), "macro m: no arm is a concat!");
        assert_eq!(of(r#"() => { concat!("a", 1u8) }"#), "macro m: `1u8` is not text");
        assert_eq!(of(r#"() => { concat!("mov ", $b, "\n") }"#), "macro m: $b is not in the pattern");
        assert_eq!(of(r#"() => { concat!("mov") }"#), "macro m: the line `mov` has no end");
        assert_eq!(of(r#"() => { concat!(x!("mov\n")) }"#), r#"macro m: `x ! ("mov\n")` is neither text nor a name"#);
        assert_eq!(
            of(r#"() => { concat!("\u{41}\n") }"#),
            r#"macro m: `"\u{41}\n"` has an escape that is not known here"#
        );
        assert_eq!(of("x"), "macro m: `x` is not an arm");
        assert!(Macro::read("fn (", "m", None).unwrap_err().starts_with("not Rust: "));
    }
}
