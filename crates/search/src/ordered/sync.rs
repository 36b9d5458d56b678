//! Synchronisation types: those of the standard library, or in model tests those of loom, which explores the
//! interleavings of threads.

#[cfg(not(all(test, loom)))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(all(test, loom))]
pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
