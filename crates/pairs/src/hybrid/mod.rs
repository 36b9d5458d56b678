//! CUDA devices together with the processor: chooses which of them does each piece of work, and continues on the
//! processor if a device fails.
//!
//! `plan` estimates which is faster. In mode `auto` the processor starts. Devices are opened once they would have saved
//! as much time as opening them takes, or if a single pair or the expected work repays this time.

mod worker;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Objective;
use super::cpu::CpuPairs;
use super::cuda::PairQueue;
use super::engine::{ExpectedWork, PairEngine};
use super::plan::{PairCosts, WorkTimes};
use nigh_device::driver::Device;
use nigh_device::gate::DeviceGate;
use nigh_device::{DeviceError, Devices, Fallback};
use nigh_engine::open_devices;
use nigh_verify::EngineError;

/// Number of queues of a device, which workers share. With two queues, one copies while the other computes. More queues
/// hide the work of the host between launches. Each queue has its own buffers, which take milliseconds to allocate.
const QUEUES: usize = 8;

/// CUDA devices with the processor's cores.
pub(crate) struct HybridPairs {
    cpu: CpuPairs,
    opening: DeviceOpening,
    gate: DeviceGate<Vec<Arc<Device>>, EngineError>,
    queues: Mutex<Queues>,
    /// Signals that a queue is idle.
    returned: Condvar,
}

/// The queues of all devices.
#[derive(Default)]
struct Queues {
    /// Number of queues made so far.
    made: usize,
    /// Queues that no worker uses, with their buffers.
    idle: Vec<PairQueue>,
}

/// When devices are opened.
enum DeviceOpening {
    /// Before the first work that they do faster. All workers wait until they are open.
    Forced {
        /// The ordinals of the devices.
        ordinals: Vec<usize>,
    },
    /// Once they repay the time to open them. The other workers continue meanwhile.
    Auto {
        /// Whether the expected work repays opening the devices, so that all workers wait until they are open.
        is_expected: bool,
        /// Nanoseconds that the devices would have saved so far.
        saved: AtomicU64,
    },
}

impl HybridPairs {
    /// Makes an engine that opens the devices as soon as it needs one.
    ///
    /// # Errors
    /// Fails if a device does not exist.
    pub(crate) fn forced(cpu: CpuPairs, devices: &Devices, policy: Fallback) -> Result<Self, EngineError> {
        let ordinals = devices.ordinals()?;
        let gate = DeviceGate::forced(Devices::Some(ordinals.clone()), policy);
        Ok(HybridPairs::new(cpu, DeviceOpening::Forced { ordinals }, gate))
    }

    /// Makes an engine that opens devices once they repay the time to open them. If `named` devices do not exist,
    /// [`failure`](nigh_verify::EngineFacts::failure) reports it.
    pub(crate) fn auto(cpu: CpuPairs, named: Option<Devices>, expected: Option<ExpectedWork>) -> Self {
        let costs = PairCosts::new(cpu.facts().workers, 1);
        let is_search = matches!(cpu.objective(), Objective::Local(_));
        let expected = expected.filter(|_| is_search);
        let is_expected = expected.is_some_and(|work| costs.local(work.query, work.targets).repays_opening());
        let opening = DeviceOpening::Auto { is_expected, saved: AtomicU64::new(0) };
        HybridPairs::new(cpu, opening, DeviceGate::auto(named))
    }

    fn new(cpu: CpuPairs, opening: DeviceOpening, gate: DeviceGate<Vec<Arc<Device>>, EngineError>) -> Self {
        HybridPairs { cpu, opening, gate, queues: Mutex::default(), returned: Condvar::new() }
    }

    /// Returns the devices that are open.
    fn opened_devices(&self) -> &[Arc<Device>] {
        self.gate.opened().map_or(&[], Vec::as_slice)
    }

    fn costs(&self) -> PairCosts {
        PairCosts::new(self.cpu.facts().workers, self.opened_devices().len())
    }

    /// Returns whether a device should do work with these estimated times. May open the devices.
    fn is_for_device(&self, times: WorkTimes) -> bool {
        if self.gate.has_failed() {
            return false;
        }
        let DeviceOpening::Auto { is_expected, saved } = &self.opening else {
            return self.gate.is_required() || times.device_pays();
        };
        if self.gate.opened().is_none() && times.device_pays() {
            let more = (times.saved() * 1e9) as u64;
            let so_far = (saved.fetch_add(more, Ordering::Relaxed) + more) as f64 / 1e9;
            if *is_expected {
                self.gate.try_open(open_devices);
            } else if so_far > PairCosts::open_after() || times.repays_opening() {
                self.gate.open_once(open_devices);
            }
        }
        !self.opened_devices().is_empty() && times.device_pays()
    }

    /// Takes an idle queue, makes one on the next device in turn, or waits for one.
    fn take_queue(&self) -> Result<Result<TakenQueue<'_>, DeviceError>, EngineError> {
        let devices = self.gate.open(open_devices)?;
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(queue) = queues.idle.pop() {
                return Ok(Ok(TakenQueue { queue, place: QueueSlot { engine: self } }));
            }
            if queues.made < QUEUES * devices.len() {
                queues.made += 1;
                let device = devices[queues.made % devices.len()].clone();
                drop(queues);
                let place = QueueSlot { engine: self };
                return Ok(PairQueue::new(device).map(|queue| TakenQueue { queue, place }));
            }
            queues = self.returned.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A queue in use.
struct TakenQueue<'a> {
    queue: PairQueue,
    place: QueueSlot<'a>,
}

/// The slot of a queue that is in use. If the queue failed and is not put back, another queue can take its slot.
struct QueueSlot<'a> {
    engine: &'a HybridPairs,
}

impl TakenQueue<'_> {
    /// Keeps the queue for the next worker.
    fn put_back(self) {
        let mut queues = self.place.engine.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.idle.push(self.queue);
        // Dropping `place` subtracts one.
        queues.made += 1;
    }
}

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        self.engine.queues.lock().unwrap_or_else(PoisonError::into_inner).made -= 1;
        self.engine.returned.notify_one();
    }
}
