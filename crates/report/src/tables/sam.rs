//! SAM 1.6: the records are the references, the pattern is the read.
//!
//! The header comes first and names all records with their lengths. One row of each read is its primary line. Both are
//! known only at the end, so rows wait in a spool. Memory holds the name of each record and of each read once.

use std::collections::HashMap;
use std::io::{self, Write};
use std::iter::Peekable;
use std::vec::IntoIter;

use indexmap::IndexMap;
use indexmap::map::Entry;
use memchr::{memchr, memrchr};

use crate::fields::{push_cigar, push_name, push_number};
use crate::spool::Spool;
use crate::{
    BadRecords, EarlyRows, ExceededLimit, Findings, Flow, HitRow, InputFault, KnownSize, Report, ReportError,
    ReportNeeds, Rows,
};
use nigh_pattern::Strand;
use nigh_text::batch::Batch;

/// Maximum length of a read's name, in bytes.
const MAX_NAME: usize = 254;
/// The number of bytes of a longer name in messages.
const SHOWN_NAME: usize = 40;
/// The columns that describe the mate and the template, which nigh does not have.
pub const NO_MATE: &[u8] = b"\t*\t0\t0\t";

/// Message for a record whose rows are omitted.
const BAD_NAME: &str = "SAM does not allow the name, so the rows are omitted; use --format tsv to print them";
/// Message for records of different lengths that share a name.
const OTHER_LENGTH: &str = "records with this name differ in length; the header has the greatest length";

/// `FLAG` of a secondary line, indexed by strand. Every waiting row has such a flag, of `FLAG_LENGTH` bytes. At the
/// end, the flags of primary lines are replaced.
pub const SECONDARY: [&[u8]; 2] = [b"256", b"272"];
/// `FLAG` of the primary line of a read, indexed by strand.
const PRIMARY: [&[u8]; 2] = [b"0", b"16"];
/// Length of each flag in [`SECONDARY`], in bytes.
const FLAG_LENGTH: u64 = 3;

/// Rows of eleven columns and `NM:i`. The mapping quality is 255: not available.
///
/// The name of the read is the name of the pattern, with `_` for bytes that are not allowed, or the pattern's number if
/// the name is too long. A record whose name SAM does not allow has no rows; [`SamReport`] reports it.
pub struct SamRows;

impl Rows for SamRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        if !is_reference_name(hit.record) {
            return;
        }
        if hit.pattern.len() <= MAX_NAME {
            push_name(hit.pattern, |byte| byte.is_ascii_graphic() && byte != b'@', out);
        } else {
            out.extend_from_slice(b"pattern");
            push_number(hit.number as u64 + 1, out);
        }
        out.push(b'\t');
        out.extend_from_slice(SECONDARY[usize::from(hit.strand == Strand::Reverse)]);
        out.push(b'\t');
        out.extend_from_slice(hit.record);
        out.push(b'\t');
        push_number(hit.start + 1, out);
        out.extend_from_slice(b"\t255\t");
        push_cigar(hit, out);
        out.extend_from_slice(NO_MATE);
        out.extend_from_slice((hit.letters)().as_bytes());
        out.extend_from_slice(b"\t*\tNM:i:");
        push_number(hit.cigar.map_or(0, |cigar| cigar.distance()) as u64, out);
        out.push(b'\n');
    }
}

/// The tag at the end of each row, which decides on the primary line of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastTag {
    /// `NM:i`: the row with the fewest edits is primary.
    Edits,
    /// `AS:i`: the row with the greatest score is primary.
    Score,
}

/// The program and its command line, for the header.
#[derive(Debug, Clone, Copy)]
pub struct ProgramLine<'a> {
    /// Name of the program.
    pub name: &'a str,
    /// Command line of the program.
    pub command_line: &'a [u8],
}

/// Prints the header and then the rows, after all inputs have ended.
pub struct SamReport {
    rows: Box<dyn Report>,
    /// All rows so far.
    waiting: Spool,
    primaries: Primaries,
    references: References,
    /// The header line `@PG`.
    program: Vec<u8>,
    /// The records of the current input whose names SAM does not allow.
    bad_names: Option<BadRecords>,
    /// The records of the current input that share a name but differ in length.
    other_lengths: Option<BadRecords>,
    /// The name of the record that continues in the next batch, and its length so far in residues.
    open: Option<(Vec<u8>, u64)>,
}

impl SamReport {
    /// Makes a report of `rows`, which must be rows of SAM that end with the tag `last`.
    pub fn new(rows: Box<dyn Report>, last: LastTag, program: ProgramLine<'_>) -> Self {
        let ProgramLine { name, command_line } = program;
        let mut program = format!("@PG\tID:{name}\tPN:{name}\tVN:{}\tCL:", env!("CARGO_PKG_VERSION")).into_bytes();
        let printed = command_line.iter().map(|&byte| if byte < b' ' || byte == 0x7f { b' ' } else { byte });
        program.extend(printed);
        program.push(b'\n');
        SamReport {
            rows,
            waiting: Spool::new(),
            primaries: Primaries { last, reads: HashMap::new(), at: 0 },
            references: References::default(),
            program,
            bad_names: None,
            other_lengths: None,
            open: None,
        }
    }

    /// Adds a record of `length` residues to the header. Skips records without residues, which have no rows.
    fn add_reference(&mut self, name: &[u8], length: u64) {
        let bad = match length {
            0 => return,
            _ if !is_reference_name(name) => (&mut self.bad_names, BAD_NAME),
            _ => match self.references.add(name, length) {
                ReferenceLookup::New | ReferenceLookup::SameLength => return,
                ReferenceLookup::OtherLength => (&mut self.other_lengths, OTHER_LENGTH),
            },
        };
        let (records, problem) = bad;
        records.get_or_insert_with(|| BadRecords::new(name, problem)).count += 1;
    }
}

impl Report for SamReport {
    fn needs(&self) -> ReportNeeds {
        ReportNeeds { lengths: true, ..self.rows.needs() }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.rows.begin(label, size);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        for (segment, &length) in batch.segments().iter().zip(&findings.lengths) {
            let name = segment.name.of(batch.bytes());
            if segment.closes {
                self.add_reference(name, length);
            } else {
                self.open = Some((name.to_vec(), length));
            }
        }
        if batch.segments().last().is_some_and(|segment| segment.closes) {
            self.open = None;
        }
        self.rows.add(
            batch,
            findings,
            &mut PrimaryRowWriter { rows: &mut self.waiting, primaries: &mut self.primaries },
        )?;
        // The header names all records, including those after the last row.
        Ok(Flow::More)
    }

    fn add_rows(&mut self, rows: &EarlyRows, _: &mut dyn Write) -> io::Result<()> {
        self.rows.add_rows(rows, &mut PrimaryRowWriter { rows: &mut self.waiting, primaries: &mut self.primaries })
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        // A record is still open only after a read error.
        if let Some((name, length)) = self.open.take() {
            self.add_reference(&name, length);
        }
        let mut faults =
            self.rows.end(&mut PrimaryRowWriter { rows: &mut self.waiting, primaries: &mut self.primaries })?;
        faults
            .extend([self.bad_names.take(), self.other_lengths.take()].into_iter().flatten().map(InputFault::Records));
        Ok(faults)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        out.write_all(b"@HD\tVN:1.6\tSO:unknown\n")?;
        self.references.write(out)?;
        out.write_all(&self.program)?;
        let mut flags = FlagWriter { primaries: self.primaries.in_order(), at: 0 };
        self.waiting.drain(|rows| flags.write(rows, out))?;
        self.rows.finish(out)
    }

    fn has_selected(&self) -> bool {
        self.rows.has_selected()
    }
}

/// The primary line of each read: the row with the best value in its last tag, and the first of these if there are
/// several.
struct Primaries {
    last: LastTag,
    /// The primary line so far of each read, keyed by the read's name.
    reads: HashMap<Vec<u8>, Primary>,
    /// Number of bytes of all rows so far.
    at: u64,
}

struct Primary {
    /// A number that is greater for a better row.
    rank: i64,
    /// Offset of the row's `FLAG` in the bytes of all rows.
    flag_at: u64,
    /// The `FLAG` to write there.
    flag: &'static [u8],
}

impl Primaries {
    /// Compares the next rows, which must be complete, with the primary lines so far. Fails if the name of a read is
    /// too long.
    fn note(&mut self, rows: &[u8]) -> Result<(), ReportError> {
        let mut start = 0;
        while let Some(length) = memchr(b'\n', &rows[start..]) {
            self.note_row(&rows[start..start + length], self.at + start as u64)?;
            start += length + 1;
        }
        self.at += rows.len() as u64;
        Ok(())
    }

    /// Compares one row with the primary line of its read. `at` is the row's offset in the bytes of all rows.
    fn note_row(&mut self, row: &[u8], at: u64) -> Result<(), ReportError> {
        let name = memchr(b'\t', row).expect("a row has columns");
        if name > MAX_NAME {
            let start = String::from_utf8_lossy(&row[..SHOWN_NAME]).into_owned();
            return Err(ReportError::LongName { start, length: name, max: MAX_NAME });
        }
        let value = &row[memrchr(b':', row).expect("a row ends with a tag") + 1..];
        let value = std::str::from_utf8(value).ok().and_then(|value| value.parse::<i64>().ok());
        let value = value.expect("the last tag is a number");
        let rank = match self.last {
            LastTag::Edits => -value,
            LastTag::Score => value,
        };
        let known = self.reads.get(&row[..name]);
        if known.is_none_or(|known| rank > known.rank) {
            let strand = usize::from(row[name + 1..].starts_with(SECONDARY[1]));
            let primary = Primary { rank, flag_at: at + name as u64 + 1, flag: PRIMARY[strand] };
            self.reads.insert(row[..name].to_vec(), primary);
        }
        Ok(())
    }

    /// Returns the primary lines in the order of the rows, and removes them.
    fn in_order(&mut self) -> Peekable<IntoIter<Primary>> {
        let mut primaries: Vec<Primary> = std::mem::take(&mut self.reads).into_values().collect();
        primaries.sort_unstable_by_key(|primary| primary.flag_at);
        primaries.into_iter().peekable()
    }
}

/// A writer that passes rows to the spool and finds the primary lines among them.
struct PrimaryRowWriter<'a> {
    rows: &'a mut Spool,
    primaries: &'a mut Primaries,
}

impl Write for PrimaryRowWriter<'_> {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        self.primaries.note(rows)?;
        self.rows.write_all(rows)?;
        Ok(rows.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies rows to the output and replaces the `FLAG` of primary lines.
struct FlagWriter {
    /// The remaining primary lines, in the order of the rows.
    primaries: Peekable<IntoIter<Primary>>,
    /// Number of bytes of rows copied so far.
    at: u64,
}

impl FlagWriter {
    /// Copies the next bytes of the rows, which may end anywhere, even within a `FLAG`.
    fn write(&mut self, mut rows: &[u8], out: &mut dyn Write) -> io::Result<()> {
        while let Some(primary) = self.primaries.peek() {
            let within =
                |at: u64| usize::try_from(at.saturating_sub(self.at)).map_or(rows.len(), |at| at.min(rows.len()));
            let (start, end) = (within(primary.flag_at), within(primary.flag_at + FLAG_LENGTH));
            out.write_all(&rows[..start])?;
            if start < rows.len() && self.at + start as u64 == primary.flag_at {
                out.write_all(primary.flag)?;
            }
            (rows, self.at) = (&rows[end..], self.at + end as u64);
            if self.at < primary.flag_at + FLAG_LENGTH {
                return Ok(());
            }
            self.primaries.next();
        }
        self.at += rows.len() as u64;
        out.write_all(rows)
    }
}

/// The lengths of the records in the header, in residues, keyed by name. They are in the order of first appearance.
#[derive(Default)]
struct References(IndexMap<Box<[u8]>, u64>);

/// The result of looking up the name of a record.
#[derive(Debug, PartialEq, Eq)]
enum ReferenceLookup {
    New,
    SameLength,
    OtherLength,
}

impl References {
    /// Adds a record. If records share a name, stores the greatest length, so that all rows lie within it.
    fn add(&mut self, name: &[u8], length: u64) -> ReferenceLookup {
        match self.0.entry(name.into()) {
            Entry::Vacant(place) => {
                place.insert(length);
                ReferenceLookup::New
            }
            Entry::Occupied(mut known) => {
                let is_same = *known.get() == length;
                *known.get_mut() = length.max(*known.get());
                if is_same { ReferenceLookup::SameLength } else { ReferenceLookup::OtherLength }
            }
        }
    }

    /// Writes the `@SQ` lines of the header.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (name, length) in &self.0 {
            out.write_all(b"@SQ\tSN:")?;
            out.write_all(name)?;
            writeln!(out, "\tLN:{length}")?;
        }
        Ok(())
    }
}

/// Returns whether SAM allows the name for a reference.
pub fn is_reference_name(name: &[u8]) -> bool {
    let allowed = |&byte: &u8| byte.is_ascii_graphic() && !b"\\,\"`'()[]{}<>".contains(&byte);
    name.first().is_some_and(|first| !b"*=".contains(first)) && name.iter().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::RowReport;
    use crate::test_support::{MATCHING, cigar, found, hit, records, row};

    fn header(references: &References) -> String {
        let mut lines = Vec::new();
        references.write(&mut lines).unwrap();
        String::from_utf8(lines).unwrap()
    }

    #[test]
    fn a_name_is_in_the_header_once_with_the_greatest_length() {
        let mut references = References::default();
        let known: Vec<ReferenceLookup> = [("a", 3), ("ab", 3), ("a", 3), ("a", 33), ("a", 2)]
            .map(|(name, length)| references.add(name.as_bytes(), length))
            .into();
        assert_eq!(
            known,
            [
                ReferenceLookup::New,
                ReferenceLookup::New,
                ReferenceLookup::SameLength,
                ReferenceLookup::OtherLength,
                ReferenceLookup::OtherLength
            ]
        );
        assert_eq!(header(&references), "@SQ\tSN:a\tLN:33\n@SQ\tSN:ab\tLN:3\n");
        assert!(["a,b", "", "*", "=a"].iter().all(|name| !is_reference_name(name.as_bytes())));
    }

    #[test]
    fn many_names_are_all_found_again() {
        let mut references = References::default();
        for number in 0..5000 {
            assert_eq!(references.add(format!("record{number}").as_bytes(), number + 2), ReferenceLookup::New);
        }
        let lines = header(&references);
        for number in 0..5000 {
            assert_eq!(references.add(format!("record{number}").as_bytes(), number + 2), ReferenceLookup::SameLength);
            assert_eq!(references.add(format!("record{number}").as_bytes(), number + 1), ReferenceLookup::OtherLength);
        }
        assert_eq!(lines, header(&references));
    }

    #[test]
    fn flags_are_put_in_wherever_the_rows_are_cut() {
        let rows = b"a\t256\tr\tNM:i:1\nb\t272\tr\tNM:i:12\na\t272\tr\tNM:i:0\na\t256\tr\tNM:i:0\nb\t256\tr\tNM:i:12\n";
        let expected =
            "a\t256\tr\tNM:i:1\nb\t16\tr\tNM:i:12\na\t16\tr\tNM:i:0\na\t256\tr\tNM:i:0\nb\t256\tr\tNM:i:12\n";
        for size in 1..rows.len() {
            let mut primaries = Primaries { last: LastTag::Edits, reads: HashMap::new(), at: 0 };
            rows.split_inclusive(|&byte| byte == b'\n').for_each(|row| primaries.note(row).unwrap());
            let (mut flags, mut out) = (FlagWriter { primaries: primaries.in_order(), at: 0 }, Vec::new());
            rows.chunks(size).for_each(|piece| flags.write(piece, &mut out).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_row_is_1_based_and_named_after_the_pattern() {
        let cigar = cigar("2=1X3=");
        let expected = "site_1\t256\tchr1\t11\t255\t2=1X3=\t*\t0\t0\tACGTAC\t*\tNM:i:1\n";
        assert_eq!(row(&SamRows, &hit(&cigar)), expected);
        let long = [b'p'; MAX_NAME + 1];
        let printed = row(&SamRows, &HitRow { pattern: &long, number: 6, strand: Strand::Reverse, ..hit(&cigar) });
        assert!(printed.starts_with("pattern7\t272\tchr1\t"), "{printed}");
    }

    #[test]
    fn a_read_with_a_longer_name_than_sam_allows_is_an_error() {
        let row = |length: usize| format!("{}\t256\tchr1\t1\t255\t1=\tAS:i:1\n", "q".repeat(length)).into_bytes();
        let mut primaries = Primaries { last: LastTag::Score, reads: HashMap::new(), at: 0 };
        primaries.note(&row(MAX_NAME)).unwrap();
        let error = primaries.note(&row(MAX_NAME + 1)).unwrap_err().to_string();
        assert!(error.contains("has 255 characters, but SAM allows at most 254; use a shorter name"), "{error}");
    }

    #[test]
    fn the_header_names_all_records_and_comes_before_the_rows() {
        let batch = records(">chr1\nACGTACGT\n>chr2\nAC\n>a,b\nACG\n", 1000).remove(0);
        let (exact, near) = (cigar("6="), cigar("5=1X"));
        let hits = [(0, hit(&near)), (0, hit(&exact)), (2, HitRow { record: b"a,b", ..hit(&exact) })];
        let findings = found(&batch, &SamRows, &hits);
        let mut report = SamReport::new(
            Box::new(RowReport::new(Arc::new(SamRows), MATCHING)),
            LastTag::Edits,
            ProgramLine { name: "nigh", command_line: b"nigh\tx" },
        );
        report.begin(b"in", &|| None);
        let mut waiting = Vec::new();
        report.add(&batch, &findings, &mut waiting).unwrap();
        let faults = report.end(&mut waiting).unwrap();
        assert_eq!(waiting, b"", "rows wait for the header");
        let [InputFault::Records(bad)] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!(bad.to_string(), format!("record 'a,b': {BAD_NAME}"));
        let mut out = Vec::new();
        report.finish(&mut out).unwrap();
        let printed = String::from_utf8(out).unwrap();
        let header = "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:chr1\tLN:8\n@SQ\tSN:chr2\tLN:2\n@PG\tID:nigh\tPN:nigh\t";
        assert!(printed.starts_with(header) && printed.contains("\tCL:nigh x\nsite_1\t256\tchr1"), "{printed}");
        assert!(printed.contains("\nsite_1\t0\tchr1\t11\t255\t6=\t"), "the best row is the primary one: {printed}");
    }
}
