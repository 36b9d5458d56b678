//! The function that says whether the calls of a thread are to stop.

use std::cell::Cell;
use std::ffi::c_void;

use crate::error::Failure;

/// A function of the caller, and the argument with which it is called.
#[derive(Clone, Copy)]
struct StopFunction {
    is_wanted: unsafe extern "C" fn(data: *mut c_void) -> i32,
    data: *mut c_void,
}

// SAFETY: the caller promises that the function may be called by any thread, with this argument.
unsafe impl Send for StopFunction {}
// SAFETY: as above, and by several threads at a time.
unsafe impl Sync for StopFunction {}

thread_local! {
    static FUNCTION: Cell<Option<StopFunction>> = const { Cell::new(None) };
}

/// Sets the function of this thread. `None` removes it.
///
/// # Safety
/// Any thread may call the function with `data`, and several at a time, until it is replaced.
pub(crate) unsafe fn stop_when(is_wanted: Option<unsafe extern "C" fn(data: *mut c_void) -> i32>, data: *mut c_void) {
    FUNCTION.set(is_wanted.map(|is_wanted| StopFunction { is_wanted, data }));
}

/// The function that was set in the thread that starts a call, for the threads that work for the call.
#[derive(Clone, Copy)]
pub(crate) struct Stoppable(Option<StopFunction>);

impl Stoppable {
    /// Returns the function of this thread.
    pub(crate) fn current() -> Self {
        // A thread that is ending has no function any more.
        Stoppable(FUNCTION.try_with(Cell::get).ok().flatten())
    }

    /// Runs `work` until it returns, or until the function says that it is to stop.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let Some(function) = self.0 else { return work() };
        let is_wanted = move || {
            let StopFunction { is_wanted, data } = { function };
            // SAFETY: the caller has promised that any thread may call the function.
            unsafe { is_wanted(data) != 0 }
        };
        nigh::interruptible(is_wanted, work).map_err(Failure::new)?
    }
}
