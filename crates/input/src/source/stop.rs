//! Ends waits for data of a pipe, so that the thread that reads it can end.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};

/// Ends the reads with its [`StopSignal`] when it is dropped.
pub struct Stopper(#[expect(dead_code, reason = "only its end matters")] PipeWriter);

/// Tells reads of pipes to end, once its [`Stopper`] is dropped.
#[derive(Clone)]
pub struct StopSignal(Arc<PipeReader>);

/// Makes a signal, and what gives it.
///
/// # Errors
/// The system's error, if there are too many open files.
pub fn stop_signal() -> io::Result<(Stopper, StopSignal)> {
    let (reader, writer) = io::pipe()?;
    Ok((Stopper(writer), StopSignal(Arc::new(reader))))
}

impl StopSignal {
    /// Waits until a read of `descriptor` would not block, or the signal is given. Returns whether it is given. May
    /// return early after an interrupt.
    pub(super) fn wait_for(&self, descriptor: &impl AsFd) -> bool {
        let mut asked = [PollFd::new(&self.0, PollFlags::IN), PollFd::new(descriptor, PollFlags::IN)];
        poll(&mut asked, None).is_ok() && !asked[0].revents().is_empty()
    }
}
