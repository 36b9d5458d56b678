//! The seed index for patterns of sequences, shared by the engines.
//!
//! Reading order: `scheme` (how a pattern is divided), `neighbourhood` (the q-grams of a piece), `plan` (which patterns
//! are in the index, and what they cost), `entries` (the entries of some patterns), `build` (all entries, on several
//! threads), and the finished index: `index` for processors, `grouped` for devices. `layout` has the sizes.

pub mod build;
pub(crate) mod entries;
pub mod grouped;
pub mod index;
pub mod layout;
mod neighbourhood;
pub mod plan;
pub mod residues;
pub mod scheme;
