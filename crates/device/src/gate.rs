//! Controls access to devices that may fail, and that may be opened late by one thread while others continue.

use std::fmt::Display;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{DeviceError, Devices, Fallback};

/// Devices of type `D` when open. After a failure with an error `E` they are no longer used.
pub struct DeviceGate<D, E> {
    devices: Devices,
    policy: Fallback,
    /// Whether the user asked for devices. Their failure is then reported.
    is_requested: bool,
    /// Whether [`open_once`](Self::open_once) has been called or is not needed.
    has_begun: AtomicBool,
    opened: OnceLock<Result<D, E>>,
    /// The error that ended the use of the devices, or prevented it.
    failure: OnceLock<E>,
}

impl<D, E: Clone + Display + From<DeviceError>> DeviceGate<D, E> {
    /// Makes a gate to devices that the user asked for. Whether they exist is checked only when they are opened.
    pub fn forced(devices: Devices, policy: Fallback) -> Self {
        DeviceGate {
            devices,
            policy,
            is_requested: true,
            has_begun: AtomicBool::new(false),
            opened: OnceLock::new(),
            failure: OnceLock::new(),
        }
    }

    /// Makes a gate to the `named` devices, or to the first one if the user named none. If a named device does not
    /// exist, the gate starts with this failure.
    pub fn auto(named: Option<Devices>) -> Self {
        let missing = named.as_ref().and_then(|devices| devices.ordinals().err());
        DeviceGate {
            is_requested: named.is_some(),
            has_begun: AtomicBool::new(missing.is_some()),
            failure: missing.map(E::from).map_or_else(OnceLock::new, OnceLock::from),
            ..DeviceGate::forced(named.unwrap_or(Devices::First), Fallback::Allowed)
        }
    }

    /// Opens the devices with `open`, or waits until another thread has opened them.
    ///
    /// # Errors
    /// Returns the error of the first call's `open`, in that call and in all later ones.
    pub fn open(&self, open: impl FnOnce(&Devices) -> Result<D, E>) -> Result<&D, E> {
        self.opened.get_or_init(|| open(&self.devices)).as_ref().map_err(Clone::clone)
    }

    /// Like [`open`](Self::open), but stores an error as the failure, after which the devices are not used.
    pub fn try_open(&self, open: impl FnOnce(&Devices) -> Result<D, E>) {
        if let Err(error) = self.open(open) {
            let _ = self.failure.set(error);
        }
    }

    /// Like [`try_open`](Self::try_open), but only the first call opens the devices; all other calls return at once.
    pub fn open_once(&self, open: impl FnOnce(&Devices) -> Result<D, E>) {
        if !self.has_begun.swap(true, Ordering::Relaxed) {
            self.try_open(open);
        }
    }

    /// Returns whether [`open_once`](Self::open_once) was called, or the named devices are missing.
    pub fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Returns the devices if they are open, whether or not they failed since.
    pub fn opened(&self) -> Option<&D> {
        self.opened.get()?.as_ref().ok()
    }

    /// Returns the devices if they are open and have not failed.
    pub fn working(&self) -> Option<&D> {
        if self.has_failed() { None } else { self.opened() }
    }

    /// Returns whether the devices failed or are missing.
    pub fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Returns whether the devices exist and have not failed.
    pub fn may_open(&self) -> bool {
        !self.has_failed() && self.devices.ordinals().is_ok()
    }

    /// Returns whether devices do all work that they can, and no other engine may take over.
    pub fn is_required(&self) -> bool {
        self.policy == Fallback::Refused
    }

    /// Returns the value of work that the devices did, or `None` if they failed. They are not used any more after a
    /// failure.
    ///
    /// # Errors
    /// Returns the failure if the policy is [`Fallback::Refused`].
    pub fn recover<T>(&self, result: Result<T, impl Into<E>>) -> Result<Option<T>, E> {
        match result.map_err(Into::into) {
            Ok(value) => Ok(Some(value)),
            Err(error) if self.is_required() => Err(error),
            Err(error) => {
                let _ = self.failure.set(error);
                Ok(None)
            }
        }
    }

    /// Returns the failure if the user asked for devices.
    pub fn reported_failure(&self) -> Option<&E> {
        self.failure.get().filter(|_| self.is_requested)
    }

    /// Returns a description of the failure for display; `None` if there is no failure.
    pub fn description(&self) -> Option<String> {
        self.failure.get().map(|error| format!("devices not used: {error}"))
    }
}
