//! Refuses repetitions without an upper bound, and says where they are.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::problem::{PatternProblem, RepeatPlace};
use super::reading::{Reading, Whole};

/// The largest number of symbols that a class may leave out and still match nearly any symbol.
const MAX_EXCLUDED: u32 = 256;

/// Returns an error for the first repetition without an upper bound.
pub(super) fn check_repeats(hir: &Hir, reading: &Reading) -> Result<(), PatternProblem> {
    let place = if reading.whole == Whole::Anything { RepeatPlace::End } else { RepeatPlace::Inside };
    check(hir, place)
}

/// Checks a part of a pattern; `place` is the place of the part.
fn check(hir: &Hir, place: RepeatPlace) -> Result<(), PatternProblem> {
    match hir.kind() {
        HirKind::Repetition(repetition) if repetition.max.is_none() => Err(unbounded(repetition, place)),
        HirKind::Repetition(repetition) => check(&repetition.sub, RepeatPlace::Inside),
        HirKind::Capture(capture) => check(&capture.sub, place),
        HirKind::Alternation(parts) => parts.iter().try_for_each(|part| check(part, place)),
        HirKind::Concat(parts) => {
            let is_part = |part: Option<&Hir>| part.is_some_and(|part| !matches!(part.kind(), HirKind::Look(_)));
            parts.iter().enumerate().try_for_each(|(index, part)| {
                let before = index.checked_sub(1).and_then(|index| parts.get(index));
                let after = parts.get(index + 1);
                let place = match (before, after) {
                    (None, _) | (_, None) => place,
                    _ if is_part(before) && is_part(after) && matches_nearly_anything(part) => RepeatPlace::Gap,
                    _ => RepeatPlace::Inside,
                };
                check(part, place)
            })
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => Ok(()),
    }
}

fn unbounded(repetition: &Repetition, place: RepeatPlace) -> PatternProblem {
    let least = repetition.min;
    let operator = match least {
        0 => "*".to_owned(),
        1 => "+".to_owned(),
        least => format!("{{{least},}}"),
    };
    PatternProblem::Unbounded { operator, least, place }
}

/// Returns whether a part repeats a class that leaves out few symbols, such as `.` or `[^ ]`.
fn matches_nearly_anything(part: &Hir) -> bool {
    let HirKind::Repetition(repetition) = part.kind() else { return false };
    match repetition.sub.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let size: u32 = class.iter().map(|range| u32::from(range.end()) - u32::from(range.start()) + 1).sum();
            size > u32::from(char::MAX) - MAX_EXCLUDED - SURROGATES
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().map(|range| usize::from(range.end()) - usize::from(range.start()) + 1).sum::<usize>() > 240
        }
        _ => false,
    }
}

/// The number of values below the largest character that are no characters.
const SURROGATES: u32 = 0x800;
