//! The inputs of a comparison.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};

use super::args::AlignArgs;
use crate::cli::args::label;
use crate::cli::config::{Stdin, extension_below_compression, sequence_extension};
use crate::cli::messages::{closed_stream, located};
use nigh_align::{BadLine, ComparedList, ListForm, QueryList, QueryListRules};
use nigh_input::{Batcher, Decoding, Format, InputError, LongLines, Origin, Source};
use nigh_pairs::Objective;
use nigh_search::{Input, InputKind, MateInput, RecordFormat};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Records, TextBuffer, Window};

/// Size of the batches in which queries are read, in bytes.
const QUERY_BATCH: usize = 1 << 20;

/// Number of bytes at the start of a file, or of the residues of the queries, whose letters are counted.
const SAMPLE: usize = 1 << 16;

/// The main input of a comparison: a table, or the targets.
pub(super) fn main_input(args: &AlignArgs, kind: InputKind, stdin: Stdin) -> Result<Input> {
    let file = args.target.as_ref().unwrap_or(&args.query);
    let mates = (args.objective.pairs && args.target.is_some()).then_some(&args.query);
    let mates = mates.map(|file| -> Result<MateInput> {
        let (origin, label) = (origin(file, stdin)?, label(file));
        Ok(MateInput { origin, label, decoding: Decoding::AUTOMATIC, records: RecordFormat::Fasta })
    });
    Ok(Input {
        origin: origin(file, stdin)?,
        label: label(file),
        decoding: Decoding::AUTOMATIC,
        kind,
        records: RecordFormat::Fasta,
        max_distance: None,
        mates: mates.transpose()?,
    })
}

/// The queries, in memory.
pub(super) enum Queries {
    Records(Arc<Records>),
    /// The lines of a list.
    Lines(Vec<u8>),
}

/// Reads all queries; `None` with --pairs, whose queries are read with the targets.
pub(super) fn queries(args: &AlignArgs, stdin: Stdin) -> Result<Option<Queries>> {
    let Some(target) = &args.target else { return Ok(None) };
    if args.objective.pairs {
        refuse_lines_of_pairs(args, target)?;
        return Ok(None);
    }
    let label = String::from_utf8_lossy(&label(&args.query)).into_owned();
    let queries = read_queries(args, target, &origin(&args.query, stdin)?);
    let queries = queries.map_err(|error| anyhow!(located(&label, &error)))?;
    let (kind, shown) = match &queries {
        Queries::Records(records) if records.is_empty() => bail!("{label}: no FASTA or FASTQ records"),
        Queries::Lines(text) if text.trim_ascii().is_empty() => bail!("{label}: no lines"),
        Queries::Records(_) => (InputKind::Sequences, "sequences"),
        Queries::Lines(_) => (InputKind::Text, "lines of text"),
    };
    match kind_of_file(args, target) {
        Some(other) if other != kind => {
            let other = if other == InputKind::Text { "lines of text" } else { "sequences" };
            bail!("{label} holds {shown}, but {} holds {other}; use --text to compare lines of both", target.display())
        }
        _ => Ok(Some(queries)),
    }
}

/// Refuses lists of lines with --pairs.
fn refuse_lines_of_pairs(args: &AlignArgs, target: &Path) -> Result<()> {
    match [&*args.query, target].into_iter().find(|file| kind_of_file(args, file) == Some(InputKind::Text)) {
        Some(file) => bail!(
            "{} holds lines of text; to compare the first line of each file and so on, use 'paste QUERY TARGET | nigh-align --pairs -'",
            file.display()
        ),
        None => Ok(()),
    }
}

/// Returns what a file holds: sequences if its extension or its first character says so, otherwise lines of text.
/// `first` is the first character that is not blank. Returns `None` if there is none, and the extension says nothing.
fn kind_of(args: &AlignArgs, file: &Path, first: Option<u8>) -> Option<InputKind> {
    match first {
        _ if args.objective.text => Some(InputKind::Text),
        _ if sequence_extension(file).is_some() => Some(InputKind::Sequences),
        Some(b'>' | b'@') => Some(InputKind::Sequences),
        Some(_) => Some(InputKind::Text),
        None => None,
    }
}

/// Returns what a file holds; `None` if it is empty or cannot be read twice.
fn kind_of_file(args: &AlignArgs, file: &Path) -> Option<InputKind> {
    if !file.is_file() {
        return None;
    }
    let source = Source::open(&Origin::File(file.to_owned()), Decoding::AUTOMATIC, None);
    let first = source.and_then(|mut source| source.first_symbol()).ok()?;
    kind_of(args, file, first)
}

/// Reads the queries from a file or standard input. An empty one holds what the targets are.
fn read_queries(args: &AlignArgs, target: &Path, origin: &Origin) -> Result<Queries, InputError> {
    let mut source = Source::open(origin, Decoding::AUTOMATIC, None)?;
    let first = source.first_symbol()?;
    match kind_of(args, &args.query, first).or_else(|| kind_of_file(args, target)) {
        Some(InputKind::Text) => source.read_to_end(u64::MAX).map(Queries::Lines),
        Some(InputKind::Sequences) | None => {
            let format = if first == Some(b'@') { Format::Fastq } else { Format::Fasta { long: LongLines::Whole } };
            read_records(source, format).map(|records| Queries::Records(Arc::new(records)))
        }
    }
}

fn read_records(source: Source, format: Format) -> Result<Records, InputError> {
    let window = Window { bytes: QUERY_BATCH, max_match_len: 0, alphabet: Alphabet::Bytes };
    let mut batcher = Batcher::new(source, format, window);
    let (mut records, mut buffer) = (Records::default(), TextBuffer::default());
    while let Some(batch) = batcher.next_batch(&mut buffer)? {
        batch.copy_records(&mut records);
        buffer = batch.into_buffer();
    }
    Ok(records)
}

/// Makes the list of queries from its text. The lines of a file that is named .tsv have names.
pub(super) fn list(args: &AlignArgs, text: &[u8], alphabet: Alphabet, objective: &Objective) -> Result<ComparedList> {
    let form = |file: &Path| match extension_below_compression(file).as_deref() {
        Some("tsv") => ListForm::Named,
        _ => ListForm::Strings,
    };
    let rules = QueryListRules { form: form(&args.query), alphabet, objective };
    let queries = QueryList::new(text, rules)
        .map_err(|BadLine { index, problem }| anyhow!("{}:{}: {problem}", args.query.display(), index + 1))?;
    Ok(ComparedList { queries, targets: args.target.as_deref().map_or(ListForm::Strings, form) })
}

/// The kind of the symbols of the strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Residues {
    /// Records of nucleotides.
    Nucleotides,
    /// Records of amino acids.
    AminoAcids,
    /// Characters or bytes of text.
    Characters,
}

/// Returns the kind of the residues of both files. Files named .faa hold amino acids. Otherwise the letters decide:
/// files in which at least half of the letters are A, C, G, T, U or N hold nucleotides. In typical proteins, these are
/// a quarter of the letters. Letters at the start of both files are counted together, so the targets decide about a
/// query that is too short to tell. Pipes are not read ahead.
pub(super) fn residues(args: &AlignArgs, queries: Option<&Records>) -> Residues {
    let files = || [Some(&args.query), args.target.as_ref()].into_iter().flatten();
    if files().any(|file| extension_below_compression(file).is_some_and(|extension| extension == "faa")) {
        return Residues::AminoAcids;
    }
    let mut letters = LetterCounts::default();
    if let Some(queries) = queries {
        letters.add(queries.all_residues());
    }
    let unread = files().skip(usize::from(queries.is_some()));
    unread.filter(|file| file.is_file()).for_each(|file| letters.add_start_of(file));
    letters.residues()
}

/// Numbers of letters at the start of sequences: A, C, G, T, U and N, and all letters.
#[derive(Default)]
struct LetterCounts {
    bases: usize,
    all: usize,
}

impl LetterCounts {
    /// Counts the letters in the first [`SAMPLE`] bytes of a sequence.
    fn add(&mut self, sequence: &[u8]) {
        for byte in sequence[..sequence.len().min(SAMPLE)].iter().filter(|byte| byte.is_ascii_alphabetic()) {
            self.all += 1;
            self.bases += usize::from(b"ACGTUN".contains(&byte.to_ascii_uppercase()));
        }
    }

    /// Counts the letters at the start of a FASTA file. A FASTQ file counts as nucleotides. A file that cannot be read
    /// has no letters; the search reports it.
    fn add_start_of(&mut self, file: &Path) {
        let start = Source::open(&Origin::File(file.to_owned()), Decoding::AUTOMATIC, None).and_then(|mut source| {
            let (mut start, mut length) = (vec![0; SAMPLE], 0);
            while length < start.len() {
                match source.read(&mut start[length..])? {
                    0 => break,
                    read => length += read,
                }
            }
            start.truncate(length);
            Ok(start)
        });
        let start = start.unwrap_or_default();
        if start.first() == Some(&b'@') {
            self.add(b"N");
            return;
        }
        start.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b">")).for_each(|line| self.add(line));
    }

    fn residues(&self) -> Residues {
        if 2 * self.bases >= self.all { Residues::Nucleotides } else { Residues::AminoAcids }
    }
}

/// Refuses arguments that name standard input twice.
pub(super) fn check(args: &AlignArgs) -> Result<()> {
    let is_stdin = |file: &Path| file == Path::new("-");
    if is_stdin(&args.query) && args.target.as_deref().is_some_and(is_stdin) {
        bail!("QUERY and TARGET cannot both be standard input");
    }
    Ok(())
}

fn origin(file: &Path, stdin: Stdin) -> Result<Origin> {
    if file != Path::new("-") {
        return Ok(Origin::File(file.to_owned()));
    }
    match stdin {
        Stdin::Open => Ok(Origin::Stdin),
        Stdin::Closed => bail!("-: {}", closed_stream()),
    }
}
