//! Decompresses gzip on many threads, also if it is a single member.
//!
//! The input is cut into chunks of equal size. Helpers look for a block in each chunk and decode from there; bytes that
//! they copy from the unknown window before the block stay markers. The reading thread decodes the beginning of the
//! input itself, so that the first text is early and short files need no helpers. Then it takes the chunks in order. If
//! a chunk was decoded from exactly the bit at which the previous chunk ended, helpers resolve its markers. Otherwise
//! the reading thread decodes the chunk itself from the right bit, so a block that was found by mistake changes
//! nothing. Work is O(n) for n bytes of text; with p threads, time is O(n / p) plus O(32 KiB) for each chunk.
//!
//! M. Kerbiriou and R. Chikhi, "Parallel decompression of gzip-compressed files and random access to DNA sequences"
//! (2019); M. Knespel and H. Brunst, "Rapidgzip: Parallel Decompression and Seeking in Gzip Files Using Cache
//! Prefetching" (2023).

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded, select};
use flate2::Crc;

use crate::deflate::WINDOW;
use crate::helpers::Helpers;
use crate::member::GzipError;
use crate::stream::{Decoded, DecodingStop, MarkerFreeText, Span, SpareBuffers, Stream, TextSlice};

/// Longest text that is decoded at once from one chunk, as a multiple of the chunk's size. Text that expands more is
/// decoded by the reading thread, a part at a time.
const MAX_RATIO: usize = 16;
/// Limit on the text that is decoded but not yet read, in bytes per helper. No chunk is submitted while this text may
/// reach the limit.
const MAX_TEXT: usize = 16 << 20;
/// Maximum number of chunks that are submitted or decoded, per helper.
const CHUNKS: usize = 3;
/// Number of pieces in which the reading thread decodes the first chunk.
const FIRST_PIECES: usize = 8;
/// Maximum number of successive chunks per helper in which no block is found. After these, helpers stop looking for
/// blocks.
const MAX_MISSES: usize = 8;

/// Reads the text of gzip members, in order.
///
/// Zero bytes may follow a member, as with gzip. Anything else is an error, [`Garbage`](crate::Garbage), which is
/// returned after the text before it; so are all other errors.
pub struct Gunzip<R> {
    reader: R,
    /// The threads that decode. With `None`, the reading thread decodes as much as each read of the input returns.
    helpers: Option<Arc<dyn Helpers>>,
    /// The input that was read and is in no chunk's own part yet. Its offset in the input is `offset`.
    ahead: Vec<u8>,
    offset: u64,
    /// `None` until the input was read to its end; then the read error that ended it, if there was one.
    input_ended: Option<Option<io::Error>>,
    chunks: VecDeque<GzipChunk>,
    position: MemberPosition,
    /// Number of chunks in a row in which no block was found.
    misses: usize,
    /// Largest number of chunks and passages that are held at a time. It doubles with each passage that is read, up to
    /// the limit of [`has_room`](Gunzip::has_room), so that the first text need not wait until much input is read.
    ahead_max: usize,
    /// Expected length in bytes of the text of a chunk.
    typical: u64,
    /// Text whose markers are being resolved, in order.
    passages: VecDeque<JobResult<MarkerFreeText>>,
    /// The checksum of the text of the open member so far.
    sum: Crc,
    /// The text to return.
    text: VecDeque<TextSlice>,
    buffers: Arc<SpareBuffers>,
    /// Set once all chunks were decoded or an error was found. The error is returned after the text.
    ended: Option<Option<io::Error>>,
}

/// A part of the input.
struct GzipChunk {
    /// The offset of the first byte.
    start: u64,
    /// The bytes of this part, followed by the beginning of the next part, in which the last block of this part may
    /// end.
    bytes: Arc<Vec<u8>>,
    /// The bit of the input at which this part ends; `u64::MAX` for the last part.
    goal: u64,
    /// The text that a helper decodes, from the first block that it finds; `None` if no helper decodes this chunk.
    found: Option<JobResult<Option<Decoded>>>,
}

/// End of the decoded input.
struct MemberPosition {
    /// The next bit of the input.
    bit: u64,
    /// The input from the next bit to the next chunk.
    input: Vec<u8>,
    /// The last bytes of the text, at most a window.
    window: Vec<u8>,
    stream: Stream,
}

/// The result of a job.
enum JobResult<T> {
    Coming(Receiver<T>),
    Here(T),
}

impl<T> JobResult<T> {
    fn is_here(&self) -> bool {
        match self {
            JobResult::Coming(receiver) => !receiver.is_empty(),
            JobResult::Here(_) => true,
        }
    }

    fn wait(self) -> io::Result<T> {
        match self {
            JobResult::Coming(receiver) => receiver.recv().map_err(|_| stopped()),
            JobResult::Here(result) => Ok(result),
        }
    }
}

fn stopped() -> io::Error {
    io::Error::other("a helper thread stopped unexpectedly")
}

/// Submits a job.
fn submit<T: Send + 'static>(helpers: &dyn Helpers, job: impl FnOnce() -> T + Send + 'static) -> JobResult<T> {
    let (result_in, result_out) = bounded(1);
    helpers.take(Box::new(move || {
        // The receiver is gone if the reader was dropped early.
        let _ = result_in.send(job());
    }));
    JobResult::Coming(result_out)
}

impl<R: BufRead> Gunzip<R> {
    /// Makes a reader that decompresses in the calling thread. It decodes what each read of `reader` returns, so text
    /// from a pipe is available as soon as it has arrived.
    pub fn new(reader: R) -> Self {
        Self::make(reader, None)
    }

    /// Makes a reader that decompresses in other threads. It reads chunks of
    /// [`chunk_bytes`](Helpers::chunk_bytes) bytes ahead, so reads of `reader` should not block.
    pub fn with_helpers(reader: R, helpers: Arc<dyn Helpers>) -> Self {
        Self::make(reader, Some(helpers))
    }

    /// Makes the reader begin after a member instead of at the start of one: `reader` may be at its end, or begin with
    /// zero bytes or with another member.
    #[must_use]
    pub fn after_member(mut self) -> Self {
        self.position.stream = Stream::between_members();
        self
    }

    fn make(reader: R, helpers: Option<Arc<dyn Helpers>>) -> Self {
        Gunzip {
            reader,
            helpers,
            ahead: Vec::new(),
            offset: 0,
            input_ended: None,
            chunks: VecDeque::new(),
            position: MemberPosition { bit: 0, input: Vec::new(), window: Vec::new(), stream: Stream::at_header() },
            misses: 0,
            ahead_max: 1,
            typical: 0,
            passages: VecDeque::new(),
            sum: Crc::new(),
            text: VecDeque::new(),
            buffers: Arc::default(),
            ended: None,
        }
    }

    /// Reads chunks and submits them until there is no room for another, or the input ends.
    fn read_chunks(&mut self) {
        while self.input_ended.is_none() && self.ended.is_none() && self.has_room() {
            let chunk = match self.helpers.clone() {
                Some(helpers) => self.next_chunk(&*helpers),
                None => self.next_read(),
            };
            self.chunks.push_back(chunk);
        }
    }

    /// Returns whether another chunk may be read. This bounds memory.
    fn has_room(&self) -> bool {
        // A read from a pipe may block, so the text of the last read is returned first.
        let Some(helpers) = &self.helpers else { return self.chunks.is_empty() && self.passages.is_empty() };
        let count = self.chunks.len() + self.passages.len();
        let max_count = self.ahead_max.min(CHUNKS * helpers.count());
        let has_memory = count as u64 * self.typical < (MAX_TEXT * helpers.count()) as u64;
        self.chunks.is_empty() || count < max_count && has_memory
    }

    /// Reads a chunk and submits it. At the start of the input, reads a piece of the first chunk and does not submit
    /// it.
    fn next_chunk(&mut self, helpers: &dyn Helpers) -> GzipChunk {
        let size = helpers.chunk_bytes().max(1);
        // The last block of a piece, too, may end in the quarter of a chunk after it.
        let more = size / 4;
        if self.offset < size as u64 {
            return self.read_chunk(size.div_ceil(FIRST_PIECES), more);
        }
        let mut chunk = self.read_chunk(size, more);
        if self.misses < MAX_MISSES * helpers.count() {
            chunk.found = Some(submit(helpers, chunk.search(self.buffers.clone())));
        }
        chunk
    }

    /// Reads a chunk whose own part has `size` bytes, and `more` bytes of the next one.
    fn read_chunk(&mut self, size: usize, more: usize) -> GzipChunk {
        let length = size + more;
        let missing = length - self.ahead.len();
        self.ahead.reserve_exact(missing);
        let read = self.reader.by_ref().take(missing as u64).read_to_end(&mut self.ahead);
        if self.ahead.len() < length {
            self.input_ended = Some(read.err());
            return self.last_chunk();
        }
        let next = self.ahead[size..].to_vec();
        self.chunk(next, size)
    }

    /// Makes a chunk of the bytes that one read of the input returns.
    fn next_read(&mut self) -> GzipChunk {
        let read = self.reader.fill_buf().map(|bytes| self.ahead.extend_from_slice(bytes));
        let length = self.ahead.len();
        self.reader.consume(length);
        if length == 0 {
            self.input_ended = Some(read.err());
            return self.last_chunk();
        }
        self.chunk(Vec::new(), length)
    }

    /// Makes a chunk of the bytes ahead, whose own part has `size` bytes. `next` are the bytes after this part.
    fn chunk(&mut self, next: Vec<u8>, size: usize) -> GzipChunk {
        let start = self.offset;
        self.offset += size as u64;
        let bytes = Arc::new(std::mem::replace(&mut self.ahead, next));
        GzipChunk { start, bytes, goal: 8 * self.offset, found: None }
    }

    fn last_chunk(&mut self) -> GzipChunk {
        let bytes = Arc::new(std::mem::take(&mut self.ahead));
        GzipChunk { start: self.offset, bytes, goal: u64::MAX, found: None }
    }

    /// Returns whether the first chunk can be decoded without delaying text that is already decoded.
    fn can_advance(&self) -> bool {
        match self.chunks.front().map(|chunk| &chunk.found) {
            Some(Some(found)) => found.is_here(),
            Some(None) => self.passages.is_empty(),
            None => false,
        }
    }

    /// Moves the position to the end of the first chunk, or as far as it can be decoded.
    fn advance(&mut self) -> io::Result<()> {
        let Some(mut chunk) = self.chunks.pop_front() else { return Ok(()) };
        if self.position.bit >= chunk.goal && self.position.stream.is_before_block() {
            return Ok(());
        }
        let found = match chunk.found.take() {
            Some(found) => {
                let found = found.wait()?;
                self.misses = if found.is_some() { 0 } else { self.misses + 1 };
                found.filter(|found| self.position.is_start_of(found, &chunk))
            }
            None => None,
        };
        let decoded = found.unwrap_or_else(|| self.position.decode(&mut chunk, &self.buffers));
        self.follow(chunk, decoded);
        Ok(())
    }

    /// Moves the position to the end of decoded text.
    fn follow(&mut self, mut chunk: GzipChunk, decoded: Decoded) {
        let Decoded { start, end, halt, stream, text } = decoded;
        if let Some(helpers) = &self.helpers {
            let input = (end - start).div_ceil(8).max(1);
            self.typical = text.len() as u64 * helpers.chunk_bytes() as u64 / input as u64;
        }
        let window = text.window(&self.position.window);
        let before = std::mem::replace(&mut self.position.window, window);
        let buffers = self.buffers.clone();
        self.passages.push_back(match &self.helpers {
            Some(helpers) if text.has_markers() => submit(&**helpers, move || text.passage(&before, &buffers)),
            _ => JobResult::Here(text.passage(&before, &buffers)),
        });
        self.position.bit = 8 * chunk.start + end as u64;
        self.position.stream = stream;
        match halt {
            DecodingStop::Damaged(damage) => self.end(Some(damage.error())),
            DecodingStop::Input if chunk.goal == u64::MAX => {
                let truncation = self.position.stream.truncation();
                let failure = self.input_ended.take().flatten();
                self.end(failure.or_else(|| truncation.map(GzipError::error)));
            }
            DecodingStop::Boundary(_) | DecodingStop::Input => self.position.input = chunk.rest(self.position.bit),
            DecodingStop::Full => {
                chunk.found = None;
                self.chunks.push_front(chunk);
            }
        }
    }

    /// Ends the text after the decoded part.
    fn end(&mut self, error: Option<io::Error>) {
        self.ended = Some(error);
        self.chunks.clear();
    }

    /// Makes text available. Returns false at the end of the text.
    fn fill(&mut self) -> io::Result<bool> {
        loop {
            self.read_chunks();
            while self.can_advance() {
                self.advance()?;
                self.read_chunks();
            }
            match self.passages.pop_front() {
                Some(passage) => {
                    if let Some(passage) = self.wait(passage)? {
                        self.take(passage);
                        self.ahead_max = self.ahead_max.saturating_mul(2);
                        return Ok(true);
                    }
                }
                None => match &mut self.ended {
                    Some(error) => return error.take().map_or(Ok(false), Err),
                    None => self.advance()?,
                },
            }
        }
    }

    /// Waits for a passage. If a helper has decoded the first chunk before the passage is ready, puts the passage back
    /// and returns `None`.
    fn wait(&mut self, passage: JobResult<MarkerFreeText>) -> io::Result<Option<MarkerFreeText>> {
        let found = self.chunks.front_mut().and_then(|chunk| chunk.found.as_mut());
        let (JobResult::Coming(passage), Some(found)) = (&passage, found) else { return passage.wait().map(Some) };
        let JobResult::Coming(receiver) = found else { return passage.recv().map(Some).map_err(|_| stopped()) };
        select! {
            recv(passage) -> passage => return passage.map(Some).map_err(|_| stopped()),
            recv(receiver) -> decoded => *found = JobResult::Here(decoded.map_err(|_| stopped())?),
        }
        self.passages.push_front(JobResult::Coming(passage.clone()));
        Ok(None)
    }

    /// Takes the text of a passage. If the trailer of a member does not agree with the text, takes the text up to the
    /// end of this member.
    fn take(&mut self, mut passage: MarkerFreeText) {
        if !passage.verify(&mut self.sum) {
            self.end(Some(GzipError::Checksum.error()));
            self.passages.clear();
        }
        self.text = passage.text.into();
    }
}

impl GzipChunk {
    /// Returns the job that decodes the chunk from the first block on.
    fn search(&self, buffers: Arc<SpareBuffers>) -> impl FnOnce() -> Option<Decoded> + Send + 'static {
        let (bytes, goal) = (self.bytes.clone(), self.goal());
        move || {
            let end = goal.min(8 * bytes.len()) / 8;
            Decoded::found(&Span { input: &bytes, start: 0, goal, most: longest_text(end) }, end, &buffers)
        }
    }

    /// Returns the bit of the chunk's bytes at which the part itself ends.
    fn goal(&self) -> usize {
        usize::try_from(self.goal.saturating_sub(8 * self.start)).unwrap_or(usize::MAX)
    }

    /// Returns the bytes of the part itself from a bit of the input on.
    fn rest(&self, bit: u64) -> Vec<u8> {
        let (start, end) = ((bit / 8).saturating_sub(self.start) as usize, self.goal() / 8);
        self.bytes.get(start..end).unwrap_or_default().to_vec()
    }
}

/// Returns the maximum length of text that is decoded at once from this number of bytes. It is at least a window, so
/// that there is room for any copy.
fn longest_text(bytes: usize) -> usize {
    (MAX_RATIO * bytes).max(WINDOW)
}

impl MemberPosition {
    /// Returns whether decoded text of a chunk continues the text before.
    fn is_start_of(&self, found: &Decoded, chunk: &GzipChunk) -> bool {
        let is_same = 8 * chunk.start + found.start as u64 == self.bit;
        // A helper allows copies from a whole window. So the window must be whole, or a copy could reach back beyond
        // the start of the member.
        is_same && self.stream.is_before_block() && self.window.len() == WINDOW
    }

    /// Decodes a chunk from here on.
    fn decode(&mut self, chunk: &mut GzipChunk, buffers: &SpareBuffers) -> Decoded {
        if !self.input.is_empty() {
            chunk.start -= self.input.len() as u64;
            self.input.extend_from_slice(&chunk.bytes);
            chunk.bytes = Arc::new(std::mem::take(&mut self.input));
        }
        let start = (self.bit - 8 * chunk.start) as usize;
        let span = Span { input: &chunk.bytes, start, goal: chunk.goal(), most: longest_text(chunk.bytes.len()) };
        let stream = std::mem::replace(&mut self.stream, Stream::at_header());
        Decoded::after(&self.window, stream, &span, buffers)
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(slice) = self.text.front_mut() {
                let rest = slice.bytes();
                if !rest.is_empty() {
                    let length = rest.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&rest[..length]);
                    slice.start += length;
                    return Ok(length);
                }
                let read = self.text.pop_front();
                read.into_iter().for_each(|slice| self.buffers.keep(slice.buffer));
            } else if !self.fill()? {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::bufread::GzDecoder;
    use flate2::{Compression, GzBuilder};

    use super::*;
    use crate::helpers::Job;

    /// Helpers that run each job at once, on chunks of some size.
    struct Prompt(usize);

    impl Helpers for Prompt {
        fn count(&self) -> usize {
            2
        }

        fn take(&self, job: Job) {
            job();
        }

        fn chunk_bytes(&self) -> usize {
            self.0
        }
    }

    /// Helpers that run jobs in threads of their own.
    struct Threads(usize);

    impl Helpers for Threads {
        fn count(&self) -> usize {
            3
        }

        fn take(&self, job: Job) {
            std::thread::spawn(job);
        }

        fn chunk_bytes(&self) -> usize {
            self.0
        }
    }

    type Outcome = (Vec<u8>, Option<String>);

    fn read_all(mut reader: impl Read) -> Outcome {
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        (text, read.err().map(|error| format!("{:?}: {error}", error.kind())))
    }

    fn gunzip(packed: &[u8], helpers: Option<Arc<dyn Helpers>>) -> Outcome {
        read_all(Gunzip::make(Cursor::new(packed.to_vec()), helpers))
    }

    /// Decompresses with zlib, a byte at a time, so that an error loses no text.
    fn serial(packed: &[u8]) -> Outcome {
        let mut rest = packed;
        let mut text = Vec::new();
        loop {
            let mut member = GzDecoder::new(rest);
            let mut byte = [0];
            loop {
                match member.read(&mut byte) {
                    Ok(0) => break,
                    Ok(_) => text.push(byte[0]),
                    Err(error) => return (text, Some(format!("{:?}: {error}", error.kind()))),
                }
            }
            rest = member.into_inner();
            rest = &rest[rest.iter().take_while(|&&byte| byte == 0).count()..];
            if rest.is_empty() {
                return (text, None);
            }
            if !rest.starts_with(&b"\x1f\x8b"[..rest.len().min(2)]) {
                return (text, Some("InvalidData: garbage after the data".to_owned()));
            }
        }
    }

    fn gzip(text: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = GzBuilder::new().write(Vec::new(), Compression::new(level));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// Returns a member whose text is flushed after parts of some length.
    fn flushed(text: &[u8], part: usize) -> Vec<u8> {
        let mut encoder = GzBuilder::new().write(Vec::new(), Compression::default());
        for part in text.chunks(part) {
            encoder.write_all(part).unwrap();
            encoder.flush().unwrap();
        }
        encoder.finish().unwrap()
    }

    fn text_of(mut next: impl FnMut(&mut fastrand::Rng) -> Vec<u8>, length: usize) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut text = Vec::new();
        while text.len() < length {
            text.extend(next(&mut rng));
        }
        text.truncate(length);
        text
    }

    fn sequence(length: usize) -> Vec<u8> {
        let line = |rng: &mut fastrand::Rng| {
            let mut line: Vec<u8> = (0..60).map(|_| b"ACGT"[rng.usize(..4)]).collect();
            line.push(b'\n');
            line
        };
        text_of(line, length)
    }

    /// Returns texts that compress in different ways.
    fn texts(length: usize) -> Vec<(&'static str, Vec<u8>)> {
        let words = |rng: &mut fastrand::Rng| {
            format!("{} error {} at {}\n", rng.u8(..), ["disk", "net", "cpu"][rng.usize(..3)], rng.u16(..)).into_bytes()
        };
        let runs = |rng: &mut fastrand::Rng| vec![rng.u8(..4); rng.usize(..3000)];
        let periods = |rng: &mut fastrand::Rng| {
            let unit: Vec<u8> = (0..rng.usize(1..40)).map(|_| rng.u8(..)).collect();
            unit.repeat(rng.usize(1..30))
        };
        let random = |rng: &mut fastrand::Rng| vec![rng.u8(..)];
        let mixed = |rng: &mut fastrand::Rng| match rng.usize(..3) {
            0 => text_of(random, 5000),
            1 => vec![b'N'; 9000],
            _ => sequence(7000),
        };
        vec![
            ("sequence", sequence(length)),
            ("words", text_of(words, length)),
            ("runs", text_of(runs, length)),
            ("periods", text_of(periods, length)),
            ("random", text_of(random, length)),
            ("mixed", text_of(mixed, length)),
        ]
    }

    fn check(packed: &[u8], name: &str) -> Outcome {
        let expected = serial(packed);
        let same = |helpers: Option<Arc<dyn Helpers>>, case: &str| {
            let found = gunzip(packed, helpers);
            let lengths = (found.0.len(), expected.0.len());
            assert_eq!(found.1, expected.1, "{name}, {case}: {lengths:?}");
            // zlib loses the byte before an error that it finds in the same call.
            let lost = usize::from(expected.1.is_some());
            let is_same = found.0.starts_with(&expected.0) && (0..=lost).contains(&(lengths.0 - lengths.1));
            assert!(is_same, "{name}, {case}: {lengths:?}, {:?}", found.1);
        };
        same(None, "serial");
        for chunk in [1, 30, 1000, 10_000].into_iter().filter(|chunk| chunk * 2000 > packed.len()) {
            same(Some(Arc::new(Prompt(chunk))), &format!("chunks of {chunk}"));
        }
        expected
    }

    #[test]
    fn text_is_the_same_as_without_helpers() {
        for (name, text) in texts(150_000) {
            for level in [0, 1, 6, 9] {
                let (found, error) = check(&gzip(&text, level), &format!("{name} at level {level}"));
                assert!(found == text && error.is_none());
            }
            for part in [30_000, 1000] {
                check(&flushed(&text, part), &format!("{name} in parts of {part}"));
            }
            let packed = gzip(&text, 6);
            for chunk in [3000, 20_000] {
                assert!(gunzip(&packed, Some(Arc::new(Threads(chunk)))) == (text.clone(), None), "{name} in threads");
            }
        }
        for text in [&b""[..], b"a", b"abcabcabc"] {
            check(&gzip(text, 6), "a short text");
        }
    }

    #[test]
    fn members_follow_each_other_with_all_fields_and_padding() {
        let text = sequence(60_000);
        let mut with_fields = GzBuilder::new()
            .extra(vec![7; 3000])
            .filename(vec![b'n'; 5000])
            .comment(vec![b'c'; 400])
            .write(Vec::new(), Compression::default());
        with_fields.write_all(&text).unwrap();
        let with_fields = with_fields.finish().unwrap();
        // A header with a checksum.
        let mut checked = gzip(&text, 6);
        checked[3] |= 2;
        let mut sum = Crc::new();
        sum.update(&checked[..10]);
        checked.splice(10..10, sum.sum().to_le_bytes()[..2].iter().copied());
        let empty = gzip(b"", 6);
        let all = [&with_fields, &empty, &checked[..], &[0; 500], &gzip(&text, 0), &empty, &checked, &[0; 3]].concat();
        let (found, error) = check(&all, "members");
        assert!(found == text.repeat(4) && error.is_none());
        for cut in [1, 5, 9, 11, 12, 100, 3011, 3012, 3013, 8012, 8013, 8420] {
            check(&with_fields[..cut], "a header that is cut");
        }
        for (at, byte) in [(0, 0), (1, 0), (2, 7), (3, 255), (3, 32)] {
            let mut wrong = [&checked[..], &checked].concat();
            wrong[checked.len() + at] = byte;
            check(&wrong, "a wrong header");
        }
        checked[10] ^= 1;
        check(&[&with_fields[..], &checked].concat(), "a wrong checksum of a header");
        let long = |length| [&b"\x1f\x8b\x08\x08\0\0\0\0\0\0"[..], &vec![b'n'; length], b"\0", &empty[10..]].concat();
        assert!(check(&long(65_535), "a long name").1.is_none());
        assert!(check(&long(65_536), "a name that is too long").1.is_some());
        for junk in [&b"j"[..], b"junk that is not compressed", b"\x1f", b"\x1f\x8b\x08\0\0\0\0\0\0\0"] {
            assert!(check(&[&gzip(&text, 6), junk].concat(), "junk").1.is_some());
        }
    }

    #[test]
    fn damage_is_the_same_error_after_the_same_text() {
        let mut rng = fastrand::Rng::with_seed(9);
        for (name, text) in texts(20_000) {
            for level in [0, 1, 6] {
                let packed = [gzip(&text, level), gzip(&text[..1000], level)].concat();
                for case in 0..20 {
                    let mut bad = packed.clone();
                    let at = rng.usize(..bad.len());
                    match case % 4 {
                        0 => bad[at] ^= 1 << rng.u8(..8),
                        1 => bad.truncate(at),
                        2 => drop(bad.remove(at)),
                        _ => bad[at..].iter_mut().take(4).for_each(|byte| *byte = rng.u8(..)),
                    }
                    check(&bad, &format!("{name} at level {level}, case {case}"));
                }
            }
            let whole = gzip(&text[..3000], 6);
            for cut in 0..whole.len().min(200) {
                check(&whole[..cut], &format!("{name} cut to {cut}"));
            }
            for cut in 1..20 {
                check(&whole[..whole.len() - cut], &format!("{name} cut by {cut}"));
            }
        }
    }

    #[test]
    fn chunks_are_found_where_the_text_before_them_ends() {
        for (name, text) in texts(2_000_000) {
            for packed in [gzip(&text, 6), gzip(&text, 0), flushed(&text, 100_000)] {
                let size = 150_000;
                let buffers = SpareBuffers::default();
                let (mut stream, mut window, mut at) = (Stream::at_header(), Vec::new(), 0);
                while packed.len() > at / 8 + 2 * size {
                    let goal = (at / 8 + size) * 8;
                    let span = |start| Span { input: &packed, start, goal, most: usize::MAX };
                    let before = Decoded::after(&window, stream, &span(at), &buffers);
                    let found = Decoded::found(&Span { goal: usize::MAX, ..span(goal) }, packed.len(), &buffers);
                    assert_eq!(
                        (before.halt, found.unwrap().start),
                        (DecodingStop::Boundary(before.end), before.end),
                        "{name}"
                    );
                    (window, stream, at) = (before.text.window(&window), before.stream, before.end);
                }
            }
        }
    }
}
