//! Builds a pattern set: parses, checks and expands patterns over their strands.

use std::sync::Arc;

use super::constraints::ExactGroupRole;
use super::problem::{MAX_BYTES, MAX_COST_OF_EXPRESSION, MAX_INSERTIONS, PatternError, PatternProblem};
use super::reading::{AmbiguousLetters, Case, Groups, MatchExtent, Notation, ReadingOptions, ShortPatterns};
use super::shared_parts::SharedParts;
use super::short::PlacedSource;
use super::source::{PatternSource, SourceTexts};
use super::symbols::SymbolSet;
use super::syntax::{Alternative, Language, captures, language};
use super::{
    Bound, Condition, Edge, EdgeGroups, EditConstraints, EditCosts, Expression, MaxEdits, Overhang, Pattern,
    PatternSet, PositionRange, Proximity, State, Strand, UNIT,
};
use nigh_text::alignment::SearchEdits;
use nigh_text::alphabet::{Alphabet, Symbol};
use nigh_text::interrupt;

/// Reads patterns into a [`PatternSet`].
#[derive(Debug, Clone)]
pub struct PatternSetBuilder {
    reading: ReadingOptions,
    strands: Vec<Strand>,
    proximity: Option<Proximity>,
    has_captures: bool,
}

impl PatternSet {
    /// Starts a set with the defaults: regular expressions, case-sensitive, one edit, forward strand.
    pub fn builder(alphabet: Alphabet) -> PatternSetBuilder {
        PatternSetBuilder {
            reading: ReadingOptions {
                alphabet,
                notation: Notation::Regex,
                case: Case::Sensitive,
                groups: Groups::Ordinary,
                whole: MatchExtent::Anything,
                within: PositionRange::ALL,
                ambiguous: AmbiguousLetters::Contained,
                max_ambiguous: None,
                bound: MaxEdits::Count(1).into(),
                max_edits_cap: usize::MAX,
                short: ShortPatterns::Refused,
                costs: EditCosts::default(),
                terminator: b'\n',
                overhang: None,
                is_near: false,
                has_sites: false,
            },
            strands: vec![Strand::Forward],
            proximity: None,
            has_captures: false,
        }
    }
}

impl PatternSetBuilder {
    /// Sets the notation of patterns without one of their own.
    pub fn notation(mut self, notation: Notation) -> Self {
        self.reading.notation = notation;
        self
    }

    /// Sets whether case matters; ignored in sequences.
    pub fn case(mut self, case: Case) -> Self {
        self.reading.case = case;
        self
    }

    /// Restricts matches to whole words or lines.
    pub fn whole(mut self, whole: MatchExtent) -> Self {
        self.reading.whole = whole;
        self
    }

    /// Restricts matches to a range of positions in each line or record. A batch must hold whole lines, and if the
    /// range counts from the end, whole records.
    pub fn within(mut self, range: PositionRange) -> Self {
        self.reading.within = range;
        self
    }

    /// Sets the number of edits allowed and their kinds, for patterns without a bound of their own.
    pub fn max_edits(mut self, bound: impl Into<Bound>) -> Self {
        self.reading.bound = bound.into();
        self
    }

    /// Sets an upper limit on the number of edits allowed, whatever the bound of a pattern is.
    pub fn at_most(mut self, max: usize) -> Self {
        self.reading.max_edits_cap = max;
        self
    }

    /// Sets the treatment of patterns that would match everywhere, because they are short; an error by default.
    pub fn short_patterns(mut self, short: ShortPatterns) -> Self {
        self.reading.short = short;
        self
    }

    /// Sets the cost and the limit of each kind of edit.
    pub fn edit_costs(mut self, costs: EditCosts) -> Self {
        self.reading.costs = costs;
        self
    }

    /// Sets the meaning of angle brackets.
    pub fn groups(mut self, groups: Groups) -> Self {
        self.reading.groups = groups;
        self
    }

    /// Sets the byte that ends a line. In a regular expression, `.` matches every other symbol.
    pub fn terminator(mut self, terminator: u8) -> Self {
        self.reading.terminator = terminator;
        self
    }

    /// Sets the condition under which a letter of the text that stands for several residues matches.
    pub fn ambiguous(mut self, letters: AmbiguousLetters) -> Self {
        self.reading.ambiguous = letters;
        self
    }

    /// Sets the largest number of letters in a match that stand for several residues; `None` if there is no limit.
    pub fn max_ambiguous(mut self, max: Option<usize>) -> Self {
        self.reading.max_ambiguous = max;
        self
    }

    /// Lets matches of two groups of patterns count only near each other; `None` if all matches count. A batch must
    /// hold whole lines.
    pub fn near(mut self, proximity: Option<Proximity>) -> Self {
        self.reading.is_near = proximity.is_some();
        self.proximity = proximity;
        self
    }

    /// Sets whether sites will be selected; not by default. A regular expression that begins or ends with an exact group is
    /// then a list of strings, each of which has sites of its own.
    pub fn sites(mut self, are_wanted: bool) -> Self {
        self.reading.has_sites = are_wanted;
        self
    }

    /// Lets patterns hang over the starts and ends of lines and records; `None` if they do not. Some regular expressions
    /// [cannot hang over](PatternSet::without_overhang).
    pub fn overhang(mut self, overhang: Option<Overhang>) -> Self {
        self.reading.overhang = overhang;
        self
    }

    /// Sets whether the set has the groups of its patterns; not by default, because they take memory.
    pub fn captures(mut self, wanted: bool) -> Self {
        self.has_captures = wanted;
        self
    }

    /// Sets the strands to search, in order. Only nucleotides have a reverse strand.
    pub fn strands(mut self, strands: &[Strand]) -> Self {
        self.strands = strands.to_vec();
        self
    }

    /// Parses the patterns and checks them.
    ///
    /// # Errors
    /// The first pattern that cannot be searched for, with the reason.
    pub fn build(&self, sources: &[PatternSource]) -> Result<PatternSet, PatternError> {
        let mut set = PatternSet {
            alphabet: self.reading.alphabet,
            patterns: Vec::new(),
            sources: Arc::default(),
            empty: Vec::new(),
            proximity: self.proximity.clone(),
            overhang: self.reading.overhang,
            captures: Arc::default(),
        };
        let (mut groups, mut reduced) = (Vec::new(), Vec::new());
        if let Some(source) = sources.iter().find(|source| source.text.len() > MAX_BYTES) {
            return Err(PatternError { source: Box::new(source.clone()), problem: PatternProblem::TooLong });
        }
        let case = self.reading.case.of(sources, &self.reading);
        let mut shared = SharedParts::new(self.reading.alphabet, self.reading.ambiguous);
        for (index, source) in sources.iter().enumerate() {
            interrupt::check();
            let reading = ReadingOptions { case, ..source.reading(&self.reading) };
            let error = |problem| PatternError { source: Box::new(source.clone()), problem };
            let empty = set.empty.len();
            let placed = PlacedSource { source, index, count: sources.len() };
            let forward = placed.patterns(&reading, &mut set.empty, &mut reduced).map_err(error)?;
            // Lines without a symbol may match all the same.
            let is_in_lines = set.empty.len() > empty || forward.iter().any(|pattern| !self.is_over_lines(pattern));
            if !(is_in_lines || forward.is_empty()) {
                return Err(error(PatternProblem::LineFeed));
            }
            if self.has_captures {
                groups.push(captures(&source.text, &reading).map_err(error)?);
            }
            let first = set.patterns.len();
            self.add_strands(&mut set.patterns, forward, &mut shared);
            for pattern in &mut set.patterns[first..] {
                pattern.share(&mut shared);
            }
        }
        set.sources = Arc::new(SourceTexts::new(sources, reduced));
        set.captures = groups.into();
        set.patterns.shrink_to_fit();
        Ok(set)
    }

    /// Returns whether each string of a pattern has a line feed, so that no line matches without an edit.
    fn is_over_lines(&self, pattern: &Pattern) -> bool {
        const LINE_FEED: Symbol = b'\n' as Symbol;
        let has_lines = self.reading.terminator == b'\n' && !self.reading.alphabet.is_sequence();
        let is_other = |set: &SymbolSet| set.ranges() != [(LINE_FEED, LINE_FEED)];
        has_lines
            && !pattern.sets().iter().all(is_other)
            && pattern.expression().is_none_or(|expression| expression.shortest_of(is_other).is_none())
    }

    fn add_strands(&self, patterns: &mut Vec<Pattern>, forward: Vec<Pattern>, shared: &mut SharedParts) {
        if self.strands == [Strand::Forward] {
            return patterns.extend(forward);
        }
        for strand in &self.strands {
            match strand {
                Strand::Forward => patterns.extend_from_slice(&forward),
                Strand::Reverse => patterns.extend(forward.iter().map(|pattern| pattern.reverse_complement(shared))),
            }
        }
    }
}

impl ReadingOptions {
    /// Returns a pattern for each alternative that has symbols; adds the edges of the others to `empty`.
    pub(super) fn patterns(
        &self,
        notation: &[u8],
        source: usize,
        empty: &mut Vec<(Edge, Edge)>,
    ) -> Result<Vec<Pattern>, PatternProblem> {
        match language(notation, self)? {
            Language::Strings(alternatives) => self.strings(alternatives, source, empty),
            Language::Expression(parsed, alternatives) => {
                let (start, end) = self.outer_edges();
                let outer = Condition::new(start, end);
                empty.extend(parsed.empty.iter().map(|condition| condition.and(outer).edges()));
                let Some(expression) = parsed.expression else { return Ok(Vec::new()) };
                let strings = alternatives.map(|all| self.strings(all, source, &mut Vec::new())).transpose()?;
                let pattern = self.expression(expression, source)?;
                Ok(vec![Pattern { strings: strings.map(Into::into), ..pattern }])
            }
        }
    }

    /// Returns a pattern for each of the strings `alternatives` that has symbols; adds the edges of the others to
    /// `empty`.
    fn strings(
        &self,
        alternatives: Vec<Alternative>,
        source: usize,
        empty: &mut Vec<(Edge, Edge)>,
    ) -> Result<Vec<Pattern>, PatternProblem> {
        let with_symbols = alternatives.iter().filter(|alternative| !alternative.symbols.is_empty());
        let shortest = with_symbols.map(|alternative| self.counted_length(&alternative.symbols)).min().unwrap_or(0);
        let max_cost = self.max_cost(shortest);
        let max_sum = self.max_sum(shortest);
        let mut patterns = Vec::new();
        for alternative in alternatives {
            let alternative = self.enclose(alternative);
            if alternative.symbols.is_empty() {
                empty.push((alternative.start, alternative.end));
            } else {
                patterns.push(Pattern { max_sum, ..self.pattern(alternative, source, max_cost)? });
            }
        }
        Ok(patterns)
    }

    fn enclose(&self, alternative: Alternative) -> Alternative {
        let (start, end) = self.outer_edges();
        let edges = |given: Edge, outer: Edge| match self.alphabet {
            Alphabet::Bytes => given.and(outer).of_bytes(),
            _ => given.and(outer),
        };
        Alternative { start: edges(alternative.start, start), end: edges(alternative.end, end), ..alternative }
    }

    /// Returns the edges at the start and at the end of a match of every pattern.
    fn outer_edges(&self) -> (Edge, Edge) {
        let edge = match self.whole {
            MatchExtent::Anything => Edge::FREE,
            MatchExtent::Words => Edge::OUTSIDE_WORD,
            MatchExtent::Record => Edge::RECORD,
        };
        let edge = if self.alphabet == Alphabet::Bytes { edge.of_bytes() } else { edge };
        (edge, edge)
    }

    /// Returns the pattern of a regular expression.
    fn expression(&self, expression: Expression, source: usize) -> Result<Pattern, PatternProblem> {
        let (start, end) = self.outer_edges();
        let path = expression.shortest();
        let symbols = path.iter().filter_map(|&state| expression.set(state).cloned()).collect();
        let hold = |&state| if expression.is_exact(state) { ExactGroupRole::First } else { ExactGroupRole::Free };
        let holds = path.iter().map(hold).collect();
        let shortest = Alternative { start: Edge::FREE, symbols, holds, end: Edge::FREE };
        let max_cost = self.max_cost(self.counted_length(&shortest.symbols));
        let letter = |&state: &State| expression.set(state).map(|set| set.letter(self.alphabet));
        let pattern = self.pattern(shortest, source, max_cost).map_err(|problem| match problem {
            PatternProblem::TooManyEdits { k, .. } => {
                PatternProblem::ShortString { k, string: path.iter().filter_map(letter).collect() }
            }
            problem => problem,
        })?;
        let has_constraints = pattern.constraints.is_some() || max_cost > 0 && expression.has_exact_groups();
        let max_sum = self.max_sum(self.counted_length(&pattern.symbols));
        let expression = Some(Arc::new(expression.between(start, end)));
        let mut pattern = Pattern { expression, max_sum, exact: None, ..pattern };
        if has_constraints {
            if max_cost > MAX_COST_OF_EXPRESSION {
                return Err(PatternProblem::TooCostly);
            }
            let constraints = EditConstraints::of_expression(self.bound, max_cost, self.costs);
            (pattern.k, pattern.constraints) = (constraints.plain_edits(), Some(Arc::new(constraints)));
        }
        Ok(pattern)
    }

    /// Returns the number of symbols from which the number of edits follows. In text, spaces and classes do not make a
    /// short word longer: ` 50[0-9] ` has two symbols for `-k auto`.
    fn counted_length(&self, symbols: &[SymbolSet]) -> usize {
        match self.bound.max_edits() {
            MaxEdits::Auto { .. } if !self.alphabet.is_sequence() => {
                symbols.iter().filter(|set| !set.is_blank_or_class()).count()
            }
            _ => symbols.len(),
        }
    }

    /// Returns the largest cost of the edits of a pattern whose shortest string has `shortest` symbols.
    pub(super) fn max_cost(&self, shortest: usize) -> usize {
        self.bound.max_edits().of_length(shortest).min(self.max_edits_cap)
    }

    /// Returns the largest sum of the edits and the overhang costs of a pattern whose shortest string has `shortest`
    /// symbols, in units of 1 / [`UNIT`]. The sum rounded down is at most the upper limit on the number of edits.
    pub(super) fn max_sum(&self, shortest: usize) -> u64 {
        let cap = (self.max_edits_cap as u64).saturating_add(1).saturating_mul(UNIT) - 1;
        self.bound.max_edits().units_of_length(shortest).min(cap)
    }

    fn pattern(&self, alternative: Alternative, source: usize, max_cost: usize) -> Result<Pattern, PatternProblem> {
        let length = alternative.symbols.len();
        let constraints = EditConstraints::new(self.bound, max_cost, self.costs, &alternative.holds);
        if constraints.match_nothing(length) {
            return Err(PatternProblem::TooManyEdits { k: max_cost, length });
        }
        if constraints.costs().insertion.max > MAX_INSERTIONS {
            return Err(PatternProblem::TooManyInsertions);
        }
        let (k, constraints) = if constraints.are_plain() {
            (max_cost, None)
        } else {
            (constraints.plain_edits(), Some(Arc::new(constraints)))
        };
        Ok(Pattern {
            symbols: alternative.symbols.into(),
            k,
            max_sum: 0,
            edge_groups: EdgeGroups::default(),
            edit_model: SearchEdits::Levenshtein,
            start: alternative.start,
            end: alternative.end,
            within: self.within,
            max_ambiguous: self.max_ambiguous,
            strand: Strand::Forward,
            source,
            constraints,
            exact: exact_symbols(&alternative.holds),
            expression: None,
            strings: None,
        })
    }
}

/// Returns for each symbol whether it belongs to an exact group; `None` if there is no such group.
fn exact_symbols(holds: &[ExactGroupRole]) -> Option<Arc<[bool]>> {
    let is_exact = |hold: &ExactGroupRole| *hold != ExactGroupRole::Free;
    holds.iter().any(is_exact).then(|| holds.iter().map(is_exact).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{StateCondition, Transition};
    use super::*;

    fn text(pattern: &str) -> Result<PatternSet, PatternError> {
        PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(0)).build(&[PatternSource::new(pattern)])
    }

    fn problem(pattern: &str) -> PatternProblem {
        text(pattern).expect_err("the pattern is refused").problem
    }

    #[test]
    fn an_expression_of_few_strings_has_a_list_of_them() {
        let set = text("(error|warn) code{1,2}").unwrap();
        let [one] = set.patterns() else { panic!("{set:?}") };
        let lengths: Vec<usize> = one.strings().unwrap().iter().map(|p| p.symbols().len()).collect();
        assert_eq!((lengths, one.is_simulated()), (vec![10, 11, 9, 10], false));
        assert_eq!(text("error|error").unwrap().patterns()[0].strings().map(<[Pattern]>::len), Some(2));
        assert!(text("error").unwrap().patterns()[0].strings().is_none());
    }

    #[test]
    fn alternatives_lose_the_edges_at_their_ends() {
        let set = text(r"^foo|bar\b|baz").unwrap();
        let strings = set.patterns()[0].strings().unwrap();
        let edges: Vec<(Edge, Edge)> = strings.iter().map(|p| (p.start(), p.end())).collect();
        assert_eq!(edges[0], (Edge::RECORD, Edge::FREE));
        assert_eq!(edges[1], (Edge::FREE, Edge::WORD_BOUNDARY));
        assert_eq!(edges[2], (Edge::FREE, Edge::FREE));
    }

    #[test]
    fn patterns_with_several_strings_have_automata() {
        let states = |pattern: &str| {
            let set = text(pattern).unwrap();
            set.patterns().iter().map(|one| one.expression().map_or(0, Expression::states)).collect::<Vec<_>>()
        };
        assert_eq!(states("error.*x"), [8]);
        assert_eq!(states("a+"), [2]);
        assert_eq!(states("x|(b|a{3,})c"), [7]);
        assert_eq!(states("a^b"), [3]);
        assert_eq!(states(r"(^|\b)a*"), [3]);
        assert_eq!(states("[ab]{1,20}[cd]{1,20}(x|yy){12}"), [77]);
        assert_eq!(states("(error|warn) code{1,2}"), [16]);
        assert_eq!(problem("a{16777216}"), PatternProblem::TooManyStates { states: 16_777_216 });
        assert_eq!(states("[ab]+[ab]{4094}"), [4096]);
        assert_eq!(problem("[ab]+[ab]{4095}"), PatternProblem::TooManyStates { states: 4097 });
        assert_eq!(problem(r"[ab]+[ab]{4090}(c$|d\b|e)"), PatternProblem::TooManyStates { states: 4097 });
        assert_eq!(problem("((a{1,1000}){1,1000}){1,1000}"), PatternProblem::TooManyStates { states: 1_000_000_000 });
        assert_eq!(problem("((a?b?){1000}){1,2}"), PatternProblem::TooManyTransitions);
    }

    #[test]
    fn required_symbols_are_runs_of_positions() {
        let runs = |expression: &Expression| -> Vec<String> {
            expression.required().map(|run| run.iter().map(|set| set.letter(Alphabet::Text)).collect()).collect()
        };
        for (pattern, expected, mirrored) in [
            ("ab(c|d.)e{2}f?g+h", vec!["ab", "ee", "g", "h"], vec!["h", "g", "ee", "ba"]),
            ("(x[yz]){2,}(^|w)v*u", vec!["x?x?", "u"], vec!["u", "?x?x"]),
            (r"a(b(c)\bd)e.*|f", vec![], vec![]),
            (r"a(b(c)\bd)e.*", vec!["abcde"], vec!["edcba"]),
        ] {
            let set = text(pattern).unwrap();
            let expression = set.patterns()[0].expression().unwrap();
            assert_eq!(runs(expression), expected, "{pattern}");
            assert_eq!(runs(&expression.mirrored()), mirrored, "{pattern}");
        }
    }

    #[test]
    fn expressions_take_little_memory() {
        use std::mem::size_of;
        assert_eq!((size_of::<Transition>(), size_of::<StateCondition>()), (8, 4));
        assert!(size_of::<PatternSource>() <= 128 && size_of::<Expression>() <= 128 && size_of::<Pattern>() <= 192);
    }

    #[test]
    fn sources_have_texts_and_names() {
        let named = PatternSource { name: Some(b"one".into()), ..PatternSource::new("ab") };
        let set = PatternSet::builder(Alphabet::Text)
            .max_edits(MaxEdits::Count(0))
            .build(&[PatternSource::new("c"), named, PatternSource::new(""), PatternSource::new("d")])
            .unwrap();
        let texts: Vec<&[u8]> = (0..set.source_count()).map(|index| set.source_text(index)).collect();
        let names: Vec<Option<&[u8]>> = (0..4).map(|index| set.given_name(index)).collect();
        assert_eq!(texts, [&b"c"[..], b"ab", b"", b"d"]);
        assert_eq!(names, [None, Some(&b"one"[..]), None, None]);
        assert_eq!((set.source_name(1), set.source_name(3)), (&b"one"[..], &b"d"[..]));
    }

    #[test]
    fn in_sequences_a_match_has_a_largest_length() {
        let build = |pattern: &str| {
            let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
            builder.max_edits(MaxEdits::Count(1)).build(&[PatternSource::new(pattern)])
        };
        let unbounded = PatternProblem::Unbounded { operator: "{3,}".to_owned(), least: 3 };
        assert_eq!(build("G{3,}N").unwrap_err().problem, unbounded);
        let set = build("G{3,90}N{1,70}C").unwrap();
        assert_eq!(set.patterns().iter().map(Pattern::max_match_len).collect::<Vec<_>>(), [162, 162]);
        assert_eq!(set.patterns()[0].letters(Alphabet::Dna), "GGGNC");
        assert_eq!(set.patterns()[1].letters(Alphabet::Dna), "GNCCC");
    }

    #[test]
    fn spaces_and_classes_do_not_make_a_short_word_longer() {
        let k = |pattern: &str, case| {
            let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::DEFAULT_IN_TEXT).case(case);
            builder.build(&[PatternSource::new(pattern)]).unwrap().patterns()[0].k()
        };
        for (pattern, expected) in [(" 404 ", 0), (" 50[0-9] ", 0), (r#"" 404"#, 0), (r"user\w+x", 1), ("a b c d e", 1)]
        {
            assert_eq!(k(pattern, Case::Sensitive), expected, "{pattern}");
            assert_eq!(k(pattern, Case::Insensitive), expected, "{pattern}");
        }
        assert_eq!(k("[Uu][Ss][Ee][Rr][Ss]", Case::Sensitive), 1);
        assert_eq!(k("what?".replace('?', r"\?").as_str(), Case::Sensitive), 1);
        let dna = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::AUTO);
        assert_eq!(dna.build(&[PatternSource::new("NNACGTRNNA")]).unwrap().patterns()[0].k(), 2);
    }

    #[test]
    fn an_expression_needs_more_symbols_than_edits_in_its_shortest_string() {
        let build = |pattern: &str, k| {
            let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k));
            builder.build(&[PatternSource::new(pattern)]).map_err(|error| error.problem)
        };
        let short = PatternProblem::ShortString { k: 2, string: "x?".to_owned() };
        assert_eq!(build(r"x\d+|abc*d", 2).unwrap_err(), short);
        assert_eq!(build("abc*d", 2).unwrap().patterns()[0].k(), 2);
        assert_eq!(build("(ab)*", 0).unwrap().empty(), [(Edge::FREE, Edge::FREE)]);
    }

    #[test]
    fn a_bound_of_all_symbols_is_refused() {
        let set = PatternSet::builder(Alphabet::Text).build(&[PatternSource::new("abc|x")]);
        assert_eq!(set.unwrap_err().problem, PatternProblem::TooManyEdits { k: 1, length: 1 });
    }

    #[test]
    fn invalid_classes_are_refused() {
        for pattern in ["a[:space:]", "a[^:space:]b", "[[:alph:]]", "[a[:x:]]", "([:word:]|b)"] {
            assert!(matches!(problem(pattern), PatternProblem::NoClass(_)), "{pattern}");
        }
        assert_eq!(
            problem("a[:space:]").to_string(),
            "a character class needs two pairs of brackets; write '[[:space:]]'"
        );
        assert!(problem("[[:alph:]]").to_string().starts_with("'[:alph:]' is not a character class"));
        for pattern in ["a[[:space:]]", "[^[:digit:]a]", "[:]", "[::]", "[:a]", "[a:]", r"\[:space:]"] {
            assert!(text(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn the_start_and_the_end_of_a_word_are_edges() {
        let word = Edge::WORD_INSIDE;
        let edges = |pattern: &str| text(pattern).map(|set| (set.patterns()[0].start(), set.patterns()[0].end()));
        assert_eq!(edges(r"\<foo"), Ok((word, Edge::FREE)));
        assert_eq!(edges(r"foo\>"), Ok((Edge::FREE, word)));
        assert_eq!(edges(r"\b{start}foo\b{end}"), Ok((word, word)));
    }

    #[test]
    fn alternatives_without_symbols_keep_their_edges() {
        assert_eq!(text("").unwrap().empty(), [(Edge::FREE, Edge::FREE)]);
        assert_eq!(text("a|").unwrap().empty(), [(Edge::FREE, Edge::FREE)]);
        assert_eq!(text("^$").unwrap().empty(), [(Edge::RECORD, Edge::RECORD)]);
        assert_eq!(text("^").unwrap().empty(), [(Edge::RECORD, Edge::FREE)]);
        assert_eq!(text("$").unwrap().empty(), [(Edge::FREE, Edge::RECORD)]);
        assert_eq!(text("a").unwrap().empty(), []);
    }

    #[test]
    fn bytes_that_are_not_utf8_stand_for_themselves() {
        for notation in [Notation::Regex, Notation::Literal] {
            let builder = PatternSet::builder(Alphabet::Text).notation(notation);
            let set = builder.build(&[PatternSource::new(b"a\xff".to_vec())]).unwrap();
            assert!(set.patterns()[0].symbols()[1].contains(nigh_text::alphabet::INVALID_BYTE + 0xff));
        }
    }

    #[test]
    fn classes_of_nucleotides_are_sets_of_bases() {
        let builder = PatternSet::builder(Alphabet::Dna);
        let symbols =
            |pattern: &str| builder.build(&[PatternSource::new(pattern)]).unwrap().patterns()[0].symbols().to_vec();
        assert_eq!(symbols("A[ag]T"), symbols("ARU"));
        assert_eq!(symbols("A[^a]."), symbols("ABN"));
        let error = builder.build(&[PatternSource::new("ACE")]).unwrap_err();
        assert_eq!(error.to_string(), "pattern 'ACE': 'E' is not an IUPAC nucleotide code (it is an amino acid code)");
        let error = builder.build(&[PatternSource::new("AC!")]).unwrap_err();
        assert_eq!(error.to_string(), "pattern 'AC!': '!' is not an IUPAC nucleotide code");
    }

    #[test]
    fn the_reverse_strand_is_the_reverse_complement() {
        let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
        let set = builder.build(&[PatternSource::new("ACRN")]).unwrap();
        let other = builder.build(&[PatternSource::new("NYGT")]).unwrap();
        assert_eq!(set.patterns()[1].symbols(), other.patterns()[0].symbols());
        assert_eq!(set.patterns()[1].strand(), Strand::Reverse);
    }
}
