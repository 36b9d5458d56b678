//! Arbitrary patterns, inputs, values of options, and files that options name. Each is parsed completely or refused
//! with a message.
#![no_main]

use std::fmt;
use std::io::Cursor;
use std::sync::Arc;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh::fuzzing::Colours;
use nigh_fuzz::program::{run, write};
use nigh_input::{Batcher, BinaryInput, Compression, Decoding, Encoding, Format, LongLines, RecordRule, Source};
use nigh_pattern::{Bound, Case, Groups, MatchExtent, MaxEdits, Notation, Pattern, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, RecordStarts, TextBuffer, Window};

/// The text that is searched to test the parsing of options and files.
const TEXT: &[u8] = b"some text\n>r\nACGT\n";

/// Options whose values are parsed.
const OPTIONS: [&str; 33] = [
    "-k",
    "--max-hits=",
    "--columns=",
    "--edits=",
    "--batch-size=",
    "--memory=",
    "--shard=",
    "--device=",
    "-m",
    "-A",
    "-B",
    "-C",
    "-M",
    "--encoding=",
    "--record-start=",
    "--replace=",
    "--include=",
    "--exclude=",
    "--exclude-dir=",
    "-g",
    "--group-separator=",
    "--label=",
    "--color=",
    "--binary-files=",
    "--strand=",
    "--format=",
    "--hits=",
    "--best=",
    "-d",
    "-D",
    "--fasta -e",
    "--fasta --protein -e",
    "-G -e",
];

/// Files, and the options that name them.
const FILES: [(&str, &str); 10] = [
    ("p.txt", "-f p.txt"),
    ("p.tsv", "-f p.tsv"),
    ("p.tsv", "--fasta -f p.tsv"),
    ("p.txt", "--format=cas-offinder -f p.txt"),
    ("p.fa", "-f p.fa"),
    ("p.fq", "--fasta -f p.fq"),
    ("p.any", "--fasta -f p.any"),
    ("p.gz", "-f p.gz"),
    ("globs", "-r --exclude-from globs"),
    (".ignore", "-r --ignore-vcs"),
];

/// The kinds of text that are parsed.
#[derive(Debug, Arbitrary)]
enum Subject {
    Patterns { alphabet: u8, switches: u8, bound: Option<u8>, text: Vec<u8> },
    Input { alphabet: u8, switches: u8, window: u8, encoding: u8, text: Vec<u8> },
    Bound(String),
    Colours(Vec<u8>),
    Encoding(String, Vec<u8>),
    Value { option: u8, value: Vec<u8> },
    File { kind: u8, content: Vec<u8> },
}

fuzz_target!(|subject: Subject| {
    match subject {
        Subject::Patterns { alphabet, switches, bound, text } => parse_patterns(alphabet, switches, bound, &text),
        Subject::Input { alphabet, switches, window, encoding, text } => {
            let encoding = ["none", "none", "auto", "utf-16le", "shift_jis"][usize::from(encoding) % 5];
            divide(alphabet, switches, usize::from(window) + 1, encoding, &text);
        }
        Subject::Bound(text) => {
            if let Ok(bound) = text.parse::<Bound>() {
                assert!(!matches!(bound.max_edits(), MaxEdits::Percent(100..)), "{text}");
            }
        }
        Subject::Colours(text) => drop(Colours::on(&text)),
        Subject::Encoding(name, text) => {
            let encoding = Encoding::named(&name);
            decode(encoding.unwrap_or(Encoding::Automatic), text).expect("memory is read to its end");
        }
        Subject::Value { option, value } => parse_value(OPTIONS[usize::from(option) % OPTIONS.len()], &value),
        Subject::File { kind, content } => {
            let (name, options) = FILES[usize::from(kind) % FILES.len()];
            write(name, &content);
            search(options.split(' ').map(Vec::from).collect());
            write(name, b"");
        }
    }
});

fn alphabet(number: u8) -> Alphabet {
    [Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein][usize::from(number) % 4]
}

/// Checks that each pattern allows fewer edits than it has symbols, or has symbols that must match, and belongs to one of the sources; or that there is
/// a message.
fn parse_patterns(number: u8, switches: u8, bound: Option<u8>, text: &[u8]) {
    let has = |bit: u8| switches & 1 << bit != 0;
    let builder = PatternSet::builder(alphabet(number))
        .max_edits(bound.map_or(MaxEdits::AUTO, |k| MaxEdits::Count(usize::from(k % 8))))
        .notation(if has(0) { Notation::Literal } else { Notation::Regex })
        .groups(if has(1) { Groups::Exact } else { Groups::Ordinary })
        .case([Case::Sensitive, Case::Insensitive, Case::Smart][usize::from(switches >> 2) % 3])
        .whole([MatchExtent::Anything, MatchExtent::Words, MatchExtent::Record][usize::from(switches >> 4) % 3]);
    let sources: Vec<PatternSource> = text.split(|&byte| byte == 0x1e).map(PatternSource::new).collect();
    match builder.build(&sources) {
        Ok(set) => {
            let is_bounded = |pattern: &Pattern| pattern.k() < pattern.symbols().len() || pattern.has_exact_group();
            assert!(set.patterns().iter().all(is_bounded));
            assert!(set.patterns().iter().all(|pattern| pattern.source() < sources.len()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The lines that begin with an odd byte begin records.
struct OddLines;

impl fmt::Display for OddLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lines that begin with an odd byte")
    }
}

impl RecordStarts for OddLines {
    fn of(&self, lines: &Batch<'_>) -> Vec<usize> {
        let bytes = lines.bytes();
        let is_start = |&at: &usize| (at == 0 || bytes[at - 1] == b'\n') && bytes[at] % 2 == 1;
        (0..bytes.len()).filter(is_start).collect()
    }
}

/// Checks that the batches of an input own each byte once, and that a batch of records has whole lines.
fn divide(number: u8, switches: u8, window: usize, encoding: &str, text: &[u8]) {
    let alphabet = alphabet(number);
    let long = if switches & 1 == 0 { LongLines::Cut } else { LongLines::Whole };
    let format = match (alphabet.is_sequence(), switches & 2 == 0, switches & 12) {
        (true, true, 12) => Format::GappedFasta,
        (true, true, _) => Format::Fasta { long },
        (true, false, _) => Format::Fastq,
        (false, _, 0) => Format::ReturnLines { long },
        (false, is_crlf, 4) => {
            let rule = RecordRule { hides_returns: !is_crlf, ..RecordRule::new(Arc::new(OddLines), b'\n') };
            Format::LineRecords { rule, long }
        }
        (false, _, _) => Format::Lines { terminator: b'\n', long },
    };
    let encoding = Encoding::named(encoding).expect("an encoding that exists");
    let whole = decode(encoding, text.to_vec()).expect("memory is read to its end");
    let source = Source::from_reader(Cursor::new(whole.clone()));
    let window = Window { bytes: window, max_match_len: usize::from(switches >> 4), alphabet };
    let mut batcher = Batcher::new(source, format.clone(), window);
    let mut owned = Vec::new();
    loop {
        match batcher.next_batch(&mut TextBuffer::default()) {
            Ok(Some(batch)) => {
                owned.extend_from_slice(&batch.shown()[batch.owned()]);
                if let Some(records) = &batch.records {
                    assert!(batch.count_records(0..batch.bytes().len()) > 0, "{records:?}");
                    assert!(!(records.continues || records.open) || long == LongLines::Cut, "{records:?}");
                }
            }
            Ok(None) => break,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                break;
            }
        }
    }
    match format {
        Format::Lines { .. } | Format::ReturnLines { .. } | Format::LineRecords { .. } => {
            assert!(owned == whole, "every byte has one owner");
        }
        // The bytes end early if the input is refused.
        Format::Fasta { .. } | Format::GappedFasta | Format::Fastq => {
            assert!(whole.starts_with(&owned), "bytes are owned in order");
        }
    }
}

/// Returns the text of encoded bytes.
fn decode(encoding: Encoding, bytes: Vec<u8>) -> Result<Vec<u8>, nigh_input::InputError> {
    let decoding =
        Decoding { compression: Compression::Ignored, encoding, binary: BinaryInput::Searched, hides_escapes: false };
    Source::open_reader(Cursor::new(bytes), decoding, None)?.read_to_end(u64::MAX)
}

/// Runs a search with an option set to a value.
fn parse_value(option: &str, value: &[u8]) {
    // Large amounts of memory and large numbers of edits are valid, but make searches too slow.
    if value.iter().filter(|byte| byte.is_ascii_digit()).count() > 3 && !option.ends_with("-e") {
        return;
    }
    let mut words: Vec<Vec<u8>> = option.split(' ').map(Vec::from).collect();
    match option.ends_with("-e") {
        true => words.push(value.to_vec()),
        false => words.last_mut().expect("an option").extend_from_slice(value),
    }
    if option == "-g" || option.starts_with("--exclude-dir") || option.starts_with("--include") {
        words.push(b"-r".to_vec());
    }
    search(words);
}

/// Searches a small text with some options. A refusal must come with a message.
fn search(mut words: Vec<Vec<u8>>) {
    write("text", TEXT);
    if !words.iter().any(|word| word == b"-e" || word == b"-f") {
        words.extend([b"-e".to_vec(), b"text".to_vec()]);
    }
    words.extend([b"--engine=cpu".to_vec(), b"-j1".to_vec(), b"text".to_vec()]);
    let run = run(&words);
    let messages = &run.answer.messages;
    assert!(run.answer.status < 2 || !messages.is_empty(), "an error must have a message");
    assert!(messages.iter().all(|message| !message.trim().is_empty()), "a message must not be empty");
}
