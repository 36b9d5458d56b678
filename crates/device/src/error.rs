//! Errors of CUDA devices.

/// A missing part of CUDA, or a failed driver call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The program was built without the feature `cuda`.
    #[error("CUDA is not available: nigh was built without it")]
    NotBuilt,
    /// The driver library libcuda is not installed.
    #[error("CUDA is not available: libcuda not found; install the NVIDIA driver")]
    NoDriver,
    /// The driver is too old for the PTX of the kernels.
    #[error("CUDA is not available: the driver supports CUDA {}.{}, but 12.0 is needed; update the NVIDIA driver", .version / 1000, .version % 1000 / 10)]
    OldDriver {
        /// The newest CUDA version that the driver supports: 1,000 times the major plus 10 times the minor version.
        version: i32,
    },
    /// The driver reports no device.
    #[error("CUDA is not available: the driver finds no device")]
    NoDevice,
    /// The requested device does not exist.
    #[error("CUDA device {wanted} not found (devices found: {count}, numbered from 0)")]
    NoSuchDevice {
        /// The index of the requested device, counted from 0.
        wanted: usize,
        /// The number of devices present.
        count: usize,
    },
    /// A driver call failed.
    #[error("CUDA error while {what}: {name}")]
    Failed {
        /// The operation that failed.
        what: &'static str,
        /// The driver's name for the error.
        name: String,
    },
}

#[cfg(feature = "cuda")]
impl DeviceError {
    /// Converts the error code of a driver call.
    pub(crate) fn of_code(what: &'static str, code: i32) -> Self {
        // These codes come from a driver that does not work at all, so it cannot be asked for their names.
        let name = match code {
            34 => "libcuda is a stub library, not a driver".to_owned(),
            802 => "the system is not ready yet".to_owned(),
            803 => "the driver library and the kernel module have different versions".to_owned(),
            804 => "the driver does not support this device".to_owned(),
            _ => format!("error {code}"),
        };
        DeviceError::Failed { what, name }
    }
}
