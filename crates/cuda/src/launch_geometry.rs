//! Launch geometry: divides text and patterns among blocks, warps and launches. This is pure arithmetic. The hits do
//! not depend on the result.

use nigh_device::abi::{BandedPattern, SLICED_CODES, SlicedPattern, WARP};
use nigh_device::driver::Facts;

/// Approximate number of four-warp blocks per multiprocessor that keep it busy in a bit-sliced search.
const RESIDENT_BLOCKS: usize = 5;
/// Approximate number of warps per multiprocessor that keep it busy with automata.
const RESIDENT_AUTOMATA: usize = 8;
/// Maximum number of warps of a block in a bit-sliced search.
const SLICED_WARPS: usize = 4;
/// Maximum number of patterns of a block in a bit-sliced search: one per warp.
pub(super) const MAX_BLOCK_PATTERNS: usize = SLICED_WARPS;
/// Maximum number of steps of a stream, unless [`OVER_WARM_UP`] requires more. Longer streams would hardly reduce the
/// cost of the warm-up.
const MAX_STEPS: usize = 2048;
/// Minimum length of a stream, in multiples of its warm-up.
const OVER_WARM_UP: usize = 4;
/// Minimum length of a segment of the word kernel, in multiples of its warm-up.
const SEGMENT_OVER_WARM_UP: usize = 4;
/// Maximum number of bands, and so of warps, of a block of the word kernel.
const WORD_WARPS: usize = 16;
/// Warps per multiprocessor that keep it busy in the word kernel.
const RESIDENT_WARPS: usize = 32;
/// Shared memory of a slot in one warp, in bytes.
const SLOT: usize = 1024;
/// Shared memory that the device reserves for each block, in bytes.
const RESERVED: usize = 1024;

/// A division of text into streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Streams {
    /// Number of symbols per stream, a multiple of 32.
    pub(super) steps: usize,
    /// Number of words of 32 streams each: a multiple of the words of a block. If there is little text, a power of two
    /// less than that.
    pub(super) words: usize,
}

/// Divides `symbols` symbols into streams. The launch searches for `patterns` patterns, whose matches cover at most
/// `max_match_len` symbols, in blocks of at most `block` words. Streams are as long as possible while there are enough
/// blocks for all multiprocessors.
pub(super) fn streams(facts: &Facts, symbols: usize, max_match_len: usize, patterns: usize, block: usize) -> Streams {
    let tile = SLICED_WARPS * WARP * 32;
    let tiles = (2 * RESIDENT_BLOCKS * facts.multiprocessors).div_ceil(patterns.max(1));
    let min_steps = (OVER_WARM_UP * max_match_len).next_multiple_of(32);
    let steps = symbols.div_ceil(tiles * tile).next_multiple_of(32).clamp(min_steps, MAX_STEPS.max(min_steps));
    let words = symbols.div_ceil(steps).div_ceil(32);
    // If there is little text, blocks are smaller.
    let block = words.next_multiple_of(WARP).next_power_of_two().min(block);
    Streams { steps, words: words.next_multiple_of(block) }
}

/// Divides `symbols` symbols into streams for `automata` automata. One warp simulates one automaton on 32 words of
/// streams. A stream reads at most `reach` symbols before its start, and has at least `reach` symbols.
pub(super) fn automaton_streams(facts: &Facts, symbols: usize, reach: usize, automata: usize) -> Streams {
    let tiles = (RESIDENT_AUTOMATA * facts.multiprocessors).div_ceil(automata.max(1));
    let min_steps = reach.next_multiple_of(32).max(32);
    let steps = symbols.div_ceil(tiles * WARP * 32).next_multiple_of(32).clamp(min_steps, MAX_STEPS.max(min_steps));
    Streams { steps, words: symbols.div_ceil(steps).div_ceil(32).next_multiple_of(WARP) }
}

/// The part of a matrix column that a bit-sliced kernel computes at once: the rows of one band, and their shared
/// memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BitslicedColumn {
    /// Maximum number of rows.
    pub(super) rows: usize,
    /// Shared memory per pattern in bytes, without the slots.
    staged: usize,
}

impl BitslicedColumn {
    /// Returns the column of `sliced.cu` for at most `rows` rows.
    pub(super) fn sliced(rows: usize) -> Self {
        let staged = size_of::<SlicedPattern>() + (rows + 4) * size_of::<u32>();
        BitslicedColumn { rows, staged: staged.next_multiple_of(16) }
    }

    /// Returns the column of `bands.cu` for one band of at most `rows` rows.
    pub(super) fn banded(rows: usize) -> Self {
        let staged = size_of::<BandedPattern>() + (rows + 3) * size_of::<u32>();
        BitslicedColumn { rows, staged: staged.next_multiple_of(16) }
    }

    /// Returns the number of four-warp blocks that fit the registers of a multiprocessor. The kernels' launch bounds
    /// state the same numbers.
    fn resident_blocks(self) -> usize {
        match self.rows {
            ..=20 => RESIDENT_BLOCKS,
            21..=28 => 4,
            29..=48 => 3,
            _ => 2,
        }
    }

    /// Returns the shared memory in bytes of a block that searches patterns with `slots` slots. A block of several
    /// patterns has two buffers for its slots.
    pub(super) fn shared_bytes(self, block: LaunchBlock, slots: usize) -> usize {
        let places = if block.patterns > 1 { 2 } else { 1 };
        block.patterns * self.staged + block.threads / WARP / block.patterns * places * slots * SLOT
    }
}

/// The block of a bit-sliced kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaunchBlock {
    pub(super) threads: usize,
    /// Number of patterns that the block searches together: 1, 2 or 4. They share their slots.
    pub(super) patterns: usize,
}

impl LaunchBlock {
    /// Returns this block, or a smaller one if the text has fewer words. `words` is the number of words of the text, a
    /// multiple of 32.
    pub(super) fn within(self, words: usize) -> Self {
        LaunchBlock { threads: self.threads.min(words * self.patterns), ..self }
    }

    /// Returns the number of words of text that the block searches.
    pub(super) fn words(self) -> usize {
        self.threads / self.patterns
    }
}

/// The division of patterns into groups that share their slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlotSharing {
    /// Number of patterns per group. The last group may have fewer; the other warps of its block then only help to fill
    /// slots.
    pub(super) patterns: usize,
    pub(super) groups: usize,
    /// Total number of slots of all groups.
    pub(super) slots: usize,
    /// Maximum number of slots of a group.
    pub(super) max_slots: usize,
}

/// Chooses the size of the block that searches one group. Returns the block and the cost of searching all groups, in
/// arbitrary units for comparison. Returns `None` if even the smallest block needs too much shared memory.
///
/// In the model, filling a slot costs a warp as much as computing a row. On an H200, searching 64 patterns of 20 rows
/// in groups of 1, 2 and 4 takes 15.8, 14.4 and 14.3 ms with 4 slots, and 23.6, 18.6 and 16.1 ms with 12 slots; 64 rows
/// take 46.2 ms in groups of 1 and 42.6 ms in groups of 4. If shared memory allows fewer warps on a multiprocessor than
/// registers do, the model raises the cost in proportion. That is more than the true cost: four blocks instead of five
/// were 3 % slower.
pub(super) fn block(facts: &Facts, column: BitslicedColumn, sharing: SlotSharing) -> Option<(LaunchBlock, usize)> {
    const SCALE: usize = 1024;
    let resident = |block: &LaunchBlock| {
        let shared = column.shared_bytes(*block, sharing.max_slots);
        let warps = block.threads / WARP;
        let by_registers = column.resident_blocks() * SLICED_WARPS / warps;
        warps * ((facts.shared_bytes + RESERVED) / (shared + RESERVED)).min(by_registers)
    };
    let sizes = [1, 2, SLICED_WARPS].into_iter().filter(|warps| warps % sharing.patterns == 0);
    let blocks = sizes.map(|warps| LaunchBlock { threads: warps * WARP, patterns: sharing.patterns });
    // Of several maxima, `max_by_key` returns the last, which is the largest block.
    let best = blocks.filter(|block| resident(block) > 0).max_by_key(resident)?;
    let work = sharing.groups * sharing.patterns * column.rows + sharing.slots;
    Some((best, work * SCALE * column.resident_blocks() * SLICED_WARPS / resident(&best)))
}

/// Returns the number of words per lane for a pattern of `rows` rows: as few as hold it in one band, and at most 4.
/// Returns fewer if their equality words do not fit shared memory.
pub(super) fn words_of_lane(facts: &Facts, rows: usize, codes: usize) -> usize {
    let fits = |words: &usize| word_shared_bytes(*words, codes, 1, SLICED_WARPS) <= facts.shared_bytes;
    let wanted = rows.div_ceil(WARP * 32).next_power_of_two().min(4);
    [4, 2, 1].into_iter().filter(|words| *words <= wanted).find(fits).unwrap_or(1)
}

/// Shared memory of `scan.cu` besides tables, in bytes: two flags for each warp, and the differences of 32 symbols.
const SCAN_NOTES: usize = 2 * WORD_WARPS + WARP * 8;

/// Returns the size of the equality words of one band in shared memory, in bytes.
pub(super) fn word_table_bytes(words: usize, codes: usize) -> usize {
    codes * WARP * words * size_of::<u32>()
}

/// Returns the shared memory of a block of the word kernel, in bytes: the equality words of its bands, plus differences
/// and codes for each band and segment.
pub(super) fn word_shared_bytes(words: usize, codes: usize, bands: usize, segments: usize) -> usize {
    const NOTES: usize = WARP * 8 + 2 * WARP;
    bands * word_table_bytes(words, codes) + bands * segments * (2 * 8 + NOTES)
}

/// Returns the shared memory of a block of the kernel `scan`, in bytes: the equality words of its bands, plus
/// [`SCAN_NOTES`].
pub(super) fn scan_shared_bytes(words: usize, codes: usize, bands: usize) -> usize {
    bands * word_table_bytes(words, codes) + SCAN_NOTES
}

/// A division of text into segments for the word kernel, and of bands and segments among blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segments {
    /// Number of symbols that a segment owns, a multiple of 32. A segment reports the hits that end there.
    pub(super) symbols: usize,
    /// Number of symbols of context before a segment.
    pub(super) warm_up: usize,
    /// Number of segments.
    pub(super) count: usize,
    /// Number of bands that a block searches.
    pub(super) bands_of_block: usize,
    /// Number of segments that a block searches.
    pub(super) segments_of_block: usize,
}

/// The properties of the patterns of a launch that determine the division into segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordWork {
    pub(super) words: usize,
    pub(super) codes: usize,
    pub(super) bands: usize,
    pub(super) patterns: usize,
    pub(super) max_match_len: usize,
}

/// Divides `symbols` symbols into segments. They are as long as possible while there are enough warps for all
/// multiprocessors, but not longer than the text, because a kernel also steps through what is missing.
pub(super) fn segments(facts: &Facts, symbols: usize, work: WordWork) -> Segments {
    let table = word_table_bytes(work.words, work.codes);
    let bands_of_block = (facts.shared_bytes / 2 / table).clamp(1, WORD_WARPS).min(work.bands);
    let segments_of_block = (SLICED_WARPS / bands_of_block).max(1);
    let warm_up = work.max_match_len.next_multiple_of(WARP);
    let warps = RESIDENT_WARPS * facts.multiprocessors;
    let wanted = warps.div_ceil(work.patterns.max(1) * bands_of_block).max(1);
    let min_symbols = SEGMENT_OVER_WARM_UP * warm_up;
    let owned = symbols.div_ceil(wanted).next_multiple_of(WARP).max(min_symbols);
    let owned = owned.min(symbols.max(1).next_multiple_of(WARP));
    Segments { symbols: owned, warm_up, count: symbols.div_ceil(owned), bands_of_block, segments_of_block }
}

/// Maximum size of the differences between bands, per multiprocessor, in bytes. It suffices to fill a multiprocessor
/// with patterns of up to about 150 rows. With patterns of 300 rows it fills half of one, because longer streams have
/// more differences.
const BANDED_DELTAS: usize = 2 << 20;
/// Size of the differences between bands, in bytes per word and eight steps.
const DELTAS_OF_WORD: usize = 64;

/// The properties of the patterns that one launch searches in bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BandWork {
    pub(super) column: BitslicedColumn,
    pub(super) block: LaunchBlock,
    /// Number of bands per pattern.
    pub(super) bands: usize,
    pub(super) patterns: usize,
    pub(super) max_match_len: usize,
}

/// A division of text and patterns into launches of the search in bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BandedLaunches {
    pub(super) streams: Streams,
    /// Number of symbols of context before a stream.
    pub(super) warm_up: usize,
    /// Number of tiles of text per launch. The memory for differences limits tiles and groups.
    pub(super) tiles: usize,
    pub(super) groups: usize,
}

impl BandedLaunches {
    pub(super) fn new(facts: &Facts, symbols: usize, work: BandWork) -> Self {
        let streams = streams(facts, symbols, work.max_match_len, work.patterns, work.block.words());
        let warm_up = work.max_match_len.next_multiple_of(8);
        let block = work.block.within(streams.words);
        let layout = BandedLaunches { streams, warm_up, tiles: 1, groups: 1 };
        let max_tiles = (BANDED_DELTAS * facts.multiprocessors / layout.delta_bytes(block)).max(1);
        let tiles = (streams.words / block.words()).min(max_tiles);
        BandedLaunches { tiles, groups: (max_tiles / tiles).min(work.patterns.div_ceil(block.patterns)), ..layout }
    }

    /// Returns the size of the differences between bands of one launch, in bytes.
    pub(super) fn delta_bytes(&self, block: LaunchBlock) -> usize {
        self.tiles * self.groups * block.threads * (self.warm_up + self.streams.steps) / 8 * DELTAS_OF_WORD
    }

    /// Estimates the cycles of a search. For a row and a step of 1,024 streams, a warp takes 22 cycles if its
    /// multiprocessor is full. This follows from 8.5e13 cells/s on an H200. A warp takes at least about 13 cycles.
    fn cycles(&self, facts: &Facts, work: BandWork) -> usize {
        let block = work.block.within(self.streams.words);
        let (tiles, groups) = (self.streams.words / block.words(), work.patterns.div_ceil(block.patterns));
        let launches = tiles.div_ceil(self.tiles) * groups.div_ceil(self.groups);
        let warps = tiles * groups * block.threads / WARP / launches;
        let resident = facts.multiprocessors * work.column.resident_blocks() * SLICED_WARPS;
        let rows = work.bands * work.column.rows * (self.streams.steps + self.warm_up);
        launches * rows * (22 * warps / resident).max(13)
    }
}

/// Divides a part of `symbols` symbols for the search in bands. Returns `None` if the word kernel is faster: text and
/// patterns are then too few to fill the device with streams.
pub(super) fn banded(facts: &Facts, symbols: usize, work: BandWork) -> Option<BandedLaunches> {
    let layout = BandedLaunches::new(facts, symbols, work);
    let BandWork { patterns, max_match_len, .. } = work;
    let segments =
        segments(facts, symbols, WordWork { words: 1, codes: SLICED_CODES, bands: 1, patterns, max_match_len });
    let warps = segments.count * patterns;
    let resident = facts.multiprocessors * RESIDENT_WARPS;
    // On a full device, the word kernel searches 3.06e10 symbols/s, so a warp takes 242 cycles per symbol.
    let by_words = (segments.symbols + segments.warm_up) * (242 * warps / resident).max(70);
    (layout.cycles(facts, work) < by_words).then_some(layout)
}

/// Maximum number of rows of a pattern whose hits are traced by one thread each.
pub(super) const QUADRANT_ROWS: usize = 64;
/// Maximum size of the borders of the hits that a launch of `walk` traces at the same time, in bytes, unless one hit needs
/// more.
const BORDER_BYTES: usize = 16 << 20;

/// Returns the number of threads of a block of the kernel `quadrant`, and its shared memory in bytes. Each thread has
/// the equality words of its pattern, and the codes and stored differences of `quadrants` quadrants.
pub(super) fn quadrant_threads(facts: &Facts, rows: usize, codes: usize, quadrants: usize) -> (usize, usize) {
    let shared = |threads: usize| threads * (quadrants * size_of::<u64>() + (codes + 2 * quadrants) * (rows / 8));
    let fits = |&threads: &usize| shared(threads) <= facts.shared_bytes / 2;
    let threads = [128, 64].into_iter().find(fits).unwrap_or(WARP);
    (threads, shared(threads))
}

/// Returns the shared memory in bytes of a warp of the kernel `walk`, for patterns of at most `rows` rows: the
/// traceback bits of 32 steps, the equality words of the pattern, and codes.
pub(super) fn walk_shared_bytes(rows: usize, codes: usize) -> usize {
    let row_words = rows / 32;
    row_words * WARP * size_of::<u64>() + codes * row_words * size_of::<u32>() + 2 * WARP
}

/// Returns the number of 32-bit words for the borders of one hit, in the module of `walk` for `rows` rows. The hit's
/// window has at most `symbols` symbols and its pattern at most `longest` rows.
pub(super) fn walk_border_words(rows: usize, symbols: usize, longest: usize) -> usize {
    let row_words = rows / 32;
    let steps = symbols + (longest - 1) / (row_words / WARP * 32);
    steps.div_ceil(WARP) * (2 * row_words + 2)
}

/// Returns the number of hits that a launch of `walk` traces at the same time, at least one. Their borders, of
/// `border_words` words each, fit in [`BORDER_BYTES`] unless one hit needs more.
pub(super) fn walks_at_once(border_words: usize) -> usize {
    (BORDER_BYTES / (border_words * size_of::<u32>())).max(1)
}

/// The preferred size of a batch in a search for regular expressions, in bytes. With 132 expressions of a log, batches
/// of 4, 8 and 16 MB take 0.55, 0.44 and 0.47 s for 240 MB (an H100 with 16 cores).
pub(super) const AUTOMATON_BATCH: usize = 8 << 20;

/// Returns the preferred size of a batch in bytes. It suffices to keep all multiprocessors busy in the word kernel,
/// with matches of at most `max_match_len` symbols. The minimum is larger for many patterns, because each launch does
/// more work, and smaller for few patterns, because pinning memory then takes most of the time.
pub(super) fn batch_bytes(facts: &Facts, max_match_len: usize, patterns: usize) -> usize {
    const MANY: usize = 64;
    const MAX_BYTES: usize = 128 << 20;
    let min_bytes = if patterns > MANY { 4 << 20 } else { 2 << 20 };
    // Two blocks per multiprocessor, each with one segment and as many bands as possible.
    let segments = 2 * facts.multiprocessors;
    (segments * (SEGMENT_OVER_WARM_UP + 1) * max_match_len).clamp(min_bytes, MAX_BYTES).max(8 * max_match_len)
}

/// Returns the slot class of a pattern with `slots` slots: the maximum number of slots in the class. Patterns of one
/// class are searched together. All get as much shared memory as the pattern with the most slots.
pub(super) fn slot_class(slots: usize) -> usize {
    [4, 6, 8, 12, 16, 24, 32, 48, SLICED_CODES].into_iter().find(|&max| slots <= max).unwrap_or(2 * SLICED_CODES)
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
            for (max_match_len, patterns) in [(1, 1), (23, 2), (23, 2000), (127, 1)] {
                for block in [32, 64, 128] {
                    let Streams { steps, words } = streams(&facts(), symbols, max_match_len, patterns, block);
                    assert!(steps * words * 32 >= symbols && steps >= max_match_len && steps % 32 == 0);
                    assert!(words % block == 0 || [32, 64].contains(&words));
                }
            }
        }
        let long = Streams { steps: 1056, words: 128 };
        assert_eq!(
            streams(&facts(), (4 << 20) + 100, 23, 2000, 128),
            long,
            "many patterns have long streams, and no tile for a rest"
        );
        assert_eq!(streams(&facts(), 4 << 20, 23, 2, 128).steps, 96, "few have many");
    }

    /// Returns the block that searches one pattern of `slots` slots, and the cost of the search.
    fn alone(facts: &Facts, rows: usize, slots: usize) -> Option<(LaunchBlock, usize)> {
        block(facts, BitslicedColumn::sliced(rows), SlotSharing { patterns: 1, groups: 1, slots, max_slots: slots })
    }

    #[test]
    fn blocks_have_as_much_shared_memory_as_there_is() {
        let threads = |facts: &Facts, slots: usize| alone(facts, 64, slots).map(|(block, _)| block.threads);
        assert_eq!(threads(&facts(), 4), Some(128));
        assert_eq!(threads(&facts(), 40), Some(32), "five warps alone, where four would be together");
        assert_eq!(threads(&facts(), 127), Some(32));
        assert_eq!(threads(&Facts { shared_bytes: 64 << 10, ..facts() }, 127), None);
    }

    #[test]
    fn groups_pay_if_they_fill_fewer_slots_and_leave_room() {
        let by_four = |rows: usize, slots: usize| {
            block(
                &facts(),
                BitslicedColumn::sliced(rows),
                SlotSharing { patterns: 4, groups: 1, slots, max_slots: slots },
            )
        };
        let cost = |layout: Option<(LaunchBlock, usize)>| layout.expect("there is room").1;
        for (rows, own, common) in [(20, 4, 4), (64, 4, 4), (20, 12, 12), (20, 12, 24), (8, 6, 14)] {
            assert!(cost(by_four(rows, common)) < 4 * cost(alone(&facts(), rows, own)), "{rows} rows, {own}, {common}");
        }
        for (rows, own, common) in [(20, 8, 60), (4, 4, 40)] {
            assert!(cost(by_four(rows, common)) > 4 * cost(alone(&facts(), rows, own)), "{rows} rows, {own}, {common}");
        }
        assert_eq!(by_four(20, 4).map(|(block, _)| (block.threads, block.words())), Some((128, 32)));
        assert_eq!(by_four(64, 127), None);
    }

    #[test]
    fn little_text_has_smaller_blocks() {
        let shrunk = |patterns: usize, words: usize| LaunchBlock { threads: 128, patterns }.within(words);
        assert_eq!([32, 64, 128, 640].map(|words| shrunk(1, words).threads), [32, 64, 128, 128]);
        assert_eq!([32, 64].map(|words| (shrunk(2, words).threads, shrunk(2, words).words())), [(64, 32), (128, 64)]);
        assert_eq!((shrunk(4, 32).threads, shrunk(4, 32).words()), (128, 32));
    }

    fn in_bands(rows: usize, patterns: usize) -> BandWork {
        let (bands, max_match_len) = (rows.div_ceil(64), rows + rows / 12);
        let column = BitslicedColumn::banded(rows.div_ceil(bands).next_multiple_of(8));
        let block = LaunchBlock { threads: 128, patterns: if patterns < 4 { 1 } else { 4 } };
        BandWork { column, block, bands, patterns, max_match_len }
    }

    #[test]
    fn bands_need_text_and_patterns_that_fill_the_device() {
        let pay = |symbols: usize, rows: usize, patterns: usize| {
            banded(&facts(), symbols, in_bands(rows, patterns)).is_some()
        };
        assert_eq!(
            [4 << 10, 1 << 20, 4 << 20, 64 << 20].map(|symbols| pay(symbols, 100, 1)),
            [false, false, false, true]
        );
        assert_eq!(
            [1 << 10, 1 << 20, 4 << 20, 64 << 20].map(|symbols| pay(symbols, 100, 64)),
            [false, true, true, true]
        );
        assert_eq!([1 << 20, 4 << 20, 32 << 20].map(|symbols| pay(symbols, 500, 32)), [false, false, true]);
        assert!(!pay(4 << 20, 1000, 1));
    }

    #[test]
    fn bands_of_a_launch_have_memory_for_their_deltas() {
        for (symbols, rows, patterns) in [(1, 65, 1), (4 << 20, 100, 5000), (128 << 20, 100, 3), (128 << 20, 1024, 64)]
        {
            let work = in_bands(rows, patterns);
            let layout = BandedLaunches::new(&facts(), symbols, work);
            let block = work.block.within(layout.streams.words);
            assert!(layout.delta_bytes(block) <= BANDED_DELTAS * facts().multiprocessors);
            assert!(
                layout.warm_up >= work.max_match_len
                    && layout.warm_up <= layout.streams.steps
                    && layout.warm_up.is_multiple_of(8)
            );
            assert!(layout.tiles >= 1 && layout.groups >= 1);
        }
    }

    #[test]
    fn segments_hold_all_symbols() {
        let work = WordWork { words: 4, codes: 5, bands: 12, patterns: 1, max_match_len: 50_000 };
        for symbols in [1, 5000, 100 << 20] {
            let layout = segments(&facts(), symbols, work);
            assert!(
                layout.count * layout.symbols >= symbols
                    && layout.symbols.is_multiple_of(32)
                    && layout.warm_up >= work.max_match_len
            );
            assert_eq!((layout.bands_of_block, layout.segments_of_block), (12, 1));
        }
        assert_eq!(segments(&facts(), 70, work).symbols, 96);
    }

    #[test]
    fn borders_stay_within_their_memory() {
        assert_eq!(walk_border_words(1024, 1100, 1000) * size_of::<u32>(), 36 * 264);
        for (rows, longest, hits) in [(1024, 65, 12_710), (1024, 1024, 977), (4096, 4096, 63)] {
            let words = walk_border_words(rows, 2 * longest, longest);
            assert_eq!(walks_at_once(words), hits, "{longest} rows");
            assert!(hits * words * size_of::<u32>() <= BORDER_BYTES);
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
