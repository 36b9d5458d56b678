//! The PTX of the kernels, one module for each algorithm and size. A driver translates a module when it is first loaded.

/// A module, as `kernels/build` makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Module {
    /// The name of its file in kernels/ptx.
    pub(super) name: &'static str,
    /// The text.
    pub(super) ptx: &'static str,
}

/// A module of this name.
macro_rules! module {
    ($name:literal) => {
        Module { name: $name, ptx: include_str!(concat!("../../../kernels/ptx/", $name, ".ptx")) }
    };
}

/// Bytes to symbols.
pub(super) const SYMBOLS: Module = module!("symbols");
/// Symbols to planes.
pub(super) const PLANES: Module = module!("planes");

/// Search in slices, by the most rows that a pattern has.
pub(super) const SLICED: [(usize, Module); 12] = [
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

/// Search in bands of slices, by the most rows that a band has.
pub(super) const BANDS: [(usize, Module); 4] =
    [(40, module!("bands_40")), (48, module!("bands_48")), (56, module!("bands_56")), (64, module!("bands_64"))];

/// Search in words, by the words of a lane.
pub(super) const WORD: [(usize, Module); 3] = [(1, module!("word_1")), (2, module!("word_2")), (4, module!("word_4"))];

/// Traceback, by the most rows that a pattern has.
pub(super) const QUADRANT: [(usize, Module); 2] = [(32, module!("quadrant_32")), (64, module!("quadrant_64"))];

/// Traceback of longer patterns, by the most rows that one has.
pub(super) const WALK: [(usize, Module); 3] =
    [(1024, module!("walk_1")), (2048, module!("walk_2")), (4096, module!("walk_4"))];
