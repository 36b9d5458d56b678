//! The parts of the seed index in the form of the kernel `seeds`: entries in groups of four, which a thread loads at a
//! time.

use super::entries::{ChunkSeeds, PartEntries, SeedEntry};
use super::layout::PART_SLOTS;

/// The number of entries in a group.
pub(crate) const GROUP: usize = 4;

/// The entries of one part of the index. The last entry of a slot is repeated until its last group is full. In a slot,
/// the entries with the most edits left come first.
pub struct GroupedPart {
    /// For each slot of the part, the number of groups before it in the part.
    pub starts: Vec<u32>,
    /// For each group: the low planes of entries 0 and 1, the high planes of entries 0 and 1, the low planes of entries
    /// 2 and 3, and the high planes of entries 2 and 3. The entry with the even number is in the lower half of a word.
    pub planes: Vec<[u32; 4]>,
    /// For each group: the wild planes of entries 0 and 1, and the wild planes of entries 2 and 3. Empty if entries
    /// have two planes.
    pub wild: Vec<[u32; 2]>,
    /// The index of the seed of each entry.
    pub seed_of: Vec<u32>,
}

impl GroupedPart {
    /// Builds a part from its entries, whose seeds are in `chunks`. Entries have `plane_count` planes.
    pub fn new(entries: &PartEntries, chunks: &[&ChunkSeeds], plane_count: usize) -> Self {
        let mut ends = vec![0usize; PART_SLOTS + 1];
        entries.slots().for_each(|slot| ends[slot + 1] += 1);
        for slot in 0..PART_SLOTS {
            ends[slot + 1] += ends[slot];
        }
        let firsts = ends.clone();
        let mut by_slot = vec![SeedEntry::default(); entries.len()];
        for entry in entries.iter(chunks) {
            let place = &mut ends[entry.slot];
            by_slot[*place] = entry;
            *place += 1;
        }
        let mut grouped = GroupedPart {
            starts: Vec::with_capacity(PART_SLOTS),
            planes: Vec::with_capacity(by_slot.len() / GROUP + PART_SLOTS / 2),
            wild: Vec::new(),
            seed_of: Vec::with_capacity(by_slot.len() + PART_SLOTS),
        };
        for bounds in firsts.windows(2) {
            let slot = &mut by_slot[bounds[0]..bounds[1]];
            slot.sort_by_key(|entry| std::cmp::Reverse(entry.rows.edits()));
            grouped.starts.push(grouped.planes.len() as u32);
            slot.chunks(GROUP).for_each(|group| grouped.add(group, plane_count));
        }
        grouped
    }

    /// Adds a group of one to four entries.
    fn add(&mut self, entries: &[SeedEntry], plane_count: usize) {
        let entry = |nth: usize| &entries[nth.min(entries.len() - 1)];
        let pair = |first: usize, plane: fn(&SeedEntry) -> i16| {
            let half = |nth: usize| u32::from(plane(entry(nth)) as u16);
            half(first) | half(first + 1) << 16
        };
        let (low, high) = (|entry: &SeedEntry| entry.rows.low, |entry: &SeedEntry| entry.rows.high);
        self.planes.push([pair(0, low), pair(0, high), pair(2, low), pair(2, high)]);
        if plane_count == 3 {
            let wild = |entry: &SeedEntry| entry.rows.wild;
            self.wild.push([pair(0, wild), pair(2, wild)]);
        }
        self.seed_of.extend((0..GROUP).map(|nth| entry(nth).seed));
    }
}
