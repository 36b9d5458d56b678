//! Makes searchers.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::Searcher;
use super::edit_range::largest_distance;
use super::matches::MatchRules;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{
    AmbiguousLetters, Bound, Case, EditCosts, Edits, Expression, Groups, MatchExtent, MaxEdits, Notation, Overhang,
    OverhangCost, Pattern, PatternError, PatternSet, PatternSetBuilder, PatternSource, PositionRange, Proximity,
    Strand,
};
use nigh_text::alphabet::Alphabet;
use nigh_verify::EngineError;

/// Builds a [`Searcher`].
///
/// The defaults are literal patterns, one edit, both strands of DNA, and the CPU. The setters correspond to the options of
/// the program, and [`option`](Self::option) sets them by the program's names.
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
    pub(super) alphabet: Alphabet,
    patterns: Vec<PatternSource>,
    /// The options of all patterns, except those in the fields below.
    reading: PatternSetBuilder,
    pub(super) costs: EditCosts,
    min_edits: usize,
    within: PositionRange,
    overhang: Option<OverhangCost>,
    min_overlap: Option<usize>,
    /// For each call of [`near`](Self::near), the number of patterns before it and the number of symbols.
    near: Vec<(usize, u64)>,
    engine: EngineChoice,
}

/// The reason why a [`Searcher`] cannot be made.
///
/// # Examples
///
/// ```
/// use nigh::{PatternProblem, Searcher, SearcherError};
///
/// let Err(SearcherError::Pattern(error)) = Searcher::dna("GATTAQA", 1) else { panic!("Q is not an IUPAC code") };
/// assert_eq!(error.pattern(), b"GATTAQA");
/// assert!(matches!(error.problem(), PatternProblem::NotACode { letter, .. } if letter == "Q"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearcherError {
    /// A pattern cannot be searched for.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A pattern is empty.
    #[error("a pattern has no symbols")]
    EmptyPattern,
    /// `near` was called more than once, or not between two patterns.
    #[error("near: give it once, between two patterns")]
    Near,
    /// No match has as many edits as the least number.
    #[error("no match can have {min} or more edits, since at most {max} are allowed")]
    MinEdits {
        /// The least number of edits.
        min: usize,
        /// The largest number of edits of a match, or its largest cost.
        max: usize,
    },
    /// Patterns may hang over, but one of them is a regular expression.
    #[error("overhang: cannot be used with a regular expression that has no longest string, or too many strings")]
    Overhang,
    /// The least overlap is 0, or patterns may not hang over.
    #[error("min-overlap: must be 1 or more, and needs overhang")]
    MinOverlap,
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
    ///
    /// // A character is one symbol; in bytes, 'ä' is two.
    /// let text = Searcher::builder(Alphabet::Text).pattern("Jager").max_edits(1).build()?;
    /// let bytes = Searcher::builder(Alphabet::Bytes).pattern("Jager").max_edits(1).build()?;
    /// assert!(text.is_match("Jäger".as_bytes()) && !bytes.is_match("Jäger".as_bytes()));
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
            reading: PatternSet::builder(alphabet)
                .max_edits(MaxEdits::Count(1))
                .notation(Notation::Literal)
                .groups(if alphabet.is_sequence() { Groups::Exact } else { Groups::Ordinary })
                .strands(&strands),
            costs: EditCosts::default(),
            min_edits: 0,
            within: PositionRange::ALL,
            overhang: None,
            min_overlap: None,
            near: Vec::new(),
            engine: EngineChoice::cpu(),
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

    /// Adds a pattern with a bound of its own: a number of edits or a percentage of the pattern's length, for all kinds
    /// of edit or only some.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, MaxEdits, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Dna).pattern_within("GATTACA", MaxEdits::Count(0));
    /// let searcher = builder.pattern_within("TTGACATTGACA", "2s".parse::<nigh::Bound>()?).build()?;
    /// assert!(searcher.is_match(b"TTGAGATTGACA") && !searcher.is_match(b"GATTAGA"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pattern_within(mut self, pattern: impl AsRef<[u8]>, bound: impl Into<Bound>) -> Self {
        let bound = Some(bound.into());
        self.patterns.push(PatternSource { bound, ..PatternSource::new(pattern.as_ref()) });
        self
    }

    /// Sets the maximum number of edits of a match.
    pub fn max_edits(self, max_edits: usize) -> Self {
        self.bound(MaxEdits::Count(max_edits))
    }

    /// Sets the bound of patterns that have no bound of their own: a number of edits, a percentage of the pattern's
    /// length, or a number that depends on the length, each also for some kinds of edit only.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Bound, Searcher};
    ///
    /// let bound: Bound = "10%s".parse()?;
    /// let searcher = Searcher::builder(Alphabet::Text).pattern("connection refused").bound(bound).build()?;
    /// assert!(searcher.is_match(b"connextion refused") && !searcher.is_match(b"conection refused"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bound(mut self, bound: impl Into<Bound>) -> Self {
        self.reading = self.reading.max_edits(bound);
        self
    }

    /// Sets the least number of edits of a match, or its least cost, which finds misspelt occurrences. It applies after the
    /// choice of [`Matches::best`](super::Matches::best) and [`Matches::sites`](super::Matches::sites), so nothing is found
    /// at a place whose best match has fewer edits: an exact occurrence is left out, although it also matches with an edit one
    /// symbol further. It also applies to [`Searcher::is_match`], [`Searcher::replace_all`] and files, but not to iterators over
    /// all matches.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let searcher = Searcher::builder(Alphabet::Text).pattern("timeout").max_edits(2).min_edits(1).build()?;
    /// let text = b"timeout, time-out";
    /// assert_eq!(searcher.find_iter(text).best().map(|found| found.range()).collect::<Vec<_>>(), [9..17]);
    /// assert!(!searcher.is_match(b"timeout"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn min_edits(self, min_edits: usize) -> Self {
        SearcherBuilder { min_edits, ..self }
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
    pub fn notation(mut self, notation: Notation) -> Self {
        self.reading = self.reading.notation(notation);
        self
    }

    /// Sets whether case matters in text. In sequences it does not.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Case, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern("deadlock").max_edits(1);
    /// assert!(builder.case(Case::Insensitive).build()?.is_match(b"DEADLOK"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn case(mut self, case: Case) -> Self {
        self.reading = self.reading.case(case);
        self
    }

    /// Restricts matches to whole words, or to whole lines or records.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher, MatchExtent};
    ///
    /// let searcher = Searcher::builder(Alphabet::Text).pattern("error").whole(MatchExtent::Words).build()?;
    /// assert!(searcher.is_match(b"an eror in line 4") && !searcher.is_match(b"terrors"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn whole(mut self, whole: MatchExtent) -> Self {
        self.reading = self.reading.whole(whole);
        self
    }

    /// Restricts matches to a range of positions in each line or record: bytes of a line, residues of a record. A record
    /// is then searched in one batch if the range counts from its end.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, PositionRange, Searcher};
    ///
    /// let last: PositionRange = "-8..".parse()?;
    /// let searcher = Searcher::builder(Alphabet::Dna).pattern("GATTACA").within(last).build()?;
    /// assert!(searcher.is_match(b"CCCCCCGATTACA") && !searcher.is_match(b"GATTACACCCCCC"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(mut self, range: PositionRange) -> Self {
        self.within = range;
        self
    }

    /// Lets matches of the pattern that was added last and of the one that is added next count only if they are in the
    /// same line or record, do not overlap, and have at most `symbols` symbols between them, in either order and on
    /// either strand. Other patterns match anywhere. A record is then searched in one batch.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).max_edits(1);
    /// let searcher = builder.pattern("timeout").near(10).pattern("database").build()?;
    /// assert!(searcher.is_match(b"database timout") && !searcher.is_match(b"timeout"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn near(mut self, symbols: u64) -> Self {
        self.near.push((self.patterns.len(), symbols));
        self
    }

    /// Lets patterns hang over the starts and ends of lines and records. Each symbol beyond an end costs `cost`. The sum of
    /// these costs and the edits is at most the number of edits allowed, or the exact percentage of the pattern's length.
    /// The distance of a match is this sum, rounded down. At least three symbols of the pattern are not beyond an end: see
    /// [`min_overlap`](Self::min_overlap). Conditions on the start and the end of a match and on its edits hold for the
    /// part that is not beyond an end, and symbols of an exact group are never beyond one. A cost such as `right:10%` is
    /// for one end only: see [`OverhangCost`].
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, OverhangCost, Searcher};
    ///
    /// let adapter = Searcher::builder(Alphabet::Dna).pattern("AGATCGGAAGAGC").max_edits(3);
    /// let cost: OverhangCost = "0.25".parse()?;
    /// assert!(adapter.overhang(cost).build()?.is_match(b"TTTTTTTAGATC"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overhang(mut self, cost: OverhangCost) -> Self {
        self.overhang = Some(cost);
        self
    }

    /// Sets the least number of symbols of a pattern that are not beyond the start or the end of a line or record. It is
    /// at least 1, and needs [`overhang`](Self::overhang).
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Searcher};
    ///
    /// let adapter = Searcher::builder(Alphabet::Dna).pattern("AGATCGGAAGAGC").bound("10%".parse::<nigh::Bound>()?);
    /// let searcher = adapter.overhang("10%".parse()?).min_overlap(5).build()?;
    /// assert!(searcher.is_match(b"TTTTTTTAGATC") && !searcher.is_match(b"TTTTTTTTAGAT"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_overlap(mut self, symbols: usize) -> Self {
        self.min_overlap = Some(symbols);
        self
    }

    /// Sets whether the parts of patterns between `<` and `>` match without edits, such as the PAM of a guide. In
    /// sequences they do by default, in text they do not.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Groups, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern("<user> connected").groups(Groups::Exact);
    /// let searcher = builder.max_edits(2).build()?;
    /// assert!(searcher.is_match(b"user conected") && !searcher.is_match(b"usr connected"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn groups(mut self, groups: Groups) -> Self {
        self.reading = self.reading.groups(groups);
        self
    }

    /// Sets whether the searcher keeps the groups of its patterns in parentheses, for
    /// [`Searcher::captures`] and [`Searcher::replace_all`]. By default it does not, because they take memory. A literal
    /// pattern has no group but the match.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern("color (?<name>[a-z]+)").notation(Notation::Regex);
    /// let searcher = builder.captures(true).build()?;
    /// let found = searcher.find_iter(b"colour blue").best().next().expect("one match");
    /// let groups = searcher.captures(&found).expect("the searcher keeps groups");
    /// assert_eq!(groups.name("name").map(|group| group.range()), Some(7..11));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn captures(mut self, wanted: bool) -> Self {
        self.reading = self.reading.captures(wanted);
        self
    }

    /// Sets where a letter of the text that stands for several residues, such as N, matches. By default, the pattern must
    /// allow all of these residues.
    pub fn ambiguous(mut self, letters: AmbiguousLetters) -> Self {
        self.reading = self.reading.ambiguous(letters);
        self
    }

    /// Sets the largest number of letters in a match that stand for several residues.
    pub fn max_ambiguous(mut self, max: usize) -> Self {
        self.reading = self.reading.max_ambiguous(Some(max));
        self
    }

    /// Sets the strands that are searched. Only nucleotides have a reverse strand.
    pub fn strands(mut self, strands: &[Strand]) -> Self {
        self.reading = self.reading.strands(strands);
        self
    }

    /// Sets the cost of each kind of edit, and the largest number of edits of that kind in a match. The maximum number
    /// of edits then bounds the total cost.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, EditCosts, EditLimit, Searcher, Transpositions};
    ///
    /// let costs = EditCosts {
    ///     insertion: EditLimit::new(2, 1),
    ///     transpositions: Transpositions::One,
    ///     ..EditCosts::default()
    /// };
    /// let searcher = Searcher::builder(Alphabet::Text).pattern("deadlock").edit_costs(costs).build()?;
    /// assert!(searcher.is_match(b"daedlock") && !searcher.is_match(b"deadxlock"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn edit_costs(self, costs: EditCosts) -> Self {
        SearcherBuilder { costs, ..self }
    }

    /// Sets the kinds of edit that a match may have, their costs, the bound on all edits, and their
    /// [least number](Self::min_edits).
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Edits, Searcher};
    ///
    /// let edits: Edits = "i<=1,s<=2".parse()?;
    /// let searcher = Searcher::builder(Alphabet::Text).pattern("deadlock").edits(edits).build()?;
    /// assert!(searcher.is_match(b"daedlock") && !searcher.is_match(b"deadlck"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edits(self, edits: Edits) -> Self {
        let costs = EditCosts { transpositions: self.costs.transpositions, ..edits.costs() };
        self.bound(edits.bound()).min_edits(edits.min()).edit_costs(costs)
    }

    /// Sets the engine.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Devices, EngineChoice, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Dna).pattern("GGGCGGCGACCT").max_edits(2);
    /// let on_devices = builder.clone().engine(EngineChoice::cuda().devices(Devices::All)).build();
    /// let searcher = on_devices.or_else(|_| builder.build())?;
    /// assert!(searcher.is_match(b"AAGGGCGCGACCTAA"));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn engine(self, engine: EngineChoice) -> Self {
        SearcherBuilder { engine, ..self }
    }

    /// Returns the patterns that match only near each other.
    fn proximity(&self) -> Result<Option<Proximity>, SearcherError> {
        match self.near[..] {
            [] => Ok(None),
            [(at, gap)] if at > 0 && at < self.patterns.len() => {
                Ok(Some(Proximity { first: at - 1..at, second: at..at + 1, gap }))
            }
            _ => Err(SearcherError::Near),
        }
    }

    /// Returns how patterns hang over the starts and ends of lines and records.
    fn overhangs(&self) -> Result<Option<Overhang>, SearcherError> {
        let min_overlap = match self.min_overlap {
            None => Overhang::MIN_OVERLAP,
            Some(symbols) if self.overhang.is_some() => NonZeroUsize::new(symbols).ok_or(SearcherError::MinOverlap)?,
            Some(_) => return Err(SearcherError::MinOverlap),
        };
        Ok(self.overhang.map(|cost| Overhang { cost, min_overlap }))
    }

    /// Returns the patterns for sites, if they are not `patterns`: if an expression begins or ends with an exact group.
    fn site_patterns(&self, patterns: &PatternSet, reading: PatternSetBuilder) -> Option<PatternSet> {
        let has_groups = |pattern: &Pattern| pattern.expression().is_some_and(Expression::has_exact_groups);
        if !patterns.patterns().iter().any(has_groups) {
            return None;
        }
        let expressions = |set: &PatternSet| set.patterns().iter().filter(|one| one.expression().is_some()).count();
        // An expression of too many strings has no sites.
        let of_sites = reading.sites(true).build(&self.patterns).ok()?;
        (expressions(&of_sites) < expressions(patterns)).then_some(of_sites)
    }

    /// Makes the searcher.
    ///
    /// # Errors
    /// Fails if a pattern is empty or cannot be searched for, if no match can have as many edits as
    /// [`min_edits`](Self::min_edits) says, or if the engine is not available. In text and bytes, a
    /// pattern with a line feed cannot: a match lies within one line.
    pub fn build(self) -> Result<Searcher, SearcherError> {
        let near = self.proximity()?;
        let keeps_records = near.is_some() || self.within.counts_from_end();
        let reading = self.reading.clone().edit_costs(self.costs).within(self.within);
        let reading = reading.near(near).overhang(self.overhangs()?);
        let patterns = reading.clone().build(&self.patterns)?;
        let mut sources: Vec<usize> = patterns.patterns().iter().map(Pattern::source).collect();
        sources.dedup();
        if sources.len() < self.patterns.len() {
            return Err(SearcherError::EmptyPattern);
        }
        if patterns.without_overhang().is_some() {
            return Err(SearcherError::Overhang);
        }
        let (min_edits, max) = (self.min_edits, largest_distance(&patterns));
        if max < min_edits && !self.patterns.is_empty() {
            return Err(SearcherError::MinEdits { min: min_edits, max });
        }
        let rules = MatchRules { keeps_records, min_edits };
        let site_engine = match self.site_patterns(&patterns, reading) {
            Some(of_sites) => Some(engine(self.engine.clone(), Arc::new(of_sites), 1)?),
            None => None,
        };
        Ok(Searcher { engine: engine(self.engine, Arc::new(patterns), 1)?, site_engine, rules })
    }
}
