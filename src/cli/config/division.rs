//! How inputs are divided into lines and batches.

use super::shard;
use crate::cli::args::Args;
use crate::input::{Format, LongLines};

/// How many bytes make a batch, if that is not for the engine to say.
pub(super) fn batch_bytes(args: &Args) -> Option<usize> {
    let shared = args.engine.shard.map(|_| shard::BATCH);
    args.engine.batch_size.and_then(|size| usize::try_from(size).ok()).or(shared)
}

/// What ends a line.
pub(super) fn terminator(args: &Args) -> u8 {
    match (&args.input.delimiter, args.input.null_data) {
        (Some(delimiter), _) => match delimiter.0[..] {
            [byte] if byte.is_ascii() => byte,
            // No symbol of a pattern is kept from matching by what is no symbol.
            _ => 0,
        },
        (None, true) => 0,
        (None, false) => b'\n',
    }
}

/// The last byte of what ends a line.
pub(in crate::cli) fn last_of_line(args: &Args) -> u8 {
    let delimiter = args.input.delimiter.as_ref();
    delimiter.and_then(|delimiter| delimiter.0.last().copied()).unwrap_or(terminator(args))
}

/// How text is divided into lines.
pub(super) fn line_format(args: &Args, long: LongLines) -> Format {
    match &args.input.delimiter {
        Some(delimiter) if delimiter.0.len() > 1 || !delimiter.0.is_ascii() => {
            Format::Delimited { delimiter: delimiter.0.clone(), long }
        }
        None if args.input.crlf => Format::ReturnLines { long },
        _ => match (terminator(args), long) {
            // A NUL byte that ends lines does not tell binary files.
            (0, LongLines::WholeText) => Format::Lines { terminator: 0, long: LongLines::Whole },
            (terminator, _) => Format::Lines { terminator, long },
        },
    }
}
