//! Chooses the filters of an engine from the first text that the engine scans.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Filter;
use super::index_build::IndexBuild;
use super::text::filter_of_text;
use crate::compiled::Compiled;

/// Minimum size of a sample, in bytes. The frequencies of seeds in a smaller one are not reliable.
const MIN_SAMPLE: usize = 4 << 10;

/// The filters of an engine, one for large and one for small batches. Each is chosen from the text of the first such
/// batches.
#[derive(Default)]
pub(crate) struct FilterChoice {
    /// For batches large enough for bit-slicing. Holds `None` if no filter pays.
    large: OnceLock<Option<Filter>>,
    /// The index of the filter for large batches, while it is being built.
    build: Mutex<Option<Arc<IndexBuild>>>,
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

    /// Returns the filter for large batches, if one pays. Chooses it from `text` at the first call. A worker that calls
    /// while the index is being built helps to build it.
    pub(crate) fn for_large(&self, compiled: &Compiled, text: &[u8]) -> Option<&Filter> {
        if let Some(filter) = self.large.get() {
            return filter.as_ref();
        }
        if !compiled.patterns.alphabet().is_sequence() {
            return self.large.get_or_init(|| filter_of_text(compiled, text)).as_ref();
        }
        match self.build(compiled) {
            Some(build) => {
                build.help(compiled);
                let filter = self.large.get_or_init(|| Some(build.finish()));
                *self.build.lock().unwrap_or_else(PoisonError::into_inner) = None;
                filter.as_ref()
            }
            None => self.large.get_or_init(|| None).as_ref(),
        }
    }

    /// Returns the cost of searching large batches of text like `text` for all patterns, in picoseconds per symbol.
    pub(crate) fn cost(&self, compiled: &Compiled, text: &[u8]) -> f64 {
        self.for_large(compiled, text).map_or_else(|| compiled.unfiltered_cost(), |filter| filter.cost)
    }

    /// Returns the build of the index, and begins it at the first call. Returns `None` if no index pays, or if the
    /// index is finished.
    fn build(&self, compiled: &Compiled) -> Option<Arc<IndexBuild>> {
        let mut build = self.build.lock().unwrap_or_else(PoisonError::into_inner);
        if build.is_none() && self.large.get().is_none() {
            *build = IndexBuild::new(compiled).map(Arc::new);
            if build.is_none() {
                let _ = self.large.set(None);
            }
        }
        build.clone()
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
        self.small.get_or_init(|| filter_of_text(compiled, &sample)).as_ref()
    }
}
