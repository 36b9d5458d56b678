// Checkpointed traceback of hits, for patterns of up to 32 or up to 64 rows: start and edits.
//
// Algorithm: Farivar et al., "An algorithm for fast edit distance computation on GPUs", 2012. Each thread traces a hit
// at a time, in a window of text that ends with it, eight columns at a time: a quadrant. The forward pass stores only the
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
// interleaved over the threads. Memory traffic: the text of a window once, 24 or 40 bytes of result. Grid: any number of
// blocks of up to 128 threads.
//
// walk.cu traces longer patterns.
#include "quadrant.cuh"
#include "trace.cuh"

// 72 bytes.
struct QuadrantArguments {
    const u8* codes;     //  0: of the text; eight-byte aligned, and readable to the next multiple of eight
    const void* equal;   //  8: [pattern][code], a word of 32 or 64 bits with one for each row that matches
    const u32* rows;     // 16: m of each pattern
    TracedHits hits;     // 24
    void* alignments;    // 56: of each window whose pattern is in the tables
    u32 code_count;      // 64
    u32 quadrants;       // 68: number of quadrants that hold the longest window
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

template <int ROWS>
struct Tracer {
    using Word = typename WordOf<ROWS>::Type;

    const QuadrantArguments& args;
    Window window;
    Own<ROWS> own;
    BackwardWalk<ROWS> back;

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
            own.codes[quadrant * blockDim.x] = codes;
            own.pv[quadrant * blockDim.x] = column.pv;
            own.mv[quadrant * blockDim.x] = column.mv;
#pragma unroll
            for (int at_column = 0; at_column < COLUMNS; ++at_column) {
                step<Word>(column, equal(codes, at_column), 0);
            }
        }
    }

    // Walks back through all quadrants.
    __device__ __forceinline__ void backward() {
        for (u32 quadrant = 0; quadrant < args.quadrants; ++quadrant) {
            const u64 codes = own.codes[quadrant * blockDim.x];
            const long long at = first_of(quadrant);
            const u32 inside = columns_inside(at, window.first);
            Deltas<Word> column{own.pv[quadrant * blockDim.x], own.mv[quadrant * blockDim.x]};
            Steps<Word> steps[COLUMNS];
#pragma unroll
            for (int at_column = 0; at_column < COLUMNS; ++at_column) {
                steps[at_column] = step<Word>(column, equal(codes, at_column), 0);
            }
#pragma unroll
            for (int at_column = COLUMNS - 1; at_column >= 0; --at_column) {
                const bool is_inside = (inside >> at_column & 1) != 0;
                back.take(steps[at_column], is_inside, static_cast<u32>(at) + at_column);
            }
        }
        back.pattern_only(back.row);
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
    const u32 count = hits_to_trace(args.hits);
    for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x) {
        const Window window = args.hits.windows[index];
        const u32 pattern = args.hits.places[window.pattern];
        if (pattern == NOT_TRACED) {
            continue;
        }
        Tracer<ROWS> tracer{args, window, stage<ROWS>(args, pattern), {args.rows[pattern], 0, {}}};
        tracer.back.found.start = window.end;
        tracer.forward();
        tracer.backward();
        static_cast<Alignment<ROWS>*>(args.alignments)[index] = tracer.back.found;
    }
}

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128) quadrant(const QuadrantArguments args) {
    trace<NIGH_ROWS>(args);
}
#endif
