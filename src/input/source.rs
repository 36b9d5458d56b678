//! Where bytes come from: files and standard input, decompressed where asked.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::InputError;
use super::gzip::Members;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// How many bytes it has, if it is a file.
    pub fn size(&self) -> Option<u64> {
        let metadata = match self {
            Origin::Stdin => File::from(io::stdin().as_fd().try_clone_to_owned().ok()?).metadata(),
            Origin::File(path) => std::fs::metadata(path),
        };
        metadata.ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
    }
}

/// Whether compressed input is decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// It is taken as it is.
    Ignored,
    /// It is recognised by its first bytes and decompressed.
    ByMagic,
}

/// An open input.
pub struct Source {
    reader: Box<dyn Read + Send>,
    /// What to ask whether a read would wait; nothing where reads do not wait.
    waits: Option<OwnedFd>,
    compressed: bool,
    skipped: u64,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const GZIP: &str = "gzip";
const MAGICS: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", GZIP),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
];
/// Large enough that reading compressed bytes costs nothing beside decompressing them.
const COMPRESSED_BUFFER: usize = 128 << 10;

impl Source {
    /// Opens an input; a byte order mark at its start is passed over.
    ///
    /// # Errors
    /// What the system says, and compressions that are recognised but not read.
    pub fn open(origin: &Origin, compression: Compression) -> Result<Self, InputError> {
        let mut file = match origin {
            Origin::Stdin => File::from(io::stdin().as_fd().try_clone_to_owned()?),
            Origin::File(path) => File::open(path)?,
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(rustix::io::Errno::ISDIR.raw_os_error()).into());
        }
        let waits = match metadata.is_file() {
            true => None,
            false => Some(file.as_fd().try_clone_to_owned()?),
        };
        let head = match compression {
            Compression::Ignored => Vec::new(),
            Compression::ByMagic => read_head(&mut file, &MAGICS.map(|(magic, _)| magic))?,
        };
        let name = self::compression(&head);
        let raw = Cursor::new(head).chain(file);
        match name {
            None => Source { reader: Box::new(raw), waits, compressed: false, skipped: 0 }.after_mark(),
            Some(GZIP) => {
                let reader = Members::new(BufReader::with_capacity(COMPRESSED_BUFFER, raw));
                Source { reader: Box::new(reader), waits: None, compressed: true, skipped: 0 }.after_mark()
            }
            Some(name) => Err(InputError::Compression(name)),
        }
    }

    /// The same without the byte order mark it may start with.
    fn after_mark(mut self) -> Result<Self, InputError> {
        let head = read_head(&mut self.reader, &[BYTE_ORDER_MARK]).map_err(|error| self.error(error))?;
        let mark = byte_order_mark(&head);
        self.skipped = mark as u64;
        self.reader = Box::new(Cursor::new(head[mark..].to_vec()).chain(self.reader));
        Ok(self)
    }

    /// A source of bytes from anywhere.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Self {
        Source { reader: Box::new(reader), waits: None, compressed: false, skipped: 0 }
    }

    /// How many bytes were passed over at the start.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads all there is, up to the end.
    ///
    /// # Errors
    /// What reading gave.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>, InputError> {
        let mut content = Vec::new();
        self.reader.read_to_end(&mut content).map_err(|error| self.error(error))?;
        Ok(content)
    }

    /// Reads what there is, and waits if there is nothing; 0 at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, InputError> {
        loop {
            match self.reader.read(buffer) {
                Ok(length) => return Ok(length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
    }

    fn error(&self, error: io::Error) -> InputError {
        if self.compressed { InputError::Corrupt(error) } else { InputError::Io(error) }
    }

    /// Whether the next read would not wait for somebody to write.
    pub(super) fn is_ready(&self) -> bool {
        let Some(descriptor) = &self.waits else { return true };
        let mut asked = [PollFd::new(descriptor, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        !matches!(poll(&mut asked, Some(&now)), Ok(0))
    }
}

/// How long the byte order mark is with which some text begins.
pub(super) fn byte_order_mark(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// The name of the compression that some bytes begin with.
pub(super) fn compression(head: &[u8]) -> Option<&'static str> {
    MAGICS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, name)| *name)
}

/// Reads the first bytes, as many as it takes to tell with which of some marks they begin; a slow pipe is not waited for
/// in vain.
fn read_head(reader: &mut impl Read, marks: &[&[u8]]) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while marks.iter().any(|mark| mark.len() > head.len() && mark.starts_with(&head)) {
        let mut byte = [0];
        match reader.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => head.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(head)
}
