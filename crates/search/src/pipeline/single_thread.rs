//! Runs a search in one thread, for systems that start no other thread.

use super::reader::ReaderOutput;
use super::shared::Shared;
use super::work::{Event, Work};
use super::worker::Worker;
use super::writer::Writer;
use crate::{Outcome, SearchError};
use nigh_report::Flow;

/// Worker and writer in the reader's thread: each batch is searched and written before the next is read.
pub(super) struct SingleThread<'a> {
    worker: Worker<'a>,
    writer: Writer<'a>,
    failure: Option<SearchError>,
}

impl<'a> SingleThread<'a> {
    pub(super) fn new(shared: &'a Shared, writer: Writer<'a>) -> Self {
        SingleThread { worker: Worker::new(shared), writer, failure: None }
    }

    /// Returns the result of the search. Call it after everything is read.
    ///
    /// # Errors
    /// Write errors and engine errors.
    pub(super) fn outcome(self) -> Result<Outcome, SearchError> {
        self.failure.map_or_else(|| self.writer.outcome(), Err)
    }

    /// Returns `None` if the search is over: after an error, or when all reports have enough.
    fn unless_over(&mut self, flow: Result<Flow, SearchError>) -> Option<()> {
        match flow {
            Ok(Flow::EnoughOfAll) => None,
            Ok(_) => Some(()),
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}

impl ReaderOutput for SingleThread<'_> {
    fn give(&mut self, work: Work) -> Option<()> {
        let SingleThread { worker, writer, .. } = self;
        let (number, mut flow) = (work.number, Ok(Flow::More));
        let begun = worker.begin(work);
        let event = worker.complete(begun, &mut |event| {
            if flow.as_ref().is_ok_and(|flow| *flow != Flow::EnoughOfAll) {
                flow = writer.take(event);
            }
        });
        self.unless_over(flow)?;
        self.send(number, event)
    }

    fn send(&mut self, _: u64, event: Event) -> Option<()> {
        let flow = self.writer.take(event).and_then(|flow| self.writer.flush().map(|()| flow));
        self.unless_over(flow)
    }
}
