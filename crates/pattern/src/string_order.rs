//! The end of a match that a backtracking matcher such as Perl's finds: the strings of an expression have an order, in
//! which greedy quantifiers try more repetitions first, lazy ones fewer, and alternatives come as they are written.
//!
//! The expression is a program of a virtual machine, whose threads are kept in the order of their priority (R. Pike; R.
//! Cox, "Regular expression matching: the virtual machine approach", 2009). For a text of n symbols and a program of p
//! steps, time is O(n p).

use std::ops::Range;

use regex_syntax::hir::{Hir, HirKind, Repetition};

use super::edge::Condition;
use super::leaves::{Leaves, copies};
use super::problem::PatternProblem;

/// The number of a step.
type StepIndex = u32;

/// The index of a position of the expression among its sets of symbols.
type SetIndex = u16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderStep {
    /// Reads a symbol of a position, then goes on with the next step.
    Symbol(SetIndex),
    /// Goes on with the next step under a condition.
    Assert(Condition),
    /// Goes on with the first step or, in threads of lower priority, the second.
    Fork(StepIndex, StepIndex),
    /// Goes on with a step.
    Jump(StepIndex),
}

/// The order of the strings of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StringOrder {
    /// The program. A match ends after its last step.
    steps: Box<[OrderStep]>,
    /// The condition on the end of a match.
    end: Condition,
}

/// A text as the program reads it.
pub struct OrderedText<R, H> {
    /// The positions of a match: it starts at the first one, and ends at or before the last one.
    pub positions: Range<usize>,
    /// Returns whether the symbol after a position of the text is one of a position of the expression, which is an index
    /// of `Expression::sets`.
    pub reads: R,
    /// Returns whether a condition holds at a position of the text.
    pub holds: H,
}

struct OrderBuilder<'a> {
    leaves: &'a dyn Leaves,
    steps: Vec<OrderStep>,
    /// The number of positions so far.
    positions: usize,
}

/// The threads at a position of the text, in the order of their priority, and the steps that any of them has reached.
#[derive(Default)]
struct Threads {
    at: Vec<StepIndex>,
    /// For each step, the last round in which a thread reached it.
    reached: Vec<usize>,
    waiting: Vec<StepIndex>,
}

impl StringOrder {
    /// Makes the order of the strings of `hir`. Positions are counted as for its automaton.
    pub(super) fn new(hir: &Hir, leaves: &dyn Leaves) -> Result<Self, PatternProblem> {
        let mut builder = OrderBuilder { leaves, steps: Vec::new(), positions: 0 };
        builder.add(hir)?;
        Ok(StringOrder { steps: builder.steps.into(), end: Condition::FREE })
    }

    /// Returns the order for matches that satisfy a condition at their end.
    pub(super) fn ending(self, condition: Condition) -> Self {
        StringOrder { end: self.end.and(condition), ..self }
    }

    /// Returns the end of the match in `text` that comes first in the order; `None` if there is none.
    pub(super) fn first_end<R, H>(&self, text: &OrderedText<R, H>) -> Option<usize>
    where
        R: Fn(SetIndex, usize) -> bool,
        H: Fn(Condition, usize) -> bool,
    {
        let Range { start, end } = text.positions;
        let (mut threads, mut next) =
            (Vec::new(), Threads { reached: vec![0; self.steps.len() + 1], ..Threads::default() });
        let mut found = None;
        self.follow(0, &mut next, |condition| (text.holds)(condition, start), 1);
        for at in start..=end {
            std::mem::swap(&mut threads, &mut next.at);
            next.at.clear();
            if threads.is_empty() {
                break;
            }
            for &thread in &threads {
                match self.steps.get(thread as usize) {
                    Some(&OrderStep::Symbol(position)) if at < end && (text.reads)(position, at) => {
                        self.follow(thread + 1, &mut next, |condition| (text.holds)(condition, at + 1), at - start + 2);
                    }
                    // The threads after it have a lower priority.
                    None if at > start && (text.holds)(self.end, at) => {
                        found = Some(at);
                        break;
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Adds the threads that go on with a step, up to the next symbol or the end. `round` differs for each position.
    fn follow(&self, step: StepIndex, threads: &mut Threads, holds: impl Fn(Condition) -> bool, round: usize) {
        threads.waiting.push(step);
        while let Some(step) = threads.waiting.pop() {
            if std::mem::replace(&mut threads.reached[step as usize], round) == round {
                continue;
            }
            match self.steps.get(step as usize) {
                Some(&OrderStep::Fork(first, second)) => threads.waiting.extend([second, first]),
                Some(&OrderStep::Jump(to)) => threads.waiting.push(to),
                Some(&OrderStep::Assert(condition)) if holds(condition) => threads.waiting.push(step + 1),
                Some(OrderStep::Assert(_)) => {}
                Some(OrderStep::Symbol(_)) | None => threads.at.push(step),
            }
        }
    }
}

impl OrderBuilder<'_> {
    fn next(&self) -> StepIndex {
        self.steps.len() as StepIndex
    }

    /// Adds the steps of a part.
    fn add(&mut self, hir: &Hir) -> Result<(), PatternProblem> {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Look(_) => self.steps.push(OrderStep::Assert(self.leaves.condition(hir)?)),
            HirKind::Literal(_) | HirKind::Class(_) => {
                let symbols = self.leaves.count(hir)?;
                let positions = self.positions..self.positions + symbols;
                self.positions = positions.end;
                self.steps.extend(positions.map(|position| OrderStep::Symbol(position as SetIndex)));
            }
            HirKind::Capture(capture) => self.add(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.add(part))?,
            HirKind::Alternation(parts) => self.add_alternatives(parts)?,
            HirKind::Repetition(repetition) => self.repeat(repetition)?,
        }
        Ok(())
    }

    fn add_alternatives(&mut self, parts: &[Hir]) -> Result<(), PatternProblem> {
        let mut jumps = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let fork = self.next();
            let is_last = index + 1 == parts.len();
            if !is_last {
                self.steps.push(OrderStep::Fork(fork + 1, 0));
            }
            self.add(part)?;
            if !is_last {
                jumps.push(self.next());
                self.steps.push(OrderStep::Jump(0));
                self.steps[fork as usize] = OrderStep::Fork(fork + 1, self.next());
            }
        }
        for jump in jumps {
            self.steps[jump as usize] = OrderStep::Jump(self.next());
        }
        Ok(())
    }

    fn repeat(&mut self, repetition: &Repetition) -> Result<(), PatternProblem> {
        let fork =
            |again, end| if repetition.greedy { OrderStep::Fork(again, end) } else { OrderStep::Fork(end, again) };
        let (least, all) = (repetition.min as usize, copies(repetition));
        let mut forks = Vec::new();
        for copy in 0..all {
            if copy >= least {
                forks.push(self.next());
                self.steps.push(OrderStep::Jump(0));
            }
            let body = self.next();
            self.add(&repetition.sub)?;
            if repetition.max.is_none() && copy + 1 == all {
                self.steps.push(fork(body, self.next() + 1));
            }
        }
        for at in forks {
            self.steps[at as usize] = fork(at + 1, self.next());
        }
        Ok(())
    }
}
