// Bit-sliced Myers: each bit of a word is one stream of text, and a cell of the matrix takes four logic operations
// (sliced.cuh).
//
// Division of work. A thread walks 32 streams, one word, through the text. Symbol i of the text is step i % steps of
// stream i / steps, and stream s is bit s % 32 of word s / 32. A block searches a group of one, two or four patterns in
// a tile of words: warp w takes pattern w % patterns_in_group in the 32 words of the tile from w / patterns_in_group *
// 32 on; the tile has blockDim.x / patterns_in_group words. Grid: x tiles, y groups. A block may have up to 128
// threads, in a number of whole warps that patterns_in_group divides. Every pattern of a launch has at most NIGH_ROWS
// rows and at least NIGH_ROWS - SKIPPED.
//
// Storage. Registers hold the vertical differences of all rows, and eight steps of the horizontal differences, which
// pass from row to row; so each row is touched once per eight steps. The equality masks of the symbol sets for those
// steps are in shared memory, [slot][half][lane] as four steps each: 1 KiB per slot. The patterns of a group have the
// same slots: `until`, `codes`, `unions` and `members` are equal. Their warps fill the slots together, in one of two
// buffers while the other may still be read. Below the last row a bit-sliced counter starts at m - (k + 1) and adds up
// the horizontal differences, so its sign is the mask of hits.
//
// Memory traffic. The planes, [step / 4][plane][word] as four steps, are read once per group: 32 bytes per plane and
// 256 symbols, beside 32 operations per row and pattern. Hits take 12 bytes, with one atomic per warp and eight steps.
//
// A stream warms up on the last m + k symbols of the stream before it, so it must have as many. Symbols of code 0
// precede the first stream. A block reports the hits that end in its own streams, as symbol indices of the text.
//
// bands.cu and word.cu search for patterns of more than 64 rows.
#include "sliced.cuh"

constexpr u32 MAX_ROWS = 64;

// A pattern, 688 bytes.
struct __align__(16) SlicedPattern {
    u32 id;               //  0: reported with its hits
    u32 rows;             //   4: m
    u32 k;                //   8: less than m
    u32 unions;           //  12: number of unions of codes
    u32 until[8];         //  16: [low]: number of slots with a code whose lowest three bits are at most `low`
    u8 codes[64];         //  48: the code of each slot, by their lowest three bits
    u8 slots[MAX_ROWS];  // 112: the slot of each row; those of unions follow those of codes
    u64 members[64];      // 176: for each union the slots of its codes, a bit each
};

// 120 bytes.
struct SlicedArguments {
    const uint4* planes;            //  0
    const SlicedPattern* patterns;  //  8
    HitBuffer buffer;               // 16
    u32 symbols;                    // 40: of the text
    u32 words;                      // 44: of each step and plane; a multiple of those of a tile
    u32 steps;                      // 48: of each stream, a multiple of 32
    u32 plane_count;                // 52: 2 to 6
    u32 pattern_count;              // 56
    u32 patterns_in_group;          // 60: 1, 2 or 4
    u32 first_tile;                 // 64: the tile of the first block
    u32 unused;                     // 68
    const u32* order;               // 72: the groups to search, one for each y; null to search all in order
    FirstHitFilter filter;              // 80
};

// The shared memory of a block per pattern, without the slots.
template <int ROWS>
struct __align__(16) Staged {
    SlicedPattern pattern;
    // For each row, the byte offset of its slot. Rows are aligned to the end if the pattern has fewer than ROWS.
    u32 offsets[ROWS];
    // The number of passes before the text, for all patterns of the group.
    int warm_up;
    // The distance in bytes between the two slot buffers, or zero.
    int next_slots;
    // The values of the lowest three bits of codes for which the warp fills slots, as a mask.
    u32 lows;
    // Whether no pattern is left for the warp, which then only fills its share of the slots.
    u32 is_idle;
};

// The shared memory of a block, in bytes.
template <int ROWS>
constexpr u32 sliced_shared_bytes(u32 threads, u32 slots, u32 group) {
    return group * sizeof(Staged<ROWS>) + threads / WARP / group * (group > 1 ? 2 : 1) * slots * SLOT;
}

// The largest number of leading rows that may be missing.
template <int ROWS>
constexpr u32 SKIPPED = ROWS > 32 ? 7 : 3;

template <int ROWS>
constexpr int COUNTER_BITS = counter_bits(ROWS);

// The state of a thread between steps.
template <int ROWS>
struct Column {
    // The vertical differences: where they are not zero, and whether those are -1.
    u32 changes[ROWS];
    u32 minus[ROWS];
    // Where the first row was equal at the previous step: its vertical difference is 0 there, and +1 elsewhere.
    u32 before;
    u32 counter[COUNTER_BITS<ROWS>];
};

// Computes eight steps of the first row, above which nothing changes: a cell is 1, or 0 where it is equal.
__device__ __forceinline__ Horizontal first_row(u32& before, const Equal& equal) {
    Horizontal horizontal;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const u32 eq = equal.at[step];
        horizontal.plus[step] = before & ~eq;
        horizontal.changes[step] = before ^ eq;
        before = eq;
    }
    return horizontal;
}

// Computes eight steps of all rows; returns the differences below the last.
template <int ROWS>
__device__ __forceinline__ Horizontal advance(Column<ROWS>& column, const Staged<ROWS>& staged, const char* slots) {
    const u32 skip = ROWS - staged.pattern.rows;
    Horizontal horizontal = first_row(column.before, load_slot(slots + staged.offsets[skip]));
#pragma unroll
    for (int four = 0; four < ROWS; four += 4) {
        const uint4 offsets = *reinterpret_cast<const uint4*>(staged.offsets + four);
        const u32 offset[4] = {offsets.x, offsets.y, offsets.z, offsets.w};
#pragma unroll
        for (int at = 0; at < 4; ++at) {
            const u32 row = four + at;
            if (row > SKIPPED<ROWS> || row > skip) {
                next_row(column.changes[row], column.minus[row], horizontal, load_slot(slots + offset[at]));
            }
        }
    }
    return horizontal;
}

// Sets the column to its state before any text.
template <int ROWS>
__device__ __forceinline__ void reset(Column<ROWS>& column, const SlicedPattern& pattern) {
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        column.changes[row] = ~0u;
        column.minus[row] = 0;
    }
    column.before = 0;
    reset_counter(column.counter, pattern);
}

// Finds the hits of the staged pattern in the streams of one word; `slots` are those of this lane.
template <int ROWS>
__device__ __forceinline__ void scan_pattern(const SlicedArguments& args, const Staged<ROWS>& staged, char* slots,
                                             const Share& share, u32 word) {
    const SlicedPattern& pattern = staged.pattern;
    const SlicedText text{args.planes, args.symbols, args.words, args.steps, args.plane_count};
    Column<ROWS> column;
    reset(column, pattern);
    const int passes = static_cast<int>(args.steps / STEPS);
    for (int pass = -staged.warm_up; pass < passes; ++pass) {
        fill_slots(text, pass, word, pattern, share, staged.lows, slots);
        if (staged.is_idle == 0) {
            const Horizontal horizontal = advance(column, staged, slots);
            const u32 within = count_all(column.counter, horizontal);
            if (__any_sync(ALL_LANES, pass >= 0 && within != 0)) {
                take_hits(text, args.buffer, args.filter, pattern, column.counter, horizontal, word, pass * STEPS);
            }
        }
        // The next pass fills the other buffer, if there are two.
        slots += (pass & 1) == (staged.warm_up & 1) ? staged.next_slots : -staged.next_slots;
    }
}

// Loads a pattern of a group into shared memory, by one warp.
template <int ROWS>
__device__ __forceinline__ void stage(const SlicedArguments& args, u32 own, Staged<ROWS>& staged) {
    const u32 group = args.order == nullptr ? blockIdx.y : args.order[blockIdx.y];
    const u32 first = group * args.patterns_in_group;
    const u32 until = min(first + args.patterns_in_group, args.pattern_count);
    const SlicedPattern& pattern = args.patterns[min(first + own, until - 1)];
    const uint4* from = reinterpret_cast<const uint4*>(&pattern);
    uint4* to = reinterpret_cast<uint4*>(&staged.pattern);
    for (u32 at = lane_index(); at < sizeof(SlicedPattern) / sizeof(uint4); at += WARP) {
        to[at] = from[at];
    }
    const u32 skip = ROWS - pattern.rows;
    for (u32 row = lane_index(); row < ROWS; row += WARP) {
        staged.offsets[row] = row < skip ? 0 : pattern.slots[row - skip] * SLOT;
    }
    u32 reach = 0;
    for (u32 index = first; index < until; ++index) {
        reach = max(reach, args.patterns[index].rows + args.patterns[index].k);
    }
    if (lane_index() == 0) {
        staged.warm_up = static_cast<int>((reach + STEPS - 1) / STEPS);
        staged.next_slots = args.patterns_in_group > 1 ? static_cast<int>((pattern.until[7] + pattern.unions) * SLOT) : 0;
        staged.lows = lows_of(pattern, {own, args.patterns_in_group});
        staged.is_idle = first + own >= until ? 1 : 0;
    }
}

template <int ROWS>
__device__ __forceinline__ void scan_group(const SlicedArguments& args) {
    DYNAMIC_SHARED(shared);
    Staged<ROWS>* const staged = reinterpret_cast<Staged<ROWS>*>(shared);
    const u32 group = args.patterns_in_group;
    const u32 warp = threadIdx.x / WARP;
    if (warp < group) {
        stage(args, warp, staged[warp]);
    }
    __syncthreads();
    const u32 word = (args.first_tile + blockIdx.x) * (blockDim.x / group) + warp / group * WARP + lane_index();
    const u32 bytes = (staged->pattern.until[7] + staged->pattern.unions) * SLOT + staged->next_slots;
    char* const slots = reinterpret_cast<char*>(staged + group) + warp / group * bytes + lane_index() * sizeof(uint4);
    scan_pattern(args, staged[warp % group], slots, {warp % group, group}, word);
}

// Blocks that a multiprocessor should hold at once, given the registers per row. On an H200, four blocks for 20 rows
// are 3 % slower than five; three for 32 rows are as fast as four, for which registers would spill.
template <int ROWS>
constexpr int RESIDENT = ROWS <= 20 ? 5 : ROWS <= 28 ? 4 : ROWS <= 48 ? 3 : 2;

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128, RESIDENT<NIGH_ROWS>) sliced(const SlicedArguments args) {
    scan_group<NIGH_ROWS>(args);
}
#endif
