//! Errors of driver calls.

use std::ffi::{CStr, c_char};

use cudarc::driver::{DriverError, sys};

use crate::engine::DeviceError;

/// Returns a function that converts the error of a call; `what` is the operation that failed.
pub(super) fn failed(what: &'static str) -> impl Fn(DriverError) -> DeviceError {
    move |error| DeviceError::Failed { what, name: name_of(error.0 as i32) }
}

/// Returns the driver's name for an error code.
pub(super) fn name_of(code: i32) -> String {
    type GetName = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;
    let mut name = std::ptr::null();
    // SAFETY: the library is loaded, because it returned an error. The driver's manual gives the function this type. It
    // writes a pointer to a static null-terminated string, or leaves the null pointer if it does not know the code,
    // which is checked before the string is read.
    let name = unsafe {
        let get = sys::culib().get::<GetName>(b"cuGetErrorName\0");
        let known = get.is_ok_and(|get| get(code, &raw mut name) == 0) && !name.is_null();
        known.then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    name.unwrap_or_else(|| format!("error {code}"))
}
