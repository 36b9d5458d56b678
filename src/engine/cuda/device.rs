//! The one door to the CUDA driver: probing for it, memory, copies, launches.
//!
//! The driver's library is loaded when it is first asked for, and nothing else of CUDA is needed. cudarc panics where there is no library, so
//! [`count`] looks for it first, with calls that give plain numbers. Memory of the host that the device reads or writes is pinned, and each piece
//! knows the last copy that was queued for it; whoever looks at it waits for that.
#![allow(unsafe_code)]

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytemuck::Pod;
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUevent_flags, CUfunction_attribute as FunctionAttribute,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
    result,
};
use cudarc::nvrtc::Ptx;

use super::ptx::Module;
use crate::engine::DeviceError;

/// The least version of the driver: the first that knows the PTX that is shipped.
const MIN_DRIVER: i32 = 12_000;

/// What may differ between devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) ordinal: usize,
    pub(super) name: String,
    /// Major and minor number of the compute capability.
    pub(super) capability: (i32, i32),
    pub(super) multiprocessors: usize,
    /// The most shared memory that a block may have.
    pub(super) shared_bytes: usize,
}

/// How many devices there are.
///
/// # Errors
/// There is no driver, it is too old, or it has no device.
pub(super) fn count() -> Result<usize, DeviceError> {
    type WithFlags = unsafe extern "C" fn(u32) -> i32;
    type GivesNumber = unsafe extern "C" fn(*mut i32) -> i32;
    // SAFETY: loading a library runs its initialisers; it is the system's driver, which every program that uses the device loads.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    // SAFETY: the library is there.
    let library = unsafe { sys::culib() };
    // SAFETY: the functions have these types, by the driver's manual since its first version; numbers are written where a reference points.
    unsafe {
        let missing = |_| DeviceError::NoDriver;
        let init = library.get::<WithFlags>(b"cuInit\0").map_err(missing)?;
        let get_version = library.get::<GivesNumber>(b"cuDriverGetVersion\0").map_err(missing)?;
        let get_count = library.get::<GivesNumber>(b"cuDeviceGetCount\0").map_err(missing)?;
        let (mut version, mut count) = (0, 0);
        // The version can be had without a device.
        let known = get_version(&raw mut version) == 0;
        if known && version < MIN_DRIVER {
            return Err(DeviceError::OldDriver { version });
        }
        match init(0) {
            0 => {}
            100 => return Err(DeviceError::NoDevice),
            code => return Err(DeviceError::of_code("cuInit", code)),
        }
        match get_count(&raw mut count) {
            0 if count > 0 => Ok(count as usize),
            0 => Err(DeviceError::NoDevice),
            code => Err(DeviceError::of_code("cuDeviceGetCount", code)),
        }
    }
}

/// The error of a call, which was to do something.
fn failed(what: &'static str) -> impl Fn(DriverError) -> DeviceError {
    move |error| DeviceError::Failed { what, name: name_of(error.0 as i32) }
}

/// A device, and the kernels that were loaded into it.
pub(super) struct Device {
    context: Arc<CudaContext>,
    facts: Facts,
    kernels: Mutex<Kernels>,
}

/// What was loaded, by name: modules, and kernels by that of their module too.
#[derive(Default)]
struct Kernels {
    modules: HashMap<&'static str, Arc<CudaModule>>,
    kernels: HashMap<(&'static str, &'static str), Kernel>,
}

/// A kernel in a device.
#[derive(Clone)]
pub(super) struct Kernel {
    function: CudaFunction,
}

/// A device that is open, or why it is not, once that is known.
type Opened = Arc<OnceLock<Result<Arc<Device>, DeviceError>>>;

/// The devices that somebody has asked for. They stay open: opening one takes longer than most searches.
static OPENED: Mutex<BTreeMap<usize, Opened>> = Mutex::new(BTreeMap::new());

impl Device {
    /// A device, which must be there: see [`count`]. Others that want the same one wait until it is open.
    pub(super) fn open(ordinal: usize) -> Result<Arc<Device>, DeviceError> {
        let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner).entry(ordinal).or_default().clone();
        opened.get_or_init(|| Device::new(ordinal).map(Arc::new)).clone()
    }

    fn new(ordinal: usize) -> Result<Device, DeviceError> {
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        // SAFETY: each piece of memory is used in one queue, or only read once it is filled; what the host sees has events of its own.
        unsafe { context.disable_event_tracking() };
        let number = |attribute| context.attribute(attribute).map_err(failed("querying the device"));
        let facts = Facts {
            ordinal,
            name: context.name().map_err(failed("querying the device"))?,
            capability: (
                number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as usize,
            shared_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as usize,
        };
        Ok(Device { context, facts, kernels: Mutex::default() })
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// A kernel of a module, which is loaded if it is not there yet. It may use all the shared memory that there is.
    pub(super) fn kernel(&self, module: &Module, name: &'static str) -> Result<Kernel, DeviceError> {
        let Kernels { modules, kernels } = &mut *self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(module.name, name)) {
            return Ok(kernel.clone());
        }
        let failed = failed("loading a kernel");
        let loaded = match modules.entry(module.name) {
            Entry::Occupied(loaded) => loaded.into_mut(),
            Entry::Vacant(place) => place.insert(self.context.load_module(Ptx::from_src(module.ptx)).map_err(&failed)?),
        };
        let function = loaded.load_function(name).map_err(&failed)?;
        let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(most, self.facts.shared_bytes as i32).map_err(&failed)?;
        let kernel = Kernel { function };
        kernels.insert((module.name, name), kernel.clone());
        Ok(kernel)
    }

    /// A new queue of work.
    pub(super) fn queue(&self) -> Result<Queue, DeviceError> {
        let stream = self.context.new_stream().map_err(failed("creating a stream"))?;
        // While somebody waits for it, the processor does something else.
        let event = self.context.new_event(Some(CUevent_flags::CU_EVENT_BLOCKING_SYNC));
        let event = event.map_err(failed("creating an event"))?;
        let (queued, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let order = Arc::new(Order { stream: stream.clone(), event, queued, done });
        Ok(Queue { stream, order })
    }
}

/// Waits for what comes before an event. Here errors of kernels show, also some that are newer than cudarc, which may not be made into its enumeration.
fn synchronize(event: &CudaEvent, what: &'static str) -> Result<(), DeviceError> {
    type Synchronize = unsafe extern "C" fn(sys::CUevent) -> i32;
    static FUNCTION: OnceLock<Option<Synchronize>> = OnceLock::new();
    // SAFETY: the library is there, as there is an event; and the function has this type.
    let function = FUNCTION.get_or_init(|| unsafe {
        sys::culib().get::<Synchronize>(b"cuEventSynchronize\0").ok().map(|function| *function)
    });
    let function = function.ok_or(DeviceError::NoDriver)?;
    event.context().bind_to_thread().map_err(failed(what))?;
    // SAFETY: the event is there as long as it is borrowed.
    match unsafe { function(event.cu_event()) } {
        0 => Ok(()),
        code => Err(DeviceError::Failed { what, name: name_of(code) }),
    }
}

/// The driver's name of an error.
fn name_of(code: i32) -> String {
    type GetName = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;
    let mut name = std::ptr::null();
    // SAFETY: the library is there, as it gave an error; the function has this type, and writes a pointer to a constant string, or leaves the null
    // pointer if it does not know the code.
    let name = unsafe {
        let get = sys::culib().get::<GetName>(b"cuGetErrorName\0");
        let known = get.is_ok_and(|get| get(code, &raw mut name) == 0) && !name.is_null();
        known.then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    name.unwrap_or_else(|| format!("error {code}"))
}

/// Where memory that is divided may begin.
const ALIGNMENT: usize = 256;

/// How many bytes it takes for so many of something in memory that is divided.
pub(super) fn room<T>(length: usize) -> usize {
    (length * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

/// A piece of memory, of the device or of the host.
struct Allocation {
    context: Arc<CudaContext>,
    address: u64,
    is_pinned: bool,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // It waits for all that any queue has. Where that fails, so does what comes next, which can tell it.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: it was allocated so, and nobody has it any more.
            let _ = match self.is_pinned {
                true => unsafe { result::free_host(ptr::with_exposed_provenance_mut(self.address as usize)) },
                false => unsafe { result::free_sync(self.address) },
            };
        }
    }
}

/// Memory of a device to be divided: taking one piece costs as much as taking many times as much at once.
pub(super) struct Reserve {
    allocation: Option<Arc<Allocation>>,
    used: usize,
    bytes: usize,
}

impl Reserve {
    /// The next part of it, which must be as long: see [`room`].
    pub(super) fn buffer<T: Pod>(&mut self, length: usize) -> Buffer<T> {
        let first = self.used;
        self.used += room::<T>(length);
        assert!(self.used <= self.bytes, "the reserve has room for it");
        let address = self.allocation.as_ref().map_or(0, |allocation| allocation.address) + first as u64;
        Buffer { _allocation: self.allocation.clone(), address, length, of: PhantomData }
    }
}

/// Memory of a device for so many of something.
pub(super) struct Buffer<T> {
    _allocation: Option<Arc<Allocation>>,
    address: u64,
    length: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// How many it holds.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The address of one of them, for the arguments of kernels.
    pub(super) fn address(&self, index: usize) -> u64 {
        debug_assert!(index <= self.length);
        self.address + (index * size_of::<T>()) as u64
    }
}

/// Memory of the host to be divided.
pub(super) struct PinnedReserve {
    reserve: Reserve,
    order: Arc<Order>,
}

impl PinnedReserve {
    /// The next part of it, which must be as long: see [`room`].
    pub(super) fn pinned<T: Pod>(&mut self, length: usize) -> Pinned<T> {
        let Buffer { _allocation, address, length, .. } = self.reserve.buffer::<T>(length);
        let memory = NonNull::new(ptr::with_exposed_provenance_mut(address as usize)).unwrap_or(NonNull::dangling());
        Pinned { _allocation, memory, length, order: self.order.clone(), copied: AtomicU64::new(0) }
    }
}

/// Memory of the host that copies from and to the device go through.
pub(super) struct Pinned<T> {
    _allocation: Option<Arc<Allocation>>,
    memory: NonNull<T>,
    length: usize,
    order: Arc<Order>,
    /// The number of the last copy in its queue.
    copied: AtomicU64,
}

// SAFETY: it has a part of plain data to itself, which one thread at a time can change.
unsafe impl<T: Pod + Send> Send for Pinned<T> {}

impl<T: Pod> Pinned<T> {
    /// What is there, when all copies are over.
    pub(super) fn wait(&mut self) -> Result<&mut [T], DeviceError> {
        self.order.wait_for(*self.copied.get_mut())?;
        // SAFETY: the memory is as long, was filled, and no copy is under way.
        Ok(unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.length) })
    }

    /// How many there is room for.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        // The memory goes after this. If it cannot be waited for, the device does no copies any more.
        let _ = self.order.wait_for(*self.copied.get_mut());
    }
}

/// What is queued in a stream, by number, and how much of it is known to be done.
struct Order {
    stream: Arc<CudaStream>,
    event: CudaEvent,
    queued: AtomicU64,
    done: AtomicU64,
}

impl Order {
    /// The number of what is queued next.
    fn next(&self) -> u64 {
        self.queued.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Waits until something is done, and with it all that was queued.
    fn wait_for(&self, number: u64) -> Result<(), DeviceError> {
        if self.done.load(Ordering::Acquire) >= number {
            return Ok(());
        }
        let queued = self.queued.load(Ordering::Relaxed);
        self.event.record(&self.stream).map_err(failed("waiting for the device"))?;
        synchronize(&self.event, "running a kernel")?;
        self.done.fetch_max(queued, Ordering::Release);
        Ok(())
    }
}

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// How many blocks, in two directions.
    pub(super) grid: (u32, u32),
    /// How many threads a block has.
    pub(super) threads: u32,
    /// How much shared memory a block has.
    pub(super) shared: u32,
}

/// The arguments of a kernel, which takes them as one structure.
#[repr(transparent)]
struct ByValue<A>(A);

// SAFETY: it is plain data, in the layout of C.
unsafe impl<A: Pod> DeviceRepr for ByValue<A> {}

/// Work for a device that is done in the order in which it is queued.
pub(super) struct Queue {
    stream: Arc<CudaStream>,
    order: Arc<Order>,
}

impl Queue {
    /// So many bytes of the device, with anything in them, to be divided.
    pub(super) fn reserve(&self, bytes: usize) -> Result<Reserve, DeviceError> {
        let mut allocation = None;
        if bytes > 0 {
            self.bind()?;
            // SAFETY: whoever reads it has written it before, or does not mind what is there.
            let address = unsafe { result::malloc_sync(bytes) }.map_err(failed("allocating memory"))?;
            let context = self.stream.context().clone();
            allocation = Some(Arc::new(Allocation { context, address, is_pinned: false }));
        }
        Ok(Reserve { allocation, used: 0, bytes })
    }

    /// Memory of the device, with anything in it.
    pub(super) fn buffer<T: Pod>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        Ok(self.reserve(room::<T>(length))?.buffer(length))
    }

    /// So many bytes of the host, all zero, to be divided.
    pub(super) fn reserve_pinned(&self, bytes: usize) -> Result<PinnedReserve, DeviceError> {
        let mut allocation = None;
        if bytes > 0 {
            self.bind()?;
            // SAFETY: it is as long as it says, and aligned to a page.
            let address = unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"))?;
            unsafe { address.cast::<u8>().write_bytes(0, bytes) };
            let (context, address) = (self.stream.context().clone(), address.expose_provenance() as u64);
            allocation = Some(Arc::new(Allocation { context, address, is_pinned: true }));
        }
        let reserve = Reserve { allocation, used: 0, bytes };
        Ok(PinnedReserve { reserve, order: self.order.clone() })
    }

    /// Memory of the host, with zeros in it.
    pub(super) fn pinned<T: Pod>(&self, length: usize) -> Result<Pinned<T>, DeviceError> {
        Ok(self.reserve_pinned(room::<T>(length))?.pinned(length))
    }

    /// A buffer with these values in it. It waits until they are there.
    pub(super) fn filled<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, DeviceError> {
        let buffer = self.buffer(values.len())?;
        self.copy_up(bytemuck::cast_slice(values), buffer.address(0))?;
        self.wait()?;
        Ok(buffer)
    }

    /// Copies the first of some values to the start of a buffer.
    pub(super) fn upload<T: Pod>(&self, from: &Pinned<T>, count: usize, to: &mut Buffer<T>) -> Result<(), DeviceError> {
        assert!(count <= from.length() && count <= to.length() && Arc::ptr_eq(&self.order, &from.order));
        // SAFETY: the memory is as long; whoever changes it waits for the copy.
        let bytes = unsafe { slice::from_raw_parts(from.memory.as_ptr().cast::<u8>(), count * size_of::<T>()) };
        self.copy_up(bytes, to.address(0))?;
        from.copied.store(self.order.next(), Ordering::Relaxed);
        Ok(())
    }

    fn copy_up(&self, bytes: &[u8], to: u64) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: the target is as long: callers see to it. The source is pinned, and whoever changes it or gives it back waits for the copy; or it
        // is not, and the driver has read it when the call is over.
        unsafe { result::memcpy_htod_async(to, bytes, self.stream.cu_stream()) }
            .map_err(failed("copying to the device"))
    }

    /// Copies some values of a buffer to the same places.
    pub(super) fn download<T: Pod>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &mut Pinned<T>,
    ) -> Result<(), DeviceError> {
        assert!(range.end <= from.length() && range.end <= to.length() && Arc::ptr_eq(&self.order, &to.order));
        self.bind()?;
        // SAFETY: both are as long. Whoever looks at the target waits for the copy.
        let copied = unsafe {
            let target = slice::from_raw_parts_mut(to.memory.as_ptr().add(range.start), range.len());
            result::memcpy_dtoh_async(target, from.address(range.start), self.stream.cu_stream())
        };
        copied.map_err(failed("copying from the device"))?;
        *to.copied.get_mut() = self.order.next();
        Ok(())
    }

    /// Fills a part of a buffer with zeros.
    pub(super) fn clear<T: Pod>(&self, buffer: &mut Buffer<T>, range: Range<usize>) -> Result<(), DeviceError> {
        assert!(range.end <= buffer.length());
        self.bind()?;
        let bytes = range.len() * size_of::<T>();
        // SAFETY: the buffer is as long.
        unsafe { result::memset_d8_async(buffer.address(range.start), 0, bytes, self.stream.cu_stream()) }
            .map_err(failed("clearing memory"))
    }

    /// Launches a kernel.
    ///
    /// What its contract asks of the arguments holds: buffers are as long as it says, and stay until the queue has done it. A kernel reads and
    /// writes memory of the device only.
    pub(super) fn launch<A: Pod>(&self, kernel: &Kernel, shape: Shape, arguments: &A) -> Result<(), DeviceError> {
        let arguments = ByValue(*arguments);
        let config = LaunchConfig {
            grid_dim: (shape.grid.0, shape.grid.1, 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared,
        };
        let mut launch = self.stream.launch_builder(&kernel.function);
        launch.arg(&arguments);
        // SAFETY: the kernel takes one structure of this layout; tests of `arguments` hold sizes and offsets to those in kernels/. The rest is above.
        unsafe { launch.launch(config) }.map(drop).map_err(failed("launching a kernel"))
    }

    /// Waits until everything is done that was queued so far.
    pub(super) fn wait(&self) -> Result<(), DeviceError> {
        self.order.wait_for(self.order.next())
    }

    /// Makes the device's context that of the calling thread.
    fn bind(&self) -> Result<(), DeviceError> {
        self.stream.context().bind_to_thread().map_err(failed("entering the device's context"))
    }
}
