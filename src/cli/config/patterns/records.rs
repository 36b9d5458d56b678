//! Reads FASTA and FASTQ files of patterns.

use std::io::Cursor;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use bstr::ByteSlice;

use crate::cli::messages::located;
use nigh_input::{Batcher, Format, Source};
use nigh_pattern::{Notation, PatternSource};
use nigh_text::alphabet::{Alphabet, is_residue};
use nigh_text::batch::{Batch, TextBuffer, Window};

/// Returns the file and line of a pattern, as `file:line`; `None` if the pattern is from an argument.
pub(crate) fn place(source: &PatternSource) -> Option<String> {
    source.origin.as_ref().map(|(file, line)| format!("{file}:{line}"))
}

/// Returns the records of a FASTA or FASTQ file as literal patterns, named after the records.
pub(crate) fn records(content: Vec<u8>, file: &str, format: Format) -> Result<Vec<PatternSource>> {
    let file = Arc::<str>::from(file);
    let window = Window { bytes: content.len() + 1, max_match_len: 0, alphabet: Alphabet::Dna };
    let mut batcher = Batcher::new(Source::from_reader(Cursor::new(content)), format, window);
    let (mut sources, mut line) = (Vec::new(), 1);
    let mut next_batch =
        || batcher.next_batch(&mut TextBuffer::default()).map_err(|error| anyhow!(located(&file, &error)));
    while let Some(batch) = next_batch()? {
        let mut at = 0;
        for segment in batch.segments() {
            line += newlines(&batch, at, segment.record.start);
            at = segment.record.start;
            let residues = batch.bytes()[segment.bytes.clone()].iter().copied().filter(|&byte| is_residue(byte));
            let text: Vec<u8> = residues.collect();
            let name = segment.name.of(batch.bytes()).to_vec();
            if text.is_empty() {
                bail!("{file}:{line}: pattern '{}' has no residues", name.to_str_lossy());
            }
            let name = Some(name).filter(|name| !name.is_empty());
            let origin = Some((file.clone(), line));
            sources.push(PatternSource { origin, name, notation: Some(Notation::Literal), ..PatternSource::new(text) });
        }
        line += newlines(&batch, at, batch.owned().end);
    }
    Ok(sources)
}

/// Counts the line feeds in a range of a batch.
fn newlines(batch: &Batch, from: usize, to: usize) -> usize {
    memchr::memchr_iter(b'\n', &batch.bytes()[from..to]).count()
}
