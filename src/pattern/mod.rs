//! Patterns: sequences of symbol sets, each with the errors it may have and the edges it must keep.

mod bound;
mod case;
mod classes;
mod edge;
mod groups;
mod problem;
mod reading;
mod rules;
mod set;
mod source;
mod symbols;
mod syntax;

pub use bound::{Bound, EditKind, MaxErrors};
pub use edge::Edge;
pub use problem::{PatternError, PatternProblem};
pub use reading::{Case, Groups, Notation, Whole};
pub use rules::{EditConstraints, EditCosts, EditLimit, Transpositions};
pub use set::PatternSet;
pub use source::PatternSource;
pub use symbols::SymbolSet;

use std::sync::Arc;

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

/// A sequence of symbol sets to be found with at most k errors.
///
/// It has at least one symbol, and more symbols than errors: every match has a symbol of the text. With [`EditConstraints`] a
/// match is what keeps to them, and its distance is what its edits cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    symbols: Vec<SymbolSet>,
    k: usize,
    start: Edge,
    end: Edge,
    strand: Strand,
    label: usize,
    rules: Option<Arc<EditConstraints>>,
}

impl Pattern {
    /// What each symbol of the text is compared with, first to last.
    pub fn symbols(&self) -> &[SymbolSet] {
        &self.symbols
    }

    /// The most errors a match has: fewer than there are symbols. With rules, the most edits of any kind that a match comes
    /// to where a transposition is two; these may be as many as there are symbols.
    pub fn k(&self) -> usize {
        self.k
    }

    /// What matches keep to beyond the number of edits, if anything.
    pub fn rules(&self) -> Option<&EditConstraints> {
        self.rules.as_deref()
    }

    /// The most symbols of the text that a match covers.
    pub fn reach(&self) -> usize {
        // Who searches for it as if there were no rules looks so far too.
        let plain = if self.k < self.symbols.len() { self.k } else { 0 };
        let insertions = self.rules().map_or(self.k, |rules| rules.terms().insertion.most);
        self.symbols.len() + insertions.max(plain)
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

    /// A letter for each symbol: in sequences the one that stands for its residues; in text the character, of several cases
    /// of one the last, and `?` for a class.
    pub fn letters(&self, alphabet: Alphabet) -> String {
        let letter = |set: &SymbolSet| match alphabet.is_sequence() {
            true => char::from(alphabet.letter(|residue| set.contains(alphabet.symbol_of_byte(residue)))),
            false => set.character(),
        };
        self.symbols.iter().map(letter).collect()
    }

    fn reverse_complement(&self) -> Pattern {
        let symbols = self.symbols.iter().rev();
        Pattern {
            symbols: symbols.map(|set| set.map(complement)).collect(),
            start: self.end,
            end: self.start,
            strand: Strand::Reverse,
            rules: self.rules().map(|rules| Arc::new(rules.reversed())),
            ..*self
        }
    }

    /// The pattern without rules and edges, if it can be searched for so: it matches wherever this one does.
    fn widened(&self) -> Option<Pattern> {
        let wide = Pattern { start: Edge::FREE, end: Edge::FREE, rules: None, ..self.clone() };
        (self.k < self.symbols.len()).then_some(wide)
    }
}
