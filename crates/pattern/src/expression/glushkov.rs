//! Builds the automaton of a regular expression by Glushkov's construction (1961): for each part of the expression, the
//! positions with which its strings begin and end, and the transitions between them.
//!
//! A bounded repeat is written out. For n positions and e transitions, time and memory are O(n + e); both numbers are
//! limited.

use std::ops::Range;
use std::sync::Arc;

use regex_syntax::hir::{Hir, HirKind, Repetition};

use super::{Expression, PreferredLength, State, StateCondition, Transition, longest};
use crate::SymbolSet;
use crate::edge::Condition;
use crate::leaves::{Leaves, copies};
use crate::problem::{MAX_STATES, MAX_TRANSITIONS, PatternProblem};
use crate::string_order::StringOrder;

/// An expression that was parsed.
pub(crate) struct ParsedExpression {
    /// The automaton; `None` if the empty string is the only one.
    pub(crate) expression: Option<Expression>,
    /// The conditions under which the empty string matches.
    pub(crate) empty: Vec<Condition>,
}

impl ParsedExpression {
    /// Lets the lengths of matches decide, and not the order of strings: in sequences, matches of both strands are chosen by
    /// the same rule.
    pub(crate) fn without_order(self) -> Self {
        ParsedExpression {
            expression: self.expression.map(|expression| Expression { order: None, ..expression }),
            ..self
        }
    }
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
    /// Whether a quantifier of symbols is lazy, and whether one is greedy. Those that allow one number have no effect.
    is_lazy: bool,
    is_greedy: bool,
}

/// Builds the automaton of an expression.
///
/// # Errors
/// An error of a leaf, or [`PatternProblem::TooManyStates`].
pub(crate) fn parse(hir: &Hir, leaves: &dyn Leaves) -> Result<ParsedExpression, PatternProblem> {
    let positions = count_positions(hir, leaves)?;
    if positions > MAX_STATES {
        return Err(PatternProblem::TooManyStates { states: positions });
    }
    let mut builder = Builder {
        leaves,
        sets: Vec::new(),
        exact: Vec::new(),
        transitions: Vec::new(),
        is_lazy: false,
        is_greedy: false,
    };
    let part = builder.part(hir)?;
    let empty = part.empty.clone();
    let mut required = RequiredPositions { runs: Vec::new(), is_open: false };
    required.add(hir, leaves, 0)?;
    let order = if builder.is_lazy { Some(Arc::new(StringOrder::new(hir, leaves)?)) } else { None };
    let expression = (!part.first.is_empty()).then(|| builder.expression(part, required.runs));
    let expression = expression.map(|expression| Expression { order, ..expression });
    match expression.as_ref().map(Expression::states_in_both_directions) {
        Some(states) if states > MAX_STATES => Err(PatternProblem::TooManyStates { states }),
        _ => Ok(ParsedExpression { expression, empty }),
    }
}

/// The positions of the symbols that all strings of an expression have in common, in order.
struct RequiredPositions {
    /// A range for each run of such symbols without others in between.
    runs: Vec<Range<State>>,
    /// Whether the last run continues with the next symbol.
    is_open: bool,
}

impl RequiredPositions {
    /// Adds those of a part whose first position is `first`. Returns the position after the part.
    fn add(&mut self, hir: &Hir, leaves: &dyn Leaves, first: usize) -> Result<usize, PatternProblem> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Ok(first),
            HirKind::Literal(_) | HirKind::Class(_) => {
                let end = first + leaves.count(hir)?;
                match self.runs.last_mut().filter(|_| self.is_open) {
                    Some(run) => run.end = end as State,
                    None => self.runs.push(first as State..end as State),
                }
                self.is_open = true;
                Ok(end)
            }
            HirKind::Capture(capture) => self.add(&capture.sub, leaves, first),
            HirKind::Repetition(repetition) if repetition.min > 0 => {
                (0..repetition.min).try_fold(first, |first, _| self.add(&repetition.sub, leaves, first))?;
                self.is_open &= repetition.max == Some(repetition.min);
                Ok(first + count_positions(hir, leaves)?)
            }
            HirKind::Concat(parts) => parts.iter().try_fold(first, |first, part| self.add(part, leaves, first)),
            HirKind::Repetition(_) | HirKind::Alternation(_) => {
                self.is_open = false;
                Ok(first + count_positions(hir, leaves)?)
            }
        }
    }
}

/// Returns the number of positions of an expression whose repeats are written out.
pub(crate) fn count_positions(hir: &Hir, leaves: &dyn Leaves) -> Result<usize, PatternProblem> {
    let sum = |parts: &[Hir]| {
        parts.iter().try_fold(0, |sum: usize, part| Ok(sum.saturating_add(count_positions(part, leaves)?)))
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Ok(0),
        HirKind::Class(_) | HirKind::Literal(_) => leaves.count(hir),
        HirKind::Capture(capture) => count_positions(&capture.sub, leaves),
        HirKind::Repetition(repetition) => {
            Ok(count_positions(&repetition.sub, leaves)?.saturating_mul(copies(repetition)))
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

impl Builder<'_> {
    fn part(&mut self, hir: &Hir) -> Result<ExpressionPart, PatternProblem> {
        match hir.kind() {
            HirKind::Empty => Ok(ExpressionPart::empty(Condition::FREE)),
            HirKind::Look(_) => Ok(ExpressionPart::empty(self.leaves.condition(hir)?)),
            HirKind::Literal(_) | HirKind::Class(_) => self.string(self.leaves.sets(hir)?),
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

    /// Returns the part of a string of at least one symbol.
    fn string(&mut self, sets: Vec<SymbolSet>) -> Result<ExpressionPart, PatternProblem> {
        let place = |position: usize| StateCondition { state: position as State, condition: Condition::FREE };
        let (first, last) = (self.sets.len(), self.sets.len() + sets.len() - 1);
        self.sets.extend(sets);
        for position in first..last {
            self.connect(&[place(position)], &[place(position + 1)])?;
        }
        Ok(ExpressionPart { first: vec![place(first)], last: vec![place(last)], empty: Vec::new() })
    }

    /// Returns the part `{min,max}`: `min` copies, then a repeat of the last copy or nested optional copies.
    fn repeat(&mut self, repetition: &Repetition) -> Result<ExpressionPart, PatternProblem> {
        let (min, symbols) = (repetition.min as usize, self.sets.len());
        let mut written = (0..copies(repetition)).map(|_| self.part(&repetition.sub)).collect::<Result<Vec<_>, _>>()?;
        if repetition.max != Some(repetition.min) && self.sets.len() > symbols {
            self.is_lazy |= !repetition.greedy;
            self.is_greedy |= repetition.greedy;
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
        if left.last.is_empty() && left.empty == [Condition::FREE] {
            return Ok(ExpressionPart { first: simplified(right.first), ..right });
        }
        self.connect(&left.last, &right.first)?;
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
    fn expression(self, part: ExpressionPart, required: Vec<Range<State>>) -> Expression {
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
            true => Box::default(),
            false => (0..self.sets.len()).map(|position| self.exact.binary_search(&position).is_ok()).collect(),
        };
        let longest = longest(starts.len() + self.sets.len(), &transitions);
        Expression {
            starts: starts.into(),
            sets: self.sets.into(),
            exact,
            transitions: transitions.into(),
            ends: ends.into(),
            preferred_length: match self.is_lazy && !self.is_greedy {
                true => PreferredLength::Shortest,
                false => PreferredLength::Longest,
            },
            order: None,
            required: required.into(),
            longest,
        }
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

/// Returns the places under each of the conditions.
fn under(places: &[StateCondition], conditions: &[Condition]) -> Vec<StateCondition> {
    let all = conditions.iter().flat_map(|&condition| {
        places.iter().map(move |place| StateCondition { condition: place.condition.and(condition), ..*place })
    });
    simplified(all.collect())
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
