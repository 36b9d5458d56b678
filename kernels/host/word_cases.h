// Cases of word.cu and scan.cu: "word SEED WORDS BANDS SEGMENTS SYMBOLS CAPACITY CODES PATTERNS", or "scan" and the same. BANDS and
// SEGMENTS are the numbers of bands and segments of a block, but a block of scan.cu always has one segment; SYMBOLS is the number of
// symbols of a segment.
#pragma once

#include "../scan.cu"
#include "../word.cu"
#include "cases.h"

struct WordCase {
    u64 seed;
    u32 words, bands_of_block, segments_of_block, segment_symbols, capacity, codes;
    Codes text;
    std::vector<CasePattern> patterns;

    u32 max_rows() const {
        std::size_t rows = 0;
        for (const CasePattern& pattern : patterns) {
            rows = std::max(rows, pattern.rows.size());
        }
        return static_cast<u32>(rows);
    }
    u32 rows_of_band() const { return words * WARP * 32; }
    u32 bands() const { return (max_rows() + rows_of_band() - 1) / rows_of_band(); }
};

inline WordCase read_word_case(std::istream& in) {
    WordCase input{};
    u32 patterns = 0;
    in >> input.seed >> input.words >> input.bands_of_block >> input.segments_of_block >> input.segment_symbols >>
        input.capacity >> input.codes >> patterns;
    input.text = read_codes(in);
    input.patterns = read_patterns(in, patterns);
    return input;
}

// Returns the match masks as [pattern][band][code][lane][word]. A pattern ends in its last band; the neutral rows before its first row
// match every code.
inline std::vector<u32> equal_words(const WordCase& input) {
    const u32 words_of_band = input.rows_of_band() / 32;
    std::vector<u32> equal;
    for (const CasePattern& pattern : input.patterns) {
        const u32 neutral = input.bands() * input.rows_of_band() - static_cast<u32>(pattern.rows.size());
        std::vector<u32> masks(static_cast<std::size_t>(input.bands()) * input.codes * words_of_band);
        const auto set = [&](u32 row, u32 code) {
            const u32 band = row / input.rows_of_band();
            masks[(band * input.codes + code) * words_of_band + row % input.rows_of_band() / 32] |= 1u << row % 32;
        };
        for (u32 row = 0; row < neutral; ++row) {
            for (u32 code = 0; code < input.codes; ++code) {
                set(row, code);
            }
        }
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                set(neutral + row, code);
            }
        }
        equal.insert(equal.end(), masks.begin(), masks.end());
    }
    return equal;
}

inline std::vector<WordPattern> word_patterns(const WordCase& input) {
    std::vector<WordPattern> patterns;
    for (const CasePattern& pattern : input.patterns) {
        const u32 id = static_cast<u32>(patterns.size());
        patterns.push_back({id, static_cast<u32>(pattern.rows.size()), pattern.k, 0});
    }
    return patterns;
}

// The kernels that take these cases.
enum class CarryForm { Skew, Scan };

inline void launch_scan(const WordCase& input, const WordArguments& args) {
    const u32 shared = scan_shared_bytes(input.words, args.code_count, args.bands_of_block);
    const dim3 grid{args.segments, static_cast<unsigned>(input.patterns.size()), 1};
    const auto kernel = input.words == 1 ? scan_segment<1> : input.words == 2 ? scan_segment<2> : scan_segment<4>;
    host::launch(grid, {WARP * args.bands_of_block, 1, 1}, shared, input.seed, [&] { kernel(args); });
}

inline void launch_words(const WordCase& input, const WordArguments& args) {
    const u32 shared = word_shared_bytes(input.words, args.code_count, args.bands_of_block, args.segments_of_block);
    const dim3 grid{(args.segments + args.segments_of_block - 1) / args.segments_of_block,
                    static_cast<unsigned>(input.patterns.size()), 1};
    const dim3 block{WARP * args.bands_of_block * args.segments_of_block, 1, 1};
    const auto kernel = input.words == 1 ? scan_segments<1> : input.words == 2 ? scan_segments<2> : scan_segments<4>;
    host::launch(grid, block, shared, input.seed, [&] { kernel(args); });
}

inline void run_word_case(std::istream& in, std::ostream& out, CarryForm form) {
    const WordCase input = read_word_case(in);
    const std::vector<u32> equal = equal_words(input);
    const std::vector<WordPattern> patterns = word_patterns(input);
    u32 reach = 0;
    for (const WordPattern& pattern : patterns) {
        reach = std::max(reach, pattern.rows + pattern.k);
    }
    const u32 symbols = static_cast<u32>(input.text.size());
    Hits hits(input.capacity);
    WordArguments args{};
    args.codes = input.text.data();
    args.patterns = patterns.data();
    args.equal = equal.data();
    args.buffer = hits.buffer();
    args.symbols = symbols;
    args.segment_symbols = input.segment_symbols;
    args.segments = (symbols + input.segment_symbols - 1) / input.segment_symbols;
    args.warm_up = (reach + WARP - 1) / WARP * WARP;
    args.code_count = input.codes;
    args.bands = input.bands();
    const u32 chunks = (args.warm_up + args.segment_symbols) / WARP;
    std::vector<u32> deltas(patterns.size() * args.segments * chunks * 2);
    args.deltas = deltas.data();
    args.segments_of_block = input.segments_of_block;
    for (args.first_band = 0; args.first_band < args.bands; args.first_band += args.bands_of_block) {
        args.bands_of_block = std::min(input.bands_of_block, args.bands - args.first_band);
        form == CarryForm::Scan ? launch_scan(input, args) : launch_words(input, args);
    }
    hits.print(out);
}
