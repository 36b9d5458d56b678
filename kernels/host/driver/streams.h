// Streams and their work, which is done when somebody waits for it: each stream in order, and the streams in an order that a
// seed shuffles.
//
// So what nobody has waited for is not there, and what was changed too early is changed.
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
    // The error that every call gives from now on.
    Code error = SUCCESS;
    unsigned retained = 0;
    std::shared_ptr<Stream> default_stream;
};

// The work of a stream up to a point.
struct Mark {
    std::shared_ptr<Stream> stream;
    std::uint64_t count = 0;

    bool is_passed() const;
};

struct Work {
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
    Mark mark;
    std::chrono::steady_clock::time_point time;
};

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

    // Its work is still done.
    void destroy(const std::shared_ptr<Stream>& stream) {
        stream->is_destroyed = true;
        if (stream->queue.empty()) {
            streams.erase(std::find(streams.begin(), streams.end(), stream));
        }
    }

    // Adds work to a stream, which waits for what is behind some marks.
    Mark submit(const std::shared_ptr<Stream>& stream, std::function<Code()> run, std::vector<Mark> after = {}) {
        for (const auto& other : streams) {
            if (waits_for_all(*stream, *other)) {
                after.push_back({other, other->submitted});
            }
        }
        stream->queue.push_back({std::move(after), std::move(run)});
        return {stream, ++stream->submitted};
    }

    void run_until(const Mark& mark) {
        while (!mark.is_passed() && run_one()) {
        }
    }

    // Everything in a context.
    void run_all(const Context* context) {
        // Work may come after work of others, but adds none.
        const std::vector<std::shared_ptr<Stream>> all = streams;
        for (const auto& stream : all) {
            if (stream->context == context) {
                run_until({stream, stream->submitted});
            }
        }
    }

    // A few steps, as they might happen while somebody looks.
    void run_some(unsigned least, unsigned most) {
        for (std::uint64_t left = least + random() % (most - least + 1); left > 0 && run_one(); --left) {
        }
    }

    void forget(const Context* context) {
        const auto is_its = [&](const auto& stream) { return stream->context == context; };
        streams.erase(std::remove_if(streams.begin(), streams.end(), is_its), streams.end());
    }

    std::uint64_t number() { return random(); }

  private:
    // The default stream and the streams that are not said to be independent of it wait for each other.
    static bool waits_for_all(const Stream& own, const Stream& other) {
        const bool own_is_default = own.context->default_stream.get() == &own;
        const bool other_is_default = own.context->default_stream.get() == &other;
        const bool independent = ((own.flags | other.flags) & NON_BLOCKING) != 0;
        return own.context == other.context && own_is_default != other_is_default && !independent;
    }

    // Does a piece of work that waits for nothing, and after an error only forgets it; says whether there was one.
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
