//! Inputs in which nearly every line or record matches: the memory that they take, and the output of a batch that is
//! reported in parts.

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::harness::{Nigh, once};
use crate::memory::run_within;
use crate::support::random::is_thorough;

#[test]
fn lines_that_all_match_do_not_grow_memory() {
    once(|nigh| {
        let lines = 1_000_000;
        nigh.write("empty", "\n".repeat(lines)).write("short", "xy\n".repeat(lines));
        for (arguments, expected) in [
            ("-k0 -c '^$' empty", lines),
            ("-k0 -c xy short", lines),
            ("-k0 -c -e '^$' -e xy short", lines),
            ("-k0 -m 100000 -n xy short | tail -n 1 | cut -d: -f1", 100_000),
            ("-k0 --vimgrep xy short | wc -l", lines),
            ("-k0 --json xy short | grep -c '\"type\":\"match\"'", lines),
        ] {
            // With --json, memory also holds the edits of each match.
            let mebibytes = if arguments.contains("json") { 250 } else { 150 };
            let run = run_within(nigh, mebibytes, &format!("$NIGH --engine cpu -j4 {arguments}"));
            assert_eq!(run.text().trim(), expected.to_string(), "{arguments}: {}", run.stderr);
        }
    });
}

#[test]
fn records_that_all_match_do_not_grow_memory() {
    once(|nigh| {
        let records = 400_000;
        nigh.write("s.fa", ">\nAC\n".repeat(records));
        for (arguments, expected) in [
            ("-k0 -c AC s.fa", records),
            ("-k0 --strand forward AC s.fa | wc -l", records),
            ("-k0 --strand forward --format paf AC s.fa | cut -f 7 | grep -c 2", records),
            ("-k0 --format fasta AC s.fa | grep -c AC", records),
        ] {
            let run = run_within(nigh, 150, &format!("$NIGH --engine cpu -j4 {arguments}"));
            assert_eq!(run.text().trim(), expected.to_string(), "{arguments}: {}", run.stderr);
        }
    });
}

#[test]
fn parts_of_a_batch_do_not_change_the_output() {
    once(|nigh| {
        // The batch has more lines than are reported at once, and most of them match.
        let line = |number: usize| match number % 7 {
            0 => "\n".to_owned(),
            1 => "y\n".to_owned(),
            _ => format!("x{}\n", number % 10),
        };
        nigh.write("t", (0..200_000).map(line).collect::<String>());
        nigh.write("crlf", (0..200_000).map(line).map(|line| line.replace('\n', "\r\n")).collect::<String>());
        for arguments in [
            "-n x t",
            "-nv x t",
            "-c -e ^$ -e x t",
            "-n ^$ t",
            "-nv ^$ t",
            "-n -C1 y t",
            "-bo x t",
            "--crlf -n ^$ crlf",
            "--crlf -no x[0-4]$ crlf",
            "-z -bn y t",
            "-m 70000 -n x t",
            "--stats x t",
        ] {
            let run = |size| nigh.run(&format!("-k0 --engine cpu -j3 --batch-size {size} {arguments}")).text();
            let without_time = |text: String| text.lines().filter(|line| !line.contains("seconds")).collect::<String>();
            assert!(without_time(run("64M")) == without_time(run("20K")), "{arguments}");
        }
    });
}

/// Number of matches of `x` in the second line of the file that [`write_dense_line`] writes.
const MATCHES: usize = 70_000;

/// Writes a file whose second line has many matches of `x`, between two short lines.
fn write_dense_line(nigh: &Nigh) {
    nigh.write("t", format!("ax\n.{}b\ncx\n", "x.".repeat(MATCHES)));
}

/// Returns the expected output. `show` formats a match in that file from its line, column and offset, all 0-based.
fn of_each_match(show: impl Fn(usize, usize, usize) -> String) -> String {
    let in_second = (0..MATCHES).map(|index| (1, 1 + 2 * index, 4 + 2 * index));
    let last = 3 + 1 + 2 * MATCHES + 1 + 1;
    let all = std::iter::once((0, 1, 1)).chain(in_second).chain([(2, 1, last + 1)]);
    all.map(|(line, column, offset)| show(line, column, offset)).collect()
}

#[test]
fn a_line_of_many_matches_is_printed_as_others_are() {
    once(|nigh| {
        write_dense_line(nigh);
        let prints = |arguments: &str, expected: &str| {
            for way in ["-j1", if is_thorough() { "-j4 --batch-size 5" } else { "-j4 --batch-size 100" }] {
                let run = nigh.run(&format!("-k0 --engine cpu {way} {arguments} x t"));
                assert!(run.text() == expected, "{way} {arguments}: {:.300} instead of {expected:.300}", run.text());
            }
        };
        let matches = |line: usize, column: usize, offset: usize| format!("{}:{}:{offset}:x\n", line + 1, column + 1);
        prints("-no --column -b", &of_each_match(matches));
        prints("-o -m1", "x\n");
        prints(
            "-on -m2",
            &of_each_match(|line, _, _| match line {
                2 => String::new(),
                _ => format!("{}:x\n", line + 1),
            }),
        );
        prints("-oc", "3\n");
        prints("--count-matches", &format!("{}\n", MATCHES + 2));
        prints("--count-matches -m2", &format!("{}\n", MATCHES + 1));
        let red = "\x1b[01;31m\x1b[Kx\x1b[m\x1b[K";
        let dense = format!(".{}b\n", format!("{red}.").repeat(MATCHES));
        prints("--color=always", &format!("a{red}\n{dense}c{red}\n"));
        prints("--color=always -m1 -A1", &format!("a{red}\n.{}b\n", "x.".repeat(MATCHES)));
        let excerpt = |column: usize| match (column, 2 * MATCHES - column) {
            (1 | 3, _) => ".x.x.x.x…",
            (_, 1 | 3) => "….x.x.x.b",
            _ => "….x.x.x.…",
        };
        prints("--column --max-columns 9", "2:ax\n2:.x.x.x.x…\n2:cx\n");
        prints(
            "--vimgrep --max-columns 9",
            &of_each_match(|line, column, _| match line {
                1 => format!("t:2:{}:{}\n", column + 1, excerpt(column)),
                _ => format!("t:{}:{}:{}x\n", line + 1, column + 1, ["a", "", "c"][line]),
            }),
        );
    });
}

#[test]
fn a_line_of_many_matches_keeps_its_context() {
    once(|nigh| {
        let dense = format!("{}\n", "xy".repeat(MATCHES));
        nigh.write("t", format!("1\n2\n3\n{dense}4\n5\n6\n7\n{dense}8\n"));
        let red = "\x1b[01;31m\x1b[Kx\x1b[m\x1b[Ky".repeat(MATCHES);
        let separator = "\x1b[36m\x1b[K--\x1b[m\x1b[K";
        for batch_size in ["64M", "5"] {
            let arguments = format!("-k0 --engine cpu --batch-size {batch_size} --color=always -C1 x t");
            let expected = format!("3\n{red}\n4\n{separator}\n7\n{red}\n8\n");
            assert!(nigh.run(&arguments).text() == expected, "{arguments}");
        }
        let totals = nigh.run("-k0 --stats -o x t").text();
        assert!(totals.contains(&format!("{} matches\n2 matched lines", 2 * MATCHES)), "{:?}", totals.lines().last());
    });
}

#[test]
fn an_object_of_many_matches_is_json() {
    once(|nigh| {
        write_dense_line(nigh);
        let text = nigh.run("-k0 --json x t").text();
        let objects: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), 6);
        let starts: Vec<u64> = objects[2]["data"]["submatches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|submatch| submatch["start"].as_u64().unwrap())
            .collect();
        assert_eq!(starts, (0..MATCHES as u64).map(|index| 1 + 2 * index).collect::<Vec<_>>());
        let stats = &objects[4]["data"]["stats"];
        let printed: usize = text.lines().take(4).map(|line| line.len() + 1).sum();
        assert_eq!(stats["bytes_printed"].as_u64(), Some(printed as u64));
        assert_eq!((stats["matched_lines"].as_u64(), stats["matches"].as_u64()), (Some(3), Some(MATCHES as u64 + 2)));
    });
}

#[test]
fn a_line_of_many_matches_does_not_grow_memory() {
    once(|nigh| {
        let length = 2_000_000;
        nigh.write("a", "a".repeat(length) + "\n");
        for (arguments, expected) in [
            ("-k0 -o a a | wc -l", length),
            ("-k0 -o aaaa a | wc -l", length / 4),
            ("-k1 -o aaaa a | wc -l", length / 4),
            ("-k0 --color=always aaaa a | tr m '\\n' | grep -c aaaa", length / 4),
            ("-k0 --json aaaa a | tr , '\\n' | grep -c start", length / 4),
            ("-k0 --format=align --hits all aaaa a | grep -c distance", length - 3),
            ("-k0 --count-matches a a", length),
            // Each match prints the whole line, so the test does not run to the end.
            ("-k0 --vimgrep a a | head -c 5000000 | tr -cd '\\n' | wc -c", 2),
        ] {
            let run = run_within(nigh, 100, &format!("$NIGH --engine cpu -j4 {arguments}"));
            assert_eq!(run.text().trim(), expected.to_string(), "{arguments}: {}", run.stderr);
        }
    });
}

#[test]
fn hits_near_the_starts_of_lines_take_no_longer_than_others() {
    once(|nigh| {
        // When candidates were verified one by one, this search took 20 s.
        let mut rng = Rng::with_seed(1);
        let mut bases =
            |length: usize| (0..length).map(|_| *rng.choice(&['A', 'C', 'G', 'T']).unwrap()).collect::<String>();
        let pattern = bases(100);
        nigh.write("t", (0..2000).map(|_| bases(200) + "\n").collect::<String>());
        let ends =
            |size| nigh.run(&format!("--engine cpu -j1 --batch-size {size} -k99 --format=ends {pattern} t")).text();
        let since = Instant::now();
        let large = ends("1M");
        assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
        assert!(large == ends("4K"));
    });
}

#[test]
fn many_expressions_are_ready_soon() {
    once(|nigh| {
        // When the strings of each expression were written out before they were counted, this took half a minute.
        nigh.write("patterns", (0..600).map(|n| format!("a{n}[a-z].{{0,1000}}b{n}\n")).collect::<String>());
        nigh.write("t", format!("a7{}b7\na5xb6\n", "x".repeat(1000)));
        let since = Instant::now();
        nigh.prints("-j1 -n -k0 -f patterns t", &format!("1:a7{}b7\n", "x".repeat(1000)));
        assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
    });
}

#[test]
fn long_matches_that_end_in_many_places_are_selected_together() {
    once(|nigh| {
        // When each of the hits was aligned, this took 20 s: most matches are as long as the line.
        let line: String = (0..4000).map(|n| format!("ERROR in {n}ms, no retry; ")).collect();
        nigh.write("t", line + "\n");
        let since = Instant::now();
        let best = nigh.run("--engine cpu -j1 -k2 --format=ends --hits best ERROR.*[0-9]+ms t").text();
        assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
        assert_eq!(best.split('\t').nth(2), Some("0"), "{best}");
        assert_eq!(best, nigh.run("--engine reference -j1 -k0 --format=ends --hits best ERROR.*[0-9]+ms t").text());
    });
}
