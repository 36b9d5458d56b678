//! Alignments: the start of a match and its edits, as a CIGAR.

use std::fmt;

use smallvec::SmallVec;

/// One operation of an alignment. The text is the reference, as in SAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    /// `=`: the pattern's symbol matches the text's symbol.
    Match,
    /// `X`: the pattern's symbol differs from the text's symbol.
    Substitution,
    /// `I`: a pattern symbol that is absent from the text.
    PatternOnly,
    /// `D`: a text symbol that is absent from the pattern.
    TextOnly,
    /// `S`: a pattern symbol beyond the start or the end of the line or record.
    Overhang,
}

impl Edit {
    /// Returns the operation's letter in a CIGAR string.
    pub fn letter(self) -> u8 {
        match self {
            Edit::Match => b'=',
            Edit::Substitution => b'X',
            Edit::PatternOnly => b'I',
            Edit::TextOnly => b'D',
            Edit::Overhang => b'S',
        }
    }
}

#[cfg(feature = "cuda")]
impl From<nigh_device::abi::DeviceEdit> for Edit {
    fn from(edit: nigh_device::abi::DeviceEdit) -> Self {
        use nigh_device::abi::DeviceEdit;
        match edit {
            DeviceEdit::Match => Edit::Match,
            DeviceEdit::Substitution => Edit::Substitution,
            DeviceEdit::PatternOnly => Edit::PatternOnly,
            DeviceEdit::TextOnly => Edit::TextOnly,
        }
    }
}

/// The edits that the distance of a pair counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditModel {
    /// Insertions, deletions and substitutions.
    Levenshtein,
    /// Insertions and deletions. For strings of m and n symbols at distance d, the longest common subsequence has
    /// (m + n - d) / 2 symbols.
    Indel,
}

/// The edits that the distance of a hit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchEdits {
    /// Insertions, deletions and substitutions.
    Levenshtein,
    /// Insertions and deletions.
    Indel,
    /// Insertions, deletions, substitutions, and transpositions of two neighbours that no other edit touches: the
    /// distance of optimal string alignment.
    StringAlignment,
}

impl SearchEdits {
    /// Returns the number of edits that replace a symbol by another.
    pub fn edits_of_substitution(self) -> usize {
        match self {
            SearchEdits::Levenshtein | SearchEdits::StringAlignment => 1,
            SearchEdits::Indel => 2,
        }
    }

    /// Returns whether the transposition of two neighbours is one edit.
    pub fn has_transpositions(self) -> bool {
        self == SearchEdits::StringAlignment
    }
}

/// Number of runs stored inline before the CIGAR spills to the heap: enough for three edits at any positions.
const RUNS_IN_PLACE: usize = 7;

/// Number of bits for the kind of a run.
const KIND_BITS: u32 = 3;

/// The kinds of operations. A run stores an index in this array.
const KINDS: [Edit; 5] = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly, Edit::Overhang];

/// A number of equal operations and their kind, in one word as in BAM, but with 61 bits for the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CigarRun(u64);

impl CigarRun {
    #[inline]
    fn new(length: usize, edit: Edit) -> Self {
        CigarRun((length as u64) << KIND_BITS | edit as u64)
    }

    #[inline]
    fn length(self) -> usize {
        (self.0 >> KIND_BITS) as usize
    }

    #[inline]
    fn edit(self) -> Edit {
        KINDS[(self.0 & ((1 << KIND_BITS) - 1)) as usize]
    }

    /// Adds `length` operations to the run.
    #[inline]
    fn extend(&mut self, length: usize) {
        self.0 += (length as u64) << KIND_BITS;
    }
}

/// A run-length encoded list of operations, in text order.
#[derive(Clone, PartialEq, Eq, Default, Hash)]
pub struct Cigar {
    runs: SmallVec<[CigarRun; RUNS_IN_PLACE]>,
}

impl Cigar {
    /// Builds a CIGAR from operations in traceback order, last to first.
    #[doc(hidden)]
    pub fn from_backward(edits: impl IntoIterator<Item = Edit>) -> Self {
        let mut runs = BackwardRuns::default();
        edits.into_iter().for_each(|edit| runs.push(1, edit));
        runs.cigar()
    }

    /// Returns the CIGAR of an alignment by a device. If `is_backward`, the last edit is written first.
    #[cfg(feature = "cuda")]
    pub(crate) fn of_device(traced: &nigh_device::abi::DeviceAlignment<'_>, is_backward: bool) -> Self {
        let mut runs: SmallVec<[CigarRun; RUNS_IN_PLACE]> = SmallVec::new();
        for (length, edit) in traced.runs() {
            let edit = edit.into();
            match runs.last_mut() {
                Some(last) if last.edit() == edit => last.extend(length),
                _ => runs.push(CigarRun::new(length, edit)),
            }
        }
        if is_backward {
            runs.reverse();
        }
        Cigar { runs }
    }

    /// Returns the CIGAR of a match without edits.
    pub fn of_matches(length: usize) -> Self {
        let mut runs = BackwardRuns::default();
        runs.push(length, Edit::Match);
        runs.cigar()
    }

    /// Returns the runs in text order: the number of operations in a run, and their kind.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (usize, Edit)> + DoubleEndedIterator + Clone {
        self.runs.iter().map(|run| (run.length(), run.edit()))
    }

    /// Returns the number of text symbols that the alignment covers.
    pub fn text_length(&self) -> usize {
        let covering = self.runs().filter(|(_, edit)| !matches!(edit, Edit::PatternOnly | Edit::Overhang));
        covering.map(|(length, _)| length).sum()
    }

    /// Returns the number of operations of a kind.
    pub fn count(&self, kind: Edit) -> usize {
        self.runs().filter(|(_, edit)| *edit == kind).map(|(length, _)| length).sum()
    }

    /// Returns the number of insertions, deletions and substitutions.
    pub fn distance(&self) -> usize {
        let edits = self.runs().filter(|(_, edit)| !matches!(edit, Edit::Match | Edit::Overhang));
        edits.map(|(length, _)| length).sum()
    }
}

impl Cigar {
    /// Returns the runs from the last to the first.
    pub fn reversed(mut self) -> Cigar {
        self.runs.reverse();
        self
    }

    /// Returns the CIGAR without overhangs.
    pub fn inside(&self) -> Cigar {
        Cigar { runs: self.runs.iter().copied().filter(|run| run.edit() != Edit::Overhang).collect() }
    }

    /// Returns the number of pattern symbols beyond the start of the line or record.
    pub fn start_overhang(&self) -> usize {
        self.runs().next().filter(|(_, edit)| *edit == Edit::Overhang).map_or(0, |(length, _)| length)
    }

    /// Returns the number of pattern symbols beyond the end of the line or record.
    pub fn end_overhang(&self) -> usize {
        self.runs().next_back().filter(|(_, edit)| *edit == Edit::Overhang).map_or(0, |(length, _)| length)
    }
}

impl fmt::Display for Cigar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (length, edit) in self.runs() {
            write!(f, "{length}{}", char::from(edit.letter()))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cigar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.runs()).finish()
    }
}

/// Collects the runs of an alignment in traceback order, last to first. The buffer is reused from one CIGAR to the
/// next.
#[derive(Clone, Default)]
pub struct BackwardRuns {
    runs: Vec<CigarRun>,
}

impl BackwardRuns {
    /// Removes all runs.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Adds `length` operations in front of the operations so far. Does nothing if `length` is 0.
    #[inline]
    pub fn push(&mut self, length: usize, edit: Edit) {
        match self.runs.last_mut() {
            _ if length == 0 => {}
            Some(last) if last.edit() == edit => last.extend(length),
            _ => self.runs.push(CigarRun::new(length, edit)),
        }
    }

    /// Returns the CIGAR of the operations so far, in text order.
    #[inline]
    pub fn cigar(&self) -> Cigar {
        Cigar { runs: self.runs.iter().rev().copied().collect() }
    }
}

/// The range of a match in a batch, and the operations that align the pattern with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Offset in the batch's bytes of the first symbol of the match.
    pub start: usize,
    /// Offset in the batch's bytes just past the last symbol of the match.
    pub end: usize,
    /// The operations, in text order.
    pub cigar: Cigar,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cigar_is_written_in_the_direction_of_the_text() {
        use Edit::{Match, PatternOnly, Substitution, TextOnly};
        let backward = [Match, Match, TextOnly, Substitution, Match, PatternOnly];
        let cigar = Cigar::from_backward(backward);
        assert_eq!(cigar.to_string(), "1I1=1X1D2=");
        assert_eq!((cigar.distance(), cigar.text_length()), (3, 5));
    }

    #[test]
    fn a_run_may_have_more_operations_than_32_bits_can_count() {
        let mut runs = BackwardRuns::default();
        for (length, edit) in [((1 << 32) - 1, Edit::Match), (6, Edit::Match), (5 << 30, Edit::TextOnly)] {
            runs.push(length, edit);
        }
        let cigar = runs.cigar();
        assert_eq!(cigar.to_string(), "5368709120D4294967301=");
        assert!(cigar.runs().eq([(5 << 30, Edit::TextOnly), ((1 << 32) + 5, Edit::Match)]));
        assert_eq!((cigar.distance(), cigar.text_length()), (5 << 30, (9 << 30) + 5));
    }

    #[test]
    fn a_run_remembers_the_kind_of_its_operations() {
        for edit in KINDS {
            assert_eq!(CigarRun::new(3, edit).edit(), edit);
        }
    }
}
