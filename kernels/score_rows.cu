// Global alignment of pairs with affine gaps, by a maximum scan along each row of the matrix.
//
// Division of work. A block aligns a pair, row by row. A thread has 8 columns in registers: the scores H of the row
// before, and F with a gap in the target. With T = max(H[up, left] + score, F), a gap in the query ends in column j
// with
//
//   E[j] = max over k < j of (T[k] - open - (j - k) extend) = max over k < j of (T[k] + k extend) - open - j extend,
//
// so a maximum scan of T[k] + k extend gives all E of a row at once: in each thread, over the lanes of a warp by
// shuffles, and over the warps of the block through shared memory, with one barrier for each row. H = max(T, E). Linear
// gaps are those with open = 0. With four bits for the step back from each cell, the first warp walks back through
// them.
//
// Shared memory: 2,816 bytes. Memory traffic: a byte for each cell of scores, which stay in the cache, and if the steps
// are kept half a byte for each cell. Grid: x pairs, blocks of up to 1,024 threads, at least one for each 8 columns of
// the longest target.
//
// Papers: S. B. Needleman, C. D. Wunsch, 1970; O. Gotoh, 1982; the scan: S. Aluru, N. Futamura, K. Mehrotra, 2003; on a
// GPU: Dicker et al.
#include "scores.cuh"

constexpr u32 THREAD_COLUMNS = 8;
constexpr u32 MAX_ROWS_WARPS = 32;
// The part of the steps that the walk has in shared memory: its number of rows, and of words of 8 columns.
constexpr u32 PATCH_ROWS = 64, PATCH_WORDS = 8;

// A pair, 32 bytes.
struct RowsPair {
    u64 profile;  //  0: offset of the scores of the target, a signed byte each: [query code][column], with columns
                  //     rounded up to a multiple of 8
    u64 steps;    //  8: offset of its steps in words: [row][column / 8]
    u32 query;    // 16: offset of the codes of the query
    u32 rows;     // 20: of the query; at least 1
    u32 columns;  // 24: of the target; at least 1
    u32 unused;   // 28
};

// 64 bytes.
struct RowsArguments {
    const u8* codes;        //  0: of the queries
    const u8* profiles;     //  8
    const RowsPair* pairs;  // 16
    u32* steps;             // 24: uninitialised; null if only scores are wanted
    i32* scores;            // 32: of each pair
    u32* results;           // 40: [pair][`result_words`]: the number of edits and the edits
    u32 result_words;       // 48: rows_result_words of the longest pair
    i32 open;               // 52: the cost of a gap of n symbols is open + n * extend
    i32 extend;             // 56
    u32 keeps;              // 60: 1 if steps and results are written
};

// The number of words of a result.
constexpr u32 rows_result_words(u32 rows, u32 columns) {
    return 1 + (rows + columns + 15) / 16;
}

// The maxima of T[k] + k extend that a warp passes on to the next ones, of two rows.
struct RowsShared {
    i32 total[2][MAX_ROWS_WARPS];   // of all columns of a warp
    i32 before[2][MAX_ROWS_WARPS];  // of all columns but the last
    i32 last[2][MAX_ROWS_WARPS];    // of the last column
    u32 patch[PATCH_ROWS * PATCH_WORDS];
};

constexpr u32 rows_shared_bytes() {
    return sizeof(RowsShared);
}

// The values of a row before the columns of a thread, for the scan.
struct RowsBefore {
    i32 scan;        // the maximum of T[k] + k extend
    i32 last_score;  // H in the last column of the warp before
};

struct RowsThread {
    const RowsArguments& args;
    RowsPair pair;
    RowsShared& shared;
    u32 first;                // the column of the first score, from 1
    i32 h[THREAD_COLUMNS];    // of the row before
    i32 f[THREAD_COLUMNS];    // of the current row
    i32 corner;               // H of the row before, in the last column of the warp before

    __device__ __forceinline__ i32 edge(u32 distance) const {
        return distance == 0 ? 0 : -args.open - args.extend * static_cast<i32>(distance);
    }

    __device__ __forceinline__ u32 warp() const { return threadIdx.x / WARP; }

    __device__ __forceinline__ bool has_columns() const { return first <= pair.columns; }

    __device__ __forceinline__ u32 words() const { return (pair.columns + THREAD_COLUMNS - 1) / THREAD_COLUMNS; }

    // The scores of this thread's columns with a symbol of the query.
    __device__ __forceinline__ uint2 scores_of(u32 row) const {
        if (row > pair.rows || !has_columns()) {
            return uint2{0, 0};
        }
        const u64 at = static_cast<u64>(args.codes[pair.query + row - 1]) * words() + threadIdx.x;
        return reinterpret_cast<const uint2*>(args.profiles + pair.profile)[at];
    }

    __device__ __forceinline__ void run() {
#pragma unroll
        for (u32 at = 0; at < THREAD_COLUMNS; ++at) {
            h[at] = edge(first + at);
            f[at] = h[at] - args.open - args.extend;
        }
        corner = edge(first - 1);
        uint2 scores = scores_of(1);
        for (u32 row = 1; row <= pair.rows; ++row) {
            const uint2 next = scores_of(row + 1);
            step(row, scores);
            scores = next;
        }
        write_score();
    }

    // Computes a row.
    __device__ __forceinline__ void step(u32 row, uint2 packed) {
        const u32 scores[2] = {packed.x, packed.y};
        const i32 shifted = __shfl_up_sync(ALL_LANES, h[THREAD_COLUMNS - 1], 1);
        i32 left = lane_index() == 0 ? corner : shifted;
        i32 substituted[THREAD_COLUMNS], best[THREAD_COLUMNS];
        i32 all = 0, but_last = 0;
#pragma unroll
        for (u32 at = 0; at < THREAD_COLUMNS; ++at) {
            substituted[at] = left + WordScores::pick(scores[at / 4], 0, at % 4);
            left = h[at];
            best[at] = WordScores::max3(substituted[at], f[at], f[at]);
            but_last = all;
            all = at == 0 ? lifted(best, at) : WordScores::max3(all, lifted(best, at), all);
        }
        RowsBefore before = scan(row, all, but_last, lifted(best, THREAD_COLUMNS - 1));
        corner = before.last_score;
        u32 word = 0;
#pragma unroll
        for (u32 at = 0; at < THREAD_COLUMNS; ++at) {
            const i32 beside = before.scan - args.open - args.extend * static_cast<i32>(first + at);
            h[at] = WordScores::max3(best[at], beside, beside);
            const bool opens_beside = lifted(best, at) >= before.scan;
            before.scan = WordScores::max3(before.scan, lifted(best, at), before.scan);
            const i32 opened = h[at] - args.open - args.extend, longer = f[at] - args.extend;
            const u32 kind = h[at] == substituted[at] ? STEP_DIAGONAL : h[at] == f[at] ? STEP_QUERY : STEP_TARGET;
            word |= (kind | (opened >= longer ? OPENS_BELOW : 0) | (opens_beside ? OPENS_BESIDE : 0)) << at * 4;
            f[at] = WordScores::max3(opened, longer, longer);
        }
        if (args.keeps != 0 && has_columns()) {
            args.steps[pair.steps + static_cast<u64>(row - 1) * words() + threadIdx.x] = word;
        }
    }

    // Returns T[k] + k extend.
    __device__ __forceinline__ i32 lifted(const i32 (&best)[THREAD_COLUMNS], u32 at) const {
        return best[at] + args.extend * static_cast<i32>(first + at);
    }

    // Scans the maxima of all threads: `all` of a thread's columns, `but_last` of all columns but the last, and `last`
    // of the last one.
    __device__ __forceinline__ RowsBefore scan(u32 row, i32 all, i32 but_last, i32 last) const {
        i32 until = all;
#pragma unroll
        for (u32 apart = 1; apart < WARP; apart *= 2) {
            const i32 lower = __shfl_up_sync(ALL_LANES, until, apart);
            until = lane_index() >= apart && lower > until ? lower : until;
        }
        const i32 lanes_before = __shfl_up_sync(ALL_LANES, until, 1);
        const u32 parity = row % 2;
        if (lane_index() == WARP - 1) {
            shared.total[parity][warp()] = until;
            shared.before[parity][warp()] = lanes_before > but_last ? lanes_before : but_last;
            shared.last[parity][warp()] = last;
        }
        __syncthreads();
        return combine(row, lane_index() == 0 ? edge(row) : lanes_before);
    }

    // Combines the maximum of the lanes before with those of the warps before this one.
    __device__ __forceinline__ RowsBefore combine(u32 row, i32 lanes_before) const {
        const u32 parity = row % 2;
        if (warp() == 0) {
            return {lanes_before > edge(row) ? lanes_before : edge(row), edge(row)};
        }
        i32 scan = edge(row);
        for (u32 at = 0; at + 1 < warp(); ++at) {
            scan = shared.total[parity][at] > scan ? shared.total[parity][at] : scan;
        }
        // H in the last column of the warp before, from the columns before it and from T there.
        const i32 column = static_cast<i32>(warp() * WARP * THREAD_COLUMNS);
        const i32 before = shared.before[parity][warp() - 1] > scan ? shared.before[parity][warp() - 1] : scan;
        const i32 best = shared.last[parity][warp() - 1] - args.extend * column;
        const i32 beside = before - args.open - args.extend * column;
        const i32 total = shared.total[parity][warp() - 1];
        return {WordScores::max3(scan, total, lane_index() == 0 ? total : lanes_before), best > beside ? best : beside};
    }

    __device__ __forceinline__ void write_score() const {
#pragma unroll
        for (u32 at = 0; at < THREAD_COLUMNS; ++at) {
            if (first + at == pair.columns) {
                args.scores[blockIdx.x] = h[at];
            }
        }
    }

    // Copies the steps above and before a cell to shared memory.
    __device__ __forceinline__ void load_patch(u32 last_row, u32 last_word) const {
        const u32* steps = args.steps + pair.steps;
        __syncwarp();
        for (u32 at = threadIdx.x; at < PATCH_ROWS * PATCH_WORDS; at += WARP) {
            const u32 up = at / PATCH_WORDS, aside = at % PATCH_WORDS;
            if (up <= last_row && aside <= last_word) {
                shared.patch[at] = steps[static_cast<u64>(last_row - up) * words() + last_word - aside];
            }
        }
        __syncwarp();
    }

    // Walks back from the last cell.
    __device__ __forceinline__ void walk() const {
        u32* result = args.results + static_cast<u64>(blockIdx.x) * args.result_words;
        ScoreWalk walk{{result + 1, 0, 0}, pair.rows, pair.columns, 0, false};
        while (!walk.is_done()) {
            const u32 last_row = walk.row - 1, last_word = (walk.column - 1) / THREAD_COLUMNS;
            load_patch(last_row, last_word);
            while (!walk.is_done()) {
                const u32 up = last_row - (walk.row - 1), aside = last_word - (walk.column - 1) / THREAD_COLUMNS;
                if (up >= PATCH_ROWS || aside >= PATCH_WORDS) {
                    break;
                }
                walk.follow(shared.patch[up * PATCH_WORDS + aside] >> (walk.column - 1) % THREAD_COLUMNS * 4 & 15);
            }
        }
        walk.edits.push_all(walk.row, STEP_QUERY + 1);
        walk.edits.push_all(walk.column, STEP_TARGET + 1);
        walk.edits.finish();
        if (threadIdx.x == 0) {
            result[0] = walk.edits.count;
        }
    }
};

__device__ __forceinline__ void align_pair(const RowsArguments& args) {
    DYNAMIC_SHARED(memory);
    RowsShared& shared = *reinterpret_cast<RowsShared*>(memory);
    RowsThread thread{args, args.pairs[blockIdx.x], shared, threadIdx.x * THREAD_COLUMNS + 1, {}, {}, 0};
    thread.run();
    __syncthreads();
    if (args.keeps != 0 && threadIdx.x < WARP) {
        thread.walk();
    }
}

extern "C" __global__ void __launch_bounds__(1024) align_rows(const RowsArguments args) {
    align_pair(args);
}
