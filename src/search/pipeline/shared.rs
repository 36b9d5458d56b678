//! What reader and workers know of the whole search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::work::Queued;
use crate::engine::Engine;
use crate::input::{Batcher, Format, InputError, Source, Window};
use crate::report::ReportNeeds;
use crate::search::ordered::handoff::OrderedHandoff;
use crate::search::ordered::turn::WriteTurn;
use crate::search::select::best_hits::Undecided;
use crate::search::shard::Shard;
use crate::search::{Input, Kind, Records, SearchRoute, Watch};

/// The engine and the wishes of the report for one kind of input, without the report.
#[derive(Clone)]
pub(super) struct WorkerConfig {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) detail: ReportNeeds,
    pub(super) format: Format,
    pub(super) batch_bytes: usize,
}

impl WorkerConfig {
    pub(super) fn of(route: &SearchRoute) -> Self {
        WorkerConfig {
            engine: route.engine.clone(),
            detail: route.report.detail(),
            format: route.format.clone(),
            batch_bytes: route.batch_bytes.unwrap_or(route.engine.batch_bytes()),
        }
    }

    /// Cuts an open input into batches. Records are FASTA or FASTQ as their first byte says, whatever their name.
    pub(super) fn batcher(&self, mut source: Source, input: &Input, window: Window) -> Result<Batcher, InputError> {
        let format = match &self.format {
            Format::Fasta { .. } => match (source.first_symbol()?, input.records) {
                (Some(b'@'), _) => Format::Fastq,
                (Some(b'>'), _) | (_, Records::Fasta) => self.format.clone(),
                (_, Records::Fastq) => Format::Fastq,
            },
            format => format.clone(),
        };
        Ok(Batcher::new(source, format, window))
    }

    /// How batches are cut.
    pub(super) fn window(&self) -> Window {
        let patterns = self.engine.patterns();
        Window { bytes: self.batch_bytes, reach: patterns.reach(), alphabet: patterns.alphabet() }
    }
}

/// What reader and workers share.
pub(super) struct Shared {
    pub(super) text: Option<WorkerConfig>,
    pub(super) sequences: Option<WorkerConfig>,
    pub(super) shard: Option<Shard>,
    pub(super) watch: Option<Arc<dyn Watch>>,
    /// Whether the time for a batch has been estimated.
    pub(super) is_estimated: AtomicBool,
    /// Inputs before this one need not be read on.
    pub(super) wanted: AtomicUsize,
    /// Whose batch is written.
    pub(super) turn: WriteTurn,
    /// What a batch leaves undecided for the next.
    pub(super) undecided: OrderedHandoff<Undecided>,
    /// Where the text of standard input starts in its file; the largest number if that is of no interest.
    pub(super) place: AtomicU64,
}

impl Shared {
    pub(super) fn config(&self, kind: Kind) -> &WorkerConfig {
        let config = match kind {
            Kind::Text => &self.text,
            Kind::Sequences => &self.sequences,
        };
        config.as_ref().expect("each kind of input has a lane")
    }

    pub(super) fn is_wanted(&self, input: &Queued) -> bool {
        input.index >= self.wanted.load(Ordering::Relaxed)
    }
}
