//! Words of many bits, of which each is a stream of text of its own: the operations that bit-sliced algorithms need.

/// A word of `64 * WORDS` streams.
pub(crate) trait Simd: Copy {
    /// How many 64-bit words it has.
    const WORDS: usize;

    /// No stream.
    fn zero() -> Self;
    /// Every stream.
    fn ones() -> Self;
    /// The same 64 bits in every word.
    fn splat(bits: u64) -> Self;
    /// The first [`Simd::WORDS`] words.
    fn load(words: &[u64]) -> Self;
    /// Into the first [`Simd::WORDS`] words.
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
    /// Where the bits of a, b and c, the lowest first, are those of the code, which is below 8.
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
    /// Each 64-bit word shifted left.
    fn shift_left<const BITS: i32>(self) -> Self;
    /// Each 64-bit word shifted right.
    fn shift_right<const BITS: i32>(self) -> Self;
    /// Whether any stream is set.
    fn any(self) -> bool;

    /// Looks up 64 bytes, and gives for each of P planes of their codes a bit a byte.
    fn bytes_to_planes<const P: usize>(block: &[u8; 64], table: &ByteTable) -> [u64; P];
    /// The bits of `bits` where `keep` has one, side by side from the lowest.
    #[inline(always)]
    fn compress(bits: u64, keep: u64) -> u64 {
        // Few bits are left out: close one gap after the other, the highest first.
        let (mut squeezed, mut gaps) = (bits, !keep);
        while gaps != 0 {
            let gap = 63 - gaps.leading_zeros();
            let below = (1 << gap) - 1;
            squeezed = squeezed & below | squeezed >> 1 & !below;
            gaps &= !(1 << gap);
        }
        squeezed
    }
    /// A bit for each byte that is above 0x20.
    fn above_blank(block: &[u8; 64]) -> u64;
    /// A bit for each byte that is not ASCII.
    fn not_ascii(block: &[u8; 64]) -> u64;
    /// A bit for each of the first 64 bytes at which a run may begin that the tables describe.
    fn teddy_mask(text: &[u8; 64 + RUN - 1], nibbles: &TeddyMasks) -> u64;
}

/// How many bytes of a run are looked at.
pub(crate) const RUN: usize = 4;

/// Runs of bytes in eight groups: for each byte of a run, by its low and by its high four bits, the groups, a bit each, in
/// which a run can have it there.
#[derive(Clone, Default)]
pub(crate) struct TeddyMasks {
    /// By the low four bits.
    pub(crate) low: [[u8; 16]; RUN],
    /// By the high four bits.
    pub(crate) high: [[u8; 16]; RUN],
}

impl TeddyMasks {
    /// The groups of which a run may begin with these bytes.
    #[inline(always)]
    pub(crate) fn groups(&self, run: &[u8; RUN]) -> u8 {
        let mut groups = !0;
        for ((low, high), byte) in self.low.iter().zip(&self.high).zip(run) {
            groups &= low[usize::from(byte & 15)] & high[usize::from(byte >> 4)];
        }
        groups
    }
}

/// The most planes a code has.
pub(crate) const PLANES: usize = 8;

/// The code of each byte below 0x80; all others have code 0.
#[derive(Clone)]
pub(crate) struct ByteTable {
    /// The codes.
    pub(crate) codes: [u8; 128],
    /// Which rows of 16 codes are not all 0.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by rows"))]
    pub(crate) rows: [bool; 8],
    /// For each byte its code with a byte for each plane, of which only the lowest bit is used.
    pub(crate) spread: Box<[u64; 256]>,
    /// The codes by the low four bits of a byte, if no two bytes with a code share those.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by the low bits"))]
    pub(crate) by_nibble: Option<NibbleTable>,
}

/// Codes by the low four bits of a byte.
#[derive(Clone)]
pub(crate) struct NibbleTable {
    /// The codes.
    pub(crate) codes: [u8; 16],
    /// The byte that has the code, but for the bits that do not count.
    pub(crate) bytes: [u8; 16],
    /// The bits of a byte that count: all, or all but the one of upper and lower case.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 looks codes up by the low bits"))]
    pub(crate) counts: u8,
}

impl NibbleTable {
    fn new(codes: &[u8; 128]) -> Option<Self> {
        const CASE: u8 = 0x20;
        let ignores_case = (0..128).all(|byte| codes[byte] == 0 || codes[byte] == codes[byte ^ usize::from(CASE)]);
        let counts = if ignores_case { !CASE } else { !0 };
        let mut table = NibbleTable { codes: [0; 16], bytes: [0; 16], counts };
        for (byte, &code) in (0u8..).zip(codes).filter(|&(byte, &code)| code != 0 && byte & counts == byte) {
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
    pub(crate) fn new(codes: [u8; 128]) -> Self {
        let rows = std::array::from_fn(|row| codes[16 * row..16 * row + 16].iter().any(|&code| code != 0));
        let mut spread = Box::new([0; 256]);
        for (word, code) in spread.iter_mut().zip(codes) {
            *word = (0..PLANES).fold(0, |word, plane| word | u64::from(code >> plane & 1) << (8 * plane));
        }
        ByteTable { codes, rows, spread, by_nibble: NibbleTable::new(&codes) }
    }
}

/// Something to be done in lanes, whatever their width.
pub(crate) trait SimdOp {
    /// What it gives.
    type Output;
    /// Does it; to be inlined into a function that has the instructions of the lanes.
    fn run<L: Simd>(self) -> Self::Output;
}
