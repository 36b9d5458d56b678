//! Scans a batch on a device: uploads the text, encodes its symbols, makes bit planes, searches, and downloads the
//! hits.
//!
//! Read `search` first. It does everything but the launches of the three search methods, which have a file each.

mod bands;
mod search;
mod seeds;
mod sliced;
mod words;

pub(in crate::engine) use search::CudaScanner;
