//! Statistics: `--stats`, `--format=histogram`, and counts of matches in sequences.

use crate::harness::{Nigh, each_way};

/// Returns the output and the numbers of `--stats`, without seconds.
fn stats(nigh: &Nigh, arguments: &str) -> (String, Vec<u64>) {
    stats_of(nigh, "matched lines", arguments)
}

/// Does the same as `stats`. `kind` is the word for selected items in the output.
fn stats_of(nigh: &Nigh, kind: &str, arguments: &str) -> (String, Vec<u64>) {
    let text = nigh.run(&format!("--stats {arguments}")).text();
    let at = text.rfind("\n\n").map_or(0, |at| at + 1);
    let (output, lines) = text.split_at(if text.starts_with('\n') && at == 0 { 0 } else { at });
    let words: Vec<(&str, &str)> = lines.trim_start().lines().map(|line| line.split_once(' ').unwrap()).collect();
    let names: Vec<&str> = words.iter().map(|(_, name)| *name).collect();
    let expected = [
        "matches",
        kind,
        "files contained matches",
        "files searched",
        "bytes printed",
        "bytes searched",
        "seconds spent searching",
        "seconds",
    ];
    assert_eq!(names, expected, "{text}");
    (output.to_owned(), words[..6].iter().map(|(number, _)| number.parse().unwrap()).collect())
}

#[test]
fn what_was_searched_is_counted() {
    each_way(|nigh| {
        nigh.write("a", "x x\nno\nx\n").write("b", "no\n").write("c.fa", ">r\nACGTACGT\n>s\nGGGG\n");
        assert_eq!(stats(nigh, "-k0 x a b"), ("a:x x\na:x\n".to_owned(), vec![3, 2, 1, 2, 10, 12]));
        assert_eq!(stats(nigh, "-k0 -c x a"), ("2\n".to_owned(), vec![3, 2, 1, 1, 2, 9]));
        assert_eq!(stats(nigh, "-k0 -e x -e no --hits best --format ends a").1[..2], [4, 3]);
        assert_eq!(stats(nigh, "-k0 -q x a b"), (String::new(), vec![3, 2, 1, 2, 0, 12]));
        assert_eq!(stats(nigh, "-k0 -l x a b"), ("a\n".to_owned(), vec![3, 2, 1, 2, 2, 12]));
        assert_eq!(stats(nigh, "-k0 -v x a"), ("no\n".to_owned(), vec![0, 1, 1, 1, 3, 9]));
        let (rows, numbers) = stats_of(nigh, "matched records", "-k0 --strand forward ACGT c.fa");
        assert_eq!((rows.lines().count(), &numbers[..4]), (2, &[2, 1, 1, 1][..]));
        assert_eq!(nigh.run("-k0 --stats zz a").status, Some(1));
        assert_eq!(stats_of(nigh, "matched lines and records", "-k0 -c ACGT c.fa b").1[..4], [4, 1, 1, 2]);
        // Bytes of a batch beyond the last needed line are not counted.
        nigh.write("bin", "x\nx\n\0x\nx\nx\n");
        // A binary line is counted up to the NUL byte, because its end may be unknown.
        assert_eq!(stats(nigh, "-k0 x bin"), ("x\nx\n".to_owned(), vec![3, 3, 1, 1, 4, 5]));
        assert_eq!(stats(nigh, "-k0 -m1 x a"), ("x x\n".to_owned(), vec![2, 1, 1, 1, 4, 4]));
        assert_eq!(stats(nigh, "-k0 -m1 -A1 x a"), ("x x\nno\n".to_owned(), vec![2, 1, 1, 1, 7, 7]));
    });
}

#[test]
fn counts_do_not_depend_on_batches() {
    each_way(|nigh| {
        nigh.write("a", "no\nx x\nno\nx\nno\nx\nx\n".repeat(20))
            .write("bin", "x\nno\nno\nx\nx\0\nno\nx\nno\n".repeat(20));
        assert_eq!(stats(nigh, "-k0 -l -m3 x a"), ("a\n".to_owned(), vec![4, 3, 1, 1, 2, 17]));
        assert_eq!(stats(nigh, "-k0 -c -m3 x a"), ("3\n".to_owned(), vec![4, 3, 1, 1, 2, 17]));
        assert_eq!(stats(nigh, "-k0 -vl -m2 x a"), ("a\n".to_owned(), vec![0, 2, 1, 1, 2, 10]));
        // The selected binary line is counted, and bytes up to its start.
        assert_eq!(stats(nigh, "-k0 -v x bin"), ("no\nno\n".to_owned(), vec![0, 3, 1, 1, 6, 13]));
        // A binary line longer than a batch.
        nigh.write("long", format!("x\nno\0{}no\n", "a".repeat(300_000)));
        assert_eq!(stats(nigh, "-k0 -v x long").1[..4], [0, 1, 1, 1]);
        // With -I, no line from the binary line on is counted.
        nigh.write("late", format!("{}x\nx\0\n{}", "no\n".repeat(12_000), "x\n".repeat(20_000)));
        assert_eq!(stats(nigh, "-k0 -I x late"), ("x\n".to_owned(), vec![1, 1, 1, 1, 2, 36_002]));
        nigh.write("c.fa", format!("{}\n \n\t\n", ">r\nACGTACGT\n \n\n>s\nGGGG \n".repeat(30)));
        let size = nigh.path().join("c.fa").metadata().unwrap().len();
        assert_eq!(stats_of(nigh, "matched records", "-k0 -c ACGT c.fa").1[5], size);
    });
}

#[test]
fn distances_are_counted() {
    each_way(|nigh| {
        nigh.write("a", "deadlock\ndeadlok\nno\ndeadlok deadlock\n").write("b", "dedlok\n");
        nigh.write("c.fa", ">r\nACGTA\n>s\nACCTA\n");
        nigh.prints("-k2 --format=histogram deadlock a b", "0\t2\n1\t1\n2\t1\n");
        nigh.prints("-k2 --format=histogram -H deadlock a b", "a\t0\t2\na\t1\t1\na\t2\t0\nb\t0\t0\nb\t1\t0\nb\t2\t1\n");
        nigh.prints("-k2 --format=histogram -m1 deadlock a b", "0\t1\n1\t0\n2\t1\n");
        nigh.finds_nothing("-k1 --format=histogram abcdef a", "0\t0\n1\t0\n");
        nigh.prints("-k1 --format=histogram --strand forward ACGTA c.fa", "0\t1\n1\t2\n");
        // There is a row for each distance up to K, with any costs and transpositions.
        nigh.write("swap", "abcdefg\nabdcefg\n");
        nigh.prints("-k2 --transpositions --format=histogram abcdefg swap", "0\t1\n1\t1\n2\t0\n");
        nigh.prints("--edits 2i+2d+3s<=4 --format=histogram abcdefg swap", "0\t1\n1\t0\n2\t0\n3\t0\n4\t1\n");
        nigh.fails("-k1 --format=histogram -v x a", "cannot be used with");
    });
}

#[test]
fn a_histogram_has_a_row_for_each_distance_up_to_k() {
    each_way(|nigh| {
        nigh.write("a", "abcdefg\nabcdegf\n");
        nigh.prints("-k2 --format=histogram --transpositions abcdefg a", "0\t1\n1\t1\n2\t0\n");
        nigh.prints("--format=histogram --edits 2i+2d+3s<=4 abcdefg a", "0\t1\n1\t0\n2\t1\n3\t0\n4\t0\n");
    });
}

#[test]
fn hits_in_sequences_are_counted() {
    each_way(|nigh| {
        nigh.write("c.fa", ">r\nACGTACGT\n>s\nGGGG\n>t\nACGT\n");
        nigh.prints("-k0 --count-matches --strand forward ACGT c.fa", "3\n");
        nigh.prints("-k0 --count-matches -H -m1 --strand forward ACGT c.fa", "c.fa:2\n");
        // The count is that of the rows.
        for options in ["", "--hits best", "--hits all", "--best", "-m1"] {
            let rows = nigh.run(&format!("-k1 {options} --strand forward ACGT c.fa")).text().lines().count();
            nigh.prints(&format!("-k1 {options} --count-matches --strand forward ACGT c.fa"), &format!("{rows}\n"));
        }
        nigh.prints("-k1 --count-matches --strand forward ACGT c.fa", "7\n");
        nigh.prints("-k1 --count-matches --hits best --strand forward ACGT c.fa", "3\n");
        nigh.prints("-k0 --count-matches -v --strand forward ACGT c.fa", "1\n");
    });
}
