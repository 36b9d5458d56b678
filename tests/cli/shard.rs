//! `--shard`: parts of the input for several processes.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{Nigh, each_way, finish, once};
use crate::support::random::is_thorough;

/// Returns the numbers of parts into which the tests divide an input.
fn divisions() -> &'static [usize] {
    if is_thorough() { &[1, 2, 3, 7] } else { &[1, 7] }
}

/// Checks that the outputs of all parts, concatenated, equal that of one process. Returns the number of parts with output.
fn check(nigh: &Nigh, arguments: &str) -> usize {
    let whole = nigh.run(arguments).stdout;
    assert!(!whole.is_empty(), "nigh {arguments}");
    let mut printed = 0;
    for &parts in divisions() {
        let runs = (1..=parts).map(|part| {
            let run = nigh.run(&format!("{arguments} --shard {part}/{parts}"));
            // A matching line after a NUL byte is selected but not printed.
            let statuses = if run.stdout.is_empty() { 0..2 } else { 0..1 };
            assert!(run.status.is_some_and(|status| statuses.contains(&status)), "nigh {arguments}: {}", run.stderr);
            run.stdout
        });
        let outputs: Vec<Vec<u8>> = runs.collect();
        printed = outputs.iter().filter(|output| !output.is_empty()).count();
        assert_eq!(String::from_utf8_lossy(&outputs.concat()), String::from_utf8_lossy(&whole), "nigh {arguments}");
    }
    printed
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn parts_of_text_make_up_the_whole() {
    each_way(|nigh| {
        let text: String = (0..40).map(|number| format!("no {number} äbc\nline {number} xabd\n\n")).collect();
        nigh.write("t", &text).write("u", format!("{}abc, no newline", "q abc ".repeat(90))).write("empty", "");
        nigh.write("z.gz", packed(&text)).write("nul", [text.as_bytes(), b"\0\nabc\n"].concat());
        nigh.write("crlf", text.replace('\n', "\r\n"));
        for arguments in ["", "-n", "-b", "-v -n", "-o -b -n", "--vimgrep", "--column --color=always", "--format=ends"]
        {
            check(nigh, &format!("-k1 {arguments} -e abc -e line t empty u"));
        }
        check(nigh, "-k2 -x -n no_3_äbc t");
        check(nigh, "-k0 --format=align --hits all abc t u");
        check(nigh, "-k2 --format=align -e abc -e line t u");
        check(nigh, "-k2 --format=ends --hits best -e abc -e line u t");
        check(nigh, "-k1 -n --crlf abc$ crlf t");
        check(nigh, "-k1 -n abc t z.gz");
        check(nigh, "-k1 -n abc nul");
        check(nigh, "-k1 abc nul t nul u");
        check(nigh, "-k1 -a abc nul t nul u");
    });
}

#[test]
fn parts_of_sequences_make_up_the_whole() {
    each_way(|nigh| {
        let genome = "TTTTACGTAC\nGGGACG\n".repeat(30);
        nigh.write("g.fa", format!(">one the first\n{genome}>two\n>three\nACGTAC\n>four\n{genome}"));
        let reads: String = (0..30).map(|read| format!("@r{read}\nTTACGTACTT\n+\nIIIIIIIIII\n")).collect();
        nigh.write("r.fq", &reads).write("r.fq.gz", packed(&reads));
        for arguments in ["", "--header", "--format bed", "--format json", "-H", "-o --hits all", "--strand reverse"] {
            check(nigh, &format!("-k1 {arguments} ACGTAC g.fa"));
        }
        check(nigh, "-k1 ACGTAC g.fa r.fq r.fq.gz g.fa");
    });
}

/// A row of counts: the fields before the counts, the counts, and the fields after the counts.
type Counted = (Vec<String>, Vec<u64>, Vec<String>);

/// Returns the rows of an output, without headers and times. The first `keys` fields of a row are not counts.
fn counted(output: &[u8], keys: usize) -> Vec<Counted> {
    let text = String::from_utf8_lossy(output);
    let rows = text.lines().filter(|line| !line.contains("\ttotal") && !line.contains("seconds") && !line.is_empty());
    let row = |line: &str| {
        let fields: Vec<String> = line.split(['\t', ':', ' ']).map(str::to_owned).collect();
        let (keys, counts) = fields.split_at(keys);
        let numbers: Vec<u64> = counts.iter().map_while(|field| field.parse().ok()).collect();
        (keys.to_vec(), numbers.clone(), counts[numbers.len()..].to_vec())
    };
    rows.map(row).collect()
}

/// Checks that the counts of all parts add up to those of one process.
fn check_counts(nigh: &Nigh, arguments: &str, keys: usize) {
    let whole = counted(&nigh.run(arguments).stdout, keys);
    assert!(whole.iter().flat_map(|row| &row.1).sum::<u64>() > 0, "nigh {arguments}");
    for &parts in divisions() {
        let mut sums: Vec<Counted> = whole.iter().map(|(a, n, b)| (a.clone(), vec![0; n.len()], b.clone())).collect();
        for part in 1..=parts {
            let run = nigh.run(&format!("{arguments} --shard {part}/{parts}"));
            assert!(run.status.is_some_and(|status| status < 2), "nigh {arguments}: {}", run.stderr);
            let rows = counted(&run.stdout, keys);
            let known = |row: &&Counted| sums.iter().any(|sum| (&sum.0, &sum.2) == (&row.0, &row.2));
            assert_eq!(rows.iter().find(|row| !known(row)), None, "nigh {arguments}");
            for (sum, row) in sums.iter_mut().zip(rows) {
                sum.1.iter_mut().zip(row.1).for_each(|(sum, number)| *sum += number);
            }
        }
        assert_eq!(sums, whole, "nigh {arguments} in {parts} parts");
    }
}

#[test]
fn counts_of_parts_add_up() {
    each_way(|nigh| {
        let text: String = (0..40).map(|number| format!("no {number} äbc\nline {number} xabd\n\n")).collect();
        nigh.write("t", format!("{text}{}\n{text}", "q abc ".repeat(90))).write("z.gz", packed(&text));
        let genome = "TTTTACGTAC\nGGGACG\n".repeat(30);
        nigh.write("g.fa", format!(">one the first\n{genome}>two\n>three\nACGTAC\n>four\n{genome}"));
        let reads: String = (0..30).map(|read| format!("@r{read}\nTTACGTACTT\n+\nIIIIIIIIII\n")).collect();
        nigh.write("r.fq", &reads);
        for arguments in ["-c", "-c -v", "--count-matches", "-c z.gz"] {
            check_counts(nigh, &format!("-k1 -H {arguments} -e abc -e line t"), 1);
        }
        check_counts(nigh, "-k1 --format=histogram -e abc -e line t", 1);
        check_counts(nigh, "-k1 --format=count-patterns -e abc -e line t", 1);
        check_counts(nigh, "-k1 --format=count-patterns --hits all -e abc -e line t", 1);
        check_counts(nigh, "-k1 -c -H ACGTAC g.fa r.fq", 1);
        check_counts(nigh, "-k1 -c -v -H ACGTAC g.fa", 1);
        check_counts(nigh, "-k1 --format=histogram ACGTAC g.fa", 1);
        check_counts(nigh, "-k1 --format=count-patterns -e ACGTAC -e GGGACG g.fa r.fq", 2);
        check_counts(nigh, "-k1 --count-matches --hits all -H ACGTAC g.fa", 1);
    });
}

/// The last words of those totals of --stats that add up over the parts.
const TOTALS: [&str; 4] = ["matches", "lines", "records", "searched"];

/// Checks that the parts print the same numbered lines as one process, also with --stats.
fn check_lines_with_stats(nigh: &Nigh) {
    let lines = |arguments: &str| {
        let output = String::from_utf8(nigh.run(arguments).stdout).unwrap();
        output.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let search = "-k1 -n --batch-size 100 --stats abc t";
    let parts = (1..=3).flat_map(|part| lines(&format!("{search} --shard {part}/3")));
    assert_eq!(parts.collect::<Vec<_>>(), lines(search));
}

#[test]
fn totals_of_parts_add_up() {
    once(|nigh| {
        let text: String = (0..40).map(|number| format!("no {number} abc\nline {number} xabd\n\n")).collect();
        nigh.write("t", &text).write("g.fa", format!(">one\n{}", "TTTTACGTAC\nGGGACG\n".repeat(30)));
        let totals = |output: &[u8]| -> Vec<Counted> {
            let rows = counted(output, 0).into_iter();
            let is_total = |row: &Counted| row.2.last().is_some_and(|word| TOTALS.contains(&word.as_str()));
            rows.filter(|row| is_total(row) && !row.2.contains(&"files".to_owned())).collect()
        };
        for search in ["-c abc t", "-n abc t", "--format=ends abc t", "ACGTAC g.fa", "--format=histogram ACGTAC g.fa"] {
            let arguments = format!("-k1 -j2 --batch-size 100 --stats {search}");
            let whole = totals(&nigh.run(&arguments).stdout);
            let runs: Vec<Vec<u8>> =
                (1..=3).map(|part| nigh.run(&format!("{arguments} --shard {part}/3")).stdout).collect();
            let absent = |word: &str| runs.iter().all(|output| !String::from_utf8_lossy(output).contains(word));
            assert!(absent("files") && absent("printed") && whole.len() == 3, "{search}: {whole:?}");
            for (index, total) in whole.iter().enumerate() {
                let sum: u64 = runs.iter().map(|output| totals(output)[index].1[0]).sum();
                assert_eq!(sum, total.1[0], "{search}: {total:?}");
            }
        }
        check_lines_with_stats(nigh);
    });
}

#[test]
fn parts_are_of_nearly_the_same_length() {
    once(|nigh| {
        let text = "abc\n".repeat(4000);
        nigh.write("a", &text).write("b.gz", packed(&text));
        assert_eq!(check(nigh, "-n -k0 -j2 --batch-size 100 abc a"), 7);
        for part in 1..=4 {
            let run = nigh.run(&format!("-k0 -h --batch-size 100 --shard {part}/4 abc a b.gz"));
            assert!((1950..2050).contains(&run.text().lines().count()), "{}", run.text().lines().count());
        }
        // The processes of the parts may have different numbers of threads and memory limits.
        let (first, second) = (nigh.run("-j1 --shard 1/2 abc a"), nigh.run("-j3 --memory 4M --shard 2/2 abc a"));
        assert_eq!([first.stdout, second.stdout].concat(), text.as_bytes());
    });
}

#[test]
fn files_that_changed_between_two_processes_are_refused() {
    each_way(|nigh| {
        let text = "abc\nxyz\n".repeat(100);
        nigh.write("t", &text).write("z.gz", packed(&text));
        let size = text.len() + packed(&text).len();
        let shard = |part: u32| format!("-k0 --shard {part}/2:{size} abc t z.gz");
        let first = nigh.run(&shard(1));
        assert_eq!((first.stderr.as_str(), first.status), ("", Some(0)));
        let both = [first.stdout, nigh.run(&shard(2)).stdout].concat();
        assert_eq!(both, nigh.run("-k0 abc t z.gz").stdout);
        nigh.write("t", text.repeat(3));
        let grown =
            nigh.fails(&shard(2), &format!("expects {size} bytes of input, but the files now have {}", size + 1600));
        assert!(grown.stdout.is_empty());
    });
}

#[test]
fn inputs_without_a_known_length_are_refused() {
    once(|nigh| {
        nigh.write("t", "abc\n").write("z.gz", &packed(&"abc\n".repeat(1000))[..60]);
        for (file, problem) in [("missing", "No such file"), (".", "Is a directory"), ("z.gz", "corrupt or truncated")]
        {
            let words = format!("{file}: --shard cannot determine the text length: {problem}");
            assert!(nigh.fails(&format!("--shard 1/2 abc t {file}"), &words).stdout.is_empty());
        }
    });
}

#[test]
fn options_and_inputs_without_parts_are_refused() {
    once(|nigh| {
        nigh.write("t", "abc\n").write("s.fa", ">r\nACGT\n");
        for wrong in ["0/2", "3/2", "1/0", "1", "a/b", "1/2/3", "-1/2", "/", "1/2:", "1/2:x", "1:2/3"] {
            nigh.fails(&format!("--shard={wrong} abc t"), "expected I/N or I/N:BYTES, with I from 1 to N");
        }
        nigh.fails("--shard 1/2 --partial -c abc t", "with --shard, counts are those of the part; omit it");
        for whole in ["-l", "-L", "-q", "-m1", "-C1", "-A1", "-B1", "--passthru", "--heading"] {
            nigh.fails(&format!("--shard 1/2 {whole} abc t"), "--shard cannot be used with ");
        }
        for whole in ["--json", "--best"] {
            nigh.fails(&format!("--shard 1/2 {whole} abc t"), "--shard cannot be used with ");
        }
        for whole in ["--format sam", "--format paf", "--format fasta"] {
            nigh.fails(&format!("--shard 1/2 {whole} ACGT s.fa"), "--shard cannot be used with ");
        }
        nigh.fails("--shard 1/2 --hits best ACGT s.fa", "--shard cannot be used where only the best hits are printed");
        nigh.fails("--shard 1/2 -v ACGT s.fa", "--invert-match of sequences");
        let run = finish(nigh.command("--shard 1/2 abc"), b"abc\n".to_vec());
        assert_eq!((run.status, run.stdout.len()), (Some(2), 0));
        assert!(run.stderr.contains("(standard input): not a regular file"), "{}", run.stderr);
    });
}
