//! The CUDA kernels' real source, run on the host by `kernels/host`, against the reference.
//!
//! It needs a C++ compiler: `$CXX`, `c++`, `g++` or `clang++`. Where there is none the tests fail, unless `NIGH_NO_CXX=1`
//! says that they may be skipped.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
#[path = "../common/mod.rs"]
mod common;
#[path = "../cxx/mod.rs"]
mod cxx;
mod program;
mod sliced;
mod symbols;
mod trace;
mod word;
