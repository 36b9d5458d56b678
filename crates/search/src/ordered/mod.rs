//! Keeps the results of concurrent workers in input order: a reorder buffer, ordered hand-offs and write turns.
//!
//! Work is numbered in input order and is taken from a FIFO channel, so a worker that holds number `n` started after
//! every lower number was taken. There are two waits. A worker waits for the hand-off of the previous part
//! (`handoff.rs`), and a worker with too many rows waits until its batch is the next to be written (`turn.rs`).
//!
//! A worker may have begun the next task before it completes one (`in_flight.rs`). It completes tasks in their order.
//!
//! No deadlock: each wait is for lower numbers only, and the lowest unwritten number waits for none. Its worker
//! therefore finishes, the writer writes its result, and the next number becomes the lowest. The writer takes every
//! event that arrives, whatever its number, and keeps early ones in the reorder buffer (`reorder.rs`), so no worker is
//! blocked by a full channel. The reader waits only for a free buffer, and every part is given out together with its
//! buffer, so the lowest number never lacks a buffer. A part that fails drops its slot, which ends the hand-off for all
//! later parts. If the item that a part hands on does not depend on the previous part, the part does not wait.
//!
//! Memory: the reorder buffer holds at most the results in flight, which the number of buffers bounds.

pub(super) mod handoff;
pub(super) mod in_flight;
pub(super) mod reorder;
mod sync;
pub(super) mod turn;
