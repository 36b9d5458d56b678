//! Scans batches by bit-sliced search, and settles what the streams cannot know: ends of lines and records.

use std::collections::HashMap;

use super::myers::{Buffers, SlicedHit, SlicedPattern, scan};
use super::planes::{Order, Planes};
use super::prefix::Verifier;
use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost;
use crate::engine::cpu::kept::{Kept, MOST_HITS};
use crate::engine::cpu::myers::ROWS;
use crate::engine::settle_found;
use crate::hit::Hit;
use crate::input::{Batch, Layout};

/// How many lines or records begin in a batch, or at its start.
fn starts(batch: &Batch) -> usize {
    match batch.layout() {
        Layout::Lines(lines) => memchr::memchr_iter(lines.terminator, batch.bytes()).count() + 1,
        Layout::Records(segments) => segments.len(),
    }
}

/// Buffers for one batch at a time.
pub(crate) struct SlicedScanner {
    planes: Planes,
    buffers: Buffers,
    found: Vec<SlicedHit>,
    verifier: Verifier,
    /// The whole of patterns whose prefix has passed too much, by their index.
    whole: HashMap<usize, SlicedPattern>,
}

impl SlicedScanner {
    pub(crate) fn new() -> Self {
        SlicedScanner {
            planes: Planes::default(),
            buffers: Buffers::default(),
            found: Vec::new(),
            verifier: Verifier::default(),
            whole: HashMap::new(),
        }
    }

    /// Adds all hits of some patterns in a batch that is worth it, see [`Compiled::slices`].
    pub(crate) fn scan(
        &mut self,
        compiled: &Compiled,
        batch: &Batch,
        patterns: impl Iterator<Item = usize>,
        hits: &mut Vec<Hit>,
    ) -> Kept {
        let codes = compiled.plane_codes.as_ref().expect("there are few classes");
        let mut is_filled = false;
        for index in patterns {
            if !is_filled {
                self.planes.fill((compiled.isa, Order::OfStreams), &compiled.classes, codes, batch);
                is_filled = true;
            }
            if self.scan_pattern(compiled, batch, index, hits) == Kept::TooMany || hits.len() > MOST_HITS {
                *hits = Vec::new();
                return Kept::TooMany;
            }
        }
        Kept::All
    }

    fn scan_pattern(&mut self, compiled: &Compiled, batch: &Batch, index: usize, hits: &mut Vec<Hit>) -> Kept {
        if compiled.sliced[index].is_prefix() && !self.whole.contains_key(&index) {
            self.scan_prefix(compiled, batch, index, hits);
        }
        let whole = self.whole.get(&index).or(Some(&compiled.sliced[index]).filter(|whole| !whole.is_prefix()));
        if let Some(whole) = whole {
            if scan(compiled.isa, &self.planes, whole, &mut self.buffers, &mut self.found) == Kept::TooMany {
                return Kept::TooMany;
            }
            let sliced = Sliced { compiled, batch, planes: &self.planes };
            if sliced.is_cheaper_in_words(index, self.found.len()) {
                return Kept::TooMany;
            }
            self.found.sort_unstable();
            sliced.take_hits(index, &self.found, hits);
        }
        Kept::All
    }

    /// Finds the hits of a pattern by its prefix, or gives the prefix up.
    fn scan_prefix(&mut self, compiled: &Compiled, batch: &Batch, index: usize, hits: &mut Vec<Hit>) {
        let prefix = &compiled.sliced[index];
        let kept = scan(compiled.isa, &self.planes, prefix, &mut self.buffers, &mut self.found);
        let size = (self.planes.symbols(), compiled.isa.streams());
        let windows = if kept == Kept::All { Verifier::windows(prefix, &mut self.found, size) } else { None };
        match windows {
            Some(windows) => {
                let sliced = Sliced { compiled, batch, planes: &self.planes };
                self.verifier.verify(sliced, index, &windows, hits);
            }
            None => {
                let pattern = &compiled.patterns.patterns()[index];
                let whole = SlicedPattern::new(pattern, pattern.symbols().len(), &compiled.classes);
                self.whole.insert(index, whole);
            }
        }
    }
}

/// A batch and its planes.
#[derive(Clone, Copy)]
pub(crate) struct Sliced<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) batch: &'a Batch,
    pub(crate) planes: &'a Planes,
}

impl Sliced<'_> {
    /// Where the symbol of this index ends in the batch; nothing if it is what stands between two records.
    fn end_of(self, symbol: usize, near: &mut usize) -> Option<usize> {
        self.planes.end_of(self.compiled.patterns.alphabet(), self.batch.bytes(), symbol, near)
    }

    /// Where the last symbol ends that comes before this index; the start of the batch if none does.
    pub(crate) fn end_before(self, symbol: usize) -> usize {
        (0..symbol.min(self.planes.symbols())).rev().find_map(|before| self.end_of(before, &mut 0)).unwrap_or(0)
    }

    /// Whether so many hits of a pattern are better searched for again in words than settled one by one.
    fn is_cheaper_in_words(self, index: usize, hits: usize) -> bool {
        let pattern = &self.compiled.patterns.patterns()[index];
        // What is found in words is settled as well if it has edges.
        if !pattern.is_free() {
            return false;
        }
        let words = self.compiled.words.iter().map(|words| words.length().div_ceil(ROWS)).sum();
        let (rows, k, symbols) = (pattern.symbols().len(), pattern.k(), self.planes.symbols());
        // The lines are counted only if so many hits would be too many at their starts.
        let found = cost::Found { hits, rows, k, symbols, near_starts: symbols, words };
        cost::is_cheaper_in_words(found)
            && cost::is_cheaper_in_words(cost::Found { near_starts: starts(self.batch) * pattern.reach(), ..found })
    }

    /// Adds what was found of one pattern as hits in the batch.
    fn take_hits(self, index: usize, found: &[SlicedHit], hits: &mut Vec<Hit>) {
        let mut near = 0;
        hits.extend(found.iter().filter_map(|hit| self.hit(index, (hit.symbol(), hit.distance()), &mut near)));
    }

    /// The hit that ends with a symbol, if the batch owns it and it is one within its line or record.
    ///
    /// `near` is kept from hit to hit: where they come in order, their marks are near each other.
    pub(crate) fn hit(self, index: usize, (symbol, distance): (usize, usize), near: &mut usize) -> Option<Hit> {
        let Sliced { compiled, batch, .. } = self;
        let end = self.end_of(symbol, near).filter(|&end| batch.owns(end))?;
        let hit = Hit { end, pattern: index, distance, start: None };
        settle_found(compiled.patterns.alphabet(), batch, &compiled.patterns.patterns()[index], hit)
    }
}
