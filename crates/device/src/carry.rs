//! The two forms of block-based Myers on a device, which differ in how the carry of the addition passes from word to
//! word.

/// The ratio of pattern rows to text symbols at and above which the scan is faster. The scan does not first have to
/// fill lanes, but takes three to four times as long for each symbol.
///
/// Milliseconds on an H200, skew and scan: 4,096 rows and 64 symbols 0.042 and 0.025, 512 symbols 0.076 and 0.137;
/// 16,384 rows and 64 symbols 0.099 and 0.032, 512 symbols 0.139 and 0.177; 49,152 rows and 512 symbols 0.78 and 0.51,
/// 4,096 symbols 1.7 and 3.9.
const SCAN_ROWS: usize = 48;

/// How the carry passes from word to word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryForm {
    /// Each lane works one column behind the lane before it (`word.cu`, `tiles.cu`).
    Skew,
    /// One step computes all words of a column, with their carries by a scan (`scan.cu`).
    Scan,
}

impl CarryForm {
    /// Returns the faster form for patterns of up to `rows` rows and a text of `symbols` symbols.
    pub fn choose(rows: usize, symbols: usize) -> Self {
        if symbols.saturating_mul(SCAN_ROWS) <= rows { CarryForm::Scan } else { CarryForm::Skew }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scan_is_for_texts_that_are_short_compared_with_the_pattern() {
        for (rows, symbols, expected) in [
            (4096, 64, CarryForm::Scan),
            (4096, 512, CarryForm::Skew),
            (16_384, 64, CarryForm::Scan),
            (16_384, 512, CarryForm::Skew),
            (49_152, 512, CarryForm::Scan),
            (49_152, 4096, CarryForm::Skew),
        ] {
            assert_eq!(CarryForm::choose(rows, symbols), expected, "{rows} rows, {symbols} symbols");
        }
    }
}
