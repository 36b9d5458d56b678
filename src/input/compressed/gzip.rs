//! Reads gzip files of several members (RFC 1952), with or without zero bytes as padding after a member.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::frames::{BGZF_BLOCK, block_too_large};

/// Reads the text of all members, one after the other.
pub(super) struct Members<R> {
    stage: Stage<R>,
}

enum Stage<R> {
    /// In a member.
    Inside(Box<GzDecoder<R>>),
    /// After a member.
    Between(R),
    End,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(reader: R) -> Self {
        Members { stage: Stage::Inside(Box::new(GzDecoder::new(reader))) }
    }

    /// Makes a reader for input after a member: padding, another member or the end.
    pub(super) fn rest(reader: R) -> Self {
        Members { stage: Stage::Between(reader) }
    }
}

/// Starts the next member, if there is one. Skips padding zeros, as gzip does.
fn next_member<R: BufRead>(mut reader: R) -> io::Result<Stage<R>> {
    loop {
        let rest = reader.fill_buf()?;
        if rest.is_empty() {
            return Ok(Stage::End);
        }
        let (length, zeros) = (rest.len(), rest.iter().take_while(|&&byte| byte == 0).count());
        reader.consume(zeros);
        if zeros < length {
            return Ok(Stage::Inside(Box::new(GzDecoder::new(reader))));
        }
    }
}

/// Appends the text of `blocks`, which are whole BGZF blocks. Appends nothing of a damaged block, which is known only
/// once the checksum at its end was read.
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
            self.stage = match std::mem::replace(&mut self.stage, Stage::End) {
                Stage::End => return Ok(0),
                // An error loses the reader. Interrupted reads are no error here: the source repeats them.
                Stage::Between(reader) => next_member(reader)?,
                Stage::Inside(mut member) => {
                    let read = member.read(buffer);
                    if !matches!(read, Ok(0)) || buffer.is_empty() {
                        self.stage = Stage::Inside(member);
                        return read;
                    }
                    Stage::Between((*member).into_inner())
                }
            };
        }
    }
}
