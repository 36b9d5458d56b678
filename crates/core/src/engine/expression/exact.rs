//! Matches without edits, as candidates for the shown matches: for each start, the longest match.
//!
//! One pass from the end of the line to its start computes, for each state, the end of the longest match that continues
//! from this state. For n symbols and t transitions, time is O(n t), however long matches are and however many overlap.
//! A search that began again behind each match could take O(n²).

use super::context::holds;
use super::line::EncodedLine;
use crate::engine::encoder::Code;
use crate::pattern::{Expression, PreferredLength, State};

/// Returns the start and the end of a match for each start that has one: the longest, or the shortest if the expression
/// prefers it. Matches end at one of the positions `ends`, which ascend. The matches are ordered by start.
pub(super) fn matches_by_start(
    expression: &Expression,
    reads: &dyn Fn(State, Code) -> bool,
    line: &EncodedLine<'_>,
    ends: &[usize],
) -> Vec<(usize, usize)> {
    let best = |ends: &mut dyn Iterator<Item = usize>| match expression.preferred_length() {
        PreferredLength::Longest => ends.max(),
        PreferredLength::Shortest => ends.min(),
    };
    let Some(&last) = ends.last() else { return Vec::new() };
    let mut ends = ends.iter().rev().copied().peekable();
    // For each state, the end of the best match that continues from it.
    let mut later: Vec<Option<usize>> = vec![None; expression.states()];
    let mut here = later.clone();
    let mut matches = Vec::new();
    for position in (line.first..=last).rev() {
        let context = line.context(position);
        here.fill(None);
        if ends.next_if_eq(&position).is_some() {
            for end in expression.ends().iter().filter(|end| holds(end.condition, context)) {
                here[end.state as usize] = Some(position);
            }
        }
        if position < last {
            let code = line.codes[position];
            for transition in expression.transitions() {
                let (from, to) = (transition.from as usize, transition.to);
                if let Some(end) = later[to as usize]
                    && reads(to, code)
                    && holds(transition.condition, context)
                {
                    here[from] = best(&mut here[from].into_iter().chain([end]));
                }
            }
        }
        let begun = expression.starts().iter().zip(&here).filter(|(start, _)| holds(**start, context));
        if let Some(end) = best(&mut begun.filter_map(|(_, end)| *end)) {
            matches.push((position, end));
        }
        std::mem::swap(&mut here, &mut later);
    }
    matches.reverse();
    matches
}
