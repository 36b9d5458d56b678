// Benchmark of word.cu: block-based Myers with the words of a column spread over a warp.
#pragma once

#include "../word.cu"
#include "bench.h"

template <int WORDS>
__global__ void __launch_bounds__(MAX_THREADS, 2) word_kernel(const WordArguments args) {
    scan_segments<WORDS>(args);
}

// Returns the match masks of one pattern as [band][code][lane][word]. The neutral rows before its first row match every code.
inline std::vector<u32> word_equal(const std::vector<u8>& pattern, u32 words, u32 bands, u32 codes) {
    const std::size_t words_of_band = static_cast<std::size_t>(words) * WARP;
    const std::size_t neutral = bands * words_of_band * 32 - pattern.size();
    std::vector<u32> equal(bands * codes * words_of_band);
    for (std::size_t row = 0; row < bands * words_of_band * 32; ++row) {
        const std::size_t band = row / (words_of_band * 32);
        for (u32 code = 0; code < codes; ++code) {
            if (row < neutral || pattern[row - neutral] == code) {
                equal[(band * codes + code) * words_of_band + row / 32 % words_of_band] |= 1u << row % 32;
            }
        }
    }
    return equal;
}

// Launch geometry of a search.
struct WordGeometry {
    // Words of a lane.
    u32 words;
    u32 segment_symbols;
    u32 bands_of_block;
    u32 segments_of_block;
};

struct WordSearch {
    static constexpr u32 CODES = 5;
    WordGeometry geometry;
    u32 bands, segments, warm_up;
    Device<u32> equal;
    Device<WordPattern> patterns;
    Device<u32> deltas;
    Device<Hit> hits{std::size_t{1} << 24};
    Device<u64> found{1};

    WordSearch(const WordGeometry& geometry, const std::vector<u8>& pattern, u32 k, u32 symbols)
        : geometry(geometry), bands(static_cast<u32>((pattern.size() - 1) / (geometry.words * 1024) + 1)),
          segments((symbols + geometry.segment_symbols - 1) / geometry.segment_symbols),
          warm_up(static_cast<u32>(pattern.size() + k + WARP - 1) / WARP * WARP),
          equal(word_equal(pattern, geometry.words, bands, CODES)),
          patterns(std::vector<WordPattern>{{0, static_cast<u32>(pattern.size()), k, 0}}),
          deltas(bands > geometry.bands_of_block
                     ? static_cast<std::size_t>(segments) * (warm_up + geometry.segment_symbols) / WARP * 2
                     : 0) {}

    WordArguments arguments(const Device<u8>& codes) const {
        WordArguments args{};
        args.codes = codes.data;
        args.patterns = patterns.data;
        args.equal = equal.data;
        args.deltas = deltas.data;
        args.buffer = {hits.data, hits.length, found.data};
        args.symbols = static_cast<u32>(codes.length);
        args.segment_symbols = geometry.segment_symbols;
        args.segments = segments;
        args.warm_up = warm_up;
        args.code_count = CODES;
        args.bands = bands;
        args.segments_of_block = geometry.segments_of_block;
        return args;
    }

    template <int WORDS>
    void run(const Device<u8>& codes) {
        found.clear();
        WordArguments args = arguments(codes);
        const u32 blocks = (segments + geometry.segments_of_block - 1) / geometry.segments_of_block;
        for (; args.first_band < bands; args.first_band += geometry.bands_of_block) {
            args.bands_of_block = std::min(geometry.bands_of_block, bands - args.first_band);
            const u32 shared = word_shared_bytes(WORDS, CODES, args.bands_of_block, geometry.segments_of_block);
            must(cudaFuncSetAttribute(word_kernel<WORDS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
            word_kernel<WORDS><<<blocks, WARP * args.bands_of_block * geometry.segments_of_block, shared>>>(args);
        }
    }
};

template <int WORDS>
void check_words(u32 rows, u32 k, const WordGeometry& geometry) {
    Device<u8> codes(20'001);
    random_codes<<<16, 256>>>(codes.data, codes.length, 4, 1, rows);
    const std::vector<u8> text = codes.read(codes.length);
    const std::vector<u8> pattern = random_patterns(text, 1, rows, 4)[0];
    WordSearch search(geometry, pattern, k, static_cast<u32>(codes.length));
    search.run<WORDS>(codes);
    HitList expected;
    reference(text, pattern, k, 0, expected);
    check_hits("word", sorted(search.hits.read(search.found.read(1)[0])), expected);
}

template <int WORDS>
void time_words(u32 symbols, u32 rows, u32 k, const WordGeometry& geometry) {
    Device<u8> codes(symbols);
    random_codes<<<1024, 256>>>(codes.data, symbols, 4, 0, rows);
    WordSearch search(geometry, random_patterns(codes.read(4 * rows), 1, rows, 4)[0], k, symbols);
    const double time = seconds([&] { search.run<WORDS>(codes); });
    char size[64];
    std::snprintf(size, sizeof size, "m=%u k=%u, %d words, warm-up %u of %u", rows, k, WORDS, search.warm_up,
                  geometry.segment_symbols);
    row("word", size, time, symbols, static_cast<double>(symbols) * rows, search.found.read(1)[0]);
}

inline void bench_word() {
    check_words<1>(1000, 90, {1, 2048, 1, 4});
    check_words<2>(5000, 400, {2, 4096, 2, 2});
    check_words<4>(9000, 800, {4, 4096, 3, 1});
    time_words<1>(1u << 29, 1024, 32, {1, 32768, 1, 4});
    time_words<2>(1u << 29, 2048, 32, {2, 65536, 1, 4});
    time_words<4>(1u << 29, 4096, 32, {4, 131072, 1, 4});
    // The number of segments gives each of the 132 multiprocessors of an H200 two blocks. The twelve bands are warps of one block.
    time_words<4>(100'000'000, 49'152, 491, {4, 378'816, 12, 1});
    time_words<4>(100'000'000, 49'152, 4915, {4, 189'440, 12, 1});
}
