// Cases of quadrant.cu: "quadrant SEED ROWS THREADS BOUND CODES PATTERNS HITS", and behind the patterns the hits, each "FIRST END PATTERN".
#pragma once

#include "../quadrant.cu"
#include "cases.h"

struct QuadrantCase {
    u64 seed;
    u32 rows, threads, bound, codes;
    Codes text;
    std::vector<CasePattern> patterns;
    std::vector<Window> hits;
};

inline QuadrantCase read_quadrant_case(std::istream& in) {
    QuadrantCase read{};
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
std::vector<Alignment<ROWS>> trace_hits(const QuadrantCase& one) {
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
    u32 longest = 1;
    for (const Window& hit : one.hits) {
        longest = std::max(longest, hit.end - hit.first);
    }
    std::vector<Alignment<ROWS>> alignments(one.hits.size());
    const QuadrantArguments args{reinterpret_cast<const u8*>(codes.data()), equal.data(), rows.data(), one.hits.data(),
                                 alignments.data(), static_cast<u32>(one.hits.size()), one.codes,
                                 (longest + COLUMNS - 1) / COLUMNS, one.bound};
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

inline void run_quadrant_case(std::istream& in, std::ostream& out) {
    const QuadrantCase one = read_quadrant_case(in);
    if (one.rows == 32) {
        print_alignments(trace_hits<32>(one), out);
    } else {
        print_alignments(trace_hits<64>(one), out);
    }
}
