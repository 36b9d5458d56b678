//! Decides when a device repays its start-up time, from the speed of the search without devices.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pattern::{Pattern, PatternSet};

// Measured on one H200 beside 16 cores, 21 November 2026: see benches/records. The decisions are still good if a figure
// is wrong by half.

/// Seconds until a device is open and its scanners have memory.
const START: f64 = 0.5;
/// The factor by which a device must be faster than the processor. It is more than 1 because the speed of the device is
/// known only roughly.
const FASTER: f64 = 2.0;
/// Seconds per byte of text on a device, whatever the patterns: reading, copying, making bit planes.
const BYTE: f64 = 1.0 / 15e9;
/// Seconds per byte of text and row of a pattern on a device.
const CELL: f64 = 1.0 / 90e12;

/// The progress of a search so far, and the expected speed of a device.
pub(crate) struct OffloadPolicy {
    /// The size of the input, if known.
    bytes: Option<f64>,
    threads: f64,
    /// Seconds per byte on a device.
    on_device: f64,
    /// Bytes searched so far. This counter and `nanoseconds` are updated without a lock, so one may be a few batches
    /// ahead of the other.
    bytes_so_far: AtomicU64,
    /// The time taken for `bytes_so_far`, summed over all threads.
    nanoseconds: AtomicU64,
}

impl OffloadPolicy {
    pub(crate) fn new(patterns: &PatternSet, threads: usize, bytes: Option<u64>) -> Self {
        let rows: usize = patterns.patterns().iter().map(Pattern::max_match_len).sum();
        OffloadPolicy {
            bytes: bytes.map(|bytes| bytes as f64),
            threads: threads as f64,
            on_device: BYTE + CELL * rows as f64,
            bytes_so_far: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Records that a thread searched `bytes` bytes in `seconds`.
    pub(crate) fn add(&self, bytes: usize, seconds: f64) {
        self.bytes_so_far.fetch_add(bytes as u64, Ordering::Relaxed);
        self.nanoseconds.fetch_add((seconds.max(0.0) * 1e9) as u64, Ordering::Relaxed);
    }

    /// Returns whether a device, including its start-up time, would search the rest at least [`FASTER`] times as fast.
    /// Input of unknown size is taken to be half done.
    pub(crate) fn should_offload(&self) -> bool {
        let bytes = self.bytes_so_far.load(Ordering::Relaxed) as f64;
        let seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
        if bytes == 0.0 {
            return false;
        }
        let rest = self.bytes.map_or(bytes, |all| all - bytes);
        let without = rest * seconds / bytes / self.threads;
        without > FASTER * (START + rest * self.on_device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::pattern::{MaxEdits, PatternSource};

    fn offload(patterns: usize, bytes: Option<u64>) -> OffloadPolicy {
        let sources = vec![PatternSource::new("ACGTACGTACGTACGTACGT"); patterns];
        let set = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(3)).build(&sources).unwrap();
        OffloadPolicy::new(&set, 16, bytes)
    }

    #[test]
    fn long_searches_are_offloaded() {
        let genome = offload(1000, Some(3_100_000_000));
        assert!(!genome.should_offload(), "nothing is known yet");
        genome.add(1 << 20, 0.04);
        assert!(genome.should_offload(), "7 seconds on 16 cores");
        let log = offload(1, Some(10_000_000_000));
        log.add(1 << 20, 1e-4);
        assert!(!log.should_offload(), "0.06 seconds");
        let near_its_end = offload(1000, Some(2 << 20));
        near_its_end.add(1 << 20, 0.04);
        assert!(!near_its_end.should_offload());
    }

    #[test]
    fn input_of_unknown_size_is_offloaded_once_half_of_it_took_long() {
        let pipe = offload(1000, None);
        pipe.add(1 << 20, 0.04);
        assert!(!pipe.should_offload());
        pipe.add(1 << 30, 41.0);
        assert!(pipe.should_offload());
    }
}
