// Bit-sliced Myers for patterns of more than 64 rows, in bands of rows: the differences below a band, kept along the
// text, are those above the next band.
//
// Division of work. Streams, words, tiles and groups of patterns are those of sliced.cu, and so is the work of a block
// on one band: it walks the text with the rows of one band in registers, then with those of the next. The patterns of a
// launch have the same number of bands, each of at most NIGH_ROWS rows and at least NIGH_ROWS - BAND_SKIPPED. So a
// pattern has from bands * (NIGH_ROWS - BAND_SKIPPED) to bands * NIGH_ROWS rows; its bands differ by one row at most,
// the first ones being the longer.
//
// Storage. As in sliced.cu; and in global memory the differences below a band, 64 bytes per eight steps of a word. Each
// thread reads only what it wrote itself, and writes to the same place, so all bands share one set of differences, and
// a block waits for no other.
//
// Memory traffic, per band and pattern: the planes of the text once per group; 64 bytes read and 64 written per 256
// symbols, beside 32 operations per row; no differences above the first band and below the last. Hits as in sliced.cu.
//
// A stream warms up on the last `warm_up` symbols of the stream before it, so it must have as many.
#include "sliced.cuh"

constexpr u32 MAX_BANDED_ROWS = 1024;
// The largest number of leading rows of a band that may be missing.
constexpr u32 BAND_SKIPPED = 8;
constexpr int BANDED_BITS = counter_bits(MAX_BANDED_ROWS);

// A pattern, 1,648 bytes.
struct __align__(16) BandedPattern {
    u32 id;                      //  0: reported with its hits
    u32 rows;                    //   4: m
    u32 k;                       //   8: less than m
    u32 unions;                  //  12: number of unions of codes
    u32 until[8];                //  16: [low]: number of slots with a code whose lowest three bits are at most `low`
    u8 codes[64];                //  48: the code of each slot, by their lowest three bits
    u64 members[64];             // 112: for each union the slots of its codes, a bit each
    u8 slots[MAX_BANDED_ROWS];  // 624: the slot of each row; those of unions follow those of codes
};

// 88 bytes.
struct BandedArguments {
    const uint4* planes;            //  0
    const BandedPattern* patterns;  //  8
    HitBuffer buffer;               // 16
    uint4* deltas;                  // 40: [group][pattern of the group][warm_up / 8 + steps / 8][4][word of the launch]
    u32 symbols;                    // 48: of the text
    u32 words;                      // 52: of each step and plane; a multiple of those of a tile
    u32 steps;                      // 56: of each stream, a multiple of 32
    u32 plane_count;                // 60: 2 to 6
    u32 pattern_count;              // 64
    u32 patterns_in_group;          // 68: 1, 2 or 4
    u32 first_tile;                 // 72: the tile of the first block
    u32 bands;                      // 76: of each pattern, 2 or more
    u32 warm_up;                    // 80: a multiple of 8, at least m + k of every pattern and at most `steps`
    u32 unused;                     // 84
};

// The size of `deltas` in bytes, for a launch of `words` words, which are those of its tiles, and `groups` groups.
constexpr u64 banded_delta_bytes(u32 words, u32 groups, u32 group, u32 warm_up, u32 steps) {
    return static_cast<u64>(words) * groups * group * ((warm_up + steps) / STEPS) * 4 * sizeof(uint4);
}

// The shared memory of a block per pattern, without the slots.
template <int ROWS>
struct __align__(16) StagedBand {
    BandedPattern pattern;
    // For each row of the current band, the byte offset of its slot. Rows are aligned to the end if the band has fewer
    // than ROWS.
    u32 offsets[ROWS];
    // The number of missing leading rows.
    u32 skip;
    // The values of the lowest three bits of codes for which the warp fills slots, as a mask.
    u32 lows;
    // Whether no pattern is left for the warp, which then only fills its share of the slots.
    u32 is_idle;
};

// The shared memory of a block, in bytes.
template <int ROWS>
constexpr u32 banded_shared_bytes(u32 threads, u32 slots, u32 group) {
    return group * sizeof(StagedBand<ROWS>) + threads / WARP / group * (group > 1 ? 2 : 1) * slots * SLOT;
}

// The state of a thread between steps.
template <int ROWS>
struct BandColumn {
    // The vertical differences: where they are not zero, and whether those are -1.
    u32 changes[ROWS];
    u32 minus[ROWS];
    u32 counter[BANDED_BITS];
};

// Computes eight steps of all rows.
template <int ROWS>
__device__ __forceinline__ void advance_band(BandColumn<ROWS>& column, Horizontal& horizontal,
                                             const StagedBand<ROWS>& staged, const char* slots) {
    const u32 skip = staged.skip;
#pragma unroll
    for (int four = 0; four < ROWS; four += 4) {
        const uint4 offsets = *reinterpret_cast<const uint4*>(staged.offsets + four);
        const u32 offset[4] = {offsets.x, offsets.y, offsets.z, offsets.w};
#pragma unroll
        for (int at = 0; at < 4; ++at) {
            const u32 row = four + at;
            if (row >= BAND_SKIPPED || row >= skip) {
                next_row(column.changes[row], column.minus[row], horizontal, load_slot(slots + offset[at]));
            }
        }
    }
}

// Loads eight steps of the differences between two bands; groups of four steps are `words` apart.
__device__ __forceinline__ Horizontal load_deltas(const uint4* deltas, u64 words) {
    Horizontal horizontal;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const uint4 plus = deltas[half * words];
        const uint4 changes = deltas[(half + 2) * words];
        horizontal.plus[4 * half] = plus.x;
        horizontal.plus[4 * half + 1] = plus.y;
        horizontal.plus[4 * half + 2] = plus.z;
        horizontal.plus[4 * half + 3] = plus.w;
        horizontal.changes[4 * half] = changes.x;
        horizontal.changes[4 * half + 1] = changes.y;
        horizontal.changes[4 * half + 2] = changes.z;
        horizontal.changes[4 * half + 3] = changes.w;
    }
    return horizontal;
}

__device__ __forceinline__ void store_deltas(uint4* deltas, u64 words, const Horizontal& horizontal) {
    const auto four = [](const u32* at) { return make_uint4(at[0], at[1], at[2], at[3]); };
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        deltas[half * words] = four(horizontal.plus + 4 * half);
        deltas[(half + 2) * words] = four(horizontal.changes + 4 * half);
    }
}

// The position of a thread.
struct BandPlace {
    u32 word;
    u32 words;      // of the launch
    uint4* deltas;  // of its word and pattern, at the first pass
    char* slots;    // of its lane
    u32 next_slots; // bytes to the other place for slots
    Share share;
};

// Walks through the text with one band.
template <int ROWS>
__device__ __forceinline__ void scan_band(const BandedArguments& args, const StagedBand<ROWS>& staged, u32 band,
                                          const BandPlace& place) {
    const BandedPattern& pattern = staged.pattern;
    const SlicedText text{args.planes, args.symbols, args.words, args.steps, args.plane_count};
    BandColumn<ROWS> column;
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        column.changes[row] = ~0u;
        column.minus[row] = 0;
    }
    reset_counter(column.counter, pattern);
    uint4* deltas = place.deltas;
    const int passes = static_cast<int>(args.steps / STEPS);
    for (int pass = -static_cast<int>(args.warm_up / STEPS); pass < passes; ++pass) {
        char* const slots = place.slots + (pass % 2 != 0 ? place.next_slots : 0);
        fill_slots(text, pass, place.word, pattern, place.share, staged.lows, slots);
        if (staged.is_idle != 0) {
            continue;
        }
        Horizontal horizontal{};
        if (band > 0) {
            horizontal = load_deltas(deltas, place.words);
        }
        advance_band(column, horizontal, staged, slots);
        if (band + 1 < args.bands) {
            store_deltas(deltas, place.words, horizontal);
        } else {
            const u32 within = count_all(column.counter, horizontal);
            if (__any_sync(ALL_LANES, pass >= 0 && within != 0)) {
                take_hits(text, args.buffer, FirstHitFilter{}, pattern, column.counter, horizontal, place.word, pass * STEPS);
            }
        }
        deltas += static_cast<u64>(place.words) * 4;
    }
}

// Loads a pattern of a group into shared memory, by one warp.
template <int ROWS>
__device__ __forceinline__ void stage_pattern(const BandedArguments& args, u32 own, StagedBand<ROWS>& staged) {
    const u32 index = blockIdx.y * args.patterns_in_group + own;
    const uint4* from = reinterpret_cast<const uint4*>(&args.patterns[min(index, args.pattern_count - 1)]);
    uint4* to = reinterpret_cast<uint4*>(&staged.pattern);
    for (u32 at = lane_index(); at < sizeof(BandedPattern) / sizeof(uint4); at += WARP) {
        to[at] = from[at];
    }
    __syncwarp();
    staged.lows = lows_of(staged.pattern, {own, args.patterns_in_group});
    staged.is_idle = index >= args.pattern_count ? 1 : 0;
}

// Selects a band of the staged pattern, by one warp.
template <int ROWS>
__device__ __forceinline__ void stage_band(const BandedArguments& args, u32 band, StagedBand<ROWS>& staged) {
    const u32 rows = staged.pattern.rows / args.bands;
    const u32 longer = staged.pattern.rows % args.bands;
    const u32 first = band * rows + min(band, longer);
    const u32 skip = ROWS - rows - (band < longer ? 1 : 0);
    for (u32 row = lane_index(); row < ROWS; row += WARP) {
        staged.offsets[row] = row < skip ? 0 : staged.pattern.slots[first + row - skip] * SLOT;
    }
    staged.skip = skip;
}

template <int ROWS>
__device__ __forceinline__ void scan_bands(const BandedArguments& args) {
    DYNAMIC_SHARED(shared);
    StagedBand<ROWS>* const staged = reinterpret_cast<StagedBand<ROWS>*>(shared);
    const u32 group = args.patterns_in_group;
    const u32 warp = threadIdx.x / WARP;
    if (warp < group) {
        stage_pattern(args, warp, staged[warp]);
    }
    __syncthreads();
    const u32 words_of_tile = blockDim.x / group;
    const u32 here = blockIdx.x * words_of_tile + warp / group * WARP + lane_index();
    const u32 bytes = (staged->pattern.until[7] + staged->pattern.unions) * SLOT;
    BandPlace place{};
    place.share = {warp % group, group};
    place.word = args.first_tile * words_of_tile + here;
    place.words = gridDim.x * words_of_tile;
    place.deltas = args.deltas + here +
                   (static_cast<u64>(blockIdx.y) * group + place.share.own) * ((args.warm_up + args.steps) / STEPS) * 4 *
                       place.words;
    place.next_slots = group > 1 ? bytes : 0;
    place.slots = reinterpret_cast<char*>(staged + group) + warp / group * (bytes + place.next_slots) +
                  lane_index() * sizeof(uint4);
    for (u32 band = 0; band < args.bands; ++band) {
        __syncthreads();
        if (warp < group) {
            stage_band(args, band, staged[warp]);
        }
        __syncthreads();
        scan_band(args, staged[place.share.own], band, place);
    }
}

// Blocks that a multiprocessor should hold at once, given the registers per row.
template <int ROWS>
constexpr int RESIDENT_BANDS = ROWS <= 48 ? 3 : 2;

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128, RESIDENT_BANDS<NIGH_ROWS>) bands(const BandedArguments args) {
    scan_bands<NIGH_ROWS>(args);
}
#endif
