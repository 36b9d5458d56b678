//! Buffers that the host fills or reads, with their copies on a device.

use bytemuck::Pod;

use nigh_device::DeviceError;
use nigh_device::driver::{Buffer, Pinned, Queue};

/// A pinned buffer of the host and a buffer of the device, of equal length. They are kept from launch to launch,
/// because allocating and freeing memory waits for the device.
pub(super) struct MirroredBuffer<T> {
    host: Pinned<T>,
    device: Buffer<T>,
}

/// Makes room for `length` values in a buffer on the device. Its content is lost if it grows.
pub(super) fn reserve<T: Pod>(buffer: &mut Buffer<T>, queue: &Queue, length: usize) -> Result<(), DeviceError> {
    if length > buffer.length() {
        *buffer = queue.buffer(length.next_power_of_two())?;
    }
    Ok(())
}

impl<T: Pod> MirroredBuffer<T> {
    /// Makes empty buffers.
    pub(super) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        Ok(MirroredBuffer { host: queue.pinned(0)?, device: queue.buffer(0)? })
    }

    /// Makes room for `length` values. Their content is lost if the buffers grow.
    pub(super) fn reserve(&mut self, queue: &Queue, length: usize) -> Result<(), DeviceError> {
        if length > self.device.length() {
            let length = length.next_power_of_two();
            *self = MirroredBuffer { host: queue.pinned(length)?, device: queue.buffer(length)? };
        }
        Ok(())
    }

    /// Waits for copies from and to the host's buffer and returns it.
    pub(super) fn host(&mut self) -> Result<&mut [T], DeviceError> {
        self.host.wait()
    }

    /// Queues a copy of the first `count` values to the device.
    pub(super) fn upload(&mut self, queue: &Queue, count: usize) -> Result<(), DeviceError> {
        queue.upload(&self.host, count, &mut self.device)
    }

    /// Queues a copy of the first `count` values from the device.
    pub(super) fn download(&mut self, queue: &Queue, count: usize) -> Result<(), DeviceError> {
        queue.download(&self.device, 0..count, &mut self.host)
    }

    /// Queues filling the first `count` values on the device with zeros.
    pub(super) fn clear(&mut self, queue: &Queue, count: usize) -> Result<(), DeviceError> {
        queue.clear(&mut self.device, 0..count)
    }

    /// Returns the address on the device of the first `count` values. Panics if the buffer has fewer values.
    pub(super) fn address(&self, count: usize) -> u64 {
        self.device.address(0..count)
    }
}
