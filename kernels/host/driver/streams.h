// Streams and their queued work. Work runs when a caller waits for it: in order within a stream, and across streams in an order that a
// seed shuffles.
//
// So a caller that reads a result without waiting finds the old bytes, and a caller that changes an input before the
// work has run changes the result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "api.h"

namespace standin {

struct Context {
    int device;
    // The first error. Every later call in the context returns it.
    Code error = SUCCESS;
    unsigned retained = 0;
    std::shared_ptr<Stream> default_stream;
};

// A position in the work of a stream: the first `count` pieces.
struct Mark {
    std::shared_ptr<Stream> stream;
    std::uint64_t count = 0;

    bool is_passed() const;
};

// A piece of queued work: a copy, a fill, a launch, or the record of an event.
struct Work {
    // The work runs after all these marks are passed.
    std::vector<Mark> after;
    std::function<Code()> run;
};

struct Stream {
    Context* context;
    unsigned flags;
    bool is_destroyed = false;
    std::deque<Work> queue;
    std::uint64_t submitted = 0, done = 0;
};

inline bool Mark::is_passed() const {
    return stream == nullptr || stream->done >= count;
}

struct Event {
    Context* context;
    unsigned flags;
    // The work up to the last record. An event without a record has no stream.
    Mark mark;
    std::chrono::steady_clock::time_point time;
};

// The streams of all contexts, and the order of their work.
class Schedule {
  public:
    explicit Schedule(std::uint64_t seed) : random(seed) {}

    std::shared_ptr<Stream> create(Context* context, unsigned flags) {
        streams.push_back(std::make_shared<Stream>(Stream{context, flags, false, {}, 0, 0}));
        return streams.back();
    }

    std::shared_ptr<Stream> find(const Stream* handle) const {
        for (const auto& stream : streams) {
            if (stream.get() == handle && !stream->is_destroyed) {
                return stream;
            }
        }
        return nullptr;
    }

    // Destroys a stream. Its queued work still runs.
    void destroy(const std::shared_ptr<Stream>& stream) {
        stream->is_destroyed = true;
        if (stream->queue.empty()) {
            streams.erase(std::find(streams.begin(), streams.end(), stream));
        }
    }

    // Queues work that runs after the marks. Returns the mark of the work.
    Mark submit(const std::shared_ptr<Stream>& stream, std::function<Code()> run, std::vector<Mark> after = {}) {
        for (const auto& other : streams) {
            if (waits_for_all(*stream, *other)) {
                after.push_back({other, other->submitted});
            }
        }
        stream->queue.push_back({std::move(after), std::move(run)});
        return {stream, ++stream->submitted};
    }

    // Runs work until a mark is passed.
    void run_until(const Mark& mark) {
        while (!mark.is_passed() && run_one()) {
        }
    }

    // Runs all work of a context.
    void run_all(const Context* context) {
        // A copy, because running work may erase destroyed streams. Work never submits other work.
        const std::vector<std::shared_ptr<Stream>> snapshot = streams;
        for (const auto& stream : snapshot) {
            if (stream->context == context) {
                run_until({stream, stream->submitted});
            }
        }
    }

    // Runs a random number of pieces of work from `min` to `max`, as a device would between two calls.
    void run_some(unsigned min, unsigned max) {
        for (std::uint64_t left = min + random() % (max - min + 1); left > 0 && run_one(); --left) {
        }
    }

    // Removes the streams of a context.
    void remove_streams(const Context* context) {
        const auto belongs = [&](const auto& stream) { return stream->context == context; };
        streams.erase(std::remove_if(streams.begin(), streams.end(), belongs), streams.end());
    }

    std::uint64_t next_random() { return random(); }

  private:
    // Returns whether new work in `stream` waits for all work in `other`. The default stream and the streams without NON_BLOCKING wait for
    // each other.
    static bool waits_for_all(const Stream& stream, const Stream& other) {
        const bool is_default = stream.context->default_stream.get() == &stream;
        const bool other_is_default = stream.context->default_stream.get() == &other;
        const bool independent = ((stream.flags | other.flags) & NON_BLOCKING) != 0;
        return stream.context == other.context && is_default != other_is_default && !independent;
    }

    // Takes one piece of work that is ready from a random stream and runs it. After an error of its context the work is dropped instead.
    // Returns false if no work is ready.
    bool run_one() {
        std::vector<std::shared_ptr<Stream>> ready;
        for (const auto& stream : streams) {
            if (!stream->queue.empty() && are_passed(stream->queue.front().after)) {
                ready.push_back(stream);
            }
        }
        if (ready.empty()) {
            return false;
        }
        const std::shared_ptr<Stream> stream = ready[random() % ready.size()];
        const Work work = std::move(stream->queue.front());
        stream->queue.pop_front();
        if (stream->context->error == SUCCESS) {
            stream->context->error = work.run();
        }
        ++stream->done;
        if (stream->is_destroyed && stream->queue.empty()) {
            streams.erase(std::find(streams.begin(), streams.end(), stream));
        }
        return true;
    }

    static bool are_passed(const std::vector<Mark>& marks) {
        return std::all_of(marks.begin(), marks.end(), [](const Mark& mark) { return mark.is_passed(); });
    }

    std::vector<std::shared_ptr<Stream>> streams;
    std::mt19937_64 random;
};

}  // namespace standin
