//! What is said on standard error, a line each, and the ends that need more than an exit status.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use bstr::ByteSlice;

use crate::engine::EngineError;
use crate::input::InputError;
use crate::report::visible;
use crate::search::{Notice, Trouble};

/// Words the messages.
pub(super) struct Messages<'a> {
    silent_about_inputs: bool,
    /// Takes each message: [`say`], but for tests.
    say: &'a dyn Fn(&dyn Display),
}

impl<'a> Messages<'a> {
    /// Says everything, or nothing about inputs that cannot be read.
    pub(super) fn new(silent_about_inputs: bool, say: &'a dyn Fn(&dyn Display)) -> Self {
        Messages { silent_about_inputs, say }
    }

    /// Says what is the matter with an input.
    pub(super) fn notice(&self, label: &[u8], notice: &Notice) {
        let is_about_reading = match notice {
            Notice::Failed(_)
            | Notice::LooksLike(_)
            | Notice::CarriageReturns
            | Notice::TakesLong(_)
            | Notice::NotSearched(Trouble::Unreadable(_) | Trouble::PassedOver(_)) => true,
            Notice::NotSearched(Trouble::Refused(_)) | Notice::Binary | Notice::BadRecords(_) => false,
        };
        if !(is_about_reading && self.silent_about_inputs) {
            let label = label.to_str_lossy();
            match notice {
                Notice::Failed(error) => (self.say)(&located(&label, error)),
                _ => (self.say)(&format_args!("{label}: {notice}")),
            }
        }
    }

    /// Says that there are folders to be searched, and options leave out every file in them.
    pub(super) fn nothing_searched(&self) {
        if !self.silent_about_inputs {
            (self.say)(
                &"no files were searched; check --include, --exclude, --exclude-from, --exclude-dir, -g and --ignore-vcs",
            );
        }
    }

    /// Says what was asked for by `--debug`.
    pub(super) fn debug(&self, line: &str) {
        (self.say)(&format_args!("debug: {line}"));
    }

    /// Says what failed without harm to the output.
    pub(super) fn went_on(&self, error: &EngineError) {
        (self.say)(&format_args!("{error}; the search continued on the CPU"));
    }
}

/// An error of an input, after the input's name and, where it is known, the line.
pub(super) fn located(label: &str, error: &InputError) -> String {
    match error {
        InputError::Malformed { line, problem } => format!("{label}:{line}: {problem}"),
        error => format!("{label}: {error}"),
    }
}

/// Says why nothing more is done.
pub(super) fn trouble(error: &anyhow::Error) {
    say(&format_args!("{error:#}"));
}

/// One line, whatever the message holds; on a terminal without control characters of names.
pub(super) fn say(message: &dyn Display) {
    let line = message.to_string().replace('\n', "\\n");
    let mut out = io::stderr().lock();
    let shown = match out.is_terminal() {
        true => visible(line.as_bytes()).to_str_lossy().into_owned(),
        false => line,
    };
    // Where standard error is closed, nobody is left to be told.
    let _ = writeln!(out, "nigh: {shown}");
}
