//! Bounds of memory, and sizes.

use std::process::Command;

use crate::harness::{Nigh, Run, finish, once};

#[test]
fn memory_is_divided_into_batches() {
    once(|nigh| {
        let text: String = (0..60_000).map(|number| format!("line {number} with abc\n")).collect();
        nigh.write("t", &text);
        let expected = nigh.run("-k1 -n --engine cpu abd t").stdout;
        assert!(expected.len() > text.len());
        for memory in [
            "--memory 128K",
            "--memory 1M -j4",
            "--memory 200k -j8",
            "--memory=1G",
            "--memory 2000 --batch-size 1000 -j3",
            "--batch-size 1K",
        ] {
            let run = nigh.run(&format!("-k1 -n --engine cpu {memory} abd t"));
            assert!(run.stdout == expected && run.stderr.is_empty(), "{memory}: {}", run.stderr);
        }
        nigh.fails("--memory 100K abc t", "--memory 102400 is too little: two batches of 65536 bytes are needed");
        nigh.fails("--memory 1999 --batch-size 1000 abc t", "--memory 1999 is too little");
        nigh.fails("--memory 1X abc t", "a number of bytes is wanted");
        nigh.fails("--memory 99999999999G abc t", "a number of bytes is wanted");
        nigh.fails("--batch-size 0 abc t", "a batch has 1 byte to 1G");
        nigh.fails("--batch-size 2G abc t", "a batch has 1 byte to 1G");
    });
}

/// Runs a shell command with so many MiB of memory, in which NIGH is the program.
fn run_within(nigh: &Nigh, mebibytes: usize, script: &str) -> Run {
    let program = nigh.command("").get_program().to_str().unwrap().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {}; {script}", mebibytes << 10)]).current_dir(nigh.path());
    // Arenas of the allocator take addresses, which are what is limited.
    shell.env("NIGH", program).env("MALLOC_ARENA_MAX", "1");
    finish(shell, Vec::new())
}

/// Runs a shell command with little memory, in which NIGH is the program.
#[cfg(target_os = "linux")]
fn with_little_memory(nigh: &Nigh, script: &str) -> Run {
    run_within(nigh, 195, script)
}

#[cfg(target_os = "linux")]
#[test]
fn a_binary_file_without_lines_takes_little_memory() {
    once(|nigh| {
        std::fs::File::create(nigh.path().join("sparse")).unwrap().set_len(300 << 20).unwrap();
        for script in
            ["$NIGH -j1 -k1 deadlock sparse", "$NIGH -j2 -k1 deadlock sparse", "$NIGH -j1 -k1 deadlock <sparse"]
        {
            let run = with_little_memory(nigh, script);
            assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("", "", Some(1)), "{script}");
        }
    });
}

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
