//! Colours.

use clap::ValueEnum;
use std::io::IsTerminal as _;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set; also elsewhere if CLICOLOR_FORCE is set
    Auto,
    /// Even where standard output is no terminal
    Always,
    /// Not at all
    Never,
}

impl Color {
    /// Returns whether standard output is coloured.
    pub(crate) fn is_on(self) -> bool {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if set("NO_COLOR") => false,
            Color::Auto if set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| v != "0") => {
                true
            }
            Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|t| t != "dumb"),
        }
    }
}
