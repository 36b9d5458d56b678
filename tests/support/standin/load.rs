//! Loads the stand-in into this process. A later search for the driver finds it, because the loader first looks for a
//! loaded library of that name.
#![allow(unsafe_code)]

use std::mem;
use std::sync::Once;

use libloading::Library;

use super::library;

/// Loads the stand-in once. Returns false if NIGH_NO_CXX=1 says that it cannot be built.
pub(crate) fn load() -> bool {
    static LOADED: Once = Once::new();
    let Some(path) = library() else { return false };
    LOADED.call_once(|| {
        // SAFETY: the library's initialisers only create its own state, and it is never unloaded.
        let library = unsafe { Library::new(&path) }.unwrap();
        mem::forget(library);
    });
    true
}
