// Cases of word.cu: "word SEED WORDS BANDS SEGMENTS SYMBOLS CAPACITY CODES PATTERNS", where a block has so many bands and
// segments, and a segment so many symbols; and "carries SEED COUNT", which compares the carry into each lane with its model.
#pragma once

#include <array>

#include "../word.cu"
#include "cases.h"

// What a lane does with the carry into it.
enum class Carry { Stop, Propagate, Generate };

// Two neighbours as one: the second decides, unless it passes on what it gets.
inline Carry then(Carry first, Carry second) {
    return second == Carry::Propagate ? first : second;
}

// The carry into each lane by the exclusive scan.
inline u32 scanned_carries(const std::array<Carry, WARP>& lanes) {
    u32 into = 0;
    Carry before = Carry::Stop;
    for (u32 lane = 0; lane < WARP; ++lane) {
        into |= static_cast<u32>(before == Carry::Generate) << lane;
        before = then(before, lanes[lane]);
    }
    return into;
}

// The carry into each lane by adding numbers of so many words.
template <int WORDS>
void check_carries(std::mt19937_64& random) {
    std::array<Carry, WARP> lanes{};
    u32 generating = 0, passing = 0, added = 0, carry = 0;
    for (u32 lane = 0; lane < WARP; ++lane) {
        u32 a[WORDS], b[WORDS], sum[WORDS];
        const u64 kind = random() % 4;
        for (int word = 0; word < WORDS; ++word) {
            a[word] = static_cast<u32>(random());
            b[word] = kind < 2 ? ~a[word] : static_cast<u32>(random());
        }
        const bool generates = add(sum, a, b) != 0;
        const bool passes = std::all_of(sum, sum + WORDS, [](u32 word) { return word == ~0u; });
        lanes[lane] = generates ? Carry::Generate : passes ? Carry::Propagate : Carry::Stop;
        generating |= static_cast<u32>(generates) << lane;
        passing |= static_cast<u32>(passes) << lane;
        added |= carry << lane;
        add_carry(sum, carry);
        const bool is_zero = std::all_of(sum, sum + WORDS, [](u32 word) { return word == 0; });
        if (carry != 0 && passes != is_zero) {
            differ("add_carry lost a carry");
        }
        carry = generates || (passes && carry != 0);
    }
    if (scanned_carries(lanes) != added || carries(generating, passing) != added) {
        differ("the carries differ from their model");
    }
}

inline void run_carries_case(std::istream& in, std::ostream& out) {
    u64 seed = 0, count = 0;
    in >> seed >> count;
    std::mt19937_64 random(seed);
    for (u64 at = 0; at < count; ++at) {
        check_carries<1>(random);
        check_carries<2>(random);
        check_carries<4>(random);
    }
    out << count << '\n';
}

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
