//! Decompresses BGZF and zstd piece by piece: helpers decompress several pieces concurrently, and the reader returns
//! their text in order.
//!
//! A piece is a run of whole BGZF blocks or zstd frames, which decompress independently. Memory is bounded: at most two
//! pieces per helper are in flight, and none is added while their text may have `MAX_IN_FLIGHT` bytes.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};
use nigh_gunzip::{Gunzip, Helpers};

use super::bgzf::read_blocks;
use super::frames::{NextFrame, bgzf_block, zstd_frame};
use super::method::{HelperStopped, Method};
use super::zstd::zstd_reader;

/// Minimum size of a piece with helpers, as the upper bound on its text in bytes.
const MIN_PIECE: usize = 1 << 20;
/// Limit on the text of the pieces in flight, in bytes. No piece is submitted while their text may reach it. A buffered
/// zstd frame has at most a quarter of this limit.
const MAX_IN_FLIGHT: usize = 128 << 20;

/// Minimum number of helpers to decode gzip without independent pieces concurrently. With two threads on two cores of
/// an AMD EPYC (Zen 4), a search for one phrase in logs took, with helpers and without them, medians:
///
/// | text, gzip | with helpers, wall and CPU | without |
/// | --- | --- | --- |
/// | 30 MB, 5 MB | 87 ms, 151 ms | 51 ms, 63 ms |
/// | 200 MB, 36 MB | 465 ms, 469 ms | 279 ms, 271 ms |
/// | 330 MB, 75 MB | 723 ms, 750 ms | 473 ms, 481 ms |
const MIN_GZIP_HELPERS: usize = 4;

/// The text of a piece, and the error if its decompression ended early.
pub(super) type Decompressed = (Vec<u8>, Option<io::Error>);

/// A piece that is being decompressed.
struct Piece {
    text: Receiver<Decompressed>,
    /// Upper bound on the length of the text, in bytes.
    max_text: usize,
}

/// Reads the text of compressed pieces, in order.
pub(super) struct Blocks<R> {
    method: Method,
    /// The threads that decompress; `None` if the reading thread does it.
    helpers: Option<Arc<dyn Helpers>>,
    compressed: Compressed<R>,
    /// The pieces that were submitted, in the order of the input.
    in_flight: VecDeque<Piece>,
    /// Whether any piece was submitted, even if it has been read to its end since.
    has_submitted: bool,
    /// The text of the current piece. The first `read` bytes were returned.
    text: Vec<u8>,
    read: usize,
    /// The error to return after the current text.
    failure: Option<io::Error>,
}

/// The compressed bytes that have not been submitted yet.
enum Compressed<R> {
    InPieces(R),
    /// Input without independent pieces. The reader returns its text.
    Whole(Box<dyn Read + Send>),
    /// All bytes were submitted. Holds the error that ended the input, until it is returned.
    Nothing(Option<io::Error>),
}

impl<R: io::BufRead + Send + 'static> Blocks<R> {
    pub(super) fn new(method: Method, reader: R, helpers: Option<Arc<dyn Helpers>>) -> Self {
        let (compressed, in_flight) = (Compressed::InPieces(reader), VecDeque::new());
        Blocks {
            method,
            helpers,
            compressed,
            in_flight,
            has_submitted: false,
            text: Vec::new(),
            read: 0,
            failure: None,
        }
    }

    /// Returns whether another piece may be submitted. The limits on pieces and on their text bound memory.
    fn has_room(&self) -> bool {
        let max_pieces = self.helpers.as_ref().map_or(1, |helpers| 2 * helpers.count());
        let sum: usize = self.in_flight.iter().map(|piece| piece.max_text).sum();
        self.in_flight.len() < max_pieces && (sum < MAX_IN_FLIGHT || self.in_flight.is_empty())
    }

    /// Submits pieces until there is no room for another, or the divisible part of the input ends.
    fn submit_pieces(&mut self) {
        while self.has_room() {
            if !matches!(self.compressed, Compressed::InPieces(_)) {
                return;
            }
            let Compressed::InPieces(mut reader) = std::mem::replace(&mut self.compressed, Compressed::Nothing(None))
            else {
                return;
            };
            let (mut piece, mut max_text) = (Vec::new(), 0);
            let next = self.next_piece(&mut reader, &mut piece, &mut max_text);
            self.has_submitted |= !piece.is_empty();
            self.compressed = match next {
                Ok(NextFrame::Added(_)) => Compressed::InPieces(reader),
                Ok(NextFrame::Whole(begun)) => match self.whole(Cursor::new(begun).chain(reader)) {
                    Ok(whole) => Compressed::Whole(whole),
                    Err(error) => Compressed::Nothing(Some(error)),
                },
                Ok(NextFrame::End) => Compressed::Nothing(None),
                Err(error) => Compressed::Nothing(Some(error)),
            };
            if !piece.is_empty() {
                self.in_flight.push_back(Piece { text: self.submit(piece), max_text });
            }
        }
    }

    /// Appends blocks or frames to `piece` until their text may have `MIN_PIECE` bytes; without helpers, appends only
    /// one. Adds the upper bound on the length of their text to `max_text`.
    fn next_piece(&self, reader: &mut impl Read, piece: &mut Vec<u8>, max_text: &mut usize) -> io::Result<NextFrame> {
        let min_text = if self.helpers.is_some() { MIN_PIECE } else { 1 };
        loop {
            let next = match self.method {
                Method::Zstd => zstd_frame(reader, piece)?,
                _ => bgzf_block(reader, piece)?,
            };
            match next {
                NextFrame::Added(more) => *max_text += more,
                other => return Ok(other),
            }
            if *max_text >= min_text {
                return Ok(next);
            }
        }
    }

    /// Returns a reader of `rest`, the part of the input that cannot be divided into pieces.
    fn whole(&self, rest: impl io::BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        let helpers = self.helpers.clone().filter(|helpers| helpers.count() >= MIN_GZIP_HELPERS);
        if self.method == Method::Zstd {
            return Ok(Box::new(zstd_reader(rest)?));
        }
        let gunzip = match helpers {
            Some(helpers) => Gunzip::with_helpers(rest, helpers),
            None => Gunzip::new(rest),
        };
        Ok(Box::new(if self.has_submitted { gunzip.after_member() } else { gunzip }))
    }

    fn submit(&self, piece: Vec<u8>) -> Receiver<Decompressed> {
        let (text_in, text_out) = bounded(1);
        let method = self.method;
        let job = move || {
            // The receiver is gone if the reader was dropped early.
            let _ = text_in.send(decompress(method, &piece));
        };
        match &self.helpers {
            Some(helpers) => helpers.take(Box::new(job)),
            None => job(),
        }
        text_out
    }
}

/// Decompresses whole blocks or frames.
pub(super) fn decompress(method: Method, piece: &[u8]) -> Decompressed {
    let mut text = Vec::new();
    let read = match method {
        Method::Zstd => zstd_reader(piece).and_then(|mut reader| reader.read_to_end(&mut text)).map(drop),
        _ => read_blocks(piece, &mut text),
    };
    (text, read.err())
}

impl<R: io::BufRead + Send + 'static> Read for Blocks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = &self.text[self.read..];
            if !rest.is_empty() || buffer.is_empty() {
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                self.read += length;
                return Ok(length);
            }
            if let Some(failure) = self.failure.take() {
                self.in_flight.clear();
                self.compressed = Compressed::Nothing(None);
                return Err(failure);
            }
            self.submit_pieces();
            match (self.in_flight.pop_front(), &mut self.compressed) {
                (Some(piece), _) => {
                    let stopped = |_| (Vec::new(), Some(io::Error::other(HelperStopped)));
                    (self.text, self.failure) = piece.text.recv().unwrap_or_else(stopped);
                    self.read = 0;
                }
                (None, Compressed::Whole(reader)) => return reader.read(buffer),
                (None, Compressed::Nothing(error)) => return error.take().map_or(Ok(0), Err),
                (None, Compressed::InPieces(_)) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use nigh_gunzip::Job;

    /// Reports many helpers but drops every job.
    #[derive(Default)]
    struct Idle(AtomicUsize);

    impl Helpers for Idle {
        fn count(&self) -> usize {
            1000
        }

        fn take(&self, _: Job) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns a zstd frame of `blocks` blocks of 128 KiB, each one repeated byte.
    fn frame(blocks: usize) -> Vec<u8> {
        let header = |is_last: bool| ((128 << 10) << 3 | 1 << 1 | u32::from(is_last)).to_le_bytes();
        let mut frame = b"\x28\xb5\x2f\xfd\x00\x50".to_vec();
        for block in 1..=blocks {
            frame.extend_from_slice(&header(block == blocks)[..3]);
            frame.push(b'a');
        }
        frame
    }

    #[test]
    fn text_of_all_pieces_in_flight_is_bounded() {
        for blocks in [8, 100, 250] {
            let helpers = Arc::new(Idle::default());
            let reader = Cursor::new(frame(blocks).repeat(2000));
            let mut pieces = Blocks::new(Method::Zstd, reader, Some(helpers.clone()));
            pieces.submit_pieces();
            let sum: usize = pieces.in_flight.iter().map(|piece| piece.max_text).sum();
            assert_eq!(helpers.0.load(Ordering::Relaxed), pieces.in_flight.len());
            assert!((MAX_IN_FLIGHT..MAX_IN_FLIGHT + (33 << 20)).contains(&sum), "{blocks} blocks a frame: {sum}");
        }
    }
}
