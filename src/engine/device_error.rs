//! Why a device cannot be had, or does not go on.

/// What is missing, or what failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// This program was built without the feature `cuda`.
    #[error("this nigh was built without CUDA")]
    NotBuilt,
    /// The driver's library is not installed.
    #[error("no CUDA: the driver's library libcuda is not installed")]
    NoDriver,
    /// The driver does not know the kernels' PTX.
    #[error("no CUDA: the driver knows CUDA {}.{} at most, and 12.0 is needed", .version / 1000, .version % 1000 / 10)]
    OldDriver {
        /// The version of CUDA that it knows, as 1,000 times the major and 10 times the minor number.
        version: i32,
    },
    /// There is no device.
    #[error("no CUDA: there is a driver, but no device")]
    NoDevice,
    /// There are devices, but not this one.
    #[error("no CUDA device {wanted}: there are {count}, from 0 on")]
    NoSuchDevice {
        /// Its number.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
    /// A call of the driver failed.
    #[error("CUDA failed at {what}: {name}")]
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
            34 => "the library is a stub, to build programs with, and no driver".to_owned(),
            802 => "the system is not yet ready".to_owned(),
            803 => "the driver's library and its kernel module are of different versions".to_owned(),
            804 => "the driver does not support this device".to_owned(),
            _ => format!("error {code}"),
        };
        DeviceError::Failed { what, name }
    }
}
