// Pairs of strings, for the kernels that compute each pair in one thread (pairs.cu, pair_trace.cu).
#pragma once

#include "match.cuh"

// 88 bytes.
struct PairArguments {
    const u8* queries;      //  0
    const u8* targets;      //  8
    const u32* query_ends;  // 16: the offset just past each query; null if all have `query_length`
    const u32* target_ends; // 24
    int* values;            // 32: by pair
    u32 pairs;              // 40
    u32 query_length;       // 44
    u32 query_stride;       // 48: from one query of `query_length` to the next; 0 if there is one for all targets
    u32 target_length;      // 52
    MatchPlanes planes;     // 56
};

// The bytes of a string.
struct StringRange {
    u64 first;
    u32 length;
};

__device__ __forceinline__ StringRange string_range(const u32* ends, u32 index, u32 length, u32 stride) {
    if (ends == nullptr) {
        return {static_cast<u64>(index) * stride, length};
    }
    const u32 first = index == 0 ? 0 : ends[index - 1];
    return {first, ends[index] - first};
}
