//! Pairs of primers, and the patterns for which nigh searches.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// A primer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Primer {
    /// The primer as a pattern, 5' to 3', in upper case. Exact groups are in angle brackets.
    pub pattern: Vec<u8>,
    /// Name of the primer.
    pub name: Vec<u8>,
    /// File and line number, for messages; `None` if the primer is from the command line.
    pub origin: Option<(String, usize)>,
}

impl Primer {
    /// Returns the letters of the primer, 5' to 3'.
    pub(crate) fn letters(&self) -> impl DoubleEndedIterator<Item = u8> {
        self.pattern.iter().copied().filter(|letter| !b"<>".contains(letter))
    }
}

/// A pair of primers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimerPair {
    /// Name of the pair.
    pub name: Vec<u8>,
    /// The primer of the forward strand.
    pub forward: Primer,
    /// The primer of the reverse strand.
    pub reverse: Primer,
    /// Lengths of products, primers included.
    pub lengths: RangeInclusive<u64>,
}

/// Choice of the primers that make a product together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Only the two primers of a pair.
    Pairs,
    /// Any two primers, also a primer with itself.
    Pool,
}

/// Indices of the two primers of a product. Pair n has the primers 2n (forward) and 2n + 1 (reverse). `first` is at
/// most `second`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrimerCombination {
    pub(crate) first: u32,
    pub(crate) second: u32,
}

impl PrimerCombination {
    /// Combines two primers, in any order.
    pub(crate) fn of(a: u32, b: u32) -> Self {
        PrimerCombination { first: a.min(b), second: a.max(b) }
    }
}

/// All pairs of primers. Primers with equal patterns, angle brackets included, share one pattern of the search. In a
/// pool, primers with equal patterns and names are one primer, such as one that is in several pairs.
#[derive(Debug)]
pub struct PrimerPairs {
    pairs: Vec<PrimerPair>,
    pooling: Pooling,
    /// For each primer, the index of its pattern.
    pattern_of: Vec<usize>,
    /// For each pattern, its primers in ascending order.
    primers_of: Vec<Vec<u32>>,
}

impl PrimerPairs {
    /// Makes a set of fewer than 2^31 pairs.
    pub fn new(pairs: Vec<PrimerPair>, pooling: Pooling) -> Self {
        let mut indices: HashMap<&[u8], usize> = HashMap::new();
        let (mut pattern_of, mut primers_of) = (Vec::new(), Vec::<Vec<u32>>::new());
        let mut seen = HashSet::new();
        for (index, primer) in pairs.iter().flat_map(|pair| [&pair.forward, &pair.reverse]).enumerate() {
            let pattern = *indices.entry(&primer.pattern).or_insert(primers_of.len());
            if pattern == primers_of.len() {
                primers_of.push(Vec::new());
            }
            if pooling == Pooling::Pairs || seen.insert((pattern, &primer.name)) {
                primers_of[pattern].push(index as u32);
            }
            pattern_of.push(pattern);
        }
        PrimerPairs { pairs, pooling, pattern_of, primers_of }
    }

    /// Returns the first primer of each pattern.
    pub fn patterns(&self) -> impl Iterator<Item = &Primer> {
        self.primers_of.iter().map(|primers| self.primer(primers[0]))
    }

    /// Returns the number of patterns.
    pub(crate) fn pattern_count(&self) -> usize {
        self.primers_of.len()
    }

    pub(crate) fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// Returns the length of the longest product.
    pub(crate) fn max_length(&self) -> u64 {
        self.pairs.iter().map(|pair| *pair.lengths.end()).max().unwrap_or(0)
    }

    /// Returns the combinations of the pairs, in their order.
    pub(crate) fn combinations(&self) -> impl Iterator<Item = PrimerCombination> + use<> {
        (0..self.pairs.len() as u32).map(|pair| PrimerCombination { first: 2 * pair, second: 2 * pair + 1 })
    }

    fn pair_of(&self, primer: u32) -> &PrimerPair {
        &self.pairs[primer as usize / 2]
    }

    pub(crate) fn primer(&self, index: u32) -> &Primer {
        let pair = self.pair_of(index);
        if index.is_multiple_of(2) { &pair.forward } else { &pair.reverse }
    }

    /// Returns the lengths of the products that begin with a primer.
    pub(crate) fn lengths(&self, primer: u32) -> RangeInclusive<u64> {
        self.pair_of(primer).lengths.clone()
    }

    /// Returns the primers of a pattern.
    pub(crate) fn primers_of(&self, pattern: usize) -> &[u32] {
        &self.primers_of[pattern]
    }

    /// Returns the index of the pattern of the other primer in the pair of `primer`.
    pub(crate) fn partner_pattern(&self, primer: u32) -> usize {
        self.pattern_of[(primer ^ 1) as usize]
    }

    /// Returns the name of the products of two primers: the name of their pair, or both names in a pool.
    pub(crate) fn name(&self, primers: PrimerCombination) -> Cow<'_, [u8]> {
        match self.pooling {
            Pooling::Pairs => Cow::Borrowed(&self.pair_of(primers.first).name),
            Pooling::Pool => {
                Cow::Owned([primers.first, primers.second].map(|index| &*self.primer(index).name).join(&b'+'))
            }
        }
    }

    /// Compares combinations by product name, then by primer index.
    pub(crate) fn compare(&self, a: PrimerCombination, b: PrimerCombination) -> Ordering {
        if a == b { Ordering::Equal } else { self.name(a).cmp(&self.name(b)).then(a.cmp(&b)) }
    }
}

#[cfg(test)]
impl PrimerPairs {
    /// Makes pairs with the names `a`, `b` and so on, of products of `lengths`. Their primers are `a/F`, `a/R` and so on.
    pub(crate) fn of_letters(primers: &[[&str; 2]], lengths: RangeInclusive<u64>, pooling: Pooling) -> Self {
        let primer = |letters: &str, name: Vec<u8>| Primer { pattern: letters.into(), name, origin: None };
        let pair = |(index, &[forward, reverse]): (usize, &[&str; 2])| {
            let name = b'a' + index as u8;
            PrimerPair {
                name: vec![name],
                forward: primer(forward, vec![name, b'/', b'F']),
                reverse: primer(reverse, vec![name, b'/', b'R']),
                lengths: lengths.clone(),
            }
        };
        PrimerPairs::new(primers.iter().enumerate().map(pair).collect(), pooling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primers_with_the_same_letters_are_one_pattern() {
        let pairs = PrimerPairs::of_letters(&[["ACG", "<T>TT"], ["CCC", "ACG"]], 1..=9, Pooling::Pool);
        let patterns: Vec<_> = pairs.patterns().map(|primer| (&*primer.pattern, &*primer.name)).collect();
        assert_eq!(patterns[1], (&b"<T>TT"[..], &b"a/R"[..]));
        assert_eq!((patterns.len(), pairs.primers_of(0), pairs.partner_pattern(2)), (3, &[0, 3][..], 0));
        assert_eq!(pairs.primer(1).letters().collect::<Vec<u8>>(), b"TTT");
        assert_eq!(&*pairs.name(PrimerCombination { first: 0, second: 3 }), b"a/F+b/R");
    }
    #[test]
    fn a_primer_of_several_pairs_is_in_a_pool_once() {
        let primer = |letters: &str| Primer { pattern: letters.into(), name: letters.into(), origin: None };
        let pair = |forward, reverse| PrimerPair {
            name: b"a".to_vec(),
            forward: primer(forward),
            reverse: primer(reverse),
            lengths: 1..=9,
        };
        let pairs = vec![pair("ACG", "CCC"), pair("ACG", "GGG")];
        assert_eq!(PrimerPairs::new(pairs.clone(), Pooling::Pool).primers_of(0), [0]);
        assert_eq!(PrimerPairs::new(pairs, Pooling::Pairs).primers_of(0), [0, 2]);
    }
}
