//! `nigh-align --local --all`: several alignments of a pair.

use std::cmp::Reverse;
use std::ops::Range;

use fastrand::Rng;
use nigh::pairwise::pairs::Pair;
use nigh::pairwise::reference;
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution};
use nigh::pairwise::{Objective, PairAlignment};

use crate::harness::{each_way, once};

/// Scores, and the least score of a row.
struct Wanted {
    objective: Objective,
    min_score: i64,
    has_both_strands: bool,
}

fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let complement = |base: &u8| b"TGCA"[b"ACGT".iter().position(|other| other == base).unwrap()];
    bases.iter().rev().map(complement).collect()
}

/// The definition: adds the alignments of a query in a part of a target, each with the sign of its strand.
fn add_alignments(
    wanted: &Wanted,
    (query, target): (&[u8], &[u8]),
    part: Range<usize>,
    found: &mut Vec<(char, PairAlignment)>,
) {
    let reverse = reverse_complement(query);
    let aligned = |query| reference::align(&wanted.objective, Pair { query, target: &target[part.clone()] });
    let mut best = ('+', aligned(query));
    if wanted.has_both_strands {
        let other = aligned(&reverse);
        if other.value > best.1.value {
            best = ('-', other);
        }
    }
    if best.1.value < wanted.min_score {
        return;
    }
    let range = part.start + best.1.target.start..part.start + best.1.target.end;
    add_alignments(wanted, (query, target), part.start..range.start, found);
    add_alignments(wanted, (query, target), range.end..part.end, found);
    best.1.target = range;
    found.push(best);
}

/// Returns the rows of a pair.
fn rows(wanted: &Wanted, names: [&str; 2], (query, target): (&[u8], &[u8])) -> Vec<String> {
    let mut found = Vec::new();
    add_alignments(wanted, (query, target), 0..target.len(), &mut found);
    found.sort_by_key(|(strand, one)| (Reverse(one.value), *strand, one.target.start));
    let row = |(strand, one): &(char, PairAlignment)| {
        let mut range = one.query.clone();
        if *strand == '-' {
            range = query.len() - range.end..query.len() - range.start;
        }
        let sign = if wanted.has_both_strands { format!("{strand}\t") } else { String::new() };
        let (start, end, cigar) = (one.target.start, one.target.end, &one.cigar);
        format!(
            "{}\t{}\t{}\t{sign}{}\t{}\t{start}\t{end}\t{cigar}",
            names[0], names[1], one.value, range.start, range.end
        )
    };
    found.iter().map(row).collect()
}

fn bases(rng: &mut Rng, lengths: Range<usize>) -> Vec<u8> {
    (0..rng.usize(lengths)).map(|_| b"ACGT"[rng.usize(..4)]).collect()
}

/// Returns a target with copies of the query, some of them changed or on the other strand. Some overlap each other.
fn target_with_copies(rng: &mut Rng, query: &[u8]) -> Vec<u8> {
    let mut target = Vec::new();
    for _ in 0..rng.usize(1..30) {
        let mut copy = if rng.bool() { query.to_vec() } else { reverse_complement(query) };
        for _ in 0..rng.usize(0..3) {
            let at = rng.usize(..copy.len());
            copy[at] = b"ACGT"[rng.usize(..4)];
        }
        if rng.bool() {
            copy.truncate(rng.usize(1..=copy.len()));
        }
        target.extend(copy);
        target.extend(bases(rng, 0..20));
    }
    target
}

#[test]
fn all_alignments_are_those_of_the_parts_of_the_target() {
    let mut rng = Rng::with_seed(21);
    let (mut found, mut several) = (0, 0);
    for case in 0..100 {
        let (equal, different) = (rng.i8(1..4), rng.i8(0..4));
        let gaps = GapCosts { open: rng.i32(0..5), extend: rng.i32(0..4) };
        let (min_score, has_both_strands) = (rng.i64(2..20), rng.bool());
        let scoring = Scoring::new(Substitution::Equality { equal, different: -different }, gaps).unwrap();
        let wanted = Wanted { objective: Objective::Local(scoring), min_score, has_both_strands };
        let queries: Vec<Vec<u8>> = (0..3).map(|_| bases(&mut rng, 1..12)).collect();
        let targets: Vec<Vec<u8>> = queries.iter().map(|query| target_with_copies(&mut rng, query)).collect();
        let fasta = |name: char, records: &[Vec<u8>]| -> String {
            let record =
                |(nth, bases): (usize, &Vec<u8>)| format!(">{name}{nth}\n{}\n", str::from_utf8(bases).unwrap());
            records.iter().enumerate().map(record).collect()
        };
        let strand = if has_both_strands { "both" } else { "forward" };
        let options = format!(
            "--local --all --min-score {min_score} --strand {strand} --match {equal} --mismatch {different} \
             --gap-open {} --gap-extend {}",
            gaps.open, gaps.extend
        );
        let row = |q: usize, t: usize| rows(&wanted, [&format!("q{q}"), &format!("t{t}")], (&queries[q], &targets[t]));
        let of_sets: Vec<String> = (0..3).flat_map(|t| (0..3).flat_map(move |q| row(q, t))).collect();
        let of_pairs: Vec<String> = (0..3).flat_map(|at| row(at, at)).collect();
        once(|nigh| {
            nigh.write("q.fa", fasta('q', &queries)).write("t.fa", fasta('t', &targets));
            for (pairs, expected) in [("", &of_sets), ("--pairs", &of_pairs)] {
                let run = nigh.run(&format!("nigh-align {options} {pairs} q.fa t.fa"));
                let printed: Vec<String> = run.text().lines().map(str::to_owned).collect();
                let difference = printed.iter().zip(expected).find(|(printed, expected)| printed != expected);
                let counts = [printed.len(), expected.len()];
                assert!(&printed == expected, "case {case}: {pairs} {options}: {counts:?} rows, {difference:?}");
            }
        });
        found += of_sets.len();
        several += usize::from(of_pairs.len() > 6);
    }
    assert!(found > 2_000 && several > 20, "{found} rows, several in {several} cases");
}

#[test]
fn all_alignments_have_rows_in_each_format() {
    each_way(|nigh| {
        nigh.write("q.fa", ">q\nGATTACA\n").write("t.fa", ">t\nGATTACATTTGATTACCATTGATACA\n");
        let options = "nigh-align --local --all --min-score 8 --strand forward";
        nigh.prints(
            &format!("{options} --header q.fa t.fa"),
            "query\ttarget\tscore\tquery_start\tquery_end\ttarget_start\ttarget_end\tcigar\n\
             q\tt\t14\t0\t7\t0\t7\t7=\nq\tt\t12\t0\t6\t10\t16\t6=\nq\tt\t8\t3\t7\t22\t26\t4=\n",
        );
        for format in ["paf", "json", "sam", "align"] {
            let run = nigh.run(&format!("{options} --format {format} q.fa t.fa"));
            let is_row = |line: &&str| line.starts_with(['q', '{']) && !line.starts_with("query");
            assert_eq!(run.text().lines().filter(is_row).count(), 3, "{format}: {}", run.text());
        }
        // A table may have characters.
        nigh.write("pairs.tsv", "日本語\t日本語と日本語\n");
        nigh.prints(
            &format!("{options} --min-score 6 --pairs pairs.tsv"),
            "日本語\t日本語と日本語\t6\t0\t3\t0\t3\t3=\n日本語\t日本語と日本語\t6\t0\t3\t4\t7\t3=\n",
        );
    });
}
