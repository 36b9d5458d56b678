//! The time and the bytes of a stage of a search, for display.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time that threads spent in a stage, summed over the threads, and the bytes that passed through it.
#[derive(Debug, Default)]
pub struct StageTally {
    /// Whether the tally counts nothing. A small file takes so little time that reading the clock counts.
    is_off: bool,
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

impl StageTally {
    /// Makes a tally that counts nothing.
    pub fn off() -> Self {
        StageTally { is_off: true, ..StageTally::default() }
    }

    /// Returns the result of `work`, and adds the time that it takes.
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> R {
        if self.is_off {
            return work();
        }
        let since = Instant::now();
        let result = work();
        self.nanoseconds.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Adds a number of bytes.
    pub fn add_bytes(&self, bytes: usize) {
        if self.is_off {
            return;
        }
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Describes the time for display, and the rate of a thread if `bytes` bytes passed through the stage.
    pub fn with_rate_of(&self, bytes: u64) -> String {
        let nanoseconds = self.nanoseconds.load(Ordering::Relaxed);
        let seconds = Duration::from_nanos(nanoseconds).as_secs_f64();
        match nanoseconds {
            0..1_000_000 => format!("{seconds:.3} s"),
            _ => format!("{seconds:.3} s ({:.2} GB/s)", bytes as f64 / nanoseconds as f64),
        }
    }
}

impl fmt::Display for StageTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        match self.bytes.load(Ordering::Relaxed) {
            0 => write!(f, "{time:.3} s"),
            bytes => write!(f, "{time:.3} s for {bytes} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_bytes_are_summed() {
        let tally = StageTally::default();
        assert_eq!(tally.time(|| 3) + tally.time(|| 4), 7);
        assert!(tally.to_string().starts_with("0.") && tally.to_string().ends_with(" s"), "{tally}");
        tally.add_bytes(1000);
        tally.add_bytes(24);
        assert!(tally.to_string().ends_with(" s for 1024 bytes"), "{tally}");
        tally.time(|| std::thread::sleep(Duration::from_millis(2)));
        assert!(tally.with_rate_of(tally.bytes()).ends_with(" GB/s)"));
        let off = StageTally::off();
        assert_eq!(off.time(|| 3), 3);
        off.add_bytes(1000);
        assert_eq!(off.to_string(), "0.000 s");
    }
}
