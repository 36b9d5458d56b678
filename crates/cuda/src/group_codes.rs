//! Codes of symbols for a group of patterns: one code for each class of symbols, or codes that several classes share.
//!
//! Shared codes are a filter. A search in them finds every hit and possibly others, so its hits are verified with the
//! symbols. Classes are merged as in Huffman's construction: the two that occur in the fewest rows of the patterns,
//! again and again. So classes that many rows have keep a code of their own, and false hits are rare.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use nigh_device::abi::SLICED_CODES;
use nigh_pattern::{Pattern, SymbolSet};
use nigh_text::alphabet::Symbol;
use nigh_verify::encoder::Classes;

/// The classes of the symbols of a group, and their codes.
pub(super) struct GroupCodes {
    classes: Arc<Classes>,
    /// The code of each class; `None` if each class is its own code.
    shared: Option<Vec<u8>>,
    /// The codes that several classes share, as one bit per code.
    merged: u64,
}

impl GroupCodes {
    /// Gives each class its own code. There must be at most 256.
    pub(super) fn exact(classes: Arc<Classes>) -> Self {
        GroupCodes { classes, shared: None, merged: 0 }
    }

    /// Gives the classes of `patterns` codes for a bit-sliced search, which several classes share if there are more
    /// classes than codes.
    pub(super) fn shared<'a>(classes: Arc<Classes>, patterns: impl Iterator<Item = &'a Pattern>) -> Self {
        let mut weights = vec![0; classes.count()];
        for set in patterns.flat_map(Pattern::symbols) {
            classes.codes_in(set).iter().for_each(|&class| weights[usize::from(class)] += 1);
        }
        let codes = merge_rarest(&weights, SLICED_CODES);
        let (mut seen, mut merged) = (0_u64, 0);
        for &code in &codes {
            merged |= seen & 1 << code;
            seen |= 1 << code;
        }
        GroupCodes { classes, shared: Some(codes), merged }
    }

    /// Returns whether a symbol of the pattern shares its code with a symbol of another class. Hits of the pattern are
    /// then only candidates.
    pub(super) fn are_shared_in(&self, pattern: &Pattern) -> bool {
        let is_merged = |code: u8| self.merged >> (code % 64) & 1 != 0;
        self.merged != 0 && pattern.symbols().iter().any(|set| self.codes_of(set).any(is_merged))
    }

    /// Returns the number of codes, including that of the symbols that no pattern matches.
    pub(super) fn count(&self) -> usize {
        match &self.shared {
            Some(codes) => 1 + usize::from(codes.iter().copied().max().unwrap_or(0)),
            None => self.classes.count(),
        }
    }

    fn code(&self, class: u16) -> u8 {
        self.shared.as_ref().map_or(class as u8, |codes| codes[usize::from(class)])
    }

    /// Returns the code of a byte that is a symbol by itself.
    pub(super) fn code_of_byte(&self, byte: u8) -> u8 {
        self.code(self.classes.code_of_byte(byte))
    }

    /// Returns the ranges of symbols that some pattern matches, ascending: first symbol, last symbol, code.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Symbol, Symbol, u8)> + '_ {
        self.classes.ranges().iter().map(|&(first, last, class)| (first, last, self.code(class)))
    }

    /// Returns the codes of the symbols in a set of a pattern, perhaps with repetitions.
    pub(super) fn codes_of<'a>(&'a self, set: &SymbolSet) -> impl Iterator<Item = u8> + 'a {
        self.classes.codes_in(set).iter().map(|&class| self.code(class))
    }
}

/// Returns a code below `codes` for each class. Class 0 alone has code 0. The classes of the other codes are merged by
/// ascending weight.
fn merge_rarest(weights: &[usize], codes: usize) -> Vec<u8> {
    let mut merged: BinaryHeap<Reverse<(usize, Vec<usize>)>> =
        weights.iter().enumerate().skip(1).map(|(class, &weight)| Reverse((weight, vec![class]))).collect();
    while merged.len() >= codes {
        let (Some(Reverse(first)), Some(Reverse(second))) = (merged.pop(), merged.pop()) else { break };
        merged.push(Reverse((first.0 + second.0, [first.1, second.1].concat())));
    }
    let mut of_class = vec![0; weights.len()];
    for (code, Reverse((_, classes))) in (1..).zip(merged.into_sorted_vec()) {
        classes.into_iter().for_each(|class| of_class[class] = code);
    }
    of_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_classes_share_codes() {
        let codes = merge_rarest(&[0, 9, 1, 7, 2, 3], 4);
        assert_eq!((codes[0], codes[2]), (0, codes[4]));
        assert_eq!(codes[2], codes[5]);
        let mut alone = vec![codes[1], codes[2], codes[3]];
        alone.sort_unstable();
        assert_eq!(alone, [1, 2, 3]);
    }

    #[test]
    fn few_classes_have_their_own() {
        let mut codes = merge_rarest(&[0; 64], 64);
        codes.sort_unstable();
        assert!(codes.into_iter().eq(0..64));
    }
}
