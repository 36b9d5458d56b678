// Edit distance and longest common subsequence of long strings, over the whole device.
//
// Division of work. The rows of a pair are cut into strips of 1,024 * WORDS. A warp computes a strip from the first
// column to the last: lane l has WORDS words of 32 rows and is SKEW columns behind lane l - 1, so the differences below
// that lane are known before they are needed, and no carry passes between lanes in a step (word.cu does the same). Match
// words come from bit planes of the rows in registers (match.cuh). The warp of the next strip follows in the same way:
// it reads the differences below this strip from global memory, 32 columns at a time, as soon as they are there.
//
// Order. Strips are numbered from the top, all pairs one after the other. A warp draws the next number from a counter,
// computes that strip, and draws again. It only waits for the strip before its own, which another warp has drawn before
// it; the first strip of a pair waits for none. So there is always a strip that goes on, for any number of resident
// blocks.
//
// Messages. The differences below a strip are 64 bits for 32 columns: increments and decrements, never both in a
// column. They are stored complemented, so no chunk of differences is stored as zeros. The host clears the memory, so
// zeros mean that a chunk has not arrived. A chunk is written and read by one relaxed operation of 64 bits each, so its
// arrival needs neither a flag nor a fence.
//
// Memory traffic: for each strip a byte per column for the target and half a byte for differences; rows once. Grid: x
// blocks of any number of warps, at best one a scheduler.
//
// If the memory or time of a launch must be bounded, a pair continues in the next launch: see `TilePair`.
//
// Prior work: G. Myers, 1999; block-based columns by H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and
// Damerau edit distances", 2003; diagonals of blocks on a GPU by Yang and Zhang.
#include "match.cuh"

// On an H200, two columns instead of one took 5.2 instead of 4.7 ms for 100,000 x 100,000 with one word a lane, 0.82
// instead of 0.56 ms for 300,001 x 1,000 with four, and the same 50 ms for 1,000,000 x 1,000,000 with two.
constexpr u32 SKEW = 1;
constexpr u32 MAX_TILE_THREADS = 128;
// Number of columns by which the last lane is behind the first, and the same number in chunks, rounded up.
constexpr u32 STRIP_LAG = (WARP - 1) * SKEW;
constexpr u32 LAG_CHUNKS = (STRIP_LAG + WARP - 1) / WARP;

// A pair, or those of its strips that one launch computes, 40 bytes. The chunks of differences above strip s of the
// launch are at first_chunk + s * ceil(target_length / 32).
struct TilePair {
    u64 query_first;    //  0: of the rows of this launch
    u64 target_first;   //  8
    u64 first_chunk;    // 16
    u32 rows;           // 24: of this launch
    u32 target_length;  // 28
    u32 first_strip;    // 32: number of the first strip of this launch
    u32 open;           // 36: 1 if rows precede that another launch computed, plus 2 if rows follow
};

constexpr u32 OPEN_ABOVE = 1;
constexpr u32 OPEN_BELOW = 2;

// 96 bytes.
struct TileArguments {
    const u8* queries;          //  0
    const u8* targets;          //  8
    const TilePair* pairs;      // 16
    const u32* pair_of_strip;   // 24
    BandDeltas* chunks;         // 32: zero before the first launch
    u32* next_strip;            // 40: zero before the launch
    int* values;                // 48: by pair; zero before its first launch
    u32 strips;                 // 56
    MatchPlanes planes;         // 60
    u32 unused;                 // 92
};

// The shared memory of a warp: the bits of the symbols of the chunks that its lanes are in, with two planes in a pair
// of words.
template <int PLANES>
struct StripSymbols {
    static constexpr u32 COLUMNS = (LAG_CHUNKS + 1) * WARP;
    uint2 bits[(PLANES + 1) / 2][COLUMNS];
};

template <int PLANES>
constexpr u32 tile_shared_bytes(u32 threads) {
    return threads / WARP * (sizeof(StripSymbols<PLANES>) + WARP * sizeof(BandDeltas));
}

// Reads or writes a chunk of differences that another warp writes or reads.
__device__ __forceinline__ BandDeltas load_chunk(const BandDeltas* from) {
    u64 both;
#ifdef __CUDACC__
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(from) : "memory");
#else
    std::memcpy(&both, from, sizeof both);
#endif
    return {~static_cast<u32>(both), ~static_cast<u32>(both >> 32)};
}

__device__ __forceinline__ void store_chunk(BandDeltas* to, BandDeltas deltas) {
    const u64 both = ~(static_cast<u64>(deltas.minus) << 32 | deltas.plus);
#ifdef __CUDACC__
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(both) : "memory");
#else
    std::memcpy(to, &both, sizeof both);
#endif
}

__device__ __forceinline__ bool has_arrived(BandDeltas deltas) {
    return (deltas.plus & deltas.minus) != ~0u;
}

// Returns a chunk, which was read early, once it has arrived.
__device__ __forceinline__ BandDeltas await_chunk(const BandDeltas* from, BandDeltas early) {
    while (__any_sync(ALL_LANES, !has_arrived(early))) {
        early = load_chunk(from);
    }
    return early;
}

// The strip of a warp.
template <typename Column, int WORDS, int PLANES>
struct Strip {
    const TileArguments& args;
    const TilePair pair;
    QueryPlanes<WORDS, PLANES> rows;
    Column column;
    // Input of the next steps: the differences below the lane before, one or two columns ago.
    BandDeltas arriving[SKEW];
    StripSymbols<PLANES>& symbols;
    BandDeltas* below;

    // Writes the bits of 32 target symbols, after those of the chunks before.
    __device__ __forceinline__ void stage(u32 symbol) {
        const SymbolBits<PLANES> bits = symbol_bits<0, PLANES>(symbol, args.planes);
#pragma unroll
        for (int two = 0; two < (PLANES + 1) / 2; ++two) {
#pragma unroll
            for (u32 chunk = 0; chunk < LAG_CHUNKS; ++chunk) {
                symbols.bits[two][chunk * WARP + lane_index()] = symbols.bits[two][(chunk + 1) * WARP + lane_index()];
            }
            const int second = 2 * two + 1 < PLANES ? 2 * two + 1 : 2 * two;
            symbols.bits[two][LAG_CHUNKS * WARP + lane_index()] = {bits.bits[2 * two], bits.bits[second]};
        }
    }

    // Advances by a symbol. In lane 0 the highest bits of `above` are the differences above the strip; in others they
    // are zero. `inner` is zero in lane 0 and one in the others.
    __device__ __forceinline__ void step(const uint2* own, BandDeltas& above, u32 inner) {
        SymbolBits<PLANES> symbol;
#pragma unroll
        for (int plane = 0; plane < PLANES; plane += 2) {
            const uint2 two = own[plane / 2 * StripSymbols<PLANES>::COLUMNS];
            symbol.bits[plane] = two.x;
            if (plane + 1 < PLANES) {
                symbol.bits[plane + 1] = two.y;
            }
        }
        u32 equal[WORDS];
        rows.match(symbol, equal);
        // Multiplies instead of selecting, because the multipliers are idle.
        BandDeltas here{arriving[0].plus * inner + above.plus, 0};
        if constexpr (Column::SIGNS == 2) {
            here.minus = arriving[0].minus * inner + above.minus;
        }
        column.step(equal, here);
        above.plus <<= 1;
        above.minus <<= 1;
    }

    // Passes the differences below each lane to the next.
    __device__ __forceinline__ void pass() {
#pragma unroll
        for (u32 later = 0; later + 1 < SKEW; ++later) {
            arriving[later] = arriving[later + 1];
        }
        const BandDeltas last = column.below();
        arriving[SKEW - 1].plus = __shfl_up_sync(ALL_LANES, last.plus, 1);
        if constexpr (Column::SIGNS == 2) {
            arriving[SKEW - 1].minus = __shfl_up_sync(ALL_LANES, last.minus, 1);
        }
    }

    // Advances by 32 symbols. `first` is the column of lane 0. EDGE: some lanes are before the first column or past the
    // last; these keep their state. Returns the differences below the strip, the first in the highest bit.
    template <bool EDGE>
    __device__ __forceinline__ BandDeltas advance_strip(BandDeltas above, u32 first) {
        u32 inner = lane_index() > 0 ? 1 : 0;
        above.plus = inner != 0 ? 0 : above.plus;
        above.minus = inner != 0 ? 0 : above.minus;
#ifdef __CUDACC__
        // Hides the value from the compiler, which would select instead of multiply.
        asm("" : "+r"(inner));
#endif
        const uint2* own = &symbols.bits[0][LAG_CHUNKS * WARP - SKEW * lane_index()];
        const u32 first_of_lane = first - SKEW * lane_index();
#pragma unroll 4
        for (u32 at = 0; at < WARP; ++at) {
            const Column before = column;
            step(own + at, above, inner);
            if (EDGE && first_of_lane + at >= pair.target_length) {
                column = before;
            }
            pass();
            if (lane_index() == WARP - 1) {
                below[at] = column.below();
            }
        }
        __syncwarp();
        const BandDeltas deltas = below[lane_index()];
        return {__brev(__ballot_sync(ALL_LANES, deltas.plus >> 31)), __brev(__ballot_sync(ALL_LANES, deltas.minus >> 31))};
    }

    // Walks over all columns. `above` and `beneath` are the chunks of differences around the strip, or null.
    __device__ __forceinline__ void follow(const BandDeltas* above, BandDeltas* beneath) {
        const u32 length = pair.target_length;
        const u32 chunks = (length + WARP - 1) / WARP;
        const u32 turns = chunks + LAG_CHUNKS;
        const u8* target = args.targets + pair.target_first;
        u32 symbol = lane_index() < length ? target[lane_index()] : 0;
        BandDeltas early = above != nullptr ? load_chunk(above) : Column::top();
        BandDeltas before{0, 0};
        for (u32 turn = 0; turn < turns; ++turn) {
            stage(symbol);
            BandDeltas here = Column::top();
            if (above != nullptr && turn < chunks) {
                here = await_chunk(above + turn, early);
            }
            const u32 next = (turn + 1) * WARP + lane_index();
            symbol = next < length ? target[next] : 0;
            if (above != nullptr && turn + 1 < chunks) {
                early = load_chunk(above + turn + 1);
            }
            __syncwarp();
            const bool is_inner = turn >= LAG_CHUNKS && (turn + 1) * WARP <= length;
            const BandDeltas deltas = is_inner ? advance_strip<false>(here, turn * WARP) : advance_strip<true>(here, turn * WARP);
            __syncwarp();
            if (beneath != nullptr && turn >= LAG_CHUNKS && lane_index() == 0) {
                constexpr u32 SHIFT = WARP - (LAG_CHUNKS * WARP - STRIP_LAG);
                store_chunk(beneath + turn - LAG_CHUNKS, {__funnelshift_l(deltas.plus, before.plus, SHIFT),
                                                          __funnelshift_l(deltas.minus, before.minus, SHIFT)});
            }
            before = deltas;
        }
    }
};

// Computes a strip.
template <typename Column, int WORDS, int PLANES>
__device__ __forceinline__ void compute_strip(const TileArguments& args, u32 number, StripSymbols<PLANES>& symbols,
                                              BandDeltas* below) {
    const u32 index = args.pair_of_strip[number];
    const TilePair pair = args.pairs[index];
    constexpr u32 STRIP_ROWS = WARP * WORDS * 32;
    const u32 strip = number - pair.first_strip;
    const u32 strips = max((pair.rows + STRIP_ROWS - 1) / STRIP_ROWS, 1u);
    const u32 first_row = strip * STRIP_ROWS + lane_index() * WORDS * 32;
    const u32 rows = pair.rows > first_row ? pair.rows - first_row : 0;
    Strip<Column, WORDS, PLANES> here{args, pair, {}, {}, {}, symbols, below};
    here.rows.load(args.queries, pair.query_first + first_row, rows, args.planes);
    here.column.reset();
    const u64 chunks = (pair.target_length + WARP - 1) / WARP;
    BandDeltas* above = args.chunks + pair.first_chunk + strip * chunks;
    const bool has_above = strip > 0 || (pair.open & OPEN_ABOVE) != 0;
    const bool has_below = strip + 1 < strips || (pair.open & OPEN_BELOW) != 0;
    here.follow(has_above ? above : nullptr, has_below ? above + chunks : nullptr);
    int growth = here.column.growth(rows);
#pragma unroll
    for (u32 apart = WARP / 2; apart > 0; apart /= 2) {
        growth += __shfl_xor_sync(ALL_LANES, growth, apart);
    }
    if (lane_index() == 0) {
        atomicAdd(args.values + index, growth + (has_above ? 0 : Column::base(pair.target_length)));
    }
}

template <typename Column, int WORDS, int PLANES>
__device__ __forceinline__ void compute_strips(const TileArguments& args) {
    DYNAMIC_SHARED(shared);
    const u32 warp = threadIdx.x / WARP;
    const u32 warps = blockDim.x / WARP;
    StripSymbols<PLANES>* symbols = reinterpret_cast<StripSymbols<PLANES>*>(shared);
    BandDeltas* below = reinterpret_cast<BandDeltas*>(symbols + warps) + warp * WARP;
    for (;;) {
        u32 number = 0;
        if (lane_index() == 0) {
            number = atomicAdd(args.next_strip, 1u);
        }
        number = __shfl_sync(ALL_LANES, number, 0);
        if (number >= args.strips) {
            return;
        }
        compute_strip<Column, WORDS, PLANES>(args, number, symbols[warp], below);
    }
}

#ifdef NIGH_WORDS
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_distance_2(const TileArguments args) {
    compute_strips<DistanceColumn<NIGH_WORDS>, NIGH_WORDS, 2>(args);
}
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_distance_5(const TileArguments args) {
    compute_strips<DistanceColumn<NIGH_WORDS>, NIGH_WORDS, 5>(args);
}
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_distance_8(const TileArguments args) {
    compute_strips<DistanceColumn<NIGH_WORDS>, NIGH_WORDS, 8>(args);
}
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_lcs_2(const TileArguments args) {
    compute_strips<SubsequenceColumn<NIGH_WORDS>, NIGH_WORDS, 2>(args);
}
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_lcs_5(const TileArguments args) {
    compute_strips<SubsequenceColumn<NIGH_WORDS>, NIGH_WORDS, 5>(args);
}
extern "C" __global__ void __launch_bounds__(MAX_TILE_THREADS) tiles_lcs_8(const TileArguments args) {
    compute_strips<SubsequenceColumn<NIGH_WORDS>, NIGH_WORDS, 8>(args);
}
#endif
