// Cases of word.cu: "word SEED WORDS BANDS SEGMENTS SYMBOLS CAPACITY CODES PATTERNS", where a block has so many bands and
// segments, and a segment so many symbols.
#pragma once

#include "../word.cu"
#include "cases.h"

struct WordCase {
    u64 seed;
    u32 words, bands_of_block, segments_of_block, segment_symbols, capacity, codes;
    Codes text;
    std::vector<CasePattern> patterns;

    u32 longest() const {
        std::size_t longest = 0;
        for (const CasePattern& pattern : patterns) {
            longest = std::max(longest, pattern.rows.size());
        }
        return static_cast<u32>(longest);
    }
    u32 rows_of_band() const { return words * WARP * 32; }
    u32 bands() const { return (longest() + rows_of_band() - 1) / rows_of_band(); }
};

inline WordCase read_word_case(std::istream& in) {
    WordCase read{};
    u32 patterns = 0;
    in >> read.seed >> read.words >> read.bands_of_block >> read.segments_of_block >> read.segment_symbols >>
        read.capacity >> read.codes >> patterns;
    read.text = read_codes(in);
    read.patterns = read_patterns(in, patterns);
    return read;
}

// [pattern][band][code][lane][word]: rows before the first of the pattern equal every code.
inline std::vector<u32> equal_words(const WordCase& one) {
    const u32 words_of_band = one.rows_of_band() / 32;
    std::vector<u32> equal;
    for (const CasePattern& pattern : one.patterns) {
        const u32 neutral = one.bands() * one.rows_of_band() - static_cast<u32>(pattern.rows.size());
        std::vector<u32> own(static_cast<std::size_t>(one.bands()) * one.codes * words_of_band);
        const auto set = [&](u32 row, u32 code) {
            const u32 band = row / one.rows_of_band();
            own[(band * one.codes + code) * words_of_band + row % one.rows_of_band() / 32] |= 1u << row % 32;
        };
        for (u32 row = 0; row < neutral; ++row) {
            for (u32 code = 0; code < one.codes; ++code) {
                set(row, code);
            }
        }
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                set(neutral + row, code);
            }
        }
        equal.insert(equal.end(), own.begin(), own.end());
    }
    return equal;
}

inline std::vector<WordPattern> word_patterns(const WordCase& one) {
    std::vector<WordPattern> patterns;
    for (const CasePattern& pattern : one.patterns) {
        const u32 id = static_cast<u32>(patterns.size());
        patterns.push_back({id, static_cast<u32>(pattern.rows.size()), pattern.k, 0});
    }
    return patterns;
}

inline void launch_words(const WordCase& one, const WordArguments& args) {
    const u32 shared = word_shared_bytes(one.words, args.code_count, args.bands_of_block, args.segments_of_block);
    const dim3 grid{(args.segments + args.segments_of_block - 1) / args.segments_of_block,
                    static_cast<unsigned>(one.patterns.size()), 1};
    const dim3 block{WARP * args.bands_of_block * args.segments_of_block, 1, 1};
    const auto kernel = one.words == 1 ? scan_segments<1> : one.words == 2 ? scan_segments<2> : scan_segments<4>;
    host::launch(grid, block, shared, one.seed, [&] { kernel(args); });
}

inline void run_word_case(std::istream& in, std::ostream& out) {
    const WordCase one = read_word_case(in);
    const std::vector<u32> equal = equal_words(one);
    const std::vector<WordPattern> patterns = word_patterns(one);
    u32 reach = 0;
    for (const WordPattern& pattern : patterns) {
        reach = std::max(reach, pattern.rows + pattern.k);
    }
    const u32 symbols = static_cast<u32>(one.text.size());
    Hits hits(one.capacity);
    WordArguments args{};
    args.codes = one.text.data();
    args.patterns = patterns.data();
    args.equal = equal.data();
    args.buffer = hits.buffer();
    args.symbols = symbols;
    args.segment_symbols = one.segment_symbols;
    args.segments = (symbols + one.segment_symbols - 1) / one.segment_symbols;
    args.warm_up = (reach + WARP - 1) / WARP * WARP;
    args.code_count = one.codes;
    args.bands = one.bands();
    const u32 chunks = (args.warm_up + args.segment_symbols) / WARP;
    std::vector<u32> deltas(patterns.size() * args.segments * chunks * 2);
    args.deltas = deltas.data();
    args.segments_of_block = one.segments_of_block;
    for (args.first_band = 0; args.first_band < args.bands; args.first_band += args.bands_of_block) {
        args.bands_of_block = std::min(one.bands_of_block, args.bands - args.first_band);
        launch_words(one, args);
    }
    hits.print(out);
}
