//! Encodes hits as rows of bytes, and decodes them.
//!
//! Workers encode hits as rows, and the pipeline puts the rows in order. The decoder is the writer to which the search
//! prints. It passes the hits to the caller, in the caller's thread.

use std::io::{self, Write};
use std::ops::ControlFlow;

use crate::report::{Findings, Flow, HitRow, Report, ReportNeeds, RowReport, Rows, push_match};
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::Batch;
use nigh_core::interrupt;
use nigh_core::pattern::Strand;

/// An event in the search of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileEvent<'a> {
    /// A hit.
    Hit(FileHit<'a>),
    /// A piece of the file, of at most a few megabytes, was searched. The caller may use this event to end the search.
    /// There is no such event while the text before a part is skipped.
    Progress,
    /// A message about the file, which was searched nevertheless.
    Warning(&'a str),
}

/// A hit in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileHit<'a> {
    /// Name of the record; `None` in text.
    pub record: Option<&'a [u8]>,
    /// Start of the match: the number of residues of the record, or of bytes of the file's text, before the match.
    pub start: u64,
    /// End of the match, in the same unit.
    pub end: u64,
    /// Index of the pattern.
    pub pattern: usize,
    /// Smallest number of edits of a match with this end.
    pub distance: usize,
    /// Strand of the pattern.
    pub strand: Strand,
    /// The alignment, in text order.
    pub cigar: &'a str,
    /// The matched text, without the line breaks of a sequence.
    pub text: &'a [u8],
}

/// First byte of an encoded event: a hit, or progress.
const HIT: u8 = 0;
const PROGRESS: u8 = 1;

/// Encodes hits. An encoded hit consists of the byte [`HIT`], the numbers, the sign of the strand, the CIGAR, the
/// matched text and the name. Before each of the last three is its length.
pub(super) struct EncodedRows;

impl Rows for EncodedRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        out.push(HIT);
        for number in [hit.start, hit.end, hit.number as u64, hit.distance as u64] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(hit.strand.sign());
        encode_field(out, |out| {
            if let Some(cigar) = hit.cigar {
                write!(out, "{cigar}").expect("a vector takes any bytes");
            }
        });
        encode_field(out, |out| push_match(hit, out));
        encode_field(out, |out| out.extend_from_slice(hit.record));
    }
}

/// Appends what `write` appends, with its length before it.
fn encode_field(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 8]);
    write(out);
    let length = (out.len() - at - 8) as u64;
    out[at..at + 8].copy_from_slice(&length.to_le_bytes());
}

/// A report of rows that also writes a progress event after each batch.
pub(super) struct HeartbeatReport(pub(super) RowReport);

impl Report for HeartbeatReport {
    fn needs(&self) -> ReportNeeds {
        self.0.needs()
    }

    fn begin(&mut self, label: &[u8]) {
        self.0.begin(label);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        let flow = self.0.add(batch, findings, out)?;
        out.write_all(&[PROGRESS])?;
        Ok(flow)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.end(out)
    }

    fn has_selected(&self) -> bool {
        self.0.has_selected()
    }
}

/// A writer that decodes the output of the search and passes the events to the caller.
pub(super) struct Decoder<'e> {
    each: &'e mut dyn FnMut(FileEvent<'_>) -> ControlFlow<()>,
    alphabet: Alphabet,
    /// Bytes that are not a whole row yet.
    pending: Vec<u8>,
    flow: ControlFlow<()>,
}

impl<'e> Decoder<'e> {
    pub(super) fn new(each: &'e mut dyn FnMut(FileEvent<'_>) -> ControlFlow<()>, alphabet: Alphabet) -> Self {
        Decoder { each, alphabet, pending: Vec::new(), flow: ControlFlow::Continue(()) }
    }

    /// Returns whether the caller has ended the search.
    pub(super) fn is_stopped(&self) -> bool {
        self.flow.is_break()
    }

    pub(super) fn warn(&mut self, message: &str) {
        self.flow = (self.each)(FileEvent::Warning(message));
    }

    /// Passes on the whole rows at the start of `bytes`, and returns the rest.
    fn pass<'b>(&mut self, mut bytes: &'b [u8]) -> io::Result<&'b [u8]> {
        while let Some((event, rest)) = decoded(bytes, self.alphabet) {
            interrupt::check();
            self.flow = (self.each)(event);
            if self.is_stopped() {
                return Err(io::Error::other("the caller ended the search"));
            }
            bytes = rest;
        }
        Ok(bytes)
    }
}

impl Write for Decoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.is_empty() {
            let rest = self.pass(bytes)?;
            self.pending.extend_from_slice(rest);
        } else {
            let mut pending = std::mem::take(&mut self.pending);
            pending.extend_from_slice(bytes);
            let rest = self.pass(&pending)?.len();
            pending.drain(..pending.len() - rest);
            self.pending = pending;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Decodes the first event of `bytes`, and returns it with the bytes after it; `None` if it is incomplete.
fn decoded(bytes: &[u8], alphabet: Alphabet) -> Option<(FileEvent<'_>, &[u8])> {
    let (&first, bytes) = bytes.split_first()?;
    if first == PROGRESS {
        return Some((FileEvent::Progress, bytes));
    }
    let (start, bytes) = number(bytes)?;
    let (end, bytes) = number(bytes)?;
    let (pattern, bytes) = number(bytes)?;
    let (distance, bytes) = number(bytes)?;
    let (&sign, bytes) = bytes.split_first()?;
    let (cigar, bytes) = field(bytes)?;
    let (text, bytes) = field(bytes)?;
    let (record, bytes) = field(bytes)?;
    let hit = FileHit {
        record: alphabet.is_sequence().then_some(record),
        start,
        end,
        pattern: pattern as usize,
        distance: distance as usize,
        strand: if sign == Strand::Reverse.sign() { Strand::Reverse } else { Strand::Forward },
        cigar: std::str::from_utf8(cigar).expect("a CIGAR is ASCII"),
        text,
    };
    Some((FileEvent::Hit(hit), bytes))
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), rest))
}

/// Decodes a length and a field of that length. Returns the field and the bytes after it.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}
