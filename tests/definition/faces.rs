//! The ways to search: a text, many texts, and a file, with `--hits all` and `best`. All find the same matches, also
//! where an expression is a list of strings, for which there is no definition here.

use std::ops::ControlFlow;

use fastrand::Rng;
use nigh::{Alphabet, FileEvent, HitSelection, Match, Searcher};

use crate::case::Search;
use crate::{Differences, TEXTS, next_builder, program, rounds, seeded};

/// The index of a text, a match there, and its alignment: the pattern, the start, the end, the distance and the CIGAR.
type AlignedRow = (usize, usize, usize, usize, usize, String);

fn row(text: usize, found: &Match<'_>) -> AlignedRow {
    (text, found.pattern(), found.start(), found.end(), found.distance(), found.cigar().to_string())
}

fn of_each_text(searcher: &Searcher, texts: &[String], selection: HitSelection) -> Vec<AlignedRow> {
    let of_text = |(index, text): (usize, &String)| -> Vec<AlignedRow> {
        let found = searcher.find_iter(text.as_bytes());
        match selection {
            HitSelection::Best => found.best().map(|one| row(index, &one)).collect(),
            _ => found.map(|one| row(index, &one)).collect(),
        }
    };
    texts.iter().enumerate().flat_map(of_text).collect()
}

fn of_many_texts(searcher: &Searcher, texts: &[String], selection: HitSelection) -> Vec<AlignedRow> {
    let found = searcher.find_in_texts(texts.iter().map(String::as_bytes));
    match selection {
        HitSelection::Best => found.best().map(|(index, one)| row(index, &one)).collect(),
        _ => found.map(|(index, one)| row(index, &one)).collect(),
    }
}

/// Searches a file of which each text is a line or record.
fn of_file(
    searcher: &Searcher,
    alphabet: Alphabet,
    texts: &[String],
    selection: HitSelection,
) -> Result<Vec<AlignedRow>, nigh::FileError> {
    let is_sequence = alphabet.is_sequence();
    let items = texts.iter().enumerate();
    let item = |(name, text)| if is_sequence { format!(">{name}\n{text}\n") } else { format!("{text}\n") };
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join(if is_sequence { "texts.fa" } else { "texts" });
    std::fs::write(&path, items.map(item).collect::<String>()).expect("it is written");
    let starts: Vec<usize> =
        texts.iter().scan(0, |start, text| Some(std::mem::replace(start, *start + text.len() + 1))).collect();
    let mut rows = Vec::new();
    searcher.file(&path).select(selection).threads(2).for_each(|event| {
        if let FileEvent::Hit(hit) = event {
            let (start, end) = (hit.start as usize, hit.end as usize);
            let (text, first) = match hit.record {
                Some(name) => (String::from_utf8_lossy(name).parse().expect("a number"), 0),
                None => {
                    let text = starts.partition_point(|first| *first <= start) - 1;
                    (text, starts[text])
                }
            };
            rows.push((text, hit.pattern, start - first, end - first, hit.distance, hit.cigar.to_string()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

fn next_search(rng: &mut Rng) -> (Search, Searcher) {
    loop {
        let (search, builder) = next_builder(rng);
        let builder = match rng.u8(0..6) {
            0 => builder.overhang("0.5".parse().expect("a cost")).min_overlap(2),
            1 if search.alphabet.is_sequence() => builder.max_ambiguous(1),
            _ => builder,
        };
        if let Ok(searcher) = builder.build() {
            return (search, searcher);
        }
    }
}

#[test]
fn all_ways_of_searching_find_the_same_matches() {
    let mut rng = seeded(3);
    let mut differences = Differences::default();
    let (mut cases, mut found) = (0, 0);
    for _ in 0..rounds(300) {
        let (search, searcher) = next_search(&mut rng);
        let texts: Vec<String> = (0..TEXTS).map(|_| search.random_text(&mut rng)).collect();
        let all_texts = texts.join("\n");
        let case = (&search, &*all_texts);
        for selection in [HitSelection::All, HitSelection::Best] {
            let mut sorted = |mut rows: Vec<AlignedRow>| {
                rows.sort_unstable();
                found += rows.len();
                rows
            };
            let in_file = sorted(of_file(&searcher, search.alphabet, &texts, selection).expect("the file is searched"));
            let output =
                if selection == HitSelection::Best { ["best in a text", "best in texts"] } else { ["a text", "texts"] };
            differences.compare(output[0], case, &sorted(of_each_text(&searcher, &texts, selection)), &in_file);
            differences.compare(output[1], case, &sorted(of_many_texts(&searcher, &texts, selection)), &in_file);
        }
        cases += TEXTS;
    }
    println!("{cases} cases, {found} matches");
    differences.report(cases);
    assert!(found > cases, "only {found} matches in {cases} cases");
}

/// Draws a search with a least number of edits that it can have. Also returns the searcher without it.
fn next_search_with_least(rng: &mut Rng) -> (Search, usize, Searcher, Searcher) {
    loop {
        let (search, builder) = next_builder(rng);
        let least = rng.usize(1..=3);
        if let (Ok(searcher), Ok(plain)) = (builder.clone().min_edits(least).build(), builder.build()) {
            return (search, least, searcher, plain);
        }
    }
}

/// Compares the rows of the program with the best matches of each text. The program has no such option for costs.
fn compare_program(
    differences: &mut Differences,
    search: &Search,
    least: usize,
    texts: &[String],
    best: &[AlignedRow],
) {
    let options = [search.options(), vec![format!("-k{least}..{}", search.k)]].concat();
    let pattern = |index: usize| search.expressions[index].text();
    if search.alphabet.is_sequence() {
        let records: String = texts.iter().enumerate().map(|(name, text)| format!(">{name}\n{text}\n")).collect();
        let row = |&(text, index, start, end, distance, _): &AlignedRow| {
            (text.to_string(), start, end, distance, pattern(index))
        };
        let mut expected: Vec<program::RecordRow> = best.iter().map(row).collect();
        expected.sort_unstable();
        let found = program::rows_of_records(&options, "best", &records);
        differences.compare("rows of the program", (search, &records), &found, &expected);
    } else {
        let lines: String = texts.iter().map(|text| format!("{text}\n")).collect();
        let offset = |text: usize| texts[..text].iter().map(|text| text.len() + 1).sum::<usize>();
        let row = |&(text, index, _, end, distance, _): &AlignedRow| (offset(text) + end, distance, pattern(index));
        let mut expected: Vec<program::EndRow> = best.iter().map(row).collect();
        expected.sort_unstable();
        let found = program::rows_of_ends(&options, "best", &lines);
        differences.compare("lines of the program", (search, &lines), &found, &expected);
    }
}

#[test]
fn a_least_number_of_edits_applies_to_the_best_matches() {
    let mut rng = seeded(4);
    let mut differences = Differences::default();
    let (mut cases, mut found, mut left_out) = (0, 0, 0);
    for _ in 0..rounds(150) {
        let (search, least, searcher, plain) = next_search_with_least(&mut rng);
        let texts: Vec<String> = (0..TEXTS).map(|_| search.random_text(&mut rng)).collect();
        let all_texts = texts.join("\n");
        let case = (&search, &*all_texts);
        let mut best = of_each_text(&plain, &texts, HitSelection::Best);
        let count = best.len();
        best.retain(|row| row.4 >= least);
        best.sort_unstable();
        let mut compare = |output, mut rows: Vec<AlignedRow>| {
            rows.sort_unstable();
            differences.compare(output, case, &rows, &best);
        };
        compare("a text", of_each_text(&searcher, &texts, HitSelection::Best));
        compare("texts", of_many_texts(&searcher, &texts, HitSelection::Best));
        compare("a file", of_file(&searcher, search.alphabet, &texts, HitSelection::Best).expect("it is searched"));
        for (index, text) in texts.iter().enumerate() {
            let has_match = best.iter().any(|row| row.0 == index);
            differences.compare("is_match", (&search, text), &[searcher.is_match(text.as_bytes())], &[has_match]);
        }
        if search.costs.is_none() {
            compare_program(&mut differences, &search, least, &texts, &best);
        }
        let all = of_file(&searcher, search.alphabet, &texts, HitSelection::All).map_err(|error| error.to_string());
        assert!(all.is_err_and(|error| error.ends_with("with a minimum number of edits; select the best matches")));
        (cases, found, left_out) = (cases + TEXTS, found + best.len(), left_out + count - best.len());
    }
    println!("{cases} cases, {found} matches, {left_out} with fewer edits");
    differences.report(cases);
    assert!(found > cases / 2 && left_out > cases / 4, "{found} matches, {left_out} left out in {cases} cases");
}
