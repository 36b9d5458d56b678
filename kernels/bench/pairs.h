// Benchmark of pairs.cu and tiles.cu: edit distance and longest common subsequence of pairs.
#pragma once

#include "../pair_trace.cu"
#include "../pairs.cu"
#include "../tiles.cu"
#include "bench.h"

template <typename Column, int WORDS, int PLANES>
__global__ void __launch_bounds__(256) pairs_kernel(const PairArguments args) {
    compare_pair<Column, WORDS, PLANES>(args);
}

template <typename Column, int WORDS, int PLANES>
__global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_kernel(const TileArguments args) {
    compute_strips<Column, WORDS, PLANES>(args);
}

template <int ROWS, int PLANES>
__global__ void __launch_bounds__(128) pair_trace_kernel(const PairTraceArguments args) {
    trace_pair<ROWS, PLANES>(args);
}

// Fills a buffer with random letters. If `original` is not null, copies about seven of eight letters from it; in every
// other block of 1,000 letters, each from one place before its own.
__global__ void random_letters(u8* letters, u64 count, const u8* original, u64 seed) {
    const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 at = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; at < count; at += stride) {
        u64 mixed = (at + 1) * 0x9e3779b97f4a7c15ull + seed;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
        const bool is_copied = original != nullptr && (mixed >> 40 & 7) != 0;
        letters[at] = is_copied ? original[at > 0 ? at - at / 1000 % 2 : at] : "ACGT"[mixed >> 60 & 3];
    }
}

// Returns the planes that tell A, C, G and T apart, or those that tell all bytes apart.
inline MatchPlanes match_planes(int planes) {
    return planes == 2 ? MatchPlanes{{6, 5}} : MatchPlanes{{7, 6, 5, 4, 3, 2, 1, 0}};
}

// Returns the value of a pair, computed by block-based Myers or by the bit-parallel algorithm for the longest common
// subsequence, in words of 64 bits.
inline int host_value(const u8* query, u32 rows, const u8* target, u32 columns, bool is_lcs) {
    const std::size_t words = (rows + 63) / 64;
    std::vector<u64> equal(256 * words), pv(words, ~u64{0}), mv(words, 0);
    for (u32 row = 0; row < rows; ++row) {
        equal[query[row] * words + row / 64] |= u64{1} << row % 64;
    }
    for (u32 column = 0; column < columns; ++column) {
        u64 plus = 1, minus = 0, carry = 0;
        for (std::size_t word = 0; word < words; ++word) {
            const u64 eq = equal[target[column] * words + word];
            const u64 v = pv[word];
            if (is_lcs) {
                const unsigned __int128 sum = static_cast<unsigned __int128>(v) + (v & eq) + carry;
                carry = static_cast<u64>(sum >> 64);
                pv[word] = static_cast<u64>(sum) | (v & ~eq);
                continue;
            }
            const u64 either = eq | minus;
            const u64 d0 = (((either & v) + v) ^ v) | either | mv[word];
            const u64 grows = mv[word] | ~(d0 | v), falls = v & d0;
            const u64 ph = grows << 1 | plus, mh = falls << 1 | minus;
            plus = grows >> 63;
            minus = falls >> 63;
            pv[word] = mh | ~(d0 | ph);
            mv[word] = ph & d0;
        }
    }
    int value = is_lcs ? 0 : static_cast<int>(columns);
    for (u32 row = 0; row < rows; ++row) {
        const int grows = static_cast<int>(pv[row / 64] >> row % 64 & 1), falls = static_cast<int>(mv[row / 64] >> row % 64 & 1);
        value += is_lcs ? 1 - grows : grows - falls;
    }
    return value;
}

template <template <int> class Column>
constexpr bool is_lcs() {
    return Column<1>::SIGNS == 1;
}

inline void expect_value(const char* kernel, std::size_t pair, int found, int expected) {
    if (found != expected) {
        std::fprintf(stderr, "%s: the value of pair %zu is %d, not %d\n", kernel, pair, found, expected);
        std::exit(1);
    }
}

// Times pairs of one length, after comparing some of their values with those of the host.
template <template <int> class Column, int WORDS, int PLANES>
void time_pairs(u32 pairs, u32 length) {
    Device<u8> queries(static_cast<std::size_t>(pairs) * length + MATCH_PADDING);
    Device<u8> targets(queries.length);
    Device<int> values(pairs);
    random_letters<<<1024, 256>>>(queries.data, queries.length, nullptr, 1);
    random_letters<<<1024, 256>>>(targets.data, targets.length, queries.data, 2);
    PairArguments args{};
    args.queries = queries.data;
    args.targets = targets.data;
    args.values = values.data;
    args.pairs = pairs;
    args.query_length = args.query_stride = args.target_length = length;
    args.planes = match_planes(PLANES);
    const double time = seconds([&] { pairs_kernel<Column<WORDS>, WORDS, PLANES><<<(pairs + 255) / 256, 256>>>(args); });
    const auto query = queries.read(queries.length), target = targets.read(targets.length);
    const auto found = values.read(pairs);
    for (std::size_t pair = 0; pair < pairs; pair += pair < 5000 ? 1 : 1009) {
        const int expected = host_value(&query[pair * length], length, &target[pair * length], length, is_lcs<Column>());
        expect_value("pairs", pair, found[pair], expected);
    }
    char size[64];
    std::snprintf(size, sizeof size, "%s, %u pairs of %u, %d planes", is_lcs<Column>() ? "lcs" : "distance", pairs, length, PLANES);
    row("pairs", size, time, static_cast<double>(pairs) * length, static_cast<double>(pairs) * length * length, pairs);
}

// The strings of a long pair, and how the host computes its value.
struct LongPair {
    u32 rows, columns;
    Device<u8> query, target;

    LongPair(u32 rows, u32 columns)
        : rows(rows), columns(columns), query(std::max(rows, columns) + MATCH_PADDING), target(columns + MATCH_PADDING) {
        random_letters<<<1024, 256>>>(query.data, query.length, nullptr, 3);
        random_letters<<<1024, 256>>>(target.data, target.length, query.data, 4);
    }
    int value(bool of_lcs) const {
        return host_value(query.read(rows).data(), rows, target.read(columns).data(), columns, of_lcs);
    }
};

// Times a long pair, and returns its value. Ends the process if the value is not `expected`, unless `expected` is
// negative.
template <template <int> class Column, int WORDS, int PLANES>
int time_tiles(const LongPair& pair, u32 warps, int expected) {
    const u32 strips = (pair.rows + WARP * 32 * WORDS - 1) / (WARP * 32 * WORDS);
    const u32 chunks = (pair.columns + WARP - 1) / WARP;
    Device<TilePair> tile(std::vector<TilePair>{{0, 0, 0, pair.rows, pair.columns, 0, 0}});
    Device<u32> pair_of_strip(std::vector<u32>(strips, 0));
    Device<BandDeltas> deltas(static_cast<std::size_t>(strips + 1) * chunks);
    Device<u32> next_strip(1);
    Device<int> value(1);
    TileArguments args{};
    args.queries = pair.query.data;
    args.targets = pair.target.data;
    args.pairs = tile.data;
    args.pair_of_strip = pair_of_strip.data;
    args.chunks = deltas.data;
    args.next_strip = next_strip.data;
    args.values = value.data;
    args.strips = strips;
    args.planes = match_planes(PLANES);
    const u32 shared = tile_shared_bytes<PLANES>(WARP * warps);
    const auto kernel = tiles_kernel<Column<WORDS>, WORDS, PLANES>;
    int device_count = 0;
    must(cudaDeviceGetAttribute(&device_count, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
    const u32 blocks = std::min((strips + warps - 1) / warps, 4 * static_cast<u32>(device_count));
    const double time = seconds([&] {
        deltas.clear();
        next_strip.clear();
        value.clear();
        kernel<<<blocks, WARP * warps, shared>>>(args);
    });
    const int found = value.read(1)[0];
    if (expected >= 0) {
        expect_value("tiles", 0, found, expected);
    }
    char size[96];
    std::snprintf(size, sizeof size, "%s, %ux%u, %d words, %d planes, %u warps", is_lcs<Column>() ? "lcs" : "distance", pair.rows,
                  pair.columns, WORDS, PLANES, warps);
    row("tiles", size, time, pair.columns, static_cast<double>(pair.rows) * pair.columns, static_cast<u64>(found));
    return found;
}

template <template <int> class Column>
void time_long_pairs() {
    for (const auto& [rows, columns] : {std::pair<u32, u32>{10'000, 10'000}, {100'000, 100'000}, {300'001, 1000}, {1001, 300'000}}) {
        const LongPair pair(rows, columns);
        const int expected = pair.value(is_lcs<Column>());
        time_tiles<Column, 1, 2>(pair, 1, expected);
        time_tiles<Column, 1, 2>(pair, 4, expected);
        time_tiles<Column, 2, 2>(pair, 1, expected);
        time_tiles<Column, 4, 2>(pair, 1, expected);
        time_tiles<Column, 1, 8>(pair, 1, expected);
    }
    const LongPair pair(1'000'000, 1'000'000);
    const int expected = time_tiles<Column, 1, 2>(pair, 4, -1);
    time_tiles<Column, 2, 2>(pair, 1, expected);
    time_tiles<Column, 2, 2>(pair, 4, expected);
    time_tiles<Column, 4, 2>(pair, 1, expected);
    time_tiles<Column, 4, 2>(pair, 4, expected);
    time_tiles<Column, 2, 8>(pair, 4, expected);
}

// Times the traceback of pairs of `length` symbols, after comparing the costs of some with their distances.
template <int ROWS, int PLANES>
void time_traces(u32 pairs, u32 length = ROWS) {
    Device<u8> queries(static_cast<std::size_t>(pairs) * length + MATCH_PADDING), targets(queries.length);
    Device<Alignment<ROWS>> alignments(pairs);
    random_letters<<<1024, 256>>>(queries.data, queries.length, nullptr, 5);
    random_letters<<<1024, 256>>>(targets.data, targets.length, queries.data, 6);
    PairTraceArguments args{};
    args.pairs.queries = queries.data;
    args.pairs.targets = targets.data;
    args.pairs.pairs = pairs;
    args.pairs.query_length = args.pairs.query_stride = args.pairs.target_length = length;
    args.pairs.planes = match_planes(PLANES);
    args.alignments = alignments.data;
    args.quadrants = (length + COLUMNS - 1) / COLUMNS;
    const u32 shared = pair_trace_shared_bytes<ROWS>(128, args.quadrants);
    const double time = seconds([&] { pair_trace_kernel<ROWS, PLANES><<<(pairs + 127) / 128, 128, shared>>>(args); });
    const auto query = queries.read(queries.length), target = targets.read(targets.length);
    const auto found = alignments.read(pairs);
    for (std::size_t pair = 0; pair < pairs; pair += 101) {
        int cost = 0;
        for (u32 edit = 0; edit < found[pair].count; ++edit) {
            cost += (found[pair].edits[edit / 16] >> edit % 16 * 2 & 3) != 0;
        }
        expect_value("pair_trace", pair, cost, host_value(&query[pair * length], length, &target[pair * length], length, false));
    }
    char size[64];
    std::snprintf(size, sizeof size, "%u pairs of %u, %d planes", pairs, length, PLANES);
    row("pair_trace", size, time, static_cast<double>(pairs) * length, static_cast<double>(pairs) * length * length, pairs);
}

inline void bench_traces() {
    time_traces<32, 2>(12'582'720);
    time_traces<32, 8>(12'582'720);
    time_traces<64, 2>(23'040'503, 36);
    time_traces<64, 2>(6'291'360);
}

inline void bench_pairs() {
    time_pairs<DistanceColumn, 1, 2>(12'582'720, 32);
    time_pairs<DistanceColumn, 1, 8>(12'582'720, 32);
    time_pairs<SubsequenceColumn, 1, 2>(12'582'720, 32);
    time_pairs<DistanceColumn, 2, 2>(23'040'503, 36);
    time_pairs<DistanceColumn, 2, 2>(6'291'360, 64);
    time_pairs<DistanceColumn, 4, 2>(2'000'000, 128);
    time_pairs<DistanceColumn, 8, 2>(1'000'000, 256);
    time_pairs<DistanceColumn, 8, 8>(1'000'000, 256);
    time_pairs<SubsequenceColumn, 8, 2>(1'000'000, 256);
}

inline void bench_tiles() {
    time_long_pairs<DistanceColumn>();
    time_long_pairs<SubsequenceColumn>();
}
