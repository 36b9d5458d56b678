// Cases of quadrant.cu and walk.cu: "trace SEED ROWS THREADS CODES PATTERNS HITS", and after the patterns the hits, each
// "FIRST END PATTERN". ROWS is the maximum number of rows of a pattern, which selects the kernel.
#pragma once

#include "../quadrant.cu"
#include "../walk.cu"
#include "cases.h"

struct TraceCase {
    u64 seed;
    u32 rows, threads, codes;
    Codes text;
    std::vector<CasePattern> patterns;
    std::vector<Window> hits;

    u32 longest_window() const {
        u32 length = 1;
        for (const Window& hit : hits) {
            length = std::max(length, hit.end - hit.first);
        }
        return length;
    }
};

inline TraceCase read_trace_case(std::istream& in) {
    TraceCase input{};
    u32 patterns = 0, hits = 0;
    in >> input.seed >> input.rows >> input.threads >> input.codes >> patterns >> hits;
    input.text = read_codes(in);
    input.patterns = read_patterns(in, patterns);
    input.hits.resize(hits);
    for (Window& hit : input.hits) {
        in >> hit.first >> hit.end >> hit.pattern;
    }
    return input;
}

// The hits of a case, as a search leaves them for a traceback kernel: after some hits that are traced elsewhere, and with ids that
// differ from the indices of patterns.
struct CaseHits {
    static constexpr u32 BEFORE = 3;
    std::vector<Window> windows;
    std::vector<u32> places;
    u64 found;

    explicit CaseHits(const TraceCase& input) : windows(input.hits), found(input.hits.size() + BEFORE) {
        for (u32 pattern = 0; pattern < input.patterns.size(); ++pattern) {
            places.push_back(NOT_TRACED);
            places.push_back(pattern);
        }
        for (Window& window : windows) {
            window.pattern = 2 * window.pattern + 1;
        }
    }

    TracedHits hits() const {
        return {windows.data(), places.data(), &found, BEFORE, static_cast<u32>(windows.size()) + 5};
    }
};

template <int ROWS>
std::vector<Alignment<ROWS>> trace_hits(const TraceCase& input) {
    using Word = typename WordOf<ROWS>::Type;
    std::vector<Word> equal(input.patterns.size() * input.codes);
    std::vector<u32> rows;
    for (const CasePattern& pattern : input.patterns) {
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                equal[rows.size() * input.codes + code] |= Word{1} << row;
            }
        }
        rows.push_back(static_cast<u32>(pattern.rows.size()));
    }
    // The kernel reads whole words of eight codes, so the buffer ends at a multiple of eight.
    std::vector<u64> codes((input.text.size() + 7) / 8);
    std::memcpy(codes.data(), input.text.data(), input.text.size());
    std::vector<Alignment<ROWS>> alignments(input.hits.size());
    const CaseHits hits(input);
    const QuadrantArguments args{reinterpret_cast<const u8*>(codes.data()),      equal.data(), rows.data(), hits.hits(), alignments.data(),
                                 input.codes, (input.longest_window() + COLUMNS - 1) / COLUMNS};
    // A thread may trace several hits.
    const u32 blocks = ((static_cast<u32>(input.hits.size()) + 1) / 2 + input.threads - 1) / input.threads;
    const u32 shared = quadrant_shared_bytes<ROWS>(input.threads, args.code_count, args.quadrants);
    host::launch({blocks, 1, 1}, {input.threads, 1, 1}, shared, input.seed, [&] { trace<ROWS>(args); });
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

// Alignments as the kernel writes them, `words` words for each hit.
struct WalkedHits {
    std::vector<u32> alignments;
    u32 words;
};

template <int WORDS>
WalkedHits walk_hits(const TraceCase& input) {
    constexpr u32 PATTERN_WORDS = WARP * WORDS;
    std::vector<u32> equal(input.patterns.size() * input.codes * PATTERN_WORDS);
    std::vector<u32> rows;
    for (const CasePattern& pattern : input.patterns) {
        for (u32 row = 0; row < pattern.rows.size(); ++row) {
            for (const u8 code : pattern.rows[row]) {
                equal[(rows.size() * input.codes + code) * PATTERN_WORDS + row / 32] |= 1u << row % 32;
            }
        }
        rows.push_back(static_cast<u32>(pattern.rows.size()));
    }
    const u32 max_rows = *std::max_element(rows.begin(), rows.end());
    const u32 border_words = walk_border_words(WORDS, input.longest_window(), max_rows);
    // A warp may trace several hits.
    const u32 blocks = (static_cast<u32>(input.hits.size()) + 1) / 2;
    std::vector<u32> borders(blocks * border_words, 0x5c5c5c5c);
    const u32 words = walk_alignment_words(max_rows);
    WalkedHits walked{std::vector<u32>(input.hits.size() * words), words};
    const CaseHits hits(input);
    const WalkArguments args{input.text.data(), equal.data(), rows.data(), hits.hits(), walked.alignments.data(),
                             borders.data(), border_words, input.codes, words, 0};
    const u32 shared = walk_shared_bytes(WORDS, input.codes);
    host::launch({blocks, 1, 1}, {WARP, 1, 1}, shared, input.seed, [&] { walk_hits<WORDS>(args); });
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
    const TraceCase input = read_trace_case(in);
    switch (input.rows) {
        case 32: return print_alignments(trace_hits<32>(input), out);
        case 64: return print_alignments(trace_hits<64>(input), out);
        case 1024: return print_alignments(walk_hits<1>(input), out);
        case 2048: return print_alignments(walk_hits<2>(input), out);
        case 4096: return print_alignments(walk_hits<4>(input), out);
        default: differ("trace: no kernel has this number of rows");
    }
}
