//! The buffers for tracing the hits of a search on the device.

use crate::device_tables::{LoadedTables, LoadedTraces};
use nigh_device::DeviceError;
use nigh_device::abi::DeviceWindow;
use nigh_device::driver::{Buffer, Pinned, PinnedReserve, Queue, Reserve, reserved_bytes};
use nigh_text::hit::Hit;

/// Maximum size of the alignments of a launch, in bytes, unless one needs more.
const ALIGNMENT_BYTES: usize = 4 << 20;
/// Maximum number of hits that one launch traces. If there are more, further launches follow.
const TRACED_AT_ONCE: usize = 1 << 14;
/// Maximum number of hits that one launch traces, as long as no batch of the scanner had more hits than this number.
pub(super) const TRACED_AT_FIRST: usize = 1 << 11;

/// The buffers for tracing hits.
pub(super) struct ScannerTraces {
    /// Whether the hits of the current batch are traced.
    pub(super) are_wanted: bool,
    /// A window for each hit.
    pub(super) windows: Buffer<DeviceWindow>,
    /// The alignments of each table, in the order of [`LoadedTables::traces`].
    pub(super) of_tables: Vec<TableTraces>,
    /// Maximum number of hits that one launch traces.
    pub(super) at_once: usize,
    /// Maximum number of hits of a launch for which room is made next; long alignments get room for fewer.
    most_at_once: usize,
    /// The hits whose alignments are kept, each with its index in the hit buffer; a buffer that is reused.
    pub(super) found: Vec<(Hit, u32)>,
}

/// The alignments of hits of the patterns of one table.
pub(super) struct TableTraces {
    pub(super) alignments: Buffer<u32>,
    pub(super) downloaded: Pinned<u32>,
    /// The borders (checkpoints) of hits that warps trace.
    pub(super) borders: Buffer<u32>,
}

/// The room that [`ScannerTraces`] needs.
pub(super) struct TraceRoom {
    /// Number of hits with a window.
    hits: usize,
    /// Maximum number of hits that one launch traces.
    at_once: usize,
}

impl TraceRoom {
    /// Returns the room for `hits` hits, with launches of at most `most_at_once` hits.
    pub(super) fn new(loaded: &LoadedTables, hits: usize, most_at_once: usize) -> Self {
        let longest = loaded.traces().map(LoadedTraces::alignment_words).max().unwrap_or(1);
        let bytes = longest * size_of::<u32>() * TRACED_AT_ONCE / most_at_once;
        TraceRoom { hits, at_once: (ALIGNMENT_BYTES / bytes).clamp(1, most_at_once) }
    }

    /// Returns the bytes for alignments, and those for windows.
    pub(super) fn bytes(&self, loaded: &LoadedTables) -> (usize, usize) {
        let words = |table: &LoadedTraces| self.at_once * table.alignment_words();
        let alignments = loaded.traces().map(|table| reserved_bytes::<u32>(words(table))).sum();
        (alignments, reserved_bytes::<DeviceWindow>(self.hits))
    }
}

impl ScannerTraces {
    /// Makes the buffers from reserves that have room for them.
    pub(super) fn new(
        queue: &Queue,
        loaded: &LoadedTables,
        room: &TraceRoom,
        (reserve, pinned): (&mut Reserve, &mut PinnedReserve),
    ) -> Result<Self, DeviceError> {
        let mut nothing = queue.reserve(0)?;
        let mut of_tables = Vec::new();
        for table in loaded.traces() {
            let words = room.at_once * table.alignment_words();
            let mut alignments = reserve.buffer(words);
            // Kernels write only the edits that exist, and all words are downloaded.
            queue.clear(&mut alignments, 0..words)?;
            of_tables.push(TableTraces { alignments, downloaded: pinned.pinned(words), borders: nothing.buffer(0) });
        }
        let (windows, at_once, most_at_once) = (reserve.buffer(room.hits), room.at_once, TRACED_AT_FIRST);
        Ok(ScannerTraces { are_wanted: false, windows, of_tables, at_once, most_at_once, found: Vec::new() })
    }

    /// Notes the number of hits of a batch, for the room for later batches.
    pub(super) fn expect(&mut self, hits: usize) {
        if hits > self.most_at_once {
            self.most_at_once = TRACED_AT_ONCE;
        }
    }

    /// Makes room for the windows of `hits` hits, and for the alignments of a launch.
    pub(super) fn make_room(&mut self, queue: &Queue, loaded: &LoadedTables, hits: usize) -> Result<(), DeviceError> {
        let room = TraceRoom::new(loaded, hits, self.most_at_once);
        if self.windows.length() >= hits && self.at_once >= room.at_once {
            return Ok(());
        }
        let (alignments, windows) = room.bytes(loaded);
        let (mut reserve, mut pinned) = (queue.reserve(alignments + windows)?, queue.reserve_pinned(alignments)?);
        let larger = ScannerTraces::new(queue, loaded, &room, (&mut reserve, &mut pinned))?;
        let (are_wanted, most_at_once, found) = (self.are_wanted, self.most_at_once, std::mem::take(&mut self.found));
        *self = ScannerTraces { are_wanted, most_at_once, found, ..larger };
        Ok(())
    }
}
