// Block-based Myers over the lanes of a warp, for search (word.cu) and traceback (walk.cu): the state of a lane, and
// one step.
#pragma once

#include "device.cuh"

// The horizontal differences below a band for 32 symbols, the first in the highest bit; or those of one word.
struct __align__(8) BandDeltas {
    u32 plus;
    u32 minus;
};

// The state of a lane between symbols: its vertical differences, and the horizontal differences of its last word.
template <int WORDS>
struct Lane {
    u32 pv[WORDS];
    u32 mv[WORDS];
    BandDeltas last;
};

// Adds multi-word integers.
template <int WORDS>
__device__ __forceinline__ void add(u32 (&sum)[WORDS], const u32 (&a)[WORDS], const u32 (&b)[WORDS]) {
#ifdef __CUDACC__
    if constexpr (WORDS == 1) {
        sum[0] = a[0] + b[0];
    } else if constexpr (WORDS == 2) {
        asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
            : "=r"(sum[0]), "=r"(sum[1])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    } else {
        asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
            : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    }
#else
    u64 carry = 0;
    for (int word = 0; word < WORDS; ++word) {
        carry += static_cast<u64>(a[word]) + b[word];
        sum[word] = static_cast<u32>(carry);
        carry >>= 32;
    }
#endif
}

// The differences below each row of a lane's words, for one symbol.
template <int WORDS>
struct Below {
    u32 plus[WORDS];
    u32 minus[WORDS];
};

// The first half of a step: the cells that equal their upper-left neighbours, `d0`, and from these the horizontal
// differences. `carry` is 1 if the difference above the lane's first row is -1.
template <int WORDS>
__device__ __forceinline__ Below<WORDS> step_rows(Lane<WORDS>& lane, const u32 (&equal)[WORDS], u32 carry,
                                                  u32 (&d0)[WORDS]) {
    u32 a[WORDS], sum[WORDS];
    Below<WORDS> below;
#pragma unroll
    for (int word = 0; word < WORDS; ++word) {
        a[word] = logic<(A | B) & C>(equal[word], word == 0 ? carry : 0, lane.pv[word]);
    }
    add(sum, a, lane.pv);
#pragma unroll
    for (int word = 0; word < WORDS; ++word) {
        const u32 same = logic<(A ^ B) | C>(sum[word], lane.pv[word], equal[word]);
        d0[word] = logic<A | B | C>(same, lane.mv[word], word == 0 ? carry : 0);
        below.plus[word] = logic<A | (~(B | C) & 0xff)>(lane.mv[word], d0[word], lane.pv[word]);
        below.minus[word] = lane.pv[word] & d0[word];
    }
    lane.last = {below.plus[WORDS - 1], below.minus[WORDS - 1]};
    return below;
}

// The second half of a step: the vertical differences after the symbol. `above` has the differences above the lane's
// first row in its highest bits.
template <int WORDS>
__device__ __forceinline__ void step_columns(Lane<WORDS>& lane, const Below<WORDS>& below, BandDeltas above,
                                             const u32 (&d0)[WORDS]) {
#pragma unroll
    for (int word = 0; word < WORDS; ++word) {
        const u32 down_plus = __funnelshift_l(above.plus, below.plus[word], 1);
        const u32 down_minus = __funnelshift_l(above.minus, below.minus[word], 1);
        above = {below.plus[word], below.minus[word]};
        lane.pv[word] = logic<A | (~(B | C) & 0xff)>(down_minus, d0[word], down_plus);
        lane.mv[word] = down_plus & d0[word];
    }
}

// Loads the equality words of this lane for a code.
template <int WORDS>
__device__ __forceinline__ void load_equal(u32 (&equal)[WORDS], const char* from) {
    const u32* words = reinterpret_cast<const u32*>(from);
    if constexpr (WORDS == 4) {
        const uint4 four = *reinterpret_cast<const uint4*>(words);
        equal[0] = four.x;
        equal[1] = four.y;
        equal[2] = four.z;
        equal[3] = four.w;
    } else {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            equal[word] = words[word];
        }
    }
}
