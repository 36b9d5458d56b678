//! Where bytes come from: files and standard input, decompressed where asked.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memchr::memchr;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::encoding::Encoding;
use super::foreign::{self, Foreign};
use super::retry::{ReadFailure, Retrying};
use crate::alphabet::is_residue;
use crate::input::compressed::Method;
use crate::input::error::InputError;
use crate::input::format::{BinaryInput, Compression, Decoding, Origin};
use crate::input::helpers::Helpers;

/// The most blank bytes before the first record that are read to see what it is.
const MAX_BLANK: usize = 4 << 10;

/// Where a NUL byte shows that a file is binary, it is mostly among these first bytes.
pub(crate) const BINARY_HEAD: usize = 32 << 10;

/// An open input.
pub struct Source {
    reader: Box<dyn Read + Send>,
    /// What to ask whether a read would wait; nothing where reads do not wait.
    waits: Option<OwnedFd>,
    compressed: Option<Method>,
    skipped: u64,
    /// Where in the file of standard input the text starts, if it is searched as it stands there.
    place: Option<u64>,
    /// What the system said when the bytes could not be read, whatever a decompressor made of it.
    failure: ReadFailure,
}

/// An input that is open, as it is stored.
struct Raw {
    reader: Box<dyn Read + Send>,
    /// What to ask whether a read would wait; nothing where reads do not wait.
    waits: Option<OwnedFd>,
    /// Where in the file of standard input it starts, if it is that.
    place: Option<u64>,
}

/// A file that is read without moving the place that other processes share.
struct Apart {
    file: File,
    at: u64,
}

impl Read for Apart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

impl Source {
    /// Opens an input; a byte order mark at its start is passed over.
    ///
    /// Helpers decompress what of a file can be decompressed in pieces.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(origin: &Origin, decoding: Decoding, helpers: Option<Arc<dyn Helpers>>) -> Result<Self, InputError> {
        let file = match origin {
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
        let (reader, place) = match (origin, metadata.is_file()) {
            (Origin::Stdin, true) => taken(file)?,
            _ => (Box::new(file) as Box<dyn Read + Send>, None),
        };
        Source::decompressed(Raw { reader, waits, place }, decoding, helpers)
    }

    /// What the bytes of a reader hold, however few it gives at a time. For fuzzing.
    ///
    /// # Errors
    /// What reading gave.
    #[doc(hidden)]
    pub fn open_reader(
        reader: impl Read + Send + 'static,
        decoding: Decoding,
        helpers: Option<Arc<dyn Helpers>>,
    ) -> Result<Self, InputError> {
        Source::decompressed(Raw { reader: Box::new(reader), waits: None, place: None }, decoding, helpers)
    }

    /// Decompresses and decodes an input that is open.
    fn decompressed(raw: Raw, decoding: Decoding, helpers: Option<Arc<dyn Helpers>>) -> Result<Self, InputError> {
        let Raw { reader, waits, place } = raw;
        let mut reader = Retrying::new(reader, waits.as_ref().map(OwnedFd::try_clone).transpose()?);
        let failure = reader.failure();
        let head = match decoding.compression {
            Compression::Ignored => Vec::new(),
            Compression::ByMagic => read_head(&mut reader, Method::may_begin)?,
        };
        let compressed = Method::of(&head);
        let raw = Box::new(Cursor::new(head).chain(reader));
        // What waits for a pipe would keep back what has come.
        let helpers = helpers.filter(|_| waits.is_none());
        let source = match compressed {
            None => Source { reader: raw, waits, compressed, skipped: 0, place, failure },
            Some(method) => {
                let reader = method.reader(raw, helpers)?;
                Source { reader, waits: None, compressed, skipped: 0, place: None, failure }
            }
        };
        let source = source.decoded(decoding.encoding)?;
        match decoding.binary {
            BinaryInput::Searched => Ok(source),
            BinaryInput::Empty => source.unless_binary(),
        }
    }

    /// The same, or nothing if there is a NUL byte among the first that can be had without waiting twice.
    fn unless_binary(mut self) -> Result<Self, InputError> {
        let mut head = vec![0; BINARY_HEAD];
        let mut length = 0;
        loop {
            let read = self.read(&mut head[length..])?;
            length += read;
            if read == 0 || length == head.len() || !self.is_ready() {
                break;
            }
        }
        head.truncate(length);
        self.reader = match memchr(0, &head) {
            Some(_) => Box::new(io::empty()),
            None => Box::new(Cursor::new(head).chain(self.reader)),
        };
        Ok(self)
    }

    /// The same as UTF-8, without the byte order mark it may start with.
    fn decoded(mut self, encoding: Encoding) -> Result<Self, InputError> {
        let head = match read_head(&mut self.reader, |head| encoding.may_begin_mark(head)) {
            Ok(head) => head,
            Err(error) => return Err(self.error(error)),
        };
        self.reader = match encoding.mark(&head) {
            Some(mark) => {
                self.skipped = mark as u64;
                Box::new(Cursor::new(head[mark..].to_vec()).chain(self.reader))
            }
            None => {
                self.place = None;
                Box::new(encoding.decoded(Cursor::new(head).chain(self.reader)))
            }
        };
        Ok(self)
    }

    /// A source of bytes from anywhere.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Self {
        let reader = Retrying::new(reader, None);
        let failure = reader.failure();
        Source { reader: Box::new(reader), waits: None, compressed: None, skipped: 0, place: None, failure }
    }

    /// The first byte that is not blank, which tells FASTA from FASTQ; `None` if there is none.
    ///
    /// # Errors
    /// What reading gave; or a format of sequences that is not read.
    pub fn first_symbol(&mut self) -> Result<Option<u8>, InputError> {
        let wants_more = |head: &[u8]| match head.iter().position(|&byte| is_residue(byte)) {
            Some(first) => !matches!(head[first], b'>' | b'@') && head.len() < first + foreign::MAGIC,
            None => head.len() < MAX_BLANK,
        };
        let head = read_head(&mut self.reader, wants_more).map_err(|error| self.error(error))?;
        let (first, foreign) = (head.iter().copied().find(|&byte| is_residue(byte)), Foreign::of(&head));
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(reader));
        foreign.map_or(Ok(first), |foreign| Err(InputError::Foreign(foreign)))
    }

    /// Where in the file that is standard input the text starts, if its offsets are those of the file.
    pub fn place_in_stdin(&self) -> Option<u64> {
        self.place
    }

    /// How many bytes were passed over at the start.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads all there is, up to the end.
    ///
    /// # Errors
    /// What reading gave, and [`InputError::TooLarge`] if there are more than `max` bytes, as they are when decompressed.
    pub fn read_to_end(&mut self, max: u64) -> Result<Vec<u8>, InputError> {
        let mut content = Vec::new();
        let read = self.reader.by_ref().take(max.saturating_add(1)).read_to_end(&mut content);
        match read.map_err(|error| self.error(error))? as u64 {
            read if read > max => Err(InputError::TooLarge(max)),
            _ => Ok(content),
        }
    }

    /// Reads what there is, and waits if there is nothing; 0 at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, InputError> {
        self.reader.read(buffer).map_err(|error| self.error(error))
    }

    fn error(&self, error: io::Error) -> InputError {
        match (self.failure.take(), self.compressed) {
            (Some(failure), _) => InputError::Io(failure),
            (None, Some(method)) => method.error(error),
            (None, None) => InputError::Io(error),
        }
    }

    /// Whether the next read would not wait for somebody to write.
    pub(crate) fn is_ready(&self) -> bool {
        let Some(descriptor) = &self.waits else { return true };
        let mut asked = [PollFd::new(descriptor, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        !matches!(poll(&mut asked, Some(&now)), Ok(0))
    }
}

/// Takes all there is of a file: whoever reads it next finds its end, if nobody moves the place. Gives the place at which it was.
///
/// A file that cannot seek to its end, as many of /proc, is read from the place at which it is, and that moves.
fn taken(mut file: File) -> io::Result<(Box<dyn Read + Send>, Option<u64>)> {
    let at = file.stream_position()?;
    match file.seek(SeekFrom::End(0)) {
        Ok(_) => Ok((Box::new(Apart { file, at }), Some(at))),
        Err(_) => Ok((Box::new(file), None)),
    }
}

/// Moves the place at which the next process goes on to read the file that is standard input.
///
/// # Errors
/// What the system says.
pub fn leave_stdin_at(place: u64) -> io::Result<()> {
    File::from(io::stdin().as_fd().try_clone_to_owned()?).seek(SeekFrom::Start(place)).map(drop)
}

/// How many bytes a file has as they are searched, decompressed and decoded.
///
/// What has to be decoded for that is read to its end; standard input is not.
///
/// # Errors
/// When the file cannot be read to its end.
pub fn text_length(origin: &Origin, decoding: Decoding) -> Result<u64, InputError> {
    let size = origin.metadata()?.len();
    let Origin::File(path) = origin else { return Ok(size) };
    let mut head = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut head)?;
    if plain_text(&head, decoding).is_some() {
        return Ok(size);
    }
    let mut source = Source::open(origin, decoding, None)?;
    let mut buffer = vec![0; 256 << 10];
    let mut length = 0;
    loop {
        match source.read(&mut buffer)? {
            0 => return Ok(length),
            read => length += read as u64,
        }
    }
}

/// Where the text starts in a file that begins with these bytes, if it is searched as it is.
pub(crate) fn plain_text(head: &[u8], decoding: Decoding) -> Option<usize> {
    let is_compressed = decoding.compression == Compression::ByMagic && Method::of(head).is_some();
    decoding.encoding.mark(head).filter(|_| !is_compressed)
}

/// Reads the first bytes, as long as they may become a mark of some kind with one more; a slow pipe is not waited for
/// in vain.
fn read_head(reader: &mut impl Read, may_begin: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while may_begin(&head) {
        let mut byte = [0];
        match reader.read(&mut byte)? {
            0 => break,
            _ => head.push(byte[0]),
        }
    }
    Ok(head)
}
