//! Finds inputs in a thread of its own, so that a slow walk through directories does not hold back the files that it
//! has found.

use std::iter::Peekable;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use crate::{Entry, Inputs};

/// Number of inputs that are found ahead of the reader.
const MAX_AHEAD: usize = 1024;

/// The inputs of a search, in order.
pub(super) enum InputList {
    /// The reader finds the inputs itself.
    InPlace(Peekable<Inputs>),
    /// Another thread finds the inputs.
    Ahead(FoundInputs),
}

/// The next input, or the reason why there is none.
#[derive(Debug)]
pub(super) enum NextInput {
    Entry(Entry),
    /// No input was found before the deadline.
    Late,
    End,
}

impl InputList {
    /// Returns the next input, and waits for it if necessary, until the deadline if there is one. With inputs found in
    /// place, the deadline has no effect.
    pub(super) fn next(&mut self, deadline: Option<Instant>) -> NextInput {
        match self {
            InputList::InPlace(inputs) => inputs.next().map_or(NextInput::End, NextInput::Entry),
            InputList::Ahead(found) => found.next(deadline),
        }
    }

    /// Returns whether there are no more inputs. Waits until that is known.
    pub(super) fn is_at_end(&mut self) -> bool {
        match self {
            InputList::InPlace(inputs) => inputs.peek().is_none(),
            InputList::Ahead(found) => found.peek_with(|found| found.next(None)),
        }
    }

    /// Returns whether it is known that there are no more inputs. Does not wait.
    pub(super) fn is_known_to_end(&mut self) -> bool {
        match self {
            InputList::InPlace(inputs) => inputs.peek().is_none(),
            InputList::Ahead(found) => found.peek_with(FoundInputs::try_next),
        }
    }
}

/// The inputs that another thread finds.
pub(super) struct FoundInputs {
    /// [`NextInput::End`] follows the last input.
    found: Receiver<NextInput>,
    /// The next input, or the end, if it was received already.
    ahead: Option<NextInput>,
}

/// Makes the list of inputs that another thread finds, and the function that this thread runs until all inputs are found
/// or the list is dropped.
pub(super) fn found_inputs() -> (impl FnOnce(Inputs) + Send + 'static, FoundInputs) {
    let (sender, found) = bounded(MAX_AHEAD);
    (move |inputs| find_all(inputs, &sender), FoundInputs { found, ahead: None })
}

fn find_all(inputs: Inputs, found: &Sender<NextInput>) {
    for entry in inputs {
        if found.send(NextInput::Entry(entry)).is_err() {
            return;
        }
    }
    // The list may have been dropped.
    let _ = found.send(NextInput::End);
}

impl FoundInputs {
    fn next(&mut self, deadline: Option<Instant>) -> NextInput {
        if let Some(next) = self.ahead.take() {
            return next;
        }
        let next = match deadline {
            None => self.found.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => self.found.recv_deadline(deadline),
        };
        match next {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) => NextInput::Late,
            Err(RecvTimeoutError::Disconnected) => panic!("the thread that finds the inputs has panicked"),
        }
    }

    /// Returns the next input if it was found already, and [`NextInput::Late`] if not.
    fn try_next(&mut self) -> NextInput {
        match self.found.try_recv() {
            Ok(next) => next,
            // Whoever waits for the next input reports that the other thread has panicked.
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => NextInput::Late,
        }
    }

    /// Returns whether the list ends here. `next` returns the next input if none was received already.
    fn peek_with(&mut self, next: impl FnOnce(&mut Self) -> NextInput) -> bool {
        if self.ahead.is_none() {
            self.ahead = match next(self) {
                NextInput::Late => None,
                next => Some(next),
            };
        }
        matches!(self.ahead, Some(NextInput::End))
    }
}
