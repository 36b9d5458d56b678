// Shared by all kernels: integer types, hits, and how a warp reports them.
//
// Under nvcc this is CUDA. Any other compiler gets the same names from host/cuda.h, where every thread is a fiber.
#pragma once

#ifdef __CUDACC__
#include <cstdint>
extern __shared__ uint4 dynamic_shared[];
#define DYNAMIC_SHARED(name) uint4* const name = dynamic_shared
#else
#include "host/cuda.h"
#endif

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

constexpr u32 WARP = 32;
constexpr u32 ALL_LANES = 0xffffffff;

// A hit, 12 bytes: u32 symbol, index of the last symbol of the match; u32 pattern, its id; u32 distance.
struct Hit {
    u32 symbol;
    u32 pattern;
    u32 distance;
};

// The destination of hits, 24 bytes: the buffer, its capacity, and the number of hits found. A number above the
// capacity means that hits were lost; the host then scans again in parts.
struct HitBuffer {
    Hit* hits;
    u64 capacity;
    u64* found;
};

__device__ __forceinline__ u32 lane_index() {
    return threadIdx.x % WARP;
}

// A logic operation on three words: bit 4a + 2b + c of the table is the result for bits a, b and c.
//
// Written as one instruction, because the compiler would share subexpressions between operations and need six
// instructions for five.
template <int TABLE>
__device__ __forceinline__ u32 logic(u32 a, u32 b, u32 c) {
    u32 result = 0;
#ifdef __CUDACC__
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
#else
#pragma GCC unroll 8
    for (int bits = 0; bits < 8; ++bits) {
        if (TABLE >> bits & 1) {
            result |= (bits & 4 ? a : ~a) & (bits & 2 ? b : ~b) & (bits & 1 ? c : ~c);
        }
    }
#endif
    return result;
}

// The tables of operations are built from these: A & B | C, and so on.
constexpr int A = 0xf0;
constexpr int B = 0xcc;
constexpr int C = 0xaa;

// Hints that the memory will be read soon.
__device__ __forceinline__ void prefetch(const void* where) {
#ifdef __CUDACC__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(where));
#else
    static_cast<void>(where);
#endif
}

// Reserves places for the hits of a warp with one atomic; returns the place of this lane's first hit. All lanes must
// call it.
__device__ __forceinline__ u64 reserve(const HitBuffer& buffer, u32 count) {
    u32 until = count;
#pragma unroll
    for (u32 apart = 1; apart < WARP; apart *= 2) {
        const u32 before = __shfl_up_sync(ALL_LANES, until, apart);
        until += lane_index() >= apart ? before : 0;
    }
    u64 first = 0;
    if (lane_index() == WARP - 1 && until > 0) {
        first = atomicAdd(buffer.found, static_cast<u64>(until));
    }
    return __shfl_sync(ALL_LANES, first, WARP - 1) + until - count;
}

__device__ __forceinline__ void put(const HitBuffer& buffer, u64 place, const Hit& hit) {
    if (place < buffer.capacity) {
        buffer.hits[place] = hit;
    }
}
