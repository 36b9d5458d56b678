// What the benchmarks of all kernels share: device memory, times, random text, and a plain matrix to check hits with.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <tuple>
#include <vector>

#include "../device.cuh"

constexpr int RUNS = 7;

inline void must(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

// Memory of the device, as long as it is in scope.
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

// The median time of some runs, in seconds; the first run is not counted.
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

// Codes from 1 to `classes`, each as often as the others; `others` in sixteen have code 0.
__global__ void random_codes(u8* codes, u64 count, u32 classes, u32 others, u64 seed) {
    const u64 apart = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 at = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count; at += apart) {
        u64 mixed = (at + 1) * 0x9e3779b97f4a7c15ull + seed;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
        mixed ^= mixed >> 31;
        codes[at] = (mixed & 15) < others ? 0 : static_cast<u8>((mixed >> 8) % classes + 1);
    }
}

// Hits in the order of symbols and patterns.
using Found = std::vector<std::tuple<u32, u32, u32>>;

inline Found sorted(const std::vector<Hit>& hits) {
    Found found;
    for (const Hit& hit : hits) {
        found.emplace_back(hit.symbol, hit.pattern, hit.distance);
    }
    std::sort(found.begin(), found.end());
    return found;
}

// All hits of a pattern by Sellers' matrix.
inline void reference(const std::vector<u8>& text, const std::vector<u8>& pattern, u32 k, u32 id, Found& found) {
    std::vector<u32> column(pattern.size() + 1);
    for (u32 row = 0; row < column.size(); ++row) {
        column[row] = row;
    }
    for (u32 symbol = 0; symbol < text.size(); ++symbol) {
        u32 diagonal = 0;
        for (std::size_t row = 0; row < pattern.size(); ++row) {
            const u32 step = diagonal + (pattern[row] != text[symbol]);
            diagonal = column[row + 1];
            column[row + 1] = std::min({step, column[row + 1] + 1, column[row] + 1});
        }
        if (column.back() <= k) {
            found.emplace_back(symbol, id, column.back());
        }
    }
}

// Random patterns; the first ones are pieces of the text with an error.
inline std::vector<std::vector<u8>> random_patterns(const std::vector<u8>& text, u32 count, u32 rows, u32 classes) {
    std::mt19937_64 random(rows * 31 + count);
    std::vector<std::vector<u8>> patterns(count, std::vector<u8>(rows));
    for (u32 index = 0; index < count; ++index) {
        const std::size_t start = random() % (text.size() - rows);
        for (u32 row = 0; row < rows; ++row) {
            const u8 random_code = static_cast<u8>(random() % classes + 1);
            const bool is_piece = index < 3 && text[start + row] != 0 && row != rows / 2;
            patterns[index][row] = is_piece ? text[start + row] : random_code;
        }
    }
    return patterns;
}

inline void row(const char* what, const char* size, double time, double symbols, double cells, u64 hits) {
    std::printf("%-10s %-34s %10.3f %12.3e %12.3e %12llu\n", what, size, time * 1e3, symbols / time, cells / time, hits);
}

inline void verdict(const char* what, const Found& found, Found expected) {
    std::sort(expected.begin(), expected.end());
    if (found != expected) {
        std::fprintf(stderr, "%s: %zu hits, but a plain matrix has %zu, or others\n", what, found.size(),
                     expected.size());
        std::exit(1);
    }
    std::printf("checked    %s: %zu hits as a plain matrix has them\n", what, found.size());
}
