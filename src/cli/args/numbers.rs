//! Parses numbers in arguments.

use std::num::NonZeroUsize;

/// Parses a number. A number above 64 bits becomes `u64::MAX`.
pub(crate) fn number(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "expected a number, 0 or more";
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EXPECTED);
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}

/// Parses a number that is not 0.
pub(super) fn one_or_more(text: &str) -> Result<u64, &'static str> {
    number(text).ok().filter(|&number| number > 0).ok_or("expected a number, 1 or more")
}

/// Parses the value of `--min-overlap`: a number of symbols, 1 or more.
pub(super) fn min_overlap(text: &str) -> Result<NonZeroUsize, &'static str> {
    let number = one_or_more(text)?;
    Ok(NonZeroUsize::new(usize::try_from(number).unwrap_or(usize::MAX)).expect("it is not 0"))
}

/// Parses a limit. As in GNU grep, a negative number means no limit.
pub(super) fn limit(text: &str) -> Result<u64, &'static str> {
    match text.strip_prefix('-') {
        Some(digits) => number(digits).map(|limit| if limit == 0 { 0 } else { u64::MAX }),
        None => number(text),
    }
}

/// Parses a number of threads, at most 1024.
pub(crate) fn threads(text: &str) -> Result<u16, &'static str> {
    match number(text) {
        Ok(threads @ 0..=1024) => Ok(threads as u16),
        _ => Err("expected a number from 0 to 1024"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_only_digits() {
        assert_eq!((number("0"), number("007"), number("99999999999999999999")), (Ok(0), Ok(7), Ok(u64::MAX)));
        for wrong in ["", "x", "-1", "+1", "1.5", " 1"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
        assert_eq!((limit("-1"), limit("-0"), limit("3")), (Ok(u64::MAX), Ok(0), Ok(3)));
        assert!(limit("-").is_err() && limit("--1").is_err() && threads("1025").is_err());
    }
}
