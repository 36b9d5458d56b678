//! The hits of expressions in a batch.
//!
//! Lines are searched one at a time, or many at a time (`bitsliced`, with `bitslice::automaton` of nigh-cpu).
//! `gate` leaves out lines.

pub(super) mod bitsliced;
pub(super) mod gate;

use std::ops::Range;

use self::bitsliced::{BitslicedTables, MIN_STEPS};
use self::gate::{GatedLine, LineGate};
use super::compiled::{CompiledExpression, CompiledExpressions};
use super::line::{ItemRange, LineEncoder, MatchEnd};
use super::matches::match_automata::{MatchAutomata, automata_of};
use super::simulation::determinized::Reached;
pub use nigh_cpu::bitslice::automaton::{ScanOutcome, ScanRequest, StreamHit, scan};
use nigh_cpu::bitslice::planes::{PlaneLayout, PlaneOrder, Planes};
use nigh_cpu::sections::BatchSection;
use nigh_pattern::PositionRange;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::MAX_SYMBOL_BYTES;
use nigh_verify::WantedHits;
use nigh_verify::partial_batch::PartialBatch;

/// The number of bytes whose simulation line by line takes about as long as a step of all streams. One core of an
/// AVX-512 server, 240 MB of log, `-c -k0 '[A-Za-z]+Exception: .*'`, with a candidate in 2 % of the lines: 0.049 s line
/// by line, and 0.043 to 0.046 s for 8 to 128 here.
const BYTES_FOR_A_STEP: usize = 32;
/// The number of hits of an expression in a batch above which its lines are simulated one by one.
const MAX_HITS: usize = 1 << 20;

/// The number of bytes of a batch above which it may have a line longer than a stream.
const LARGE_BATCH_BYTES: usize = 8 << 20;

/// The number of bytes of a piece of a long line. Codes of a whole line would take twice its memory.
const PIECE_BYTES: usize = 1 << 16;

/// The number of hits at which they are passed on, if they are found in order. This bounds their memory.
const MANY_HITS: usize = 1 << 14;

/// The number of bytes in which a line has at most two outermost hits, the first one and the last one.
const OUTERMOST_BYTES: usize = 1 << 16;

/// Returns the number of bytes between two successive outermost hits in a line above which there is no other hit between
/// them. Each of the streams into which a batch may be divided has its own outermost hits of a line.
pub(super) fn outermost_gap(compiled: &CompiledExpressions, batch: &Batch) -> usize {
    // All streams have about the same number of symbols, but not of bytes.
    let of_streams = |tables: &BitslicedTables| 2 * MAX_SYMBOL_BYTES * batch.bytes().len() / tables.isa.streams();
    OUTERMOST_BYTES.max(compiled.bitsliced_for(batch).map_or(0, of_streams))
}

/// Passes hits on and removes them, if they are found in order.
type PassOn<'p> = &'p mut dyn FnMut(&mut Vec<Hit>);

/// A batch to search, and the hits that are wanted.
#[derive(Clone, Copy)]
struct SearchRequest<'r> {
    batch: &'r Batch<'r>,
    wanted: WantedHits,
}

/// Some lines of a batch, and for each pattern whether to search these lines for it.
#[derive(Clone, Copy)]
struct SubsetRequest<'r> {
    lines: &'r [&'r Range<usize>],
    are_searched: &'r [bool],
}

/// Searches one batch at a time for all expressions.
pub(super) struct BatchSearch<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
    /// The automata of each expression, made when they are first needed.
    automata: Vec<Option<Box<MatchAutomata<'a>>>>,
    planes: Planes,
    stream_hits: Vec<StreamHit>,
    masks: Vec<u64>,
}

impl<'a> BatchSearch<'a> {
    pub(super) fn new(compiled: &'a CompiledExpressions) -> Self {
        BatchSearch {
            compiled,
            encoder: compiled.encoder(),
            automata: compiled.expressions.iter().map(|_| None).collect(),
            planes: Planes::default(),
            stream_hits: Vec::new(),
            masks: Vec::new(),
        }
    }

    /// Appends the hits of all expressions, without their constraints, in the order (end, pattern). Calls `pass_on` when
    /// there are many, which may remove them.
    pub(super) fn find(&mut self, batch: &Batch, wanted: WantedHits, found: &mut Vec<Hit>, pass_on: PassOn<'_>) {
        let (request, compiled) = (SearchRequest { batch, wanted }, self.compiled);
        let mut one_by_one: Vec<usize> = Vec::new();
        let tables = compiled.bitsliced_for(batch).filter(|_| compiled.are_everywhere);
        let gated = match tables.and_then(|tables| Some((tables, compiled.gate(tables.isa, batch)?))) {
            Some((tables, gate)) => self.find_in_candidates(gate, tables, request, found),
            None => Vec::new(),
        };
        let is_gated = |one: &CompiledExpression| gated.get(one.index).is_some_and(|&is_gated| is_gated);
        // The hits of one expression are found in order. If not all are wanted, there are few.
        let is_ordered = compiled.expressions.len() == 1 && wanted.are_all();
        let pass_on: PassOn<'_> = if is_ordered { pass_on } else { &mut |_| {} };
        // Matches without a largest length are searched for from the start of the line.
        let has_long_line = tables.is_some_and(|tables| has_line_longer_than_streams(batch, tables.isa.streams()));
        let mut is_filled = false;
        for (nth, _) in compiled.expressions.iter().enumerate().filter(|(_, one)| !is_gated(one)) {
            let tables = tables.filter(|tables| !has_long_line || tables.coded.automata[nth].1.is_some());
            if let Some(tables) = tables.filter(|_| !is_filled) {
                self.fill_planes(tables, batch, MIN_STEPS);
                is_filled = true;
            }
            match tables {
                Some(tables) if self.find_bitsliced(tables, nth, request, found, pass_on) == ScanOutcome::All => {}
                _ => one_by_one.push(nth),
            }
        }
        if !one_by_one.is_empty() {
            self.find_in_lines(&one_by_one, request, found, pass_on);
        }
        found.sort_unstable();
        found.dedup();
    }

    /// Appends the hits of the expression with the number `nth` in the planes. Calls `pass_on` when there are many.
    #[expect(clippy::too_many_arguments, reason = "the hits and their outlet belong together")]
    fn find_bitsliced(
        &mut self,
        tables: &BitslicedTables,
        nth: usize,
        SearchRequest { batch, wanted }: SearchRequest<'_>,
        found: &mut Vec<Hit>,
        pass_on: PassOn<'_>,
    ) -> ScanOutcome {
        let (automaton, max_match_len) = &tables.coded.automata[nth];
        let request = ScanRequest { wanted, limit: MAX_HITS, max_match_len: *max_match_len };
        let scanned = scan(automaton, tables.isa, (&self.planes, &request), &mut self.stream_hits);
        if scanned == ScanOutcome::Unfit {
            return scanned;
        }
        self.stream_hits.sort_unstable();
        let expression = &self.compiled.expressions[nth];
        let alphabet = self.compiled.patterns.alphabet();
        let (mut mark_hint, mut foreign) = (0, Vec::new());
        for hit in &self.stream_hits {
            let Some(end) = self.planes.end_of(alphabet, batch.bytes(), hit.symbol(), &mut mark_hint) else { continue };
            match batch.owns(end) {
                true => {
                    found.push(Hit { end, pattern: expression.index, distance: hit.distance(), start: None });
                    if found.len() >= MANY_HITS {
                        pass_on(found);
                    }
                }
                false => foreign.push(end),
            }
        }
        if !wanted.are_all() && batch.lines().is_none() {
            self.find_beside(&foreign, nth, SearchRequest { batch, wanted }, found);
        }
        scanned
    }

    /// Appends the wanted hits of each record in which hits outside the owned range may have suppressed other hits.
    /// `foreign` are the ends of those outside hits.
    fn find_beside(&mut self, foreign: &[usize], nth: usize, request: SearchRequest<'_>, found: &mut Vec<Hit>) {
        let mut after = 0;
        for &end in foreign {
            if end > after {
                let item = ItemRange::around(request.batch, end);
                self.encoder.encode(request.batch, &item);
                self.find_in_line(nth, request, found, &mut |_| {});
                after = item.bytes.end;
            }
        }
    }

    /// Appends the hits of the expressions for which few lines have a seed. Returns for each pattern whether it is one
    /// of these expressions.
    fn find_in_candidates(
        &mut self,
        gate: &LineGate,
        tables: &BitslicedTables,
        request: SearchRequest<'_>,
        found: &mut Vec<Hit>,
    ) -> Vec<bool> {
        let batch = request.batch;
        let (mut candidates, are_few) = gate.candidates(batch, &mut self.masks);
        candidates.retain(|candidate| are_few[candidate.pattern]);
        let bytes_of = |lines: &[&Range<usize>]| lines.iter().map(|line| line.len()).sum::<usize>();
        let mut lines: Vec<&Range<usize>> = candidates.iter().map(|candidate| &candidate.line.bytes).collect();
        let all = bytes_of(&lines);
        lines.dedup();
        let searched = are_few.iter().filter(|&&is_few| is_few).count();
        // Planes are filled once with the lines of all expressions, or once for each expression with its lines.
        if (searched + 1) * bytes_of(&lines) <= 2 * all {
            let subset = SubsetRequest { lines: &lines, are_searched: &are_few };
            if self.find_in_subset(tables, request, subset, found) == ScanOutcome::Unfit {
                self.find_line_by_line(&candidates, request, found);
            }
            return are_few;
        }
        candidates.sort_by_key(|candidate| candidate.pattern);
        for own in candidates.chunk_by(|a, b| a.pattern == b.pattern) {
            let lines: Vec<&Range<usize>> = own.iter().map(|candidate| &candidate.line.bytes).collect();
            let mut are_searched = vec![false; are_few.len()];
            are_searched[own[0].pattern] = true;
            let subset = SubsetRequest { lines: &lines, are_searched: &are_searched };
            if self.find_in_subset(tables, request, subset, found) == ScanOutcome::Unfit {
                self.find_line_by_line(own, request, found);
            }
        }
        are_few
    }

    /// Searches a subset of the lines of a batch, bit-sliced, for the patterns that `are_searched` marks, and appends
    /// the hits. Appends no hits if these lines are unfit or too few. Every stream is longer than the longest line, so
    /// some streams may have no text.
    fn find_in_subset(
        &mut self,
        tables: &BitslicedTables,
        request: SearchRequest<'_>,
        SubsetRequest { lines, are_searched }: SubsetRequest<'_>,
        found: &mut Vec<Hit>,
    ) -> ScanOutcome {
        let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
        // At least the longest line, and as many steps again for the text that a stream reads of the previous stream.
        let steps = 2 * longest.max(MIN_STEPS);
        if lines.iter().map(|line| line.len()).sum::<usize>() < steps * BYTES_FOR_A_STEP {
            return ScanOutcome::Unfit;
        }
        let subset = PartialBatch::of_lines(request.batch, lines.iter().copied());
        if !tables.can_hold(&subset.batch) {
            return ScanOutcome::Unfit;
        }
        self.fill_planes(tables, &subset.batch, longest + 1);
        let in_subset = SearchRequest { batch: &subset.batch, ..request };
        let compiled = self.compiled;
        let before = found.len();
        let all = compiled.expressions.iter().enumerate();
        for (nth, _) in all.filter(|(_, one)| are_searched[one.index]) {
            if self.find_bitsliced(tables, nth, in_subset, found, &mut |_| {}) == ScanOutcome::Unfit {
                found.truncate(before);
                return ScanOutcome::Unfit;
            }
        }
        found[before..].iter_mut().for_each(|hit| *hit = subset.moved(*hit));
        ScanOutcome::All
    }

    /// Appends the hits of expressions in the lines where they may match.
    fn find_line_by_line(&mut self, candidates: &[GatedLine], request: SearchRequest<'_>, found: &mut Vec<Hit>) {
        let mut encoded = None;
        for candidate in candidates {
            interrupt::check();
            let start = Some(candidate.line.bytes.start);
            if encoded != start {
                self.encoder.encode(request.batch, &candidate.line);
                encoded = start;
            }
            let nth = self.compiled.nth(candidate.pattern);
            self.find_in_line(nth.expect("a candidate is of an expression"), request, found, &mut |_| {});
        }
    }

    /// Fills the planes with streams of at least `min_steps` steps.
    fn fill_planes(&mut self, tables: &BitslicedTables, batch: &Batch, min_steps: usize) {
        let layout = PlaneLayout { isa: tables.isa, order: PlaneOrder::ByStep, min_steps };
        self.planes.fill(layout, &tables.coded.classes, &tables.codes, &BatchSection::whole(batch));
    }

    /// Appends the hits of an expression in the line or segment that was encoded.
    fn find_in_line(&mut self, nth: usize, request: SearchRequest<'_>, found: &mut Vec<Hit>, pass_on: PassOn<'_>) {
        let one = &self.compiled.expressions[nth];
        let (pattern, _) = self.compiled.pattern(one.index);
        let Some(line) = self.encoder.line(pattern.within()) else { return };
        let automata = automata_of(self.compiled, &mut self.automata, nth);
        automata.scan(&line, None, &mut LineHits::default().collector(&self.encoder, one, request, (found, pass_on)));
    }

    /// Like [`find_in_line`](Self::find_in_line), for some `expressions` in a long line, which is encoded piece by piece.
    #[expect(clippy::too_many_arguments, reason = "the hits and their outlet belong together")]
    fn find_in_pieces(
        &mut self,
        item: &ItemRange,
        expressions: &[usize],
        request: SearchRequest<'_>,
        found: &mut Vec<Hit>,
        pass_on: PassOn<'_>,
    ) {
        let alphabet = self.compiled.patterns.alphabet();
        // For each expression, the states reached at the end of the last piece, and the hits in all pieces so far.
        let mut states: Vec<(Option<Reached>, LineHits)> = vec![(None, LineHits::default()); expressions.len()];
        for piece in item.pieces(request.batch, alphabet, PIECE_BYTES) {
            self.encoder.encode(request.batch, &piece);
            let line = self.encoder.line(PositionRange::ALL).expect("every position is allowed");
            for (&nth, (reached, hits)) in expressions.iter().zip(&mut states) {
                let automata = automata_of(self.compiled, &mut self.automata, nth);
                let one = &self.compiled.expressions[nth];
                let mut add = hits.collector(&self.encoder, one, request, (&mut *found, &mut *pass_on));
                *reached = Some(automata.scan(&line, *reached, &mut add));
                drop(add);
                if request.wanted == WantedHits::One && hits.has_first {
                    return;
                }
            }
        }
    }

    /// Appends the hits of some expressions, line by line.
    fn find_in_lines(
        &mut self,
        expressions: &[usize],
        request: SearchRequest<'_>,
        found: &mut Vec<Hit>,
        pass_on: PassOn<'_>,
    ) {
        let SearchRequest { batch, wanted } = request;
        let mut next = ItemRange::next(batch, 0);
        while let Some(item) = next {
            interrupt::check();
            next = ItemRange::next(batch, item.after());
            if item.bytes.len() > PIECE_BYTES && batch.lines().is_some() && self.compiled.suit_pieces() {
                self.find_in_pieces(&item, expressions, request, found, pass_on);
                continue;
            }
            self.encoder.encode(batch, &item);
            let before = found.len();
            for &nth in expressions {
                self.find_in_line(nth, request, found, pass_on);
                if wanted == WantedHits::One && found.len() > before {
                    break;
                }
            }
        }
    }
}

/// The hits of an expression in a line, of which more may come.
#[derive(Debug, Clone, Default)]
struct LineHits {
    has_first: bool,
    /// The index of the last hit after the kept ones among all hits that were found, if outermost hits are wanted.
    last: Option<usize>,
    /// The end of the last hit that is kept, whatever hits follow.
    kept: usize,
}

impl LineHits {
    /// Returns a function that appends the hits in the line or piece that was encoded.
    fn collector<'s>(
        &'s mut self,
        encoder: &'s LineEncoder<'_>,
        expression: &'s CompiledExpression,
        SearchRequest { batch, wanted }: SearchRequest<'s>,
        (found, pass_on): (&'s mut Vec<Hit>, PassOn<'s>),
    ) -> impl FnMut(MatchEnd) -> bool + 's {
        move |MatchEnd { position, distance }| {
            let end = encoder.end(position);
            if !batch.owns(end) {
                return true;
            }
            let hit = Hit { end, pattern: expression.index, distance, start: None };
            if let Some(last) = self.last {
                if end - self.kept <= OUTERMOST_BYTES {
                    found[last] = hit;
                    return true;
                }
                self.kept = found[last].end;
            }
            match wanted == WantedHits::Outermost && self.has_first {
                true => self.last = Some(found.len()),
                false => self.kept = end,
            }
            self.has_first = true;
            found.push(hit);
            if found.len() >= MANY_HITS {
                pass_on(found);
            }
            wanted != WantedHits::One
        }
    }
}

/// Returns whether a line is longer than two of the `streams` into which a batch is divided, so that a stream cannot begin
/// at the start of its line. Such a batch is large.
fn has_line_longer_than_streams(batch: &Batch, streams: usize) -> bool {
    let (bytes, longest) = (batch.bytes(), 2 * MAX_SYMBOL_BYTES * (batch.bytes().len() / streams));
    let Some(lines) = batch.lines().filter(|_| bytes.len() > LARGE_BATCH_BYTES) else { return false };
    let mut start = 0;
    let is_long = |end: usize| end - std::mem::replace(&mut start, end) > longest;
    memchr::memchr_iter(lines.terminator, bytes).chain([bytes.len()]).any(is_long)
}
