//! Random searches, and what they find by the definition.

use std::fmt;
use std::ops::Range;

use fastrand::Rng;
use nigh::{
    Alphabet, AmbiguousLetters, Case, EditCosts, EditLimit, Groups, MatchExtent, Notation, Searcher, SearcherBuilder,
    Strand, Transpositions,
};
use nigh_pattern::{AmbiguousMatches, MaxEdits, PatternSet, PatternSource};

use crate::expression::{Grammar, Part};
use crate::matches::{KINDS, Limits, Matcher, PlainMatch, bases};
use crate::shown::{PatternMatches, Shown, shown};

/// A random search.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub(crate) alphabet: Alphabet,
    /// The strand of sequences.
    pub(crate) strand: Strand,
    pub(crate) expressions: Vec<Part>,
    pub(crate) k: u8,
    /// The limits of the kinds of edits, if they have any.
    pub(crate) costs: Option<EditCosts>,
    /// Letters of sequences may always have either case.
    pub(crate) ignores_case: bool,
    /// Where letters of DNA match that stand for several bases, and how many of them a match may have; `None` if the text has
    /// none.
    pub(crate) ambiguous: Option<AmbiguousMatches>,
    pub(crate) extent: MatchExtent,
    pub(crate) within: Option<(Bound, Bound)>,
    pub(crate) has_exact_groups: bool,
    /// The gap of `--near` between the first two expressions.
    pub(crate) near: Option<usize>,
}

/// A bound of `--within`: a number of bytes after the start of the text, or before its end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AfterStart(usize),
    BeforeEnd(usize),
}

impl Bound {
    fn random(rng: &mut Rng, numbers: Range<usize>) -> Bound {
        let number = rng.usize(numbers);
        if rng.bool() { Bound::AfterStart(number) } else { Bound::BeforeEnd(number + 1) }
    }

    /// Returns the bound as an offset in a text of `length` bytes.
    fn offset(self, length: usize) -> usize {
        match self {
            Bound::AfterStart(bytes) => bytes,
            Bound::BeforeEnd(bytes) => length.saturating_sub(bytes),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::AfterStart(bytes) => write!(formatter, "{bytes}"),
            Bound::BeforeEnd(bytes) => write!(formatter, "-{bytes}"),
        }
    }
}

/// A row: the pattern, the start, the end and the distance. Offsets are in bytes.
pub(crate) type Row = (usize, usize, usize, usize);

/// The rows of a search by the definition.
pub(crate) struct Expected {
    /// One row for each hit.
    pub(crate) all: Vec<Row>,
    /// The matches that are shown if those of each pattern compete.
    pub(crate) best: Vec<Row>,
    /// The matches that are shown if those of all patterns compete.
    pub(crate) spans: Vec<Row>,
}

impl Search {
    /// Draws a search.
    pub(crate) fn random(rng: &mut Rng) -> Search {
        let alphabet =
            *rng.choice(&[Alphabet::Text, Alphabet::Text, Alphabet::Bytes, Alphabet::Dna]).expect("one of them");
        let is_text = alphabet != Alphabet::Dna;
        let grammar = Grammar {
            is_dna: !is_text,
            has_assertions: rng.bool(),
            has_exact_groups: rng.u8(0..6) == 0,
            is_ascii: alphabet == Alphabet::Bytes || rng.bool(),
        };
        let count = *rng.choice(&[1, 1, 2, 2, 3]).expect("one of them");
        let expressions: Vec<Part> = (0..count).map(|_| Part::random(rng, grammar, 2)).collect();
        let k = *rng.choice(&[0, 1, 1, 2, 2, 3]).expect("one of them");
        Search {
            alphabet,
            // On the reverse strand, symbols are inserted on the other side of an assertion.
            strand: match is_text || grammar.has_assertions || rng.bool() {
                true => Strand::Forward,
                false => Strand::Reverse,
            },
            k,
            costs: (rng.u8(0..4) == 0).then(|| random_costs(rng, usize::from(k))),
            ignores_case: !is_text || rng.u8(0..4) == 0,
            ambiguous: (!is_text && rng.u8(0..2) == 0).then(|| random_ambiguous(rng)),
            extent: match rng.u8(0..12) {
                0 if is_text => MatchExtent::Words,
                1 => MatchExtent::Record,
                _ => MatchExtent::Anything,
            },
            within: if rng.u8(0..6) == 0 { random_range(rng) } else { None },
            has_exact_groups: expressions.iter().any(Part::has_exact_group),
            near: (expressions.len() > 1 && rng.bool()).then(|| *rng.choice(&[0, 1, 2, 5]).expect("one of them")),
            expressions,
        }
    }

    /// Draws a text for the search.
    pub(crate) fn random_text(&self, rng: &mut Rng) -> String {
        let letters: &[char] = match self.alphabet {
            Alphabet::Dna if self.ambiguous.is_some() => &['A', 'N', 'C', 'R', 'G', 'T', 'Y', 'n', 'a'],
            Alphabet::Dna => &['A', 'C', 'G', 'T', 'a', 'c'],
            Alphabet::Bytes => &['a', 'k', '1', '-', ' ', 'K', '_', 'b'],
            _ => &['a', 'k', '1', '-', ' ', 'K', '_', 'é', 'É'],
        };
        let letters = &letters[..rng.usize(2..=letters.len())];
        (0..rng.usize(1..16)).map(|_| *rng.choice(letters).expect("one of them")).collect()
    }

    /// Makes the builder of the searcher.
    pub(crate) fn builder(&self) -> SearcherBuilder {
        let mut builder = Searcher::builder(self.alphabet)
            .notation(Notation::Regex)
            .max_edits(usize::from(self.k))
            .case(self.case())
            .whole(self.extent)
            .strands(&[self.strand]);
        if let Some(costs) = self.costs {
            builder = builder.edit_costs(costs);
        }
        if let Some((start, end)) = self.within {
            builder = builder.within(format!("{start}..{end}").parse().expect("a range"));
        }
        if let Some(AmbiguousMatches { letters, max }) = self.ambiguous {
            builder = builder.ambiguous(letters);
            if let Some(max) = max {
                builder = builder.max_ambiguous(max);
            }
        }
        if self.has_exact_groups {
            builder = builder.groups(Groups::Exact);
        }
        for (nth, expression) in self.expressions.iter().enumerate() {
            if let (1, Some(gap)) = (nth, self.near) {
                builder = builder.near(gap as u64);
            }
            builder = builder.pattern(expression.text());
        }
        builder
    }

    fn case(&self) -> Case {
        if self.ignores_case && self.alphabet != Alphabet::Dna { Case::Insensitive } else { Case::Sensitive }
    }

    /// Returns whether each expression is one pattern, which is aligned by its automaton, and not a list of strings.
    pub(crate) fn are_automata(&self) -> bool {
        let builder = PatternSet::builder(self.alphabet).notation(Notation::Regex).strands(&[self.strand]);
        let builder = builder.max_edits(MaxEdits::Count(usize::from(self.k)));
        let builder = builder.edit_costs(self.costs.unwrap_or_default()).whole(self.extent).case(self.case());
        let builder = match self.ambiguous {
            Some(AmbiguousMatches { letters, max }) => builder.ambiguous(letters).max_ambiguous(max),
            None => builder,
        };
        let builder = builder.groups(if self.has_exact_groups { Groups::Exact } else { Groups::Ordinary });
        let sources = self.expressions.iter().map(|expression| PatternSource::new(expression.text()));
        let set = builder.build(&sources.collect::<Vec<_>>());
        set.is_ok_and(|set| set.patterns().iter().all(|pattern| pattern.expression().is_some()))
    }

    /// Returns the limits of the edits of a match.
    fn limits(&self) -> Limits {
        let Some(costs) = self.costs else {
            return Limits { k: self.k, costs: [1; KINDS], max: [self.k, self.k, self.k, 0] };
        };
        let kinds = [costs.insertion, costs.deletion, costs.substitution];
        let mut limits = Limits { k: self.k, costs: [1; KINDS], max: [0; KINDS] };
        for (kind, limit) in kinds.into_iter().enumerate() {
            limits.costs[kind] = limit.cost.get() as u8;
            limits.max[kind] = limit.max.min(usize::from(self.k)) as u8;
        }
        limits.max[KINDS - 1] = if costs.transpositions == Transpositions::One { self.k } else { 0 };
        limits
    }

    fn matcher<'t>(&self, text: &'t [char]) -> Matcher<'t> {
        let letters = self.ambiguous.map(|ambiguous| ambiguous.letters);
        Matcher { text, limits: self.limits(), ignores_case: self.ignores_case, letters }
    }

    /// Returns whether an expression matches the empty string; then its search is that of an empty pattern.
    pub(crate) fn has_empty_match(&self) -> bool {
        let matcher = self.matcher(&[]);
        self.expressions.iter().any(|expression| matcher.has_empty_match(expression))
    }

    /// Returns the matches of an expression in a text.
    fn matches(&self, expression: &Part, text: &[char]) -> Vec<PlainMatch> {
        let read = if self.strand == Strand::Forward { text.to_vec() } else { reverse_complement(text) };
        let matcher = self.matcher(&read);
        let is_word = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|symbol| symbol.is_alphanumeric() || *symbol == '_')
        };
        let bytes_before = |position: usize| text[..position].iter().map(|symbol| symbol.len_utf8()).sum::<usize>();
        let is_allowed = |found: &PlainMatch| {
            let extends = match self.extent {
                MatchExtent::Anything => true,
                MatchExtent::Words => !is_word(found.start.checked_sub(1)) && !is_word(Some(found.end)),
                MatchExtent::Record => found.start == 0 && found.end == text.len(),
            };
            let length = bytes_before(text.len());
            let is_within = self.within.is_none_or(|(start, end)| {
                start.offset(length) <= bytes_before(found.start) && bytes_before(found.end) <= end.offset(length)
            });
            let letters = text[found.start..found.end].iter().filter(|base| bases(**base).len() > 1).count();
            let max_letters = self.ambiguous.and_then(|ambiguous| ambiguous.max);
            extends && is_within && max_letters.is_none_or(|max| letters <= max)
        };
        let mut matches = matcher.matches(expression);
        if self.strand == Strand::Reverse {
            let mirrored = |PlainMatch { start, end, .. }| (text.len() - end, text.len() - start);
            matches.iter_mut().for_each(|found| (found.start, found.end) = mirrored(*found));
        }
        matches.retain(is_allowed);
        matches
    }

    /// Returns the end of the match without edits that Perl finds from the position `start` on, of those in `matches`.
    fn first_end(&self, expression: &Part, text: &[char], matches: &[PlainMatch], start: usize) -> Option<usize> {
        let matcher = self.matcher(text);
        let is_match =
            |end: usize| matches.iter().any(|found| (found.start, found.end, found.distance) == (start, end, 0));
        matcher.first_end(expression, start, &is_match)
    }

    /// Returns what the search finds in a text.
    pub(crate) fn expected(&self, text: &str) -> Expected {
        let symbols: Vec<char> = text.chars().collect();
        let patterns = self.expressions.iter().map(|expression| {
            let matches = self.matches(expression, &symbols);
            let ends_as_in_perl = expression.is_lazy() && self.alphabet != Alphabet::Dna;
            let first_ends = match ends_as_in_perl {
                true => (0..symbols.len()).map(|start| self.first_end(expression, &symbols, &matches, start)).collect(),
                false => Vec::new(),
            };
            PatternMatches { matches, is_lazy: expression.is_only_lazy(), first_ends }
        });
        let patterns: Vec<PatternMatches> = patterns.collect();
        let hits = |pattern: usize| {
            let found = match (self.near, pattern) {
                (Some(gap), 0 | 1) => patterns[pattern].near(&patterns[1 - pattern], gap),
                _ => patterns[pattern].hits(),
            };
            found.into_iter().map(move |found| Shown { pattern, found })
        };
        let of_each: Vec<Vec<Shown>> = (0..patterns.len()).map(|pattern| hits(pattern).collect()).collect();
        let bytes = |position: usize| symbols[..position].iter().map(|symbol| symbol.len_utf8()).sum::<usize>();
        let rows = |shown: Vec<Shown>| {
            let row = |Shown { pattern, found }: Shown| {
                (pattern, bytes(found.start), bytes(found.end), usize::from(found.distance))
            };
            let mut rows: Vec<Row> = shown.into_iter().map(row).collect();
            rows.sort_unstable_by_key(|&(pattern, start, end, _)| (end, pattern, start));
            rows
        };
        let best = of_each.iter().flat_map(|hits| shown(&patterns, hits.clone())).collect();
        Expected { all: rows(of_each.concat()), best: rows(best), spans: rows(shown(&patterns, of_each.concat())) }
    }
}

/// Returns the bases of the other strand.
fn reverse_complement(bases: &[char]) -> Vec<char> {
    let complement = |base: &char| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        'T' => 'A',
        'a' => 't',
        'c' => 'g',
        'R' => 'Y',
        'Y' => 'R',
        'N' => 'N',
        'n' => 'n',
        _ => panic!("{base} is no base of a random text"),
    };
    bases.iter().rev().map(complement).collect()
}

/// Draws where letters that stand for several bases match, and how many of them a match may have.
fn random_ambiguous(rng: &mut Rng) -> AmbiguousMatches {
    let letters = if rng.bool() { AmbiguousLetters::Overlapping } else { AmbiguousLetters::Contained };
    AmbiguousMatches { letters, max: *rng.choice(&[None, Some(0), Some(1), Some(1), Some(2)]).expect("one of them") }
}

/// Draws a range of positions; `None` if it would be empty in every text.
fn random_range(rng: &mut Rng) -> Option<(Bound, Bound)> {
    let (start, end) = (Bound::random(rng, 0..9), Bound::random(rng, 3..13));
    match (start, end) {
        (Bound::AfterStart(first), Bound::AfterStart(last)) if first >= last => None,
        (Bound::BeforeEnd(first), Bound::BeforeEnd(last)) if first <= last => None,
        _ => Some((start, end)),
    }
}

/// Draws limits and costs of edits.
fn random_costs(rng: &mut Rng, k: usize) -> EditCosts {
    let mut limit = || match rng.u8(0..4) {
        0 => EditLimit::new(1, 0),
        1 => EditLimit::new(1, k.saturating_sub(1)),
        2 => EditLimit::new(2, k),
        _ => EditLimit::new(1, k),
    };
    let (insertion, deletion, substitution) = (limit(), limit(), limit());
    let transpositions = if rng.u8(0..3) == 0 { Transpositions::One } else { Transpositions::Two };
    EditCosts { insertion, deletion, substitution, transpositions }
}
