//! What standard output is: a terminal or not, and in which colours it is written.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use super::args::{When, bytes_of};
use crate::report::{Colours, Controls};

/// How names are shown on standard output.
pub(super) fn controls() -> Controls {
    match io::stdout().is_terminal() {
        true => Controls::Escaped,
        false => Controls::Raw,
    }
}

/// Whether output to standard output is coloured.
pub(super) fn are_coloured(when: When) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    match when {
        When::Always => true,
        When::Auto => io::stdout().is_terminal() && setting("NO_COLOR").is_none() && !dumb,
        When::Never => false,
    }
}

/// The colours of output to standard output.
pub(super) fn colours(when: When) -> Colours {
    match are_coloured(when) {
        true => Colours::on(bytes_of(&setting("GREP_COLORS").unwrap_or_default())),
        false => Colours::off(),
    }
}

/// An environment variable that is not empty.
fn setting(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
