//! Scans a batch on a device: text up, symbols, planes, search, hits down.
//!
//! `search` does all but the launches of the three ways of searching, which have a file each.

mod bands;
mod search;
mod slices;
mod words;

pub(in crate::engine) use search::CudaScanner;
