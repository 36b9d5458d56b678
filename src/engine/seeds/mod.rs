//! The seed index for patterns of sequences, shared by the engines.
//!
//! Reading order: `scheme` (how a pattern is divided), `neighbourhood` (the q-grams of a piece), `plan` (which patterns
//! are in the index, and what they cost), `entries` (the entries of some patterns) and `index`. `layout` has its sizes.

pub(crate) mod entries;
pub(crate) mod index;
pub(crate) mod layout;
mod neighbourhood;
pub(crate) mod plan;
pub(crate) mod residues;
mod scheme;
