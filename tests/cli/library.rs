//! What users of libraries of patterns ask for: counts by pattern, limits on hits, and columns of tables.

use std::collections::BTreeMap;

use crate::harness::{Nigh, each_way, once};

/// Returns random bases.
fn bases(random: &mut fastrand::Rng, length: usize) -> String {
    (0..length).map(|_| char::from(*random.choice(b"ACGT").unwrap())).collect()
}

/// Writes a library `library.tsv` of named patterns of 8 to 11 bases, some of them twice, and two files of records.
/// Returns the patterns.
fn write_library(nigh: &Nigh, random: &mut fastrand::Rng) -> Vec<String> {
    let mut patterns: Vec<String> = (0..12)
        .map(|_| {
            let length = random.usize(8..12);
            bases(random, length)
        })
        .collect();
    patterns.extend_from_within(..2);
    let rows = patterns.iter().enumerate().map(|(index, pattern)| format!("g{index}\t{pattern}\n"));
    nigh.write("library.tsv", rows.collect::<String>());
    for name in ["a.fa", "b.fa"] {
        let mut text = String::new();
        for record in 0..6 {
            let mut residues = String::new();
            for _ in 0..20 {
                residues += &bases(random, 9);
                residues += &patterns[random.usize(0..patterns.len())];
            }
            text += &format!(">r{record}\n{residues}\n");
        }
        nigh.write(name, text);
    }
    patterns
}

/// Returns the table of `--count-patterns`, made from rows: record, start, end, pattern, distance.
fn counted(patterns: &[String], max_distance: usize, rows: &str) -> String {
    let mut counts: BTreeMap<(String, usize), u64> = BTreeMap::new();
    for row in rows.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        *counts.entry((columns[3].to_owned(), columns[4].parse().unwrap())).or_default() += 1;
    }
    let columns = (0..=max_distance).map(|distance| format!("\t{distance}")).collect::<String>();
    let mut table = format!("pattern\tsequence{columns}\ttotal\n");
    for (index, pattern) in patterns.iter().enumerate() {
        let count = |distance| counts.get(&(format!("g{index}"), distance)).copied().unwrap_or(0);
        let numbers: Vec<u64> = (0..=max_distance).map(count).collect();
        let cells = numbers.iter().map(|number| format!("\t{number}")).collect::<String>();
        table += &format!("g{index}\t{pattern}{cells}\t{}\n", numbers.iter().sum::<u64>());
    }
    table
}

#[test]
fn hits_are_counted_by_pattern_and_distance() {
    each_way(|nigh| {
        let patterns = write_library(nigh, &mut fastrand::Rng::with_seed(5));
        for options in ["", "--hits best", "--best=record", "--hits best --best=record", "-m2", "--strand forward"] {
            let rows = nigh.run(&format!("-k2 {options} -f library.tsv a.fa b.fa")).text();
            assert!(rows.lines().count() > 50, "{options}: {rows}");
            nigh.prints(
                &format!("-k2 {options} --count-patterns -f library.tsv a.fa b.fa"),
                &counted(&patterns, 2, &rows),
            );
        }
    });
}

#[test]
fn a_table_of_counts_is_of_all_files_or_of_each() {
    each_way(|nigh| {
        nigh.write("a.fa", ">r\nACGTACGT\n>s\nGGGG\n")
            .write("b.fa", ">r\nACGA\n")
            .write("g.fa", ">x\nACGT\n>y\nTTTT\n");
        let header = "pattern\tsequence\t0\t1\ttotal\n";
        let options = "-k1 --hits best --strand forward --count-patterns -f g.fa";
        nigh.prints(&format!("{options} a.fa b.fa"), &format!("{header}x\tACGT\t2\t1\t3\ny\tTTTT\t0\t0\t0\n"));
        nigh.prints(
            &format!("-H {options} a.fa b.fa"),
            &format!("file\t{header}a.fa\tx\tACGT\t2\t0\t2\na.fa\ty\tTTTT\t0\t0\t0\nb.fa\tx\tACGT\t0\t1\t1\nb.fa\ty\tTTTT\t0\t0\t0\n"),
        );
        nigh.finds_nothing("-k0 --count-patterns CCCCC a.fa", "pattern\tsequence\t0\ttotal\nCCCCC\tCCCCC\t0\t0\n");
        // Both strands add up, and a palindrome is on both.
        nigh.prints("-k0 --count-patterns ACGT a.fa", "pattern\tsequence\t0\ttotal\nACGT\tACGT\t4\t4\n");
    });
}

#[test]
fn counts_in_text_have_no_sequences() {
    each_way(|nigh| {
        nigh.write("a", "deadlock\nno\ndeadlok deadlock\n");
        nigh.prints(
            "-k1 --hits best --count-patterns -e deadlock -e time -e deadlock a",
            "pattern\t0\t1\ttotal\ndeadlock\t2\t1\t3\ntime\t0\t0\t0\ndeadlock\t2\t1\t3\n",
        );
        // The alternatives of a pattern are one pattern, and every end position is a hit.
        nigh.prints("-k1 --count-patterns dea(d|dt)lock a", "pattern\t0\t1\ttotal\ndea(d|dt)lock\t2\t3\t5\n");
        nigh.prints("-k1 --count-patterns --best deadlock a", "pattern\t0\ttotal\ndeadlock\t2\t2\n");
        nigh.fails("--count-patterns -c x a", "cannot be used with");
        nigh.fails("--count-patterns -v x a", "cannot be used with");
        nigh.fails("--count-patterns --stats x a", "cannot be used with");
    });
}

#[test]
fn a_batch_with_more_hits_than_cells_is_counted_in_a_table() {
    once(|nigh| {
        nigh.write("a", "ab".repeat(200_000)).write("a.fa", format!(">r\n{}\n", "AC".repeat(200_000)));
        nigh.prints(
            "-k1 --count-patterns -e abab -e bb a",
            "pattern\t0\t1\ttotal\nabab\t199999\t199999\t399998\nbb\t0\t399999\t399999\n",
        );
        nigh.prints("-k0 --count-patterns ACA a.fa", "pattern\tsequence\t0\ttotal\nACA\tACA\t199999\t199999\n");
    });
}

#[test]
fn the_first_hits_of_each_pattern_are_reported() {
    each_way(|nigh| {
        let patterns = write_library(nigh, &mut fastrand::Rng::with_seed(9));
        for options in ["", "--hits best", "--hits best --format sites", "-m3", "-H"] {
            let options = format!("-k2 {options} -f library.tsv a.fa b.fa");
            let all = nigh.run(&options).text();
            let column = if options.contains("-H") { 4 } else { 3 };
            for max in [1, 20, 10_000] {
                let mut counts = BTreeMap::new();
                let first = all.lines().filter(|row| {
                    let count: &mut u64 = counts.entry(row.split('\t').nth(column).unwrap()).or_default();
                    *count += 1;
                    *count <= max
                });
                let first: Vec<&str> = first.collect();
                let run = nigh.run(&format!("--max-hits {max} {options}"));
                assert_eq!(run.text().lines().collect::<Vec<_>>(), first, "{max} {options}");
                let over = counts.values().filter(|&&count| count > max).count();
                let message = format!("nigh: --max-hits {max} left out hits of {over} pattern");
                assert_eq!(run.stderr.starts_with(&message), over > 0, "{over} over {max}: {}", run.stderr);
                assert_eq!((run.stderr.lines().count(), run.status), (usize::from(over > 0), Some(0)));
            }
        }
        assert!(patterns.len() > 10);
    });
}

#[test]
fn a_table_of_counts_says_which_patterns_have_more_hits() {
    each_way(|nigh| {
        nigh.write("a.fa", ">r\nACGTACGT\n>s\nACGA\n").write("a", "deadlok deadlock deadlock\n");
        let options = "-k1 --hits best --strand forward --count-patterns -e ACGT -e GGGG";
        let header = "pattern\tsequence\t0\t1\ttotal\toverflow\n";
        nigh.prints(
            &format!("{options} --max-hits 3 a.fa"),
            &format!("{header}ACGT\tACGT\t2\t1\t3\tOK\nGGGG\tGGGG\t0\t0\t0\tOK\n"),
        );
        nigh.prints(
            &format!("{options} --max-hits 1 a.fa"),
            &format!("{header}ACGT\tACGT\t1\t0\t1\tOVERFLOW\nGGGG\tGGGG\t0\t0\t0\tOK\n"),
        );
        nigh.prints(
            "-k1 --hits best --count-patterns --max-hits 2 deadlock a",
            "pattern\t0\t1\ttotal\toverflow\ndeadlock\t1\t1\t2\tOVERFLOW\n",
        );
    });
}

#[test]
fn a_limit_on_hits_needs_rows_of_hits() {
    once(|nigh| {
        nigh.write("a.fa", ">r\nACGTACGT\n").write("a", "x y\nx\n");
        nigh.fails("--max-hits 0 x a", "expected a number, 1 or more");
        nigh.fails("--max-hits 1 -k0 x a", "--max-hits needs --ends, --align, --count-patterns or sequences");
        nigh.fails("--max-hits 1 -c x a", "cannot be used with");
        nigh.fails("--max-hits 1 --best=record ACGT a.fa", "--max-hits cannot be used with --best=record");
        nigh.fails("--max-hits 1 --format fasta ACGT a.fa", "cannot be used with --format fasta");
        let message = "nigh: --max-hits 1 left out hits of 1 pattern: x\n";
        let run = nigh.run("-k0 --ends --max-hits 1 x a");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("a\t1\t0\tx\n", message));
        let run = nigh.run("-k0 --strand forward --format sam --max-hits 1 ACGT a.fa");
        assert_eq!(run.text().lines().filter(|line| !line.starts_with('@')).count(), 1);
        assert_eq!(nigh.run("-k0 --strand forward --format paf --max-hits 1 ACGT a.fa").text().lines().count(), 1);
        assert_eq!(nigh.run("-k0 -o --strand forward --max-hits 1 ACGT a.fa").text(), "ACGT\n");
    });
}
