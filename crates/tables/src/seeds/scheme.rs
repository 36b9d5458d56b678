//! How a pattern is divided for the seed index.
//!
//! Divide a pattern into p pieces, and give each a number of edits so that their sum is more than k - p. Then in every
//! match with at most k edits, some piece has at most its number of edits (Navarro 2001, intermediate partitioning). So
//! two pieces with one edit each cover three edits, and a piece with one edit and a piece with none cover two.
//!
//! This holds because an edit changes one piece at most. If a transposition of two neighbours is one edit, it may
//! change two: the last symbol of a piece and the first of the next. Therefore each of these two symbols also matches
//! what the other one matches. Such a transposition is then no edit of either piece, and any other lies in one piece,
//! whose neighbourhood has it as one edit. On the other side of the boundary of a seed the transposition counts as the
//! substitution of one symbol, so the piece and the test together count no more edits than the match has.

use std::ops::Range;

/// The largest number of edits in a piece. A piece of ten residues has more than 100,000 q-grams within four edits, a
/// tenth of all.
pub(crate) const MAX_PIECE_EDITS: usize = 3;
/// The largest number of q-grams of a pattern, estimated or counted. With more, a bit-sliced search is cheaper.
pub(crate) const MAX_GRAMS: usize = 1 << 16;

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedPiece {
    pub symbols: Range<usize>,
    /// The number of edits in the piece.
    pub edits: usize,
    /// The side of the piece's boundary on which the piece lies.
    pub side: PieceSide,
}

/// On which side of a boundary between two symbols a q-gram lies. The symbols on the other side are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceSide {
    Before,
    After,
}

impl SeedPiece {
    /// Returns the number of symbols of the pattern before the boundary.
    pub fn boundary(&self) -> usize {
        match self.side {
            PieceSide::Before => self.symbols.end,
            PieceSide::After => self.symbols.start,
        }
    }

    /// Returns the number of symbols of a pattern of `length` symbols on the other side of the boundary.
    pub(crate) fn tested(&self, length: usize) -> usize {
        match self.side {
            PieceSide::Before => length - self.symbols.end,
            PieceSide::After => self.symbols.start,
        }
    }

    /// Returns the `count` symbols of the piece that are nearest to its boundary, or all.
    pub(crate) fn nearest(&self, count: usize) -> Range<usize> {
        let count = count.min(self.symbols.len());
        match self.side {
            PieceSide::Before => self.symbols.end - count..self.symbols.end,
            PieceSide::After => self.symbols.start..self.symbols.start + count,
        }
    }

    /// Estimates the number of q-grams of `q` residues. For ten residues within one and two edits there are about 80
    /// and 2,100. `groups` has the number of groups that each symbol of the pattern matches.
    pub(crate) fn grams(&self, groups: &[u8], q: usize) -> f64 {
        let length = self.symbols.len().min(q);
        let edits = match self.edits {
            0 => 1.0,
            1 => 8.0 * length as f64,
            2 => 21.0 * (length * length) as f64,
            _ => 40.0 * length.pow(3) as f64,
        };
        let variants: f64 = groups[self.nearest(q)].iter().map(|&groups| f64::from(groups)).product();
        edits * variants * 4f64.powi((q - length) as i32)
    }
}

/// The pieces that are searched for in place of a pattern. Every match contains one of the pieces, with at most the
/// piece's number of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedScheme {
    pub pieces: Vec<SeedPiece>,
}

impl SeedScheme {
    /// Returns the division with the fewest q-grams of `q` residues for patterns with at most `k` edits; `None` if
    /// every division has too many. `groups` has the number of groups that each symbol matches: the division keeps
    /// symbols that match several groups away from the boundaries.
    pub(crate) fn fewest(groups: &[u8], k: usize, q: usize) -> Option<Self> {
        let length = groups.len();
        // Cuts near the middle first: they leave the most symbols to test.
        let mut cuts: Vec<usize> = (1..length).collect();
        cuts.sort_by_key(|cut| length.abs_diff(2 * cut));
        let halves = cuts.into_iter().map(|cut| SeedScheme::cut(&[0, cut, length], k));
        let equal = (3..=k + 1).filter(|&count| count <= length).map(|count| {
            let cuts: Vec<usize> = (0..=count).map(|nth| nth * length / count).collect();
            SeedScheme::cut(&cuts, k)
        });
        let schemes = halves.chain(equal).flatten();
        let fewest = schemes.map(|scheme| (scheme.grams(groups, q), scheme)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(fewest.1).filter(|_| fewest.0 <= MAX_GRAMS as f64)
    }

    /// Divides a pattern at `cuts`, from 0 to its length. Returns `None` if a piece would have too many edits.
    fn cut(cuts: &[usize], k: usize) -> Option<Self> {
        let (length, count) = (*cuts.last()?, cuts.len() - 1);
        let pieces = cuts.windows(2).enumerate().filter_map(|(nth, cut)| {
            // The edits of all pieces and the number of pieces add up to k + 1; a piece without a share is not needed.
            let share = (k + count - nth) / count;
            let side = if length - cut[1] > cut[0] { PieceSide::Before } else { PieceSide::After };
            (share > 0).then(|| SeedPiece { symbols: cut[0]..cut[1], edits: share - 1, side })
        });
        let pieces: Vec<SeedPiece> = pieces.collect();
        let are_short = pieces.iter().any(|piece| piece.edits > MAX_PIECE_EDITS || piece.symbols.len() <= piece.edits);
        (!are_short).then_some(SeedScheme { pieces })
    }

    /// Estimates the number of q-grams of all pieces.
    fn grams(&self, groups: &[u8], q: usize) -> f64 {
        self.pieces.iter().map(|piece| piece.grams(groups, q)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(length: usize, k: usize) -> Vec<(Range<usize>, usize)> {
        let scheme = SeedScheme::fewest(&vec![1; length], k, 10).unwrap();
        scheme.pieces.into_iter().map(|piece| (piece.symbols, piece.edits)).collect()
    }

    #[test]
    fn two_halves_share_the_edits() {
        assert_eq!(pieces(20, 1), [(0..10, 0), (10..20, 0)]);
        assert_eq!(pieces(20, 2), [(0..10, 1), (10..20, 0)]);
        assert_eq!(pieces(20, 3), [(0..10, 1), (10..20, 1)]);
        assert_eq!(pieces(20, 4), [(0..10, 2), (10..20, 1)]);
        assert_eq!(pieces(60, 5).len(), 6, "ten residues without an edit");
        let exact = pieces(20, 0);
        assert!(exact.len() == 1 && exact[0].0.len() >= 10 && exact[0].1 == 0, "{exact:?}");
    }

    #[test]
    fn symbols_that_match_anything_stay_away_from_boundaries() {
        let mut groups = vec![1; 23];
        groups[20] = 4;
        let scheme = SeedScheme::fewest(&groups, 3, 10).unwrap();
        assert_eq!(scheme.pieces[1].boundary(), 10);
        groups.reverse();
        assert_eq!(SeedScheme::fewest(&groups, 3, 10).unwrap().pieces[1].boundary(), 13);
    }

    #[test]
    fn every_distribution_of_edits_leaves_a_piece_within_its_number() {
        for (length, k) in (8..40).flat_map(|length| (0..6).map(move |k| (length, k))) {
            let Some(scheme) = SeedScheme::fewest(&vec![1; length], k, 10) else { continue };
            let covered: usize = scheme.pieces.iter().map(|piece| piece.edits + 1).sum();
            assert!(covered > k, "{length} symbols, {k} edits: {scheme:?}");
            let ends = scheme.pieces.windows(2).all(|pair| pair[0].symbols.end <= pair[1].symbols.start);
            assert!(ends && scheme.pieces.iter().all(|piece| piece.symbols.end <= length), "{scheme:?}");
        }
    }
}
