//! Arbitrary command lines, batch sizes, threads and shards. The output equals that of one thread on undivided inputs.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh_fuzz::program::{Run, run};
use nigh_fuzz::scene::{Search, Switches};

/// Exit status after an error.
const ERROR: u8 = 2;

/// Options for reports on lines.
const LINE_REPORTS: [&[&str]; 18] = [
    &[],
    &["-o"],
    &["-o", "-b"],
    &["-n", "-b"],
    &["--vimgrep"],
    &["--json"],
    &["-c"],
    &["--count-matches"],
    &["-l"],
    &["-L"],
    &["-q"],
    &["--format=ends"],
    &["--format=align"],
    &["--format=histogram"],
    &["--passthru"],
    &["--cost"],
    &["--format=count-patterns"],
    &["--format=ends", "--max-hits=2"],
];

/// Options for reports on sequences.
const SEQUENCE_REPORTS: [&[&str]; 20] = [
    &[],
    &["--format", "sites"],
    &["--format", "bed"],
    &["--format", "sam"],
    &["--format", "paf"],
    &["--format", "json"],
    &["--format", "fasta"],
    &["-o"],
    &["-c"],
    &["--count-matches"],
    &["-l"],
    &["-L"],
    &["-q"],
    &["--format=align"],
    &["--format=histogram"],
    &["--format=count-patterns"],
    &["--format=count-patterns", "--max-hits=2"],
    &["--max-hits=2"],
    &["--hits=sites"],
    &["--columns=end,name,sequence,aligned_pattern,aligned_match,pam"],
];

/// Options that change the output of lines and of sequences.
const SWITCHES: [&str; 13] = [
    "-v",
    "-H",
    "-h",
    "-Z",
    "--best",
    "--best=file",
    "--color=always",
    "--line-buffered",
    "--stats",
    "-s",
    "--text",
    "--encoding=none",
    "--edits=1<=e<=2",
];

const LINE_SWITCHES: [&str; 19] = [
    "-n",
    "-b",
    "-T",
    "-I",
    "-z",
    "--column",
    "--trim",
    "--heading",
    "--no-group-separator",
    "--crlf",
    "--encoding=utf-16le",
    "--encoding=latin1",
    "--group-separator=\u{e9}",
    "--cost",
    "--binary-files=text",
    "--ignore-ansi",
    "--record-start=^[a-m]",
    "--record-start=",
    "--replace=<$0>",
];

const SEQUENCE_SWITCHES: [&str; 1] = ["--header"];

/// Options with a number.
const NUMBERS: [&str; 5] = ["-m", "-A", "-B", "-C", "-M"];

#[derive(Debug, Arbitrary)]
struct Cut {
    batch: u8,
    threads: u8,
    shards: u8,
    /// Whether memory is limited to two batches.
    is_short_of_memory: bool,
    /// Whether the search of the undivided inputs uses the reference engine.
    against_reference: bool,
    report: u8,
    switches: Switches,
    numbers: [Option<u8>; 5],
    search: Search,
}

fuzz_target!(|cut: Cut| {
    let search = [cut.output(), cut.search.arguments()].concat();
    let engine = if cut.against_reference { "--engine=reference" } else { "--engine=cpu" };
    let whole = run_with(&search, &[engine.to_owned(), "-j1".to_owned()]);
    let cuts = cut.options();
    let in_pieces = run_with(&search, &cuts);
    // A record of lines may be longer than such a memory.
    if cut.is_short_of_memory && in_pieces.answer.messages.iter().any(|message| message.ends_with("raise --memory")) {
        return;
    }
    let what = || format!("{}, {engine}", show(&search, &cuts));
    assert_eq!(whole.answer, in_pieces.answer, "{}", what());
    assert!(whole.output == in_pieces.output, "{}:\n{}\n{}", what(), text(&whole), text(&in_pieces));
    if whole.answer.status != ERROR {
        check_shards(&cut, &search, &whole);
    }
});

impl Cut {
    /// Returns the arguments that select the output.
    fn output(&self) -> Vec<Vec<u8>> {
        let (reports, own): (&[&[&str]], &[&str]) = match self.search.kind.is_sequence() {
            true => (&SEQUENCE_REPORTS, &SEQUENCE_SWITCHES),
            false => (&LINE_REPORTS, &LINE_SWITCHES),
        };
        let report = reports[usize::from(self.report) % reports.len()];
        let switches = self.switches.of(&[&SWITCHES, own].concat());
        let numbers = NUMBERS.iter().zip(self.numbers);
        let numbers = numbers.filter_map(|(option, number)| Some(format!("{option}{}", number? % 32).into_bytes()));
        report.iter().copied().chain(switches).map(Vec::from).chain(numbers).collect()
    }

    fn options(&self) -> Vec<String> {
        let batch = self.batch_bytes();
        let mut options =
            vec!["--engine=cpu".to_owned(), format!("-j{}", self.threads % 4 + 1), format!("--batch-size={batch}")];
        if self.is_short_of_memory {
            options.push(format!("--memory={}", 2 * batch));
        }
        options
    }

    /// Returns a batch size in bytes, which is often small.
    fn batch_bytes(&self) -> usize {
        match self.batch {
            few @ 0..=127 => usize::from(few) + 1,
            many => 8 * usize::from(many),
        }
    }
}

/// Options with which each shard prints its own counts.
const COUNTS: [&[u8]; 5] = [b"-c", b"--count-matches", b"--format=count-patterns", b"--format=histogram", b"--stats"];

/// Checks that the concatenated outputs of all shards equal that of one process, unless the report cannot be divided or
/// consists of counts.
fn check_shards(cut: &Cut, search: &[Vec<u8>], whole: &Run) {
    if search.iter().any(|word| COUNTS.contains(&&word[..])) {
        return;
    }
    let count = cut.shards % 4 + 1;
    let mut output = Vec::new();
    for part in 1..=count {
        let options = [cut.options(), vec![format!("--shard={part}/{count}")]].concat();
        let run = run_with(search, &options);
        if run.answer.status == ERROR {
            let mut errors = run.answer.messages.iter().filter(|message| !message.starts_with("warning: "));
            assert!(errors.all(|message| message.contains("shard")), "{:?}", run.answer);
            return;
        }
        output.extend(run.output);
    }
    assert!(output == whole.output, "{count} shards of {}", show(search, &cut.options()));
}

fn run_with(search: &[Vec<u8>], options: &[String]) -> Run {
    let options = options.iter().map(|option| option.clone().into_bytes());
    let mut run = run(&options.chain(search.iter().cloned()).collect::<Vec<_>>());
    run.output = comparable(&run);
    run
}

/// Returns the output without elapsed times, and after an error without the number of bytes searched, which depends on
/// the division of the inputs.
fn comparable(run: &Run) -> Vec<u8> {
    const OBJECTS: [&[u8]; 2] = [b"\"elapsed\":{", b"\"elapsed_total\":{"];
    let mut kept = Vec::new();
    for line in run.output.split_inclusive(|&byte| byte == b'\n') {
        let is_time = line.ends_with(b" seconds\n") || line.ends_with(b" seconds spent searching\n");
        if is_time || run.answer.status == ERROR && line.ends_with(b" bytes searched\n") {
            continue;
        }
        let mut rest = line;
        while let Some(at) = (0..rest.len()).find(|&at| OBJECTS.iter().any(|object| rest[at..].starts_with(object))) {
            let end = rest[at..].iter().position(|&byte| byte == b'}').map_or(rest.len(), |end| at + end);
            kept.extend_from_slice(&rest[..at]);
            rest = &rest[end..];
        }
        kept.extend_from_slice(rest);
    }
    kept
}

/// Returns a command line as it can be typed in a shell.
fn show(search: &[Vec<u8>], options: &[String]) -> String {
    let words = search.iter().map(|word| format!("$'{}'", word.escape_ascii()));
    words.chain(options.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn text(run: &Run) -> String {
    run.output.escape_ascii().to_string()
}
