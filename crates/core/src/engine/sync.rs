//! Synchronisation types: those of the standard library, or in model tests those of loom, which explores the
//! interleavings of threads.

#[cfg(not(all(test, loom)))]
pub(crate) use std::sync::{Condvar, Mutex, atomic::AtomicUsize};

#[cfg(all(test, loom))]
pub(crate) use loom::sync::{Condvar, Mutex, atomic::AtomicUsize};
