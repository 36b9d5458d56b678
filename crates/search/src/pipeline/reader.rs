//! Reads the inputs in order, or divides them into parts for workers to read.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_channel::Receiver;
use nigh_gunzip::Pool;

use super::buffers::TaskPermit;
use super::divided::{BatchSource, DividedFile};
use super::finder::{InputList, NextInput};
use super::group::{self, FileGroup};
use super::shared::Shared;
use super::work::{Event, OpenedFacts, QueuedInput, SmallFile, Work, WorkItem};
use crate::circles::with_circles;
use crate::{Entry, Input, SkipReason};
use nigh_input::{BlockFiles, InputError, MatedBatcher, Parts, Source};
use nigh_text::batch::Batch;

/// An open input.
enum OpenInput {
    Batches(Box<MatedBatcher>),
    Parts(Parts),
}

impl OpenInput {
    fn facts(&self) -> OpenedFacts {
        match self {
            OpenInput::Batches(batcher) => OpenedFacts::of(batcher),
            OpenInput::Parts(_) => OpenedFacts::of_parts(),
        }
    }
}

/// Receives work and events from the reader. Methods return `None` once nothing more is wanted.
pub(super) trait ReaderOutput {
    /// Accepts work for a worker.
    fn give(&mut self, work: Work) -> Option<()>;
    /// Accepts an event for the writer, with its sequence number.
    fn send(&mut self, number: u64, event: Event) -> Option<()>;
}

/// Opens inputs and fills buffers with their batches. Private methods return `None` once nothing more is wanted.
pub(super) struct Reader<O> {
    shared: Arc<Shared>,
    inputs: InputList,
    /// Permits that the writer has given back.
    permits: Receiver<TaskPermit>,
    outlet: O,
    /// A permit that was taken and not used for a task.
    permit: Option<TaskPermit>,
    /// Small files to hand out together.
    group: FileGroup,
    /// Threads for decompression.
    helpers: Arc<Pool>,
    /// Sequence number of the next work or event.
    number: u64,
    /// Index of the next slot in the hand-off of undecided matches between batches.
    slots: u64,
    /// Number of bytes of all inputs before the next batch, which determines the shard of that batch.
    at: u64,
}

impl<O: ReaderOutput> Reader<O> {
    /// Makes a reader of `inputs`, which takes `permits` and hands out its work to `outlet`. `helpers` are threads for
    /// decompression.
    pub(super) fn new(
        shared: Arc<Shared>,
        inputs: InputList,
        permits: Receiver<TaskPermit>,
        helpers: Pool,
        outlet: O,
    ) -> Self {
        let (group, helpers) = (FileGroup::new(), Arc::new(helpers));
        Reader { shared, inputs, permits, outlet, permit: None, group, helpers, number: 0, slots: 0, at: 0 }
    }

    /// Reads all inputs and hands out their work. Returns the outlet.
    pub(super) fn read_all(mut self) -> O {
        // Ends early if the writer has enough.
        let _ = self.read_inputs();
        self.outlet
    }

    fn read_inputs(&mut self) -> Option<()> {
        let mut index = 0;
        loop {
            match self.inputs.next(self.group.deadline()) {
                NextInput::Late => self.hand_out_group()?,
                NextInput::Entry(Entry::NotSearched(label, reason)) => self.tell(label, reason)?,
                NextInput::Entry(Entry::Input(input)) => {
                    let are_circles = self.shared.config(input.kind).needs.circle_extension > 0;
                    let small_size = group::small_size(&self.shared, &input).filter(|_| !are_circles);
                    let is_file = small_size.is_some() || input.origin.size().is_some();
                    // It matters whether a stream is the last input: if so, the search can end before the stream does.
                    let is_last = if is_file { self.inputs.is_known_to_end() } else { self.inputs.is_at_end() };
                    index += 1;
                    self.take(Arc::new(QueuedInput { index, input, is_last }), small_size)?;
                }
                NextInput::End => break,
            }
        }
        self.hand_out_group()?;
        self.send(Event::Finished)
    }

    fn tell(&mut self, label: Vec<u8>, reason: SkipReason) -> Option<()> {
        self.hand_out_group()?;
        self.send(Event::NotSearched(label, reason))
    }

    /// Reads an input or, if it has a small size, adds it to the group of small files.
    fn take(&mut self, input: Arc<QueuedInput>, small_size: Option<usize>) -> Option<()> {
        let Some(size) = small_size else {
            self.hand_out_group()?;
            return self.read_one(&input);
        };
        let config = self.shared.config(input.input.kind);
        if self.group.add(SmallFile { input, size }, config) {
            return self.hand_out_group();
        }
        Some(())
    }

    fn hand_out_group(&mut self) -> Option<()> {
        let Some(files) = self.group.take() else { return Some(()) };
        let TaskPermit = self.take_permit()?;
        let number = self.next_number();
        self.outlet.give(Work { number, task: WorkItem::Group(files) })
    }

    fn read_one(&mut self, input: &Arc<QueuedInput>) -> Option<()> {
        if !self.shared.is_wanted(input) {
            return Some(());
        }
        match self.open(&input.input) {
            Ok(opened) => {
                self.send(Event::Begin(input.clone(), opened.facts()))?;
                match opened {
                    OpenInput::Batches(mut batcher) => {
                        self.read_batches(input, &mut batcher)?;
                        if let Some(change) = batcher.encoding_change() {
                            self.send(Event::EncodingChanged(input.clone(), change))?;
                        }
                    }
                    OpenInput::Parts(parts) => self.hand_out(input, parts)?,
                }
                self.send(Event::End(input.clone()))
            }
            Err(error) => self.send(Event::Failed(input.clone(), error)),
        }
    }

    fn open(&self, input: &Input) -> Result<OpenInput, InputError> {
        let config = self.shared.config(input.kind);
        let Input { origin, decoding, .. } = input;
        let window = config.window();
        // Reading in parts omits bytes that are not searched, so it does not suit reports that need all bytes. With one
        // worker, reading overlaps with searching only if the reader reads. A shard always reads in parts, since all
        // processes must cut files alike.
        let is_useful = match self.shared.shard {
            None => config.work.facts().workers > 1,
            Some(_) => !config.needs.passed_batches,
        };
        let extension = config.needs.circle_extension;
        let in_parts = is_useful && !config.needs.all_bytes && extension == 0 && input.mates.is_none();
        let blocks = if self.shared.shard.is_some() { BlockFiles::Divided } else { BlockFiles::InOrder };
        let open = || Parts::open(origin, *decoding, config.format.clone(), window, blocks);
        let divided = if in_parts { open() } else { Ok(None) };
        match divided {
            Ok(Some(parts)) => return Ok(OpenInput::Parts(parts)),
            // Reading in order would cut the file at other positions than another process that divides it.
            Err(error) if self.shared.shard.is_some() => return Err(error),
            Ok(None) | Err(_) => {}
        }
        let helpers = Arc::<Pool>::clone(&self.helpers);
        let source = Source::open_until(origin, *decoding, Some(helpers), self.shared.stop.clone())?;
        if let Some(offset) = source.stdin_offset() {
            self.shared.stdin_offset.store(offset, Ordering::Relaxed);
        }
        let source = if extension > 0 { with_circles(source, extension)? } else { source };
        config.batcher(source, input, window).map(|batcher| OpenInput::Batches(Box::new(batcher)))
    }

    fn read_batches(&mut self, input: &Arc<QueuedInput>, batcher: &mut MatedBatcher) -> Option<()> {
        loop {
            let is_wanted = self.shared.is_wanted(input);
            // With shards, the length of an input must be known even if no more of it is searched.
            if !is_wanted && self.shared.shard.is_none() {
                break;
            }
            let permit = self.take_permit()?;
            let mut buffer = self.shared.buffers.take();
            let batch = self.shared.times.read.time(|| batcher.next_batch(&mut buffer));
            if !matches!(batch, Ok(Some(_))) {
                self.shared.buffers.give_back(buffer);
                self.permit = Some(permit);
            }
            match batch {
                Ok(Some(batch)) if !is_wanted => {
                    self.at += batch.owned().len() as u64;
                    self.shared.buffers.give_back(batch.into_buffer());
                    self.permit = Some(TaskPermit);
                }
                Ok(Some(batch)) if !self.is_ours(&batch) => self.pass(input, batch)?,
                Ok(Some(batch)) => self.give(input, BatchSource::Batch(Box::new(batch)))?,
                Ok(None) => break,
                Err(error) => {
                    self.send(Event::Failed(input.clone(), error))?;
                    break;
                }
            }
        }
        Some(())
    }

    /// Returns whether the batch belongs to the shard of this process.
    fn is_ours(&mut self, batch: &Batch) -> bool {
        let at = self.at;
        self.at += batch.owned().len() as u64;
        self.shared.shard.is_none_or(|shard| shard.owns(at))
    }

    /// Adds bytes that other shards search to the progress.
    fn watch_passed(&self, bytes: u64) {
        if let Some(watch) = &self.shared.watch {
            watch.searched(bytes, 0);
        }
    }

    fn pass(&mut self, input: &Arc<QueuedInput>, batch: Batch<'static>) -> Option<()> {
        self.watch_passed(batch.owned().len() as u64);
        self.send(Event::Passed(input.clone(), batch))
    }

    /// Hands out the parts of a file, or those of this shard. Each part has a permit, so the first unread part, for which
    /// all later parts wait, never lacks one.
    fn hand_out(&mut self, input: &Arc<QueuedInput>, parts: Parts) -> Option<()> {
        let owned = self.owned_parts(&parts);
        if owned.is_empty() {
            return Some(());
        }
        let file = match DividedFile::new(parts, owned.start) {
            Ok(file) => Arc::new(file),
            Err(error) => return self.send(Event::Failed(input.clone(), error)),
        };
        for index in owned.take_while(|&index| file.has(index)) {
            if file.has_ended() || !self.shared.is_wanted(input) {
                break;
            }
            let TaskPermit = self.take_permit()?;
            self.give(input, BatchSource::Part(file.clone(), index))?;
        }
        Some(())
    }

    /// Returns the indices of the parts of a file that belong to the shard of this process. For the last shard, the
    /// range includes parts that may be added later.
    fn owned_parts(&mut self, parts: &Parts) -> Range<u64> {
        let Some(shard) = self.shared.shard else { return 0..u64::MAX };
        let (at, count) = (self.at, parts.count());
        self.at += parts.nominal_start(count);
        let is_owned = |&index: &u64| shard.owns(at + parts.nominal_start(index));
        let Some(first) = (0..count).find(is_owned) else {
            self.watch_passed(parts.nominal_start(count));
            return count..count;
        };
        let end = (first..count).take_while(is_owned).last().map_or(first, |last| last + 1);
        let owned = parts.nominal_start(end) - parts.nominal_start(first);
        self.watch_passed(parts.nominal_start(count).saturating_sub(owned));
        first..if end == count { u64::MAX } else { end }
    }

    fn take_permit(&mut self) -> Option<TaskPermit> {
        match self.permit.take() {
            Some(unused) => Some(unused),
            None => self.permits.recv().ok(),
        }
    }

    fn give(&mut self, input: &Arc<QueuedInput>, text: BatchSource) -> Option<()> {
        let number = self.next_number();
        let slot = self.shared.config(input.input.kind).hands_on.then_some(self.slots);
        self.slots += u64::from(slot.is_some());
        self.outlet.give(Work { number, task: WorkItem::Batch { input: input.clone(), text, slot } })
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
