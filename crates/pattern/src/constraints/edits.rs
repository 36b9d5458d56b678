//! The value of `--edits`: the kinds of edit that a match may have, their limits and costs, and a bound on all of them.

use std::num::NonZeroUsize;
use std::str::FromStr;

use super::EditCosts;
use super::bound::{Bound, EditKind, MaxEdits};

/// The edits that a match may have, in the notation of TRE and of the module `regex` of Python.
///
/// An expression is a list of conditions, separated by commas. `i`, `d` and `s` stand for the numbers of insertions,
/// deletions and substitutions of a match, and `e` for the number of all edits. `s<=2` is a limit; `s` alone allows
/// substitutions without one. `e<=3` bounds all edits; the number may be a percentage of the pattern's length or `auto`, as
/// for [`Bound`]. `2i+2d+s<=4` gives each kind a cost, and bounds the sum of the costs. `1<=e<=3` also sets the least
/// number of edits. `<` is less by one than `<=`.
///
/// If an expression names kinds of edit, a match has no others. If it bounds neither all edits nor their costs, the
/// bound is the sum of the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edits {
    min: usize,
    bound: Bound,
    costs: EditCosts,
}

impl Edits {
    /// Returns the least number of edits of a match, or its least cost; 0 if there is none.
    pub fn min(&self) -> usize {
        self.min
    }

    /// Returns the bound on the number of all edits, or on their cost.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Returns the cost and the limit of each kind of edit.
    pub fn costs(&self) -> EditCosts {
        self.costs
    }
}

/// A condition of an expression, such as `1<=e<=3`.
struct EditCondition<'a> {
    /// The least value; `None` if it is not given.
    min: Option<usize>,
    sum: EditSum,
    /// The number after the sum, and whether it follows `<`, so that the largest value is less by one; `None` if it is not
    /// given.
    max: Option<(&'a str, bool)>,
}

/// The numbers of edits that a condition bounds.
enum EditSum {
    /// The number of all edits: `e`.
    All,
    /// The number of edits of a kind: `i`.
    Kind(EditKind),
    /// The sum of the costs of the edits of each kind: `2i+d`. `None` for a kind that is not in the sum.
    Costs([Option<NonZeroUsize>; 3]),
}

const EXPECTED: &str = "expected conditions such as s<=2, e<=3 or 2i+2d+s<=4, separated by commas; i, d and s are \
                        insertions, deletions and substitutions, e is all edits";
const TWO_BOUNDS: &str = "there is more than one bound on all edits or their costs; give only one";
const NO_BOUND: &str = "there is no bound on all edits; add one such as e<=2";
const MIN_OF_KIND: &str = "a kind of edit cannot have a least number; give one for all edits, such as 1<=e<=2";
const MIN_ABOVE_MAX: &str = "the minimum number of edits is above the maximum";

impl EditSum {
    fn parse(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return if letter == 'e' { Some(EditSum::All) } else { EditKind::of_letter(letter).map(EditSum::Kind) };
        }
        let mut costs = [None; 3];
        for term in text.split('+') {
            let digits = term.bytes().take_while(u8::is_ascii_digit).count();
            let (cost, letter) = term.split_at(digits);
            let cost = if cost.is_empty() { 1 } else { number(cost)? };
            let kind = EditKind::of_letter(letter.chars().next().filter(|_| letter.len() == 1)?)?;
            if costs[kind as usize].replace(NonZeroUsize::new(cost)?).is_some() {
                return None;
            }
        }
        Some(EditSum::Costs(costs))
    }
}

/// Parses a number of at most 32 bits.
fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse::<u32>().unwrap_or(u32::MAX) as usize)
}

impl<'a> EditCondition<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (parts, signs) = split_signs(text)?;
        let (min, sum, max) = match (&parts[..], &signs[..]) {
            ([sum], []) => (None, *sum, None),
            ([first, second], [is_strict]) => match number(first) {
                Some(least) => (Some(least + usize::from(*is_strict)), *second, None),
                None => (None, *first, Some((*second, *is_strict))),
            },
            ([least, sum, most], [above, below]) => {
                (Some(number(least)? + usize::from(*above)), *sum, Some((*most, *below)))
            }
            _ => return None,
        };
        Some(EditCondition { min, sum: EditSum::parse(sum)?, max })
    }

    /// Returns the largest number as a limit on a kind of edit; `None` if it is no number, or would be below 0.
    fn limit(&self) -> Option<usize> {
        match self.max {
            None => Some(usize::MAX),
            Some((text, is_strict)) => number(text)?.checked_sub(usize::from(is_strict)),
        }
    }

    /// Returns the largest number as a bound on all edits.
    fn max_edits(&self) -> Option<MaxEdits> {
        match self.max? {
            (text, true) => Some(MaxEdits::Count(number(text)?.checked_sub(1)?)),
            // Letters after the number would restrict the kinds of edit, as for `-k`.
            (text, false) if text.ends_with(['i', 'd', 's']) => None,
            (text, false) => Some(text.parse::<Bound>().ok()?.max_edits()),
        }
    }
}

/// Splits a condition at `<` and `<=`. Also returns for each sign whether it is `<`.
fn split_signs(text: &str) -> Option<(Vec<&str>, Vec<bool>)> {
    let mut parts = text.split('<');
    let mut all = vec![parts.next()?];
    let mut signs = Vec::new();
    for part in parts {
        let rest = part.strip_prefix('=');
        signs.push(rest.is_none());
        all.push(rest.unwrap_or(part));
    }
    Some((all, signs))
}

impl FromStr for Edits {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text: String = text.chars().filter(|letter| *letter != ' ').collect();
        let mut costs = EditCosts::default();
        let mut limits: [Option<usize>; 3] = [None; 3];
        let (mut min, mut bound) = (0, None);
        for condition in text.split(',') {
            let condition = EditCondition::parse(condition).ok_or(EXPECTED)?;
            match condition.sum {
                EditSum::Kind(kind) => {
                    if condition.min.is_some() {
                        return Err(MIN_OF_KIND);
                    }
                    let limit = condition.limit().ok_or(EXPECTED)?;
                    let known = &mut limits[kind as usize];
                    *known = Some(known.map_or(limit, |known| known.min(limit)));
                }
                EditSum::All | EditSum::Costs(_) => {
                    let max = condition.max_edits().ok_or(EXPECTED)?;
                    if bound.replace(max).is_some() {
                        return Err(TWO_BOUNDS);
                    }
                    min = condition.min.unwrap_or(0);
                }
            }
            if let EditSum::Costs(of_kinds) = condition.sum {
                for (index, (limit, cost)) in costs.limits_mut().into_iter().zip(of_kinds).enumerate() {
                    if let Some(cost) = cost {
                        limit.cost = cost;
                        limits[index].get_or_insert(usize::MAX);
                    }
                }
            }
        }
        let are_named = limits.iter().any(Option::is_some);
        for (of_kind, limit) in costs.limits_mut().into_iter().zip(limits) {
            of_kind.max = limit.unwrap_or(if are_named { 0 } else { usize::MAX });
        }
        let bound = bound.or_else(|| sum_of_limits(&costs).map(MaxEdits::Count)).ok_or(NO_BOUND)?;
        match bound {
            MaxEdits::Count(max) if max < min => Err(MIN_ABOVE_MAX),
            _ => Ok(Edits { min, bound: bound.into(), costs }),
        }
    }
}

/// Returns the cost of as many edits of each kind as its limit allows; `None` if a kind has no limit.
fn sum_of_limits(costs: &EditCosts) -> Option<usize> {
    costs.limits().into_iter().try_fold(0usize, |sum, limit| {
        (limit.max < usize::MAX).then(|| sum.saturating_add(limit.max.saturating_mul(limit.cost.get())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of edits, the bound, and for each kind its cost and limit.
    type Parsed = (usize, MaxEdits, [(usize, usize); 3]);

    fn parsed(text: &str) -> Result<Parsed, &'static str> {
        let edits: Edits = text.parse()?;
        let EditCosts { insertion, deletion, substitution, .. } = edits.costs;
        let kinds = [insertion, deletion, substitution].map(|limit| (limit.cost.get(), limit.max));
        Ok((edits.min, edits.bound.max_edits(), kinds))
    }

    #[test]
    fn an_expression_has_limits_costs_and_a_bound() {
        const ANY: usize = usize::MAX;
        let count = MaxEdits::Count;
        let cases = [
            ("e<=3", (0, count(3), [(1, ANY); 3])),
            ("e<3", (0, count(2), [(1, ANY); 3])),
            ("1<=e<=3", (1, count(3), [(1, ANY); 3])),
            ("0<e<4", (1, count(3), [(1, ANY); 3])),
            ("e<=10%", (0, MaxEdits::Percent(10), [(1, ANY); 3])),
            ("e<=auto", (0, MaxEdits::AUTO, [(1, ANY); 3])),
            ("s<=2", (0, count(2), [(1, 0), (1, 0), (1, 2)])),
            ("s<2, i<=1", (0, count(2), [(1, 1), (1, 0), (1, 1)])),
            ("s,e<=2", (0, count(2), [(1, 0), (1, 0), (1, ANY)])),
            ("i,d,s<=1,e<=2", (0, count(2), [(1, ANY), (1, ANY), (1, 1)])),
            ("2i+2d+1s<=4", (0, count(4), [(2, ANY), (2, ANY), (1, ANY)])),
            ("i<=1,d<=2,s<=1,2i+2d+1s<=4", (0, count(4), [(2, 1), (2, 2), (1, 1)])),
            ("2i+2d+1s <= 4, i<=1", (0, count(4), [(2, 1), (2, ANY), (1, ANY)])),
            ("i+3s<=30%", (0, MaxEdits::Percent(30), [(1, ANY), (1, 0), (3, ANY)])),
            ("2<=2i+s<5", (2, count(4), [(2, ANY), (1, 0), (1, ANY)])),
            ("i<=3,i<=1", (0, count(1), [(1, 1), (1, 0), (1, 0)])),
            ("s<=0", (0, count(0), [(1, 0); 3])),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let wrong = [
            "",
            ",",
            "e",
            "x<=1",
            "e<=",
            "<=1",
            "e<=x",
            "e<=2s",
            "s<=10%",
            "0s<=1",
            "2i2d<=1",
            "i+i<=2",
            "i+e<=2",
            "e<0",
            "s<0",
            "1<=2<=3",
            "1<=e<=2<=3",
            "e>1",
            "e=1",
            "é<=1",
            "2é<=1",
            "+1",
            "i+<=1",
            "1<=e",
            "e<=99999999999",
        ];
        for text in wrong {
            assert_eq!(parsed(text), Err(EXPECTED), "{text}");
        }
        assert_eq!(parsed("s"), Err(NO_BOUND));
        assert_eq!(parsed("s<=1,i"), Err(NO_BOUND));
        assert_eq!(parsed("e<=1,e<=2"), Err(TWO_BOUNDS));
        assert_eq!(parsed("e<=1,2s+i<=2"), Err(TWO_BOUNDS));
        assert_eq!(parsed("1<=s<=2"), Err(MIN_OF_KIND));
        assert_eq!(parsed("3<=e<=2"), Err(MIN_ABOVE_MAX));
    }
}
