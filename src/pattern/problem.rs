//! What can be wrong with a pattern.

use std::fmt;

use bstr::ByteSlice;
use regex_syntax::ast::ClassAsciiKind;

use super::source::PatternSource;
use crate::alphabet::Alphabet;

/// The most alternatives one pattern may stand for.
pub(super) const MAX_ALTERNATIVES: usize = 4096;
/// The most bytes a pattern may be written with.
pub(super) const MAX_BYTES: usize = 1 << 22;
/// The most symbols its alternatives may have together.
pub(super) const MAX_SYMBOLS: usize = 1 << 22;

/// The most symbols that may be inserted, where not the pattern's length is the bound: so much text is kept at hand.
pub(super) const MAX_INSERTIONS: usize = 1 << 20;

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternProblem {
    /// The notation is not valid.
    #[error("{0}")]
    Syntax(String),
    /// An operator that repeats without end.
    #[error("'{operator}' repeats without bound; use a range such as {{{least},{}}}", least + 9)]
    Unbounded {
        /// The operator.
        operator: String,
        /// The fewest repeats.
        least: u32,
    },
    /// A look-around that is not searched for.
    #[error("'{0}' is not supported (only ^, $, \\b, \\< and \\> are)")]
    Look(&'static str),
    /// An edge between symbols.
    #[error("^, $, \\b, \\< and \\> are supported only at the ends of a pattern; write \\^ or \\$ for the symbol")]
    EdgeInside,
    /// The edge of a word in a sequence.
    #[error("\\b, \\< and \\> are not supported in sequences, which have no words")]
    NoWords,
    /// The name of a class that is no class.
    #[error("{}", class_problem(.0))]
    NoClass(String),
    /// The notation is too long.
    #[error("it has more than {MAX_BYTES} bytes")]
    TooLong,
    /// The alternatives are too many.
    #[error("more than {MAX_ALTERNATIVES} alternatives; use smaller ranges or classes, or several patterns")]
    TooManyAlternatives,
    /// The alternatives are too long.
    #[error("more than {MAX_SYMBOLS} symbols in all alternatives; use fewer repeats")]
    TooManySymbols,
    /// A letter that means nothing in the alphabet.
    #[error("'{letter}' is not {}", kind_of_code(letter, *.alphabet))]
    NotACode {
        /// The letter.
        letter: String,
        /// The alphabet.
        alphabet: Alphabet,
    },
    /// As many errors are allowed as there are symbols: it would match everywhere.
    #[error(
        "-k {k} would match everywhere: the pattern has only {length} symbol{}; lower -k, or use '-k auto'",
        if *.length == 1 { "" } else { "s" }
    )]
    TooManyErrors {
        /// The errors allowed.
        k: usize,
        /// The symbols of the shortest alternative.
        length: usize,
    },
    /// Insertions are bounded by nothing but a very large number.
    #[error("more than {MAX_INSERTIONS} insertions would be allowed; lower -k or --max-ins")]
    TooManyInsertions,
}

/// What a letter should be a code of, and what to do if it is one of something else.
fn kind_of_code(letter: &str, alphabet: Alphabet) -> &'static str {
    let is_amino_acid = matches!(letter.as_bytes(), [letter] if Alphabet::Protein.residues(*letter) != 0);
    match alphabet {
        Alphabet::Protein => "an amino acid code",
        _ if is_amino_acid => "an IUPAC nucleotide code (use --protein to search amino acids)",
        _ => "an IUPAC nucleotide code",
    }
}

/// What to write in place of `[:space:]`, and of what looks like it.
fn class_problem(name: &str) -> String {
    if is_class(name) {
        format!("a character class needs two pairs of brackets; write '[{name}]'")
    } else {
        format!("'{name}' is not a character class; classes are [[:alnum:]], [[:alpha:]], [[:digit:]] and so on")
    }
}

/// The most bytes of a pattern that a message shows.
const MAX_LABEL: usize = 1000;

/// A pattern that cannot be searched for, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    pub source: Box<PatternSource>,
    /// Why.
    pub problem: PatternProblem,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.source.origin {
            write!(f, "{file}:{line}: ")?;
        }
        let label = self.source.label();
        let shown = &label[..label.len().min(MAX_LABEL)];
        let dots = if shown.len() < label.len() { "..." } else { "" };
        write!(f, "pattern '{}{dots}': {}", shown.to_str_lossy(), self.problem)
    }
}

impl std::error::Error for PatternError {}

/// Whether `[:name:]` is a character class.
fn is_class(text: &str) -> bool {
    let name = text.strip_prefix("[:").and_then(|rest| rest.strip_suffix(":]"));
    name.is_some_and(|name| ClassAsciiKind::from_name(name).is_some())
}
