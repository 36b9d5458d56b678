//! Page-locked host memory that Rust allocated.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::{CudaContext, sys};

use super::device::Device;

/// A page lock on the memory of a vector. Every device can copy from the memory, without a wait for the host.
#[derive(Debug)]
pub struct PageLock {
    context: Arc<CudaContext>,
    address: usize,
}

impl PageLock {
    /// Locks the memory of `bytes`, all of its capacity. Returns `None` if the driver refuses, for instance because the
    /// system limits locked memory.
    ///
    /// # Safety
    /// The lock is dropped before the memory is freed, and not before all copies from it are complete.
    pub unsafe fn new(device: &Device, bytes: &Vec<u8>) -> Option<Self> {
        if bytes.capacity() == 0 {
            return None;
        }
        device.context.bind_to_thread().ok()?;
        let address = bytes.as_ptr().expose_provenance();
        let memory = ptr::with_exposed_provenance_mut::<c_void>(address);
        // SAFETY: the memory is allocated, and locking it neither reads nor writes it.
        unsafe { sys::cuMemHostRegister_v2(memory, bytes.capacity(), sys::CU_MEMHOSTREGISTER_PORTABLE) }
            .result()
            .ok()?;
        Some(PageLock { context: device.context.clone(), address })
    }
}

impl Drop for PageLock {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            let memory = ptr::with_exposed_provenance_mut::<c_void>(self.address);
            // SAFETY: the memory was locked by `new`, is unlocked only here, and is still allocated. No copy uses it:
            // see `new`. If unlocking fails, so does the next driver call, which can report the error.
            let _ = unsafe { sys::cuMemHostUnregister(memory) };
        }
    }
}
