//! Random expressions with random options, compared with a definition that shares no code with nigh: it has no parser,
//! no automaton and no engine. `NIGH_ROUNDS` multiplies the number of cases.

mod case;
mod expression;
mod faces;
mod matches;
mod program;
#[allow(dead_code, reason = "only the program is used")]
#[path = "../support/root.rs"]
mod root;
mod shown;

use std::collections::BTreeMap;
use std::fmt::Debug;

use fastrand::Rng;
use nigh::{Alphabet, EditCosts, EditLimit, Notation, Searcher, SearcherBuilder};

use crate::case::{Expected, Row, Search};

/// The number of texts for each search.
const TEXTS: usize = 8;

/// The differences found: for each output, their number and the shortest case.
#[derive(Default)]
struct Differences(BTreeMap<&'static str, (usize, String)>);

impl Differences {
    fn add(&mut self, output: &'static str, case: String) {
        let (count, shortest) = self.0.entry(output).or_default();
        *count += 1;
        if *count == 1 || case.len() < shortest.len() {
            *shortest = case;
        }
    }

    /// Returns the rows that a search finds; `None` if it panics.
    fn rows_of(&mut self, case: (&Search, &str), find: impl FnOnce() -> Vec<Row>) -> Option<Vec<Row>> {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(find)).ok();
        if found.is_none() {
            self.compare("panics", case, &[], &["no panic"]);
        }
        found
    }

    /// Compares what was found with what was expected.
    fn compare<T: PartialEq + Debug>(
        &mut self,
        output: &'static str,
        (search, text): (&Search, &str),
        found: &[T],
        expected: &[T],
    ) {
        if found != expected {
            let sources: Vec<String> = search.expressions.iter().map(|expression| expression.text()).collect();
            let options = Search { expressions: Vec::new(), ..search.clone() };
            self.add(
                output,
                format!("{sources:?} in {text:?}\n{options:?}\nfound    {found:?}\nexpected {expected:?}"),
            );
        }
    }

    /// Panics if there are differences.
    fn report(&self, cases: usize) {
        let report =
            |(output, (count, case)): (&&str, &(usize, String))| format!("{output}: {count} differences\n{case}");
        let report: Vec<String> = self.0.iter().map(report).collect();
        assert!(report.is_empty(), "of {cases} cases:\n\n{}", report.join("\n\n"));
    }
}

fn rows<'t>(matches: impl Iterator<Item = nigh::Match<'t>>) -> Vec<Row> {
    let row = |found: nigh::Match<'_>| (found.pattern(), found.start(), found.end(), found.distance());
    let mut rows: Vec<Row> = matches.map(row).collect();
    rows.sort_unstable_by_key(|&(pattern, start, end, _)| (end, pattern, start));
    rows
}

fn without_starts(rows: &[Row]) -> Vec<Row> {
    rows.iter().map(|&(pattern, _, end, distance)| (pattern, 0, end, distance)).collect()
}

fn seeded(seed: u64) -> Rng {
    let other = std::env::var("NIGH_SEED").map_or(0, |other| other.parse().expect("NIGH_SEED must be a number"));
    Rng::with_seed(seed ^ u64::wrapping_mul(other, 0x9e37_79b9_7f4a_7c15))
}

fn rounds(usual: usize) -> usize {
    usual * std::env::var("NIGH_ROUNDS").map_or(1, |factor| factor.parse().expect("NIGH_ROUNDS must be a number"))
}

/// Draws a search whose expressions do not match the empty string.
fn next_builder(rng: &mut Rng) -> (Search, SearcherBuilder) {
    loop {
        let search = Search::random(rng);
        if !search.has_empty_match() {
            let builder = search.builder();
            return (search, builder);
        }
    }
}

/// Draws a search that can be built.
fn next_search(rng: &mut Rng) -> (Search, Searcher) {
    loop {
        let (search, builder) = next_builder(rng);
        if let Ok(searcher) = builder.build() {
            return (search, searcher);
        }
    }
}

#[test]
fn the_library_finds_what_the_definition_finds() {
    let mut rng = seeded(1);
    let mut differences = Differences::default();
    let (mut cases, mut hits) = (0, 0);
    for _ in 0..rounds(400) {
        let (search, searcher) = next_search(&mut rng);
        for _ in 0..TEXTS {
            let text = search.random_text(&mut rng);
            let Expected { all, best, .. } = search.expected(&text);
            let Some(found) = differences.rows_of((&search, &text), || rows(searcher.find_iter(text.as_bytes())))
            else {
                continue;
            };
            let output = if search.near.is_some() { "hits near each other" } else { "hits" };
            differences.compare(output, (&search, &text), &without_starts(&found), &without_starts(&all));
            if search.are_automata() && without_starts(&found) == without_starts(&all) {
                differences.compare("matches of hits", (&search, &text), &found, &all);
                let found = differences.rows_of((&search, &text), || rows(searcher.find_iter(text.as_bytes()).best()));
                differences.compare("best matches", (&search, &text), &found.unwrap_or_default(), &best);
            }
            (cases, hits) = (cases + 1, hits + all.len());
        }
    }
    println!("{cases} cases, {hits} hits");
    differences.report(cases);
    assert!(hits > cases, "only {hits} hits in {cases} cases");
}

/// Returns what the program should print for lines: the texts of `-o`, all rows of `--format=ends`, and the best ones.
fn expected_prints(search: &Search, texts: &[String]) -> (Vec<program::Span>, [Vec<program::EndRow>; 2]) {
    let (mut spans, mut all, mut best) = (Vec::new(), Vec::new(), Vec::new());
    let mut offset = 0;
    for text in texts {
        let expected = search.expected(text);
        let span = |&(_, start, end, _): &Row| (offset + start, text[start..end].to_owned());
        spans.extend(expected.spans.iter().map(span));
        let end_row = |&(pattern, _, end, distance): &Row| (offset + end, distance, search.expressions[pattern].text());
        all.extend(expected.all.iter().map(end_row));
        best.extend(expected.best.iter().map(end_row));
        offset += text.len() + 1;
    }
    all.sort_unstable();
    best.sort_unstable();
    (spans, [all, best])
}

/// Returns what the program should print for records: all rows, and the best ones.
fn expected_rows(search: &Search, texts: &[String]) -> [Vec<program::RecordRow>; 2] {
    let mut rows = [Vec::new(), Vec::new()];
    for (record, text) in texts.iter().enumerate() {
        let Expected { all, best, .. } = search.expected(text);
        let row = |&(pattern, start, end, distance): &Row| {
            (record.to_string(), start, end, distance, search.expressions[pattern].text())
        };
        rows[0].extend(all.iter().map(row));
        rows[1].extend(best.iter().map(row));
    }
    rows.iter_mut().for_each(|rows| rows.sort_unstable());
    rows
}

/// Compares what the program prints for lines. Returns the number of texts that it shows.
fn compare_lines(differences: &mut Differences, search: &Search, options: &[String], texts: &[String]) -> usize {
    let lines: String = texts.iter().map(|text| format!("{text}\n")).collect();
    let (spans, [all, best]) = expected_prints(search, texts);
    let case = (search, &*lines);
    differences.compare("--hits all", case, &program::rows_of_ends(options, "all", &lines), &all);
    if search.are_automata() {
        differences.compare("--hits best", case, &program::rows_of_ends(options, "best", &lines), &best);
        differences.compare("-o", case, &program::spans(options, &lines), &spans);
    }
    spans.len()
}

/// Compares what the program prints for records. Returns the number of best matches.
fn compare_records(differences: &mut Differences, search: &Search, options: &[String], texts: &[String]) -> usize {
    let records: String = texts.iter().enumerate().map(|(name, text)| format!(">{name}\n{text}\n")).collect();
    let [all, best] = expected_rows(search, texts);
    if search.are_automata() {
        let case = (search, &*records);
        differences.compare("rows", case, &program::rows_of_records(options, "all", &records), &all);
        differences.compare("best rows", case, &program::rows_of_records(options, "best", &records), &best);
    }
    best.len()
}

#[test]
fn the_program_prints_what_the_definition_shows() {
    let mut rng = seeded(2);
    let mut differences = Differences::default();
    let (mut cases, mut shown) = (0, 0);
    for _ in 0..rounds(100) {
        let (search, _) = next_search(&mut rng);
        let texts: Vec<String> = (0..TEXTS).map(|_| search.random_text(&mut rng)).collect();
        let mut options = search.options();
        if rng.bool() {
            options.extend(["-j3".to_owned(), "--batch-size".to_owned(), rng.usize(1..40).to_string()]);
        }
        shown += match search.alphabet {
            Alphabet::Dna => compare_records(&mut differences, &search, &options, &texts),
            _ => compare_lines(&mut differences, &search, &options, &texts),
        };
        cases += TEXTS;
    }
    println!("{cases} cases, {shown} shown");
    differences.report(cases);
    assert!(shown > cases / 2, "only {shown} shown in {cases} cases");
}

#[test]
fn a_match_that_starts_later_may_be_within_a_range_or_costly() {
    let builder = || Searcher::builder(Alphabet::Text).notation(Notation::Regex);
    let within = builder().max_edits(2).within("3..10".parse().unwrap()).pattern(r"(?:[a1-]|\S)(?:.|\b)[^k][a1-]");
    let found = rows(within.build().unwrap().find_iter(b"1k_-a1_Ka-").best());
    assert_eq!(found, [(0, 3, 6, 0), (0, 6, 10, 0)]);
    let double = EditLimit::new(2, 3);
    let costs = EditCosts { insertion: double, deletion: double, substitution: double, ..EditCosts::default() };
    let costly = builder().max_edits(3).edit_costs(costs).pattern("[^k]{2,}");
    let found = rows(costly.build().unwrap().find_iter(b"11kk-k ").best());
    assert_eq!(found, [(0, 0, 2, 0), (0, 3, 5, 2), (0, 5, 7, 2)]);
}
