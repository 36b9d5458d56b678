// The layout of the structures that the kernels share with the host, as crates/device/src/abi.rs declares them.
//
// NIGH_UPDATE_DOCUMENTS=1 cargo test -p nigh-device --features cuda abi writes this file. Include it after the
// source of all kernels.
#pragma once

#include <cstddef>

static_assert(sizeof(Hit) == 12);
static_assert(offsetof(Hit, symbol) == 0);
static_assert(offsetof(Hit, pattern) == 4);
static_assert(offsetof(Hit, distance) == 8);

static_assert(sizeof(HitBuffer) == 24);
static_assert(offsetof(HitBuffer, hits) == 0);
static_assert(offsetof(HitBuffer, capacity) == 8);
static_assert(offsetof(HitBuffer, found) == 16);

static_assert(sizeof(CodeRange) == 12);
static_assert(offsetof(CodeRange, first) == 0);
static_assert(offsetof(CodeRange, last) == 4);
static_assert(offsetof(CodeRange, code) == 8);

static_assert(sizeof(SymbolArguments) == 96);
static_assert(offsetof(SymbolArguments, text) == 0);
static_assert(offsetof(SymbolArguments, codes_of_bytes) == 8);
static_assert(offsetof(SymbolArguments, ranges) == 16);
static_assert(offsetof(SymbolArguments, before) == 24);
static_assert(offsetof(SymbolArguments, codes) == 32);
static_assert(offsetof(SymbolArguments, ends) == 40);
static_assert(offsetof(SymbolArguments, found) == 48);
static_assert(offsetof(SymbolArguments, selected) == 56);
static_assert(offsetof(SymbolArguments, done) == 64);
static_assert(offsetof(SymbolArguments, length) == 72);
static_assert(offsetof(SymbolArguments, chunks) == 76);
static_assert(offsetof(SymbolArguments, kind) == 80);
static_assert(offsetof(SymbolArguments, range_count) == 84);
static_assert(offsetof(SymbolArguments, selected_words) == 88);
static_assert(offsetof(SymbolArguments, unused) == 92);

static_assert(sizeof(PlaceArguments) == 80);
static_assert(offsetof(PlaceArguments, buffer) == 0);
static_assert(offsetof(PlaceArguments, ends) == 24);
static_assert(offsetof(PlaceArguments, symbols) == 32);
static_assert(offsetof(PlaceArguments, text) == 40);
static_assert(offsetof(PlaceArguments, reaches) == 48);
static_assert(offsetof(PlaceArguments, windows) == 56);
static_assert(offsetof(PlaceArguments, first) == 64);
static_assert(offsetof(PlaceArguments, context) == 68);
static_assert(offsetof(PlaceArguments, separator) == 72);
static_assert(offsetof(PlaceArguments, window_count) == 76);

static_assert(sizeof(PackArguments) == 32);
static_assert(offsetof(PackArguments, codes) == 0);
static_assert(offsetof(PackArguments, packed) == 8);
static_assert(offsetof(PackArguments, symbols) == 16);
static_assert(offsetof(PackArguments, packed_words) == 20);
static_assert(offsetof(PackArguments, plane_count) == 24);
static_assert(offsetof(PackArguments, unused) == 28);

static_assert(sizeof(TransposeArguments) == 32);
static_assert(offsetof(TransposeArguments, packed) == 0);
static_assert(offsetof(TransposeArguments, planes) == 8);
static_assert(offsetof(TransposeArguments, packed_words) == 16);
static_assert(offsetof(TransposeArguments, words) == 20);
static_assert(offsetof(TransposeArguments, steps) == 24);
static_assert(offsetof(TransposeArguments, plane_count) == 28);

static_assert(sizeof(SlicedPattern) == 688);
static_assert(offsetof(SlicedPattern, id) == 0);
static_assert(offsetof(SlicedPattern, rows) == 4);
static_assert(offsetof(SlicedPattern, k) == 8);
static_assert(offsetof(SlicedPattern, unions) == 12);
static_assert(offsetof(SlicedPattern, until) == 16);
static_assert(offsetof(SlicedPattern, codes) == 48);
static_assert(offsetof(SlicedPattern, slots) == 112);
static_assert(offsetof(SlicedPattern, members) == 176);

static_assert(sizeof(FirstHitFilter) == 40);
static_assert(offsetof(FirstHitFilter, text) == 0);
static_assert(offsetof(FirstHitFilter, ends) == 8);
static_assert(offsetof(FirstHitFilter, selected) == 16);
static_assert(offsetof(FirstHitFilter, after) == 24);
static_assert(offsetof(FirstHitFilter, until) == 28);
static_assert(offsetof(FirstHitFilter, separator) == 32);
static_assert(offsetof(FirstHitFilter, unused) == 36);

static_assert(sizeof(SlicedArguments) == 120);
static_assert(offsetof(SlicedArguments, planes) == 0);
static_assert(offsetof(SlicedArguments, patterns) == 8);
static_assert(offsetof(SlicedArguments, buffer) == 16);
static_assert(offsetof(SlicedArguments, symbols) == 40);
static_assert(offsetof(SlicedArguments, words) == 44);
static_assert(offsetof(SlicedArguments, steps) == 48);
static_assert(offsetof(SlicedArguments, plane_count) == 52);
static_assert(offsetof(SlicedArguments, pattern_count) == 56);
static_assert(offsetof(SlicedArguments, patterns_in_group) == 60);
static_assert(offsetof(SlicedArguments, first_tile) == 64);
static_assert(offsetof(SlicedArguments, unused) == 68);
static_assert(offsetof(SlicedArguments, order) == 72);
static_assert(offsetof(SlicedArguments, filter) == 80);

static_assert(sizeof(BandedPattern) == 1648);
static_assert(offsetof(BandedPattern, id) == 0);
static_assert(offsetof(BandedPattern, rows) == 4);
static_assert(offsetof(BandedPattern, k) == 8);
static_assert(offsetof(BandedPattern, unions) == 12);
static_assert(offsetof(BandedPattern, until) == 16);
static_assert(offsetof(BandedPattern, codes) == 48);
static_assert(offsetof(BandedPattern, members) == 112);
static_assert(offsetof(BandedPattern, slots) == 624);

static_assert(sizeof(BandedArguments) == 88);
static_assert(offsetof(BandedArguments, planes) == 0);
static_assert(offsetof(BandedArguments, patterns) == 8);
static_assert(offsetof(BandedArguments, buffer) == 16);
static_assert(offsetof(BandedArguments, deltas) == 40);
static_assert(offsetof(BandedArguments, symbols) == 48);
static_assert(offsetof(BandedArguments, words) == 52);
static_assert(offsetof(BandedArguments, steps) == 56);
static_assert(offsetof(BandedArguments, plane_count) == 60);
static_assert(offsetof(BandedArguments, pattern_count) == 64);
static_assert(offsetof(BandedArguments, patterns_in_group) == 68);
static_assert(offsetof(BandedArguments, first_tile) == 72);
static_assert(offsetof(BandedArguments, bands) == 76);
static_assert(offsetof(BandedArguments, warm_up) == 80);
static_assert(offsetof(BandedArguments, unused) == 84);

static_assert(sizeof(Automaton) == 64);
static_assert(offsetof(Automaton, id) == 0);
static_assert(offsetof(Automaton, k) == 4);
static_assert(offsetof(Automaton, states) == 8);
static_assert(offsetof(Automaton, initial) == 12);
static_assert(offsetof(Automaton, sets) == 16);
static_assert(offsetof(Automaton, conditions) == 20);
static_assert(offsetof(Automaton, accepting) == 24);
static_assert(offsetof(Automaton, warm_up) == 28);
static_assert(offsetof(Automaton, program) == 32);
static_assert(offsetof(Automaton, cubes) == 36);
static_assert(offsetof(Automaton, contexts) == 40);
static_assert(offsetof(Automaton, starts) == 44);
static_assert(offsetof(Automaton, readers) == 48);
static_assert(offsetof(Automaton, further) == 52);
static_assert(offsetof(Automaton, ends) == 56);
static_assert(offsetof(Automaton, unused) == 60);

static_assert(sizeof(AutomatonArguments) == 120);
static_assert(offsetof(AutomatonArguments, planes) == 0);
static_assert(offsetof(AutomatonArguments, automata) == 8);
static_assert(offsetof(AutomatonArguments, programs) == 16);
static_assert(offsetof(AutomatonArguments, states) == 24);
static_assert(offsetof(AutomatonArguments, buffer) == 32);
static_assert(offsetof(AutomatonArguments, symbols) == 56);
static_assert(offsetof(AutomatonArguments, words) == 60);
static_assert(offsetof(AutomatonArguments, steps) == 64);
static_assert(offsetof(AutomatonArguments, plane_count) == 68);
static_assert(offsetof(AutomatonArguments, columns) == 72);
static_assert(offsetof(AutomatonArguments, unused) == 76);
static_assert(offsetof(AutomatonArguments, filter) == 80);

static_assert(sizeof(WordPattern) == 16);
static_assert(offsetof(WordPattern, id) == 0);
static_assert(offsetof(WordPattern, rows) == 4);
static_assert(offsetof(WordPattern, k) == 8);
static_assert(offsetof(WordPattern, unused) == 12);

static_assert(sizeof(Seed) == 8);
static_assert(offsetof(Seed, pattern) == 0);
static_assert(offsetof(Seed, after) == 4);

static_assert(sizeof(SeedPattern) == 8);
static_assert(offsetof(SeedPattern, rows) == 0);
static_assert(offsetof(SeedPattern, k) == 4);

static_assert(sizeof(SeedArguments) == 136);
static_assert(offsetof(SeedArguments, packed) == 0);
static_assert(offsetof(SeedArguments, codes) == 8);
static_assert(offsetof(SeedArguments, starts) == 16);
static_assert(offsetof(SeedArguments, entries) == 24);
static_assert(offsetof(SeedArguments, wild) == 32);
static_assert(offsetof(SeedArguments, seed_of) == 40);
static_assert(offsetof(SeedArguments, seeds) == 48);
static_assert(offsetof(SeedArguments, patterns) == 56);
static_assert(offsetof(SeedArguments, equal) == 64);
static_assert(offsetof(SeedArguments, known) == 72);
static_assert(offsetof(SeedArguments, buffer) == 80);
static_assert(offsetof(SeedArguments, symbols) == 104);
static_assert(offsetof(SeedArguments, packed_words) == 108);
static_assert(offsetof(SeedArguments, known_mask) == 112);
static_assert(offsetof(SeedArguments, code_count) == 116);
static_assert(offsetof(SeedArguments, rows) == 120);
static_assert(offsetof(SeedArguments, first_pattern) == 124);
static_assert(offsetof(SeedArguments, pattern_count) == 128);
static_assert(offsetof(SeedArguments, unused) == 132);

static_assert(sizeof(WordArguments) == 96);
static_assert(offsetof(WordArguments, codes) == 0);
static_assert(offsetof(WordArguments, patterns) == 8);
static_assert(offsetof(WordArguments, equal) == 16);
static_assert(offsetof(WordArguments, deltas) == 24);
static_assert(offsetof(WordArguments, buffer) == 32);
static_assert(offsetof(WordArguments, symbols) == 56);
static_assert(offsetof(WordArguments, segment_symbols) == 60);
static_assert(offsetof(WordArguments, segments) == 64);
static_assert(offsetof(WordArguments, warm_up) == 68);
static_assert(offsetof(WordArguments, code_count) == 72);
static_assert(offsetof(WordArguments, bands) == 76);
static_assert(offsetof(WordArguments, first_band) == 80);
static_assert(offsetof(WordArguments, bands_of_block) == 84);
static_assert(offsetof(WordArguments, segments_of_block) == 88);
static_assert(offsetof(WordArguments, unused) == 92);

static_assert(sizeof(Window) == 12);
static_assert(offsetof(Window, first) == 0);
static_assert(offsetof(Window, end) == 4);
static_assert(offsetof(Window, pattern) == 8);

static_assert(sizeof(TracedHits) == 32);
static_assert(offsetof(TracedHits, windows) == 0);
static_assert(offsetof(TracedHits, places) == 8);
static_assert(offsetof(TracedHits, found) == 16);
static_assert(offsetof(TracedHits, before) == 24);
static_assert(offsetof(TracedHits, limit) == 28);

static_assert(sizeof(QuadrantArguments) == 72);
static_assert(offsetof(QuadrantArguments, codes) == 0);
static_assert(offsetof(QuadrantArguments, equal) == 8);
static_assert(offsetof(QuadrantArguments, rows) == 16);
static_assert(offsetof(QuadrantArguments, hits) == 24);
static_assert(offsetof(QuadrantArguments, alignments) == 56);
static_assert(offsetof(QuadrantArguments, code_count) == 64);
static_assert(offsetof(QuadrantArguments, quadrants) == 68);

static_assert(sizeof(WalkArguments) == 88);
static_assert(offsetof(WalkArguments, codes) == 0);
static_assert(offsetof(WalkArguments, equal) == 8);
static_assert(offsetof(WalkArguments, rows) == 16);
static_assert(offsetof(WalkArguments, hits) == 24);
static_assert(offsetof(WalkArguments, alignments) == 56);
static_assert(offsetof(WalkArguments, borders) == 64);
static_assert(offsetof(WalkArguments, border_words) == 72);
static_assert(offsetof(WalkArguments, code_count) == 76);
static_assert(offsetof(WalkArguments, alignment_words) == 80);
static_assert(offsetof(WalkArguments, unused) == 84);

static_assert(sizeof(MatchPlanes) == 32);
static_assert(offsetof(MatchPlanes, shifts) == 0);

static_assert(sizeof(PairArguments) == 88);
static_assert(offsetof(PairArguments, queries) == 0);
static_assert(offsetof(PairArguments, targets) == 8);
static_assert(offsetof(PairArguments, query_ends) == 16);
static_assert(offsetof(PairArguments, target_ends) == 24);
static_assert(offsetof(PairArguments, values) == 32);
static_assert(offsetof(PairArguments, pairs) == 40);
static_assert(offsetof(PairArguments, query_length) == 44);
static_assert(offsetof(PairArguments, query_stride) == 48);
static_assert(offsetof(PairArguments, target_length) == 52);
static_assert(offsetof(PairArguments, planes) == 56);

static_assert(sizeof(PairTraceArguments) == 104);
static_assert(offsetof(PairTraceArguments, pairs) == 0);
static_assert(offsetof(PairTraceArguments, alignments) == 88);
static_assert(offsetof(PairTraceArguments, quadrants) == 96);
static_assert(offsetof(PairTraceArguments, unused) == 100);

static_assert(sizeof(TilePair) == 40);
static_assert(offsetof(TilePair, query_first) == 0);
static_assert(offsetof(TilePair, target_first) == 8);
static_assert(offsetof(TilePair, first_chunk) == 16);
static_assert(offsetof(TilePair, rows) == 24);
static_assert(offsetof(TilePair, target_length) == 28);
static_assert(offsetof(TilePair, first_strip) == 32);
static_assert(offsetof(TilePair, open) == 36);

static_assert(sizeof(TileArguments) == 96);
static_assert(offsetof(TileArguments, queries) == 0);
static_assert(offsetof(TileArguments, targets) == 8);
static_assert(offsetof(TileArguments, pairs) == 16);
static_assert(offsetof(TileArguments, pair_of_strip) == 24);
static_assert(offsetof(TileArguments, chunks) == 32);
static_assert(offsetof(TileArguments, next_strip) == 40);
static_assert(offsetof(TileArguments, values) == 48);
static_assert(offsetof(TileArguments, strips) == 56);
static_assert(offsetof(TileArguments, planes) == 60);
static_assert(offsetof(TileArguments, unused) == 92);

static_assert(sizeof(BestCell) == 12);
static_assert(offsetof(BestCell, score) == 0);
static_assert(offsetof(BestCell, row) == 4);
static_assert(offsetof(BestCell, column) == 8);

static_assert(sizeof(LocalTarget) == 8);
static_assert(offsetof(LocalTarget, first) == 0);
static_assert(offsetof(LocalTarget, length) == 4);

static_assert(sizeof(LocalBorder) == 8);
static_assert(offsetof(LocalBorder, score) == 0);
static_assert(offsetof(LocalBorder, gap) == 4);

static_assert(sizeof(LocalArguments) == 80);
static_assert(offsetof(LocalArguments, codes) == 0);
static_assert(offsetof(LocalArguments, targets) == 8);
static_assert(offsetof(LocalArguments, profile) == 16);
static_assert(offsetof(LocalArguments, borders) == 24);
static_assert(offsetof(LocalArguments, scores) == 32);
static_assert(offsetof(LocalArguments, next) == 40);
static_assert(offsetof(LocalArguments, target_count) == 48);
static_assert(offsetof(LocalArguments, lanes) == 52);
static_assert(offsetof(LocalArguments, code_count) == 56);
static_assert(offsetof(LocalArguments, first_row) == 60);
static_assert(offsetof(LocalArguments, is_last) == 64);
static_assert(offsetof(LocalArguments, open) == 68);
static_assert(offsetof(LocalArguments, extend) == 72);
static_assert(offsetof(LocalArguments, max_score) == 76);

static_assert(sizeof(TileBorder) == 8);
static_assert(offsetof(TileBorder, score) == 0);
static_assert(offsetof(TileBorder, gap) == 4);

static_assert(sizeof(ScoreTileArguments) == 88);
static_assert(offsetof(ScoreTileArguments, codes) == 0);
static_assert(offsetof(ScoreTileArguments, profile) == 8);
static_assert(offsetof(ScoreTileArguments, above) == 16);
static_assert(offsetof(ScoreTileArguments, left) == 24);
static_assert(offsetof(ScoreTileArguments, best) == 32);
static_assert(offsetof(ScoreTileArguments, above_stride) == 40);
static_assert(offsetof(ScoreTileArguments, left_stride) == 48);
static_assert(offsetof(ScoreTileArguments, rows) == 56);
static_assert(offsetof(ScoreTileArguments, columns) == 60);
static_assert(offsetof(ScoreTileArguments, code_count) == 64);
static_assert(offsetof(ScoreTileArguments, diagonal) == 68);
static_assert(offsetof(ScoreTileArguments, is_local) == 72);
static_assert(offsetof(ScoreTileArguments, open) == 76);
static_assert(offsetof(ScoreTileArguments, extend) == 80);
static_assert(offsetof(ScoreTileArguments, unused) == 84);

static_assert(sizeof(TraceTilesArguments) == 112);
static_assert(offsetof(TraceTilesArguments, tiles) == 0);
static_assert(offsetof(TraceTilesArguments, result) == 88);
static_assert(offsetof(TraceTilesArguments, end_row) == 96);
static_assert(offsetof(TraceTilesArguments, end_column) == 100);
static_assert(offsetof(TraceTilesArguments, unused) == 104);

static_assert(sizeof(RowsPair) == 32);
static_assert(offsetof(RowsPair, profile) == 0);
static_assert(offsetof(RowsPair, steps) == 8);
static_assert(offsetof(RowsPair, query) == 16);
static_assert(offsetof(RowsPair, rows) == 20);
static_assert(offsetof(RowsPair, columns) == 24);
static_assert(offsetof(RowsPair, unused) == 28);

static_assert(sizeof(RowsArguments) == 64);
static_assert(offsetof(RowsArguments, codes) == 0);
static_assert(offsetof(RowsArguments, profiles) == 8);
static_assert(offsetof(RowsArguments, pairs) == 16);
static_assert(offsetof(RowsArguments, steps) == 24);
static_assert(offsetof(RowsArguments, scores) == 32);
static_assert(offsetof(RowsArguments, results) == 40);
static_assert(offsetof(RowsArguments, result_words) == 48);
static_assert(offsetof(RowsArguments, open) == 52);
static_assert(offsetof(RowsArguments, extend) == 56);
static_assert(offsetof(RowsArguments, keeps) == 60);
