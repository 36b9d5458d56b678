//! The inputs of a search for products.

use std::fs;
use std::path::Path;

use super::args::PcrArgs;
use crate::cli::args::label;
use crate::cli::config::{Content, ReadAs, Stdin};
use crate::cli::messages::closed_stream;
use nigh_input::{Decoding, Origin};
use nigh_search::{Entry, Input, InputKind, RecordFormat, SkipReason};
use nigh_verify::InputSize;

/// The way in which files are read.
const READ_AS: ReadAs = ReadAs::Sequences(RecordFormat::Fasta);

/// Returns the inputs in the order of the arguments, or standard input if there are none.
pub(super) fn inputs(args: &PcrArgs, stdin: Stdin) -> Vec<Entry> {
    match args.files.is_empty() {
        true => vec![entry(Path::new("-"), stdin)],
        false => args.files.iter().map(|file| entry(file, stdin)).collect(),
    }
}

fn entry(file: &Path, stdin: Stdin) -> Entry {
    let is_stdin = file == Path::new("-");
    let label = label(file);
    if is_stdin && stdin == Stdin::Closed {
        return Entry::NotSearched(label, SkipReason::Unreadable(closed_stream()));
    }
    if !is_stdin && let Some(words) = refusal(file) {
        return Entry::NotSearched(label, SkipReason::Refused(words));
    }
    Entry::Input(Input {
        origin: if is_stdin { Origin::Stdin } else { Origin::File(file.to_owned()) },
        label,
        decoding: Decoding::AUTOMATIC,
        kind: InputKind::Sequences,
        records: READ_AS.records_of(file),
        max_distance: None,
        mates: None,
    })
}

/// Returns the reason why a file is not searched that its name shows, if there is one.
fn refusal(file: &Path) -> Option<String> {
    match READ_AS.content_of(file) {
        Content::Text | Content::Nucleotides => None,
        Content::AminoAcids => Some("holds amino acids, but primers are nucleotides".to_owned()),
        Content::Foreign(format) => {
            let conversion = format.conversion(&file.to_string_lossy());
            Some(format!("{format} is not supported; use '{conversion} | nigh-pcr PAIRS -'"))
        }
    }
}

/// Returns the number of bytes to be searched; `None` unless all inputs are regular files.
pub(super) fn known_size(args: &PcrArgs) -> InputSize {
    let size = |file| fs::metadata(file).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    if args.files.is_empty() { None } else { args.files.iter().map(size).sum() }
}
