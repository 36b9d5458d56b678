//! An alignment: where a match starts, and the edits that turn the text into the pattern.

use std::fmt;

use smallvec::SmallVec;

/// One kind of step of an alignment. The text is the reference, as in SAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    /// `=`: a symbol of the text that the pattern's symbol matches.
    Match,
    /// `X`: a symbol of the text in the place of another.
    Substitution,
    /// `I`: a symbol of the pattern that the text lacks.
    PatternOnly,
    /// `D`: a symbol of the text that the pattern lacks.
    TextOnly,
}

impl Edit {
    /// The letter of the edit in a CIGAR string.
    pub fn letter(self) -> u8 {
        match self {
            Edit::Match => b'=',
            Edit::Substitution => b'X',
            Edit::PatternOnly => b'I',
            Edit::TextOnly => b'D',
        }
    }
}

/// So many runs need no memory of their own: enough for three errors anywhere.
const RUNS_IN_PLACE: usize = 7;

/// A run-length encoded list of edits, in the direction of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Cigar {
    runs: SmallVec<[(u32, Edit); RUNS_IN_PLACE]>,
}

impl Cigar {
    /// The CIGAR of edits that were found walking back from the end.
    pub fn from_backward(edits: impl IntoIterator<Item = Edit>) -> Self {
        let mut runs = BackwardRuns::default();
        edits.into_iter().for_each(|edit| runs.push(1, edit));
        runs.cigar()
    }

    /// The runs, first to last: how many times which edit.
    pub fn runs(&self) -> &[(u32, Edit)] {
        &self.runs
    }

    /// How many symbols of the text it covers.
    pub fn text_length(&self) -> usize {
        let covering = self.runs.iter().filter(|(_, edit)| *edit != Edit::PatternOnly);
        covering.map(|(length, _)| *length as usize).sum()
    }

    /// The number of edits that are no matches.
    pub fn distance(&self) -> usize {
        let edits = self.runs.iter().filter(|(_, edit)| *edit != Edit::Match);
        edits.map(|(length, _)| *length as usize).sum()
    }
}

impl fmt::Display for Cigar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (length, edit) in &self.runs {
            write!(f, "{length}{}", char::from(edit.letter()))?;
        }
        Ok(())
    }
}

/// Runs of edits as they are found walking back from the end; a buffer for one CIGAR after the other.
#[derive(Debug, Clone, Default)]
pub struct BackwardRuns {
    runs: Vec<(u32, Edit)>,
}

impl BackwardRuns {
    /// Begins again.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Adds so many times an edit, before those that are there.
    #[inline]
    pub fn push(&mut self, length: usize, edit: Edit) {
        match self.runs.last_mut() {
            _ if length == 0 => {}
            Some((more, last)) if *last == edit => *more += length as u32,
            _ => self.runs.push((length as u32, edit)),
        }
    }

    /// The CIGAR of the edits so far.
    #[inline]
    pub fn cigar(&self) -> Cigar {
        Cigar { runs: self.runs.iter().rev().copied().collect() }
    }
}

/// Where a match lies in a batch, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Offset in the batch's bytes of the first symbol of the match; its end if it has no symbol.
    pub start: usize,
    /// Offset just past its last symbol.
    pub end: usize,
    /// The edits.
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
}
