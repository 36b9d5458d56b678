//! Makes searchers.

use std::sync::Arc;

use super::Searcher;
use nigh_core::alphabet::{Alphabet, Symbol};
use nigh_core::engine::{EngineChoice, EngineError, engine};
use nigh_core::pattern::{
    Case, EditCosts, MaxEdits, Notation, PatternError, PatternProblem, PatternSet, PatternSource, Strand, SymbolSet,
};

/// The symbol that ends a line.
const LINE_FEED: Symbol = b'\n' as Symbol;

/// Builds a [`Searcher`].
///
/// The defaults are literal patterns, one edit, both strands of DNA, and the CPU.
///
/// # Examples
///
/// ```
/// use nigh::{Alphabet, Searcher, Strand};
///
/// let builder = Searcher::builder(Alphabet::Dna).patterns(["GATTACA", "TTGACA"]).max_edits(1);
/// let forward = builder.clone().strands(&[Strand::Forward]).build()?;
/// let both = builder.build()?;
/// assert!(!forward.is_match(b"CCTGTAATCCC") && both.is_match(b"CCTGTAATCCC"));
/// # Ok::<(), nigh::SearcherError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SearcherBuilder {
    alphabet: Alphabet,
    patterns: Vec<PatternSource>,
    max_edits: usize,
    notation: Notation,
    case: Case,
    strands: Vec<Strand>,
    costs: EditCosts,
    engine: EngineChoice,
}

/// The reason why a [`Searcher`] cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SearcherError {
    /// A pattern cannot be searched for.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A pattern is empty.
    #[error("a pattern has no symbols")]
    EmptyPattern,
    /// The engine is not available, or does not support the patterns.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Searcher {
    /// Makes a searcher for a literal pattern in text.
    ///
    /// # Errors
    /// Fails if the pattern cannot be searched for, for example because `max_edits` is not less than its number of
    /// symbols.
    ///
    /// # Examples
    ///
    /// ```
    /// let searcher = nigh::Searcher::new("connection refused", 2)?;
    /// assert!(searcher.is_match(b"error: conection refusd"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn new(pattern: impl AsRef<[u8]>, max_edits: usize) -> Result<Searcher, SearcherError> {
        Searcher::builder(Alphabet::Text).pattern(pattern).max_edits(max_edits).build()
    }

    /// Makes a searcher for a pattern of nucleotides on both strands. IUPAC codes in the pattern are sets of bases.
    ///
    /// # Errors
    /// Fails if the pattern has a letter that is no IUPAC code, or if `max_edits` is not less than its number of
    /// symbols.
    ///
    /// # Examples
    ///
    /// ```
    /// let searcher = nigh::Searcher::dna("GATNACA", 0)?;
    /// let strands: String = searcher.find_iter(b"GATTACA, TGTAATC").map(|m| char::from(m.strand().sign())).collect();
    /// assert_eq!(strands, "+-");
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn dna(pattern: impl AsRef<[u8]>, max_edits: usize) -> Result<Searcher, SearcherError> {
        Searcher::builder(Alphabet::Dna).pattern(pattern).max_edits(max_edits).build()
    }

    /// Makes a searcher for a pattern of amino acids.
    ///
    /// # Errors
    /// Fails if the pattern has a letter that is no code of an amino acid, or if `max_edits` is not less than its
    /// number of symbols.
    ///
    /// # Examples
    ///
    /// ```
    /// let searcher = nigh::Searcher::protein("ELVISLIVES", 1)?;
    /// assert!(searcher.is_match(b"MKELVISLAVESK"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn protein(pattern: impl AsRef<[u8]>, max_edits: usize) -> Result<Searcher, SearcherError> {
        Searcher::builder(Alphabet::Protein).pattern(pattern).max_edits(max_edits).build()
    }

    /// Returns a builder of a searcher with several patterns or other options.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let searcher = Searcher::builder(Alphabet::Text).patterns(["timeout", "refused"]).max_edits(1).build()?;
    /// let found: Vec<usize> = searcher.find_iter(b"refusd: time-out").best().map(|m| m.pattern()).collect();
    /// assert_eq!(found, [1, 0]);
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn builder(alphabet: Alphabet) -> SearcherBuilder {
        SearcherBuilder::new(alphabet)
    }
}

impl SearcherBuilder {
    pub(super) fn new(alphabet: Alphabet) -> Self {
        let strands = match alphabet {
            Alphabet::Dna => vec![Strand::Forward, Strand::Reverse],
            Alphabet::Text | Alphabet::Bytes | Alphabet::Protein => vec![Strand::Forward],
        };
        SearcherBuilder {
            alphabet,
            patterns: Vec::new(),
            max_edits: 1,
            notation: Notation::Literal,
            case: Case::Sensitive,
            strands,
            costs: EditCosts::default(),
            engine: EngineChoice::Cpu,
        }
    }

    /// Adds a pattern. Its index is the number of patterns that were added before. Without patterns, nothing matches.
    pub fn pattern(mut self, pattern: impl AsRef<[u8]>) -> Self {
        self.patterns.push(PatternSource::new(pattern.as_ref()));
        self
    }

    /// Adds several patterns, in order.
    pub fn patterns(self, patterns: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        patterns.into_iter().fold(self, SearcherBuilder::pattern)
    }

    /// Sets the maximum number of edits of a match.
    pub fn max_edits(self, max_edits: usize) -> Self {
        SearcherBuilder { max_edits, ..self }
    }

    /// Sets how patterns are written. In sequences, a regular expression must be finite: `*`, `+` and `{n,}` are errors.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern("error.*timeout").notation(Notation::Regex);
    /// let searcher = builder.max_edits(2).build()?;
    /// assert!(searcher.is_match(b"02:11 eror from web02: tmeout after 3 s"));
    /// assert!(!searcher.is_match(b"no error here"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn notation(self, notation: Notation) -> Self {
        SearcherBuilder { notation, ..self }
    }

    /// Sets whether case matters in text. In sequences it does not.
    pub fn case(self, case: Case) -> Self {
        SearcherBuilder { case, ..self }
    }

    /// Sets the strands that are searched. Only nucleotides have a reverse strand.
    pub fn strands(self, strands: &[Strand]) -> Self {
        SearcherBuilder { strands: strands.to_vec(), ..self }
    }

    /// Sets the cost of each kind of edit, and the largest number of edits of that kind in a match. The maximum number
    /// of edits then bounds the total cost.
    pub fn edit_costs(self, costs: EditCosts) -> Self {
        SearcherBuilder { costs, ..self }
    }

    /// Sets the engine.
    pub fn engine(self, engine: EngineChoice) -> Self {
        SearcherBuilder { engine, ..self }
    }

    /// Fails if all alternatives of a pattern have a line feed, and so cannot match without an edit.
    fn check_lines(&self, patterns: &PatternSet) -> Result<(), PatternError> {
        if self.alphabet.is_sequence() {
            return Ok(());
        }
        let mut is_in_line = vec![false; self.patterns.len()];
        let is_line_feed = |set: &SymbolSet| set.ranges() == [(LINE_FEED, LINE_FEED)];
        for pattern in patterns.patterns() {
            is_in_line[pattern.source()] |= !pattern.symbols().iter().any(is_line_feed);
        }
        match is_in_line.iter().position(|is_in_line| !is_in_line) {
            Some(index) => {
                let source = Box::new(self.patterns[index].clone());
                Err(PatternError { source, problem: PatternProblem::LineFeed })
            }
            None => Ok(()),
        }
    }

    /// Makes the searcher.
    ///
    /// # Errors
    /// Fails if a pattern is empty or cannot be searched for, or if the engine is not available. In text and bytes, a
    /// pattern with a line feed cannot: a match lies within one line.
    pub fn build(self) -> Result<Searcher, SearcherError> {
        if self.patterns.iter().any(|pattern| pattern.text.is_empty()) {
            return Err(SearcherError::EmptyPattern);
        }
        let patterns = PatternSet::builder(self.alphabet)
            .max_edits(MaxEdits::Count(self.max_edits))
            .notation(self.notation)
            .case(self.case)
            .edit_costs(self.costs)
            .strands(&self.strands)
            .build(&self.patterns)?;
        self.check_lines(&patterns)?;
        Ok(Searcher { engine: engine(self.engine, Arc::new(patterns), 1)? })
    }
}
