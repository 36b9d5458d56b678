// Cases of pairs.cu: "pairs SEED OBJECTIVE WORDS LAYOUT THREADS PLANES SHIFT... PAIRS", and of tiles.cu: "tiles SEED
// OBJECTIVE WORDS WARPS BLOCKS PARTS PLANES SHIFT... PAIRS", then the pairs, each a query and a target. OBJECTIVE is
// "distance" or "lcs". LAYOUT is "ends", "equal" (all queries have one length, and all targets), or "shared" (there is
// one query). PARTS is the number of launches that each pair is divided into. Cases of pair_trace.cu: "pair_trace",
// then the same words as after "pairs", with WORDS the number of words of a column; these cases print a letter for each
// edit.
#pragma once

#include <string>
#include <vector>

#include "../pair_trace.cu"
#include "../pairs.cu"
#include "../tiles.cu"
#include "cases.h"
#include "word_cases.h"

// Strings in a buffer as the kernels read them.
struct PackedStrings {
    std::vector<u8> bytes;
    std::vector<u32> ends;
    std::vector<u64> padded;

    void push(const std::vector<u8>& string) {
        bytes.insert(bytes.end(), string.begin(), string.end());
        ends.push_back(static_cast<u32>(bytes.size()));
    }
    u32 first(u32 index) const { return index == 0 ? 0 : ends[index - 1]; }
    u32 length(u32 index) const { return ends[index] - first(index); }

    // Returns the bytes, with noise behind them.
    const u8* data() {
        padded.assign((bytes.size() + MATCH_PADDING + 7) / 8, 0x6341547f9e3779b9);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<u8*>(padded.data()));
        return reinterpret_cast<const u8*>(padded.data());
    }
};

inline std::vector<u8> read_hexadecimal(std::istream& in) {
    std::string word;
    in >> word;
    std::vector<u8> bytes;
    for (std::size_t at = 0; at + 1 < word.size(); at += 2) {
        bytes.push_back(static_cast<u8>(std::stoi(word.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

// The parameters that the cases of all these kernels have.
struct PairsCase {
    u64 seed;
    std::string objective;
    u32 words, plane_count, pairs;
    MatchPlanes planes;
    PackedStrings queries, targets;

    void read_planes(std::istream& in) {
        in >> plane_count;
        for (u32 plane = 0; plane < plane_count; ++plane) {
            in >> planes.shifts[plane];
        }
    }
    void read_strings(std::istream& in) {
        in >> pairs;
        for (u32 pair = 0; pair < pairs; ++pair) {
            queries.push(read_hexadecimal(in));
            targets.push(read_hexadecimal(in));
        }
    }
};

inline void print_values(const std::vector<int>& values, std::ostream& out) {
    for (const int value : values) {
        out << value << '\n';
    }
}

template <template <int> class Column, int WORDS>
void (*pairs_kernel(u32 planes))(const PairArguments&) {
    return planes == 2   ? compare_pair<Column<WORDS>, WORDS, 2>
           : planes == 5 ? compare_pair<Column<WORDS>, WORDS, 5>
                         : compare_pair<Column<WORDS>, WORDS, 8>;
}

template <template <int> class Column>
void (*pairs_kernel(u32 words, u32 planes))(const PairArguments&) {
    return words == 1   ? pairs_kernel<Column, 1>(planes)
           : words == 2 ? pairs_kernel<Column, 2>(planes)
           : words == 4 ? pairs_kernel<Column, 4>(planes)
                        : pairs_kernel<Column, 8>(planes);
}

// A case, and its values after a launch.
struct PairsLaunch {
    PairsCase input{};
    std::string layout;
    u32 threads = 0;
    std::vector<int> values;
    PairArguments args{};

    explicit PairsLaunch(std::istream& in) {
        in >> input.seed >> input.objective >> input.words >> layout >> threads;
        input.read_planes(in);
        input.read_strings(in);
        values.assign(input.pairs, -1);
        args.queries = input.queries.data();
        args.targets = input.targets.data();
        args.values = values.data();
        args.pairs = input.pairs;
        args.planes = input.planes;
        if (layout == "ends") {
            args.query_ends = input.queries.ends.data();
            args.target_ends = input.targets.ends.data();
        } else {
            args.query_length = input.queries.length(0);
            args.query_stride = layout == "shared" ? 0 : args.query_length;
            args.target_length = input.targets.length(0);
        }
    }
};

inline void run_pairs_case(std::istream& in, std::ostream& out) {
    const PairsLaunch launch(in);
    const PairsCase& input = launch.input;
    const auto kernel = input.objective == "lcs" ? pairs_kernel<SubsequenceColumn>(input.words, input.plane_count)
                                                 : pairs_kernel<DistanceColumn>(input.words, input.plane_count);
    const dim3 grid{(input.pairs + launch.threads - 1) / launch.threads, 1, 1};
    host::launch(grid, {launch.threads, 1, 1}, 0, input.seed, [&] { kernel(launch.args); });
    print_values(launch.values, out);
}

template <int ROWS>
void run_pair_trace(const PairsLaunch& launch, std::ostream& out) {
    const PairsCase& input = launch.input;
    u32 longest = 0;
    for (u32 pair = 0; pair < input.pairs; ++pair) {
        longest = std::max(longest, input.targets.length(pair));
    }
    std::vector<Alignment<ROWS>> alignments(input.pairs);
    const PairTraceArguments args{launch.args, alignments.data(), (longest + COLUMNS - 1) / COLUMNS, 0};
    const auto kernel = input.plane_count == 2   ? trace_pair<ROWS, 2>
                        : input.plane_count == 5 ? trace_pair<ROWS, 5>
                                                 : trace_pair<ROWS, 8>;
    const u32 shared = pair_trace_shared_bytes<ROWS>(launch.threads, args.quadrants);
    const dim3 grid{(input.pairs + launch.threads - 1) / launch.threads, 1, 1};
    host::launch(grid, {launch.threads, 1, 1}, shared, input.seed, [&] { kernel(args); });
    for (const Alignment<ROWS>& alignment : alignments) {
        out << '.';
        for (u32 edit = 0; edit < alignment.count; ++edit) {
            out << "=XID"[alignment.edits[edit / 16] >> edit % 16 * 2 & 3];
        }
        out << '\n';
    }
}

inline void run_pair_trace_case(std::istream& in, std::ostream& out) {
    const PairsLaunch launch(in);
    launch.input.words == 1 ? run_pair_trace<32>(launch, out) : run_pair_trace<64>(launch, out);
}

template <template <int> class Column, int WORDS>
void (*tiles_kernel(u32 planes))(const TileArguments&) {
    return planes == 2   ? compute_strips<Column<WORDS>, WORDS, 2>
           : planes == 5 ? compute_strips<Column<WORDS>, WORDS, 5>
                         : compute_strips<Column<WORDS>, WORDS, 8>;
}

template <template <int> class Column>
void (*tiles_kernel(u32 words, u32 planes))(const TileArguments&) {
    return words == 1   ? tiles_kernel<Column, 1>(planes)
           : words == 2 ? tiles_kernel<Column, 2>(planes)
                        : tiles_kernel<Column, 4>(planes);
}

// The strips of a launch.
struct TileLaunch {
    std::vector<TilePair> pairs;
    std::vector<u32> pair_of_strip;
    u64 chunks = 0;
};

// Returns part `part` of every pair; the parts end at borders of strips.
inline TileLaunch tile_launch(const PairsCase& input, u32 part, u32 parts) {
    TileLaunch launch;
    const u32 strip_rows = WARP * 32 * input.words;
    for (u32 pair = 0; pair < input.pairs; ++pair) {
        const u32 rows = input.queries.length(pair);
        const u32 strips = std::max((rows + strip_rows - 1) / strip_rows, 1u);
        const u32 first = strips * part / parts;
        const u32 until = strips * (part + 1) / parts;
        TilePair tile{};
        tile.query_first = input.queries.first(pair) + u64{first} * strip_rows;
        tile.target_first = input.targets.first(pair);
        tile.target_length = input.targets.length(pair);
        tile.first_chunk = launch.chunks + u64{first} * ((tile.target_length + WARP - 1) / WARP);
        tile.rows = std::min(rows, until * strip_rows) - std::min(rows, first * strip_rows);
        tile.first_strip = static_cast<u32>(launch.pair_of_strip.size());
        tile.open = (first > 0 ? OPEN_ABOVE : 0) | (until < strips ? OPEN_BELOW : 0);
        launch.pairs.push_back(tile);
        launch.pair_of_strip.insert(launch.pair_of_strip.end(), until - first, pair);
        launch.chunks += u64{strips + 1} * ((tile.target_length + WARP - 1) / WARP);
    }
    return launch;
}

inline void run_tiles_case(std::istream& in, std::ostream& out) {
    PairsCase input{};
    u32 warps = 0, blocks = 0, parts = 0;
    in >> input.seed >> input.objective >> input.words >> warps >> blocks >> parts;
    input.read_planes(in);
    input.read_strings(in);
    std::vector<int> values(input.pairs, 0);
    TileArguments args{};
    args.queries = input.queries.data();
    args.targets = input.targets.data();
    args.values = values.data();
    args.planes = input.planes;
    std::vector<BandDeltas> chunks(tile_launch(input, 0, 1).chunks, BandDeltas{0, 0});
    args.chunks = chunks.data();
    const auto kernel = input.objective == "lcs" ? tiles_kernel<SubsequenceColumn>(input.words, input.plane_count)
                                                 : tiles_kernel<DistanceColumn>(input.words, input.plane_count);
    for (u32 part = 0; part < parts; ++part) {
        const TileLaunch launch = tile_launch(input, part, parts);
        u32 next_strip = 0;
        args.pairs = launch.pairs.data();
        args.pair_of_strip = launch.pair_of_strip.data();
        args.next_strip = &next_strip;
        args.strips = static_cast<u32>(launch.pair_of_strip.size());
        const u32 shared = tile_shared_bytes<8>(WARP * warps);
        host::launch({blocks, 1, 1}, {WARP * warps, 1, 1}, shared, input.seed, [&] { kernel(args); });
    }
    print_values(values, out);
}
