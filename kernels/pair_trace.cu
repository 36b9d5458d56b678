// Edits of many pairs of strings of up to 32 or up to 64 symbols: checkpointed traceback, a thread for each pair.
//
// Algorithm: that of quadrant.cu, with match words from bit planes of the query (match.cuh) instead of a table in shared
// memory. The forward pass stores the vertical differences before each quadrant of eight columns; the backward pass
// recomputes a quadrant and walks through it. Ties: diagonal first, then query only, then target only, from the end.
//
// Shared memory: per thread and quadrant the differences before it, 8 or 16 bytes, interleaved over the threads. Memory
// traffic: the query once, the target twice, 24 or 40 bytes of result. Grid: x blocks of up to 128 pairs.
#include "pair_arguments.cuh"
#include "quadrant.cuh"

// 104 bytes.
struct PairTraceArguments {
    PairArguments pairs;  //  0: without values
    void* alignments;     // 88: by pair
    u32 quadrants;        // 96: number of quadrants that hold the longest target
    u32 unused;           // 100
};

// The shared memory of a block, in bytes.
template <int ROWS>
constexpr u32 pair_trace_shared_bytes(u32 threads, u32 quadrants) {
    return threads * quadrants * (ROWS / 4);
}

template <int ROWS, int PLANES>
struct PairTracer {
    using Word = typename WordOf<ROWS>::Type;
    static constexpr int WORDS = ROWS / 32;

    const PairTraceArguments& args;
    StringRange target;
    QueryPlanes<WORDS, PLANES> query;
    // The differences before each quadrant, [quadrant][thread].
    Deltas<Word>* before;

    // The columns of a quadrant: their symbols, and a bit for each column that is inside the target.
    struct Columns {
        u64 symbols;
        u32 inside;
        u32 first;
    };

    __device__ __forceinline__ Columns columns(u32 quadrant) const {
        const long long first = static_cast<long long>(target.first) + target.length - COLUMNS * (static_cast<long long>(quadrant) + 1);
        const u32 start = static_cast<u32>(target.first);
        return {load_codes(args.pairs.targets, first, start), columns_inside(first, start), static_cast<u32>(first)};
    }

    // Computes a column of a quadrant. Columns before the target match nothing and change nothing.
    template <int COLUMN>
    __device__ __forceinline__ Steps<Word> advance(const Columns& here, Deltas<Word>& column) const {
        u32 equal[WORDS];
        const u32 four = static_cast<u32>(here.symbols >> (COLUMN / 4 * 32));
        query.match(symbol_bits<COLUMN % 4, PLANES>(four, args.pairs.planes), equal);
        const u32 inside = here.inside >> COLUMN & 1;
        Word whole = equal[WORDS - 1];
        if constexpr (WORDS == 2) {
            whole = whole << 32 | equal[0];
        }
        return step<Word>(column, inside != 0 ? whole : 0, inside);
    }

    // Computes the columns of a quadrant.
    __device__ __forceinline__ void recompute(const Columns& here, Deltas<Word> column, Steps<Word> (&steps)[COLUMNS]) const {
        steps[0] = advance<0>(here, column);
        steps[1] = advance<1>(here, column);
        steps[2] = advance<2>(here, column);
        steps[3] = advance<3>(here, column);
        steps[4] = advance<4>(here, column);
        steps[5] = advance<5>(here, column);
        steps[6] = advance<6>(here, column);
        steps[7] = advance<7>(here, column);
    }

    // Computes all columns, and stores the differences before each quadrant.
    __device__ __forceinline__ void forward() {
        Deltas<Word> column{static_cast<Word>(~Word{0}), 0};
        for (u32 quadrant = args.quadrants; quadrant-- > 0;) {
            before[quadrant * blockDim.x] = column;
            const Columns here = columns(quadrant);
            advance<0>(here, column);
            advance<1>(here, column);
            advance<2>(here, column);
            advance<3>(here, column);
            advance<4>(here, column);
            advance<5>(here, column);
            advance<6>(here, column);
            advance<7>(here, column);
        }
    }

    // Walks back through all quadrants.
    __device__ __forceinline__ void backward(BackwardWalk<ROWS>& walk) const {
        for (u32 quadrant = 0; quadrant < args.quadrants; ++quadrant) {
            const Columns here = columns(quadrant);
            Steps<Word> steps[COLUMNS];
            recompute(here, before[quadrant * blockDim.x], steps);
#pragma unroll
            for (int column = COLUMNS - 1; column >= 0; --column) {
                walk.take(steps[column], (here.inside >> column & 1) != 0, here.first + column);
            }
        }
        walk.pattern_only(walk.row);
    }
};

template <int ROWS, int PLANES>
__device__ __forceinline__ void trace_pair(const PairTraceArguments& args) {
    DYNAMIC_SHARED(shared);
    const u32 pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= args.pairs.pairs) {
        return;
    }
    const PairArguments& pairs = args.pairs;
    const StringRange query = string_range(pairs.query_ends, pair, pairs.query_length, pairs.query_stride);
    const StringRange target = string_range(pairs.target_ends, pair, pairs.target_length, pairs.target_length);
    using Word = typename WordOf<ROWS>::Type;
    PairTracer<ROWS, PLANES> tracer{args, target, {}, reinterpret_cast<Deltas<Word>*>(shared) + threadIdx.x};
    tracer.query.load(pairs.queries, query.first, query.length, pairs.planes);
    BackwardWalk<ROWS> walk{query.length, 1, {}};
    walk.found.start = static_cast<u32>(target.first) + target.length;
    tracer.forward();
    tracer.backward(walk);
    static_cast<Alignment<ROWS>*>(args.alignments)[pair] = walk.found;
}

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128) pairs_trace(const PairTraceArguments args) {
    trace_pair<NIGH_ROWS, 8>(args);
}
#endif
