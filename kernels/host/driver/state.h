// The state of the driver, and the functions that run the body of every call: one call at a time, in a context without
// an error.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "api.h"
#include "memory.h"
#include "modules.h"
#include "settings.h"
#include "streams.h"

namespace standin {

struct Device {
    Context* primary = nullptr;
    // The error of the device's last context, because an error of a kernel outlives its context.
    Code error = SUCCESS;
};

struct Driver {
    std::mutex mutex;
    Settings settings;
    bool is_initialized = false;
    std::vector<Device> devices{settings.devices};
    std::set<Context*> contexts;
    Memory device_memory, pinned_memory;
    LockedMemory locked_memory;
    Schedule schedule{settings.seed};
    // The largest number of streams on which one thread had recorded events at once that were not done.
    std::uint64_t most_in_flight = 0;
    std::map<Event*, std::shared_ptr<Event>> events;
    std::map<Module*, std::unique_ptr<Module>> modules;

    bool has(int device) const { return device >= 0 && static_cast<std::size_t>(device) < devices.size(); }

    // Runs up to three pieces of work if NIGH_STANDIN_EAGER is set.
    void after_submission() {
        if (settings.is_eager) {
            schedule.run_some(0, 3);
        }
    }

    // Runs queued work until a mark is passed.
    Code wait(const Context& context, const Mark& mark) {
        schedule.run_until(mark);
        return code_after_wait(context);
    }

    // Runs all queued work of a context.
    Code wait_for_all(const Context& context) {
        schedule.run_all(&context);
        return code_after_wait(context);
    }

  private:
    Code code_after_wait(const Context& context) {
        const bool fails = settings.unknown.fires();
        return context.error != SUCCESS ? context.error : fails ? UNLISTED_ERROR : SUCCESS;
    }
};

// Returns the driver. It is never destroyed, because a thread may still be in a call when the process ends.
inline Driver& driver() {
    static Driver& driver = *new Driver;
    return driver;
}

inline thread_local Context* current_context = nullptr;

// Runs the body of a call that needs no context.
template <typename Body>
Code call(Body body) {
    const std::lock_guard<std::mutex> lock(driver().mutex);
    return driver().is_initialized ? body(driver()) : NOT_INITIALIZED;
}

// Runs the body of a call in the context of the thread.
template <typename Body>
Code call_in_context(Body body) {
    return call([&](Driver& driver) -> Code {
        if (driver.contexts.count(current_context) == 0) {
            return INVALID_CONTEXT;
        }
        Context& context = *current_context;
        return context.error != SUCCESS ? context.error : body(driver, context);
    });
}

// Runs the body of a call for a stream of the thread's context.
template <typename Body>
Code call_on_stream(Stream* handle, Body body) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        // CU_STREAM_LEGACY is another name of the default stream.
        const bool is_default = reinterpret_cast<std::uintptr_t>(handle) <= 1;
        const auto stream = is_default ? context.default_stream : driver.schedule.find(handle);
        return stream != nullptr && stream->context == &context ? body(driver, stream) : INVALID_HANDLE;
    });
}

// Runs the body of a call for an event, in the context of the event.
template <typename Body>
Code call_on_event(Event* handle, Body body) {
    return call([&](Driver& driver) -> Code {
        const auto event = driver.events.find(handle);
        if (event == driver.events.end()) {
            return INVALID_HANDLE;
        }
        const Code error = event->second->context->error;
        return error != SUCCESS ? error : body(driver, event->second);
    });
}

// Returns the function if it belongs to a module of this context, or null.
inline Function* find(const Driver& driver, const Context* context, const Function* handle) {
    for (const auto& [module, owned] : driver.modules) {
        for (const auto& function : module->functions) {
            if (function.get() == handle && module->context == context) {
                return function.get();
            }
        }
    }
    return nullptr;
}

// Runs the body of a call for a function of the thread's context.
template <typename Body>
Code call_for_function(Function* handle, Body body) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        Function* const function = find(driver, &context, handle);
        return function == nullptr ? INVALID_HANDLE : body(*function);
    });
}

}  // namespace standin
