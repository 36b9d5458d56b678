//! The modules of the kernels: one for each algorithm and size, as native code and as PTX. `kernels/build` makes them.

use std::io::Read;

use flate2::read::GzDecoder;

/// The images of all modules, a gzip member for each.
static IMAGES: &[u8] = include_bytes!("../kernels/images.gz");
/// For each image, a line with its module, its target, and the offset and length of its gzip member.
static MANIFEST: &str = include_str!("../kernels/manifest.txt");

/// A module: kernels that are compiled, and loaded into a device, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// The name of the module in the manifest.
    pub name: &'static str,
}

impl Module {
    /// Returns the PTX, which any driver for CUDA 12.0 or later can compile for its device, in up to a second.
    pub fn ptx(&self) -> String {
        let ptx = self.image("ptx").expect("each module has PTX");
        String::from_utf8(ptx).expect("PTX is text")
    }

    /// Returns native code for a device of this compute capability; `None` if there is none. Code for a minor version
    /// also runs on devices with later minor versions of the same major version.
    pub(crate) fn native(&self, (major, minor): (i32, i32)) -> Option<Vec<u8>> {
        (0..=minor).rev().find_map(|minor| self.image(&format!("sm_{major}{minor}")))
    }

    /// Returns the image for a target: `ptx`, or an architecture such as `sm_90`.
    fn image(&self, target: &str) -> Option<Vec<u8>> {
        let prefix = format!("image {} {target} ", self.name);
        let mut place = MANIFEST.lines().find_map(|line| line.strip_prefix(&prefix))?.split(' ').map(str::parse);
        let mut number = || place.next().and_then(Result::ok).expect("an image has an offset and a length");
        let (offset, length): (usize, usize) = (number(), number());
        let mut image = Vec::new();
        let member = GzDecoder::new(&IMAGES[offset..offset + length]).read_to_end(&mut image);
        member.expect("an image is a complete gzip member");
        Some(image)
    }
}

/// Makes the module with this name.
const fn module(name: &'static str) -> Module {
    Module { name }
}

/// The module that turns bytes into symbol codes.
pub const SYMBOLS: Module = module("symbols");
/// The module that turns symbol codes into bit planes.
pub const PLANES: Module = module("planes");

/// Modules for bit-sliced search, each with the maximum number of rows of a pattern, ascending.
pub const SLICED: [(usize, Module); 12] = [
    (4, module("sliced_4")),
    (8, module("sliced_8")),
    (12, module("sliced_12")),
    (16, module("sliced_16")),
    (20, module("sliced_20")),
    (24, module("sliced_24")),
    (28, module("sliced_28")),
    (32, module("sliced_32")),
    (40, module("sliced_40")),
    (48, module("sliced_48")),
    (56, module("sliced_56")),
    (64, module("sliced_64")),
];

/// Modules for bit-sliced search in bands, each with the maximum number of rows of a band, ascending.
pub const BANDS: [(usize, Module); 4] =
    [(40, module("bands_40")), (48, module("bands_48")), (56, module("bands_56")), (64, module("bands_64"))];

/// The module that simulates automata.
pub const AUTOMATON: Module = module("automaton");

/// Modules for the seed index, each with the maximum number of edits of a test, ascending.
pub const SEEDS: [(usize, Module); 5] = [
    (1, module("seeds_1")),
    (2, module("seeds_2")),
    (3, module("seeds_3")),
    (4, module("seeds_4")),
    (5, module("seeds_5")),
];

/// Modules for block-based Myers with a pattern spread over a warp, each with the number of words per lane.
pub const WORD: [(usize, Module); 3] = [(1, module("word_1")), (2, module("word_2")), (4, module("word_4"))];

/// Modules for traceback with one thread per hit, each with the maximum number of rows of a pattern.
pub const QUADRANT: [(usize, Module); 2] = [(32, module("quadrant_32")), (64, module("quadrant_64"))];

/// Modules for traceback with one warp per hit, each with the maximum number of rows of a pattern.
pub const WALK: [(usize, Module); 3] = [(1024, module("walk_1")), (2048, module("walk_2")), (4096, module("walk_4"))];

/// Modules for block-based Myers with carries computed by a scan, each with the number of words per thread.
pub const SCAN: [(usize, Module); 3] = [(1, module("scan_1")), (2, module("scan_2")), (4, module("scan_4"))];

/// Modules for pairs with one thread per pair, each with the maximum number of symbols of a query.
pub const PAIRS: [(usize, Module); 4] =
    [(32, module("pairs_1")), (64, module("pairs_2")), (128, module("pairs_4")), (256, module("pairs_8"))];

/// Modules for the traceback of pairs with one thread per pair, each with the maximum number of symbols of a string.
pub const PAIR_TRACE: [(usize, Module); 2] = [(32, module("pair_trace_32")), (64, module("pair_trace_64"))];

/// Modules for long pairs with one warp per strip of rows, each with the number of rows of a strip.
pub const TILES: [(usize, Module); 3] =
    [(1024, module("tiles_1")), (2048, module("tiles_2")), (4096, module("tiles_4"))];

/// Modules for local alignment of a query with many targets, with two scores of 16 bits per word, each with the number
/// of rows per lane. They need compute capability 9.0.
pub const LOCAL_HALVES: [(usize, Module); 3] =
    [(16, module("local_halves_16")), (32, module("local_halves_32")), (48, module("local_halves_48"))];

/// The module for local alignment of a query with many targets, with scores of 32 bits and 32 rows per lane.
pub const LOCAL_WORDS: Module = module("local_words_32");

/// The module for scored alignment in tiles.
pub const SCORE_TILES: Module = module("score_tiles");

/// The module for global alignment by a scan along each row.
pub const SCORE_ROWS: Module = module("score_rows");

/// Returns all modules, for tests.
pub fn all() -> Vec<Module> {
    let single = [SYMBOLS, PLANES, AUTOMATON, LOCAL_WORDS, SCORE_TILES, SCORE_ROWS];
    let sized: [&[(usize, Module)]; 11] =
        [&SLICED, &BANDS, &SEEDS, &WORD, &QUADRANT, &WALK, &SCAN, &PAIRS, &PAIR_TRACE, &TILES, &LOCAL_HALVES];
    single.into_iter().chain(sized.into_iter().flatten().map(|(_, module)| *module)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The architectures with native code, as `kernels/build` lists them.
    const NATIVE: [(i32, i32); 5] = [(7, 5), (8, 0), (9, 0), (10, 0), (12, 0)];

    #[test]
    fn each_module_of_the_manifest_is_used_and_each_used_module_is_in_it() {
        let mut listed: Vec<&str> = MANIFEST.lines().filter_map(|line| line.strip_prefix("module ")).collect();
        listed.iter_mut().for_each(|line| *line = line.split(' ').next().unwrap());
        let mut used: Vec<&str> = all().iter().map(|module| module.name).collect();
        listed.sort_unstable();
        used.sort_unstable();
        assert_eq!(listed, used);
    }

    #[test]
    fn each_module_has_ptx_and_native_code() {
        for module in all() {
            let needs_hopper = LOCAL_HALVES.iter().any(|(_, other)| *other == module);
            assert!(module.ptx().contains("\n.version 8.0\n"), "{module:?}");
            for capability in NATIVE.into_iter().filter(|capability| !needs_hopper || *capability >= (9, 0)) {
                assert!(module.native(capability).unwrap().starts_with(b"\x7fELF"), "{module:?} {capability:?}");
            }
        }
    }

    #[test]
    fn native_code_also_serves_later_devices_of_its_generation() {
        assert_eq!(PLANES.native((8, 6)), PLANES.native((8, 0)));
        assert_ne!(PLANES.native((9, 0)), PLANES.native((8, 0)));
        assert_eq!(PLANES.native((7, 0)), None);
        assert_eq!(PLANES.native((11, 0)), None);
    }
}
