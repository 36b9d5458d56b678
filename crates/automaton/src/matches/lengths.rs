//! The best matches of all ends in a line or record, in one pass over it.
//!
//! This is the simulation of `simulation::costs` from all positions at once. In place of the bit of a state there is a
//! length: that of the longest match so far that reaches the state with this tally. At the end of a match, the longest is
//! the one that starts first.
//!
//! Lengths are 16-bit integers, so that one instruction handles many states. Most transitions lead from a state to the
//! next one, so states are striped over vectors: the next state is in the same lane of the next vector [Farrar 2007].
//! With s states and t tallies, n symbols take O(n s t) time.
//!
//! If the lengths of all positions of a match are kept, the alignment follows from them: before a cell of length l there
//! is a cell of length l - 1, or one of length l at the same position. Any path back along these cells leads to the start
//! of the longest match: if a cell of it had a longer match, so would the end. A transposition leads from a cell two
//! positions before, whose length is less by 2.

use std::ops::Range;

use super::trace::{AlignedExpression, TraceCell};
use crate::line::{BestMatch, EncodedLine, MatchEnd};
use crate::simulation::costs::TalliedExpression;
use nigh_pattern::{Expression, State};
use nigh_simd::int_lanes::IntLanes;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};
use nigh_text::alignment::Cigar;
use nigh_text::interrupt;
use nigh_verify::encoder::{Code, OTHER};
use nigh_verify::tally::{EditStep, has_transpositions};

/// The largest length of a match: lengths are stored with 1 added, and 0 where there is no match.
const MAX_LENGTH: usize = i16::MAX as usize - 1;
/// The number of lanes of a vector: the most that 16-bit integers have on any instruction set.
const LANES: usize = 32;
/// The largest size of the lengths that are kept for alignments, in bytes.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// The lengths of `LANES` states, or a mask of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
struct LengthVector([i16; LANES]);

const NONE: LengthVector = LengthVector([0; LANES]);

/// The place of a state in vectors: the index of the vector, and the lane.
#[derive(Debug, Clone, Copy)]
struct Place(usize, usize);

/// The automaton of an expression as masks of 16-bit integers, for text in codes of classes.
pub(crate) struct LengthTables {
    /// The number of vectors that hold the states.
    vectors: usize,
    /// The place of each state.
    places: Vec<Place>,
    /// The states that read a symbol of each class.
    readers: Vec<Vec<LengthVector>>,
    /// 1 for each initial state: a match that starts has length 0.
    initial: Vec<LengthVector>,
    accepting: Vec<State>,
    /// The states with a transition from the state before them.
    from_previous: Vec<LengthVector>,
    /// The states with a transition from themselves.
    from_same: Vec<LengthVector>,
    others: OtherTransitions,
    /// The largest length of a match.
    longest: usize,
}

/// The transitions that do not lead to the same state or to the next one.
enum OtherTransitions {
    /// The states with the same targets, and these targets: masks of the vectors that have any of them.
    Grouped(Vec<[Vec<(usize, LengthVector)>; 2]>),
    /// The states before and after each transition.
    Listed(Vec<[Place; 2]>),
}

impl LengthTables {
    /// Makes the tables of an expression whose matches have at most `longest` symbols. `reads` tells whether a state reads
    /// the symbols of each of `classes` classes. Returns `None` if the expression has conditions or exact groups, or its
    /// matches are too long.
    pub(crate) fn new(
        expression: &Expression,
        longest: usize,
        (classes, reads): (usize, &dyn Fn(State, Code) -> bool),
    ) -> Option<Self> {
        if expression.has_conditions() || expression.has_exact_groups() || longest > MAX_LENGTH {
            return None;
        }
        let vectors = expression.states().div_ceil(LANES);
        let mask = |states: &mut dyn Iterator<Item = usize>, value| {
            let mut mask = vec![NONE; vectors];
            states.map(|state| place(state, vectors)).for_each(|Place(vector, lane)| mask[vector].0[lane] = value);
            mask
        };
        let positions = expression.starts().len() as State..expression.states() as State;
        let readers = (0..classes).map(|code| {
            let readers = positions.clone().filter(|&state| reads(state, code as Code));
            mask(&mut readers.map(|state| state as usize), -1)
        });
        let pairs = || expression.transitions().iter().map(|one| (one.from as usize, one.to as usize));
        let others = pairs().filter(|(from, to)| from != to && from + 1 != *to).collect();
        Some(LengthTables {
            vectors,
            places: (0..expression.states()).map(|state| place(state, vectors)).collect(),
            readers: readers.collect(),
            initial: mask(&mut (0..expression.starts().len()), 1),
            accepting: expression.ends().iter().map(|end| end.state).collect(),
            from_previous: mask(&mut pairs().filter(|(from, to)| from + 1 == *to).map(|(_, to)| to), -1),
            from_same: mask(&mut pairs().filter(|(from, to)| from == to).map(|(_, to)| to), -1),
            others: OtherTransitions::new(others, vectors, mask),
            longest,
        })
    }

    /// Adds the lengths in the states that follow those with the lengths `reached` by transitions that are not in
    /// the masks.
    #[inline(always)]
    fn follow_others<S: Simd>(&self, reached: &[LengthVector], following: &mut [LengthVector]) {
        match &self.others {
            OtherTransitions::Grouped(groups) => {
                for [from, to] in groups {
                    let longest = longest_of::<S>(reached, from);
                    if longest > 0 {
                        for (vector, mask) in to {
                            raise::<S>(&mut following[*vector], mask, longest);
                        }
                    }
                }
            }
            OtherTransitions::Listed(pairs) => {
                for &[from, to] in pairs {
                    let length = &mut following[to.0].0[to.1];
                    *length = reached[from.0].0[from.1].max(*length);
                }
            }
        }
    }
}

/// Returns the place of a state in `vectors` vectors.
fn place(state: usize, vectors: usize) -> Place {
    Place(state % vectors, state / vectors)
}

/// Returns the largest length of the states in a mask.
#[inline(always)]
fn longest_of<S: Simd>(lengths: &[LengthVector], mask: &[(usize, LengthVector)]) -> i16 {
    let mut longest = S::Shorts::splat(0);
    for (vector, mask) in mask {
        let lengths = &lengths[*vector];
        for part in (0..LANES).step_by(S::Shorts::COUNT) {
            longest = longest.max(masked::<S>(S::Shorts::load(&lengths.0[part..]), &mask.0[part..]));
        }
    }
    let mut lanes = NONE.0;
    longest.store(&mut lanes);
    // A loop, since a closure would not be compiled for the instruction set.
    let mut most = 0;
    for lane in lanes {
        most = lane.max(most);
    }
    most
}

/// Raises the lengths of the states in a mask to at least `length`.
#[inline(always)]
fn raise<S: Simd>(lengths: &mut LengthVector, mask: &LengthVector, length: i16) {
    let length = S::Shorts::splat(i32::from(length));
    for part in (0..LANES).step_by(S::Shorts::COUNT) {
        let least = masked::<S>(length, &mask.0[part..]);
        least.max(S::Shorts::load(&lengths.0[part..])).store(&mut lengths.0[part..]);
    }
}

/// Returns the lengths of the states in a mask, and 0 for all others.
#[inline(always)]
fn masked<S: Simd>(lengths: S::Shorts, mask: &[i16]) -> S::Shorts {
    S::from_shorts(lengths).and(S::from_shorts(S::Shorts::load(mask))).into_shorts()
}

impl OtherTransitions {
    fn new(
        mut pairs: Vec<(usize, usize)>,
        vectors: usize,
        mask: impl Fn(&mut dyn Iterator<Item = usize>, i16) -> Vec<LengthVector>,
    ) -> Self {
        pairs.sort_unstable();
        let mut groups: Vec<[Vec<usize>; 2]> = Vec::new();
        for own in pairs.chunk_by(|a, b| a.0 == b.0) {
            let targets: Vec<usize> = own.iter().map(|pair| pair.1).collect();
            match groups.iter_mut().find(|[_, known]| *known == targets) {
                Some([states, _]) => states.push(own[0].0),
                None => groups.push([vec![own[0].0], targets]),
            }
            // A group takes two operations for each vector of lanes.
            if groups.len() * 2 * vectors > pairs.len() {
                let at = |state| place(state, vectors);
                return OtherTransitions::Listed(pairs.into_iter().map(|(from, to)| [at(from), at(to)]).collect());
            }
        }
        let used = |mask: Vec<LengthVector>| mask.into_iter().enumerate().filter(|(_, mask)| *mask != NONE).collect();
        let masks = |states: Vec<usize>| used(mask(&mut states.into_iter(), -1));
        OtherTransitions::Grouped(groups.into_iter().map(|group| group.map(masks)).collect())
    }
}

/// A pass over a line or record. Lengths are ordered by tally, then the place of the state.
pub(crate) struct LengthPass<'a> {
    tables: &'a LengthTables,
    line: &'a EncodedLine<'a>,
    isa: Isa,
    one: TalliedExpression<'a>,
    position: usize,
    /// The code of the symbol before the position.
    code: Code,
    /// The lengths at the last positions: all those of a match, or two if they are not kept for alignments.
    states: Vec<LengthVector>,
    is_kept: bool,
    /// The number of positions in `states`, less one. All its bits are 1.
    slot_mask: usize,
    /// The lengths in the states that follow at the position, and at the two before it.
    following: [Vec<LengthVector>; 3],
    /// Lengths where there are no matches.
    none: Vec<LengthVector>,
    /// The lengths in the states that read the second of two transposed symbols; empty if there are no transpositions.
    middle: Vec<LengthVector>,
    /// The lengths in the states that a substitution or a transposition leads to; empty if there are no transpositions.
    edited: Vec<LengthVector>,
}

/// Whether the lengths of the last positions are kept, so that matches can be aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptLengths {
    ForAlignments,
    None,
}

impl<'a> LengthPass<'a> {
    /// Prepares a pass for the matches that have one of the tallies of `one`.
    pub(crate) fn new(
        tables: &'a LengthTables,
        line: &'a EncodedLine<'a>,
        one: TalliedExpression<'a>,
        (kept, isa): (KeptLengths, Isa),
    ) -> Self {
        let size = one.tallies.len() * tables.vectors;
        let swapped = if has_transpositions(one.tallies) { tables.vectors } else { 0 };
        let positions = (tables.longest.min(line.last - line.first) + 1).next_power_of_two().max(2);
        let is_kept =
            kept == KeptLengths::ForAlignments && positions * size * size_of::<LengthVector>() <= MAX_KEPT_BYTES;
        let positions = if is_kept { positions } else { 2 };
        let mut pass = LengthPass {
            tables,
            line,
            isa,
            one,
            position: line.first,
            code: OTHER,
            states: vec![NONE; positions * size],
            is_kept,
            slot_mask: positions - 1,
            following: std::array::from_fn(|_| vec![NONE; size]),
            none: vec![NONE; tables.vectors],
            middle: vec![NONE; swapped],
            edited: vec![NONE; swapped],
        };
        pass.restart(line.first);
        pass
    }

    /// Forgets all matches and begins at a position.
    fn restart(&mut self, position: usize) {
        self.position = position;
        let before = self.slot(position.wrapping_sub(1));
        self.states[before].fill(NONE);
        self.following.iter_mut().for_each(|following| following.fill(NONE));
        self.code = OTHER;
        self.isa.run(LengthFill { pass: self, code: OTHER, until: position });
    }

    /// Returns the range of the lengths at a position in `states`.
    fn slot(&self, position: usize) -> Range<usize> {
        let size = self.following[0].len();
        let start = (position & self.slot_mask) * size;
        start..start + size
    }

    /// Returns the best match of an end. The end is at the position of the last one, or after it.
    pub(crate) fn best(&mut self, end: MatchEnd) -> BestMatch {
        let first = end.position.saturating_sub(self.tables.longest);
        if first > self.position {
            self.restart(first);
        }
        if end.position > self.position {
            let code = self.line.codes[self.position];
            self.position += 1;
            self.isa.run(LengthFill { pass: self, code, until: end.position });
        }
        let tallies = self.one.tallies;
        let fewer = tallies.partition_point(|tally| tally.cost < end.distance);
        let of_distance = || (fewer..).zip(&tallies[fewer..]).take_while(|(_, tally)| tally.cost == end.distance);
        let longest = |tally: usize| {
            let cell = |&state: &State| TraceCell { state, is_inserted: false, tally };
            let lengths = self.tables.accepting.iter().map(|state| self.length(self.position, cell(state)));
            lengths.max().unwrap_or(0)
        };
        let lengths = (0..=end.distance).map(|difference| {
            let own = of_distance().filter(|(_, tally)| tally.difference.unsigned_abs() == difference);
            (difference, own.map(|(tally, _)| longest(tally)).max().unwrap_or(0))
        });
        // A match covers at least one symbol.
        let (difference, length) = lengths.into_iter().find(|&(_, length)| length > 1).expect("a match ends here");
        BestMatch { distance: end.distance, difference, start: end.position - (length as usize - 1) }
    }

    /// Returns the alignment of the best match of an end, directly after [`best`](Self::best); `None` if the lengths are
    /// not kept.
    pub(crate) fn cigar(&self, best: BestMatch, end: MatchEnd) -> Option<Cigar> {
        if best.distance == 0 {
            return Some(Cigar::of_matches(end.position - best.start));
        }
        if !self.is_kept {
            return None;
        }
        let reads = |state: State, code: Code| {
            let Place(vector, lane) = self.tables.places[state as usize];
            self.tables.readers[usize::from(code)][vector].0[lane] != 0
        };
        let reached = |position: usize, cell: TraceCell| {
            let length = usize::try_from(self.length(position, cell));
            !cell.is_inserted && length.ok() == Some(position - best.start + 1)
        };
        let aligned = AlignedExpression { one: self.one, line: self.line, reads };
        Some(aligned.cigar(best.start..end.position, end.distance, reached))
    }

    /// Returns the length in a cell at a position.
    fn length(&self, position: usize, cell: TraceCell) -> i16 {
        let vectors = self.tables.vectors;
        let Place(vector, lane) = self.tables.places[cell.state as usize];
        self.states[self.slot(position).start + cell.tally * vectors + vector].0[lane]
    }

    /// Computes the lengths at the position from those before it, after a symbol with the code `code`.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, code: Code) {
        let (tables, tallies) = (self.tables, self.one.tallies);
        let vectors = tables.vectors;
        self.following.rotate_right(1);
        let last = std::mem::replace(&mut self.code, code);
        let slots = [self.slot(self.position), self.slot(self.position.wrapping_sub(1))];
        let [here, before] = self.states.get_disjoint_mut(slots).expect("two slots");
        let [following, following_before, following_earlier] = &mut self.following;
        let readers = &tables.readers[usize::from(code)][..vectors];
        let cells = |tally: usize| tally * vectors..(tally + 1) * vectors;
        for (index, tally) in tallies.iter().enumerate() {
            let (following_fewer, following) = following.split_at_mut(index * vectors);
            let at = |step: EditStep| tally.before(step).map(cells);
            let mut substituted = at(EditStep::Substitution).map_or(&self.none[..], |at| &following_before[at]);
            if let Some(at) = at(EditStep::Transposition) {
                // The second symbol is read first, by the states that followed one symbol earlier.
                let second = CellSources::of_matches(&following_earlier[at], readers, &self.none);
                second.fill::<S>(tables, &mut self.middle, &mut self.edited);
                tables.follow_others::<S>(&self.middle, &mut self.edited);
                add_readers::<S>(&mut self.edited, &tables.readers[usize::from(last)], substituted);
                substituted = &self.edited;
            }
            let sources = CellSources {
                read: &following_before[cells(index)],
                readers,
                substituted,
                inserted: at(EditStep::Insertion).map_or(&self.none, |at| &before[at]),
                deleted: at(EditStep::Deletion).map_or(&self.none, |at| &following_fewer[at]),
                starting: if index == 0 { &tables.initial } else { &self.none },
            };
            let (states, following) = (&mut here[cells(index)], &mut following[..vectors]);
            sources.fill::<S>(tables, states, following);
            tables.follow_others::<S>(states, following);
        }
    }
}

/// Keeps the lengths of the states in the masks `readers`, and raises them to at least those of `others`.
#[inline(always)]
fn add_readers<S: Simd>(lengths: &mut [LengthVector], readers: &[LengthVector], others: &[LengthVector]) {
    for ((lengths, readers), others) in lengths.iter_mut().zip(readers).zip(others) {
        for part in (0..LANES).step_by(S::Shorts::COUNT) {
            let read = masked::<S>(S::Shorts::load(&lengths.0[part..]), &readers.0[part..]);
            read.max(S::Shorts::load(&others.0[part..])).store(&mut lengths.0[part..]);
        }
    }
}

/// The lengths from which those of a cell are computed, one vector for each vector of states.
struct CellSources<'a> {
    /// Of the states that follow before the symbol, with the same tally, and the states that read the symbol.
    read: &'a [LengthVector],
    readers: &'a [LengthVector],
    /// Of the states that follow before the symbol.
    substituted: &'a [LengthVector],
    /// Of the states before the symbol.
    inserted: &'a [LengthVector],
    /// Of the states that follow after the symbol.
    deleted: &'a [LengthVector],
    /// Of matches that start.
    starting: &'a [LengthVector],
}

impl<'a> CellSources<'a> {
    /// Returns the sources of the states that read a symbol and follow those of lengths. `none` has no match.
    fn of_matches(read: &'a [LengthVector], readers: &'a [LengthVector], none: &'a [LengthVector]) -> Self {
        CellSources { read, readers, substituted: none, inserted: none, deleted: none, starting: none }
    }

    /// Computes the lengths of a cell, and those in the states that follow by the transitions in the masks.
    #[inline(always)]
    fn fill<S: Simd>(&self, tables: &LengthTables, states: &mut [LengthVector], following: &mut [LengthVector]) {
        let vectors = tables.vectors;
        let (states, following) = (&mut states[..vectors], &mut following[..vectors]);
        let (read, readers, starting) = (&self.read[..vectors], &self.readers[..vectors], &self.starting[..vectors]);
        let (inserted, deleted) = (&self.inserted[..vectors], &self.deleted[..vectors]);
        let substituted = &self.substituted[..vectors];
        let (from_same, from_previous) = (&tables.from_same[..vectors], &tables.from_previous[..vectors]);
        let (zero, one) = (S::Shorts::splat(0), S::Shorts::splat(1));
        for part in (0..LANES).step_by(S::Shorts::COUNT) {
            let load = |lanes: &LengthVector| S::Shorts::load(&lanes.0[part..]);
            let mut previous = zero;
            for at in 0..vectors {
                let read = masked::<S>(load(&read[at]), &readers[at].0[part..]);
                let before = read.max(load(&substituted[at])).max(load(&inserted[at]));
                let grown = before.if_equal(zero, zero, before.plus(one));
                let state = grown.max(load(&deleted[at])).max(load(&starting[at]));
                state.store(&mut states[at].0[part..]);
                let same = masked::<S>(state, &from_same[at].0[part..]);
                let moved = masked::<S>(previous, &from_previous[at].0[part..]);
                same.max(moved).store(&mut following[at].0[part..]);
                previous = state;
            }
            // The next state of one in the last vector is in the next lane of the first.
            let first = &mut following[0].0[part..];
            let moved = masked::<S>(previous.shift_up::<1>(zero), &from_previous[0].0[part..]);
            S::Shorts::load(first).max(moved).store(first);
        }
        for lane in (0..LANES).step_by(S::Shorts::COUNT).skip(1) {
            let moved = states[vectors - 1].0[lane - 1] & from_previous[0].0[lane];
            following[0].0[lane] = following[0].0[lane].max(moved);
        }
    }
}

/// Computes the lengths at the position of a pass, after a symbol with the code `code`, and then at all positions up to
/// `until`.
struct LengthFill<'p, 'a> {
    pass: &'p mut LengthPass<'a>,
    code: Code,
    until: usize,
}

impl SimdOp for LengthFill<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let pass = self.pass;
        pass.fill::<S>(self.code);
        while pass.position < self.until {
            interrupt::check_at(pass.position);
            let code = pass.line.codes[pass.position];
            pass.position += 1;
            pass.fill::<S>(code);
        }
    }
}
