//! SAM: the records are the references, the pattern is the read.
//!
//! The header comes first and names all records with their lengths, which are known at the end: rows wait in a spool.

use std::hash::BuildHasher;
use std::io::{self, Write};

use bstr::ByteSlice;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::rows::RowReport;
use super::spool::Spool;
use super::{Detail, EarlyRows, Findings, Flow, Place, Report, ReportError, Rows, push_cigar, push_name, push_number};
use crate::input::Batch;
use crate::pattern::Strand;

/// The longest name of a read.
const LONGEST_NAME: usize = 254;
/// What a row has where there is no read: no mate, no template.
const NO_MATE: &[u8] = b"\t*\t0\t0\t";
const REVERSE: &[u8] = b"\t16\t";
const FORWARD: &[u8] = b"\t0\t";

/// Eleven columns and `NM:i`. The quality is 255: none is computed.
///
/// A pattern is named by itself, with `_` for what a name cannot hold, and by its number if it is too long.
pub struct SamRows;

impl Rows for SamRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &Place<'_>, out: &mut Vec<u8>) {
        match place.pattern.len() <= LONGEST_NAME {
            true => push_name(place.pattern, |byte| byte.is_ascii_graphic() && byte != b'@', out),
            false => {
                out.extend_from_slice(b"pattern");
                push_number(place.number as u64 + 1, out);
            }
        }
        out.extend_from_slice(if place.strand == Strand::Reverse { REVERSE } else { FORWARD });
        out.extend_from_slice(place.record);
        out.push(b'\t');
        push_number(place.start + 1, out);
        out.extend_from_slice(b"\t255\t");
        push_cigar(place, out);
        out.extend_from_slice(NO_MATE);
        out.extend_from_slice(place.letters.as_bytes());
        out.extend_from_slice(b"\t*\tNM:i:");
        push_number(place.cigar.map_or(0, |cigar| cigar.distance()) as u64, out);
        out.push(b'\n');
    }
}

/// Prints the header and then the rows, when all inputs have ended.
pub struct SamReport {
    rows: RowReport,
    waiting: Spool,
    references: References,
    program: Vec<u8>,
    label: Vec<u8>,
    /// The record that goes on, and its length so far.
    open: Option<(Vec<u8>, u64)>,
}

impl SamReport {
    /// Prints these rows, which are [`SamRows`]; the header names the program by its command line.
    pub fn new(rows: RowReport, command_line: &[u8]) -> Self {
        let mut program = format!("@PG\tID:nigh\tPN:nigh\tVN:{}\tCL:", env!("CARGO_PKG_VERSION")).into_bytes();
        let printed = command_line.iter().map(|&byte| if byte < b' ' || byte == 0x7f { b' ' } else { byte });
        program.extend(printed);
        program.push(b'\n');
        SamReport {
            rows,
            waiting: Spool::new(),
            references: References::default(),
            program,
            label: Vec::new(),
            open: None,
        }
    }

    fn add_reference(&mut self, name: &[u8], length: u64) -> io::Result<()> {
        self.references.add(name, length).map_err(|problem| {
            let (label, name) = (self.label.to_str_lossy().into_owned(), name.to_str_lossy().into_owned());
            ReportError::Record { label, name, problem }.into()
        })
    }
}

impl Report for SamReport {
    fn detail(&self) -> Detail {
        Detail { lengths: true, ..self.rows.detail() }
    }

    fn begin(&mut self, label: &[u8]) {
        self.label = label.to_vec();
        self.rows.begin(label);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        for (segment, &length) in batch.segments().iter().zip(&findings.lengths) {
            let name = &batch.bytes()[segment.name.clone()];
            match segment.closes {
                true => self.add_reference(name, length)?,
                false => self.open = Some((name.to_vec(), length)),
            }
        }
        if batch.segments().last().is_some_and(|segment| segment.closes) {
            self.open = None;
        }
        self.rows.add(batch, findings, &mut self.waiting)?;
        // The header names all records, also those after the last row.
        Ok(Flow::More)
    }

    fn add_rows(&mut self, rows: &EarlyRows, _: &mut dyn Write) -> io::Result<()> {
        self.rows.add_rows(rows, &mut self.waiting)
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        // Only where the input could not be read to its end is a record still open.
        if let Some((name, length)) = self.open.take() {
            self.add_reference(&name, length)?;
        }
        self.rows.end(&mut self.waiting)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"@HD\tVN:1.6\tSO:unknown\n")?;
        out.write_all(&self.references.lines)?;
        out.write_all(&self.program)?;
        self.waiting.drain(|rows| out.write_all(rows))
    }

    fn has_selected(&self) -> bool {
        self.rows.has_selected()
    }
}

/// The lines of the header that name records. They are kept in memory, each once.
#[derive(Default)]
struct References {
    lines: Vec<u8>,
    /// Where in the lines each name stands.
    names: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

const BEFORE_NAME: &[u8] = b"@SQ\tSN:";

impl References {
    /// Adds a record, unless it has no residues, so that no row can name it.
    fn add(&mut self, name: &[u8], length: u64) -> Result<(), &'static str> {
        if length == 0 {
            return Ok(());
        }
        if !is_reference_name(name) {
            return Err("SAM allows no such name; --format tsv does");
        }
        let (lines, hasher) = (&self.lines, &self.hasher);
        let name_at = |start: usize| lines[start..].split(|&byte| byte == b'\t').next().expect("there is a first");
        let hash = hasher.hash_one(name);
        if let Some(&start) = self.names.find(hash, |&start| name_at(start) == name) {
            let length = format!("\tLN:{length}\n").into_bytes();
            return match lines[start + name.len()..].starts_with(&length) {
                true => Ok(()),
                false => Err(
                    "SAM allows a name once, and another record with it has another length; --format tsv takes both",
                ),
            };
        }
        let start = lines.len() + BEFORE_NAME.len();
        self.names.insert_unique(hash, start, |&start| hasher.hash_one(name_at(start)));
        self.lines.extend_from_slice(BEFORE_NAME);
        self.lines.extend_from_slice(name);
        self.lines.extend_from_slice(b"\tLN:");
        push_number(length, &mut self.lines);
        self.lines.push(b'\n');
        Ok(())
    }
}

/// Whether SAM allows a name for a reference.
fn is_reference_name(name: &[u8]) -> bool {
    let allowed = |&byte: &u8| byte.is_ascii_graphic() && !b"\\,\"`'()[]{}<>".contains(&byte);
    name.first().is_some_and(|first| !b"*=".contains(first)) && name.iter().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_the_header_once() {
        let mut references = References::default();
        for (name, length) in [("a", 3), ("ab", 3), ("empty,", 0), ("a", 3)] {
            references.add(name.as_bytes(), length).unwrap();
        }
        assert_eq!(references.lines.to_str_lossy(), "@SQ\tSN:a\tLN:3\n@SQ\tSN:ab\tLN:3\n");
        assert!(references.add(b"a", 33).is_err());
        assert!(
            references.add(b"a,b", 3).is_err() && references.add(b"", 3).is_err() && references.add(b"*", 3).is_err()
        );
    }

    #[test]
    fn many_names_are_all_found_again() {
        let mut references = References::default();
        for number in 0..5000 {
            references.add(format!("record{number}").as_bytes(), number + 1).unwrap();
        }
        let lines = references.lines.clone();
        for number in 0..5000 {
            references.add(format!("record{number}").as_bytes(), number + 1).unwrap();
            assert!(references.add(format!("record{number}").as_bytes(), number + 2).is_err());
        }
        assert!(lines == references.lines);
    }
}
