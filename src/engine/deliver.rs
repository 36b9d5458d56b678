//! Hands hits to a sink in pieces.

use std::ops::ControlFlow;

use crate::hit::{Hit, HitSink};

/// How many hits the sink gets at a time, and those with the same end as the last of them.
const PIECE: usize = 1 << 14;

/// Gives a sink hits that are in order, until it has had enough.
pub(super) fn deliver(mut hits: &[Hit], sink: &mut dyn HitSink) -> ControlFlow<()> {
    while !hits.is_empty() {
        let (piece, rest) = hits.split_at(piece_length(hits));
        sink.accept(piece)?;
        hits = rest;
    }
    ControlFlow::Continue(())
}

/// How many of the next hits the sink gets at a time: all with one end together, since they may be one pattern's.
fn piece_length(hits: &[Hit]) -> usize {
    let end = match hits.get(PIECE - 1) {
        Some(last) => last.end,
        None => return hits.len(),
    };
    PIECE + hits[PIECE..].iter().take_while(|hit| hit.end == end).count()
}
