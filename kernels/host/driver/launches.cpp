// Modules, functions and launches.
//
// Two faults that a real driver may not report end the process with a message: a kernel that wrote outside its allocations, and a kernel
// that gets a pointer to memory of another context.
#include <cstring>
#include <vector>

#include "api.h"
#include "state.h"

using namespace standin;

Code cuModuleLoadData(Module** module, const void* image) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        auto loaded = std::make_unique<Module>();
        loaded->context = &context;
        loaded->text = static_cast<const char*>(image);
        if (loaded->text.compare(0, 4, "\x7f" "ELF") == 0) {
            return NO_BINARY_FOR_GPU;
        }
        if (driver.settings.load_fails || !parse_header(*loaded)) {
            return INVALID_PTX;
        }
        if (required_driver(*loaded) > driver.settings.driver) {
            return UNSUPPORTED_PTX_VERSION;
        }
        *module = loaded.get();
        driver.modules[loaded.get()] = std::move(loaded);
        return SUCCESS;
    });
}

Code cuModuleUnload(Module* module) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        driver.schedule.run_all(&context);
        return driver.modules.erase(module) == 1 ? context.error : INVALID_HANDLE;
    });
}

Code cuModuleGetFunction(Function** function, Module* module, const char* name) {
    return call_in_context([&](Driver& driver, Context&) -> Code {
        if (driver.modules.count(module) == 0) {
            return INVALID_HANDLE;
        }
        *function = find_function(*module, name);
        return *function == nullptr ? NOT_FOUND : SUCCESS;
    });
}

Code cuFuncGetAttribute(int* value, int attribute, Function* function) {
    return call_for_function(function, [&](Function& function) -> Code {
        switch (attribute) {
            case MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function.max_threads); return SUCCESS;
            case MAX_DYNAMIC_SHARED_BYTES: *value = static_cast<int>(function.shared_bytes); return SUCCESS;
            default: stop("function attribute %d is unknown; add it to kernels/host/driver/launches.cpp", attribute);
        }
    });
}

Code cuFuncSetAttribute(Function* function, int attribute, int value) {
    return call_for_function(function, [&](Function& function) -> Code {
        if (attribute != MAX_DYNAMIC_SHARED_BYTES) {
            return SUCCESS;
        }
        if (value < 0 || static_cast<unsigned>(value) > MAX_SHARED_BYTES) {
            return INVALID_VALUE;
        }
        function.shared_bytes = static_cast<unsigned>(value);
        return SUCCESS;
    });
}

Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads, std::size_t shared) {
    return call_for_function(function, [&](Function& function) -> Code {
        *blocks = resident_blocks(function, static_cast<unsigned>(threads), shared);
        return SUCCESS;
    });
}

Code cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function* function, int threads,
                                                          std::size_t shared, unsigned) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

// A queued launch.
struct Launch {
    const Kernel* kernel;
    Geometry geometry;
    std::uint64_t seed;
    // A copy: the caller may change or free its arguments before the kernel runs.
    std::vector<std::uint64_t> arguments;

    // Runs the kernel, then checks the guards of all allocations.
    Code run(const Driver& driver) const {
        run_kernel(*kernel, geometry, seed, arguments.data());
        driver.device_memory.check_all(kernel->name);
        driver.pinned_memory.check_all(kernel->name);
        return SUCCESS;
    }

    // Stops if an argument points into memory of another context. Such memory may be on another device.
    void check_pointers(const Driver& driver, const Context* context) const {
        for (const std::uint64_t word : arguments) {
            const Allocation* const target = driver.device_memory.containing(reinterpret_cast<const void*>(word));
            if (target != nullptr && target->context != context) {
                stop("an argument of '%s' points to memory of another context", kernel->name);
            }
        }
    }
};

// Checks a launch against the limits of the device and of the function.
static Code check(const Function& function, const Geometry& geometry) {
    const unsigned long long blocks = 1ull * geometry.blocks_x * geometry.blocks_y;
    const unsigned long long threads = 1ull * geometry.threads_x * geometry.threads_y;
    const bool is_valid = blocks > 0 && geometry.blocks_y < 65536 && threads > 0 && threads <= 1024;
    if (!is_valid || geometry.shared > function.shared_bytes) {
        return INVALID_VALUE;
    }
    return threads > function.max_threads ? LAUNCH_OUT_OF_RESOURCES : SUCCESS;
}

static Code submit(Driver& driver, const Function& function, const std::shared_ptr<Stream>& stream, Launch launch) {
    if (const Code code = check(function, launch.geometry); code != SUCCESS) {
        return code;
    }
    launch.check_pointers(driver, stream->context);
    const bool fails = driver.settings.launch.fires();
    driver.schedule.submit(stream, [&driver, fails, launch = std::move(launch)] {
        return fails ? ILLEGAL_ADDRESS : launch.run(driver);
    });
    driver.after_submission();
    return SUCCESS;
}

Code cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, unsigned block_z, unsigned shared, Stream* stream, void** parameters,
                    void** extra) {
    if (grid_z != 1 || block_z != 1 || extra != nullptr) {
        stop("cuLaunchKernel: supports grids and blocks of two dimensions, and arguments in kernelParams only");
    }
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        const Function* const found = find(driver, stream->context, function);
        if (found == nullptr) {
            return INVALID_HANDLE;
        }
        Launch launch{found->kernel, {grid_x, grid_y, block_x, block_y, shared}, driver.schedule.next_random(), {}};
        launch.arguments.resize((found->kernel->bytes + 7) / 8);
        std::memcpy(launch.arguments.data(), parameters[0], found->kernel->bytes);
        return submit(driver, *found, stream, std::move(launch));
    });
}
