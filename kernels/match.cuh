// Match words without a table: the rows of a query as bit planes.
//
// Plane p of 32 rows is a word with one bit of each row's symbol. A row matches a target symbol if all planes agree
// with the symbol's bits, so the match word takes one operation for each plane. The host chooses the planes of a
// launch: bits of a byte that tell apart any two bytes in its strings. Two are enough for A, C, G and T, five for the
// letters of one case, eight for all bytes.
//
// Strings are bytes at any offset. A buffer of strings is aligned to eight bytes and readable for MATCH_PADDING bytes past
// its end.
#pragma once

#include "lanes.cuh"

constexpr u32 MATCH_PADDING = 64;

// The planes of a launch, 32 bytes: for each, the shift that moves its bit to the highest of a byte.
struct MatchPlanes {
    u32 shifts[8];
};

// Reads a string, eight symbols at a time.
struct SymbolReader {
    const u64* words;
    u64 ahead;
    u32 shift;

    __device__ __forceinline__ SymbolReader(const u8* bytes, u64 first)
        : words(reinterpret_cast<const u64*>(bytes) + first / 8), ahead(*words), shift(first % 8 * 8) {}

    // Returns the next eight symbols, the first in the lowest byte.
    __device__ __forceinline__ u64 next() {
        const u64 here = ahead;
        ahead = *++words;
        return shift == 0 ? here : here >> shift | ahead << (64 - shift);
    }
};

// Returns a word of ones if the highest bit of byte BYTE of `four` is set, otherwise zero.
template <int BYTE>
__device__ __forceinline__ u32 spread(u32 four) {
#ifdef __CUDACC__
    u32 result;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(four), "n"(0x8888 | BYTE * 0x1111));
    return result;
#else
    return (four >> (8 * BYTE + 7) & 1) != 0 ? ~0u : 0;
#endif
}

// A target symbol, as one word for each plane: all ones if the symbol's bit in the plane is set, otherwise zero.
template <int PLANES>
struct SymbolBits {
    u32 bits[PLANES];
};

// Returns the bits of symbol BYTE of the four symbols in `four`.
template <int BYTE, int PLANES>
__device__ __forceinline__ SymbolBits<PLANES> symbol_bits(u32 four, const MatchPlanes& planes) {
    SymbolBits<PLANES> symbol;
#pragma unroll
    for (int plane = 0; plane < PLANES; ++plane) {
        symbol.bits[plane] = spread<BYTE>(four << planes.shifts[plane]);
    }
    return symbol;
}

// The planes of the rows of a thread, 32 rows a word. Plane 0 is stored complemented.
template <int WORDS, int PLANES>
struct QueryPlanes {
    u32 planes[PLANES][WORDS];

    // Loads up to 32 * WORDS rows. Rows past the last may have any bits.
    __device__ __forceinline__ void load(const u8* bytes, u64 first, u32 rows, const MatchPlanes& which) {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            u32 bits[PLANES] = {};
            if (32 * static_cast<u32>(word) < rows) {
                SymbolReader reader(bytes, first + 32 * word);
#pragma unroll 1
                for (int eight = 0; eight < 4; ++eight) {
                    const u64 symbols = reader.next();
#pragma unroll
                    for (int plane = 0; plane < PLANES; ++plane) {
                        bits[plane] = gather(bits[plane], static_cast<u32>(symbols), which.shifts[plane]);
                        bits[plane] = gather(bits[plane], static_cast<u32>(symbols >> 32), which.shifts[plane]);
                    }
                }
            }
#pragma unroll
            for (int plane = 0; plane < PLANES; ++plane) {
                planes[plane][word] = plane == 0 ? ~bits[plane] : bits[plane];
            }
        }
    }

    // Shifts the bits of four symbols into a plane from above. The product has the bits 7, 15, 23 and 31 of the shifted
    // symbols in its highest bits: no two of its partial products meet in a bit, so there are no carries.
    static __device__ __forceinline__ u32 gather(u32 plane, u32 four, u32 shift) {
        const u32 bits = four << shift >> 7 & 0x01010101;
        return plane >> 4 | (bits * 0x10204080 & 0xf0000000);
    }

    // Computes the rows that match a symbol.
    __device__ __forceinline__ void match(const SymbolBits<PLANES>& symbol, u32 (&equal)[WORDS]) const {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            equal[word] = planes[0][word] ^ symbol.bits[0];
#pragma unroll
            for (int plane = 1; plane < PLANES; ++plane) {
                equal[word] = logic<(~(A ^ B) & 0xff) & C>(planes[plane][word], symbol.bits[plane], equal[word]);
            }
        }
    }
};

// Returns the mask of the rows of a word that belong to a query; `rows` is counted from the word's first.
__device__ __forceinline__ u32 rows_of_word(u32 rows, int word) {
    const u32 first = 32 * static_cast<u32>(word);
    return rows >= first + 32 ? ~0u : rows <= first ? 0 : ~(~0u << (rows - first));
}

// Column by column, the Levenshtein distance of up to 32 * WORDS rows by Myers' algorithm.
template <int WORDS>
struct DistanceColumn {
    // The number of words for the differences below a lane: increments and decrements.
    static constexpr int SIGNS = 2;
    MyersLane<WORDS> lane;

    // The differences above the first row of the matrix, for 32 columns.
    static __device__ __forceinline__ BandDeltas top() { return {~0u, 0}; }

    __device__ __forceinline__ void reset() {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            lane.pv[word] = ~0u;
            lane.mv[word] = 0;
        }
        lane.last = {0, 0};
    }

    // Advances by a symbol; `above` has the differences above the first row in its highest bits.
    __device__ __forceinline__ void step(const u32 (&equal)[WORDS], BandDeltas above) {
        u32 d0[WORDS];
        const Below<WORDS> below = step_rows(lane, equal, above.minus >> 31, d0);
        step_columns(lane, below, above, d0);
    }

    // Advances by a symbol at the top of the matrix.
    __device__ __forceinline__ void step_top(const u32 (&equal)[WORDS]) {
        u32 d0[WORDS];
        const Below<WORDS> below = step_rows(lane, equal, 0, d0);
        step_columns(lane, below, {1u << 31, 0}, d0);
    }

    // The differences below the last row, in the highest bits.
    __device__ __forceinline__ BandDeltas below() const { return lane.last; }

    // Returns how much the distance grows over these rows of the column.
    __device__ __forceinline__ int growth(u32 rows) const {
        int sum = 0;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            const u32 mask = rows_of_word(rows, word);
            sum += __popc(lane.pv[word] & mask) - __popc(lane.mv[word] & mask);
        }
        return sum;
    }

    // Returns the value of the first row.
    static __device__ __forceinline__ int base(u32 columns) { return static_cast<int>(columns); }
};

// Column by column, the length of the longest common subsequence.
//
// Algorithm: M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon, J. F. Reid, "A fast and practical bit-vector algorithm for
// the longest common subsequence problem", 2001; as in H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.
// A bit is zero where the length grows from the row above to this row. A column takes three operations for each word.
template <int WORDS>
struct SubsequenceColumn {
    static constexpr int SIGNS = 1;
    u32 v[WORDS];
    u32 carry;

    static __device__ __forceinline__ BandDeltas top() { return {0, 0}; }

    __device__ __forceinline__ void reset() {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            v[word] = ~0u;
        }
        carry = 0;
    }

    // The highest bit of `above.plus` is the carry into the first row.
    __device__ __forceinline__ void step(const u32 (&equal)[WORDS], BandDeltas above) {
        u32 a[WORDS], sum[WORDS];
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            a[word] = v[word] & equal[word];
        }
        carry = add_carry(sum, a, v, above.plus >> 31);
        take(sum, equal);
    }

    // Advances by a symbol at the top of the matrix.
    __device__ __forceinline__ void step_top(const u32 (&equal)[WORDS]) {
        u32 a[WORDS], sum[WORDS];
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            a[word] = v[word] & equal[word];
        }
        add(sum, a, v);
        take(sum, equal);
    }

    __device__ __forceinline__ void take(const u32 (&sum)[WORDS], const u32 (&equal)[WORDS]) {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            v[word] = logic<A | (B & (~C & 0xff))>(sum[word], v[word], equal[word]);
        }
    }

    __device__ __forceinline__ BandDeltas below() const { return {carry << 31, 0}; }

    __device__ __forceinline__ int growth(u32 rows) const {
        int sum = 0;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            sum += __popc(~v[word] & rows_of_word(rows, word));
        }
        return sum;
    }

    static __device__ __forceinline__ int base(u32) { return 0; }
};
