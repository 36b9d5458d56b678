//! How work is laid out on a device. All of it is arithmetic; every layout finds the same.

use super::arguments::{SLICED_CODES, SLICED_ROWS, SlicedPattern, WARP};
use super::device::Facts;

/// Blocks of one multiprocessor, about, that make it busy in slices.
const RESIDENT_BLOCKS: usize = 5;
/// A block has at most so many warps in slices.
const SLICED_WARPS: usize = 4;
/// Streams are no longer than this: with more, the part that they see twice is of no weight any more.
const MOST_STEPS: usize = 2048;
/// And no shorter than so many times what they see twice.
const OVER_WARM_UP: usize = 4;
/// The same for the segments of words.
const SEGMENT_OVER_WARM_UP: usize = 4;
/// A block has at most so many warps in words.
const WORD_WARPS: usize = 16;
/// As many warps of words as keep a multiprocessor busy.
const RESIDENT_WARPS: usize = 32;
/// Bytes of a slot of one warp in shared memory.
const SLOT: usize = 1024;

/// How text is divided into streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Streams {
    /// Symbols of each, a multiple of 32.
    pub(super) steps: usize,
    /// Words of 32 streams, a multiple of the threads of a block, or one small block.
    pub(super) words: usize,
}

/// Streams for so many symbols, when matches cover at most `reach` of them and so many patterns are searched at once: as long as they can be with
/// enough blocks for all multiprocessors.
pub(super) fn streams(facts: &Facts, symbols: usize, reach: usize, patterns: usize) -> Streams {
    let tile = SLICED_WARPS * WARP * 32;
    let tiles = (2 * RESIDENT_BLOCKS * facts.multiprocessors).div_ceil(patterns.max(1));
    let least = (OVER_WARM_UP * reach).next_multiple_of(32);
    let steps = symbols.div_ceil(tiles * tile).next_multiple_of(32).clamp(least, MOST_STEPS.max(least));
    let words = symbols.div_ceil(steps).div_ceil(32);
    // Little text has a smaller block.
    let block = words.next_multiple_of(WARP).next_power_of_two().min(SLICED_WARPS * WARP);
    Streams { steps, words: words.next_multiple_of(block) }
}

/// The bytes of shared memory of a block that searches patterns of so many rows and slots.
pub(super) fn sliced_shared_bytes(rows: usize, warps: usize, slots: usize) -> usize {
    (size_of::<SlicedPattern>() + (rows + 4) * size_of::<u32>()).next_multiple_of(16) + warps * slots * SLOT
}

/// How many threads a block has that searches patterns of so many slots; nothing if one warp would have too much shared memory.
pub(super) fn sliced_threads(facts: &Facts, slots: usize) -> Option<usize> {
    let shared = |warps: usize| sliced_shared_bytes(SLICED_ROWS, warps, slots);
    let resident = |warps: usize| warps * (facts.shared_bytes / shared(warps)).min(RESIDENT_BLOCKS);
    // Of equals the last, which is the largest.
    let warps = [1, 2, SLICED_WARPS]
        .into_iter()
        .filter(|&warps| shared(warps) <= facts.shared_bytes)
        .max_by_key(|&w| resident(w));
    warps.map(|warps| warps * WARP)
}

/// How a pattern of so many rows is spread over a warp: words of a lane, of those that are possible.
pub(super) fn words_of_lane(facts: &Facts, rows: usize, codes: usize) -> usize {
    let fits = |words: &usize| word_shared_bytes(*words, codes, 1, SLICED_WARPS) <= facts.shared_bytes;
    let wanted = rows.div_ceil(WARP * 32).next_power_of_two().min(4);
    [4, 2, 1].into_iter().filter(|words| *words <= wanted).find(fits).unwrap_or(1)
}

/// The bytes of the equality words of a band in shared memory.
pub(super) fn word_table_bytes(words: usize, codes: usize) -> usize {
    codes * WARP * words * size_of::<u32>()
}

/// The bytes of shared memory of a block with so many bands of so many segments: the equality words, and for each band and segment deltas and codes.
pub(super) fn word_shared_bytes(words: usize, codes: usize, bands: usize, segments: usize) -> usize {
    const NOTES: usize = WARP * 8 + 2 * WARP;
    bands * word_table_bytes(words, codes) + bands * segments * (2 * 8 + NOTES)
}

/// How text is divided into segments, and these among blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segments {
    /// Symbols that a segment owns, a multiple of 32.
    pub(super) symbols: usize,
    /// Symbols that it sees before.
    pub(super) warm_up: usize,
    /// How many there are.
    pub(super) count: usize,
    pub(super) bands_of_block: usize,
    pub(super) segments_of_block: usize,
}

/// What of patterns the division into segments depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordWork {
    pub(super) words: usize,
    pub(super) codes: usize,
    pub(super) bands: usize,
    pub(super) patterns: usize,
    pub(super) reach: usize,
}

/// Segments for so many symbols: as long as they can be with enough warps for all multiprocessors.
pub(super) fn segments(facts: &Facts, symbols: usize, work: WordWork) -> Segments {
    let table = word_table_bytes(work.words, work.codes);
    let bands_of_block = (facts.shared_bytes / 2 / table).clamp(1, WORD_WARPS).min(work.bands);
    let segments_of_block = (SLICED_WARPS / bands_of_block).max(1);
    let warm_up = work.reach.next_multiple_of(WARP);
    let warps = RESIDENT_WARPS * facts.multiprocessors;
    let wanted = warps.div_ceil(work.patterns.max(1) * bands_of_block).max(1);
    let least = SEGMENT_OVER_WARM_UP * warm_up;
    let own = symbols.div_ceil(wanted).next_multiple_of(WARP).max(least);
    Segments { symbols: own, warm_up, count: symbols.div_ceil(own), bands_of_block, segments_of_block }
}

/// The most rows of a pattern whose hits are traced on the device.
pub(super) const MOST_TRACED_ROWS: usize = 64;

/// How many threads a block has that traces hits, and how many bytes of shared memory: the words of its pattern by code, and what is kept of each
/// quadrant.
pub(super) fn quadrant_threads(facts: &Facts, rows: usize, codes: usize, quadrants: usize) -> (usize, usize) {
    let shared = |threads: usize| threads * (quadrants * size_of::<u64>() + (codes + 2 * quadrants) * (rows / 8));
    let fits = |&threads: &usize| shared(threads) <= facts.shared_bytes / 2;
    let threads = [128, 64].into_iter().find(fits).unwrap_or(WARP);
    (threads, shared(threads))
}

/// How many bytes of text a batch has: enough that patterns of this reach, searched by words, keep all multiprocessors busy.
pub(super) fn batch_bytes(facts: &Facts, reach: usize) -> usize {
    const LEAST: usize = 2 << 20;
    const MOST: usize = 128 << 20;
    // Two blocks of as many bands as they can have.
    let segments = 2 * facts.multiprocessors;
    (segments * (SEGMENT_OVER_WARM_UP + 1) * reach).clamp(LEAST, MOST).max(8 * reach)
}

/// A class of numbers of slots, whose patterns are searched together: all get as much shared memory as the one with the most.
pub(super) fn slot_class(slots: usize) -> usize {
    [4, 6, 8, 12, 16, 24, 32, 48, SLICED_CODES].into_iter().find(|&most| slots <= most).unwrap_or(2 * SLICED_CODES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts { ordinal: 0, name: "a device".into(), capability: (9, 0), multiprocessors: 132, shared_bytes: 227 << 10 }
    }

    #[test]
    fn streams_hold_all_symbols_and_are_long_enough() {
        for symbols in [1, 1000, 1 << 20, 4 << 20, 100 << 20] {
            for (reach, patterns) in [(1, 1), (23, 2), (23, 2000), (127, 1)] {
                let Streams { steps, words } = streams(&facts(), symbols, reach, patterns);
                assert!(steps * words * 32 >= symbols && steps >= reach && steps % 32 == 0);
                assert!(words % 128 == 0 || [32, 64].contains(&words));
            }
        }
        let long = Streams { steps: 1056, words: 128 };
        assert_eq!(
            streams(&facts(), (4 << 20) + 100, 23, 2000),
            long,
            "many patterns have long streams, and no tile for a rest"
        );
        assert_eq!(streams(&facts(), 4 << 20, 23, 2).steps, 96, "few have many");
    }

    #[test]
    fn blocks_have_as_much_shared_memory_as_there_is() {
        assert_eq!(sliced_threads(&facts(), 4), Some(128));
        assert_eq!(sliced_threads(&facts(), 40), Some(32), "five warps alone, where four would be together");
        assert_eq!(sliced_threads(&facts(), 127), Some(32));
        assert_eq!(sliced_threads(&Facts { shared_bytes: 64 << 10, ..facts() }, 127), None);
    }

    #[test]
    fn segments_hold_all_symbols() {
        let work = WordWork { words: 4, codes: 5, bands: 12, patterns: 1, reach: 50_000 };
        for symbols in [1, 5000, 100 << 20] {
            let made = segments(&facts(), symbols, work);
            assert!(
                made.count * made.symbols >= symbols && made.symbols.is_multiple_of(32) && made.warm_up >= work.reach
            );
            assert_eq!((made.bands_of_block, made.segments_of_block), (12, 1));
        }
    }

    #[test]
    fn a_lane_has_as_many_words_as_fit() {
        assert_eq!(words_of_lane(&facts(), 100, 5), 1);
        assert_eq!(words_of_lane(&facts(), 2000, 5), 2);
        assert_eq!(words_of_lane(&facts(), 50_000, 5), 4);
        assert_eq!(words_of_lane(&Facts { shared_bytes: 48 << 10, ..facts() }, 50_000, 255), 1);
    }
}
