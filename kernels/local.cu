// Smith-Waterman scores of a query with many targets, with affine gaps.
//
// Division of work. A group of `lanes` lanes of a warp compares a strip of ROWS * lanes rows of the query with a
// target, or with two targets at once if a score has 16 bits. Lane l has the rows l * ROWS to (l + 1) * ROWS - 1 in
// registers and is one column behind lane l - 1, which passes it the scores below its last row. A warp takes the next
// targets that no warp has, until none is left; the host orders targets by falling length, so that the targets of a
// warp have similar lengths and the longest start first. A query with more rows than a strip takes one launch for each
// strip, and a border in memory between them.
//
// In each cell, H is the score, E is the score with a gap in the query that continues in the next column, and F is the
// score with a gap in the target that continues in the next row:
//
//   H = max(zero, H[up, left] + score, E, F),  E = max(E - extend, H - open - extend),  F alike.
//
// With 16 bits, two cells take five operations and the selection of a byte. The scores are above zero by open + extend,
// so that no operation on the lower half of a word borrows from the upper one. A score that may have exceeded 16 bits
// is reported as LOCAL_OVERFLOW, and the host computes it with 32 bits. The 32-bit kernel finds the end of the best
// alignment too: the smallest column with the best score, and there the smallest row.
//
// Shared memory: the scores of a strip, ROWS * lanes bytes for each code, and a ring of codes for each group. Memory
// traffic: the codes of each target, once for each strip; with several strips 8 bytes for each column and border,
// written once and read once. Grid: any number of blocks of up to 128 threads.
//
// Papers: T. F. Smith, M. S. Waterman, 1981; O. Gotoh, 1982; a group of lanes for a target: B. Schmidt et al.,
// "CUDASW++4.0", 2024.
#include "scores.cuh"

// A target: its codes are `codes[first]` to `codes[first + length - 1]`. 8 bytes.
struct LocalTarget {
    u32 first;
    u32 length;
};

// The score that the 16-bit kernel reports for a target whose score may not fit.
[[maybe_unused]] constexpr i32 LOCAL_OVERFLOW = -1;

// H and F below a row, 8 bytes; with 16 bits, those of two targets.
struct __align__(8) LocalBorder {
    u32 score;
    u32 gap;
};

// 80 bytes.
struct LocalArguments {
    const u8* codes;             //  0: of the targets
    const LocalTarget* targets;  //  8: in order of falling length
    const u8* profile;           // 16: scores of the strip, a signed byte each: [code][row % ROWS / 16][lane][row % 16]
    LocalBorder* borders;        // 24: for each column of the first target of a group, at the index of its code; null if
                                 //     there is one strip
    BestCell* scores;            // 32: of each target; for the first strip all 0. The 16-bit kernel sets scores only
    u32* next;                   // 40: the number of targets that warps have taken; 0 before the launch
    u32 target_count;            // 48
    u32 lanes;                   // 52: of a group: 1, 2, 4, 8, 16 or 32
    u32 code_count;              // 56: with the last code, which no target has, and whose scores are all -128
    u32 first_row;               // 60: of the strip; a multiple of ROWS * lanes
    u32 is_last;                 // 64: 1 if this is the last strip
    i32 open;                    // 68: the cost of a gap of n symbols is open + n * extend
    i32 extend;                  // 72
    i32 max_score;               // 76: the largest score of two symbols; at least 0
};

constexpr u32 LOCAL_RING = 2 * WARP;

// The shared memory of a block, in bytes. A profile has less than 65,536.
constexpr u32 local_shared_bytes(u32 rows, u32 lanes, u32 codes, u32 threads) {
    const u32 groups = threads / lanes;
    return rows * lanes * codes + groups * (LOCAL_RING + lanes) * sizeof(u32);
}

// The best scores that a lane has seen, of two targets.
struct BestHalves {
    u32 score;

    template <int ROWS>
    __device__ __forceinline__ void update(const u32 (&column)[ROWS], u32, u32) {
#pragma unroll
        for (int row = 0; row < ROWS; row += 2) {
            score = HalfScores::max3(score, column[row], column[row + 1]);
        }
    }
};

template <typename Cell>
struct BestOf;
template <>
struct BestOf<HalfScores> {
    using Type = BestHalves;
};
template <>
struct BestOf<WordScores> {
    using Type = BestCell;
};

// The shared memory of a group.
struct LocalShared {
    const char* profile;  // of this lane
    u32* ring;            // of columns modulo LOCAL_RING: the offset of each target's code in the profile, 16 bits each
};

// A lane, while its group compares a strip with the current targets.
template <typename Cell, int ROWS>
struct LocalLane {
    using Scores = typename Cell::Scores;

    const LocalArguments& args;
    LocalShared shared;
    u32 place;                // of the lane in its group
    u32 first_target;         // of the group; there may be none
    LocalTarget targets[2];   // of length 0 if there is none
    Scores zero, open, extend;
    Scores h[ROWS], e[ROWS];
    Scores above;             // H above the first row, in the column before
    Scores last_h, last_f;    // below the last row
    typename BestOf<Cell>::Type best;

    __device__ __forceinline__ void start() {
        const i32 lifted = Cell::TARGETS == 2 ? args.open + args.extend : 0;
        zero = Cell::of(lifted);
        open = Cell::of(args.open + args.extend);
        extend = Cell::of(-args.extend);
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            h[row] = zero;
            e[row] = Cell::subtract(zero, open);
        }
        above = last_h = zero;
        last_f = Cell::subtract(zero, open);
        best.score = zero;
        for (u32 at = place; at < LOCAL_RING; at += args.lanes) {
            shared.ring[at] = pad();
        }
    }

    // The entry of the ring for a column after the targets.
    __device__ __forceinline__ u32 pad() const { return (args.code_count - 1) * stride() * 0x10001u; }

    // The bytes of the profile for a code.
    __device__ __forceinline__ u32 stride() const { return ROWS * args.lanes; }

    __device__ __forceinline__ u32 code(const LocalTarget& target, u32 column) const {
        return column < target.length ? args.codes[target.first + column] : args.code_count - 1;
    }

    // Fills the ring for 32 columns from `first` on.
    __device__ __forceinline__ void stage(u32 first) const {
        __syncwarp();
        for (u32 at = place; at < WARP; at += args.lanes) {
            u32 entry = code(targets[0], first + at) * stride();
            if (Cell::TARGETS == 2) {
                entry |= code(targets[1], first + at) * stride() << 16;
            }
            shared.ring[(first + at) % LOCAL_RING] = entry;
        }
        __syncwarp();
    }

    // Compares the strip with `columns` columns of the targets, of which this group may have fewer.
    __device__ __forceinline__ void run(u32 columns) {
        const u32 steps = columns + args.lanes - 1;
        LocalBorder ahead = border_of(0);
        for (u32 first = 0; first < steps; first += WARP) {
            stage(first);
            const u32 until = min(first + WARP, steps);
#pragma unroll 1
            for (u32 at = first; at < until; ++at) {
                const Scores shifted_h = __shfl_up_sync(ALL_LANES, last_h, 1);
                const Scores shifted_f = __shfl_up_sync(ALL_LANES, last_f, 1);
                const bool is_first = place == 0;
                step(at - place, is_first ? static_cast<Scores>(ahead.score) : shifted_h,
                     is_first ? static_cast<Scores>(ahead.gap) : shifted_f);
                ahead = border_of(at + 1);
                keep_border(at - place);
            }
        }
    }

    // Returns the border above the strip in a column.
    __device__ __forceinline__ LocalBorder border_of(u32 column) const {
        if (args.first_row > 0 && place == 0 && column < targets[0].length) {
            return args.borders[targets[0].first + column];
        }
        return {static_cast<u32>(zero), static_cast<u32>(Cell::subtract(zero, open))};
    }

    // Before the first column, `column` wraps to a large number.
    __device__ __forceinline__ void keep_border(u32 column) const {
        if (args.is_last == 0 && place == args.lanes - 1 && column < targets[0].length) {
            args.borders[targets[0].first + column] = {static_cast<u32>(last_h), static_cast<u32>(last_f)};
        }
    }

    // Computes a column of this lane, given the scores above it.
    __device__ __forceinline__ void step(u32 column, Scores above_h, Scores above_f) {
        const u32 entry = shared.ring[column % LOCAL_RING];
        const char* first = shared.profile + (entry & 0xffff);
        const char* second = shared.profile + (entry >> 16);
        Scores diagonal = above, f = above_f;
        above = above_h;
#pragma unroll
        for (int chunk = 0; chunk < ROWS / 16; ++chunk) {
            const u32 offset = chunk * args.lanes * 16;
            const uint4 a = *reinterpret_cast<const uint4*>(first + offset);
            const uint4 b = Cell::TARGETS == 2 ? *reinterpret_cast<const uint4*>(second + offset) : a;
            const u32 of_first[4] = {a.x, a.y, a.z, a.w}, of_second[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int at = 0; at < 16; ++at) {
                const int row = chunk * 16 + at;
                const Scores score = Cell::pick(of_first[at / 4], of_second[at / 4], at % 4);
                const Scores ended = Cell::add_max(diagonal, score, e[row]);
                diagonal = h[row];
                h[row] = Cell::max3(ended, f, zero);
                const Scores opened = Cell::subtract(h[row], open);
                e[row] = Cell::add_max(e[row], extend, opened);
                f = Cell::add_max(f, extend, opened);
            }
        }
        last_h = h[ROWS - 1];
        last_f = f;
        best.update(h, args.first_row + place * ROWS, column + 1);
    }
};

// Writes the best score of each target of the group. The first lane knows it.
template <int ROWS>
__device__ __forceinline__ void finish(LocalLane<HalfScores, ROWS>& lane) {
    const LocalArguments& args = lane.args;
    u32 best = lane.best.score;
    for (u32 apart = args.lanes / 2; apart > 0; apart /= 2) {
        const u32 other = __shfl_xor_sync(ALL_LANES, best, apart);
        best = HalfScores::max3(best, other, other);
    }
    for (u32 which = 0; lane.place == 0 && which < 2; ++which) {
        const u32 target = lane.first_target + which;
        if (target < args.target_count) {
            const i32 score = static_cast<short>(best >> which * 16);
            const i32 before = args.scores[target].score;
            const bool overflows = score > 0x7fff - args.max_score || before == LOCAL_OVERFLOW;
            const i32 above_zero = score - (args.open + args.extend);
            args.scores[target].score = overflows ? LOCAL_OVERFLOW : above_zero > before ? above_zero : before;
        }
    }
}

template <int ROWS>
__device__ __forceinline__ void finish(LocalLane<WordScores, ROWS>& lane) {
    const LocalArguments& args = lane.args;
    const BestCell best = lane.best.of_group(args.lanes);
    if (lane.place == 0 && lane.first_target < args.target_count) {
        BestCell& kept = args.scores[lane.first_target];
        kept = kept.is_worse(best) ? best : kept;
    }
}

// Copies the profile to shared memory. Returns the part of this lane.
template <int ROWS>
__device__ __forceinline__ LocalShared stage_profile(const LocalArguments& args) {
    DYNAMIC_SHARED(memory);
    const u32 chunks = ROWS / 16 * args.lanes * args.code_count;
    for (u32 at = threadIdx.x; at < chunks; at += blockDim.x) {
        memory[at] = reinterpret_cast<const uint4*>(args.profile)[at];
    }
    __syncthreads();
    u32* rings = reinterpret_cast<u32*>(memory + chunks);
    const u32 group = threadIdx.x / args.lanes;
    return {reinterpret_cast<const char*>(memory) + threadIdx.x % args.lanes * 16,
            rings + group * (LOCAL_RING + args.lanes)};
}

template <typename Cell, int ROWS>
__device__ __forceinline__ void search_targets(const LocalArguments& args) {
    const LocalShared shared = stage_profile<ROWS>(args);
    const u32 targets_of_warp = WARP / args.lanes * Cell::TARGETS;
    for (;;) {
        u32 first = lane_index() == 0 ? atomicAdd(args.next, targets_of_warp) : 0;
        first = __shfl_sync(ALL_LANES, first, 0);
        if (first >= args.target_count) {
            return;
        }
        const u32 own = first + lane_index() / args.lanes * Cell::TARGETS;
        LocalLane<Cell, ROWS> lane{args, shared, lane_index() % args.lanes, own, {}, 0, 0, 0, {}, {}, 0, 0, 0, {}};
        for (u32 which = 0; which < Cell::TARGETS && own + which < args.target_count; ++which) {
            lane.targets[which] = args.targets[own + which];
        }
        lane.start();
        lane.run(args.targets[first].length);
        finish(lane);
    }
}

// Threads of a block, and blocks that a multiprocessor should hold.
constexpr u32 LOCAL_THREADS = 128;
constexpr u32 local_blocks(u32 rows) {
    return rows <= 16 ? 6 : rows <= 32 ? 4 : 3;
}

#ifdef NIGH_HALF_ROWS
constexpr u32 HALF_BLOCKS = local_blocks(NIGH_HALF_ROWS);

extern "C" __global__ void __launch_bounds__(LOCAL_THREADS, HALF_BLOCKS) local_halves(const LocalArguments args) {
    search_targets<HalfScores, NIGH_HALF_ROWS>(args);
}
#endif

#ifdef NIGH_WORD_ROWS
extern "C" __global__ void __launch_bounds__(LOCAL_THREADS) local_words(const LocalArguments args) {
    search_targets<WordScores, NIGH_WORD_ROWS>(args);
}
#endif
