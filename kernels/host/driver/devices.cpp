// The driver itself, its devices, and their contexts.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "api.h"
#include "state.h"

using namespace standin;

struct Name {
    Code code;
    const char* name;
};

static constexpr Name NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
    {UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
    {NOT_READY, "CUDA_ERROR_NOT_READY"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
};

Code cuInit(unsigned flags) {
    Driver& state = driver();
    const std::lock_guard<std::mutex> only(state.mutex);
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
    const auto has_code = [&](const Name& own) { return own.code == code; };
    const Name* const found = std::find_if(std::begin(NAMES), std::end(NAMES), has_code);
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

// Makes a call for a device, by its number.
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
    {1, 1024},        // threads of a block
    {2, 1024},        // and in each direction
    {3, 1024},
    {4, 64},
    {5, 2147483647},  // blocks of a grid in each direction
    {6, 65535},
    {7, 65535},
    {8, SHARED_BYTES},
    {10, WARP_THREADS},
    {12, 65536},      // registers of a block
    {MULTIPROCESSOR_COUNT, 4},
    {18, 0},          // integrated
    {19, 1},          // maps memory of the host
    {20, 0},          // for everybody
    {31, 1},          // several kernels at once
    {38, 1 << 20},    // bytes of its cache
    {39, MULTIPROCESSOR_THREADS},
    {40, 2},          // engines that copy
    {41, 1},          // addresses are the host's
    {COMPUTE_CAPABILITY_MAJOR, 9},
    {COMPUTE_CAPABILITY_MINOR, 0},
    {81, MULTIPROCESSOR_SHARED_BYTES},
    {82, 65536},      // registers of a multiprocessor
    {97, MOST_SHARED_BYTES},
    {106, 32},        // blocks of a multiprocessor
    {111, 1024},      // bytes of shared memory of a block that the driver keeps
    {MEMORY_POOLS_SUPPORTED, 0},
};

Code cuDeviceGetAttribute(int* value, int attribute, int device) {
    return call_for_device(device, [&](Driver&, int) -> Code {
        for (const Attribute& own : ATTRIBUTES) {
            if (own.attribute == attribute) {
                *value = own.value;
                return SUCCESS;
            }
        }
        stop("attribute %d of devices is not in kernels/host/driver/devices.cpp", attribute);
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
        Device& own = driver.devices[static_cast<std::size_t>(device)];
        if (own.primary == nullptr) {
            own.primary = new Context{device, own.error, 0, nullptr};
            own.primary->default_stream = driver.schedule.create(own.primary, 0);
            driver.contexts.insert(own.primary);
        }
        ++own.primary->retained;
        *context = own.primary;
        return SUCCESS;
    });
}

// Frees all that a context has. The context itself stays, so that no other gets its address.
static void destroy(Driver& driver, Context* context) {
    driver.schedule.run_all(context);
    driver.schedule.forget(context);
    driver.on_devices.check_all("end of a context");
    driver.on_devices.free_all(context);
    driver.pinned.free_all(context);
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
        Device& own = driver.devices[static_cast<std::size_t>(device)];
        if (own.primary == nullptr) {
            return INVALID_CONTEXT;
        }
        if (--own.primary->retained == 0) {
            destroy(driver, own.primary);
            own.error = own.primary->error;
            own.primary = nullptr;
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
