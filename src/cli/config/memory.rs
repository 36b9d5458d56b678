//! `--memory`: limits the input held in memory.

use anyhow::{Result, bail};

use super::division::batch_bytes;
use crate::cli::args::Args;
use nigh_search::{Search, usual_permits};

/// Minimum batch size, in bytes, to which `--memory` reduces the engine's choice.
const MIN_BATCH: u64 = 64 << 10;
/// Minimum number of batches in memory. With two, reading and searching overlap.
const MIN_PERMITS: u64 = 2;

/// Limits the size and number of batches in memory, if `--memory` is given.
pub(super) fn bound(args: &Args, search: &mut Search) -> Result<()> {
    let Some(memory) = args.engine.memory else { return Ok(()) };
    let max_permits = usual_permits(search.workers(), search.in_flight()) as u64;
    let wanted = search.routes().map(|route| route.batch_size() as u64).max().unwrap_or(1);
    let batch = match batch_bytes(args) {
        Some(size) => size as u64,
        None => wanted.min((memory / max_permits).max(MIN_BATCH)),
    };
    let permits = max_permits.min(memory / batch);
    if permits < MIN_PERMITS {
        bail!(
            "--memory {memory} is too small: two batches of {batch} bytes are needed; use at least {}",
            MIN_PERMITS * batch
        );
    }
    search.permits = usize::try_from(permits).ok();
    for route in search.routes_mut() {
        route.batch_bytes = usize::try_from(batch).ok().map(|batch| batch.min(route.batch_size()));
    }
    Ok(())
}
