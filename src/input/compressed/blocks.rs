//! Decompresses an input in pieces, several of them at a time where there are helpers, and gives their text in order.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use super::gzip::{Members, read_blocks};
use super::method::Method;
use super::pieces::{Next, bgzf_block, zstd_frame};
use super::zstd::zstd_reader;
use crate::input::helpers::Helpers;

/// So many bytes are to come of a piece at least, where it can be made of several blocks.
const PIECE: usize = 1 << 20;
/// The most bytes that may come of all pieces under way, but for a single one. The largest frame of zstd is a quarter of it.
const MAX_SUM: usize = 128 << 20;

/// What came of a piece, and why there is not more.
type Text = (Vec<u8>, Option<io::Error>);

/// A piece that is being decompressed.
struct Piece {
    text: Receiver<Text>,
    /// How many bytes come of it at most.
    holds: usize,
}

/// Bytes in pieces.
pub(super) struct Blocks<R> {
    method: Method,
    /// Who decompresses; the one who reads, if nobody else does.
    helpers: Option<Arc<dyn Helpers>>,
    compressed: Compressed<R>,
    under_way: VecDeque<Piece>,
    /// The text of the piece at hand, and how much of it was read.
    text: Vec<u8>,
    read: usize,
    /// What is to be said behind it.
    failure: Option<io::Error>,
}

/// What has not been handed out yet.
enum Compressed<R> {
    InPieces(R),
    /// It is decompressed by the one who reads.
    Whole(Box<dyn Read + Send>),
    Nothing(Option<io::Error>),
}

impl<R: io::BufRead + Send + 'static> Blocks<R> {
    pub(super) fn new(method: Method, reader: R, helpers: Option<Arc<dyn Helpers>>) -> Self {
        let (compressed, under_way) = (Compressed::InPieces(reader), VecDeque::new());
        Blocks { method, helpers, compressed, under_way, text: Vec::new(), read: 0, failure: None }
    }

    /// Whether another piece may be handed out: two for each helper at most, so that memory is bounded.
    fn has_room(&self) -> bool {
        let most = self.helpers.as_ref().map_or(1, |helpers| 2 * helpers.count());
        let sum: usize = self.under_way.iter().map(|piece| piece.holds).sum();
        self.under_way.len() < most && (sum < MAX_SUM || self.under_way.is_empty())
    }

    /// Hands out pieces.
    fn hand_out(&mut self) {
        while self.has_room() {
            if !matches!(self.compressed, Compressed::InPieces(_)) {
                return;
            }
            let Compressed::InPieces(mut reader) = std::mem::replace(&mut self.compressed, Compressed::Nothing(None))
            else {
                return;
            };
            let (mut piece, mut holds) = (Vec::new(), 0);
            let next = self.next_piece(&mut reader, &mut piece, &mut holds);
            let is_first = piece.is_empty() && self.under_way.is_empty() && self.text.is_empty();
            self.compressed = match next {
                Ok(Next::Added(_)) => Compressed::InPieces(reader),
                Ok(Next::Whole(begun)) => match whole(self.method, Cursor::new(begun).chain(reader), is_first) {
                    Ok(whole) => Compressed::Whole(whole),
                    Err(error) => Compressed::Nothing(Some(error)),
                },
                Ok(Next::End) => Compressed::Nothing(None),
                Err(error) => Compressed::Nothing(Some(error)),
            };
            if !piece.is_empty() {
                self.under_way.push_back(Piece { text: self.give(piece), holds });
            }
        }
    }

    /// Adds blocks up to what is worth handing out, and counts what they hold.
    fn next_piece(&self, reader: &mut impl Read, piece: &mut Vec<u8>, holds: &mut usize) -> io::Result<Next> {
        let least = if self.helpers.is_some() { PIECE } else { 1 };
        loop {
            let next = match self.method {
                Method::Zstd => zstd_frame(reader, piece)?,
                _ => bgzf_block(reader, piece)?,
            };
            match next {
                Next::Added(more) => *holds += more,
                other => return Ok(other),
            }
            if *holds >= least {
                return Ok(next);
            }
        }
    }

    fn give(&self, piece: Vec<u8>) -> Receiver<Text> {
        let (text_in, text_out) = bounded(1);
        let method = self.method;
        let job = move || {
            // Nobody listens if enough was had of the input.
            let _ = text_in.send(decompress(method, &piece));
        };
        match &self.helpers {
            Some(helpers) => helpers.take(Box::new(job)),
            None => job(),
        }
        text_out
    }
}

/// Reads what is not in pieces, which may stand behind some that are.
fn whole(method: Method, rest: impl io::BufRead + Send + 'static, is_first: bool) -> io::Result<Box<dyn Read + Send>> {
    Ok(match (method, is_first) {
        (Method::Zstd, _) => Box::new(zstd_reader(rest)?),
        (_, true) => Box::new(Members::new(rest)),
        (_, false) => Box::new(Members::rest(rest)),
    })
}

fn decompress(method: Method, piece: &[u8]) -> Text {
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
                self.under_way.clear();
                self.compressed = Compressed::Nothing(None);
                return Err(failure);
            }
            self.hand_out();
            match (self.under_way.pop_front(), &mut self.compressed) {
                (Some(piece), _) => {
                    let stopped = |_| (Vec::new(), Some(io::Error::other("a helper thread stopped unexpectedly")));
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
    use crate::input::helpers::Job;

    /// Many helpers, of which none does anything.
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

    /// A frame of zstd with blocks of 128 KiB, each of one byte that is repeated.
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
    fn what_comes_of_all_pieces_under_way_is_bounded() {
        for blocks in [8, 100, 250] {
            let helpers = Arc::new(Idle::default());
            let reader = Cursor::new(frame(blocks).repeat(2000));
            let mut pieces = Blocks::new(Method::Zstd, reader, Some(helpers.clone()));
            pieces.hand_out();
            let sum: usize = pieces.under_way.iter().map(|piece| piece.holds).sum();
            assert_eq!(helpers.0.load(Ordering::Relaxed), pieces.under_way.len());
            assert!((MAX_SUM..MAX_SUM + (33 << 20)).contains(&sum), "{blocks} blocks a frame: {sum}");
        }
    }
}
