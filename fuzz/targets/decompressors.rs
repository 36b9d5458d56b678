//! Arbitrary compressed streams, and valid streams with at most one damaged place. Decompression returns the whole
//! content, or a part of it and an error.
#![no_main]

use std::io::{self, Read};
use std::sync::Arc;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh_fuzz::packed::{Packing, packed};
use nigh_gunzip::{Helpers, Job};
use nigh_input::{Batcher, BinaryInput, Compression, Decoding, Encoding, Format, LongLines, Source};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{TextBuffer, Window};

/// Maximum number of bytes of text for each byte of a stream. For example, bzip2 can encode about 46 MB of equal bytes
/// in a block of 40 bytes.
const MAX_RATIO: usize = 2 << 20;
/// Maximum length of a text that is kept. A longer text is cut, and only its length is checked.
const LONG_TEXT: usize = 1 << 20;
/// Size of the header of a bgzf block, in bytes.
const BGZF_HEAD: usize = 18;
/// Length at which counting a text stops.
const MAX_TEXT: usize = 256 << 20;

#[derive(Debug, Arbitrary)]
struct Scene {
    stream: Stream,
    /// Lengths of successive reads; 0 is an interrupted read.
    reads: [u8; 8],
    /// Batch size in bytes.
    window: u16,
    /// The helpers that decompress parts of a stream; `None` to decompress without helpers.
    helpers: Option<Prompt>,
}

#[derive(Debug, Arbitrary)]
enum Stream {
    /// Arbitrary bytes.
    Raw(Vec<u8>),
    /// A stream with a member for each text, which may be damaged.
    Packed { packing: Packing, texts: Vec<Vec<u8>>, repeats: u8, damage: Option<Damage> },
}

/// A change at one place of a stream.
#[derive(Debug, Arbitrary)]
struct Damage {
    place: u16,
    kind: DamageKind,
}

#[derive(Debug, Arbitrary)]
enum DamageKind {
    Changed(u8),
    Inserted(u8),
    Removed,
    CutOff,
}

/// A reader whose reads are short or interrupted.
struct Stormy {
    bytes: io::Cursor<Vec<u8>>,
    reads: [u8; 8],
    at: usize,
}

impl Read for Stormy {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::from(self.reads[self.at % self.reads.len()]);
        self.at += 1;
        // At least every eighth read succeeds, even if all lengths are 0.
        match most {
            0 if !self.at.is_multiple_of(self.reads.len()) => Err(io::ErrorKind::Interrupted.into()),
            255 => self.bytes.read(buffer),
            most => {
                let most = most.max(1).min(buffer.len());
                self.bytes.read(&mut buffer[..most])
            }
        }
    }
}

/// Helpers that run each job immediately.
#[derive(Debug, Clone, Copy, Arbitrary)]
struct Prompt {
    /// Number of compressed bytes of a gzip member in a job.
    chunk: u8,
}

impl Helpers for Prompt {
    fn count(&self) -> usize {
        3
    }

    fn take(&self, job: Job) {
        job();
    }

    fn chunk_bytes(&self) -> usize {
        // From 1 byte to 64 KiB; small sizes are likely.
        1 + (usize::from(self.chunk) * usize::from(self.chunk))
    }
}

fuzz_target!(|scene: Scene| {
    let (stream, whole) = scene.stream.bytes();
    let (text, read) = read(&scene, &stream);
    let Some(whole) = whole else {
        // The text depends neither on helpers nor on the lengths of reads.
        let (other, other_read) = self::read(&Scene::plain(), &stream);
        assert_eq!(read.is_ok(), other_read.is_ok(), "{read:?}, {other_read:?}");
        assert!(text.starts_with(&other) || other.starts_with(&text), "one of the texts must begin with the other");
        assert!(read.is_err() || text == other, "both readers must return the same text");
        return;
    };
    let Stream::Packed { packing, damage, .. } = &scene.stream else { unreachable!("only packed streams have a text") };
    match damage {
        None if whole.len() > LONG_TEXT => assert!(whole.starts_with(&text)),
        None => assert!(read.is_ok() && text == whole, "{packing:?}: {read:?}, {} of {}", text.len(), whole.len()),
        // Input without the first bytes of a known format is not decompressed.
        Some(_) if read.is_ok() && text == stream => {}
        // The checksum at the end of a member detects damage; bgzf returns no text before that.
        Some(damage) if damage.is_in_bgzf_body(*packing, &stream) => assert!(whole.starts_with(&text), "{read:?}"),
        Some(_) if packing.has_checksum() && read.is_ok() => {
            assert!(lacks_at_most_a_part(&text, &whole), "{packing:?}: {} of {} bytes", text.len(), whole.len());
        }
        Some(_) => {}
    }
});

/// Returns whether `text` is `whole`, or `whole` without one part. The extra field of a damaged gzip header may cover
/// whole members, and the rest is then valid.
fn lacks_at_most_a_part(text: &[u8], whole: &[u8]) -> bool {
    let same = text.iter().zip(whole).take_while(|(a, b)| a == b).count();
    whole.ends_with(&text[same..])
}

impl Scene {
    /// Returns a scene with long reads, large batches and no helpers.
    fn plain() -> Self {
        Scene { stream: Stream::Raw(Vec::new()), reads: [255; 8], window: u16::MAX, helpers: None }
    }
}

impl Stream {
    /// Returns the bytes of the stream, and the text before the damage; `None` instead of a text for arbitrary bytes.
    fn bytes(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        match self {
            Stream::Raw(bytes) => (bytes.clone(), None),
            Stream::Packed { packing, texts, repeats, damage } => {
                let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.repeat(usize::from(*repeats) + 1)).collect();
                let mut stream: Vec<u8> = texts.iter().flat_map(|text| packed(*packing, text)).collect();
                if let Some(damage) = damage {
                    damage.apply(&mut stream);
                }
                (stream, Some(texts.concat()))
            }
        }
    }
}

impl Damage {
    /// Returns whether the damage changes a byte of a bgzf stream outside the headers. A damaged header may be a valid
    /// header of another format.
    fn is_in_bgzf_body(&self, packing: Packing, stream: &[u8]) -> bool {
        if packing != Packing::Bgzf || !matches!(self.kind, DamageKind::Changed(_)) {
            return false;
        }
        let mut rest = usize::from(self.place) % stream.len();
        let mut block = stream;
        // The header of a block ends with its size.
        while let Some(&[.., low, high]) = block.first_chunk::<BGZF_HEAD>() {
            let size = usize::from(u16::from_le_bytes([low, high])) + 1;
            match block.get(size..) {
                Some(next) if rest >= size => (rest, block) = (rest - size, next),
                _ => return rest >= BGZF_HEAD,
            }
        }
        false
    }

    fn apply(&self, stream: &mut Vec<u8>) {
        if stream.is_empty() {
            return;
        }
        let place = usize::from(self.place) % stream.len();
        match self.kind {
            DamageKind::Changed(bits) => stream[place] ^= bits,
            DamageKind::Inserted(byte) => stream.insert(place, byte),
            DamageKind::Removed => drop(stream.remove(place)),
            DamageKind::CutOff => stream.truncate(place),
        }
    }
}

/// Returns the text that can be read from a stream, and an error if it ends early.
fn read(scene: &Scene, stream: &[u8]) -> (Vec<u8>, Result<(), String>) {
    let mut text = Vec::new();
    let read = each_piece(scene, stream, |piece| {
        text.extend_from_slice(piece);
        text.len() <= LONG_TEXT
    });
    if text.len() > LONG_TEXT {
        text.truncate(LONG_TEXT);
        check_is_bounded(stream);
        return (text, Err("long".to_owned()));
    }
    (text, read)
}

/// Checks that the text of a stream is at most `MAX_RATIO` times as long as the stream.
fn check_is_bounded(stream: &[u8]) {
    let mut length = 0;
    // Only the length counts here; other checks are for errors.
    let _ = each_piece(&Scene::plain(), stream, |piece| {
        length += piece.len();
        assert!(length <= MAX_RATIO * stream.len(), "{length} bytes of text from a stream of {} bytes", stream.len());
        length <= MAX_TEXT
    });
}

/// Calls `take` with each piece of the text of a stream, until it returns false.
fn each_piece(scene: &Scene, stream: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> Result<(), String> {
    let reader = Stormy { bytes: io::Cursor::new(stream.to_vec()), reads: scene.reads, at: 0 };
    let encoding = Encoding::None;
    let decoding =
        Decoding { compression: Compression::ByMagic, encoding, binary: BinaryInput::Searched, hides_escapes: false };
    let helpers = scene.helpers.map(|helpers| Arc::new(helpers) as Arc<dyn Helpers>);
    let source = Source::open_reader(reader, decoding, helpers).map_err(|error| error.to_string())?;
    let window = Window { bytes: usize::from(scene.window) + 1, max_match_len: 0, alphabet: Alphabet::Bytes };
    let mut batcher = Batcher::new(source, Format::Lines { terminator: b'\n', long: LongLines::Cut }, window);
    while let Some(batch) = batcher.next_batch(&mut TextBuffer::default()).map_err(|error| error.to_string())? {
        if !take(&batch.bytes()[batch.owned()]) {
            break;
        }
    }
    Ok(())
}
