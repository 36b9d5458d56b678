// Benchmark of walk.cu: traceback of long patterns.
#pragma once

#include "../walk.cu"
#include "quadrant.h"

template <int WORDS>
__global__ void __launch_bounds__(WARP) walk_kernel(const WalkArguments args) {
    walk_hits<WORDS>(args);
}

// Hits of patterns that are copies of a window of the text with about one symbol in sixteen substituted. A pattern skips symbols of the
// text in its first half and repeats symbols in its second half. A window is a tenth longer than its pattern, and the match ends about
// where the window ends.
template <int WORDS>
struct LongHits {
    static constexpr u32 CODES = 5;
    u32 rows, window, count;
    std::vector<u32> host_equal;
    std::vector<Window> host_hits;
    Device<u8> codes;
    Device<u32> equal, lengths, places, alignments, borders;
    Device<Window> hits;

    // Makes `patterns` patterns of `rows` rows with `hits_of_each` hits each.
    LongHits(u32 rows, u32 patterns, u32 hits_of_each)
        : rows(rows), window(rows + rows / 10), count(patterns * hits_of_each),
          codes(static_cast<std::size_t>(patterns) * window), equal(static_cast<std::size_t>(patterns) * CODES * WARP * WORDS),
          lengths(std::vector<u32>(patterns, rows)), places(numbers(patterns)),
          alignments(static_cast<std::size_t>(count) * walk_alignment_words(rows)),
          borders(static_cast<std::size_t>(count) * walk_border_words(WORDS, window, rows)), hits(count) {
        random_codes<<<1024, 256>>>(codes.data, codes.length, 4, 0, rows);
        const std::vector<u8> text = codes.read(codes.length);
        host_equal.resize(equal.length);
        for (u32 pattern = 0; pattern < patterns; ++pattern) {
            make_pattern(pattern, &text[static_cast<std::size_t>(pattern) * window]);
        }
        for (u32 hit = 0; hit < count; ++hit) {
            const u32 pattern = hit % patterns;
            host_hits.push_back({pattern * window, (pattern + 1) * window, pattern});
        }
        must(cudaMemcpy(equal.data, host_equal.data(), equal.length * sizeof(u32), cudaMemcpyHostToDevice), "copy");
        must(cudaMemcpy(hits.data, host_hits.data(), count * sizeof(Window), cudaMemcpyHostToDevice), "copy");
    }

    // Copies the end of the window to a pattern.
    void make_pattern(u32 pattern, const u8* text) {
        std::mt19937_64 random(pattern);
        u32 symbol = window - rows;
        for (u32 row = 0; row < rows; ++row) {
            const u64 mixed = random();
            const bool is_changed = mixed % 16 == 0 || symbol >= window;
            symbol += mixed >> 32 & 63 ? 0 : row < rows / 2 ? 1 : -1;
            const u32 code = is_changed ? static_cast<u32>(mixed >> 8) % (CODES - 1) + 1 : text[symbol];
            host_equal[(static_cast<std::size_t>(pattern) * CODES + code) * WARP * WORDS + row / 32] |= 1u << row % 32;
            ++symbol;
        }
    }

    void run() {
        const u32 shared = walk_shared_bytes(WORDS, CODES);
        must(cudaFuncSetAttribute(walk_kernel<WORDS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
        walk_kernel<WORDS><<<count, WARP, shared>>>({codes.data, equal.data, lengths.data,
                                                     {hits.data, places.data, nullptr, 0, count}, alignments.data,
                                                     borders.data, walk_border_words(WORDS, window, rows), CODES,
                                                     walk_alignment_words(rows), 0});
    }
};

template <int WORDS>
void check_walks(u32 rows) {
    LongHits<WORDS> hits(rows, 20, 1);
    hits.run();
    const auto alignments = hits.alignments.read(hits.alignments.length);
    const auto codes = hits.codes.read(hits.codes.length);
    for (u32 hit = 0; hit < hits.count; ++hit) {
        const u32* alignment = &alignments[static_cast<std::size_t>(hit) * walk_alignment_words(rows)];
        const u8* text = &codes[hits.host_hits[hit].first];
        const u32* equal = &hits.host_equal[static_cast<std::size_t>(hit) * LongHits<WORDS>::CODES * WARP * WORDS];
        const auto matches = [&](u32 row, u32 column) {
            return (equal[text[column - 1] * WARP * WORDS + (row - 1) / 32] >> (row - 1) % 32 & 1) != 0;
        };
        const auto [expected, start] = free_matrix_edits(rows, hits.window, matches);
        std::vector<u32> edits;
        for (u32 at = 0; at < alignment[1] && at < 2 * rows; ++at) {
            edits.push_back(alignment[2 + at / 16] >> at % 16 * 2 & 3);
        }
        if (edits != expected || alignment[0] != hits.host_hits[hit].first + start) {
            std::fprintf(stderr, "walk: the alignment of hit %u differs from the reference\n", hit);
            std::exit(1);
        }
    }
    std::printf("checked    walk: %u hits of %u rows, equal to the reference\n", hits.count, rows);
}

template <int WORDS>
void time_walks(u32 rows, u32 count) {
    LongHits<WORDS> hits(rows, 100, count / 100);
    const double time = seconds([&] { hits.run(); });
    char size[64];
    std::snprintf(size, sizeof size, "%u hits of %u, windows of %u", hits.count, rows, hits.window);
    const double symbols = static_cast<double>(hits.count) * hits.window;
    row("walk", size, time, symbols, symbols * rows, hits.count);
}

inline void bench_walk() {
    check_walks<1>(65);
    check_walks<1>(1000);
    check_walks<2>(2000);
    check_walks<4>(4000);
    time_walks<1>(1000, 4'000);
    time_walks<1>(1000, 40'000);
    time_walks<2>(2000, 10'000);
    time_walks<4>(4000, 2'000);
}
