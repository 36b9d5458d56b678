//! The argument structures of the kernels, in the layout of C, and a list of the kernels with the structure that each
//! of them takes. The source of each kernel in kernels/ describes the fields.
//!
//! Addresses are device addresses. kernels/host/layout.h asserts the size of every structure and the offset of every
//! field, and a test keeps this header up to date. The stand-in for the driver includes the header after the source of
//! all kernels, so the stand-in does not compile if a structure differs in a kernel.
#![allow(unsafe_code)]

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::driver::KernelSignature;

/// Maximum number of codes in a bit-sliced search, including code 0, which stands for symbols that no pattern matches.
pub const SLICED_CODES: usize = 64;
/// Maximum number of codes if a code is one byte.
pub const BYTE_CODES: usize = 256;
/// Maximum number of rows of a pattern for the kernel `sliced`, which searches in one band.
pub const SLICED_ROWS: usize = 64;
/// Maximum number of rows of a pattern for the kernel `seeds`.
pub const SEED_ROWS: usize = 64;
/// Maximum number of rows of a pattern for the kernel `bands`, which searches in several bands.
pub const BANDED_ROWS: usize = 1024;
/// Maximum number of unions in a group of bit-sliced patterns. A union is a set of several codes that a row matches.
pub const MAX_UNIONS: usize = 64;
/// Maximum number of bit planes that a kernel for pairs compares.
pub const MAX_PLANES: usize = 8;
/// Bytes past the end of a buffer of strings that the kernels for pairs may read.
pub const MATCH_PADDING: usize = 64;
/// Threads in a warp.
pub const WARP: usize = 32;
/// Bytes of text that a block of the symbol kernels encodes.
pub const CHUNK: usize = 4096;
/// The value of [`DeviceHit::symbol`] that marks a hit to ignore.
pub const NOWHERE: u32 = u32::MAX;
/// The place of a pattern that is not in the tables of a traceback kernel.
pub const NOT_TRACED: u32 = u32::MAX;

/// Declares structures in the layout of C. Also lists their sizes and the offsets of their fields, for
/// kernels/host/layout.h.
macro_rules! structures {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
            pub struct $name {
                $($(#[$field_doc])* pub $field: $type,)*
            }
        )*

        /// The name of each structure, its size in bytes, and the names and offsets of its fields.
        #[cfg_attr(not(test), expect(dead_code, reason = "only tests read it"))]
        const STRUCTURES: &[(&str, usize, &[(&str, usize)])] = &[$((
            stringify!($name),
            size_of::<$name>(),
            &[$((stringify!($field), offset_of!($name, $field))),*],
        )),*];
    };
}

structures! {
    /// A hit as the search kernels write it (device.cuh).
    struct DeviceHit {
        /// The index of the last symbol of the match; `place_hits` replaces it by the offset just past that symbol, or
        /// by [`NOWHERE`].
        symbol: u32,
        pattern: u32,
        distance: u32,
    }

    /// The destination of hits: a buffer, its capacity in hits, and the number of hits found (device.cuh).
    struct HitBuffer {
        hits: u64,
        capacity: u64,
        found: u64,
    }

    /// A range of multi-byte symbols that have the same code (symbols.cu).
    struct CodeRange {
        first: u32,
        last: u32,
        code: u32,
    }

    /// Arguments of `count_symbols` and `encode_symbols` (symbols.cu).
    struct SymbolArguments {
        text: u64,
        codes_of_bytes: u64,
        ranges: u64,
        before: u64,
        codes: u64,
        ends: u64,
        /// Address of the number of hits to set to 0; 0 if there is none.
        found: u64,
        selected: u64,
        done: u64,
        length: u32,
        chunks: u32,
        kind: u32,
        range_count: u32,
        selected_words: u32,
        unused: u32,
    }

    /// Arguments of `place_hits` (symbols.cu).
    struct PlaceArguments {
        buffer: HitBuffer,
        ends: u64,
        symbols: u64,
        text: u64,
        reaches: u64,
        /// Address of the windows to make; 0 if hits are not traced.
        windows: u64,
        first: u32,
        context: u32,
        separator: u32,
        window_count: u32,
    }

    /// Arguments of `pack` (planes.cu).
    struct PackArguments {
        codes: u64,
        packed: u64,
        symbols: u32,
        packed_words: u32,
        plane_count: u32,
        unused: u32,
    }

    /// Arguments of `transpose` (planes.cu).
    struct TransposeArguments {
        packed: u64,
        planes: u64,
        packed_words: u32,
        words: u32,
        steps: u32,
        plane_count: u32,
    }

    /// A pattern of `sliced` (sliced.cu).
    struct SlicedPattern {
        id: u32,
        rows: u32,
        k: u32,
        unions: u32,
        until: [u32; 8],
        codes: [u8; SLICED_CODES],
        slots: [u8; SLICED_ROWS],
        members: [u64; MAX_UNIONS],
    }

    /// Keeps about one hit of each item, a line or record, and drops the others (sliced.cuh).
    struct FirstHitFilter {
        text: u64,
        ends: u64,
        /// Address of a bitmap with a bit for each byte of the text; 0 if every hit is wanted.
        selected: u64,
        after: u32,
        until: u32,
        separator: u32,
        unused: u32,
    }

    /// Arguments of `sliced` (sliced.cu).
    struct SlicedArguments {
        planes: u64,
        patterns: u64,
        buffer: HitBuffer,
        symbols: u32,
        words: u32,
        steps: u32,
        plane_count: u32,
        pattern_count: u32,
        patterns_in_group: u32,
        first_tile: u32,
        unused: u32,
        /// Address of the groups to search, one for each y of the grid; 0 to search all groups in order.
        order: u64,
        filter: FirstHitFilter,
    }

    /// A pattern of `bands` (bands.cu).
    struct BandedPattern {
        id: u32,
        rows: u32,
        k: u32,
        unions: u32,
        until: [u32; 8],
        codes: [u8; SLICED_CODES],
        members: [u64; MAX_UNIONS],
        slots: [u8; BANDED_ROWS],
    }

    /// Arguments of `bands` (bands.cu).
    struct BandedArguments {
        planes: u64,
        patterns: u64,
        buffer: HitBuffer,
        deltas: u64,
        symbols: u32,
        words: u32,
        steps: u32,
        plane_count: u32,
        pattern_count: u32,
        patterns_in_group: u32,
        first_tile: u32,
        bands: u32,
        warm_up: u32,
        unused: u32,
    }

    /// The automaton of an expression (automaton.cu). The offsets are relative to its program.
    struct DeviceAutomaton {
        id: u32,
        k: u32,
        states: u32,
        initial: u32,
        sets: u32,
        conditions: u32,
        accepting: u32,
        warm_up: u32,
        program: u32,
        cubes: u32,
        contexts: u32,
        starts: u32,
        readers: u32,
        further: u32,
        ends: u32,
        unused: u32,
    }

    /// Arguments of `automaton` and `automaton_in_memory` (automaton.cu).
    struct AutomatonArguments {
        planes: u64,
        automata: u64,
        programs: u64,
        states: u64,
        buffer: HitBuffer,
        symbols: u32,
        words: u32,
        steps: u32,
        plane_count: u32,
        columns: u32,
        unused: u32,
        filter: FirstHitFilter,
    }

    /// A pattern of `word` (word.cu).
    struct WordPattern {
        id: u32,
        rows: u32,
        k: u32,
        unused: u32,
    }

    /// A seed: its pattern, and its boundary in the pattern (seeds.cu).
    struct DeviceSeed {
        pattern: u32,
        after: u32,
    }

    /// A pattern of `seeds` (seeds.cu).
    struct SeedPattern {
        rows: u32,
        k: u32,
    }

    /// Arguments of `seeds` (seeds.cu).
    struct SeedArguments {
        packed: u64,
        codes: u64,
        starts: u64,
        entries: u64,
        wild: u64,
        seed_of: u64,
        seeds: u64,
        patterns: u64,
        equal: u64,
        known: u64,
        buffer: HitBuffer,
        symbols: u32,
        packed_words: u32,
        known_mask: u32,
        code_count: u32,
        rows: u32,
        first_pattern: u32,
        pattern_count: u32,
        unused: u32,
    }

    /// Arguments of `word` (word.cu).
    struct WordArguments {
        codes: u64,
        patterns: u64,
        equal: u64,
        deltas: u64,
        buffer: HitBuffer,
        symbols: u32,
        segment_symbols: u32,
        segments: u32,
        warm_up: u32,
        code_count: u32,
        bands: u32,
        first_band: u32,
        bands_of_block: u32,
        segments_of_block: u32,
        unused: u32,
    }

    /// A hit to trace: its window of text and its pattern (trace.cuh).
    struct DeviceWindow {
        first: u32,
        end: u32,
        pattern: u32,
    }

    /// The hits that a launch traces (trace.cuh).
    struct TracedHits {
        windows: u64,
        places: u64,
        found: u64,
        before: u32,
        limit: u32,
    }

    /// Arguments of `quadrant` (quadrant.cu).
    struct QuadrantArguments {
        codes: u64,
        equal: u64,
        rows: u64,
        hits: TracedHits,
        alignments: u64,
        code_count: u32,
        quadrants: u32,
    }

    /// Arguments of `walk` (walk.cu).
    struct WalkArguments {
        codes: u64,
        equal: u64,
        rows: u64,
        hits: TracedHits,
        alignments: u64,
        borders: u64,
        border_words: u32,
        code_count: u32,
        alignment_words: u32,
        unused: u32,
    }

    /// The bits of a byte that the kernels for pairs compare (match.cuh).
    struct MatchPlanes {
        shifts: [u32; MAX_PLANES],
    }

    /// Arguments of `pairs_...` (pair_arguments.cuh).
    struct PairArguments {
        queries: u64,
        targets: u64,
        query_ends: u64,
        target_ends: u64,
        values: u64,
        pairs: u32,
        query_length: u32,
        query_stride: u32,
        target_length: u32,
        planes: MatchPlanes,
    }

    /// Arguments of `pairs_trace` (pair_trace.cu).
    struct PairTraceArguments {
        pairs: PairArguments,
        alignments: u64,
        quadrants: u32,
        unused: u32,
    }

    /// A pair of `tiles_...`, or those strips of a pair that one launch computes (tiles.cu).
    struct TilePair {
        query_first: u64,
        target_first: u64,
        first_chunk: u64,
        rows: u32,
        target_length: u32,
        first_strip: u32,
        open: u32,
    }

    /// Arguments of `tiles_...` (tiles.cu).
    struct TileArguments {
        queries: u64,
        targets: u64,
        pairs: u64,
        pair_of_strip: u64,
        chunks: u64,
        next_strip: u64,
        values: u64,
        strips: u32,
        planes: MatchPlanes,
        unused: u32,
    }

    /// The best score of a local alignment, and the cell that it ends in; rows and columns count from 1 (scores.cuh).
    struct BestCell {
        score: i32,
        row: u32,
        column: u32,
    }

    /// A target of a search: the place of its codes (local.cu).
    struct LocalTarget {
        first: u32,
        length: u32,
    }

    /// The scores below a strip of the query in one column (local.cu).
    struct LocalBorder {
        score: u32,
        gap: u32,
    }

    /// Arguments of `local_halves` and `local_words` (local.cu).
    struct LocalArguments {
        codes: u64,
        targets: u64,
        profile: u64,
        borders: u64,
        scores: u64,
        next: u64,
        target_count: u32,
        lanes: u32,
        code_count: u32,
        first_row: u32,
        is_last: u32,
        open: i32,
        extend: i32,
        max_score: i32,
    }

    /// The scores at the border of a tile (score_tiles.cu).
    struct TileBorder {
        score: i32,
        gap: i32,
    }

    /// Arguments of `align_tiles` (score_tiles.cu).
    struct ScoreTileArguments {
        codes: u64,
        profile: u64,
        above: u64,
        left: u64,
        best: u64,
        above_stride: u64,
        left_stride: u64,
        rows: u32,
        columns: u32,
        code_count: u32,
        diagonal: u32,
        is_local: u32,
        open: i32,
        extend: i32,
        unused: u32,
    }

    /// Arguments of `trace_tiles` (score_tiles.cu).
    struct TraceTilesArguments {
        tiles: ScoreTileArguments,
        result: u64,
        end_row: u32,
        end_column: u32,
        unused: u64,
    }

    /// A pair to align (score_rows.cu).
    struct RowsPair {
        profile: u64,
        steps: u64,
        query: u32,
        rows: u32,
        columns: u32,
        unused: u32,
    }

    /// Arguments of `align_rows` (score_rows.cu).
    struct RowsArguments {
        codes: u64,
        profiles: u64,
        pairs: u64,
        steps: u64,
        scores: u64,
        results: u64,
        result_words: u32,
        open: i32,
        extend: i32,
        keeps: u32,
    }
}

/// Declares kernels, each with its name and the structure that it takes.
macro_rules! kernels {
    ($($name:literal takes $arguments:ident: $kernel:ident;)*) => {
        $(
            #[doc = concat!("The kernel `", $name, "`.")]
            #[allow(dead_code, reason = "some kernels have variants that no engine launches")]
            pub enum $kernel {}

            // SAFETY: a test compares name and argument with the kernel's source. The structure's layout is that of
            // the source: see the head of this file.
            unsafe impl KernelSignature for $kernel {
                type Arguments = $arguments;
                const NAME: &'static str = $name;
            }
        )*

        /// The name of each kernel, and the name of the structure that it takes.
        #[cfg_attr(not(test), expect(dead_code, reason = "only tests read it"))]
        const KERNELS: &[(&str, &str)] = &[$(($name, stringify!($arguments))),*];
    };
}

kernels! {
    "count_symbols" takes SymbolArguments: CountSymbolsKernel;
    "encode_symbols" takes SymbolArguments: EncodeSymbolsKernel;
    "place_hits" takes PlaceArguments: PlaceHitsKernel;
    "pack" takes PackArguments: PackKernel;
    "transpose" takes TransposeArguments: TransposeKernel;
    "sliced" takes SlicedArguments: SlicedKernel;
    "bands" takes BandedArguments: BandsKernel;
    "automaton" takes AutomatonArguments: AutomatonKernel;
    "automaton_in_memory" takes AutomatonArguments: AutomatonInMemoryKernel;
    "seeds" takes SeedArguments: SeedsKernel;
    "word" takes WordArguments: WordKernel;
    "quadrant" takes QuadrantArguments: QuadrantKernel;
    "walk" takes WalkArguments: WalkKernel;
    "scan" takes WordArguments: ScanKernel;
    "pairs_distance" takes PairArguments: PairsDistanceKernel;
    "pairs_lcs" takes PairArguments: PairsLcsKernel;
    "pairs_trace" takes PairTraceArguments: PairsTraceKernel;
    "tiles_distance_2" takes TileArguments: TilesDistance2Kernel;
    "tiles_distance_5" takes TileArguments: TilesDistance5Kernel;
    "tiles_distance_8" takes TileArguments: TilesDistance8Kernel;
    "tiles_lcs_2" takes TileArguments: TilesLcs2Kernel;
    "tiles_lcs_5" takes TileArguments: TilesLcs5Kernel;
    "tiles_lcs_8" takes TileArguments: TilesLcs8Kernel;
    "local_halves" takes LocalArguments: LocalHalvesKernel;
    "local_words" takes LocalArguments: LocalWordsKernel;
    "align_tiles" takes ScoreTileArguments: AlignTilesKernel;
    "trace_tiles" takes TraceTilesArguments: TraceTilesKernel;
    "align_rows" takes RowsArguments: AlignRowsKernel;
}

/// An alignment as a traceback kernel writes it, in 32-bit words.
pub struct DeviceAlignment<'a> {
    /// The index of the first symbol of the match.
    pub start: u32,
    /// The number of edits, including matches.
    count: u32,
    /// The edits, two bits each, sixteen per word, from the lowest bits on. The kernels `quadrant` and `pairs_trace`
    /// write the first edit of the alignment first; `walk` writes the last edit first.
    edits: &'a [u32],
}

/// An edit of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceEdit {
    Match,
    Substitution,
    /// A symbol of the pattern that is not in the text.
    PatternOnly,
    /// A symbol of the text that is not in the pattern.
    TextOnly,
}

/// The edits, indexed by the two bits with which the kernels encode them.
const EDITS: [DeviceEdit; 4] =
    [DeviceEdit::Match, DeviceEdit::Substitution, DeviceEdit::PatternOnly, DeviceEdit::TextOnly];

impl<'a> DeviceAlignment<'a> {
    /// Returns the number of 32-bit words of an alignment of at most `edits` edits.
    pub fn words(edits: usize) -> usize {
        2 + edits.div_ceil(16)
    }

    /// Reads the words of an alignment.
    pub fn of(words: &'a [u32]) -> Self {
        DeviceAlignment { start: words[0], count: words[1], edits: &words[2..] }
    }

    /// Returns the runs of equal edits in the order in which the kernel wrote them: the number of edits, and their kind. A
    /// run may be divided.
    pub fn runs(&self) -> impl Iterator<Item = (usize, DeviceEdit)> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let left = (16 - at % 16).min(self.count as usize - at);
            if left == 0 {
                return None;
            }
            let edits = self.edits[at / 16] >> (at % 16 * 2);
            let kind = edits & 3;
            let others = edits ^ (kind * 0x5555_5555);
            let length = left.min(others.trailing_zeros() as usize / 2);
            at += length;
            Some((length, EDITS[kind as usize]))
        })
    }

    /// Returns the edits in the order in which the kernel wrote them.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = DeviceEdit> + '_ {
        (0..self.count as usize).map(|at| EDITS[(self.edits[at / 16] >> (at % 16 * 2) & 3) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_take_these_structures() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels");
        let sources = [
            "symbols",
            "planes",
            "sliced",
            "bands",
            "automaton",
            "seeds",
            "word",
            "quadrant",
            "walk",
            "scan",
            "pairs",
            "pair_trace",
            "tiles",
            "local",
            "score_tiles",
            "score_rows",
        ];
        let sources = sources.map(|name| std::fs::read_to_string(format!("{folder}/{name}.cu")).unwrap()).concat();
        let kernels: Vec<&str> = sources.split(r#"extern "C" __global__ "#).skip(1).collect();
        assert_eq!(kernels.len(), KERNELS.len());
        for (name, arguments) in KERNELS {
            let signature = format!(" {name}(const {arguments} args) {{");
            assert!(kernels.iter().any(|kernel| kernel.lines().next().unwrap().ends_with(&signature)), "{signature}");
        }
    }

    /// Returns the contents of kernels/host/layout.h. The kernels call a `DeviceHit` `Hit`.
    fn layout() -> String {
        let mut header = String::from(HEAD);
        for (name, size, fields) in STRUCTURES {
            let name = name.strip_prefix("Device").unwrap_or(name);
            header.push_str(&format!("\nstatic_assert(sizeof({name}) == {size});\n"));
            for (field, offset) in *fields {
                header.push_str(&format!("static_assert(offsetof({name}, {field}) == {offset});\n"));
            }
        }
        header
    }

    const HEAD: &str = "\
// The layout of the structures that the kernels share with the host, as crates/device/src/abi.rs declares them.
//
// NIGH_UPDATE_DOCUMENTS=1 cargo test -p nigh-device --features cuda abi writes this file. Include it after the
// source of all kernels.
#pragma once

#include <cstddef>
";

    #[test]
    fn the_layout_for_the_kernels_is_that_of_the_structures() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/host/layout.h");
        if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some() {
            std::fs::write(path, layout()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == layout(),
            "kernels/host/layout.h is out of date; run NIGH_UPDATE_DOCUMENTS=1 cargo test -p nigh-device --features cuda abi"
        );
    }
}
