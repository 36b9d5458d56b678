//! Opens a reader for compressed input of any method.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use nigh_gunzip::Helpers;

use super::blocks::Blocks;
use super::lz4::Frames;
use super::method::Method;
use super::zstd::zstd_reader;

/// Size in bytes of the buffer for compressed data. The copy through it costs little compared with decompression.
const BUFFER: usize = 128 << 10;

impl Method {
    /// Returns a reader of the text of all members, streams or frames, in order.
    ///
    /// With helpers, independent pieces are decompressed concurrently; reads of `compressed` must then never block.
    pub(crate) fn reader(
        self,
        compressed: Box<dyn Read + Send>,
        helpers: Option<Arc<dyn Helpers>>,
    ) -> io::Result<Box<dyn Read + Send>> {
        let reader = BufReader::with_capacity(BUFFER, compressed);
        let helpers = helpers.filter(|helpers| helpers.count() > 1);
        Ok(match (self, helpers) {
            (Method::Zstd, None) => Box::new(zstd_reader(reader)?),
            // Without helpers, BGZF is cut into the same blocks, so that damaged blocks yield the same text as with
            // helpers.
            (Method::Gzip | Method::Zstd, helpers) => Box::new(Blocks::new(self, reader, helpers)),
            (Method::Xz | Method::Lzma, _) => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(reader)),
            (Method::Bzip2, _) => Box::new(bzip2::bufread::MultiBzDecoder::new(reader)),
            (Method::Lz4, _) => Box::new(Frames::new(reader)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::source::retry::Retrying;
    use crate::source::retry::tests::Stormy;

    /// Compresses `text` into one member, stream or frame of each method; for LZ4 with checksums and without.
    fn packed(text: &[u8]) -> [(Method, Vec<u8>); 7] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text).unwrap();
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
        xz.write_all(text).unwrap();
        let options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
        let mut lzma = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        lzma.write_all(text).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(text).unwrap();
        let frame = || lz4_flex::frame::FrameInfo::new().block_size(lz4_flex::frame::BlockSize::Max64KB);
        let lz4 = |frame| {
            let mut lz4 = lz4_flex::frame::FrameEncoder::with_frame_info(frame, Vec::new());
            lz4.write_all(text).unwrap();
            (Method::Lz4, lz4.finish().unwrap())
        };
        [
            (Method::Gzip, gzip.finish().unwrap()),
            (Method::Zstd, zstd::encode_all(text, 1).unwrap()),
            (Method::Xz, xz.finish().unwrap()),
            (Method::Bzip2, bzip2.finish().unwrap()),
            lz4(frame().content_checksum(true).block_checksums(true)),
            lz4(frame()),
            (Method::Lzma, lzma.finish().unwrap()),
        ]
    }

    /// Returns `length` bytes of random lines out of 40, so that several blocks of text compress to little data.
    fn text(length: usize) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(7);
        let words: Vec<String> = (0..40).map(|_| format!("{:x}\n", rng.u64(..))).collect();
        std::iter::repeat_with(|| words[rng.usize(..40)].bytes()).flatten().take(length).collect()
    }

    fn read(method: Method, packed: impl Read + Send + 'static) -> (Vec<u8>, io::Result<usize>) {
        let mut text = Vec::new();
        let mut reader = method.reader(Box::new(packed), None).unwrap();
        let read = reader.read_to_end(&mut text);
        (text, read)
    }

    #[test]
    fn truncated_data_is_never_accepted_as_whole() {
        let whole = text(150_000);
        for (method, packed) in packed(&whole) {
            assert_eq!(read(method, Cursor::new(packed.clone())).0, whole);
            // Every cut within 60 bytes of either end, and some in between.
            let near = |cut: usize| cut < 60 || packed.len() - cut < 60 || cut.is_multiple_of(211);
            for cut in (1..packed.len()).filter(|&cut| near(cut)) {
                let (text, read) = read(method, Cursor::new(packed[..cut].to_vec()));
                assert!(read.is_err(), "{} cut to {cut} of {} bytes", method.name(), packed.len());
                assert!(whole.starts_with(&text), "{} cut to {cut}", method.name());
            }
        }
    }

    #[test]
    fn a_cut_behind_any_block_of_lz4_is_found() {
        let whole = text(600_000);
        let (_, packed) = &packed(&whole)[5];
        let mut at = 7;
        let mut blocks = 0;
        while packed[at..at + 4] != [0; 4] {
            let size = u32::from_le_bytes(packed[at..at + 4].try_into().unwrap());
            at += 4 + (size & 0x7fff_ffff) as usize;
            blocks += 1;
            for cut in at..at + 4 {
                assert!(read(Method::Lz4, Cursor::new(packed[..cut].to_vec())).1.is_err());
            }
        }
        assert!(blocks > 1);
    }

    #[test]
    fn interrupted_and_short_reads_change_nothing() {
        let part = text(20_000);
        for (method, packed) in packed(&part) {
            // A file of LZMA is one stream.
            let count = if method == Method::Lzma { 1 } else { 5 };
            let (whole, packed) = (part.repeat(count), packed.repeat(count));
            for seed in 0..20 {
                let stormy = Retrying::new(Stormy::new(packed.clone(), seed), None);
                let (text, read) = read(method, stormy);
                assert!(read.is_ok() && text == whole, "{} with seed {seed}: {read:?}", method.name());
            }
        }
    }

    #[test]
    fn text_is_not_taken_for_compressed() {
        assert_eq!(Method::of(b"BZh91AY&SY..."), Some(Method::Bzip2));
        assert_eq!(Method::of(b"BZh11AY&SY..."), Some(Method::Bzip2));
        assert_eq!(Method::of(b"BZh0 is text, BZh9 too"), None);
        assert_eq!(Method::of(b"\x5e\x2a\x4d\x18"), Some(Method::Zstd));
        assert!(Method::is_incomplete(b"") && Method::is_incomplete(b"BZh7") && !Method::is_incomplete(b"BZhx"));
    }
}
