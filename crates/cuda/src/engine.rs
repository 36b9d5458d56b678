//! The devices of a search. Opens them, uploads the tables of the patterns, and assigns scanners to them
//! in turn.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::device_tables::LoadedTables;
use super::host_tables::CodeGroup;
use super::launch_geometry;
use super::scanner::{CudaScanners, ScannerTallies};
use super::seed_tables::SeedTables;
use nigh_device::Devices;
use nigh_device::driver::Device;
use nigh_pattern::PatternSet;
use nigh_text::threads::{for_each, join};
use nigh_verify::EngineError;

/// Maximum total size of the batches of all scanners, in bytes, unless there are only two scanners per device.
const MAX_IN_FLIGHT: usize = 1 << 30;

/// The devices that search for a pattern set. The [`hybrid`](crate::hybrid) engine takes over batches and hits
/// that the kernels cannot process.
pub(crate) struct CudaEngine {
    patterns: Arc<PatternSet>,
    devices: Vec<LazyDevice>,
    threads: usize,
    batch_bytes: usize,
    /// Number of scanners made so far.
    taken: AtomicUsize,
}

/// A device and the tables of the patterns, opened on demand.
struct LazyDevice {
    ordinal: usize,
    tallies: Arc<ScannerTallies>,
    opened: OnceLock<Result<OpenedDevices, EngineError>>,
}

/// An open device, and the tables in its memory.
type OpenedDevices = (Arc<Device>, Arc<LoadedTables>);

impl CudaEngine {
    /// Makes a finder that searches for `patterns` on the devices `selected`, with `threads` threads.
    ///
    /// # Errors
    /// Fails if there is no usable driver, if a selected device does not exist, if the first device cannot be opened,
    /// or if a pattern has more than 255 classes of symbols.
    pub(crate) fn new(patterns: Arc<PatternSet>, selected: &Devices, threads: usize) -> Result<Self, EngineError> {
        let unopened = |ordinal| LazyDevice { ordinal, tallies: Arc::default(), opened: OnceLock::new() };
        let devices: Vec<LazyDevice> = selected.ordinals()?.into_iter().map(unopened).collect();
        // The devices are opened at the same time, since opening one is slow. If a device other than the first fails,
        // the error is reported when a scanner asks for that device.
        for_each(&devices, |device| drop(device.open(&patterns, threads)));
        let first = devices[0].open(&patterns, threads)?.0.facts();
        let batch_bytes = match patterns.has_expressions() {
            true => launch_geometry::AUTOMATON_BATCH,
            false => launch_geometry::batch_bytes(first, patterns.max_match_len(), patterns.patterns().len()),
        };
        Ok(CudaEngine { patterns, devices, threads, batch_bytes, taken: AtomicUsize::new(0) })
    }
}

/// Opens devices at the same time, since opening one is slow. A device that is open stays open.
///
/// # Errors
/// Fails if there is no usable driver, or if a device does not exist or cannot be opened.
pub fn open_devices(devices: &Devices) -> Result<Vec<Arc<Device>>, EngineError> {
    let ordinals = devices.ordinals()?;
    for_each(&ordinals, |&ordinal| drop(Device::open(ordinal)));
    Ok(ordinals.into_iter().map(Device::open).collect::<Result<_, _>>()?)
}

impl LazyDevice {
    /// Opens the device and uploads the tables at the first call. Other threads that call this function wait until the
    /// device is open.
    fn open(&self, patterns: &PatternSet, threads: usize) -> Result<&OpenedDevices, EngineError> {
        let open = || {
            // The index is built while the device is opened, unless it is open. Opening takes tenths of a second.
            let make_seeds = || SeedTables::new(patterns, threads);
            let (device, seeds) = join(|| Device::open(self.ordinal), make_seeds);
            let device = device?;
            let groups = CodeGroup::all(device.facts(), patterns, seeds)?;
            let loaded = LoadedTables::new(&device, patterns, groups)?;
            Ok((device, Arc::new(loaded)))
        };
        self.opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }
}

impl CudaEngine {
    /// Describes the search plan, for display.
    pub(crate) fn description(&self) -> Vec<String> {
        let opened = self.devices.iter().filter_map(|one| Some((one.opened.get()?.as_ref().ok()?, &one.tallies)));
        let mut lines = vec![format!("cuda engine, {} workers", self.workers())];
        for ((device, loaded), tallies) in opened {
            lines.push(device.facts().to_string());
            lines.extend(loaded.description());
            lines.push(format!("device {}: {tallies}", device.facts().ordinal));
        }
        lines
    }

    /// Returns the number of scanners that keep the devices and the threads busy. There are at least two per device, so
    /// that one can use the device while the other prepares a batch.
    pub(crate) fn workers(&self) -> usize {
        let min_workers = 2 * self.devices.len();
        self.threads.clamp(min_workers, (MAX_IN_FLIGHT / self.batch_bytes).max(min_workers))
    }

    /// Returns the preferred size of a batch, in bytes.
    pub(crate) fn batch_bytes(&self) -> usize {
        self.batch_bytes
    }

    /// Returns the number of batches that a worker has in flight: two, one being searched and one being read and
    /// uploaded, unless they are too large.
    pub(crate) fn in_flight(&self) -> usize {
        if 2 * self.workers() * self.batch_bytes <= MAX_IN_FLIGHT { 2 } else { 1 }
    }

    /// Makes scanners for the next device in turn.
    pub(crate) fn scanner(&self) -> Result<CudaScanners<'_>, EngineError> {
        let next = self.next_device();
        let opened = next.open(&self.patterns, self.threads)?.clone();
        Ok(CudaScanners::new(&self.patterns, opened, next.tallies.clone(), self.in_flight())?)
    }

    /// Returns the next device in turn.
    fn next_device(&self) -> &LazyDevice {
        &self.devices[self.taken.fetch_add(1, Ordering::Relaxed) % self.devices.len()]
    }
}
