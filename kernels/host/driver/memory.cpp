// Memory of devices and pinned memory, copies and fills.
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
        *free = *total - driver.on_devices.bytes_of(&context);
        return SUCCESS;
    });
}

Code cuMemAlloc_v2(Address* address, std::size_t bytes) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        if (bytes == 0) {
            return INVALID_VALUE;
        }
        const bool fits = bytes <= driver.settings.memory - driver.on_devices.bytes_of(&context);
        if (driver.settings.alloc.strikes() || !fits) {
            return OUT_OF_MEMORY;
        }
        void* const made = driver.on_devices.allocate(bytes, &context);
        *address = reinterpret_cast<std::uintptr_t>(made);
        return made == nullptr ? OUT_OF_MEMORY : SUCCESS;
    });
}

// Waits for the device first, as the driver does.
Code cuMemFree_v2(Address address) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        driver.schedule.run_all(&context);
        const bool freed = address == 0 || driver.on_devices.free(pointer(address), "cuMemFree");
        return context.error != SUCCESS ? context.error : freed ? SUCCESS : INVALID_VALUE;
    });
}

Code cuMemAllocAsync(Address* address, std::size_t bytes, Stream*) {
    return cuMemAlloc_v2(address, bytes);
}

Code cuMemFreeAsync(Address address, Stream* stream) {
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        if (driver.on_devices.around(pointer(address)) == nullptr) {
            return INVALID_VALUE;
        }
        driver.schedule.submit(stream, [&driver, address] {
            return driver.on_devices.free(pointer(address), "cuMemFreeAsync") ? SUCCESS : INVALID_VALUE;
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
        *pointer = driver.settings.pinned.strikes() ? nullptr : driver.pinned.allocate(bytes, &context);
        return *pointer == nullptr ? OUT_OF_MEMORY : SUCCESS;
    });
}

Code cuMemFreeHost(void* pointer) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        // Any device may use it.
        for (const Context* const user : driver.contexts) {
            driver.schedule.run_all(user);
        }
        const bool freed = driver.pinned.free(pointer, "cuMemFreeHost");
        return context.error != SUCCESS ? context.error : freed ? SUCCESS : INVALID_VALUE;
    });
}

// Copies and fills.

enum class Manner { Queued, Waited };

// One end of a copy.
struct End {
    void* at;
    bool is_on_device;
};

static End on_device(Address address) {
    return {pointer(address), true};
}

static End on_host(const void* at) {
    return {const_cast<void*>(at), false};
}

static bool is_pinned(const Driver& driver, const End& end) {
    return !end.is_on_device && driver.pinned.around(end.at) != nullptr;
}

// Whether all bytes are in one allocation, as far as the driver knows of it.
static bool is_inside(const Driver& driver, const Context* context, const End& end, std::size_t bytes) {
    if (end.is_on_device) {
        const Allocation* const own = driver.on_devices.around(end.at, bytes);
        return own != nullptr && own->context == context;
    }
    return !is_pinned(driver, end) || driver.pinned.around(end.at, bytes) != nullptr;
}

// Pinned memory is read and written when the copy is done. Other memory of the host is read at once, and nobody goes on before it
// is written.
static Code copy(Stream* handle, End to, End from, std::size_t bytes, Manner manner) {
    return call_on_stream(handle, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        Context& context = *stream->context;
        if (bytes == 0) {
            return SUCCESS;
        }
        if (!is_inside(driver, &context, to, bytes) || !is_inside(driver, &context, from, bytes)) {
            return INVALID_VALUE;
        }
        std::vector<char> staged;
        if (!from.is_on_device && !is_pinned(driver, from)) {
            staged.assign(static_cast<char*>(from.at), static_cast<char*>(from.at) + bytes);
        }
        const Code code = driver.settings.copy.strikes() ? LAUNCH_FAILED : SUCCESS;
        const Mark mark = driver.schedule.submit(stream, [to, from, bytes, code, staged = std::move(staged)] {
            std::memmove(to.at, staged.empty() ? from.at : staged.data(), bytes);
            return code;
        });
        if (manner == Manner::Waited || (!to.is_on_device && !is_pinned(driver, to))) {
            return driver.wait(context, mark);
        }
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    return copy(nullptr, on_device(to), on_host(from), bytes, Manner::Waited);
}

Code cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    return copy(nullptr, on_host(to), on_device(from), bytes, Manner::Waited);
}

Code cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
    return copy(nullptr, on_device(to), on_device(from), bytes, Manner::Queued);
}

Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_device(to), on_host(from), bytes, Manner::Queued);
}

Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_host(to), on_device(from), bytes, Manner::Queued);
}

Code cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream* stream) {
    return copy(stream, on_device(to), on_device(from), bytes, Manner::Queued);
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
