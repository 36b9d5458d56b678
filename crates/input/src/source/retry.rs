//! Repeats reads of a file or pipe, so that only real errors reach the caller.
//!
//! An interrupted read is repeated. A read of an O_NONBLOCK descriptor without data waits. Some decompressors fail in
//! either case, so all of them read through this reader.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

use rustix::event::{PollFd, PollFlags, poll};

use super::stop::StopSignal;

/// A reader that repeats interrupted reads, and waits for data if a read finds none.
pub(crate) struct Retrying<R> {
    reader: R,
    /// The descriptor to wait for; `None` if reads never fail for lack of data.
    descriptor: Option<OwnedFd>,
    /// Ends the reads that wait for the descriptor; `None` if they need not end.
    stop: Option<StopSignal>,
    failure: ReadFailure,
}

/// The first error of a reader. A decompressor above it may report another error, such as truncated data.
#[derive(Clone, Default)]
pub(crate) struct ReadFailure(Arc<Mutex<Option<io::Error>>>);

impl<R: Read> Retrying<R> {
    /// Wraps a reader. It waits for data on `descriptor` if there is one.
    pub(crate) fn new(reader: R, descriptor: Option<OwnedFd>) -> Self {
        Retrying { reader, descriptor, stop: None, failure: ReadFailure::default() }
    }

    /// Lets reads that wait for the descriptor end, as at the end of the file, once the signal is given.
    pub(crate) fn until(self, stop: Option<StopSignal>) -> Self {
        Retrying { stop, ..self }
    }

    /// Returns a handle to the first error of this reader.
    pub(crate) fn failure(&self) -> ReadFailure {
        self.failure.clone()
    }
}

impl<R: Read> Read for Retrying<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let (Some(stop), Some(descriptor)) = (&self.stop, &self.descriptor)
                && stop.wait_for(descriptor)
            {
                return Ok(0);
            }
            match (self.reader.read(buffer), &self.descriptor) {
                (Ok(length), _) => return Ok(length),
                (Err(error), _) if error.kind() == io::ErrorKind::Interrupted => {}
                (Err(error), Some(descriptor)) if error.kind() == io::ErrorKind::WouldBlock => {
                    // After an interrupted wait, the next read finds no data and waits again.
                    let _ = poll(&mut [PollFd::new(descriptor, PollFlags::IN)], None);
                }
                (Err(error), _) => {
                    self.failure.keep(&error);
                    return Err(error);
                }
            }
        }
    }
}

impl ReadFailure {
    fn keep(&self, error: &io::Error) {
        let copy = match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => error.kind().into(),
        };
        self.0.lock().expect("no panic while the lock is held").get_or_insert(copy);
    }

    /// Removes and returns the error, if there was one.
    pub(crate) fn take(&self) -> Option<io::Error> {
        self.0.lock().expect("no panic while the lock is held").take()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Cursor;

    use super::*;

    /// A reader that interrupts half of the reads, at random, and returns at most seven bytes for the others.
    pub(crate) struct Stormy {
        bytes: Cursor<Vec<u8>>,
        rng: fastrand::Rng,
    }

    impl Stormy {
        pub(crate) fn new(bytes: Vec<u8>, seed: u64) -> Self {
            Stormy { bytes: Cursor::new(bytes), rng: fastrand::Rng::with_seed(seed) }
        }
    }

    impl Read for Stormy {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.rng.bool() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let max = buffer.len().min(self.rng.usize(1..8));
            self.bytes.read(&mut buffer[..max])
        }
    }

    #[test]
    fn an_interrupted_read_is_repeated_and_a_failure_is_kept() {
        let mut text = Vec::new();
        Retrying::new(Stormy::new(b"some text".to_vec(), 1), None).read_to_end(&mut text).unwrap();
        assert_eq!(text, b"some text");
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let mut reader = Retrying::new(Broken, None);
        let failure = reader.failure();
        assert!(reader.read(&mut [0]).is_err());
        assert_eq!(failure.take().and_then(|error| error.raw_os_error()), Some(5));
    }
}
