//! The PTX of the kernels: one module for each algorithm and size. The driver compiles a module when it is first
//! loaded.

/// A PTX module, made by `kernels/build`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// The name of its file in ptx/, without the extension.
    pub name: &'static str,
    /// The PTX.
    pub ptx: &'static str,
}

/// Includes the module with this name.
macro_rules! module {
    ($name:literal) => {
        Module { name: $name, ptx: include_str!(concat!("../ptx/", $name, ".ptx")) }
    };
}

/// The module that turns bytes into symbol codes.
pub const SYMBOLS: Module = module!("symbols");
/// The module that turns symbol codes into bit planes.
pub const PLANES: Module = module!("planes");

/// Modules for bit-sliced search, each with the maximum number of rows of a pattern, ascending.
pub const SLICED: [(usize, Module); 12] = [
    (4, module!("sliced_4")),
    (8, module!("sliced_8")),
    (12, module!("sliced_12")),
    (16, module!("sliced_16")),
    (20, module!("sliced_20")),
    (24, module!("sliced_24")),
    (28, module!("sliced_28")),
    (32, module!("sliced_32")),
    (40, module!("sliced_40")),
    (48, module!("sliced_48")),
    (56, module!("sliced_56")),
    (64, module!("sliced_64")),
];

/// Modules for bit-sliced search in bands, each with the maximum number of rows of a band, ascending.
pub const BANDS: [(usize, Module); 4] =
    [(40, module!("bands_40")), (48, module!("bands_48")), (56, module!("bands_56")), (64, module!("bands_64"))];

/// The module that simulates automata.
pub const AUTOMATON: Module = module!("automaton");

/// Modules for the seed index, each with the maximum number of edits of a test, ascending.
pub const SEEDS: [(usize, Module); 5] = [
    (1, module!("seeds_1")),
    (2, module!("seeds_2")),
    (3, module!("seeds_3")),
    (4, module!("seeds_4")),
    (5, module!("seeds_5")),
];

/// Modules for block-based Myers with a pattern spread over a warp, each with the number of words per lane.
pub const WORD: [(usize, Module); 3] = [(1, module!("word_1")), (2, module!("word_2")), (4, module!("word_4"))];

/// Modules for traceback with one thread per hit, each with the maximum number of rows of a pattern.
pub const QUADRANT: [(usize, Module); 2] = [(32, module!("quadrant_32")), (64, module!("quadrant_64"))];

/// Modules for traceback with one warp per hit, each with the maximum number of rows of a pattern.
pub const WALK: [(usize, Module); 3] =
    [(1024, module!("walk_1")), (2048, module!("walk_2")), (4096, module!("walk_4"))];

/// Modules for multi-word Myers with the carry by a scan, each with the number of words per thread.
pub const SCAN: [(usize, Module); 3] = [(1, module!("scan_1")), (2, module!("scan_2")), (4, module!("scan_4"))];

/// Modules for pairs with one thread per pair, each with the maximum number of symbols of a query.
pub const PAIRS: [(usize, Module); 4] =
    [(32, module!("pairs_1")), (64, module!("pairs_2")), (128, module!("pairs_4")), (256, module!("pairs_8"))];

/// Modules for the traceback of pairs with one thread per pair, each with the maximum number of symbols of a string.
pub const PAIR_TRACE: [(usize, Module); 2] = [(32, module!("pair_trace_32")), (64, module!("pair_trace_64"))];

/// Modules for long pairs with one warp per strip of rows, each with the number of rows of a strip.
pub const TILES: [(usize, Module); 3] =
    [(1024, module!("tiles_1")), (2048, module!("tiles_2")), (4096, module!("tiles_4"))];

/// Modules for local alignment of a query with many targets, with two scores of 16 bits per word, each with the number
/// of rows per lane. They need compute capability 9.0.
pub const LOCAL_HALVES: [(usize, Module); 3] =
    [(16, module!("local_halves_16")), (32, module!("local_halves_32")), (48, module!("local_halves_48"))];

/// The module for local alignment of a query with many targets, with scores of 32 bits and 32 rows per lane.
pub const LOCAL_WORDS: Module = module!("local_words_32");

/// The module for scored alignment in tiles.
pub const SCORE_TILES: Module = module!("score_tiles");

/// The module for global alignment by a scan along each row.
pub const SCORE_ROWS: Module = module!("score_rows");
