//! Reports of numbers and names: counts, lists of files, histograms, statistics. Each file is independent of the
//! others.

pub(super) mod count;
pub(super) mod files;
pub(super) mod histogram;
pub(super) mod least;
pub(super) mod stats;
