// Initialization, error names, devices and contexts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "api.h"
#include "state.h"

using namespace standin;

struct ErrorName {
    Code code;
    const char* name;
};

static constexpr ErrorName NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {NOT_READY, "CUDA_ERROR_NOT_READY"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
};

// Stops the process at its end if it had too little work in flight.
static void check_in_flight() {
    const Driver& state = driver();
    if (state.most_in_flight < state.settings.in_flight) {
        stop("no thread had work on more than %zu streams at once", static_cast<std::size_t>(state.most_in_flight));
    }
}

Code cuInit(unsigned flags) {
    Driver& state = driver();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (state.settings.in_flight > 0 && !state.is_initialized) {
        std::atexit(check_in_flight);
    }
    if (state.settings.init_fails) {
        return NO_DEVICE;
    }
    state.is_initialized = flags == 0;
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

Code cuDriverGetVersion(int* version) {
    *version = static_cast<int>(driver().settings.driver);
    return SUCCESS;
}

Code cuGetErrorName(Code code, const char** name) {
    const auto has_code = [&](const ErrorName& entry) { return entry.code == code; };
    const ErrorName* const found = std::find_if(std::begin(NAMES), std::end(NAMES), has_code);
    *name = found == std::end(NAMES) ? nullptr : found->name;
    return found == std::end(NAMES) ? INVALID_VALUE : SUCCESS;
}

Code cuGetErrorString(Code code, const char** text) {
    return cuGetErrorName(code, text);
}

Code cuDeviceGetCount(int* count) {
    return call([&](Driver& driver) -> Code {
        *count = static_cast<int>(driver.devices.size());
        return SUCCESS;
    });
}

// Runs `body` for a device number. Returns INVALID_DEVICE if there is no such device.
template <typename Body>
static Code call_for_device(int device, Body body) {
    return call([&](Driver& driver) -> Code { return driver.has(device) ? body(driver, device) : INVALID_DEVICE; });
}

Code cuDeviceGet(int* device, int ordinal) {
    return call_for_device(ordinal, [&](Driver&, int) -> Code {
        *device = ordinal;
        return SUCCESS;
    });
}

Code cuDeviceGetName(char* name, int length, int device) {
    return call_for_device(device, [&](Driver&, int) -> Code {
        std::snprintf(name, static_cast<std::size_t>(length), "stand-in %d", device);
        return SUCCESS;
    });
}

struct Attribute {
    int attribute;
    int value;
};

static constexpr Attribute ATTRIBUTES[] = {
    {1, 1024},        // maximum threads of a block
    {2, 1024},        // maximum threads of a block in x, y and z
    {3, 1024},
    {4, 64},
    {5, 2147483647},  // maximum blocks of a grid in x, y and z
    {6, 65535},
    {7, 65535},
    {8, SHARED_BYTES},
    {10, WARP_THREADS},
    {12, 65536},      // maximum registers of a block
    {MULTIPROCESSOR_COUNT, 4},
    {18, 0},          // is integrated: no
    {19, 1},          // can map host memory: yes
    {20, 0},          // compute mode: default, shared by processes
    {31, 1},          // runs kernels concurrently: yes
    {38, 1 << 20},    // bytes of L2 cache
    {39, MULTIPROCESSOR_THREADS},
    {40, 2},          // asynchronous copy engines
    {41, 1},          // unified addressing: yes
    {COMPUTE_CAPABILITY_MAJOR, 9},
    {COMPUTE_CAPABILITY_MINOR, 0},
    {81, MULTIPROCESSOR_SHARED_BYTES},
    {82, 65536},      // registers of a multiprocessor
    {97, MAX_SHARED_BYTES},
    {106, 32},        // maximum resident blocks of a multiprocessor
    {111, 1024},      // bytes of shared memory that the driver reserves in each block
    {MEMORY_POOLS_SUPPORTED, 0},
};

Code cuDeviceGetAttribute(int* value, int attribute, int device) {
    return call_for_device(device, [&](Driver&, int) -> Code {
        for (const Attribute& known : ATTRIBUTES) {
            if (known.attribute == attribute) {
                *value = known.value;
                return SUCCESS;
            }
        }
        stop("device attribute %d is unknown; add it to kernels/host/driver/devices.cpp", attribute);
    });
}

Code cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
    return call_for_device(device, [&](Driver& driver, int) -> Code {
        *bytes = driver.settings.memory;
        return SUCCESS;
    });
}

Code cuDeviceGetUuid(unsigned char* uuid, int device) {
    return call_for_device(device, [&](Driver&, int) -> Code {
        std::fill(uuid, uuid + 16, static_cast<unsigned char>(device));
        return SUCCESS;
    });
}

Code cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
    return cuDeviceGetUuid(uuid, device);
}

// Contexts.

Code cuDevicePrimaryCtxRetain(Context** context, int device) {
    return call_for_device(device, [&](Driver& driver, int) -> Code {
        Device& owner = driver.devices[static_cast<std::size_t>(device)];
        if (owner.primary == nullptr) {
            owner.primary = new Context{device, owner.error, 0, nullptr};
            owner.primary->default_stream = driver.schedule.create(owner.primary, 0);
            driver.contexts.insert(owner.primary);
        }
        ++owner.primary->retained;
        *context = owner.primary;
        return SUCCESS;
    });
}

// Frees everything that belongs to a context, except the Context itself, so that no later context gets its address.
static void destroy(Driver& driver, Context* context) {
    driver.schedule.run_all(context);
    driver.schedule.remove_streams(context);
    driver.device_memory.check_all("release of a context");
    driver.device_memory.free_all(context);
    driver.pinned_memory.free_all(context);
    for (auto at = driver.modules.begin(); at != driver.modules.end();) {
        at = at->first->context == context ? driver.modules.erase(at) : std::next(at);
    }
    for (auto at = driver.events.begin(); at != driver.events.end();) {
        at = at->first->context == context ? driver.events.erase(at) : std::next(at);
    }
    context->default_stream = nullptr;
    driver.contexts.erase(context);
}

Code cuDevicePrimaryCtxRelease_v2(int device) {
    return call_for_device(device, [&](Driver& driver, int) -> Code {
        Device& owner = driver.devices[static_cast<std::size_t>(device)];
        if (owner.primary == nullptr) {
            return INVALID_CONTEXT;
        }
        if (--owner.primary->retained == 0) {
            destroy(driver, owner.primary);
            owner.error = owner.primary->error;
            owner.primary = nullptr;
        }
        return SUCCESS;
    });
}

Code cuDevicePrimaryCtxSetFlags_v2(int device, unsigned) {
    return call_for_device(device, [](Driver&, int) -> Code { return SUCCESS; });
}

Code cuCtxSetCurrent(Context* context) {
    return call([&](Driver& driver) -> Code {
        if (context != nullptr && driver.contexts.count(context) == 0) {
            return INVALID_CONTEXT;
        }
        current_context = context;
        return SUCCESS;
    });
}

Code cuCtxGetCurrent(Context** context) {
    return call([&](Driver&) -> Code {
        *context = current_context;
        return SUCCESS;
    });
}

Code cuCtxGetDevice(int* device) {
    return call_in_context([&](Driver&, Context& context) -> Code {
        *device = context.device;
        return SUCCESS;
    });
}

Code cuCtxSetFlags(unsigned) {
    return call_in_context([](Driver&, Context&) -> Code { return SUCCESS; });
}

Code cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return call_in_context([&](Driver&, Context&) -> Code {
        *least = 0;
        *greatest = -5;
        return SUCCESS;
    });
}

Code cuCtxSynchronize() {
    return call_in_context([](Driver& driver, Context& context) -> Code { return driver.wait_for_all(context); });
}
