//! The source of the CUDA kernels, run on the host by `kernels/host` and compared with the reference.
//!
//! The tests need a C++ compiler: `$CXX`, `c++`, `g++` or `clang++`. Without one they fail, unless `NIGH_NO_CXX=1` skips them.
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
