//! Matches of expressions that hang over the start or the end of a line or record (`--overhang`).
//!
//! The hits before are those of matches without an overhang. The others begin at a start or end at an end. There, the
//! [automaton with symbols beyond the ends](nigh_pattern::PatternSet::hanging) reads the first symbols after some symbols in
//! place of those before the start, and the last symbols with some after them. Its costs are sums of edits and overhangs, in
//! the order of which a tally has its rank.

use std::ops::Range;
use std::sync::Arc;

use super::match_automata::{MatchAutomata, automata_of};
use crate::compiled::CompiledExpressions;
use crate::line::{EncodedLine, ItemRange, LineEncoder, MatchEnd};
use nigh_pattern::{Overhang, UNIT};
use nigh_text::alignment::{Alignment, BackwardRuns, Cigar, Edit};
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, LaterMatch};
use nigh_text::interrupt;
use nigh_text::text::{previous_symbol, start_of_last};
use nigh_text::text_item::{TextItem, text_items};
use nigh_verify::encoder::Code;
use nigh_verify::refine::merger::Merger;
use nigh_verify::refine::overhang::ends::TextConditions;
use nigh_verify::refine::{Refinement, Refiner, align_others};
use nigh_verify::{Aligner, EngineError, WantedHits};

/// The matches of expressions that hang over, which are added to those that do not.
pub struct ExpressionOverhangs {
    plain: Arc<CompiledExpressions>,
    hanging: CompiledExpressions,
    /// For each expression, the largest number of symbols before the start, and after the end.
    max_beyond: Vec<[usize; 2]>,
}

impl ExpressionOverhangs {
    /// Makes the refinement for expressions.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub(crate) fn new(plain: Arc<CompiledExpressions>, overhang: Overhang) -> Result<Self, EngineError> {
        let (patterns, max_beyond) = plain.patterns.hanging(overhang);
        let hanging = CompiledExpressions::with_overhang(Arc::new(patterns), None, Some(overhang))?;
        Ok(ExpressionOverhangs { plain, hanging, max_beyond })
    }

    /// Returns the largest number of symbols of the text that a match of an expression covers.
    fn longest(&self, nth: usize) -> usize {
        self.plain.pattern(self.plain.expressions[nth].index).0.max_match_len()
    }
}

impl Refinement for ExpressionOverhangs {
    fn description(&self) -> Option<String> {
        Some("expressions that hang over a start or an end: the cost of each match there".to_owned())
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        let search = OverhangScan {
            tables: self,
            automata: self.hanging.expressions.iter().map(|_| None).collect(),
            text: PaddedText::default(),
        };
        Box::new(ExpressionOverhangRefiner { search, merger: Merger::default() })
    }

    fn aligner<'a>(&'a self, inner: Box<dyn Aligner + 'a>) -> Box<dyn Aligner + 'a> {
        let automata = |compiled: &CompiledExpressions| compiled.expressions.iter().map(|_| None).collect();
        Box::new(ExpressionOverhangAligner {
            inner,
            encoder: self.plain.encoder(),
            plain: automata(&self.plain),
            search: OverhangScan { tables: self, automata: automata(&self.hanging), text: PaddedText::default() },
        })
    }
}

/// A part of a line or record as codes, with symbols beyond its ends.
#[derive(Default)]
struct PaddedText {
    codes: Vec<Code>,
    /// The offset in the batch at which each symbol of the part starts.
    starts: Vec<usize>,
    /// The number of symbols before the part.
    before: usize,
    /// The offset just past the last symbol of the part.
    end: usize,
}

impl PaddedText {
    /// Encodes a part of a line or record, with a number of symbols before it and after it.
    fn encode(&mut self, compiled: &CompiledExpressions, bytes: &[u8], part: Range<usize>, beyond: [usize; 2]) {
        self.codes.clear();
        self.starts.clear();
        (self.before, self.end) = (beyond[0], part.end);
        let [before, after] = compiled.beyond();
        self.codes.resize(beyond[0], before);
        compiled.classes().encode(bytes, part, &mut self.codes, &mut self.starts);
        self.codes.resize(self.codes.len() + beyond[1], after);
    }

    /// Returns the positions between the symbols of the part.
    fn inside(&self) -> Range<usize> {
        self.before..self.before + self.starts.len()
    }

    /// Returns the offset of the first symbol of a match that starts at a position, which is before the end of the part.
    fn start_of(&self, position: usize) -> usize {
        self.starts[position.saturating_sub(self.before)]
    }
}

/// A search for the matches that hang over.
struct OverhangScan<'a> {
    tables: &'a ExpressionOverhangs,
    /// The automata of each expression, made when they are first needed.
    automata: Vec<Option<Box<MatchAutomata<'a>>>>,
    text: PaddedText,
}

impl OverhangScan<'_> {
    /// Returns the hits with overhangs that the batch owns, and maybe some without, ordered by (end, pattern), each with the
    /// least distance of its matches.
    fn hits(&mut self, batch: &Batch) -> Vec<Hit> {
        let mut found = Vec::new();
        for item in text_items(batch).filter(|item| item.opens || item.closes) {
            interrupt::check();
            let from = found.len();
            for nth in 0..self.automata.len() {
                self.add_hits(batch, &item, nth, &mut found);
            }
            found[from..].sort_unstable();
        }
        found.dedup_by_key(|hit| (hit.end, hit.pattern));
        found
    }

    /// Appends the hits of an expression in a line or record.
    fn add_hits(&mut self, batch: &Batch, item: &TextItem, nth: usize, found: &mut Vec<Hit>) {
        let (tables, bytes) = (self.tables, batch.bytes());
        let (pattern, _) = tables.plain.pattern(tables.plain.expressions[nth].index);
        let conditions = TextConditions::new(tables.plain.patterns.alphabet(), pattern);
        let (longest, [before, after]) = (pattern.max_match_len(), tables.max_beyond[nth]);
        let head = conditions.head(bytes, item, longest);
        let tail = conditions.tail(bytes, item, longest);
        if tail.is_empty() {
            return;
        }
        let after = if item.closes { after } else { 0 };
        if item.opens && before > 0 && head.end > batch.owned().start {
            let is_whole = head.end >= tail.end;
            let head = head.start..head.end.min(tail.end);
            self.text.encode(&tables.hanging, bytes, head, [before, if is_whole { after } else { 0 }]);
            self.add_ends(batch, nth, (0..before, before), found);
        }
        if after > 0 && batch.owns(tail.end) {
            self.text.encode(&tables.hanging, bytes, tail, [0, after]);
            self.add_ends(batch, nth, (self.text.inside(), self.text.inside().end), found);
        }
    }

    /// Appends the hits of matches that start at the positions `starts` of the encoded text and end after the position
    /// `least`.
    fn add_ends(&mut self, batch: &Batch, nth: usize, (starts, least): (Range<usize>, usize), found: &mut Vec<Hit>) {
        let (compiled, text) = (&self.tables.hanging, &self.text);
        let pattern = compiled.expressions[nth].index;
        let sums = compiled.expressions[nth].sums();
        let line = EncodedLine::of_codes(&text.codes);
        let inside = text.inside();
        let alphabet = compiled.patterns.alphabet();
        automata_of(compiled, &mut self.automata, nth).for_each_end_from(&line, (&[starts], line.last), |one| {
            if one.position <= least {
                return;
            }
            // A residue takes a byte, and there may be line ends between two of them.
            let end = match text.starts.get(one.position - inside.start) {
                _ if one.position >= inside.end => text.end,
                Some(_) if alphabet.is_sequence() => text.starts[one.position - inside.start - 1] + 1,
                next => *next.expect("the position is inside"),
            };
            if batch.owns(end) {
                found.push(Hit { end, pattern, distance: sums[one.distance] / UNIT as usize, start: None });
            }
        });
    }

    /// Returns the alignment of the match with the least sum that ends at the offset of a hit, at the end of the text if there
    /// may be symbols `after` it. Of several, prefers one that does not hang over the start, then the one with the fewest
    /// symbols after the end.
    fn alignment(&mut self, hit: &Hit, nth: usize) -> Option<Alignment> {
        let (compiled, text) = (&self.tables.hanging, &self.text);
        let line = EncodedLine::of_codes(&text.codes);
        let inside = text.inside();
        let automata = automata_of(compiled, &mut self.automata, nth);
        let mut least: Option<usize> = None;
        automata.for_each_end_from(&line, (std::slice::from_ref(&(0..inside.end)), line.last), |one| {
            if one.position >= inside.end && least.is_none_or(|least| one.distance < least) {
                least = Some(one.distance);
            }
        });
        let distance = least?;
        for first in [inside.start, 0] {
            for position in inside.end..=line.last {
                let end = MatchEnd { position, distance };
                let Some(best) = automata.best_match(&line, first..inside.end, end) else { continue };
                let beyond = [inside.start.saturating_sub(best.start), position - inside.end];
                let cigar = with_overhangs(&automata.cigar(&line, best.start, end), beyond);
                return Some(Alignment { start: text.start_of(best.start), end: hit.end, cigar });
            }
        }
        None
    }
}

/// Replaces the first and the last operations of an alignment, which are matches, by overhangs.
fn with_overhangs(cigar: &Cigar, [before, after]: [usize; 2]) -> Cigar {
    let mut runs = BackwardRuns::default();
    runs.push(after, Edit::Overhang);
    let all: Vec<(usize, Edit)> = cigar.runs().collect();
    for (index, &(length, edit)) in all.iter().enumerate().rev() {
        let beyond = if index == 0 { before } else { 0 } + if index + 1 == all.len() { after } else { 0 };
        runs.push(length - beyond, edit);
    }
    runs.push(before, Edit::Overhang);
    runs.cigar()
}

/// Adds the hits with overhangs.
struct ExpressionOverhangRefiner<'a> {
    search: OverhangScan<'a>,
    merger: Merger,
}

impl Refiner for ExpressionOverhangRefiner<'_> {
    fn begin(&mut self, batch: &Batch, _: WantedHits) {
        self.merger.replace(self.search.hits(batch));
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        self.merger.refine(batch, hits, until)
    }
}

/// Aligns hits, some of which hang over.
struct ExpressionOverhangAligner<'a> {
    inner: Box<dyn Aligner + 'a>,
    encoder: LineEncoder<'a>,
    /// The automata of each expression without overhangs, made when they are first needed.
    plain: Vec<Option<Box<MatchAutomata<'a>>>>,
    search: OverhangScan<'a>,
}

impl Aligner for ExpressionOverhangAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut over = Vec::with_capacity(hits.len());
        for hit in hits {
            interrupt::check();
            over.push(self.overhanging(batch, hit));
        }
        align_others(self.inner.as_mut(), (batch, hits), over, out)
    }

    fn later_match(&mut self, batch: &Batch, hit: Hit, from: usize) -> Option<LaterMatch> {
        // Matches that hang over an end compete with the start that they have.
        match self.overhanging(batch, &hit) {
            Some(_) => None,
            None => self.inner.later_match(batch, hit, from),
        }
    }
}

impl ExpressionOverhangAligner<'_> {
    /// Returns the alignment of a hit whose distance only matches with an overhang have; `None` if others have it too.
    fn overhanging(&mut self, batch: &Batch, hit: &Hit) -> Option<Alignment> {
        let tables = self.search.tables;
        let nth = tables.hanging.nth(hit.pattern)?;
        let (longest, [before, after]) = (tables.longest(nth), tables.max_beyond[nth]);
        let (alphabet, item) = (tables.plain.patterns.alphabet(), ItemRange::around(batch, hit.end));
        let text = &batch.bytes()[item.bytes.start..hit.end];
        let start = start_of_last(alphabet, text, longest);
        let is_first = item.opens && previous_symbol(alphabet, text, start).is_none();
        let before = if is_first { before } else { 0 };
        let rest = &batch.bytes()[hit.end..item.bytes.end];
        let is_last = item.closes() && previous_symbol(alphabet, rest, rest.len()).is_none();
        let after = if is_last { after } else { 0 };
        if before + after == 0 || self.has_plain_match(batch, hit, nth) {
            return None;
        }
        let part = item.bytes.start + start..hit.end;
        self.search.text.encode(&tables.hanging, batch.bytes(), part, [before, after]);
        self.search.alignment(hit, nth)
    }

    /// Returns whether a match without an overhang has the distance of a hit.
    fn has_plain_match(&mut self, batch: &Batch, hit: &Hit, nth: usize) -> bool {
        let compiled = &*self.search.tables.plain;
        let longest = self.search.tables.longest(nth);
        let item = match batch.lines() {
            Some(_) => ItemRange::part_of_line(batch, compiled.patterns.alphabet(), (hit.end, hit.end), (longest, 0)),
            None => ItemRange::around_matches(batch, (hit.end, hit.end), longest),
        };
        self.encoder.encode(batch, &item);
        let line = self.encoder.line(compiled.pattern(hit.pattern).0.within()).expect("every position is allowed");
        let position = self.encoder.position_of_end(hit.end);
        let mut least = None;
        automata_of(compiled, &mut self.plain, nth).scan_costs(&line, position..=position, &mut None, &mut |end| {
            least = Some(end.distance);
            false
        });
        least.is_some_and(|least| least <= hit.distance)
    }
}
