//! Reads a slice of bytes as a stream of bits, least significant bit first.

/// Minimum number of bits that are buffered after a refill, unless the input ends.
const REFILLED: u32 = 56;

/// A position in a slice of bytes, and the bits after it in a buffer of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct BitReader<'a> {
    input: &'a [u8],
    /// The bytes that have not been loaded into `buffer`.
    rest: &'a [u8],
    /// The next bits of the input, of which `count` are loaded. Higher bits are 0 or equal those of the input, so
    /// loading them again changes nothing.
    buffer: u64,
    count: u32,
}

impl<'a> BitReader<'a> {
    /// Makes a reader that starts at the bit with index `bit`, which is at most the number of bits in `input`.
    pub(crate) fn new(input: &'a [u8], bit: usize) -> Self {
        let mut bits = BitReader { input, rest: &input[bit / 8..], buffer: 0, count: 0 };
        bits.refill();
        bits.consume((bit % 8) as u32);
        bits
    }

    /// Loads a word of input, so that at least `REFILLED` bits are buffered. Does nothing if less than a whole word of
    /// input is left.
    #[inline(always)]
    pub(crate) fn refill_word(&mut self) {
        if let Some(word) = self.rest.first_chunk() {
            self.buffer |= u64::from_le_bytes(*word) << self.count;
            self.rest = &self.rest[((63 - self.count) / 8) as usize..];
            self.count |= REFILLED;
        }
    }

    /// Loads bits until `REFILLED` are buffered or the input ends.
    pub(crate) fn refill(&mut self) {
        self.refill_word();
        while self.count < REFILLED
            && let Some((&byte, rest)) = self.rest.split_first()
        {
            self.buffer |= u64::from(byte) << self.count;
            self.rest = rest;
            self.count += 8;
        }
    }

    /// Returns whether the next two refills load whole words.
    #[inline(always)]
    pub(crate) fn has_words(&self) -> bool {
        self.rest.len() >= 16
    }

    /// Returns the buffered bits. Only the lowest [`BitReader::available`] are valid.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        self.buffer
    }

    #[inline(always)]
    pub(crate) fn available(&self) -> u32 {
        self.count
    }

    /// Drops `count` bits, at most [`BitReader::available`].
    #[inline(always)]
    pub(crate) fn consume(&mut self, count: u32) {
        self.buffer >>= count;
        self.count -= count;
    }

    /// Reads `count` bits, at most 32; `None` if the input has fewer.
    pub(crate) fn take(&mut self, count: u32) -> Option<u32> {
        self.refill();
        let value = self.buffer & ((1 << count) - 1);
        (self.count >= count).then(|| {
            self.consume(count);
            value as u32
        })
    }

    /// Skips the bits before the next byte boundary.
    pub(crate) fn align(&mut self) {
        self.consume(self.count % 8);
    }

    /// Reads at most `most` bytes, from a byte boundary on.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let rest = &self.input[self.position() / 8..];
        let bytes = &rest[..most.min(rest.len())];
        *self = BitReader::new(self.input, self.position() + 8 * bytes.len());
        bytes
    }

    /// Returns the index of the next bit.
    pub(crate) fn position(&self) -> usize {
        8 * (self.input.len() - self.rest.len()) - self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_read_in_order_up_to_the_last() {
        let input: Vec<u8> = (0..40u8).map(|byte| byte.wrapping_mul(37)).collect();
        let bit = |at: usize| u32::from(input[at / 8] >> (at % 8) & 1);
        for start in [0, 1, 7, 8, 63, 250, 319, 320] {
            for width in [1, 3, 13, 32] {
                let mut bits = BitReader::new(&input, start);
                let mut at = start;
                while let Some(value) = bits.take(width) {
                    let expected = (0..width).map(|index| bit(at + index as usize) << index).sum::<u32>();
                    assert_eq!(value, expected);
                    at += width as usize;
                    assert_eq!(bits.position(), at);
                }
                assert!(at + width as usize > 320);
            }
        }
    }
}
