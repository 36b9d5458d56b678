//! Chooses the filters of an engine from the first text that the engine scans.

use std::sync::{Mutex, OnceLock};

use super::scanner::Filter;
use crate::engine::cpu::compiled::Compiled;

/// The size of a sample, in bytes, below which the frequencies of seeds are not reliable.
const MIN_SAMPLE: usize = 4 << 10;

/// The filters of an engine, each chosen from the first text of its kind of batch.
#[derive(Default)]
pub(crate) struct FilterChoice {
    /// For batches large enough for bit-slicing. Holds `None` if no filter pays.
    large: OnceLock<Option<Filter>>,
    /// For batches too small for bit-slicing. They have their own choice, because a small sample must not decide for
    /// large batches.
    small: OnceLock<Option<Filter>>,
    /// Text of small batches, collected until it suffices for the choice.
    small_sample: Mutex<Vec<u8>>,
}

impl FilterChoice {
    /// Returns the filter for large batches, `Some(None)` if none pays, or `None` if it is not chosen yet.
    pub(crate) fn chosen(&self) -> Option<Option<&Filter>> {
        self.large.get().map(Option::as_ref)
    }

    /// Returns the filter for large batches, if one pays. Chooses it from `text` at the first call.
    pub(crate) fn for_large(&self, compiled: &Compiled, text: &[u8]) -> Option<&Filter> {
        self.large.get_or_init(|| Filter::new(compiled, text)).as_ref()
    }

    /// Returns the filter for small batches, if one pays and the sample suffices to choose it.
    pub(crate) fn for_small(&self, compiled: &Compiled, text: &[u8]) -> Option<&Filter> {
        if let Some(filter) = self.small.get() {
            return filter.as_ref();
        }
        // If another worker holds the lock, a later batch adds to the sample.
        let mut sample = self.small_sample.try_lock().ok()?;
        sample.extend_from_slice(text);
        if sample.len() < MIN_SAMPLE {
            return None;
        }
        let sample = std::mem::take(&mut *sample);
        self.small.get_or_init(|| Filter::new(compiled, &sample)).as_ref()
    }
}
