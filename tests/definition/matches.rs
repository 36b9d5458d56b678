//! All matches of an expression in a text, with their edits, by following the tree of the expression.
//!
//! The strings of the expression are spelt symbol by symbol. At each symbol, the text may have more symbols before it
//! (insertions), and the symbol may match, be substituted, be missing, or be exchanged with the next.

use nigh::AmbiguousLetters;

use crate::expression::{Assertion, Class, Part};

/// The number of kinds of edits.
pub(crate) const KINDS: usize = 4;

/// The numbers of insertions, deletions, substitutions and transpositions.
pub(crate) type Edits = [u8; KINDS];

/// Limits on the edits of a match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) k: u8,
    pub(crate) costs: Edits,
    pub(crate) max: Edits,
}

impl Limits {
    pub(crate) fn cost(&self, edits: &Edits) -> u8 {
        edits.iter().zip(&self.costs).map(|(count, cost)| count * cost).sum()
    }

    fn allow(&self, edits: &Edits) -> bool {
        self.cost(edits) <= self.k && edits.iter().zip(&self.max).all(|(count, max)| count <= max)
    }
}

/// A match: a range of symbols, its distance, and the least difference between insertions and deletions that it has
/// with this distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainMatch {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) distance: u8,
    pub(crate) difference: u8,
}

/// A place in an exact group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GroupPlace {
    Outside,
    BeforeFirst,
    Inside,
}

/// A string that was spelt in part, and the text that was read for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Reading {
    /// The number of symbols of the text before the next one.
    position: u8,
    /// The assertions that the next symbol of the string, or the end of the match, must satisfy; a bit each.
    asserted: u8,
    group: GroupPlace,
    /// Whether the string has a symbol.
    has_begun: bool,
    /// Whether the last symbol of the string is the one after the next of the text.
    is_swapped: bool,
    edits: Edits,
}

impl Reading {
    /// Returns the reading of nothing, at a position.
    fn at(position: usize) -> Reading {
        Reading {
            position: position as u8,
            asserted: 0,
            group: GroupPlace::Outside,
            has_begun: false,
            is_swapped: false,
            edits: [0; KINDS],
        }
    }
}

const INSERTION: usize = 0;
const DELETION: usize = 1;
const SUBSTITUTION: usize = 2;
const TRANSPOSITION: usize = 3;

/// A text to be matched.
pub(crate) struct Matcher<'a> {
    pub(crate) text: &'a [char],
    pub(crate) limits: Limits,
    pub(crate) ignores_case: bool,
    /// Where letters that stand for several bases match; `None` if the text has none.
    pub(crate) letters: Option<AmbiguousLetters>,
}

/// Returns the bases that a letter of DNA stands for, or the letter itself.
pub(crate) fn bases(letter: char) -> Vec<char> {
    match letter {
        'N' | 'n' => vec!['A', 'C', 'G', 'T'],
        'R' => vec!['A', 'G'],
        'Y' => vec!['C', 'T'],
        other => vec![other],
    }
}

impl Matcher<'_> {
    /// Returns whether the symbol at a position is one of some classes.
    fn has(&self, classes: &[&Class], at: usize) -> bool {
        let has = |symbol: &char| classes.iter().any(|class| class.has(*symbol, self.ignores_case));
        self.text.get(at).is_some_and(|symbol| match self.letters {
            None => has(symbol),
            Some(AmbiguousLetters::Contained) => bases(*symbol).iter().all(has),
            Some(AmbiguousLetters::Overlapping) => bases(*symbol).iter().any(has),
        })
    }

    /// Returns the matches of an expression, one for each start and end.
    pub(crate) fn matches(&self, expression: &Part) -> Vec<PlainMatch> {
        (0..self.text.len()).flat_map(|start| self.matches_from(expression, start)).collect()
    }

    /// Returns whether an expression matches the empty string, perhaps only where some assertions hold.
    pub(crate) fn has_empty_match(&self, expression: &Part) -> bool {
        self.read(expression, &[Reading::at(0)]).iter().any(|reading| !reading.has_begun)
    }

    fn matches_from(&self, expression: &Part, start: usize) -> Vec<PlainMatch> {
        let ends = self.read(expression, &[Reading::at(start)]);
        let ended = ends.iter().filter(|reading| reading.has_begun && !reading.is_swapped);
        let ended = ended.flat_map(|reading| self.with_insertions(*reading)).filter(|reading| self.holds(reading));
        let rated = ended.filter(|reading| reading.position as usize > start).map(|reading| {
            let difference = reading.edits[INSERTION].abs_diff(reading.edits[DELETION]);
            (reading.position as usize, self.limits.cost(&reading.edits), difference)
        });
        let mut rated: Vec<(usize, u8, u8)> = rated.collect();
        rated.sort_unstable();
        rated.dedup_by_key(|(end, ..)| *end);
        let plain = |(end, distance, difference)| PlainMatch { start, end, distance, difference };
        rated.into_iter().map(plain).collect()
    }

    /// Returns the end of the first match without edits that backtracking finds from `start` on, if `is_match` holds for it.
    pub(crate) fn first_end(&self, expression: &Part, start: usize, is_match: &dyn Fn(usize) -> bool) -> Option<usize> {
        self.backtrack(expression, start, &mut |end| (end > start && is_match(end)).then_some(end))
    }

    /// Matches a part at a position, and goes on with `then` after it. Tries the ways to match in the order of Perl.
    fn backtrack(&self, part: &Part, at: usize, then: &mut dyn FnMut(usize) -> Option<usize>) -> Option<usize> {
        match part {
            Part::Symbol(class) => {
                if self.has(&[class], at) {
                    then(at + 1)
                } else {
                    None
                }
            }
            Part::Assertion(assertion) => {
                if assertion.holds(self.text, at) {
                    then(at)
                } else {
                    None
                }
            }
            Part::Sequence(parts) => match parts.split_first() {
                Some((first, rest)) => {
                    let rest = Part::Sequence(rest.to_vec());
                    self.backtrack(first, at, &mut |at| self.backtrack(&rest, at, then))
                }
                None => then(at),
            },
            Part::Alternatives(parts) => parts.iter().find_map(|part| self.backtrack(part, at, then)),
            Part::Repeat { .. } => self.backtrack_repeat(part, 0, at, then),
            Part::Exact(part) => self.backtrack(part, at, then),
        }
    }

    /// Matches the rest of a repeat after `count` repetitions.
    fn backtrack_repeat(
        &self,
        repeat: &Part,
        count: usize,
        at: usize,
        then: &mut dyn FnMut(usize) -> Option<usize>,
    ) -> Option<usize> {
        let Part::Repeat { part, least, most, is_lazy } = repeat else { panic!("it is a repeat") };
        let again = |then: &mut dyn FnMut(usize) -> Option<usize>| {
            if most.is_some_and(|most| count >= most) {
                return None;
            }
            self.backtrack(part, at, &mut |next| match next == at && count >= *least {
                // A repetition without a symbol ends the repeat.
                true => then(next),
                false => self.backtrack_repeat(repeat, count + 1, next, then),
            })
        };
        match (count < *least, *is_lazy) {
            (true, _) => again(then),
            (false, false) => again(then).or_else(|| then(at)),
            (false, true) => then(at).or_else(|| again(then)),
        }
    }

    /// Returns the readings after a part of the expression.
    fn read(&self, part: &Part, from: &[Reading]) -> Vec<Reading> {
        let mut after: Vec<Reading> = match part {
            Part::Symbol(class) => from.iter().flat_map(|reading| self.read_symbol(&[class], *reading)).collect(),
            Part::Assertion(assertion) => {
                let bit = 1 << Assertion::ALL.iter().position(|one| one == assertion).expect("an assertion");
                from.iter().map(|reading| Reading { asserted: reading.asserted | bit, ..*reading }).collect()
            }
            Part::Sequence(parts) => parts.iter().fold(from.to_vec(), |from, part| self.read(part, &from)),
            Part::Alternatives(parts) => {
                // Alternatives of one symbol are a symbol of all their classes: A|G is [AG], which contains all that R
                // stands for.
                let classes: Vec<&Class> = parts.iter().filter_map(Part::classes).flatten().collect();
                let united = from.iter().flat_map(|reading| self.read_symbol(&classes, *reading));
                let others = parts.iter().filter(|part| part.classes().is_none());
                let others = others.flat_map(|part| self.read(part, from));
                if classes.is_empty() { others.collect() } else { united.chain(others).collect() }
            }
            Part::Repeat { part, least, most, .. } => {
                self.repeat(part, *least..most.map_or(usize::MAX, |most| most), from)
            }
            Part::Exact(part) => {
                let inside = |group| move |reading: &Reading| Reading { group, ..*reading };
                let entered: Vec<Reading> = from.iter().map(inside(GroupPlace::BeforeFirst)).collect();
                self.read(part, &entered).iter().map(inside(GroupPlace::Outside)).collect()
            }
        };
        after.sort_unstable();
        after.dedup();
        after
    }

    /// Returns the readings after at least `times.start` and at most `times.end` repetitions of a part.
    fn repeat(&self, part: &Part, times: std::ops::Range<usize>, from: &[Reading]) -> Vec<Reading> {
        let mut last = from.to_vec();
        for _ in 0..times.start {
            last = self.read(part, &last);
        }
        let mut all = last.clone();
        for _ in times {
            last = self.read(part, &last);
            last.retain(|reading| all.binary_search(reading).is_err());
            if last.is_empty() {
                break;
            }
            all.extend(&last);
            all.sort_unstable();
        }
        all
    }

    /// Returns the readings after a symbol of the string.
    fn read_symbol(&self, classes: &[&Class], reading: Reading) -> Vec<Reading> {
        let has = |at: usize| self.has(classes, at);
        let is_exact = reading.group != GroupPlace::Outside;
        let group = if is_exact { GroupPlace::Inside } else { GroupPlace::Outside };
        if reading.is_swapped {
            let between = Reading { position: reading.position + 1, ..reading };
            let is_read = !is_exact && self.holds(&between) && has(reading.position as usize);
            let after = Reading { position: reading.position + 2, asserted: 0, is_swapped: false, ..reading };
            return if is_read { vec![after] } else { Vec::new() };
        }
        let before = match reading.group {
            GroupPlace::Inside => vec![reading],
            // The assertions at the start of the string hold at the start of the match.
            _ if !reading.has_begun && !self.holds(&reading) => Vec::new(),
            _ if !reading.has_begun => self.with_insertions(Reading { asserted: 0, ..reading }),
            _ => self.with_insertions(reading),
        };
        let mut after = Vec::new();
        for reading in before.into_iter().filter(|reading| self.holds(reading)) {
            let position = reading.position as usize;
            let read = Reading { asserted: 0, group, has_begun: true, ..reading };
            let moved = Reading { position: reading.position + 1, ..read };
            if has(position) {
                after.push(moved);
            }
            if is_exact {
                continue;
            }
            after.extend(self.edited(read, DELETION));
            if position < self.text.len() {
                after.extend(self.edited(moved, SUBSTITUTION));
            }
            if has(position + 1) {
                after.extend(self.edited(Reading { is_swapped: true, ..read }, TRANSPOSITION));
            }
        }
        after
    }

    /// Returns a reading with one edit more, if the limits allow it.
    fn edited(&self, mut reading: Reading, kind: usize) -> Option<Reading> {
        reading.edits[kind] += 1;
        self.limits.allow(&reading.edits).then_some(reading)
    }

    /// Returns a reading with each number of symbols inserted after it.
    fn with_insertions(&self, reading: Reading) -> Vec<Reading> {
        let insert = |reading: &Reading| {
            let moved = Reading { position: reading.position + 1, ..*reading };
            self.edited(moved, INSERTION).filter(|_| (reading.position as usize) < self.text.len())
        };
        std::iter::successors(Some(reading), insert).collect()
    }

    /// Returns whether the assertions of a reading hold at its position.
    fn holds(&self, reading: &Reading) -> bool {
        let asserted = Assertion::ALL.iter().enumerate().filter(|(bit, _)| reading.asserted >> bit & 1 == 1);
        asserted.into_iter().all(|(_, assertion)| assertion.holds(self.text, reading.position as usize))
    }
}
