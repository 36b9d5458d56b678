//! The two forms of block-based Myers on a device, which differ in how the carry of the addition passes from word to
//! word.

use crate::DeviceError;

/// The environment variable that forces a form, for tests and measurements.
const VARIABLE: &str = "NIGH_CARRY";

/// The quotient of rows and symbols from which on the scan is faster: it has no lanes to fill, but its step over a symbol
/// takes three to four times as long.
///
/// Milliseconds on an H200, skew and scan: 4,096 rows and 64 symbols 0.042 and 0.025, 512 symbols 0.076 and 0.137;
/// 16,384 rows and 64 symbols 0.099 and 0.032, 512 symbols 0.139 and 0.177; 49,152 rows and 512 symbols 0.78 and 0.51,
/// 4,096 symbols 1.7 and 3.9.
const SCAN_ROWS: usize = 48;

/// How the carry passes from word to word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryForm {
    /// Each lane is a column behind the one before (`word.cu`, `tiles.cu`).
    Skew,
    /// All words of a column are in one step, and a scan computes their carries (`scan.cu`).
    Scan,
}

impl CarryForm {
    /// Returns the form that NIGH_CARRY forces, if any.
    ///
    /// # Errors
    /// Fails if NIGH_CARRY has another value than `scan` and `skew`.
    pub fn forced() -> Result<Option<Self>, DeviceError> {
        match std::env::var_os(VARIABLE) {
            None => Ok(None),
            Some(value) if value == "skew" => Ok(Some(CarryForm::Skew)),
            Some(value) if value == "scan" => Ok(Some(CarryForm::Scan)),
            Some(value) => {
                let value = value.to_string_lossy().into_owned();
                Err(DeviceError::UnknownForm { variable: VARIABLE, value, forms: "'scan' or 'skew'" })
            }
        }
    }

    /// Chooses the form for patterns of up to `rows` rows in a text.
    ///
    /// # Errors
    /// Fails as [`CarryForm::forced`] does.
    pub fn choose(rows: usize, symbols: usize) -> Result<Self, DeviceError> {
        Ok(match CarryForm::forced()? {
            Some(form) => form,
            None if symbols.saturating_mul(SCAN_ROWS) <= rows => CarryForm::Scan,
            None => CarryForm::Skew,
        })
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
            if CarryForm::forced().unwrap().is_none() {
                assert_eq!(CarryForm::choose(rows, symbols), Ok(expected), "{rows} rows, {symbols} symbols");
            }
        }
    }
}
