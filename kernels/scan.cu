// Block-based Myers with carries computed by a parallel scan: all words of a column in one step.
//
// Algorithm. A column has a word of 32 rows, or two or four, for each thread of a block. Myers' step is bitwise but for
// one addition, ((equal & pv) + pv), and a shift by one row. Each thread adds its own words first. It generates a carry
// (GEN), or passes one on if its sum is all ones (PROP), or neither (STOP). One addition of two ballots then gives the
// carry into every lane of a warp, and another one the carry into every warp of a block: see `carries`. The shift takes
// the differences of the thread before by a shuffle, and those of the warp before from its flags.
//
// A warp cannot know the differences below its last row before it knows its carry. So it writes them for both cases
// beside GEN and PROP, in one byte, and a column takes one __syncthreads.
//
// Division of work. As in word.cu, with the same arguments and tables, but a block has one segment of text, and its warps
// are the bands of the pattern. Where word.cu needs 32 symbols more for a band and 64 for each band that follows, this
// form needs none, so it is for texts that are short compared with the pattern. O(n) steps for n symbols of text.
//
// Memory traffic: for each block the text once; a quarter of a byte per symbol besides, if the pattern has more bands
// than a block. Grid: x segments, y patterns. Blocks of up to 512 threads, whole warps.
//
// Prior work: the idea of GEN, PROP and STOP is that of carry-lookahead adders; for GPUs, C. Yang and K. Zhang.
#include "word.cuh"

constexpr u32 MAX_WARPS = MAX_THREADS / WARP;

// Returns the carry into each of 32 places, a bit for each. Place i generates a carry (bit i of `generate`), or
// propagates the one it gets (bit i of `propagate`), or neither; `carry` goes into place 0.
//
// Let x = generate | propagate and y = generate. In the sum x + y + carry, place i gets a carry c, and both bits are set
// where it generates, so a carry goes out. One bit is set where it propagates, so a carry goes out if c is one. No bit is
// set otherwise, so none goes out. These are the rules of the scan, so the carries are the same. The sum's bits are
// x ^ y ^ carries, and x ^ y = propagate, because no place both generates and propagates: a sum of all ones has not
// overflowed, since a, b < 2^n gives a + b <= 2^(n+1) - 2.
__device__ __forceinline__ u32 carries(u32 generate, u32 propagate, u32 carry) {
    return ((generate | propagate) + generate + carry) ^ propagate;
}

// The flags of a warp in a byte.
constexpr u32 GENERATES = 1;
constexpr u32 PROPAGATES = 2;
// These bits have the differences below the warp's last row if no carry goes into the warp, and the next higher bits
// those if a carry does.
constexpr u32 PLUS_BIT = 2;
constexpr u32 MINUS_BIT = 4;

// The shared memory of a block besides tables. `flags` has those of its warps, for the current step and the previous
// one.
struct ScanNotes {
    u8 flags[2][MAX_WARPS];
    // The differences below the last row of the block, by symbol.
    BandDeltas below[WARP];
};

// The input of a warp: a carry, and in the highest bits the differences above its first row.
struct WarpInput {
    u32 carry;
    BandDeltas above;
};

// One thread of a column.
template <int WORDS>
struct ScanThread {
    MyersLane<WORDS> lane;
    u32 a[WORDS], sum[WORDS];

    // Adds the words of this thread. Returns whether it propagates a carry (PROP), and sets `generates` to 1 if it
    // generates one (GEN), otherwise to 0.
    __device__ __forceinline__ bool add_own(const u32 (&equal)[WORDS], u32& generates) {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            a[word] = equal[word] & lane.pv[word];
        }
        generates = add_carry(sum, a, lane.pv, 0);
        u32 ones = sum[0];
#pragma unroll
        for (int word = 1; word < WORDS; ++word) {
            ones &= sum[word];
        }
        return ones == ~0u;
    }

    // Returns the differences below the last row, in the lowest bits, if `carry` goes into this thread.
    __device__ __forceinline__ BandDeltas last_row(const u32 (&equal)[WORDS], u32 carry) const {
        u32 ones = ~0u;
#pragma unroll
        for (int word = 0; word + 1 < WORDS; ++word) {
            ones &= sum[word];
        }
        const u32 last = sum[WORDS - 1] + (ones == ~0u ? carry : 0);
        const u32 pv = lane.pv[WORDS - 1], mv = lane.mv[WORDS - 1];
        const u32 d0 = (last ^ pv) | equal[WORDS - 1] | mv;
        return {(mv | ~(d0 | pv)) >> 31, (pv & d0) >> 31};
    }

    // Completes the column. Sets `lane.last`.
    __device__ __forceinline__ void complete(const u32 (&equal)[WORDS], u32 carry, BandDeltas above_warp) {
        const u32 zero[WORDS] = {};
        u32 whole[WORDS], d0[WORDS];
        add_carry(whole, sum, zero, carry);
        Below<WORDS> below;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            d0[word] = logic<(A ^ B) | C>(whole[word], lane.pv[word], equal[word]) | lane.mv[word];
            below.plus[word] = logic<A | (~(B | C) & 0xff)>(lane.mv[word], d0[word], lane.pv[word]);
            below.minus[word] = lane.pv[word] & d0[word];
        }
        lane.last = {below.plus[WORDS - 1], below.minus[WORDS - 1]};
        const u32 plus = __shfl_up_sync(ALL_LANES, lane.last.plus, 1);
        const u32 minus = __shfl_up_sync(ALL_LANES, lane.last.minus, 1);
        const BandDeltas above = lane_index() == 0 ? above_warp : BandDeltas{plus, minus};
        step_columns(lane, below, above, d0);
    }

    // Returns the flags of the warp; valid in its last lane only.
    __device__ __forceinline__ u32 warp_flags(const u32 (&equal)[WORDS], u32 generate, u32 propagate) const {
        const bool overflows = (generate | propagate) + generate < generate;
        u32 flags = (overflows ? GENERATES : 0) | (propagate == ~0u ? PROPAGATES : 0);
#pragma unroll
        for (u32 carry = 0; carry < 2; ++carry) {
            const BandDeltas last = last_row(equal, carries(generate, propagate, carry) >> 31);
            flags |= last.plus << (PLUS_BIT + carry) | last.minus << (MINUS_BIT + carry);
        }
        return flags;
    }

    // Returns the input of this warp, which for warp 0 is that of the block.
    static __device__ __forceinline__ WarpInput warp_input(u32 flags, const BandDeltas& above_block) {
        const u32 warp = threadIdx.x / WARP;
        const u32 generate = __ballot_sync(ALL_LANES, flags & GENERATES);
        const u32 propagate = __ballot_sync(ALL_LANES, flags & PROPAGATES);
        const u32 into = carries(generate, propagate, 0);
        const u32 carry = into >> lane_index() & 1;
        const u32 plus = __ballot_sync(ALL_LANES, flags >> (PLUS_BIT + carry) & 1);
        const u32 minus = __ballot_sync(ALL_LANES, flags >> (MINUS_BIT + carry) & 1);
        if (warp == 0) {
            return {0, above_block};
        }
        return {into >> warp & 1, {plus >> (warp - 1) << 31, minus >> (warp - 1) << 31}};
    }

    // Advances the block by a symbol. The highest bits of `above` are the differences above the block's first row.
    // `flags` has the flags of all warps for this step. All threads of the block must call it.
    __device__ __forceinline__ void step(u32 (&equal)[WORDS], BandDeltas above, u8* flags) {
        // A decrement above the first row is like a match in it.
        equal[0] |= threadIdx.x == 0 ? above.minus >> 31 : 0;
        u32 generates = 0;
        const bool propagates = add_own(equal, generates);
        const u32 generate = __ballot_sync(ALL_LANES, generates != 0);
        const u32 propagate = __ballot_sync(ALL_LANES, propagates);
        WarpInput input{0, above};
        if (blockDim.x > WARP) {
            const u32 own = warp_flags(equal, generate, propagate);
            if (lane_index() == WARP - 1) {
                flags[threadIdx.x / WARP] = static_cast<u8>(own);
            }
            __syncthreads();
            input = warp_input(lane_index() < blockDim.x / WARP ? flags[lane_index()] : 0, above);
        }
        complete(equal, carries(generate, propagate, input.carry) >> lane_index() & 1, input.above);
    }
};

// The shared memory of a block, in bytes.
constexpr u32 scan_shared_bytes(u32 words, u32 codes, u32 bands) {
    return bands * codes * WARP * words * sizeof(u32) + sizeof(ScanNotes);
}

// Advances by 32 symbols, whose codes the lanes of each warp have. Returns the differences below the block's last row,
// the first in the highest bit; valid in its last warp only.
template <int WORDS>
__device__ __forceinline__ BandDeltas scan_chunk(ScanThread<WORDS>& thread, const u32* table, u32 code, BandDeltas above,
                                                 ScanNotes& notes) {
    const char* own = reinterpret_cast<const char*>(table + lane_index() * WORDS);
    for (u32 at = 0; at < WARP; ++at) {
        u32 equal[WORDS];
        load_equal(equal, own + __shfl_sync(ALL_LANES, code, at) * (WARP * WORDS * sizeof(u32)));
        thread.step(equal, above, notes.flags[at % 2]);
        if (threadIdx.x + 1 == blockDim.x) {
            notes.below[at] = thread.lane.last;
        }
        above.plus <<= 1;
        above.minus <<= 1;
    }
    __syncwarp();
    const BandDeltas below = threadIdx.x / WARP + 1 == blockDim.x / WARP ? notes.below[lane_index()] : BandDeltas{0, 0};
    __syncwarp();
    return {__brev(__ballot_sync(ALL_LANES, below.plus >> 31)), __brev(__ballot_sync(ALL_LANES, below.minus >> 31))};
}

// Searches a segment. Each warp has a band; bands that follow in another launch get the differences below the last one.
template <int WORDS>
__device__ __forceinline__ void scan_segment(const WordArguments& args) {
    DYNAMIC_SHARED(shared);
    u32* tables = reinterpret_cast<u32*>(shared);
    const u32 table_words = args.code_count * WARP * WORDS;
    const u64 first_table = static_cast<u64>(blockIdx.y) * args.bands + args.first_band;
    for (u32 at = threadIdx.x; at < args.bands_of_block * table_words; at += blockDim.x) {
        tables[at] = args.equal[first_table * table_words + at];
    }
    ScanNotes& notes = *reinterpret_cast<ScanNotes*>(tables + args.bands_of_block * table_words);
    __syncthreads();
    const WordPattern& pattern = args.patterns[blockIdx.y];
    const u32 warp = threadIdx.x / WARP;
    const u32 chunks = (args.warm_up + args.segment_symbols) / WARP;
    BandDeltas* along = reinterpret_cast<BandDeltas*>(args.deltas) +
                        (static_cast<u64>(blockIdx.y) * args.segments + blockIdx.x) * chunks;
    const bool is_last_launch = args.first_band + args.bands_of_block == args.bands;
    ScanThread<WORDS> thread;
    reset(thread.lane, args.bands * WARP * WORDS * 32 - pattern.rows, args.first_band + warp);
    u32 distance = pattern.rows;
    for (u32 chunk = chunks_before_text(args, blockIdx.x); chunk < chunks; ++chunk) {
        const long long first = static_cast<long long>(blockIdx.x) * args.segment_symbols - args.warm_up +
                                static_cast<long long>(chunk) * WARP;
        const long long symbol = first + lane_index();
        const u32 code = symbol >= 0 && symbol < args.symbols ? args.codes[symbol] : 0;
        const BandDeltas above = args.first_band > 0 && warp == 0 ? along[chunk] : BandDeltas{0, 0};
        const BandDeltas below = scan_chunk(thread, tables + warp * table_words, code, above, notes);
        if (warp + 1 == args.bands_of_block) {
            if (is_last_launch) {
                distance = take_hits(args, pattern, distance, below, first, blockIdx.x);
            } else if (lane_index() == 0) {
                along[chunk] = below;
            }
        }
    }
}

#ifdef NIGH_WORDS
extern "C" __global__ void __launch_bounds__(MAX_THREADS) scan(const WordArguments args) {
    scan_segment<NIGH_WORDS>(args);
}
#endif
