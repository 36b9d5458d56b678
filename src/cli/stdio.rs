//! Standard input and output as the parent process has set them up: they may be closed.

use std::io::{self, StdoutLock, Write};
use std::os::fd::AsFd;
use std::path::Path;

use anyhow::{Result, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::args::Args;
use super::config::Stdin;
use crate::input::plain;

/// What the process inherited from its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inherited {
    /// Standard input is closed.
    pub closed_stdin: bool,
    /// Standard output is closed.
    pub closed_stdout: bool,
}

/// Standard output.
pub(super) struct Output {
    out: StdoutLock<'static>,
    is_closed: bool,
}

impl Inherited {
    /// Standard output; writing to it fails if it is closed.
    pub(super) fn output(self) -> Output {
        Output { out: io::stdout().lock(), is_closed: self.closed_stdout }
    }

    /// Refuses to read patterns from standard input if it is closed.
    pub(super) fn check_patterns(self, args: &Args) -> Result<()> {
        if self.closed_stdin && args.patterns.pattern_files.iter().any(|file| file == Path::new("-")) {
            bail!("-: {}", plain(&bad_descriptor()));
        }
        Ok(())
    }

    /// Whether standard input can be read.
    pub(super) fn input(self) -> Stdin {
        match self.closed_stdin {
            true => Stdin::Closed,
            false => Stdin::Open,
        }
    }
}

/// What the system says of a stream that is closed.
fn bad_descriptor() -> io::Error {
    Errno::BADF.into()
}

impl Output {
    /// Writes, and waits as often as a descriptor with O_NONBLOCK has no room.
    fn when_ready<T>(&mut self, write: impl Fn(&mut StdoutLock<'static>) -> io::Result<T>) -> io::Result<T> {
        loop {
            match write(&mut self.out) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // An interrupted wait ends in another write.
                    let _ = poll(&mut [PollFd::new(&self.out.as_fd(), PollFlags::OUT)], None);
                }
                result => return result,
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_closed {
            true => Err(bad_descriptor()),
            false => self.when_ready(|out| out.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.when_ready(StdoutLock::flush)
    }
}
