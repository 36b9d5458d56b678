//! Lz4 of several frames, one after the other; those to be skipped are.

use std::io::{self, BufRead, Read};

use lz4_flex::frame::{Error, FrameDecoder};

/// So many bytes tell what a frame is; with no more, it has been cut.
const MAGIC: u64 = 4;

/// Reads all frames as one text.
pub(super) struct Frames<R: BufRead> {
    decoder: FrameDecoder<Counted<R>>,
    /// How many bytes came before the frame at hand.
    start: u64,
    ended: bool,
}

/// A reader, and how many bytes it gave.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.count += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(reader: R) -> Self {
        Frames { decoder: FrameDecoder::new(Counted { reader, count: 0 }), start: 0, ended: false }
    }

    /// Whether there is another frame behind one that has ended.
    fn next_frame(&mut self) -> io::Result<bool> {
        let compressed = self.decoder.get_mut();
        if compressed.count - self.start <= MAGIC {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.start = compressed.count;
        Ok(!compressed.reader.fill_buf()?.is_empty())
    }

    /// Passes over so many bytes.
    fn skip(&mut self, length: u64) -> io::Result<()> {
        match io::copy(&mut self.decoder.get_mut().take(length), &mut io::sink())? == length {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// How long the frame is that has to be skipped, if that is what is the matter.
fn to_skip(error: &io::Error) -> Option<u64> {
    match error.get_ref()?.downcast_ref()? {
        Error::SkippableFrame(length) => Some(u64::from(*length)),
        _ => None,
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            match self.decoder.read(buffer) {
                Ok(0) if buffer.is_empty() => return Ok(0),
                Ok(0) => {}
                Ok(length) => return Ok(length),
                Err(error) => match to_skip(&error) {
                    Some(length) => self.skip(length)?,
                    None => return Err(error),
                },
            }
            self.ended = !self.next_frame()?;
        }
        Ok(0)
    }
}
