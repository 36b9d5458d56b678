//! What is said on standard error, a line each, and the ends that need more than an exit status.

use std::fmt::Display;
use std::io::{self, Write};
use std::os::fd::AsFd;

use anyhow::{Result, bail};
use bstr::ByteSlice;
use rustix::fs::{OFlags, fcntl_getfl, fstat, major, minor};

use crate::search::{Input, Notice};

/// Speaks on standard error.
pub(super) struct Messages {
    silent_about_inputs: bool,
}

impl Messages {
    /// Says everything, or nothing about inputs that cannot be read.
    pub(super) fn new(silent_about_inputs: bool) -> Self {
        Messages { silent_about_inputs }
    }

    /// Says what is the matter with an input.
    pub(super) fn notice(&self, input: &Input, notice: &Notice) {
        let is_failure = matches!(notice, Notice::Failed(_));
        if !(is_failure && self.silent_about_inputs) {
            say(&format_args!("{}: {notice}", input.label.to_str_lossy()));
        }
    }

    /// Says that an input is not read because it is written to.
    pub(super) fn refused(&self, label: &[u8]) {
        say(&format_args!("{}: input file is also the output", label.to_str_lossy()));
    }

    /// Says why nothing more is done.
    pub(super) fn trouble(&self, error: &anyhow::Error) {
        say(&format_args!("{error:#}"));
    }
}

/// Says what is wrong with the arguments: clap's first line, without its usage and tips.
pub(super) fn usage(error: &clap::Error) {
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let sentence = words.join(" ");
    say(&format_args!("{}; see 'nigh --help'", sentence.trim_start_matches("error: ")));
}

/// One line, whatever the message holds.
fn say(message: &dyn Display) {
    let line = message.to_string().replace('\n', "\\n");
    // Where standard error is closed, nobody is left to be told.
    let _ = writeln!(io::stderr().lock(), "nigh: {line}");
}

/// Ends the process as one whose output nobody reads any more.
pub(super) fn end_as_by_closed_pipe() {
    // Only fails for signals that do not exist.
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
}

/// Refuses to run with standard output closed: what is written would be lost without a word.
///
/// The runtime opens /dev/null for reading and writing in the place of a closed descriptor. A daemon that was given the
/// same in all places chose so.
pub(super) fn check_output() -> Result<()> {
    if is_substitute(io::stdout().as_fd()) && !is_substitute(io::stdin().as_fd()) {
        bail!("standard output is closed");
    }
    Ok(())
}

fn is_substitute(descriptor: impl AsFd) -> bool {
    const DEV_NULL: (u32, u32) = (1, 3);
    let (Ok(stat), Ok(flags)) = (fstat(&descriptor), fcntl_getfl(&descriptor)) else { return false };
    cfg!(target_os = "linux")
        && (major(stat.st_rdev), minor(stat.st_rdev)) == DEV_NULL
        && flags & OFlags::ACCMODE == OFlags::RDWR
}
