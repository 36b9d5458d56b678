//! Delivers ordered hits to a sink in chunks of bounded size.

use std::ops::ControlFlow;

use nigh_text::hit::{Hit, HitSink};
use nigh_text::interrupt;

/// The number of hits per chunk. Further hits with the same end as the last are not counted.
const CHUNK: usize = 1 << 14;

/// Passes `hits`, which must be ordered by (end, pattern), to `sink` chunk by chunk. Returns `Break` as soon as the
/// sink does.
pub fn deliver<T: Copy + Into<Hit>>(mut hits: &[T], sink: &mut dyn HitSink) -> ControlFlow<()> {
    let mut chunk: Vec<Hit> = Vec::new();
    while !hits.is_empty() {
        interrupt::check();
        let (some, rest) = hits.split_at(chunk_length(hits));
        chunk.clear();
        chunk.extend(some.iter().map(|&hit| hit.into()));
        sink.accept(&chunk)?;
        hits = rest;
    }
    ControlFlow::Continue(())
}

/// Returns the length of the next chunk. Hits with the same end stay in one chunk, because the sinks of the hybrid finder
/// and of the refinements rely on a chunk having all hits up to its last end.
fn chunk_length<T: Copy + Into<Hit>>(hits: &[T]) -> usize {
    let end_of = |&hit: &T| -> usize { hit.into().end };
    let end = match hits.get(CHUNK - 1) {
        Some(last) => end_of(last),
        None => return hits.len(),
    };
    CHUNK + hits[CHUNK..].iter().take_while(|hit| end_of(hit) == end).count()
}
