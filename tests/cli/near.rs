//! `--near`: matches of two patterns that are close to each other.

use fastrand::Rng;

use crate::harness::{Nigh, each_way, each_way_without_devices, once};

#[test]
fn both_patterns_count_only_near_each_other() {
    each_way(|nigh| {
        nigh.write(
            "log",
            "error: disk\ntimeout, then error\nerror after a very long wait: timeout\nno error\nerrortimeout\n",
        );
        nigh.prints("-k0 -e error --near 10 -e timeout log", "timeout, then error\nerrortimeout\n");
        nigh.prints("-k0 -e error --near 7 -e timeout -o log", "timeout\nerror\nerror\ntimeout\n");
        nigh.prints("-k0 -e error --near 0 -e timeout -c log", "1\n");
        nigh.prints("-k0 -e error --near 6 -e timeout log", "errortimeout\n");
        nigh.prints("-k1 -e errer --near 7 -e timeot --cost log", "1:timeout, then error\n1:errortimeout\n");
        nigh.prints("-k0 -e error --near 25 -e timeout -v log", "error: disk\nno error\n");
        nigh.prints("-k0 -e error --near 0 -e timeout -e disk -n log", "1:error: disk\n5:errortimeout\n");
    });
}

#[test]
fn distances_in_lines_are_symbols() {
    each_way(|nigh| {
        nigh.write("words", "a日本語b\n");
        nigh.prints("-k0 -e a --near 3 -e b words", "a日本語b\n");
        nigh.finds_nothing("-k0 -e a --near 2 -e b -c words", "0\n");
        nigh.finds_nothing("--bytes -k0 -e a --near 8 -e b -c words", "0\n");
        nigh.prints("--bytes -k0 -e a --near 9 -e b -c words", "1\n");
    });
}

#[test]
fn matches_of_expressions_have_all_their_starts() {
    each_way(|nigh| {
        let cases = [
            ("user alice failed", r"-k0 -e user --near 1 -e \S+_failed", "user\nalice failed\n"),
            ("pid 12345 exited", r"-k0 -e \d+_exited --near 1 -e pid", "pid\n12345 exited\n"),
            ("commit 3f2a9c81d4e5f", r"-k1 -e commit --near 1 -e \b[0-9a-f]{8,}\b", "commit\n3f2a9c81d4e5f\n"),
            ("commit 3f2a9c81d4e5f", r"-k0 -e [0-9a-f]{8,} --near 1 -e commit", "commit\n3f2a9c81d4e5f\n"),
        ];
        for (line, search, expected) in cases {
            let found = nigh.run_with_input(&format!("-o {search}"), line).text();
            assert_eq!(found, expected, "{search}");
        }
        let rows = nigh.run_with_input(r"-k1s --format=ends -e \d{3,} --near 2 -e tomo", "tomo99999e9dd").text();
        let ends: Vec<&str> = rows.lines().map(|row| row.split('\t').nth(1).unwrap()).collect();
        assert_eq!(ends, ["4", "7", "8", "9", "10", "11"], "{rows}");
    });
}

#[test]
fn assertions_inside_of_expressions_count() {
    each_way(|nigh| {
        nigh.write("words", "xab\nx ab\n");
        // A match of `a?\b\w+` starts at the start of a word.
        nigh.prints(r"-k0 -e x --near 1 -e a?\b\w+ words", "x ab\n");
    });
}

#[test]
fn alternatives_have_the_distance_of_their_pattern() {
    each_way_without_devices(|nigh| {
        // At the end of 'abc', the pattern has no edit. With 'xbc', 'bc' has one, and would begin behind 'yya'.
        nigh.write("words", "yyabc\n");
        nigh.finds_nothing("-k1 --exact-group -c -e abc|xbc --near 0 -e <yya> words", "0\n");
        nigh.prints("-k1 --exact-group -c -e xbc --near 0 -e <yya> words", "1\n");
    });
}

#[test]
fn a_long_line_with_many_hits_takes_linear_time() {
    once(|nigh| {
        nigh.write("words", "usr=alice ".repeat(20_000) + "\n");
        nigh.prints(r"-k1 -c -e user=\w+ --near 3 -e alyce words", "1\n");
        nigh.prints(r"-k1s -c -e u.r=\w+ --near 3 -e al\w+e words", "1\n");
    });
}

#[test]
fn a_pattern_can_be_near_itself_but_not_in_itself() {
    each_way(|nigh| {
        nigh.write("words", "tomtom\ntom\ntom and tom\n");
        nigh.prints("-k0 -e tom --near 0 -e tom words", "tomtom\n");
        nigh.prints("-k0 -e tom --near 5 -e tom -c words", "2\n");
        nigh.finds_nothing("-k0 -e om --near 5 -e to -c -x words", "0\n");
    });
}

#[test]
fn primers_of_both_strands_are_near_each_other() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nGATTACATTTTTTT\nCCGGAACC\n>b\nGATTACA\n>c\nCCGGAACC\n");
        let rows = "a\t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\na\t14\t22\tGGTTCCGG\t0\t-\t8=\tCCGGAACC\n";
        nigh.prints("-k0 -e GATTACA --near 7 -e GGTTCCGG r.fa", rows);
        nigh.finds_nothing("-k0 -e GATTACA --near 6 -e GGTTCCGG r.fa", "");
        nigh.prints("-k0 -e GATTACA --near 7 -e GGTTCCGG -c r.fa", "1\n");
        nigh.prints("-k0 -e GATTACA --near 7 -e GGTTCCGG -v -c r.fa", "2\n");
    });
}

#[test]
fn the_best_matches_are_chosen_among_those_with_a_partner() {
    each_way(|nigh| {
        // The exact match at 0 is too far from CCC; the match with an edit at 10 is near it.
        nigh.write("r.fa", ">a\nGATTACATTTGATACACCC\n");
        nigh.prints(
            "-k1 --strand forward --hits best -e GATTACA --near 0 -e <CCC> --exact-group --format bed r.fa",
            "a\t10\t16\tGATTACA\t857\t+\na\t16\t19\t<CCC>\t1000\t+\n",
        );
    });
}

#[test]
fn a_match_that_ends_elsewhere_than_in_perl_comes_after_others_that_start_there() {
    once(|nigh| {
        // The match of Perl, xa, is not next to y, so only xaa counts, which other matches outrank.
        nigh.write("log", "xaay\n");
        nigh.prints("-k0 -o -e x.+? --near 0 -e y(zz)* log", "xaa\ny\n");
        nigh.prints("-k0 -o -e x.+? --near 0 -e y(zz)* -e xa(bc)* log", "xa\ny\n");
        // The match of Perl, abcdef, does not count. Of the others, the longest comes first.
        nigh.write("log", "abcdef\n");
        nigh.prints("-k0 -o -e (..+?){2,4} --near 0 -e [ef](zz)* log", "abcde\nf\n");
    });
}

#[test]
fn a_range_that_excludes_no_match_changes_nothing() {
    each_way(|nigh| {
        // 'a' and 'ab' both have two edits, but only 'a' ends before the match of the other pattern.
        let rows = "(standard input)\t1\t2\tcba\n";
        for range in ["", " --within 0..99"] {
            let command = format!("-F -k2 -e cbc --near 0 -e cba --format=ends --hits all{range}");
            let found = nigh.run_with_input(&command, "abcaba").text();
            assert!(found.starts_with(rows) && found.lines().count() == 11, "{range}: {found}");
        }
    });
}

/// A hit in a table.
struct TableHit {
    record: String,
    pattern: String,
    end: i64,
    /// The starts of all matches with the end and the distance of the hit.
    starts: Vec<i64>,
}

impl TableHit {
    /// Makes a hit from a row of a search. `records` has the names and the bases of the records.
    fn new(row: &str, records: &[(&str, &str)]) -> Self {
        let columns: Vec<&str> = row.split('\t').collect();
        let (end, distance): (usize, usize) = (columns[2].parse().unwrap(), columns[4].parse().unwrap());
        let complement = |base| match base {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            _ => 'A',
        };
        let pattern: String = match columns[5] {
            "+" => columns[3].to_owned(),
            _ => columns[3].chars().rev().map(complement).collect(),
        };
        let bases = records.iter().find(|record| record.0 == columns[0]).unwrap().1;
        let first = end.saturating_sub(pattern.len() + distance);
        let starts = (first..end).filter(|&start| distance_of(&pattern, &bases[start..end]) == distance);
        let starts = starts.map(|start| start as i64).collect();
        TableHit { record: columns[0].to_owned(), pattern: columns[3].to_owned(), end: end as i64, starts }
    }

    /// Returns whether a match of this hit ends at most `gap` symbols before a match of `other`.
    fn is_before(&self, other: &TableHit, gap: i64) -> bool {
        let is_near = |start: &i64| (0..=gap).contains(&(start - self.end));
        self.record == other.record && self.pattern != other.pattern && other.starts.iter().any(is_near)
    }
}

/// Returns the Levenshtein distance.
fn distance_of(pattern: &str, text: &str) -> usize {
    let mut row: Vec<usize> = (0..=text.len()).collect();
    for (index, symbol) in pattern.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in text.bytes().enumerate() {
            let best = (diagonal + usize::from(symbol != other)).min(row[column] + 1).min(row[column + 1] + 1);
            diagonal = std::mem::replace(&mut row[column + 1], best);
        }
    }
    row[text.len()]
}

/// Returns the rows in `all` that have a partner at most `gap` symbols away, by comparing all pairs of matches.
fn with_partner(all: &str, records: &[(&str, &str)], gap: i64) -> String {
    let places: Vec<TableHit> = all.lines().map(|row| TableHit::new(row, records)).collect();
    let is_near = |hit: &TableHit| places.iter().any(|other| hit.is_before(other, gap) || other.is_before(hit, gap));
    let kept = all.lines().zip(&places).filter(|(_, place)| is_near(place));
    kept.map(|(row, _)| format!("{row}\n")).collect()
}

/// Returns the record, end, pattern, distance and strand of each row.
fn without_starts(rows: &str) -> Vec<Vec<&str>> {
    let columns = |row| -> Vec<&str> { str::split(row, '\t').collect() };
    rows.lines().map(|row| [0, 2, 3, 4, 5].map(|column| columns(row)[column]).to_vec()).collect()
}

fn check_pairs(nigh: &Nigh, rng: &mut Rng, length: usize) {
    let bases: String = (0..length).map(|_| *rng.choice(&['A', 'C', 'G']).unwrap()).collect();
    let (half, other) = bases.split_at(length / 3);
    nigh.write("r.fa", format!(">r\n{half}\n>s\n{other}\n"));
    for (k, first, second) in [(0, "ACCA", "GCAG"), (1, "ACCAG", "CGACA"), (2, "AACCA", "GGGAC")] {
        let all = nigh.run(&format!("-k{k} -e {first} -e {second} r.fa")).text();
        for gap in [0, 3, 20, 1000] {
            let expected = with_partner(&all, &[("r", half), ("s", other)], gap);
            let command = format!("-k{k} -e {first} --near {gap} -e {second} r.fa");
            nigh.prints(&command, &expected);
            // With --within, a row has the start for which the match is nearest to the pattern in length.
            let within = nigh.run(&format!("{command} --within 0..5000")).text();
            assert!(without_starts(&within) == without_starts(&expected), "nigh {command} --within 0..5000");
        }
    }
}

#[test]
fn partners_are_those_of_all_pairs_of_matches() {
    each_way_without_devices(|nigh| check_pairs(nigh, &mut Rng::with_seed(17), 900));
}

#[test]
fn partners_are_found_among_many_hits() {
    once(|nigh| {
        let bases = "ACCAGGCAG".repeat(700);
        nigh.write("r.fa", format!(">r\n{bases}\n"));
        for gap in [0, 2, 40] {
            let all = nigh.run("-k1 -e ACCA -e GCAG r.fa").text();
            let expected = with_partner(&all, &[("r", &bases)], gap);
            nigh.prints(&format!("-k1 -e ACCA --near {gap} -e GCAG r.fa"), &expected);
        }
    });
}

#[test]
fn partners_are_found_across_the_batches_of_a_long_record() {
    once(|nigh| {
        let mut rng = Rng::with_seed(18);
        let bases: String = (0..2_500_000).map(|_| *rng.choice(&['A', 'C', 'G', 'T']).unwrap()).collect();
        nigh.write("r.fa", format!(">r\n{bases}\n>s\n{}\n", &bases[..5000]));
        for (k, gap) in [(0, 5), (1, 50), (0, 3000)] {
            for options in ["-c", "--hits best", "--hits all", "--best=record"] {
                let search = format!("-k{k} {options} -e CACCGTC --near {gap} -e AGCAGT r.fa");
                // With a range that counts from the end, records are not divided into batches.
                let whole = nigh.run(&format!("{search} --within 0..-1")).text();
                assert!(nigh.run(&search).text() == whole && !whole.is_empty(), "nigh {search}");
            }
        }
    });
}

#[test]
fn near_needs_a_pattern_on_either_side() {
    once(|nigh| {
        nigh.write("log", "a\n");
        let place = "--near must be between two patterns, as in '-e A --near 50 -e B'";
        nigh.fails("-k0 --near 5 a log", place);
        nigh.fails("-k0 --near 5 -e a -e b log", place);
        nigh.fails("-k0 -e a -e b --near 5 log", place);
        nigh.fails("-k0 -e a --near 5 -e b --near 5 -e c log", "--near can be given only once");
        nigh.fails("-k0 --best -e a --near 5 -e b log", "--best cannot be used with --near");
        nigh.fails("-k0 -e a --near 5 -e ^$ log", "--near cannot be used with a pattern without symbols");
    });
}
