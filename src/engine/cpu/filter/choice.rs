//! The choice of a filter by the first of the text.

use std::sync::{Mutex, OnceLock};

use super::scanner::Filter;
use crate::engine::cpu::compiled::Compiled;

/// In fewer bytes it is not seen which seeds of patterns are rare.
const MIN_SAMPLE: usize = 4 << 10;

/// The filters of an engine, each chosen when the first of the text has been seen.
#[derive(Default)]
pub(crate) struct FilterChoice {
    large: OnceLock<Option<Filter>>,
    /// For batches with too little text for slices: their sample is smaller, and should not decide for large ones.
    small: OnceLock<Option<Filter>>,
    /// Text of small batches, until it is enough to choose by.
    small_sample: Mutex<Vec<u8>>,
}

impl FilterChoice {
    /// The filter for large batches, if one pays; `None` before it is chosen.
    pub(crate) fn chosen(&self) -> Option<Option<&Filter>> {
        self.large.get().map(Option::as_ref)
    }

    /// The filter for large batches, if one pays for text like this.
    pub(crate) fn for_large(&self, compiled: &Compiled, text: &[u8]) -> Option<&Filter> {
        self.large.get_or_init(|| Filter::new(compiled, text)).as_ref()
    }

    /// The filter for small batches, if one pays; `None` too until there was enough text to choose it by.
    pub(crate) fn for_small(&self, compiled: &Compiled, text: &[u8]) -> Option<&Filter> {
        if let Some(filter) = self.small.get() {
            return filter.as_ref();
        }
        // Another worker may add to it, and the next batch will do.
        let mut sample = self.small_sample.try_lock().ok()?;
        sample.extend_from_slice(text);
        if sample.len() < MIN_SAMPLE {
            return None;
        }
        let sample = std::mem::take(&mut *sample);
        self.small.get_or_init(|| Filter::new(compiled, &sample)).as_ref()
    }
}
