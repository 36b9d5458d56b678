//! Properties of standard output: whether control characters are escaped, and colours.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use super::args::{When, bytes_of};
use nigh_report::{Colours, Controls};

/// Returns the treatment of control characters in names on standard output.
pub(super) fn controls() -> Controls {
    if io::stdout().is_terminal() { Controls::Escaped } else { Controls::Raw }
}

/// Returns the number of columns above which an excerpt of a line is printed, unless the arguments say otherwise: about as
/// many as fill a terminal. `None` if standard output is no terminal.
pub(super) fn columns_of_lines() -> Option<usize> {
    io::stdout().is_terminal().then_some(2000)
}

/// Returns true if standard output is coloured.
pub(super) fn are_coloured(when: When) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    match when {
        When::Always => true,
        When::Auto => io::stdout().is_terminal() && setting("NO_COLOR").is_none() && !dumb,
        When::Never => false,
    }
}

/// Returns the colours of standard output.
pub(super) fn colours(when: When) -> Colours {
    if are_coloured(when) { Colours::on(bytes_of(&setting("GREP_COLORS").unwrap_or_default())) } else { Colours::off() }
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
fn setting(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
