// Benchmark of quadrant.cu: traceback of patterns up to 64 rows.
#pragma once

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

// Pairs on the device, and their alignments.
template <int ROWS>
struct Pairs {
    static constexpr u32 CODES = 5;
    using Word = typename WordOf<ROWS>::Type;
    u32 count;
    Device<u8> codes;
    Device<Word> equal;
    Device<u32> rows;
    Device<Window> hits;
    Device<Alignment<ROWS>> alignments;

    explicit Pairs(u32 count)
        : count(count), codes(static_cast<std::size_t>(count) * ROWS), equal(static_cast<std::size_t>(count) * CODES),
          rows(count), hits(count), alignments(count) {
        random_codes<<<1024, 256>>>(codes.data, codes.length, 4, 0, ROWS);
        make_pairs<ROWS><<<(count + 255) / 256, 256>>>(codes.data, count, equal.data, CODES, rows.data, hits.data);
    }

    void run() {
        const u32 quadrants = ROWS / COLUMNS;
        const u32 shared = quadrant_shared_bytes<ROWS>(128, CODES, quadrants);
        must(cudaFuncSetAttribute(quadrant_kernel<ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
        quadrant_kernel<ROWS><<<(count + 127) / 128, 128, shared>>>(
            {codes.data, equal.data, rows.data, hits.data, alignments.data, count, CODES, quadrants, 1});
    }
};

// Returns the edits of a pair from first to last (0 is =, 1 is X, 2 is I, 3 is D), computed with the full matrix.
template <typename Word>
std::vector<u32> matrix_edits(const u8* text, const Word* equal, u32 rows) {
    std::vector<u32> cells((rows + 1) * (rows + 1));
    const auto cell = [&](u32 row, u32 column) -> u32& { return cells[column * (rows + 1) + row]; };
    const auto matches = [&](u32 row, u32 column) { return (equal[text[column - 1]] >> (row - 1) & 1) != 0; };
    for (u32 column = 0; column <= rows; ++column) {
        for (u32 row = 0; row <= rows; ++row) {
            cell(row, column) = row == 0      ? column
                                : column == 0 ? row
                                              : std::min({cell(row - 1, column - 1) + !matches(row, column),
                                                          cell(row - 1, column) + 1, cell(row, column - 1) + 1});
        }
    }
    std::vector<u32> edits;
    for (u32 row = rows, column = rows; row > 0 || column > 0;) {
        const u32 here = cell(row, column);
        u32 edit = 3;
        if (row > 0 && column > 0 && matches(row, column) && cell(row - 1, column - 1) == here) {
            edit = 0;
        } else if (row > 0 && column > 0 && cell(row - 1, column - 1) + 1 == here) {
            edit = 1;
        } else if (row > 0 && cell(row - 1, column) + 1 == here) {
            edit = 2;
        }
        edits.push_back(edit);
        row -= edit != 3;
        column -= edit != 2;
    }
    std::reverse(edits.begin(), edits.end());
    return edits;
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
        for (u32 at = 0; at < alignments[pair].count; ++at) {
            edits.push_back(alignments[pair].edits[at / 16] >> at % 16 * 2 & 3);
        }
        const auto expected = matrix_edits(&codes[pair * ROWS], &equal[pair * Pairs<ROWS>::CODES], ROWS);
        if (edits != expected || alignments[pair].start != pair * ROWS) {
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
template <typename T>
struct Pinned {
    T* data = nullptr;
    std::size_t length;

    explicit Pinned(std::size_t length) : length(length) { must(cudaMallocHost(&data, length * sizeof(T)), "cudaMallocHost"); }
    explicit Pinned(const Device<T>& from) : Pinned(from.length) {
        must(cudaMemcpy(data, from.data, length * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    }
    Pinned(const Pinned&) = delete;
    ~Pinned() { cudaFreeHost(data); }
};

// Measures copies of pairs to the device, the kernel, and copies of the alignments to the host. The pairs are divided into pieces that
// take turns on several streams.
template <int ROWS>
void time_copied_quadrants(u32 count) {
    constexpr u32 PIECES = 16, STREAMS = 4;
    Pairs<ROWS> pairs(count);
    const u32 shared = quadrant_shared_bytes<ROWS>(128, Pairs<ROWS>::CODES, ROWS / COLUMNS);
    Pinned<u8> codes(pairs.codes);
    Pinned<typename WordOf<ROWS>::Type> equal(pairs.equal);
    Pinned<u32> rows(pairs.rows);
    Pinned<Window> hits(pairs.hits);
    Pinned<Alignment<ROWS>> alignments(count);
    cudaStream_t streams[STREAMS];
    for (cudaStream_t& stream : streams) {
        must(cudaStreamCreate(&stream), "stream");
    }
    const auto copy = [&](auto& to, const auto& from, u64 first, u64 length, cudaMemcpyKind kind, cudaStream_t stream) {
        must(cudaMemcpyAsync(to.data + first, from.data + first, length * sizeof(*to.data), kind, stream), "copy");
    };
    const double time = seconds([&] {
        for (u32 piece = 0; piece < PIECES; ++piece) {
            const u32 first = static_cast<u32>(static_cast<u64>(count) * piece / PIECES);
            const u32 length = static_cast<u32>(static_cast<u64>(count) * (piece + 1) / PIECES) - first;
            const cudaStream_t stream = streams[piece % STREAMS];
            copy(pairs.codes, codes, u64{first} * ROWS, u64{length} * ROWS, cudaMemcpyHostToDevice, stream);
            copy(pairs.equal, equal, u64{first} * Pairs<ROWS>::CODES, u64{length} * Pairs<ROWS>::CODES,
                 cudaMemcpyHostToDevice, stream);
            copy(pairs.rows, rows, first, length, cudaMemcpyHostToDevice, stream);
            copy(pairs.hits, hits, first, length, cudaMemcpyHostToDevice, stream);
            quadrant_kernel<ROWS><<<(length + 127) / 128, 128, shared, stream>>>(
                {pairs.codes.data, pairs.equal.data, pairs.rows.data, pairs.hits.data + first,
                 pairs.alignments.data + first, length, Pairs<ROWS>::CODES, ROWS / COLUMNS, 1});
            copy(alignments, pairs.alignments, first, length, cudaMemcpyDeviceToHost, stream);
        }
        // The event that follows is on the default stream, which waits for all other streams.
    });
    u64 edits = 0;
    for (u32 pair = 0; pair < count; pair += 1000) {
        edits += alignments.data[pair].count;
    }
    char size[64];
    std::snprintf(size, sizeof size, "%u pairs of %d, with copies", count, ROWS);
    row("quadrant", size, time, static_cast<double>(count) * ROWS, static_cast<double>(count) * ROWS * ROWS, edits);
}

inline void bench_quadrant() {
    check_quadrants<32>();
    check_quadrants<64>();
    time_quadrants<32>(12'582'720);
    time_quadrants<64>(6'291'360);
    time_copied_quadrants<32>(12'582'720);
}
