//! The engine for the processor's cores: Myers' words to find hits, quadrants to trace them back.

mod aligner;
mod isa;
mod lanes;
mod planes;
mod prefix;
mod quadrant;
mod sliced;
mod sliced_scanner;
mod stretch;
mod trace;
mod transpose;
mod word;

use std::sync::Arc;

use self::aligner::CpuAligner;
pub use self::isa::Isa;
use self::planes::PlaneCodes;
use self::sliced::SlicedPattern;
use self::sliced_scanner::{Scanned, SlicedScanner};
use self::word::{Column, WordPattern};
use super::encode::{Chunk, Classes, Encoder};
use super::{Aligner, Engine, EngineError, Floor, Scanner, settle};
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::PatternSet;

/// Large enough that the context of the streams is a small part, and small enough that planes fit the cache.
const BATCH_BYTES: usize = 1 << 20;
/// Long patterns want long streams, up to here.
const LARGEST_BATCH: usize = 8 << 20;
/// The most hits that one chunk of text can have over all patterns: a bound for memory.
const CHUNK_HITS: usize = 1 << 20;
/// The least chunk: with fewer symbols a time, changing from pattern to pattern would cost more than scanning.
const SMALLEST_CHUNK: usize = 1 << 10;

/// The engine.
pub struct CpuEngine {
    patterns: Arc<PatternSet>,
    classes: Classes,
    words: Vec<WordPattern>,
    isa: Isa,
    /// The codes of planes, if there are few enough for them.
    plane_codes: Option<PlaneCodes>,
    sliced: Vec<SlicedPattern>,
    threads: usize,
}

impl CpuEngine {
    /// An engine for some patterns on so many cores, with the widest lanes that the processor has, or those that the
    /// environment variable NIGH_ISA names: `avx512`, `avx2` or `portable`.
    ///
    /// # Errors
    /// When the patterns tell too many symbols apart, or the processor does not have what is named.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Result<Self, EngineError> {
        CpuEngine::with_isa(patterns, threads, Isa::chosen()?)
    }

    /// The same with lanes of an instruction set of choice.
    ///
    /// # Errors
    /// When the patterns tell too many symbols apart.
    pub fn with_isa(patterns: Arc<PatternSet>, threads: usize, isa: Isa) -> Result<Self, EngineError> {
        let classes = Classes::new(&patterns)?;
        let words = patterns.patterns().iter().map(|pattern| WordPattern::new(pattern, &classes)).collect();
        let plane_codes = PlaneCodes::new(&classes);
        let sliced = match plane_codes {
            Some(_) => {
                let all = patterns.patterns().iter();
                all.map(|pattern| SlicedPattern::new(pattern, prefix::rows(pattern), &classes)).collect()
            }
            None => Vec::new(),
        };
        Ok(CpuEngine { patterns, classes, words, isa, plane_codes, sliced, threads })
    }

    /// Whether a batch is searched in slices: there must be enough text for all streams.
    fn slices(&self, batch: &Batch) -> bool {
        let steps = batch.bytes().len() / self.isa.streams();
        self.plane_codes.is_some() && !self.sliced.is_empty() && steps >= 2 * self.patterns.reach().max(16)
    }
}

impl Engine for CpuEngine {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn workers(&self) -> usize {
        self.threads
    }

    fn batch_bytes(&self) -> usize {
        BATCH_BYTES.max(8 * self.patterns.reach() * self.isa.streams()).min(LARGEST_BATCH)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let columns = self.words.iter().map(Column::new).collect();
        let words = WordScanner { engine: self, columns, chunk: Chunk::default(), hits: Vec::new() };
        Ok(Box::new(CpuScanner { words, sliced: SlicedScanner::new(self) }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(CpuAligner::new(self)))
    }
}

/// Scans in slices what is large enough, and the rest in words.
struct CpuScanner<'a> {
    words: WordScanner<'a>,
    sliced: SlicedScanner,
}

impl Scanner for CpuScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let engine = self.words.engine;
        match engine.slices(batch) && self.sliced.scan(engine, batch, hits) == Scanned::All {
            true => Ok(()),
            false => self.words.scan(batch, hits),
        }
    }
}

struct WordScanner<'a> {
    engine: &'a CpuEngine,
    columns: Vec<Column>,
    chunk: Chunk,
    hits: Vec<Hit>,
}

impl WordScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        for (column, pattern) in self.columns.iter_mut().zip(&self.engine.words) {
            column.reset(pattern);
        }
        let most = (CHUNK_HITS / self.columns.len().max(1)).max(SMALLEST_CHUNK);
        let mut encoder = Encoder::new(&self.engine.classes, batch, most);
        while encoder.next_chunk(&mut self.chunk) {
            self.scan_chunk(batch);
            if !self.hits.is_empty() && hits.accept(&self.hits).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl WordScanner<'_> {
    fn scan_chunk(&mut self, batch: &Batch) {
        self.hits.clear();
        let chunk = &self.chunk;
        for (index, (column, words)) in self.columns.iter_mut().zip(&self.engine.words).enumerate() {
            let found = &mut self.hits;
            column.scan(words, chunk.codes(), |at, distance| {
                let end = chunk.end(at);
                if batch.owns(end) {
                    found.push(Hit { end, pattern: index, distance, start: None });
                }
            });
        }
        // They come in a few ascending runs, which is what this sort is fast at.
        self.hits.sort();
        let set = &self.engine.patterns;
        if set.has_edges() {
            let settled = self.hits.iter().filter_map(|&hit| {
                let pattern = &set.patterns()[hit.pattern];
                match pattern.is_free() {
                    true => Some(hit),
                    false => settle(set.alphabet(), batch, pattern, hit, Floor::None),
                }
            });
            self.hits = settled.collect();
        }
    }
}
