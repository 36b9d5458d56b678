//! Finds inputs in a thread of its own, so that a slow walk through directories does not hold back the files that it
//! has found.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

use crate::search::{Entry, Inputs};

/// Number of inputs that are found ahead of the reader.
const MAX_AHEAD: usize = 1024;

/// The inputs of a search, in order.
pub(super) enum InputList {
    /// The reader finds the inputs itself.
    InPlace(Peekable<Inputs>),
    /// Another thread finds the inputs.
    Ahead(QueueReader),
}

/// The conditions under which the reader stops waiting for more inputs.
pub(super) struct WaitLimits {
    /// The time at which the reader goes on, with the inputs found so far.
    pub(super) deadline: Instant,
    /// The number of found inputs at which the reader goes on before the deadline.
    pub(super) enough: usize,
}

/// The next input, or the reason why there is none.
pub(super) enum NextInput {
    Entry(Entry),
    /// No input was found before the deadline.
    Late,
    End,
}

impl InputList {
    /// Returns the next input, and waits for it if necessary. With inputs found in place, `patience` has no effect.
    pub(super) fn next(&mut self, patience: Option<WaitLimits>) -> NextInput {
        match self {
            InputList::InPlace(inputs) => inputs.next().map_or(NextInput::End, NextInput::Entry),
            InputList::Ahead(found) => found.next(patience),
        }
    }

    /// Returns whether there are no more inputs. Waits until that is known.
    pub(super) fn is_at_end(&mut self) -> bool {
        match self {
            InputList::InPlace(inputs) => inputs.peek().is_none(),
            InputList::Ahead(found) => found.is_at_end(),
        }
    }

    /// Returns whether it is known that there are no more inputs. Does not wait.
    pub(super) fn is_known_to_end(&mut self) -> bool {
        match self {
            InputList::InPlace(inputs) => inputs.peek().is_none(),
            InputList::Ahead(found) => found.taken.is_empty() && found.list.lock().is_all(),
        }
    }
}

/// The end of a list from which the reader takes inputs.
pub(super) struct QueueReader {
    list: Arc<InputQueue>,
    /// Inputs that were taken from the list.
    taken: VecDeque<Entry>,
}

/// The end of a list to which a thread adds the inputs that it finds.
pub(super) struct InputFinder(Arc<InputQueue>);

/// Inputs that were found and that the reader has not taken.
#[derive(Default)]
struct InputQueue {
    state: Mutex<QueueState>,
    /// Notified when the reader has enough inputs to go on.
    arrived: Condvar,
    /// Notified when there is room for more inputs.
    taken: Condvar,
}

#[derive(Default)]
struct QueueState {
    entries: VecDeque<Entry>,
    /// Whether all inputs were found.
    is_complete: bool,
    /// Whether the finder has ended.
    has_ended: bool,
    /// Whether the reader has ended.
    is_abandoned: bool,
    /// The number of inputs for which the reader waits.
    enough: usize,
}

impl QueueState {
    fn is_all(&self) -> bool {
        self.is_complete && self.entries.is_empty()
    }
}

impl InputQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().expect("no panic while the lock is held")
    }
}

/// Makes the two ends of a list.
pub(super) fn found_list() -> (InputFinder, QueueReader) {
    let list = Arc::new(InputQueue::default());
    (InputFinder(list.clone()), QueueReader { list, taken: VecDeque::new() })
}

impl InputFinder {
    /// Puts inputs into the list until all are found, or the reader ends.
    pub(super) fn find_all(self, inputs: Inputs) {
        for entry in inputs {
            let mut state = self.0.lock();
            while state.entries.len() >= MAX_AHEAD && !state.is_abandoned {
                state = self.0.taken.wait(state).expect("no panic while the lock is held");
            }
            if state.is_abandoned {
                return;
            }
            state.entries.push_back(entry);
            if state.entries.len() == state.enough {
                self.0.arrived.notify_one();
            }
        }
        self.0.lock().is_complete = true;
    }
}

impl Drop for InputFinder {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.arrived.notify_one();
    }
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        self.list.lock().is_abandoned = true;
        self.list.taken.notify_one();
    }
}

impl QueueReader {
    fn next(&mut self, patience: Option<WaitLimits>) -> NextInput {
        if self.taken.is_empty() && self.receive(patience) == WaitOutcome::Late {
            return NextInput::Late;
        }
        self.taken.pop_front().map_or(NextInput::End, NextInput::Entry)
    }

    fn is_at_end(&mut self) -> bool {
        if self.taken.is_empty() {
            self.receive(None);
        }
        self.taken.is_empty()
    }

    /// Takes the inputs that were found, and waits for some if there are none.
    fn receive(&mut self, patience: Option<WaitLimits>) -> WaitOutcome {
        let mut state = self.list.lock();
        while state.entries.is_empty() && !state.has_ended {
            let Some(WaitLimits { deadline, enough }) = &patience else {
                state.enough = 1;
                state = self.list.arrived.wait(state).expect("no panic while the lock is held");
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return WaitOutcome::Late;
            }
            state.enough = *enough;
            (state, _) = self.list.arrived.wait_timeout(state, left).expect("no panic while the lock is held");
        }
        // The reader does not wait now, and a notification costs a system call even if no thread waits.
        state.enough = 0;
        let (is_full, is_broken) = (state.entries.len() >= MAX_AHEAD, state.has_ended && !state.is_complete);
        self.taken.append(&mut state.entries);
        drop(state);
        assert!(!is_broken, "the thread that finds the inputs has panicked");
        if is_full {
            self.list.taken.notify_one();
        }
        WaitOutcome::Taken
    }
}

/// The outcome of a wait for inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitOutcome {
    /// The inputs found were taken. If there were none, the list is at its end.
    Taken,
    /// No input was found before the deadline.
    Late,
}
