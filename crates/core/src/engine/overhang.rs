//! Matches of patterns that hang over the start or the end of a line or record (`--overhang`), on top of any engine.
//!
//! A match is an alignment of a part of the pattern with the text, with at least one diagonal step. The symbols of the
//! pattern before that part hang over the start of the line or record, and those after it over its end. Each overhang
//! costs its length times the cost of a symbol, rounded down. The distance of a hit is the least sum of edits and
//! overhangs. Without an overhang this is Sellers' definition.
//!
//! The inner engine finds the matches without an overhang. A match that hangs over a start ends at most as many symbols
//! after it as a match covers, and one that hangs over an end ends there. Sellers' matrix (1980) over these symbols
//! gives their distances. For r lines or records, p patterns of m symbols and k edits, this takes O(rpm(m + k)) time
//! besides the inner search.

use std::sync::Arc;
use std::time::Duration;

use super::merging_sink::MergingSink;
use super::text_item::{TextItem, text_items};
use super::verify::verify;
use super::{Aligner, Engine, EngineError, EngineFacts, Scanner};
use crate::alignment::{Alignment, Cigar, Edit};
use crate::alphabet::Alphabet;
use crate::batch::Batch;
use crate::hit::{Hit, HitSink};
use crate::pattern::{OverhangCost, Pattern, PatternSet};
use crate::text::{Placed, next_symbol, previous_symbol, symbols};

/// A value of the matrix that no match has. Sums with it do not overflow.
const NEVER: usize = usize::MAX / 4;

/// An engine for patterns that may hang over the ends of lines and records.
pub(super) struct OverhangEngine {
    inner: Arc<dyn Engine>,
    /// The cost of each number of symbols beyond an end.
    costs: Vec<usize>,
}

impl OverhangEngine {
    /// Makes an engine that adds the matches with overhangs to those of `inner`. The patterns have neither constraints
    /// nor edges.
    pub(super) fn new(inner: Arc<dyn Engine>, cost: OverhangCost) -> Self {
        let longest = inner.patterns().patterns().iter().map(|pattern| pattern.symbols().len()).max().unwrap_or(0);
        OverhangEngine { costs: (0..=longest).map(|symbols| cost.of(symbols)).collect(), inner }
    }

    fn pattern(&self, index: usize) -> &Pattern {
        &self.inner.patterns().patterns()[index]
    }
}

impl Engine for OverhangEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        self.inner.patterns()
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.inner.plan();
        lines.push("patterns that hang over a start or an end: the full matrix of its symbols".to_owned());
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.inner.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.inner.estimate(batch)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(OverhangScanner { engine: self, inner: self.inner.scanner()? }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(OverhangAligner { engine: self, inner: self.inner.aligner()? }))
    }
}

struct OverhangScanner<'a> {
    engine: &'a OverhangEngine,
    inner: Box<dyn Scanner + 'a>,
}

impl Scanner for OverhangScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let found = self.hits(batch);
        let mut sink = MergingSink::new(&found, &Some, hits);
        self.inner.scan(batch, &mut sink)?;
        sink.finish();
        Ok(())
    }
}

impl OverhangScanner<'_> {
    /// Returns the hits with overhangs that the batch owns, ordered by (end, pattern), each with the least distance.
    fn hits(&self, batch: &Batch) -> Vec<Hit> {
        let mut found = Vec::new();
        for item in text_items(batch) {
            self.item_hits(batch, &item, &mut found);
        }
        found.retain(|hit: &Hit| batch.owns(hit.end));
        found.sort_unstable();
        found.dedup_by_key(|hit| (hit.end, hit.pattern));
        found
    }

    /// Adds the hits with overhangs in a line or record.
    fn item_hits(&self, batch: &Batch, item: &TextItem, found: &mut Vec<Hit>) {
        let patterns = self.engine.patterns();
        let longest = patterns.max_match_len();
        let (alphabet, bytes) = (patterns.alphabet(), batch.bytes());
        let head = if item.opens { item.head(alphabet, bytes, longest) } else { Vec::new() };
        let tail = if item.closes { item.tail(alphabet, bytes, longest) } else { Vec::new() };
        let begins_before = |text: &[Placed]| text.last().is_some_and(|last| last.end > batch.owned().start);
        if begins_before(&head) {
            self.head_hits(&head, found);
        }
        if begins_before(&tail) {
            let start = if item.opens && tail.len() < longest { TextStart::Either } else { TextStart::Inside };
            self.tail_hits(&tail, start, found);
        }
    }

    /// Adds the hits of matches that hang over the start of `head`, the first symbols of a line or record.
    fn head_hits(&self, head: &[Placed], found: &mut Vec<Hit>) {
        for (index, pattern) in self.engine.patterns().patterns().iter().enumerate() {
            let head = &head[..head.len().min(pattern.max_match_len())];
            let text = OverhangText { symbols: head, start: TextStart::Overhang, end: TextEnd::Inside };
            let matrix = OverhangMatrix::new(pattern, &self.engine.costs, text);
            for (column, placed) in (1..matrix.columns()).zip(head) {
                let distance = matrix.aligned(pattern.symbols().len(), column);
                if distance <= pattern.k() {
                    found.push(Hit { end: placed.end, pattern: index, distance, start: None });
                }
            }
        }
    }

    /// Adds the hits of matches that hang over the end of `tail`, the last symbols of a line or record.
    fn tail_hits(&self, tail: &[Placed], start: TextStart, found: &mut Vec<Hit>) {
        let end = tail.last().expect("the text is not empty").end;
        for (index, pattern) in self.engine.patterns().patterns().iter().enumerate() {
            let symbols = &tail[tail.len().saturating_sub(pattern.max_match_len())..];
            let start = if symbols.len() < tail.len() { TextStart::Inside } else { start };
            let text = OverhangText { symbols, start, end: TextEnd::Overhang };
            let distance = OverhangMatrix::new(pattern, &self.engine.costs, text).distance();
            if distance <= pattern.k() {
                found.push(Hit { end, pattern: index, distance, start: None });
            }
        }
    }
}

struct OverhangAligner<'a> {
    engine: &'a OverhangEngine,
    inner: Box<dyn Aligner + 'a>,
}

impl Aligner for OverhangAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let over: Vec<Option<Alignment>> = hits.iter().map(|hit| self.engine.overhanging(batch, hit)).collect();
        let inside = hits.iter().zip(&over).filter(|(_, alignment)| alignment.is_none());
        let inside: Vec<Hit> = inside.map(|(hit, _)| *hit).collect();
        let mut aligned = Vec::with_capacity(inside.len());
        self.inner.align(batch, &inside, &mut aligned)?;
        let mut aligned = aligned.into_iter();
        out.extend(
            over.into_iter()
                .map(|alignment| alignment.unwrap_or_else(|| aligned.next().expect("one alignment per hit"))),
        );
        Ok(())
    }
}

impl OverhangEngine {
    /// Returns the alignment of a hit whose distance only matches with an overhang have; `None` if a match without an
    /// overhang has it.
    fn overhanging(&self, batch: &Batch, hit: &Hit) -> Option<Alignment> {
        let (alphabet, pattern) = (self.patterns().alphabet(), self.pattern(hit.pattern));
        let around = batch.surroundings(hit.end, pattern.max_match_len());
        let bytes = batch.bytes();
        let text = symbols_before(alphabet, &bytes[..hit.end], around.bytes.start, pattern.max_match_len());
        let at_start = around.opens && text.len() < pattern.max_match_len();
        let at_end = around.closes && next_symbol(alphabet, &bytes[..around.bytes.end], hit.end).is_none();
        let plain = || verify(alphabet, batch, pattern, *hit);
        if (!at_start && !at_end) || plain().is_some_and(|plain| plain.distance <= hit.distance) {
            return None;
        }
        let start = if at_start { TextStart::Either } else { TextStart::Inside };
        let end = if at_end { TextEnd::Overhang } else { TextEnd::Inside };
        let edits = OverhangMatrix::new(pattern, &self.costs, OverhangText { symbols: &text, start, end }).edits();
        let cigar = Cigar::from_backward(edits);
        let start = text[text.len() - cigar.text_length()].start;
        Some(Alignment { start, end: hit.end, cigar })
    }
}

impl TextItem {
    /// Returns the first symbols, at most `count`.
    fn head(&self, alphabet: Alphabet, bytes: &[u8], count: usize) -> Vec<Placed> {
        let shift = self.bytes.start;
        let placed = symbols(alphabet, &bytes[self.bytes.clone()]).take(count);
        placed.map(|placed| Placed { start: placed.start + shift, end: placed.end + shift, ..placed }).collect()
    }

    /// Returns the last symbols, at most `count`.
    fn tail(&self, alphabet: Alphabet, bytes: &[u8], count: usize) -> Vec<Placed> {
        symbols_before(alphabet, &bytes[..self.bytes.end], self.bytes.start, count)
    }
}

/// Returns the last symbols of `bytes` that start at or after `start`, at most `count`, in the order of the text.
fn symbols_before(alphabet: Alphabet, bytes: &[u8], start: usize, count: usize) -> Vec<Placed> {
    let mut at = bytes.len();
    let backward = std::iter::from_fn(|| {
        let placed = previous_symbol(alphabet, bytes, at).filter(|placed| placed.start >= start)?;
        at = placed.start;
        Some(placed)
    });
    let mut placed: Vec<Placed> = backward.take(count).collect();
    placed.reverse();
    placed
}

/// Position at which a match may start in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextStart {
    /// At any symbol, without an overhang.
    Inside,
    /// At the first symbol, with or without an overhang.
    Overhang,
    /// At any symbol, or at the first symbol with an overhang.
    Either,
}

/// Position at which a match ends in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextEnd {
    /// At the last symbol, without an overhang.
    Inside,
    /// At the last symbol, with or without an overhang.
    Overhang,
}

/// A text and where matches may start and end in it.
#[derive(Clone, Copy)]
struct OverhangText<'a> {
    symbols: &'a [Placed],
    start: TextStart,
    end: TextEnd,
}

/// The part of a match before its first diagonal step.
struct MatchPrefix {
    cost: usize,
    steps: PrefixSteps,
}

/// The steps before the first diagonal step.
enum PrefixSteps {
    /// This many deletions.
    Deletions(usize),
    /// This many symbols over the start, then this many insertions.
    Overhang { symbols: usize, insertions: usize },
}

impl PrefixSteps {
    /// Adds the steps to edits, last first.
    fn push(self, edits: &mut Vec<Edit>) {
        match self {
            PrefixSteps::Deletions(count) => edits.extend(std::iter::repeat_n(Edit::PatternOnly, count)),
            PrefixSteps::Overhang { symbols, insertions } => {
                edits.extend(std::iter::repeat_n(Edit::TextOnly, insertions));
                edits.extend(std::iter::repeat_n(Edit::Overhang, symbols));
            }
        }
    }
}

/// The matrix of a pattern and a text. A row stands for a prefix of the pattern, a column for a prefix of the text.
struct OverhangMatrix<'a> {
    pattern: &'a Pattern,
    /// The cost of each number of symbols beyond an end.
    costs: &'a [usize],
    text: OverhangText<'a>,
    /// The least cost of a match of the prefixes with at least one diagonal step, column by column.
    cells: Vec<usize>,
}

impl<'a> OverhangMatrix<'a> {
    fn new(pattern: &'a Pattern, costs: &'a [usize], text: OverhangText<'a>) -> Self {
        let rows = pattern.symbols().len() + 1;
        let mut cells = Vec::with_capacity(rows * (text.symbols.len() + 1));
        cells.resize(rows, NEVER);
        let mut matrix = OverhangMatrix { pattern, costs, text, cells };
        for column in 1..=text.symbols.len() {
            if matrix.is_dead(column) {
                break;
            }
            matrix.add_column(column);
        }
        matrix
    }

    fn add_column(&mut self, column: usize) {
        let rows = self.pattern.symbols().len() + 1;
        let symbol = self.text.symbols[column - 1].symbol;
        let left = (column - 1) * rows;
        let mut above = NEVER;
        self.cells.push(above);
        for (row, set) in self.pattern.symbols().iter().enumerate() {
            let step = self.cells[left + row].min(self.before(row, column - 1).cost);
            let step = step + usize::from(!set.contains(symbol));
            above = step.min(above + 1).min(self.cells[left + row + 1] + 1);
            self.cells.push(above);
        }
    }

    /// Returns whether no match of at most k edits goes through the columns from `column` on: every match starts at the
    /// first symbol, and all of them cost more before `column`.
    fn is_dead(&self, column: usize) -> bool {
        let k = self.pattern.k();
        let rows = self.pattern.symbols().len() + 1;
        let last = &self.cells[(column - 1) * rows..column * rows];
        self.text.start == TextStart::Overhang && column > k + 1 && last.iter().all(|&cost| cost > k)
    }

    /// Returns the number of columns that were computed, including the one of the empty text.
    fn columns(&self) -> usize {
        self.cells.len() / (self.pattern.symbols().len() + 1)
    }

    /// Returns the least cost of a match of the first `row` symbols of the pattern and the first `column` symbols of the
    /// text, with at least one diagonal step.
    fn aligned(&self, row: usize, column: usize) -> usize {
        self.cells[column * (self.pattern.symbols().len() + 1) + row]
    }

    /// Returns the cheapest steps before the first diagonal step, which starts at a cell.
    fn before(&self, row: usize, column: usize) -> MatchPrefix {
        let deleted = MatchPrefix { cost: row, steps: PrefixSteps::Deletions(row) };
        let steps = PrefixSteps::Overhang { symbols: row, insertions: column };
        let over = MatchPrefix { cost: self.costs[row] + column, steps };
        match self.text.start {
            TextStart::Inside => deleted,
            TextStart::Overhang => over,
            TextStart::Either if over.cost < deleted.cost => over,
            TextStart::Either => deleted,
        }
    }

    /// Returns the least cost of a match that ends with the diagonal step to a cell.
    fn diagonal(&self, row: usize, column: usize) -> usize {
        let before = self.aligned(row - 1, column - 1).min(self.before(row - 1, column - 1).cost);
        before + usize::from(!self.is_match(row, column))
    }

    fn is_match(&self, row: usize, column: usize) -> bool {
        self.pattern.symbols()[row - 1].contains(self.text.symbols[column - 1].symbol)
    }

    /// Returns the number of symbols that hang over the end of the best match: of several, the one with the fewest edits,
    /// then the least overhang.
    fn end_overhang(&self) -> usize {
        let rows = self.pattern.symbols().len();
        let most = if self.text.end == TextEnd::Overhang { rows - 1 } else { 0 };
        let rank = |&overhang: &usize| {
            let edits = self.aligned(rows - overhang, self.text.symbols.len());
            (self.costs[overhang] + edits, edits, overhang)
        };
        (0..=most).min_by_key(rank).unwrap_or(0)
    }

    /// Returns the least cost of a match that ends at the end of the text.
    fn distance(&self) -> usize {
        let overhang = self.end_overhang();
        self.costs[overhang] + self.aligned(self.pattern.symbols().len() - overhang, self.text.symbols.len())
    }

    /// Returns the edits of the best match, last first. Of several ways back, tries the diagonal step first, then the
    /// step that consumes a symbol of the pattern only, then the one that consumes a symbol of the text only.
    fn edits(&self) -> Vec<Edit> {
        let end_overhang = self.end_overhang();
        let mut edits = vec![Edit::Overhang; end_overhang];
        let (mut row, mut column) = (self.pattern.symbols().len() - end_overhang, self.text.symbols.len());
        loop {
            let here = self.aligned(row, column);
            if here == self.diagonal(row, column) {
                edits.push(if self.is_match(row, column) { Edit::Match } else { Edit::Substitution });
                (row, column) = (row - 1, column - 1);
                let before = self.before(row, column);
                if before.cost <= self.aligned(row, column) {
                    before.steps.push(&mut edits);
                    return edits;
                }
            } else if here == self.aligned(row - 1, column) + 1 {
                edits.push(Edit::PatternOnly);
                row -= 1;
            } else {
                edits.push(Edit::TextOnly);
                column -= 1;
            }
        }
    }
}
