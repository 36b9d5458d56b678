// Block-based Myers over the lanes of a warp, for search (word.cu) and traceback (walk.cu): the state of a lane, and
// one step.
#pragma once

#include "device.cuh"

// The horizontal differences below a band for 32 symbols, the first in the highest bit; or those in the 32 rows of a
// word for one symbol.
struct __align__(8) BandDeltas {
    u32 plus;
    u32 minus;
};

// The state of a lane between symbols: its vertical differences, and the horizontal differences in the rows of its last
// word.
template <int WORDS>
struct MyersLane {
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
    } else if constexpr (WORDS == 4) {
        asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
            : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    } else {
        static_assert(WORDS == 8, "add takes 1, 2, 4 or 8 words");
        asm("add.cc.u32 %0, %8, %16; addc.cc.u32 %1, %9, %17; addc.cc.u32 %2, %10, %18; "
            "addc.cc.u32 %3, %11, %19; addc.cc.u32 %4, %12, %20; addc.cc.u32 %5, %13, %21; "
            "addc.cc.u32 %6, %14, %22; addc.u32 %7, %15, %23;"
            : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]),
              "=&r"(sum[4]), "=&r"(sum[5]), "=&r"(sum[6]), "=&r"(sum[7])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
              "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
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

// Adds multi-word integers and a carry of 0 or 1; returns the carry out of the sum.
template <int WORDS>
__device__ __forceinline__ u32 add_carry(u32 (&sum)[WORDS], const u32 (&a)[WORDS], const u32 (&b)[WORDS], u32 carry) {
    static_assert(WORDS == 1 || WORDS == 2 || WORDS == 4 || WORDS == 8, "add_carry takes 1, 2, 4 or 8 words");
#ifdef __CUDACC__
    if constexpr (WORDS == 1) {
        asm("add.cc.u32 %1, %1, 0xffffffff; addc.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;"
            : "=&r"(sum[0]), "+r"(carry)
            : "r"(a[0]),
              "r"(b[0]));
    } else if constexpr (WORDS == 2) {
        asm("add.cc.u32 %2, %2, 0xffffffff; addc.cc.u32 %0, %3, %5; addc.cc.u32 %1, %4, %6; "
            "addc.u32 %2, 0, 0;"
            : "=&r"(sum[0]), "=&r"(sum[1]), "+r"(carry)
            : "r"(a[0]), "r"(a[1]),
              "r"(b[0]), "r"(b[1]));
    } else if constexpr (WORDS == 4) {
        asm("add.cc.u32 %4, %4, 0xffffffff; addc.cc.u32 %0, %5, %9; addc.cc.u32 %1, %6, %10; "
            "addc.cc.u32 %2, %7, %11; addc.cc.u32 %3, %8, %12; addc.u32 %4, 0, 0;"
            : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]), "+r"(carry)
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
              "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    } else if constexpr (WORDS == 8) {
        asm("add.cc.u32 %8, %8, 0xffffffff; addc.cc.u32 %0, %9, %17; addc.cc.u32 %1, %10, %18; "
            "addc.cc.u32 %2, %11, %19; addc.cc.u32 %3, %12, %20; addc.cc.u32 %4, %13, %21; "
            "addc.cc.u32 %5, %14, %22; addc.cc.u32 %6, %15, %23; addc.cc.u32 %7, %16, %24; "
            "addc.u32 %8, 0, 0;"
            : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]), "=&r"(sum[4]), "=&r"(sum[5]), "=&r"(sum[6]), "=&r"(sum[7]), "+r"(carry)
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
              "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    }
    return carry;
#else
    u64 total = carry;
    for (int word = 0; word < WORDS; ++word) {
        total += static_cast<u64>(a[word]) + b[word];
        sum[word] = static_cast<u32>(total);
        total >>= 32;
    }
    return static_cast<u32>(total);
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
__device__ __forceinline__ Below<WORDS> step_rows(MyersLane<WORDS>& lane, const u32 (&equal)[WORDS], u32 carry,
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
__device__ __forceinline__ void step_columns(MyersLane<WORDS>& lane, const Below<WORDS>& below, BandDeltas above,
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
