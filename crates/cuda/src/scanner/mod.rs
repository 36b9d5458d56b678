//! Scans a batch on a device: uploads the text, encodes its symbols, makes bit planes, searches, and downloads the
//! hits.
//!
//! Read `search` first. It does everything but the launches of the search methods, which have a file each. `in_flight`
//! keeps several batches of a worker on the device.
//! `select` searches for one hit of each line or record. `traces` aligns hits.

mod automata;
mod bands;
mod in_flight;
mod items;
mod search;
mod seeds;
mod select;
mod sliced;
mod staging;
mod trace_buffers;
mod traces;
mod words;

pub(crate) use in_flight::CudaScanners;
pub(super) use staging::ScannerTallies;
