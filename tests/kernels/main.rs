//! The source of the CUDA kernels, run on the host by `kernels/host` and compared with the reference.
//!
//! The tests need a C++ compiler: `$CXX`, `c++`, `g++` or `clang++`. Without one they fail, unless `NIGH_NO_CXX=1` skips them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
mod driver;
mod local;
mod pairs;
mod program;
mod score_rows;
mod score_tiles;
mod scored;
mod sliced;
#[path = "../support/mod.rs"]
mod support;
mod symbols;
mod trace;
mod word;
