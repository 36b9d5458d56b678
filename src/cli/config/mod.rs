//! From parsed arguments to a search that is checked and ready to run.

mod engines;
mod inputs;
mod patterns;
mod reports;
mod sources;
mod tables;

use std::sync::Arc;

use anyhow::{Result, bail};

use self::engines::make_engine;
pub(super) use self::inputs::known_size;
use self::inputs::{AMINO_ACIDS, inputs, is_output, sequence_extension};
use self::patterns::patterns;
use self::reports::{common_report, grep_report, hits, limits, match_count, prefix};
use self::sources::pattern_sources;
use self::tables::{align_report, table_report};
use super::args::{Args, Strands};
use super::messages::Messages;
use crate::alphabet::Alphabet;
use crate::input::{Format, LongLines};
use crate::pattern::PatternSource;
use crate::report::{EndRows, Hits, Report, RowReport};
use crate::search::{Input, Kind, Lane, Search};

/// The search that the arguments ask for, and whether an input was refused.
pub(super) fn search(args: &Args, messages: &Messages) -> Result<(Search, bool)> {
    let inputs = inputs(args);
    let has = |kind: Kind| inputs.iter().any(|input| input.kind == kind);
    check_options_fit(args, has(Kind::Text), has(Kind::Sequences))?;
    let only = if has(Kind::Text) { Kind::Text } else { Kind::Sequences };
    let sources = pattern_sources(args, only)?;
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
    let watch = None;
    Ok((Search { inputs, text, sequences, watch }, refused))
}

/// Refuses options that mean nothing for the inputs there are.
fn check_options_fit(args: &Args, text: bool, sequences: bool) -> Result<()> {
    let for_lines = [
        ("--line-number", args.output.line_number),
        ("--byte-offset", args.output.byte_offset),
        ("--column", args.output.column),
        ("--vimgrep", args.output.vimgrep),
        ("--passthru", args.output.passthru),
        ("--initial-tab", args.output.initial_tab),
        ("--max-columns", args.output.max_columns.is_some()),
        ("--trim", args.output.trim),
        ("--count-matches", args.output.count_matches),
        ("--heading", args.output.heading),
        ("--after-context", args.output.after_context.is_some()),
        ("--before-context", args.output.before_context.is_some()),
        ("--context", args.output.context.is_some()),
        ("--cost", args.fuzzy.cost),
        ("--ends", args.fuzzy.ends),
        ("--word-regexp", args.patterns.word),
        ("--bytes", args.fuzzy.bytes),
        ("--null-data", args.input.null_data),
    ];
    let for_sequences = [
        ("--protein", args.sequences.protein),
        ("--header", args.sequences.header),
        ("--format", args.sequences.format.is_some()),
        ("--strand", args.sequences.strand != Strands::Both),
    ];
    if let (true, Some((name, _))) = (sequences, for_lines.iter().find(|(_, given)| *given)) {
        bail!("{name} is for lines of text, and an input holds sequences; --text searches their lines");
    }
    if let (true, Some((name, _))) = (text, for_sequences.iter().find(|(_, given)| *given)) {
        bail!("{name} is for sequences, and an input holds text; --fasta takes it for sequences");
    }
    Ok(())
}

fn batch_bytes(args: &Args) -> Option<usize> {
    args.engine.batch_size.and_then(|size| usize::try_from(size).ok())
}

/// What ends a line.
fn terminator(args: &Args) -> u8 {
    if args.input.null_data { 0 } else { b'\n' }
}

fn text_lane(args: &Args, sources: &[PatternSource], several: bool) -> Result<Lane> {
    let alphabet = if args.fuzzy.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, patterns(args, alphabet, sources)?)?;
    let prefix = prefix(args, several);
    let (report, long): (Box<dyn Report>, _) = match common_report(args, prefix.clone()) {
        Some(report) => (report, LongLines::Cut),
        None if args.fuzzy.ends => {
            let rows = RowReport::new(Arc::new(EndRows), limits(args)).hits(hits(args, Hits::All));
            (Box::new(rows), LongLines::Cut)
        }
        None if args.output.align => (align_report(args, alphabet, prefix), LongLines::Cut),
        None if args.fuzzy.hits.is_some() => bail!("--hits is for --ends, --align and sequences"),
        None if args.output.count_matches => (Box::new(match_count(args, prefix)), LongLines::Whole),
        None => (Box::new(grep_report(args, prefix)), LongLines::Whole),
    };
    let format = Format::Lines { terminator: terminator(args), long };
    Ok(Lane { engine, report, format, batch_bytes: batch_bytes(args) })
}

fn sequence_lane(args: &Args, sources: &[PatternSource], several: bool) -> Result<Lane> {
    let named_protein = |file: &std::path::PathBuf| sequence_extension(file).as_deref() == Some(AMINO_ACIDS);
    let proteins = args.files.iter().filter(|file| named_protein(file)).count();
    let alphabet = match args.sequences.protein || (proteins > 0 && proteins == args.files.len()) {
        true => Alphabet::Protein,
        false if proteins > 0 => {
            bail!("amino acids and other inputs cannot be searched at once, except with --protein")
        }
        false => Alphabet::Dna,
    };
    let engine = make_engine(args, patterns(args, alphabet, sources)?)?;
    let report = match common_report(args, prefix(args, several)) {
        Some(report) => report,
        None if args.output.align => align_report(args, alphabet, prefix(args, several)),
        None => table_report(args, alphabet, prefix(args, several))?,
    };
    Ok(Lane { engine, report, format: Format::Fasta { long: LongLines::Cut }, batch_bytes: batch_bytes(args) })
}
