// Cases of bands.cu: "bands SEED THREADS STEPS PLANES CAPACITY GROUP PATTERNS". planes.cu makes the planes.
#pragma once

#include <tuple>

#include "../bands.cu"
#include "sliced_cases.h"

struct BandsKernel {
    void (*run)(const BandedArguments&);
    u32 (*shared_bytes)(u32 threads, u32 slots, u32 group);
};

template <int ROWS>
constexpr BandsKernel BANDS{scan_bands<ROWS>, banded_shared_bytes<ROWS>};

const std::map<u32, BandsKernel> BANDS_KERNELS{{40, BANDS<40>}, {48, BANDS<48>}, {56, BANDS<56>}, {64, BANDS<64>}};

// Number of bands of a pattern, and rows of a band in its kernel.
struct BandShape {
    u32 bands, rows;
    bool operator<(const BandShape& other) const { return std::tie(bands, rows) < std::tie(other.bands, other.rows); }
};

// Returns the smallest shape that holds a pattern of `rows` rows.
inline BandShape band_shape(u32 rows) {
    const u32 bands = std::max((rows + 63) / 64, 2u);
    return {bands, BANDS_KERNELS.lower_bound((rows + bands - 1) / bands)->first};
}

inline void run_bands_case(std::istream& in, std::ostream& out) {
    const SlicedCase input = read_sliced_case(in);
    const std::vector<uint4> planes = make_planes(input);
    std::map<BandShape, std::vector<u32>> launches;
    u32 reach = 0;
    for (u32 id = 0; id < input.patterns.size(); ++id) {
        const u32 rows = static_cast<u32>(input.patterns[id].rows.size());
        launches[band_shape(rows)].push_back(id);
        reach = std::max(reach, rows + input.patterns[id].k);
    }
    Hits hits(input.capacity);
    for (const auto& [shape, ids] : launches) {
        const Launch<BandedPattern> launch(input, ids);
        const u32 words = input.threads / launch.group;
        const u32 warm_up = (reach + STEPS - 1) / STEPS * STEPS;
        const u64 bytes = banded_delta_bytes(words, launch.groups(), launch.group, warm_up, input.steps);
        std::vector<uint4> deltas(bytes / sizeof(uint4));
        BandedArguments args{planes.data(), launch.patterns.data(), hits.buffer(), deltas.data(), input.symbols(),
                             input.words(), input.steps, input.planes, static_cast<u32>(ids.size()), launch.group, 0,
                             shape.bands, warm_up, 0};
        const BandsKernel& kernel = BANDS_KERNELS.at(shape.rows);
        const u32 shared = kernel.shared_bytes(input.threads, launch.slots, launch.group);
        // One launch for each tile, as the engine does when it scans a batch in parts.
        for (; args.first_tile < input.words() / words; ++args.first_tile) {
            host::launch({1, launch.groups(), 1}, {input.threads, 1, 1}, shared, input.seed, [&] { kernel.run(args); });
        }
    }
    hits.print(out);
}
