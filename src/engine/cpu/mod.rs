//! The engine for the processor's cores: Myers' words to find hits, quadrants to trace them back.

mod quadrant;
mod word;

use std::sync::Arc;

use self::quadrant::{Problem, Quadrants, Start};
use self::word::{Column, WordPattern};
use super::encode::{Chunk, Classes, Code, Encoder};
use super::{Aligner, Engine, EngineError, Floor, Scanner, settle};
use crate::alignment::{Alignment, Cigar};
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::text::previous_symbol;

/// Large enough that handing a batch over costs nothing, and small enough that its hits fit in memory.
const BATCH_BYTES: usize = 256 << 10;
/// The most hits that one chunk of text can have over all patterns: a bound for memory.
const CHUNK_HITS: usize = 1 << 20;
/// The least chunk: with fewer symbols a time, changing from pattern to pattern would cost more than scanning.
const SMALLEST_CHUNK: usize = 1 << 10;

/// The engine.
pub struct CpuEngine {
    patterns: Arc<PatternSet>,
    classes: Classes,
    words: Vec<WordPattern>,
    threads: usize,
}

impl CpuEngine {
    /// An engine for some patterns on so many cores.
    ///
    /// # Errors
    /// When the patterns tell too many symbols apart.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Result<Self, EngineError> {
        let classes = Classes::new(&patterns)?;
        let words = patterns.patterns().iter().map(|pattern| WordPattern::new(pattern, &classes)).collect();
        Ok(CpuEngine { patterns, classes, words, threads })
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
        BATCH_BYTES
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let columns = self.words.iter().map(Column::new).collect();
        Ok(Box::new(WordScanner { engine: self, columns, chunk: Chunk::default(), hits: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(QuadrantAligner {
            engine: self,
            quadrants: Quadrants::default(),
            codes: Vec::new(),
            starts: Vec::new(),
        }))
    }
}

struct WordScanner<'a> {
    engine: &'a CpuEngine,
    columns: Vec<Column>,
    chunk: Chunk,
    hits: Vec<Hit>,
}

impl Scanner for WordScanner<'_> {
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

struct QuadrantAligner<'a> {
    engine: &'a CpuEngine,
    quadrants: Quadrants,
    codes: Vec<Code>,
    /// Where the symbol of each code starts in the batch.
    starts: Vec<usize>,
}

impl Aligner for QuadrantAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        for hit in hits {
            self.take_text(batch, hit);
            let (edits, before) = self.quadrants.walk_back(Problem {
                pattern: &self.engine.words[hit.pattern],
                codes: &self.codes,
                distance: hit.distance,
                start: if hit.start.is_some() { Start::Fixed } else { Start::Free },
            });
            let start = self.starts.get(before).copied().unwrap_or(hit.end);
            out.push(Alignment { start, end: hit.end, cigar: Cigar::from_backward(edits) });
        }
        Ok(())
    }
}

impl QuadrantAligner<'_> {
    /// Takes the text that a match can cover which ends at the hit.
    fn take_text(&mut self, batch: &Batch, hit: &Hit) {
        let reach = self.engine.words[hit.pattern].length() + hit.distance;
        let alphabet = self.engine.patterns.alphabet();
        let around = batch.surroundings(hit.end, reach);
        let floor = hit.start.unwrap_or(around.bytes.start);
        self.codes.clear();
        self.starts.clear();
        let mut at = hit.end;
        while self.codes.len() < reach {
            let Some(placed) = previous_symbol(alphabet, &batch.bytes()[..at], at) else { break };
            if placed.start < floor {
                break;
            }
            self.codes.push(self.engine.classes.code(placed.symbol));
            self.starts.push(placed.start);
            at = placed.start;
        }
        self.codes.reverse();
        self.starts.reverse();
    }
}
