//! The inputs of a comparison.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};

use super::args::AlignArgs;
use crate::cli::args::label;
use crate::cli::config::{Stdin, extension_below_compression};
use crate::cli::messages::{closed_stream, located};
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::{Records, TextBuffer, Window};
use nigh_input::{Batcher, Decoding, Format, InputError, LongLines, Origin, Source};
use nigh_search::{Input, InputKind, MateInput, RecordFormat};

/// Size of the batches in which queries are read, in bytes.
const QUERY_BATCH: usize = 1 << 20;

/// Number of bytes at the start of a file, or of the residues of the queries, whose letters are counted.
const SAMPLE: usize = 1 << 16;

/// The main input of a comparison: a table, or the targets.
pub(super) fn main_input(args: &AlignArgs, stdin: Stdin) -> Result<Input> {
    let (file, kind) = match &args.target {
        Some(target) => (target, InputKind::Sequences),
        None => (&args.query, InputKind::Text),
    };
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

/// Reads all queries.
pub(super) fn queries(args: &AlignArgs, stdin: Stdin) -> Result<Arc<Records>> {
    let label = String::from_utf8_lossy(&label(&args.query)).into_owned();
    let records = read_records(&origin(&args.query, stdin)?).map_err(|error| anyhow!(located(&label, &error)))?;
    if records.is_empty() {
        bail!("{label}: no FASTA or FASTQ records");
    }
    Ok(Arc::new(records))
}

fn read_records(origin: &Origin) -> Result<Records, InputError> {
    let mut source = Source::open(origin, Decoding::AUTOMATIC, None)?;
    let format = match source.first_symbol()? {
        Some(b'@') => Format::Fastq,
        _ => Format::Fasta { long: LongLines::Whole },
    };
    let window = Window { bytes: QUERY_BATCH, max_match_len: 0, alphabet: Alphabet::Bytes };
    let mut batcher = Batcher::new(source, format, window);
    let (mut records, mut buffer) = (Records::default(), TextBuffer::default());
    while let Some(batch) = batcher.next_batch(&mut buffer)? {
        batch.copy_records(&mut records);
        buffer = batch.into_buffer();
    }
    Ok(records)
}

/// The kind of the symbols of the strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Residues {
    /// Records of nucleotides.
    Nucleotides,
    /// Records of amino acids.
    AminoAcids,
    /// Characters or bytes of a table.
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
