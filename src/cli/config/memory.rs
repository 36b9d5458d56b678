//! `--memory`: limits the input held in memory.

use anyhow::{Result, bail};

use super::division::batch_bytes;
use crate::cli::args::Args;
use crate::search::{Search, usual_buffers};

/// Minimum batch size, in bytes, to which `--memory` reduces the engine's choice.
const MIN_BATCH: u64 = 64 << 10;
/// Minimum number of buffers. With two, reading and searching overlap.
const MIN_BUFFERS: u64 = 2;

/// Limits the size and number of batches in memory, if `--memory` is given.
pub(super) fn bound(args: &Args, search: &mut Search) -> Result<()> {
    let Some(memory) = args.engine.memory else { return Ok(()) };
    let routes = || [&search.text, &search.sequences].into_iter().flatten();
    let workers = routes().map(|route| route.work.facts().workers).max().unwrap_or(1);
    let in_flight = routes().map(|route| route.work.facts().in_flight).max().unwrap_or(1);
    let max_buffers = usual_buffers(workers, in_flight) as u64;
    let wanted =
        routes().map(|route| route.batch_bytes.unwrap_or(route.work.facts().batch_bytes) as u64).max().unwrap_or(1);
    let batch = match batch_bytes(args) {
        Some(size) => size as u64,
        None => wanted.min((memory / max_buffers).max(MIN_BATCH)),
    };
    let buffers = max_buffers.min(memory / batch);
    if buffers < MIN_BUFFERS {
        bail!(
            "--memory {memory} is too small: two batches of {batch} bytes are needed; use at least {}",
            MIN_BUFFERS * batch
        );
    }
    search.buffers = usize::try_from(buffers).ok();
    for route in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        let preferred = route.batch_bytes.unwrap_or(route.work.facts().batch_bytes);
        route.batch_bytes = usize::try_from(batch).ok().map(|batch| batch.min(preferred));
    }
    Ok(())
}
