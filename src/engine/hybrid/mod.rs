//! The CPU engine beside devices: which of them searches, and what goes on if a device fails.

pub(super) mod engine;
pub(super) mod offload;
