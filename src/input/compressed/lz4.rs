//! Lz4 of several frames, one after the other; those to be skipped are.
//!
//! The decoder of frames takes the end of its input for the end of a frame, also where the frame's end mark is missing. What it asks for
//! tells the two apart: an end mark is a request for four bytes that are zeros.

use std::io::{self, BufRead, Read};

use lz4_flex::frame::{Error, FrameDecoder};

/// The length of the magic number, of a block's size, and of the end mark in its place.
const WORD: usize = 4;
/// The end mark.
const ZEROS: [u8; WORD] = [0; WORD];
/// The magic number of legacy frames, which have no end mark.
const LEGACY: [u8; WORD] = *b"\x02\x21\x4c\x18";

/// Reads all frames as one text.
pub(super) struct Frames<R: BufRead> {
    decoder: FrameDecoder<Requests<R>>,
    ended: bool,
}

/// A reader that gives as many bytes as it is asked for, and keeps what these said of the frame at hand.
struct Requests<R> {
    reader: R,
    /// The magic number of the frame.
    magic: Option<[u8; WORD]>,
    met: Met,
}

/// What was met last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    /// Neither of the others.
    Data,
    EndMark,
    /// The end of the input: this many bytes of a request were left.
    End(usize),
}

impl<R: Read> Read for Requests<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        while length < buffer.len() {
            match self.reader.read(&mut buffer[length..])? {
                0 => {
                    self.met = Met::End(length);
                    return Ok(length);
                }
                read => length += read,
            }
        }
        if let Ok(word) = <[u8; WORD]>::try_from(&*buffer) {
            self.magic.get_or_insert(word);
            if word == ZEROS {
                self.met = Met::EndMark;
            }
        }
        Ok(length)
    }
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(reader: R) -> Self {
        Frames { decoder: FrameDecoder::new(Requests { reader, magic: None, met: Met::Data }), ended: false }
    }

    /// Goes on behind what gave no text: an empty block, or the end of a frame, which may be that of the input.
    fn go_on(&mut self) -> io::Result<()> {
        let requests = self.decoder.get_mut();
        match requests.met {
            Met::Data => {}
            Met::EndMark => self.begin_frame()?,
            Met::End(0) if requests.magic == Some(LEGACY) => self.ended = true,
            Met::End(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
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

    /// Passes over so many bytes.
    fn skip(&mut self, length: u64) -> io::Result<()> {
        match io::copy(&mut self.decoder.get_mut().take(length), &mut io::sink())? == length {
            true => self.begin_frame(),
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
        while !self.ended && !buffer.is_empty() {
            self.decoder.get_mut().met = Met::Data;
            match self.decoder.read(buffer) {
                Ok(0) => self.go_on()?,
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
