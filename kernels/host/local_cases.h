// Cases of local.cu: "local SEED BITS ROWS LANES BLOCKS THREADS TARGETS", a scoring, the query, and the targets. Prints score, end row and
// end column of each target; with 16 bits the ends are 0.
#pragma once

#include <numeric>

#include "../local.cu"
#include "scored_cases.h"

struct LocalCase {
    u64 seed;
    u32 bits, rows, lanes, blocks, threads;
    CaseScoring scoring;
    Codes query;
    std::vector<Codes> targets;

    u32 strip_rows() const { return rows * lanes; }
};

inline LocalCase read_local_case(std::istream& in) {
    LocalCase input{};
    u32 targets = 0;
    in >> input.seed >> input.bits >> input.rows >> input.lanes >> input.blocks >> input.threads >> targets;
    input.scoring = read_scoring(in);
    input.query = read_codes(in);
    input.targets = read_strings(in, targets);
    return input;
}

// Returns the scores of a strip as [code][chunk][lane][row % 16], and those of the padding behind them.
inline std::vector<u8> local_profile(const LocalCase& input, u32 first_row) {
    const u32 chunks = input.rows / 16;
    std::vector<u8> profile((input.scoring.classes + 1) * input.strip_rows(), PADDING);
    for (u32 row = 0; row < input.strip_rows() && first_row + row < input.query.size(); ++row) {
        const u32 lane = row / input.rows, chunk = row % input.rows / 16;
        for (u32 code = 0; code < input.scoring.classes; ++code) {
            const u32 at = ((code * chunks + chunk) * input.lanes + lane) * 16 + row % 16;
            profile[at] = input.scoring.score(input.query[first_row + row], static_cast<u8>(code));
        }
    }
    return profile;
}

// The targets in the order in which the kernel takes them.
struct LocalDatabase {
    std::vector<u32> order;
    std::vector<LocalTarget> targets;
    Codes codes;

    explicit LocalDatabase(const std::vector<Codes>& strings) : order(strings.size()) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return strings[a].size() > strings[b].size(); });
        for (const u32 at : order) {
            targets.push_back({static_cast<u32>(codes.size()), static_cast<u32>(strings[at].size())});
            codes.insert(codes.end(), strings[at].begin(), strings[at].end());
        }
    }
};

using LocalKernel = void (*)(const LocalArguments&);

inline LocalKernel local_kernel(u32 bits, u32 rows) {
    switch (bits * 100 + rows) {
        case 1616: return search_targets<HalfScores, 16>;
        case 1632: return search_targets<HalfScores, 32>;
        case 1648: return search_targets<HalfScores, 48>;
        case 3232: return search_targets<WordScores, 32>;
        default: differ("local: no kernel has these bits and rows");
    }
}

inline void run_local_case(std::istream& in, std::ostream& out) {
    const LocalCase input = read_local_case(in);
    const LocalDatabase database(input.targets);
    const bool has_strips = input.query.size() > input.strip_rows();
    std::vector<LocalBorder> borders(has_strips ? database.codes.size() : 0);
    std::vector<BestCell> scores(input.targets.size());
    const i32 max_score = *std::max_element(input.scoring.scores.begin(), input.scoring.scores.end());
    u32 first_row = 0;
    do {
        const std::vector<u8> profile = local_profile(input, first_row);
        // The kernel reads blocks of 16 bytes.
        std::vector<uint4> aligned(profile.size() / 16);
        std::memcpy(aligned.data(), profile.data(), profile.size());
        u32 next = 0;
        const bool is_last = first_row + input.strip_rows() >= input.query.size();
        const LocalArguments args{database.codes.data(), database.targets.data(), reinterpret_cast<const u8*>(aligned.data()),
                                  borders.data(), scores.data(), &next, static_cast<u32>(input.targets.size()), input.lanes,
                                  input.scoring.classes + 1, first_row, is_last, input.scoring.open, input.scoring.extend,
                                  std::max(max_score, 0)};
        const u32 shared = local_shared_bytes(input.rows, input.lanes, args.code_count, input.threads);
        const LocalKernel kernel = local_kernel(input.bits, input.rows);
        host::launch({input.blocks, 1, 1}, {input.threads, 1, 1}, shared, input.seed, [&] { kernel(args); });
        first_row += input.strip_rows();
    } while (first_row < input.query.size());
    std::vector<BestCell> in_order(scores.size());
    for (std::size_t at = 0; at < scores.size(); ++at) {
        in_order[database.order[at]] = scores[at];
    }
    for (const BestCell& best : in_order) {
        out << best.score << ' ' << best.row << ' ' << best.column << '\n';
    }
}
