//! Circular records: copies FASTA inputs so that the first residues of each record are repeated after its end. A match
//! across the origin is then an ordinary match in the copy, with the coordinates of the record.

use std::io::{self, Write};

use super::temporary_file::TemporaryFile;
use super::{Input, SkipReason};
use nigh_core::alphabet::is_residue;
use nigh_input::{Compression, Decoding, Encoding, InputError, Origin, Source, plain};

/// Size of a read, in bytes.
const CHUNK: usize = 128 << 10;

/// Copies an input of sequences to a temporary file, which becomes the origin of the input and must stay open until it
/// is read. The copy repeats the first `extension` residues of each record (all if there are fewer) after its last
/// residue. An input that cannot be opened stays as it is, and the search reports it.
///
/// # Errors
/// The reason why the input is not searched: it is FASTQ or has a read error, or the temporary file cannot be written.
pub(super) fn with_circles(input: &mut Input, extension: u64) -> Result<Option<TemporaryFile>, SkipReason> {
    let spool = |error: io::Error| SkipReason::Unreadable(format!("temporary file: {}", plain(&error)));
    let mut source = match open(input) {
        // Standard input cannot be read a second time to report the error.
        Err(_) if !matches!(input.origin, Origin::Stdin) => return Ok(None),
        Err(error) => return Err(SkipReason::Unreadable(error.to_string())),
        Ok((_, Some(b'@'))) => {
            return Err(SkipReason::Refused("--circular needs FASTA, but this input is FASTQ".to_owned()));
        }
        Ok((source, _)) => source,
    };
    let mut copied = TemporaryFile::new().map_err(spool)?;
    let read = copy(&mut source, &mut copied.file, extension).map_err(spool)?;
    read.map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    input.origin = Origin::File(copied.path.clone());
    let binary = input.decoding.binary;
    input.decoding = Decoding { compression: Compression::Ignored, encoding: Encoding::None, binary };
    Ok(Some(copied))
}

/// Opens an input, and returns the source and its first byte that is not white space; `None` if there is no such byte.
fn open(input: &Input) -> Result<(Source, Option<u8>), InputError> {
    let mut source = Source::open(&input.origin, input.decoding, None)?;
    let first = source.first_symbol()?;
    Ok((source, first))
}

/// Copies a source. The outer result reports write errors, the inner result read errors.
fn copy(source: &mut Source, out: &mut dyn Write, extension: u64) -> io::Result<Result<(), InputError>> {
    let mut circles = CircleWriter::new(out, extension);
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return circles.close().and_then(|()| circles.out.flush()).map(Ok),
            Ok(length) => circles.write(&chunk[..length])?,
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Writes FASTA, and repeats the first residues of each record after its last residue.
struct CircleWriter<'a> {
    out: io::BufWriter<&'a mut dyn Write>,
    /// Maximum length of `head`.
    extension: usize,
    /// The first residues of the current record.
    head: Vec<u8>,
    line: LineState,
}

/// Kind of the line that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// A line before the first record.
    BeforeRecords,
    /// The start of a line after the first header; its kind is not known yet.
    Start,
    /// A header.
    Header,
    /// A line of residues.
    Residues,
}

impl<'a> CircleWriter<'a> {
    fn new(out: &'a mut dyn Write, extension: u64) -> Self {
        let extension = usize::try_from(extension).unwrap_or(usize::MAX);
        let out = io::BufWriter::with_capacity(CHUNK, out);
        CircleWriter { out, extension, head: Vec::new(), line: LineState::BeforeRecords }
    }

    /// Writes the next bytes, which may end anywhere.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match self.line {
                LineState::BeforeRecords if line.iter().find(|&&byte| is_residue(byte)) == Some(&b'>') => {
                    self.line = LineState::Header;
                }
                LineState::Start if line[0] == b'>' => {
                    self.close()?;
                    self.line = LineState::Header;
                }
                LineState::Start => self.line = LineState::Residues,
                LineState::BeforeRecords | LineState::Header | LineState::Residues => {}
            }
            if self.line == LineState::Residues {
                let room = self.extension - self.head.len();
                self.head.extend(line.iter().filter(|&&byte| is_residue(byte)).take(room));
            }
            self.out.write_all(line)?;
            if line.ends_with(b"\n") && self.line != LineState::BeforeRecords {
                self.line = LineState::Start;
            }
        }
        Ok(())
    }

    /// Ends the current record: repeats its first residues on a line of their own.
    fn close(&mut self) -> io::Result<()> {
        if !self.head.is_empty() {
            if self.line != LineState::Start {
                self.out.write_all(b"\n")?;
            }
            self.head.push(b'\n');
            self.out.write_all(&self.head)?;
            self.head.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(fasta: &str, extension: u64, piece: usize) -> String {
        let mut copied = Vec::new();
        let mut circles = CircleWriter::new(&mut copied, extension);
        fasta.as_bytes().chunks(piece).for_each(|bytes| circles.write(bytes).unwrap());
        circles.close().unwrap();
        drop(circles);
        String::from_utf8(copied).unwrap()
    }

    #[test]
    fn the_first_residues_of_a_record_follow_its_end() {
        let fasta = "\n>a > x\nAC\nGT A\n\n>b\n>c\r\nAC\r\n";
        for piece in 1..fasta.len() {
            assert_eq!(extended(fasta, 3, piece), "\n>a > x\nAC\nGT A\n\nACG\n>b\n>c\r\nAC\r\nAC\n", "{piece}");
            assert_eq!(extended(">a\nACG", 2, piece), ">a\nACG\nAC\n", "{piece}");
        }
    }
}
