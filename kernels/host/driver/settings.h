// Settings of the stand-in, from the environment: the devices, the order of work, and failures.
//
//   NIGH_STANDIN_DEVICES=2   number of devices (default: 1)
//   NIGH_STANDIN_MEMORY=64   memory of each device in MiB (default: 1024)
//   NIGH_STANDIN_SEED=7      seed for the order of streams and threads (default: 1)
//   NIGH_STANDIN_IN_FLIGHT=2 the process fails at its end unless a thread had unfinished work on two streams at once
//   NIGH_STANDIN_EAGER=1     queued work may also run at submission, not only when a caller waits for it
//   NIGH_STANDIN_FAIL=...    failures, separated by commas:
//     init         cuInit reports that there is no device
//     devices=0    the number of devices
//     driver=11000 the driver's version, which may be too old for the PTX
//     load         no module loads
//     launch=17    the 17th launch accesses an illegal address; every later call on its device returns that error
//     copy=9       the 9th copy fails in the same way, with another error
//     alloc=5      the 5th allocation of device memory fails
//     pinned=2     the 2nd allocation of pinned memory fails
//     lock=1       the 1st page lock on memory of the host fails
//     unknown=3    the 3rd wait returns an error code that CUresult does not have
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace standin {

// Ends the process with a message, after a mistake of the caller that a real device would not report.
template <typename... Values>
[[noreturn]] void stop(const char* format, Values... values) {
    std::fputs("stand-in driver: ", stderr);
    if constexpr (sizeof...(values) == 0) {
        std::fputs(format, stderr);
    } else {
        std::fprintf(stderr, format, values...);
    }
    std::fputs("\n", stderr);
    std::fflush(stdout);
    std::_Exit(3);
}

// Counts events down to a failure that happens once. A countdown that starts at zero never fires.
struct Countdown {
    std::uint64_t left = 0;

    bool fires() { return left > 0 && --left == 0; }
};

// Returns the value of an environment variable as a number, or `fallback` if it is not set.
inline std::uint64_t env_number(const char* variable, std::uint64_t fallback) {
    const char* const value = std::getenv(variable);
    return value == nullptr ? fallback : std::strtoull(value, nullptr, 10);
}

struct Settings {
    std::uint64_t devices = env_number("NIGH_STANDIN_DEVICES", 1);
    std::uint64_t memory = env_number("NIGH_STANDIN_MEMORY", 1024) << 20;
    std::uint64_t seed = env_number("NIGH_STANDIN_SEED", 1);
    std::uint64_t in_flight = env_number("NIGH_STANDIN_IN_FLIGHT", 0);
    bool is_eager = env_number("NIGH_STANDIN_EAGER", 0) != 0;
    std::uint64_t driver = 13000;
    bool init_fails = false, load_fails = false;
    Countdown launch, copy, alloc, pinned, lock, unknown;

    Settings() {
        const char* const value = std::getenv("NIGH_STANDIN_FAIL");
        std::istringstream failures(value == nullptr ? "" : value);
        for (std::string failure; std::getline(failures, failure, ',');) {
            set(failure);
        }
    }

  private:
    void set(const std::string& failure) {
        const std::size_t equals = failure.find('=');
        if (failure == "init" || failure == "load") {
            (failure == "init" ? init_fails : load_fails) = true;
            return;
        }
        const std::map<std::string, std::uint64_t*> numbers{
            {"devices", &devices},  {"driver", &driver},     {"launch", &launch.left},   {"copy", &copy.left},
            {"alloc", &alloc.left}, {"pinned", &pinned.left}, {"lock", &lock.left},
            {"unknown", &unknown.left}};
        const auto found = numbers.find(failure.substr(0, equals));
        if (found == numbers.end() || equals == std::string::npos) {
            stop("NIGH_STANDIN_FAIL knows no '%s'", failure.c_str());
        }
        *found->second = std::strtoull(failure.c_str() + equals + 1, nullptr, 10);
    }
};

}  // namespace standin
