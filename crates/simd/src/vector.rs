//! The vector operations of bit-sliced algorithms and filters, as a trait over instruction sets.

use super::int_lanes::{IntLanes, LaneInteger};

/// A vector of `64 * WORDS` bits, one for each stream.
pub trait Simd: Copy {
    /// The number of 64-bit words.
    const WORDS: usize;
    /// A vector of 8-bit integers.
    type Bytes: IntLanes<Integer = i8>;
    /// A vector of 16-bit integers.
    type Shorts: IntLanes<Integer = i16>;
    /// A vector of 32-bit integers.
    type Ints: IntLanes<Integer = i32>;

    /// Returns a vector with all bits 0.
    fn zero() -> Self;
    /// Returns a vector with all bits 1.
    fn ones() -> Self;
    /// Repeats 64 bits in every word.
    fn splat(bits: u64) -> Self;
    /// Loads the first [`Simd::WORDS`] words. Panics if there are fewer.
    fn load(words: &[u64]) -> Self;
    /// Stores to the first [`Simd::WORDS`] words. Panics if there are fewer.
    fn store(self, words: &mut [u64]);
    /// `a & b`
    fn and(self, other: Self) -> Self;
    /// `!a & b`
    fn and_not(self, other: Self) -> Self;
    /// `a | b`
    fn or(self, other: Self) -> Self;
    /// `a ^ b`
    fn xor(self, other: Self) -> Self;
    /// `a | b | c`
    fn or3(self, b: Self, c: Self) -> Self;
    /// `a | !(b | c)`
    fn or_nor(self, b: Self, c: Self) -> Self;
    /// Sets the bits where `a`, `b` and `c`, read as a three-bit number with `a` as the lowest bit, equal `CODE`.
    /// `CODE` must be below 8.
    #[inline(always)]
    fn minterm<const CODE: i32>(a: Self, b: Self, c: Self) -> Self {
        let pair = match CODE & 3 {
            0 => a.or(b).xor(Self::ones()),
            1 => b.and_not(a),
            2 => a.and_not(b),
            _ => a.and(b),
        };
        if CODE & 4 == 0 { c.and_not(pair) } else { c.and(pair) }
    }
    /// Shifts each 64-bit word left.
    fn shift_left<const BITS: i32>(self) -> Self;
    /// Shifts each 64-bit word right.
    fn shift_right<const BITS: i32>(self) -> Self;
    /// Shifts each 64-bit word left by one bit, and shifts in the highest bit of the same word of `lower`.
    fn shift_in(self, lower: Self) -> Self;
    /// Adds each 64-bit word to the same word of `other`, modulo 2^64.
    fn add_words(self, other: Self) -> Self;
    /// Moves each word to the next position. The last word of `previous` moves to the first position.
    fn slide_words(self, previous: Self) -> Self;
    /// Returns whether any bit is set.
    fn any(self) -> bool;
    /// Reads the bits as 16-bit integers, the lowest first.
    fn into_shorts(self) -> Self::Shorts;
    /// Reads 16-bit integers as bits.
    fn from_shorts(shorts: Self::Shorts) -> Self;

    /// Looks up the codes of 64 bytes. Returns one mask per plane: bit i of mask p is bit p of the code of byte i.
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P];
    /// Returns one mask per plane: bit i of mask p is bit `bits[p]` of byte i. Each of `bits` must be below 8.
    fn bit_planes<const P: usize>(block: &[u8; 64], bits: &[u8; P]) -> [u64; P];
    /// Returns the planes of the first `length` bytes, at most 64, as [`Simd::bit_planes`] does; 0 for all further bits.
    /// Reading is faster if more than these bytes are in `bytes`.
    #[inline(always)]
    fn bit_planes_of_prefix<const P: usize>(bytes: &[u8], length: usize, bits: &[u8; P]) -> [u64; P] {
        let mut copied;
        let block = match bytes.first_chunk() {
            Some(block) => block,
            None => {
                copied = [0; 64];
                copied[..length].copy_from_slice(&bytes[..length]);
                &copied
            }
        };
        let inside = !(!0u64).checked_shl(length as u32).unwrap_or(0);
        let mut planes = Self::bit_planes(block, bits);
        for plane in &mut planes {
            *plane &= inside;
        }
        planes
    }
    /// Returns a mask of the bytes that equal `byte`.
    fn equal_to(block: &[u8; 64], byte: u8) -> u64;
    /// Moves the bits of `bits` at the positions that are set in `keep` to the lowest bits, in order (pext). All other
    /// bits are 0.
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // Closes one gap after the other, the highest first: few bits are dropped in practice.
        let (mut compressed, mut gaps) = (bits, !keep);
        while gaps != 0 {
            let gap = 63 - gaps.leading_zeros();
            let below = (1 << gap) - 1;
            compressed = compressed & below | compressed >> 1 & !below;
            gaps &= !(1 << gap);
        }
        compressed
    }
    /// Returns a mask of the bytes above 0x20.
    fn above_blank(block: &[u8; 64]) -> u64;
    /// Returns a mask of the bytes at or above 0x80.
    fn not_ascii(block: &[u8; 64]) -> u64;
    /// Returns a mask with a bit for each of the first 64 bytes at which a seed of any group may begin (Teddy).
    fn teddy_mask(text: &[u8; 64 + TEDDY_BYTES - 1], nibbles: &TeddyMasks) -> u64;
}

/// The number of bytes that Teddy checks at the start of a seed.
pub const TEDDY_BYTES: usize = 4;

/// The shuffle tables of Teddy. For a position in a seed and a nibble, an entry has one bit for each group of seeds:
/// whether a seed of the group allows a byte with this nibble at this position.
#[derive(Clone, Default)]
pub struct TeddyMasks {
    /// The entries for low nibbles, `[position][nibble]`.
    pub low: [[u8; 16]; TEDDY_BYTES],
    /// The entries for high nibbles, `[position][nibble]`.
    pub high: [[u8; 16]; TEDDY_BYTES],
}

impl TeddyMasks {
    /// Returns the groups, a bit each, that may have a seed whose first bytes are `run`.
    #[inline(always)]
    pub fn groups(&self, run: &[u8; TEDDY_BYTES]) -> u8 {
        let mut groups = !0;
        for ((low, high), byte) in self.low.iter().zip(&self.high).zip(run) {
            groups &= low[usize::from(byte & 15)] & high[usize::from(byte >> 4)];
        }
        groups
    }
}

/// The largest number of planes.
pub const PLANES: usize = 8;

/// The code of each byte below 0x80. All other bytes have code 0.
#[derive(Clone)]
pub struct ByteTable {
    /// The code of each byte.
    pub(crate) codes: [u8; 128],
    /// For each row of 16 entries in `codes`, whether any code is not 0.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by rows"))]
    pub(crate) rows: [bool; 8],
    /// For each byte, its code spread over one byte per plane: the lowest bit of byte p is bit p of the code.
    pub(crate) spread: Box<[u64; 256]>,
    /// The codes indexed by low nibble; `None` if two bytes with a code, apart from case, have the same low nibble.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by the low bits"))]
    pub(crate) by_nibble: Option<NibbleTable>,
}

/// Codes of bytes, indexed by the low nibble of the byte.
#[derive(Clone)]
pub(crate) struct NibbleTable {
    /// The code for each low nibble.
    pub(crate) codes: [u8; 16],
    /// For each low nibble, the byte that has the code. Only its `compared` bits are set.
    pub(crate) bytes: [u8; 16],
    /// The bits of a byte that are compared: all, or all but the case bit.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by the low bits"))]
    pub(crate) compared: u8,
}

impl NibbleTable {
    fn new(codes: &[u8; 128]) -> Option<Self> {
        const CASE: u8 = 0x20;
        let ignores_case = (0..128).all(|byte| codes[byte] == 0 || codes[byte] == codes[byte ^ usize::from(CASE)]);
        let compared = if ignores_case { !CASE } else { !0 };
        let mut table = NibbleTable { codes: [0; 16], bytes: [0; 16], compared };
        for (byte, &code) in (0u8..).zip(codes).filter(|&(byte, &code)| code != 0 && byte & compared == byte) {
            let nibble = usize::from(byte & 15);
            if table.codes[nibble] != 0 {
                return None;
            }
            (table.codes[nibble], table.bytes[nibble]) = (code, byte);
        }
        Some(table)
    }
}

impl ByteTable {
    pub fn new(codes: [u8; 128]) -> Self {
        let rows = std::array::from_fn(|row| codes[16 * row..16 * row + 16].iter().any(|&code| code != 0));
        let mut spread = Box::new([0; 256]);
        for (word, code) in spread.iter_mut().zip(codes) {
            *word = (0..PLANES).fold(0, |word, plane| word | u64::from(code >> plane & 1) << (8 * plane));
        }
        ByteTable { codes, rows, spread, by_nibble: NibbleTable::new(&codes) }
    }
}

/// An operation to run on vectors of any width.
pub trait SimdOp {
    /// The result of the operation.
    type Output;
    /// Runs the operation on vectors of type `L`. Implementations should be `#[inline(always)]`, because only the
    /// caller enables the instructions of `L`.
    fn run<L: Simd>(self) -> Self::Output;
}

/// An integer that has a vector on every instruction set.
pub trait LaneWidth: LaneInteger {
    /// The vector of such integers that belongs to a bit vector.
    type On<L: Simd>: IntLanes<Integer = Self>;
}

impl LaneWidth for i8 {
    type On<L: Simd> = L::Bytes;
}

impl LaneWidth for i16 {
    type On<L: Simd> = L::Shorts;
}

impl LaneWidth for i32 {
    type On<L: Simd> = L::Ints;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;

    struct Check;

    impl SimdOp for Check {
        type Output = ();

        fn run<L: Simd>(self) {
            let mut rng = fastrand::Rng::with_seed(1);
            let bytes: [u8; 80] = std::array::from_fn(|at| if at % 3 == 0 { rng.u8(..) } else { rng.u8(60..70) });
            let block = bytes.first_chunk().unwrap();
            let mask = |is_set: &dyn Fn(u8) -> bool| -> u64 {
                block.iter().enumerate().map(|(at, &byte)| u64::from(is_set(byte)) << at).sum()
            };
            for byte in (0..=255).chain(bytes) {
                assert_eq!(L::equal_to(block, byte), mask(&|other| other == byte), "{byte}");
            }
            let bits = [7, 0, 5, 5, 1, 2, 3, 4];
            let planes = bits.map(|bit| mask(&|byte| byte >> bit & 1 == 1));
            assert_eq!(L::bit_planes(block, &bits), planes);
            for length in 0..=64 {
                let inside = if length == 64 { !0 } else { (1 << length) - 1 };
                let expected = planes.map(|plane| plane & inside);
                assert_eq!(L::bit_planes_of_prefix(&bytes, length, &bits), expected, "{length}");
                assert_eq!(L::bit_planes_of_prefix(&bytes[..length], length, &bits), expected, "{length}");
            }
        }
    }

    #[test]
    fn masks_of_bytes_are_right_on_every_instruction_set() {
        Isa::all().into_iter().for_each(|isa| isa.run(Check));
    }
}
