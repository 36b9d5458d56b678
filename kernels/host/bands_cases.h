// Cases of bands.cu: "bands SEED THREADS STEPS PLANES CAPACITY GROUP PATTERNS". The planes come from planes.cu.
#pragma once

#include "../bands.cu"
#include "sliced_cases.h"

struct BandsKernel {
    void (*run)(const BandedArguments&);
    u32 (*shared_bytes)(u32 threads, u32 slots, u32 group);
};

template <int ROWS>
constexpr BandsKernel BANDS{scan_bands<ROWS>, banded_shared_bytes<ROWS>};

const std::map<u32, BandsKernel> BANDS_KERNELS{{40, BANDS<40>}, {48, BANDS<48>}, {56, BANDS<56>}, {64, BANDS<64>}};

// How many bands a pattern has, and the rows of the kernel: the fewest that hold it.
inline std::pair<u32, u32> bands_of(u32 rows) {
    const u32 bands = std::max((rows + 63) / 64, 2u);
    return {bands, BANDS_KERNELS.lower_bound((rows + bands - 1) / bands)->first};
}

inline void run_bands_case(std::istream& in, std::ostream& out) {
    const SlicedCase one = read_sliced_case(in);
    const std::vector<uint4> planes = planes_of(one);
    std::map<std::pair<u32, u32>, std::vector<u32>> launches;
    u32 reach = 0;
    for (u32 id = 0; id < one.patterns.size(); ++id) {
        const u32 rows = static_cast<u32>(one.patterns[id].rows.size());
        launches[bands_of(rows)].push_back(id);
        reach = std::max(reach, rows + one.patterns[id].k);
    }
    Hits hits(one.capacity);
    for (const auto& [shape, ids] : launches) {
        const Launch<BandedPattern> launch(one, ids);
        const u32 words = one.threads / launch.group;
        const u32 warm_up = (reach + STEPS - 1) / STEPS * STEPS;
        const u64 bytes = banded_delta_bytes(words, launch.groups(), launch.group, warm_up, one.steps);
        std::vector<uint4> deltas(bytes / sizeof(uint4));
        BandedArguments args{planes.data(), launch.patterns.data(), hits.buffer(), deltas.data(), one.symbols(),
                             one.words(), one.steps, one.planes, static_cast<u32>(ids.size()), launch.group, 0,
                             shape.first, warm_up, 0};
        const BandsKernel& kernel = BANDS_KERNELS.at(shape.second);
        const u32 shared = kernel.shared_bytes(one.threads, launch.slots, launch.group);
        // Tile by tile, as a host does that scans in parts.
        for (; args.first_tile < one.words() / words; ++args.first_tile) {
            host::launch({1, launch.groups(), 1}, {one.threads, 1, 1}, shared, one.seed, [&] { kernel.run(args); });
        }
    }
    hits.print(out);
}
