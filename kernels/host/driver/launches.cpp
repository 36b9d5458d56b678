// Modules, their functions, and launches.
//
// Beyond what a driver reports, the process ends with a message if a kernel has written outside of its memory, or is given memory
// of another context.
#include <cstring>
#include <vector>

#include "api.h"
#include "state.h"

using namespace standin;

Code cuModuleLoadData(Module** module, const void* image) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        auto made = std::make_unique<Module>();
        made->context = &context;
        made->text = static_cast<const char*>(image);
        if (driver.settings.load_fails || !read_head(*made)) {
            return INVALID_PTX;
        }
        if (needed_driver(*made) > driver.settings.driver) {
            return UNSUPPORTED_PTX_VERSION;
        }
        *module = made.get();
        driver.modules[made.get()] = std::move(made);
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
            case MOST_THREADS_PER_BLOCK: *value = static_cast<int>(function.most_threads); return SUCCESS;
            case MOST_DYNAMIC_SHARED_BYTES: *value = static_cast<int>(function.shared_bytes); return SUCCESS;
            default: stop("attribute %d of functions is not in kernels/host/driver/launches.cpp", attribute);
        }
    });
}

Code cuFuncSetAttribute(Function* function, int attribute, int value) {
    return call_for_function(function, [&](Function& function) -> Code {
        if (attribute != MOST_DYNAMIC_SHARED_BYTES) {
            return SUCCESS;
        }
        if (value < 0 || static_cast<unsigned>(value) > MOST_SHARED_BYTES) {
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

struct Launch {
    const Kernel* kernel;
    Geometry geometry;
    std::uint64_t seed;
    // As the caller had them, wherever those are now.
    std::vector<std::uint64_t> arguments;

    Code run(const Driver& driver) const {
        run_kernel(*kernel, geometry, seed, arguments.data());
        driver.on_devices.check_all(kernel->name);
        driver.pinned.check_all(kernel->name);
        return SUCCESS;
    }

    // A device does not reach into the memory of another.
    void check_pointers(const Driver& driver, const Context* context) const {
        for (const std::uint64_t word : arguments) {
            const Allocation* const pointed = driver.on_devices.around(reinterpret_cast<const void*>(word));
            if (pointed != nullptr && pointed->context != context) {
                stop("'%s' is given memory of another context", kernel->name);
            }
        }
    }
};

static Code check(const Function& function, const Geometry& geometry) {
    const unsigned long long blocks = 1ull * geometry.blocks_x * geometry.blocks_y;
    const unsigned long long threads = 1ull * geometry.threads_x * geometry.threads_y;
    const bool is_there = blocks > 0 && geometry.blocks_y < 65536 && threads > 0 && threads <= 1024;
    if (!is_there || geometry.shared > function.shared_bytes) {
        return INVALID_VALUE;
    }
    return threads > function.most_threads ? LAUNCH_OUT_OF_RESOURCES : SUCCESS;
}

static Code submit(Driver& driver, const Function& function, const std::shared_ptr<Stream>& stream, Launch launch) {
    if (const Code code = check(function, launch.geometry); code != SUCCESS) {
        return code;
    }
    launch.check_pointers(driver, stream->context);
    const bool fails = driver.settings.launch.strikes();
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
        stop("grids and blocks have two dimensions here, and kernels take their arguments as parameters");
    }
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        const Function* const own = find(driver, stream->context, function);
        if (own == nullptr) {
            return INVALID_HANDLE;
        }
        Launch launch{own->kernel, {grid_x, grid_y, block_x, block_y, shared}, driver.schedule.number(), {}};
        launch.arguments.resize((own->kernel->bytes + 7) / 8);
        std::memcpy(launch.arguments.data(), parameters[0], own->kernel->bytes);
        return submit(driver, *own, stream, std::move(launch));
    });
}
