//! What changes the hits of engines: conditions on matches, and matches that engines do not find.

pub(super) mod constraints;
pub(super) mod merging_sink;
pub(super) mod near;
pub(super) mod overhang;
pub(super) mod owners;
pub(super) mod windows;
