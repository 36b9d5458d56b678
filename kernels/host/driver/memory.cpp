// Device memory and pinned host memory, copies and fills.
#include <algorithm>
#include <cstring>
#include <vector>

#include "api.h"
#include "state.h"

using namespace standin;

static void* pointer(Address address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        *total = driver.settings.memory;
        *free = *total - driver.device_memory.bytes_of(&context);
        return SUCCESS;
    });
}

Code cuMemAlloc_v2(Address* address, std::size_t bytes) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        if (bytes == 0) {
            return INVALID_VALUE;
        }
        const bool fits = bytes <= driver.settings.memory - driver.device_memory.bytes_of(&context);
        if (driver.settings.alloc.fires() || !fits) {
            return OUT_OF_MEMORY;
        }
        void* const memory = driver.device_memory.allocate(bytes, &context);
        *address = reinterpret_cast<std::uintptr_t>(memory);
        return memory == nullptr ? OUT_OF_MEMORY : SUCCESS;
    });
}

// Waits for all work of the context first, as the real driver does.
Code cuMemFree_v2(Address address) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        driver.schedule.run_all(&context);
        const bool freed = address == 0 || driver.device_memory.free(pointer(address), "cuMemFree");
        return context.error != SUCCESS ? context.error : freed ? SUCCESS : INVALID_VALUE;
    });
}

Code cuMemAllocAsync(Address* address, std::size_t bytes, Stream*) {
    return cuMemAlloc_v2(address, bytes);
}

Code cuMemFreeAsync(Address address, Stream* stream) {
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        if (driver.device_memory.containing(pointer(address)) == nullptr) {
            return INVALID_VALUE;
        }
        driver.schedule.submit(stream, [&driver, address] {
            return driver.device_memory.free(pointer(address), "cuMemFreeAsync") ? SUCCESS : INVALID_VALUE;
        });
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        if (bytes == 0) {
            return INVALID_VALUE;
        }
        *pointer = driver.settings.pinned.fires() ? nullptr : driver.pinned_memory.allocate(bytes, &context);
        return *pointer == nullptr ? OUT_OF_MEMORY : SUCCESS;
    });
}

Code cuMemFreeHost(void* pointer) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        // Work of every context may use pinned memory.
        for (const Context* const user : driver.contexts) {
            driver.schedule.run_all(user);
        }
        const bool freed = driver.pinned_memory.free(pointer, "cuMemFreeHost");
        return context.error != SUCCESS ? context.error : freed ? SUCCESS : INVALID_VALUE;
    });
}

Code cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned) {
    return call_in_context([&](Driver& driver, Context&) -> Code {
        if (bytes == 0 || driver.settings.lock.fires()) {
            return INVALID_VALUE;
        }
        return driver.locked_memory.add(pointer, bytes) ? SUCCESS : ALREADY_LOCKED;
    });
}

// The real driver would wait for all work. A caller that relies on this may change the memory too early.
Code cuMemHostUnregister(void* pointer) {
    return call_in_context([&](Driver& driver, Context&) -> Code {
        return driver.locked_memory.remove(pointer) ? SUCCESS : NOT_LOCKED;
    });
}

// Copies and fills.

// Whether a copy only queues its work or also waits for it.
enum class CopyMode { Async, Sync };

// Source or destination of a copy.
struct Endpoint {
    void* at;
    bool is_on_device;
};

static Endpoint on_device(Address address) {
    return {pointer(address), true};
}

static Endpoint on_host(const void* at) {
    return {const_cast<void*>(at), false};
}

static bool is_pinned(const Driver& driver, const Endpoint& end) {
    return !end.is_on_device && driver.pinned_memory.containing(end.at) != nullptr;
}

// Returns whether all bytes are in one allocation. Pageable host memory always counts as inside, because the driver does not know its bounds.
static bool is_inside(const Driver& driver, const Context* context, const Endpoint& end, std::size_t bytes) {
    if (end.is_on_device) {
        const Allocation* const allocation = driver.device_memory.containing(end.at, bytes);
        return allocation != nullptr && allocation->context == context;
    }
    return !is_pinned(driver, end) || driver.pinned_memory.containing(end.at, bytes) != nullptr;
}

// Queues a copy. Pinned memory is read and written when the copy runs. Pageable memory is read at once; a copy to pageable memory waits
// until the bytes are written. Page-locked memory may be read at any time until the copy runs, so a change until then ends the process.
static Code copy(Stream* handle, Endpoint to, Endpoint from, std::size_t bytes, CopyMode mode) {
    return call_on_stream(handle, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        Context& context = *stream->context;
        if (bytes == 0) {
            return SUCCESS;
        }
        if (!is_inside(driver, &context, to, bytes) || !is_inside(driver, &context, from, bytes)) {
            return INVALID_VALUE;
        }
        std::vector<char> staged_bytes;
        const std::shared_ptr<std::size_t> copies = from.is_on_device ? nullptr : driver.locked_memory.containing(from.at);
        if (copies != nullptr) {
            *copies += 1;
        }
        if (!from.is_on_device && !is_pinned(driver, from)) {
            staged_bytes.assign(static_cast<char*>(from.at), static_cast<char*>(from.at) + bytes);
        }
        const Code code = driver.settings.copy.fires() ? LAUNCH_FAILED : SUCCESS;
        const Mark mark = driver.schedule.submit(stream, [to, from, bytes, code, copies, staged_bytes = std::move(staged_bytes)] {
            if (copies != nullptr) {
                *copies -= 1;
                if (std::memcmp(staged_bytes.data(), from.at, bytes) != 0) {
                    stop("a page-locked text of %zu bytes changed before it was copied", bytes);
                }
            }
            std::memmove(to.at, staged_bytes.empty() ? from.at : staged_bytes.data(), bytes);
            return code;
        });
        if (mode == CopyMode::Sync || (!to.is_on_device && !is_pinned(driver, to))) {
            return driver.wait(context, mark);
        }
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    return copy(nullptr, on_device(to), on_host(from), bytes, CopyMode::Sync);
}

Code cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    return copy(nullptr, on_host(to), on_device(from), bytes, CopyMode::Sync);
}

Code cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
    return copy(nullptr, on_device(to), on_device(from), bytes, CopyMode::Async);
}

Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_device(to), on_host(from), bytes, CopyMode::Async);
}

Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_host(to), on_device(from), bytes, CopyMode::Async);
}

Code cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_device(to), on_device(from), bytes, CopyMode::Async);
}

template <typename Value>
static Code fill(Address to, Value value, std::size_t count, Stream* stream) {
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        if (count == 0) {
            return SUCCESS;
        }
        if (to % sizeof(Value) != 0 || !is_inside(driver, stream->context, on_device(to), count * sizeof(Value))) {
            return INVALID_VALUE;
        }
        driver.schedule.submit(stream, [to, value, count] {
            std::fill_n(static_cast<Value*>(pointer(to)), count, value);
            return SUCCESS;
        });
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
    return fill(to, value, count, nullptr);
}

Code cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream* stream) {
    return fill(to, value, count, stream);
}

Code cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream* stream) {
    return fill(to, value, count, stream);
}
