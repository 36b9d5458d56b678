//! Why a device cannot be had, or does not go on.

/// What is missing, or what failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// This program was built without the feature `cuda`.
    #[error("CUDA is not available: nigh was built without it")]
    NotBuilt,
    /// The driver's library is not installed.
    #[error("CUDA is not available: libcuda not found; install the NVIDIA driver")]
    NoDriver,
    /// The driver does not know the kernels' PTX.
    #[error("CUDA is not available: the driver supports CUDA {}.{}, but 12.0 is needed; update the NVIDIA driver", .version / 1000, .version % 1000 / 10)]
    OldDriver {
        /// The version of CUDA that it knows, as 1,000 times the major and 10 times the minor number.
        version: i32,
    },
    /// There is no device.
    #[error("CUDA is not available: the driver finds no device")]
    NoDevice,
    /// There are devices, but not this one.
    #[error("CUDA device {wanted} not found (devices found: {count}, numbered from 0)")]
    NoSuchDevice {
        /// Its number.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
    /// A call of the driver failed.
    #[error("CUDA error while {what}: {name}")]
    Failed {
        /// What was to be done.
        what: &'static str,
        /// The driver's name of the error.
        name: String,
    },
}

impl DeviceError {
    /// The error of a call that gave a number.
    pub fn of_code(what: &'static str, code: i32) -> Self {
        // What a driver says that cannot be used at all, and whose own names of errors are not to be had.
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
