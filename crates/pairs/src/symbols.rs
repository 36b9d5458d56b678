//! Strings whose symbols are numbers, such as characters.
//!
//! A pair of such strings becomes a pair of byte strings if there are enough bytes for all symbols that both strings
//! have. The symbols that only one string has share a code, since they match nothing. Other pairs are wide, and are
//! compared in parts that need few codes.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

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
    /// Makes a pair.
    ///
    /// # Panics
    /// Panics if a string is empty.
    pub fn new(query: Vec<u32>, target: Vec<u32>) -> Self {
        assert!(!query.is_empty() && !target.is_empty(), "neither string of a wide pair is empty");
        WidePair { query, target }
    }

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

/// Codes of the symbols of some queries. With them, each of these queries and each target is a string of bytes. All
/// symbols that no query has share a code.
#[derive(Debug, Clone)]
pub struct SymbolCodes {
    /// The codes of the symbols below 128.
    ascii: [u8; 128],
    /// The codes of other symbols of queries.
    others: HashMap<u32, u8>,
    /// The code of all symbols that no query has.
    absent: u8,
    /// The codes that no symbol has yet.
    free: RangeInclusive<u8>,
}

impl SymbolCodes {
    /// Makes codes for an objective, for no queries. Under a substitution matrix, a symbol below 128 is the byte with
    /// this number, and no query has other symbols.
    pub fn new(objective: &Objective) -> Self {
        match objective {
            Objective::Global(scoring) | Objective::Local(scoring) => match scoring.substitution() {
                Substitution::Matrix(matrix) => SymbolCodes::of_bytes(matrix.other_bytes()[0]),
                Substitution::Equality { .. } => SymbolCodes::of_equality(),
            },
            Objective::Distance | Objective::Lcs => SymbolCodes::of_equality(),
        }
    }

    fn of_equality() -> Self {
        SymbolCodes { ascii: [0; 128], others: HashMap::new(), absent: 0, free: 1..=u8::MAX }
    }

    fn of_bytes(absent: u8) -> Self {
        let (ascii, no_codes) = (std::array::from_fn(|symbol| symbol as u8), RangeInclusive::new(1, 0));
        SymbolCodes { ascii, others: HashMap::new(), absent, free: no_codes }
    }

    /// Adds the symbols of a query. If there are not enough codes, adds none and returns false.
    pub fn add(&mut self, query: &[u32]) -> bool {
        let mut new: Vec<u32> = query.iter().copied().filter(|&symbol| self.code(symbol) == self.absent).collect();
        new.sort_unstable();
        new.dedup();
        if new.len() > self.free.len() {
            return false;
        }
        for (symbol, code) in new.into_iter().zip(&mut self.free) {
            match self.ascii.get_mut(symbol as usize) {
                Some(place) => *place = code,
                None => {
                    self.others.insert(symbol, code);
                }
            }
        }
        true
    }

    /// Returns the code of a symbol.
    pub fn code(&self, symbol: u32) -> u8 {
        match self.ascii.get(symbol as usize) {
            Some(&code) => code,
            None => self.others.get(&symbol).copied().unwrap_or(self.absent),
        }
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
    fn symbols_of_queries_have_codes_and_all_others_share_one() {
        let mut codes = SymbolCodes::new(&Objective::Distance);
        let many: Vec<u32> = (100..353).collect();
        assert!(codes.add(&[65, 0, 65]) && codes.add(&many), "255 symbols have codes");
        assert!(!codes.add(&[65, 1000]));
        assert!(codes.add(&[65, 352]));
        let distinct: HashSet<u8> = many.iter().chain(&[65, 0]).map(|&symbol| codes.code(symbol)).collect();
        assert_eq!((distinct.len(), codes.code(1000), codes.code(66)), (255, 0, 0));
        assert!(!distinct.contains(&0));
    }

    #[test]
    fn codes_under_a_matrix_are_bytes() {
        let matrix = matrices::built_in("BLOSUM62").unwrap();
        let other = matrix.class(0xff);
        let scoring = Scoring::new(Substitution::Matrix(matrix.clone()), GapCosts { open: 11, extend: 1 }).unwrap();
        let mut codes = SymbolCodes::new(&Objective::Local(scoring));
        assert!(codes.add(&[u32::from('W'), 0]) && !codes.add(&[u32::from('\u{e4}')]));
        assert_eq!((codes.code(u32::from('W')), codes.code(u32::from('V')), codes.code(0)), (b'W', b'V', 0));
        assert_eq!(matrix.class(codes.code(u32::from('\u{e4}'))), other);
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
