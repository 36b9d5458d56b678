// Global or local alignment of two long strings with affine gaps, in tiles of 256 rows and 256 columns.
//
// Division of work. A warp computes a tile: lane l has the rows 8 l to 8 l + 7 in registers and is one column behind
// lane l - 1, which passes it the scores below its last row. A launch computes an anti-diagonal of tiles, from the
// borders that the launch before left in global memory: the scores above each column of a tile, and those left of each
// row. With a stride of 0, borders overwrite those of the tile before. With other strides all borders are kept, and
// `trace_tiles` walks back from tile to tile: it recomputes the tiles that the alignment passes, from their borders,
// with four bits for the step back from each cell.
//
// Scores are computed as in local.cu, with 32 bits; for a global alignment, negative scores are not replaced by zero. F
// of the next row does not wait for H: opening a gap from F itself never pays, so max(F - extend, max(H[up, left] +
// score, E) - open - extend) is the same.
//
// Shared memory: 3 KiB, the scores of 256 rows, 256 bytes for each code, and 32 KiB for the steps of a tile. Memory
// traffic for a tile: 4 KiB of borders read and written, 256 bytes for each code. Grid: `tile_blocks` of a diagonal, or
// one block to trace; a block is a warp.
//
// Papers: S. B. Needleman, C. D. Wunsch, 1970; O. Gotoh, 1982; borders of tiles as checkpoints: E. F. de O. Sandes, A.
// C. M. A. de Melo, "CUDAlign 2.0", 2011.
#include "scores.cuh"

constexpr u32 TILE = 256;
constexpr u32 LANE_ROWS = TILE / WARP;
constexpr i32 NO_SCORE = -0x40000000;

// The scores at a border: H, and E of the next column or F of the next row.
struct __align__(8) TileBorder {
    i32 score;
    i32 gap;
};

// 88 bytes.
struct ScoreTileArguments {
    const u8* codes;     //  0: of the target
    const u8* profile;   //  8: scores of the query, a signed byte each: [row / 256][code][row % 256]
    TileBorder* above;   // 16: [tile row * above_stride + column], above each tile row but the first
    TileBorder* left;    // 24: [tile column * left_stride + tile row * 257 + 1 + row % 256], left of each tile column
                         //     but the first, and right of the last; the corner above the rows comes before them
    BestCell* best;      // 32: [tile row]: for a local alignment the best cell of each, for a global one the last cell
                         //     of the pair in the last; before the first launch all 0
    u64 above_stride;    // 40: 0, or the number of columns
    u64 left_stride;     // 48: 0, or 257 times the number of tile rows
    u32 rows;            // 56: of the query; at least 1
    u32 columns;         // 60: of the target; at least 1
    u32 code_count;      // 64
    u32 diagonal;        // 68: tile row plus tile column of each tile of this launch
    u32 is_local;        // 72
    i32 open;            // 76: the cost of a gap of n symbols is open + n * extend
    i32 extend;          // 80
    u32 unused;          // 84
};

// 112 bytes.
struct TraceTilesArguments {
    ScoreTileArguments tiles;  //  0: with strides
    u32* result;          // 88: the number of edits, and the rows and columns before the alignment; then the edits
    u32 end_row;          // 96: the cell that the alignment ends in, as rows and columns up to it
    u32 end_column;       // 100
    u64 unused;           // 104
};

__host__ __device__ constexpr u32 tiles_of(u32 length) {
    return (length + TILE - 1) / TILE;
}

// The first tile row of a diagonal, and the number of its tiles.
__host__ __device__ constexpr u32 first_tile_row(u32 columns, u32 diagonal) {
    return diagonal < tiles_of(columns) ? 0 : diagonal - tiles_of(columns) + 1;
}

constexpr u32 tile_blocks(u32 rows, u32 columns, u32 diagonal) {
    const u32 last = diagonal < tiles_of(rows) ? diagonal : tiles_of(rows) - 1;
    return last + 1 - first_tile_row(columns, diagonal);
}

// The shared memory of a block, in bytes.
constexpr u32 score_tile_shared_bytes(u32 codes) {
    return TILE * (sizeof(TileBorder) + sizeof(u32) + codes);
}

constexpr u32 trace_tiles_shared_bytes(u32 codes) {
    return score_tile_shared_bytes(codes) + TILE * WARP * sizeof(u32);
}

// The number of words of the result of `trace_tiles`.
constexpr u32 trace_tiles_words(u32 rows, u32 columns) {
    return 3 + (rows + columns + 15) / 16;
}

// The purpose of computing a tile: its borders for other tiles, or the steps back from its cells.
enum class TileFor { Borders, Steps };

// A lane of the warp that computes a tile.
template <TileFor PURPOSE>
struct TileLane {
    const ScoreTileArguments& args;
    u32 tile_row, tile_column;
    u32 columns;         // of the tile, or those that are needed
    TileBorder* top;     // [column], shared
    u32* offsets;        // [column], shared: of the scores of the column's code in the profile
    char* profile;       // of this lane, shared; a code has 256 bytes
    u32* steps;          // [column][lane], shared
    i32 h[LANE_ROWS], e[LANE_ROWS];
    i32 above;           // H above the first row, in the column before
    i32 last_h, last_f;  // below the last row
    BestCell best;

    // The score of a cell before the first row or column.
    __device__ __forceinline__ i32 edge(u32 distance) const {
        return args.is_local != 0 || distance == 0 ? 0 : -args.open - args.extend * static_cast<i32>(distance);
    }

    __device__ __forceinline__ TileBorder edge_border(u32 distance) const {
        return {edge(distance), edge(distance) - args.open - args.extend};
    }

    __device__ __forceinline__ TileBorder* left_of(u32 column) const {
        return args.left + column * args.left_stride + static_cast<u64>(tile_row) * (TILE + 1);
    }

    // Copies offsets, scores and the upper border to shared memory.
    __device__ __forceinline__ void stage() {
        const u32 first = tile_column * TILE;
        const TileBorder* border = args.above + tile_row * args.above_stride + first;
        __syncwarp();
        for (u32 at = lane_index(); at < TILE; at += WARP) {
            offsets[at] = at < columns ? args.codes[first + at] * TILE : 0;
            if (at < columns) {
                top[at] = tile_row == 0 ? edge_border(first + at + 1) : border[at];
            }
        }
        const u32 chunks = args.code_count * (TILE / 16);
        const uint4* from = reinterpret_cast<const uint4*>(args.profile) + static_cast<u64>(tile_row) * chunks;
        uint4* to = reinterpret_cast<uint4*>(profile - lane_index() * LANE_ROWS);
        for (u32 at = lane_index(); at < chunks; at += WARP) {
            to[at] = from[at];
        }
        __syncwarp();
    }

    // Takes the scores of the left border.
    __device__ __forceinline__ void start() {
        const u32 first = lane_index() * LANE_ROWS;
        const TileBorder* border = left_of(tile_column) + first;
        const u32 distance = tile_row * TILE + first;
        above = tile_column == 0 ? edge(distance) : border[0].score;
#pragma unroll
        for (u32 row = 0; row < LANE_ROWS; ++row) {
            const TileBorder beside = tile_column == 0 ? edge_border(distance + row + 1) : border[row + 1];
            h[row] = beside.score;
            e[row] = beside.gap;
        }
        last_h = last_f = 0;
        best = {0, 0, 0};
    }

    __device__ __forceinline__ void run() {
        TileBorder* below = args.above + (tile_row + 1) * args.above_stride + tile_column * TILE;
        const bool is_last = tile_row + 1 == tiles_of(args.rows);
        const bool keeps = PURPOSE == TileFor::Borders && lane_index() == WARP - 1 && !is_last;
        // The upper border and the scores are loaded one step ahead, and the offsets of scores two steps.
        TileBorder over = top[0];
        uint2 scores = scores_of(offset(0 - lane_index()));
        u32 ahead = offset(1 - lane_index());
#pragma unroll 1
        for (u32 at = 0; at < columns + WARP - 1; ++at) {
            const i32 shifted_h = __shfl_up_sync(ALL_LANES, last_h, 1);
            const i32 shifted_f = __shfl_up_sync(ALL_LANES, last_f, 1);
            const u32 column = at - lane_index();
            const uint2 next = scores_of(ahead);
            ahead = offset(column + 2);
            const TileBorder next_over = top[(at + 1) % TILE];
            // Before the first column, `column` wraps to a large number.
            if (column < columns) {
                step(column, lane_index() == 0 ? over : TileBorder{shifted_h, shifted_f}, scores);
                if (keeps) {
                    below[column] = {last_h, last_f};
                }
            }
            scores = next;
            over = next_over;
        }
    }

    // The offset of the scores of a column; for a column outside the tile, the offset for any code.
    __device__ __forceinline__ u32 offset(u32 column) const { return offsets[column % TILE]; }

    // The scores of this lane's rows.
    __device__ __forceinline__ uint2 scores_of(u32 offset) const {
        return *reinterpret_cast<const uint2*>(profile + offset);
    }

    __device__ __forceinline__ void step(u32 column, TileBorder over, uint2 packed) {
        const u32 scores[2] = {packed.x, packed.y};
        const i32 least = args.is_local != 0 ? 0 : NO_SCORE;
        const i32 cost = args.open + args.extend;
        i32 diagonal = above, f = over.gap;
        above = over.score;
        u32 word = 0;
#pragma unroll
        for (u32 row = 0; row < LANE_ROWS; ++row) {
            const i32 substituted = diagonal + WordScores::pick(scores[row / 4], 0, row % 4);
            const i32 ended = WordScores::max3(substituted, e[row], e[row]);
            diagonal = h[row];
            h[row] = WordScores::max3(ended, f, least);
            if constexpr (PURPOSE == TileFor::Steps) {
                const u32 below = ended - cost >= f - args.extend ? OPENS_BELOW : 0;
                const u32 beside = h[row] - cost >= e[row] - args.extend ? OPENS_BESIDE : 0;
                word |= (step_back(h[row], substituted, f) | below | beside) << row * 4;
            }
            e[row] = WordScores::add_max(e[row], -args.extend, h[row] - cost);
            f = WordScores::add_max(f, -args.extend, ended - cost);
        }
        last_h = h[LANE_ROWS - 1];
        last_f = f;
        if constexpr (PURPOSE == TileFor::Steps) {
            steps[column * WARP + lane_index()] = word;
        } else if (args.is_local != 0) {
            best.update(h, tile_row * TILE + lane_index() * LANE_ROWS, tile_column * TILE + column + 1);
        }
    }

    // Returns the kind of the step back from a cell with these scores H, H[up, left] + score, and F.
    __device__ __forceinline__ u32 step_back(i32 score, i32 substituted, i32 f) const {
        const u32 gap = score == f ? STEP_QUERY : STEP_TARGET;
        return args.is_local != 0 && score == 0 ? STEP_STOP : score == substituted ? STEP_DIAGONAL : gap;
    }

    // Writes the right border, with the corner above it, and the best cell.
    __device__ __forceinline__ void finish() {
        TileBorder* border = left_of(tile_column + 1) + lane_index() * LANE_ROWS;
        if (lane_index() == 0) {
            border[0] = {above, 0};
        }
#pragma unroll
        for (u32 row = 0; row < LANE_ROWS; ++row) {
            border[row + 1] = {h[row], e[row]};
        }
        if (args.is_local != 0) {
            const BestCell of_tile = best.of_group(WARP);
            if (lane_index() == 0 && args.best[tile_row].is_worse(of_tile)) {
                args.best[tile_row] = of_tile;
            }
        } else if (tile_row + 1 == tiles_of(args.rows) && tile_column + 1 == tiles_of(args.columns)) {
            finish_pair();
        }
    }

    // Writes the score of the last cell.
    __device__ __forceinline__ void finish_pair() const {
        const u32 first = tile_row * TILE + lane_index() * LANE_ROWS;
#pragma unroll
        for (u32 row = 0; row < LANE_ROWS; ++row) {
            if (first + row + 1 == args.rows) {
                args.best[tile_row] = {h[row], args.rows, args.columns};
            }
        }
    }
};

// Returns this lane of a tile with its shared memory.
template <TileFor PURPOSE>
__device__ __forceinline__ TileLane<PURPOSE> tile_lane(const ScoreTileArguments& args) {
    DYNAMIC_SHARED(memory);
    TileLane<PURPOSE> lane{args, 0, 0, 0, nullptr, nullptr, nullptr, nullptr, {}, {}, 0, 0, 0, {}};
    lane.top = reinterpret_cast<TileBorder*>(memory);
    lane.offsets = reinterpret_cast<u32*>(lane.top + TILE);
    char* profile = reinterpret_cast<char*>(lane.offsets + TILE);
    lane.profile = profile + lane_index() * LANE_ROWS;
    lane.steps = reinterpret_cast<u32*>(profile + args.code_count * TILE);
    return lane;
}

__device__ __forceinline__ void compute_tile(const ScoreTileArguments& args) {
    TileLane<TileFor::Borders> lane = tile_lane<TileFor::Borders>(args);
    lane.tile_row = first_tile_row(args.columns, args.diagonal) + blockIdx.x;
    lane.tile_column = args.diagonal - lane.tile_row;
    lane.columns = min(TILE, args.columns - lane.tile_column * TILE);
    lane.stage();
    lane.start();
    lane.run();
    lane.finish();
}

// Recomputes the tile that the walk is in, and walks until it leaves it.
__device__ __forceinline__ void walk_tile(TileLane<TileFor::Steps>& lane, ScoreWalk& walk) {
    const u32 tile_row = (walk.row - 1) / TILE, tile_column = (walk.column - 1) / TILE;
    lane.tile_row = tile_row;
    lane.tile_column = tile_column;
    lane.columns = walk.column - tile_column * TILE;
    lane.stage();
    lane.start();
    lane.run();
    __syncwarp();
    while (!walk.is_done() && (walk.row - 1) / TILE == tile_row && (walk.column - 1) / TILE == tile_column) {
        const u32 row = (walk.row - 1) % TILE, column = (walk.column - 1) % TILE;
        const u32 word = lane.steps[column * WARP + row / LANE_ROWS];
        walk.follow(word >> row % LANE_ROWS * 4 & 15);
    }
}

__device__ __forceinline__ void trace_path(const TraceTilesArguments& args) {
    TileLane<TileFor::Steps> lane = tile_lane<TileFor::Steps>(args.tiles);
    ScoreWalk walk{{args.result + 3, 0, 0}, args.end_row, args.end_column, 0, false};
    while (!walk.is_done()) {
        walk_tile(lane, walk);
    }
    if (args.tiles.is_local == 0) {
        walk.edits.push_all(walk.row, STEP_QUERY + 1);
        walk.edits.push_all(walk.column, STEP_TARGET + 1);
        walk.row = walk.column = 0;
    }
    walk.edits.finish();
    if (lane_index() == 0) {
        args.result[0] = walk.edits.count;
        args.result[1] = walk.row;
        args.result[2] = walk.column;
    }
}

extern "C" __global__ void __launch_bounds__(WARP) align_tiles(const ScoreTileArguments args) {
    compute_tile(args);
}

extern "C" __global__ void __launch_bounds__(WARP) trace_tiles(const TraceTilesArguments args) {
    trace_path(args);
}
