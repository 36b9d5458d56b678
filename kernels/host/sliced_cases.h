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

// The slots that some patterns have in common.
struct Slots {
    std::map<std::pair<u32, u32>, u32> of_code;  // by the lowest three bits, and the code
    std::vector<u64> unions;

    explicit Slots(const std::vector<CasePattern>& patterns) {
        for (const CasePattern& pattern : patterns) {
            for (const Codes& codes : pattern.rows) {
                for (const u8 code : codes) {
                    of_code[{code % 8, code}] = 0;
                }
            }
        }
        u32 count = 0;
        for (auto& [code, slot] : of_code) {
            slot = count++;
        }
        for (const CasePattern& pattern : patterns) {
            for (const Codes& codes : pattern.rows) {
                if (codes.size() != 1 && std::find(unions.begin(), unions.end(), members(codes)) == unions.end()) {
                    unions.push_back(members(codes));
                }
            }
        }
    }

    u64 members(const Codes& codes) const {
        u64 members = 0;
        for (const u8 code : codes) {
            members |= u64{1} << of_code.at({code % 8, code});
        }
        return members;
    }

    u32 of(const Codes& codes) const {
        if (codes.size() == 1) {
            return of_code.at({codes[0] % 8, codes[0]});
        }
        const auto found = std::find(unions.begin(), unions.end(), members(codes));
        return static_cast<u32>(of_code.size() + (found - unions.begin()));
    }

    u32 count() const { return static_cast<u32>(of_code.size() + unions.size()); }
};

// A pattern as a kernel wants it.
template <typename Pattern>
Pattern sliced_pattern(const CasePattern& pattern, u32 id, const Slots& slots) {
    Pattern made{};
    made.id = id;
    made.rows = static_cast<u32>(pattern.rows.size());
    made.k = pattern.k;
    made.unions = static_cast<u32>(slots.unions.size());
    std::copy(slots.unions.begin(), slots.unions.end(), made.members);
    for (const auto& [code, slot] : slots.of_code) {
        made.codes[slot] = static_cast<u8>(code.second);
        for (u32 low = code.first; low < 8; ++low) {
            made.until[low] = slot + 1;
        }
    }
    for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
        made.slots[row] = static_cast<u8>(slots.of(pattern.rows[row]));
    }
    return made;
}

// Patterns of a launch, a group after the other.
template <typename Pattern>
struct Launch {
    std::vector<Pattern> patterns;
    u32 group;
    u32 slots = 0;

    // Smaller groups than wanted, if the patterns have too many unions to share them.
    Launch(const SlicedCase& one, const std::vector<u32>& ids) : group(one.group) {
        while (!add_groups(one, ids)) {
            patterns.clear();
            group /= 2;
        }
    }

    bool add_groups(const SlicedCase& one, const std::vector<u32>& ids) {
        for (std::size_t first = 0; first < ids.size(); first += group) {
            std::vector<CasePattern> own;
            for (std::size_t at = first; at < std::min(first + group, ids.size()); ++at) {
                own.push_back(one.patterns[ids[at]]);
            }
            const Slots common(own);
            if (common.unions.size() > std::size(Pattern{}.members)) {
                return false;
            }
            slots = std::max(slots, common.count());
            for (std::size_t at = 0; at < own.size(); ++at) {
                patterns.push_back(sliced_pattern<Pattern>(own[at], ids[first + at], common));
            }
        }
        return true;
    }

    u32 groups() const { return (static_cast<u32>(patterns.size()) + group - 1) / group; }
};

struct SlicedKernel {
    void (*run)(const SlicedArguments&);
    u32 (*shared_bytes)(u32 threads, u32 slots, u32 group);
};

template <int ROWS>
constexpr SlicedKernel SLICED{scan_group<ROWS>, sliced_shared_bytes<ROWS>};

const std::map<u32, SlicedKernel> SLICED_KERNELS{
    {4, SLICED<4>},   {8, SLICED<8>},   {12, SLICED<12>}, {16, SLICED<16>}, {20, SLICED<20>}, {24, SLICED<24>},
    {28, SLICED<28>}, {32, SLICED<32>}, {40, SLICED<40>}, {48, SLICED<48>}, {56, SLICED<56>}, {64, SLICED<64>}};

inline void run_sliced_case(std::istream& in, std::ostream& out) {
    const SlicedCase one = read_sliced_case(in);
    const std::vector<uint4> planes = planes_of(one);
    std::map<u32, std::vector<u32>> launches;
    for (u32 id = 0; id < one.patterns.size(); ++id) {
        launches[SLICED_KERNELS.lower_bound(static_cast<u32>(one.patterns[id].rows.size()))->first].push_back(id);
    }
    Hits hits(one.capacity);
    for (const auto& [rows, ids] : launches) {
        const Launch<SlicedPattern> launch(one, ids);
        SlicedArguments args{planes.data(), launch.patterns.data(), hits.buffer(), one.symbols(), one.words(), one.steps,
                             one.planes, static_cast<u32>(ids.size()), launch.group, 0, 0};
        const SlicedKernel& kernel = SLICED_KERNELS.at(rows);
        const u32 shared = kernel.shared_bytes(one.threads, launch.slots, launch.group);
        // Tile by tile, as a host does that scans in parts.
        for (; args.first_tile < one.words() / (one.threads / launch.group); ++args.first_tile) {
            host::launch({1, launch.groups(), 1}, {one.threads, 1, 1}, shared, one.seed, [&] { kernel.run(args); });
        }
    }
    hits.print(out);
}
