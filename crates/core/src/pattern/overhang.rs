//! The cost of the symbols of a pattern beyond the start or the end of a line or record: `--overhang`.

use std::str::FromStr;

/// Number of units in a cost of 1.
const UNIT: u64 = 1_000_000;

/// The cost of a symbol of a pattern that is beyond the start or the end of a line or record, from 0 to 1, with at most
/// six decimals.
///
/// # Examples
///
/// ```
/// use nigh_core::pattern::OverhangCost;
///
/// let half: OverhangCost = "0.5".parse()?;
/// assert_eq!([1, 2, 3, 4].map(|symbols| half.of(symbols)), [0, 1, 1, 2]);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverhangCost {
    /// The cost in units of 1 / [`UNIT`].
    units: u64,
}

impl OverhangCost {
    /// Returns the cost of `symbols` symbols at one end, rounded down.
    pub fn of(self, symbols: usize) -> usize {
        (self.units * symbols as u64 / UNIT) as usize
    }
}

impl FromStr for OverhangCost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected a cost from 0 to 1 with at most six decimals, such as 0.5";
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if text.is_empty() || !matches!(whole, "" | "0" | "1") || !are_digits(decimals) || decimals.len() > 6 {
            return Err(EXPECTED);
        }
        let decimals: u64 = format!("{decimals:0<6}").parse().map_err(|_| EXPECTED)?;
        let units = if whole == "1" { UNIT } else { 0 } + decimals;
        if units > UNIT { Err(EXPECTED) } else { Ok(OverhangCost { units }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_a_decimal_from_0_to_1() {
        let of_ten = |text: &str| text.parse::<OverhangCost>().map(|cost| cost.of(10));
        assert_eq!(["0", "0.1", ".25", "0.333333", "1", "1.0"].map(of_ten), [0, 1, 2, 3, 10, 10].map(Ok));
        for wrong in ["", ".", "1.1", "2", "-1", "0.1234567", "1e-1", "0,5", "0."] {
            assert!(of_ten(wrong).is_err(), "{wrong}");
        }
    }
}
