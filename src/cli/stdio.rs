//! Standard input and output, which the parent process may have closed.

use std::io::{self, StdoutLock, Write};
use std::os::fd::AsFd;
use std::path::Path;

use anyhow::{Result, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::args::Args;
use super::config::Stdin;
use super::messages::closed_stream;

/// The state of the standard streams inherited from the parent process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InheritedStreams {
    /// Set if standard input is closed.
    pub closed_stdin: bool,
    /// Set if standard output is closed.
    pub closed_stdout: bool,
}

/// A writer to standard output.
pub(super) struct StandardOutput {
    out: StdoutLock<'static>,
    is_closed: bool,
}

impl InheritedStreams {
    /// Returns a writer to standard output. Writes fail if the stream is closed.
    pub(super) fn output(self) -> StandardOutput {
        StandardOutput { out: io::stdout().lock(), is_closed: self.closed_stdout }
    }

    /// Fails if `-f -` asks for patterns from standard input and standard input is closed.
    pub(super) fn check_patterns(self, args: &Args) -> Result<()> {
        if self.closed_stdin && args.patterns.pattern_files.iter().any(|file| file == Path::new("-")) {
            bail!("-: {}", closed_stream());
        }
        Ok(())
    }

    /// Returns the state of standard input.
    pub(super) fn input(self) -> Stdin {
        if self.closed_stdin { Stdin::Closed } else { Stdin::Open }
    }
}

/// Returns the system's error for a closed stream.
fn bad_descriptor() -> io::Error {
    Errno::BADF.into()
}

impl StandardOutput {
    /// Calls `write`. While standard output has O_NONBLOCK set and is full, waits and calls `write` again.
    fn when_ready<T>(&mut self, write: impl Fn(&mut StdoutLock<'static>) -> io::Result<T>) -> io::Result<T> {
        loop {
            match write(&mut self.out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // If the poll is interrupted, the write is tried again.
                    let _ = poll(&mut [PollFd::new(&self.out.as_fd(), PollFlags::OUT)], None);
                }
                result => return result,
            }
        }
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed { Err(bad_descriptor()) } else { self.when_ready(|out| out.write(bytes)) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.when_ready(StdoutLock::flush)
    }
}
