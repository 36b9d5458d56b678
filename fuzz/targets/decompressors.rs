//! Compressed streams at will and whole ones, damaged at one place or not: what is read of them is what they hold, or less and an error.
#![no_main]

use std::io::{self, Read};
use std::sync::Arc;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh::alphabet::Alphabet;
use nigh::input::{
    Batcher, BinaryInput, Compression, Decoding, Encoding, Format, Helpers, Job, LongLines, Source, Window,
};
use nigh_fuzz::packed::{Packing, packed};

/// The most text for a byte of a stream: bzip2 repeats a byte for a block of some 46 MB in 40 bytes.
const MAX_RATIO: usize = 2 << 20;
/// A text that is longer is counted, and not kept.
const LONG_TEXT: usize = 1 << 20;
/// The bytes of a block of bgzf before its data.
const BGZF_HEAD: usize = 18;
/// A text is counted up to here.
const MAX_TEXT: usize = 256 << 20;

#[derive(Debug, Arbitrary)]
struct Scene {
    stream: Stream,
    /// Bytes that reads give, one after the other; 0 stands for a read that is interrupted.
    reads: [u8; 8],
    /// Bytes of a batch.
    window: u16,
    /// Whether others decompress.
    is_helped: bool,
}

#[derive(Debug, Arbitrary)]
enum Stream {
    /// Some bytes.
    Raw(Vec<u8>),
    /// Members, one for each text, which may be damaged.
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

/// A reader of short and interrupted reads.
struct Stormy {
    bytes: io::Cursor<Vec<u8>>,
    reads: [u8; 8],
    at: usize,
}

impl Read for Stormy {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::from(self.reads[self.at % self.reads.len()]);
        self.at += 1;
        // Not all reads are interrupted.
        match most {
            0 if self.at % self.reads.len() > 0 => Err(io::ErrorKind::Interrupted.into()),
            255 => self.bytes.read(buffer),
            most => {
                let most = most.max(1).min(buffer.len());
                self.bytes.read(&mut buffer[..most])
            }
        }
    }
}

/// Helpers that do each job at once.
struct Prompt;

impl Helpers for Prompt {
    fn count(&self) -> usize {
        3
    }

    fn take(&self, job: Job) {
        job();
    }
}

fuzz_target!(|scene: Scene| {
    let (stream, whole) = scene.stream.bytes();
    let (text, read) = read(&scene, &stream);
    let Some(whole) = whole else {
        // Whoever gives the bytes, and how many at a time, the text is the same.
        let (other, other_read) = self::read(&Scene::plain(), &stream);
        assert_eq!(read.is_ok(), other_read.is_ok(), "{read:?}, {other_read:?}");
        assert!(text.starts_with(&other) || other.starts_with(&text), "one text begins the other");
        assert!(read.is_err() || text == other, "the text is the same");
        return;
    };
    let Stream::Packed { packing, damage, .. } = &scene.stream else { unreachable!("only these have a text") };
    match damage {
        None if whole.len() > LONG_TEXT => assert!(whole.starts_with(&text)),
        None => assert!(read.is_ok() && text == whole, "{packing:?}: {read:?}, {} of {}", text.len(), whole.len()),
        // Input without the first bytes of a known format is not decompressed.
        Some(_) if read.is_ok() && text == stream => {}
        // The end of a member tells whether it is right; of bgzf, nothing is given before that.
        Some(damage) if packing.has_checksum() && read.is_ok() || damage.is_in_bgzf_body(*packing, &stream) => {
            assert!(whole.starts_with(&text), "{packing:?}: {read:?}, {} bytes", text.len());
        }
        Some(_) => {}
    }
});

impl Scene {
    /// Long reads and large batches.
    fn plain() -> Self {
        Scene { stream: Stream::Raw(Vec::new()), reads: [255; 8], window: u16::MAX, is_helped: false }
    }
}

impl Stream {
    /// The bytes, and what they hold, if that is known.
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
    /// Whether it changes a byte of bgzf that is not in the head of a block. A damaged head may be that of another stream.
    fn is_in_bgzf_body(&self, packing: Packing, stream: &[u8]) -> bool {
        if packing != Packing::Bgzf || !matches!(self.kind, DamageKind::Changed(_)) {
            return false;
        }
        let mut rest = usize::from(self.place) % stream.len();
        let mut block = stream;
        // The head of a block ends with its size.
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

/// The text of a stream, as far as it can be read, and whether that is to its end.
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

/// The text of a stream is not much longer than the stream.
fn check_is_bounded(stream: &[u8]) {
    let mut length = 0;
    // Damage is found by others.
    let _ = each_piece(&Scene::plain(), stream, |piece| {
        length += piece.len();
        assert!(length <= MAX_RATIO * stream.len(), "{length} bytes of {}", stream.len());
        length <= MAX_TEXT
    });
}

/// Takes the text of a stream piece by piece, as long as more is wanted.
fn each_piece(scene: &Scene, stream: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> Result<(), String> {
    let reader = Stormy { bytes: io::Cursor::new(stream.to_vec()), reads: scene.reads, at: 0 };
    let encoding = Encoding::None;
    let decoding = Decoding { compression: Compression::ByMagic, encoding, binary: BinaryInput::Searched };
    let helpers = scene.is_helped.then(|| Arc::new(Prompt) as Arc<dyn Helpers>);
    let source = Source::open_reader(reader, decoding, helpers).map_err(|error| error.to_string())?;
    let window = Window { bytes: usize::from(scene.window) + 1, reach: 0, alphabet: Alphabet::Bytes };
    let mut batcher = Batcher::new(source, Format::Lines { terminator: b'\n', long: LongLines::Cut }, window);
    while let Some(batch) = batcher.next_batch(&mut Vec::new()).map_err(|error| error.to_string())? {
        if !take(&batch.bytes()[batch.owned()]) {
            break;
        }
    }
    Ok(())
}
