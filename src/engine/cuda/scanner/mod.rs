//! Scans a batch on a device: upload the text, encode symbols, make planes, search, download hits.
//!
//! Read `search` first, which does all but the launches; each of the three search methods has a file for those.

mod bands;
mod search;
mod sliced;
mod words;

pub(in crate::engine) use search::CudaScanner;
