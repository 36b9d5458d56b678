//! Numbers the copies in a queue in order, records which of them are complete, and waits for the others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{self, CUevent_flags};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream};

use super::allocation::SpareMemory;
use super::error::{failed, name_of};
use crate::DeviceError;

/// A stream, and numbers for the copies of pinned memory queued in it, from 1. Copies complete in the order of their
/// numbers.
pub(super) struct NumberedStream {
    pub(super) stream: Arc<CudaStream>,
    event: CudaEvent,
    /// The number of the last copy queued.
    queued: AtomicU64,
    /// The number of the last copy before the event was recorded.
    recorded: AtomicU64,
    /// All work up to the copy with this number is known to be complete.
    done: AtomicU64,
    /// Memory kept for reuse, if the queue reuses memory.
    pub(super) spare: Option<Arc<SpareMemory>>,
}

impl NumberedStream {
    /// Makes a stream of a device, without queued work.
    pub(super) fn new(context: &Arc<CudaContext>, spare: Option<Arc<SpareMemory>>) -> Result<Self, DeviceError> {
        let stream = context.new_stream().map_err(failed("creating a stream"))?;
        // A waiting thread blocks instead of spinning.
        let event = context.new_event(Some(CUevent_flags::CU_EVENT_BLOCKING_SYNC));
        let event = event.map_err(failed("creating an event"))?;
        let [queued, recorded, done] = [0; 3].map(AtomicU64::new);
        Ok(NumberedStream { stream, event, queued, recorded, done, spare })
    }

    /// Makes the device's context current in the calling thread.
    pub(super) fn bind(&self) -> Result<(), DeviceError> {
        self.stream.context().bind_to_thread().map_err(failed("making the device's context current"))
    }

    /// Returns a new number, for a copy that was just queued.
    pub(super) fn next(&self) -> u64 {
        self.queued.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the number of the last copy queued; 0 if there is none.
    pub(super) fn last(&self) -> u64 {
        self.queued.load(Ordering::Relaxed)
    }

    /// Waits until the copy with this number, and all work queued before it, is complete.
    pub(super) fn wait_for(&self, number: u64) -> Result<(), DeviceError> {
        if self.done.load(Ordering::Acquire) >= number {
            return Ok(());
        }
        if self.recorded.load(Ordering::Acquire) < number {
            self.record()?;
        }
        let recorded = self.recorded.load(Ordering::Acquire);
        synchronize(&self.event, "running a kernel")?;
        self.done.fetch_max(recorded, Ordering::Release);
        Ok(())
    }

    /// Records an event after the work that was queued until now. A later wait for this work finds it complete if it is,
    /// and does not put the thread to sleep.
    pub(super) fn record(&self) -> Result<(), DeviceError> {
        let queued = self.queued.load(Ordering::Relaxed);
        self.event.record(&self.stream).map_err(failed("waiting for the device"))?;
        self.recorded.store(queued, Ordering::Release);
        Ok(())
    }
}

/// Waits for all work that was queued before the event was recorded, and returns the errors of kernels in it. Calls the
/// driver directly, because some error codes are newer than cudarc and must not be converted to cudarc's enumeration.
fn synchronize(event: &CudaEvent, what: &'static str) -> Result<(), DeviceError> {
    type Synchronize = unsafe extern "C" fn(sys::CUevent) -> i32;
    static FUNCTION: OnceLock<Option<Synchronize>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        // SAFETY: the library is loaded, because an event exists. It is never unloaded.
        let library = unsafe { sys::culib() };
        // SAFETY: the driver's manual gives the function this type.
        unsafe { library.get::<Synchronize>(b"cuEventSynchronize\0") }.ok().map(|function| *function)
    });
    let function = function.ok_or(DeviceError::NoDriver)?;
    event.context().bind_to_thread().map_err(failed(what))?;
    // SAFETY: the borrow keeps the event alive during the call, and its context is current.
    match unsafe { function(event.cu_event()) } {
        0 => Ok(()),
        code => Err(DeviceError::Failed { what, name: name_of(code) }),
    }
}
