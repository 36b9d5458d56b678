// Scores of alignments, for local.cu, score_tiles.cu and score_rows.cu: the operations of a matrix cell on one score,
// or on two scores in the halves of a word; the best cell; and the walk back through an alignment.
#pragma once

#include "device.cuh"

using i32 = int;

// Selects a byte of the words a (0 to 3) and b (4 to 7) for each byte of the result, from the lowest on: a digit of
// the selector is the index of the byte, or 8 more for eight copies of its sign.
__device__ __forceinline__ u32 permute(u32 a, u32 b, u32 selector) {
    u32 result = 0;
#ifdef __CUDACC__
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
#else
    const u64 bytes = a | static_cast<u64>(b) << 32;
    for (u32 digit = 0; digit < 4; ++digit) {
        const u32 which = selector >> digit * 4 & 15;
        const u32 byte = static_cast<u32>(bytes >> which % 8 * 8) & 0xff;
        result |= (which < 8 ? byte : (byte >> 7) * 0xff) << digit * 8;
    }
#endif
    return result;
}

// One score of 32 bits.
struct WordScores {
    using Scores = i32;
    static constexpr u32 TARGETS = 1;

    __device__ __forceinline__ static Scores of(i32 score) { return score; }

    // max(a + b, c)
    __device__ __forceinline__ static Scores add_max(Scores a, Scores b, Scores c) { return max3(a + b, c, c); }

    __device__ __forceinline__ static Scores max3(Scores a, Scores b, Scores c) {
        const Scores larger = a > b ? a : b;
        return larger > c ? larger : c;
    }

    __device__ __forceinline__ static Scores subtract(Scores a, Scores b) { return a - b; }

    // The score in byte `at` of a word.
    __device__ __forceinline__ static Scores pick(u32 first, u32, u32 at) {
        return static_cast<i32>(permute(first, 0, at | (8 + at) * 0x1110));
    }
};

// Two scores of 16 bits: of the first target in the lower half of the word, of the second in the upper half. DPX
// instructions of sm_90 and later do both at once.
struct HalfScores {
    using Scores = u32;
    static constexpr u32 TARGETS = 2;

    __device__ __forceinline__ static Scores of(i32 score) { return (static_cast<u32>(score) & 0xffff) * 0x10001u; }

#ifdef __CUDACC__
    __device__ __forceinline__ static Scores add_max(Scores a, Scores b, Scores c) { return __viaddmax_s16x2(a, b, c); }
    __device__ __forceinline__ static Scores max3(Scores a, Scores b, Scores c) { return __vimax3_s16x2(a, b, c); }
#else
    static short half(Scores scores, int which) { return static_cast<short>(scores >> which * 16); }

    template <typename F>
    static Scores each(F operation) {
        return (static_cast<u32>(operation(0)) & 0xffff) | static_cast<u32>(operation(1)) << 16;
    }
    static Scores add_max(Scores a, Scores b, Scores c) {
        return each([&](int which) {
            const short sum = static_cast<short>(static_cast<unsigned short>(half(a, which) + half(b, which)));
            return sum > half(c, which) ? sum : half(c, which);
        });
    }
    static Scores max3(Scores a, Scores b, Scores c) {
        return each([&](int which) { return std::max({half(a, which), half(b, which), half(c, which)}); });
    }
#endif

    // The lower half of `a` must not be less than that of `b`. So this is a subtraction of words, which may run beside
    // the DPX instructions, in the pipeline of multiplications.
    __device__ __forceinline__ static Scores subtract(Scores a, Scores b) { return a - b; }

    // The scores in byte `at` of a word for each target.
    __device__ __forceinline__ static Scores pick(u32 first, u32 second, u32 at) {
        return permute(first, second, at | (8 + at) << 4 | (4 + at) << 8 | (12 + at) << 12);
    }
};

// The best score seen so far, and the first cell that has it, in order of columns. Rows and columns count from 1; both
// are 0 if no score is above 0. 12 bytes.
struct BestCell {
    i32 score;
    u32 row;
    u32 column;

    // Takes the scores of some rows in column `at_column`, which follows those taken before.
    template <int ROWS>
    __device__ __forceinline__ void update(const i32 (&scores)[ROWS], u32 first_row, u32 at_column) {
        i32 largest = scores[0];
#pragma unroll
        for (int at = 1; at < ROWS; ++at) {
            largest = WordScores::max3(largest, scores[at], scores[at]);
        }
        if (largest > score) {
            score = largest;
            column = at_column;
#pragma unroll
            for (int at = ROWS - 1; at >= 0; --at) {
                row = scores[at] == largest ? first_row + at + 1 : row;
            }
        }
    }

    __host__ __device__ __forceinline__ bool is_worse(const BestCell& other) const {
        const bool is_later = column > other.column || (column == other.column && row > other.row);
        return other.score > score || (other.score == score && is_later);
    }

    // Returns the best cell of a group of lanes; valid in its first lane.
    __device__ __forceinline__ BestCell of_group(u32 lanes) const {
        BestCell best = *this;
        for (u32 apart = lanes / 2; apart > 0; apart /= 2) {
            BestCell other;
            other.score = __shfl_xor_sync(ALL_LANES, best.score, apart);
            other.row = __shfl_xor_sync(ALL_LANES, best.row, apart);
            other.column = __shfl_xor_sync(ALL_LANES, best.column, apart);
            best = best.is_worse(other) ? other : best;
        }
        return best;
    }
};

// Edits, last to first, two bits each from the lowest bits of a word on: 0 diagonal, 2 query only, 3 target only. All
// lanes push the same edits, and the first one writes them.
struct BackwardEdits {
    u32* words;
    u32 count;
    u32 sixteen;  // edits that are not written yet

    __device__ __forceinline__ void push(u32 edit) {
        sixteen |= edit << count % 16 * 2;
        ++count;
        if (count % 16 == 0) {
            write();
        }
    }

    __device__ __forceinline__ void push_all(u32 times, u32 edit) {
        for (; times > 0; --times) {
            push(edit);
        }
    }

    // Writes the last word.
    __device__ __forceinline__ void finish() {
        if (count % 16 != 0) {
            write();
        }
    }

    __device__ __forceinline__ void write() {
        if (threadIdx.x == 0) {
            words[(count - 1) / 16] = sixteen;
        }
        sixteen = 0;
    }
};

// The step back from a cell, four bits: its kind in two bits, and whether a gap that continues below the cell, or
// beside it, opens there.
constexpr u32 STEP_DIAGONAL = 0, STEP_QUERY = 1, STEP_TARGET = 2, STEP_STOP = 3, STEP_KIND = 3;
constexpr u32 OPENS_BELOW = 4, OPENS_BESIDE = 8;

// A walk back through the steps of cells. In each cell it prefers the diagonal, then the shortest gap in the target,
// then the shortest gap in the query.
struct ScoreWalk {
    BackwardEdits edits;
    u32 row;         // rows that are left
    u32 column;      // columns that are left
    u32 gap;         // STEP_QUERY or STEP_TARGET in such a gap, else 0
    bool is_stopped;

    __device__ __forceinline__ bool is_done() const { return is_stopped || row == 0 || column == 0; }

    // Takes the step back from the current cell.
    __device__ __forceinline__ void follow(u32 step) {
        const bool continues = (gap == STEP_QUERY && (step & OPENS_BELOW) == 0) ||
                               (gap == STEP_TARGET && (step & OPENS_BESIDE) == 0);
        const u32 kind = continues ? gap : step & STEP_KIND;
        is_stopped = kind == STEP_STOP;
        if (!is_stopped) {
            gap = kind;
            edits.push(kind == STEP_DIAGONAL ? 0 : kind + 1);
            row -= kind != STEP_TARGET ? 1 : 0;
            column -= kind != STEP_QUERY ? 1 : 0;
        }
    }
};
