//! Inflate: decodes deflate blocks (P. W. Katz, 1991; RFC 1951) in O(1) per byte.
//!
//! While input and room are ample, a fast loop decodes without checking either. Near the end of the input or the room,
//! a careful step decodes one symbol at a time. Decoding can pause before any symbol and resume with more input or
//! room.

use super::bits::BitReader;
use super::codes::{CodeEntry, CodeTable};
use super::lengths::{CodeLengthError, CodeLengths, END_OF_BLOCK, MAX_LITERALS};
use super::text::{AmpleText, Element, MAX_COPY, Text};

/// Number of entries in the first level of the table for literals and lengths, and of the table for distances.
const LITERALS: usize = 1 << 11;
const DISTANCES: usize = 1 << 9;

/// Number of symbols of the fixed code for literals and lengths, and for distances.
const FIXED_LITERALS: usize = 288;
const FIXED_DISTANCES: usize = 32;

/// The reason why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InflateStop {
    /// A block has ended, and another follows.
    Boundary,
    /// The last block has ended.
    End,
    /// More input is needed.
    Input,
    /// More room is needed.
    Room,
    /// The data are not valid deflate data.
    Corrupt,
}

/// The state between two symbols of a stream.
pub(crate) struct Inflater {
    block: BlockState,
    is_last: bool,
    literals: CodeTable<LITERALS>,
    distances: CodeTable<DISTANCES>,
    /// Whether the codes are the fixed codes of the format.
    are_fixed: bool,
    /// The length of the codeword for each literal.
    lengths: [u8; FIXED_LITERALS],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockState {
    /// Before the header of a block.
    Before,
    /// In a stored block, with this number of bytes left.
    Stored(usize),
    Coded,
}

impl Inflater {
    /// Makes the state before a block.
    pub(crate) fn new() -> Self {
        Inflater {
            block: BlockState::Before,
            is_last: false,
            literals: CodeTable::new(),
            distances: CodeTable::new(),
            are_fixed: false,
            lengths: [0; FIXED_LITERALS],
        }
    }

    /// Returns whether the next bits are the header of a block.
    pub(crate) fn is_before_block(&self) -> bool {
        self.block == BlockState::Before
    }

    /// Decodes to the end of a block, or as far as possible.
    pub(crate) fn run<S: Element>(&mut self, bits: &mut BitReader, text: &mut Text<S>) -> InflateStop {
        if self.block == BlockState::Before {
            let before = *bits;
            match self.read_header(bits) {
                Ok(()) => {}
                Err(CodeLengthError::Corrupt) => return InflateStop::Corrupt,
                Err(CodeLengthError::Input) => {
                    *bits = before;
                    return InflateStop::Input;
                }
            }
        }
        let pause = match self.block {
            BlockState::Stored(left) => self.stored(bits, text, left),
            _ => self.coded(bits, text),
        };
        if pause == InflateStop::Boundary {
            self.block = BlockState::Before;
            if std::mem::take(&mut self.is_last) {
                return InflateStop::End;
            }
        }
        pause
    }

    fn read_header(&mut self, bits: &mut BitReader) -> Result<(), CodeLengthError> {
        let head = bits.take(3).ok_or(CodeLengthError::Input)?;
        self.block = match head >> 1 {
            0 => {
                bits.align();
                let lengths = bits.take(32).ok_or(CodeLengthError::Input)?;
                let (length, complement) = (lengths & 0xffff, lengths >> 16);
                if length ^ complement != 0xffff {
                    return Err(CodeLengthError::Corrupt);
                }
                BlockState::Stored(length as usize)
            }
            1 => {
                self.set_fixed();
                BlockState::Coded
            }
            2 => {
                let lengths = CodeLengths::read(bits)?;
                self.set_codes(lengths.literals(), lengths.distances());
                BlockState::Coded
            }
            _ => return Err(CodeLengthError::Corrupt),
        };
        self.is_last = head & 1 == 1;
        Ok(())
    }

    /// Sets the codes that the format fixes, unless they are set already: files of many short members have only blocks
    /// with these codes.
    fn set_fixed(&mut self) {
        if self.are_fixed {
            return;
        }
        let length = |symbol| match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        };
        let literals: [u8; FIXED_LITERALS] = std::array::from_fn(length);
        self.set_codes(&literals, &[5; FIXED_DISTANCES]);
        self.are_fixed = true;
    }

    fn set_codes(&mut self, literals: &[u8], distances: &[u8]) {
        self.are_fixed = false;
        self.lengths[..literals.len()].copy_from_slice(literals);
        self.literals.set(literals, &LITERAL_ENTRIES);
        self.distances.set(distances, &DISTANCE_ENTRIES);
        self.literals.join_literals();
    }

    fn stored<S: Element>(&mut self, bits: &mut BitReader, text: &mut Text<S>, left: usize) -> InflateStop {
        let bytes = bits.bytes(left.min(text.room()));
        text.extend(bytes);
        let left = left - bytes.len();
        self.block = BlockState::Stored(left);
        match left {
            0 => InflateStop::Boundary,
            _ if text.room() == 0 => InflateStop::Room,
            _ => InflateStop::Input,
        }
    }

    fn coded<S: Element>(&mut self, bits: &mut BitReader, text: &mut Text<S>) -> InflateStop {
        loop {
            let pause = match self.ample(bits, text) {
                None => self.careful(bits, text),
                pause => pause,
            };
            if let Some(pause) = pause {
                return pause;
            }
        }
    }

    /// Decodes while input and room are ample. Returns `None` when they no longer are.
    #[inline(never)]
    fn ample<S: Element>(&self, reader: &mut BitReader, text: &mut Text<S>) -> Option<InflateStop> {
        let mut bits = *reader;
        let mut ample = text.ample();
        let pause = self.ample_loop(&mut bits, &mut ample);
        *reader = bits;
        let end = ample.end();
        text.set_end(end);
        pause
    }

    #[inline(always)]
    fn ample_loop<S: Element>(&self, bits: &mut BitReader, text: &mut AmpleText<S>) -> Option<InflateStop> {
        bits.refill_word();
        let mut entry = self.literals.first(bits.peek());
        while bits.has_words() && text.has_room() {
            if entry.literals() > 0 {
                text.push(entry.bytes(), entry.literals());
                bits.consume(entry.bits());
                entry = self.literals.first(bits.peek());
                if entry.literals() > 0 {
                    text.push(entry.bytes(), entry.literals());
                    bits.consume(entry.bits());
                    bits.refill_word();
                    entry = self.literals.first(bits.peek());
                    continue;
                }
                // A length and a distance have at most 48 bits.
                bits.refill_word();
            }
            if entry.is_exception() {
                entry = self.literals.follow(entry, bits);
                if entry.is_exception() {
                    bits.consume(entry.bits());
                    return Some(if entry.is_end() { InflateStop::Boundary } else { InflateStop::Corrupt });
                }
                if entry.literals() > 0 {
                    text.push(entry.bytes(), 1);
                    bits.consume(entry.bits());
                    bits.refill_word();
                    entry = self.literals.first(bits.peek());
                    continue;
                }
            }
            let length = entry.value(bits.peek() >> entry.bits());
            bits.consume(entry.bits() + entry.extra());
            let mut code = self.distances.first(bits.peek());
            if code.is_exception() {
                code = self.distances.follow(code, bits);
                if code.is_exception() {
                    return Some(InflateStop::Corrupt);
                }
            }
            let distance = code.value(bits.peek() >> code.bits());
            bits.consume(code.bits() + code.extra());
            if distance > text.reach() {
                return Some(InflateStop::Corrupt);
            }
            // The next entry is loaded while the copy is under way.
            bits.refill_word();
            entry = self.literals.first(bits.peek());
            text.copy(distance, length);
        }
        None
    }

    /// Decodes one symbol. Consumes no bits if there is too little input or room for the symbol.
    fn careful<S: Element>(&self, bits: &mut BitReader, text: &mut Text<S>) -> Option<InflateStop> {
        if text.room() < MAX_COPY {
            return Some(InflateStop::Room);
        }
        let before = *bits;
        let pause = self.symbol(bits, text);
        if pause == Some(InflateStop::Input) {
            *bits = before;
        }
        pause
    }

    fn symbol<S: Element>(&self, bits: &mut BitReader, text: &mut Text<S>) -> Option<InflateStop> {
        bits.refill();
        let entry = self.literals.first(bits.peek());
        if entry.bits() > bits.available() && entry.literals() < 2 {
            return Some(InflateStop::Input);
        }
        let entry = self.literals.follow(entry, bits);
        if entry.literals() > 0 {
            let literal = entry.bytes()[0];
            let length =
                if entry.literals() > 1 { u32::from(self.lengths[usize::from(literal)]) } else { entry.bits() };
            if length > bits.available() {
                return Some(InflateStop::Input);
            }
            bits.consume(length);
            text.push(literal);
            return None;
        }
        if entry.bits() + entry.extra_of_number() > bits.available() {
            return Some(InflateStop::Input);
        }
        if entry.is_exception() {
            bits.consume(entry.bits());
            return Some(if entry.is_end() { InflateStop::Boundary } else { InflateStop::Corrupt });
        }
        let length = entry.value(bits.peek() >> entry.bits());
        bits.consume(entry.bits() + entry.extra());
        let entry = self.distances.first(bits.peek());
        if entry.bits() > bits.available() {
            return Some(InflateStop::Input);
        }
        let entry = self.distances.follow(entry, bits);
        if entry.bits() + entry.extra_of_number() > bits.available() {
            return Some(InflateStop::Input);
        }
        if entry.is_exception() {
            return Some(InflateStop::Corrupt);
        }
        let distance = entry.value(bits.peek() >> entry.bits());
        bits.consume(entry.bits() + entry.extra());
        if distance > text.reach() {
            return Some(InflateStop::Corrupt);
        }
        text.copy(distance, length);
        None
    }
}

/// The base values of the lengths 257 to 284 are 3 and more, with extra bits that grow every four symbols.
const LITERAL_ENTRIES: [CodeEntry; FIXED_LITERALS] = {
    let mut entries = [CodeEntry::invalid(); FIXED_LITERALS];
    let mut byte = 0;
    while byte < 256 {
        entries[byte] = CodeEntry::literal(byte as u8);
        byte += 1;
    }
    entries[END_OF_BLOCK] = CodeEntry::end();
    let (mut symbol, mut base) = (END_OF_BLOCK + 1, 3);
    while symbol < MAX_LITERALS - 1 {
        let extra = (symbol - END_OF_BLOCK - 1) / 4;
        let extra = if extra == 0 { 0 } else { extra - 1 };
        entries[symbol] = CodeEntry::number(base, extra as u8);
        base += 1 << extra;
        symbol += 1;
    }
    entries[MAX_LITERALS - 1] = CodeEntry::number(MAX_COPY as u16, 0);
    entries
};

/// The base values of distances are 1 and more, with extra bits that grow every two symbols.
const DISTANCE_ENTRIES: [CodeEntry; FIXED_DISTANCES] = {
    let mut entries = [CodeEntry::invalid(); FIXED_DISTANCES];
    let (mut symbol, mut base) = (0, 1);
    while symbol < 30 {
        let extra = if symbol < 2 { 0 } else { symbol / 2 - 1 };
        entries[symbol] = CodeEntry::number(base, extra as u8);
        base += 1 << extra;
        symbol += 1;
    }
    entries
};
