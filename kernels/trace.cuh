// A hit to trace, and the hits of a launch.
#pragma once

#include "device.cuh"

// A hit to trace, 12 bytes.
struct Window {
    u32 first;    // 0: the first symbol that a match may cover
    u32 end;      // 4: the symbol just past the last one
    u32 pattern;  // 8: the id of the pattern
};

// The hits of a launch, 32 bytes. `place_hits` in symbols.cu makes the windows.
struct TracedHits {
    const Window* windows;
    const u32* places;  //  8: for each id, the index of the pattern in the tables of the launch, or NOT_TRACED
    const u64* found;   // 16: the number of hits that a search found; null if there are `limit` windows
    u32 before;         // 24: the number of these hits that are before the first window
    u32 limit;          // 28: the largest number of windows to trace
};

// The place of a pattern that other tables have, or none.
constexpr u32 NOT_TRACED = ~0u;

// Returns the number of hits to trace.
__device__ __forceinline__ u32 hits_to_trace(const TracedHits& hits) {
    if (hits.found == nullptr) {
        return hits.limit;
    }
    const u64 found = *hits.found;
    const u64 rest = found > hits.before ? found - hits.before : 0;
    return rest < hits.limit ? static_cast<u32>(rest) : hits.limit;
}
