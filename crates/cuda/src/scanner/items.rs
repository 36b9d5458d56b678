//! The lines or records of a batch that are not selected yet.

use std::ops::Range;

use nigh_text::batch::{Batch, Layout};
use nigh_text::hit::Hit;

/// A hit that the device reported: its end in the batch, and the verified hit, if verification confirmed it.
pub(super) type Candidate = (usize, Option<Hit>);

/// The lines or records, called items, that a selection still has to search.
pub(super) struct UnselectedRanges<'a> {
    batch: &'a Batch<'a>,
    /// The ranges of neighbouring lines, or of single records, ascending. They are not empty.
    pieces: Vec<Range<usize>>,
}

/// The items in which a stage of a selection found hits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SelectedItems {
    /// A hit of each item that has a verified one, by end.
    pub(super) hits: Vec<Hit>,
    /// The items whose candidates were all refused, ascending. They may have other hits.
    pub(super) doubtful: Vec<Range<usize>>,
    /// The number of bytes of all these items.
    pub(super) bytes: usize,
}

/// Returns the line or record with a candidate that ends at `end`; of a cut one, the part in the batch.
pub(super) fn item_of(batch: &Batch, end: usize) -> Range<usize> {
    match batch.layout() {
        Layout::Lines(lines) => {
            let bytes = batch.bytes();
            let start = memchr::memrchr(lines.terminator, &bytes[..end - 1]).map_or(0, |at| at + 1);
            let close = memchr::memchr(lines.terminator, &bytes[end - 1..]);
            start..close.map_or(bytes.len(), |at| end + at)
        }
        Layout::Records(segments) => segments[batch.segment_before(end)].bytes.clone(),
    }
}

impl<'a> UnselectedRanges<'a> {
    /// Takes all items of a batch.
    pub(super) fn of_batch(batch: &'a Batch<'a>) -> Self {
        UnselectedRanges { batch, pieces: batch.runs().filter(|run| !run.is_empty()).collect() }
    }

    /// Returns the ranges of the items, ascending. Lines that follow each other are one range.
    pub(super) fn pieces(&self) -> &[Range<usize>] {
        &self.pieces
    }

    /// Removes the items of candidates. Ignores candidates of items that were removed before.
    pub(super) fn take_out(&mut self, mut candidates: Vec<Candidate>) -> SelectedItems {
        candidates.sort_unstable_by_key(|&(end, ref hit)| (end, hit.map_or(usize::MAX, |hit| hit.pattern)));
        let mut selected = SelectedItems::default();
        let mut rest = Vec::with_capacity(self.pieces.len());
        let mut pieces = std::mem::take(&mut self.pieces).into_iter();
        let mut open = pieces.next();
        let mut left = &candidates[..];
        while let (Some(&(end, _)), Some(piece)) = (left.first(), open.clone()) {
            if piece.end < end {
                rest.push(piece);
                open = pieces.next();
                continue;
            }
            let item = item_of(self.batch, end);
            let (of_item, others) = left.split_at(left.partition_point(|&(end, _)| end <= item.end));
            left = others;
            if item.start < piece.start {
                continue;
            }
            selected.bytes += item.len();
            match of_item.iter().find_map(|&(_, hit)| hit) {
                Some(hit) => selected.hits.push(hit),
                None => selected.doubtful.push(item.clone()),
            }
            rest.extend(Some(piece.start..item.start).filter(|before| !before.is_empty()));
            open = Some(item.end..piece.end).filter(|after| !after.is_empty()).or_else(|| pieces.next());
        }
        rest.extend(open.into_iter().chain(pieces));
        self.pieces = rest;
        selected
    }

    /// Removes and returns all items.
    pub(super) fn take_all(&mut self) -> Vec<Range<usize>> {
        std::mem::take(&mut self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(end: usize) -> Candidate {
        (end, Some(Hit { end, pattern: 0, distance: 0, start: None }))
    }

    fn ends(selected: &SelectedItems) -> Vec<usize> {
        selected.hits.iter().map(|hit| hit.end).collect()
    }

    #[test]
    fn lines_with_candidates_are_taken_out() {
        let batch = Batch::of_lines(b"one\ntwo\nthree\nfour", b'\n');
        let mut items = UnselectedRanges::of_batch(&batch);
        let selected = items.take_out(vec![(6, None), hit(11), hit(12), (10, None), hit(7)]);
        assert_eq!((ends(&selected), selected.bytes), (vec![7, 11], 10));
        assert_eq!((&selected.doubtful[..], items.pieces()), (&[][..], &[0..4, 14..18][..]));
        let selected = items.take_out(vec![(1, None), hit(5), hit(18)]);
        assert_eq!((ends(&selected), selected.doubtful.len()), (vec![18], 1), "the second line was taken out");
        assert_eq!(selected.doubtful[0], 0..4);
        assert!(items.pieces().is_empty());
        assert_eq!(items.take_out(vec![hit(2)]), SelectedItems::default());
    }

    #[test]
    fn a_candidate_may_end_with_the_terminator() {
        let batch = Batch::of_lines(b"a\nbc\n\nd\n", b'\n');
        let mut items = UnselectedRanges::of_batch(&batch);
        let selected = items.take_out(vec![(5, None), (6, None)]);
        assert_eq!((&selected.doubtful[..], items.pieces()), (&[2..5, 5..6][..], &[0..2, 6..8][..]));
    }

    #[test]
    fn the_neighbours_of_random_lines_are_left() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..500 {
            let text: Vec<u8> = (0..rng.usize(1..60)).map(|_| if rng.u8(..4) == 0 { b'\n' } else { b'x' }).collect();
            let batch = Batch::of_lines(text.clone(), b'\n');
            let mut items = UnselectedRanges::of_batch(&batch);
            let mut gone = vec![false; text.len()];
            for _ in 0..3 {
                let candidates: Vec<Candidate> = (0..rng.usize(..4)).map(|_| hit(rng.usize(1..=text.len()))).collect();
                for &(end, _) in &candidates {
                    gone[item_of(&batch, end)].fill(true);
                }
                items.take_out(candidates);
                let mut left = vec![true; text.len()];
                items.pieces().iter().for_each(|piece| left[piece.clone()].fill(false));
                assert_eq!(left, gone);
            }
        }
    }
}
