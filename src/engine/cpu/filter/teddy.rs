//! Finds seeds of patterns in text, wherever they stand.
//!
//! A first pass gives a mask for every 64 bytes: the places at which some seed may begin. A few seeds are told from other
//! text by the halves of their first four bytes, 64 places at a time; many by a table of their first four bytes.

use super::pigeonhole::{Seed, variants};
use crate::engine::cpu::simd::isa::Isa;
use crate::engine::cpu::simd::vector::{RUN, Simd, SimdOp, TeddyMasks};

/// How seeds are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// All of them at once, 64 places at a time.
    AtOnce,
    /// In a table, place by place.
    InTable,
}

impl Lookup {
    /// With more seeds than this in eight groups, each hides others.
    const MAX_PATTERNS_AT_ONCE: usize = 24;

    /// What suits so many seeds.
    pub(crate) fn of(seeds: usize, isa: Isa) -> Self {
        match seeds <= Lookup::MAX_PATTERNS_AT_ONCE && isa.shuffles_bytes() {
            true => Lookup::AtOnce,
            false => Lookup::InTable,
        }
    }
}

/// Finds some seeds.
#[derive(Clone)]
pub(crate) struct SeedFinder {
    seeds: Vec<Seed>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    /// In eight groups.
    AtOnce {
        nibbles: Box<TeddyMasks>,
        groups: [Vec<usize>; 8],
    },
    Table(SeedTable),
}

impl SeedFinder {
    /// Finds these seeds; to be looked up in a table, each must have a gram of [`GRAM`](crate::engine::cpu::filter::pigeonhole::GRAM) bytes.
    pub(crate) fn new(seeds: Vec<Seed>, lookup: Lookup) -> Self {
        let kind = match lookup {
            Lookup::AtOnce => at_once(&seeds),
            Lookup::InTable => Kind::Table(SeedTable::new(&seeds)),
        };
        SeedFinder { seeds, kind }
    }

    /// The same without the seeds of some patterns.
    pub(crate) fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let seeds = self.seeds.iter().filter(|seed| !is_left_out(seed.pattern)).cloned().collect();
        let lookup = if matches!(self.kind, Kind::Table(_)) { Lookup::InTable } else { Lookup::AtOnce };
        SeedFinder::new(seeds, lookup)
    }

    /// What is looked for, for people.
    pub(crate) fn plan(&self) -> String {
        let count = self.seeds.len();
        match self.kind {
            Kind::AtOnce { .. } => format!("pigeonhole, {count} seeds searched with Teddy"),
            Kind::Table(_) => format!("pigeonhole, {count} seeds in a table"),
        }
    }

    /// Fills a mask for each 64 bytes of the text: where seeds may begin.
    pub(crate) fn fill_masks(&self, isa: Isa, text: &[u8], masks: &mut Vec<u64>) {
        masks.clear();
        masks.reserve(text.len().div_ceil(64));
        match &self.kind {
            Kind::AtOnce { nibbles, .. } => isa.run(TeddyScan { nibbles, text, masks }),
            Kind::Table(table) => table.fill_masks(text, masks),
        }
    }

    /// Gives each seed that stands at a place.
    #[inline]
    pub(crate) fn seeds_at(&self, text: &[u8], at: usize, mut found: impl FnMut(&Seed)) {
        let run = run_at(text, at);
        let mut check = |index: usize| {
            let seed = &self.seeds[index];
            if seed.is_at(text, at) {
                found(seed);
            }
        };
        match &self.kind {
            Kind::AtOnce { nibbles, groups } => {
                let mut left = nibbles.groups(&run);
                while left != 0 {
                    groups[left.trailing_zeros() as usize].iter().for_each(|&index| check(index));
                    left &= left - 1;
                }
            }
            Kind::Table(table) => table.entries(gram_of(run)).for_each(check),
        }
    }
}

/// The first bytes at a place, with zeros behind the end of the text.
#[inline]
fn run_at(text: &[u8], at: usize) -> [u8; RUN] {
    match text[at..].first_chunk() {
        Some(run) => *run,
        None => {
            let mut run = [0; RUN];
            run[..text.len() - at].copy_from_slice(&text[at..]);
            run
        }
    }
}

fn at_once(seeds: &[Seed]) -> Kind {
    let mut nibbles = Box::new(TeddyMasks::default());
    let mut groups: [Vec<usize>; 8] = Default::default();
    for (index, seed) in seeds.iter().enumerate() {
        let group = index % groups.len();
        groups[group].push(index);
        for at in 0..RUN {
            let allowed: Vec<u8> = match seed.bytes.get(at) {
                Some(set) => set.bytes().collect(),
                None => (0..=u8::MAX).collect(),
            };
            for byte in allowed {
                nibbles.low[at][usize::from(byte & 15)] |= 1 << group;
                nibbles.high[at][usize::from(byte >> 4)] |= 1 << group;
            }
        }
    }
    Kind::AtOnce { nibbles, groups }
}

struct TeddyScan<'a> {
    nibbles: &'a TeddyMasks,
    text: &'a [u8],
    masks: &'a mut Vec<u64>,
}

impl SimdOp for TeddyScan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let TeddyScan { nibbles, text, masks } = self;
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk() {
            masks.push(L::teddy_mask(block, nibbles));
            at += 64;
        }
        while at < text.len() {
            let rest = &text[at..text.len().min(at + 64)];
            let behind = &text[at..text.len().min(at + 64 + RUN - 1)];
            let mut block = [0; 64 + RUN - 1];
            block[..behind.len()].copy_from_slice(behind);
            masks.push(L::teddy_mask(&block, nibbles) & !0 >> (64 - rest.len()));
            at += 64;
        }
    }
}

/// Which seeds begin with which gram.
#[derive(Clone)]
struct SeedTable {
    /// For each slot of the table 1 if some gram falls into it, or else 0.
    filled: Vec<u8>,
    /// The slots are so many, as a power of two.
    bits: u32,
    /// Where the entries of each slot begin.
    starts: Vec<u32>,
    /// Grams and indices of seeds, slot by slot.
    entries: Vec<(u32, u32)>,
}

/// The sizes of a table, as powers of two: one stays in the first-level cache, the other in the second.
const SMALL: u32 = 14;
const LARGE: u32 = 18;
/// The most grams of a small table: with more, too much other text would pass.
const SMALL_GRAMS: usize = 1 << SMALL >> 4;

/// Where a gram belongs in a table of so many slots, as a power of two.
#[inline(always)]
fn slot(gram: u32, bits: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
}

#[inline]
fn gram_of(run: [u8; RUN]) -> u32 {
    u32::from_le_bytes(run)
}

impl SeedTable {
    fn new(seeds: &[Seed]) -> Self {
        let grams = |seed: &Seed| {
            let runs = variants(seed.gram());
            runs.into_iter().map(|run| gram_of(run.try_into().expect("a gram has four bytes")))
        };
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (index, seed) in (0u32..).zip(seeds) {
            entries.extend(grams(seed).map(|gram| (gram, index)));
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

    /// The same for a table whose size the compiler knows.
    fn fill_with_bits<const BITS: u32>(&self, text: &[u8], masks: &mut Vec<u64>) {
        let filled = &self.filled[..1 << BITS];
        let is_filled = |run: [u8; RUN]| u64::from(filled[slot(gram_of(run), BITS)]);
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk::<{ 64 + RUN - 1 }>() {
            let mut mask = 0;
            // From the last to the first, so that a step is a shift by one.
            for run in block.windows(RUN).rev() {
                mask = mask << 1 | is_filled([run[0], run[1], run[2], run[3]]);
            }
            masks.push(mask);
            at += 64;
        }
        while at < text.len() {
            let places = at..text.len().min(at + 64);
            masks.push(places.map(|place| is_filled(run_at(text, place)) << (place - at)).sum());
            at += 64;
        }
    }

    /// The seeds that begin with a gram.
    #[inline]
    fn entries(&self, gram: u32) -> impl Iterator<Item = usize> + '_ {
        let slot = slot(gram, self.bits);
        let entries = &self.entries[self.starts[slot] as usize..self.starts[slot + 1] as usize];
        entries.iter().filter(move |entry| entry.0 == gram).map(|entry| entry.1 as usize)
    }
}
