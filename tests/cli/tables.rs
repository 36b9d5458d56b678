//! `--columns` in text: a table with a row for each match of each pattern.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::Value;

use crate::harness::{Nigh, each_way, each_way_without_devices, finish, once};
use crate::support::random::{rounds, seeded};

#[test]
fn lists_are_joined_by_their_similar_lines() {
    each_way(|nigh| {
        nigh.write("a", "kitten\nsmith & sons\n").write("b", "x\nmitten\nsitting\nSmith and sons\n\nkitten\n");
        let join = "-x -F -i -k3 --columns pattern,line\\_number,line,distance -f a b";
        let rows =
            "kitten\t2\tmitten\t1\nkitten\t3\tsitting\t3\nsmith & sons\t4\tSmith and sons\t3\nkitten\t6\tkitten\t0\n";
        let header = "pattern\tline_number\tline\tdistance\n";
        nigh.prints(join, rows);
        nigh.prints(&format!("--format tsv --header {join}"), &format!("{header}{rows}"));
        nigh.prints(&format!("--best {join}"), "kitten\t6\tkitten\t0\n");
        nigh.prints(&format!("-m1 {join}"), "kitten\t2\tmitten\t1\n");
        let first = nigh.run(&format!("--max-hits 1 {join}"));
        assert_eq!(first.text(), "kitten\t2\tmitten\t1\nsmith & sons\t4\tSmith and sons\t3\n");
        let words = "--columns line,pattern -x -e kitten -e mitten b";
        nigh.prints(&format!("-k2 {words}"), "mitten\tkitten\nmitten\tmitten\nkitten\tkitten\nkitten\tmitten\n");
        nigh.prints(&format!("-k2 --best=record {words}"), "mitten\tmitten\nkitten\tkitten\n");
        nigh.finds_nothing("-k0 --header --columns line zebra b", "line\n");
        let stats = nigh.run(&format!("--stats {join}")).text();
        assert!(stats.starts_with(&format!("{rows}\n4 matches\n4 matched lines\n")), "{stats}");
    });
}

#[test]
fn a_row_has_the_place_of_the_match_in_its_line() {
    each_way(|nigh| {
        nigh.write("t", "x\nein süßes Kätzchen\nKatzchen, Kätzchen\n").write("u", "Kätzchen");
        nigh.prints(
            "-w -k1 --columns file,line\\_number,start,end,match,cigar,name,sequence Kätzchen t u",
            "t\t2\t12\t21\tKätzchen\t8=\t.\tKätzchen\nt\t3\t0\t8\tKatzchen\t1=1X6=\t.\tKätzchen\n\
             t\t3\t10\t19\tKätzchen\t8=\t.\tKätzchen\nu\t1\t0\t9\tKätzchen\t8=\t.\tKätzchen\n",
        );
        nigh.prints("-H -k0 --columns line Katz t", "t\tKatzchen, Kätzchen\n");
        nigh.prints("-k0 --columns first,2,0 (?<first>K.)(tz) t", "Kä\ttz\tKätz\nKa\ttz\tKatz\nKä\ttz\tKätz\n");
        let words = "-k0 --columns line\\_number,start,match";
        nigh.write("log", "2026 a\n  at foo\n2026 b\n  at bar\n").write("z", "a\0b\nbar\0");
        nigh.prints(&format!("{words},line --record-start ^2026 ba. log"), "3\t12\tbar\t2026 b   at bar\n");
        nigh.prints(&format!("{words},line --null-data ba. z"), "2\t2\tbar\tb bar\n");
        nigh.write("coloured", "a\x1b[31mba\x1b[mr\n").write("binary", b"\xffb\0\nx\tbar\r\n");
        nigh.prints(&format!("{words},line --ignore-ansi bar coloured"), "1\t1\tbar\tabar\n");
        let run = nigh.run(&format!("{words},line -k0 --crlf .bar$ binary"));
        assert_eq!(run.text(), "2\t1\t bar\tx bar\n");
        let run = nigh.run_with_input("-k0 -H --color=always --columns file,line kit", "kit\n");
        assert!(run.text().ends_with("(standard input)\x1b[m\x1b[K\tkit\n"), "{}", run.text());
    });
}

#[test]
fn columns_of_the_other_kind_of_input_are_refused() {
    once(|nigh| {
        nigh.write("t", "x\n").write("s.fa", ">a\nACGT\n");
        for column in ["record", "strand", "site", "aligned\\_match"] {
            let name = column.replace('\\', "");
            nigh.fails(&format!("--columns {column} x t"), &format!("t: --columns {name} is for sequences, but"));
        }
        nigh.fails("--columns end,line ACGT s.fa", "s.fa: --columns line is for lines of text, but");
        nigh.fails(
            "--format tsv x t",
            "for text, --format tsv needs --columns, as in --columns line_number,pattern,line;",
        );
        nigh.fails(
            "--columns user x t",
            "no such column or group 'user'; the columns are file, start, end, line_number,",
        );
        nigh.fails("--header x t", "for text, --format tsv needs --columns");
        nigh.fails("--columns line -v x t", "--invert-match cannot be used with --columns");
        nigh.fails("--columns line -o x t", "--columns cannot be used with --only-matching; use --format tsv");
        let run = nigh.run("--columns line -A1 x t");
        assert_eq!(run.stderr, "nigh: warning: --after-context has no effect with --format tsv\n");
        nigh.prints("-k0 --strand forward --columns file,start,match -e ACGT s.fa", "s.fa\t0\tACGT\n");
    });
}

/// Returns the rows of a pattern as JSON has them for this pattern alone.
fn rows_of_json(nigh: &Nigh, options: &str, pattern: &str) -> String {
    let mut command = nigh.command(&format!("{options} --json t"));
    command.args(["-e", pattern]);
    let mut rows = String::new();
    for line in finish(command, Vec::new()).text().lines() {
        let object: Value = serde_json::from_str(line).unwrap();
        let data = &object["data"];
        let text = |value: &Value| {
            let text = value["text"].as_str().unwrap();
            text.strip_suffix('\n').unwrap_or(text).replace(['\t', '\n'], " ")
        };
        for one in data["submatches"].as_array().into_iter().flatten() {
            let numbers = [&data["line_number"], &one["start"], &one["end"], &one["cost"]].map(Value::to_string);
            let cells = [text(&one["pattern"]), one["cigar"].as_str().unwrap().to_owned(), text(&one["match"])];
            rows += &format!("{}\t{}\t{}\n", numbers.join("\t"), cells.join("\t"), text(&data["lines"]));
        }
    }
    rows
}

/// Returns a string of a few letters, some of which are not ASCII.
fn word(random: &mut Rng, letters: &[&str]) -> String {
    (0..random.usize(5..9)).map(|_| letters[random.usize(0..letters.len())]).collect()
}

#[test]
fn the_rows_of_each_pattern_are_its_matches_in_json() {
    let mut random = seeded(71);
    for _ in 0..rounds(3) {
        let lines: Vec<String> = (0..60)
            .map(|_| (0..random.usize(0..4)).map(|_| word(&mut random, &["a", "b", "ä", " ", "\t"])).collect())
            .collect();
        let patterns: BTreeSet<String> = (0..8).map(|_| word(&mut random, &["a", "b", "ä"])).collect();
        let list: Vec<&str> = patterns.iter().map(String::as_str).collect();
        each_way_without_devices(|nigh| {
            nigh.write("t", lines.join("\n")).write("p", list.join("\n"));
            for options in ["-k1", "-F -k2 -i", "-k2 -w", "-k3 -x", "-k1..2", "-k1 --record-start ^a"] {
                let columns = "line\\_number,start,end,distance,pattern,cigar,match,line";
                let table = nigh.run(&format!("{options} --columns {columns} -f p t"));
                assert_eq!(table.stderr, "");
                for pattern in &patterns {
                    let is_of_pattern = |row: &&str| row.split('\t').nth(4) == Some(pattern);
                    let rows: String = table.text().split_inclusive('\n').filter(is_of_pattern).collect();
                    assert_eq!(rows, rows_of_json(nigh, options, pattern), "{options} {pattern}");
                }
            }
        });
    }
}

#[test]
fn shards_number_the_lines_of_the_whole_file() {
    each_way_without_devices(|nigh| {
        let lines: Vec<String> =
            (0..300).map(|number| format!("{number} needle {}", "x".repeat(number % 40))).collect();
        nigh.write("t", lines.join("\n"));
        let search = "-k1 --columns line\\_number,line neadle t";
        let parts: String = (1..=3).map(|part| nigh.run(&format!("--shard {part}/3 {search}")).text()).collect();
        let whole = nigh.run(search).text();
        assert_eq!(whole.lines().count(), 300);
        assert_eq!(parts, whole);
    });
}
