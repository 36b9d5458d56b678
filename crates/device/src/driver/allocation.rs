//! Allocations of device memory and pinned host memory, and the allocations that a queue keeps for reuse.

use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, result};

/// Alignment of the buffers in an allocation, in bytes.
pub(super) const ALIGNMENT: usize = 256;
/// Largest allocation that is kept for reuse, in bytes.
const MAX_SPARE: usize = 64 << 20;
/// Maximum number of bytes of all allocations that are kept for reuse.
const MAX_ALL_SPARE: usize = 256 << 20;

/// Kind of memory: on the device or on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryKind {
    Device,
    PinnedHost,
}

/// An allocation of device or host memory.
pub(super) struct Allocation {
    pub(super) context: Arc<CudaContext>,
    pub(super) address: u64,
    pub(super) kind: MemoryKind,
    pub(super) bytes: usize,
    /// Pool that keeps the memory for reuse instead of freeing it, if there is one.
    pub(super) spare: Option<Arc<SpareMemory>>,
}

/// Memory that a queue keeps for reuse. Allocating and freeing take up to a millisecond, and wait for the device.
#[derive(Default)]
pub(super) struct SpareMemory {
    allocations: Mutex<Vec<Allocation>>,
}

impl SpareMemory {
    /// Returns the size of an allocation for `bytes` bytes: a power of two, so that it is likely to be reused.
    pub(super) fn rounded(bytes: usize) -> usize {
        if bytes <= MAX_SPARE { bytes.next_power_of_two().max(ALIGNMENT) } else { bytes }
    }

    /// Takes memory of this size.
    pub(super) fn take(&self, bytes: usize, kind: MemoryKind) -> Option<Allocation> {
        let mut allocations = self.allocations.lock().unwrap_or_else(PoisonError::into_inner);
        let index = allocations.iter().position(|allocation| allocation.bytes == bytes && allocation.kind == kind)?;
        Some(allocations.swap_remove(index))
    }

    /// Keeps an allocation for reuse, or frees it if too much is kept.
    fn keep(&self, allocation: Allocation) {
        let mut allocations = self.allocations.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = allocations.iter().map(|allocation| allocation.bytes).sum();
        if allocation.bytes <= MAX_SPARE && kept + allocation.bytes <= MAX_ALL_SPARE {
            allocations.push(allocation);
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            let Allocation { address, kind, bytes, .. } = *self;
            return spare.keep(Allocation { context: self.context.clone(), address, kind, bytes, spare: None });
        }
        // Freeing waits for all work of all queues. If binding or freeing fails, so does the next driver call, which
        // can report the error.
        if self.context.bind_to_thread().is_ok() {
            let _ = if self.kind == MemoryKind::PinnedHost {
                let memory = ptr::with_exposed_provenance_mut(self.address as usize);
                // SAFETY: the address comes from `malloc_host`, whose pointer was exposed, and is freed only here. All
                // buffers in it hold the allocation in an `Arc`, so none is left.
                unsafe { result::free_host(memory) }
            } else {
                // SAFETY: the address comes from `malloc_sync` and is freed only here. All buffers in it hold the
                // allocation in an `Arc`, so none is left. Kernels that use them may still be queued; the call waits
                // for those.
                unsafe { result::free_sync(self.address) }
            };
        }
    }
}
