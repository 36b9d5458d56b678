//! Messages on standard error, one line each.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use bstr::ByteSlice;
use rustix::io::Errno;

use nigh_input::{InputError, plain};
use nigh_report::visible;
use nigh_search::{Notice, SkipReason};
use nigh_verify::EngineError;

/// The name of the program, with which each message begins. `nigh` unless it was set.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program, once.
pub(crate) fn set_program(name: &'static str) {
    PROGRAM.get_or_init(|| name);
}

/// Returns the name of the program.
pub fn program() -> &'static str {
    PROGRAM.get_or_init(|| "nigh")
}

/// Formats messages and passes them on.
pub(super) struct MessagePrinter<'a> {
    silent_about_inputs: bool,
    /// Returns advice on how to read an input that cannot be read as it is.
    remedy: fn(&InputError) -> &'static str,
    /// Prints each message. It is [`say`], except in fuzzing.
    say: &'a dyn Fn(&dyn Display),
}

impl<'a> MessagePrinter<'a> {
    /// Creates a formatter; `silent_about_inputs` suppresses messages about inputs that cannot be read.
    pub(super) fn new(silent_about_inputs: bool, say: &'a dyn Fn(&dyn Display)) -> Self {
        MessagePrinter { silent_about_inputs, remedy: |_| "", say }
    }

    /// Appends the result of `remedy` to messages about inputs that cannot be read.
    pub(super) fn with_remedy(self, remedy: fn(&InputError) -> &'static str) -> Self {
        MessagePrinter { remedy, ..self }
    }

    /// Prints a notice about the input named `label`.
    pub(super) fn notice(&self, label: &[u8], notice: &Notice) {
        let is_about_reading = match notice {
            Notice::Failed(_)
            | Notice::LooksLike(_)
            | Notice::CarriageReturns
            | Notice::WideText(_)
            | Notice::EncodingChange(_)
            | Notice::WideInBinary(_)
            | Notice::TakesLong(_)
            | Notice::NotSearched(SkipReason::Unreadable(_) | SkipReason::PassedOver(_)) => true,
            Notice::NotSearched(SkipReason::Refused(_))
            | Notice::Binary
            | Notice::Tar
            | Notice::BadRecords(_)
            | Notice::MaxHits(_) => false,
        };
        if !(is_about_reading && self.silent_about_inputs) {
            let label = label.to_str_lossy();
            match notice {
                Notice::Failed(error) => (self.say)(&(located(&label, error) + (self.remedy)(error))),
                Notice::MaxHits(exceeded) => (self.say)(exceeded),
                _ => (self.say)(&format_args!("{label}: {notice}")),
            }
        }
    }

    /// Reports that options exclude every file in the directories to be searched.
    pub(super) fn nothing_searched(&self) {
        if !self.silent_about_inputs {
            (self.say)(
                &"no files were searched; check --include, --exclude, --exclude-from, --exclude-dir, -g and --ignore-vcs",
            );
        }
    }

    /// Prints a warning about the command line.
    pub(super) fn warn(&self, warning: &str) {
        (self.say)(&format_args!("warning: {warning}"));
    }

    /// Prints advice to a user at a terminal.
    pub(super) fn advice(&self, advice: &str) {
        if io::stderr().is_terminal() && !self.silent_about_inputs {
            (self.say)(&advice);
        }
    }

    /// Prints a line of `--debug`.
    pub(super) fn debug(&self, line: &str) {
        (self.say)(&format_args!("debug: {line}"));
    }

    /// Reports a failure of an engine after which the CPU completed the work. `work` names it: search or comparison.
    pub(super) fn went_on(&self, work: &str, error: &EngineError) {
        (self.say)(&format_args!("{error}; the {work} continued on the CPU"));
    }
}

/// Returns the system's message for a closed stream.
pub(super) fn closed_stream() -> String {
    plain(&io::Error::from(Errno::BADF))
}

/// Prefixes an error with the input's name and, if known, the line number.
pub(super) fn located(label: &str, error: &InputError) -> String {
    match error {
        InputError::Malformed { line, problem } => format!("{label}:{line}: {problem}"),
        InputError::Mate { label, error } => located(label, error),
        error => format!("{label}: {error}"),
    }
}

/// Returns the end of the message about an input or pattern file of nigh that cannot be read: the option with which
/// nigh can read it, or an empty string if there is no such option.
pub(super) fn remedy(error: &InputError) -> &'static str {
    match error {
        InputError::NotDecompressed(..) => "; use --no-decompress to read its bytes as they are",
        _ => "",
    }
}

/// Returns the end of the message about an input that cannot be read.
pub(super) fn input_remedy(error: &InputError) -> &'static str {
    match error {
        InputError::Io(error) if error.kind() == io::ErrorKind::IsADirectory => "; use -r to search it",
        error => remedy(error),
    }
}

/// Reports the error that ends the program.
pub(super) fn error(error: &anyhow::Error) {
    say(&format_args!("{error:#}"));
}

/// Prints a message as one line. On a terminal, control characters are escaped.
pub(super) fn say(message: &dyn Display) {
    let line = message.to_string().replace('\n', "\\n");
    let mut out = io::stderr().lock();
    let shown = if out.is_terminal() { visible(line.as_bytes()).to_str_lossy().into_owned() } else { line };
    // There is no other place to report that standard error is closed.
    let _ = writeln!(out, "{}: {shown}", program());
}
