//! The devices to use, and what happens if they fail.

/// The devices to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    /// The first device.
    First,
    /// The devices with these indices, counted from 0.
    Some(Vec<usize>),
    /// All devices.
    All,
}

#[cfg(feature = "cuda")]
impl Devices {
    /// Returns the ordinals of the devices.
    ///
    /// # Errors
    /// Fails if there is no usable driver or no device, or if a device does not exist.
    #[doc(hidden)]
    pub fn ordinals(&self) -> Result<Vec<usize>, crate::DeviceError> {
        let count = crate::driver::count()?;
        let ordinals: Vec<usize> = match self {
            Devices::First => vec![0],
            Devices::Some(wanted) => wanted.clone(),
            Devices::All => (0..count).collect(),
        };
        match ordinals.iter().find(|&&wanted| wanted >= count) {
            Some(&wanted) => Err(crate::DeviceError::NoSuchDevice { wanted, count }),
            None => Ok(ordinals),
        }
    }
}

/// Whether the CPU engine takes over after a device failure, and does work that is too small for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// The CPU engine takes over, and does small work.
    Allowed,
    /// The CPU engine does only the work that no kernel supports, and a device failure is an error. Tests of devices
    /// use this.
    Refused,
}
