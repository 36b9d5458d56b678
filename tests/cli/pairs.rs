//! The program `nigh-align`.

use std::collections::HashMap;

use crate::harness::{self, Nigh, Run};

/// `nigh-align` with one way of running it.
struct Align<'a>(&'a Nigh);

const QUERIES: &str = ">q1 first\nACGTACGT\n>q2\nttg\nacc\n";
const TARGETS: &str = ">t1\nACGTTCGT\n>t2\nTTGACC\n>t3\nGGGTTGACCAAA\n";
const TABLE: &str = "kitten\tsitting\nflaw\tlawn\n\tabc\nJäger\tJager\n";

/// Runs a test in every way, in a folder with the files of this module.
fn each_way(test: impl Fn(&Align)) {
    harness::each_way(|nigh| {
        nigh.write("q.fa", QUERIES).write("t.fa", TARGETS).write("pairs.tsv", TABLE);
        test(&Align(nigh));
    });
}

/// Runs a test with the stand-in for the driver, if it can be built; the test chooses the engine.
fn with_standin(test: impl Fn(&Align)) {
    harness::with_standin(|nigh| test(&Align(nigh)));
}

impl Align<'_> {
    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        self.0.write(name, content);
        self
    }

    /// Runs the program with arguments in one string, separated by blanks, and with `input` as standard input.
    fn run_with_input(&self, arguments: &str, input: &str) -> Run {
        self.0.run_with_input(&format!("nigh-align {arguments}"), input)
    }

    /// Runs the program on the stand-in for the driver with these settings. The CPU may take over after a failure.
    fn run_on_standin(&self, settings: &[(&str, &str)], arguments: &str) -> Run {
        self.0.run_on_standin(settings, &format!("nigh-align {arguments}"))
    }

    /// Runs the program, and checks that it prints this output, no message, and ends with the status for this output.
    fn prints(&self, arguments: &str, expected: &str) {
        self.prints_with_input(arguments, "", expected);
    }

    fn prints_with_input(&self, arguments: &str, input: &str, expected: &str) {
        self.0.prints_with_input(&format!("nigh-align {arguments}"), input, expected);
    }

    /// Runs the program, and checks that it prints this output and one message, and ends with status 2.
    fn fails_after(&self, arguments: &str, output: &str, message: &str) {
        let run = self.run_with_input(arguments, "");
        assert_eq!(run.stderr, format!("nigh-align: {message}\n"), "nigh-align {arguments}");
        assert_eq!((run.text().as_str(), run.status), (output, Some(2)), "nigh-align {arguments}");
    }
}

#[test]
fn each_query_is_compared_with_each_target() {
    each_way(|align| {
        align.prints("q.fa t.fa", "q1\tt1\t1\nq2\tt1\t6\nq1\tt2\t5\nq2\tt2\t0\nq1\tt3\t8\nq2\tt3\t6\n");
        align.prints("--distance -k2 q.fa t.fa", "q1\tt1\t1\nq2\tt2\t0\n");
        align.prints("-k0 --header q.fa t.fa", "query\ttarget\tdistance\nq2\tt2\t0\n");
        align.prints("--format=values q.fa t.fa", "1\n6\n5\n0\n8\n6\n");
    });
}

#[test]
fn records_of_two_files_are_pairs() {
    each_way(|align| {
        align.write("two.fa", ">a\nACGTTCGT\n>b\nTTGACC\n").write("reads.fq", "@r\nACGT\n+\nIIII\n@s\nGG\n+\nII\n");
        align.prints("--pairs q.fa two.fa", "q1\ta\t1\nq2\tb\t0\n");
        align.prints("-p --cigar reads.fq two.fa", "r\ta\t4\t0\t4\t0\t8\t1=4D3=\ns\tb\t5\t0\t2\t0\t6\t2D1=2D1X\n");
        align.prints_with_input("--pairs - two.fa", QUERIES, "q1\ta\t1\nq2\tb\t0\n");
        align.prints_with_input("--pairs q.fa -", ">a\nACGTTCGT\n>b\nTTGACC\n", "q1\ta\t1\nq2\tb\t0\n");
    });
}

#[test]
fn files_with_unequal_numbers_of_records_are_an_error() {
    each_way(|align| {
        let rows = "q1\tt1\t1\nq2\tt2\t0\n";
        let more = "t.fa: has more records than q.fa, which has 2; --pairs needs the same number in both";
        align.fails_after("--pairs q.fa t.fa", rows, more);
        let rows = "t1\tq1\t1\nt2\tq2\t0\n";
        align.fails_after("--pairs t.fa q.fa", rows, more);
    });
}

#[test]
fn a_table_holds_a_pair_on_each_line() {
    each_way(|align| {
        let rows = "kitten\tsitting\t3\nflaw\tlawn\t2\n\tabc\t3\nJäger\tJager\t1\n";
        align.prints("--pairs pairs.tsv", rows);
        align.prints_with_input("--pairs -", TABLE, rows);
        align.prints("--pairs --bytes --format=values pairs.tsv", "3\n2\n3\n2\n");
        align.prints_with_input("--pairs -", "id\tabc\tabd\r\nx\ta\ty\tb\n", "id\tid\t1\nx\ty\t1\n");
        align.write("bad.tsv", "a\tb\nab\nc\n1\t2\t3\t4\t5\nd\te");
        let expected = "expected 2 (query, target), 3 (name, query, target) or 4 (name, query, name, target)";
        let message = format!("bad.tsv:2: 1 column, but {expected}; 2 other lines are invalid too");
        align.fails_after("--pairs bad.tsv", "a\tb\t1\nd\te\t1\n", &message);
    });
}

#[test]
fn each_line_of_a_list_is_compared_with_each_of_another() {
    each_way(|align| {
        align.write("n1.txt", "Acme Widgets Ltd\n\nBlue Ocean GmbH\n");
        align.write("n2.txt", "Acme Widget Ltd.\r\nNew Co\r\nBlue Oceon GmbH");
        let rows = "Acme Widgets Ltd\tAcme Widget Ltd.\t2\nBlue Ocean GmbH\tBlue Oceon GmbH\t1\n";
        align.prints("-k3 n1.txt n2.txt", rows);
        align.prints_with_input("-k3 - n2.txt", "Acme Widgets Ltd\nBlue Ocean GmbH\n", rows);
        align.prints_with_input("-k3 n1.txt -", "Acme Widget Ltd.\nBlue Oceon GmbH\n", rows);
        align.prints("--top 1 --header n1.txt n2.txt", &format!("query\ttarget\tdistance\n{rows}"));
        // Case matters, and a symbol is a character.
        align.write("a.txt", "Jäger\n").write("b.txt", "Jager\njäger\nJäger\n");
        align.prints("-k1 a.txt b.txt", "Jäger\tJager\t1\nJäger\tjäger\t1\nJäger\tJäger\t0\n");
        align.prints("--bytes --format=values a.txt b.txt", "2\n1\n0\n");
        align.prints("-k1 --cigar a.txt a.txt", "Jäger\tJäger\t0\t0\t5\t0\t5\t5=\n");
        align.prints(
            "-k0 --format=align --color=never a.txt a.txt",
            "Jäger Jäger distance 0\nquery  0 Jäger 5\n         |||||\ntarget 0 Jäger 5\n\n",
        );
        align.prints(
            "--local --format=paf a.txt a.txt",
            "Jäger\t5\t0\t5\t+\tJäger\t5\t0\t5\t5\t5\t255\tNM:i:0\tAS:i:10\tcg:Z:5=\n",
        );
        // Names in tables, and lines that begin like sequences.
        align.write("n.tsv", "id1\tJäger\nJager\n").write("t.txt", "Jager\n").write("at.txt", "@a\n>b\n");
        align.prints("n.tsv t.txt", "id1\tJager\t1\nJager\tJager\t0\n");
        align.prints("t.txt n.tsv", "Jager\tid1\t1\nJager\tJager\t0\n");
        align.prints("--text -k0 at.txt at.txt", "@a\t@a\t0\n>b\t>b\t0\n");
        align.write("bad.tsv", "a\tb\n1\t2\t3\nc\tb\n1\t2\t3\t4\n");
        align.fails_after("bad.tsv t.txt", "", "bad.tsv:2: 3 columns, but expected 2 (name, string)");
        let message = "bad.tsv:2: 3 columns, but expected 2 (name, string); 1 other line is invalid too";
        align.fails_after("t.txt bad.tsv", "Jager\ta\t5\nJager\tc\t5\n", message);
    });
}

#[test]
fn lists_have_the_values_of_tables() {
    each_way(|align| {
        let mut random = fastrand::Rng::with_seed(41);
        // With three letters of three alphabets in turn, and up to 300 of a large one: few of these share codes.
        let mut string = |most: usize, letters: u32| -> String {
            let first = [0x61, 0xe0, 0x4e00][random.usize(0..3)];
            (0..random.usize(1..most)).filter_map(|_| char::from_u32(first + random.u32(0..letters))).collect()
        };
        let mut list = |count: usize| {
            let mut strings: Vec<String> = (0..count).map(|_| string(12, 3)).collect();
            strings.extend((0..5).map(|_| string(90, 2000)));
            strings.push((0x4e00..0x4e00 + 300).filter_map(char::from_u32).collect());
            strings.push((0x4e00..0x4e00 + 290).filter_map(char::from_u32).collect());
            strings
        };
        let (queries, targets) = (list(20), list(30));
        let pairs = targets.iter().flat_map(|target| queries.iter().map(move |query| format!("{query}\t{target}\n")));
        align.write("table.tsv", pairs.collect::<String>());
        align.write("q.txt", queries.join("\n")).write("t.txt", targets.join("\n"));
        for options in ["", "-k4 --cigar", "--lcs", "--global --cigar", "--local --matrix BLOSUM62 --cigar", "--bytes"]
        {
            let table = align.run_with_input(&format!("--pairs {options} table.tsv"), "");
            assert_eq!(table.stderr, "", "{options}");
            align.prints(&format!("{options} q.txt t.txt"), &table.text());
        }
    });
}

#[test]
fn a_pair_may_have_any_number_of_characters() {
    each_way(|align| {
        let letters =
            |first: u32, count: u32| -> String { (first..first + count).filter_map(char::from_u32).collect() };
        let common = letters(0x4e00, 300);
        align.write("han.tsv", format!("a\tb\nh\t{common}é\t{common}\nc\td\n"));
        align.prints("--pairs --format=values han.tsv", "1\n1\n1\n");
        align.prints("--pairs --format=values --lcs han.tsv", "0\n300\n0\n");
        align.prints("--pairs --format=values -k1 han.tsv", "1\n1\n1\n");
        align.prints("--pairs --format=values --local han.tsv", "600\n");
        align.prints("--pairs --format=values --global han.tsv", "-3\n593\n-3\n");
        align.prints("--pairs --cigar --min-score 9 --lcs han.tsv", "h\th\t300\t0\t301\t0\t300\t300=1I\n");
        // Letters of the matrix have their scores in a string with other characters, too.
        align.prints_with_input(
            "--pairs --format=values --global --matrix BLOSUM62 -",
            "WéW\tWéW\nWW\tWW\n",
            "23\n22\n",
        );
    });
}

#[test]
fn a_pair_that_is_refused_does_not_end_a_table() {
    each_way(|align| {
        align.write("long.tsv", format!("a\ta\n{}\tb\nc\tc\n", "x".repeat(1_100_000)));
        let message = "long.tsv:2: strings of 1100000 and 1 symbols are too long for scores of 32 bits; \
                       compare shorter strings, or use smaller scores";
        if align.0.way[1] != "reference" {
            align.fails_after("--pairs --format=values --global --gap-extend 1000 long.tsv", "2\n2\n", message);
        }
    });
}

#[test]
fn subsequences_and_scores_are_computed() {
    each_way(|align| {
        align.prints("--lcs --format=values q.fa t.fa", "7\n3\n3\n6\n4\n6\n");
        align.prints("--lcs --min-score 7 --cigar q.fa t.fa", "q1\tt1\t7\t0\t8\t0\t8\t3=1D1=1I3=\n");
        align.prints("--global --format=values --pairs q.fa q.fa", "16\n12\n");
        align.prints(
            "--global --match 1 --mismatch 4 --gap-open 0 --gap-extend 1 --format=values q.fa t.fa",
            "5\n-5\n-5\n6\n-8\n0\n",
        );
        align.prints(
            "--local --min-score 12 --cigar q.fa t.fa",
            "q2\tt2\t12\t+\t0\t6\t0\t6\t6=\nq2\tt3\t12\t+\t0\t6\t3\t9\t6=\n",
        );
        align.prints(
            "--local --bits --min-score 11 q.fa t.fa",
            "q1\tt1\t11\t11.2\t+\nq2\tt2\t12\t12.1\t+\nq2\tt3\t12\t12.1\t+\n",
        );
    });
}

#[test]
fn matrices_are_named_or_read_from_a_file() {
    each_way(|align| {
        align.write("a.faa", ">a\nMKWV\n").write("b.faa", ">b\nMRWV\n");
        align.prints("--global --format=values a.faa b.faa", "22\n");
        align.prints("--global --matrix blosum62 --format=values a.faa b.faa", "22\n");
        align.prints("--local --bits a.faa b.faa", "a\tb\t22\t13.1\n");
        align.write("matrix", "# a comment\n   A  C  G  T  *\nA  1 -1 -1 -1 -1\nC -1  1 -1 -1 -1\nG -1 -1  1 -1 -1\nT -1 -1 -1  1 -1\n* -1 -1 -1 -1 -1\n");
        align.prints("--global --matrix matrix --pairs --format=values q.fa q.fa", "8\n6\n");
        let run = align.run_with_input("--global --matrix nothing q.fa t.fa", "");
        let message = "nigh-align: --matrix nothing: No such file or directory; use a file, or one of BLOSUM45,";
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
        align.write("bad", "A C\nA 1\n");
        let message = "bad:2: row 'A' has 1 scores, but there are 2 columns";
        align.fails_after("--global --matrix bad q.fa t.fa", "", message);
    });
}

#[test]
fn the_best_targets_of_each_query_come_first() {
    each_way(|align| {
        align.prints("--top 2 q.fa t.fa", "q1\tt1\t1\nq1\tt2\t5\nq2\tt2\t0\nq2\tt1\t6\n");
        align.prints(
            "--top 1 --local --cigar q.fa t.fa",
            "q1\tt1\t11\t+\t0\t8\t0\t8\t4=1X3=\nq2\tt2\t12\t+\t0\t6\t0\t6\t6=\n",
        );
        align.prints("--top 9 --local --min-score 12 q.fa t.fa", "q2\tt2\t12\t+\nq2\tt3\t12\t+\n");
    });
}

#[test]
fn local_alignments_of_nucleotides_are_on_either_strand() {
    each_way(|align| {
        // The record r is the reverse complement of the symbols 3 to 9 of t3, between two other symbols.
        align.write("r.fa", ">r\nTGGTCAAC\n").write("t3.fa", ">t3\nGGGTTGACCAAA\n");
        align.prints("--local --cigar r.fa t3.fa", "r\tt3\t16\t-\t0\t8\t2\t10\t8=\n");
        align.write("r.fa", ">r\nCGGTCAACT\n");
        align.prints("--local --cigar --header r.fa t3.fa", "query\ttarget\tscore\tstrand\tquery_start\tquery_end\ttarget_start\ttarget_end\tcigar\nr\tt3\t14\t-\t1\t8\t2\t9\t7=\n");
        align.prints("--local --format=values r.fa t3.fa", "14\n");
        align.prints("--local --top 1 r.fa t3.fa", "r\tt3\t14\t-\n");
        align.prints("--local --strand reverse --cigar r.fa t3.fa", "r\tt3\t14\t1\t8\t2\t9\t7=\n");
        align.prints("--local --strand forward --cigar r.fa t3.fa", "r\tt3\t6\t1\t4\t1\t4\t3=\n");
        align.prints(
            "--local --pairs --format paf r.fa t3.fa",
            "r\t9\t1\t8\t-\tt3\t12\t2\t9\t7\t7\t255\tNM:i:0\tAS:i:14\tcg:Z:7=\n",
        );
        align.prints(
            "--local --format json r.fa t3.fa",
            "{\"query\":\"r\",\"target\":\"t3\",\"score\":14,\"strand\":\"-\"}\n",
        );
        align.prints(
            "--local --format=align r.fa t3.fa",
            "r t3 - score 14\nquery  8 GTTGACC 1\n         |||||||\ntarget 2 GTTGACC 9\n\n",
        );
        let run = align.run_with_input("--local --format sam r.fa t3.fa", "");
        let row = "r\t16\tt3\t3\t255\t1S7=1S\t*\t0\t0\tAGTTGACCG\t*\tNM:i:0\tAS:i:14\n";
        assert!(run.text().ends_with(row), "{}", run.text());
        let table = "acgg\tccgt\nACGG\tACGG\nAXG\tACG\n";
        let message = "(standard input):3: the query has symbols that are not nucleotides; use --strand forward";
        let run = align.run_with_input("--pairs --strand both -", table);
        assert_eq!(run.text(), "acgg\tccgt\t0\t-\nACGG\tACGG\t0\t+\n");
        assert_eq!((run.stderr, run.status), (format!("nigh-align: {message}\n"), Some(2)));
        align.prints_with_input("--pairs --strand reverse --format=values -", "ACGG\tACGG\n", "2\n");
    });
}

/// Returns random records as FASTA, and the same with the reverse complements of their sequences.
fn random_records(rng: &mut fastrand::Rng, name: char, count: usize) -> [String; 2] {
    let mut files = [String::new(), String::new()];
    for index in 0..count {
        let sequence: Vec<u8> = (0..rng.usize(1..40)).map(|_| b"ACGT"[rng.usize(..4)]).collect();
        let complement = |base: &u8| b"TGCA"[b"ACGT".iter().position(|other| other == base).unwrap()];
        let reverse = sequence.iter().rev().map(complement).collect();
        for (file, sequence) in files.iter_mut().zip([sequence, reverse]) {
            file.push_str(&format!(">{name}{index}\n{}\n", String::from_utf8(sequence).unwrap()));
        }
    }
    files
}

/// Returns a row of a reverse-complemented query as the row that the original query has on the reverse strand, with
/// positions on the forward strand.
fn turned(row: &str, lengths: &HashMap<String, usize>) -> String {
    let mut fields: Vec<String> = row.split('\t').map(str::to_owned).collect();
    let length = lengths[&fields[0]];
    let [start, end] = [3, 4].map(|field| fields[field].parse::<usize>().unwrap());
    (fields[3], fields[4]) = ((length - end).to_string(), (length - start).to_string());
    fields.join("\t")
}

#[test]
fn a_strand_is_that_of_the_query_reversed_by_hand() {
    each_way(|align| {
        let mut rng = fastrand::Rng::with_seed(12);
        let [queries, reversed] = random_records(&mut rng, 'q', 9);
        let [targets, _] = random_records(&mut rng, 't', 9);
        let lines: Vec<&str> = queries.lines().collect();
        let lengths = lines.chunks(2).map(|record| (record[0][1..].to_owned(), record[1].len())).collect();
        align.write("q.fa", &queries).write("r.fa", reversed).write("t.fa", targets);
        for pairs in ["", "--pairs"] {
            for objective in ["", "--lcs", "--global", "--local --min-score 0"] {
                let rows = |options: &str| -> Vec<String> {
                    let run = align.run_with_input(&format!("{pairs} {objective} --cigar {options} t.fa"), "");
                    assert_eq!(run.stderr, "");
                    run.text().lines().map(str::to_owned).collect()
                };
                let (forward, reverse) = (rows("--strand forward q.fa"), rows("--strand forward r.fa"));
                let reverse: Vec<String> = reverse.iter().map(|row| turned(row, &lengths)).collect();
                assert_eq!(rows("--strand reverse q.fa"), reverse);
                let value = |row: &String| row.split('\t').nth(2).unwrap().parse::<i64>().unwrap();
                let better = forward.iter().zip(&reverse).map(|(forward, reverse)| {
                    let gain = value(reverse) - value(forward);
                    let is_reverse = if objective.is_empty() { gain < 0 } else { gain > 0 };
                    let (row, sign) = if is_reverse { (reverse, '-') } else { (forward, '+') };
                    let fields: Vec<&str> = row.splitn(4, '\t').collect();
                    format!("{}\t{}\t{}\t{sign}\t{}", fields[0], fields[1], fields[2], fields[3])
                });
                let better: Vec<String> = better.collect();
                assert_eq!(rows("--strand both q.fa"), better);
                assert!(better.iter().any(|row| row.contains("\t-\t")) && better.len() >= 9);
            }
        }
    });
}

#[test]
fn amino_acids_are_known_by_their_letters() {
    each_way(|align| {
        align
            .write("p.fa", ">p\nMKWVTFISLLFLFSSAYS\n")
            .write("s.fa", ">s\nmkwvtfisll\n")
            .write("g.fa", ">g\nGATTACA\n");
        for options in ["--local", "--global", "--local --top 1"] {
            let known = align.run_with_input(&format!("{options} --cigar --matrix BLOSUM62 p.fa s.fa"), "").text();
            align.prints(&format!("{options} --cigar p.fa s.fa"), &known);
            let mates = align.run_with_input("--pairs --local p.fa s.fa", "").text();
            assert_eq!(mates, align.run_with_input("--local p.fa s.fa", "").text());
        }
        // A peptide whose letters are also nucleotides is taken for what its targets are.
        align.prints("--global --format=values g.fa g.fa", "14\n");
        align.prints("--local --bits --match 2 --mismatch 3 g.fa g.fa", "g\tg\t14\t13.9\t+\n");
        let peptide = align.run_with_input("--global --format=values g.fa p.fa", "").text();
        assert_eq!(peptide, align.run_with_input("--global --format=values --matrix BLOSUM62 g.fa p.fa", "").text());
    });
}

#[test]
fn rows_have_the_formats_of_other_programs() {
    each_way(|align| {
        align.prints("--format paf -k1 q.fa t.fa", "q1\t8\t0\t8\t+\tt1\t8\t0\t8\t7\t8\t255\tNM:i:1\tcg:Z:4=1X3=\nq2\t6\t0\t6\t+\tt2\t6\t0\t6\t6\t6\t255\tNM:i:0\tcg:Z:6=\n");
        align.prints("--format json -k0 --cigar q.fa t.fa", "{\"query\":\"q2\",\"target\":\"t2\",\"distance\":0,\"query_start\":0,\"query_end\":6,\"target_start\":0,\"target_end\":6,\"cigar\":\"6=\"}\n");
        let run = align.run_with_input("--format sam --local --min-score 4 q.fa t.fa", "");
        let rows: Vec<String> = run.text().lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect();
        assert!(run.text().starts_with(
            "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:t1\tLN:8\n@SQ\tSN:t2\tLN:6\n@SQ\tSN:t3\tLN:12\n@PG\tID:nigh-align\t"
        ));
        assert_eq!(rows[0], "q1\t0\tt1\t1\t255\t4=1X3=\t*\t0\t0\tACGTACGT\t*\tNM:i:1\tAS:i:11");
        assert_eq!(rows[1], "q2\t256\tt1\t1\t255\t3S2=1S\t*\t0\t0\tTTGACC\t*\tNM:i:0\tAS:i:4");
        assert_eq!(rows[3], "q2\t0\tt2\t1\t255\t6=\t*\t0\t0\tTTGACC\t*\tNM:i:0\tAS:i:12");
    });
}

#[test]
fn a_query_whose_name_is_too_long_for_sam_is_an_error() {
    each_way(|align| {
        let name = "q".repeat(255);
        align.write("long.fa", format!(">{name}\nACGT\n>{}\nACGT\n", &name[1..]));
        let message = format!(
            "the name of read '{}...' has 255 characters, but SAM allows at most 254; use a shorter name, or --format tsv",
            &name[..40]
        );
        align.fails_after("--format sam --local long.fa t.fa", "", &message);
        align.prints("--pairs --local long.fa long.fa", &format!("{name}\t{name}\t8\t+\n{0}\t{0}\t8\t+\n", &name[1..]));
    });
}

#[test]
fn alignments_are_shown_for_people() {
    each_way(|align| {
        align.prints("--format=align -k1 --pairs q.fa q.fa --color=never", "q1 q1 distance 0\nquery  0 ACGTACGT 8\n         ||||||||\ntarget 0 ACGTACGT 8\n\nq2 q2 distance 0\nquery  0 TTGACC 6\n         ||||||\ntarget 0 TTGACC 6\n\n");
        let run = align.run_with_input("--format=align --pairs pairs.tsv", "");
        assert!(run.text().contains("query  0 Jäger 5\n         | |||\ntarget 0 Jager 5\n"), "{}", run.text());
    });
}

/// Wrong arguments, with their messages.
const WRONG_ARGUMENTS: &[(&str, &str)] = &[
    ("", "no input given; usage: nigh-align [OPTIONS] QUERY TARGET (for help: nigh-align -h)"),
    ("q.fa", "no input given; usage: nigh-align [OPTIONS] QUERY TARGET (for help: nigh-align -h)"),
    ("q.fa none.fa", "none.fa: No such file or directory"),
    ("none.fa t.fa", "none.fa: No such file or directory"),
    ("- -", "QUERY and TARGET cannot both be standard input"),
    ("--match 2 q.fa t.fa", "--match needs --global or --local"),
    ("--lcs --global q.fa t.fa", "--lcs cannot be used with --global"),
    ("--lcs -k1 q.fa t.fa", "--lcs cannot be used with --max-distance"),
    (
        "--format sam --pairs pairs.tsv",
        "--format sam needs the targets in a FASTA or FASTQ file; use --format paf for text",
    ),
    ("--format paf --header q.fa t.fa", "--header needs --format tsv"),
    (
        "--local --matrix PAM30 --bits q.fa t.fa",
        "--bits needs --matrix BLOSUM62, or --match 2 and --mismatch 3; omit --bits for other scores",
    ),
    ("--min-score 3 q.fa t.fa", "--min-score needs --lcs, --global or --local; use -k for distances"),
    ("--all --global --min-score 9 q.fa t.fa", "--all needs --local"),
    (
        "--all --local --min-score 0 q.fa t.fa",
        "--all needs --min-score, 1 or more: any two sequences have many alignments with a low score",
    ),
    ("--local --all --min-score 9 --format values q.fa t.fa", "--all cannot be used with --format values"),
    ("--bits --global q.fa t.fa", "--bits needs --local"),
    ("--bits q.fa t.fa", "--bits needs --local"),
    ("--bits --local --format paf q.fa t.fa", "--bits needs --format tsv, json or align"),
    (
        "--cigar --format sam q.fa t.fa",
        "--cigar needs --format tsv or json; other formats always or never have a CIGAR",
    ),
    (
        "--format=align --cigar q.fa t.fa",
        "--cigar needs --format tsv or json; other formats always or never have a CIGAR",
    ),
    ("--align q.fa t.fa", "unrecognized option '--align'; use --format align"),
    (
        "--bytes q.fa t.fa",
        "--bytes needs lists of lines, or a table of pairs: --pairs with one file; in FASTA and FASTQ, a symbol is a byte",
    ),
    (
        "--bytes --pairs q.fa t.fa",
        "--bytes needs lists of lines, or a table of pairs: --pairs with one file; in FASTA and FASTQ, a symbol is a byte",
    ),
    ("--text --pairs pairs.tsv", "--text needs QUERY and TARGET; a table of pairs is always text"),
    (
        "--format sam list.txt list.txt",
        "--format sam needs the targets in a FASTA or FASTQ file; use --format paf for text",
    ),
    (
        "--strand both list.txt list.txt",
        "--strand needs FASTA or FASTQ files, or a table of pairs: --pairs with one file",
    ),
    (
        "--strand both proteins.fa proteins.fa",
        "--strand is for nucleotides, but the sequences are amino acids; omit --strand",
    ),
    ("list.txt t.fa", "list.txt holds lines of text, but t.fa holds sequences; use --text to compare lines of both"),
    ("q.fa pairs.tsv", "q.fa holds sequences, but pairs.tsv holds lines of text; use --text to compare lines of both"),
    ("empty list.txt", "empty: no lines"),
    ("empty t.fa", "empty: no FASTA or FASTQ records"),
    (
        "--pairs pairs.tsv t.fa",
        "pairs.tsv holds lines of text; to compare the first line of each file and so on, use 'paste QUERY TARGET | nigh-align --pairs -'",
    ),
    ("--gap-extent 1 q.fa t.fa", "unrecognized option '--gap-extent'; did you mean '--gap-extend'?"),
];

#[test]
fn wrong_arguments_are_one_clear_line() {
    each_way(|align| {
        align
            .write("proteins.fa", ">p\nMKWVTFISLLLLFSSAYSRGVFRRDTHKSE\n")
            .write("list.txt", "a\n")
            .write("empty", "\n");
        for (arguments, message) in WRONG_ARGUMENTS {
            align.fails_after(arguments, "", message);
        }
    });
}

#[test]
fn progress_counts_pairs() {
    each_way(|align| {
        let run = align.run_with_input("--progress q.fa t.fa", "");
        assert!(run.stderr.is_empty() || run.stderr.contains(" pairs"), "{}", run.stderr);
        assert_eq!(run.status, Some(0));
    });
}

#[test]
fn the_processor_continues_after_a_device_fails() {
    with_standin(|align| {
        let letters = |seed: usize| -> String {
            (0..100).map(|at| char::from(b"ACGT"[(seed * at + seed / 5 + at * at / 7) % 4])).collect()
        };
        let table: String = (0..9000).map(|line| format!("{}\t{}\n", letters(line), letters(3 * line + 1))).collect();
        align.write("large.tsv", table);
        let expected = align.run_on_standin(&[], "--engine cpu --pairs large.tsv");
        for failure in ["launch=1", "launch=2", "copy=5", "alloc=3", "pinned=2"] {
            let run = align.run_on_standin(&[("NIGH_STANDIN_FAIL", failure)], "--engine cuda -j1 --pairs large.tsv");
            assert_eq!((run.text(), run.status), (expected.text(), Some(0)), "{failure}");
            assert!(run.stderr.starts_with("nigh-align: CUDA error while "), "{failure}: {}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "{failure}: {}", run.stderr);
        }
        let run = align.run_on_standin(&[], "--engine cuda -j1 --pairs large.tsv");
        assert_eq!((run.text(), run.stderr.as_str(), run.status), (expected.text(), "", Some(0)));
    });
}

#[test]
fn similar_long_strings_need_no_device() {
    with_standin(|align| {
        let mut rng = fastrand::Rng::with_seed(5);
        let long: String = (0..600_000).map(|_| char::from(b"ACGT"[rng.usize(..4)])).collect();
        let similar = format!("AC{}T{}GG{}", &long[..100_000], &long[100_003..400_000], &long[400_000..]);
        align.write("q.fa", format!(">q\n{long}\n")).write("t.fa", format!(">t\n{similar}\n"));
        let of = |engine: &str| {
            align.run_on_standin(&[], &format!("--engine {engine} -j1 --debug --format=values q.fa t.fa"))
        };
        let expected = of("cpu").text();
        assert!((1..=7).contains(&expected.trim().parse::<i32>().unwrap()), "{expected}");
        let run = of("cuda");
        assert_eq!(run.text(), expected);
        assert!(run.stderr.contains("device 0: not needed"), "{}", run.stderr);
        let run = of("auto");
        assert_eq!(run.text(), expected);
        assert!(!run.stderr.contains("device"), "{}", run.stderr);
    });
}

#[test]
fn devices_are_chosen_by_number() {
    with_standin(|align| {
        align.write("q.fa", QUERIES).write("t.fa", TARGETS);
        let two = [("NIGH_STANDIN_DEVICES", "2")];
        let run = align.run_on_standin(&two, "--engine cuda --device all --debug --format=values q.fa t.fa");
        assert_eq!((run.text().as_str(), run.status), ("1\n6\n5\n0\n8\n6\n", Some(0)));
        assert!(run.stderr.contains("device 0: ") && run.stderr.contains("device 1: "), "{}", run.stderr);
        let run = align.run_on_standin(&two, "--engine cuda --device 2 q.fa t.fa");
        assert!(run.stderr.contains("CUDA device 2 not found"), "{}", run.stderr);
        assert_eq!((run.text().as_str(), run.status), ("", Some(2)));
        let run = align.run_on_standin(&two, "--engine cpu --device 1 q.fa t.fa");
        assert_eq!(run.stderr, "nigh-align: --device needs --engine cuda or auto\n");
    });
}
