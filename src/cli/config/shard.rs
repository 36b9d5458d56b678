//! What part of the input this process searches: `--shard`.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use anyhow::{Result, bail};

use crate::cli::args::{Args, TableFormat};
use crate::input::{Origin, text_length};
use crate::report::Hits;
use crate::search::{Input, Kind, Search, Shard};

/// How many bytes make a batch if nothing is said: what an engine wants may differ from one process to the next.
pub(super) const BATCH: usize = 2 << 20;

/// Gives a search its part of the input; what cannot be printed in parts is refused.
pub(super) fn share(args: &Args, search: &mut Search) -> Result<()> {
    let Some((part, count)) = args.engine.shard else { return Ok(()) };
    check(args, search)?;
    let mut total = 0;
    for input in &search.inputs {
        if is_stream(input) {
            let label = String::from_utf8_lossy(&input.label);
            bail!("--shard is for files, which each process can read: {label} is none");
        }
        // What cannot be read is said when it is searched.
        total += text_length(&input.origin, input.decoding).unwrap_or(0);
    }
    search.shard = Some(Shard { index: part - 1, count, total });
    Ok(())
}

/// Refuses what is more, or less, than what the parts have.
fn check(args: &Args, search: &Search) -> Result<()> {
    let output = &args.output;
    let whole = [
        ("--count", output.count),
        ("--count-matches", output.count_matches),
        ("--files-with-matches", output.list_with),
        ("--files-without-match", output.list_without),
        ("--quiet", output.quiet),
        ("--max-count", output.max_count.is_some()),
        ("--json", output.json),
        ("--stats", output.stats),
        ("--histogram", output.histogram),
        ("--heading", output.heading),
        ("--passthru", output.passthru),
        ("--after-context", output.after_context.is_some()),
        ("--before-context", output.before_context.is_some()),
        ("--context", output.context.is_some()),
        ("--best", args.fuzzy.best.is_some()),
        ("--format sam", args.sequences.format == Some(TableFormat::Sam)),
        ("--format paf", args.sequences.format == Some(TableFormat::Paf)),
        ("--format fasta", args.sequences.format == Some(TableFormat::Fasta)),
    ];
    if let Some((name, _)) = whole.iter().find(|(_, given)| *given) {
        bail!("{name} is about the whole of the input, and --shard searches a part of it");
    }
    let lanes = || [&search.text, &search.sequences].into_iter().flatten();
    if lanes().any(|lane| lane.report.detail().hits == Hits::Best) {
        bail!("which hits are the best can depend on those of another part, so --shard is for --hits all");
    }
    let has_sequences = search.inputs.iter().any(|input| input.kind == Kind::Sequences);
    if has_sequences && args.patterns.invert {
        bail!("a record can have hits in another part, so --shard is not for --invert-match of sequences");
    }
    Ok(())
}

/// Whether an input can be read once only.
fn is_stream(input: &Input) -> bool {
    match &input.origin {
        Origin::Stdin => input.origin.size().is_none(),
        Origin::File(path) => fs::metadata(path).is_ok_and(|metadata| {
            let kind = metadata.file_type();
            kind.is_fifo() || kind.is_char_device() || kind.is_socket()
        }),
    }
}
