// Cases of sliced.cu: "sliced SEED THREADS STEPS PLANES CAPACITY GROUP PATTERNS". The planes come from planes.cu.
#pragma once

#include <array>
#include <map>

#include "../planes.cu"
#include "../sliced.cu"
#include "cases.h"

struct SlicedCase {
    u64 seed;
    u32 threads, steps, planes, capacity, group;
    Codes text;
    std::vector<CasePattern> patterns;

    u32 symbols() const { return static_cast<u32>(text.size()); }

    u32 words() const {
        const u32 streams = (symbols() + steps - 1) / steps;
        return (streams + 32 * threads - 1) / (32 * threads) * threads;
    }
};

inline SlicedCase read_sliced_case(std::istream& in) {
    SlicedCase read{};
    u32 patterns = 0;
    in >> read.seed >> read.threads >> read.steps >> read.planes >> read.capacity >> read.group >> patterns;
    read.text = read_codes(in);
    read.patterns = read_patterns(in, patterns);
    return read;
}

// The planes of a text by the kernels, checked bit by bit.
inline std::vector<uint4> planes_of(const SlicedCase& one) {
    const u32 packed_words = (one.symbols() + 31) / 32;
    std::vector<u32> packed(static_cast<std::size_t>(packed_words) * one.planes);
    const PackArguments pack_args{one.text.data(), packed.data(), one.symbols(), packed_words, one.planes, 0};
    host::launch({2, 1, 1}, {64, 1, 1}, 0, one.seed, [&] { pack(pack_args); });
    const u32 words = one.words();
    std::vector<uint4> planes(static_cast<std::size_t>(one.steps) / 4 * one.planes * words);
    const TransposeArguments args{packed.data(), planes.data(), packed_words, words, one.steps, one.planes};
    const dim3 grid{(words + WORDS_OF_BLOCK - 1) / WORDS_OF_BLOCK, (one.steps + STEPS_OF_BLOCK - 1) / STEPS_OF_BLOCK, 1};
    host::launch(grid, {256, 1, 1}, transpose_shared_bytes(), one.seed, [&] { transpose(args); });
    for (u32 plane = 0; plane < one.planes; ++plane) {
        for (u64 symbol = 0; symbol < u64{words} * 32 * one.steps; ++symbol) {
            const u64 step = symbol % one.steps;
            const u64 stream = symbol / one.steps;
            const uint4 four = planes[(step / 4 * one.planes + plane) * words + stream / 32];
            const u32 word = std::array<u32, 4>{four.x, four.y, four.z, four.w}[step % 4];
            const u32 code = symbol < one.symbols() ? one.text[symbol] : 0;
            if ((word >> stream % 32 & 1) != (code >> plane & 1)) {
                differ("planes.cu made other planes");
            }
        }
    }
    return planes;
}

// A pattern as the kernel wants it.
inline SlicedPattern sliced_pattern(const CasePattern& pattern, u32 id) {
    SlicedPattern made{};
    made.id = id;
    made.rows = static_cast<u32>(pattern.rows.size());
    made.k = pattern.k;
    std::map<std::pair<u32, u32>, u32> slots;
    for (const Codes& codes : pattern.rows) {
        for (const u8 code : codes) {
            slots[{code % 8, code}] = 0;
        }
    }
    u32 count = 0;
    for (auto& [code, slot] : slots) {
        made.codes[count] = static_cast<u8>(code.second);
        slot = count++;
        for (u32 low = code.first; low < 8; ++low) {
            made.until[low] = count;
        }
    }
    for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
        const Codes& codes = pattern.rows[row];
        if (codes.size() == 1) {
            made.slots[row] = static_cast<u8>(slots[{codes[0] % 8, codes[0]}]);
            continue;
        }
        u64 members = 0;
        for (const u8 code : codes) {
            members |= u64{1} << slots[{code % 8, code}];
        }
        const u64* end = made.members + made.unions;
        const u32 index = static_cast<u32>(std::find(made.members, made.members + made.unions, members) - made.members);
        made.unions += made.members + index == end;
        made.members[index] = members;
        made.slots[row] = static_cast<u8>(count + index);
    }
    return made;
}

struct SlicedKernel {
    void (*run)(const SlicedArguments&);
    void (*run_on_both_pipes)(const SlicedArguments&);
    u32 (*shared_bytes)(u32 threads, u32 slots);
};

template <int ROWS>
constexpr SlicedKernel SLICED{scan_group<ROWS, Pipes::Logic>, scan_group<ROWS, Pipes::Both>, sliced_shared_bytes<ROWS>};

const std::map<u32, SlicedKernel> SLICED_KERNELS{
    {4, SLICED<4>},   {8, SLICED<8>},   {12, SLICED<12>}, {16, SLICED<16>}, {20, SLICED<20>}, {24, SLICED<24>},
    {28, SLICED<28>}, {32, SLICED<32>}, {40, SLICED<40>}, {48, SLICED<48>}, {56, SLICED<56>}, {64, SLICED<64>}};

inline void run_sliced_case(std::istream& in, std::ostream& out) {
    const SlicedCase one = read_sliced_case(in);
    const std::vector<uint4> planes = planes_of(one);
    std::map<u32, std::vector<SlicedPattern>> launches;
    std::map<u32, u32> slots;
    for (std::size_t id = 0; id < one.patterns.size(); ++id) {
        const SlicedPattern pattern = sliced_pattern(one.patterns[id], static_cast<u32>(id));
        const u32 rows = SLICED_KERNELS.lower_bound(pattern.rows)->first;
        launches[rows].push_back(pattern);
        slots[rows] = std::max(slots[rows], pattern.until[7] + pattern.unions);
    }
    Hits hits(one.capacity);
    for (const auto& [rows, patterns] : launches) {
        SlicedArguments args{planes.data(), patterns.data(), hits.buffer(), one.symbols(), one.words(), one.steps,
                             one.planes, static_cast<u32>(patterns.size()), one.group, 0, 1};
        const SlicedKernel& kernel = SLICED_KERNELS.at(rows);
        const u32 shared = kernel.shared_bytes(one.threads, slots[rows]);
        const u32 groups = (args.pattern_count + one.group - 1) / one.group;
        const auto run = one.seed % 2 == 0 ? kernel.run : kernel.run_on_both_pipes;
        // Tile by tile, as a host does that scans in parts.
        for (; args.first_tile < one.words() / one.threads; ++args.first_tile) {
            host::launch({1, groups, 1}, {one.threads, 1, 1}, shared, one.seed, [&] { run(args); });
        }
    }
    hits.print(out);
}
