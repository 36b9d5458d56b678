//! Finds the seeds of patterns in text, with Teddy or a hash table of q-grams.
//!
//! A first pass computes a mask for each 64 bytes of text, with a bit for each place where a seed may begin. For few
//! seeds, on processors with a byte shuffle, the pass is Teddy, the packed multi-literal search of Intel's Hyperscan:
//! byte shuffles look up the low and the high nibble of four successive bytes, for 64 places per step and eight groups
//! of seeds. Otherwise the pass looks up four bytes at a time in a hash table. Each marked place is then compared with
//! the seeds themselves. The first pass takes O(n) time for n bytes of text, whatever the number of seeds.

use super::pigeonhole::{Seed, numbers_of};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{Simd, SimdOp, TEDDY_BYTES, TeddyMasks};

/// A method of finding seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Teddy: all seeds in one pass, 64 places per step.
    Teddy,
    /// A lookup in a hash table, place by place.
    Table,
}

impl Lookup {
    /// The largest number of seeds for Teddy. With more seeds in its eight groups, Teddy passes too many places.
    const MAX_TEDDY_SEEDS: usize = 24;

    /// Chooses the method for `seeds` seeds.
    pub fn of(seeds: usize, isa: Isa) -> Self {
        if seeds <= Lookup::MAX_TEDDY_SEEDS && isa.shuffles_bytes() { Lookup::Teddy } else { Lookup::Table }
    }
}

/// Finds seeds in text.
#[derive(Clone)]
pub struct SeedFinder {
    seeds: Vec<Seed>,
    tables: Tables,
}

#[derive(Clone)]
enum Tables {
    /// Teddy, and the indices of the seeds in each of its eight groups.
    Teddy {
        nibble_masks: Box<TeddyMasks>,
        groups: [Vec<usize>; 8],
    },
    Table(SeedTable),
}

impl SeedFinder {
    /// Makes a finder of `seeds`. For [`Lookup::Table`], each seed needs a q-gram of
    /// [`GRAM`](crate::filter::pigeonhole::GRAM) bytes.
    pub fn new(seeds: Vec<Seed>, lookup: Lookup) -> Self {
        let tables = match lookup {
            Lookup::Teddy => teddy(&seeds),
            Lookup::Table => Tables::Table(SeedTable::new(&seeds)),
        };
        SeedFinder { seeds, tables }
    }

    /// Returns a finder without the seeds of the patterns for which `is_left_out` returns `true`.
    pub(crate) fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let seeds = self.seeds.iter().filter(|seed| !is_left_out(seed.pattern)).cloned().collect();
        let lookup = if matches!(self.tables, Tables::Table(_)) { Lookup::Table } else { Lookup::Teddy };
        SeedFinder::new(seeds, lookup)
    }

    /// Describes the seeds for display.
    pub fn description(&self) -> String {
        let count = self.seeds.len();
        match self.tables {
            Tables::Teddy { .. } => format!("pigeonhole, {count} seeds searched with Teddy"),
            Tables::Table(_) => format!("pigeonhole, {count} seeds in a table"),
        }
    }

    /// Computes a mask for each 64 bytes of the text, with a bit for each place where a seed may begin.
    pub fn fill_masks(&self, isa: Isa, text: &[u8], masks: &mut Vec<u64>) {
        masks.clear();
        masks.reserve(text.len().div_ceil(64));
        match &self.tables {
            Tables::Teddy { nibble_masks, .. } => isa.run(TeddyScan { nibble_masks, text, masks }),
            Tables::Table(table) => table.fill_masks(text, masks),
        }
    }

    /// Calls `found` with each seed that occurs at the offset `at` of `text`.
    #[inline]
    pub fn seeds_at(&self, text: &[u8], at: usize, mut found: impl FnMut(&Seed)) {
        let run = first_bytes(text, at);
        let mut check = |index: usize| {
            let seed = &self.seeds[index];
            if seed.is_at(text, at) {
                found(seed);
            }
        };
        match &self.tables {
            Tables::Teddy { nibble_masks, groups } => {
                let mut left = nibble_masks.groups(&run);
                while left != 0 {
                    groups[left.trailing_zeros() as usize].iter().for_each(|&index| check(index));
                    left &= left - 1;
                }
            }
            Tables::Table(table) => table.entries(gram_of(run)).for_each(check),
        }
    }
}

/// Returns the bytes from the offset `at` on, padded with zeros past the end of the text.
#[inline]
fn first_bytes(text: &[u8], at: usize) -> [u8; TEDDY_BYTES] {
    match text[at..].first_chunk() {
        Some(run) => *run,
        None => {
            let mut run = [0; TEDDY_BYTES];
            run[..text.len() - at].copy_from_slice(&text[at..]);
            run
        }
    }
}

fn teddy(seeds: &[Seed]) -> Tables {
    let mut nibble_masks = Box::new(TeddyMasks::default());
    let mut groups: [Vec<usize>; 8] = Default::default();
    for (index, seed) in seeds.iter().enumerate() {
        let group = index % groups.len();
        groups[group].push(index);
        for at in 0..TEDDY_BYTES {
            let allowed: Vec<u8> = match seed.bytes.get(at) {
                Some(set) => set.bytes().collect(),
                None => (0..=u8::MAX).collect(),
            };
            for byte in allowed {
                nibble_masks.low[at][usize::from(byte & 15)] |= 1 << group;
                nibble_masks.high[at][usize::from(byte >> 4)] |= 1 << group;
            }
        }
    }
    Tables::Teddy { nibble_masks, groups }
}

struct TeddyScan<'a> {
    nibble_masks: &'a TeddyMasks,
    text: &'a [u8],
    masks: &'a mut Vec<u64>,
}

impl SimdOp for TeddyScan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let TeddyScan { nibble_masks, text, masks } = self;
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk() {
            masks.push(L::teddy_mask(block, nibble_masks));
            at += 64;
        }
        while at < text.len() {
            let rest = &text[at..text.len().min(at + 64)];
            let behind = &text[at..text.len().min(at + 64 + TEDDY_BYTES - 1)];
            let mut block = [0; 64 + TEDDY_BYTES - 1];
            block[..behind.len()].copy_from_slice(behind);
            masks.push(L::teddy_mask(&block, nibble_masks) & !0 >> (64 - rest.len()));
            at += 64;
        }
    }
}

/// A hash table from q-grams to seeds.
#[derive(Clone)]
struct SeedTable {
    /// For each slot, 1 if it holds a q-gram, else 0.
    filled: Vec<u8>,
    /// The base-2 logarithm of the number of slots.
    bits: u32,
    /// For each slot, the index of its first entry in `entries`. The last element is the number of entries.
    starts: Vec<u32>,
    /// Pairs of a q-gram and the index of a seed that begins with it, one slot after the other.
    entries: Vec<(u32, u32)>,
}

/// The base-2 logarithms of the table sizes: the small one fits the L1 cache, the large one the L2 cache.
const SMALL: u32 = 14;
const LARGE: u32 = 18;
/// The largest number of q-grams in a small table. With more, too many places would pass.
const SMALL_GRAMS: usize = 1 << SMALL >> 4;

/// Returns the slot of a q-gram in a table of `1 << bits` slots.
#[inline(always)]
fn slot(gram: u32, bits: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
}

#[inline]
fn gram_of(run: [u8; TEDDY_BYTES]) -> u32 {
    u32::from_le_bytes(run)
}

impl SeedTable {
    fn new(seeds: &[Seed]) -> Self {
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (index, seed) in (0u32..).zip(seeds) {
            entries.extend(numbers_of(seed.gram()).into_iter().map(|gram| (gram, index)));
        }
        let bits = if entries.len() <= SMALL_GRAMS { SMALL } else { LARGE };
        entries.sort_unstable_by_key(|&(gram, seed)| (slot(gram, bits), seed));
        let mut starts = vec![0; (1 << bits) + 1];
        let mut filled = vec![0; 1 << bits];
        for &(gram, _) in &entries {
            starts[slot(gram, bits) + 1] += 1;
            filled[slot(gram, bits)] = 1;
        }
        for slot in 0..1 << bits {
            starts[slot + 1] += starts[slot];
        }
        SeedTable { filled, bits, starts, entries }
    }

    fn fill_masks(&self, text: &[u8], masks: &mut Vec<u64>) {
        match self.bits {
            SMALL => self.fill_with_bits::<SMALL>(text, masks),
            _ => self.fill_with_bits::<LARGE>(text, masks),
        }
    }

    /// Computes the masks with a table size known to the compiler.
    fn fill_with_bits<const BITS: u32>(&self, text: &[u8], masks: &mut Vec<u64>) {
        let filled = &self.filled[..1 << BITS];
        let is_filled = |run: [u8; TEDDY_BYTES]| u64::from(filled[slot(gram_of(run), BITS)]);
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk::<{ 64 + TEDDY_BYTES - 1 }>() {
            let mut mask = 0;
            // Runs backwards, so that each step shifts the mask by one.
            for run in block.windows(TEDDY_BYTES).rev() {
                mask = mask << 1 | is_filled([run[0], run[1], run[2], run[3]]);
            }
            masks.push(mask);
            at += 64;
        }
        while at < text.len() {
            let places = at..text.len().min(at + 64);
            masks.push(places.map(|place| is_filled(first_bytes(text, place)) << (place - at)).sum());
            at += 64;
        }
    }

    /// Returns the indices of the seeds that begin with the q-gram `gram`.
    #[inline]
    fn entries(&self, gram: u32) -> impl Iterator<Item = usize> + '_ {
        let slot = slot(gram, self.bits);
        let entries = &self.entries[self.starts[slot] as usize..self.starts[slot + 1] as usize];
        entries.iter().filter(move |entry| entry.0 == gram).map(|entry| entry.1 as usize)
    }
}
