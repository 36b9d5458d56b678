// Streams and events.
#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "api.h"
#include "state.h"

using namespace standin;

Code cuStreamCreate(Stream** stream, unsigned flags) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        *stream = driver.schedule.create(&context, flags).get();
        return SUCCESS;
    });
}

Code cuStreamCreateWithPriority(Stream** stream, unsigned flags, int) {
    return cuStreamCreate(stream, flags);
}

Code cuStreamDestroy_v2(Stream* stream) {
    return call_on_stream(stream, [](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        if (stream == stream->context->default_stream) {
            return INVALID_HANDLE;
        }
        driver.schedule.destroy(stream);
        return SUCCESS;
    });
}

Code cuStreamSynchronize(Stream* stream) {
    return call_on_stream(stream, [](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        return driver.wait(*stream->context, {stream, stream->submitted});
    });
}

// Returns SUCCESS if a mark is passed, otherwise NOT_READY. Runs some queued work first, so that a caller that polls sees progress.
static Code query(Driver& driver, const Context& context, const Mark& mark) {
    driver.schedule.run_some(1, 4);
    return context.error != SUCCESS ? context.error : mark.is_passed() ? SUCCESS : NOT_READY;
}

Code cuStreamQuery(Stream* stream) {
    return call_on_stream(stream, [](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        return query(driver, *stream->context, {stream, stream->submitted});
    });
}

Code cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        const auto awaited = driver.events.find(event);
        if (awaited == driver.events.end()) {
            return INVALID_HANDLE;
        }
        driver.schedule.submit(stream, [] { return SUCCESS; }, {awaited->second->mark});
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuEventCreate(Event** event, unsigned flags) {
    return call_in_context([&](Driver& driver, Context& context) -> Code {
        const auto created = std::make_shared<Event>(Event{&context, flags, {}, {}});
        *event = created.get();
        driver.events[created.get()] = created;
        return SUCCESS;
    });
}

Code cuEventDestroy_v2(Event* event) {
    return call_on_event(event, [&](Driver& driver, const std::shared_ptr<Event>&) -> Code {
        driver.events.erase(event);
        return SUCCESS;
    });
}

// Counts the streams on which this thread has recorded events that are not done.
static std::uint64_t streams_in_flight(const Mark& recorded) {
    static thread_local std::vector<Mark> marks;
    const auto is_passed = [](const Mark& mark) { return mark.is_passed(); };
    marks.erase(std::remove_if(marks.begin(), marks.end(), is_passed), marks.end());
    marks.push_back(recorded);
    std::set<const Stream*> streams;
    for (const Mark& mark : marks) {
        streams.insert(mark.stream.get());
    }
    return streams.size();
}

Code cuEventRecord(Event* event, Stream* stream) {
    return call_on_stream(stream, [&](Driver& driver, const std::shared_ptr<Stream>& stream) -> Code {
        const auto found = driver.events.find(event);
        if (found == driver.events.end() || found->second->context != stream->context) {
            return INVALID_HANDLE;
        }
        const std::shared_ptr<Event> recorded = found->second;
        recorded->mark = driver.schedule.submit(stream, [recorded] {
            recorded->time = std::chrono::steady_clock::now();
            return SUCCESS;
        });
        driver.most_in_flight = std::max(driver.most_in_flight, streams_in_flight(recorded->mark));
        driver.after_submission();
        return SUCCESS;
    });
}

Code cuEventQuery(Event* event) {
    return call_on_event(event, [](Driver& driver, const std::shared_ptr<Event>& event) -> Code {
        return query(driver, *event->context, event->mark);
    });
}

Code cuEventSynchronize(Event* event) {
    return call_on_event(event, [](Driver& driver, const std::shared_ptr<Event>& event) -> Code {
        return driver.wait(*event->context, event->mark);
    });
}

Code cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
    return call_on_event(from, [&](Driver& driver, const std::shared_ptr<Event>& from) -> Code {
        const auto found = driver.events.find(to);
        if (found == driver.events.end()) {
            return INVALID_HANDLE;
        }
        const Event& until = *found->second;
        if (((from->flags | until.flags) & DISABLE_TIMING) != 0 || !from->mark.stream || !until.mark.stream) {
            return INVALID_HANDLE;
        }
        if (!from->mark.is_passed() || !until.mark.is_passed()) {
            return NOT_READY;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(until.time - from->time).count();
        return SUCCESS;
    });
}

Code cuEventElapsedTime_v2(float* milliseconds, Event* from, Event* to) {
    return cuEventElapsedTime(milliseconds, from, to);
}
