//! Allocates device memory and pinned host memory, and divides it into typed buffers.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytemuck::Pod;
use cudarc::driver::result;

use super::allocation::{ALIGNMENT, Allocation, MemoryKind, SpareMemory};
use super::error::failed;
use super::order::NumberedStream;
use crate::DeviceError;

/// Returns the number of bytes that `length` values of `T` take in a reserve, rounded up to `ALIGNMENT`.
///
/// # Panics
/// Panics if the number exceeds the address space.
pub fn reserved_bytes<T>(length: usize) -> usize {
    let bytes = length.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_next_multiple_of(ALIGNMENT));
    bytes.expect("a buffer fits the address space")
}

/// Device memory to divide into buffers. Many small allocations cost far more than one large one.
pub struct Reserve {
    allocation: Option<Arc<Allocation>>,
    /// Number of bytes that buffers occupy.
    used: usize,
    /// Size of the allocation, in bytes.
    bytes: usize,
}

impl Reserve {
    /// Allocates `bytes` bytes of uninitialised device memory.
    pub(super) fn new(order: &NumberedStream, bytes: usize) -> Result<Self, DeviceError> {
        let allocate = |bytes| {
            order.bind()?;
            // SAFETY: the host never reads the memory directly; kernels and downloads read only what was written
            // before, or ignore what they read.
            unsafe { result::malloc_sync(bytes) }.map_err(failed("allocating memory"))
        };
        Reserve::allocated(order, bytes, MemoryKind::Device, allocate)
    }

    /// Takes spare memory of the queue, or allocates with `allocate`, which takes the number of bytes.
    fn allocated(
        order: &NumberedStream,
        bytes: usize,
        kind: MemoryKind,
        allocate: impl FnOnce(usize) -> Result<u64, DeviceError>,
    ) -> Result<Self, DeviceError> {
        if bytes == 0 {
            return Ok(Reserve { allocation: None, used: 0, bytes });
        }
        let spare = order.spare.clone();
        let size = if spare.is_some() { SpareMemory::rounded(bytes) } else { bytes };
        let mut allocation = match spare.as_ref().and_then(|spare| spare.take(size, kind)) {
            Some(allocation) => allocation,
            None => {
                let context = order.stream.context().clone();
                Allocation { context, address: allocate(size)?, kind, bytes: size, spare: None }
            }
        };
        allocation.spare = spare;
        Ok(Reserve { allocation: Some(Arc::new(allocation)), used: 0, bytes })
    }

    /// Takes the next buffer of `length` values.
    ///
    /// # Panics
    /// Panics if the rest of the reserve is too small: see [`reserved_bytes`].
    pub fn buffer<T: Pod>(&mut self, length: usize) -> Buffer<T> {
        let (first, bytes) = (self.used, reserved_bytes::<T>(length));
        assert!(bytes <= self.bytes - self.used, "the reserve is large enough for its buffers");
        self.used += bytes;
        let address = self.allocation.as_ref().map_or(0, |allocation| allocation.address) + first as u64;
        Buffer { _allocation: self.allocation.clone(), address, length, element: PhantomData }
    }
}

/// A buffer of `length` values in device memory.
pub struct Buffer<T> {
    _allocation: Option<Arc<Allocation>>,
    address: u64,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Returns the number of values.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the device address of a range of values, for the arguments of kernels.
    ///
    /// # Panics
    /// Panics if the range exceeds the buffer.
    #[track_caller]
    pub fn address(&self, range: Range<usize>) -> u64 {
        assert!(range.start <= range.end && range.end <= self.length, "{range:?} is in a buffer of {}", self.length);
        self.address + (range.start * size_of::<T>()) as u64
    }
}

/// Pinned host memory to divide into buffers.
pub struct PinnedReserve {
    reserve: Reserve,
    order: Arc<NumberedStream>,
}

impl PinnedReserve {
    /// Allocates `bytes` bytes of initialised pinned host memory, for copies by the queue that `order` belongs to.
    pub(super) fn new(order: &Arc<NumberedStream>, bytes: usize) -> Result<Self, DeviceError> {
        let allocate = |bytes| {
            order.bind()?;
            // SAFETY: the context is bound to this thread. `malloc_host` returns a pointer aligned to a page and valid
            // for `bytes` bytes, or an error.
            let address = unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"))?;
            // SAFETY: the pointer is valid for `bytes` bytes, which were just allocated and are not shared yet.
            unsafe { address.cast::<u8>().write_bytes(0, bytes) };
            Ok(address.expose_provenance() as u64)
        };
        let reserve = Reserve::allocated(order, bytes, MemoryKind::PinnedHost, allocate)?;
        Ok(PinnedReserve { reserve, order: order.clone() })
    }

    /// Takes the next buffer of `length` values.
    ///
    /// # Panics
    /// Panics if the rest of the reserve is too small: see [`reserved_bytes`].
    pub fn pinned<T: Pod>(&mut self, length: usize) -> Pinned<T> {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        let Buffer { _allocation, address, length, .. } = self.reserve.buffer::<T>(length);
        let memory = NonNull::new(ptr::with_exposed_provenance_mut(address as usize)).unwrap_or(NonNull::dangling());
        Pinned { _allocation, memory, length, order: self.order.clone(), copied: AtomicU64::new(0) }
    }
}

/// A buffer of `length` values in pinned host memory, for copies from and to the device.
pub struct Pinned<T> {
    _allocation: Option<Arc<Allocation>>,
    pub(super) memory: NonNull<T>,
    length: usize,
    pub(super) order: Arc<NumberedStream>,
    /// The number in `order` of the last copy queued for this buffer; 0 if there is none.
    pub(super) copied: AtomicU64,
}

// SAFETY: the buffer owns its part of the allocation exclusively and holds plain data; host code changes it only
// through `&mut self`.
unsafe impl<T: Pod + Send> Send for Pinned<T> {}

impl<T: Pod> Pinned<T> {
    /// Waits until all queued copies of this buffer are complete, then returns its contents.
    pub fn wait(&mut self) -> Result<&mut [T], DeviceError> {
        self.order.wait_for(*self.copied.get_mut())?;
        // SAFETY: `memory` points to `length` values of the allocation, or is not null and aligned if `length` is 0:
        // `Reserve::buffer` checked the length and aligns to `ALIGNMENT`, which suffices for `T`. The memory was zeroed
        // once, and every bit pattern is a valid `Pod`. `&mut self` excludes other accesses of the host, and the wait
        // those of the device.
        Ok(unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.length) })
    }

    /// Returns the number of values.
    pub fn length(&self) -> usize {
        self.length
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        // The memory may be freed after this. If waiting fails, the device no longer copies anything.
        let _ = self.order.wait_for(*self.copied.get_mut());
    }
}
