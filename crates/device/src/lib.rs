//! The device layer of nigh: the CUDA driver, and the kernels.
//!
//! The driver library is loaded when it is first needed, and building needs nothing of CUDA. Without the feature `cuda`
//! this crate has only [`DeviceError`], [`TextBuffer`] and the choice of devices.
//!
//! Reading order: `driver/` (all calls of the driver), `modules.rs` (the modules), `abi.rs` (the structures that
//! kernels take), `carry.rs` (the choice between two kernels), `choice.rs`, `gate.rs` (devices that are opened late and
//! may fail), `text_buffer.rs` (text that a device copies directly), `error.rs`.

#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod abi;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod carry;
mod choice;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod driver;
mod error;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod gate;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod modules;
mod text_buffer;

pub use choice::{Devices, Fallback};
pub use error::DeviceError;
pub use text_buffer::{TextBuffer, handles_allocation_failure, handling_allocation_failure};
