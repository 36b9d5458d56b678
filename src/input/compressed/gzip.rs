//! Gzip of several members, one after the other, with or without zeros behind the last.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::pieces::{BGZF_BLOCK, block_too_large};

/// Reads all members as one text.
pub(super) struct Members<R> {
    at: Place<R>,
}

enum Place<R> {
    /// In a member.
    Inside(Box<GzDecoder<R>>),
    /// Behind one.
    Between(R),
    End,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(reader: R) -> Self {
        Members { at: Place::Inside(Box::new(GzDecoder::new(reader))) }
    }

    /// Reads what comes behind a member.
    pub(super) fn rest(reader: R) -> Self {
        Members { at: Place::Between(reader) }
    }
}

/// The next member, if there is one. Padding with zeros is passed over, as gzip does.
fn next_member<R: BufRead>(mut reader: R) -> io::Result<Place<R>> {
    loop {
        let rest = reader.fill_buf()?;
        if rest.is_empty() {
            return Ok(Place::End);
        }
        let (length, zeros) = (rest.len(), rest.iter().take_while(|&&byte| byte == 0).count());
        reader.consume(zeros);
        if zeros < length {
            return Ok(Place::Inside(Box::new(GzDecoder::new(reader))));
        }
    }
}

/// Adds the text of some blocks of bgzf. Of a block that is damaged, nothing is added: its text is known to be right only at its end.
pub(super) fn read_blocks(mut blocks: &[u8], text: &mut Vec<u8>) -> io::Result<()> {
    while !blocks.is_empty() {
        let start = text.len();
        let mut block = GzDecoder::new(blocks);
        let read = match block.by_ref().take(BGZF_BLOCK as u64 + 1).read_to_end(text) {
            Ok(length) if length > BGZF_BLOCK => Err(block_too_large()),
            other => other,
        };
        if let Err(error) = read {
            text.truncate(start);
            return Err(error);
        }
        blocks = block.into_inner();
    }
    Ok(())
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.at = match std::mem::replace(&mut self.at, Place::End) {
                Place::End => return Ok(0),
                // The reader never fails by being interrupted: it is lost here.
                Place::Between(reader) => next_member(reader)?,
                Place::Inside(mut member) => {
                    let read = member.read(buffer);
                    if !matches!(read, Ok(0)) || buffer.is_empty() {
                        self.at = Place::Inside(member);
                        return read;
                    }
                    Place::Between((*member).into_inner())
                }
            };
        }
    }
}
