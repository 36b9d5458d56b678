//! Limits on memory, and batch sizes.

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
        nigh.fails(
            "--memory 100K abc t",
            "--memory 102400 is too small: two batches of 65536 bytes are needed; use at least 131072",
        );
        nigh.fails("--memory 1999 --batch-size 1000 abc t", "--memory 1999 is too small");
        nigh.fails("--memory 1X abc t", "expected a number of bytes");
        nigh.fails("--memory 99999999999G abc t", "expected a number of bytes");
        nigh.fails("--batch-size 0 abc t", "expected a size from 1 byte to 1G");
        nigh.fails("--batch-size 2G abc t", "expected a size from 1 byte to 1G");
    });
}

/// Runs a shell command with a limit on memory in MiB; `$NIGH` is the program.
pub(crate) fn run_within(nigh: &Nigh, mebibytes: usize, script: &str) -> Run {
    let program = nigh.command("").get_program().to_str().unwrap().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {}; {script}", mebibytes << 10)]).current_dir(nigh.path());
    // The limit is on the address space, of which each arena of the allocator reserves a part.
    shell.env("NIGH", program).env("MALLOC_ARENA_MAX", "1");
    finish(shell, Vec::new())
}

/// Runs a shell command with little memory; `$NIGH` is the program.
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

#[cfg(target_os = "linux")]
#[test]
fn batches_of_a_record_share_its_name() {
    once(|nigh| {
        let bytes = |count: usize, byte: char| format!("head -c {count} /dev/zero | tr '\\0' {byte}");
        let (name, residues) = (bytes(30_000_000, 'n'), bytes(60_000_000, 'A'));
        let make = format!("{{ printf '>'; {name}; echo; {residues}; echo C; }} >s.fa");
        for search in ["-j1 -c -k0 AC s.fa", "-j2 -c -k0 AC s.fa", "-j2 -c -k0 AC --fasta - <s.fa"] {
            let run = with_little_memory(nigh, &format!("{make}; $NIGH {search}"));
            assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("1\n", "", Some(0)), "{search}");
            let run = with_little_memory(nigh, &format!("{make}; $NIGH {search} | wc -c").replace("-c -k0", "-k0"));
            assert!(
                run.text().trim().parse::<usize>().is_ok_and(|bytes| bytes > 30_000_000),
                "{search}: {}",
                run.stderr
            );
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_lack_of_memory_is_one_message() {
    once(|nigh| {
        nigh.write("patterns", (0..200_000).map(|number| format!("user{number:06}.*session\n")).collect::<String>());
        nigh.write("t", "user012345 opened a session\n");
        let run = with_little_memory(nigh, "$NIGH -j1 -c -k0 -f patterns t");
        assert_eq!((run.text().as_str(), run.status), ("", Some(2)), "{}", run.stderr);
        let is_message =
            run.stderr.starts_with("nigh: not enough memory for another ") && run.stderr.lines().count() == 1;
        assert!(is_message, "{}", run.stderr);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_expressions_take_little_memory() {
    once(|nigh| {
        nigh.write("patterns", (0..50_000).map(|number| format!("user{number:06}.*session\n")).collect::<String>());
        nigh.write("t", "user012345 opened a session\n");
        let run = with_little_memory(nigh, "$NIGH -j1 -c -k0 -f patterns t");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("1\n", "", Some(0)));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_line_is_simulated_in_pieces() {
    once(|nigh| {
        let make = "{ printf 'user '; head -c 70000000 /dev/zero | tr '\\0' x; printf timeout; } >t";
        for (search, expected) in [("-c -k1 user.*timeout", "1\n"), ("-c -k1 user.*timzzzzz", "0\n")] {
            let run = run_within(nigh, 195, &format!("{make}; $NIGH -j1 {search} t"));
            assert_eq!((run.text().as_str(), run.stderr.as_str()), (expected, ""), "{search}");
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_takes_little_memory_at_any_expansion() {
    once(|nigh| {
        let make = "head -c 300000000 /dev/zero | gzip -1 >zeros.gz";
        for arguments in ["-j1 -k1 -c deadlock", "-j2 -k0 -c -a deadlock", "-j1 -c ACGTACGT --fasta"] {
            let run = with_little_memory(nigh, &format!("{make}; $NIGH {arguments} zeros.gz"));
            assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("0\n", "", Some(1)), "{arguments}");
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn an_expanded_pattern_file_that_is_too_large_is_refused() {
    once(|nigh| {
        let script = "head -c 300000000 /dev/zero | gzip -1 >zeros.gz; echo a | $NIGH -k0 -c -f zeros.gz";
        let run = run_within(nigh, 1000, script);
        assert!(run.stderr.ends_with("...': it is longer than 4194304 bytes; shorten it\n"), "{}", run.stderr);
        assert!(run.stderr.len() < 5000 && run.status == Some(2));
        let run = with_little_memory(nigh, script);
        assert_eq!(
            (run.stderr.as_str(), run.status),
            ("nigh: zeros.gz: not enough memory to decompress gzip data\n", Some(2))
        );
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_patterns_take_little_memory_each() {
    once(|nigh| {
        let mut random = fastrand::Rng::with_seed(8);
        let mut letters =
            |count: usize| (0..count).map(|_| *random.choice(&['A', 'C', 'G', 'T']).unwrap()).collect::<String>();
        nigh.write("s.fa", format!(">r\n{}\n", letters(60_000)));
        let patterns: Vec<String> = (0..50_000).map(|_| letters(20)).collect();
        nigh.write("guides", patterns.join("\n") + "\n");
        let run = run_within(nigh, 130, "$NIGH --engine cpu -j1 -k0 -f guides s.fa");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("", "", Some(1)));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn equal_patterns_are_searched_once() {
    once(|nigh| {
        nigh.write("log", "a deadlok\nnothing\n").write("words", "deadlock\n".repeat(200_000));
        let run = run_within(nigh, 130, "$NIGH --engine cpu -j1 -n -k1 -f words log");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("1:a deadlok\n", "", Some(0)));
        // Each of them has a row.
        nigh.write("two", "deadlock\ndeadlock\n");
        nigh.prints("-k1 --format=ends -f two log", "log\t9\t1\tdeadlock\nlog\t9\t1\tdeadlock\n");
        nigh.prints("-k1 --count-matches -f two log", "1\n");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_exceeds_memory_is_reported_and_other_inputs_searched() {
    once(|nigh| {
        nigh.write("good", "deadlock\n");
        let make = "(echo deadlock; head -c 200000000 /dev/zero | tr '\\0' a)";
        for (script, label, before) in [
            (format!("{make} | $NIGH -j1 -k0 deadlock - good"), "(standard input)", "(standard input):deadlock\n"),
            // A part that cannot be read completely is not searched.
            (format!("{make} >long; $NIGH -j2 -k0 deadlock long good"), "long", ""),
        ] {
            let run = with_little_memory(nigh, &script);
            let message = format!("nigh: {label}: not enough memory for the line or record at byte 9\n");
            assert_eq!(run.stderr, message);
            assert_eq!((run.text(), run.status), (format!("{before}good:deadlock\n"), Some(2)));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_hits_of_an_expression_take_little_memory() {
    once(|nigh| {
        let line = "from mail.user@host.example.com to other-user@example.com\n";
        nigh.write("mails", line.repeat(60_000));
        let expression = r"[\w.+-]+@[\w-]+\.[\w.-]+";
        for arguments in ["-j1 --cost", "-j1 --format=ends", "-j2 --cost"] {
            let script = format!("$NIGH -k2 {arguments} '{expression}' mails | wc -l");
            let run = run_within(nigh, 130, &script);
            assert_eq!(run.stderr, "", "{arguments}");
            assert!(run.text().trim().parse::<usize>().unwrap() >= 60_000, "{arguments}");
        }
        nigh.write("line", "user failed after timeout ".repeat(500_000));
        let run = run_within(nigh, 130, "$NIGH -j1 -k1 -c 'user.*timeout' line");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("1\n", ""));
    });
}
