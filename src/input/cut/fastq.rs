//! Cuts FASTQ into batches of whole records, however long one is.
//!
//! A record is a line with `@` and a name, lines of residues up to one that begins with `+`, and lines of as many quality
//! symbols as there were residues. So `@` and `+` may begin a line of quality too.

use std::ops::Range;

use bstr::ByteSlice;
use memchr::memchr;

use super::{Cut, Cutter, End};
use crate::alphabet::{count_residues, is_residue};
use crate::input::batch::{Layout, Segment};
use crate::input::error::InputError;

/// Where the input is, between two batches.
pub(crate) struct FastqCutter {
    /// How many lines came before.
    lines: u64,
}

/// Reads one line after the other.
struct Reading<'a> {
    bytes: &'a [u8],
    ended: bool,
    at: usize,
    lines: u64,
}

/// What there is at some place.
enum Found {
    Record(Segment),
    /// Not yet all of a record, or nothing.
    Nothing,
}

impl FastqCutter {
    pub(crate) fn new() -> Self {
        FastqCutter { lines: 0 }
    }
}

impl Cutter for FastqCutter {
    fn cut(&mut self, bytes: &[u8], end: End, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError> {
        let ended = end == End::Reached;
        let mut reading = Reading { bytes, ended, at: 0, lines: self.lines };
        let mut segments = Vec::new();
        loop {
            match reading.record() {
                Ok(Found::Record(segment)) => segments.push(segment),
                Ok(Found::Nothing) => break,
                // It is met again when what is before it has been searched.
                Err(_) if !segments.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        let Some(end) = segments.last().map(|segment| segment.record.end) else { return Ok(None) };
        self.lines = reading.lines;
        carry.clear();
        carry.extend_from_slice(&bytes[end..]);
        Ok(Some(Cut { owned: 0..end, length: end, layout: Layout::Records(segments) }))
    }
}

impl Reading<'_> {
    /// Reads the record that must stand here; where there is not all of it, nothing is read.
    fn record(&mut self) -> Result<Found, InputError> {
        let before = (self.at, self.lines);
        let found = self.whole_record();
        if !matches!(found, Ok(Found::Record(_))) {
            (self.at, self.lines) = before;
        }
        found
    }

    fn whole_record(&mut self) -> Result<Found, InputError> {
        while self.bytes.get(self.at).is_some_and(|&byte| !is_residue(byte)) {
            self.lines += u64::from(self.bytes[self.at] == b'\n');
            self.at += 1;
        }
        let (start, line) = (self.at, self.lines + 1);
        match self.bytes.get(start) {
            None => return Ok(Found::Nothing),
            Some(b'@') => {}
            Some(_) => return Err(malformed(line, "a FASTQ record must begin with '@'".to_owned())),
        }
        let Some(header) = self.line() else { return Ok(Found::Nothing) };
        let length = self.bytes[start + 1..header.end].iter().take_while(|&&byte| is_residue(byte)).count();
        let name = start + 1..start + 1 + length;
        let wrong = |problem: String| {
            malformed(line, format!("record '{}': {problem}", self.bytes[name.clone()].to_str_lossy()))
        };
        let mut body = Reading { at: self.at, ..*self };
        let Some((bytes, residues)) = body.sequence(header.end).map_err(wrong)? else { return Ok(Found::Nothing) };
        if !body.quality(residues).map_err(wrong)? {
            return Ok(Found::Nothing);
        }
        (self.at, self.lines) = (body.at, body.lines);
        let record = start..self.at;
        Ok(Found::Record(Segment { name, bytes, record, position: 0, continues: false, opens: true, closes: true }))
    }

    /// Reads to the line with `+`. Gives what is between it and the end of the header, and how many residues that are;
    /// `None` if the line is not to be seen yet.
    fn sequence(&mut self, header_end: usize) -> Result<Option<(Range<usize>, usize)>, String> {
        let mut residues = 0;
        loop {
            let start = self.at;
            let Some(line) = self.line() else {
                return if self.ended { Err("the input ends before the quality".to_owned()) } else { Ok(None) };
            };
            match self.bytes.get(line.start) {
                Some(b'+') if !line.is_empty() => return Ok(Some((header_end..start, residues))),
                // So no file of another kind is read to its end for a line with '+'.
                Some(b'@') if !line.is_empty() => return Err("the quality is missing".to_owned()),
                _ => residues += count_residues(&self.bytes[line]),
            }
        }
    }

    /// Reads as many symbols of quality as there are residues. Whether they are all there.
    fn quality(&mut self, residues: usize) -> Result<bool, String> {
        let mut symbols = 0;
        let mut first = None;
        let wrong = |symbols: usize| format!("quality has {symbols} characters but the sequence has {residues}");
        while symbols < residues || first.is_none() {
            let start = (self.at, self.lines);
            let Some(line) = self.line() else {
                // No line need follow if no quality is missing.
                let complete = symbols == residues;
                return if self.ended && !complete { Err(wrong(symbols)) } else { Ok(self.ended) };
            };
            let length = count_residues(&self.bytes[line]);
            if residues == 0 && length > 0 {
                // The next record, or what should be one: an empty line is there only if somebody wrote it.
                (self.at, self.lines) = start;
                return Ok(true);
            }
            symbols += length;
            let shown = *first.get_or_insert(length);
            if symbols > residues {
                // What was too short first was taken for more than a line.
                return Err(wrong(if shown < residues { shown } else { symbols }));
            }
        }
        Ok(true)
    }

    /// The next line without its end, if that is there.
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

    /// Name and record of everything in some bytes, and what is wrong with the rest.
    fn read(bytes: &[u8], step: usize) -> (Vec<(String, String)>, Option<String>) {
        let (mut cutter, mut carry, mut found) = (FastqCutter::new(), Vec::new(), Vec::new());
        let (mut held, mut at) = (Vec::new(), 0);
        loop {
            let next = bytes.len().min(at + step);
            held.extend_from_slice(&bytes[at..next]);
            (at, carry) = (next, std::mem::take(&mut carry));
            let end = if at == bytes.len() { End::Reached } else { End::Ahead };
            match cutter.cut(&held, end, &mut carry) {
                Ok(Some(cut)) => {
                    let text = |range: &Range<usize>| String::from_utf8(held[range.clone()].to_vec()).unwrap();
                    let Layout::Records(segments) = cut.layout else { panic!("records") };
                    found.extend(segments.iter().map(|segment| (text(&segment.name), text(&segment.record))));
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
    fn what_is_wrong_is_said_after_what_is_right() {
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
