// Parts that the cases of local.cu, score_tiles.cu and score_rows.cu share: a scoring. It is "OPEN EXTEND CLASSES", then the score of each
// class of the query with each class of the target.
#pragma once

#include "../scores.cuh"
#include "cases.h"

struct CaseScoring {
    i32 open, extend;
    u32 classes;
    std::vector<i32> scores;

    u8 score(u8 query, u8 target) const { return static_cast<u8>(scores[query * classes + target]); }
};

// The score of rows after the query and of columns after the target.
constexpr u8 PADDING = 0x80;

inline CaseScoring read_scoring(std::istream& in) {
    CaseScoring scoring{};
    in >> scoring.open >> scoring.extend >> scoring.classes;
    scoring.scores.resize(scoring.classes * scoring.classes);
    for (i32& score : scoring.scores) {
        in >> score;
    }
    return scoring;
}

inline std::vector<Codes> read_strings(std::istream& in, u32 count) {
    std::vector<Codes> strings;
    for (u32 at = 0; at < count; ++at) {
        strings.push_back(read_codes(in));
    }
    return strings;
}
