//! Errors of driver calls.

use std::ffi::{CStr, c_char};

use cudarc::driver::{DriverError, sys};

use crate::DeviceError;

/// Returns a function that converts the error of a driver call. `what` names the operation that failed.
pub(super) fn failed(what: &'static str) -> impl Fn(DriverError) -> DeviceError {
    move |error| DeviceError::Failed { what, name: name_of(error.0 as i32) }
}

/// Returns the driver's name for an error code.
pub(super) fn name_of(code: i32) -> String {
    type GetName = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;
    let mut name = std::ptr::null();
    // SAFETY: the library is loaded, because it returned an error.
    let library = unsafe { sys::culib() };
    // SAFETY: the driver's manual gives the function this type.
    let get = unsafe { library.get::<GetName>(b"cuGetErrorName\0") };
    // SAFETY: the function takes any code, and writes one pointer, which lives until it returns.
    let is_known = get.is_ok_and(|get| unsafe { get(code, &raw mut name) } == 0);
    if !is_known || name.is_null() {
        return format!("unknown CUDA error {code}");
    }
    // SAFETY: the function knew the code, so the pointer is to a null-terminated string, which is static.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}
