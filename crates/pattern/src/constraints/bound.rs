//! The value of `-k`: a limit on the number of edits, and the kinds of edit allowed.

use std::str::FromStr;

/// Number of units in a cost of 1: sums of edits and overhangs are exact to the sixth decimal.
pub const UNIT: u64 = 1_000_000;

/// The number of edits allowed, as a function of the pattern's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaxEdits {
    /// A fixed number for every pattern.
    Count(usize),
    /// A percentage of the pattern's length, rounded down.
    Percent(usize),
    /// 0 for a pattern of up to 4 symbols, 1 for one of up to 9, and 2 for a longer one, but at most `max`.
    Auto {
        /// The largest number.
        max: usize,
    },
}

impl MaxEdits {
    /// The value of `-k auto`.
    pub const AUTO: MaxEdits = MaxEdits::Auto { max: 2 };
    /// The default of the program in text: one edit, and none in a short pattern. With one edit, a pattern such as
    /// `404` would match nearly every line of a log.
    pub const DEFAULT_IN_TEXT: MaxEdits = MaxEdits::Auto { max: 1 };

    /// Returns the number of edits allowed for a pattern of `length` symbols.
    pub fn of_length(self, length: usize) -> usize {
        match self {
            MaxEdits::Count(k) => k,
            MaxEdits::Percent(percent) => {
                let product = length as u128 * percent as u128;
                usize::try_from(product / 100).unwrap_or(usize::MAX)
            }
            MaxEdits::Auto { max } => match length {
                0..=4 => 0,
                5..=9 => max.min(1),
                _ => max.min(2),
            },
        }
    }
}

impl MaxEdits {
    /// Returns the largest sum of edits and overhang costs for a pattern of `length` symbols, in units of 1 / [`UNIT`].
    /// A percentage is not rounded.
    pub(crate) fn units_of_length(self, length: usize) -> u64 {
        match self {
            MaxEdits::Percent(percent) => (length as u64).saturating_mul((percent as u64).saturating_mul(UNIT / 100)),
            _ => (self.of_length(length) as u64).saturating_mul(UNIT),
        }
    }
}

/// A kind of edit, from the pattern's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// A text symbol that is absent from the pattern.
    Insertion,
    /// A pattern symbol that is absent from the text.
    Deletion,
    /// A text symbol that differs from the pattern's symbol.
    Substitution,
}

impl EditKind {
    /// Returns the kind that a letter stands for: `i`, `d` or `s`.
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'i' => EditKind::Insertion,
            'd' => EditKind::Deletion,
            's' => EditKind::Substitution,
            _ => return None,
        })
    }
}

/// A limit on the number of edits and the kinds allowed: `2`, `10%`, `auto`, `2s` (substitutions only), `1id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bound {
    max_edits: MaxEdits,
    /// Whether each kind is allowed, indexed by [`EditKind`].
    allowed: [bool; 3],
}

impl Bound {
    /// Returns the number of edits allowed.
    pub fn max_edits(self) -> MaxEdits {
        self.max_edits
    }

    /// Returns whether edits of this kind are allowed.
    pub fn allows(self, kind: EditKind) -> bool {
        self.allowed[kind as usize]
    }
}

impl From<MaxEdits> for Bound {
    fn from(max_edits: MaxEdits) -> Self {
        Bound { max_edits, allowed: [true; 3] }
    }
}

impl FromStr for Bound {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a number such as 2, a percentage below 100 such as 10%, or 'auto'; append \
                                s, i or d to a number to allow only substitutions, insertions or deletions, as in 2si";
        if text == "auto" {
            return Ok(MaxEdits::AUTO.into());
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = text.split_at(digits);
        let number = number.parse::<u32>().map_err(|_| EXPECTED)? as usize;
        let (max_edits, kinds) = match rest.strip_prefix('%') {
            Some(kinds) if number < 100 => (MaxEdits::Percent(number), kinds),
            Some(_) => return Err(EXPECTED),
            None => (MaxEdits::Count(number), rest),
        };
        let mut allowed = [kinds.is_empty(); 3];
        for letter in kinds.chars() {
            allowed[EditKind::of_letter(letter).ok_or(EXPECTED)? as usize] = true;
        }
        Ok(Bound { max_edits, allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_patterns_have_fewer_edits() {
        let at = [0, 4, 5, 9, 10, 100];
        assert_eq!(at.map(|length| MaxEdits::AUTO.of_length(length)), [0, 0, 1, 1, 2, 2]);
        assert_eq!(at.map(|length| MaxEdits::DEFAULT_IN_TEXT.of_length(length)), [0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn a_percentage_of_any_size_does_not_wrap() {
        for percent in [1 << 63, usize::MAX] {
            assert!(MaxEdits::Percent(percent).of_length(2) >= percent / 100);
            assert_eq!(MaxEdits::Percent(percent).units_of_length(2), u64::MAX);
        }
        assert_eq!(MaxEdits::Percent(15).of_length(20), 3);
    }

    #[test]
    fn a_bound_is_a_number_and_the_kinds_of_edit() {
        let allowed = |text: &str| text.parse::<Bound>().map(|bound| (bound.max_edits, bound.allowed));
        assert_eq!(allowed("2"), Ok((MaxEdits::Count(2), [true; 3])));
        assert_eq!(allowed("2s"), Ok((MaxEdits::Count(2), [false, false, true])));
        assert_eq!(allowed("1id"), Ok((MaxEdits::Count(1), [true, true, false])));
        assert_eq!(allowed("10%"), Ok((MaxEdits::Percent(10), [true; 3])));
        assert_eq!(allowed("10%ds"), Ok((MaxEdits::Percent(10), [false, true, true])));
        assert_eq!(allowed("auto"), Ok((MaxEdits::AUTO, [true; 3])));
        for wrong in ["", "s", "-1", "2x", "100%", "%", "2s%", "autos", "99999999999"] {
            assert!(allowed(wrong).is_err(), "{wrong}");
        }
    }
}
