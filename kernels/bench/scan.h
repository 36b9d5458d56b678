// Benchmark of scan.cu as a search, beside word.cu: patterns that are long compared with the text.
#pragma once

#include "../scan.cu"
#include "word.h"

template <int WORDS>
__global__ void __launch_bounds__(MAX_THREADS) scan_kernel(const WordArguments args) {
    scan_segment<WORDS>(args);
}

// Searches with scan.cu.
template <int WORDS>
void run_scan(WordSearch& search, const Device<u8>& codes) {
    search.found.clear();
    WordArguments args = search.arguments(codes);
    args.segments_of_block = 1;
    for (; args.first_band < search.bands; args.first_band += search.geometry.bands_of_block) {
        args.bands_of_block = std::min(search.geometry.bands_of_block, search.bands - args.first_band);
        const u32 shared = scan_shared_bytes(WORDS, WordSearch::CODES, args.bands_of_block);
        must(cudaFuncSetAttribute(scan_kernel<WORDS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
        scan_kernel<WORDS><<<args.segments, WARP * args.bands_of_block, shared>>>(args);
    }
}

// Times both forms for one pattern and text, after comparing their hits.
template <int WORDS>
void time_forms(u32 rows, u32 symbols) {
    const u32 bands = (rows - 1) / (WORDS * 1024) + 1;
    Device<u8> codes(rows + symbols);
    random_codes<<<64, 256>>>(codes.data, codes.length, 4, 0, rows);
    const auto text = codes.read(codes.length);
    const std::vector<u8> pattern(text.begin(), text.begin() + rows);
    Device<u8> part(std::vector<u8>(text.begin() + rows / 2, text.begin() + rows / 2 + symbols));
    WordSearch search({WORDS, (symbols + WARP - 1) / WARP * WARP, std::min(bands, 16u / WORDS), 1}, pattern, rows - 8, symbols);
    char size[64];
    std::snprintf(size, sizeof size, "m=%u n=%u, %d words", rows, symbols, WORDS);
    const double skewed = seconds([&] { search.run<WORDS>(part); });
    const u64 found = search.found.read(1)[0];
    const HitList expected = sorted(search.hits.read(found));
    row("word", size, skewed, symbols, static_cast<double>(symbols) * rows, found);
    const double scanned = seconds([&] { run_scan<WORDS>(search, part); });
    row("scan", size, scanned, symbols, static_cast<double>(symbols) * rows, search.found.read(1)[0]);
    check_hits("scan", sorted(search.hits.read(search.found.read(1)[0])), expected);
}

inline void bench_scan() {
    for (const u32 rows : {4096u, 16384u, 49152u}) {
        for (const u32 symbols : {64u, 512u, 4096u}) {
            time_forms<1>(rows, symbols);
            time_forms<4>(rows, symbols);
        }
    }
}
