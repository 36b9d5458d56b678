// What cases of all kernels are made of: texts and patterns as codes, and hits.
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

// A buffer for hits, exactly as large as it may be.
struct Hits {
    std::vector<Hit> hits;
    u64 found = 0;

    explicit Hits(u64 capacity) : hits(capacity) {}

    HitBuffer buffer() { return {hits.data(), hits.size(), &found}; }

    void print(std::ostream& out) const {
        const u64 kept = std::min<u64>(found, hits.size());
        out << found << ' ' << kept << '\n';
        for (u64 at = 0; at < kept; ++at) {
            out << hits[at].symbol << ' ' << hits[at].pattern << ' ' << hits[at].distance << '\n';
        }
    }
};

[[noreturn]] inline void differ(const char* what) {
    std::cout.flush();
    std::cerr << what << '\n';
    std::_Exit(4);
}
