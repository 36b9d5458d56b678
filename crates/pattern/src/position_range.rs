//! The range of positions to which matches are restricted: `--within`.

use std::ops::Range;
use std::str::FromStr;

/// A position in a line or record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    /// This many units after the start.
    AfterStart(u64),
    /// This many units before the end.
    BeforeEnd(u64),
}

/// A half-open range of positions in each line or record: residues in sequences, bytes in lines. A match must be inside
/// it.
///
/// # Examples
///
/// ```
/// use nigh_pattern::PositionRange;
///
/// let last: PositionRange = "-80..".parse()?;
/// assert_eq!((last.of_length(100), last.of_length(50)), (20..100, 0..50));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PositionRange {
    start: Position,
    end: Position,
}

/// The largest distances from the start and from the end of a line or record that a [`PositionRange`] distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Units from the start.
    pub from_start: u64,
    /// Units from the end.
    pub from_end: u64,
}

impl PositionRange {
    /// The whole line or record.
    pub const ALL: PositionRange = PositionRange { start: Position::AfterStart(0), end: Position::BeforeEnd(0) };

    /// Returns whether the range is the whole line or record.
    pub fn is_all(self) -> bool {
        self == Self::ALL
    }

    /// Returns whether a bound other than the end itself counts from the end of the line or record.
    pub fn counts_from_end(self) -> bool {
        matches!(self.start, Position::BeforeEnd(_)) || matches!(self.end, Position::BeforeEnd(1..))
    }

    /// Returns whether a match may cover `covered` units, with `before` units before it and `after` units after it in
    /// its line or record.
    pub fn allows(self, before: u64, covered: u64, after: u64) -> bool {
        let starts = match self.start {
            Position::AfterStart(units) => before >= units,
            Position::BeforeEnd(units) => covered.saturating_add(after) <= units,
        };
        let ends = match self.end {
            Position::AfterStart(units) => before.saturating_add(covered) <= units,
            Position::BeforeEnd(units) => after >= units,
        };
        starts && ends
    }

    /// Returns the largest distance of a bound from the start, and the largest distance of a bound from the end; 0 if
    /// no bound is given as a distance from there. All larger distances give the same result in
    /// [`allows`](Self::allows).
    pub fn reach(self) -> Reach {
        let mut reach = Reach { from_start: 0, from_end: 0 };
        for position in [self.start, self.end] {
            match position {
                Position::AfterStart(units) => reach.from_start = reach.from_start.max(units),
                Position::BeforeEnd(units) => reach.from_end = reach.from_end.max(units),
            }
        }
        reach
    }

    /// Returns how far from the start of a line or record a match may end; `None` if that depends on the length.
    pub fn last_end(self) -> Option<u64> {
        match self.end {
            Position::AfterStart(units) => Some(units),
            Position::BeforeEnd(_) => None,
        }
    }

    /// Returns how far from the end of a line or record a match may start; `None` if that depends on the length.
    pub fn first_start(self) -> Option<u64> {
        match self.start {
            Position::AfterStart(_) => None,
            Position::BeforeEnd(units) => Some(units),
        }
    }

    /// Returns the range in a line or record of this length. It may extend past the end, and it may be empty.
    pub fn of_length(self, length: u64) -> Range<u64> {
        let place = |position| match position {
            Position::AfterStart(units) => units,
            Position::BeforeEnd(units) => length.saturating_sub(units),
        };
        place(self.start)..place(self.end)
    }
}

impl FromStr for PositionRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str =
            "expected START..END, START.. or ..END; a negative number counts from the end, as in '-80..'";
        let (start, end) = text.split_once("..").ok_or(EXPECTED)?;
        if start.is_empty() && end.is_empty() {
            return Err(EXPECTED);
        }
        let position = |number: &str, default: Position| match (number, number.strip_prefix('-')) {
            ("", _) => Ok(default),
            (_, Some(digits)) => units(digits).map(Position::BeforeEnd).ok_or(EXPECTED),
            (digits, None) => units(digits).map(Position::AfterStart).ok_or(EXPECTED),
        };
        let range = PositionRange { start: position(start, Self::ALL.start)?, end: position(end, Self::ALL.end)? };
        let is_empty = match (range.start, range.end) {
            (Position::AfterStart(start), Position::AfterStart(end)) => start >= end,
            (Position::BeforeEnd(start), Position::BeforeEnd(end)) => start <= end,
            _ => false,
        };
        if is_empty { Err("the range is empty: the start must be before the end") } else { Ok(range) }
    }
}

fn units(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str, length: u64) -> Range<u64> {
        text.parse::<PositionRange>().unwrap().of_length(length)
    }

    #[test]
    fn negative_numbers_count_from_the_end() {
        assert_eq!((range("0..80", 100), range("0..80", 10)), (0..80, 0..80));
        assert_eq!((range("-80..", 100), range("-80..", 10)), (20..100, 0..10));
        assert_eq!((range("10..", 100), range("..10", 100)), (10..100, 0..10));
        assert_eq!((range("10..-10", 100), range("-20..-10", 100)), (10..90, 80..90));
        let short = range("10..-10", 15);
        assert!(short.is_empty(), "{short:?}");
    }

    #[test]
    fn a_match_is_allowed_if_it_is_inside_the_range() {
        for text in ["0..5", "2..5", "4..", "..3", "-3..", "..-2", "-5..-1", "1..-1", "-4..4"] {
            let range: PositionRange = text.parse().unwrap();
            for length in 1..9 {
                let inside = range.of_length(length);
                for (start, end) in (0..length).flat_map(|start| (start + 1..=length).map(move |end| (start, end))) {
                    let is_inside = inside.start <= start && end <= inside.end;
                    assert_eq!(range.allows(start, end - start, length - end), is_inside, "{text}: {start}..{end}");
                }
            }
        }
    }

    #[test]
    fn only_some_ranges_need_the_length() {
        let needs = |text: &str| text.parse::<PositionRange>().unwrap().counts_from_end();
        assert!(!needs("0..80") && !needs("5..") && !needs("..5"));
        assert!(needs("-80..") && needs("5..-1") && needs("..-1"));
        assert!("0..".parse::<PositionRange>().unwrap().is_all());
    }

    #[test]
    fn invalid_ranges_are_refused() {
        for wrong in ["", "..", "5", "5-10", "a..b", "5...", "--5..", "+5..", "5..5", "9..3", "-3..-9", "-3..-3"] {
            assert!(wrong.parse::<PositionRange>().is_err(), "{wrong}");
        }
    }
}
