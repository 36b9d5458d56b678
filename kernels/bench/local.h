// Benchmark of local.cu: a query against a database with the number of sequences and of residues of an early Swiss-Prot.
#pragma once

#include <cmath>
#include <numeric>

#include "../local.cu"
#include "scored.h"

template <typename Cell, int ROWS>
__global__ void __launch_bounds__(LOCAL_THREADS, Cell::TARGETS == 1 || ROWS > 48 ? 1 : local_blocks(ROWS))
    local_kernel(const LocalArguments args) {
    search_targets<Cell, ROWS>(args);
}

// Targets on the device, by falling length.
struct LocalTargets {
    std::vector<LocalTarget> host;
    Codes host_codes;
    Device<u8> codes;
    Device<LocalTarget> targets;

    LocalTargets(std::vector<LocalTarget> host, Codes host_codes)
        : host(std::move(host)), host_codes(std::move(host_codes)), codes(this->host_codes), targets(this->host) {}

    double residues() const { return static_cast<double>(host_codes.size()); }

    static LocalTargets random(u32 count, double mean, u32 longest, u32 classes) {
        std::mt19937_64 random(count);
        const double spread = 0.75;
        std::lognormal_distribution<double> lengths(std::log(mean) - spread * spread / 2, spread);
        std::vector<LocalTarget> targets{{0, longest}};
        for (u32 at = 1; at < count; ++at) {
            targets.push_back({0, static_cast<u32>(std::min<double>(lengths(random) + 1, longest))});
        }
        std::sort(targets.begin(), targets.end(), [](const auto& a, const auto& b) { return a.length > b.length; });
        u32 residues = 0;
        for (LocalTarget& target : targets) {
            target.first = residues;
            residues += target.length;
        }
        return {targets, random_string(count, residues, classes)};
    }

    Codes string(u32 target) const {
        const u8* first = &host_codes[host[target].first];
        return {first, first + host[target].length};
    }
};

template <typename Cell, int ROWS>
struct LocalSearch {
    const BenchScoring& scoring;
    const LocalTargets& database;
    Codes query;
    u32 lanes, strips;
    Device<BestCell> scores;
    Device<u32> next;
    Device<LocalBorder> borders;
    std::vector<Device<u8>*> profiles;

    LocalSearch(const BenchScoring& scoring, const LocalTargets& database, const Codes& query, u32 lanes)
        : scoring(scoring), database(database), query(query), lanes(lanes),
          strips((static_cast<u32>(query.size()) + ROWS * lanes - 1) / (ROWS * lanes)), scores(database.host.size()), next(1),
          borders(strips > 1 ? database.host_codes.size() : 0) {
        for (u32 strip = 0; strip < strips; ++strip) {
            profiles.push_back(new Device<u8>(profile(strip * ROWS * lanes)));
        }
    }
    ~LocalSearch() {
        for (Device<u8>* profile : profiles) {
            delete profile;
        }
    }

    std::vector<u8> profile(u32 first_row) const {
        std::vector<u8> profile((scoring.classes + 1) * ROWS * lanes, 0x80);
        for (u32 row = 0; row < ROWS * lanes && first_row + row < query.size(); ++row) {
            for (u32 code = 0; code < scoring.classes; ++code) {
                const u32 chunk = row % ROWS / 16;
                profile[((code * (ROWS / 16) + chunk) * lanes + row / ROWS) * 16 + row % 16] =
                    static_cast<u8>(scoring.score(query[first_row + row], code));
            }
        }
        return profile;
    }

    void run() {
        const auto kernel = local_kernel<Cell, ROWS>;
        const u32 threads = LOCAL_THREADS, shared = local_shared_bytes(ROWS, lanes, scoring.classes + 1, threads);
        must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
        int processors = 0, blocks = 0;
        must(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
        must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared), "occupancy");
        scores.clear();
        for (u32 strip = 0; strip < strips; ++strip) {
            next.clear();
            kernel<<<processors * blocks, threads, shared>>>({database.codes.data, database.targets.data, profiles[strip]->data,
                                                              borders.data, scores.data, next.data,
                                                              static_cast<u32>(database.host.size()), lanes, scoring.classes + 1,
                                                              strip * ROWS * lanes, strip + 1 == strips, scoring.open,
                                                              scoring.extend, std::max(scoring.max_score(), 0)});
        }
    }
};

// Compares the scores of a small database with the reference.
template <typename Cell, int ROWS>
void check_local(const BenchScoring& scoring, const LocalTargets& database, u32 rows, u32 lanes) {
    Codes query = random_string(rows, rows, scoring.classes);
    // A part of a target, with edits.
    const Codes part = changed_string(9, database.string(2), scoring.classes);
    std::copy_n(part.begin(), std::min(part.size(), query.size() / 2), query.begin() + rows / 4);
    LocalSearch<Cell, ROWS> search(scoring, database, query, lanes);
    search.run();
    const std::vector<BestCell> found = search.scores.read(search.scores.length);
    i32 largest = 0;
    for (u32 target = 0; target < found.size(); ++target) {
        const BestCell best = reference_score(scoring, query, database.string(target), true);
        expect(found[target].score == best.score, "local: a score differs from the reference");
        expect(Cell::TARGETS == 2 || (found[target].row == best.row && found[target].column == best.column),
               "local: the end of an alignment differs from the reference");
        largest = std::max(largest, best.score);
    }
    std::printf("checked    local: %u bits, %zu targets, %u rows, %d x %u, scores to %d\n", Cell::TARGETS == 2 ? 16 : 32,
                found.size(), rows, ROWS, lanes, largest);
}

template <typename Cell, int ROWS>
std::vector<BestCell> time_local(const BenchScoring& scoring, const LocalTargets& database, u32 rows, u32 lanes) {
    LocalSearch<Cell, ROWS> search(scoring, database, random_string(7, rows, scoring.classes), lanes);
    const double time = seconds([&] { search.run(); });
    char size[64];
    std::snprintf(size, sizeof size, "%u rows, %u bits, %d x %u", rows, Cell::TARGETS == 2 ? 16 : 32, ROWS, lanes);
    row("local", size, time, database.residues(), database.residues() * rows, database.host.size());
    return search.scores.read(search.scores.length);
}

inline void bench_local() {
    const BenchScoring scoring = protein_scoring();
    const LocalTargets few = LocalTargets::random(300, 120, 900, scoring.classes);
    check_local<HalfScores, 16>(scoring, few, 100, 8);
    check_local<HalfScores, 16>(scoring, few, 700, 8);
    check_local<HalfScores, 32>(scoring, few, 1000, 32);
    check_local<HalfScores, 48>(scoring, few, 2000, 16);
    check_local<WordScores, 16>(scoring, few, 100, 4);
    check_local<WordScores, 32>(scoring, few, 1500, 32);
    const LocalTargets database = LocalTargets::random(392'768, 357, 35'213, scoring.classes);
    std::printf("%zu residues\n", database.host_codes.size());
    const auto halves = time_local<HalfScores, 32>(scoring, database, 1024, 32);
    time_local<HalfScores, 16>(scoring, database, 1024, 32);
    time_local<HalfScores, 64>(scoring, database, 1024, 16);
    time_local<HalfScores, 48>(scoring, database, 1536, 32);
    time_local<HalfScores, 48>(scoring, database, 768, 16);
    time_local<HalfScores, 32>(scoring, database, 512, 16);
    time_local<HalfScores, 16>(scoring, database, 512, 32);
    time_local<HalfScores, 32>(scoring, database, 256, 8);
    time_local<HalfScores, 16>(scoring, database, 256, 16);
    time_local<HalfScores, 16>(scoring, database, 128, 8);
    time_local<HalfScores, 16>(scoring, database, 64, 4);
    time_local<HalfScores, 16>(scoring, database, 32, 2);
    time_local<HalfScores, 16>(scoring, database, 16, 1);
    time_local<HalfScores, 48>(scoring, database, 5000, 32);
    const auto words = time_local<WordScores, 32>(scoring, database, 1024, 32);
    time_local<WordScores, 16>(scoring, database, 256, 16);
    for (u32 target = 0; target < halves.size(); ++target) {
        expect(halves[target].score == words[target].score, "local: scores of 16 and 32 bits differ");
    }
    std::printf("checked    local: scores of 16 and 32 bits are equal\n");
}
