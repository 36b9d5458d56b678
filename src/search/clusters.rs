//! `--hits best`: of the hits of each pattern and strand, one for each cluster, in the order of all hits.
//!
//! A cluster may lie in two batches. What cannot be decided at the end of one is handed on to the next, which has so much
//! context that all of these matches lie in it. So it does not show where the text is cut.

use memchr::memchr;

use super::cluster::{Chooser, Ground};
use super::relay::Leg;
use crate::alphabet::count_residues;
use crate::engine::Floor;
use crate::hit::Hit;
use crate::input::{Batch, Layout};
use crate::pattern::{Pattern, PatternSet};
use crate::text::start_of_last;

/// So many hits wait for what the batch before hands on; then the worker does.
const MOST_WAITING: usize = 1 << 16;

/// What is not decided at the end of a batch.
#[derive(Debug, Default)]
pub(super) struct Undecided {
    choosers: Vec<Suspended>,
    /// Hits that were chosen, when others that end before them may be too.
    chosen: Vec<Distant>,
}

/// How many symbols before a batch it needs so that what the batch before has not decided lies in it: the matches of a
/// cluster that began there.
pub(super) fn context(patterns: &PatternSet) -> usize {
    patterns.reach() + patterns.patterns().iter().map(Pattern::spread).max().unwrap_or(0)
}

/// A chooser between two batches.
#[derive(Debug)]
struct Suspended {
    index: usize,
    pending: Vec<Distant>,
    floor: Option<u64>,
}

/// A hit, in positions of its record or text.
#[derive(Debug)]
struct Distant {
    hit: Hit,
    start: Option<u64>,
    end: u64,
}

/// The line or record at hand.
#[derive(Clone, Copy)]
struct Unit {
    end: usize,
    /// Whether it goes on in the next batch.
    open: bool,
}

/// Chooses among the hits of one batch at a time.
pub(super) struct Clusters<'a> {
    patterns: &'a PatternSet,
    /// For each pattern, which chooser it has: that of its label and strand.
    chooser_of: Vec<usize>,
    choosers: Vec<Chooser>,
    /// The choosers that have had a hit of the line or record at hand.
    touched: Vec<usize>,
    is_touched: Vec<bool>,
    /// Those of them with hits that are not decided.
    undecided: Vec<usize>,
    /// Where the first of these can decide.
    due: usize,
    unit: Option<Unit>,
    /// Hits that came before the batch before was done with.
    waiting: Vec<Hit>,
    has_begun: bool,
    chosen: Vec<Hit>,
}

impl<'a> Clusters<'a> {
    pub(super) fn new(patterns: &'a PatternSet) -> Self {
        let mut kinds = Vec::new();
        let mut chooser_of = Vec::with_capacity(patterns.patterns().len());
        for pattern in patterns.patterns() {
            let kind = (pattern.label(), pattern.strand());
            // The alternatives of a pattern on one strand follow each other.
            if kinds.last() != Some(&kind) {
                kinds.push(kind);
            }
            chooser_of.push(kinds.len() - 1);
        }
        Clusters {
            patterns,
            chooser_of,
            choosers: kinds.iter().map(|_| Chooser::new()).collect(),
            touched: Vec::new(),
            is_touched: vec![false; kinds.len()],
            undecided: Vec::new(),
            due: usize::MAX,
            unit: None,
            waiting: Vec::new(),
            has_begun: false,
            chosen: Vec::new(),
        }
    }

    /// Takes the next hits of a batch; gives those that are chosen, not always at once.
    pub(super) fn take(&mut self, batch: &Batch, hits: &[Hit], leg: &Leg<'_, Undecided>, chosen: &mut Vec<Hit>) {
        self.waiting.extend_from_slice(hits);
        if self.waiting.len() >= MOST_WAITING {
            self.choose(batch, leg, chosen);
        }
    }

    /// There are no more hits in a batch: gives the rest of those that are chosen, and hands on what is not decided.
    pub(super) fn finish(&mut self, batch: &Batch, leg: Leg<'_, Undecided>, chosen: &mut Vec<Hit>) {
        self.choose(batch, &leg, chosen);
        self.decide(batch, batch.owned().end + 1, chosen);
        let open = self.unit.is_some_and(|unit| unit.open);
        leg.hand_on(if open { self.suspend(batch) } else { Undecided::default() });
        self.end_unit(batch, chosen);
        self.has_begun = false;
        self.unit = None;
    }

    fn choose(&mut self, batch: &Batch, leg: &Leg<'_, Undecided>, chosen: &mut Vec<Hit>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.resume(batch, leg.wait().unwrap_or_default());
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        for hit in waiting.drain(..) {
            self.add(batch, hit, chosen);
        }
        self.waiting = waiting;
    }

    fn add(&mut self, batch: &Batch, hit: Hit, chosen: &mut Vec<Hit>) {
        if self.unit.is_none_or(|unit| unit.end < hit.end) {
            self.end_unit(batch, chosen);
            self.unit = Some(unit_at(batch, hit.end));
        }
        self.decide(batch, hit.end, chosen);
        let index = self.chooser_of[hit.pattern];
        self.touch(index);
        let chooser = &mut self.choosers[index];
        chooser.push(hit);
        if let [_] = chooser.pending() {
            // It may be impossible after the match before it.
            chooser.choose(Ground { patterns: self.patterns, batch }, Some(hit.end), &mut self.chosen);
            if !chooser.pending().is_empty() {
                self.due = self.due.min(chooser.due());
                self.undecided.push(index);
            }
        }
    }

    fn touch(&mut self, index: usize) {
        if !std::mem::replace(&mut self.is_touched[index], true) {
            self.touched.push(index);
        }
    }

    /// Chooses from the clusters that are complete when all hits are known that end before `seen`.
    fn decide(&mut self, batch: &Batch, seen: usize, chosen: &mut Vec<Hit>) {
        if self.due <= seen {
            self.choose_from_undecided(batch, Some(seen));
            self.release(chosen);
        }
    }

    fn choose_from_undecided(&mut self, batch: &Batch, seen: Option<usize>) {
        let ground = Ground { patterns: self.patterns, batch };
        let Clusters { choosers, undecided, chosen, due, .. } = self;
        *due = usize::MAX;
        undecided.retain(|&index| {
            choosers[index].choose(ground, seen, chosen);
            *due = (*due).min(choosers[index].due());
            !choosers[index].pending().is_empty()
        });
    }

    /// Gives what is chosen, but for hits before which others may still be.
    fn release(&mut self, chosen: &mut Vec<Hit>) {
        let firsts = self.undecided.iter().filter_map(|&index| self.choosers[index].pending().first());
        let limit = firsts.map(|hit| hit.end).min().unwrap_or(usize::MAX);
        self.chosen.sort_unstable_by_key(|hit| (hit.end, hit.pattern));
        let certain = self.chosen.partition_point(|hit| hit.end < limit);
        chosen.extend(self.chosen.drain(..certain));
    }

    /// The line or record has no more hits.
    fn end_unit(&mut self, batch: &Batch, chosen: &mut Vec<Hit>) {
        if self.touched.is_empty() {
            return;
        }
        self.choose_from_undecided(batch, None);
        self.release(chosen);
        for index in self.touched.drain(..) {
            self.choosers[index].resume(Vec::new(), Floor::None);
            self.is_touched[index] = false;
        }
    }

    /// Takes out what is not decided.
    fn suspend(&mut self, batch: &Batch) -> Undecided {
        let end = batch.owned().end;
        let oldest = start_of_last(self.patterns.alphabet(), &batch.bytes()[..end], context(self.patterns) + 1);
        let positions = Positions::before(batch, end);
        let distant = |hit: &Hit| Distant {
            hit: *hit,
            start: hit.start.map(|start| positions.of(start)),
            end: positions.of(hit.end),
        };
        let suspended = self.touched.drain(..).map(|index| {
            self.is_touched[index] = false;
            let chooser = std::mem::replace(&mut self.choosers[index], Chooser::new());
            // What ends farther back is in nobody's way.
            let floor = chooser.floor().filter(|&floor| floor >= oldest);
            let floor = floor.map(|floor| positions.of(floor));
            Suspended { index, pending: chooser.pending().iter().map(distant).collect(), floor }
        });
        let choosers = suspended.filter(|one| one.floor.is_some() || !one.pending.is_empty()).collect();
        self.undecided.clear();
        self.due = usize::MAX;
        Undecided { choosers, chosen: self.chosen.drain(..).map(|hit| distant(&hit)).collect() }
    }

    /// Takes up what the batch before has not decided of the line or record that goes on.
    fn resume(&mut self, batch: &Batch, undecided: Undecided) {
        // Where an input could not be read to its end, something may be left of it.
        let Some((unit, offsets)) = continued(batch) else { return };
        self.unit = Some(unit);
        let near = |distant: &Distant| Hit {
            start: distant.start.map(|start| offsets.of(start)),
            end: offsets.of(distant.end),
            ..distant.hit
        };
        self.chosen.extend(undecided.chosen.iter().map(near));
        for Suspended { index, pending, floor } in undecided.choosers {
            self.touch(index);
            let floor = floor.map_or(Floor::None, |floor| Floor::At(offsets.of(floor)));
            let chooser = &mut self.choosers[index];
            chooser.resume(pending.iter().map(near).collect(), floor);
            // Nothing is decided yet, but then it is known where it will be.
            chooser.choose(Ground { patterns: self.patterns, batch }, Some(0), &mut self.chosen);
            if !chooser.pending().is_empty() {
                self.due = self.due.min(chooser.due());
                self.undecided.push(index);
            }
        }
    }
}

/// The line or record around the last symbol before `end`.
fn unit_at(batch: &Batch, end: usize) -> Unit {
    match batch.layout() {
        Layout::Lines(lines) => {
            let line_end = memchr(lines.terminator, &batch.bytes()[end..]).map(|length| end + length);
            Unit { end: line_end.unwrap_or(batch.bytes().len()), open: line_end.is_none() && !lines.closes }
        }
        Layout::Records(segments) => {
            let segment = &segments[batch.segment_before(end)];
            Unit { end: segment.bytes.end, open: !segment.closes }
        }
    }
}

/// The line or record that was open when the batch before ended, and its positions.
fn continued(batch: &Batch) -> Option<(Unit, Offsets)> {
    match batch.layout() {
        Layout::Lines(lines) => {
            let goes_on = batch.owned().start > 0;
            goes_on.then(|| (unit_at(batch, batch.owned().start), Offsets { offset: 0, position: lines.offset }))
        }
        Layout::Records(segments) => {
            let segment = segments.first().filter(|segment| segment.continues)?;
            let offsets = Offsets { offset: segment.bytes.start, position: segment.position };
            Some((Unit { end: segment.bytes.end, open: !segment.closes }, offsets))
        }
    }
}

/// Positions of places before the end of a batch.
struct Positions<'a> {
    batch: &'a Batch,
    end: usize,
    position: u64,
}

impl<'a> Positions<'a> {
    fn before(batch: &'a Batch, end: usize) -> Self {
        let position = match batch.layout() {
            Layout::Lines(lines) => lines.offset + end as u64,
            Layout::Records(segments) => segments.last().map_or(0, |segment| {
                segment.position + count_residues(&batch.bytes()[segment.bytes.start..end]) as u64
            }),
        };
        Positions { batch, end, position }
    }

    fn of(&self, offset: usize) -> u64 {
        let symbols = match self.batch.layout() {
            Layout::Lines(_) => self.end - offset,
            Layout::Records(_) => count_residues(&self.batch.bytes()[offset..self.end]),
        };
        self.position - symbols as u64
    }
}

/// Places in the context of a batch, which has no line breaks between residues.
struct Offsets {
    offset: usize,
    position: u64,
}

impl Offsets {
    fn of(&self, position: u64) -> usize {
        self.offset + (position - self.position) as usize
    }
}
