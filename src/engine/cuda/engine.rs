//! The devices of a search: opened with the tables of the patterns, and shared out among scanners and aligners.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Builder};

use super::aligner::CudaAligner;
use super::device::{self, Device, Facts};
use super::device_tables::Loaded;
use super::host_tables::Group;
use super::launch_geometry;
use super::scanner::CudaScanner;
use crate::engine::{DeviceError, Devices, EngineError};
use crate::pattern::PatternSet;

/// The most bytes of text that are under way, in all scanners.
const MAX_UNDER_WAY: usize = 1 << 30;

/// Devices that search for some patterns. What they cannot do, another engine does: see [`hybrid`](crate::engine::hybrid).
pub(in crate::engine) struct CudaEngine {
    patterns: Arc<PatternSet>,
    units: Vec<Unit>,
    /// Of the first device.
    facts: Facts,
    threads: usize,
    /// How many scanners and aligners were made.
    taken: AtomicUsize,
}

/// A device with the tables of the patterns, once it is open.
struct Unit {
    ordinal: usize,
    opened: OnceLock<Result<Opened, EngineError>>,
}

/// A device, and the tables in it.
type Opened = (Arc<Device>, Arc<Loaded>);

/// The numbers of some devices.
///
/// # Errors
/// When there is no driver or no such device.
pub(in crate::engine) fn ordinals(devices: &Devices) -> Result<Vec<usize>, EngineError> {
    let count = device::count()?;
    let ordinals: Vec<usize> = match devices {
        Devices::First => vec![0],
        Devices::Some(wanted) => wanted.clone(),
        Devices::All => (0..count).collect(),
    };
    match ordinals.iter().find(|&&wanted| wanted >= count) {
        Some(&wanted) => Err(DeviceError::NoSuchDevice { wanted, count }.into()),
        None => Ok(ordinals),
    }
}

impl CudaEngine {
    /// An engine for some patterns on some devices, fed by so many threads.
    ///
    /// # Errors
    /// When there is no driver or no such device, when the first of them cannot be opened, or when a pattern has more than 255 classes of symbols.
    pub(in crate::engine) fn new(
        patterns: Arc<PatternSet>,
        devices: &Devices,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let unit = |ordinal| Unit { ordinal, opened: OnceLock::new() };
        let units: Vec<Unit> = ordinals(devices)?.into_iter().map(unit).collect();
        // One takes as long as many at a time. What is wrong with another than the first is told when a scanner wants it;
        // a device for which no thread can be started is opened then, too.
        thread::scope(|scope| {
            for unit in units.iter().skip(1) {
                let _ = Builder::new().spawn_scoped(scope, || unit.open(&patterns).map(drop));
            }
            let _ = units[0].open(&patterns);
        });
        let facts = units[0].open(&patterns)?.0.facts().clone();
        Ok(CudaEngine { patterns, units, facts, threads, taken: AtomicUsize::new(0) })
    }
}

impl Unit {
    /// The device and its tables. Others that need it at the same time wait until it is open.
    fn open(&self, patterns: &PatternSet) -> Result<&Opened, EngineError> {
        let open = || {
            let device = Device::open(self.ordinal)?;
            let groups = Group::all(device.facts(), patterns)?;
            let loaded = Loaded::new(&device, &groups)?;
            Ok((device, Arc::new(loaded)))
        };
        self.opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }
}

impl CudaEngine {
    /// How it searches, for people.
    pub(in crate::engine) fn plan(&self) -> Vec<String> {
        let opened = self.units.iter().filter_map(|unit| unit.opened.get()?.as_ref().ok());
        let mut lines = vec![format!("cuda engine, {} workers", self.workers())];
        for (device, loaded) in opened {
            let Facts { ordinal, name, capability: (major, minor), .. } = device.facts();
            lines.push(format!("device {ordinal}: {name}, compute capability {major}.{minor}"));
            lines.extend(loaded.plan());
        }
        lines
    }

    /// How many scanners keep the devices and the threads busy: two at least for each device, so that one can wait for it.
    pub(in crate::engine) fn workers(&self) -> usize {
        let least = 2 * self.units.len();
        self.threads.clamp(least, (MAX_UNDER_WAY / self.batch_bytes()).max(least))
    }

    /// How many bytes of text a scanner wants at once.
    pub(in crate::engine) fn batch_bytes(&self) -> usize {
        launch_geometry::batch_bytes(&self.facts, self.patterns.reach(), self.patterns.patterns().len())
    }

    /// A scanner for the next device in turn.
    pub(in crate::engine) fn scanner(&self) -> Result<CudaScanner<'_>, EngineError> {
        let (device, loaded) = self.next_unit().open(&self.patterns)?;
        Ok(CudaScanner::new(&self.patterns, device.clone(), loaded.clone())?)
    }

    /// An aligner for the next device in turn.
    pub(in crate::engine) fn aligner(&self) -> Result<CudaAligner, EngineError> {
        let (device, loaded) = self.next_unit().open(&self.patterns)?;
        Ok(CudaAligner::new(device.clone(), loaded.clone())?)
    }

    fn next_unit(&self) -> &Unit {
        &self.units[self.taken.fetch_add(1, Ordering::Relaxed) % self.units.len()]
    }
}
