//! From parsed arguments to a search that is checked and ready to run.

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, bail};
use bstr::{ByteSlice, ByteVec};

use super::args::{Args, EngineName, Strands, bytes_of};
use super::colours;
use super::messages::Messages;
use crate::alphabet::Alphabet;
use crate::engine::{self, Backing, Choice, Devices, Engine, InputSize};
use crate::input::{Compression, Format, LongLines, Origin};
use crate::pattern::{Case, Notation, PatternSet, PatternSource, Strand, Whole};
use crate::report::{
    Binary, Context, CountReport, EndRows, FilesReport, GrepReport, Keep, Limits, List, Prefix, Report, RowReport,
    Show, TsvRows,
};
use crate::search::{Input, Kind, Lane, Search};

/// What the name of a file says it holds.
const NUCLEOTIDES: [&str; 4] = ["fa", "fasta", "fna", "ffn"];
const AMINO_ACIDS: &str = "faa";
const FASTQ: [&str; 2] = ["fq", "fastq"];
const COMPRESSED: [&str; 6] = ["gz", "bgz", "zst", "xz", "bz2", "lz4"];

/// The search that the arguments ask for, and whether an input was refused.
pub(super) fn search(args: &Args, messages: &Messages) -> Result<(Search, bool)> {
    let inputs = inputs(args)?;
    let has = |kind: Kind| inputs.iter().any(|input| input.kind == kind);
    check_options_fit(args, has(Kind::Text), has(Kind::Sequences))?;
    let sources = pattern_sources(args)?;
    let several = args.files.len() > 1;
    let text = match has(Kind::Text) {
        true => Some(text_lane(args, &sources, several)?),
        false => None,
    };
    let sequences = match has(Kind::Sequences) {
        true => Some(sequence_lane(args, &sources, several)?),
        false => None,
    };
    let count = inputs.len();
    let inputs: Vec<Input> = inputs.into_iter().filter(|input| !is_output(input, messages)).collect();
    let refused = inputs.len() < count;
    Ok((Search { inputs, text, sequences }, refused))
}

fn inputs(args: &Args) -> Result<Vec<Input>> {
    let standard_input = [Path::new("-").to_owned()];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    files.iter().map(|file| input(args, file)).collect()
}

fn input(args: &Args, file: &Path) -> Result<Input> {
    let extension = sequence_extension(file);
    let is_fastq = extension.as_deref().is_some_and(|extension| FASTQ.contains(&extension));
    if is_fastq && !args.text && !args.fasta {
        bail!("{}: FASTQ is not supported yet; --text searches its lines", file.display());
    }
    let kind = match args.fasta || (extension.is_some() && !args.text) {
        true => Kind::Sequences,
        false => Kind::Text,
    };
    let compression = match args.decompress || kind == Kind::Sequences {
        true => Compression::ByMagic,
        false => Compression::Ignored,
    };
    let (origin, label) = match file == Path::new("-") {
        true => (Origin::Stdin, &*args.label),
        false => (Origin::File(file.to_owned()), file.as_os_str()),
    };
    Ok(Input { origin, label: bytes_of(label).to_vec(), compression, kind })
}

/// The extension that says a file holds sequences, below that of a compression.
fn sequence_extension(file: &Path) -> Option<String> {
    let lower = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let mut extension = lower(file)?;
    if COMPRESSED.contains(&&*extension) {
        extension = lower(Path::new(file.file_stem()?))?;
    }
    let known = NUCLEOTIDES.contains(&&*extension) || extension == AMINO_ACIDS || FASTQ.contains(&&*extension);
    known.then_some(extension)
}

/// Whether the input is the file that standard output is written to; reading it would never end.
fn is_output(input: &Input, messages: &Messages) -> bool {
    let metadata = |descriptor: BorrowedFd| fs::File::from(descriptor.try_clone_to_owned()?).metadata();
    let input_file = match &input.origin {
        Origin::File(path) => fs::metadata(path),
        Origin::Stdin => metadata(io::stdin().as_fd()),
    };
    let (Ok(output), Ok(input_file)) = (metadata(io::stdout().as_fd()), input_file) else { return false };
    let same = output.is_file() && (output.dev(), output.ino()) == (input_file.dev(), input_file.ino());
    if same {
        messages.refused(&input.label);
    }
    same
}

/// Refuses options that mean nothing for the inputs there are.
fn check_options_fit(args: &Args, text: bool, sequences: bool) -> Result<()> {
    let for_lines = [
        ("--line-number", args.line_number),
        ("--byte-offset", args.byte_offset),
        ("--only-matching", args.only_matching),
        ("--after-context", args.after_context.is_some()),
        ("--before-context", args.before_context.is_some()),
        ("--context", args.context.is_some()),
        ("--cost", args.cost),
        ("--ends", args.ends),
        ("--word-regexp", args.word),
        ("--bytes", args.bytes),
        ("--null-data", args.null_data),
    ];
    let for_sequences =
        [("--protein", args.protein), ("--header", args.header), ("--strand", args.strand != Strands::Both)];
    if let (true, Some((name, _))) = (sequences, for_lines.iter().find(|(_, given)| *given)) {
        bail!("{name} is for lines of text, and an input holds sequences; --text searches their lines");
    }
    if let (true, Some((name, _))) = (text, for_sequences.iter().find(|(_, given)| *given)) {
        bail!("{name} is for sequences, and an input holds text; --fasta takes it for sequences");
    }
    Ok(())
}

fn pattern_sources(args: &Args) -> Result<Vec<PatternSource>> {
    let given = args.patterns.iter().chain(&args.pattern);
    let mut sources: Vec<PatternSource> =
        given.flat_map(|pattern| bytes_of(pattern).split(|&byte| byte == b'\n')).map(PatternSource::new).collect();
    for file in &args.pattern_files {
        sources.extend(patterns_in(file)?);
    }
    Ok(sources)
}

fn patterns_in(file: &Path) -> Result<Vec<PatternSource>> {
    let name = file.to_string_lossy().into_owned();
    let content = match file == Path::new("-") {
        true => {
            let mut content = Vec::new();
            io::stdin().read_to_end(&mut content).map(|_| content)
        }
        false => fs::read(file),
    };
    let content = content.map_err(crate::input::InputError::from).with_context(|| name.clone())?;
    let lines = content.lines_with_terminator().map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let numbered = lines.zip(1..).map(|(line, number)| {
        let text = Vec::from_slice(line);
        PatternSource { text, origin: Some((name.clone(), number)) }
    });
    Ok(numbered.collect())
}

fn patterns(args: &Args, alphabet: Alphabet, sources: &[PatternSource]) -> Result<Arc<PatternSet>> {
    let strands: &[Strand] = match (alphabet, args.strand) {
        (Alphabet::Dna, Strands::Both) => &[Strand::Forward, Strand::Reverse],
        (Alphabet::Dna, Strands::Reverse) => &[Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let whole = match (args.line, args.word) {
        (true, _) => Whole::Record,
        (false, true) => Whole::Words,
        (false, false) => Whole::Anything,
    };
    let builder = PatternSet::builder(alphabet)
        .notation(if args.fixed_strings { Notation::Literal } else { Notation::Regex })
        .case(if args.ignore_case { Case::Insensitive } else { Case::Sensitive })
        .whole(whole)
        .max_errors(args.max_errors)
        .terminator(terminator(args))
        .strands(strands);
    Ok(Arc::new(builder.build(sources)?))
}

fn make_engine(args: &Args, patterns: Arc<PatternSet>) -> Result<Arc<dyn Engine>> {
    let devices = args.device.clone();
    let choice = match args.engine {
        EngineName::Auto => Choice::Auto(devices.unwrap_or(Devices::First), input_size(args)),
        EngineName::Cuda => Choice::Cuda(devices.unwrap_or(Devices::First), backing()),
        EngineName::Cpu | EngineName::Reference if devices.is_some() => {
            bail!("--device is for the engines cuda and auto")
        }
        EngineName::Cpu => Choice::Cpu,
        EngineName::Reference => Choice::Reference,
    };
    let threads = match args.threads {
        0 => available_parallelism().map_or(1, usize::from),
        threads => usize::from(threads),
    };
    Ok(engine::engine(choice, patterns, threads)?)
}

/// Whether the processor may go on where devices fail: not if NIGH_REQUIRE_CUDA is 1, which is for tests.
fn backing() -> Backing {
    match std::env::var_os("NIGH_REQUIRE_CUDA") {
        Some(value) if value == "1" => Backing::Refused,
        _ => Backing::Allowed,
    }
}

/// How many bytes all inputs have, if they are files.
fn input_size(args: &Args) -> InputSize {
    let size = |file: &PathBuf| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    let sizes: Option<Vec<u64>> = args.files.iter().map(size).collect();
    sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.iter().sum())
}

fn batch_bytes(args: &Args) -> Option<usize> {
    args.batch_size.and_then(|size| usize::try_from(size).ok())
}

/// What ends a line.
fn terminator(args: &Args) -> u8 {
    if args.null_data { 0 } else { b'\n' }
}

fn limits(args: &Args) -> Limits {
    Limits { keep: if args.invert { Keep::Others } else { Keep::Matching }, most: args.max_count }
}

fn prefix(args: &Args, several: bool) -> Prefix {
    Prefix {
        file: (several || args.with_filename) && !args.no_filename,
        line: args.line_number,
        byte: args.byte_offset,
        cost: args.cost,
        null: args.null,
        colours: colours(args.color),
    }
}

/// The reports that are the same for lines and records, if one of them is asked for.
fn common_report(args: &Args, prefix: Prefix) -> Option<Box<dyn Report>> {
    let limits = limits(args);
    let list = match (args.quiet, args.list_with, args.list_without) {
        (true, _, _) => Some(List::Nothing),
        (false, true, _) => Some(List::With),
        (false, false, true) => Some(List::Without),
        (false, false, false) => None,
    };
    match list {
        Some(list) => Some(Box::new(FilesReport::new(list, limits, prefix))),
        None if args.count => Some(Box::new(CountReport::new(limits, prefix))),
        None => None,
    }
}

fn text_lane(args: &Args, sources: &[PatternSource], several: bool) -> Result<Lane> {
    let alphabet = if args.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, patterns(args, alphabet, sources)?)?;
    let prefix = prefix(args, several);
    let (report, long): (Box<dyn Report>, _) = match common_report(args, prefix) {
        Some(report) => (report, LongLines::Cut),
        None if args.ends => (Box::new(RowReport::new(Arc::new(EndRows), limits(args), None)), LongLines::Cut),
        None => (Box::new(grep_report(args, prefix)), LongLines::Whole),
    };
    let format = Format::Lines { terminator: terminator(args), long };
    Ok(Lane { engine, report, format, batch_bytes: batch_bytes(args) })
}

fn grep_report(args: &Args, prefix: Prefix) -> GrepReport {
    let separator = bytes_of(&args.group_separator).to_vec();
    let (before, after) = (args.before_context.or(args.context), args.after_context.or(args.context));
    // Context of no lines makes groups too.
    let grouped = before.is_some() || after.is_some();
    let lines = |number: u64| usize::try_from(number).ok();
    let context = Context {
        before: before.and_then(lines).unwrap_or(0),
        after: after.and_then(lines).unwrap_or(0),
        separator: (grouped && !args.no_group_separator).then_some(separator),
    };
    let show = if args.only_matching { Show::Matches } else { Show::Lines };
    let binary = if args.text { Binary::Text } else { Binary::Announced };
    GrepReport::new(limits(args), show, prefix, context, binary)
}

fn sequence_lane(args: &Args, sources: &[PatternSource], several: bool) -> Result<Lane> {
    let named_protein = |file: &std::path::PathBuf| sequence_extension(file).as_deref() == Some(AMINO_ACIDS);
    let proteins = args.files.iter().filter(|file| named_protein(file)).count();
    let alphabet = match args.protein || (proteins > 0 && proteins == args.files.len()) {
        true => Alphabet::Protein,
        false if proteins > 0 => {
            bail!("amino acids and other inputs cannot be searched at once, except with --protein")
        }
        false => Alphabet::Dna,
    };
    let engine = make_engine(args, patterns(args, alphabet, sources)?)?;
    let report = match common_report(args, prefix(args, several)) {
        Some(report) => report,
        None => {
            let rows = TsvRows { file: args.with_filename && !args.no_filename };
            let header = args.header.then(|| rows.header());
            Box::new(RowReport::new(Arc::new(rows), limits(args), header))
        }
    };
    Ok(Lane { engine, report, format: Format::Fasta, batch_bytes: batch_bytes(args) })
}
