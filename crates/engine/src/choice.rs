//! The choice of an engine.

use nigh_device::{Devices, Fallback};
use nigh_verify::InputSize;

/// The engine to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineChoice {
    kind: EngineKind,
    /// The devices; `None` stands for the first device.
    devices: Option<Devices>,
    fallback: Fallback,
    input_size: InputSize,
}

/// The kind of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// Sellers' recurrence over the whole matrix: the definition, and slow.
    Reference,
    /// Bit-parallel search on the processor's cores.
    Cpu,
    /// NVIDIA devices.
    Cuda,
    /// The processor's cores, and devices once the rest of the input is large enough to repay their start-up time.
    Auto,
}

impl EngineChoice {
    fn new(kind: EngineKind) -> Self {
        EngineChoice { kind, devices: None, fallback: Fallback::Allowed, input_size: None }
    }

    /// Chooses bit-parallel search on the processor's cores.
    pub fn cpu() -> Self {
        EngineChoice::new(EngineKind::Cpu)
    }

    /// Chooses the first NVIDIA device. The processor takes over if the device fails.
    pub fn cuda() -> Self {
        EngineChoice::new(EngineKind::Cuda)
    }

    /// Chooses the processor's cores, and the first NVIDIA device once the rest of the input is large enough to repay its
    /// start-up time.
    pub fn auto() -> Self {
        EngineChoice::new(EngineKind::Auto)
    }

    /// Chooses the definition, which is slow. Tests compare other engines with it.
    #[doc(hidden)]
    pub fn reference() -> Self {
        EngineChoice::new(EngineKind::Reference)
    }

    /// Sets the devices, which the processor's engine ignores.
    pub fn devices(self, devices: Devices) -> Self {
        EngineChoice { devices: Some(devices), ..self }
    }

    /// Sets what happens if a device fails.
    pub fn fallback(self, fallback: Fallback) -> Self {
        EngineChoice { fallback, ..self }
    }

    /// Sets the number of bytes to search, by which [`auto`](Self::auto) decides.
    pub fn input_size(self, input_size: InputSize) -> Self {
        EngineChoice { input_size, ..self }
    }

    /// Returns the kind of the engine.
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// Returns the devices, if they were set, and what happens if one fails.
    #[doc(hidden)]
    pub fn device_settings(&self) -> (Option<Devices>, Fallback) {
        (self.devices.clone(), self.fallback)
    }

    /// Returns the number of bytes to search, if it was set.
    #[cfg(feature = "cuda")]
    pub(crate) fn expected_size(&self) -> InputSize {
        self.input_size
    }
}
