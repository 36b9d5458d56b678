//! A queue of work for a device: copies of memory and launches of kernels.

use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytemuck::Pod;
use cudarc::driver::{DeviceRepr, LaunchConfig, PushKernelArg, result};

use super::device::{Device, Kernel, KernelSignature};
use super::error::failed;
use super::memory::{Buffer, Pinned, PinnedReserve, Reserve, reserved_bytes};
use super::order::NumberedStream;
use crate::{DeviceError, TextBuffer};

/// The launch dimensions of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchShape {
    /// Number of blocks in x and in y.
    pub grid: (u32, u32),
    /// Number of threads per block.
    pub threads: u32,
    /// Shared memory per block, in bytes.
    pub shared: u32,
}

/// The argument of a kernel: one structure, passed by value.
#[repr(transparent)]
struct ByValue<A>(A);

// SAFETY: `A` is plain data in the layout of C, and `transparent` gives the wrapper the same layout.
unsafe impl<A: Pod> DeviceRepr for ByValue<A> {}

/// Waits, when it is dropped, for all copies of a queue that were queued until then.
#[must_use]
pub struct WaitOnDrop {
    order: Arc<NumberedStream>,
}

impl Drop for WaitOnDrop {
    fn drop(&mut self) {
        // If waiting fails, the device no longer copies anything.
        let _ = self.order.wait_for(self.order.last());
    }
}

/// A queue of work for a device. Work completes in the order in which it was queued.
pub struct Queue {
    order: Arc<NumberedStream>,
}

impl Queue {
    /// Makes a queue for a device.
    pub fn new(device: &Device) -> Result<Self, DeviceError> {
        Ok(Queue { order: Arc::new(NumberedStream::new(&device.context, None)?) })
    }

    /// Makes a queue that reuses the memory of dropped buffers. No other queue may use its buffers: a later buffer may
    /// share the memory of a dropped one, and only the order of this queue keeps their uses apart.
    pub fn reusing_memory(device: &Device) -> Result<Self, DeviceError> {
        let spare = Some(Arc::default());
        Ok(Queue { order: Arc::new(NumberedStream::new(&device.context, spare)?) })
    }

    /// Allocates `bytes` bytes of uninitialised device memory, to divide into buffers.
    pub fn reserve(&self, bytes: usize) -> Result<Reserve, DeviceError> {
        Reserve::new(&self.order, bytes)
    }

    /// Allocates an uninitialised device buffer of `length` values.
    pub fn buffer<T: Pod>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        Ok(self.reserve(reserved_bytes::<T>(length))?.buffer(length))
    }

    /// Allocates `bytes` bytes of pinned host memory, to divide into buffers. It is zeroed, unless the queue reuses
    /// memory.
    pub fn reserve_pinned(&self, bytes: usize) -> Result<PinnedReserve, DeviceError> {
        PinnedReserve::new(&self.order, bytes)
    }

    /// Allocates a pinned host buffer of `length` values. They are zeroed, unless the queue reuses memory.
    pub fn pinned<T: Pod>(&self, length: usize) -> Result<Pinned<T>, DeviceError> {
        Ok(self.reserve_pinned(reserved_bytes::<T>(length))?.pinned(length))
    }

    /// Makes a device buffer that holds `values`, and waits until they are uploaded.
    pub fn filled<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, DeviceError> {
        self.joined(std::iter::once(values))
    }

    /// Makes a device buffer that holds the values of all `parts`, one after the other, and waits until they are
    /// uploaded.
    pub fn joined<'a, T: Pod>(&self, parts: impl Iterator<Item = &'a [T]> + Clone) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.buffer(parts.clone().map(<[T]>::len).sum())?;
        let mut first = 0;
        for part in parts {
            // SAFETY: the values are borrowed until this function returns. The memory is pageable, so the driver has
            // read it when the call returns, also if the wait fails.
            unsafe { self.copy_up(part, &mut buffer, first) }?;
            first += part.len();
        }
        self.wait()?;
        Ok(buffer)
    }

    /// Queues a copy of the first `count` values of a pinned buffer to the start of a device buffer.
    pub fn upload<T: Pod>(&self, from: &Pinned<T>, count: usize, to: &mut Buffer<T>) -> Result<(), DeviceError> {
        assert!(count <= from.length() && Arc::ptr_eq(&self.order, &from.order));
        // SAFETY: the memory has at least `count` initialised values, which the host changes only after a wait for the
        // copies that write them: see `Pinned::wait`.
        let values = unsafe { slice::from_raw_parts(from.memory.as_ptr(), count) };
        // SAFETY: the buffer counts this copy below. It waits for it before it gives access to the memory or lets it be
        // freed.
        unsafe { self.copy_up(values, to, 0) }?;
        from.copied.store(self.order.next(), Ordering::Relaxed);
        Ok(())
    }

    /// Queues a copy of a range of page-locked text to a device buffer, from the byte `first` on.
    ///
    /// # Safety
    /// The text is not changed, freed or unlocked before the queue has completed the copy: a [`WaitOnDrop`] of this
    /// queue is dropped before.
    ///
    /// # Panics
    /// Panics if a range exceeds a buffer.
    pub unsafe fn upload_text(
        &self,
        from: &TextBuffer,
        range: Range<usize>,
        to: &mut Buffer<u8>,
        first: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller keeps the text as it is.
        unsafe { self.copy_up(&from[range], to, first) }?;
        self.order.next();
        Ok(())
    }

    /// Returns a guard that waits, when it is dropped, for all copies queued until then.
    pub fn wait_on_drop(&self) -> WaitOnDrop {
        WaitOnDrop { order: self.order.clone() }
    }

    /// Queues a copy of `values` to a device buffer, from the element `first` on.
    ///
    /// # Safety
    /// The values are not changed or freed before the queue has completed the copy.
    unsafe fn copy_up<T: Pod>(&self, values: &[T], to: &mut Buffer<T>, first: usize) -> Result<(), DeviceError> {
        if values.is_empty() {
            return Ok(());
        }
        let target = to.address(first..first + values.len());
        self.order.bind()?;
        // SAFETY: `address` checked that the target has room for the values. The caller keeps them as they are.
        unsafe { result::memcpy_htod_async(target, values, self.order.stream.cu_stream()) }
            .map_err(failed("copying to the device"))
    }

    /// Queues a copy of a range of a device buffer to the same range of a pinned buffer.
    pub fn download<T: Pod>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &mut Pinned<T>,
    ) -> Result<(), DeviceError> {
        assert!(range.end <= to.length() && Arc::ptr_eq(&self.order, &to.order));
        let source = from.address(range.clone());
        self.order.bind()?;
        // SAFETY: `address` checked that the range is not reversed, and the assertion that it ends in the target.
        let first = unsafe { to.memory.as_ptr().add(range.start) };
        // SAFETY: the target has as many initialised values from `first` on, and `&mut` excludes other users in the
        // host. An earlier copy of the same queue may still write them, but before this one, and nothing reads or
        // writes them through this slice.
        let target = unsafe { slice::from_raw_parts_mut(first, range.len()) };
        // SAFETY: `address` checked that the source has the range, which is as long as the target. `Pinned` waits for
        // the copy before it gives access to the target or lets it be freed.
        unsafe { result::memcpy_dtoh_async(target, source, self.order.stream.cu_stream()) }
            .map_err(failed("copying from the device"))?;
        *to.copied.get_mut() = self.order.next();
        Ok(())
    }

    /// Queues filling a range of a buffer with zeros.
    pub fn clear<T: Pod>(&self, buffer: &mut Buffer<T>, range: Range<usize>) -> Result<(), DeviceError> {
        self.fill(buffer, range, 0)
    }

    /// Queues setting each byte of a range of a buffer to `byte`.
    pub fn fill<T: Pod>(&self, buffer: &mut Buffer<T>, range: Range<usize>, byte: u8) -> Result<(), DeviceError> {
        let bytes = range.len() * size_of::<T>();
        let target = buffer.address(range);
        self.order.bind()?;
        // SAFETY: `address` checked that the buffer has the range.
        unsafe { result::memset_d8_async(target, byte, bytes, self.order.stream.cu_stream()) }
            .map_err(failed("filling memory"))
    }

    /// Queues a launch of a kernel.
    ///
    /// # Safety
    /// The launch keeps the contract in the kernel's source in kernels/:
    ///
    /// - Each address in `arguments` points to at least as many values as the kernel reads or writes there.
    /// - Every value that the kernel uses as an index or as a number of values is in range.
    /// - `shape` has the grid and the block that the kernel expects, with the shared memory that it divides.
    /// - The kernel and the buffers belong to the device of this queue. No other queue writes the buffers, and none uses
    ///   those that the kernel writes, before the launch is complete.
    ///
    /// The buffers may be dropped at any time, because freeing their memory waits for the device.
    pub unsafe fn launch<E: KernelSignature>(
        &self,
        kernel: &Kernel<E>,
        shape: LaunchShape,
        arguments: &E::Arguments,
    ) -> Result<(), DeviceError> {
        let arguments = ByValue(*arguments);
        let config = LaunchConfig {
            grid_dim: (shape.grid.0, shape.grid.1, 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared,
        };
        let mut launch = self.order.stream.launch_builder(&kernel.function);
        launch.arg(&arguments);
        // SAFETY: the kernel takes one argument of this type, which is the contract of `KernelSignature`. The driver
        // copies it before the call returns. The caller keeps the kernel's contract.
        unsafe { launch.launch(config) }.map(drop).map_err(failed("launching a kernel"))
    }

    /// Marks the end of the work queued so far, which will be waited for. The wait is shorter if more work was queued
    /// after it or if it is complete by then.
    pub fn mark(&self) -> Result<(), DeviceError> {
        self.order.record()
    }

    /// Waits until all work queued so far is complete.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.order.wait_for(self.order.next())
    }
}
