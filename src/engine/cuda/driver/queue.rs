//! A queue of work for a device: copies and launches.

use std::ops::Range;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytemuck::Pod;
use cudarc::driver::{DeviceRepr, LaunchConfig, PushKernelArg, result};

use super::device::{Device, Kernel};
use super::error::failed;
use super::memory::{Buffer, Pinned, PinnedReserve, Reserve, reserved_bytes};
use super::order::Order;
use crate::engine::DeviceError;

/// The launch dimensions of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Blocks in x and y.
    pub(crate) grid: (u32, u32),
    /// Threads per block.
    pub(crate) threads: u32,
    /// Shared memory per block, in bytes.
    pub(crate) shared: u32,
}

/// The arguments of a kernel, which takes them as one structure by value.
#[repr(transparent)]
struct ByValue<A>(A);

// SAFETY: `A` is plain data in the layout of C, and `transparent` gives the wrapper the same layout.
unsafe impl<A: Pod> DeviceRepr for ByValue<A> {}

/// A queue of work for a device; work completes in the order in which it was queued.
pub(crate) struct Queue {
    order: Arc<Order>,
}

impl Queue {
    /// Makes a queue for a device.
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        Ok(Queue { order: Arc::new(Order::new(&device.context)?) })
    }

    /// Allocates uninitialised device memory, in bytes, to divide into buffers.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reserve, DeviceError> {
        Reserve::new(&self.order, bytes)
    }

    /// Allocates an uninitialised device buffer.
    pub(crate) fn buffer<T: Pod>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        Ok(self.reserve(reserved_bytes::<T>(length))?.buffer(length))
    }

    /// Allocates zeroed pinned host memory, in bytes, to divide into buffers.
    pub(crate) fn reserve_pinned(&self, bytes: usize) -> Result<PinnedReserve, DeviceError> {
        PinnedReserve::new(&self.order, bytes)
    }

    /// Allocates a zeroed pinned host buffer.
    pub(crate) fn pinned<T: Pod>(&self, length: usize) -> Result<Pinned<T>, DeviceError> {
        Ok(self.reserve_pinned(reserved_bytes::<T>(length))?.pinned(length))
    }

    /// Makes a device buffer with these values, and waits until they are uploaded.
    pub(crate) fn filled<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, DeviceError> {
        let buffer = self.buffer(values.len())?;
        self.copy_up(bytemuck::cast_slice(values), buffer.address(0))?;
        self.wait()?;
        Ok(buffer)
    }

    /// Queues a copy of the first `count` values to the start of a buffer.
    pub(crate) fn upload<T: Pod>(&self, from: &Pinned<T>, count: usize, to: &mut Buffer<T>) -> Result<(), DeviceError> {
        assert!(count <= from.length() && count <= to.length() && Arc::ptr_eq(&self.order, &from.order));
        // SAFETY: the assertion keeps `count` within the pinned memory. `T` is `Pod`, so its bytes are initialised;
        // every later access of the host waits for the copy.
        let bytes = unsafe { slice::from_raw_parts(from.memory.as_ptr().cast::<u8>(), count * size_of::<T>()) };
        self.copy_up(bytes, to.address(0))?;
        from.copied.store(self.order.next(), Ordering::Relaxed);
        Ok(())
    }

    fn copy_up(&self, bytes: &[u8], to: u64) -> Result<(), DeviceError> {
        self.order.bind()?;
        // SAFETY: both callers checked that the target has room for `bytes`. A pinned source is not changed or freed
        // before the copy is complete, because `Pinned` waits for it; a pageable source has been read when the call
        // returns.
        unsafe { result::memcpy_htod_async(to, bytes, self.order.stream.cu_stream()) }
            .map_err(failed("copying to the device"))
    }

    /// Queues a copy of a range of a buffer to the same range of a pinned buffer.
    pub(crate) fn download<T: Pod>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &mut Pinned<T>,
    ) -> Result<(), DeviceError> {
        assert!(range.end <= from.length() && range.end <= to.length() && Arc::ptr_eq(&self.order, &to.order));
        self.order.bind()?;
        // SAFETY: the assertion keeps the range within both buffers, and their lengths are equal. `Pinned` waits for
        // the copy before it gives access to the target.
        let copied = unsafe {
            let target = slice::from_raw_parts_mut(to.memory.as_ptr().add(range.start), range.len());
            result::memcpy_dtoh_async(target, from.address(range.start), self.order.stream.cu_stream())
        };
        copied.map_err(failed("copying from the device"))?;
        *to.copied.get_mut() = self.order.next();
        Ok(())
    }

    /// Queues filling a range of a buffer with zeros.
    pub(crate) fn clear<T: Pod>(&self, buffer: &mut Buffer<T>, range: Range<usize>) -> Result<(), DeviceError> {
        assert!(range.end <= buffer.length());
        self.order.bind()?;
        let bytes = range.len() * size_of::<T>();
        // SAFETY: the assertion keeps the range within the buffer.
        unsafe { result::memset_d8_async(buffer.address(range.start), 0, bytes, self.order.stream.cu_stream()) }
            .map_err(failed("clearing memory"))
    }

    /// Queues a launch of a kernel.
    ///
    /// The caller must fulfil the kernel's contract: all addresses in `arguments` are device addresses of buffers at
    /// least as long as the contract says, and the buffers live until the queue has completed the launch.
    pub(crate) fn launch<A: Pod>(&self, kernel: &Kernel, shape: Shape, arguments: &A) -> Result<(), DeviceError> {
        let arguments = ByValue(*arguments);
        let config = LaunchConfig {
            grid_dim: (shape.grid.0, shape.grid.1, 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared,
        };
        let mut launch = self.order.stream.launch_builder(&kernel.function);
        launch.arg(&arguments);
        // SAFETY: the kernel takes one structure of this type; the tests in abi.rs compare its size with the kernel's
        // source. The caller fulfils the kernel's contract, as stated above.
        unsafe { launch.launch(config) }.map(drop).map_err(failed("launching a kernel"))
    }

    /// Waits until everything queued so far is complete.
    pub(crate) fn wait(&self) -> Result<(), DeviceError> {
        self.order.wait_for(self.order.next())
    }
}
