// Block-based Myers for long patterns, spread over a warp.
//
// Division of work. A warp holds a band of 1,024 rows, or two or four times as many: lane l has the words l * WORDS to
// (l + 1) * WORDS - 1 of the band, 32 rows each, and goes through the text symbol by symbol, one symbol behind lane l -
// 1. So the differences below that lane's last row are known one step before they are needed, and no carry passes
// between lanes: where the difference above a lane's first row is -1, its addition starts as if its first row were
// equal. A block has a few segments of text and a few bands, and one warp for each segment and band. A band is 64
// symbols behind the one above it and takes its horizontal differences from shared memory. If a pattern has more
// bands than a block has warps for, the next launch continues: the differences of the last band are kept along the
// text in global memory, two bits per symbol. Grid: x segments, y patterns. Blocks of up to 512 threads.
//
// The rows of a pattern end where its last band ends. The rows before its first are neutral: they equal every symbol,
// and their differences are zero, so nothing passes down from them.
//
// A segment starts m + k symbols early, rounded up to 32, and reports the hits that end in its own part. Symbols of
// code 0, which no row may match, stand for the text before the start, and for lanes that have not reached their
// segment; nothing changes there.
//
// Memory traffic: per symbol and band one byte of text and a quarter of a byte of differences; hits.
//
// Prior work: Yang and Zhang run Myers' algorithm over a warp as well, for patterns of up to 49,152 symbols. Here the
// skew between lanes replaces the carries, and bands remove the limit.
#include "word.cuh"

// The shared memory of a warp besides the equality words.
struct Notes {
    // The differences in the last lane's last word, for each of 32 symbols.
    BandDeltas below[WARP];
    // The codes of the previous 32 symbols, and of the current ones.
    u8 codes[2 * WARP];
};

// The shared memory of a block, in bytes: the equality words of its bands, the differences between bands for the
// current turn and the previous one, and notes.
constexpr u32 word_shared_bytes(u32 words, u32 codes, u32 bands, u32 segments) {
    return bands * codes * WARP * words * sizeof(u32) +
           bands * segments * (2 * sizeof(BandDeltas) + sizeof(Notes));
}

// Advances by one symbol. In lane 0, `above` has the differences above the band for this symbol in its highest bits; in
// other lanes it is zero. `inner` is zero in lane 0 and one in the others. `below` gets the differences of the last
// lane. TOP: nothing changes above the band.
template <int WORDS, bool TOP>
__device__ __forceinline__ void step(MyersLane<WORDS>& lane, const u32 (&equal)[WORDS], BandDeltas& above, u32 inner,
                                     BandDeltas* below) {
    // Multiplies instead of selecting, because the multipliers are idle.
    const u32 plus = __shfl_up_sync(ALL_LANES, lane.last.plus, 1) * inner + (TOP ? 0 : above.plus);
    const u32 minus = __shfl_up_sync(ALL_LANES, lane.last.minus, 1) * inner + (TOP ? 0 : above.minus);
    u32 d0[WORDS];
    const Below<WORDS> deltas = step_rows(lane, equal, minus >> 31, d0);
    if (lane_index() == WARP - 1) {
        *below = lane.last;
    }
    step_columns(lane, deltas, {plus, minus}, d0);
    above.plus <<= 1;
    above.minus <<= 1;
}

// Advances lane 0 by 32 symbols; lane l is l symbols behind. Returns the differences below the band for 32 symbols; the
// last of these is the first symbol of lane 0.
template <int WORDS, bool TOP>
__device__ __forceinline__ BandDeltas advance(MyersLane<WORDS>& lane, const u32* table, Notes& notes, BandDeltas above) {
    u32 inner = lane_index() > 0 ? 1 : 0;
    above.plus = inner != 0 ? 0 : above.plus;
    above.minus = inner != 0 ? 0 : above.minus;
#ifdef __CUDACC__
    // Hides the value from the compiler, which would select instead of multiply.
    asm("" : "+r"(inner));
#endif
    const char* own = reinterpret_cast<const char*>(table + lane_index() * WORDS);
    const u8* codes = notes.codes + WARP - lane_index();
#pragma unroll 8
    for (u32 at = 0; at < WARP; ++at) {
        u32 equal[WORDS];
        load_equal(equal, own + codes[at] * (WARP * WORDS * sizeof(u32)));
        step<WORDS, TOP>(lane, equal, above, inner, notes.below + at);
    }
    __syncwarp();
    const BandDeltas below = notes.below[lane_index()];
    return {__brev(__ballot_sync(ALL_LANES, below.plus >> 31)), __brev(__ballot_sync(ALL_LANES, below.minus >> 31))};
}

// The work of a warp.
struct Place {
    u32 band;        // of the pattern
    u32 band_here;   // of the block
    u32 segment;     // of the text
    BandDeltas* exchange;  // [turn][band] of its segment in shared memory
    BandDeltas* along;     // [32 symbols] of its segment in global memory
    Notes* notes;
};

// Walks a segment. Each band is two turns of 32 symbols behind the one above it, because the differences below a band
// are known once its last lane has passed. All warps of a block take the same number of turns.
template <int WORDS>
__device__ __forceinline__ void walk(const WordArguments& args, const WordPattern& pattern, const u32* table,
                                     const Place& place) {
    MyersLane<WORDS> lane;
    reset(lane, args.bands * WARP * WORDS * 32 - pattern.rows, place.band);
    u32 distance = pattern.rows;
    BandDeltas before{0, 0};
    u32 code_before = 0;
    const u32 chunks = (args.warm_up + args.segment_symbols) / WARP;
    const u32 bands = args.bands_of_block;
    const bool is_last_here = place.band_here + 1 == bands;
    const u32 first_turn = chunks_before_text(args, place.segment) + 2 * place.band_here;
    for (u32 turn = 0; turn <= chunks + 2 * (bands - 1); ++turn) {
        const u32 chunk = turn - 2 * place.band_here;
        if (turn >= first_turn && chunk <= chunks && place.segment < args.segments) {
            const long long first = static_cast<long long>(place.segment) * args.segment_symbols - args.warm_up +
                                    static_cast<long long>(chunk) * WARP;
            const long long symbol = first + lane_index();
            const u32 code = chunk < chunks && symbol >= 0 && symbol < args.symbols ? args.codes[symbol] : 0;
            place.notes->codes[lane_index()] = static_cast<u8>(code_before);
            place.notes->codes[WARP + lane_index()] = static_cast<u8>(code);
            code_before = code;
            __syncwarp();
            BandDeltas below;
            if (place.band == 0) {
                below = advance<WORDS, true>(lane, table, *place.notes, {0, 0});
            } else {
                BandDeltas above{0, 0};
                if (chunk < chunks) {
                    above = place.band_here == 0 ? place.along[chunk]
                                                 : place.exchange[(turn + 1) % 2 * bands + place.band_here - 1];
                }
                below = advance<WORDS, false>(lane, table, *place.notes, above);
            }
            __syncwarp();
            // The differences of the previous chunk.
            const BandDeltas whole{__funnelshift_l(below.plus, before.plus, 31), __funnelshift_l(below.minus, before.minus, 31)};
            before = below;
            if (place.band + 1 == args.bands) {
                distance = take_hits(args, pattern, distance, whole, first - WARP, place.segment);
            } else if (chunk > 0 && lane_index() == 0) {
                (is_last_here ? place.along[chunk - 1] : place.exchange[turn % 2 * bands + place.band_here]) = whole;
            }
        }
        if (bands > 1) {
            __syncthreads();
        }
    }
}

template <int WORDS>
__device__ __forceinline__ void scan_segments(const WordArguments& args) {
    DYNAMIC_SHARED(shared);
    u32* tables = reinterpret_cast<u32*>(shared);
    const u32 table_words = args.code_count * WARP * WORDS;
    const u64 first_table = static_cast<u64>(blockIdx.y) * args.bands + args.first_band;
    for (u32 at = threadIdx.x; at < args.bands_of_block * table_words; at += blockDim.x) {
        tables[at] = args.equal[first_table * table_words + at];
    }
    __syncthreads();
    const u32 warp = threadIdx.x / WARP;
    Place place{};
    place.band_here = warp % args.bands_of_block;
    place.band = args.first_band + place.band_here;
    place.segment = blockIdx.x * args.segments_of_block + warp / args.bands_of_block;
    place.exchange = reinterpret_cast<BandDeltas*>(tables + args.bands_of_block * table_words) +
                     warp / args.bands_of_block * 2 * args.bands_of_block;
    place.notes = reinterpret_cast<Notes*>(reinterpret_cast<BandDeltas*>(tables + args.bands_of_block * table_words) +
                                           2 * args.bands_of_block * args.segments_of_block) +
                  warp;
    place.along = reinterpret_cast<BandDeltas*>(args.deltas) +
                  (static_cast<u64>(blockIdx.y) * args.segments + place.segment) *
                      ((args.warm_up + args.segment_symbols) / WARP);
    walk<WORDS>(args, args.patterns[blockIdx.y], tables + place.band_here * table_words, place);
}

#ifdef NIGH_WORDS
extern "C" __global__ void __launch_bounds__(MAX_THREADS, 2) word(const WordArguments args) {
    scan_segments<NIGH_WORDS>(args);
}
#endif
