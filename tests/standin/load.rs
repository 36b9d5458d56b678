//! Loads the stand-in into this process, so that whoever looks for the driver later finds it: a library that is there already is known by its name.
#![allow(unsafe_code)]

use std::mem;
use std::sync::Once;

use libloading::Library;

use super::library;

/// Loads it, once; gives whether it is there, and not left out because somebody has said that there is no compiler.
pub(crate) fn load() -> bool {
    static LOADED: Once = Once::new();
    let Some(path) = library() else { return false };
    LOADED.call_once(|| {
        // SAFETY: the library's initialisers only make its own state. It stays loaded.
        let library = unsafe { Library::new(&path) }.unwrap();
        mem::forget(library);
    });
    true
}
