// Cases of score_tiles.cu: "score_tiles SEED LOCAL KEEPS", a scoring, the query and the target. Prints the score, the end row and the end
// column of the alignment, and if KEEPS is 1 its first row and column and a letter for each edit.
#pragma once

#include "../score_tiles.cu"
#include "scored_cases.h"

struct TilesCase {
    u64 seed;
    u32 is_local, keeps;
    CaseScoring scoring;
    Codes query, target;

    u32 rows() const { return static_cast<u32>(query.size()); }
    u32 columns() const { return static_cast<u32>(target.size()); }
};

// Returns scores as [row / 256][code][row % 256], in blocks of 16 bytes.
inline std::vector<uint4> tile_profile(const TilesCase& input) {
    const u32 rows = tiles_of(input.rows()) * TILE;
    std::vector<u8> profile(rows * input.scoring.classes, PADDING);
    for (u32 row = 0; row < input.rows(); ++row) {
        for (u32 code = 0; code < input.scoring.classes; ++code) {
            profile[(row / TILE * input.scoring.classes + code) * TILE + row % TILE] =
                input.scoring.score(input.query[row], static_cast<u8>(code));
        }
    }
    std::vector<uint4> aligned(profile.size() / 16);
    std::memcpy(aligned.data(), profile.data(), profile.size());
    return aligned;
}

inline void print_letters(const u32* edits, u32 count, std::ostream& out) {
    for (u32 at = count; at-- > 0;) {
        out << "MXID"[edits[at / 16] >> at % 16 * 2 & 3];
    }
    out << (count == 0 ? "-\n" : "\n");
}

inline void print_trace(const TilesCase& input, const ScoreTileArguments& tiles, const BestCell& end, std::ostream& out) {
    std::vector<u32> result(trace_tiles_words(end.row, end.column));
    const TraceTilesArguments args{tiles, result.data(), end.row, end.column, 0};
    const u32 shared = trace_tiles_shared_bytes(tiles.code_count);
    host::launch({1, 1, 1}, {WARP, 1, 1}, shared, input.seed, [&] { trace_tiles(args); });
    out << result[1] << ' ' << result[2] << ' ';
    print_letters(&result[3], result[0], out);
}

inline void run_score_tiles_case(std::istream& in, std::ostream& out) {
    TilesCase input{};
    in >> input.seed >> input.is_local >> input.keeps;
    input.scoring = read_scoring(in);
    input.query = read_codes(in);
    input.target = read_codes(in);
    const u32 tile_rows = tiles_of(input.rows()), tile_columns = tiles_of(input.columns());
    const u32 above_stride = input.keeps * input.columns(), left_stride = input.keeps * tile_rows * (TILE + 1);
    const std::vector<uint4> profile = tile_profile(input);
    std::vector<TileBorder> above(input.columns() + above_stride * (tile_rows - 1), {0x5c5c5c5c, 0x5c5c5c5c});
    std::vector<TileBorder> left(tile_rows * (TILE + 1) + left_stride * tile_columns, {0x5c5c5c5c, 0x5c5c5c5c});
    std::vector<BestCell> best(tile_rows);
    ScoreTileArguments args{input.target.data(), reinterpret_cast<const u8*>(profile.data()), above.data(), left.data(), best.data(),
                       above_stride, left_stride, input.rows(), input.columns(), input.scoring.classes, 0, input.is_local,
                       input.scoring.open, input.scoring.extend, 0};
    const u32 shared = score_tile_shared_bytes(args.code_count);
    for (; args.diagonal < tile_rows + tile_columns - 1; ++args.diagonal) {
        const u32 blocks = tile_blocks(args.rows, args.columns, args.diagonal);
        host::launch({blocks, 1, 1}, {WARP, 1, 1}, shared, input.seed + args.diagonal, [&] { align_tiles(args); });
    }
    BestCell end = best.back();
    for (const BestCell& cell : best) {
        end = input.is_local != 0 && end.is_worse(cell) ? cell : end;
    }
    out << end.score << ' ' << end.row << ' ' << end.column << '\n';
    if (input.keeps != 0) {
        print_trace(input, args, end, out);
    }
}
