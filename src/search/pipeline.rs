//! One reader, as many workers as the engine wants, and a writer, which is the thread that calls.
//!
//! Files that are large enough are only divided by the reader, and read by the workers, part by part. Of all else it makes
//! batches itself.
//!
//! Batches travel with sequence numbers and come back in any order; the writer puts them in order. Memory is bounded by
//! the number of buffers: the reader waits for one that the writer has done with.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};

use super::clusters::{self, Undecided};
use super::divided::{Divided, NoBatch, Text};
use super::helpers::Pool;
use super::order::Reorder;
use super::relay::Relay;
use super::select::{Exits, Selector};
use super::shard::Shard;
use super::turn::Turn;
use super::{Input, Kind, Lane, Notice, Outcome, Records, Search, SearchError, Watch};
use crate::engine::{Engine, EngineError};
use crate::input::{Batch, Batcher, Format, InputError, Origin, Parts, Source, Window, leave_stdin_at};
use crate::report::{Detail, EarlyRows, Findings, Flow, Hits};

/// What the writer gets, in the order of the input.
enum Event {
    Begin(usize),
    /// Some rows of the batch whose turn it is.
    Rows(usize, EarlyRows),
    Searched(usize, Batch, Result<Findings, EngineError>),
    /// Somebody else searches it.
    Passed(usize, Batch),
    /// A worker had nothing to search.
    NoBatch(usize, NoBatch),
    Failed(usize, InputError),
    End(usize),
    /// A worker could not finish a batch.
    Stopped,
    /// All inputs have been read.
    Finished,
}

/// A batch, or a part of a file that is to be one, on its way to a worker.
struct Work {
    number: u64,
    input: usize,
    text: Text,
    /// Which of those is this that hand on what they have not decided, if it does.
    leg: Option<u64>,
}

/// An input that is open.
enum Opened {
    Batches(Batcher),
    Parts(Parts),
}

/// The engine and the wishes of the report for one kind of input, without the report.
#[derive(Clone)]
struct Duty {
    engine: Arc<dyn Engine>,
    detail: Detail,
    format: Format,
    batch_bytes: usize,
}

/// What reader and workers share.
struct Shared {
    inputs: Vec<Input>,
    text: Option<Duty>,
    sequences: Option<Duty>,
    shard: Option<Shard>,
    watch: Option<Arc<dyn Watch>>,
    /// Inputs before this one need not be read on.
    wanted: AtomicUsize,
    /// Whose batch is written.
    turn: Turn,
    /// What a batch leaves undecided for the next.
    undecided: Relay<Undecided>,
    /// Where the text of standard input starts in its file; the largest number if that is of no interest.
    place: AtomicU64,
}

/// Searches all inputs, and writes what the reports say; `notify` hears what the user should be told of an input.
///
/// Threads that still wait for input when nothing more is wanted are left behind.
///
/// # Errors
/// When the output cannot be written or an engine fails.
pub fn run(
    search: Search,
    out: &mut dyn Write,
    notify: &mut dyn FnMut(&Input, &Notice),
) -> Result<Outcome, SearchError> {
    let Search { inputs, text, sequences, watch, buffers, shard } = search;
    let duty = |lane: &Option<Lane>| lane.as_ref().map(Duty::of);
    let (text_duty, sequence_duty) = (duty(&text), duty(&sequences));
    let (wanted, turn, undecided) = (AtomicUsize::new(0), Turn::default(), Relay::new(Undecided::default()));
    let place = AtomicU64::new(u64::MAX);
    let shared = Arc::new(Shared {
        inputs,
        text: text_duty,
        sequences: sequence_duty,
        shard,
        watch,
        wanted,
        turn,
        undecided,
        place,
    });
    let workers = [&text, &sequences].into_iter().flatten().map(|lane| lane.engine.workers()).max().unwrap_or(1);
    // One batch in each worker's hands, one waiting for it, and one each being read and written.
    let many = usual_buffers(workers);
    // Who is to take little memory decompresses alone: pieces that are decompressed beside each other take some too.
    let helpers = Arc::new(Pool::new(if buffers.is_some() { 1 } else { workers }));
    let buffers = buffers.unwrap_or(many);
    let (work_in, work_out) = bounded(buffers);
    let (event_in, event_out) = bounded(buffers);
    let (spare_in, spare_out) = unbounded();
    for _ in 0..buffers {
        spare_in.send(Vec::new()).expect("the other end is here");
    }
    for _ in 0..workers {
        let (shared, work, events) = (shared.clone(), work_out.clone(), event_in.clone());
        thread::spawn(move || work_on(&shared, &work, &events));
    }
    let (spare, work, events) = (spare_out, work_in, event_in);
    let reader =
        Reader { shared: shared.clone(), spare, work, events, buffer: None, helpers, number: 0, legs: 0, at: 0 };
    thread::spawn(move || reader.read_all());
    let writer = Writer { shared: &shared, text, sequences, spare: spare_in, failed: false, out, notify };
    let outcome = writer.write_all(&event_out);
    shared.turn.end();
    outcome
}

/// How many buffers there are for so many workers.
pub fn usual_buffers(workers: usize) -> usize {
    2 * workers + 2
}

impl Duty {
    fn of(lane: &Lane) -> Self {
        Duty {
            engine: lane.engine.clone(),
            detail: lane.report.detail(),
            format: lane.format.clone(),
            batch_bytes: lane.batch_bytes.unwrap_or(lane.engine.batch_bytes()),
        }
    }
}

impl Shared {
    fn duty(&self, input: usize) -> &Duty {
        let duty = match self.inputs[input].kind {
            Kind::Text => &self.text,
            Kind::Sequences => &self.sequences,
        };
        duty.as_ref().expect("each kind of input has a lane")
    }

    fn is_wanted(&self, input: usize) -> bool {
        input >= self.wanted.load(Ordering::Relaxed)
    }
}

/// Reads one input after the other. A step that cannot be done because nobody listens any more ends it.
struct Reader {
    shared: Arc<Shared>,
    spare: Receiver<Vec<u8>>,
    work: Sender<Work>,
    events: Sender<(u64, Event)>,
    /// A buffer that no batch took.
    buffer: Option<Vec<u8>>,
    /// Those who decompress beside it.
    helpers: Arc<Pool>,
    number: u64,
    legs: u64,
    /// How many bytes of all inputs have been read, where they are shared.
    at: u64,
}

impl Reader {
    fn read_all(mut self) {
        for input in 0..self.shared.inputs.len() {
            if self.read_one(input).is_none() {
                return;
            }
        }
        // Nobody listens if the writer has had enough.
        let _ = self.send(Event::Finished);
    }

    fn read_one(&mut self, input: usize) -> Option<()> {
        if !self.shared.is_wanted(input) {
            return Some(());
        }
        match self.open(input) {
            Ok(opened) => {
                self.send(Event::Begin(input))?;
                match opened {
                    Opened::Batches(mut batcher) => self.read_batches(input, &mut batcher)?,
                    Opened::Parts(parts) => self.hand_out(input, parts)?,
                }
                self.send(Event::End(input))
            }
            Err(error) => self.send(Event::Failed(input, error)),
        }
    }

    fn open(&self, input: usize) -> Result<Opened, InputError> {
        let duty = self.shared.duty(input);
        let Input { origin, decoding, records, .. } = &self.shared.inputs[input];
        let format = match (duty.format.clone(), records) {
            (Format::Fasta { .. }, Records::Fastq) => Format::Fastq,
            (format, _) => format,
        };
        let patterns = duty.engine.patterns();
        let reach = match duty.detail.hits {
            Hits::All => patterns.reach(),
            Hits::Best => clusters::context(patterns),
        };
        let window = Window { bytes: duty.batch_bytes, reach, alphabet: patterns.alphabet() };
        // Parts leave out bytes without text. With one worker, reading and searching go on at once only if somebody else reads.
        let in_parts = duty.engine.workers() > 1 && !duty.detail.all_bytes && self.shared.shard.is_none();
        let divided = in_parts.then(|| Parts::open(origin, *decoding, format.clone(), window));
        if let Some(parts) = divided.flatten() {
            return Ok(Opened::Parts(parts));
        }
        let helpers = Arc::<Pool>::clone(&self.helpers);
        let source = Source::open(origin, *decoding, Some(helpers))?;
        if let Some(place) = source.place_in_stdin() {
            self.shared.place.store(place, Ordering::Relaxed);
        }
        Ok(Opened::Batches(Batcher::new(source, format, window)))
    }

    fn read_batches(&mut self, input: usize, batcher: &mut Batcher) -> Option<()> {
        while self.shared.is_wanted(input) {
            let mut buffer = self.take_buffer()?;
            let batch = batcher.next_batch(&mut buffer);
            if !matches!(batch, Ok(Some(_))) {
                self.buffer = Some(buffer);
            }
            match batch {
                Ok(Some(batch)) if !self.is_ours(&batch) => self.pass(input, batch)?,
                Ok(Some(batch)) => self.give(input, Text::Batch(batch))?,
                Ok(None) => break,
                Err(error) => {
                    self.send(Event::Failed(input, error))?;
                    break;
                }
            }
        }
        Some(())
    }

    /// Whether this process searches the batch.
    fn is_ours(&mut self, batch: &Batch) -> bool {
        let at = self.at;
        self.at += batch.owned().len() as u64;
        self.shared.shard.is_none_or(|shard| shard.owns(at))
    }

    fn pass(&mut self, input: usize, batch: Batch) -> Option<()> {
        if let Some(watch) = &self.shared.watch {
            watch.searched(batch.owned().len() as u64, 0);
        }
        self.send(Event::Passed(input, batch))
    }

    /// Hands out the parts of a file, each with its buffer: so the first that is not yet read has one, for which all others wait.
    fn hand_out(&mut self, input: usize, parts: Parts) -> Option<()> {
        let file = Arc::new(Divided::new(parts));
        for index in (0..).take_while(|&index| file.has(index)) {
            if file.has_ended() || !self.shared.is_wanted(input) {
                break;
            }
            let buffer = self.take_buffer()?;
            self.give(input, Text::Part(file.clone(), index, buffer))?;
        }
        Some(())
    }

    fn take_buffer(&mut self) -> Option<Vec<u8>> {
        match self.buffer.take() {
            Some(unused) => Some(unused),
            None => self.spare.recv().ok(),
        }
    }

    fn give(&mut self, input: usize, text: Text) -> Option<()> {
        let number = self.next_number();
        let leg = (self.shared.duty(input).detail.hits == Hits::Best).then_some(self.legs);
        self.legs += u64::from(leg.is_some());
        self.work.send(Work { number, input, text, leg }).ok()
    }

    fn send(&mut self, event: Event) -> Option<()> {
        let number = self.next_number();
        self.events.send((number, event)).ok()
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number - 1
    }
}

/// Searches batches until there are no more.
fn work_on(shared: &Shared, work: &Receiver<Work>, events: &Sender<(u64, Event)>) {
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
        let exits = Exits { rows: &mut rows_out, leg: leg.map(|leg| shared.undecided.leg(leg)) };
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
            let findings = search_batch(shared, selector, (input, &batch), exits);
            if let (Some(watch), Ok(findings)) = (&shared.watch, &findings) {
                watch.searched(batch.owned().len() as u64, findings.hits);
            }
            Event::Searched(input, batch, findings)
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
) -> Result<Findings, EngineError> {
    let selector = match selector {
        Some(selector) => selector,
        None => {
            let duty = shared.duty(input);
            selector.insert(Selector::new(duty.engine.as_ref(), &duty.detail)?)
        }
    };
    selector.search(batch, &shared.inputs[input], exits)
}

/// Takes events in the order of the input, and writes what the reports make of them.
struct Writer<'a> {
    shared: &'a Shared,
    text: Option<Lane>,
    sequences: Option<Lane>,
    spare: Sender<Vec<u8>>,
    failed: bool,
    out: &'a mut dyn Write,
    notify: &'a mut dyn FnMut(&Input, &Notice),
}

impl Writer<'_> {
    fn write_all(mut self, events: &Receiver<(u64, Event)>) -> Result<Outcome, SearchError> {
        let mut order = Reorder::new();
        loop {
            match self.next_event(events)? {
                (_, Event::Rows(input, rows)) => self.add_rows(input, &rows)?,
                (number, event) => order.put(number, event),
            }
            while let Some(event) = order.take() {
                if let Event::Finished = event {
                    return self.outcome();
                }
                if self.take(event)? == Flow::EnoughOfAll {
                    return self.outcome();
                }
                self.shared.turn.pass_to(order.next());
            }
        }
    }

    /// The next event in any order; what was written is flushed before waiting for it.
    fn next_event(&mut self, events: &Receiver<(u64, Event)>) -> Result<(u64, Event), SearchError> {
        match events.try_recv() {
            Ok(event) => return Ok(event),
            Err(TryRecvError::Empty) => self.out.flush().map_err(SearchError::Write)?,
            Err(TryRecvError::Disconnected) => {}
        }
        events.recv().map_err(|_| SearchError::WorkerStopped)
    }

    fn take(&mut self, event: Event) -> Result<Flow, SearchError> {
        match event {
            Event::Begin(input) => {
                let shared = self.shared;
                let Input { label, origin, .. } = &shared.inputs[input];
                let report = &mut self.lane(input).report;
                report.begin(label);
                report.sized(&|| origin.size());
                Ok(Flow::More)
            }
            Event::Searched(input, batch, findings) => self.add(input, batch, &findings?),
            Event::Passed(input, batch) => {
                self.lane(input).report.pass(&batch);
                self.give_back(batch.into_buffer());
                Ok(Flow::More)
            }
            Event::NoBatch(input, NoBatch(buffer, failure)) => {
                self.give_back(buffer);
                Ok(failure.map_or(Flow::More, |error| self.fail(input, error)))
            }
            Event::Failed(input, error) => Ok(self.fail(input, error)),
            Event::End(input) if self.shared.is_wanted(input) => self.end(input),
            Event::End(_) => Ok(Flow::More),
            Event::Stopped => Err(SearchError::WorkerStopped),
            Event::Rows(..) | Event::Finished => Ok(Flow::More),
        }
    }

    fn add(&mut self, input: usize, batch: Batch, findings: &Findings) -> Result<Flow, SearchError> {
        if !self.shared.is_wanted(input) {
            // It was read before the reader knew.
            self.give_back(batch.into_buffer());
            return Ok(Flow::More);
        }
        let (lane, out) = self.lane_and_out(input);
        let flow = lane.report.add(&batch, findings, out).map_err(SearchError::of_report)?;
        if flow == Flow::Binary {
            (self.notify)(&self.shared.inputs[input], &Notice::Binary);
        }
        self.give_back(batch.into_buffer());
        if flow == Flow::More {
            return Ok(flow);
        }
        self.end(input)?;
        self.leave_stdin(input);
        self.shared.wanted.store(input + 1, Ordering::Relaxed);
        // The reader may still wait for more of the last input.
        let is_last = input + 1 == self.shared.inputs.len();
        Ok(if is_last { Flow::EnoughOfAll } else { flow })
    }

    /// Leaves the rest of standard input, behind the last line that was wanted, to who reads it next.
    fn leave_stdin(&mut self, input: usize) {
        let place = self.shared.place.load(Ordering::Relaxed);
        let selected_to = self.lane(input).report.selected_to();
        if let (Origin::Stdin, true, Some(to)) = (&self.shared.inputs[input].origin, place != u64::MAX, selected_to) {
            // Somebody else may have closed it, and then nobody reads on.
            let _ = leave_stdin_at(place + to);
        }
    }

    /// Writes rows that were too many to wait for the rest of their batch.
    fn add_rows(&mut self, input: usize, rows: &EarlyRows) -> Result<(), SearchError> {
        let (lane, out) = self.lane_and_out(input);
        lane.report.add_rows(rows, out).map_err(SearchError::of_report)
    }

    fn end(&mut self, input: usize) -> Result<Flow, SearchError> {
        let (lane, out) = self.lane_and_out(input);
        lane.report.end(out).map_err(SearchError::of_report)?;
        Ok(Flow::More)
    }

    fn fail(&mut self, input: usize, error: InputError) -> Flow {
        // Nobody would have read so far alone.
        if self.shared.is_wanted(input) {
            self.failed = true;
            (self.notify)(&self.shared.inputs[input], &Notice::Failed(error));
        }
        Flow::More
    }

    fn give_back(&mut self, buffer: Vec<u8>) {
        // Nobody takes buffers once everything is read.
        let _ = self.spare.send(buffer);
    }

    fn lane(&mut self, input: usize) -> &mut Lane {
        self.lane_and_out(input).0
    }

    fn lane_and_out(&mut self, input: usize) -> (&mut Lane, &mut dyn Write) {
        let lane = match self.shared.inputs[input].kind {
            Kind::Text => &mut self.text,
            Kind::Sequences => &mut self.sequences,
        };
        (lane.as_mut().expect("each kind of input has a lane"), &mut *self.out)
    }

    fn outcome(mut self) -> Result<Outcome, SearchError> {
        for lane in [&mut self.text, &mut self.sequences].into_iter().flatten() {
            lane.report.finish(self.out).map_err(SearchError::of_report)?;
        }
        self.out.flush().map_err(SearchError::Write)?;
        let lanes = [&self.text, &self.sequences];
        let selected = lanes.into_iter().flatten().any(|lane| lane.report.has_selected());
        Ok(Outcome { selected, failed: self.failed })
    }
}
