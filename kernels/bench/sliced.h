// Benchmarks of sliced.cu and bands.cu (bit-sliced scan), and of planes.cu, which makes their planes.
#pragma once

#include "../bands.cu"
#include "../planes.cu"
#include "../sliced.cu"
#include "bench.h"

template <int ROWS>
__global__ void __launch_bounds__(128, RESIDENT<ROWS>) sliced_kernel(const SlicedArguments args) {
    scan_group<ROWS>(args);
}

template <int ROWS>
__global__ void __launch_bounds__(128, RESIDENT_BANDS<ROWS>) bands_kernel(const BandedArguments args) {
    scan_bands<ROWS>(args);
}

// Numbers the codes that the patterns of a group use, and stores these slots in a pattern of the group.
template <typename Pattern>
void add_slots(Pattern& pattern, const std::vector<u8>& codes, const std::vector<bool>& used) {
    u32 count = 0;
    for (u32 low = 0; low < 8; ++low) {
        for (u32 code = low; code < 64; code += 8) {
            if (used[code]) {
                for (std::size_t row = 0; row < codes.size(); ++row) {
                    pattern.slots[row] = codes[row] == code ? static_cast<u8>(count) : pattern.slots[row];
                }
                pattern.codes[count++] = static_cast<u8>(code);
            }
        }
        pattern.until[low] = count;
    }
}

// Returns patterns without unions in the layout of the kernel.
template <typename Pattern>
std::vector<Pattern> sliced_patterns(const std::vector<std::vector<u8>>& patterns, u32 k, u32 group) {
    std::vector<Pattern> all;
    for (std::size_t index = 0; index < patterns.size(); ++index) {
        std::vector<bool> used(64);
        const std::size_t first = index / group * group;
        for (std::size_t other = first; other < std::min(first + group, patterns.size()); ++other) {
            for (const u8 code : patterns[other]) {
                used[code] = true;
            }
        }
        Pattern pattern{};
        pattern.id = static_cast<u32>(index);
        pattern.rows = static_cast<u32>(patterns[index].size());
        pattern.k = k;
        add_slots(pattern, patterns[index], used);
        all.push_back(pattern);
    }
    return all;
}

struct StreamedText {
    u32 symbols, steps, plane_count, words;
    Device<u8> codes;
    Device<u32> packed;
    Device<uint4> planes;

    StreamedText(u32 symbols, u32 steps, u32 plane_count, u32 classes, u32 others)
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

// Device memory of a search. `group` is the number of patterns that a block searches at once.
template <typename Pattern>
struct SlicedSearch {
    u32 group;
    Device<Pattern> patterns;
    Device<Hit> hits{std::size_t{1} << 24};
    Device<u64> found{1};
    u32 slots = 0;

    SlicedSearch(const std::vector<std::vector<u8>>& from, u32 k, u32 group)
        : SlicedSearch(sliced_patterns<Pattern>(from, k, group), group) {}

    SlicedSearch(const std::vector<Pattern>& source, u32 group) : group(group), patterns(source) {
        for (const Pattern& pattern : source) {
            slots = std::max(slots, pattern.until[7]);
        }
    }

    u32 count() const { return static_cast<u32>(patterns.length); }
    dim3 grid(const StreamedText& text) const { return dim3(text.words / (128 / group), (count() + group - 1) / group); }
};

template <int ROWS>
void run(SlicedSearch<SlicedPattern>& search, const StreamedText& text) {
    search.found.clear();
    const u32 shared = sliced_shared_bytes<ROWS>(128, search.slots, search.group);
    must(cudaFuncSetAttribute(sliced_kernel<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    sliced_kernel<ROWS><<<search.grid(text), 128, shared>>>(
        {text.planes.data, search.patterns.data, {search.hits.data, search.hits.length, search.found.data}, text.symbols,
         text.words, text.steps, text.plane_count, search.count(), search.group, 0, 0});
}

template <int ROWS>
void run(SlicedSearch<BandedPattern>& search, const StreamedText& text, const Device<uint4>& deltas, u32 bands, u32 warm_up) {
    search.found.clear();
    const u32 shared = banded_shared_bytes<ROWS>(128, search.slots, search.group);
    must(cudaFuncSetAttribute(bands_kernel<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    bands_kernel<ROWS><<<search.grid(text), 128, shared>>>(
        {text.planes.data, search.patterns.data, {search.hits.data, search.hits.length, search.found.data}, deltas.data,
         text.symbols, text.words, text.steps, text.plane_count, search.count(), search.group, 0, bands, warm_up, 0});
}

// The codes of a text: 1 to `classes`, and code 0 for `others` symbols in sixteen.
struct Alphabet {
    u32 plane_count;
    u32 classes;
    u32 others;
};

constexpr Alphabet DNA{3, 4, 0};

template <int ROWS>
void check_sliced(u32 rows, u32 k, const Alphabet& alphabet, u32 group) {
    StreamedText text(300'001, 96, alphabet.plane_count, alphabet.classes, alphabet.others);
    text.pack_codes();
    text.transpose_planes();
    const std::vector<u8> codes = text.codes.read(text.symbols);
    const auto patterns = random_patterns(codes, 5, rows, alphabet.classes);
    SlicedSearch<SlicedPattern> search(patterns, k, group);
    run<ROWS>(search, text);
    HitList expected;
    for (u32 index = 0; index < patterns.size(); ++index) {
        reference(codes, patterns[index], k, index, expected);
    }
    check_hits("sliced", sorted(search.hits.read(search.found.read(1)[0])), expected);
}

template <int ROWS>
void check_bands(u32 rows, u32 bands, u32 k, const Alphabet& alphabet, u32 group) {
    StreamedText text(300'001, (rows + k + 31) / 32 * 32, alphabet.plane_count, alphabet.classes, alphabet.others);
    text.pack_codes();
    text.transpose_planes();
    const std::vector<u8> codes = text.codes.read(text.symbols);
    const auto patterns = random_patterns(codes, 3, rows, alphabet.classes);
    SlicedSearch<BandedPattern> search(patterns, k, group);
    const u32 warm_up = (rows + k + STEPS - 1) / STEPS * STEPS;
    Device<uint4> deltas(banded_delta_bytes(text.words, search.grid(text).y, group, warm_up, text.steps) / sizeof(uint4));
    run<ROWS>(search, text, deltas, bands, warm_up);
    HitList expected;
    for (u32 index = 0; index < patterns.size(); ++index) {
        reference(codes, patterns[index], k, index, expected);
    }
    check_hits("bands", sorted(search.hits.read(search.found.read(1)[0])), expected);
}

template <int ROWS>
void time_sliced(u32 symbols, u32 steps, u32 count, u32 k, const Alphabet& alphabet, u32 group) {
    StreamedText text(symbols, steps, alphabet.plane_count, alphabet.classes, alphabet.others);
    text.pack_codes();
    text.transpose_planes();
    const auto patterns = random_patterns(text.codes.read(4096), count, ROWS, alphabet.classes);
    SlicedSearch<SlicedPattern> search(patterns, k, group);
    const double time = seconds([&] { run<ROWS>(search, text); });
    char size[64];
    std::snprintf(size, sizeof size, "m=%d k=%u, %u by %u, %u codes", ROWS, k, count, group, alphabet.classes);
    const double pairs = static_cast<double>(symbols) * count;
    row("sliced", size, time, pairs, pairs * ROWS, search.found.read(1)[0]);
}

template <int ROWS>
void time_bands(u32 symbols, u32 steps, u32 rows, u32 count, u32 k, u32 group) {
    StreamedText text(symbols, steps, DNA.plane_count, DNA.classes, DNA.others);
    text.pack_codes();
    text.transpose_planes();
    const auto patterns = random_patterns(text.codes.read(4096), count, rows, DNA.classes);
    SlicedSearch<BandedPattern> search(patterns, k, group);
    const u32 bands = (rows + ROWS - 1) / ROWS;
    const u32 warm_up = (rows + k + STEPS - 1) / STEPS * STEPS;
    Device<uint4> deltas(banded_delta_bytes(text.words, search.grid(text).y, group, warm_up, steps) / sizeof(uint4));
    const double time = seconds([&] { run<ROWS>(search, text, deltas, bands, warm_up); });
    char size[64];
    std::snprintf(size, sizeof size, "m=%u k=%u, %u by %u, steps %u", rows, k, count, group, steps);
    const double pairs = static_cast<double>(symbols) * count;
    row("bands", size, time, pairs, pairs * rows, search.found.read(1)[0]);
}

inline void check_all_sliced() {
    for (const u32 group : {1, 2, 4}) {
        check_sliced<20>(20, 3, DNA, group);
        check_sliced<20>(18, 5, {4, 12, 2}, group);
        check_sliced<64>(64, 9, {3, 4, 1}, group);
        check_sliced<64>(57, 9, {6, 50, 1}, group);
        check_bands<40>(65, 2, 20, DNA, group);
        check_bands<56>(200, 4, 60, {4, 12, 2}, group);
    }
}

inline void bench_sliced() {
    constexpr u32 GIGA = 1u << 30;
    {
        StreamedText text(GIGA, 2048, 3, 4, 0);
        const double packing = seconds([&] { text.pack_codes(); });
        row("pack", "1 byte a symbol to 3 planes", packing, GIGA, 0, 0);
        const double transposing = seconds([&] { text.transpose_planes(); });
        row("transpose", "3 planes", transposing, GIGA, 0, 0);
    }
    check_all_sliced();
    for (const u32 group : {1, 2, 4}) {
        time_sliced<20>(GIGA, 2048, 64, 3, DNA, group);
        time_sliced<20>(GIGA / 4, 2048, 1024, 3, DNA, group);
        time_sliced<20>(GIGA, 2048, 64, 2, {4, 12, 2}, group);
        time_sliced<64>(GIGA, 2048, 64, 3, DNA, group);
    }
    time_sliced<8>(GIGA, 2048, 64, 1, DNA, 4);
    time_sliced<12>(GIGA, 2048, 64, 1, DNA, 4);
    time_sliced<16>(GIGA, 2048, 64, 1, DNA, 4);
    time_sliced<24>(GIGA, 2048, 64, 3, DNA, 4);
    time_sliced<28>(GIGA, 2048, 64, 3, DNA, 4);
    time_sliced<32>(GIGA, 2048, 64, 3, DNA, 4);
    time_sliced<40>(GIGA, 2048, 64, 3, DNA, 4);
    time_sliced<48>(GIGA, 2048, 64, 3, DNA, 4);
    time_sliced<56>(GIGA, 2048, 64, 3, DNA, 4);
    for (const u32 group : {1, 4}) {
        time_bands<56>(GIGA, 4096, 100, 16, 8, group);
        time_bands<64>(GIGA, 4096, 128, 16, 8, group);
        time_bands<64>(GIGA, 4096, 256, 16, 8, group);
        time_bands<64>(GIGA, 8192, 1024, 16, 32, group);
    }
}
