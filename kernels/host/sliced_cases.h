// Cases of sliced.cu: "sliced SEED THREADS STEPS PLANES CAPACITY GROUP PATTERNS". planes.cu makes the planes.
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
    SlicedCase input{};
    u32 patterns = 0;
    in >> input.seed >> input.threads >> input.steps >> input.planes >> input.capacity >> input.group >> patterns;
    input.text = read_codes(in);
    input.patterns = read_patterns(in, patterns);
    return input;
}

// Runs the kernels of planes.cu on the text and checks every bit of the planes.
inline std::vector<uint4> make_planes(const SlicedCase& input) {
    const u32 packed_words = (input.symbols() + 31) / 32;
    std::vector<u32> packed(static_cast<std::size_t>(packed_words) * input.planes);
    const PackArguments pack_args{input.text.data(), packed.data(), input.symbols(), packed_words, input.planes, 0};
    host::launch({2, 1, 1}, {64, 1, 1}, 0, input.seed, [&] { pack(pack_args); });
    const u32 words = input.words();
    std::vector<uint4> planes(static_cast<std::size_t>(input.steps) / 4 * input.planes * words);
    const TransposeArguments args{packed.data(), planes.data(), packed_words, words, input.steps, input.planes};
    const dim3 grid{(words + WORDS_OF_BLOCK - 1) / WORDS_OF_BLOCK, (input.steps + STEPS_OF_BLOCK - 1) / STEPS_OF_BLOCK, 1};
    host::launch(grid, {256, 1, 1}, transpose_shared_bytes(), input.seed, [&] { transpose(args); });
    for (u32 plane = 0; plane < input.planes; ++plane) {
        for (u64 symbol = 0; symbol < u64{words} * 32 * input.steps; ++symbol) {
            const u64 step = symbol % input.steps;
            const u64 stream = symbol / input.steps;
            const uint4 words_of_steps = planes[(step / 4 * input.planes + plane) * words + stream / 32];
            const u32 word = std::array<u32, 4>{words_of_steps.x, words_of_steps.y, words_of_steps.z, words_of_steps.w}[step % 4];
            const u32 code = symbol < input.symbols() ? input.text[symbol] : 0;
            if ((word >> stream % 32 & 1) != (code >> plane & 1)) {
                differ("planes.cu: a bit of a plane is wrong");
            }
        }
    }
    return planes;
}

// The slots of a group of patterns: one for each code, then one for each set of codes (union).
struct Slots {
    // The key is the lowest three bits of a code, then the code.
    std::map<std::pair<u32, u32>, u32> slot_of_code;
    // Each union as a mask of slots.
    std::vector<u64> unions;

    explicit Slots(const std::vector<CasePattern>& patterns) {
        for (const CasePattern& pattern : patterns) {
            for (const Codes& codes : pattern.rows) {
                for (const u8 code : codes) {
                    slot_of_code[{code % 8, code}] = 0;
                }
            }
        }
        u32 count = 0;
        for (auto& [code, slot] : slot_of_code) {
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
        u64 mask = 0;
        for (const u8 code : codes) {
            mask |= u64{1} << slot_of_code.at({code % 8, code});
        }
        return mask;
    }

    u32 slot_of(const Codes& codes) const {
        if (codes.size() == 1) {
            return slot_of_code.at({codes[0] % 8, codes[0]});
        }
        const auto found = std::find(unions.begin(), unions.end(), members(codes));
        return static_cast<u32>(slot_of_code.size() + (found - unions.begin()));
    }

    u32 count() const { return static_cast<u32>(slot_of_code.size() + unions.size()); }
};

// Returns a pattern in the layout of the kernel.
template <typename Pattern>
Pattern sliced_pattern(const CasePattern& pattern, u32 id, const Slots& slots) {
    Pattern result{};
    result.id = id;
    result.rows = static_cast<u32>(pattern.rows.size());
    result.k = pattern.k;
    result.unions = static_cast<u32>(slots.unions.size());
    std::copy(slots.unions.begin(), slots.unions.end(), result.members);
    for (const auto& [code, slot] : slots.slot_of_code) {
        result.codes[slot] = static_cast<u8>(code.second);
        for (u32 low = code.first; low < 8; ++low) {
            result.until[low] = slot + 1;
        }
    }
    for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
        result.slots[row] = static_cast<u8>(slots.slot_of(pattern.rows[row]));
    }
    return result;
}

// The patterns of a launch, in groups.
template <typename Pattern>
struct Launch {
    std::vector<Pattern> patterns;
    u32 group;
    u32 slots = 0;

    // Halves the size of the groups until the unions of each group fit the kernel's pattern.
    Launch(const SlicedCase& input, const std::vector<u32>& ids) : group(input.group) {
        while (!add_groups(input, ids)) {
            patterns.clear();
            group /= 2;
        }
    }

    // Adds all groups. Returns false if a group has too many unions.
    bool add_groups(const SlicedCase& input, const std::vector<u32>& ids) {
        for (std::size_t first = 0; first < ids.size(); first += group) {
            std::vector<CasePattern> members;
            for (std::size_t at = first; at < std::min(first + group, ids.size()); ++at) {
                members.push_back(input.patterns[ids[at]]);
            }
            const Slots common(members);
            if (common.unions.size() > std::size(Pattern{}.members)) {
                return false;
            }
            slots = std::max(slots, common.count());
            for (std::size_t at = 0; at < members.size(); ++at) {
                patterns.push_back(sliced_pattern<Pattern>(members[at], ids[first + at], common));
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
    const SlicedCase input = read_sliced_case(in);
    const std::vector<uint4> planes = make_planes(input);
    std::map<u32, std::vector<u32>> launches;
    for (u32 id = 0; id < input.patterns.size(); ++id) {
        launches[SLICED_KERNELS.lower_bound(static_cast<u32>(input.patterns[id].rows.size()))->first].push_back(id);
    }
    Hits hits(input.capacity);
    for (const auto& [rows, ids] : launches) {
        const Launch<SlicedPattern> launch(input, ids);
        SlicedArguments args{planes.data(), launch.patterns.data(), hits.buffer(), input.symbols(), input.words(), input.steps,
                             input.planes, static_cast<u32>(ids.size()), launch.group, 0, 0, nullptr, {}};
        const SlicedKernel& kernel = SLICED_KERNELS.at(rows);
        const u32 shared = kernel.shared_bytes(input.threads, launch.slots, launch.group);
        // One launch for each tile, as the engine does when it scans a batch in parts.
        for (; args.first_tile < input.words() / (input.threads / launch.group); ++args.first_tile) {
            host::launch({1, launch.groups(), 1}, {input.threads, 1, 1}, shared, input.seed, [&] { kernel.run(args); });
        }
    }
    hits.print(out);
}
