// Parts that the benchmarks of all kernels share: device memory, timing, random text, and Sellers' algorithm as the reference.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "../device.cuh"

constexpr int RUNS = 7;

// Ends the process with a message if a call failed.
inline void must(cudaError_t error, const char* call) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
        std::exit(1);
    }
}

// Device memory, freed at the end of its scope.
template <typename T>
struct Device {
    T* data = nullptr;
    std::size_t length;

    explicit Device(std::size_t length) : length(length) {
        must(cudaMalloc(&data, std::max<std::size_t>(length, 1) * sizeof(T)), "cudaMalloc");
    }
    explicit Device(const std::vector<T>& from) : Device(from.size()) {
        must(cudaMemcpy(data, from.data(), length * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
    }
    Device(const Device&) = delete;
    ~Device() { cudaFree(data); }

    std::vector<T> read(std::size_t count) const {
        std::vector<T> to(count);
        must(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
        return to;
    }
    void clear() { must(cudaMemset(data, 0, length * sizeof(T)), "cudaMemset"); }
};

// Returns the median time of RUNS runs in seconds, after one run that is not counted.
template <typename F>
double seconds(F run) {
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start), "event");
    must(cudaEventCreate(&stop), "event");
    std::vector<float> times;
    for (int at = 0; at <= RUNS; ++at) {
        must(cudaEventRecord(start), "event");
        run();
        must(cudaEventRecord(stop), "event");
        must(cudaEventSynchronize(stop), "kernel");
        float milliseconds = 0;
        must(cudaEventElapsedTime(&milliseconds, start, stop), "event");
        times.push_back(milliseconds);
    }
    must(cudaGetLastError(), "launch");
    std::sort(times.begin() + 1, times.end());
    return times[1 + RUNS / 2] / 1e3;
}

// Fills `codes` with uniformly random codes from 1 to `classes`. On average `others` symbols in sixteen get code 0 instead.
__global__ void random_codes(u8* codes, u64 count, u32 classes, u32 others, u64 seed) {
    const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 at = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count; at += stride) {
        u64 mixed = (at + 1) * 0x9e3779b97f4a7c15ull + seed;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
        mixed ^= mixed >> 31;
        codes[at] = (mixed & 15) < others ? 0 : static_cast<u8>((mixed >> 8) % classes + 1);
    }
}

// Hits as (symbol, pattern, distance), in ascending order.
using HitList = std::vector<std::tuple<u32, u32, u32>>;

inline HitList sorted(const std::vector<Hit>& hits) {
    HitList list;
    for (const Hit& hit : hits) {
        list.emplace_back(hit.symbol, hit.pattern, hit.distance);
    }
    std::sort(list.begin(), list.end());
    return list;
}

// Appends all hits of a pattern, computed with Sellers' algorithm.
inline void reference(const std::vector<u8>& text, const std::vector<u8>& pattern, u32 k, u32 id, HitList& hits) {
    std::vector<u32> column(pattern.size() + 1);
    for (u32 row = 0; row < column.size(); ++row) {
        column[row] = row;
    }
    for (u32 symbol = 0; symbol < text.size(); ++symbol) {
        u32 diagonal = 0;
        for (std::size_t row = 0; row < pattern.size(); ++row) {
            const u32 substituted = diagonal + (pattern[row] != text[symbol]);
            diagonal = column[row + 1];
            column[row + 1] = std::min({substituted, column[row + 1] + 1, column[row] + 1});
        }
        if (column.back() <= k) {
            hits.emplace_back(symbol, id, column.back());
        }
    }
}

// Returns random patterns. The first three are copies of text with a random code in the middle row, so that they have hits.
inline std::vector<std::vector<u8>> random_patterns(const std::vector<u8>& text, u32 count, u32 rows, u32 classes) {
    std::mt19937_64 random(rows * 31 + count);
    std::vector<std::vector<u8>> patterns(count, std::vector<u8>(rows));
    for (u32 index = 0; index < count; ++index) {
        const std::size_t start = random() % (text.size() - rows);
        for (u32 row = 0; row < rows; ++row) {
            const u8 random_code = static_cast<u8>(random() % classes + 1);
            const bool is_copied = index < 3 && text[start + row] != 0 && row != rows / 2;
            patterns[index][row] = is_copied ? text[start + row] : random_code;
        }
    }
    return patterns;
}

// Prints a row of the table.
inline void row(const char* kernel, const char* size, double time, double symbols, double cells, u64 hits) {
    std::printf("%-10s %-34s %10.3f %12.3e %12.3e %12llu\n", kernel, size, time * 1e3, symbols / time, cells / time, hits);
}

// Ends the process if the hits of a kernel differ from the reference.
inline void check_hits(const char* kernel, const HitList& hits, HitList expected) {
    std::sort(expected.begin(), expected.end());
    if (hits != expected) {
        std::fprintf(stderr, "%s: the hits differ from the reference (%zu hits, expected %zu)\n", kernel, hits.size(),
                     expected.size());
        std::exit(1);
    }
    std::printf("checked    %s: %zu hits, equal to the reference\n", kernel, hits.size());
}

// A part of a benchmark program.
struct BenchSection {
    const char* name;
    void (*run)();
};

// Runs the sections that the arguments name, in the order of the list, or all of them. Returns the exit status.
inline int run_sections(int count, char** arguments, const char* last_column, std::initializer_list<BenchSection> sections) {
    const std::vector<std::string> wanted(arguments + 1, arguments + count);
    for (const std::string& name : wanted) {
        const auto is_named = [&](const BenchSection& section) { return name == section.name; };
        if (std::none_of(sections.begin(), sections.end(), is_named)) {
            std::fprintf(stderr, "%s: unknown section '%s'\n", arguments[0], name.c_str());
            return 2;
        }
    }
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0), "no device");
    std::printf("%s, %d multiprocessors\n", device.name, device.multiProcessorCount);
    std::printf("%-10s %-34s %10s %12s %12s %12s\n", "kernel", "case", "ms", "symbols/s", "cells/s", last_column);
    for (const BenchSection& section : sections) {
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), section.name) != wanted.end()) {
            section.run();
        }
    }
    return 0;
}
