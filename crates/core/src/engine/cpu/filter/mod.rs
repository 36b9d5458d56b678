//! Seed-and-verify filters. Seeds are parts of a pattern, and every match contains at least one of them, exact or with
//! one edit. So only the text around seeds is searched, and no match is missed.
//!
//! Reading order: `scanner` (the two filters and their use per batch), `choice` (when a filter is chosen) and `budget`
//! (when it gives a pattern up). Then, for text, `pigeonhole` (choosing seeds), `teddy` (finding seeds) and `text`
//! (verification); for sequences, `group_gate`, `index_build`, `residue_planes`, `seed_finder` (looking up the index),
//! `seed_lanes` and `seed_test` (testing what it leads to), and `sequence` (verification). `windows` searches the
//! candidate windows of both filters.

pub(super) mod budget;
pub(super) mod choice;
mod group_gate;
mod index_build;
pub(in crate::engine) mod pigeonhole;
mod residue_planes;
pub(super) mod scanner;
mod seed_finder;
mod seed_lanes;
mod seed_test;
pub(super) mod sequence;
pub(in crate::engine) mod teddy;
pub(super) mod text;
pub(super) mod windows;
