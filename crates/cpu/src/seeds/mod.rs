//! The seed index for patterns of sequences, shared by the engines.
//!
//! Reading order: `scheme` (how a pattern is divided), `neighbourhood` (the q-grams of a piece), `plan` (which patterns
//! are in the index, and what they cost), `entries` (the entries of some patterns), `build` (all entries, on several
//! threads), and the finished index: `index` for processors, `grouped` for devices. `layout` has the sizes.

pub(crate) mod build;
pub(crate) mod entries;
#[cfg(feature = "cuda")]
pub(crate) mod grouped;
pub(crate) mod index;
pub(crate) mod layout;
mod neighbourhood;
pub(crate) mod plan;
pub(crate) mod residues;
pub(crate) mod scheme;
