//! Reads LZ4 files of several frames (LZ4 frame format), and skips skippable frames.
//!
//! The decoder accepts the end of its input as the end of a frame even if the frame's end mark is missing. Its read
//! requests show whether the end mark was there: the decoder requests the end mark as four bytes, which are all zero.

use std::io::{self, BufRead, Read};

use lz4_flex::frame::{Error, FrameDecoder};

/// Size in bytes of the magic number, of the field with a block's size, and of the end mark.
const WORD: usize = 4;
/// The end mark, in the place of a block's size.
const ZEROS: [u8; WORD] = [0; WORD];
/// The magic number of legacy frames, which have no end mark.
const LEGACY: [u8; WORD] = *b"\x02\x21\x4c\x18";

/// Reads the text of all frames, one after the other.
pub(super) struct Frames<R: BufRead> {
    decoder: FrameDecoder<Requests<R>>,
    ended: bool,
}

/// A reader that fills every request completely and records what the last request returned.
struct Requests<R> {
    reader: R,
    /// The magic number of the current frame.
    magic: Option<[u8; WORD]>,
    last_read: LastRead,
}

/// The outcome of the last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastRead {
    /// Bytes that are not an end mark.
    Data,
    EndMark,
    /// The end of the input. Holds the number of bytes of the request that were read before it.
    End(usize),
}

impl<R: Read> Read for Requests<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        while length < buffer.len() {
            match self.reader.read(&mut buffer[length..])? {
                0 => {
                    self.last_read = LastRead::End(length);
                    return Ok(length);
                }
                read => length += read,
            }
        }
        if let Ok(word) = <[u8; WORD]>::try_from(&*buffer) {
            self.magic.get_or_insert(word);
            if word == ZEROS {
                self.last_read = LastRead::EndMark;
            }
        }
        Ok(length)
    }
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(reader: R) -> Self {
        Frames { decoder: FrameDecoder::new(Requests { reader, magic: None, last_read: LastRead::Data }), ended: false }
    }

    /// Advances after a read without text: an empty block, the end of a frame, or the end of the input.
    fn advance(&mut self) -> io::Result<()> {
        let requests = self.decoder.get_mut();
        match requests.last_read {
            LastRead::Data => {}
            LastRead::EndMark => self.begin_frame()?,
            LastRead::End(0) if requests.magic == Some(LEGACY) => self.ended = true,
            LastRead::End(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }

    /// Begins the next frame, if there is one.
    fn begin_frame(&mut self) -> io::Result<()> {
        let requests = self.decoder.get_mut();
        requests.magic = None;
        self.ended = requests.reader.fill_buf()?.is_empty();
        Ok(())
    }

    /// Skips `length` bytes, then begins the next frame.
    fn skip(&mut self, length: u64) -> io::Result<()> {
        if io::copy(&mut self.decoder.get_mut().take(length), &mut io::sink())? == length {
            self.begin_frame()
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// Returns the length in bytes of the skippable frame that caused the error; `None` for other errors.
fn to_skip(error: &io::Error) -> Option<u64> {
    match error.get_ref()?.downcast_ref()? {
        Error::SkippableFrame(length) => Some(u64::from(*length)),
        _ => None,
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !buffer.is_empty() {
            self.decoder.get_mut().last_read = LastRead::Data;
            match self.decoder.read(buffer) {
                Ok(0) => self.advance()?,
                Ok(length) => return Ok(length),
                Err(error) => match to_skip(&error) {
                    Some(length) => self.skip(length)?,
                    None => return Err(error),
                },
            }
        }
        Ok(0)
    }
}
