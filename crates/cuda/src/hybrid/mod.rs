//! The CPU engine together with CUDA devices: chooses which of them searches, and continues on the CPU if a device
//! fails.
//!
//! `engine` combines the two engines; `offload` decides when a device pays.

pub(crate) mod engine;
mod offload;
