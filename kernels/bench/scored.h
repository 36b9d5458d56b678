// Parts that the benchmarks of scored alignment share: a scoring, random strings, and plain dynamic programs as the reference.
#pragma once

#include "../scores.cuh"
#include "bench.h"

using Codes = std::vector<u8>;

struct BenchScoring {
    i32 open, extend;
    u32 classes;
    std::vector<i32> scores;  // [query code][target code]

    i32 score(u32 query, u32 target) const { return scores[query * classes + target]; }
    i32 max_score() const { return *std::max_element(scores.begin(), scores.end()); }
};

// Returns a matrix in the range of BLOSUM62.
inline BenchScoring protein_scoring() {
    BenchScoring scoring{11, 1, 24, std::vector<i32>(24 * 24)};
    std::mt19937 random(5);
    for (u32 a = 0; a < 24; ++a) {
        for (u32 b = 0; b <= a; ++b) {
            const i32 score = a == b ? 4 + random() % 6 : static_cast<i32>(random() % 5) - 4;
            scoring.scores[a * 24 + b] = scoring.scores[b * 24 + a] = score;
        }
    }
    return scoring;
}

inline BenchScoring dna_scoring(i32 open) {
    BenchScoring scoring{open, 2, 4, std::vector<i32>(16, -3)};
    for (u32 code = 0; code < 4; ++code) {
        scoring.scores[code * 5] = 2;
    }
    return scoring;
}

inline Codes random_string(u64 seed, std::size_t length, u32 classes) {
    std::mt19937_64 random(seed);
    Codes string(length);
    for (u8& code : string) {
        code = static_cast<u8>(random() % classes);
    }
    return string;
}

// Returns a copy with edits of a tenth of its symbols.
inline Codes changed_string(u64 seed, const Codes& string, u32 classes) {
    std::mt19937_64 random(seed);
    Codes changed;
    for (const u8 code : string) {
        const u64 dice = random() % 1000;
        if (dice >= 33) {
            changed.push_back(dice < 66 ? static_cast<u8>(random() % classes) : code);
        }
        for (u64 more = dice >= 997 ? random() % 20 : 0; more > 0; --more) {
            changed.push_back(static_cast<u8>(random() % classes));
        }
    }
    return changed;
}

// Returns the best global score, or the best local cell.
inline BestCell reference_score(const BenchScoring& scoring, const Codes& query, const Codes& target, bool is_local) {
    const std::size_t rows = query.size();
    const auto edge = [&](std::size_t at) { return is_local || at == 0 ? 0 : -scoring.open - scoring.extend * static_cast<i32>(at); };
    std::vector<i32> h(rows + 1), e(rows + 1);
    for (std::size_t row = 0; row <= rows; ++row) {
        h[row] = edge(row);
        e[row] = -0x40000000;
    }
    BestCell best{0, 0, 0};
    for (std::size_t column = 1; column <= target.size(); ++column) {
        i32 diagonal = h[0], f = -0x40000000;
        h[0] = edge(column);
        for (std::size_t row = 1; row <= rows; ++row) {
            e[row] = std::max(e[row], h[row] - scoring.open) - scoring.extend;
            f = std::max(f, h[row - 1] - scoring.open) - scoring.extend;
            i32 cell = std::max({diagonal + scoring.score(query[row - 1], target[column - 1]), e[row], f});
            cell = is_local ? std::max(cell, 0) : cell;
            diagonal = h[row];
            h[row] = cell;
            if (is_local && cell > best.score) {
                best = {cell, static_cast<u32>(row), static_cast<u32>(column)};
            }
        }
    }
    return is_local ? best : BestCell{h[rows], static_cast<u32>(rows), static_cast<u32>(target.size())};
}

inline void expect(bool is_right, const char* message) {
    if (!is_right) {
        std::fprintf(stderr, "%s\n", message);
        std::exit(1);
    }
}
