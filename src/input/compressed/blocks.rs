//! Decompresses several pieces of an input at a time, and gives their text in order.

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use super::super::source::Helpers;
use super::gzip::Members;
use super::pieces::{Next, bgzf_block, zstd_frame};
use super::{Method, zstd_reader};

/// So many bytes are to come of a piece at least, where it can be made of several blocks.
const PIECE: usize = 1 << 20;

/// What came of a piece, and why there is not more.
type Text = (Vec<u8>, Option<io::Error>);

/// Bytes in pieces that helpers decompress.
pub(super) struct Blocks<R> {
    method: Method,
    helpers: Arc<dyn Helpers>,
    compressed: Compressed<R>,
    under_way: VecDeque<Receiver<Text>>,
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
    pub(super) fn new(method: Method, reader: R, helpers: Arc<dyn Helpers>) -> Self {
        let (compressed, under_way) = (Compressed::InPieces(reader), VecDeque::new());
        Blocks { method, helpers, compressed, under_way, text: Vec::new(), read: 0, failure: None }
    }

    /// Hands out pieces, two for each helper at most, so that memory is bounded.
    fn hand_out(&mut self) {
        while self.under_way.len() < 2 * self.helpers.count() {
            if !matches!(self.compressed, Compressed::InPieces(_)) {
                return;
            }
            let Compressed::InPieces(mut reader) = std::mem::replace(&mut self.compressed, Compressed::Nothing(None))
            else {
                return;
            };
            let mut piece = Vec::new();
            let next = next_piece(self.method, &mut reader, &mut piece);
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
                self.under_way.push_back(self.give(piece));
            }
        }
    }

    fn give(&self, piece: Vec<u8>) -> Receiver<Text> {
        let (text_in, text_out) = bounded(1);
        let method = self.method;
        self.helpers.take(Box::new(move || {
            // Nobody listens if enough was had of the input.
            let _ = text_in.send(decompress(method, &piece));
        }));
        text_out
    }
}

/// Adds blocks up to what is worth handing out.
fn next_piece(method: Method, reader: &mut impl Read, piece: &mut Vec<u8>) -> io::Result<Next> {
    let mut holds = 0;
    loop {
        let next = match method {
            Method::Zstd => zstd_frame(reader, piece)?,
            _ => bgzf_block(reader, piece)?,
        };
        match next {
            Next::Added(more) => holds += more,
            other => return Ok(other),
        }
        if holds >= PIECE {
            return Ok(Next::Added(holds));
        }
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
    let mut text = Vec::with_capacity(PIECE);
    let read = match method {
        Method::Zstd => zstd_reader(piece).and_then(|mut reader| reader.read_to_end(&mut text)),
        _ => Members::new(piece).read_to_end(&mut text),
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
                    let stopped = |_| (Vec::new(), Some(io::Error::other("a helper stopped unexpectedly")));
                    (self.text, self.failure) = piece.recv().unwrap_or_else(stopped);
                    self.read = 0;
                }
                (None, Compressed::Whole(reader)) => return reader.read(buffer),
                (None, Compressed::Nothing(error)) => return error.take().map_or(Ok(0), Err),
                (None, Compressed::InPieces(_)) => {}
            }
        }
    }
}
