// Cases of quadrant.cu and walk.cu: "trace SEED ROWS THREADS BOUND CODES PATTERNS HITS", and behind the patterns the hits, each
// "FIRST END PATTERN". ROWS are the most that a pattern may have, and tell which kernel.
#pragma once

#include "../quadrant.cu"
#include "../walk.cu"
#include "cases.h"

struct TraceCase {
    u64 seed;
    u32 rows, threads, bound, codes;
    Codes text;
    std::vector<CasePattern> patterns;
    std::vector<Window> hits;

    u32 longest_window() const {
        u32 longest = 1;
        for (const Window& hit : hits) {
            longest = std::max(longest, hit.end - hit.first);
        }
        return longest;
    }
};

inline TraceCase read_trace_case(std::istream& in) {
    TraceCase read{};
    u32 patterns = 0, hits = 0;
    in >> read.seed >> read.rows >> read.threads >> read.bound >> read.codes >> patterns >> hits;
    read.text = read_codes(in);
    read.patterns = read_patterns(in, patterns);
    read.hits.resize(hits);
    for (Window& hit : read.hits) {
        in >> hit.first >> hit.end >> hit.pattern;
    }
    return read;
}

template <int ROWS>
std::vector<Alignment<ROWS>> trace_hits(const TraceCase& one) {
    using Word = typename WordOf<ROWS>::Type;
    std::vector<Word> equal(one.patterns.size() * one.codes);
    std::vector<u32> rows;
    for (const CasePattern& pattern : one.patterns) {
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                equal[rows.size() * one.codes + code] |= Word{1} << row;
            }
        }
        rows.push_back(static_cast<u32>(pattern.rows.size()));
    }
    // Words of eight, of which the last is not longer than it must be.
    std::vector<u64> codes((one.text.size() + 7) / 8);
    std::memcpy(codes.data(), one.text.data(), one.text.size());
    std::vector<Alignment<ROWS>> alignments(one.hits.size());
    const QuadrantArguments args{reinterpret_cast<const u8*>(codes.data()), equal.data(), rows.data(), one.hits.data(),
                                 alignments.data(), static_cast<u32>(one.hits.size()), one.codes,
                                 (one.longest_window() + COLUMNS - 1) / COLUMNS, one.bound};
    const u32 blocks = (args.hit_count + one.threads - 1) / one.threads;
    const u32 shared = quadrant_shared_bytes<ROWS>(one.threads, args.code_count, args.quadrants);
    host::launch({blocks, 1, 1}, {one.threads, 1, 1}, shared, one.seed, [&] { trace<ROWS>(args); });
    return alignments;
}

template <int ROWS>
void print_alignments(const std::vector<Alignment<ROWS>>& alignments, std::ostream& out) {
    for (const Alignment<ROWS>& alignment : alignments) {
        out << alignment.start << ' ';
        for (u32 edit = 0; edit < alignment.count; ++edit) {
            out << "=XID"[alignment.edits[edit / 16] >> edit % 16 * 2 & 3];
        }
        out << '\n';
    }
}

// What the kernel says of hits, and how many words there are of each.
struct WalkedHits {
    std::vector<u32> alignments;
    u32 words;
};

template <int WORDS>
WalkedHits walk_hits(const TraceCase& one) {
    constexpr u32 PATTERN_WORDS = WARP * WORDS;
    std::vector<u32> equal(one.patterns.size() * one.codes * PATTERN_WORDS);
    std::vector<u32> rows;
    for (const CasePattern& pattern : one.patterns) {
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                equal[(rows.size() * one.codes + code) * PATTERN_WORDS + row / 32] |= 1u << row % 32;
            }
        }
        rows.push_back(static_cast<u32>(pattern.rows.size()));
    }
    const u32 most_rows = *std::max_element(rows.begin(), rows.end());
    const u32 border_words = walk_border_words(WORDS, one.longest_window(), most_rows);
    std::vector<u32> borders(one.hits.size() * border_words, 0x5c5c5c5c);
    const u32 words = walk_alignment_words(most_rows);
    WalkedHits walked{std::vector<u32>(one.hits.size() * words), words};
    const WalkArguments args{one.text.data(), equal.data(),  rows.data(), one.hits.data(), walked.alignments.data(),
                             borders.data(),  border_words, one.codes,   one.bound,       words};
    const u32 hits = static_cast<u32>(one.hits.size());
    const u32 shared = walk_shared_bytes(WORDS, one.codes);
    host::launch({hits, 1, 1}, {WARP, 1, 1}, shared, one.seed, [&] { walk_hit<WORDS>(args); });
    return walked;
}

inline void print_alignments(const WalkedHits& walked, std::ostream& out) {
    for (std::size_t first = 0; first < walked.alignments.size(); first += walked.words) {
        const u32* alignment = &walked.alignments[first];
        out << alignment[0] << ' ';
        for (u32 edit = alignment[1]; edit-- > 0;) {
            out << "=XID"[alignment[2 + edit / 16] >> edit % 16 * 2 & 3];
        }
        out << '\n';
    }
}

inline void run_trace_case(std::istream& in, std::ostream& out) {
    const TraceCase one = read_trace_case(in);
    switch (one.rows) {
        case 32: return print_alignments(trace_hits<32>(one), out);
        case 64: return print_alignments(trace_hits<64>(one), out);
        case 1024: return print_alignments(walk_hits<1>(one), out);
        case 2048: return print_alignments(walk_hits<2>(one), out);
        case 4096: return print_alignments(walk_hits<4>(one), out);
        default: differ("no traceback for so many rows");
    }
}
