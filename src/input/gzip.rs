//! Gzip of several members, one after the other, with or without zeros behind the last.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Reads all members as one text.
pub(super) struct Members<R> {
    /// The member at hand; nothing only while it is exchanged.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(reader: R) -> Self {
        Members { member: Some(GzDecoder::new(reader)) }
    }

    /// Goes to the next member; `false` if there is none. Padding with zeros is passed over, as gzip does.
    fn next_member(&mut self) -> io::Result<bool> {
        let Some(member) = self.member.take() else { return Ok(false) };
        let mut reader = member.into_inner();
        loop {
            let rest = reader.fill_buf()?;
            if rest.is_empty() {
                return Ok(false);
            }
            let (length, zeros) = (rest.len(), rest.iter().take_while(|&&byte| byte == 0).count());
            reader.consume(zeros);
            if zeros < length {
                self.member = Some(GzDecoder::new(reader));
                return Ok(true);
            }
        }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let length = member.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            self.next_member()?;
        }
        Ok(0)
    }
}
