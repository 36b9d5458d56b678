//! The best matches of all ends in a line or record, in one pass over it.
//!
//! This is the simulation of `differences` from all positions at once. In place of the bit of a state there is a length:
//! that of the longest match so far that reaches the state, with these edits and this difference between insertions and
//! deletions. At the end of a match, the longest is the one that starts first.
//!
//! Lengths are 16-bit integers, so that one instruction handles many states. With s states and d edits, n symbols take
//! O(n s d²) time. If the lengths of all positions of a match are kept, the alignment follows from them: before a cell of
//! length l there is a cell of length l - 1, or one of length l at the same position. Any path back along these cells
//! leads to the start of the longest match: if a cell of it had a longer match, so would the end.

use super::line::{EncodedLine, MatchEnd};
use super::starts::BestMatch;
use super::trace::{AlignedExpression, TraceCell};
use crate::alignment::Cigar;
use crate::engine::encoder::{Code, OTHER};
use crate::interrupt;
use crate::pattern::{Expression, State, Transition};
use crate::simd::isa::Isa;
use crate::simd::vector::{Simd, SimdOp};

/// The largest length of a match: lengths are stored with 1 added, and 0 where there is no match.
const MAX_LENGTH: usize = i16::MAX as usize - 1;
/// The number of states is rounded up to a multiple of this number, so that loops over them have no remainder.
const LANES: usize = 32;
/// The largest size of the lengths that are kept for alignments, in bytes.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// The automaton of an expression as masks of 16-bit integers, for text in codes of classes.
pub(super) struct LengthTables {
    /// The number of states, rounded up.
    lanes: usize,
    /// The states that read a symbol of each class.
    readers: Vec<Vec<i16>>,
    /// 1 for each initial state: a match that starts has length 0.
    initial: Vec<i16>,
    accepting: Vec<State>,
    /// The states with a transition from the state before them.
    from_previous: Vec<i16>,
    /// The states with a transition from themselves.
    from_same: Vec<i16>,
    others: OtherTransitions,
    /// For each state, the index of the first transition into it; then the number of transitions.
    into: Vec<u32>,
    /// The largest length of a match.
    longest: usize,
}

/// The transitions that do not lead to the same state or to the next one.
enum OtherTransitions {
    /// The states with the same targets, and these targets.
    Grouped(Vec<[Vec<i16>; 2]>),
    /// The states before and after each transition.
    Listed(Vec<(usize, usize)>),
}

impl LengthTables {
    /// Makes the tables of an expression whose matches have at most `longest` symbols. `reads` tells whether a state reads
    /// the symbols of each of `classes` classes. Returns `None` if the expression has conditions or its matches are too
    /// long.
    pub(super) fn new(
        expression: &Expression,
        longest: usize,
        (classes, reads): (usize, &dyn Fn(State, Code) -> bool),
    ) -> Option<Self> {
        if expression.has_conditions() || longest > MAX_LENGTH {
            return None;
        }
        let lanes = expression.states().next_multiple_of(LANES);
        let mask = |states: &mut dyn Iterator<Item = usize>| {
            let mut mask = vec![0; lanes];
            states.for_each(|state| mask[state] = -1);
            mask
        };
        let positions = expression.starts().len() as State..expression.states() as State;
        let readers = (0..classes).map(|code| {
            let readers = positions.clone().filter(|&state| reads(state, code as Code));
            mask(&mut readers.map(|state| state as usize))
        });
        let pairs = || expression.transitions().iter().map(|one| (one.from as usize, one.to as usize));
        let others = pairs().filter(|(from, to)| from != to && from + 1 != *to).collect();
        let before = |state: usize| expression.transitions().partition_point(|one| (one.to as usize) < state) as u32;
        Some(LengthTables {
            lanes,
            readers: readers.collect(),
            initial: mask(&mut (0..expression.starts().len())).iter().map(|bits| bits & 1).collect(),
            accepting: expression.ends().iter().map(|end| end.state).collect(),
            from_previous: mask(&mut pairs().filter(|(from, to)| from + 1 == *to).map(|(_, to)| to)),
            from_same: mask(&mut pairs().filter(|(from, to)| from == to).map(|(_, to)| to)),
            others: OtherTransitions::new(others, lanes, mask),
            into: (0..=expression.states()).map(before).collect(),
            longest,
        })
    }

    /// Computes the lengths in the states that follow those with the lengths `reached`.
    #[inline(always)]
    fn follow(&self, reached: &[i16], following: &mut [i16]) {
        let lanes = following.len();
        let (reached, same, previous) = (&reached[..lanes], &self.from_same[..lanes], &self.from_previous[..lanes]);
        for lane in 0..lanes {
            following[lane] = reached[lane] & same[lane];
        }
        for lane in 1..lanes {
            following[lane] = following[lane].max(reached[lane - 1] & previous[lane]);
        }
        match &self.others {
            OtherTransitions::Grouped(groups) => {
                for [from, to] in groups {
                    let (from, to) = (&from[..lanes], &to[..lanes]);
                    // A loop, since a closure would not be compiled for the instruction set.
                    let mut longest = 0;
                    for lane in 0..lanes {
                        longest = longest.max(reached[lane] & from[lane]);
                    }
                    if longest > 0 {
                        for lane in 0..lanes {
                            following[lane] = following[lane].max(longest & to[lane]);
                        }
                    }
                }
            }
            OtherTransitions::Listed(pairs) => {
                for &(from, to) in pairs {
                    following[to] = following[to].max(reached[from]);
                }
            }
        }
    }
}

impl OtherTransitions {
    fn new(
        mut pairs: Vec<(usize, usize)>,
        lanes: usize,
        mask: impl Fn(&mut dyn Iterator<Item = usize>) -> Vec<i16>,
    ) -> Self {
        pairs.sort_unstable();
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for own in pairs.chunk_by(|a, b| a.0 == b.0) {
            let targets: Vec<usize> = own.iter().map(|pair| pair.1).collect();
            match groups.iter_mut().find(|(_, known)| *known == targets) {
                Some((states, _)) => states.push(own[0].0),
                None => groups.push((vec![own[0].0], targets)),
            }
            // A group takes two operations for each vector of lanes.
            if groups.len() * 2 * lanes / LANES > pairs.len() {
                return OtherTransitions::Listed(pairs);
            }
        }
        let masks = groups.into_iter().map(|(from, to)| [from, to].map(|states| mask(&mut states.into_iter())));
        OtherTransitions::Grouped(masks.collect())
    }
}

/// A pass over a line or record. Lengths are ordered by the number of edits, then the difference, then the state.
pub(super) struct LengthPass<'a> {
    tables: &'a LengthTables,
    line: &'a EncodedLine<'a>,
    isa: Isa,
    /// The largest number of edits.
    edits: usize,
    position: usize,
    /// The lengths at the position and before it, and in the states that follow there.
    here: PositionLengths,
    before: PositionLengths,
    /// Lengths where there are no matches.
    none: Vec<i16>,
    /// The lengths at the last positions; empty if they are not kept.
    kept: Vec<i16>,
    /// The number of positions that are kept, less one. All its bits are 1.
    kept_mask: usize,
}

/// The lengths at a position.
#[derive(Clone)]
struct PositionLengths {
    states: Vec<i16>,
    following: Vec<i16>,
}

/// Whether the lengths of the last positions are kept, so that matches can be aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptLengths {
    ForAlignments,
    None,
}

impl<'a> LengthPass<'a> {
    /// Prepares a pass for matches with at most `edits` edits.
    pub(super) fn new(tables: &'a LengthTables, line: &'a EncodedLine<'a>, edits: usize, kept: KeptLengths) -> Self {
        let size = (edits + 1) * (edits + 1) * tables.lanes;
        let none = PositionLengths { states: vec![0; size], following: vec![0; size] };
        let positions = (tables.longest.min(line.last - line.first) + 1).next_power_of_two();
        let is_kept = kept == KeptLengths::ForAlignments && positions * size * size_of::<i16>() <= MAX_KEPT_BYTES;
        let mut pass = LengthPass {
            tables,
            line,
            isa: Isa::preferred(),
            edits,
            position: line.first,
            here: none.clone(),
            before: none,
            none: vec![0; tables.lanes],
            kept: vec![0; if is_kept { positions * size } else { 0 }],
            kept_mask: positions - 1,
        };
        pass.restart(line.first);
        pass
    }

    /// Forgets all matches and begins at a position.
    fn restart(&mut self, position: usize) {
        self.position = position;
        self.here.states.fill(0);
        self.here.following.fill(0);
        self.isa.run(LengthFill { pass: self, code: OTHER, until: position });
    }

    /// Returns the best match of an end. The end is at the position of the last one, or after it.
    pub(super) fn best(&mut self, end: MatchEnd) -> BestMatch {
        let first = end.position.saturating_sub(self.tables.longest);
        if first > self.position {
            self.restart(first);
        }
        if end.position > self.position {
            let code = self.line.codes[self.position];
            self.position += 1;
            self.isa.run(LengthFill { pass: self, code, until: end.position });
        }
        let distance = end.distance as isize;
        let lengths = (0..=distance).map(|difference| {
            let longest = |difference| {
                let cell = |&state: &State| TraceCell { state, edits: end.distance, difference };
                let lengths = self.tables.accepting.iter().map(|state| self.here.states[self.index(cell(state))]);
                lengths.max().unwrap_or(0)
            };
            (difference as usize, longest(difference).max(longest(-difference)))
        });
        // A match covers at least one symbol.
        let (difference, length) = lengths.into_iter().find(|&(_, length)| length > 1).expect("a match ends here");
        BestMatch { distance: end.distance, difference, start: end.position - (length as usize - 1) }
    }

    /// Returns the alignment of the best match of an end, directly after [`best`](Self::best); `None` if the lengths are
    /// not kept.
    pub(super) fn cigar(&self, expression: &Expression, best: BestMatch, end: MatchEnd) -> Option<Cigar> {
        if best.distance == 0 {
            return Some(Cigar::of_matches(end.position - best.start));
        }
        if self.kept.is_empty() {
            return None;
        }
        let size = self.here.states.len();
        let reads = |state: State, code: Code| self.tables.readers[usize::from(code)][state as usize] != 0;
        let into = |state: State| -> &[Transition] {
            let range = &self.tables.into[state as usize..][..2];
            &expression.transitions()[range[0] as usize..range[1] as usize]
        };
        let reached = |position: usize, cell: TraceCell| {
            let kept = &self.kept[(position & self.kept_mask) * size..];
            usize::try_from(kept[self.index(cell)]).ok() == Some(position - best.start + 1)
        };
        let aligned = AlignedExpression { expression, line: self.line, reads, into };
        Some(aligned.cigar(best.start..end.position, end.distance, reached))
    }

    /// Returns the index of a cell in the lengths of a position.
    fn index(&self, cell: TraceCell) -> usize {
        let nth = (cell.difference + cell.edits as isize) as usize;
        (cell.edits * cell.edits + nth) * self.tables.lanes + cell.state as usize
    }

    /// Computes the lengths at the position from those before it, after a symbol with the code `code`.
    #[inline(always)]
    fn fill(&mut self, code: Code) {
        let lanes = self.tables.lanes;
        std::mem::swap(&mut self.here, &mut self.before);
        let readers = &self.tables.readers[usize::from(code)][..lanes];
        let cells = |from: usize| from * lanes..(from + 1) * lanes;
        for edits in 0..=self.edits {
            // The first cell of one edit less.
            let fewer = edits.saturating_sub(1) * edits.saturating_sub(1);
            let has = |nth: usize| edits > 0 && nth <= 2 * (edits - 1);
            for nth in 0..=2 * edits {
                let cell = edits * edits + nth;
                let (_, states) = self.here.states.split_at_mut(cell * lanes);
                let (following_fewer, following) = self.here.following.split_at_mut(cell * lanes);
                let (states, following) = (&mut states[..lanes], &mut following[..lanes]);
                let none = &self.none[..lanes];
                // The cell of the same difference has the index nth - 1 among those of one edit less.
                let fewer_at = |nth: usize| if has(nth) { Some(cells(fewer + nth)) } else { None };
                let substituted = fewer_at(nth.wrapping_sub(1)).map_or(none, |at| &self.before.following[at]);
                let inserted = fewer_at(nth.wrapping_sub(2)).map_or(none, |at| &self.before.states[at]);
                let deleted = fewer_at(nth).map_or(none, |at| &following_fewer[at]);
                let read = &self.before.following[cells(cell)];
                for lane in 0..lanes {
                    let before = (read[lane] & readers[lane]).max(substituted[lane]).max(inserted[lane]);
                    let grown = before + i16::from(before > 0);
                    states[lane] = grown.max(deleted[lane]);
                }
                if cell == 0 {
                    for (state, initial) in states.iter_mut().zip(&self.tables.initial) {
                        *state = (*state).max(*initial);
                    }
                }
                self.tables.follow(states, following);
            }
        }
        if !self.kept.is_empty() {
            let size = self.here.states.len();
            let slot = (self.position & self.kept_mask) * size;
            self.kept[slot..slot + size].copy_from_slice(&self.here.states);
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
        pass.fill(self.code);
        while pass.position < self.until {
            interrupt::check_at(pass.position);
            let code = pass.line.codes[pass.position];
            pass.position += 1;
            pass.fill(code);
        }
    }
}
