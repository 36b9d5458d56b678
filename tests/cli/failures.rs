//! Failing system calls: either the output is complete, or nigh ends with a message and status 2.
//!
//! `NIGH_FAULTS=all` fails every call of every kind, instead of a sample, and takes half a minute.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Nigh, Run, finish, once, shipped};
use crate::support::faults::{self, EIO, EMFILE, ENOMEM, ENOSPC, Fault, Lasts};

/// Time limit for a run. A run reaches it only if the program hangs or the computer is busy.
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// Runs a test in a folder of its own, if the library that makes calls fail can be built.
fn with_faults(test: impl Fn(&Nigh, &Path)) {
    if let Some(library) = faults::library() {
        once(|nigh| test(nigh, library));
    }
}

fn run_with(nigh: &Nigh, library: &Path, fault: Fault, arguments: &str, input: &[u8]) -> Run {
    let mut command = nigh.command(arguments);
    fault.put_into(&mut command, library);
    finish(command, input.to_vec())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Returns lines of a log; every third line matches `deadlock` with one edit.
fn log(lines: usize) -> String {
    let line = |number: usize| match number % 3 {
        0 => format!("{number} found a deadlok in the cache\n"),
        1 => format!("{number} connection refused by upstream\n"),
        _ => format!("{number} all is well, retrying soon\n"),
    };
    (0..lines).map(line).collect()
}

#[test]
fn failures_of_the_first_pass_of_best_are_reported() {
    with_faults(|nigh, library| {
        nigh.write("log", log(2000)).write("other", "a dedlokk\n");
        let arguments = "--best -c -j2 -k2 --batch-size 8K deadlock log other";
        assert_eq!(nigh.run(arguments).text(), "log:667\nother:0\n");
        let mut failures = 0;
        for at in 1..=60 {
            let run = run_with(nigh, library, Fault::new("pread", at), arguments, b"");
            if run.status == Some(0) {
                assert_eq!(run.text(), "log:667\nother:0\n", "pread {at}");
                continue;
            }
            failures += 1;
            assert_eq!((run.stderr.as_str(), run.status), ("nigh: log: Input/output error\n", Some(2)), "pread {at}");
            // The second pass counts the lines before the failure, as a search without --best does.
            let is_left_out = run.text() == "other:1\n";
            assert!(is_left_out || run.text().ends_with("\nother:0\n"), "pread {at}: {}", run.text());
        }
        assert!(failures > 10, "a failure must have occurred in both searches");
    });
}

#[test]
fn a_line_cut_by_a_read_error_is_not_printed_as_whole() {
    with_faults(|nigh, library| {
        let text = log(20_000);
        nigh.write("log", &text).write("log.gz", gzip(&text)).write("next", "0 found\n");
        let mut cut = 0;
        for (input, options) in
            [("log.gz", "-j1"), ("log.gz", "-j4"), ("log.gz", "--memory 4M"), ("log", "-j1 --batch-size 9K")]
        {
            for at in 2..=8 {
                let fault = Fault { least_size: 5000, ..Fault::new("read", at) };
                let arguments = format!("-h -k0 {options} -e found -e refused -e well {input} next");
                let run = run_with(nigh, library, fault, &arguments, b"");
                if run.status == Some(0) {
                    continue;
                }
                assert_eq!(run.stderr, format!("nigh: {input}: Input/output error\n"));
                let printed = run.text().strip_suffix("0 found\n").map(str::to_owned).unwrap();
                let last = printed.trim_end().rsplit('\n').next().unwrap().to_owned();
                let is_whole = text.lines().any(|line| line == last);
                assert!(text.starts_with(printed.trim_end()), "{options} {input}: {last}");
                // `$` does not match at the place where the failure cuts the line.
                let ends = run_with(nigh, library, fault, &format!("-h -k0 {options} -n [a-z]$ {input}"), b"");
                assert!(
                    ends.text().lines().all(|line| text.lines().any(|whole| line.ends_with(whole))),
                    "{}",
                    ends.text()
                );
                // A match is printed once no better match can follow in the rest of the line.
                let matches = format!("-h -k2 -o --engine cpu -e refused -e retrying {options} {input}");
                let printed = run_with(nigh, library, fault, &matches, b"").text();
                assert!(nigh.run(&matches).text().starts_with(&printed), "{options} {input}, read {at}: {printed}");
                let alone = run_with(
                    nigh,
                    library,
                    fault,
                    &format!("-h -k0 {options} -e found -e refused -e well {input}"),
                    b"",
                );
                assert_eq!(alone.text().ends_with('\n'), is_whole, "{options} {input}, read {at}: {last}");
                cut += usize::from(!is_whole);
            }
        }
        assert!(cut > 0, "no failure cut a line before its end");
    });
}

#[test]
fn a_stream_that_cannot_be_copied_is_not_searched() {
    with_faults(|nigh, library| {
        let text = log(3000);
        let full = Fault { error: ENOSPC, ..Fault::new("write", 2) };
        let run = run_with(nigh, library, full, "--best -c deadlock", text.as_bytes());
        assert_eq!(run.stderr, "nigh: temporary file: No space left on device\n");
        assert_eq!((run.text().as_str(), run.status), ("", Some(2)));
        // A failure to read the input is not reported as a failure of the temporary file.
        nigh.write("t", "deadlock\n");
        let unreadable = Fault { least_size: 60_000, ..Fault::new("read", 2) };
        let run = run_with(nigh, library, unreadable, "--best -c deadlock - t", text.as_bytes());
        assert_eq!(run.stderr, "nigh: (standard input): Input/output error\n");
        assert_eq!((run.text().as_str(), run.status), ("t:1\n", Some(2)));
    });
}

#[test]
fn parts_of_files_that_cannot_be_measured_are_refused() {
    with_faults(|nigh, library| {
        nigh.write("log", log(2000));
        let arguments = "-k1 --batch-size 8K --shard 2/3 deadlock log";
        let whole = nigh.run(arguments).text();
        for call in ["open", "stat", "pread"] {
            let mut refused = 0;
            for at in 1.. {
                let run = run_with(nigh, library, Fault::new(call, at), arguments, b"");
                if run.status == Some(0) && at > 20 {
                    break;
                }
                assert!(whole.starts_with(&run.text()), "{call} {at}");
                assert!(run.text() == whole || run.status == Some(2), "{call} {at}: {}", run.stderr);
                refused += u32::from(run.stderr.contains("--shard cannot determine the text length"));
            }
            assert!(refused > 0, "no failing {call} made nigh refuse to divide the file");
        }
    });
}

#[test]
fn a_search_continues_with_the_threads_that_start() {
    with_faults(|nigh, library| {
        nigh.write("log", log(2000)).write("log.gz", bgzf(&log(2000)));
        std::fs::create_dir(nigh.path().join("small")).unwrap();
        for number in 10..40 {
            nigh.write(&format!("small/{number}"), log(number));
        }
        nigh.write("g.fa", std::fs::read(shipped("lambda.fa")).unwrap());
        for arguments in [
            "-k1 -n -j4 --batch-size 4K deadlock log",
            "-k1 -n -j4 --batch-size 4K deadlock log.gz log",
            "-k3 -j4 --batch-size 2K --hits best GGGCGGCGACCTCGCGGGTT g.fa",
            "-k2 -j3 --best deadlock log",
            "-k1 -n -j3 -r deadlock small",
        ] {
            let whole = nigh.run(arguments).text();
            assert!(!whole.is_empty());
            for lasts in [Lasts::Once, Lasts::FromThenOn] {
                for at in 1..=12 {
                    let run = run_with(nigh, library, Fault { lasts, ..Fault::new("thread", at) }, arguments, b"");
                    assert_eq!((run.stderr.as_str(), run.status), ("", Some(0)), "{arguments}: thread {at}, {lasts:?}");
                    assert_eq!(run.text(), whole, "{arguments}: thread {at}, {lasts:?}");
                }
            }
        }
        let none = Fault { lasts: Lasts::FromThenOn, ..Fault::new("thread", 1) };
        let run = run_with(nigh, library, none, "-k1 -m2 -n deadlock", log(2000).as_bytes());
        assert_eq!(run.text().lines().count(), 2);
        let run = run_with(nigh, library, none, "-k1 deadlock missing", b"");
        assert_eq!((run.stderr.as_str(), run.status), ("nigh: missing: No such file or directory\n", Some(2)));
        let failing = Fault { error: ENOSPC, ..Fault::new("write", 1) };
        let run = run_with(nigh, library, failing, "-k1 deadlock log", b"");
        assert_eq!((run.stderr.as_str(), run.status), ("nigh: write error: No space left on device\n", Some(2)));
    });
}

#[test]
fn many_threads_fit_into_little_memory() {
    once(|nigh| {
        nigh.write("log", log(2000));
        let program = nigh.command("").get_program().to_str().unwrap().to_owned();
        for kilobytes in [200_000, 400_000, 1_000_000] {
            let mut shell = Command::new("sh");
            let line = format!("ulimit -v {kilobytes}; exec {program} --engine cpu -j1024 -k1 -c deadlock log");
            shell.args(["-c", &line]).current_dir(nigh.path());
            let run = finish(shell, Vec::new());
            assert_eq!((run.text().as_str(), run.stderr.as_str()), ("667\n", ""), "{kilobytes} KiB");
        }
    });
}

#[test]
fn an_error_when_output_is_closed_is_reported() {
    with_faults(|nigh, library| {
        nigh.write("t", "deadlock\n");
        let lost = Fault { lasts: Lasts::FromThenOn, ..Fault::new("close", 1) };
        for arguments in ["deadlock t", "-c deadlock t", "--help", "--stats deadlock t"] {
            let run = run_with(nigh, library, lost, arguments, b"");
            assert_eq!((run.stderr.as_str(), run.status), ("nigh: write error: Input/output error\n", Some(2)));
            assert!(!run.stdout.is_empty(), "{arguments}");
        }
    });
}

/// Returns a bgzf file whose blocks hold 4 KiB of text.
fn bgzf(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    for block in text.as_bytes().chunks(4 << 10).chain([&b""[..]]) {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(block).unwrap();
        let deflated = encoder.finish().unwrap();
        let size = u16::try_from(deflated.len() + 25).unwrap().to_le_bytes();
        packed.extend(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0");
        packed.extend(size);
        packed.extend(&deflated);
        let mut crc = flate2::Crc::new();
        crc.update(block);
        packed.extend(crc.sum().to_le_bytes());
        packed.extend(crc.amount().to_le_bytes());
    }
    packed
}

/// Kind of output. It determines which differences are accepted after a failure that nigh reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputKind {
    /// Lines of the input, of which any may be missing.
    Lines,
    /// Facts that depend on the whole input, such as a count, the length of a record, or a line without a match. They
    /// may differ after a failure. A line that a failure cuts counts as complete.
    Summary,
}

/// Command lines in which calls are made to fail, and the kinds of their output.
const SEARCHES: [(&str, OutputKind); 31] = [
    ("-j1 -n deadlock log", OutputKind::Lines),
    ("-j1 -n --batch-size 4K deadlock log", OutputKind::Lines),
    ("-j3 -n --batch-size 4K deadlock log", OutputKind::Lines),
    ("-j2 --memory 64K --batch-size 8K deadlock log service.log", OutputKind::Lines),
    ("-j2 -v --batch-size 9K deadlock log", OutputKind::Summary),
    ("-j2 -A1 --color=always --batch-size 9K deadlock log", OutputKind::Lines),
    ("-j2 -o --cost --batch-size 9K deadlock log service.log", OutputKind::Lines),
    ("-j2 --vimgrep --batch-size 9K deadlock log", OutputKind::Lines),
    ("-j2 --format=ends --batch-size 9K deadlock log", OutputKind::Lines),
    ("-j2 --format=align --batch-size 9K deadlock log", OutputKind::Summary),
    ("-j2 --json --batch-size 9K deadlock log", OutputKind::Summary),
    ("-j2 --line-buffered -w timeout service.log log", OutputKind::Lines),
    ("-j2 -c --batch-size 9K deadlock log service.log", OutputKind::Summary),
    ("-j2 -l deadlock log service.log", OutputKind::Lines),
    ("-j2 --format=histogram deadlock log", OutputKind::Summary),
    ("-j2 --count-matches deadlock log service.log", OutputKind::Summary),
    // Without -H, names are omitted if the first stat of the folder fails.
    ("-j2 -rnH deadlock tree", OutputKind::Lines),
    ("-j2 -rnH --ignore-vcs refused tree", OutputKind::Lines),
    ("-j2 --best -n --batch-size 9K deadlocc log service.log", OutputKind::Summary),
    ("-j2 --best=file -n deadlocc log service.log", OutputKind::Summary),
    ("-j2 -f patterns -n --batch-size 9K log", OutputKind::Lines),
    ("-j2 --encoding utf-16 -n deadlock wide", OutputKind::Lines),
    ("-j2 -z deadlock log", OutputKind::Lines),
    ("-j2 --shard 2/3 --batch-size 4K deadlock log", OutputKind::Lines),
    ("-j1 --batch-size 8K GGGCGGCGACCTCGCGGGTT lambda.fa", OutputKind::Lines),
    ("-j3 -k3 --batch-size 8K GGGCGGCGACCTCGCGGGTT lambda.fa", OutputKind::Lines),
    ("-j3 -k3 --hits best --batch-size 8K GGGCGGCGACCTCGCGGGTT lambda.fa", OutputKind::Lines),
    ("-j2 -k3 --format sam --batch-size 8K GGGCGGCGACCTCGCGGGTT lambda.fa reads.fq", OutputKind::Summary),
    ("-j2 -k3 --format paf --batch-size 8K GGGCGGCGACCTCGCGGGTT lambda.fa", OutputKind::Summary),
    ("-j2 --format fasta GGGCGGC reads.fq", OutputKind::Summary),
    ("-j2 --stats -n deadlock log", OutputKind::Summary),
];

/// Searches of standard input, which is a pipe.
const PIPED: [(&str, OutputKind); 3] = [
    ("-j2 -n --batch-size 4K deadlock", OutputKind::Lines),
    ("-j1 -c deadlock", OutputKind::Summary),
    ("-j2 --best -n deadlock", OutputKind::Summary),
];

/// For each kind of call: its name, the error, and the minimum size in bytes of the calls that are counted.
const KINDS: [(&str, i32, usize); 13] = [
    ("read", EIO, 0),
    ("read", 0, 64),
    ("pread", EIO, 0),
    ("write", EIO, 0),
    ("write", ENOSPC, 0),
    ("close", EIO, 0),
    ("open", EMFILE, 0),
    ("stat", EIO, 0),
    ("seek", EIO, 0),
    ("truncate", EIO, 0),
    ("thread", EIO, 0),
    ("mmap", ENOMEM, 0),
    ("memory", ENOMEM, 32 << 10),
];

fn write_data(nigh: &Nigh) {
    nigh.write("log", log(800)).write("patterns", "deadlock\nrefused\nretrying\n");
    let wide: Vec<u8> = log(200).encode_utf16().flat_map(u16::to_le_bytes).collect();
    nigh.write("wide", [&b"\xff\xfe"[..], &wide].concat());
    for name in ["lambda.fa", "reads.fq", "service.log"] {
        nigh.write(name, std::fs::read(shipped(name)).unwrap());
    }
    std::fs::create_dir_all(nigh.path().join("tree/a/b")).unwrap();
    nigh.write("tree/log", log(100)).write("tree/a/b/log", log(50)).write("tree/a/.gitignore", "no\n");
}

/// Returns whether the lines of `part` are a subsequence of the lines of `whole`.
fn is_part_of(part: &[u8], whole: &[u8]) -> bool {
    let mut lines = whole.split(|&byte| byte == b'\n');
    let mut cuts = 0;
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    let is_part = part.split(|&byte| byte == b'\n').all(|line| {
        let Some(other) = lines.find(|other| other.starts_with(line)) else { return false };
        cuts += usize::from(line != other);
        true
    });
    // One line may be cut: the last line written, or the line that was being read when the input failed.
    is_part && cuts <= 1
}

/// Returns the reason why a run with a failure is not acceptable; `None` if it is acceptable.
fn problem(run: &Run, whole: &Run, prints: OutputKind) -> Option<String> {
    let said = &run.stderr;
    if run.status == whole.status && run.stdout == whole.stdout {
        return None;
    }
    // Without memory, Rust's allocator aborts with a message, and so does the standard library if it cannot set up a
    // thread.
    let is_out_of_memory =
        run.status.is_none() && ["memory allocation of", "alternative stack"].iter().any(|words| said.contains(words));
    let is_honest = prints == OutputKind::Summary || is_part_of(&run.stdout, &whole.stdout);
    match () {
        () if !is_out_of_memory && said.contains("panicked") => Some(format!("a panic: {said}")),
        () if !is_out_of_memory && run.status != Some(2) => Some(format!("status {:?}, {said}", run.status)),
        () if said.is_empty() => Some("no message".to_owned()),
        () if !is_honest => Some(format!("it printed {}", String::from_utf8_lossy(&run.stdout))),
        () => None,
    }
}

/// Runs a command. If it hangs, kills it and panics.
fn run_bounded(mut command: Command, input: &[u8], case: &str) -> Run {
    // A backtrace after a failed allocation can deadlock the standard library.
    command.env("RUST_BACKTRACE", "0").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let reader = |mut stream: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).map(|_| bytes).unwrap()
        })
    };
    let stdout = reader(Box::new(child.stdout.take().unwrap()));
    let stderr = reader(Box::new(child.stderr.take().unwrap()));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > HANGS_AFTER {
            child.kill().unwrap();
            panic!("{case} hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    feeder.join().unwrap();
    let stderr = String::from_utf8_lossy(&stderr.join().unwrap()).into_owned();
    Run { stdout: stdout.join().unwrap(), stderr, status: status.code() }
}

/// Removes the output lines with times, which differ from run to run.
fn without_times(mut run: Run) -> Run {
    let is_time = |line: &&[u8]| line.ends_with(b" seconds\n") || line.ends_with(b" seconds spent searching\n");
    let lines = run.stdout.split_inclusive(|&byte| byte == b'\n');
    run.stdout = lines.filter(|line| !is_time(line)).collect::<Vec<_>>().concat();
    if let Some(at) = memchr::memmem::find(&run.stdout, b"\"elapsed") {
        run.stdout.truncate(at);
    }
    run
}

/// Returns the numbers of the calls, from 1 to `count`, that are made to fail: all with `NIGH_FAULTS=all`, otherwise a
/// sample that depends on the case.
fn chosen(count: u64, case: usize) -> Vec<u64> {
    if std::env::var_os("NIGH_FAULTS").is_some_and(|value| value == "all") {
        return (1..=count).collect();
    }
    let choices = [1, count, count.div_ceil(2), count.saturating_sub(1)];
    let at = choices[case % choices.len()];
    (1..=count).contains(&at).then_some(at).into_iter().collect()
}

/// Results of running command lines with failing calls.
#[derive(Default)]
struct Swept {
    /// Number of runs whose exit status differs from that of the run without a failure.
    failed: usize,
    problems: Vec<String>,
}

/// Runs a command line once for each chosen call, which then fails.
fn sweep(swept: &mut Swept, nigh: &Nigh, library: &Path, index: usize, search: Searched<'_>) {
    let Searched { arguments, prints, input } = search;
    let command = || nigh.command(&format!("--engine cpu {arguments}"));
    let whole = without_times(run_bounded(command(), input, arguments));
    assert!(whole.status == Some(0) && whole.stderr.is_empty(), "{arguments}: {}", whole.stderr);
    for (kind, &(call, error, least_size)) in KINDS.iter().enumerate() {
        let counts = faults::count(library, least_size, |count| {
            let mut command = command();
            count(&mut command);
            run_bounded(command, input, arguments);
        });
        let count = counts.iter().find(|(name, _)| name == call).map_or(0, |(_, count)| *count);
        for at in chosen(count, index + kind) {
            let lasts = if (index + kind).is_multiple_of(3) { Lasts::FromThenOn } else { Lasts::Once };
            let fault = Fault { call, at, lasts, error, least_size };
            let mut command = command();
            fault.put_into(&mut command, library);
            let case = format!("{arguments}: {fault:?}");
            let run = without_times(run_bounded(command, input, &case));
            // With error 0, a read ends early. nigh cannot detect this, so any output is accepted, but not a crash.
            let is_orderly = error == 0 && run.status.is_some_and(|status| status <= 2);
            let problem = if is_orderly { None } else { problem(&run, &whole, prints) };
            swept.problems.extend(problem.map(|problem| format!("{case}: {problem}")));
            swept.failed += usize::from(run.status != whole.status);
        }
    }
}

/// A command line in which calls are made to fail.
#[derive(Clone, Copy)]
struct Searched<'a> {
    arguments: &'a str,
    prints: OutputKind,
    input: &'a [u8],
}

#[test]
fn failed_calls_are_reported_or_harmless() {
    with_faults(|nigh, library| {
        write_data(nigh);
        let piped = log(800);
        let searches = SEARCHES.iter().map(|search| (search, &b""[..]));
        let all = searches.chain(PIPED.iter().map(|search| (search, piped.as_bytes())));
        let mut swept = Swept::default();
        for (index, (&(arguments, prints), input)) in all.enumerate() {
            sweep(&mut swept, nigh, library, index, Searched { arguments, prints, input });
        }
        let problems = swept.problems.join("\n");
        assert!(problems.is_empty(), "{} problems\n{problems}", swept.problems.len());
        assert!(swept.failed > 100, "only {} runs failed", swept.failed);
    });
}

#[test]
fn short_reads_and_writes_change_nothing() {
    with_faults(|nigh, library| {
        write_data(nigh);
        for (arguments, _) in SEARCHES {
            let command = || nigh.command(&format!("--engine cpu {arguments}"));
            let whole = without_times(run_bounded(command(), b"", arguments));
            let mut short = command();
            short.env("LD_PRELOAD", library).env("NIGH_FAULT_SHORT", "1");
            let run = without_times(run_bounded(short, b"", arguments));
            assert_eq!((run.status, run.stderr), (whole.status, whole.stderr), "{arguments}");
            assert_eq!(run.stdout, whole.stdout, "{arguments}");
        }
    });
}

#[test]
fn output_that_cannot_be_written_is_an_error_for_every_search() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    once(|nigh| {
        write_data(nigh);
        for (arguments, _) in SEARCHES {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = nigh.command(arguments).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
            let output = output.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(said, "nigh: write error: No space left on device\n", "{arguments}");
            assert_eq!(output.status.code(), Some(2), "{arguments}");
        }
    });
}

#[test]
fn a_lack_of_descriptors_is_reported_or_harmless() {
    once(|nigh| {
        write_data(nigh);
        let program = nigh.command("").get_program().to_str().unwrap().to_owned();
        for (at, (arguments, prints)) in SEARCHES.into_iter().enumerate() {
            let whole = without_times(nigh.run(&format!("--engine cpu {arguments}")));
            let run = |descriptors: usize| {
                let mut shell = Command::new("sh");
                let line = format!("ulimit -n {descriptors}; exec '{program}' --engine cpu {arguments}");
                shell.args(["-c", &line.replace('\\', "\\\\")]).current_dir(nigh.path());
                without_times(run_bounded(shell, b"", &line))
            };
            for descriptors in [4 + at % 3, 12] {
                assert_eq!(problem(&run(descriptors), &whole, prints), None, "{descriptors}: {arguments}");
            }
        }
    });
}

#[test]
fn a_signal_ends_the_program_at_any_time() {
    use std::os::unix::process::ExitStatusExt;
    once(|nigh| {
        write_data(nigh);
        nigh.write("log", log(20_000));
        let mut rng = fastrand::Rng::with_seed(5);
        for (signal, number) in [("INT", 2), ("TERM", 15)] {
            for arguments in ["-j2 -n --batch-size 4K deadlock log", "-j2 --best -c deadlock log"] {
                let whole = nigh.run(arguments).stdout;
                for _ in 0..8 {
                    let mut command = nigh.command(arguments);
                    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                    std::thread::sleep(Duration::from_micros(rng.u64(0..20_000)));
                    // `kill` fails if the program has ended already.
                    let _ = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).output();
                    let output = child.wait_with_output().unwrap();
                    let is_killed = output.status.signal() == Some(number);
                    assert!(is_killed || (output.status.success() && output.stdout == whole), "{signal} {arguments}");
                    assert!(whole.starts_with(&output.stdout), "{signal} {arguments}");
                    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
                }
            }
        }
    });
}
