//! Searches batches, and reads parts of files for that.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender};

use super::{Event, Shared, Work};
use crate::engine::EngineError;
use crate::input::Batch;
use crate::report::Findings;
use crate::search::Kind;
use crate::search::divided::Text;
use crate::search::select::{Exits, Selector};
/// Searches batches until there are no more.
pub(super) fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
    let (mut for_text, mut for_sequences) = (None, None);
    while let Ok(Work { number, input, text, leg }) = work.recv() {
        let selector = match shared.inputs[input].kind {
            Kind::Text => &mut for_text,
            Kind::Sequences => &mut for_sequences,
        };
        let mut rows_out = |rows| {
            shared.turn.wait_for(number);
            // Nobody listens if the writer has had enough.
            let _ = events.send((number, Event::Rows(input, rows)));
        };
        let mut part_out = |batch, findings: Findings| {
            if let Some(watch) = &shared.watch {
                watch.searched(0, findings.hits);
            }
            shared.turn.wait_for(number);
            let _ = events.send((number, Event::Part(input, batch, findings)));
        };
        let leg = leg.map(|leg| shared.undecided.leg(leg));
        let exits = Exits { rows: &mut rows_out, part: &mut part_out, leg };
        let search = AssertUnwindSafe(move || search_text(shared, selector, (input, text), exits));
        // The writer waits for this number: it has to hear of a panic too.
        let event = catch_unwind(search).unwrap_or(Event::Stopped);
        if events.send((number, event)).is_err() {
            return;
        }
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
