//! Errors in patterns.

use std::fmt;

use bstr::ByteSlice;
use regex_syntax::ast::ClassAsciiKind;

use super::source::PatternSource;
use nigh_text::alphabet::Alphabet;

/// Largest number of alternatives of one pattern.
pub(super) const MAX_ALTERNATIVES: usize = 4096;
/// Largest number of states of the automaton of a regular expression whose repeats are written out.
pub(super) const MAX_STATES: usize = 1 << 12;
/// Largest number of transitions between the positions of a regular expression.
pub(super) const MAX_TRANSITIONS: usize = 1 << 20;
/// Largest length of a pattern's text, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 22;
/// Largest total number of symbols of a pattern's alternatives.
pub(super) const MAX_SYMBOLS: usize = 1 << 22;

/// Largest size in bytes of the automaton of a pattern's groups.
pub(super) const MAX_GROUP_MEMORY: usize = 1 << 24;

/// The largest cost of the edits of a regular expression whose edits have costs or limits. The number of tallies of a
/// search grows with the fourth power of the cost.
pub(super) const MAX_COST_OF_EXPRESSION: usize = 16;
/// Largest number of insertions in a match. Constraints may allow more insertions than a pattern has symbols; this
/// limit bounds the context that is kept in memory.
pub(super) const MAX_INSERTIONS: usize = 1 << 20;

/// The reason why a pattern cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternProblem {
    /// A syntax error.
    #[error("{0}")]
    Syntax(String),
    /// A repetition operator without an upper bound, in a sequence. Records are searched in pieces, so that a match has
    /// a largest length.
    #[error(
        "'{operator}' repeats without bound, which is not supported in sequences; use a range such as {{{least},1000}}"
    )]
    Unbounded {
        /// The operator.
        operator: String,
        /// The lower bound of the repetition.
        least: u32,
    },
    /// A regular expression with too many states.
    #[error(
        "its automaton has {states} states, but at most {MAX_STATES} are supported; use smaller ranges of repeats, or \
         several patterns"
    )]
    TooManyStates {
        /// The number of states.
        states: usize,
    },
    /// A regular expression with more than `MAX_TRANSITIONS` transitions.
    #[error("its automaton has more than {MAX_TRANSITIONS} transitions; use fewer optional parts in a repeat")]
    TooManyTransitions,
    /// The automaton of the groups takes more than `MAX_GROUP_MEMORY` bytes.
    #[error(
        "the automaton of its groups takes more than {} MiB; use smaller ranges of repeats, or classes of fewer \
         characters such as [a-z] instead of \\w",
        MAX_GROUP_MEMORY >> 20
    )]
    GroupsTooLarge,
    /// An unsupported construct: look-around or a backreference.
    #[error("{0} are not supported")]
    Unsupported(Unsupported),
    /// A construct of other regular expressions, for which there is another way to write it.
    #[error("'{}' is not supported; {}", .0.construct, .0.remedy)]
    Foreign(ForeignConstruct),
    /// Braces that set edits in the notation of the module `regex` of Python.
    #[error("'{0}' does not set edits, which are set for whole patterns")]
    EditsInBraces(String),
    /// An unsupported assertion.
    #[error("'{0}' is not supported (only ^, $, \\b, \\B, \\< and \\> are)")]
    Look(&'static str),
    /// A word edge in a sequence.
    #[error("\\b, \\B, \\< and \\> are not supported in sequences, which have no words")]
    NoWords,
    /// A set of letters that looks like a character class.
    #[error("{}", class_problem(.0))]
    NoClass(String),
    /// The text of the pattern is longer than `MAX_BYTES`.
    #[error("it is longer than {MAX_BYTES} bytes; shorten it")]
    TooLong,
    /// The pattern has more than `MAX_ALTERNATIVES` alternatives.
    #[error("it has more than {MAX_ALTERNATIVES} alternatives; use smaller ranges or classes, or several patterns")]
    TooManyAlternatives,
    /// The alternatives have more than `MAX_SYMBOLS` symbols in total.
    #[error("its alternatives have more than {MAX_SYMBOLS} symbols in total; use fewer repeats")]
    TooManySymbols,
    /// A letter that is not a code of the alphabet.
    #[error("'{}' is not {}", letter.replace('\n', "\\n"), kind_of_code(letter, *.alphabet))]
    NotACode {
        /// The letter.
        letter: String,
        /// The alphabet.
        alphabet: Alphabet,
    },
    /// The pattern would match everywhere: the number of edits allowed is not less than its number of symbols.
    #[error(
        "{k} edit{} would match everywhere: the pattern has only {length} symbol{}",
        if *.k == 1 { "" } else { "s" },
        if *.length == 1 { "" } else { "s" }
    )]
    TooManyEdits {
        /// The number of edits allowed.
        k: usize,
        /// Number of symbols of the alternative.
        length: usize,
    },
    /// The pattern would match everywhere: the number of edits allowed is not less than the length of a string that it
    /// matches.
    #[error(
        "{k} edit{} would match everywhere: the pattern matches the short string '{string}'",
        if *.k == 1 { "" } else { "s" }
    )]
    ShortString {
        /// The number of edits allowed.
        k: usize,
        /// The shortest string that is not empty. `?` stands for a class.
        string: String,
    },
    /// The edits of a regular expression have costs or limits, and more than `MAX_COST_OF_EXPRESSION` are allowed.
    #[error(
        "a regular expression with edit costs, edit limits or transpositions supports a total cost of at most \
         {MAX_COST_OF_EXPRESSION}; allow fewer edits"
    )]
    TooCostly,
    /// More than `MAX_INSERTIONS` insertions are allowed.
    #[error("a match could have more than {MAX_INSERTIONS} insertions")]
    TooManyInsertions,
    /// The pattern has a line feed, and a match lies within one line.
    #[error("it has a line feed, but a match lies within one line; search for each line as a pattern of its own")]
    LineFeed,
}

/// A construct of other regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// `(?=...)`, `(?!...)`, `(?<=...)` or `(?<!...)`.
    LookAround,
    /// `\1` and the like.
    Backreference,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsupported::LookAround => "look-ahead and look-behind",
            Unsupported::Backreference => "backreferences",
        })
    }
}

/// A construct of other regular expressions, and what to write instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignConstruct {
    construct: &'static str,
    remedy: &'static str,
}

impl ForeignConstruct {
    const ALL: [ForeignConstruct; 9] = [
        ForeignConstruct::new(r"\h", r"write '[ \t]'"),
        ForeignConstruct::new(r"\H", r"write '[^ \t]'"),
        ForeignConstruct::new(r"\N", "write '.'"),
        ForeignConstruct::new(r"\R", "a match lies within one line, whose end is '$'"),
        ForeignConstruct::new(r"\X", "write '.', which is one character"),
        ForeignConstruct::new(r"\K", "put what follows it in parentheses, and use that group"),
        ForeignConstruct::new(r"\G", "matches are found anywhere, and '^' is the start of a line"),
        ForeignConstruct::new(r"\Z", "write '$'"),
        ForeignConstruct::new("(?>", "write '(?:', since all strings of a group are tried"),
    ];

    const fn new(construct: &'static str, remedy: &'static str) -> Self {
        ForeignConstruct { construct, remedy }
    }

    /// Returns the construct at the end of `regex`, if it is one of these.
    pub(super) fn at_end_of(regex: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| regex.ends_with(one.construct))
    }
}

/// Returns the kind of code that was expected, and whether the letter is an amino acid.
fn kind_of_code(letter: &str, alphabet: Alphabet) -> &'static str {
    let is_amino_acid = matches!(letter.as_bytes(), [letter] if Alphabet::Protein.residues(*letter) != 0);
    match alphabet {
        Alphabet::Protein => "an amino acid code",
        _ if is_amino_acid => "an IUPAC nucleotide code (it is an amino acid code)",
        _ => "an IUPAC nucleotide code",
    }
}

/// Returns the message about `[:space:]` outside brackets, or about a misspelt class name.
fn class_problem(name: &str) -> String {
    if is_class(name) {
        format!("a character class needs two pairs of brackets; write '[{name}]'")
    } else {
        format!("'{name}' is not a character class; classes are [[:alnum:]], [[:alpha:]], [[:digit:]] and so on")
    }
}

/// Number of bytes of a pattern that a message shows.
const MAX_SHOWN: usize = 60;

/// A pattern that cannot be searched for, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The pattern.
    pub source: Box<PatternSource>,
    /// The reason.
    pub problem: PatternProblem,
}

impl PatternError {
    /// Returns the pattern as it was written.
    pub fn pattern(&self) -> &[u8] {
        &self.source.text
    }

    /// Returns the reason.
    pub fn problem(&self) -> &PatternProblem {
        &self.problem
    }

    /// Writes the pattern and a reason, as one line.
    pub fn write(&self, problem: &dyn fmt::Display, f: &mut impl fmt::Write) -> fmt::Result {
        if let Some((file, line)) = &self.source.origin {
            write!(f, "{file}:{line}: ")?;
        }
        let name = self.source.shown_name();
        let shown = &name[..name.len().min(MAX_SHOWN)];
        let dots = if shown.len() < name.len() { "..." } else { "" };
        write!(f, "pattern '{}{dots}': {problem}", shown.to_str_lossy().replace('\n', "\\n"))
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&self.problem, f)
    }
}

impl std::error::Error for PatternError {}

/// Returns whether `text` has the form `[:name:]` with the name of a character class.
fn is_class(text: &str) -> bool {
    let name = text.strip_prefix("[:").and_then(|rest| rest.strip_suffix(":]"));
    name.is_some_and(|name| ClassAsciiKind::from_name(name).is_some())
}
