//! Determines how inputs are divided into lines, records and batches.

use std::io::{IsTerminal, stdout};
use std::sync::Arc;

use anyhow::{Context, Result};

use super::shard;
use crate::cli::args::{Args, bytes_of};
use nigh_engine::MatchingLines;
use nigh_input::{Format, LongLines, PauseRule, RecordRule};
use nigh_pattern::PositionRange;
use nigh_report::HitSelection;
use nigh_text::alphabet::Alphabet;

/// Returns the batch size in bytes; `None` if the engine chooses it.
pub(super) fn batch_bytes(args: &Args) -> Option<usize> {
    let shared = args.engine.shard.map(|_| shard::BATCH);
    args.engine.threads.batch_bytes().or(shared)
}

/// Returns the byte that ends a line.
pub(crate) fn terminator(args: &Args) -> u8 {
    if args.input.null_data { 0 } else { b'\n' }
}

/// The largest value of `--near`, in symbols, with which long records are cut into batches. Each batch then begins with
/// three times this number of symbols from the end of the previous batch.
const MAX_GAP: u64 = 1 << 15;

/// Returns the format that divides sequences into records. Records are not cut if positions count from their ends, if
/// `--near` needs partners that may be in distant batches, if the records of a shard are counted, or if gaps are ignored.
pub(super) fn record_format(args: &Args) -> Format {
    if args.sequences.ignore_gaps {
        return Format::GappedFasta;
    }
    let counts_from_end = args.patterns.within.is_some_and(PositionRange::counts_from_end);
    let is_divided = args.engine.shard.is_some() || args.fuzzy.hits == Some(HitSelection::Sites);
    let has_far_partners = args.patterns.near.iter().any(|&gap| gap > MAX_GAP || is_divided);
    let is_whole = counts_from_end || has_far_partners || shard::counts_items(args);
    Format::Fasta { long: if is_whole { LongLines::Whole } else { LongLines::Cut } }
}

/// Returns the format that divides text into lines. `long` is the treatment of long lines that the report needs. Lines
/// are not cut, whatever `long` is, with `--within` or `--near`, or if the lines of a shard are counted.
pub(super) fn line_format(args: &Args, long: LongLines) -> Format {
    let is_whole = args.patterns.within.is_some() || !args.patterns.near.is_empty() || shard::counts_items(args);
    let long = if is_whole { LongLines::Whole } else { long };
    match (terminator(args), long) {
        _ if args.input.crlf => Format::ReturnLines { long },
        // If NUL ends lines, it does not indicate a binary file.
        (0, LongLines::WholeText) => Format::Lines { terminator: 0, long: LongLines::Whole },
        (terminator, _) => Format::Lines { terminator, long },
    }
}

/// The largest number of bytes of a record of lines that is kept whole, without `--memory`.
const MAX_RECORD: usize = 8 << 20;

/// Returns the rule of `--record-start`; `None` if lines form no records.
pub(super) fn record_rule(args: &Args, alphabet: Alphabet) -> Result<Option<RecordRule>> {
    let Some(start) = &args.input.record_start else { return Ok(None) };
    let terminator = terminator(args);
    let starts = MatchingLines::new(bytes_of(start), alphabet, terminator).context("--record-start")?;
    let ends_at_pause = args.output.line_buffered || stdout().is_terminal();
    let max_bytes = args.engine.memory.map_or(MAX_RECORD, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    Ok(Some(RecordRule {
        hides_returns: args.input.crlf,
        pause: if ends_at_pause { PauseRule::EndsRecord } else { PauseRule::Ignored },
        max_bytes,
        ..RecordRule::new(Arc::new(starts), terminator)
    }))
}
