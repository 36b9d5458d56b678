//! What puts the work of many threads in the order of the input.

pub(super) mod handoff;
pub(super) mod reorder;
pub(super) mod turn;
