//! The only interface to the CUDA driver.

mod device;

pub(super) use device::{Buffer, Device, Facts, Kernel, Pinned, Queue, Shape, count, reserved_bytes};
