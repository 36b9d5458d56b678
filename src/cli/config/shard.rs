//! `--shard`: restricts the search to a part of the input.

use std::fs;

use anyhow::{Context, Result, anyhow, bail};

use crate::cli::args::{Args, Output, ShardChoice};
use crate::cli::messages::remedy;
use nigh_input::{Origin, text_length};
use nigh_report::HitSelection;
use nigh_search::{Entry, Input, InputKind, Search, Shard};

/// Default batch size in bytes. It is fixed, because an engine's choice may differ between processes, which must agree.
pub(super) const BATCH: usize = 2 << 20;

/// Returns whether records and lines must not be cut, so that each of them is counted in only one part of the input.
pub(super) fn counts_items(args: &Args) -> bool {
    args.engine.shard.is_some() && (args.has_form(Output::Count) || args.output.stats)
}

/// Restricts a search to the part of the input that `--shard` names. Refuses options and inputs for which the outputs
/// of the parts would not make up the output of the whole search.
pub(super) fn share(args: &Args, search: &mut Search) -> Result<()> {
    let Some(ShardChoice { part, parts, size }) = args.engine.shard else { return Ok(()) };
    // The lines of text are whole, so their best hits do not depend on another part.
    if search.sequences.as_ref().is_some_and(|route| route.needs().hits != HitSelection::All) {
        bail!(
            "--shard cannot be used where only the best hits are printed, because a better one may be in another shard; add --hits all, or omit --shard"
        );
    }
    let inputs = std::mem::replace(&mut search.inputs, Box::new(std::iter::empty()));
    let entries: Vec<Entry> = inputs.collect();
    let inputs: Vec<&Input> = entries.iter().filter_map(Entry::input).collect();
    check_inputs(args, &inputs, size)?;
    let lengths = inputs.into_iter().map(text_bytes);
    search.shard = Some(Shard { index: part - 1, count: parts, total: lengths.sum::<Result<u64>>()? });
    search.inputs = Box::new(entries.into_iter());
    Ok(())
}

/// Refuses `--invert-match` of sequences unless they are counted, inputs that are not regular files, and a total size
/// of the files that is not the `expected` one.
fn check_inputs(args: &Args, inputs: &[&Input], expected: Option<u64>) -> Result<()> {
    if args.patterns.invert
        && !args.has_form(Output::Count)
        && inputs.iter().any(|input| input.kind == InputKind::Sequences)
    {
        bail!("--invert-match of sequences cannot be used with --shard, since a record can have hits in another part");
    }
    if let Some(stream) = inputs.iter().find(|input| is_stream(input)) {
        bail!(
            "{}: not a regular file; --shard needs files that every process can read",
            String::from_utf8_lossy(&stream.label)
        );
    }
    let size: u64 = inputs.iter().filter_map(|input| input.origin.size()).sum();
    match expected {
        Some(expected) if expected != size => {
            bail!(
                "--shard expects {expected} bytes of input, but the files now have {size}; if the files still change, search copies"
            )
        }
        _ => Ok(()),
    }
}

/// Returns the length in bytes of an input's text. All processes must compute the same length; otherwise matches would
/// be lost or found twice.
fn text_bytes(input: &Input) -> Result<u64> {
    let label = || format!("{}: --shard cannot determine the text length", String::from_utf8_lossy(&input.label));
    text_length(&input.origin, input.decoding).map_err(|error| anyhow!("{error}{}", remedy(&error))).with_context(label)
}

/// Returns true if an input can be read only once.
fn is_stream(input: &Input) -> bool {
    match &input.origin {
        Origin::Stdin => input.origin.size().is_none(),
        Origin::File(path) => fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()),
    }
}
