//! Probes for the driver, opens devices, and loads kernels into them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytemuck::Pod;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;

use super::error::failed;
use crate::DeviceError;
use crate::modules::Module;

/// The oldest supported driver version. It is the first that can compile the shipped PTX.
const MIN_DRIVER: i32 = 12_000;

/// The properties of a device that the engine depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The driver's number for the device, from 0.
    pub ordinal: usize,
    pub name: String,
    /// The major and minor number of the compute capability.
    pub capability: (i32, i32),
    pub multiprocessors: usize,
    /// Maximum shared memory of a block, in bytes.
    pub shared_bytes: usize,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { ordinal, name, capability: (major, minor), .. } = self;
        write!(f, "device {ordinal}: {name}, compute capability {major}.{minor}")
    }
}

/// Returns the number of devices, which is at least 1.
///
/// # Errors
/// Fails if there is no driver, or if it is too old or reports no device.
pub fn count() -> Result<usize, DeviceError> {
    type WithFlags = unsafe extern "C" fn(u32) -> i32;
    type GivesNumber = unsafe extern "C" fn(*mut i32) -> i32;
    // SAFETY: loading a library runs its initialisers. This is the system's driver, which is made to be loaded by any
    // program.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    // SAFETY: `is_culib_present` just found the library, so loading it succeeds.
    let library = unsafe { sys::culib() };
    let missing = |_| DeviceError::NoDriver;
    // SAFETY: the driver's manual gives the function this type, since the first version.
    let init = unsafe { library.get::<WithFlags>(b"cuInit\0") }.map_err(missing)?;
    // SAFETY: the driver's manual gives the function this type, since the first version.
    let get_version = unsafe { library.get::<GivesNumber>(b"cuDriverGetVersion\0") }.map_err(missing)?;
    // SAFETY: the driver's manual gives the function this type, since the first version.
    let get_count = unsafe { library.get::<GivesNumber>(b"cuDeviceGetCount\0") }.map_err(missing)?;
    let (mut version, mut count) = (0, 0);
    // SAFETY: the function may be called before `cuInit`, and writes one `i32`, which lives until it returns.
    let known = unsafe { get_version(&raw mut version) } == 0;
    // The driver reports its version even if there is no device.
    if known && version < MIN_DRIVER {
        return Err(DeviceError::OldDriver { version });
    }
    // SAFETY: 0 is the value of the flags that the manual requires. Any thread may call the function, any number of
    // times.
    match unsafe { init(0) } {
        0 => {}
        100 => return Err(DeviceError::NoDevice),
        code => return Err(DeviceError::of_code("cuInit", code)),
    }
    // SAFETY: `cuInit` has succeeded. The function writes one `i32`, which lives until it returns.
    match unsafe { get_count(&raw mut count) } {
        0 if count > 0 => Ok(count as usize),
        0 => Err(DeviceError::NoDevice),
        code => Err(DeviceError::of_code("cuDeviceGetCount", code)),
    }
}

/// A device, and the kernels loaded into it.
pub struct Device {
    pub(super) context: Arc<CudaContext>,
    facts: Facts,
    kernels: Mutex<Kernels>,
}

/// The loaded modules, keyed by name, and their kernels, keyed by the names of the module and the kernel.
#[derive(Default)]
struct Kernels {
    modules: HashMap<&'static str, Arc<CudaModule>>,
    functions: HashMap<(&'static str, &'static str), CudaFunction>,
}

/// The name of a kernel, and the structure that it takes as its argument.
///
/// # Safety
/// The kernel `NAME` of every module takes one argument, by value, which has the layout of `Arguments`.
pub unsafe trait KernelSignature {
    type Arguments: Pod;
    const NAME: &'static str;
}

/// A kernel that is loaded into a device.
pub struct Kernel<E> {
    pub(super) function: CudaFunction,
    entry: PhantomData<E>,
}

/// The result of opening a device; empty until a thread has tried to open it.
type OpenedDevice = Arc<OnceLock<Result<Arc<Device>, DeviceError>>>;

/// All devices that were asked for so far, keyed by ordinal. They stay open, because opening one takes longer than most
/// searches.
static OPENED: Mutex<BTreeMap<usize, OpenedDevice>> = Mutex::new(BTreeMap::new());

impl Device {
    /// Opens a device, or returns it if it is open. Threads that ask for a device while another thread opens it wait.
    /// The device must exist: see [`count`].
    pub fn open(ordinal: usize) -> Result<Arc<Device>, DeviceError> {
        let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner).entry(ordinal).or_default().clone();
        opened.get_or_init(|| Device::new(ordinal).map(Arc::new)).clone()
    }

    fn new(ordinal: usize) -> Result<Device, DeviceError> {
        let context = CudaContext::new(ordinal).map_err(failed("opening the device"))?;
        // SAFETY: event tracking orders accesses of one buffer from several streams. Each buffer here is used by one
        // queue only, or is read-only once `filled` has waited for its upload; host memory is guarded by the numbers in
        // `QueueOrder`.
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

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns a kernel of a module, and loads the module if necessary. Launches of the kernel may use all shared
    /// memory of a block.
    pub fn kernel<E: KernelSignature>(&self, module: &Module) -> Result<Kernel<E>, DeviceError> {
        Ok(Kernel { function: self.function(module, E::NAME)?, entry: PhantomData })
    }

    fn function(&self, module: &Module, name: &'static str) -> Result<CudaFunction, DeviceError> {
        let Kernels { modules, functions } = &mut *self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(&(module.name, name)) {
            return Ok(function.clone());
        }
        let failed = failed("loading a kernel");
        let loaded = match modules.entry(module.name) {
            Entry::Occupied(loaded) => loaded.into_mut(),
            Entry::Vacant(place) => place.insert(self.load(module).map_err(&failed)?),
        };
        let function = loaded.load_function(name).map_err(&failed)?;
        let max_shared = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function.set_attribute(max_shared, self.facts.shared_bytes as i32).map_err(&failed)?;
        functions.insert((module.name, name), function.clone());
        Ok(function)
    }

    /// Loads the native code of a module. If there is none, or if the driver does not accept it, the driver compiles
    /// the PTX.
    fn load(&self, module: &Module) -> Result<Arc<CudaModule>, DriverError> {
        let native = module.native(self.facts.capability).map(Ptx::from_binary);
        match native.map(|code| self.context.load_module(code)) {
            Some(Ok(loaded)) => Ok(loaded),
            Some(Err(_)) | None => self.context.load_module(Ptx::from_src(module.ptx())),
        }
    }
}
