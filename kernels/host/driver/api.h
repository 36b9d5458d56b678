// A stand-in for libcuda: the functions of the CUDA driver that nigh calls, with the names that libcuda exports.
//
// devices.cpp, streams.cpp, memory.cpp and launches.cpp define them. Kernels run on the host from their real source (kernels.cpp).
// Queued work runs when a caller waits for it (streams.h). Memory starts as noise between guards (memory.h). The environment selects
// failures (settings.h).
#pragma once

#include <cstddef>

namespace standin {

struct Context;
struct Stream;
struct Event;
struct Module;
struct Function;

using Code = unsigned;
using Address = unsigned long long;

constexpr Code SUCCESS = 0;
constexpr Code INVALID_VALUE = 1;
constexpr Code OUT_OF_MEMORY = 2;
constexpr Code NOT_INITIALIZED = 3;
constexpr Code NO_DEVICE = 100;
constexpr Code INVALID_DEVICE = 101;
constexpr Code INVALID_CONTEXT = 201;
constexpr Code NO_BINARY_FOR_GPU = 209;
constexpr Code INVALID_PTX = 218;
constexpr Code UNSUPPORTED_PTX_VERSION = 222;
constexpr Code INVALID_HANDLE = 400;
constexpr Code NOT_FOUND = 500;
constexpr Code NOT_READY = 600;
constexpr Code ILLEGAL_ADDRESS = 700;
constexpr Code LAUNCH_OUT_OF_RESOURCES = 701;
constexpr Code ALREADY_LOCKED = 712;
constexpr Code NOT_LOCKED = 713;
constexpr Code LAUNCH_FAILED = 719;
// A code that CUresult does not have.
constexpr Code UNLISTED_ERROR = 9999;

// Attributes of devices.
constexpr int MULTIPROCESSOR_COUNT = 16;
constexpr int COMPUTE_CAPABILITY_MAJOR = 75;
constexpr int COMPUTE_CAPABILITY_MINOR = 76;
constexpr int MEMORY_POOLS_SUPPORTED = 115;

// Attributes of functions.
constexpr int MAX_THREADS_PER_BLOCK = 0;
constexpr int MAX_DYNAMIC_SHARED_BYTES = 8;

// Flags of streams and events.
constexpr unsigned NON_BLOCKING = 1;
constexpr unsigned DISABLE_TIMING = 2;

}  // namespace standin

#pragma GCC visibility push(default)
extern "C" {

using standin::Address;
using standin::Code;
using standin::Context;
using standin::Event;
using standin::Function;
using standin::Module;
using standin::Stream;

Code cuInit(unsigned flags);
Code cuDriverGetVersion(int* version);
Code cuGetErrorName(Code code, const char** name);
Code cuGetErrorString(Code code, const char** text);

Code cuDeviceGetCount(int* count);
Code cuDeviceGet(int* device, int ordinal);
Code cuDeviceGetName(char* name, int length, int device);
Code cuDeviceGetAttribute(int* value, int attribute, int device);
Code cuDeviceTotalMem_v2(std::size_t* bytes, int device);
Code cuDeviceGetUuid(unsigned char* uuid, int device);
Code cuDeviceGetUuid_v2(unsigned char* uuid, int device);

Code cuDevicePrimaryCtxRetain(Context** context, int device);
Code cuDevicePrimaryCtxRelease_v2(int device);
Code cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
Code cuCtxSetCurrent(Context* context);
Code cuCtxGetCurrent(Context** context);
Code cuCtxGetDevice(int* device);
Code cuCtxSetFlags(unsigned flags);
Code cuCtxGetStreamPriorityRange(int* least, int* greatest);
Code cuCtxSynchronize();

Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total);
Code cuMemAlloc_v2(Address* address, std::size_t bytes);
Code cuMemFree_v2(Address address);
Code cuMemAllocAsync(Address* address, std::size_t bytes, Stream* stream);
Code cuMemFreeAsync(Address address, Stream* stream);
Code cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
Code cuMemFreeHost(void* pointer);
Code cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags);
Code cuMemHostUnregister(void* pointer);

Code cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
Code cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);
Code cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes);
Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream* stream);
Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream* stream);
Code cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream* stream);
Code cuMemsetD8_v2(Address to, unsigned char value, std::size_t count);
Code cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream* stream);
Code cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream* stream);

Code cuStreamCreate(Stream** stream, unsigned flags);
Code cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority);
Code cuStreamDestroy_v2(Stream* stream);
Code cuStreamSynchronize(Stream* stream);
Code cuStreamQuery(Stream* stream);
Code cuStreamWaitEvent(Stream* stream, Event* event, unsigned flags);
Code cuEventCreate(Event** event, unsigned flags);
Code cuEventDestroy_v2(Event* event);
Code cuEventRecord(Event* event, Stream* stream);
Code cuEventQuery(Event* event);
Code cuEventSynchronize(Event* event);
Code cuEventElapsedTime(float* milliseconds, Event* from, Event* to);
Code cuEventElapsedTime_v2(float* milliseconds, Event* from, Event* to);

Code cuModuleLoadData(Module** module, const void* image);
Code cuModuleUnload(Module* module);
Code cuModuleGetFunction(Function** function, Module* module, const char* name);
Code cuFuncGetAttribute(int* value, int attribute, Function* function);
Code cuFuncSetAttribute(Function* function, int attribute, int value);
Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads, std::size_t shared);
Code cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function* function, int threads,
                                                          std::size_t shared, unsigned flags);
Code cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, unsigned block_z, unsigned shared, Stream* stream, void** parameters,
                    void** extra);

}  // extern "C"
#pragma GCC visibility pop
