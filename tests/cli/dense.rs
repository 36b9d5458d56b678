//! Lines and records that nearly all match: memory, and the parts of a batch that are reported by themselves.

use crate::harness::once;
use crate::memory::run_within;

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
            // Each match of --json holds its edits.
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
fn parts_of_a_batch_show_nowhere() {
    once(|nigh| {
        // More lines in a batch than are reported at once, of which most match.
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
            "--delimiter \\n -bn y t",
            "-m 70000 -n x t",
            "--stats x t",
        ] {
            let run = |size| nigh.run(&format!("-k0 --engine cpu -j3 --batch-size {size} {arguments}")).text();
            let without_time = |text: String| text.lines().filter(|line| !line.contains("seconds")).collect::<String>();
            assert!(without_time(run("64M")) == without_time(run("20K")), "{arguments}");
        }
    });
}
