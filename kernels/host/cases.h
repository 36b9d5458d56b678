// Parts that the cases of all kernels share: texts and patterns as codes, and a buffer for hits.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "../device.cuh"

using Codes = std::vector<u8>;

inline Codes read_codes(std::istream& in) {
    std::string word;
    in >> word;
    Codes codes;
    for (const char letter : word) {
        if (letter != '-') {
            codes.push_back(static_cast<u8>(letter - '0'));
        }
    }
    return codes;
}

struct CasePattern {
    u32 k;
    // The codes that match each row.
    std::vector<Codes> rows;
};

inline std::vector<CasePattern> read_patterns(std::istream& in, u32 count) {
    std::vector<CasePattern> patterns(count);
    for (CasePattern& pattern : patterns) {
        u32 rows = 0;
        in >> rows >> pattern.k;
        for (u32 row = 0; row < rows; ++row) {
            pattern.rows.push_back(read_codes(in));
        }
    }
    return patterns;
}

// A hit buffer with room for exactly `capacity` hits, so that the address sanitizer detects a write past its end.
struct Hits {
    std::vector<Hit> hits;
    u64 found = 0;

    explicit Hits(u64 capacity) : hits(capacity) {}

    HitBuffer buffer() { return {hits.data(), hits.size(), &found}; }

    void print(std::ostream& out) const {
        const u64 stored = std::min<u64>(found, hits.size());
        out << found << ' ' << stored << '\n';
        for (u64 at = 0; at < stored; ++at) {
            out << hits[at].symbol << ' ' << hits[at].pattern << ' ' << hits[at].distance << '\n';
        }
    }
};

// Ends the process after a wrong result.
[[noreturn]] inline void differ(const char* message) {
    std::cout.flush();
    std::cerr << message << '\n';
    std::_Exit(4);
}
