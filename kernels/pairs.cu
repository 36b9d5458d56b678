// Edit distance and longest common subsequence of many pairs of strings, with queries of up to 32, 64, 128 or 256
// symbols.
//
// Division of work. Each thread compares one pair: the query's rows are bits of 1, 2, 4 or 8 words, and the target's
// symbols are columns. The match word of a symbol comes from bit planes of the query (match.cuh), so there is no table,
// no shared memory, and no alphabet: O(n * ceil(m / 32)) steps for strings of m and n symbols. The values of column n
// follow from its bits: n plus the sum of its vertical differences, or the number of rows where the length grows.
//
// Memory traffic: both strings once, four bytes of result. Neighbouring threads read neighbouring strings, so all bytes
// of a cache line are used. Offsets: four bytes for each string, unless all have the same length. Grid: x blocks of any
// number of threads. Targets of about the same length belong in one warp, because it takes the time of its longest.
//
// Prior work: Farivar et al., "An algorithm for fast edit distance computation on GPUs", 2012, with a thread for each
// pair as well, and G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
// programming", 1999.
#include "pair_arguments.cuh"

// Advances by symbol BYTE of the four symbols in `four`.
template <int BYTE, typename Column, int WORDS, int PLANES>
__device__ __forceinline__ void pair_step(Column& column, const QueryPlanes<WORDS, PLANES>& query, u32 four,
                                          const MatchPlanes& planes) {
    u32 equal[WORDS];
    query.match(symbol_bits<BYTE, PLANES>(four, planes), equal);
    column.step_top(equal);
}

// Advances by four symbols.
template <typename Column, int WORDS, int PLANES>
__device__ __forceinline__ void pair_four(Column& column, const QueryPlanes<WORDS, PLANES>& query, u32 four,
                                          const MatchPlanes& planes) {
    pair_step<0>(column, query, four, planes);
    pair_step<1>(column, query, four, planes);
    pair_step<2>(column, query, four, planes);
    pair_step<3>(column, query, four, planes);
}

template <typename Column, int WORDS, int PLANES>
__device__ __forceinline__ void compare_pair(const PairArguments& args) {
    const u32 pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= args.pairs) {
        return;
    }
    const StringRange rows = string_range(args.query_ends, pair, args.query_length, args.query_stride);
    const StringRange columns = string_range(args.target_ends, pair, args.target_length, args.target_length);
    QueryPlanes<WORDS, PLANES> query;
    query.load(args.queries, rows.first, rows.length, args.planes);
    SymbolReader target(args.targets, columns.first);
    Column column;
    column.reset();
    u32 left = columns.length;
    for (; left >= 8; left -= 8) {
        const u64 eight = target.next();
#pragma unroll(WORDS < 4 ? 2 : 1)
        for (int half = 0; half < 2; ++half) {
            pair_four(column, query, static_cast<u32>(eight >> 32 * half), args.planes);
        }
    }
    if (left > 0) {
        for (u64 rest = target.next(); left > 0; --left, rest >>= 8) {
            pair_step<0>(column, query, static_cast<u32>(rest), args.planes);
        }
    }
    args.values[pair] = Column::base(columns.length) + column.growth(rows.length);
}

#ifdef NIGH_WORDS
// All bits of a symbol are compared. With two planes a launch takes half the time, but copies take longer than either.
extern "C" __global__ void __launch_bounds__(256) pairs_distance(const PairArguments args) {
    compare_pair<DistanceColumn<NIGH_WORDS>, NIGH_WORDS, 8>(args);
}
extern "C" __global__ void __launch_bounds__(256) pairs_lcs(const PairArguments args) {
    compare_pair<SubsequenceColumn<NIGH_WORDS>, NIGH_WORDS, 8>(args);
}
#endif
