//! Options for libraries of patterns: counts by pattern, limits on hits, and columns of tables.

use std::collections::BTreeMap;

use crate::harness::{Nigh, each_way, finish, once};

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

/// Returns the table of `--format=count-patterns`, computed from rows with record, start, end, pattern and distance.
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
                &format!("-k2 {options} --format=count-patterns -f library.tsv a.fa b.fa"),
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
        let options = "-k1 --hits best --strand forward --format=count-patterns -f g.fa";
        nigh.prints(&format!("{options} a.fa b.fa"), &format!("{header}x\tACGT\t2\t1\t3\ny\tTTTT\t0\t0\t0\n"));
        nigh.prints(
            &format!("-H {options} a.fa b.fa"),
            &format!("file\t{header}a.fa\tx\tACGT\t2\t0\t2\na.fa\ty\tTTTT\t0\t0\t0\nb.fa\tx\tACGT\t0\t1\t1\nb.fa\ty\tTTTT\t0\t0\t0\n"),
        );
        nigh.finds_nothing(
            "-k0 --format=count-patterns CCCCC a.fa",
            "pattern\tsequence\t0\ttotal\nCCCCC\tCCCCC\t0\t0\n",
        );
        // Counts are of both strands, and a palindrome matches on both.
        nigh.prints("-k0 --format=count-patterns ACGT a.fa", "pattern\tsequence\t0\ttotal\nACGT\tACGT\t4\t4\n");
    });
}

#[test]
fn counts_in_text_have_no_sequences() {
    each_way(|nigh| {
        nigh.write("a", "deadlock\nno\ndeadlok deadlock\n");
        nigh.prints(
            "-k1 --format=count-patterns -e deadlock -e time -e deadlock a",
            "pattern\t0\t1\ttotal\ndeadlock\t2\t1\t3\ntime\t0\t0\t0\ndeadlock\t2\t1\t3\n",
        );
        // A pattern with alternatives is one pattern. Its overlapping matches count once.
        nigh.prints("-k1 --format=count-patterns dea(d|dt)lock a", "pattern\t0\t1\ttotal\ndea(d|dt)lock\t2\t1\t3\n");
        // With --hits all, each end position counts.
        nigh.prints(
            "-k1 --format=count-patterns --hits all dea(d|dt)lock a",
            "pattern\t0\t1\ttotal\ndea(d|dt)lock\t2\t3\t5\n",
        );
        nigh.prints("-k1 --format=count-patterns --best deadlock a", "pattern\t0\ttotal\ndeadlock\t2\t2\n");
        nigh.fails("--format=count-patterns -v x a", "cannot be used with");
        nigh.fails("--format=count-patterns --stats x a", "cannot be used with");
    });
}

#[test]
fn a_batch_with_more_hits_than_cells_is_counted_in_a_table() {
    once(|nigh| {
        nigh.write("a", "ab".repeat(200_000)).write("a.fa", format!(">r\n{}\n", "AC".repeat(200_000)));
        nigh.prints(
            "-k1 --hits all --format=count-patterns -e abab -e bb a",
            "pattern\t0\t1\ttotal\nabab\t199999\t199999\t399998\nbb\t0\t399999\t399999\n",
        );
        nigh.prints("-k0 --format=count-patterns ACA a.fa", "pattern\tsequence\t0\ttotal\nACA\tACA\t199999\t199999\n");
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
        let options = "-k1 --hits best --strand forward --format=count-patterns -e ACGT -e GGGG";
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
            "-k1 --hits best --format=count-patterns --max-hits 2 deadlock a",
            "pattern\t0\t1\ttotal\toverflow\ndeadlock\t1\t1\t2\tOVERFLOW\n",
        );
    });
}

#[test]
fn a_limit_on_hits_needs_rows_of_hits() {
    once(|nigh| {
        nigh.write("a.fa", ">r\nACGTACGT\n").write("a", "x y\nx\n");
        nigh.fails("--max-hits 0 x a", "expected a number, 1 or more");
        nigh.fails(
            "--max-hits 1 -k0 x a",
            "for text, --max-hits needs --format ends, align, tsv or count-patterns; use one of these, or --fasta if",
        );
        nigh.fails("--max-hits 1 -c x a", "cannot be used with");
        nigh.fails("--max-hits 1 --best=record ACGT a.fa", "--max-hits cannot be used with --best=record");
        nigh.fails("--max-hits 1 --format fasta ACGT a.fa", "cannot be used with --format fasta");
        let message = "nigh: --max-hits 1 left out hits of 1 pattern: x\n";
        let run = nigh.run("-k0 --format=ends --max-hits 1 x a");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("a\t1\t0\tx\n", message));
        let run = nigh.run("-k0 --strand forward --format sam --max-hits 1 ACGT a.fa");
        assert_eq!(run.text().lines().filter(|line| !line.starts_with('@')).count(), 1);
        assert_eq!(nigh.run("-k0 --strand forward --format paf --max-hits 1 ACGT a.fa").text().lines().count(), 1);
        assert_eq!(nigh.run("-k0 -o --strand forward --max-hits 1 ACGT a.fa").text(), "ACGT\n");
    });
}

#[test]
fn columns_are_chosen_and_ordered() {
    each_way(|nigh| {
        nigh.write("s.fa", ">a\ncccctGATTACAGCTTAGGcccc\n>b\nCCCCCCTAAGCTGTAATCTCC\n")
            .write("g.tsv", "one\tGATTACACCTT<NGG>\n");
        let options = "-k1 --hits best --exact-group -f g.tsv s.fa";
        let default = nigh.run(options).text();
        nigh.prints(&format!("--columns record,start,end,pattern,distance,strand,cigar,match {options}"), &default);
        let mut command = nigh.command(&format!("--header {options}"));
        command.args(["--columns", "strand,name,sequence,aligned_pattern,aligned_match,pam"]);
        assert_eq!(
            finish(command, Vec::new()).text(),
            "strand\tname\tsequence\taligned_pattern\taligned_match\tpam\n\
             +\tone\tGATTACACCTT<NGG>\tGATTACACCTTNGG\tGATTACAGCTTAGG\tAGG\n\
             -\tone\tGATTACACCTT<NGG>\tCCNAAGGTGTAATC\tCCTAAGCTGTAATC\tAGG\n",
        );
        nigh.prints("-H --columns end,name -k0 --strand forward GATT s.fa", "s.fa\t9\t.\n");
        nigh.prints("-H --columns end,file -k0 --strand forward GATT s.fa", "9\ts.fa\n");
        // The PAM is known without edits too.
        nigh.prints("--columns pam -k0 --exact-group --strand forward GATTACA<GCT> s.fa", "GCT\n");
    });
}

#[test]
fn columns_that_do_not_exist_or_are_not_printed_are_refused() {
    once(|nigh| {
        nigh.write("s.fa", ">a\nACGT\n").write("t", "x\n");
        nigh.fails(
            "--columns end --format bed ACGT s.fa",
            "--columns cannot be used with --format bed; use --format tsv",
        );
        nigh.fails("--columns end -c ACGT s.fa", "cannot be used with");
        nigh.fails("--columns record x t", "--columns record is for sequences");
    });
}

/// Returns the rows of a table with a distance of at least 1, which is in the column with this index.
fn with_edits(rows: &str, column: usize, separator: char) -> String {
    let has_edits = |row: &&str| row.split(separator).nth(column).unwrap() != "0";
    rows.lines().filter(has_edits).map(|row| format!("{row}\n")).collect()
}

/// Returns lines of random words, some of them misspelt.
fn misspelt_lines(random: &mut fastrand::Rng) -> String {
    let words = ["deadlock", "deadlok", "dealdock", "lock", "deaddlock", "dea", "time", "timeout", "tmeout", "out"];
    let line = |random: &mut fastrand::Rng| {
        let line: Vec<&str> = (0..random.usize(0..7)).map(|_| words[random.usize(0..words.len())]).collect();
        line.join(["", " "][random.usize(0..2)])
    };
    (0..60).map(|_| line(random) + "\n").collect()
}

#[test]
fn lines_with_a_misspelt_match_are_selected() {
    each_way(|nigh| {
        nigh.write("a", misspelt_lines(&mut fastrand::Rng::with_seed(1))).write("b", "deadlock\n");
        let patterns = "-e deadlock -e timeout";
        let all = nigh.run(&format!("-k2 -on --cost {patterns} a")).text();
        let expected = with_edits(&all, 1, ':');
        assert!(expected.lines().count() > 20 && expected.len() < all.len());
        nigh.prints(&format!("-k1..2 -on --cost {patterns} a"), &expected);
        nigh.prints(&format!("--edits 1<=e<=2 -on --cost {patterns} a"), &expected);
        let mut numbers: Vec<&str> = expected.lines().map(|row| row.split(':').next().unwrap()).collect();
        numbers.dedup();
        let numbers_of = |arguments: &str| -> Vec<String> {
            let text = nigh.run(arguments).text();
            text.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect()
        };
        assert_eq!(numbers_of(&format!("-k1..2 -n {patterns} a")), numbers);
        nigh.prints(&format!("-k1..2 -c {patterns} a"), &format!("{}\n", numbers.len()));
        nigh.prints(&format!("-k1..2 --count-matches {patterns} a"), &format!("{}\n", expected.lines().count()));
        nigh.prints(&format!("-k1..2 -l {patterns} a b"), "a\n");
        nigh.prints(&format!("-k1..2 -L {patterns} a b"), "b\n");
        assert_eq!(numbers_of(&format!("-k1..2 -n -m3 {patterns} a")), numbers[..3]);
        let others = numbers_of(&format!("-k1..2 -nv {patterns} a"));
        let expected: Vec<String> =
            (1..=60).map(|line| line.to_string()).filter(|line| !numbers.contains(&&**line)).collect();
        assert_eq!(others, expected);
        assert_eq!(nigh.run(&format!("-k1..2 -q {patterns} b")).status, Some(1));
        assert_eq!(nigh.run(&format!("-k1..2 -q {patterns} a")).status, Some(0));
    });
}

#[test]
fn an_exact_occurrence_is_no_match_with_one_edit() {
    each_way(|nigh| {
        nigh.write("a", "a deadlock\na deadlok\ndeadlok deadlock\n\n").write("e", "x\n");
        nigh.prints("-k1..1 deadlock a", "a deadlok\ndeadlok deadlock\n");
        nigh.prints("-k1..1 --cost deadlock a", "1:a deadlok\n1:deadlok deadlock\n");
        nigh.prints(
            "-k1..2 --color=always -h deadlock a",
            "a \x1b[01;31m\x1b[Kdeadlok\x1b[m\x1b[K\n\x1b[01;31m\x1b[Kdeadlok\x1b[m\x1b[K deadlock\n",
        );
        nigh.prints("-k1..2 --format=histogram deadlock a", "0\t0\n1\t2\n2\t0\n");
        nigh.prints("-k1..2 --format=ends deadlock a", "a\t20\t1\tdeadlock\na\t28\t1\tdeadlock\n");
        nigh.prints("-k1..2 --format=count-patterns deadlock a", "pattern\t0\t1\t2\ttotal\ndeadlock\t0\t2\t0\t2\n");
        nigh.prints("-k1..3 --best deadlock a", "a deadlok\ndeadlok deadlock\n");
        nigh.finds_nothing("-k1..3 --best deadlock e", "");
        // An empty pattern has only matches without edits.
        nigh.prints("-k1..1 -c -e deadlock -e ^$ a", "2\n");
        nigh.fails(
            "-k1..1 --format=ends --hits all deadlock a",
            "--hits all cannot be used with a minimum number of edits",
        );
        nigh.fails("--edits 2<=e,s<=1 deadlock a", "expected conditions");
        nigh.fails("-k3..2 deadlock a", "the minimum number of edits is above the maximum");
    });
}

#[test]
fn records_with_a_match_with_edits_are_selected() {
    each_way(|nigh| {
        write_library(nigh, &mut fastrand::Rng::with_seed(21));
        nigh.write("exact.fa", ">x\nCCCCACGTACGTCCCC\n");
        for options in ["", "--best=record", "--format sites", "-m2"] {
            let all = nigh.run(&format!("-k2 --hits best {options} -f library.tsv a.fa")).text();
            let least = nigh.run(&format!("-k1..2 {options} -f library.tsv a.fa")).text();
            assert!(!least.is_empty() && least.len() < all.len() || options == "--best=record");
            if options.is_empty() {
                assert_eq!(least, with_edits(&all, 4, '\t'));
            }
        }
        nigh.prints("-k1..2 -c -f library.tsv a.fa", "6\n");
        nigh.finds_nothing("-k1..1 -c --strand forward ACGTACGT exact.fa", "0\n");
        nigh.prints("-k1..1 -c --strand forward ACGTAGGT exact.fa", "1\n");
        nigh.prints("-k1..1 -v --strand forward ACGTACGT exact.fa", "x\n");
        nigh.prints("-k1..1 --count-matches --strand forward ACGTAGGT exact.fa", "1\n");
    });
}
