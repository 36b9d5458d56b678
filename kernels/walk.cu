// Checkpointed traceback of hits, for patterns of up to 1,024, 2,048 or 4,096 rows: start and edits.
//
// Division of work. A warp traces a hit at a time, in a window of text that ends with it. Lane l has the words l * WORDS to (l
// + 1) * WORDS - 1 of the pattern, 32 rows each, and is one symbol behind lane l - 1, as in word.cu: at step t it is in
// column t - l. The forward pass stores the state of the warp before every 32nd step: a border. The backward pass
// recomputes the 32 steps after a border, in which every word yields two bits per row for the step back from its cell;
// then all lanes follow the same path back through these steps. No step back along an edit leads to a later step t,
// even from one lane to another, so a border may cross the matrix diagonally. Ties: diagonal first, then pattern-only,
// then text-only, from the end.
//
// Symbols of code 0, which no row may match, stand before and after the window: before it nothing changes, and no walk
// sees what comes after it. Rows after the pattern's last do not affect those above them.
//
// Shared memory: 8 KiB * WORDS for the bits of 32 steps, 128 bytes * WORDS per code, 64 bytes. Global memory: per block
// the borders of a hit, 256 bytes * WORDS + 8 per 32 steps; the number of steps is the number of symbols in its window plus the
// number of lanes with rows, less one. Memory traffic: the text of a window twice, its borders twice, edits. Grid: any
// number of blocks of a warp.
//
// For longer patterns the host runs the checkpointed traceback (crates/cpu/src/traceback/checkpoint.rs).
#include "lanes.cuh"
#include "trace.cuh"

// The result, in words of 32 bits: the first symbol of the match, or `end` if the match is empty; the number of edits,
// less than twice the rows; and the edits, two bits each, last to first from the lowest bits of a word on: 0 match, 1
// substitution, 2 pattern only, 3 text only.

// 88 bytes.
struct WalkArguments {
    const u8* codes;      //  0: of the text
    const u32* equal;     //  8: [pattern][code][lane][word], a bit for each row that matches the code
    const u32* rows;      // 16: m of each pattern
    TracedHits hits;      // 24
    u32* alignments;      // 56: [window][`alignment_words`], of each window whose pattern is in the tables
    u32* borders;         // 64: [block][`border_words`], uninitialised
    u32 border_words;     // 72: walk_border_words of the longest window and pattern
    u32 code_count;       // 76
    u32 alignment_words;  // 80: walk_alignment_words of the longest pattern
    u32 unused;           // 84
};

// The number of words of a result.
constexpr u32 walk_alignment_words(u32 rows) {
    return 2 + (rows + 7) / 8;
}

// The number of borders of a window.
__host__ __device__ constexpr u32 walk_borders(u32 words, u32 symbols, u32 rows) {
    return (symbols + (rows - 1) / (words * 32) + WARP - 1) / WARP;
}

// The number of words of the borders of a hit.
constexpr u32 walk_border_words(u32 words, u32 symbols, u32 rows) {
    return walk_borders(words, symbols, rows) * (2 * WARP * words + 2);
}

// The step back from each of 32 rows, as the high and the low bits of edits.
struct __align__(8) Back {
    u32 high;
    u32 low;
};

// The shared memory of a block, in bytes.
constexpr u32 walk_shared_bytes(u32 words, u32 codes) {
    return WARP * WARP * words * sizeof(Back) + codes * WARP * words * sizeof(u32) + 2 * WARP;
}

// The shared memory of a warp.
struct WalkShared {
    Back* back;  // [step][word][lane]
    u32* equal;  // [code][lane][word]
    u8* codes;   // of 64 columns: lane 0's current 32, and the 32 before them
};

template <int WORDS>
struct Walker {
    const WalkArguments& args;
    Window window;
    WalkShared shared;
    u32 borders;   // number of borders
    u32* deltas;   // [border][pv and mv of each word][lane]
    u32* below;    // [border][plus, minus], the difference below each lane's last row, one bit per lane
    u32* edits;
    u32 row;       // rows that are left
    u32 column;    // columns that are left
    u32 count;
    u32 sixteen;   // edits that are not written yet

    // Computes all columns, and stores the borders.
    __device__ __forceinline__ void forward() {
        MyersLane<WORDS> lane;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            lane.pv[word] = ~0u;
            lane.mv[word] = 0;
        }
        lane.last = {0, 0};
        for (u32 border = 0; border < borders; ++border) {
            keep(border, lane);
            stage_codes(border);
            advance<false>(lane);
        }
    }

    // Walks back from border to border, until it leaves the pattern or the window.
    __device__ __forceinline__ void backward() {
        for (u32 border = borders; border > 0 && row > 0 && column > 0; --border) {
            MyersLane<WORDS> lane = kept(border - 1);
            stage_codes(border - 1);
            advance<true>(lane);
            walk((border - 1) * WARP);
        }
        for (; row > 0; --row) {
            push(2);
        }
        if (count % 16 != 0) {
            write();
        }
    }

    __device__ __forceinline__ void keep(u32 border, const MyersLane<WORDS>& lane) const {
        u32* to = deltas + static_cast<u64>(border) * (2 * WARP * WORDS) + lane_index();
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            to[2 * word * WARP] = lane.pv[word];
            to[(2 * word + 1) * WARP] = lane.mv[word];
        }
        const u32 plus = __ballot_sync(ALL_LANES, lane.last.plus >> 31);
        const u32 minus = __ballot_sync(ALL_LANES, lane.last.minus >> 31);
        if (lane_index() == 0) {
            below[2 * border] = plus;
            below[2 * border + 1] = minus;
        }
    }

    __device__ __forceinline__ MyersLane<WORDS> kept(u32 border) const {
        const u32* from = deltas + static_cast<u64>(border) * (2 * WARP * WORDS) + lane_index();
        MyersLane<WORDS> lane;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            lane.pv[word] = from[2 * word * WARP];
            lane.mv[word] = from[(2 * word + 1) * WARP];
        }
        const u32 up = WARP - 1 - lane_index();
        lane.last = {below[2 * border] << up, below[2 * border + 1] << up};
        return lane;
    }

    // Returns the code of a column. Before the window, `at` wraps to a large number.
    __device__ __forceinline__ u8 code(u32 at) const {
        return at < window.end - window.first ? args.codes[window.first + at] : u8{0};
    }

    __device__ __forceinline__ void stage_codes(u32 border) const {
        const u32 first = border * WARP + lane_index();
        __syncwarp();
        shared.codes[lane_index()] = code(first - WARP);
        shared.codes[WARP + lane_index()] = code(first);
        __syncwarp();
    }

    // Advances by 32 steps. KEEPS: stores the bits that the walk needs.
    template <bool KEEPS>
    __device__ __forceinline__ void advance(MyersLane<WORDS>& lane) const {
        const char* own = reinterpret_cast<const char*>(shared.equal + lane_index() * WORDS);
        const u8* codes = shared.codes + WARP - lane_index();
        const BandDeltas top{0, 0};
#pragma unroll 4
        for (u32 at = 0; at < WARP; ++at) {
            u32 equal[WORDS], d0[WORDS];
            load_equal(equal, own + codes[at] * (WARP * WORDS * sizeof(u32)));
            const u32 plus = __shfl_up_sync(ALL_LANES, lane.last.plus, 1);
            const u32 minus = __shfl_up_sync(ALL_LANES, lane.last.minus, 1);
            const BandDeltas above = lane_index() == 0 ? top : BandDeltas{plus, minus};
            const Below<WORDS> deltas_below = step_rows(lane, equal, above.minus >> 31, d0);
            step_columns(lane, deltas_below, above, d0);
            if constexpr (KEEPS) {
                keep_back(at, lane, equal, d0);
            }
        }
        __syncwarp();
    }

    __device__ __forceinline__ void keep_back(u32 at, const MyersLane<WORDS>& lane, const u32 (&equal)[WORDS],
                                              const u32 (&d0)[WORDS]) const {
#pragma unroll
        for (int word = 0; word < WORDS; ++word) {
            const u32 beside = d0[word] & ~equal[word];
            const u32 low = (beside & ~lane.pv[word]) | ~(beside | equal[word]);
            shared.back[(at * WORDS + word) * WARP + lane_index()] = {beside, low};
        }
    }

    // Walks through the 32 steps from `first` on.
    __device__ __forceinline__ void walk(u32 first) {
        while (row > 0 && column > 0) {
            const u32 word = (row - 1) / 32, bit = (row - 1) % 32;
            const u32 step = column - 1 + word / WORDS;
            if (step < first) {
                return;
            }
            const Back back = shared.back[((step - first) * WORDS + word % WORDS) * WARP + word / WORDS];
            const u32 edit = (back.high >> bit & 1) << 1 | (back.low >> bit & 1);
            row -= edit != 3 ? 1 : 0;
            column -= edit != 2 ? 1 : 0;
            push(edit);
        }
    }

    // Adds an edit in front of those so far.
    __device__ __forceinline__ void push(u32 edit) {
        sixteen |= edit << count % 16 * 2;
        ++count;
        if (count % 16 == 0) {
            write();
        }
    }

    __device__ __forceinline__ void write() {
        if (lane_index() == 0) {
            edits[(count - 1) / 16] = sixteen;
        }
        sixteen = 0;
    }
};

// Returns the warp's shared memory, after loading the words of the pattern.
template <int WORDS>
__device__ __forceinline__ WalkShared stage_pattern(const WalkArguments& args, u32 pattern) {
    DYNAMIC_SHARED(memory);
    WalkShared shared;
    shared.back = reinterpret_cast<Back*>(memory);
    shared.equal = reinterpret_cast<u32*>(shared.back + WARP * WARP * WORDS);
    const u32 words = args.code_count * WARP * WORDS;
    shared.codes = reinterpret_cast<u8*>(shared.equal + words);
    const u32* equal = args.equal + static_cast<u64>(pattern) * words;
    for (u32 at = lane_index(); at < words; at += WARP) {
        shared.equal[at] = equal[at];
    }
    return shared;
}

template <int WORDS>
__device__ __forceinline__ void walk_hit(const WalkArguments& args, u32 index) {
    const Window window = args.hits.windows[index];
    const u32 pattern = args.hits.places[window.pattern];
    if (pattern == NOT_TRACED) {
        return;
    }
    const u32 rows = args.rows[pattern];
    const u32 symbols = window.end - window.first;
    const u32 borders = walk_borders(WORDS, symbols, rows);
    u32* alignment = args.alignments + static_cast<u64>(index) * args.alignment_words;
    u32* deltas = args.borders + static_cast<u64>(blockIdx.x) * args.border_words;
    u32* below = deltas + static_cast<u64>(borders) * (2 * WARP * WORDS);
    const WalkShared shared = stage_pattern<WORDS>(args, pattern);
    Walker<WORDS> walker{args, window, shared, borders, deltas, below, alignment + 2, rows, symbols, 0, 0};
    walker.forward();
    walker.backward();
    if (lane_index() == 0) {
        alignment[0] = window.first + walker.column;
        alignment[1] = walker.count;
    }
}

template <int WORDS>
__device__ __forceinline__ void walk_hits(const WalkArguments& args) {
    const u32 count = hits_to_trace(args.hits);
    for (u32 index = blockIdx.x; index < count; index += gridDim.x) {
        walk_hit<WORDS>(args, index);
        // The next hit uses the same shared memory.
        __syncwarp();
    }
}

#ifdef NIGH_WORDS
extern "C" __global__ void __launch_bounds__(WARP) walk(const WalkArguments args) {
    walk_hits<NIGH_WORDS>(args);
}
#endif
