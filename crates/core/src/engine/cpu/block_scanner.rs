//! Scans sections of batches by block-based Myers: chunk by chunk, and one pattern after the other in each chunk.

use std::ops::ControlFlow;

use super::compiled::Compiled;
use super::myers::Column;
use super::section::BatchSection;
use crate::engine::encoder::{Chunk, Encoder};
use crate::engine::verify::verify_unless_free;
use crate::hit::{Hit, HitSink};
use crate::interrupt;

/// The number of hits of all patterns that one chunk should not exceed, which bounds memory. [`MIN_CHUNK`] takes
/// precedence.
const CHUNK_HITS: usize = 1 << 16;
/// Minimum chunk length in bytes: in shorter chunks, switching between patterns costs more than scanning.
const MIN_CHUNK: usize = 1 << 10;

/// Scans batches for compiled patterns, and owns the buffers for it.
pub(super) struct BlockScanner<'a> {
    compiled: &'a Compiled,
    /// One column per pattern; empty until the first batch arrives.
    columns: Vec<Column>,
    chunk: Chunk,
    hits: Vec<Hit>,
}

impl<'a> BlockScanner<'a> {
    /// Makes a scanner for compiled patterns.
    pub(super) fn new(compiled: &'a Compiled) -> Self {
        BlockScanner { compiled, columns: Vec::new(), chunk: Chunk::default(), hits: Vec::new() }
    }

    /// Passes every hit of the section to the sink, as [`Scanner::scan`](crate::engine::Scanner::scan) does.
    pub(super) fn scan(&mut self, section: &BatchSection<'_>, hits: &mut dyn HitSink) -> ControlFlow<()> {
        if self.columns.is_empty() {
            self.columns.extend(self.compiled.blocks.iter().map(Column::new));
        }
        for (column, pattern) in self.columns.iter_mut().zip(self.compiled.blocks.iter()) {
            column.reset(pattern);
        }
        let max_bytes = (CHUNK_HITS / self.columns.len().max(1)).max(MIN_CHUNK);
        let mut encoder =
            Encoder::within(&self.compiled.classes, section.batch, section.text()).with_max_bytes(max_bytes);
        while encoder.next_chunk(&mut self.chunk) {
            self.scan_chunk(section);
            if !self.hits.is_empty() {
                hits.accept(&self.hits)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn scan_chunk(&mut self, section: &BatchSection<'_>) {
        self.hits.clear();
        let chunk = &self.chunk;
        for (index, (column, blocks)) in self.columns.iter_mut().zip(self.compiled.blocks.iter()).enumerate() {
            interrupt::check();
            let found = &mut self.hits;
            column.scan(blocks, chunk.codes(), |at, distance| {
                let end = chunk.end(at);
                if section.owns(end) {
                    found.push(Hit { end, pattern: index, distance, start: None });
                }
            });
        }
        // The hits form one or two ascending runs per pattern, which a stable sort merges fast.
        self.hits.sort();
        let set = &self.compiled.patterns;
        if set.has_edges() {
            let verified = self.hits.iter().filter_map(|&hit| {
                verify_unless_free(set.alphabet(), section.batch, &set.patterns()[hit.pattern], hit)
            });
            self.hits = verified.collect();
        }
    }
}
