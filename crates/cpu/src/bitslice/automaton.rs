//! Bit-sliced simulation of an automaton with at most k edits, with one text stream per bit.
//!
//! This is the recurrence of Wu and Manber (1992) over the states of Glushkov's automaton: a set of streams for each
//! state and each number of edits. For each number of edits, a step costs one operation for each transition and a few
//! for each state. For t transitions, n symbols of text and w streams, the scan takes O(t k n/w) time.
//!
//! The conditions at a position depend on the symbols on both of its sides, so a position is evaluated when the symbol
//! after it is read. The ends of lines and records are symbols that clear all states. A stream first reads the end of
//! the previous stream: as many symbols as a match covers, or, if matches have no largest length, all symbols from the
//! start of the line that continues into the stream.

use super::code_sets::read_sets;
pub use super::myers::StreamHit;
use super::planes::Planes;
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp};
use nigh_tables::code_sets::CodeSets;
use nigh_tables::coded_automaton::{ALWAYS, CodedAutomaton, ENDS, WORDS};
use nigh_text::interrupt;
use nigh_verify::WantedHits;

/// The number of steps whose symbols are compared with the sets at a time.
const STEPS: usize = 4;

/// The result of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanOutcome {
    /// All hits were found.
    All,
    /// A line is longer than a stream, or there are more hits than the limit.
    Unfit,
}

/// Replaces `hits` by the hits of an automaton that `request` asks for in the planes, in no order.
pub fn scan(
    automaton: &CodedAutomaton,
    isa: Isa,
    (planes, request): (&Planes, &ScanRequest),
    hits: &mut Vec<StreamHit>,
) -> ScanOutcome {
    hits.clear();
    isa.run(AutomatonScan { planes, automaton, request, hits })
}

/// The hits that a scan reports, and the limits that it may assume.
pub struct ScanRequest {
    pub wanted: WantedHits,
    /// The scan is given up if there are more hits than this.
    pub limit: usize,
    /// The largest number of symbols that a match covers; `None` if lines must be read from their starts.
    pub max_match_len: Option<usize>,
}

struct AutomatonScan<'a> {
    planes: &'a Planes,
    automaton: &'a CodedAutomaton,
    request: &'a ScanRequest,
    hits: &'a mut Vec<StreamHit>,
}

impl SimdOp for AutomatonScan<'_> {
    type Output = ScanOutcome;

    #[inline(always)]
    fn run<L: Simd>(self) -> ScanOutcome {
        let AutomatonScan { planes, automaton, request, hits } = self;
        let mut sets = vec![0; automaton.sets.count() * STEPS * L::WORDS];
        let warm_up = match request.max_match_len {
            // One symbol more, for the conditions at the start of a match.
            Some(length) => Some((length + 1).next_multiple_of(STEPS)).filter(|&steps| steps <= planes.steps()),
            None => steps_to_line_starts::<L>(planes, &automaton.sets, &mut sets),
        };
        let Some(warm_up) = warm_up else { return ScanOutcome::Unfit };
        let mut streams: AutomatonStreams<'_, L> = AutomatonStreams::new(automaton);
        let mut collector = HitCollector::new(planes, request.wanted, hits, automaton.k + 1);
        for first in (-(warm_up as isize)..planes.steps() as isize).step_by(STEPS) {
            interrupt::check_at(first.unsigned_abs());
            if first == 0 {
                streams.restart_first();
            }
            read_sets::<L, STEPS>(&automaton.sets, planes, first, &mut sets);
            for at in 0..STEPS {
                // A hit is at the end of a symbol, not at the start of a line or record.
                let at_start = streams.ended;
                let accepted = at_start.and_not(streams.read(&sets, at));
                let Ok(first) = usize::try_from(first) else { continue };
                collector.take(first + at, accepted, &streams.accepted, streams.ended);
                if collector.hits.len() > request.limit {
                    return ScanOutcome::Unfit;
                }
            }
        }
        collector.finish();
        ScanOutcome::All
    }
}

/// Returns the number of steps, rounded up, that each stream must read before its start to begin at the start of a
/// line. Returns `None` if a line is longer than a stream.
#[inline(always)]
fn steps_to_line_starts<L: Simd>(planes: &Planes, code_sets: &CodeSets, sets: &mut [u64]) -> Option<usize> {
    // The first stream starts with a line. Streams beyond the end of the text need no line start.
    let mut has_start = [!0u64; 8];
    let used = planes.symbols().div_ceil(planes.steps());
    for stream in 1..used {
        has_start[stream % L::WORDS] &= !(1 << (stream / L::WORDS));
    }
    let mut has_start = L::load(&has_start);
    let all = |has_start: L| !L::ones().xor(has_start).any();
    let mut warm_up = 0;
    while !all(has_start) {
        if warm_up == planes.steps() {
            return None;
        }
        warm_up += STEPS;
        read_sets::<L, STEPS>(code_sets, planes, -(warm_up as isize), sets);
        for at in 0..STEPS {
            has_start = has_start.or(L::load(&sets[(ENDS * STEPS + at) * L::WORDS..]));
        }
    }
    Some(warm_up)
}

/// Returns the streams whose symbol at the step `at` is in the set with the index `index`.
#[inline(always)]
fn member<L: Simd>(sets: &[u64], index: usize, at: usize) -> L {
    L::load(&sets[(index * STEPS + at) * L::WORDS..])
}

/// Tests which symbols states read at a step. A closure in its place would not be inlined, and would pass vectors
/// through memory.
struct SymbolReaders<'a> {
    is_inverted: &'a [bool],
    /// The streams whose symbol is in each set, `[set][step]`.
    sets: &'a [u64],
    at: usize,
}

impl SymbolReaders<'_> {
    /// Returns the streams of `following` whose symbol is in the set of a reader.
    #[inline(always)]
    fn read<L: Simd>(&self, following: L, reader: u32) -> L {
        let set: L = member(self.sets, reader as usize, self.at);
        if self.is_inverted[reader as usize] { set.and_not(following) } else { set.and(following) }
    }
}

/// The states of all streams.
struct AutomatonStreams<'a, L> {
    automaton: &'a CodedAutomaton,
    /// The streams in each state after the last symbol, `[level][state]`. Neither deletions nor new matches are
    /// included.
    active: Vec<L>,
    /// The streams in each state at the last position, for the level that is computed and the one below.
    here: [Vec<L>; 2],
    /// For each state, the streams in one of its predecessors, for the same two levels as `here`. Initial states are
    /// left out.
    following: [Vec<L>; 2],
    /// The streams that accept at the last position, for each level.
    accepted: Vec<L>,
    /// The streams in which each condition holds at the last position.
    conditions: Vec<L>,
    /// The streams by the kind of their last symbol: none, word character in ASCII, other word character, any other
    /// symbol.
    last: [L; 4],
    /// The streams whose last symbol is the end of a line or record.
    ended: L,
}

impl<'a, L: Simd> AutomatonStreams<'a, L> {
    #[inline(always)]
    fn new(automaton: &'a CodedAutomaton) -> Self {
        let none = |count: usize| vec![L::zero(); count];
        let (states, positions) = (automaton.states(), automaton.readers.len());
        AutomatonStreams {
            automaton,
            active: none((automaton.k + 1) * states),
            here: [none(states), none(states)],
            following: [none(positions), none(positions)],
            accepted: none(automaton.k + 1),
            conditions: vec![L::ones(); automaton.conditions.len()],
            last: [L::ones(), L::zero(), L::zero(), L::zero()],
            ended: L::ones(),
        }
    }

    /// Puts the first stream at the start of a line or record.
    #[inline(always)]
    fn restart_first(&mut self) {
        let mut first = [0; 8];
        first[0] = 1;
        let first = L::load(&first);
        self.active.iter_mut().for_each(|active| *active = first.and_not(*active));
        let [none, others @ ..] = &mut self.last;
        *none = none.or(first);
        others.iter_mut().for_each(|last| *last = first.and_not(*last));
    }

    /// Reads the next symbol of each stream: the symbol at the step `at` of the sets `[set][step]`. Returns the streams
    /// that accept at the position before it.
    #[inline(always)]
    fn read(&mut self, sets: &[u64], at: usize) -> L {
        let automaton = self.automaton;
        let ends = member::<L>(sets, ENDS, at);
        if automaton.conditions.len() > 1 {
            self.judge(ends, member(sets, WORDS, at), member(sets, WORDS + 1, at));
        }
        self.ended = ends;
        let readers = SymbolReaders { is_inverted: &automaton.is_inverted, sets, at };
        let states = automaton.states();
        let mut any = L::zero();
        for level in 0..=automaton.k {
            let active = &mut self.active[level * states..(level + 1) * states];
            let [here, here_below] = &mut self.here;
            let [following, following_below] = &mut self.following;
            std::mem::swap(here, here_below);
            std::mem::swap(following, following_below);
            match level {
                0 => begin(automaton, active, &self.conditions, here),
                _ => arrive(active, following_below, here),
            }
            let mut accepted = L::zero();
            for &(state, condition) in &automaton.accepting {
                let reached = here[state as usize];
                accepted = accepted.or(match condition {
                    ALWAYS => reached,
                    condition => reached.and(self.conditions[condition as usize]),
                });
            }
            self.accepted[level] = accepted;
            any = any.or(accepted);
            follow(automaton, here, &self.conditions, following);
            let (initial, positions) = active.split_at_mut(automaton.initial.len());
            if level == 0 {
                initial.fill(L::zero());
                for ((active, &following), &reader) in positions.iter_mut().zip(&*following).zip(&automaton.readers) {
                    *active = ends.and_not(readers.read(following, reader));
                }
                continue;
            }
            // A text symbol can be inserted in any state.
            let (initial_below, positions_below) = here_below.split_at(initial.len());
            for (active, &below) in initial.iter_mut().zip(initial_below) {
                *active = ends.and_not(below);
            }
            let below = positions_below.iter().zip(&*following_below);
            let targets = positions.iter_mut().zip(&*following).zip(&automaton.readers);
            for (((active, &following), &reader), (&inserted, &substituted)) in targets.zip(below) {
                *active = ends.and_not(readers.read(following, reader).or3(inserted, substituted));
            }
        }
        any
    }

    /// Computes the streams in which each condition holds between the last symbol and the next one. The masks mark the
    /// streams whose next symbol is an end, a word character in ASCII, or another word character. Then makes the next
    /// symbol the last one.
    #[inline(always)]
    fn judge(&mut self, ends: L, ascii_word: L, word: L) {
        let other = ends.or3(ascii_word, word).xor(L::ones());
        let next = [ends, ascii_word, word, other];
        for (holds, &contexts) in self.conditions.iter_mut().zip(&self.automaton.conditions).skip(1) {
            *holds = L::zero();
            for (before, &last) in self.last.iter().enumerate() {
                let mut after = L::zero();
                for (index, &next) in next.iter().enumerate() {
                    if contexts >> (4 * before + index) & 1 == 1 {
                        after = after.or(next);
                    }
                }
                *holds = last.and(after).or(*holds);
            }
        }
        self.last = next;
    }
}

/// Computes the streams in each state without edits at a position: those in which the state was active, and those in
/// which a match begins here.
#[inline(always)]
fn begin<L: Simd>(automaton: &CodedAutomaton, active: &[L], conditions: &[L], here: &mut [L]) {
    here.copy_from_slice(active);
    for (here, &condition) in here.iter_mut().zip(&automaton.initial) {
        *here = conditions[condition as usize];
    }
}

/// Computes the streams in each state at a level with edits: those in which the state was active, and those that reach
/// it by deletions from the level below.
#[inline(always)]
fn arrive<L: Simd>(active: &[L], following_below: &[L], here: &mut [L]) {
    let initial = active.len() - following_below.len();
    here[..initial].copy_from_slice(&active[..initial]);
    for ((here, &active), &deleted) in here[initial..].iter_mut().zip(&active[initial..]).zip(following_below) {
        *here = active.or(deleted);
    }
}

/// Computes, for each state that is not initial, the streams in one of its predecessors.
#[inline(always)]
fn follow<L: Simd>(automaton: &CodedAutomaton, here: &[L], conditions: &[L], following: &mut [L]) {
    let mut first = 0;
    for (following, &end) in following.iter_mut().zip(&automaton.ends_of_before) {
        let mut reached = L::zero();
        for &state in &automaton.before[first..end as usize] {
            reached = reached.or(here[state as usize]);
        }
        *following = reached;
        first = end as usize;
    }
    let initial = automaton.initial.len();
    for &(to, from, condition) in &automaton.guarded {
        let reached = here[from as usize].and(conditions[condition as usize]);
        let following = &mut following[to as usize - initial];
        *following = following.or(reached);
    }
}

/// Collects the wanted hits of all streams.
struct HitCollector<'h, L> {
    planes: &'h Planes,
    wanted: WantedHits,
    hits: &'h mut Vec<StreamHit>,
    /// The streams with a hit in the line or record that they read.
    selected: L,
    /// The hits of the last step, if outermost hits are wanted.
    previous: StepHits<L>,
    /// For each stream, the index in `hits` of the last hit after the first one in a line or record; `None` if there is none.
    last: Vec<Option<usize>>,
}

/// The hits at the position before the symbols of a step.
struct StepHits<L> {
    step: usize,
    accepted: L,
    /// The streams that accept with each number of edits.
    levels: Vec<L>,
}

impl<'h, L: Simd> HitCollector<'h, L> {
    #[inline(always)]
    fn new(planes: &'h Planes, wanted: WantedHits, hits: &'h mut Vec<StreamHit>, levels: usize) -> Self {
        let previous = StepHits { step: 0, accepted: L::zero(), levels: vec![L::zero(); levels] };
        HitCollector {
            planes,
            wanted,
            hits,
            selected: L::zero(),
            previous,
            last: vec![None; u64::BITS as usize * L::WORDS],
        }
    }

    /// Takes the hits of a step, in the streams `accepted`. `levels` are the streams that accept with each number of edits,
    /// and `ended` those whose line or record ends with the symbol of this step.
    #[inline(always)]
    fn take(&mut self, step: usize, accepted: L, levels: &[L], ended: L) {
        if self.wanted.are_all() {
            if accepted.any() {
                for_each_hit(self.planes, step, accepted, levels, |_, hit| self.hits.push(hit));
            }
            return;
        }
        let first = self.selected.and_not(accepted);
        if self.wanted == WantedHits::Outermost {
            // The last hit of a line or record ends a run of hits at successive positions.
            let run_ends = accepted.and_not(self.previous.accepted);
            if run_ends.any() {
                self.replace_last(run_ends);
            }
            self.previous.step = step;
            self.previous.accepted = accepted;
            self.previous.levels.copy_from_slice(levels);
        }
        if first.any() {
            let (hits, last) = (&mut *self.hits, &mut self.last);
            for_each_hit(self.planes, step, first, levels, |stream, hit| {
                hits.push(hit);
                last[stream] = None;
            });
        }
        self.selected = ended.and_not(self.selected.or(first));
    }

    /// Ends the scan.
    #[inline(always)]
    fn finish(&mut self) {
        self.replace_last(self.previous.accepted);
    }

    /// Makes the hits of the previous step in the streams `run_ends` the last ones of their lines or records.
    #[inline(always)]
    fn replace_last(&mut self, run_ends: L) {
        let (hits, last) = (&mut *self.hits, &mut self.last);
        for_each_hit(self.planes, self.previous.step, run_ends, &self.previous.levels, |stream, hit| {
            match last[stream] {
                Some(at) => hits[at] = hit,
                None => {
                    last[stream] = Some(hits.len());
                    hits.push(hit);
                }
            }
        });
    }
}

/// Passes on the hits of a step in the streams `accepted`, each with its stream. `levels` are the streams that accept with
/// each number of edits.
#[inline(always)]
fn for_each_hit<L: Simd>(
    planes: &Planes,
    step: usize,
    accepted: L,
    levels: &[L],
    mut each: impl FnMut(usize, StreamHit),
) {
    let mut rest = [0; 8];
    accepted.store(&mut rest);
    for (distance, &accepted) in levels.iter().enumerate() {
        let mut words = [0; 8];
        accepted.store(&mut words);
        for (word, (&accepted, rest)) in words.iter().zip(&mut rest).enumerate().take(L::WORDS) {
            let mut left = accepted & *rest;
            *rest &= !accepted;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let stream = bit * L::WORDS + word;
                let next = stream * planes.steps() + step;
                if next > 0 && next < planes.symbols() {
                    each(stream, StreamHit::new(next - 1, distance as u64));
                }
            }
        }
    }
}
