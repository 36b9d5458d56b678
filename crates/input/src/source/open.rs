//! Opens files and standard input, and decompresses and decodes their bytes.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr;
use nigh_gunzip::Helpers;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::charset::Charset;
use super::encoding::{Encoding, TextStart};
use super::foreign::{self, UnsupportedFormat};
use super::gff::{self, GFF};
use super::mixed::{ChangeWatch, EncodingChange, FoundChange};
use super::retry::{ReadFailure, Retrying};
use super::stop::StopSignal;
use crate::circumferences::Circumferences;
use crate::compressed::Method;
use crate::error::InputError;
use crate::escapes::{EscapeRemover, RemovedEscapes};
use crate::format::{BinaryInput, Compression, Decoding, Origin};
use nigh_text::alphabet::is_residue;
use nigh_text::batch::{HiddenBytes, handling_allocation_failure};

/// Largest number of blank bytes before the first record that are read to recognise the format.
const MAX_BLANK: usize = 4 << 10;

/// Number of bytes at the start of an input that are examined for a NUL byte. Most binary files have one there.
pub(crate) const BINARY_HEAD: usize = 32 << 10;

/// An open input.
pub struct Source {
    reader: Box<dyn Read + Send>,
    /// All bytes of the input, if it was read at once and is neither decompressed nor decoded; `None` once some of them
    /// were asked for.
    whole: Option<Vec<u8>>,
    /// Descriptor to poll for data; `None` for a regular file, whose reads never block.
    waits: Option<OwnedFd>,
    compressed: Option<Method>,
    /// Whether text was read.
    has_text: bool,
    skipped: u64,
    /// The encoding of the text, if nothing but its zero bytes showed it.
    guessed: Option<Charset>,
    /// Whether the text is decoded.
    is_decoded: bool,
    /// A change of the encoding, if the text is decoded and one can be found.
    change: Option<FoundChange>,
    /// Offset in the file of the first byte of the input, if standard input is a file and is neither decompressed nor
    /// decoded.
    stdin_offset: Option<u64>,
    /// The first read error of the compressed bytes. A decompressor may report a different error for it.
    failure: ReadFailure,
    /// The escape sequences that were removed from the text; `None` if they stay in it.
    removed: Option<RemovedEscapes>,
    /// The lengths of circular records; `None` if records are linear.
    circumferences: Option<Circumferences>,
}

/// An open input before decompression.
struct Raw {
    reader: Box<dyn Read + Send>,
    /// Descriptor to poll for data; `None` for a regular file, whose reads never block.
    waits: Option<OwnedFd>,
    /// Offset in the file of the first byte of the input, if standard input is a file.
    stdin_offset: Option<u64>,
    /// Ends reads that wait for data; `None` if they need not end.
    stop: Option<StopSignal>,
}

/// Reads a file with `pread`, without moving the offset that other processes share.
struct PositionedFile {
    file: File,
    at: u64,
}

impl Read for PositionedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

/// Returns an error once, then no bytes.
struct FailedReader(Option<io::Error>);

impl Read for FailedReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Source {
    /// Opens an input and skips the byte order mark at its start.
    ///
    /// Helpers decompress a regular file's independent pieces concurrently.
    ///
    /// # Errors
    /// The system's error.
    pub fn open(origin: &Origin, decoding: Decoding, helpers: Option<Arc<dyn Helpers>>) -> Result<Self, InputError> {
        Source::open_until(origin, decoding, helpers, None)
    }

    /// Opens an input like [`open`](Self::open). Once the signal is given, a pipe that has no data is at its end.
    ///
    /// # Errors
    /// The system's error.
    pub fn open_until(
        origin: &Origin,
        decoding: Decoding,
        helpers: Option<Arc<dyn Helpers>>,
        stop: Option<StopSignal>,
    ) -> Result<Self, InputError> {
        let file = match origin {
            Origin::Stdin => File::from(io::stdin().as_fd().try_clone_to_owned()?),
            Origin::File(path) => File::open(path)?,
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(rustix::io::Errno::ISDIR.raw_os_error()).into());
        }
        let waits = if metadata.is_file() { None } else { Some(file.as_fd().try_clone_to_owned()?) };
        let (reader, stdin_offset) = match (origin, metadata.is_file()) {
            (Origin::Stdin, true) => take_rest(file)?,
            _ => (Box::new(file) as Box<dyn Read + Send>, None),
        };
        Source::decompressed(Raw { reader, waits, stdin_offset, stop }, decoding, helpers)
    }

    /// Opens a regular file that had `size` bytes when it was found, and reads it at once. System calls take most of
    /// the time for a small file, so this function makes as few as possible.
    ///
    /// # Errors
    /// The system's error.
    pub fn open_small(path: &Path, size: usize, decoding: Decoding) -> Result<Self, InputError> {
        let file = File::open(path)?;
        let mut bytes = Vec::with_capacity(size + 1);
        // A read error is ignored here, because the next read repeats it.
        let _ = rustix::io::read(&file, spare_capacity(&mut bytes));
        // A read that returns fewer bytes than requested has reached the end. Files in /proc have a size of 0.
        let is_whole = bytes.len() == size && size > 0;
        let is_text = || memchr(0, &bytes[..bytes.len().min(BINARY_HEAD)]).is_none();
        let is_searched = decoding.binary == BinaryInput::Searched || is_text();
        if is_whole && is_searched && plain_text(&bytes, decoding) == Some(0) {
            return Ok(Source { whole: Some(bytes), has_text: true, ..Source::empty() });
        }
        let bytes = Cursor::new(bytes);
        let reader: Box<dyn Read + Send> = if is_whole { Box::new(bytes) } else { Box::new(bytes.chain(file)) };
        Source::decompressed(Raw { reader, waits: None, stdin_offset: None, stop: None }, decoding, None)
    }

    /// Opens the bytes of `reader`, which may return few bytes at a time. For fuzzing.
    ///
    /// # Errors
    /// A read error.
    #[doc(hidden)]
    pub fn open_reader(
        reader: impl Read + Send + 'static,
        decoding: Decoding,
        helpers: Option<Arc<dyn Helpers>>,
    ) -> Result<Self, InputError> {
        let raw = Raw { reader: Box::new(reader), waits: None, stdin_offset: None, stop: None };
        Source::decompressed(raw, decoding, helpers)
    }

    /// Adds decompression and decoding to an open input.
    fn decompressed(raw: Raw, decoding: Decoding, helpers: Option<Arc<dyn Helpers>>) -> Result<Self, InputError> {
        let Raw { reader, waits, stdin_offset, stop } = raw;
        let mut reader = Retrying::new(reader, waits.as_ref().map(OwnedFd::try_clone).transpose()?).until(stop);
        let failure = reader.failure();
        let head = match decoding.compression {
            Compression::Ignored => Vec::new(),
            Compression::ByMagic => read_head(&mut reader, Method::is_incomplete)?,
        };
        let compressed = Method::of(&head);
        let raw = Box::new(Cursor::new(head).chain(reader));
        // With helpers, the reader would wait for a full piece, and hold back bytes that have arrived from a pipe.
        let helpers = helpers.filter(|_| waits.is_none());
        let source = match compressed {
            None => Source { reader: raw, waits, compressed, stdin_offset, failure, ..Source::empty() },
            Some(method) => {
                let reader = method.reader(raw, helpers)?;
                Source { reader, waits, compressed, failure, ..Source::empty() }
            }
        };
        let mut source = source.decoded(decoding.encoding)?;
        if decoding.hides_escapes {
            source.hide_escapes();
        }
        match decoding.binary {
            BinaryInput::Searched => Ok(source),
            BinaryInput::Empty => source.unless_binary(),
        }
    }

    /// Returns the source, or an empty one if its first bytes contain a NUL byte. Examines at most `BINARY_HEAD` bytes,
    /// and fewer if `is_ready` says that the next read would block.
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

    /// Removes the byte order mark, and decodes the text to UTF-8 if it must be decoded.
    fn decoded(mut self, encoding: Encoding) -> Result<Self, InputError> {
        let mut head = self.read_start(encoding).map_err(|error| self.error(error))?;
        self.has_text |= !head.is_empty();
        let (mark, charset) = match encoding.start(&head) {
            TextStart::Plain { mark } => {
                self.skipped = mark as u64;
                (mark, None)
            }
            TextStart::Encoded(charset) => (0, Some(charset)),
            TextStart::Guessed { mark, charset } => {
                self.guessed = Some(charset);
                (mark, Some(charset))
            }
        };
        head.drain(..mark);
        let reader = Cursor::new(head).chain(self.reader);
        self.reader = match charset {
            None => Box::new(reader),
            Some(charset) => {
                self.stdin_offset = None;
                self.is_decoded = true;
                match FoundChange::of(charset) {
                    None => charset.decoded(reader),
                    Some(change) => {
                        let change = self.change.insert(change).clone();
                        charset.decoded(ChangeWatch::new(reader, mark as u64, change))
                    }
                }
            }
        };
        Ok(self)
    }

    /// Removes escape sequences from the text, and keeps them for its batches.
    fn hide_escapes(&mut self) {
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let removed = self.removed.insert(RemovedEscapes::default()).clone();
        self.reader = Box::new(EscapeRemover::new(reader, self.skipped, removed));
    }

    /// Reads the bytes that show the encoding of the text. Reads fewer bytes if they suffice and the next read would
    /// block. An error after the first byte is left for the next read.
    fn read_start(&mut self, encoding: Encoding) -> io::Result<Vec<u8>> {
        let mut head = vec![0; encoding.sample()];
        let mut length = 0;
        while length < head.len() && (encoding.is_undecided(&head[..length]) || self.is_ready()) {
            match self.reader.read(&mut head[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if length == 0 => return Err(error),
                Err(error) => {
                    self.reader = Box::new(FailedReader(Some(error)));
                    break;
                }
            }
        }
        head.truncate(length);
        Ok(head)
    }

    /// Makes a source of the bytes of `reader`, which are neither decompressed nor decoded.
    pub fn from_reader(reader: impl Read + Send + 'static) -> Self {
        Source { reader: Box::new(Retrying::new(reader, None)), ..Source::empty() }
    }

    /// Sets the result of [`guessed`](Self::guessed).
    #[must_use]
    pub fn with_guessed(self, guessed: Option<Charset>) -> Self {
        Source { guessed, ..self }
    }

    /// Makes records circular. The reader of the source adds their lengths before it returns their repeated residues.
    #[must_use]
    pub fn with_circumferences(self, circumferences: Circumferences) -> Self {
        Source { circumferences: Some(circumferences), ..self }
    }

    fn empty() -> Self {
        Source {
            reader: Box::new(io::empty()),
            whole: None,
            waits: None,
            compressed: None,
            has_text: false,
            skipped: 0,
            guessed: None,
            is_decoded: false,
            change: None,
            stdin_offset: None,
            failure: ReadFailure::default(),
            removed: None,
            circumferences: None,
        }
    }

    /// Returns all bytes of the input and leaves none, if they are in memory, none was asked for before, and there are at
    /// most `max`.
    pub(crate) fn take_whole(&mut self, max: usize) -> Option<Vec<u8>> {
        self.whole.take_if(|whole| whole.len() <= max)
    }

    /// Returns the reader of the bytes that were not asked for.
    fn reader(&mut self) -> &mut (dyn Read + Send) {
        if let Some(whole) = self.whole.take() {
            self.reader = Box::new(Cursor::new(whole));
        }
        &mut *self.reader
    }

    /// Returns the first byte that is not blank, which distinguishes FASTA from FASTQ; `None` if there is none among
    /// the first `MAX_BLANK` bytes. Passes over the annotation of a GFF file, whose sequences are FASTA.
    ///
    /// # Errors
    /// A read error, [`InputError::Foreign`] for a sequence format that is not supported, or
    /// [`InputError::NoSequences`] for a GFF file that holds none.
    pub fn first_symbol(&mut self) -> Result<Option<u8>, InputError> {
        let wants_more = |head: &[u8]| match head.iter().position(|&byte| is_residue(byte)) {
            Some(first) => match &head[first..] {
                [b'>' | b'@', ..] => false,
                symbols => symbols.len() < foreign::MAGIC || symbols != GFF && GFF.starts_with(symbols),
            },
            None => head.len() < MAX_BLANK,
        };
        let head = read_head(&mut self.reader(), wants_more).map_err(|error| self.error(error))?;
        self.has_text |= !head.is_empty();
        if head.ends_with(GFF) {
            return self.pass_annotation();
        }
        let (first, foreign) = (head.iter().copied().find(|&byte| is_residue(byte)), UnsupportedFormat::of(&head));
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head).chain(reader));
        foreign.map_or(Ok(first), |foreign| Err(InputError::Foreign(foreign)))
    }

    /// Passes over the annotation of a GFF file. Returns the first byte of its sequences.
    fn pass_annotation(&mut self) -> Result<Option<u8>, InputError> {
        let record = gff::first_record(|buffer| self.read(buffer))?.ok_or(InputError::NoSequences)?;
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let first = record.bytes.first().copied();
        self.reader = Box::new(Cursor::new(record.bytes).chain(reader));
        Ok(first)
    }

    /// Returns the offset in the file of the first byte of the input, if standard input is a file and is neither
    /// decompressed nor decoded.
    pub fn stdin_offset(&self) -> Option<u64> {
        self.stdin_offset
    }

    /// Returns whether the input is decompressed.
    pub fn is_compressed(&self) -> bool {
        self.compressed.is_some()
    }

    /// Returns the escape sequences up to the offset `end` that were removed from the text, and forgets those before the
    /// offset `next`.
    pub(crate) fn take_escapes(&self, end: u64, next: u64) -> Vec<HiddenBytes> {
        self.removed.as_ref().map_or_else(Vec::new, |removed| removed.take(end, next))
    }

    /// Returns the lengths of circular records; `None` if records are linear.
    pub(crate) fn circumferences(&self) -> Option<&Circumferences> {
        self.circumferences.as_ref()
    }

    /// Returns the length in bytes of the byte order mark before text that is not decoded; 0 if there is none.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the encoding from which the text is decoded, if nothing but its zero bytes shows it.
    pub fn guessed(&self) -> Option<Charset> {
        self.guessed
    }

    /// Returns whether the text is decoded to UTF-8.
    pub(crate) fn is_decoded(&self) -> bool {
        self.is_decoded
    }

    /// Returns the place where the encoding of decoded text changes, if it is among the bytes read so far.
    pub(crate) fn encoding_change(&self) -> Option<EncodingChange> {
        self.change.as_ref().and_then(FoundChange::get)
    }

    /// Reads to the end of the input.
    ///
    /// # Errors
    /// A read error, and [`InputError::TooLarge`] if there are more than `max` bytes after decompression.
    pub fn read_to_end(&mut self, max: u64) -> Result<Vec<u8>, InputError> {
        let mut content = Vec::new();
        let mut bounded = self.reader().take(max.saturating_add(1));
        let read = handling_allocation_failure(|| bounded.read_to_end(&mut content));
        self.has_text |= !content.is_empty();
        match read.map_err(|error| self.error(error))? as u64 {
            read if read > max => Err(InputError::TooLarge(max)),
            _ => {
                // Up to half of the memory may be unused.
                content.shrink_to_fit();
                Ok(content)
            }
        }
    }

    /// Reads available bytes, and blocks if there are none. Returns the number of bytes; 0 at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, InputError> {
        let length = self.reader().read(buffer).map_err(|error| self.error(error))?;
        self.has_text |= length > 0;
        Ok(length)
    }

    fn error(&self, error: io::Error) -> InputError {
        match (self.failure.take(), self.compressed) {
            (Some(failure), _) => InputError::Io(failure),
            (None, Some(method)) => match method.error(error) {
                InputError::Corrupt(name, error) if !self.has_text => InputError::NotDecompressed(name, error),
                error => error,
            },
            (None, None) => InputError::Io(error),
        }
    }

    /// Returns whether the next read would return without blocking. May return `false` for compressed input from a pipe
    /// while bytes that were read are not decompressed yet.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready_within(Duration::ZERO)
    }

    /// Returns whether [`is_ready`](Self::is_ready) becomes true within a time.
    pub(crate) fn is_ready_within(&self, time: Duration) -> bool {
        let Some(descriptor) = &self.waits else { return true };
        let mut asked = [PollFd::new(descriptor, PollFlags::IN)];
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        !matches!(poll(&mut asked, Some(&time)), Ok(0))
    }
}

/// Moves the shared offset of `file` to the end of the file, as if everything had been read. The next process that
/// reads from it then finds the end. Returns a reader that starts at the previous offset, and that offset.
///
/// Some files, such as many in /proc, cannot seek to their end. The reader of such a file moves the shared offset.
fn take_rest(mut file: File) -> io::Result<(Box<dyn Read + Send>, Option<u64>)> {
    let at = file.stream_position()?;
    match file.seek(SeekFrom::End(0)) {
        Ok(_) => Ok((Box::new(PositionedFile { file, at }), Some(at))),
        Err(_) => Ok((Box::new(file), None)),
    }
}

/// Sets the shared offset of standard input, a file, so that the next process continues to read at `offset`.
///
/// # Errors
/// The system's error.
pub fn leave_stdin_at(offset: u64) -> io::Result<()> {
    File::from(io::stdin().as_fd().try_clone_to_owned()?).seek(SeekFrom::Start(offset)).map(drop)
}

/// Returns the offset of the text in a file that begins with `head`; `None` if the file must be decompressed or decoded,
/// or escape sequences are removed from it.
pub(crate) fn plain_text(head: &[u8], decoding: Decoding) -> Option<usize> {
    let is_compressed = decoding.compression == Compression::ByMagic && Method::of(head).is_some();
    match decoding.encoding.start(head) {
        TextStart::Plain { mark } if !is_compressed && !decoding.hides_escapes => Some(mark),
        TextStart::Plain { .. } | TextStart::Encoded(_) | TextStart::Guessed { .. } => None,
    }
}

/// Reads the first bytes one at a time while `is_incomplete` returns true, so that a slow pipe is read no further than
/// needed.
fn read_head(reader: &mut impl Read, is_incomplete: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while is_incomplete(&head) {
        let mut byte = [0];
        match reader.read(&mut byte)? {
            0 => break,
            _ => head.push(byte[0]),
        }
    }
    Ok(head)
}
