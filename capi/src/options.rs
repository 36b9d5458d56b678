//! Enumerations that C passes as numbers. Each number is checked, because C may pass any.

use nigh::{Alphabet, Searcher};

use crate::error::Failure;

/// The symbols of patterns and texts.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighAlphabet {
    /// Characters of UTF-8 text in lines. Each invalid byte is a character of its own.
    Text = 0,
    /// Bytes, in lines.
    Bytes = 1,
    /// Nucleotides of one sequence, with the IUPAC codes. Case is ignored and U equals T.
    Dna = 2,
    /// Amino acids of one sequence. Case is ignored.
    Protein = 3,
}

/// Which matches are found.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighSelection {
    /// One match of each pattern and strand for each position where matches end.
    All = 0,
    /// The best of overlapping matches, for each pattern and strand.
    Best = 1,
    /// The best match for each place of an exact group, such as a PAM, at the start or the end of a pattern.
    Sites = 2,
}

impl NighAlphabet {
    pub(crate) fn of(number: u32) -> Result<Alphabet, Failure> {
        one_of("alphabet", &[Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein], number)
    }
}

impl NighSelection {
    /// Returns the selection with the value `number`, among the matches of a searcher.
    pub(crate) fn of(searcher: &Searcher, number: u32) -> Result<Self, Failure> {
        match one_of("selection", &[Self::All, Self::Best, Self::Sites], number)? {
            Self::All if searcher.min_edits() > 0 => Err(Failure::new(
                "NIGH_SELECTION_ALL cannot be used with a minimum number of edits; use NIGH_SELECTION_BEST",
            )),
            selection => Ok(selection),
        }
    }
}

/// Returns the value with the index `number`.
fn one_of<T: Copy>(what: &str, values: &[T], number: u32) -> Result<T, Failure> {
    let value = usize::try_from(number).ok().and_then(|index| values.get(index)).copied();
    value.ok_or_else(|| Failure::new(format_args!("{number} is not a valid {what}")))
}
