//! Reports that print numbers or names of inputs: counts, lists of files, histograms, statistics. `hit_counter.rs`
//! counts hits in sequences for `count.rs` and `histogram.rs`.

pub(super) mod count;
pub(super) mod files;
pub(super) mod histogram;
pub(super) mod hit_counter;
pub(super) mod least;
pub(super) mod patterns;
pub(super) mod stats;
