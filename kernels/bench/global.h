// Benchmark of score_tiles.cu and score_rows.cu: global alignment of one pair.
#pragma once

#include "../score_rows.cu"
#include "../score_tiles.cu"
#include "scored.h"

// Returns the score of an alignment, given its edits from last to first: 0 diagonal, 2 query only, 3 target only. The
// edits must cover both strings.
inline i32 score_of_edits(const BenchScoring& scoring, const Codes& query, const Codes& target, const u32* edits, u32 count) {
    u32 row = 0, column = 0, before = 0;
    i32 score = 0;
    for (u32 at = count; at-- > 0;) {
        const u32 edit = edits[at / 16] >> at % 16 * 2 & 3;
        score += edit == 0 ? scoring.score(query[row], target[column]) : -scoring.extend - (edit == before ? 0 : scoring.open);
        row += edit != 3;
        column += edit != 2;
        before = edit;
    }
    expect(row == query.size() && column == target.size(), "an alignment does not cover both strings");
    return score;
}

struct TiledPair {
    const BenchScoring& scoring;
    const Codes& query;
    const Codes& target;
    u32 tile_rows, tile_columns;
    u64 above_stride, left_stride;
    Device<u8> codes, profile;
    Device<TileBorder> above, left;
    Device<BestCell> best;
    Device<u32> result;

    TiledPair(const BenchScoring& scoring, const Codes& query, const Codes& target, u64 keeps)
        : scoring(scoring), query(query), target(target), tile_rows(tiles_of(rows())), tile_columns(tiles_of(columns())),
          above_stride(keeps * columns()), left_stride(keeps * tile_rows * (TILE + 1)), codes(target), profile(host_profile()),
          above(columns() + above_stride * (tile_rows - 1)), left(tile_rows * (TILE + 1) + left_stride * tile_columns),
          best(tile_rows), result(trace_tiles_words(rows(), columns())) {}

    u32 rows() const { return static_cast<u32>(query.size()); }
    u32 columns() const { return static_cast<u32>(target.size()); }

    std::vector<u8> host_profile() const {
        std::vector<u8> scores(static_cast<std::size_t>(tile_rows) * TILE * scoring.classes, 0x80);
        for (u32 row = 0; row < rows(); ++row) {
            for (u32 code = 0; code < scoring.classes; ++code) {
                scores[(static_cast<std::size_t>(row / TILE) * scoring.classes + code) * TILE + row % TILE] =
                    static_cast<u8>(scoring.score(query[row], code));
            }
        }
        return scores;
    }

    ScoreTileArguments arguments(u32 is_local) const {
        return {codes.data, profile.data, above.data, left.data, best.data, above_stride, left_stride, rows(), columns(),
                scoring.classes, 0, is_local, scoring.open, scoring.extend, 0};
    }

    void run(u32 is_local) {
        ScoreTileArguments args = arguments(is_local);
        best.clear();
        for (; args.diagonal < tile_rows + tile_columns - 1; ++args.diagonal) {
            align_tiles<<<tile_blocks(rows(), columns(), args.diagonal), WARP, score_tile_shared_bytes(scoring.classes)>>>(args);
        }
    }

    void trace(u32 is_local, const BestCell& end) {
        const u32 shared = trace_tiles_shared_bytes(scoring.classes);
        must(cudaFuncSetAttribute(trace_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
        trace_tiles<<<1, WARP, shared>>>({arguments(is_local), result.data, end.row, end.column, 0});
    }

    i32 score() const { return best.read(best.length).back().score; }

    BestCell best_cell() const {
        BestCell end{0, 0, 0};
        for (const BestCell& cell : best.read(best.length)) {
            end = end.is_worse(cell) ? cell : end;
        }
        return end;
    }

    // Ends the process if the traced alignment does not have the score.
    void check_trace() const {
        const std::vector<u32> words = result.read(result.length);
        expect(score_of_edits(scoring, query, target, &words[3], words[0]) == score(), "tiles: an alignment does not have the score of the pair");
    }
};

struct ScannedPair {
    const BenchScoring& scoring;
    const Codes& query;
    const Codes& target;
    u32 keeps;
    Device<u8> codes, profile;
    Device<RowsPair> pairs;
    Device<u32> steps, results;
    Device<i32> scores;

    ScannedPair(const BenchScoring& scoring, const Codes& query, const Codes& target, u32 keeps)
        : scoring(scoring), query(query), target(target), keeps(keeps), codes(query), profile(host_profile()),
          pairs(std::vector<RowsPair>{{0, 0, 0, static_cast<u32>(query.size()), static_cast<u32>(target.size()), 0}}),
          steps(keeps * query.size() * words()),
          results(keeps * rows_result_words(static_cast<u32>(query.size()), static_cast<u32>(target.size()))), scores(1) {}

    u32 words() const { return (static_cast<u32>(target.size()) + THREAD_COLUMNS - 1) / THREAD_COLUMNS; }

    std::vector<u8> host_profile() const {
        const u32 columns = words() * THREAD_COLUMNS;
        std::vector<u8> scores(static_cast<std::size_t>(columns) * scoring.classes, 0x80);
        for (u32 column = 0; column < target.size(); ++column) {
            for (u32 code = 0; code < scoring.classes; ++code) {
                scores[static_cast<std::size_t>(code) * columns + column] = static_cast<u8>(scoring.score(code, target[column]));
            }
        }
        return scores;
    }

    void run() {
        const u32 threads = (words() + WARP - 1) / WARP * WARP;
        align_rows<<<1, threads, rows_shared_bytes()>>>({codes.data, profile.data, pairs.data, steps.data, scores.data, results.data,
                                                          static_cast<u32>(results.length), scoring.open, scoring.extend, keeps});
    }

    i32 score() const { return scores.read(1)[0]; }

    void check_trace() const {
        const std::vector<u32> words = results.read(results.length);
        expect(score_of_edits(scoring, query, target, &words[1], words[0]) == score(), "rows: an alignment does not have the score of the pair");
    }
};

inline void check_global(const BenchScoring& scoring, u32 rows) {
    const Codes query = random_string(rows, rows, scoring.classes);
    const Codes target = changed_string(rows, query, scoring.classes);
    const i32 expected = reference_score(scoring, query, target, false).score;
    TiledPair tiled(scoring, query, target, 1);
    tiled.run(0);
    expect(tiled.score() == expected, "tiles: a score differs from the reference");
    tiled.trace(0, {expected, tiled.rows(), tiled.columns()});
    tiled.check_trace();
    ScannedPair scanned(scoring, query, target, 1);
    scanned.run();
    expect(scanned.score() == expected, "rows: a score differs from the reference");
    scanned.check_trace();
    // Of several best alignments, both kernels choose the same one.
    const std::vector<u32> by_tiles = tiled.result.read(tiled.result.length), by_rows = scanned.results.read(scanned.results.length);
    for (u32 at = 0; at < by_rows[0]; ++at) {
        expect(((by_tiles[3 + at / 16] ^ by_rows[1 + at / 16]) >> at % 16 * 2 & 3) == 0, "tiles and rows: alignments differ");
    }
    TiledPair local(scoring, query, target, 0);
    local.run(1);
    const BestCell found = local.best_cell(), best = reference_score(scoring, query, target, true);
    expect(found.score == best.score && found.row == best.row && found.column == best.column,
           "tiles: a local alignment differs from the reference");
    std::printf("checked    tiles and rows: %u x %zu, score %d\n", rows, target.size(), expected);
}

inline void time_tiles(const BenchScoring& scoring, u32 rows, u64 keeps) {
    const Codes query = random_string(rows, rows, scoring.classes);
    const Codes target = changed_string(rows, query, scoring.classes);
    TiledPair pair(scoring, query, target, keeps);
    char size[64];
    std::snprintf(size, sizeof size, "%u, %s", rows, keeps != 0 ? "borders kept" : "score");
    const double cells = static_cast<double>(rows) * target.size();
    row("tiles", size, seconds([&] { pair.run(0); }), rows, cells, 1);
    if (keeps != 0) {
        const BestCell end{0, pair.rows(), pair.columns()};
        std::snprintf(size, sizeof size, "%u, trace", rows);
        row("tiles", size, seconds([&] { pair.trace(0, end); }), rows, cells, 1);
        pair.check_trace();
    }
}

inline void time_rows(const BenchScoring& scoring, u32 rows, u32 keeps) {
    const Codes query = random_string(rows, rows, scoring.classes);
    Codes target = changed_string(rows, query, scoring.classes);
    target.resize(rows);
    ScannedPair pair(scoring, query, target, keeps);
    char size[64];
    std::snprintf(size, sizeof size, "%u, %s", rows, keeps != 0 ? "alignment" : "score");
    row("rows", size, seconds([&] { pair.run(); }), rows, static_cast<double>(rows) * target.size(), 1);
}

inline void bench_global() {
    const BenchScoring dna = dna_scoring(0), protein = protein_scoring();
    check_global(dna, 300);
    check_global(dna, 3000);
    check_global(dna_scoring(6), 1500);
    check_global(protein, 1000);
    check_global(protein, 4000);
    for (const u32 rows : {256, 512, 1024, 2048, 4096, 8192}) {
        time_rows(dna, rows, 0);
        time_rows(dna, rows, 1);
        time_tiles(dna, rows, 0);
        time_tiles(dna, rows, 1);
    }
    for (const u32 rows : {16384, 32768, 65536, 100'000}) {
        time_tiles(dna, rows, 0);
        time_tiles(dna, rows, 1);
    }
    time_tiles(protein, 32768, 0);
}
