//! Counts of the batches with too many hits at once, for `--debug`.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the searches that had too many hits at once.
#[derive(Default)]
pub(crate) struct Divisions {
    /// The number of batches or sections that were searched again in sections.
    divided: AtomicUsize,
    /// The number of sections that were searched again by block-based Myers.
    in_blocks: AtomicUsize,
}

impl Divisions {
    pub(crate) fn note_division(&self) {
        self.divided.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_blocks(&self) {
        self.in_blocks.fetch_add(1, Ordering::Relaxed);
    }

    /// Describes the searches for `--debug`; `None` if there were none.
    pub(crate) fn plan(&self) -> Option<String> {
        let (divided, in_blocks) = (self.divided.load(Ordering::Relaxed), self.in_blocks.load(Ordering::Relaxed));
        (divided + in_blocks > 0).then(|| {
            format!("too many hits at once: {divided} times divided into sections, {in_blocks} by block-based Myers")
        })
    }
}
