//! Builds the automaton of a regular expression by Glushkov's construction (1961): for each part of the expression, the
//! positions with which its strings begin and end, and the transitions between them.
//!
//! A bounded repeat is written out. For n positions and e transitions, time and memory are O(n + e); both numbers are
//! limited.

use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};

use super::SymbolSet;
use super::edge::Condition;
use super::expression::{Expression, PreferredLength, State, StateCondition, Transition};
use super::problem::{MAX_STATES, MAX_TRANSITIONS, PatternProblem};

/// Converts the leaves of an expression to symbol sets and conditions.
pub(super) trait Leaves {
    /// Returns the symbols of a literal or class, one set for each symbol of the text.
    fn sets(&self, leaf: &Hir) -> Result<Vec<SymbolSet>, PatternProblem>;
    /// Returns the condition of an assertion.
    fn condition(&self, leaf: &Hir) -> Result<Condition, PatternProblem>;
    /// Returns whether a group must match without an edit.
    fn is_exact(&self, group: &Capture) -> bool;
}

/// An expression that was parsed.
pub(super) struct ParsedExpression {
    /// The automaton; `None` if the empty string is the only one.
    pub(super) expression: Option<Expression>,
    /// The conditions under which the empty string matches.
    pub(super) empty: Vec<Condition>,
}

/// A part of an expression.
#[derive(Clone, Default)]
struct ExpressionPart {
    /// The positions with which strings of the part begin. A condition is on the text before the position.
    first: Vec<StateCondition>,
    /// The positions with which strings of the part end. A condition is on the text after the position.
    last: Vec<StateCondition>,
    /// The conditions under which the part matches the empty string.
    empty: Vec<Condition>,
}

struct Builder<'a> {
    leaves: &'a dyn Leaves,
    sets: Vec<SymbolSet>,
    /// The positions of exact groups, ascending.
    exact: Vec<usize>,
    /// The transitions between positions. States are numbers of positions.
    transitions: Vec<Transition>,
    preferred_length: PreferredLength,
}

/// Builds the automaton of an expression.
///
/// # Errors
/// An error of a leaf, or [`PatternProblem::TooManyStates`].
pub(super) fn parse(hir: &Hir, leaves: &dyn Leaves) -> Result<ParsedExpression, PatternProblem> {
    let positions = count_positions(hir, leaves)?;
    if positions > MAX_STATES {
        return Err(PatternProblem::TooManyStates { states: positions });
    }
    let mut builder = Builder {
        leaves,
        sets: Vec::new(),
        exact: Vec::new(),
        transitions: Vec::new(),
        preferred_length: PreferredLength::Longest,
    };
    let part = builder.part(hir)?;
    let empty = part.empty.clone();
    let required = required(hir, leaves)?;
    let expression = (!part.first.is_empty()).then(|| builder.expression(part, required));
    match expression.as_ref().map(Expression::states_in_both_directions) {
        Some(states) if states > MAX_STATES => Err(PatternProblem::TooManyStates { states }),
        _ => Ok(ParsedExpression { expression, empty }),
    }
}

/// Returns the symbols that all strings have in common, in order. `None` stands for symbols in between that only some
/// strings have.
fn required(hir: &Hir, leaves: &dyn Leaves) -> Result<Vec<Option<SymbolSet>>, PatternProblem> {
    Ok(match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(_) | HirKind::Class(_) => leaves.sets(hir)?.into_iter().map(Some).collect(),
        HirKind::Capture(capture) => required(&capture.sub, leaves)?,
        HirKind::Repetition(repetition) if repetition.min == 0 => vec![None],
        HirKind::Repetition(repetition) => {
            let once = required(&repetition.sub, leaves)?;
            let mut copies = std::iter::repeat_n(once, repetition.min as usize).flatten().collect::<Vec<_>>();
            if repetition.max != Some(repetition.min) {
                copies.push(None);
            }
            copies
        }
        HirKind::Concat(parts) => {
            parts.iter().map(|part| required(part, leaves)).collect::<Result<Vec<_>, _>>()?.concat()
        }
        HirKind::Alternation(_) => vec![None],
    })
}

/// Returns the number of positions of an expression whose repeats are written out.
pub(super) fn count_positions(hir: &Hir, leaves: &dyn Leaves) -> Result<usize, PatternProblem> {
    let sum = |parts: &[Hir]| {
        parts.iter().try_fold(0, |sum: usize, part| Ok(sum.saturating_add(count_positions(part, leaves)?)))
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Ok(0),
        HirKind::Class(_) => Ok(1),
        HirKind::Literal(_) => Ok(leaves.sets(hir)?.len()),
        HirKind::Capture(capture) => count_positions(&capture.sub, leaves),
        HirKind::Repetition(repetition) => {
            Ok(count_positions(&repetition.sub, leaves)?.saturating_mul(copies(repetition)))
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// Returns how many copies of the repeated part are written out.
fn copies(repetition: &Repetition) -> usize {
    repetition.max.unwrap_or(repetition.min.max(1)) as usize
}

impl Builder<'_> {
    fn part(&mut self, hir: &Hir) -> Result<ExpressionPart, PatternProblem> {
        match hir.kind() {
            HirKind::Empty => Ok(ExpressionPart::empty(Condition::FREE)),
            HirKind::Look(_) => Ok(ExpressionPart::empty(self.leaves.condition(hir)?)),
            HirKind::Literal(_) | HirKind::Class(_) => {
                let mut part = ExpressionPart::empty(Condition::FREE);
                for set in self.leaves.sets(hir)? {
                    let symbol = self.symbol(set);
                    part = self.join(part, symbol)?;
                }
                Ok(part)
            }
            HirKind::Capture(capture) if self.leaves.is_exact(capture) => {
                let (first, first_transition) = (self.sets.len(), self.transitions.len());
                let part = self.part(&capture.sub)?;
                self.exact.retain(|&position| position < first);
                self.exact.extend(first..self.sets.len());
                self.transitions[first_transition..].iter_mut().for_each(|transition| transition.joined = true);
                Ok(part)
            }
            HirKind::Capture(capture) => self.part(&capture.sub),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Concat(parts) => parts.iter().try_fold(ExpressionPart::empty(Condition::FREE), |before, part| {
                let part = self.part(part)?;
                self.join(before, part)
            }),
            HirKind::Alternation(parts) => {
                let mut all = ExpressionPart::default();
                for part in parts {
                    all.add(self.part(part)?);
                }
                Ok(all)
            }
        }
    }

    fn symbol(&mut self, set: SymbolSet) -> ExpressionPart {
        let place = StateCondition { state: self.sets.len() as State, condition: Condition::FREE };
        self.sets.push(set);
        ExpressionPart { first: vec![place], last: vec![place], empty: Vec::new() }
    }

    /// Returns the part `{min,max}`: `min` copies, then a repeat of the last copy or nested optional copies.
    fn repeat(&mut self, repetition: &Repetition) -> Result<ExpressionPart, PatternProblem> {
        let (min, symbols) = (repetition.min as usize, self.sets.len());
        let mut written = (0..copies(repetition)).map(|_| self.part(&repetition.sub)).collect::<Result<Vec<_>, _>>()?;
        // A lazy repeat of assertions alone does not make a match shorter.
        if !repetition.greedy && self.sets.len() > symbols {
            self.preferred_length = PreferredLength::Shortest;
        }
        let optional = written.split_off(min.min(written.len()));
        let mut tail = ExpressionPart::empty(Condition::FREE);
        if repetition.max.is_none() {
            // The last copy repeats: the last required one, or the only one of `*`.
            let last = written.pop().or_else(|| optional.into_iter().next()).expect("a copy is written");
            self.connect(&last.last, &last.first)?;
            tail = last;
            if min == 0 {
                tail.allow_empty(Condition::FREE);
            }
        } else {
            for copy in optional.into_iter().rev() {
                tail = self.join(copy, tail)?;
                tail.allow_empty(Condition::FREE);
            }
        }
        written.into_iter().rev().try_fold(tail, |tail, copy| self.join(copy, tail))
    }

    /// Returns the concatenation of two parts.
    fn join(&mut self, left: ExpressionPart, right: ExpressionPart) -> Result<ExpressionPart, PatternProblem> {
        self.connect(&left.last, &right.first)?;
        let under = |places: &[StateCondition], conditions: &[Condition]| -> Vec<StateCondition> {
            let all = conditions.iter().flat_map(|&condition| {
                places.iter().map(move |place| StateCondition { condition: place.condition.and(condition), ..*place })
            });
            simplified(all.collect())
        };
        let mut part = ExpressionPart { first: left.first, last: right.last, empty: Vec::new() };
        part.first.extend(under(&right.first, &left.empty));
        part.last.extend(under(&left.last, &right.empty));
        for &before in &left.empty {
            right.empty.iter().for_each(|&after| part.allow_empty(before.and(after)));
        }
        Ok(part)
    }

    /// Adds a transition from each state of `before` to each of `after`.
    fn connect(&mut self, before: &[StateCondition], after: &[StateCondition]) -> Result<(), PatternProblem> {
        if self.transitions.len().saturating_add(before.len().saturating_mul(after.len())) > MAX_TRANSITIONS {
            return Err(PatternProblem::TooManyTransitions);
        }
        for from in before {
            let to_each = after.iter().map(|to| Transition {
                to: to.state,
                from: from.state,
                condition: from.condition.and(to.condition),
                joined: false,
            });
            self.transitions.extend(to_each);
        }
        Ok(())
    }

    /// Returns the automaton of the whole expression. The states of positions are renumbered to follow the initial
    /// states.
    fn expression(self, part: ExpressionPart, required: Vec<Option<SymbolSet>>) -> Expression {
        let mut starts: Vec<Condition> = part.first.iter().map(|place| place.condition).collect();
        starts.sort_unstable();
        starts.dedup();
        let moved = |state: State| state + starts.len() as State;
        let first = part.first.iter().map(|place| Transition {
            to: moved(place.state),
            from: starts.binary_search(&place.condition).expect("it is one of them") as State,
            condition: Condition::FREE,
            joined: false,
        });
        let between = self.transitions.iter().map(|transition| Transition {
            to: moved(transition.to),
            from: moved(transition.from),
            ..*transition
        });
        let mut transitions: Vec<Transition> = first.chain(between).collect();
        transitions.sort_unstable();
        // A transition without a condition comes first, and makes those with a condition superfluous.
        transitions.dedup_by(|later, first| {
            (later.to, later.from) == (first.to, first.from)
                && (first.condition.is_free() || later.condition == first.condition)
                && (!first.joined || later.joined)
        });
        let end = |place: &StateCondition| StateCondition { state: moved(place.state), ..*place };
        let mut ends: Vec<StateCondition> = part.last.iter().map(end).collect();
        ends.sort_unstable();
        ends.dedup();
        let exact = match self.exact.is_empty() {
            true => Vec::new(),
            false => (0..self.sets.len()).map(|position| self.exact.binary_search(&position).is_ok()).collect(),
        };
        let (sets, preferred_length) = (self.sets, self.preferred_length);
        Expression { starts, sets, exact, transitions, ends, preferred_length, required }
    }
}

impl ExpressionPart {
    /// Returns a part that matches the empty string under a condition.
    fn empty(condition: Condition) -> Self {
        ExpressionPart { empty: vec![condition], ..ExpressionPart::default() }
    }

    fn allow_empty(&mut self, condition: Condition) {
        if condition.is_free() {
            self.empty.clear();
        }
        if !self.empty.contains(&condition) && !self.empty.contains(&Condition::FREE) {
            self.empty.push(condition);
        }
    }

    /// Adds an alternative.
    fn add(&mut self, other: ExpressionPart) {
        self.first.extend(other.first);
        self.last.extend(other.last);
        other.empty.into_iter().for_each(|condition| self.allow_empty(condition));
    }
}

/// Returns `places` without those whose condition is implied by the same position without a condition.
fn simplified(mut places: Vec<StateCondition>) -> Vec<StateCondition> {
    if places.iter().any(|place| !place.condition.is_free()) {
        places.sort_unstable();
        places.dedup_by(|later, first| {
            later.state == first.state && (first.condition.is_free() || later.condition == first.condition)
        });
    }
    places
}
