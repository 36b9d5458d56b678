//! The engine for NVIDIA devices: bit-sliced search and words over warps, in kernels that the package brings along as PTX.
//!
//! Needs a driver and nothing else of CUDA. Several scanners share a device, each with a queue and pinned memory of its
//! own, so that reading, copying and searching of different batches overlap. With several devices, scanners take them
//! in turn.

mod abi;
mod aligner;
mod device;
mod device_tables;
mod engine;
mod host_tables;
mod launch_geometry;
mod ptx;
mod scanner;
mod slots;
mod staging;

pub(super) use aligner::CudaAligner;
pub(super) use engine::{CudaEngine, ordinals};
pub(super) use scanner::CudaScanner;
