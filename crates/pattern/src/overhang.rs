//! Patterns that hang over the start or the end of a line or record: `--overhang` and `--min-overlap`.

use std::num::NonZeroUsize;
use std::str::FromStr;

use super::constraints::Transpositions;
use super::constraints::bound::UNIT;

/// The cost of a symbol of a pattern that is beyond the start or the end of a line or record: a number from 0 to 1 with
/// at most six decimals, or a percentage with at most four. With `left:` before it, patterns hang over the start only,
/// with `right:` over the end only.
///
/// # Examples
///
/// ```
/// use nigh_pattern::OverhangCost;
///
/// let [tenth, percent]: [OverhangCost; 2] = ["0.1".parse()?, "10%".parse()?];
/// assert_eq!(tenth, percent);
/// assert!("right:10%".parse::<OverhangCost>().is_ok());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverhangCost {
    /// The cost in units of 1 / [`UNIT`].
    units: u64,
    ends: OverhangEnds,
}

/// The ends of a line or record that patterns may hang over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OverhangEnds {
    Both,
    Start,
    End,
}

impl FromStr for OverhangCost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a cost from 0 to 1 with at most six decimals, such as 0.5, a percentage, such as 10%, or one of \
             these for one end only, such as right:10%";
        let (ends, cost) = match text.split_once(':') {
            Some(("left", cost)) => (OverhangEnds::Start, cost),
            Some(("right", cost)) => (OverhangEnds::End, cost),
            _ => (OverhangEnds::Both, text),
        };
        let (number, unit) = match cost.strip_suffix('%') {
            Some(number) => (number, UNIT / 100),
            None => (cost, UNIT),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let are_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let places = unit.ilog10() as usize;
        if number.is_empty()
            || decimals.is_empty()
            || decimals.len() > places
            || !are_digits(whole)
            || !are_digits(decimals)
        {
            return Err(EXPECTED);
        }
        let number = |digits: &str| digits.parse::<u32>().map(u64::from).map_err(|_| EXPECTED);
        let whole = if whole.is_empty() { 0 } else { number(whole)? };
        let units = whole * unit + number(&format!("{decimals:0<places$}"))?;
        if units > UNIT { Err(EXPECTED) } else { Ok(OverhangCost { units, ends }) }
    }
}

/// How patterns may hang over the starts and the ends of lines and records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overhang {
    /// Cost of each symbol beyond an end.
    pub cost: OverhangCost,
    /// Least number of symbols of the pattern that are not beyond an end.
    pub min_overlap: NonZeroUsize,
}

impl Overhang {
    /// The default of the least number of symbols that are not beyond an end.
    pub const MIN_OVERLAP: NonZeroUsize = NonZeroUsize::new(3).expect("3 is not 0");

    /// Makes an overhang with the default of the least overlap.
    pub fn new(cost: OverhangCost) -> Self {
        Overhang { cost, min_overlap: Overhang::MIN_OVERLAP }
    }

    /// Returns the number of different sums of edits and overhangs up to `max_sum` units, or a greater number.
    pub(super) fn sums(self, max_sum: u64) -> usize {
        let edits = max_sum / UNIT + 1;
        let overhangs = max_sum.checked_div(self.cost.units).map_or(1, |symbols| symbols + 1);
        // If an edit costs as much as a number of symbols beyond an end, each sum is a multiple of the cost of one.
        let is_multiple = self.cost.units > 0 && UNIT.is_multiple_of(self.cost.units);
        let sums = if is_multiple { overhangs } else { edits.saturating_mul(overhangs) };
        usize::try_from(sums).unwrap_or(usize::MAX)
    }

    /// Returns the largest numbers of symbols before the start and after the end of a text, of strings of at most `longest`
    /// symbols whose edits and overhangs cost at most `max_sum` units.
    pub(super) fn max_beyond(self, longest: usize, max_sum: u64) -> [usize; 2] {
        let payable = max_sum.checked_div(self.cost.units).map_or(usize::MAX, |payable| payable as usize);
        let most = longest.saturating_sub(self.min_overlap.get()).min(payable);
        match self.cost.ends {
            OverhangEnds::Both => [most; 2],
            OverhangEnds::Start => [most, 0],
            OverhangEnds::End => [0, most],
        }
    }
}

/// The limits on the matches of one pattern that hang over. Sums of edits and costs are in units of 1 / [`UNIT`].
#[derive(Debug, Clone, Copy)]
pub struct OverhangLimits {
    /// Largest number of symbols beyond both ends together; 0 if the pattern cannot hang over.
    pub max_overhang: usize,
    /// Largest number of symbols before the start.
    pub max_before: usize,
    /// Largest number of symbols after the end.
    pub max_after: usize,
    cost: u64,
    max_sum: u64,
    /// Least cost of an edit: half a unit if a transposition, which is two edits, costs one.
    edit: u64,
    /// Largest number of edits of any match.
    max_edits: usize,
}

/// The properties of a pattern that limit its overhangs.
pub(super) struct HangingPattern<'a> {
    pub(super) length: usize,
    /// For each symbol, whether it belongs to an exact group; empty if there is no such group.
    pub(super) exact: &'a [bool],
    pub(super) max_edits: usize,
    /// Largest sum of edits and overhangs, in units.
    pub(super) max_sum: u64,
    pub(super) transpositions: Transpositions,
}

impl OverhangLimits {
    /// Makes the limits of a pattern.
    pub(super) fn new(overhang: Overhang, pattern: &HangingPattern<'_>) -> Self {
        let (cost, min_overlap) = (overhang.cost.units, overhang.min_overlap.get());
        let &HangingPattern { length, exact, max_edits, max_sum, transpositions } = pattern;
        // The symbols of an exact group match, so they are not beyond an end.
        let mut before = exact.iter().position(|&exact| exact).unwrap_or(length);
        let mut after = exact.iter().rev().position(|&exact| exact).unwrap_or(length);
        match overhang.cost.ends {
            OverhangEnds::Both => {}
            OverhangEnds::Start => after = 0,
            OverhangEnds::End => before = 0,
        }
        let payable = max_sum.checked_div(cost).map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        let max_overhang = length.saturating_sub(min_overlap).min(payable).min(before + after);
        OverhangLimits {
            max_overhang,
            max_before: max_overhang.min(before),
            max_after: max_overhang.min(after),
            cost,
            max_sum,
            edit: if transpositions == Transpositions::One { UNIT / 2 } else { UNIT },
            max_edits,
        }
    }

    /// Returns the largest sum of edits and overhangs, in units.
    pub fn max_sum(self) -> u64 {
        self.max_sum
    }

    /// Returns the cost of `symbols` symbols beyond the ends, in units.
    pub fn cost(self, symbols: usize) -> u64 {
        self.cost * symbols as u64
    }

    /// Returns a bound on the number of edits of a match with `symbols` symbols beyond the ends; `None` if it has too
    /// many. Without constraints on the edits, a match may have as many.
    pub fn max_edits(self, symbols: usize) -> Option<usize> {
        let left = self.max_sum_inside(symbols).filter(|_| symbols <= self.max_overhang)?;
        Some(usize::try_from(left / self.edit).unwrap_or(usize::MAX).min(self.max_edits))
    }

    /// Returns the largest cost of the edits of a match with `symbols` symbols beyond the ends, in units; `None` if
    /// these symbols cost too much.
    pub fn max_sum_inside(self, symbols: usize) -> Option<u64> {
        self.max_sum.checked_sub(self.cost(symbols))
    }

    /// Returns whether an edit costs at least as much as a symbol beyond an end.
    pub fn has_dear_edits(self) -> bool {
        self.cost <= self.edit
    }

    /// Returns the largest number of text symbols that a match of a pattern of `length` symbols covers with at least
    /// `symbols` symbols beyond the ends; 0 if there is no such match.
    pub fn longest(self, length: usize, symbols: usize) -> usize {
        self.max_edits(symbols).map_or(0, |edits| length - symbols + edits)
    }

    /// Returns the sum of `edits` edits and the cost of `symbols` symbols beyond the ends, in units.
    pub fn sum(self, edits: usize, symbols: usize) -> u64 {
        edits as u64 * UNIT + self.cost(symbols)
    }

    /// Returns the distance of a match whose edits and overhangs cost `sum` units: the sum rounded down. Returns `None`
    /// if it costs too much.
    pub fn distance(self, sum: u64) -> Option<usize> {
        (sum <= self.max_sum).then_some((sum / UNIT) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Groups, MaxEdits, PatternSet, PatternSource};
    use nigh_text::alphabet::Alphabet;

    #[test]
    fn a_cost_is_a_decimal_from_0_to_1_or_a_percentage() {
        let units = |text: &str| text.parse::<OverhangCost>().map(|cost| cost.units);
        let decimals = ["0", "0.1", ".25", "0.333333", "1", "1.0"];
        assert_eq!(decimals.map(units), [0, 100_000, 250_000, 333_333, UNIT, UNIT].map(Ok));
        let percentages = ["0%", "10%", ".25%", "33.3333%", "100%", "100.0%"];
        assert_eq!(percentages.map(units), [0, 100_000, 2500, 333_333, UNIT, UNIT].map(Ok));
        assert_eq!(["left:0.1", "right:10%"].map(units), [Ok(100_000); 2]);
        let wrong =
            ["", ".", "1.1", "2", "-1", "0.1234567", "1e-1", "0,5", "0.", "%", "101%", "1.23456%", "+1", "9999999999"];
        let wrong_ends = ["left", "right:", "end:0.1", "left:right:0.1", "right: 0.1"];
        for wrong in wrong.into_iter().chain(wrong_ends) {
            assert!(units(wrong).is_err(), "{wrong}");
        }
    }

    /// Returns the limits of a pattern with at most `k` edits and a cost of 0.4.
    fn limits(pattern: &str, k: usize) -> OverhangLimits {
        let builder = PatternSet::builder(Alphabet::Dna).groups(Groups::Exact).max_edits(MaxEdits::Count(k));
        let set = builder.build(&[PatternSource::new(pattern)]).unwrap();
        set.patterns()[0].overhang_limits(Overhang::new("0.4".parse().unwrap()))
    }

    #[test]
    fn edits_and_overhangs_are_summed_before_rounding() {
        let limits = limits("GATTACAGAT", 2);
        assert_eq!(limits.max_overhang, 5, "six would cost 2.4");
        assert_eq!(
            [0, 2, 3, 5, 6].map(|symbols| limits.max_edits(symbols)),
            [Some(2), Some(1), Some(0), Some(0), None]
        );
        assert_eq!(limits.distance(UNIT + limits.cost(2)), Some(1));
        assert_eq!(limits.distance(UNIT + limits.cost(3)), None);
        assert_eq!(self::limits("GA", 1).max_overhang, 0, "the pattern is shorter than the least overlap");
    }

    #[test]
    fn exact_groups_do_not_hang_over() {
        let ends = |pattern: &str, k| {
            let limits = limits(pattern, k);
            (limits.max_before, limits.max_after, limits.max_overhang)
        };
        assert_eq!(ends("GATTACAGAT", 2), (5, 5, 5));
        assert_eq!(ends("GAT<TA>CAGAT", 2), (3, 5, 5));
        assert_eq!(ends("G<ATT>ACA<G>AT", 2), (1, 2, 3));
        assert_eq!(ends("<G>ATTACAGA<T>", 2), (0, 0, 0));
        assert_eq!(ends("GATTACA<GAT>", 0), (0, 0, 0), "nothing can be paid for");
    }
}
