//! Patterns: sequences of symbol sets, each with the errors it may have and the edges it must keep.

mod edge;
mod set;
mod symbols;
mod syntax;

pub use edge::Edge;
pub use set::{PatternError, PatternSet, PatternSource, Problem};
pub use symbols::SymbolSet;
pub use syntax::{Case, Notation, Whole};

use crate::alphabet::{Alphabet, complement};

/// Which strand of a nucleotide sequence a pattern is searched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strand {
    /// The text as it stands.
    Forward,
    /// Its reverse complement.
    Reverse,
}

impl Strand {
    /// The sign of the strand in tables.
    pub fn sign(self) -> u8 {
        match self {
            Strand::Forward => b'+',
            Strand::Reverse => b'-',
        }
    }
}

/// How many errors a pattern may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxErrors {
    /// So many, whatever the pattern.
    Count(usize),
    /// So many in a hundred symbols of the pattern, rounded down.
    Percent(usize),
    /// None up to 2 symbols, one up to 5, then two.
    Auto,
}

impl MaxErrors {
    /// The bound for a pattern of `length` symbols.
    pub fn of_length(self, length: usize) -> usize {
        match self {
            MaxErrors::Count(k) => k,
            MaxErrors::Percent(percent) => length * percent / 100,
            MaxErrors::Auto => match length {
                0..=2 => 0,
                3..=5 => 1,
                _ => 2,
            },
        }
    }
}

/// A sequence of symbol sets to be found with at most k errors.
///
/// It has at least one symbol, and more symbols than errors: every match has a symbol of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    symbols: Vec<SymbolSet>,
    k: usize,
    start: Edge,
    end: Edge,
    strand: Strand,
    label: usize,
}

impl Pattern {
    /// What each symbol of the text is compared with, first to last.
    pub fn symbols(&self) -> &[SymbolSet] {
        &self.symbols
    }

    /// The most errors a match has: fewer than there are symbols.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The most symbols of the text that a match covers.
    pub fn reach(&self) -> usize {
        self.symbols.len() + self.k
    }

    /// What must hold where a match starts.
    pub fn start(&self) -> Edge {
        self.start
    }

    /// What must hold where a match ends.
    pub fn end(&self) -> Edge {
        self.end
    }

    /// Whether a match may start and end anywhere.
    pub fn is_free(&self) -> bool {
        self.start.is_free() && self.end.is_free()
    }

    /// The strand on which its matches lie.
    pub fn strand(&self) -> Strand {
        self.strand
    }

    /// Index of the label, as the user gave the pattern; its alternatives and strands share it.
    pub fn label(&self) -> usize {
        self.label
    }

    /// A letter for each symbol of a pattern of sequences: the one that stands for its residues.
    pub fn letters(&self, alphabet: Alphabet) -> Vec<u8> {
        let held = |set: &SymbolSet| alphabet.letter(|residue| set.contains(alphabet.symbol_of_byte(residue)));
        self.symbols.iter().map(held).collect()
    }

    fn reverse_complement(&self) -> Pattern {
        let symbols = self.symbols.iter().rev();
        Pattern {
            symbols: symbols.map(|set| set.map(complement)).collect(),
            start: self.end,
            end: self.start,
            strand: Strand::Reverse,
            ..*self
        }
    }
}
