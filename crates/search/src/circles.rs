//! Circular records: a reader of FASTA that repeats the first residues of each record after its end. A match across the
//! origin is then an ordinary match of the longer record, with the coordinates of the circle.

use std::io::{self, Read};

use nigh_input::{Circumferences, InputError, Source};
use nigh_text::alphabet::count_residues;
use nigh_text::alphabet::is_residue;

/// Size of a read, in bytes.
const CHUNK: usize = 128 << 10;

/// Returns a source in which the first `extension` residues of each record (all if there are fewer) follow its last
/// residue. They are held in memory while the record is read.
///
/// # Errors
/// Fails if the input is FASTQ, or cannot be read.
pub(super) fn with_circles(mut source: Source, extension: u64) -> Result<Source, InputError> {
    match source.first_symbol()? {
        Some(b'@') => Err(InputError::Io(io::Error::other("--circular needs FASTA, but this input is FASTQ"))),
        _ => {
            let guessed = source.guessed();
            let circumferences = Circumferences::default();
            let reader = CircleReader::new(source, extension, circumferences.clone());
            Ok(Source::from_reader(reader).with_guessed(guessed).with_circumferences(circumferences))
        }
    }
}

/// Reads the bytes of a source, with the first residues of each record after its end.
struct CircleReader {
    source: Source,
    chunk: Vec<u8>,
    circles: Circles,
    /// Bytes that are not read yet begin at `read` in `ready`.
    ready: Vec<u8>,
    read: usize,
    has_ended: bool,
}

impl CircleReader {
    fn new(source: Source, extension: u64, circumferences: Circumferences) -> Self {
        let (chunk, circles) = (vec![0; CHUNK], Circles::new(extension, circumferences));
        CircleReader { source, chunk, circles, ready: Vec::new(), read: 0, has_ended: false }
    }
}

impl Read for CircleReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.ready.len() && !self.has_ended {
            self.ready.clear();
            self.read = 0;
            match self.source.read(&mut self.chunk).map_err(io_error)? {
                0 => {
                    self.has_ended = true;
                    self.circles.close(&mut self.ready);
                }
                length => self.circles.extend(&self.chunk[..length], &mut self.ready),
            }
        }
        let length = buffer.len().min(self.ready.len() - self.read);
        buffer[..length].copy_from_slice(&self.ready[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}

fn io_error(error: InputError) -> io::Error {
    match error {
        InputError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Repeats the first residues of each record after its last residue.
struct Circles {
    /// Maximum length of `head`.
    extension: usize,
    /// The first residues of the current record.
    head: Vec<u8>,
    /// Number of residues of the current record so far.
    residues: u64,
    circumferences: Circumferences,
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

impl Circles {
    fn new(extension: u64, circumferences: Circumferences) -> Self {
        let extension = usize::try_from(extension).unwrap_or(usize::MAX);
        Circles { extension, head: Vec::new(), residues: 0, circumferences, line: LineState::BeforeRecords }
    }

    /// Appends the next bytes, which may end anywhere, to `out`.
    fn extend(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match self.line {
                LineState::BeforeRecords if line.iter().find(|&&byte| is_residue(byte)) == Some(&b'>') => {
                    self.line = LineState::Header;
                }
                LineState::Start if line[0] == b'>' => {
                    self.close(out);
                    self.line = LineState::Header;
                }
                LineState::Start => self.line = LineState::Residues,
                LineState::BeforeRecords | LineState::Header | LineState::Residues => {}
            }
            if self.line == LineState::Residues {
                let room = self.extension - self.head.len();
                self.head.extend(line.iter().filter(|&&byte| is_residue(byte)).take(room));
                self.residues += count_residues(line) as u64;
            }
            out.extend_from_slice(line);
            if line.ends_with(b"\n") && self.line != LineState::BeforeRecords {
                self.line = LineState::Start;
            }
        }
    }

    /// Ends the current record: appends its first residues on a line of their own.
    fn close(&mut self, out: &mut Vec<u8>) {
        if self.line != LineState::BeforeRecords {
            self.circumferences.push(std::mem::take(&mut self.residues));
        }
        if !self.head.is_empty() {
            if self.line != LineState::Start {
                out.push(b'\n');
            }
            out.append(&mut self.head);
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(fasta: &str, extension: u64, piece: usize) -> String {
        let (mut longer, mut circles) = (Vec::new(), Circles::new(extension, Circumferences::default()));
        fasta.as_bytes().chunks(piece).for_each(|bytes| circles.extend(bytes, &mut longer));
        circles.close(&mut longer);
        String::from_utf8(longer).unwrap()
    }

    #[test]
    fn the_first_residues_of_a_record_follow_its_end() {
        let fasta = "\n>a > x\nAC\nGT A\n\n>b\n>c\r\nAC\r\n";
        for piece in 1..fasta.len() {
            assert_eq!(extended(fasta, 3, piece), "\n>a > x\nAC\nGT A\n\nACG\n>b\n>c\r\nAC\r\nAC\n", "{piece}");
            assert_eq!(extended(">a\nACG", 2, piece), ">a\nACG\nAC\n", "{piece}");
        }
    }

    #[test]
    fn a_reader_passes_on_the_errors_of_its_source() {
        let failing = io::Cursor::new(b">a\nACG").chain(Failing);
        let mut source = with_circles(Source::from_reader(failing), 2).unwrap();
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4]);
        let error = loop {
            match source.read(&mut buffer) {
                Ok(length) => bytes.extend_from_slice(&buffer[..length]),
                Err(error) => break error,
            }
        };
        assert_eq!((&*bytes, error.to_string().as_str()), (&b">a\nACG"[..], "broken"));
        let reads = io::Cursor::new(b"@r\nA\n+\nI\n");
        assert!(with_circles(Source::from_reader(reads), 2).is_err_and(|error| error.to_string().contains("FASTQ")));
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
}
