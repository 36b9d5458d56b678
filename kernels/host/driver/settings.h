// What the environment asks of the driver: how many devices there are, in which order work is done, and what fails.
//
//   NIGH_STANDIN_DEVICES=2   so many devices; 1 if nothing is said
//   NIGH_STANDIN_MEMORY=64   MiB of each device; 1,024 if nothing is said
//   NIGH_STANDIN_SEED=7      another order of streams and of threads
//   NIGH_STANDIN_EAGER=1     work may also be done as soon as it is there, not only when somebody waits for it
//   NIGH_STANDIN_FAIL=...    failures, with commas between them:
//     init         cuInit finds no device
//     devices=0    so many devices
//     driver=11000 a driver of this version, which may be too old for the PTX
//     load         no module loads
//     launch=17    the 17th launch touches an address that is not there, and from then on its device gives that error only
//     copy=9       the 9th copy fails likewise, with another error
//     alloc=5      the 5th allocation on a device finds no memory
//     pinned=2     the 2nd allocation of pinned memory finds none
//     unknown=3    the 3rd wait gives an error that nobody has heard of
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace standin {

// Ends the process: a mistake of the caller that a real device would not report.
template <typename... Values>
[[noreturn]] void stop(const char* format, Values... values) {
    std::fputs("stand-in driver: ", stderr);
    std::fprintf(stderr, format, values...);
    std::fputs("\n", stderr);
    std::fflush(stdout);
    std::_Exit(3);
}

// Counts until something happens once; never, if it starts at zero.
struct Countdown {
    std::uint64_t left = 0;

    bool strikes() { return left > 0 && --left == 0; }
};

inline std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* const value = std::getenv(variable);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

struct Settings {
    std::uint64_t devices = number("NIGH_STANDIN_DEVICES", 1);
    std::uint64_t memory = number("NIGH_STANDIN_MEMORY", 1024) << 20;
    std::uint64_t seed = number("NIGH_STANDIN_SEED", 1);
    bool is_eager = number("NIGH_STANDIN_EAGER", 0) != 0;
    std::uint64_t driver = 13000;
    bool init_fails = false, load_fails = false;
    Countdown launch, copy, alloc, pinned, unknown;

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
            {"alloc", &alloc.left}, {"pinned", &pinned.left}, {"unknown", &unknown.left}};
        const auto named = numbers.find(failure.substr(0, equals));
        if (named == numbers.end() || equals == std::string::npos) {
            stop("NIGH_STANDIN_FAIL knows no '%s'", failure.c_str());
        }
        *named->second = std::strtoull(failure.c_str() + equals + 1, nullptr, 10);
    }
};

}  // namespace standin
