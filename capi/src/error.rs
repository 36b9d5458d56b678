//! The last error of a thread.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::stop::Stoppable;

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// The reason why a call failed, as one line.
#[derive(Clone)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(reason: impl Display) -> Self {
        Failure(reason.to_string())
    }

    fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        Failure::new(text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message"))
    }
}

/// Runs a call. If it fails or panics, keeps the reason for [`last_error`] and returns `None`.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
    let call = || Stoppable::current().run(call);
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(Failure::of_panic(&*panic)));
    match result {
        Ok(value) => Some(value),
        Err(Failure(reason)) => {
            let reason = CString::new(reason.replace('\0', "\\0")).expect("null bytes are replaced");
            // If the thread is ending and its variables are gone, the reason is lost.
            let _ = LAST.try_with(|last| last.replace(reason));
            None
        }
    }
}

/// Returns the reason why the last failed call on this thread failed; an empty string if none did.
pub(crate) fn last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
