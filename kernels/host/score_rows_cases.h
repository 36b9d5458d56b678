// Cases of score_rows.cu: "score_rows SEED KEEPS THREADS PAIRS", a scoring, and the pairs, each a query and a target. Prints the score of
// each pair, and if KEEPS is 1 a letter for each edit.
#pragma once

#include "../score_rows.cu"
#include "scored_cases.h"
#include "score_tiles_cases.h"

struct RowsCase {
    Codes queries;
    std::vector<u8> profiles;
    std::vector<RowsPair> pairs;
    u32 steps = 0, longest = 0;

    void add(const CaseScoring& scoring, const Codes& query, const Codes& target) {
        const u32 rows = static_cast<u32>(query.size()), columns = static_cast<u32>(target.size());
        pairs.push_back({profiles.size(), steps, static_cast<u32>(queries.size()), rows, columns, 0});
        queries.insert(queries.end(), query.begin(), query.end());
        const u32 words = (columns + THREAD_COLUMNS - 1) / THREAD_COLUMNS;
        for (u32 code = 0; code < scoring.classes; ++code) {
            for (u32 column = 0; column < words * THREAD_COLUMNS; ++column) {
                profiles.push_back(column < columns ? scoring.score(static_cast<u8>(code), target[column]) : PADDING);
            }
        }
        steps += rows * words;
        longest = std::max(longest, rows_result_words(rows, columns));
    }
};

inline void run_score_rows_case(std::istream& in, std::ostream& out) {
    u64 seed = 0;
    u32 keeps = 0, threads = 0, count = 0;
    in >> seed >> keeps >> threads >> count;
    const CaseScoring scoring = read_scoring(in);
    const std::vector<Codes> strings = read_strings(in, 2 * count);
    RowsCase input;
    for (u32 at = 0; at < count; ++at) {
        input.add(scoring, strings[2 * at], strings[2 * at + 1]);
    }
    std::vector<u64> profiles(input.profiles.size() / 8);
    std::memcpy(profiles.data(), input.profiles.data(), input.profiles.size());
    std::vector<u32> steps(keeps * input.steps, 0x5c5c5c5c), results(keeps * count * input.longest);
    std::vector<i32> scores(count);
    const RowsArguments args{input.queries.data(), reinterpret_cast<const u8*>(profiles.data()), input.pairs.data(), steps.data(),
                             scores.data(), results.data(), input.longest, scoring.open, scoring.extend, keeps};
    host::launch({count, 1, 1}, {threads, 1, 1}, rows_shared_bytes(), seed, [&] { align_rows(args); });
    for (u32 at = 0; at < count; ++at) {
        out << scores[at] << '\n';
        if (keeps != 0) {
            print_letters(&results[at * input.longest + 1], results[at * input.longest], out);
        }
    }
}
