//! Reads inputs one after the other, or divides them for workers to read.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;

use super::divided::{Divided, Text};
use super::group::{self, Group};
use super::pool::Pool;
use super::shared::Shared;
use super::work::{Event, Queued, Small, Task, Work};
use crate::input::{Batch, Batcher, InputError, Parts, Source};
use crate::report::Hits;
use crate::search::{Entry, Input, Inputs, Trouble};

/// An input that is open.
enum Opened {
    Batches(Batcher),
    Parts(Parts),
}

/// Takes batches and events from the reader. `None`: nobody wants any more.
pub(super) trait Outlet {
    /// Takes something to be searched.
    fn give(&mut self, work: Work) -> Option<()>;
    /// Takes the event with this number for the writer.
    fn send(&mut self, number: u64, event: Event) -> Option<()>;
}

/// Opens inputs, and takes their batches from buffers.
pub(super) struct Reader {
    pub(super) shared: Arc<Shared>,
    pub(super) inputs: Inputs,
    pub(super) spare: Receiver<Vec<u8>>,
    /// Threads that decompress beside it.
    pub(super) helpers: Arc<Pool>,
}

/// Reads one input after the other. A step that cannot be done because nobody listens any more ends it.
struct Reading<O> {
    shared: Arc<Shared>,
    spare: Receiver<Vec<u8>>,
    outlet: O,
    /// A buffer that no batch took.
    buffer: Option<Vec<u8>>,
    /// Small files that are handed out together.
    group: Group,
    /// Threads that decompress beside it.
    helpers: Arc<Pool>,
    number: u64,
    legs: u64,
    /// How many bytes of all inputs have been read, where they are shared.
    at: u64,
}

impl Reader {
    /// Reads all there is, and hands it out; gives back the outlet.
    pub(super) fn read_all<O: Outlet>(self, outlet: O) -> O {
        let Reader { shared, inputs, spare, helpers } = self;
        let group = Group::new();
        let mut reading = Reading { shared, spare, outlet, buffer: None, group, helpers, number: 0, legs: 0, at: 0 };
        // Nobody listens if the writer has had enough.
        let _ = reading.read_inputs(inputs);
        reading.outlet
    }
}

impl<O: Outlet> Reading<O> {
    fn read_inputs(&mut self, inputs: Inputs) -> Option<()> {
        let mut entries = inputs.peekable();
        let mut index = 0;
        while let Some(entry) = entries.next() {
            match entry {
                Entry::Trouble(label, trouble) => self.tell(label, trouble)?,
                Entry::Input(input) => {
                    let is_last = entries.peek().is_none();
                    index += 1;
                    self.take(&Arc::new(Queued { index, input, is_last }))?;
                }
            }
        }
        self.hand_out_group()?;
        self.send(Event::Finished)
    }

    fn tell(&mut self, label: Vec<u8>, trouble: Trouble) -> Option<()> {
        self.hand_out_group()?;
        self.send(Event::Trouble(label, trouble))
    }

    /// Reads an input, or puts it into the group of small files.
    fn take(&mut self, input: &Arc<Queued>) -> Option<()> {
        let Some(size) = group::small_size(&self.shared, &input.input) else {
            self.hand_out_group()?;
            return self.read_one(input);
        };
        match self.group.add(Small { input: input.clone(), size }, self.shared.config(input.input.kind)) {
            true => self.hand_out_group(),
            false => Some(()),
        }
    }

    fn hand_out_group(&mut self) -> Option<()> {
        let Some(files) = self.group.take() else { return Some(()) };
        let buffer = self.take_buffer()?;
        let number = self.next_number();
        self.outlet.give(Work { number, task: Task::Group(files, buffer) })
    }

    fn read_one(&mut self, input: &Arc<Queued>) -> Option<()> {
        if !self.shared.is_wanted(input) {
            return Some(());
        }
        match self.open(&input.input) {
            Ok(opened) => {
                self.send(Event::Begin(input.clone()))?;
                match opened {
                    Opened::Batches(mut batcher) => self.read_batches(input, &mut batcher)?,
                    Opened::Parts(parts) => self.hand_out(input, parts)?,
                }
                self.send(Event::End(input.clone()))
            }
            Err(error) => self.send(Event::Failed(input.clone(), error)),
        }
    }

    fn open(&self, input: &Input) -> Result<Opened, InputError> {
        let config = self.shared.config(input.kind);
        let Input { origin, decoding, .. } = input;
        let window = config.window();
        // Parts leave out bytes without text. With one worker, reading and searching go on at once only if somebody else reads.
        let in_parts = config.engine.workers() > 1 && !config.detail.all_bytes && self.shared.shard.is_none();
        let divided = in_parts.then(|| Parts::open(origin, *decoding, config.format.clone(), window));
        if let Some(parts) = divided.flatten() {
            return Ok(Opened::Parts(parts));
        }
        let helpers = Arc::<Pool>::clone(&self.helpers);
        let source = Source::open(origin, *decoding, Some(helpers))?;
        if let Some(place) = source.place_in_stdin() {
            self.shared.place.store(place, Ordering::Relaxed);
        }
        config.batcher(source, input, window).map(Opened::Batches)
    }

    fn read_batches(&mut self, input: &Arc<Queued>, batcher: &mut Batcher) -> Option<()> {
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
                    self.send(Event::Failed(input.clone(), error))?;
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

    fn pass(&mut self, input: &Arc<Queued>, batch: Batch) -> Option<()> {
        if let Some(watch) = &self.shared.watch {
            watch.searched(batch.owned().len() as u64, 0);
        }
        self.send(Event::Passed(input.clone(), batch))
    }

    /// Hands out the parts of a file, each with its buffer: so the first that is not yet read has one, for which all others wait.
    fn hand_out(&mut self, input: &Arc<Queued>, parts: Parts) -> Option<()> {
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

    fn give(&mut self, input: &Arc<Queued>, text: Text) -> Option<()> {
        let number = self.next_number();
        let slot = (self.shared.config(input.input.kind).detail.hits == Hits::Best).then_some(self.legs);
        self.legs += u64::from(slot.is_some());
        self.outlet.give(Work { number, task: Task::Text { input: input.clone(), text, slot } })
    }

    fn send(&mut self, event: Event) -> Option<()> {
        let number = self.next_number();
        self.outlet.send(number, event)
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number - 1
    }
}
