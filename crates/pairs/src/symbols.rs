//! Strings whose symbols are numbers, such as characters.
//!
//! A pair of such strings becomes a pair of byte strings if there are enough bytes for all symbols that both strings
//! have. The symbols that only one string has share a code, since they match nothing. Other pairs are wide, and are
//! compared in parts that need few codes.

use std::collections::{HashMap, HashSet};

use super::Objective;
use super::scoring::Substitution;

/// The code of all symbols that only the query has. Symbols of both strings have codes from [`FIRST_COMMON`].
const IN_QUERY_ONLY: u8 = 0;
/// The code of all symbols that only the target has.
const IN_TARGET_ONLY: u8 = 1;
const FIRST_COMMON: u8 = 2;

/// A pair of strings as an engine compares them.
///
/// # Examples
///
/// ```
/// use nigh_pairs::Objective;
/// use nigh_pairs::symbols::EncodedPair;
///
/// let symbols = |string: &str| string.chars().map(u32::from).collect();
/// let pair = EncodedPair::new(&Objective::Distance, symbols("J\u{e4}ger"), symbols("Jager"));
/// assert!(matches!(pair, EncodedPair::Bytes { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodedPair {
    /// A byte for each symbol.
    Bytes {
        /// The query.
        query: Vec<u8>,
        /// The target.
        target: Vec<u8>,
    },
    /// More symbols than there are bytes.
    Wide(WidePair),
}

/// A pair of strings with more symbols in common than there are bytes, or with symbols that have scores in a matrix and
/// others that have none. Neither string is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WidePair {
    query: Vec<u32>,
    target: Vec<u32>,
}

impl WidePair {
    /// Returns the symbols of the query.
    pub fn query(&self) -> &[u32] {
        &self.query
    }

    /// Returns the symbols of the target.
    pub fn target(&self) -> &[u32] {
        &self.target
    }
}

impl EncodedPair {
    /// Encodes two strings for an objective. Under a substitution matrix, a symbol below 128 is the byte with this
    /// number, and all others have the class of most bytes above 127.
    pub fn new(objective: &Objective, query: Vec<u32>, target: Vec<u32>) -> Self {
        let is_ascii = |string: &[u32]| string.iter().all(|&symbol| symbol < 0x80);
        if is_ascii(&query) && is_ascii(&target) {
            let bytes = |string: Vec<u32>| string.into_iter().map(|symbol| symbol as u8).collect();
            return EncodedPair::Bytes { query: bytes(query), target: bytes(target) };
        }
        let in_query: HashSet<u32> = query.iter().copied().collect();
        let common: HashSet<u32> = target.iter().copied().filter(|symbol| in_query.contains(symbol)).collect();
        let has_codes = common.len() <= usize::from(u8::MAX - FIRST_COMMON) + 1 && !is_by_class(objective);
        if !has_codes && !query.is_empty() && !target.is_empty() {
            return EncodedPair::Wide(WidePair { query, target });
        }
        let codes: HashMap<u32, u8> = common.into_iter().zip(FIRST_COMMON..=u8::MAX).collect();
        let encoded = |string: Vec<u32>, other| -> Vec<u8> {
            string.into_iter().map(|symbol| codes.get(&symbol).copied().unwrap_or(other)).collect()
        };
        EncodedPair::Bytes { query: encoded(query, IN_QUERY_ONLY), target: encoded(target, IN_TARGET_ONLY) }
    }
}

/// Returns whether the score of two symbols depends on more than whether they are equal.
fn is_by_class(objective: &Objective) -> bool {
    match objective {
        Objective::Distance | Objective::Lcs => false,
        Objective::Global(scoring) | Objective::Local(scoring) => {
            matches!(scoring.substitution(), Substitution::Matrix(_))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices;
    use crate::scoring::{GapCosts, Scoring};

    fn encoded(objective: &Objective, query: &[u32], target: &[u32]) -> EncodedPair {
        EncodedPair::new(objective, query.to_vec(), target.to_vec())
    }

    #[test]
    fn symbols_of_one_string_share_a_code() {
        let EncodedPair::Bytes { query, target } = encoded(&Objective::Lcs, &[500, 65, 501, 65], &[65, 502, 503, 66])
        else {
            panic!("one symbol is in both")
        };
        assert_eq!(query, [IN_QUERY_ONLY, FIRST_COMMON, IN_QUERY_ONLY, FIRST_COMMON]);
        assert_eq!(target, [FIRST_COMMON, IN_TARGET_ONLY, IN_TARGET_ONLY, IN_TARGET_ONLY]);
    }

    #[test]
    fn pairs_with_254_common_symbols_are_encoded_and_others_are_wide() {
        for (count, is_wide) in [(254, false), (255, true)] {
            let string: Vec<u32> = (1000..1000 + count).collect();
            let pair = encoded(&Objective::Distance, &string, &string);
            assert_eq!(matches!(pair, EncodedPair::Wide(_)), is_wide);
        }
    }

    #[test]
    fn letters_keep_their_scores_beside_other_characters() {
        let matrix = Substitution::Matrix(matrices::built_in("BLOSUM62").unwrap());
        let objective = Objective::Global(Scoring::new(matrix, GapCosts { open: 11, extend: 1 }).unwrap());
        let [w, umlaut] = [u32::from('W'), u32::from('\u{e4}')];
        assert!(matches!(encoded(&objective, &[w, umlaut], &[w]), EncodedPair::Wide(_)));
        let letters = EncodedPair::Bytes { query: b"W".to_vec(), target: b"W".to_vec() };
        assert_eq!(encoded(&objective, &[w], &[w]), letters);
        assert!(matches!(encoded(&objective, &[umlaut], &[]), EncodedPair::Bytes { .. }));
    }
}
