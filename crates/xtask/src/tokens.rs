//! Rust files as tokens, without what is only for readers and tests.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens without documentation and without test-only items.
pub(crate) fn essential(stream: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if let Some(length) = attribute(&tokens[i..]) {
            let text = tokens[i + length - 1].to_string().replace(char::is_whitespace, "");
            if text.starts_with("[doc=") {
                i += length;
                continue;
            }
            if text == "[cfg(test)]" {
                i += length + item(&tokens[i + length..]);
                continue;
            }
        }
        kept.push(match &tokens[i] {
            TokenTree::Group(group) => Group::new(group.delimiter(), essential(group.stream())).into(),
            token => token.clone(),
        });
        i += 1;
    }
    kept.into_iter().collect()
}

/// The [`essential`] tokens, with a space after each.
pub(crate) fn text(stream: TokenStream) -> String {
    let mut out = String::new();
    write(essential(stream), &mut out);
    out
}

fn write(stream: TokenStream, out: &mut String) {
    for token in stream {
        match &token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("( ", ") "),
                    Delimiter::Brace => ("{ ", "} "),
                    Delimiter::Bracket => ("[ ", "] "),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(group.stream(), out);
                out.push_str(close);
            }
            token => {
                out.push_str(&token.to_string());
                out.push(' ');
            }
        }
    }
}

/// The number of tokens of the attribute that starts here.
fn attribute(tokens: &[TokenTree]) -> Option<usize> {
    let is = |i: usize, c: char| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let length = if is(0, '#') && is(1, '!') { 3 } else { 2 };
    let bracket = matches!(tokens.get(length - 1), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Bracket);
    (is(0, '#') && bracket).then_some(length)
}

/// The number of tokens of the item that starts here: up to its semicolon or its braces.
fn item(tokens: &[TokenTree]) -> usize {
    let ends = |t: &TokenTree| match t {
        TokenTree::Punct(p) => p.as_char() == ';',
        TokenTree::Group(g) => g.delimiter() == Delimiter::Brace,
        _ => false,
    };
    tokens.iter().position(ends).map_or(tokens.len(), |at| at + 1)
}
