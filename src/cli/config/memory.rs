//! How much input is held at a time: `--memory`.

use anyhow::{Result, bail};

use super::division::batch_bytes;
use crate::cli::args::Args;
use crate::search::{Search, usual_buffers};

/// A batch is made no smaller than this where it may be smaller than the engine wants.
const MIN_BATCH: u64 = 64 << 10;
/// So few batches keep reading and searching going on.
const MIN_BUFFERS: u64 = 2;

/// Gives a search batches, and as many, as the memory allows.
pub(super) fn bound(args: &Args, search: &mut Search) -> Result<()> {
    let Some(memory) = args.engine.memory else { return Ok(()) };
    let routes = || [&search.text, &search.sequences].into_iter().flatten();
    let workers = routes().map(|route| route.engine.workers()).max().unwrap_or(1);
    let many = usual_buffers(workers) as u64;
    let wanted =
        routes().map(|route| route.batch_bytes.unwrap_or(route.engine.batch_bytes()) as u64).max().unwrap_or(1);
    let batch = match batch_bytes(args) {
        Some(size) => size as u64,
        None => wanted.min((memory / many).max(MIN_BATCH)),
    };
    let buffers = many.min(memory / batch);
    if buffers < MIN_BUFFERS {
        bail!(
            "--memory {memory} is too small: two batches of {batch} bytes are needed; use at least {}",
            MIN_BUFFERS * batch
        );
    }
    search.buffers = usize::try_from(buffers).ok();
    for route in [&mut search.text, &mut search.sequences].into_iter().flatten() {
        let own = route.batch_bytes.unwrap_or(route.engine.batch_bytes());
        route.batch_bytes = usize::try_from(batch).ok().map(|batch| batch.min(own));
    }
    Ok(())
}
