//! Keeps the results of concurrent workers in input order: a reorder buffer, ordered hand-offs and write turns.
//!
//! Work is numbered in input order. A worker can wait for the hand-off of the previous part (`handoff.rs`), and with too
//! many rows it waits until its batch is the next to be written (`turn.rs`). It may begin the next task before it
//! completes one (`in_flight.rs`). The writer keeps early results in the reorder buffer (`reorder.rs`). The number of
//! permits bounds the number of these results.
//!
//! No deadlock: each wait is for lower numbers only, and the lowest unwritten number waits for none. DESIGN.md has the
//! proof, under "Hand-off".

pub(super) mod handoff;
pub(super) mod in_flight;
pub(super) mod reorder;
mod sync;
pub(super) mod turn;
