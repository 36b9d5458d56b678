// Checkpointed traceback in quadrants of eight columns, for hits (quadrant.cu) and for pairs (pair_trace.cu): a column, and
// the walk back through it.
#pragma once

#include "device.cuh"

constexpr int COLUMNS = 8;

// The result, 24 or 40 bytes.
template <int ROWS>
struct Alignment {
    u32 start;              // 0: the first symbol of the match; `end` if the match is empty
    u32 count;              // 4: number of edits, less than twice the rows
    u32 edits[ROWS / 8];    // 8: two bits each, first to last from the lowest: 0 match, 1 substitution, 2 pattern only, 3 text only
};

template <int ROWS>
struct WordOf;
template <>
struct WordOf<32> {
    using Type = u32;
};
template <>
struct WordOf<64> {
    using Type = u64;
};

// The vertical differences of a column; and, in Steps, the step back from each row in two bits, 0 match to 3 text only.
template <typename Word>
struct Deltas {
    Word pv;
    Word mv;
};

template <typename Word>
struct Steps {
    Word high;
    Word low;
};

// Computes the next column; `above` is 1 if the value above the first row grows from column to column.
template <typename Word>
__device__ __forceinline__ Steps<Word> step(Deltas<Word>& column, Word eq, Word above) {
    const Word pv = column.pv;
    const Word d0 = (((eq & pv) + pv) ^ pv) | eq | column.mv;
    const Word ph = (column.mv | ~(d0 | pv)) << 1 | above;
    const Word mh = (pv & d0) << 1;
    column.pv = mh | ~(d0 | ph);
    column.mv = ph & d0;
    const Word beside = d0 & ~eq;
    return {beside, (beside & ~column.pv) | ~(beside | eq)};
}

// Loads the codes of a quadrant, one byte each; zero before the window.
__device__ __forceinline__ u64 load_codes(const u8* codes, long long at, u32 first) {
    const u64* words = reinterpret_cast<const u64*>(codes);
    const long long word = at >> 3;
    const u32 shift = static_cast<u32>(at & 7) * 8;
    u64 eight = word >= 0 ? words[word] >> shift : 0;
    if (shift > 0 && word + 1 >= 0) {
        eight |= words[word + 1] << (64 - shift);
    }
    const long long before = static_cast<long long>(first) - at;
    return before <= 0 ? eight : before >= COLUMNS ? 0 : eight & ~u64{0} << 8 * before;
}

// Returns the mask of the columns of a quadrant inside the window.
__device__ __forceinline__ u32 columns_inside(long long at, u32 first) {
    const long long before = static_cast<long long>(first) - at;
    return before <= 0 ? 0xff : before >= COLUMNS ? 0 : 0xff << before & 0xff;
}

// A walk back through the columns, from the last to the first.
template <int ROWS>
struct BackwardWalk {
    using Word = typename WordOf<ROWS>::Type;

    u32 row;
    u32 bound;  // 1 if the walk ends with its columns, 0 if it ends in row 0
    Alignment<ROWS> found;

    // Takes the steps of a walk in one column, including the step to the column before.
    __device__ __forceinline__ void take(const Steps<Word>& steps, bool is_inside, u32 symbol) {
        // The current row becomes the highest bit.
        const u32 up = (ROWS - row) % ROWS;
        const Word high = steps.high << up;
        const Word low = steps.low << up;
        const u32 run = is_inside && row > 0 ? leading_ones(high & ~low) : 0;
        row -= run;
        const bool goes = is_inside && (row > 0 || bound != 0);
        const u32 there = run % ROWS;
        const u32 edit = row == 0 ? 3 : top(high << there) << 1 | top(low << there);
        row -= goes && edit != 3;
        found.start = goes ? symbol : found.start;
        const u32 left = pattern_only_but(run);
        // The pattern-only steps come first on the way back, so they are the higher bits.
        const u32 runs = 0xaaaaaaaau & ~(~0u << 2 * left);
        push(goes ? runs << 2 | edit : runs, left + goes);
    }

    // Adds pattern-only steps until at most 14 of `run` are left; returns the number left.
    __device__ __forceinline__ u32 pattern_only_but(u32 run) {
        while (run > 14) {
            push(0x2aaaaaaau, 15);
            run -= 15;
        }
        return run;
    }

    __device__ __forceinline__ void pattern_only(u32 run) {
        const u32 left = pattern_only_but(run);
        push(0xaaaaaaaau & ~(~0u << 2 * left), left);
    }

    // Adds up to 15 edits in front of those so far.
    __device__ __forceinline__ void push(u32 edits, u32 count) {
        found.count += count;
#pragma unroll
        for (int word = ROWS / 8 - 1; word > 0; --word) {
            found.edits[word] = __funnelshift_l(found.edits[word - 1], found.edits[word], 2 * count);
        }
        found.edits[0] = found.edits[0] << 2 * count | edits;
    }

    static __device__ __forceinline__ u32 top(Word word) { return static_cast<u32>(word >> (ROWS - 1)); }

    static __device__ __forceinline__ u32 leading_ones(Word word) {
        if constexpr (ROWS == 32) {
            return __clz(static_cast<int>(~word));
        } else {
            return __clzll(static_cast<long long>(~word));
        }
    }
};
