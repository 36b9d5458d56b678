//! Decodes a part of gzip data: its members with their headers, deflate streams, trailers and padding.

use std::sync::Mutex;

use flate2::Crc;

use crate::deflate::{AMPLE, BitReader, Element, InflateStop, Inflater, Text, WINDOW, find_block, findable, resolver};
use crate::member::{GzipError, TRAILER, Trailer, begins_member, header_length};

/// The reason why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodingStop {
    /// A block follows that [`find_block`] finds at this bit.
    Boundary(usize),
    /// The input was used up.
    Input,
    /// The text has at least [`Span::most`] bytes.
    Full,
    Damaged(GzipError),
}

/// The next part of a gzip member to decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberPart {
    /// A header.
    Header,
    /// The deflate stream.
    Body,
    /// A trailer.
    Trailer,
    /// A member has ended: padding, another member, or the end of the input may follow.
    Between,
    /// A member and padding have ended: bytes follow that may be another member.
    Next,
}

/// The end of a member: the length of the text before it, and the trailer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemberEnd {
    at: usize,
    trailer: Trailer,
}

/// A run of input to decode, within gzip data.
pub(crate) struct Span<'a> {
    pub(crate) input: &'a [u8],
    /// The bit of `input` at which decoding starts.
    pub(crate) start: usize,
    /// Decoding stops at the first block from this bit on that [`find_block`] finds.
    pub(crate) goal: usize,
    /// Length of the text in bytes from which on decoding stops.
    pub(crate) most: usize,
}

/// The state of decoding between two symbols.
pub(crate) struct Stream {
    part: MemberPart,
    inflater: Inflater,
}

/// Decoded text of a span, and the state at its end.
pub(crate) struct Decoded {
    /// The bit at which decoding started.
    pub(crate) start: usize,
    /// The bit at which decoding stopped.
    pub(crate) end: usize,
    pub(crate) halt: DecodingStop,
    pub(crate) stream: Stream,
    pub(crate) text: SpanText,
}

/// A part of a buffer with text.
pub(crate) struct TextSlice {
    pub(crate) buffer: Vec<u8>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Buffers for reuse, whose memory the system has already provided.
#[derive(Default)]
pub(crate) struct SpareBuffers {
    marked: Mutex<Vec<Vec<u16>>>,
    plain: Mutex<Vec<Vec<u8>>>,
}

/// The text of a span, and the ends of members in it.
pub(crate) struct SpanText {
    /// The beginning of the text, which may have markers.
    marked: Option<Text<u16>>,
    /// The text after the marked text.
    plain: Option<Text<u8>>,
    ends: Vec<MemberEnd>,
}

/// Text without markers, with its checksums.
pub(crate) struct MarkerFreeText {
    pub(crate) text: Vec<TextSlice>,
    ends: Vec<MemberEnd>,
    /// The checksums of the text before each end of a member, and of the text after the last one.
    sums: Vec<Crc>,
}

impl Stream {
    /// Makes the state before a header.
    pub(crate) fn at_header() -> Self {
        Stream { part: MemberPart::Header, inflater: Inflater::new() }
    }

    /// Makes the state after a member.
    pub(crate) fn between_members() -> Self {
        Stream { part: MemberPart::Between, inflater: Inflater::new() }
    }

    fn at_block() -> Self {
        Stream { part: MemberPart::Body, inflater: Inflater::new() }
    }

    pub(crate) fn is_before_block(&self) -> bool {
        self.part == MemberPart::Body && self.inflater.is_before_block()
    }

    /// Returns the fault of input that ends here; `None` if input may end here.
    pub(crate) fn truncation(&self) -> Option<GzipError> {
        match self.part {
            MemberPart::Between => None,
            MemberPart::Header | MemberPart::Trailer | MemberPart::Next => Some(GzipError::EndOfFile),
            MemberPart::Body => Some(GzipError::EndOfStream),
        }
    }
}

impl Decoded {
    /// Decodes a span whose window is known.
    pub(crate) fn after(window: &[u8], stream: Stream, span: &Span, buffers: &SpareBuffers) -> Self {
        let mut run = SpanDecoder::new(span, stream, span.start);
        let mut text = Text::after(window, buffers.plain());
        let halt = run.decode(&mut text);
        run.decoded(halt, None, Some(text))
    }

    /// Decodes a span whose window is not known, from the first block on that is found before byte `end`. Returns
    /// `None` if no block is found.
    pub(crate) fn found(span: &Span, end: usize, buffers: &SpareBuffers) -> Option<Self> {
        let start = find_block(span.input, span.start, end)?;
        let mut run = SpanDecoder::new(span, Stream::at_block(), start);
        let mut text = Text::of_markers(buffers.marked());
        loop {
            if let Some(halt) = run.decode_block(&mut text) {
                return Some(run.decoded(halt, Some(text), None));
            }
            if let Some(window) = text.plain_end() {
                let mut plain = Text::after(&window, buffers.plain());
                run.before = text.len();
                let halt = run.decode(&mut plain);
                return Some(run.decoded(halt, Some(text), Some(plain)));
            }
        }
    }
}

impl SpanText {
    pub(crate) fn has_markers(&self) -> bool {
        self.marked.is_some()
    }

    /// Returns the last bytes of the text, at most a window. `window` holds the bytes before the text.
    pub(crate) fn window(&self, window: &[u8]) -> Vec<u8> {
        match (&self.plain, &self.marked) {
            (Some(plain), _) => plain.window().to_vec(),
            (None, Some(marked)) => resolve(marked.window(), &resolver(window)).collect(),
            (None, None) => window.to_vec(),
        }
    }

    /// Returns the length of the text in bytes.
    pub(crate) fn len(&self) -> usize {
        self.marked.as_ref().map_or(0, Text::len) + self.plain.as_ref().map_or(0, Text::len)
    }

    /// Returns the text with its markers resolved, given the window before it.
    pub(crate) fn passage(self, window: &[u8], buffers: &SpareBuffers) -> MarkerFreeText {
        let mut text = Vec::new();
        if let Some(marked) = self.marked {
            let mut buffer = buffers.plain();
            buffer.clear();
            buffer.extend(resolve(marked.symbols(), &resolver(window)));
            buffers.keep_marked(marked.into_buffer());
            text.push(TextSlice { start: 0, end: buffer.len(), buffer });
        }
        if let Some(plain) = self.plain {
            let end = WINDOW + plain.len();
            text.push(TextSlice { start: WINDOW, end, buffer: plain.into_buffer() });
        }
        let sums = sums(&text, &self.ends);
        MarkerFreeText { text, ends: self.ends, sums }
    }
}

/// Replaces markers by bytes, which the table `resolver` holds.
fn resolve(symbols: &[u16], resolver: &[u8; 1 << 16]) -> impl ExactSizeIterator<Item = u8> {
    symbols.iter().map(|&symbol| resolver[usize::from(symbol)])
}

/// Returns the checksums of the text before each end of a member, and of the text after the last one.
fn sums(text: &[TextSlice], ends: &[MemberEnd]) -> Vec<Crc> {
    let mut sums = Vec::new();
    let mut ends = ends.iter().map(|end| end.at).peekable();
    let (mut at, mut sum) = (0, Crc::new());
    for slice in text {
        let mut rest = slice.bytes();
        while let Some(end) = ends.next_if(|end| *end <= at + rest.len()) {
            let (part, after) = rest.split_at(end - at);
            sum.update(part);
            sums.push(std::mem::take(&mut sum));
            (rest, at) = (after, end);
        }
        sum.update(rest);
        at += rest.len();
    }
    sums.push(sum);
    sums
}

impl TextSlice {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }
}

impl SpareBuffers {
    /// Returns a spare buffer with arbitrary content, or an empty buffer if there is none.
    fn plain(&self) -> Vec<u8> {
        self.plain.lock().expect("no panic while the lock is held").pop().unwrap_or_default()
    }

    fn marked(&self) -> Vec<u16> {
        self.marked.lock().expect("no panic while the lock is held").pop().unwrap_or_default()
    }

    pub(crate) fn keep(&self, buffer: Vec<u8>) {
        self.plain.lock().expect("no panic while the lock is held").push(buffer);
    }

    fn keep_marked(&self, buffer: Vec<u16>) {
        self.marked.lock().expect("no panic while the lock is held").push(buffer);
    }
}

impl MarkerFreeText {
    /// Adds the checksums of the text to `sum`, the checksum of the open member so far. Returns whether the trailers of
    /// all members agree with the text. If one does not, the text is cut off at the end of its member.
    pub(crate) fn verify(&mut self, sum: &mut Crc) -> bool {
        for (part, end) in self.sums.iter().zip(&self.ends) {
            sum.combine(part);
            if !end.trailer.agrees(&std::mem::take(sum)) {
                truncate(&mut self.text, end.at);
                return false;
            }
        }
        if let Some(rest) = self.sums.last() {
            sum.combine(rest);
        }
        true
    }
}

/// Shortens text to `length` bytes in all.
fn truncate(text: &mut [TextSlice], mut length: usize) {
    for slice in text {
        slice.end = slice.end.min(slice.start + length);
        length -= slice.bytes().len();
    }
}

/// The state of decoding a span.
struct SpanDecoder<'a> {
    span: &'a Span<'a>,
    bits: BitReader<'a>,
    start: usize,
    stream: Stream,
    ends: Vec<MemberEnd>,
    /// Length of the text with markers if it is complete, and the text after it is being decoded; otherwise 0.
    before: usize,
}

impl<'a> SpanDecoder<'a> {
    fn new(span: &'a Span<'a>, stream: Stream, start: usize) -> Self {
        SpanDecoder { span, bits: BitReader::new(span.input, start), start, stream, ends: Vec::new(), before: 0 }
    }

    fn decoded(self, halt: DecodingStop, marked: Option<Text<u16>>, plain: Option<Text<u8>>) -> Decoded {
        let end = match halt {
            DecodingStop::Boundary(bit) => bit,
            _ => self.bits.position(),
        };
        let text = SpanText { marked, plain, ends: self.ends };
        Decoded { start: self.start, end, halt, stream: self.stream, text }
    }

    fn decode<S: Element>(&mut self, text: &mut Text<S>) -> DecodingStop {
        loop {
            if let Some(halt) = self.decode_block(text) {
                return halt;
            }
        }
    }

    /// Decodes the next part of a member, or at most one block of its deflate stream. Returns `None` if decoding can
    /// continue.
    fn decode_block<S: Element>(&mut self, text: &mut Text<S>) -> Option<DecodingStop> {
        match self.stream.part {
            MemberPart::Header => match header_length(self.rest()) {
                Ok(length) => {
                    self.skip(length);
                    text.forget();
                    self.stream.part = MemberPart::Body;
                }
                Err(GzipError::EndOfFile) => return Some(DecodingStop::Input),
                Err(damage) => return Some(DecodingStop::Damaged(damage)),
            },
            MemberPart::Body => return self.decode_body(text),
            MemberPart::Trailer => {
                let Some(&trailer) = self.rest().first_chunk::<TRAILER>() else { return Some(DecodingStop::Input) };
                self.skip(TRAILER);
                self.ends.push(MemberEnd { at: self.before + text.len(), trailer: Trailer::of(trailer) });
                self.stream.part = MemberPart::Between;
            }
            MemberPart::Between => {
                let zeros = self.rest().iter().take_while(|&&byte| byte == 0).count();
                self.skip(zeros);
                if self.rest().is_empty() {
                    return Some(DecodingStop::Input);
                }
                self.stream.part = MemberPart::Next;
            }
            MemberPart::Next => match begins_member(self.rest()) {
                Ok(true) => self.stream.part = MemberPart::Header,
                Ok(false) => return Some(DecodingStop::Damaged(GzipError::Garbage)),
                Err(_) => return Some(DecodingStop::Input),
            },
        }
        None
    }

    fn decode_body<S: Element>(&mut self, text: &mut Text<S>) -> Option<DecodingStop> {
        let most = self.span.most.saturating_sub(self.before);
        match self.stream.inflater.run(&mut self.bits, text) {
            InflateStop::Boundary => {
                let found = findable(self.span.input, self.bits.position()).filter(|bit| *bit >= self.span.goal);
                found.map(DecodingStop::Boundary)
            }
            InflateStop::End => {
                self.bits.align();
                self.stream.part = MemberPart::Trailer;
                None
            }
            InflateStop::Input => Some(DecodingStop::Input),
            InflateStop::Room if text.len() >= most => Some(DecodingStop::Full),
            InflateStop::Room => {
                // Doubling the room would leave up to half of the memory unused.
                text.grow((text.len() + text.len() / 2).max(2 * self.span.input.len()).min(most) + AMPLE);
                None
            }
            InflateStop::Corrupt => Some(DecodingStop::Damaged(GzipError::Stream)),
        }
    }

    /// Returns the input from the current position on, which is at a byte boundary.
    fn rest(&self) -> &'a [u8] {
        &self.span.input[self.bits.position() / 8..]
    }

    fn skip(&mut self, bytes: usize) {
        self.bits = BitReader::new(self.span.input, self.bits.position() + 8 * bytes);
    }
}
