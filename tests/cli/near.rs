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

/// Returns the rows of `all` that have a partner, by comparing all pairs.
fn with_partner(all: &str, gap: i64) -> String {
    let place = |row: &str| {
        let columns: Vec<&str> = row.split('\t').collect();
        let at = |column: usize| columns[column].parse::<i64>().unwrap();
        (columns[0].to_owned(), columns[3].to_owned(), at(1), at(2))
    };
    let places: Vec<(String, String, i64, i64)> = all.lines().map(place).collect();
    let is_near = |(record, pattern, start, end): &(String, String, i64, i64)| {
        places.iter().any(|(other_record, other, other_start, other_end)| {
            let between = (other_start - end).max(start - other_end);
            other != pattern && other_record == record && (0..=gap).contains(&between)
        })
    };
    let kept = all.lines().zip(&places).filter(|(_, place)| is_near(place));
    kept.map(|(row, _)| format!("{row}\n")).collect()
}

fn check_pairs(nigh: &Nigh, rng: &mut Rng, length: usize) {
    let bases: String = (0..length).map(|_| *rng.choice(&['A', 'C', 'G']).unwrap()).collect();
    let (half, other) = bases.split_at(length / 3);
    nigh.write("r.fa", format!(">r\n{half}\n>s\n{other}\n"));
    for (k, first, second) in [(0, "ACCA", "GCAG"), (1, "ACCAG", "CGACA"), (1, "AACCA", "GGGAC")] {
        let all = nigh.run(&format!("-k{k} -e {first} -e {second} r.fa")).text();
        for gap in [0, 3, 20, 1000] {
            let expected = with_partner(&all, gap);
            nigh.prints(&format!("-k{k} -e {first} --near {gap} -e {second} r.fa"), &expected);
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
        nigh.write("r.fa", format!(">r\n{}\n", "ACCAGGCAG".repeat(700)));
        for gap in [0, 2, 40] {
            let expected = with_partner(&nigh.run("-k1 -e ACCA -e GCAG r.fa").text(), gap);
            nigh.prints(&format!("-k1 -e ACCA --near {gap} -e GCAG r.fa"), &expected);
        }
    });
}

#[test]
fn near_stands_between_two_patterns() {
    once(|nigh| {
        nigh.write("log", "a\n");
        let place = "--near must be between two patterns, as in '-e A --near 50 -e B'";
        nigh.fails("-k0 --near 5 a log", place);
        nigh.fails("-k0 --near 5 -e a -e b log", place);
        nigh.fails("-k0 -e a -e b --near 5 log", place);
        nigh.fails("-k0 -e a --near 5 -e b --near 5 -e c log", "--near can be given only once");
        nigh.fails("-k0 --best -e a --near 5 -e b log", "--best cannot be used with --near");
        nigh.fails("-k0 -e a --near 5 -e ^$ log", "--near needs patterns with symbols");
    });
}
