// Checkpointed traceback of a hit, for patterns of up to 32 or up to 64 rows: start and edits.
//
// Algorithm: Farivar et al., "An algorithm for fast edit distance computation on GPUs", 2012. Each thread traces one
// hit, in a window of text that ends with it, eight columns at a time: a quadrant. The forward pass stores only the
// vertical differences before each quadrant. The backward pass recomputes one quadrant at a time, in which each column
// yields two bits per row for the step back from its cell, and walks through it. In one column a walk takes as many
// pattern-only steps as it can, which are the leading ones of a word, and then one step to the column before. So every
// thread takes one turn per column, without divergence, and a finished walk adds nothing. Ties: diagonal first, then
// pattern-only, then text-only, from the end.
//
// Quadrants are numbered from the end of the window, so all threads are in the same one. Columns before the window have
// code 0, which no row may match.
//
// Shared memory: per thread the words of its pattern by code, and per quadrant its codes and the differences before it,
// interleaved over the threads. Memory traffic: the text of a window once, 24 or 40 bytes of result. Grid: x blocks of
// up to 128 hits.
//
// walk.cu traces longer patterns.
#include "trace.cuh"

constexpr int COLUMNS = 8;

// The result, 24 or 40 bytes.
template <int ROWS>
struct Alignment {
    u32 start;              // 0: the first symbol of the match; `end` if it has none
    u32 count;              // 4: of edits, less than twice the rows
    u32 edits[ROWS / 8];    // 8: two bits each, first to last from the lowest: 0 match, 1 substitution, 2 pattern only, 3 text only
};

// 56 bytes.
struct QuadrantArguments {
    const u8* codes;     //  0: of the text; eight-byte aligned, and readable to the next multiple of eight
    const void* equal;   //  8: [pattern][code], a word of 32 or 64 bits with one for each row that matches
    const u32* rows;     // 16: m of each pattern
    const Window* hits;  // 24
    void* alignments;    // 32
    u32 hit_count;       // 40
    u32 code_count;      // 44
    u32 quadrants;       // 48: that hold the longest window
    u32 bound;           // 52: 1 if matches start with their windows, 0 if they start anywhere
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

// The shared memory of a block, in bytes.
template <int ROWS>
constexpr u32 quadrant_shared_bytes(u32 threads, u32 codes, u32 quadrants) {
    return threads * (quadrants * sizeof(u64) + (codes + 2 * quadrants) * (ROWS / 8));
}

// The shared memory of one thread, interleaved word by word with that of its neighbours.
template <int ROWS>
struct Own {
    using Word = typename WordOf<ROWS>::Type;
    u64* codes;   // [quadrant]
    Word* equal;  // [code]
    Word* pv;     // [quadrant]
    Word* mv;     // [quadrant]
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

// Computes the next column; `above` is 1 if the cell above the first row grows.
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

template <int ROWS>
struct Tracer {
    using Word = typename WordOf<ROWS>::Type;

    const QuadrantArguments& args;
    Window window;
    Own<ROWS> own;
    u32 row;
    Alignment<ROWS> found;

    __device__ __forceinline__ long long first_of(u32 quadrant) const {
        return static_cast<long long>(window.end) - COLUMNS * (static_cast<long long>(quadrant) + 1);
    }

    __device__ __forceinline__ Word equal(u64 codes, int column) const {
        return own.equal[static_cast<u32>(codes >> 8 * column & 0xff) * blockDim.x];
    }

    // Computes all columns, and stores the differences before each quadrant.
    __device__ __forceinline__ void forward() {
        Deltas<Word> column{static_cast<Word>(~Word{0}), 0};
        for (u32 quadrant = args.quadrants; quadrant-- > 0;) {
            const long long at = first_of(quadrant);
            const u64 codes = load_codes(args.codes, at, window.first);
            const u32 above = args.bound != 0 ? columns_inside(at, window.first) : 0;
            own.codes[quadrant * blockDim.x] = codes;
            own.pv[quadrant * blockDim.x] = column.pv;
            own.mv[quadrant * blockDim.x] = column.mv;
#pragma unroll
            for (int at_column = 0; at_column < COLUMNS; ++at_column) {
                step<Word>(column, equal(codes, at_column), above >> at_column & 1);
            }
        }
    }

    // Walks back through all quadrants.
    __device__ __forceinline__ void backward() {
        for (u32 quadrant = 0; quadrant < args.quadrants; ++quadrant) {
            const u64 codes = own.codes[quadrant * blockDim.x];
            const long long at = first_of(quadrant);
            const u32 inside = columns_inside(at, window.first);
            const u32 above = args.bound != 0 ? inside : 0;
            Deltas<Word> column{own.pv[quadrant * blockDim.x], own.mv[quadrant * blockDim.x]};
            Steps<Word> steps[COLUMNS];
#pragma unroll
            for (int at_column = 0; at_column < COLUMNS; ++at_column) {
                steps[at_column] = step<Word>(column, equal(codes, at_column), above >> at_column & 1);
            }
#pragma unroll
            for (int at_column = COLUMNS - 1; at_column >= 0; --at_column) {
                const bool is_inside = (inside >> at_column & 1) != 0;
                walk(steps[at_column], is_inside, static_cast<u32>(at) + at_column);
            }
        }
        pattern_only(row);
    }

    // Takes the steps of a walk in one column, including the one to the column before.
    __device__ __forceinline__ void walk(const Steps<Word>& steps, bool is_inside, u32 symbol) {
        // The current row becomes the highest bit.
        const u32 up = (ROWS - row) % ROWS;
        const Word high = steps.high << up;
        const Word low = steps.low << up;
        const u32 run = is_inside && row > 0 ? leading_ones(high & ~low) : 0;
        row -= run;
        const bool goes = is_inside && (row > 0 || args.bound != 0);
        const u32 there = run % ROWS;
        const u32 edit = row == 0 ? 3 : top(high << there) << 1 | top(low << there);
        row -= goes && edit != 3;
        found.start = goes ? symbol : found.start;
        const u32 left = pattern_only_but(run);
        // The pattern-only steps come first on the way back, so they are the higher bits.
        const u32 runs = 0xaaaaaaaau & ~(~0u << 2 * left);
        push(goes ? runs << 2 | edit : runs, left + goes);
    }

    // Adds pattern-only steps until at most 14 are left; returns their number.
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

// Returns the shared memory of a thread, after loading the words of its pattern.
template <int ROWS>
__device__ __forceinline__ Own<ROWS> stage(const QuadrantArguments& args, u32 pattern) {
    using Word = typename WordOf<ROWS>::Type;
    DYNAMIC_SHARED(shared);
    Own<ROWS> own;
    own.codes = reinterpret_cast<u64*>(shared) + threadIdx.x;
    own.equal = reinterpret_cast<Word*>(own.codes - threadIdx.x + args.quadrants * blockDim.x) + threadIdx.x;
    own.pv = own.equal + args.code_count * blockDim.x;
    own.mv = own.pv + args.quadrants * blockDim.x;
    const Word* equal = static_cast<const Word*>(args.equal) + static_cast<u64>(pattern) * args.code_count;
    for (u32 code = 0; code < args.code_count; ++code) {
        own.equal[code * blockDim.x] = equal[code];
    }
    return own;
}

template <int ROWS>
__device__ __forceinline__ void trace(const QuadrantArguments& args) {
    const u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < args.hit_count) {
        const Window window = args.hits[index];
        Tracer<ROWS> tracer{args, window, stage<ROWS>(args, window.pattern), args.rows[window.pattern], {}};
        tracer.found.start = window.end;
        tracer.forward();
        tracer.backward();
        static_cast<Alignment<ROWS>*>(args.alignments)[index] = tracer.found;
    }
}

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128) quadrant(const QuadrantArguments args) {
    trace<NIGH_ROWS>(args);
}
#endif
