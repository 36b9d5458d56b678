// Block-based Myers for long patterns, for the skewed form (word.cu) and for the scan form (scan.cu): arguments, and what
// both do with the differences below the last row.
#pragma once

#include "lanes.cuh"

constexpr u32 MAX_THREADS = 512;

// 16 bytes.
struct WordPattern {
    u32 id;      //  0: reported with its hits
    u32 rows;    //  4: m
    u32 k;       //  8: less than m
    u32 unused;  // 12
};

// 96 bytes.
struct WordArguments {
    const u8* codes;              //  0: of the text
    const WordPattern* patterns;  //  8
    const u32* equal;             // 16: [pattern][band][code][lane][word], a bit for each row that matches the code
    u32* deltas;                  // 24: [pattern][segment][32 symbols][plus, minus], if there are more bands than a block has
    HitBuffer buffer;             // 32
    u32 symbols;                  // 56
    u32 segment_symbols;          // 60: that a segment owns, a multiple of 32
    u32 segments;                 // 64
    u32 warm_up;                  // 68: m + k of the longest pattern, or more, a multiple of 32
    u32 code_count;               // 72
    u32 bands;                    // 76: of each pattern
    u32 first_band;               // 80: of this launch
    u32 bands_of_block;           // 84
    u32 segments_of_block;        // 88
    u32 unused;                   // 92
};

// Reports the hits among 32 symbols, one per lane; returns the distance after them.
__device__ __forceinline__ u32 take_hits(const WordArguments& args, const WordPattern& pattern, u32 distance,
                                         const BandDeltas& below, long long first, u32 segment) {
    const u32 later = WARP - 1 - lane_index();
    const u32 here = distance + __popc(below.plus >> later) - __popc(below.minus >> later);
    const long long symbol = first + lane_index();
    const long long own = static_cast<long long>(segment) * args.segment_symbols;
    const bool is_hit = here <= pattern.k && symbol >= own && symbol < own + args.segment_symbols && symbol < args.symbols;
    if (__any_sync(ALL_LANES, is_hit)) {
        const u64 place = reserve(args.buffer, is_hit ? 1 : 0);
        if (is_hit) {
            put(args.buffer, place, {static_cast<u32>(symbol), pattern.id, here});
        }
    }
    return distance + __popc(below.plus) - __popc(below.minus);
}

// Returns the number of chunks of 32 symbols of a segment's warm-up that precede the text. They change nothing.
__device__ __forceinline__ u32 chunks_before_text(const WordArguments& args, u32 segment) {
    const u64 first = static_cast<u64>(segment) * args.segment_symbols;
    return first < args.warm_up ? (args.warm_up - static_cast<u32>(first)) / WARP : 0;
}

// Sets the vertical differences before any text: 0 in the neutral rows, +1 in those of the pattern.
template <int WORDS>
__device__ __forceinline__ void reset(MyersLane<WORDS>& lane, u32 neutral, u32 band) {
#pragma unroll
    for (int word = 0; word < WORDS; ++word) {
        const u32 first = (band * WARP * WORDS + lane_index() * WORDS + word) * 32;
        lane.pv[word] = neutral <= first ? ~0u : neutral - first >= 32 ? 0 : ~0u << (neutral - first);
        lane.mv[word] = 0;
    }
    lane.last = {0, 0};
}
