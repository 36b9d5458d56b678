//! Compressions: which one some bytes have, and how it is undone.

mod blocks;
mod gzip;
mod lz4;
mod pieces;

use std::io::{self, BufReader, Read};
use std::ops::RangeInclusive;
use std::sync::Arc;

use self::blocks::Blocks;
use self::gzip::Members;
use self::lz4::Frames;
use super::source::Helpers;

/// How something is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Lz4,
}

/// The bytes that compressed data begins with.
struct Magic {
    bytes: &'static [u8],
    /// A byte that may be any of these instead.
    free: Option<(usize, RangeInclusive<u8>)>,
    method: Method,
}

impl Magic {
    const fn of(bytes: &'static [u8], method: Method) -> Self {
        Magic { bytes, free: None, method }
    }
}

/// Bzip2's is made of letters: only with what begins a block, or the end, is it told from text.
const MAGICS: [Magic; 8] = [
    Magic::of(b"\x1f\x8b", Method::Gzip),
    Magic::of(b"\x28\xb5\x2f\xfd", Method::Zstd),
    // A frame to be skipped. Lz4 has the same, but files of zstd made by several threads begin with one.
    Magic { bytes: b"\x50\x2a\x4d\x18", free: Some((0, 0x50..=0x5f)), method: Method::Zstd },
    Magic::of(b"\xfd7zXZ\x00", Method::Xz),
    Magic { bytes: b"BZh91AY&SY", free: Some((3, b'1'..=b'9')), method: Method::Bzip2 },
    Magic { bytes: b"BZh9\x17rE8P\x90", free: Some((3, b'1'..=b'9')), method: Method::Bzip2 },
    Magic::of(b"\x04\x22\x4d\x18", Method::Lz4),
    Magic::of(b"\x02\x21\x4c\x18", Method::Lz4),
];

/// Large enough that reading compressed bytes costs nothing beside decompressing them.
const BUFFER: usize = 128 << 10;
/// What zstd was allowed to refer back to, as a power of two: the most there is.
const FARTHEST: u32 = 31;

impl Magic {
    /// Whether some bytes, as far as there are any, begin like this.
    fn agrees(&self, head: &[u8]) -> bool {
        let is_free =
            |at: usize, byte: u8| self.free.as_ref().is_some_and(|(free, may)| *free == at && may.contains(&byte));
        head.iter().zip(self.bytes).enumerate().all(|(at, (byte, own))| byte == own || is_free(at, *byte))
    }
}

impl Method {
    /// The method that some bytes begin with the mark of.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|magic| head.len() >= magic.bytes.len() && magic.agrees(head)).map(|magic| magic.method)
    }

    /// Whether more bytes may turn these into the mark of one.
    pub(super) fn may_begin(head: &[u8]) -> bool {
        MAGICS.iter().any(|magic| head.len() < magic.bytes.len() && magic.agrees(head))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Gzip => "gzip",
            Method::Zstd => "zstd",
            Method::Xz => "xz",
            Method::Bzip2 => "bzip2",
            Method::Lz4 => "lz4",
        }
    }

    /// Reads what compressed bytes hold: of all members, streams or frames, one after the other.
    ///
    /// With helpers, what is in pieces of its own is decompressed several pieces at a time; who reads the compressed bytes
    /// must then never wait.
    pub(super) fn reader(
        self,
        compressed: Box<dyn Read + Send>,
        helpers: Option<Arc<dyn Helpers>>,
    ) -> io::Result<Box<dyn Read + Send>> {
        let reader = BufReader::with_capacity(BUFFER, compressed);
        let helpers = helpers.filter(|helpers| helpers.count() > 1);
        Ok(match (self, helpers) {
            (Method::Gzip | Method::Zstd, Some(helpers)) => Box::new(Blocks::new(self, reader, helpers)),
            (Method::Gzip, None) => Box::new(Members::new(reader)),
            (Method::Zstd, None) => Box::new(zstd_reader(reader)?),
            (Method::Xz, _) => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(reader)),
            (Method::Bzip2, _) => Box::new(bzip2::bufread::MultiBzDecoder::new(reader)),
            (Method::Lz4, _) => Box::new(Frames::new(reader)),
        })
    }
}

fn zstd_reader<R: io::BufRead>(reader: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
    decoder.window_log_max(FARTHEST)?;
    Ok(decoder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_taken_for_compressed() {
        assert_eq!(Method::of(b"BZh91AY&SY..."), Some(Method::Bzip2));
        assert_eq!(Method::of(b"BZh11AY&SY..."), Some(Method::Bzip2));
        assert_eq!(Method::of(b"BZh0 is text, BZh9 too"), None);
        assert_eq!(Method::of(b"\x5e\x2a\x4d\x18"), Some(Method::Zstd));
        assert!(Method::may_begin(b"") && Method::may_begin(b"BZh7") && !Method::may_begin(b"BZhx"));
    }
}
