//! The engine for NVIDIA devices: bit-sliced and block-based Myers in kernels that the package ships as PTX.
//!
//! It needs only the CUDA driver. Several scanners share a device, each with its own queue and pinned memory, so that
//! reading, copying and searching of different batches overlap. With several devices, scanners take them in turn.
//!
//! Reading order: `engine` (devices and their tables), `scanner` (the search of one batch, and the alignment of its
//! hits). Patterns become `host_tables`, with symbols as `group_codes` and symbol sets in `slots`, or
//! `automaton_tables`, and then `device_tables`. Most tables have the same type in both modules, with a type of
//! `table_memory` as its parameter. `launch_geometry` computes grids and shared memory, and `cost` chooses between the
//! methods of sequences. The crate nigh-device has the driver and the kernels.

mod automaton_tables;
mod cost;
mod device_tables;
mod engine;
mod group_codes;
mod host_tables;
mod hybrid;
mod launch_geometry;
mod scanner;
mod seed_tables;
mod selection_order;
mod slots;
mod table_memory;

pub(crate) use cost::forecast;
pub(crate) use engine::CudaEngine;
pub use engine::open_devices;
pub use hybrid::engine::HybridFinder;
pub(crate) use scanner::CudaScanners;
