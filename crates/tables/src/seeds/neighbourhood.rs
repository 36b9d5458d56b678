//! The neighbourhood of a piece of a pattern: all q-grams with which a text within some edits of the piece can begin,
//! each with the least number of edits.
//!
//! The edits are enumerated row by row, from the first symbol of the piece on. If several sequences of edits give the
//! same text, only one is tried where that is cheap to detect. A piece of q symbols has O((8q)^e) q-grams within e
//! edits.
//!
//! E. Myers, "A sublinear algorithm for approximate keyword searching", 1994.

use super::residues::ResidueGroups;
use nigh_text::alignment::SearchEdits;

/// A q-gram as a number with two bits for each residue, above [`EDIT_BITS`] bits for the least number of edits.
pub(crate) type Neighbour = u32;

/// The number of bits for the edits of a [`Neighbour`].
pub(crate) const EDIT_BITS: u32 = 3;

/// The bounds of a neighbourhood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeighbourBounds {
    /// The number of residues of a q-gram.
    pub(crate) length: usize,
    /// The number of edits allowed.
    pub(crate) edits: usize,
    pub(crate) model: SearchEdits,
    /// The largest number of q-grams.
    pub(crate) max: usize,
}

/// The edit that led to a cell. An insertion next to a deletion would be a substitution, or two edits for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastEdit {
    Match,
    Substitution,
    Insertion,
    Deletion,
    Transposition,
}

/// A place in the enumeration: the text so far, and the number of rows and edits that it takes.
#[derive(Clone, Copy)]
struct EditPlace {
    row: usize,
    /// The number of residues of the text so far.
    length: usize,
    /// The text so far, the first residue in the lowest bits.
    gram: u32,
    edits: usize,
    last: LastEdit,
}

/// Collects a neighbourhood.
struct Neighbourhood<'a> {
    piece: &'a [ResidueGroups],
    /// The residues of the piece, two bits each. Meaningful only in rows that allow one group.
    residues: u64,
    bounds: NeighbourBounds,
    found: &'a mut Vec<Neighbour>,
}

/// Sets `found` to the q-grams with which a text within `bounds.edits` edits of `piece` can begin, unordered and with
/// repetitions. Returns `None` if there are more than `bounds.max`; `found` then holds some of them.
///
/// An insertion before the first symbol is no edit of the piece.
pub(crate) fn neighbours(piece: &[ResidueGroups], bounds: NeighbourBounds, found: &mut Vec<Neighbour>) -> Option<()> {
    let residue = |groups: &ResidueGroups| u64::from(groups.trailing_zeros() & 3);
    let residues = piece.iter().take(32).enumerate().fold(0, |all, (row, groups)| all | residue(groups) << (2 * row));
    found.clear();
    let mut all = Neighbourhood { piece, residues, bounds, found };
    all.extend(EditPlace { row: 0, length: 0, gram: 0, edits: 0, last: LastEdit::Match })
}

impl Neighbourhood<'_> {
    fn extend(&mut self, place: EditPlace) -> Option<()> {
        let NeighbourBounds { length, edits, model, .. } = self.bounds;
        if place.length == length || place.row == self.piece.len() {
            return self.fill(place);
        }
        if place.edits == edits {
            return self.follow(place);
        }
        let groups = self.piece[place.row];
        let substitution = place.edits + model.edits_of_substitution();
        for residue in 0..4 {
            let gram = place.gram | residue << (2 * place.length);
            let longer = EditPlace { length: place.length + 1, gram, ..place };
            if groups >> residue & 1 == 1 {
                self.extend(EditPlace { row: place.row + 1, last: LastEdit::Match, ..longer })?;
                // Inserting the residue that follows is the same as inserting it one place later.
                continue;
            }
            if substitution <= edits {
                let last = LastEdit::Substitution;
                self.extend(EditPlace { row: place.row + 1, edits: substitution, last, ..longer })?;
            }
            if place.row > 0 && place.last != LastEdit::Deletion {
                self.extend(EditPlace { edits: place.edits + 1, last: LastEdit::Insertion, ..longer })?;
            }
        }
        // In a run of equal symbols, only the first is deleted.
        let in_run = place.last == LastEdit::Match && place.row > 0 && self.piece[place.row - 1] == groups;
        if place.last != LastEdit::Insertion && !in_run {
            self.extend(EditPlace { row: place.row + 1, edits: place.edits + 1, last: LastEdit::Deletion, ..place })?;
        }
        if model.has_transpositions() { self.transpose(place) } else { Some(()) }
    }

    /// Adds the q-grams in which the next two symbols are transposed. A q-gram that ends between the two symbols needs
    /// no extra case: a substitution leads to it.
    fn transpose(&mut self, place: EditPlace) -> Option<()> {
        let Some(&[first, second]) = self.piece.get(place.row..place.row + 2) else { return Some(()) };
        if place.length + 2 > self.bounds.length || first == second {
            return Some(());
        }
        for pair in (0..16).filter(|pair| second >> (pair & 3) & 1 == 1 && first >> (pair >> 2) & 1 == 1) {
            let gram = place.gram | pair << (2 * place.length);
            let (row, length, edits) = (place.row + 2, place.length + 2, place.edits + 1);
            self.extend(EditPlace { row, length, gram, edits, last: LastEdit::Transposition })?;
        }
        Some(())
    }

    /// Adds the q-grams in which no further edit follows.
    fn follow(&mut self, mut place: EditPlace) -> Option<()> {
        while place.length < self.bounds.length && place.row < self.piece.len() {
            let groups = self.piece[place.row];
            let next = EditPlace { row: place.row + 1, length: place.length + 1, last: LastEdit::Match, ..place };
            let residue = (self.residues >> (2 * place.row)) as u32 & 3;
            if groups.is_power_of_two() && place.row < 32 {
                place = EditPlace { gram: place.gram | residue << (2 * place.length), ..next };
                continue;
            }
            for residue in (0..4).filter(|residue| groups >> residue & 1 == 1) {
                self.follow(EditPlace { gram: place.gram | residue << (2 * place.length), ..next })?;
            }
            return Some(());
        }
        self.fill(place)
    }

    /// Adds the q-grams that begin with the text so far.
    fn fill(&mut self, place: EditPlace) -> Option<()> {
        let rest = 2 * (self.bounds.length - place.length);
        if self.found.len() + (1 << rest) > self.bounds.max {
            return None;
        }
        let gram = |tail: u32| (place.gram | tail << (2 * place.length)) << EDIT_BITS | place.edits as u32;
        self.found.extend((0..1 << rest).map(gram));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::residues::ANY;

    /// The least edits of a text within `edits` edits of the piece that begins with `gram`, by Sellers' recurrence,
    /// with no insertion before the first symbol.
    fn least(piece: &[ResidueGroups], gram: u32, bounds: NeighbourBounds) -> Option<usize> {
        let far = bounds.edits + 1;
        let substitution = bounds.model.edits_of_substitution();
        let mut column: Vec<usize> = (0..=piece.len()).collect();
        let mut earlier = column.clone();
        let mut least = far;
        for at in 0..=bounds.length {
            least = least.min(column[piece.len()]);
            if at == bounds.length {
                break;
            }
            let residue = gram >> (2 * at) & 3;
            let before = std::mem::replace(&mut column, vec![far; piece.len() + 1]);
            for row in 1..=piece.len() {
                let matches = |row: usize, residue: u32| piece[row - 1] >> residue & 1 == 1;
                let diagonal = before[row - 1] + if matches(row, residue) { 0 } else { substitution };
                // A text symbol may be inserted after the first row only.
                column[row] = diagonal.min(before[row] + 1).min(column[row - 1] + 1);
                if bounds.model.has_transpositions() && row > 1 && at > 0 {
                    let last = gram >> (2 * (at - 1)) & 3;
                    if matches(row - 1, residue) && matches(row, last) {
                        column[row] = column[row].min(earlier[row - 2] + 1);
                    }
                }
            }
            earlier = before;
        }
        least = column.into_iter().fold(least, usize::min);
        Some(least).filter(|&least| least <= bounds.edits)
    }

    #[test]
    fn neighbours_are_those_of_the_recurrence() {
        let mut rng = fastrand::Rng::with_seed(7);
        for case in 0..120 {
            let length = rng.usize(4..=6);
            let edits = case % 4;
            let piece: Vec<ResidueGroups> = (0..rng.usize(edits + 1..9))
                .map(|_| if rng.u8(..) < 220 { 1 << rng.u8(..4) } else { rng.u8(1..16) })
                .collect();
            let models = [SearchEdits::Levenshtein, SearchEdits::Indel, SearchEdits::StringAlignment];
            let model = *rng.choice(&models).unwrap();
            let bounds = NeighbourBounds { length, edits, model, max: 1 << 20 };
            let mut found = Vec::new();
            neighbours(&piece, bounds, &mut found).unwrap();
            found.sort_unstable();
            found.dedup_by_key(|neighbour| *neighbour >> EDIT_BITS);
            let all = 0..1 << (2 * length);
            let expected: Vec<Neighbour> =
                all.filter_map(|gram| Some(gram << EDIT_BITS | least(&piece, gram, bounds)? as u32)).collect();
            assert_eq!(found, expected, "case {case}: {piece:?}, {bounds:?}");
        }
    }

    #[test]
    fn too_many_neighbours_are_refused() {
        let bounds = NeighbourBounds { length: 8, edits: 1, model: SearchEdits::Levenshtein, max: 100 };
        assert!(neighbours(&[ANY; 8], bounds, &mut Vec::new()).is_none());
    }
}
