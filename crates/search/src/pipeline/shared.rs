//! State shared by the reader, the workers and the writer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use bstr::ByteSlice;

use super::buffers::BufferPool;
use super::work::QueuedInput;
use crate::ordered::handoff::OrderedHandoff;
use crate::ordered::turn::WriteTurn;
use crate::select::best_hits::CarriedSelection;
use crate::shard::Shard;
use crate::{BatchWork, Input, InputKind, ProgressObserver, RecordFormat, SearchRoute, StageTimes};
use nigh_input::{Batcher, Format, InputError, MateReader, MatedBatcher, Source, StopSignal};
use nigh_report::{HitSelection, MatchDetail, ReportNeeds};
use nigh_text::batch::Window;

/// The work and the report's needs for one kind of input, without the report.
#[derive(Clone)]
pub(super) struct WorkerConfig {
    pub(super) work: Arc<dyn BatchWork>,
    pub(super) needs: ReportNeeds,
    pub(super) format: Format,
    pub(super) batch_bytes: usize,
    /// Whether each batch hands on its undecided matches to the next one.
    pub(super) hands_on: bool,
}

impl WorkerConfig {
    pub(super) fn of(route: &SearchRoute) -> Self {
        let needs = route.needs();
        let chooses_in_cut_lines = needs.spans != MatchDetail::None && route.format.cuts_lines();
        WorkerConfig {
            batch_bytes: route.batch_size(),
            work: route.work.clone(),
            hands_on: needs.hits != HitSelection::All || chooses_in_cut_lines,
            needs,
            format: route.format.clone(),
        }
    }

    /// Makes the batcher of an open input.
    pub(super) fn batcher(
        &self,
        mut source: Source,
        input: &Input,
        window: Window,
    ) -> Result<MatedBatcher, InputError> {
        let format = self.format_of(&mut source, input.records)?;
        let batcher = Batcher::new(source, format, window);
        let Some(mate) = &input.mates else { return Ok(MatedBatcher::new(batcher)) };
        let label = |label: &[u8]| label.to_str_lossy().into_owned();
        let with_label = |error| InputError::Mate { label: label(&mate.label), error: Box::new(error) };
        let mut source = Source::open(&mate.origin, mate.decoding, None).map_err(with_label)?;
        let format = self.format_of(&mut source, mate.records).map_err(with_label)?;
        let mates = Batcher::new(source, format, window);
        let mates = MateReader::new(mates, [label(&input.label), label(&mate.label)]);
        Ok(MatedBatcher::with_mates(batcher, mates))
    }

    /// Returns the format of an open input. The first byte of sequences decides between FASTA and FASTQ; `records`
    /// decides only if that byte is neither `>` nor `@`.
    fn format_of(&self, source: &mut Source, records: RecordFormat) -> Result<Format, InputError> {
        Ok(match &self.format {
            Format::Fasta { .. } => match (source.first_symbol()?, records) {
                (Some(b'@'), _) => Format::Fastq,
                (Some(b'>'), _) | (_, RecordFormat::Fasta) => self.format.clone(),
                (_, RecordFormat::Fastq) => Format::Fastq,
            },
            Format::GappedFasta if source.first_symbol()? == Some(b'@') => {
                return Err(InputError::Io(io::Error::other("--ignore-gaps needs FASTA, but this input is FASTQ")));
            }
            format => format.clone(),
        })
    }

    /// Returns the size of batches and of their context.
    pub(super) fn window(&self) -> Window {
        self.work.window(self.batch_bytes)
    }
}

/// State shared by all threads of a search.
pub(super) struct Shared {
    pub(super) text: Option<WorkerConfig>,
    pub(super) sequences: Option<WorkerConfig>,
    pub(super) shard: Option<Shard>,
    pub(super) watch: Option<Arc<dyn ProgressObserver>>,
    /// Whether the time for the first batch has been estimated.
    pub(super) is_estimated: AtomicBool,
    /// Index of the first input that is still wanted. Inputs with lower indices need not be read further.
    pub(super) first_wanted: AtomicUsize,
    /// Blocks workers with many rows until their batch is the next to be written.
    pub(super) turn: WriteTurn,
    /// Passes undecided matches from each batch to the next.
    pub(super) undecided: OrderedHandoff<CarriedSelection>,
    /// The result of [`Source::stdin_offset`]; `u64::MAX` if the result is `None` or not known yet.
    pub(super) stdin_offset: AtomicU64,
    pub(super) times: Arc<StageTimes>,
    /// Memory for batches.
    pub(super) buffers: BufferPool,
    /// Ends the wait for data of a pipe; `None` if the reader may wait after the search.
    pub(super) stop: Option<StopSignal>,
}

impl Shared {
    pub(super) fn config(&self, kind: InputKind) -> &WorkerConfig {
        let config = match kind {
            InputKind::Text => &self.text,
            InputKind::Sequences => &self.sequences,
        };
        config.as_ref().expect("each kind of input has a route")
    }

    pub(super) fn is_wanted(&self, input: &QueuedInput) -> bool {
        input.index >= self.first_wanted.load(Ordering::Relaxed)
    }
}
