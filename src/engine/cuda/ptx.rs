//! The PTX of the kernels, one module per algorithm and size. The driver compiles a module when it is first loaded.

/// A module made by `kernels/build`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Module {
    /// The name of its file in kernels/ptx, without the extension.
    pub(super) name: &'static str,
    /// The PTX.
    pub(super) ptx: &'static str,
}

/// Includes the module with this name.
macro_rules! module {
    ($name:literal) => {
        Module { name: $name, ptx: include_str!(concat!("../../../kernels/ptx/", $name, ".ptx")) }
    };
}

/// Turns bytes into symbols.
pub(super) const SYMBOLS: Module = module!("symbols");
/// Turns symbols into bit planes.
pub(super) const PLANES: Module = module!("planes");

/// Bit-sliced search, by the largest number of rows of a pattern.
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

/// Bit-sliced search in bands, by the largest number of rows of a band.
pub(super) const BANDS: [(usize, Module); 4] =
    [(40, module!("bands_40")), (48, module!("bands_48")), (56, module!("bands_56")), (64, module!("bands_64"))];

/// Block-based search with a pattern spread over a warp, by the words per lane.
pub(super) const WORD: [(usize, Module); 3] = [(1, module!("word_1")), (2, module!("word_2")), (4, module!("word_4"))];

/// Traceback by one thread per hit, by the largest number of rows of a pattern.
pub(super) const QUADRANT: [(usize, Module); 2] = [(32, module!("quadrant_32")), (64, module!("quadrant_64"))];

/// Traceback by one warp per hit, by the largest number of rows of a pattern.
pub(super) const WALK: [(usize, Module); 3] =
    [(1024, module!("walk_1")), (2048, module!("walk_2")), (4096, module!("walk_4"))];
