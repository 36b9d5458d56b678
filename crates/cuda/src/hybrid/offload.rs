//! Decides when a device repays its start-up time: before the search, from forecasts for both engines, or during the
//! search, from the speed without devices.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use nigh_verify::Forecast;

/// The factor by which a device must be faster than the processor to be opened during the search. It is more than 1
/// because the speed of the device is known only roughly.
const FASTER: f64 = 2.0;
/// If a forecast is shorter than this number of seconds, devices are not looked for before the search.
const SHORT: f64 = 0.3;

/// A first batch of a scanner is not counted if it takes at most this number of seconds. First batches are slower than
/// later ones: a scanner makes tables, and does not know yet which patterns select most lines. A longer time is
/// counted, so that a slow search is noticed early.
const MAX_FIRST_SECONDS: f64 = 1.0;

/// The progress of a search so far, and the expected speed of a device.
pub(crate) struct OffloadPolicy {
    /// The size of the input, if known.
    bytes: Option<f64>,
    threads: f64,
    device: Forecast,
    /// Bytes searched so far. This counter and `nanoseconds` are updated without a lock, so one may be a few batches
    /// ahead of the other.
    bytes_so_far: AtomicU64,
    /// The time taken for `bytes_so_far`, summed over all threads.
    nanoseconds: AtomicU64,
    /// The number of scanners that have searched their first batch.
    scanners: AtomicUsize,
}

impl OffloadPolicy {
    /// Makes a policy for an input of `bytes` bytes, if that is known. `device` is the forecast for a device.
    pub(crate) fn new(device: Forecast, threads: usize, bytes: Option<u64>) -> Self {
        OffloadPolicy {
            bytes: bytes.map(|bytes| bytes as f64),
            threads: threads as f64,
            device,
            bytes_so_far: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
            scanners: AtomicUsize::new(0),
        }
    }

    /// Returns the size of the input, if known.
    pub(crate) fn bytes(&self) -> Option<f64> {
        self.bytes
    }

    /// Returns whether a device is expected to be faster than the processor, whose forecast is `processor`. Returns
    /// `false` if that is not known before the search.
    pub(crate) fn pays_at_once(&self, processor: Option<Forecast>) -> bool {
        let (Some(bytes), Some(processor)) = (self.bytes, processor) else { return false };
        let without = processor.seconds(bytes);
        without > SHORT && without > self.device.seconds(bytes)
    }

    /// Records that a thread searched `bytes` bytes in `seconds`.
    pub(crate) fn add(&self, bytes: usize, seconds: f64) {
        self.bytes_so_far.fetch_add(bytes as u64, Ordering::Relaxed);
        self.nanoseconds.fetch_add((seconds.max(0.0) * 1e9) as u64, Ordering::Relaxed);
    }

    /// Like [`add`](Self::add), for the first batch of a scanner. The batch counts if it took long, or if there were at
    /// least as many scanners as threads before, as in searches of many texts in memory.
    pub(crate) fn add_first(&self, bytes: usize, seconds: f64) {
        let scanners = self.scanners.fetch_add(1, Ordering::Relaxed);
        if seconds > MAX_FIRST_SECONDS || scanners as f64 >= self.threads {
            self.add(bytes, seconds);
        }
    }

    /// Returns whether a device, including its start-up time, would search the rest at least [`FASTER`] times as fast.
    /// Assumes that half of an input of unknown size has been searched.
    pub(crate) fn should_offload(&self) -> bool {
        let bytes = self.bytes_so_far.load(Ordering::Relaxed) as f64;
        let seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
        if bytes == 0.0 {
            return false;
        }
        let rest = self.bytes.map_or(bytes, |all| all - bytes);
        let without = rest * seconds / bytes / self.threads;
        without > FASTER * self.device.seconds(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that searches 2.5 GB in a second.
    fn offload(bytes: Option<u64>) -> OffloadPolicy {
        OffloadPolicy::new(Forecast { start: 0.5, symbol: 0.4e-9 }, 16, bytes)
    }

    #[test]
    fn forecasts_tell_at_once_which_is_faster() {
        let processor = |symbol| Some(Forecast { start: 0.0, symbol });
        let genome = offload(Some(3_100_000_000));
        assert!(genome.pays_at_once(processor(1e-9)), "3.1 s and 1.74 s");
        assert!(!genome.pays_at_once(processor(0.5e-9)), "1.55 s and 1.74 s");
        assert!(!genome.pays_at_once(None), "the text decides");
        assert!(!offload(None).pays_at_once(processor(1e-9)), "the size decides");
        let slow = OffloadPolicy::new(Forecast { start: 0.1, symbol: 0.0 }, 16, Some(1_000_000));
        assert!(!slow.pays_at_once(processor(0.2e-6)), "0.2 s are short");
    }

    #[test]
    fn long_searches_are_offloaded() {
        let genome = offload(Some(3_100_000_000));
        assert!(!genome.should_offload(), "nothing is known yet");
        genome.add(1 << 20, 0.04);
        assert!(genome.should_offload(), "7 seconds on 16 cores");
        let log = offload(Some(10_000_000_000));
        log.add(1 << 20, 1e-4);
        assert!(!log.should_offload(), "0.06 seconds");
        let near_its_end = offload(Some(2 << 20));
        near_its_end.add(1 << 20, 0.04);
        assert!(!near_its_end.should_offload());
    }

    #[test]
    fn first_batches_count_if_they_took_long_or_each_thread_had_one() {
        let genome = offload(Some(3_100_000_000));
        for _ in 0..16 {
            genome.add_first(1 << 20, 0.04);
        }
        assert!(!genome.should_offload(), "the first batches of 16 threads");
        genome.add_first(1 << 20, 0.04);
        assert!(genome.should_offload(), "the scanner of another text");
        let slow = offload(Some(3_100_000_000));
        slow.add_first(1 << 20, 1.5);
        assert!(slow.should_offload());
    }

    #[test]
    fn input_of_unknown_size_is_offloaded_once_half_of_it_took_long() {
        let pipe = offload(None);
        pipe.add(1 << 20, 0.04);
        assert!(!pipe.should_offload());
        pipe.add(1 << 30, 41.0);
        assert!(pipe.should_offload());
    }
}
