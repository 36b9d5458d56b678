//! The size of the list of the strings of an expression, which decides how it is searched for.

use regex_syntax::hir::{Hir, HirKind, Repetition};

use crate::leaves::Leaves;
use crate::problem::{MAX_ALTERNATIVES, MAX_SYMBOLS, PatternProblem};

/// The size of the list of the strings of an expression.
#[derive(Clone, Copy)]
pub(super) struct ListSize {
    strings: usize,
    /// The number of symbols of all strings.
    symbols: usize,
    /// The number of symbols of the shortest string.
    pub(super) shortest: usize,
}

/// How much the simulation of an automaton costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AutomatonCost {
    /// A number of edits. Constraints are verified where there are hits without them.
    Plain,
    /// A number of edits, of matches that start or end where a record does. Most records may match, so each string would be
    /// found in most records.
    AtEnds,
    /// The sums of edits and overhangs.
    Overhangs {
        /// The number of different sums.
        sums: usize,
    },
}

impl ListSize {
    const NONE: ListSize = ListSize { strings: 0, symbols: 0, shortest: usize::MAX };
    /// The size of the list of the empty string.
    const EMPTY_STRING: ListSize = ListSize { strings: 1, symbols: 0, shortest: 0 };

    pub(super) fn of(hir: &Hir, leaves: &dyn Leaves) -> Result<Self, PatternProblem> {
        Ok(match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => ListSize::EMPTY_STRING,
            HirKind::Literal(_) | HirKind::Class(_) => {
                let symbols = leaves.count(hir)?;
                ListSize { strings: 1, symbols, shortest: symbols }
            }
            HirKind::Capture(capture) => ListSize::of(&capture.sub, leaves)?,
            HirKind::Repetition(repetition) => ListSize::of(&repetition.sub, leaves)?.repeated(repetition),
            HirKind::Concat(parts) => {
                let mut sizes = parts.iter().map(|part| ListSize::of(part, leaves));
                sizes.try_fold(ListSize::EMPTY_STRING, |all, size| Ok(all.followed_by(size?)))?
            }
            HirKind::Alternation(parts) => {
                let mut sizes = parts.iter().map(|part| ListSize::of(part, leaves));
                sizes.try_fold(ListSize::NONE, |all, size| Ok(all.or(size?)))?
            }
        })
    }

    fn followed_by(self, other: ListSize) -> ListSize {
        let symbols = self.symbols.saturating_mul(other.strings);
        ListSize {
            strings: self.strings.saturating_mul(other.strings),
            symbols: symbols.saturating_add(other.symbols.saturating_mul(self.strings)),
            shortest: self.shortest.saturating_add(other.shortest),
        }
    }

    fn or(self, other: ListSize) -> ListSize {
        ListSize {
            strings: self.strings.saturating_add(other.strings),
            symbols: self.symbols.saturating_add(other.symbols),
            shortest: self.shortest.min(other.shortest),
        }
    }

    /// Returns the size of the list with repeats. Stops counting where the list is too long.
    fn repeated(self, repetition: &Repetition) -> ListSize {
        let max = repetition.max.expect("unbounded repetitions are not counted");
        let mut all = ListSize::NONE;
        for count in repetition.min..=max {
            let strings_of_others = self.strings.saturating_pow(count.saturating_sub(1));
            let symbols = self.symbols.saturating_mul(count as usize).saturating_mul(strings_of_others);
            let shortest = self.shortest.saturating_mul(count as usize);
            all = all.or(ListSize { strings: self.strings.saturating_pow(count), symbols, shortest });
            if within_limits(all.strings, all.symbols).is_err() {
                break;
            }
        }
        all
    }

    /// Returns whether a search for all strings costs more than the simulation of an automaton with `positions` positions.
    /// The strings are counted and not made, because there may be too many.
    ///
    /// One core of a Zen 4 server, a log of 240 MB, k = 1: an address with a port has 324 strings, 5,265 symbols in all,
    /// and 21 positions. The strings took 5.2 s and the automaton 0.29 s, that is 4.1 ps for a symbol of the strings and 57
    /// ps for a position. Few strings are found faster by their seeds.
    pub(super) fn is_dearer_than_automaton(self, positions: usize, cost: AutomatonCost) -> bool {
        const SYMBOLS_FOR_A_POSITION: usize = 14;
        match cost {
            AutomatonCost::Plain => self.strings > 24 && self.symbols > SYMBOLS_FOR_A_POSITION * positions,
            AutomatonCost::AtEnds => self.strings > 4,
            // The more symbols may be beyond an end, the more states there are, each in a set for each sum.
            AutomatonCost::Overhangs { sums } => self.strings > 24.max(sums.saturating_mul(sums) / 2),
        }
    }
}

/// Fails if a list has too many strings or symbols.
pub(super) fn within_limits(alternatives: usize, symbols: usize) -> Result<(), PatternProblem> {
    if alternatives > MAX_ALTERNATIVES {
        return Err(PatternProblem::TooManyAlternatives);
    }
    if symbols > MAX_SYMBOLS {
        return Err(PatternProblem::TooManySymbols);
    }
    Ok(())
}
