//! The device layer of nigh: the CUDA driver, and the kernels.
//!
//! The driver library is loaded when it is first needed, and building needs nothing of CUDA. Without the feature `cuda`
//! this crate has only [`DeviceError`].
//!
//! Reading order: `driver/` (all calls of the driver), `modules.rs` (the modules), `abi.rs` (the structures that kernels
//! take), `carry.rs` (the choice between two kernels), `error.rs`.

#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod abi;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod carry;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod driver;
mod error;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod modules;

pub use error::DeviceError;
