//! `--record-start`: records of several lines, such as messages of a log with their stack traces.

use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::process::Stdio;
use std::time::Duration;

use crate::harness::{Nigh, each_way_without_devices, once};

const LOG: &str = "preamble\n\
                   2026-03-14 start\n  at foo\n\
                   2026-03-15 ERROR disk full\n  at bar\n  at baz\n\
                   2026-03-16 fine\n\n\
                   2026-03-17 ERROR again";

#[test]
fn records_are_selected_printed_and_counted_as_a_whole() {
    each_way_without_devices(|nigh| {
        nigh.write("log", LOG);
        let with =
            |options: &str, expected: &str| nigh.prints(&format!("--record-start ^2026 {options} log"), expected);
        with("-k1 bas", "2026-03-15 ERROR disk full\n  at bar\n  at baz\n");
        with("-nv ERROR", "1:preamble\n2:2026-03-14 start\n3:  at foo\n7:2026-03-16 fine\n8:\n");
        with("-c -k0 .", "5\n");
        with("-c -k0 ba[rz]", "1\n");
        with("-cv ERROR", "3\n");
        with("-k0 --count-matches ba[rz]", "2\n");
        with("-k0 -on ba.", "5:bar\n6:baz\n");
        with(
            "-k0 -n -A1 foo",
            "2:2026-03-14 start\n3:  at foo\n4-2026-03-15 ERROR disk full\n5-  at bar\n6-  at baz\n",
        );
        with("-k0 -n -B1 foo", "1-preamble\n2:2026-03-14 start\n3:  at foo\n");
        with("-n -m1 ERROR", "4:2026-03-15 ERROR disk full\n5:  at bar\n6:  at baz\n");
        with("-k0 --replace X ba.", "2026-03-15 ERROR disk full\n  at X\n  at X\n");
        with("-k0 --vimgrep ba.", "log:5:6:  at bar\nlog:6:6:  at baz\n");
        with(
            "-k0 -o --passthru -n ba.",
            "1-preamble\n2-2026-03-14 start\n3-  at foo\n4:2026-03-15 ERROR disk full\n5:bar\n6:baz\n7-2026-03-16 fine\n8-\n9-2026-03-17 ERROR again\n",
        );
        with("-n -k0 ^$", "7:2026-03-16 fine\n8:\n");
        with("-M9 disk", "… disk f…\n  at bar\n  at baz\n");
        let json = nigh.run("--record-start ^2026 -k0 --json ba. log").text();
        let record = r#""lines":{"text":"2026-03-15 ERROR disk full\n  at bar\n  at baz\n"},"line_number":4,"absolute_offset":35,"#;
        assert!(json.contains(record) && json.contains(r#""start":32,"end":35"#), "{json}");
        assert!(json.contains(r#""matched_lines":1,"matches":2"#), "{json}");
        let stats = nigh.run("--record-start ^2026 --stats -c ERROR log").text();
        assert!(stats.contains("\n2 matches\n2 matched records\n"), "{stats}");
    });
    once(|nigh| {
        nigh.write("log", LOG);
        nigh.fails("--record-start ( foo log", "--record-start: ");
        nigh.fails("--record-start ^2 --shard 1/2 -c foo log", "--record-start cannot be used with --shard");
        nigh.write("f.fa", ">a\nACGT\n");
        nigh.fails("--record-start ^2 ACGT f.fa", "--record-start is for lines of text");
    });
}

#[test]
fn the_first_records_with_a_least_number_of_edits_are_reported() {
    each_way_without_devices(|nigh| {
        nigh.write("log", "rer\ner\nxe\nxer\nrb\n");
        let with = |options: &str, expected: &str| {
            nigh.prints(&format!("--record-start x -k1..1 {options} (e|a)[rb]+ log"), expected);
        };
        with("-l", "log\n");
        with("-m1", "rer\ner\n");
        with("-m2 -n", "1:rer\n2:er\n3:xe\n");
        let list = nigh.run("--record-start x -k1..1 -L (e|a)[rb]+ log");
        assert_eq!((list.status, list.text(), list.stderr), (Some(0), String::new(), String::new()));
    });
}

/// A rule for the first lines of records: an expression, and the same as a function.
type StartRule = (&'static str, fn(&str) -> bool);

const STARTS: [StartRule; 6] = [
    ("^[A-Z]", |line| line.starts_with(|first: char| first.is_ascii_uppercase())),
    ("err", |line| line.contains("err")),
    ("^$", str::is_empty),
    ("x$", |line| line.ends_with('x')),
    (".", |line| !line.is_empty()),
    ("never", |_| false),
];

const WORDS: [&str; 10] = ["A ", "Bc", "error", "eror", " at", "x", "", "ä", "timeout", "fine "];

/// Returns the ranges of the records of `lines`: one begins with each line that `starts` holds for.
fn records(lines: &[&str], starts: fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut bounds: Vec<usize> = (0..lines.len()).filter(|&line| line == 0 || starts(lines[line])).collect();
    bounds.push(lines.len());
    bounds.windows(2).map(|bounds| bounds[0]..bounds[1]).collect()
}

/// Returns what is printed with `-n -B BEFORE -A AFTER`.
fn expected(lines: &[&str], records: &[Range<usize>], is_selected: &[bool], [before, after]: [usize; 2]) -> String {
    let (mut text, mut last) = (String::new(), None);
    for (index, record) in records.iter().enumerate() {
        let near = index.saturating_sub(after)..(index + before + 1).min(records.len());
        if !is_selected[near].contains(&true) {
            continue;
        }
        // Like grep, nigh separates groups even if the context is 0 lines.
        if last.is_some_and(|last| last + 1 < index) {
            text += "--\n";
        }
        last = Some(index);
        let mark = if is_selected[index] { ':' } else { '-' };
        for line in record.clone() {
            text += &format!("{}{mark}{}\n", line + 1, lines[line]);
        }
    }
    text
}

/// Searches a random text, and compares with the definition.
fn check(nigh: &Nigh, rng: &mut fastrand::Rng, count: usize) {
    let line = |rng: &mut fastrand::Rng| (0..rng.usize(0..3)).map(|_| *rng.choice(&WORDS).unwrap()).collect::<String>();
    let text: String = (0..count).map(|_| line(rng) + "\n").collect();
    let lines: Vec<&str> = text.lines().collect();
    let (expression, starts) = *rng.choice(&STARTS).unwrap();
    let pattern = *rng.choice(&["error", "timeout", "x", "fine", "at"]).unwrap();
    let is_inverted = rng.bool();
    let records = records(&lines, starts);
    let has_match = |record: &Range<usize>| lines[record.clone()].iter().any(|line| line.contains(pattern));
    let is_selected: Vec<bool> = records.iter().map(|record| has_match(record) != is_inverted).collect();
    let selected = is_selected.iter().filter(|&&is_selected| is_selected).count();
    let context = *rng.choice(&[[0, 0], [1, 0], [0, 1], [2, 1]]).unwrap();
    let printed = expected(&lines, &records, &is_selected, context);
    let files = if selected > 0 { "in\n" } else { "" };
    let matches: Vec<usize> = lines.iter().map(|line| line.matches(pattern).count()).collect();
    let each_match = |line: usize| format!("{}:{pattern}\n", line + 1).repeat(matches[line]);
    let (form, expected) = match rng.u8(0..7) {
        5 if !is_inverted => ("-on".to_owned(), (0..lines.len()).map(each_match).collect()),
        6 if !is_inverted => ("--count-matches".to_owned(), format!("{}\n", matches.iter().sum::<usize>())),
        0 => ("-c --label=in".to_owned(), format!("{selected}\n")),
        1 => ("-l --label=in".to_owned(), files.to_owned()),
        2 => ("-n".to_owned(), expected(&lines, &records, &is_selected, [0, 0]).replace("--\n", "")),
        _ => (format!("-n -B{} -A{}", context[0], context[1]), printed),
    };
    let way = *rng.choice(&["-j1", "-j1 --batch-size 7", "-j4 --batch-size 1", "-j4 --batch-size 50"]).unwrap();
    let invert = if is_inverted { "-v" } else { "" };
    let arguments = format!("{way} --record-start {expression} -k0 {form} {invert} {pattern}");
    nigh.write("in", &text);
    for run in [nigh.run(&format!("{arguments} in")), nigh.run_with_input(&arguments, &text)] {
        assert_eq!(run.text(), expected, "{arguments}: {text:?}");
        assert_eq!((run.status, &*run.stderr), (Some(i32::from(selected == 0)), ""), "{arguments}");
    }
}

#[test]
fn records_are_those_of_the_definition_wherever_they_are_cut() {
    once(|nigh| {
        let mut rng = fastrand::Rng::with_seed(47);
        for count in [0, 1, 5, 30, 200].repeat(30) {
            check(nigh, &mut rng, count);
        }
    });
}

/// Runs nigh on `pieces` of input, with a pause of more than a second after each, and returns what it prints.
fn with_pauses(nigh: &Nigh, arguments: &str, pieces: &[&str]) -> String {
    let mut command = nigh.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for piece in pieces {
        // With -m, nigh may have ended before.
        _ = stdin.write_all(piece.as_bytes());
        std::thread::sleep(Duration::from_millis(1300));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_pause_ends_a_record_only_if_lines_are_flushed() {
    once(|nigh| {
        let pieces = ["A\n err", "or\n", " error\nB\n", "\nC\n"];
        for (options, expected, flushed) in [
            ("-n error", "1:A\n2: error\n3: error\n", "2: error\n3: error\n"),
            ("-nv error", "4:B\n5:\n6:C\n", "1:A\n4:B\n5:\n6:C\n"),
            ("-c error", "1\n", "2\n"),
            ("-cv error", "2\n", "4\n"),
            ("-m1 -n error", "1:A\n2: error\n3: error\n", "2: error\n"),
            ("--count-matches error", "2\n", "2\n"),
            ("--cost -k1..1 eror", "1:A\n1: error\n1: error\n", "1: error\n1: error\n"),
        ] {
            let arguments = format!("-k0 --record-start ^[A-Z] {options}");
            assert_eq!(with_pauses(nigh, &arguments, &pieces), expected, "{options}");
            assert_eq!(with_pauses(nigh, &format!("{arguments} --line-buffered"), &pieces), flushed, "{options}");
        }
    });
}

#[test]
fn a_record_is_printed_when_the_next_one_begins() {
    once(|nigh| {
        let mut command = nigh.command("-k0 --record-start ^[A-Z] -n error");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut stdout = BufReader::new(stdout);
        stdin.write_all(b"A\n error\n more\nB\n").unwrap();
        let mut printed = String::new();
        while printed.len() < "1:A\n2: error\n3: more\n".len() {
            assert!(stdout.read_line(&mut printed).unwrap() > 0);
        }
        stdin.write_all(b" error\n").unwrap();
        drop(stdin);
        stdout.read_to_string(&mut printed).unwrap();
        assert_eq!(printed, "1:A\n2: error\n3: more\n4:B\n5: error\n");
        child.wait().unwrap();
    });
}

#[test]
fn a_record_without_an_end_is_an_error_only_if_it_must_be_whole() {
    once(|nigh| {
        let line = "a line of a record that does not end, with an error\n";
        nigh.write("log", line.repeat(200_000));
        let limit = "--record-start ^NOPE --memory 2M";
        for way in ["-j1", "-j2"] {
            for option in ["-n", "-v"] {
                let run = nigh.run(&format!("{limit} {way} {option} fine log"));
                assert_eq!((run.status, run.text()), (Some(2), String::new()), "{way} {option}");
                let message = "nigh: log: the record at byte 0 has more than 2097152 bytes: no later line in them \
                               matches '^NOPE'; correct this expression, or raise --memory\n";
                assert_eq!(run.stderr, message, "{way} {option}");
            }
            nigh.prints(&format!("{limit} {way} -c error log"), "1\n");
            nigh.prints(&format!("{limit} {way} -l error log"), "log\n");
            nigh.prints(&format!("{limit} {way} -cv fine log"), "1\n");
            nigh.prints(&format!("{limit} {way} --count-matches error log"), "200000\n");
            nigh.prints(&format!("{limit} {way} -o error log"), &"error\n".repeat(200_000));
        }
        nigh.prints("--record-start ^NOPE --memory 16M -c error log", "1\n");
        nigh.prints("--record-start ^NOPE --memory 16M -m1 error log", &line.repeat(200_000));
    });
}
