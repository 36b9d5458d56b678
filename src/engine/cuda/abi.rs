//! The structures that the kernels take, in the layout of C. Each is described field by field in the kernel's file in
//! kernels/.
//!
//! Addresses are device addresses.
#![allow(unsafe_code)]

use bytemuck::{Pod, Zeroable};

use super::driver::KernelSignature;

/// The largest number of codes of a bit-sliced search, including the code of symbols that no pattern matches.
pub(super) const SLICED_CODES: usize = 64;
/// The largest number of codes that fit a byte.
pub(super) const BYTE_CODES: usize = 256;
/// The largest number of rows of a bit-sliced pattern in one band.
pub(super) const SLICED_ROWS: usize = 64;
/// The largest number of rows of a bit-sliced pattern in several bands.
pub(super) const BANDED_ROWS: usize = 1024;
/// The largest number of unions of codes in a bit-sliced search.
pub(super) const MAX_UNIONS: usize = 64;
/// Threads in a warp.
pub(super) const WARP: usize = 32;
/// Bytes of text that a block encodes.
pub(super) const CHUNK: usize = 4096;
/// The end of an invalid hit.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A hit, as all search kernels write it (device.cuh).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct DeviceHit {
    /// The index of the last symbol; `place_hits` replaces it by the offset just past the symbol.
    pub(super) symbol: u32,
    pub(super) pattern: u32,
    pub(super) distance: u32,
}

/// The destination of hits (device.cuh).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct HitBuffer {
    pub(super) hits: u64,
    pub(super) capacity: u64,
    pub(super) found: u64,
}

/// A range of multi-byte symbols with one code (symbols.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct CodeRange {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) code: u32,
}

/// Arguments of `count_symbols`, `number_chunks` and `encode_symbols` (symbols.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct SymbolArguments {
    pub(super) text: u64,
    pub(super) codes_of_bytes: u64,
    pub(super) ranges: u64,
    pub(super) before: u64,
    pub(super) codes: u64,
    pub(super) ends: u64,
    pub(super) length: u32,
    pub(super) chunks: u32,
    pub(super) kind: u32,
    pub(super) range_count: u32,
}

/// Arguments of `place_hits` (symbols.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct PlaceArguments {
    pub(super) buffer: HitBuffer,
    pub(super) ends: u64,
    pub(super) symbols: u64,
    pub(super) first: u32,
    pub(super) context: u32,
}

/// Arguments of `pack` (planes.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct PackArguments {
    pub(super) codes: u64,
    pub(super) packed: u64,
    pub(super) symbols: u32,
    pub(super) packed_words: u32,
    pub(super) plane_count: u32,
    pub(super) unused: u32,
}

/// Arguments of `transpose` (planes.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct TransposeArguments {
    pub(super) packed: u64,
    pub(super) planes: u64,
    pub(super) packed_words: u32,
    pub(super) words: u32,
    pub(super) steps: u32,
    pub(super) plane_count: u32,
}

/// A pattern of `sliced` (sliced.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct SlicedPattern {
    pub(super) id: u32,
    pub(super) rows: u32,
    pub(super) k: u32,
    pub(super) unions: u32,
    pub(super) until: [u32; 8],
    pub(super) codes: [u8; SLICED_CODES],
    pub(super) slots: [u8; SLICED_ROWS],
    pub(super) members: [u64; MAX_UNIONS],
}

/// Arguments of `sliced` (sliced.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct SlicedArguments {
    pub(super) planes: u64,
    pub(super) patterns: u64,
    pub(super) buffer: HitBuffer,
    pub(super) symbols: u32,
    pub(super) words: u32,
    pub(super) steps: u32,
    pub(super) plane_count: u32,
    pub(super) pattern_count: u32,
    pub(super) patterns_in_group: u32,
    pub(super) first_tile: u32,
    pub(super) unused: u32,
}

/// A pattern of `bands` (bands.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct BandedPattern {
    pub(super) id: u32,
    pub(super) rows: u32,
    pub(super) k: u32,
    pub(super) unions: u32,
    pub(super) until: [u32; 8],
    pub(super) codes: [u8; SLICED_CODES],
    pub(super) members: [u64; MAX_UNIONS],
    pub(super) slots: [u8; BANDED_ROWS],
}

/// Arguments of `bands` (bands.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct BandedArguments {
    pub(super) planes: u64,
    pub(super) patterns: u64,
    pub(super) buffer: HitBuffer,
    pub(super) deltas: u64,
    pub(super) symbols: u32,
    pub(super) words: u32,
    pub(super) steps: u32,
    pub(super) plane_count: u32,
    pub(super) pattern_count: u32,
    pub(super) patterns_in_group: u32,
    pub(super) first_tile: u32,
    pub(super) bands: u32,
    pub(super) warm_up: u32,
    pub(super) unused: u32,
}

/// A pattern of `word` (word.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct WordPattern {
    pub(super) id: u32,
    pub(super) rows: u32,
    pub(super) k: u32,
    pub(super) unused: u32,
}

/// Arguments of `word` (word.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct WordArguments {
    pub(super) codes: u64,
    pub(super) patterns: u64,
    pub(super) equal: u64,
    pub(super) deltas: u64,
    pub(super) buffer: HitBuffer,
    pub(super) symbols: u32,
    pub(super) segment_symbols: u32,
    pub(super) segments: u32,
    pub(super) warm_up: u32,
    pub(super) code_count: u32,
    pub(super) bands: u32,
    pub(super) first_band: u32,
    pub(super) bands_of_block: u32,
    pub(super) segments_of_block: u32,
    pub(super) unused: u32,
}

/// The text window and the pattern of a hit to trace (trace.cuh).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Window {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) pattern: u32,
}

/// Arguments of `quadrant` (quadrant.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct QuadrantArguments {
    pub(super) codes: u64,
    pub(super) equal: u64,
    pub(super) rows: u64,
    pub(super) hits: u64,
    pub(super) alignments: u64,
    pub(super) hit_count: u32,
    pub(super) code_count: u32,
    pub(super) quadrants: u32,
    pub(super) bound: u32,
}

/// Arguments of `walk` (walk.cu).
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct WalkArguments {
    pub(super) codes: u64,
    pub(super) equal: u64,
    pub(super) rows: u64,
    pub(super) hits: u64,
    pub(super) alignments: u64,
    pub(super) borders: u64,
    pub(super) border_words: u32,
    pub(super) code_count: u32,
    pub(super) bound: u32,
    pub(super) alignment_words: u32,
}

/// Declares kernels, each with its name and its arguments.
macro_rules! kernels {
    ($($name:literal takes $arguments:ident: $kernel:ident;)*) => {
        $(
            #[doc = concat!("The kernel `", $name, "`.")]
            pub(super) enum $kernel {}

            // SAFETY: a test compares name and argument with the kernel's source. The structure's layout is that of
            // the source: see the head of this file.
            unsafe impl KernelSignature for $kernel {
                type Arguments = $arguments;
                const NAME: &'static str = $name;
            }
        )*

        /// The name of each kernel, and of the structure that it takes.
        #[cfg(test)]
        const KERNELS: &[(&str, &str)] = &[$(($name, stringify!($arguments))),*];
    };
}

kernels! {
    "count_symbols" takes SymbolArguments: CountSymbolsKernel;
    "number_chunks" takes SymbolArguments: NumberChunksKernel;
    "encode_symbols" takes SymbolArguments: EncodeSymbolsKernel;
    "place_hits" takes PlaceArguments: PlaceHitsKernel;
    "pack" takes PackArguments: PackKernel;
    "transpose" takes TransposeArguments: TransposeKernel;
    "sliced" takes SlicedArguments: SlicedKernel;
    "bands" takes BandedArguments: BandsKernel;
    "word" takes WordArguments: WordKernel;
    "quadrant" takes QuadrantArguments: QuadrantKernel;
    "walk" takes WalkArguments: WalkKernel;
}

/// An alignment as a kernel writes it, in 32-bit words.
pub(super) struct DeviceAlignment<'a> {
    /// The index of the first symbol of the match.
    pub(super) start: u32,
    /// The number of edits.
    pub(super) count: u32,
    /// The edits, sixteen per word from the lowest bits on: first to last if a thread traced the hit, last to first if
    /// a warp did.
    pub(super) edits: &'a [u32],
}

impl<'a> DeviceAlignment<'a> {
    /// Returns the number of words of an alignment for patterns of up to `rows` rows.
    pub(super) fn words(rows: usize) -> usize {
        2 + rows / 8
    }

    pub(super) fn of(words: &'a [u32]) -> Self {
        DeviceAlignment { start: words[0], count: words[1], edits: &words[2..] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the number before `bytes` in the comment above a structure in a kernel's source.
    fn size_in_source(source: &str, name: &str) -> usize {
        let before = &source[..source.find(&format!(" {name} {{")).expect("the structure is in the source")];
        let says_size = |line: &&str| line.starts_with("//") && line.contains(" bytes");
        let comment = before.lines().rev().find(says_size).expect("a comment says its size");
        let words: Vec<&str> = comment.split_whitespace().collect();
        let at = words.iter().rposition(|word| word.starts_with("bytes")).expect("it says its size");
        words[at - 1].replace(',', "").parse().expect("a number")
    }

    #[test]
    fn kernels_take_these_structures() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
        let sources = ["symbols", "planes", "sliced", "bands", "word", "quadrant", "walk"];
        let sources = sources.map(|name| std::fs::read_to_string(format!("{folder}/{name}.cu")).unwrap()).concat();
        let kernels: Vec<&str> = sources.split(r#"extern "C" __global__ "#).skip(1).collect();
        assert_eq!(kernels.len(), KERNELS.len());
        for (name, arguments) in KERNELS {
            let signature = format!(" {name}(const {arguments} args) {{");
            assert!(kernels.iter().any(|kernel| kernel.lines().next().unwrap().ends_with(&signature)), "{signature}");
        }
    }

    #[test]
    fn structures_are_as_large_as_the_kernels_say() {
        let device = include_str!("../../../kernels/device.cuh");
        let symbols = include_str!("../../../kernels/symbols.cu");
        let planes = include_str!("../../../kernels/planes.cu");
        let sliced = include_str!("../../../kernels/sliced.cu");
        let bands = include_str!("../../../kernels/bands.cu");
        let word = include_str!("../../../kernels/word.cu");
        let quadrant = include_str!("../../../kernels/quadrant.cu");
        let trace = include_str!("../../../kernels/trace.cuh");
        let walk = include_str!("../../../kernels/walk.cu");
        assert_eq!(size_of::<HitBuffer>(), size_in_source(device, "HitBuffer"));
        assert_eq!(size_of::<CodeRange>(), size_in_source(symbols, "CodeRange"));
        assert_eq!(size_of::<SymbolArguments>(), size_in_source(symbols, "SymbolArguments"));
        assert_eq!(size_of::<PlaceArguments>(), size_in_source(symbols, "PlaceArguments"));
        assert_eq!(size_of::<PackArguments>(), size_in_source(planes, "PackArguments"));
        assert_eq!(size_of::<TransposeArguments>(), size_in_source(planes, "TransposeArguments"));
        assert_eq!(size_of::<SlicedPattern>(), size_in_source(sliced, "SlicedPattern"));
        assert_eq!(size_of::<SlicedArguments>(), size_in_source(sliced, "SlicedArguments"));
        assert_eq!(size_of::<BandedPattern>(), size_in_source(bands, "BandedPattern"));
        assert_eq!(size_of::<BandedArguments>(), size_in_source(bands, "BandedArguments"));
        assert_eq!(size_of::<WordPattern>(), size_in_source(word, "WordPattern"));
        assert_eq!(size_of::<WordArguments>(), size_in_source(word, "WordArguments"));
        assert_eq!(size_of::<Window>(), size_in_source(trace, "Window"));
        assert_eq!(size_of::<QuadrantArguments>(), size_in_source(quadrant, "QuadrantArguments"));
        assert_eq!(size_of::<WalkArguments>(), size_in_source(walk, "WalkArguments"));
    }
}
