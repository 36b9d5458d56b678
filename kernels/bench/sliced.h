// Bit-sliced search, and the planes it reads.
#pragma once

#include "../planes.cu"
#include "../sliced.cu"
#include "bench.h"

template <int ROWS, Pipes PIPES>
__global__ void __launch_bounds__(128, RESIDENT<ROWS>) sliced_kernel(const SlicedArguments args) {
    scan_group<ROWS, PIPES>(args);
}

// A pattern of single codes as the kernel wants it.
inline SlicedPattern sliced_pattern(const std::vector<u8>& codes, u32 k, u32 id) {
    SlicedPattern made{};
    made.id = id;
    made.rows = static_cast<u32>(codes.size());
    made.k = k;
    u32 count = 0;
    for (u32 low = 0; low < 8; ++low) {
        for (u32 code = low; code < 64; code += 8) {
            if (std::find(codes.begin(), codes.end(), code) != codes.end()) {
                for (std::size_t row = 0; row < codes.size(); ++row) {
                    made.slots[row] = codes[row] == code ? static_cast<u8>(count) : made.slots[row];
                }
                made.codes[count++] = static_cast<u8>(code);
            }
        }
        made.until[low] = count;
    }
    return made;
}

struct SlicedText {
    u32 symbols, steps, plane_count, words;
    Device<u8> codes;
    Device<u32> packed;
    Device<uint4> planes;

    SlicedText(u32 symbols, u32 steps, u32 plane_count, u32 classes, u32 others)
        : symbols(symbols), steps(steps), plane_count(plane_count), words((((symbols - 1) / steps + 1 + 31) / 32 + 127) / 128 * 128),
          codes(symbols), packed(static_cast<std::size_t>(plane_count) * ((symbols + 31) / 32)),
          planes(static_cast<std::size_t>(steps) / 4 * plane_count * words) {
        random_codes<<<1024, 256>>>(codes.data, symbols, classes, others, symbols);
    }

    void pack_codes() {
        pack<<<2048, 256>>>({codes.data, packed.data, symbols, (symbols + 31) / 32, plane_count, 0});
    }
    void transpose_planes() {
        const dim3 grid((words + WORDS_OF_BLOCK - 1) / WORDS_OF_BLOCK, (steps + STEPS_OF_BLOCK - 1) / STEPS_OF_BLOCK);
        transpose<<<grid, 256, transpose_shared_bytes()>>>(
            {packed.data, planes.data, (symbols + 31) / 32, words, steps, plane_count});
    }
};

struct SlicedSearch {
    Device<SlicedPattern> patterns;
    Device<Hit> hits{std::size_t{1} << 24};
    Device<u64> found{1};
    u32 slots = 0;

    explicit SlicedSearch(const std::vector<SlicedPattern>& made) : patterns(made) {
        for (const SlicedPattern& pattern : made) {
            slots = std::max(slots, pattern.until[7]);
        }
    }

    template <int ROWS, Pipes PIPES>
    void run(const SlicedText& text) {
        found.clear();
        const u32 shared = sliced_shared_bytes<ROWS>(128, slots);
        must(cudaFuncSetAttribute(sliced_kernel<ROWS, PIPES>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
        const u32 count = static_cast<u32>(patterns.length);
        sliced_kernel<ROWS, PIPES><<<dim3(text.words / 128, count), 128, shared>>>(
            {text.planes.data, patterns.data, {hits.data, hits.length, found.data}, text.symbols, text.words,
             text.steps, text.plane_count, count, 1, 0, 1});
    }
};

inline std::vector<SlicedPattern> sliced_patterns(const std::vector<std::vector<u8>>& patterns, u32 k) {
    std::vector<SlicedPattern> made;
    for (const auto& pattern : patterns) {
        made.push_back(sliced_pattern(pattern, k, static_cast<u32>(made.size())));
    }
    return made;
}

template <int ROWS, Pipes PIPES>
void check_sliced(u32 rows, u32 k, u32 plane_count, u32 classes, u32 others) {
    SlicedText text(300'001, 96, plane_count, classes, others);
    text.pack_codes();
    text.transpose_planes();
    const std::vector<u8> codes = text.codes.read(text.symbols);
    const auto patterns = random_patterns(codes, 5, rows, classes);
    SlicedSearch search(sliced_patterns(patterns, k));
    search.run<ROWS, PIPES>(text);
    Found expected;
    for (u32 index = 0; index < patterns.size(); ++index) {
        reference(codes, patterns[index], k, index, expected);
    }
    verdict("sliced", sorted(search.hits.read(search.found.read(1)[0])), expected);
}

template <int ROWS, Pipes PIPES>
void time_sliced(u32 symbols, u32 steps, u32 count, u32 k, u32 plane_count, u32 classes, u32 others) {
    SlicedText text(symbols, steps, plane_count, classes, others);
    text.pack_codes();
    text.transpose_planes();
    const auto patterns = random_patterns(text.codes.read(4096), count, ROWS, classes);
    SlicedSearch search(sliced_patterns(patterns, k));
    const double time = seconds([&] { search.run<ROWS, PIPES>(text); });
    char size[64];
    std::snprintf(size, sizeof size, "m=%d k=%u, %u patterns, %u codes", ROWS, k, count, classes);
    const double pairs = static_cast<double>(symbols) * count;
    row("sliced", size, time, pairs, pairs * ROWS, search.found.read(1)[0]);
}

template <Pipes PIPES>
void bench_pipes() {
    check_sliced<20, PIPES>(20, 3, 3, 4, 0);
    check_sliced<20, PIPES>(18, 5, 4, 12, 2);
    check_sliced<64, PIPES>(64, 9, 3, 4, 1);
    check_sliced<64, PIPES>(57, 9, 6, 50, 1);
    constexpr u32 GIGA = 1u << 30;
    std::printf("rows by %s:\n", PIPES == Pipes::Both ? "logic and multipliers" : "logic alone");
    time_sliced<20, PIPES>(GIGA, 2048, 64, 3, 3, 4, 0);
    time_sliced<20, PIPES>(GIGA / 4, 2048, 1024, 3, 3, 4, 0);
    time_sliced<64, PIPES>(GIGA, 2048, 64, 3, 3, 4, 0);
    time_sliced<20, PIPES>(GIGA, 2048, 64, 2, 4, 12, 2);
}

inline void bench_sliced() {
    {
        constexpr u32 GIGA = 1u << 30;
        SlicedText text(GIGA, 2048, 3, 4, 0);
        const double packing = seconds([&] { text.pack_codes(); });
        row("pack", "1 byte a symbol to 3 planes", packing, GIGA, 0, 0);
        const double transposing = seconds([&] { text.transpose_planes(); });
        row("transpose", "3 planes", transposing, GIGA, 0, 0);
    }
    bench_pipes<Pipes::Logic>();
    bench_pipes<Pipes::Both>();
}
