//! Primers as they are given, and the lines of the files that have them.

use anyhow::{Result, bail};
use bstr::ByteSlice;

use nigh_pcr::Primer;
use nigh_text::alphabet::Alphabet;

/// A line of a file of pairs or primers, for messages.
pub(super) struct PairLine<'a> {
    pub(super) file: &'a str,
    pub(super) number: usize,
    pub(super) columns: Vec<&'a [u8]>,
}

/// A primer as it was given.
#[derive(Clone, Copy)]
pub(super) struct GivenPrimer<'a> {
    pub(super) letters: &'a [u8],
    pub(super) name: &'a [u8],
    /// File and line number; `None` if the primer is from the command line.
    pub(super) place: Option<(&'a str, usize)>,
}

/// The side of a primer in its pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrimerSide {
    Forward,
    Reverse,
}

/// Returns whether a primer can have this byte: an IUPAC code, an inosine or an angle bracket.
pub(super) fn is_primer_byte(byte: u8) -> bool {
    b"<>Ii".contains(&byte) || Alphabet::Dna.symbol_of_byte(byte) != 0
}

impl PairLine<'_> {
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.number)
    }
}

impl GivenPrimer<'_> {
    /// Returns file and line, or the option, for messages.
    pub(super) fn place(&self) -> String {
        self.place.map_or_else(|| "-e".to_owned(), |(file, line)| format!("{file}:{line}"))
    }

    /// Checks the letters.
    pub(super) fn primer(&self, side: PrimerSide) -> Result<Primer> {
        let side = if side == PrimerSide::Forward { "forward" } else { "reverse" };
        let is_wrong = |letter: &char| !u8::try_from(*letter).is_ok_and(is_primer_byte);
        if let Some(wrong) = self.letters.to_str_lossy().chars().find(is_wrong) {
            bail!("{}: '{wrong}' in the {side} primer is not a base or IUPAC code", self.place());
        }
        if !self.letters.iter().any(u8::is_ascii_alphabetic) {
            bail!("{}: the {side} primer is missing", self.place());
        }
        Ok(Primer {
            pattern: self.letters.to_ascii_uppercase(),
            name: self.name.to_vec(),
            origin: self.place.map(|(file, line)| (file.to_owned(), line)),
        })
    }
}
