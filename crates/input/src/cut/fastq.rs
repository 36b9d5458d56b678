//! Cuts FASTQ into batches of whole records of any length.
//!
//! A record is a line with `@` and a name, lines of residues up to a line that starts with `+`, and lines with as
//! many quality symbols as residues (Cock et al. 2010). `@` and `+` may also start a quality line, so records are
//! found by counting. Linear in the input; memory is bounded by the batch and the longest record.

use std::ops::Range;

use bstr::ByteSlice;
use memchr::memchr;

use super::{Cut, Cutter, InputEnd};
use crate::error::InputError;
use nigh_text::alphabet::{count_residues, is_residue};
use nigh_text::batch::{Layout, RecordName, Segment};

/// Cuts FASTQ into batches; holds the state between two batches.
pub(crate) struct FastqCutter {
    /// Number of lines before the carry.
    lines: u64,
}

/// Parses records line by line.
struct RecordParser<'a> {
    bytes: &'a [u8],
    /// Whether the input ends with `bytes`.
    ended: bool,
    /// Offset of the next byte to parse.
    at: usize,
    lines: u64,
}

/// The result of parsing at the current position.
enum Parsed {
    Record(Segment),
    /// The record is incomplete, or there is none.
    Incomplete,
}

impl FastqCutter {
    pub(crate) fn new() -> Self {
        FastqCutter { lines: 0 }
    }
}

impl Cutter for FastqCutter {
    fn cut(&mut self, bytes: &[u8], end: InputEnd, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let ended = end == InputEnd::Reached;
        let mut parser = RecordParser { bytes, ended, at: 0, lines: self.lines };
        let mut segments = Vec::new();
        loop {
            match parser.record() {
                Ok(Parsed::Record(segment)) => segments.push(segment),
                Ok(Parsed::Incomplete) => break,
                // The records before the error are searched first. The next call finds the error again.
                Err(_) if !segments.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        let Some(end) = segments.last().map(|segment| segment.record.end) else { return Ok(None) };
        self.lines = parser.lines;
        carry.clear();
        carry.extend_from_slice(&bytes[end..]);
        Ok(Some(Cut { owned: 0..end, length: end, layout: Layout::Records(segments), records: None }))
    }
}

impl RecordParser<'_> {
    /// Parses the record at the current position. Restores the position unless the record is complete.
    fn record(&mut self) -> Result<Parsed, InputError> {
        let before = (self.at, self.lines);
        let found = self.whole_record();
        if !matches!(found, Ok(Parsed::Record(_))) {
            (self.at, self.lines) = before;
        }
        found
    }

    fn whole_record(&mut self) -> Result<Parsed, InputError> {
        while self.bytes.get(self.at).is_some_and(|&byte| !is_residue(byte)) {
            self.lines += u64::from(self.bytes[self.at] == b'\n');
            self.at += 1;
        }
        let (start, line) = (self.at, self.lines + 1);
        match self.bytes.get(start) {
            None => return Ok(Parsed::Incomplete),
            Some(b'@') => {}
            Some(_) => return Err(malformed(line, "a FASTQ record must begin with '@'".to_owned())),
        }
        let Some(header) = self.line() else { return Ok(Parsed::Incomplete) };
        let length = self.bytes[start + 1..header.end].iter().take_while(|&&byte| is_residue(byte)).count();
        let name = start + 1..start + 1 + length;
        let wrong = |problem: String| {
            malformed(line, format!("record '{}': {problem}", self.bytes[name.clone()].to_str_lossy()))
        };
        let mut body = RecordParser { at: self.at, ..*self };
        let Some((bytes, residues)) = body.sequence(header.end).map_err(wrong)? else { return Ok(Parsed::Incomplete) };
        if !body.quality(residues).map_err(wrong)? {
            return Ok(Parsed::Incomplete);
        }
        (self.at, self.lines) = (body.at, body.lines);
        let record = start..self.at;
        let name = RecordName::Here(name);
        Ok(Parsed::Record(Segment { name, bytes, record, position: 0, continues: false, opens: true, closes: true }))
    }

    /// Reads up to the line with `+`. Returns the range between the header and that line, and its number of residues;
    /// `None` if the line has not been read yet.
    fn sequence(&mut self, header_end: usize) -> Result<Option<(Range<usize>, usize)>, String> {
        let mut residues = 0;
        loop {
            let start = self.at;
            let Some(line) = self.line() else {
                return if self.ended { Err("the input ends before the quality".to_owned()) } else { Ok(None) };
            };
            match self.bytes.get(line.start) {
                Some(b'+') if !line.is_empty() => return Ok(Some((header_end..start, residues))),
                // Without this error, a file of another kind would be read to its end in search of '+'.
                Some(b'@') if !line.is_empty() => return Err("the quality is missing".to_owned()),
                _ => residues += count_residues(&self.bytes[line]),
            }
        }
    }

    /// Reads as many quality symbols as there are residues. Returns whether all of them are present.
    fn quality(&mut self, residues: usize) -> Result<bool, String> {
        let mut symbols = 0;
        let mut first = None;
        let wrong = |symbols: usize| format!("quality has {symbols} characters but the sequence has {residues}");
        while symbols < residues || first.is_none() {
            let start = (self.at, self.lines);
            let Some(line) = self.line() else {
                // Without residues, the quality line may be absent.
                let complete = symbols == residues;
                return if self.ended && !complete { Err(wrong(symbols)) } else { Ok(self.ended) };
            };
            let length = count_residues(&self.bytes[line]);
            if residues == 0 && length > 0 {
                // The empty quality line is optional, so this line should be the header of the next record.
                (self.at, self.lines) = start;
                return Ok(true);
            }
            symbols += length;
            let shown = *first.get_or_insert(length);
            if symbols > residues {
                // A first line shorter than the sequence was taken for the first of several quality lines. The error
                // reports the length of this line.
                return Err(wrong(if shown < residues { shown } else { symbols }));
            }
        }
        Ok(true)
    }

    /// Returns the next line without its line end; `None` if it is incomplete.
    fn line(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let end = match memchr(b'\n', &self.bytes[start..]) {
            Some(length) => start + length,
            None if self.ended && start < self.bytes.len() => self.bytes.len(),
            None => return None,
        };
        self.at = self.bytes.len().min(end + 1);
        self.lines += 1;
        Some(start..end)
    }
}

fn malformed(line: u64, problem: String) -> InputError {
    InputError::Malformed { line, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `step` bytes at a time. Returns the name and text of every record, and the error, if there is one.
    fn read(bytes: &[u8], step: usize) -> (Vec<(String, String)>, Option<String>) {
        let (mut cutter, mut carry, mut found) = (FastqCutter::new(), Vec::new(), Vec::new());
        let (mut held, mut at) = (Vec::new(), 0);
        loop {
            let next = bytes.len().min(at + step);
            held.extend_from_slice(&bytes[at..next]);
            (at, carry) = (next, std::mem::take(&mut carry));
            let end = if at == bytes.len() { InputEnd::Reached } else { InputEnd::Ahead };
            match cutter.cut(&held, end, &mut carry) {
                Ok(Some(cut)) => {
                    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                    let Layout::Records(segments) = cut.layout else { panic!("records") };
                    let found_here =
                        |segment: &Segment| (text(segment.name.of(&held)), text(&held[segment.record.clone()]));
                    found.extend(segments.iter().map(found_here));
                    held.clone_from(&carry);
                }
                Ok(None) if at == bytes.len() => return (found, None),
                Ok(None) => {}
                Err(error) => return (found, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn records_are_the_same_however_they_are_cut() {
        let records = [
            "@one first\nACGT\n+\n@+@+\n",
            "@two\r\nAC\r\nGT\r\n+two\r\n@@\r\n@I\r\n",
            "@empty\n\n+\n\n",
            "@none\n+\n",
            "@\nA\n+\n+\n",
            "@last\nAC\n+\nII",
        ];
        let expected: Vec<String> = records.iter().map(|&record| record.to_owned()).collect();
        for step in 1..40 {
            let (found, wrong) = read(records.concat().as_bytes(), step);
            assert_eq!(wrong, None, "in steps of {step}");
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["one", "two", "empty", "none", "", "last"]);
            assert!(found.iter().map(|(_, record)| record).eq(&expected), "in steps of {step}: {found:?}");
        }
    }

    #[test]
    fn an_error_follows_the_records_before_it() {
        let good = "@a\nAC\n+\nII\n\n";
        for (bad, words) in [
            ("ACGT\n", "line 6: a FASTQ record must begin with '@'"),
            ("@b\nACGT\n+\nIII\n@c\nA\n+\nI\n", "line 6: record 'b': quality has 3 characters but the sequence has 4"),
            ("@b\nACGT\n+\nIIIII\n", "line 6: record 'b': quality has 5 characters but the sequence has 4"),
            ("@b\nACGT\n+\nII", "line 6: record 'b': quality has 2 characters but the sequence has 4"),
            ("@b\nACGT\n+", "line 6: record 'b': quality has 0 characters but the sequence has 4"),
            ("@b\nACGT\n", "line 6: record 'b': the input ends before the quality"),
            ("@b", "line 6: record 'b': the input ends before the quality"),
            ("@b\nACGT\n@c\nA\n+\nI\n", "line 6: record 'b': the quality is missing"),
            ("@b\n+\nI\n", "line 8: a FASTQ record must begin with '@'"),
        ] {
            for step in 1..30 {
                let (found, wrong) = read(format!("{good}{bad}").as_bytes(), step);
                assert_eq!(wrong.as_deref(), Some(words), "{bad:?} in steps of {step}");
                assert_eq!(found[0].0, "a");
            }
        }
    }
}
