//! Searches batches, and reads parts of files for that.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender};

use super::{Event, Shared, Work};
use crate::engine::EngineError;
use crate::input::Batch;
use crate::report::Findings;
use crate::search::Kind;
use crate::search::divided::Text;
use crate::search::select::{Early, Exits, Selector};

/// Searches batches until there are no more.
pub(super) fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
    let mut worker = Worker::new(shared);
    while let Ok(work) = work.recv() {
        let number = work.number;
        let event = worker.search(work, &mut |event| {
            shared.turn.wait_for(number);
            // Nobody listens if the writer has had enough.
            let _ = events.send((number, event));
        });
        if events.send((number, event)).is_err() {
            return;
        }
    }
}

/// Searches one batch after the other.
pub(super) struct Worker<'a> {
    shared: &'a Shared,
    text: Option<Selector<'a>>,
    sequences: Option<Selector<'a>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared) -> Self {
        Worker { shared, text: None, sequences: None }
    }

    /// Searches what the reader gave. `early` gets the events of the batch that should not wait for its end.
    pub(super) fn search(&mut self, work: Work, early: &mut dyn FnMut(Event)) -> Event {
        let Work { input, text, leg, .. } = work;
        let shared = self.shared;
        let selector = match shared.inputs[input].kind {
            Kind::Text => &mut self.text,
            Kind::Sequences => &mut self.sequences,
        };
        let mut early_out = |one| match one {
            Early::Rows(rows) => early(Event::Rows(input, rows)),
            Early::Part(batch, findings) => {
                if let Some(watch) = &shared.watch {
                    watch.searched(0, findings.hits);
                }
                early(Event::Part(input, batch, findings));
            }
        };
        let exits = Exits { early: &mut early_out, leg: leg.map(|leg| shared.undecided.leg(leg)) };
        let search = AssertUnwindSafe(move || search_text(shared, selector, (input, text), exits));
        // The writer waits for this number: it has to hear of a panic too.
        catch_unwind(search).unwrap_or(Event::Stopped)
    }
}

fn search_text<'a>(
    shared: &'a Shared,
    selector: &mut Option<Selector<'a>>,
    (input, text): (usize, Text),
    exits: Exits<'_>,
) -> Event {
    let batch = match shared.is_wanted(input) {
        true => text.into_batch(),
        false => Err(text.give_up()),
    };
    match batch {
        Ok(batch) => {
            let found = search_batch(shared, selector, (input, &batch), exits);
            if let (Some(watch), Ok((findings, _))) = (&shared.watch, &found) {
                watch.searched(batch.owned().len() as u64, findings.hits);
            }
            match found {
                Ok((findings, start)) => Event::Searched(input, batch.behind(start), Ok(findings)),
                Err(error) => Event::Searched(input, batch, Err(error)),
            }
        }
        Err(no_batch) => {
            if let Some(leg) = exits.leg {
                leg.pass_on();
            }
            Event::NoBatch(input, no_batch)
        }
    }
}

fn search_batch<'a>(
    shared: &'a Shared,
    selector: &mut Option<Selector<'a>>,
    (input, batch): (usize, &Batch),
    exits: Exits<'_>,
) -> Result<(Findings, usize), EngineError> {
    let selector = match selector {
        Some(selector) => selector,
        None => {
            let duty = shared.duty(input);
            selector.insert(Selector::new(duty.engine.as_ref(), &duty.detail)?)
        }
    };
    selector.search(batch, &shared.inputs[input], exits)
}
