//! The only interface to the CUDA driver: probes for it, allocates memory, copies, and launches kernels.
//!
//! The driver library is loaded on first use, and nothing else of CUDA is needed. cudarc panics if the library is
//! missing, so [`count`] probes for it first, with calls that return plain numbers. Host memory that the device reads
//! or writes is pinned, or page-locked by `page_lock`. Each pinned buffer records the number of the last copy queued for
//! it, and waits for that copy before it gives access.
//!
//! `device` finds and opens devices and loads kernels, `allocation` allocates memory and keeps it for reuse,
//! `memory` divides it into buffers, and `queue` copies and launches. `order` numbers the copies of a queue, and
//! `error` names the driver's errors.
#![allow(unsafe_code)]

mod allocation;
mod device;
mod error;
mod memory;
mod order;
mod page_lock;
mod queue;

pub use device::{Device, Facts, Kernel, KernelSignature, count};
pub use memory::{Buffer, Pinned, PinnedReserve, Reserve, reserved_bytes};
pub use page_lock::PageLock;
pub use queue::{LaunchShape, Queue, WaitOnDrop};
