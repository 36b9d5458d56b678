//! Code that several test programs share.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod cxx;
pub(crate) mod faults;
pub(crate) mod packed;
pub(crate) mod programs;
pub(crate) mod random;
pub(crate) mod root;
pub(crate) mod standin;
