//! Searches text in memory.
//!
//! A [`Searcher`] is made once for its patterns, and searches any number of texts. [`Searcher::find_iter`] returns an
//! iterator over all matches: for each position where a pattern's match ends, one match with the smallest number of
//! edits. [`Matches::best`] selects the best of the matches that overlap.

mod batch_hits;
mod builder;
mod captures;
mod edit_range;
mod matches;
mod options;
mod record_splitter;
mod selected;
mod texts;

use std::sync::Arc;

pub use builder::{SearcherBuilder, SearcherError};
pub use captures::{CapturedGroup, Captures, ReplaceError};
#[cfg(all(unix, feature = "cli"))]
pub(crate) use edit_range::{EditRange, largest_distance};
use matches::MatchRules;
pub use matches::{Cache, Match, Matches};
pub use options::{OPTION_NAMES, OptionError};
pub use record_splitter::{RecordRanges, RecordSplitter};
pub use selected::Selected;
pub use texts::{SelectedInTexts, TextMatches};

use self::matches::NO_DEVICE;
use nigh_engine::Engine;
use nigh_verify::choice::sites::SiteEdge;

/// Searches text for patterns with at most k edits: insertions, deletions and substitutions of symbols.
///
/// A symbol is a character of text, or a residue of a sequence. [`Searcher::new`] searches text: its lines end with a
/// line feed, and a match lies within one line. [`Searcher::dna`] and [`Searcher::protein`] search one sequence; its
/// letters may have any case, and line breaks between them are ignored.
///
/// # Examples
///
/// ```
/// let searcher = nigh::Searcher::new("deadlock", 1)?;
/// let text = b"no deadlok here\n";
/// let best: Vec<_> = searcher.find_iter(text).best().collect();
///
/// assert_eq!(best.len(), 1);
/// assert_eq!(best[0].text(), b"deadlok");
/// assert_eq!((best[0].range(), best[0].distance()), (3..10, 1));
/// assert_eq!(best[0].cigar().to_string(), "6=1I1=");
/// # Ok::<(), nigh::SearcherError>(())
/// ```
pub struct Searcher {
    engine: Arc<Engine>,
    /// The engine for sites, if they need other patterns: lists of strings in place of expressions.
    site_engine: Option<Arc<Engine>>,
    rules: MatchRules,
}

impl Searcher {
    /// Iterates over the matches in a text, ordered by end, then by pattern.
    ///
    /// For each position where matches of a pattern end, and for each strand, the iterator returns one of these
    /// matches: one with the smallest number of edits.
    ///
    /// # Panics
    /// The iterator panics if a device fails and the searcher was built with
    /// [`Fallback::Refused`](nigh_device::Fallback::Refused). Otherwise the CPU takes over. [`Matches::try_next`]
    /// returns an error instead.
    pub fn find_iter<'s, 't>(&'s self, text: &'t [u8]) -> Matches<'s, 't> {
        Matches::new(self.cache(), text)
    }

    /// Returns buffers that one search after another can use. Without a cache, each search with
    /// [`find_iter`](Self::find_iter) allocates its own buffers. A cache serves one search at a time.
    ///
    /// # Examples
    ///
    /// ```
    /// let searcher = nigh::Searcher::new("deadlock", 1)?;
    /// let mut cache = searcher.cache();
    /// let mut found = 0;
    /// for text in ["no deadlok here", "no dead", "a dead lock"] {
    ///     found += cache.find_iter(text.as_bytes()).count();
    /// }
    /// assert_eq!(found, 2);
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn cache(&self) -> Cache<'_> {
        Cache::new(self.engines(), self.rules)
    }

    /// Iterates over the matches in many texts, each with the index of its text. The matches of each text are those of
    /// [`find_iter`](Self::find_iter), in the same order; no match crosses from one text to the next.
    ///
    /// Searching many short texts in this way is much faster than searching them one by one, because they are searched
    /// in batches. Each batch is a copy of its texts, of at most a few megabytes.
    ///
    /// # Panics
    /// As for [`find_iter`](Self::find_iter).
    ///
    /// # Examples
    ///
    /// ```
    /// let searcher = nigh::Searcher::new("deadlock", 1)?;
    /// let texts = ["no deadlok here", "no dead", "lock here", "a dead lock"];
    /// let found = searcher.find_in_texts(texts.iter().map(|text| text.as_bytes())).best();
    /// let found: Vec<_> = found.map(|(text, found)| (text, found.range())).collect();
    /// assert_eq!(found, [(0, 3..10), (3, 2..11)]);
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn find_in_texts<'s, 't, I>(&'s self, texts: I) -> TextMatches<'s, 't, I::IntoIter>
    where
        I: IntoIterator<Item = &'t [u8]>,
    {
        let bytes = self.engine.facts().batch_bytes;
        TextMatches::in_batches(self.engines(), self.rules, texts.into_iter(), bytes)
    }

    /// Returns whether a text has a match. The search ends with the first hit, and nothing is aligned. With
    /// [`SearcherBuilder::min_edits`], it ends with the first selected match.
    ///
    /// # Panics
    /// As for [`find_iter`](Self::find_iter). [`Cache::is_match`] returns an error instead.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.cache().is_match(text).expect(NO_DEVICE)
    }

    #[cfg(feature = "cli")]
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Returns the engine, and that for sites.
    fn engines(&self) -> [&Engine; 2] {
        [&self.engine, self.site_engine()]
    }

    /// Returns the engine that finds the matches among which sites are selected.
    pub(crate) fn site_engine(&self) -> &Arc<Engine> {
        self.site_engine.as_ref().unwrap_or(&self.engine)
    }

    /// Returns whether a batch must hold a whole record.
    #[cfg(feature = "cli")]
    pub(crate) fn keeps_records(&self) -> bool {
        self.rules.keeps_records
    }

    /// Returns whether each pattern has sites: whether it begins or ends with an exact group. Other patterns have no
    /// matches in [`Matches::sites`].
    pub fn has_sites(&self) -> bool {
        self.site_engine().patterns().patterns().iter().all(|pattern| SiteEdge::of(pattern).is_some())
    }

    /// The least number of edits of a selected match; see [`SearcherBuilder::min_edits`].
    pub fn min_edits(&self) -> usize {
        self.rules.min_edits
    }

    /// The largest number of text symbols that a match can cover; `usize::MAX >> 8` if a regular expression sets no limit.
    pub fn max_match_len(&self) -> usize {
        self.engine.patterns().max_match_len()
    }
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("engine", &self.engine.facts().name)
            .field("patterns", &self.engine.patterns().patterns().len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use nigh_engine::EngineChoice;
    use nigh_pattern::Notation;
    use nigh_text::alphabet::Alphabet;

    /// A match without its text.
    type Row = (usize, usize, usize, usize, u8, String);

    fn row(one: Match<'_>) -> Row {
        assert_eq!(one.range().len(), one.text().len());
        (one.start(), one.end(), one.distance(), one.pattern(), one.strand().sign(), one.cigar().to_string())
    }

    fn random_text(rng: &mut Rng, alphabet: Alphabet, length: usize) -> Vec<u8> {
        let letters: &[u8] = if alphabet == Alphabet::Dna { b"ACGTacgtN\n" } else { "abcab \nä€".as_bytes() };
        (0..length).map(|_| letters[rng.usize(..letters.len())]).collect()
    }

    /// Makes two searchers for the same random patterns, with different engines.
    fn searchers(rng: &mut Rng, alphabet: Alphabet) -> [Searcher; 2] {
        let letters: &[u8] = if alphabet == Alphabet::Dna { b"ACGTN" } else { b"abc " };
        let max_edits = rng.usize(0..3);
        let mut pattern = || (0..rng.usize(max_edits + 1..9)).map(|_| letters[rng.usize(..4)]).collect::<Vec<u8>>();
        let patterns = [pattern(), pattern()];
        [EngineChoice::reference(), EngineChoice::cpu()].map(|engine| {
            let builder = Searcher::builder(alphabet).patterns(&patterns).max_edits(max_edits);
            builder.engine(engine).build().unwrap()
        })
    }

    /// Selects the best matches of a text one by one, with all matches known.
    fn best_by_rank(searcher: &Searcher, text: &[u8]) -> Vec<Row> {
        let mut matches = searcher.find_iter(text);
        let mut left: Vec<Match<'_>> = searcher.find_iter(text).collect();
        let patterns = matches.patterns();
        let mut best: Vec<Match<'_>> = Vec::new();
        while let Some(next) = (0..left.len()).min_by_key(|&index| left[index].rank(patterns)) {
            let one = left.swap_remove(next);
            let competes = |other: &&Match<'_>| (other.pattern(), other.strand()) == (one.pattern(), one.strand());
            let rivals = || best.iter().filter(competes);
            if rivals().all(|other| other.end() <= one.start() || one.end() <= other.start()) {
                best.push(one);
            } else if rivals().all(|other| other.end() < one.end() || one.end() <= other.start()) {
                let from = rivals().map(Match::end).filter(|&end| end < one.end()).max().unwrap_or(0);
                left.extend(one.later(matches.hits(), text, from).unwrap());
            }
        }
        best.sort_by_key(|one| (one.end(), one.pattern(), one.strand().sign()));
        best.into_iter().map(row).collect()
    }

    #[test]
    fn matches_do_not_depend_on_batches_or_engines() {
        let mut rng = Rng::with_seed(20);
        let mut found = 0;
        for case in 0..200 {
            let alphabet = if case % 2 == 0 { Alphabet::Dna } else { Alphabet::Text };
            let text = random_text(&mut rng, alphabet, case);
            let [reference, cpu] = searchers(&mut rng, alphabet);
            let expected: Vec<Row> = reference.find_iter(&text).map(row).collect();
            found += expected.len();
            for bytes in [1, 7, 40, 1 << 20] {
                let in_batches = || Matches::in_batches(cpu.cache(), &text, bytes);
                assert_eq!(in_batches().map(row).collect::<Vec<_>>(), expected, "case {case}, {bytes} bytes");
                assert_eq!(in_batches().count(), expected.len(), "case {case}, {bytes} bytes");
                let mut rest = in_batches();
                let first = usize::from(rest.next().is_some());
                assert_eq!(first + rest.count(), expected.len(), "case {case}, {bytes} bytes");
                let best: Vec<Row> = in_batches().best().map(row).collect();
                assert_eq!(best, best_by_rank(&reference, &text), "case {case}, {bytes} bytes");
            }
        }
        assert!(found > 5_000, "{found} matches");
    }

    #[test]
    fn sites_do_not_depend_on_batches() {
        let mut rng = Rng::with_seed(22);
        let mut found = 0;
        for case in 0..100 {
            let text = random_text(&mut rng, Alphabet::Dna, 10 * case);
            let builder = Searcher::builder(Alphabet::Dna).patterns(["ACGT<G>", "<CA>GTT", "<T>ACC<A>", "GATT"]);
            let near = case % 3 == 0;
            let builder = if near { builder.near(20).pattern("CCT") } else { builder };
            let searcher = builder.max_edits(1 + case % 2).build().unwrap();
            let sites = |bytes: usize| Matches::in_batches(searcher.cache(), &text, bytes).sites().map(row);
            let expected: Vec<Row> = sites(1 << 20).collect();
            assert!(expected.is_sorted_by_key(|row| (row.1, row.3)), "case {case}");
            let mut places: Vec<_> =
                expected.iter().filter(|row| row.3 == 0 && row.4 == b'+').map(|row| row.1).collect();
            let hits: Vec<Row> = searcher.find_iter(&text).map(row).collect();
            places.dedup();
            assert!(places.iter().all(|end| hits.iter().any(|hit| (hit.1, hit.3) == (*end, 0))), "case {case}");
            found += expected.len();
            for bytes in [1, 7, 40] {
                assert_eq!(sites(bytes).collect::<Vec<_>>(), expected, "case {case}, {bytes} bytes");
            }
            let texts = [&text[..], b"", &text[..]];
            let in_texts = TextMatches::in_batches(searcher.engines(), searcher.rules, texts.into_iter(), 30).sites();
            let in_texts: Vec<_> = in_texts.map(|(index, one)| (index, row(one))).collect();
            let twice: Vec<_> =
                [0, 2].iter().flat_map(|&index| expected.iter().cloned().map(move |row| (index, row))).collect();
            assert_eq!(in_texts, twice, "case {case}");
        }
        assert!(found > 1_000, "{found} sites");
    }

    #[test]
    fn a_cache_serves_many_texts() {
        let mut rng = Rng::with_seed(25);
        let searcher = Searcher::builder(Alphabet::Dna).patterns(["ACGT<G>", "GATT"]).max_edits(1).build().unwrap();
        let mut cache = searcher.cache();
        for case in 0..100 {
            let text = random_text(&mut rng, Alphabet::Dna, case);
            assert_eq!(cache.is_match(&text).unwrap(), searcher.find_iter(&text).next().is_some(), "case {case}");
            let found: Vec<Row> = cache.find_iter(&text).take(case).map(row).collect();
            assert_eq!(found, searcher.find_iter(&text).take(case).map(row).collect::<Vec<_>>(), "case {case}");
            let found: Vec<Row> = cache.find_iter(&text).sites().map(row).collect();
            assert_eq!(found, searcher.find_iter(&text).sites().map(row).collect::<Vec<_>>(), "case {case}");
        }
    }

    #[test]
    fn many_texts_have_the_matches_of_each() {
        let mut rng = Rng::with_seed(24);
        let (mut found, mut best) = (0, 0);
        for case in 0..100 {
            let alphabet = [Alphabet::Dna, Alphabet::Text, Alphabet::Bytes][case % 3];
            let texts: Vec<Vec<u8>> = (0..rng.usize(0..60))
                .map(|_| {
                    let length = if rng.u8(..8) == 0 { 60 } else { 12 };
                    let length = rng.usize(..length);
                    random_text(&mut rng, alphabet, length)
                })
                .collect();
            let [reference, cpu] = searchers(&mut rng, alphabet);
            let each = || texts.iter().enumerate();
            let expected: Vec<_> =
                each().flat_map(|(index, text)| reference.find_iter(text).map(move |one| (index, row(one)))).collect();
            let expected_best: Vec<_> = each()
                .flat_map(|(index, text)| reference.find_iter(text).best().map(move |one| (index, row(one))))
                .collect();
            found += expected.len();
            best += expected_best.len();
            for bytes in [1, 20, 100, 1 << 20] {
                let texts = || texts.iter().map(Vec::as_slice);
                let all = || TextMatches::in_batches(cpu.engines(), cpu.rules, texts(), bytes);
                assert_eq!(all().map(|(index, one)| (index, row(one))).collect::<Vec<_>>(), expected, "case {case}");
                assert_eq!(all().count(), expected.len(), "case {case}");
                let best: Vec<_> = all().best().map(|(index, one)| (index, row(one))).collect();
                assert_eq!(best, expected_best, "case {case}");
            }
        }
        assert!(found > 5_000 && best > 1_000, "{found} and {best} matches");
    }

    #[test]
    fn sites_of_an_expression_are_those_of_its_strings() {
        let (expression, strings) = ("GATTA([CG]{1,3})<TGG>", "GATTA([CG])<TGG>|GATTA[CG]{2}<TGG>|GATTA[CG]{3}<TGG>");
        let searcher = |pattern: &str| {
            let builder = Searcher::builder(Alphabet::Dna).notation(Notation::Regex).max_edits(1).pattern(pattern);
            builder.captures(true).build().unwrap()
        };
        let text = b"GATTACTGGTGGATTACGTGGAGATTCGTGGTTCCACGTAATC";
        let of_sites = |searcher: &Searcher| -> Vec<_> {
            let in_text: Vec<_> = searcher.find_iter(text).sites().map(|one| (one.range(), one.distance())).collect();
            let in_texts = searcher.find_in_texts([&text[..]]).sites();
            assert_eq!(in_texts.map(|(_, one)| (one.range(), one.distance())).collect::<Vec<_>>(), in_text);
            for bytes in [8, 20, 33] {
                let in_batches = Matches::in_batches(searcher.cache(), text, bytes).sites();
                assert_eq!(in_batches.map(|one| (one.range(), one.distance())).collect::<Vec<_>>(), in_text);
            }
            // After sites, the same cache finds all matches.
            let mut cache = searcher.cache();
            assert_eq!(cache.find_iter(text).sites().count(), in_text.len());
            assert_eq!(cache.find_iter(text).count(), searcher.find_iter(text).count());
            in_text
        };
        let [of_expression, of_strings] = [expression, strings].map(searcher);
        assert!(of_expression.has_sites() && of_expression.site_engine.is_some());
        let found = of_sites(&of_expression);
        assert!(found.len() > 3, "{found:?}");
        let site = of_expression.find_iter(text).sites().find(|site| site.range() == (11..21)).expect("a site");
        let groups = of_expression.captures(&site).expect("the searcher has groups");
        assert_eq!(groups.get(1).map(|group| group.range()), Some(16..18));
        assert_eq!(found, of_sites(&of_strings));
    }

    #[test]
    fn a_later_match_is_ranked_by_the_text_after_it() {
        // From the second '-' on, the expression ends as early as possible, also if the range is not the whole line.
        let builder =
            Searcher::builder(Alphabet::Text).notation(Notation::Regex).max_edits(0).pattern("[-k][^k]{0,2}?k?");
        let ranges = |builder: SearcherBuilder, text: &[u8]| -> Vec<_> {
            builder.build().unwrap().find_iter(text).best().map(|found| found.range()).collect()
        };
        assert_eq!(ranges(builder.clone(), b"k--"), [0..1, 1..2, 2..3]);
        assert_eq!(ranges(builder.within("7..12".parse().unwrap()), b"1aaakk-k--"), [7..8, 8..9, 9..10]);
        // From 6 on, the match of Perl ends at 12, which is not near a match of the other pattern. So the longest comes first.
        let builder = Searcher::builder(Alphabet::Text).notation(Notation::Regex).max_edits(0);
        let builder = builder.pattern("(?:\\S{2,3}?){2,3}").near(2).pattern("(?:a\\w[a1-][a1-])+");
        let found = ranges(builder, b"k1111a1a11aa1a");
        assert!(found.contains(&(6..14)), "{found:?}");
    }

    #[test]
    fn the_best_of_a_long_repeat_come_in_order() {
        let searcher = Searcher::dna("ACACACAC", 2).unwrap();
        let text = b"AC".repeat(5_000);
        let best: Vec<Row> = searcher.find_iter(&text).best().map(row).collect();
        assert_eq!(best, best_by_rank(&searcher, &text));
        assert!(best.len() > 1_000 && best.is_sorted_by_key(|row| row.1));
    }

    #[test]
    fn a_searcher_is_shared_by_threads_and_reports_errors() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<Searcher>();
        let error = Searcher::new("ab", 2).unwrap_err().to_string();
        assert!(error.starts_with("pattern 'ab': 2 edits would match everywhere"), "{error}");
        assert!(Searcher::dna("ACE", 0).is_err());
        assert!(!Searcher::new("abc", 1).unwrap().is_match(b""));
    }

    #[test]
    fn a_pattern_of_text_is_within_one_line() {
        for alphabet in [Alphabet::Text, Alphabet::Bytes] {
            let error = Searcher::builder(alphabet).patterns(["abc", "ab\ncd"]).build().unwrap_err().to_string();
            assert!(error.starts_with("pattern 'ab\\ncd': it has a line feed, but a match lies"), "{error}");
        }
        let error = Searcher::dna("ACG\nT", 0).unwrap_err().to_string();
        assert_eq!(error, "pattern 'ACG\\nT': '\\n' is not an IUPAC nucleotide code");
        let either = Searcher::builder(Alphabet::Text).pattern("a(b|\n)c").notation(Notation::Regex).max_edits(0);
        assert!(either.build().unwrap().is_match(b"abc"));
    }

    #[test]
    fn no_patterns_match_nothing() {
        let searcher = Searcher::builder(Alphabet::Text).build().unwrap();
        assert!(!searcher.is_match(b"abc") && searcher.find_iter(b"abc").next().is_none());
        assert_eq!(searcher.find_iter(b"abc").best().count(), 0);
    }
}
