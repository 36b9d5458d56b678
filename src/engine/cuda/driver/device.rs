//! The only interface to the CUDA driver: probing for it, memory, copies, launches.
//!
//! The driver library is loaded on first use, and nothing else of CUDA is needed. cudarc panics if the library is
//! missing, so [`count`] probes for it first, with calls that return plain numbers. Host memory that the device reads
//! or writes is pinned. Each pinned buffer knows the last copy queued for it, and waits for that copy before it gives
//! access.
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

use crate::engine::DeviceError;
use crate::engine::cuda::ptx::Module;

/// The oldest driver supported: the first that can compile the shipped PTX.
const MIN_DRIVER: i32 = 12_000;

/// The properties of a device that the engine depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) ordinal: usize,
    pub(crate) name: String,
    /// The major and minor version of the compute capability.
    pub(crate) capability: (i32, i32),
    pub(crate) multiprocessors: usize,
    /// The largest shared memory of a block, in bytes.
    pub(crate) shared_bytes: usize,
}

/// Returns the number of devices, which is at least 1.
///
/// # Errors
/// Fails if there is no driver, it is too old, or it reports no device.
pub(crate) fn count() -> Result<usize, DeviceError> {
    type WithFlags = unsafe extern "C" fn(u32) -> i32;
    type GivesNumber = unsafe extern "C" fn(*mut i32) -> i32;
    // SAFETY: loading a library runs its initialisers. This is the system's driver, which is made to be loaded by any
    // program.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    // SAFETY: `is_culib_present` just found the library, so loading it succeeds.
    let library = unsafe { sys::culib() };
    // SAFETY: the driver's manual has given these functions these types since its first version. Each writes at most
    // one `i32` through its pointer, which points to a local variable.
    unsafe {
        let missing = |_| DeviceError::NoDriver;
        let init = library.get::<WithFlags>(b"cuInit\0").map_err(missing)?;
        let get_version = library.get::<GivesNumber>(b"cuDriverGetVersion\0").map_err(missing)?;
        let get_count = library.get::<GivesNumber>(b"cuDeviceGetCount\0").map_err(missing)?;
        let (mut version, mut count) = (0, 0);
        // The version is available without a device.
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

/// Returns a function that converts the error of a call; `what` is the operation that failed.
fn failed(what: &'static str) -> impl Fn(DriverError) -> DeviceError {
    move |error| DeviceError::Failed { what, name: name_of(error.0 as i32) }
}

/// A device, and the kernels loaded into it.
pub(crate) struct Device {
    context: Arc<CudaContext>,
    facts: Facts,
    kernels: Mutex<Kernels>,
}

/// Loaded modules by name, and kernels by the names of their module and themselves.
#[derive(Default)]
struct Kernels {
    modules: HashMap<&'static str, Arc<CudaModule>>,
    kernels: HashMap<(&'static str, &'static str), Kernel>,
}

/// A kernel in a device.
#[derive(Clone)]
pub(crate) struct Kernel {
    function: CudaFunction,
}

/// The result of opening a device, once it is known.
type Opened = Arc<OnceLock<Result<Arc<Device>, DeviceError>>>;

/// All devices asked for so far. They stay open, because opening one takes longer than most searches.
static OPENED: Mutex<BTreeMap<usize, Opened>> = Mutex::new(BTreeMap::new());

impl Device {
    /// Opens a device once. Other threads that ask for the same one wait. The device must exist: see [`count`].
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Device>, DeviceError> {
        let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner).entry(ordinal).or_default().clone();
        opened.get_or_init(|| Device::new(ordinal).map(Arc::new)).clone()
    }

    fn new(ordinal: usize) -> Result<Device, DeviceError> {
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        // SAFETY: event tracking orders accesses of one buffer from several streams. Each buffer here is used by one
        // queue only, or is read-only once `filled` has waited for its upload; host memory is guarded by the numbers in
        // `Order`.
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

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns a kernel of a module, and loads the module if necessary. The kernel may use all shared memory of a
    /// block.
    pub(crate) fn kernel(&self, module: &Module, name: &'static str) -> Result<Kernel, DeviceError> {
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
        let max_shared = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(max_shared, self.facts.shared_bytes as i32).map_err(&failed)?;
        let kernel = Kernel { function };
        kernels.insert((module.name, name), kernel.clone());
        Ok(kernel)
    }

    /// Makes a new queue of work.
    pub(crate) fn queue(&self) -> Result<Queue, DeviceError> {
        let stream = self.context.new_stream().map_err(failed("creating a stream"))?;
        // A waiting thread blocks instead of spinning.
        let event = self.context.new_event(Some(CUevent_flags::CU_EVENT_BLOCKING_SYNC));
        let event = event.map_err(failed("creating an event"))?;
        let (queued, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let order = Arc::new(Order { stream: stream.clone(), event, queued, done });
        Ok(Queue { stream, order })
    }
}

/// Waits for all work before an event. Errors of kernels appear here; some codes are newer than cudarc and must not be
/// converted to its enumeration, so this calls the driver directly.
fn synchronize(event: &CudaEvent, what: &'static str) -> Result<(), DeviceError> {
    type Synchronize = unsafe extern "C" fn(sys::CUevent) -> i32;
    static FUNCTION: OnceLock<Option<Synchronize>> = OnceLock::new();
    // SAFETY: the library is loaded, because an event exists; the driver's manual gives the function this type.
    let function = FUNCTION.get_or_init(|| unsafe {
        sys::culib().get::<Synchronize>(b"cuEventSynchronize\0").ok().map(|function| *function)
    });
    let function = function.ok_or(DeviceError::NoDriver)?;
    event.context().bind_to_thread().map_err(failed(what))?;
    // SAFETY: the borrow keeps the event alive during the call.
    match unsafe { function(event.cu_event()) } {
        0 => Ok(()),
        code => Err(DeviceError::Failed { what, name: name_of(code) }),
    }
}

/// Returns the driver's name for an error code.
fn name_of(code: i32) -> String {
    type GetName = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;
    let mut name = std::ptr::null();
    // SAFETY: the library is loaded, because it returned an error. The driver's manual gives the function this type. It
    // writes a pointer to a static null-terminated string, or leaves the null pointer if it does not know the code,
    // which is checked before the string is read.
    let name = unsafe {
        let get = sys::culib().get::<GetName>(b"cuGetErrorName\0");
        let known = get.is_ok_and(|get| get(code, &raw mut name) == 0) && !name.is_null();
        known.then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    };
    name.unwrap_or_else(|| format!("error {code}"))
}

/// The alignment of buffers in a reserve, in bytes.
const ALIGNMENT: usize = 256;

/// Returns the bytes that `length` values of `T` take in a reserve, rounded up to [`ALIGNMENT`].
pub(crate) fn reserved_bytes<T>(length: usize) -> usize {
    (length * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

/// An allocation of device or host memory.
struct Allocation {
    context: Arc<CudaContext>,
    address: u64,
    is_pinned: bool,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Freeing waits for all work of all queues. If it fails, so will the next call of the driver, which can report
        // it.
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: the address comes from `malloc_host` if `is_pinned`, else from `malloc_sync`, and is freed only
            // here. All users hold the allocation in an `Arc`, so none is left.
            let _ = if self.is_pinned {
                unsafe { result::free_host(ptr::with_exposed_provenance_mut(self.address as usize)) }
            } else {
                unsafe { result::free_sync(self.address) }
            };
        }
    }
}

/// Device memory to divide into buffers: many small allocations cost far more than a large one.
pub(crate) struct Reserve {
    allocation: Option<Arc<Allocation>>,
    used: usize,
    bytes: usize,
}

impl Reserve {
    /// Takes the next buffer of `length` values. Panics if the reserve is too small: see [`reserved_bytes`].
    pub(crate) fn buffer<T: Pod>(&mut self, length: usize) -> Buffer<T> {
        let first = self.used;
        self.used += reserved_bytes::<T>(length);
        assert!(self.used <= self.bytes, "the reserve is large enough for its buffers");
        let address = self.allocation.as_ref().map_or(0, |allocation| allocation.address) + first as u64;
        Buffer { _allocation: self.allocation.clone(), address, length, element: PhantomData }
    }
}

/// A buffer of `length` values in device memory.
pub(crate) struct Buffer<T> {
    _allocation: Option<Arc<Allocation>>,
    address: u64,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Returns the number of values.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns the device address of a value, for the arguments of kernels. `index` must be at most the length.
    pub(crate) fn address(&self, index: usize) -> u64 {
        debug_assert!(index <= self.length);
        self.address + (index * size_of::<T>()) as u64
    }
}

/// Pinned host memory to divide into buffers.
pub(crate) struct PinnedReserve {
    reserve: Reserve,
    order: Arc<Order>,
}

impl PinnedReserve {
    /// Takes the next buffer of `length` values. Panics if the reserve is too small: see [`reserved_bytes`].
    pub(crate) fn pinned<T: Pod>(&mut self, length: usize) -> Pinned<T> {
        let Buffer { _allocation, address, length, .. } = self.reserve.buffer::<T>(length);
        let memory = NonNull::new(ptr::with_exposed_provenance_mut(address as usize)).unwrap_or(NonNull::dangling());
        Pinned { _allocation, memory, length, order: self.order.clone(), copied: AtomicU64::new(0) }
    }
}

/// A pinned host buffer for copies from and to the device.
pub(crate) struct Pinned<T> {
    _allocation: Option<Arc<Allocation>>,
    memory: NonNull<T>,
    length: usize,
    order: Arc<Order>,
    /// The number of the last copy queued for this buffer.
    copied: AtomicU64,
}

// SAFETY: the buffer owns its part of the allocation exclusively and holds plain data; host code changes it only
// through `&mut self`.
unsafe impl<T: Pod + Send> Send for Pinned<T> {}

impl<T: Pod> Pinned<T> {
    /// Waits for all queued copies of this buffer, then returns its contents.
    pub(crate) fn wait(&mut self) -> Result<&mut [T], DeviceError> {
        self.order.wait_for(*self.copied.get_mut())?;
        // SAFETY: `memory` points to `length` values of the allocation, or dangles if `length` is 0;
        // `PinnedReserve::pinned` checked the length. The memory was zeroed, every bit pattern is a valid `Pod`, and
        // `&mut self` together with the wait excludes other accesses.
        Ok(unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.length) })
    }

    /// Returns the number of values.
    pub(crate) fn length(&self) -> usize {
        self.length
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        // The memory may be freed after this. If waiting fails, the device no longer copies anything.
        let _ = self.order.wait_for(*self.copied.get_mut());
    }
}

/// Counts the work queued in a stream, and the part known to be complete.
struct Order {
    stream: Arc<CudaStream>,
    event: CudaEvent,
    queued: AtomicU64,
    done: AtomicU64,
}

impl Order {
    /// Returns the number of the next piece of work.
    fn next(&self) -> u64 {
        self.queued.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Waits until the work with this number is complete, and with it everything queued before.
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

/// The launch dimensions of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Blocks in x and y.
    pub(crate) grid: (u32, u32),
    /// Threads per block.
    pub(crate) threads: u32,
    /// Shared memory per block, in bytes.
    pub(crate) shared: u32,
}

/// The arguments of a kernel, which takes them as one structure by value.
#[repr(transparent)]
struct ByValue<A>(A);

// SAFETY: `A` is plain data in the layout of C, and `transparent` gives the wrapper the same layout.
unsafe impl<A: Pod> DeviceRepr for ByValue<A> {}

/// A queue of work for a device; work completes in the order in which it was queued.
pub(crate) struct Queue {
    stream: Arc<CudaStream>,
    order: Arc<Order>,
}

impl Queue {
    /// Allocates uninitialised device memory, in bytes, to divide into buffers.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reserve, DeviceError> {
        let mut allocation = None;
        if bytes > 0 {
            self.bind()?;
            // SAFETY: the host never reads the memory directly; kernels and downloads read only what was written
            // before, or ignore what they read.
            let address = unsafe { result::malloc_sync(bytes) }.map_err(failed("allocating memory"))?;
            let context = self.stream.context().clone();
            allocation = Some(Arc::new(Allocation { context, address, is_pinned: false }));
        }
        Ok(Reserve { allocation, used: 0, bytes })
    }

    /// Allocates an uninitialised device buffer.
    pub(crate) fn buffer<T: Pod>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        Ok(self.reserve(reserved_bytes::<T>(length))?.buffer(length))
    }

    /// Allocates zeroed pinned host memory, in bytes, to divide into buffers.
    pub(crate) fn reserve_pinned(&self, bytes: usize) -> Result<PinnedReserve, DeviceError> {
        let mut allocation = None;
        if bytes > 0 {
            self.bind()?;
            // SAFETY: the context is bound to this thread. `malloc_host` returns a pointer aligned to a page and valid
            // for `bytes` bytes, or an error.
            let address = unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"))?;
            // SAFETY: the pointer is valid for `bytes` bytes, which were just allocated and are not shared yet.
            unsafe { address.cast::<u8>().write_bytes(0, bytes) };
            let (context, address) = (self.stream.context().clone(), address.expose_provenance() as u64);
            allocation = Some(Arc::new(Allocation { context, address, is_pinned: true }));
        }
        let reserve = Reserve { allocation, used: 0, bytes };
        Ok(PinnedReserve { reserve, order: self.order.clone() })
    }

    /// Allocates a zeroed pinned host buffer.
    pub(crate) fn pinned<T: Pod>(&self, length: usize) -> Result<Pinned<T>, DeviceError> {
        Ok(self.reserve_pinned(reserved_bytes::<T>(length))?.pinned(length))
    }

    /// Makes a device buffer with these values, and waits until they are uploaded.
    pub(crate) fn filled<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, DeviceError> {
        let buffer = self.buffer(values.len())?;
        self.copy_up(bytemuck::cast_slice(values), buffer.address(0))?;
        self.wait()?;
        Ok(buffer)
    }

    /// Queues a copy of the first `count` values to the start of a buffer.
    pub(crate) fn upload<T: Pod>(&self, from: &Pinned<T>, count: usize, to: &mut Buffer<T>) -> Result<(), DeviceError> {
        assert!(count <= from.length() && count <= to.length() && Arc::ptr_eq(&self.order, &from.order));
        // SAFETY: the assertion keeps `count` within the pinned memory. `T` is `Pod`, so its bytes are initialised;
        // every later access of the host waits for the copy.
        let bytes = unsafe { slice::from_raw_parts(from.memory.as_ptr().cast::<u8>(), count * size_of::<T>()) };
        self.copy_up(bytes, to.address(0))?;
        from.copied.store(self.order.next(), Ordering::Relaxed);
        Ok(())
    }

    fn copy_up(&self, bytes: &[u8], to: u64) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: both callers checked that the target has room for `bytes`. A pinned source is not changed or freed
        // before the copy is complete, because `Pinned` waits for it; a pageable source has been read when the call
        // returns.
        unsafe { result::memcpy_htod_async(to, bytes, self.stream.cu_stream()) }
            .map_err(failed("copying to the device"))
    }

    /// Queues a copy of a range of a buffer to the same range of a pinned buffer.
    pub(crate) fn download<T: Pod>(
        &self,
        from: &Buffer<T>,
        range: Range<usize>,
        to: &mut Pinned<T>,
    ) -> Result<(), DeviceError> {
        assert!(range.end <= from.length() && range.end <= to.length() && Arc::ptr_eq(&self.order, &to.order));
        self.bind()?;
        // SAFETY: the assertion keeps the range within both buffers, and their lengths are equal. `Pinned` waits for
        // the copy before it gives access to the target.
        let copied = unsafe {
            let target = slice::from_raw_parts_mut(to.memory.as_ptr().add(range.start), range.len());
            result::memcpy_dtoh_async(target, from.address(range.start), self.stream.cu_stream())
        };
        copied.map_err(failed("copying from the device"))?;
        *to.copied.get_mut() = self.order.next();
        Ok(())
    }

    /// Queues filling a range of a buffer with zeros.
    pub(crate) fn clear<T: Pod>(&self, buffer: &mut Buffer<T>, range: Range<usize>) -> Result<(), DeviceError> {
        assert!(range.end <= buffer.length());
        self.bind()?;
        let bytes = range.len() * size_of::<T>();
        // SAFETY: the assertion keeps the range within the buffer.
        unsafe { result::memset_d8_async(buffer.address(range.start), 0, bytes, self.stream.cu_stream()) }
            .map_err(failed("clearing memory"))
    }

    /// Queues a launch of a kernel.
    ///
    /// The caller must fulfil the kernel's contract: all addresses in `arguments` are device addresses of buffers at
    /// least as long as the contract says, and the buffers live until the queue has completed the launch.
    pub(crate) fn launch<A: Pod>(&self, kernel: &Kernel, shape: Shape, arguments: &A) -> Result<(), DeviceError> {
        let arguments = ByValue(*arguments);
        let config = LaunchConfig {
            grid_dim: (shape.grid.0, shape.grid.1, 1),
            block_dim: (shape.threads, 1, 1),
            shared_mem_bytes: shape.shared,
        };
        let mut launch = self.stream.launch_builder(&kernel.function);
        launch.arg(&arguments);
        // SAFETY: the kernel takes one structure of this type; the tests in abi.rs compare its size with the kernel's
        // source. The caller fulfils the kernel's contract, as stated above.
        unsafe { launch.launch(config) }.map(drop).map_err(failed("launching a kernel"))
    }

    /// Waits until everything queued so far is complete.
    pub(crate) fn wait(&self) -> Result<(), DeviceError> {
        self.order.wait_for(self.order.next())
    }

    /// Makes the device's context current in the calling thread.
    fn bind(&self) -> Result<(), DeviceError> {
        self.stream.context().bind_to_thread().map_err(failed("entering the device's context"))
    }
}
