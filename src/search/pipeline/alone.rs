//! Searches and writes in the thread of the reader, for a system that starts no other thread.

use super::reader::Outlet;
use super::shared::Shared;
use super::work::{Event, Work};
use super::worker::Worker;
use super::writer::Writer;
use crate::report::Flow;
use crate::search::{Outcome, SearchError};

/// Worker and writer in one: each batch is searched and written before the next is read.
pub(super) struct Alone<'a> {
    worker: Worker<'a>,
    writer: Writer<'a>,
    failure: Option<SearchError>,
}

impl<'a> Alone<'a> {
    pub(super) fn new(shared: &'a Shared, writer: Writer<'a>) -> Self {
        Alone { worker: Worker::new(shared), writer, failure: None }
    }

    /// What the search came to, once everything is read.
    ///
    /// # Errors
    /// When the output cannot be written or an engine fails.
    pub(super) fn outcome(self) -> Result<Outcome, SearchError> {
        self.failure.map_or_else(|| self.writer.outcome(), Err)
    }

    /// `None` after an error, and when nothing more is wanted.
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

impl Outlet for Alone<'_> {
    fn give(&mut self, work: Work) -> Option<()> {
        let Alone { worker, writer, .. } = self;
        let (number, mut flow) = (work.number, Ok(Flow::More));
        let event = worker.search(work, &mut |event| {
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
