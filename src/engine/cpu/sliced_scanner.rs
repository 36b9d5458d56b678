//! Scans batches by bit-sliced search, and settles what the streams cannot know: ends of lines and records.

use std::ops::ControlFlow;

use super::CpuEngine;
use super::planes::Planes;
use super::sliced::{Buffers, SlicedHit, scan};
use crate::alphabet::count_residues;
use crate::engine::{Floor, settle};
use crate::hit::{Hit, HitSink};
use crate::input::{Batch, Layout};
use crate::pattern::Pattern;
use crate::text::LONGEST_SYMBOL;

/// How many hits the sink gets at a time.
const PIECE: usize = 1 << 14;

/// The most hits of a batch that are kept until they are in order, besides those of one more pattern.
const MOST_FOUND: usize = 1 << 22;

/// How a scan went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scanned {
    /// The sink has got all hits, or has had enough.
    All,
    /// There are too many; the sink has got none.
    TooDense,
}

/// Buffers for one batch at a time.
#[derive(Default)]
pub(super) struct SlicedScanner {
    planes: Planes,
    buffers: Buffers,
    found: Vec<SlicedHit>,
    piece: Vec<Hit>,
}

impl SlicedScanner {
    /// Gives the sink all hits of a batch that is worth it, see [`CpuEngine::slices`]; or none, and says so, if they are
    /// more than should be in memory at a time.
    pub(super) fn scan(&mut self, engine: &CpuEngine, batch: &Batch, sink: &mut dyn HitSink) -> Scanned {
        let codes = engine.plane_codes.as_ref().expect("there are few classes");
        self.planes.fill(engine.isa, &engine.classes, codes, batch);
        self.found.clear();
        for pattern in engine.sliced.iter().enumerate() {
            scan(engine.isa, &self.planes, pattern, &mut self.buffers, &mut self.found);
            if self.found.len() > MOST_FOUND {
                self.found = Vec::new();
                return Scanned::TooDense;
            }
        }
        self.found.sort_unstable();
        self.give(engine, batch, sink);
        Scanned::All
    }

    /// Gives the sink what was found, as hits in the batch.
    fn give(&mut self, engine: &CpuEngine, batch: &Batch, sink: &mut dyn HitSink) {
        let set = &engine.patterns;
        let (mut symbol, mut end) = (u32::MAX, None);
        for found in self.found.chunks(PIECE) {
            self.piece.clear();
            for hit in found {
                if hit.symbol != symbol {
                    symbol = hit.symbol;
                    end = self.planes.end_of(set.alphabet(), batch.bytes(), symbol as usize);
                }
                if let Some(end) = end.filter(|&end| batch.owns(end)) {
                    let (pattern, distance) = (hit.pattern as usize, hit.distance as usize);
                    let hit = Hit { end, pattern, distance, start: None };
                    self.piece.extend(settled(engine, batch, &set.patterns()[pattern], hit));
                }
            }
            if sink.accept(&self.piece) == ControlFlow::Break(()) {
                return;
            }
        }
    }
}

/// The hit as it is within its line or record.
fn settled(engine: &CpuEngine, batch: &Batch, pattern: &Pattern, hit: Hit) -> Option<Hit> {
    match pattern.is_free() {
        true if !may_cross(batch, hit.end, pattern.reach()) => Some(hit),
        true => {
            let settled = settle(engine.patterns.alphabet(), batch, pattern, hit, Floor::None)?;
            Some(Hit { start: None, ..settled })
        }
        false => settle(engine.patterns.alphabet(), batch, pattern, hit, Floor::None),
    }
}

/// Whether a match of so many symbols that ends here may reach over the start of its line or record.
fn may_cross(batch: &Batch, end: usize, reach: usize) -> bool {
    let bytes = batch.bytes();
    let (window, starts) = match batch.layout() {
        Layout::Lines(lines) => {
            let near = &bytes[end.saturating_sub(reach)..end];
            let far = if near.is_ascii() { near } else { &bytes[end.saturating_sub(reach * LONGEST_SYMBOL)..end] };
            (far, memchr::memrchr(lines.terminator, far).is_some())
        }
        Layout::Records(segments) => {
            let start = segments[batch.segment_before(end)].bytes.start;
            let window = &bytes[start.max(end.saturating_sub(LONGEST_SYMBOL * reach))..end];
            (window, count_residues(window) < reach)
        }
    };
    starts && !window.is_empty()
}
