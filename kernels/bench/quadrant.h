// Benchmark of quadrant.cu: traceback of patterns up to 64 rows.
#pragma once

#include <numeric>

#include "../quadrant.cu"
#include "bench.h"

template <int ROWS>
__global__ void __launch_bounds__(128) quadrant_kernel(const QuadrantArguments args) {
    trace<ROWS>(args);
}

// Makes pairs of a pattern and a text of ROWS symbols each, aligned from end to end. Pattern i is a copy of the symbols from i * ROWS on with
// about one in eight substituted. An odd pattern also skips a symbol of the text near its start and repeats one near its end.
template <int ROWS>
__global__ void make_pairs(const u8* codes, u32 count, typename WordOf<ROWS>::Type* equal, u32 code_count, u32* rows,
                           Window* hits) {
    using Word = typename WordOf<ROWS>::Type;
    const u32 pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= count) {
        return;
    }
    for (u32 code = 0; code < code_count; ++code) {
        equal[static_cast<u64>(pair) * code_count + code] = 0;
    }
    for (u32 row = 0; row < ROWS; ++row) {
        const u32 mixed = (pair * ROWS + row) * 2654435761u;
        const bool is_shifted = row > mixed % 8 && row < ROWS - 8;
        const u32 symbol = pair * ROWS + row + (pair % 2 == 1 && is_shifted ? 1 : 0);
        const u32 code = mixed >> 29 == 0 ? mixed % (code_count - 1) + 1 : codes[symbol];
        equal[static_cast<u64>(pair) * code_count + code] |= Word{1} << row;
    }
    rows[pair] = ROWS;
    hits[pair] = {pair * ROWS, (pair + 1) * ROWS, pair};
}

// Returns the numbers from 0 on.
inline std::vector<u32> numbers(u32 count) {
    std::vector<u32> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// Pairs on the device, and their alignments.
template <int ROWS>
struct Pairs {
    static constexpr u32 CODES = 5;
    using Word = typename WordOf<ROWS>::Type;
    u32 count;
    Device<u8> codes;
    Device<Word> equal;
    Device<u32> rows, places;
    Device<Window> hits;
    Device<Alignment<ROWS>> alignments;

    explicit Pairs(u32 count)
        : count(count), codes(static_cast<std::size_t>(count) * ROWS), equal(static_cast<std::size_t>(count) * CODES),
          rows(count), places(numbers(count)), hits(count), alignments(count) {
        random_codes<<<1024, 256>>>(codes.data, codes.length, 4, 0, ROWS);
        make_pairs<ROWS><<<(count + 255) / 256, 256>>>(codes.data, count, equal.data, CODES, rows.data, hits.data);
    }

    void run() {
        const u32 quadrants = ROWS / COLUMNS;
        const u32 shared = quadrant_shared_bytes<ROWS>(128, CODES, quadrants);
        must(cudaFuncSetAttribute(quadrant_kernel<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
        quadrant_kernel<ROWS><<<(count + 127) / 128, 128, shared>>>(
            {codes.data, equal.data, rows.data, {hits.data, places.data, nullptr, 0, count}, alignments.data, CODES, quadrants});
    }
};

// Returns the edits of a hit that may start anywhere, from last to first, and its start column, computed with the full matrix.
template <typename Matches>
std::pair<std::vector<u32>, u32> free_matrix_edits(u32 rows, u32 columns, Matches matches) {
    std::vector<u32> cells(static_cast<std::size_t>(rows + 1) * (columns + 1));
    const auto cell = [&](u32 row, u32 column) -> u32& { return cells[static_cast<std::size_t>(column) * (rows + 1) + row]; };
    for (u32 column = 0; column <= columns; ++column) {
        for (u32 row = 1; row <= rows; ++row) {
            cell(row, column) = column == 0 ? row
                                            : std::min({cell(row - 1, column - 1) + !matches(row, column),
                                                        cell(row - 1, column) + 1, cell(row, column - 1) + 1});
        }
    }
    std::vector<u32> edits;
    u32 column = columns;
    for (u32 row = rows; row > 0;) {
        const u32 here = cell(row, column);
        u32 edit = 3;
        if (column > 0 && matches(row, column) && cell(row - 1, column - 1) == here) {
            edit = 0;
        } else if (column > 0 && cell(row - 1, column - 1) + 1 == here) {
            edit = 1;
        } else if (cell(row - 1, column) + 1 == here) {
            edit = 2;
        }
        edits.push_back(edit);
        row -= edit != 3;
        column -= edit != 2;
    }
    return {edits, column};
}

template <int ROWS>
void check_quadrants() {
    Pairs<ROWS> pairs(2000);
    pairs.run();
    const auto alignments = pairs.alignments.read(pairs.count);
    const auto codes = pairs.codes.read(pairs.codes.length);
    const auto equal = pairs.equal.read(pairs.equal.length);
    for (u32 pair = 0; pair < pairs.count; ++pair) {
        std::vector<u32> edits;
        for (u32 at = alignments[pair].count; at-- > 0;) {
            edits.push_back(alignments[pair].edits[at / 16] >> at % 16 * 2 & 3);
        }
        const u8* text = &codes[pair * ROWS];
        const auto* words = &equal[pair * Pairs<ROWS>::CODES];
        const auto matches = [&](u32 row, u32 column) { return (words[text[column - 1]] >> (row - 1) & 1) != 0; };
        const auto [expected, start] = free_matrix_edits(ROWS, ROWS, matches);
        if (edits != expected || alignments[pair].start != pair * ROWS + start) {
            std::fprintf(stderr, "quadrant: the alignment of pair %u differs from the reference\n", pair);
            std::exit(1);
        }
    }
    std::printf("checked    quadrant: %u pairs of %d, equal to the reference\n", pairs.count, ROWS);
}

template <int ROWS>
void time_quadrants(u32 count) {
    Pairs<ROWS> pairs(count);
    const double time = seconds([&] { pairs.run(); });
    char size[64];
    std::snprintf(size, sizeof size, "%u pairs of %d", count, ROWS);
    row("quadrant", size, time, static_cast<double>(count) * ROWS, static_cast<double>(count) * ROWS * ROWS, count);
}

// Pinned host memory, freed at the end of its scope.
inline void bench_quadrant() {
    check_quadrants<32>();
    check_quadrants<64>();
    time_quadrants<32>(12'582'720);
    time_quadrants<64>(6'291'360);
}
