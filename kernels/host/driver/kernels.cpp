// Compiles the source of the kernels for the host, and lists for each function of each PTX module the kernel that runs.
#include <type_traits>

#include "../../automaton.cu"
#include "../../bands.cu"
#include "../../local.cu"
#include "../../pair_trace.cu"
#include "../../pairs.cu"
#include "../../planes.cu"
#include "../../quadrant.cu"
#include "../../scan.cu"
#include "../../score_rows.cu"
#include "../../score_tiles.cu"
#include "../../seeds.cu"
#include "../../sliced.cu"
#include "../../symbols.cu"
#include "../../tiles.cu"
#include "../../walk.cu"
#include "../../word.cu"
// Included after the kernels, because it checks their structures.
#include "../layout.h"
#include "modules.h"

namespace standin {

template <typename Arguments>
std::decay_t<Arguments> argument_of(void (*)(Arguments));

template <auto RUN>
static Kernel kernel(const char* source, const char* definition, const char* name) {
    using Arguments = decltype(argument_of(RUN));
    return {source, definition, name, sizeof(Arguments),
            [](const void* arguments) { RUN(*static_cast<const Arguments*>(arguments)); }};
}

static const Kernel KERNELS[] = {
    kernel<pack>("planes.cu", "", "pack"),
    kernel<transpose>("planes.cu", "", "transpose"),
    kernel<count_symbols>("symbols.cu", "", "count_symbols"),
    kernel<encode_symbols>("symbols.cu", "", "encode_symbols"),
    kernel<place_hits>("symbols.cu", "", "place_hits"),
    kernel<scan_group<4>>("sliced.cu", "-DNIGH_ROWS=4", "sliced"),
    kernel<scan_group<8>>("sliced.cu", "-DNIGH_ROWS=8", "sliced"),
    kernel<scan_group<12>>("sliced.cu", "-DNIGH_ROWS=12", "sliced"),
    kernel<scan_group<16>>("sliced.cu", "-DNIGH_ROWS=16", "sliced"),
    kernel<scan_group<20>>("sliced.cu", "-DNIGH_ROWS=20", "sliced"),
    kernel<scan_group<24>>("sliced.cu", "-DNIGH_ROWS=24", "sliced"),
    kernel<scan_group<28>>("sliced.cu", "-DNIGH_ROWS=28", "sliced"),
    kernel<scan_group<32>>("sliced.cu", "-DNIGH_ROWS=32", "sliced"),
    kernel<scan_group<40>>("sliced.cu", "-DNIGH_ROWS=40", "sliced"),
    kernel<scan_group<48>>("sliced.cu", "-DNIGH_ROWS=48", "sliced"),
    kernel<scan_group<56>>("sliced.cu", "-DNIGH_ROWS=56", "sliced"),
    kernel<scan_group<64>>("sliced.cu", "-DNIGH_ROWS=64", "sliced"),
    kernel<scan_bands<40>>("bands.cu", "-DNIGH_ROWS=40", "bands"),
    kernel<scan_bands<48>>("bands.cu", "-DNIGH_ROWS=48", "bands"),
    kernel<scan_bands<56>>("bands.cu", "-DNIGH_ROWS=56", "bands"),
    kernel<scan_bands<64>>("bands.cu", "-DNIGH_ROWS=64", "bands"),
    kernel<automaton>("automaton.cu", "", "automaton"),
    kernel<automaton_in_memory>("automaton.cu", "", "automaton_in_memory"),
    kernel<search_seeds<1>>("seeds.cu", "-DNIGH_EDITS=1", "seeds"),
    kernel<search_seeds<2>>("seeds.cu", "-DNIGH_EDITS=2", "seeds"),
    kernel<search_seeds<3>>("seeds.cu", "-DNIGH_EDITS=3", "seeds"),
    kernel<search_seeds<4>>("seeds.cu", "-DNIGH_EDITS=4", "seeds"),
    kernel<search_seeds<5>>("seeds.cu", "-DNIGH_EDITS=5", "seeds"),
    kernel<scan_segments<1>>("word.cu", "-DNIGH_WORDS=1", "word"),
    kernel<scan_segments<2>>("word.cu", "-DNIGH_WORDS=2", "word"),
    kernel<scan_segments<4>>("word.cu", "-DNIGH_WORDS=4", "word"),
    kernel<trace<32>>("quadrant.cu", "-DNIGH_ROWS=32", "quadrant"),
    kernel<trace<64>>("quadrant.cu", "-DNIGH_ROWS=64", "quadrant"),
    kernel<walk_hits<1>>("walk.cu", "-DNIGH_WORDS=1", "walk"),
    kernel<walk_hits<2>>("walk.cu", "-DNIGH_WORDS=2", "walk"),
    kernel<walk_hits<4>>("walk.cu", "-DNIGH_WORDS=4", "walk"),
    kernel<scan_segment<1>>("scan.cu", "-DNIGH_WORDS=1", "scan"),
    kernel<scan_segment<2>>("scan.cu", "-DNIGH_WORDS=2", "scan"),
    kernel<scan_segment<4>>("scan.cu", "-DNIGH_WORDS=4", "scan"),
    kernel<compare_pair<DistanceColumn<1>, 1, 8>>("pairs.cu", "-DNIGH_WORDS=1", "pairs_distance"),
    kernel<compare_pair<SubsequenceColumn<1>, 1, 8>>("pairs.cu", "-DNIGH_WORDS=1", "pairs_lcs"),
    kernel<compare_pair<DistanceColumn<2>, 2, 8>>("pairs.cu", "-DNIGH_WORDS=2", "pairs_distance"),
    kernel<compare_pair<SubsequenceColumn<2>, 2, 8>>("pairs.cu", "-DNIGH_WORDS=2", "pairs_lcs"),
    kernel<compare_pair<DistanceColumn<4>, 4, 8>>("pairs.cu", "-DNIGH_WORDS=4", "pairs_distance"),
    kernel<compare_pair<SubsequenceColumn<4>, 4, 8>>("pairs.cu", "-DNIGH_WORDS=4", "pairs_lcs"),
    kernel<compare_pair<DistanceColumn<8>, 8, 8>>("pairs.cu", "-DNIGH_WORDS=8", "pairs_distance"),
    kernel<compare_pair<SubsequenceColumn<8>, 8, 8>>("pairs.cu", "-DNIGH_WORDS=8", "pairs_lcs"),
    kernel<compute_strips<DistanceColumn<1>, 1, 2>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_distance_2"),
    kernel<compute_strips<DistanceColumn<1>, 1, 5>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_distance_5"),
    kernel<compute_strips<DistanceColumn<1>, 1, 8>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_distance_8"),
    kernel<compute_strips<SubsequenceColumn<1>, 1, 2>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_lcs_2"),
    kernel<compute_strips<SubsequenceColumn<1>, 1, 5>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_lcs_5"),
    kernel<compute_strips<SubsequenceColumn<1>, 1, 8>>("tiles.cu", "-DNIGH_WORDS=1", "tiles_lcs_8"),
    kernel<compute_strips<DistanceColumn<2>, 2, 2>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_distance_2"),
    kernel<compute_strips<DistanceColumn<2>, 2, 5>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_distance_5"),
    kernel<compute_strips<DistanceColumn<2>, 2, 8>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_distance_8"),
    kernel<compute_strips<SubsequenceColumn<2>, 2, 2>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_lcs_2"),
    kernel<compute_strips<SubsequenceColumn<2>, 2, 5>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_lcs_5"),
    kernel<compute_strips<SubsequenceColumn<2>, 2, 8>>("tiles.cu", "-DNIGH_WORDS=2", "tiles_lcs_8"),
    kernel<compute_strips<DistanceColumn<4>, 4, 2>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_distance_2"),
    kernel<compute_strips<DistanceColumn<4>, 4, 5>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_distance_5"),
    kernel<compute_strips<DistanceColumn<4>, 4, 8>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_distance_8"),
    kernel<compute_strips<SubsequenceColumn<4>, 4, 2>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_lcs_2"),
    kernel<compute_strips<SubsequenceColumn<4>, 4, 5>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_lcs_5"),
    kernel<compute_strips<SubsequenceColumn<4>, 4, 8>>("tiles.cu", "-DNIGH_WORDS=4", "tiles_lcs_8"),
    kernel<trace_pair<32, 8>>("pair_trace.cu", "-DNIGH_ROWS=32", "pairs_trace"),
    kernel<trace_pair<64, 8>>("pair_trace.cu", "-DNIGH_ROWS=64", "pairs_trace"),
    kernel<search_targets<HalfScores, 16>>("local.cu", "-DNIGH_HALF_ROWS=16", "local_halves"),
    kernel<search_targets<HalfScores, 32>>("local.cu", "-DNIGH_HALF_ROWS=32", "local_halves"),
    kernel<search_targets<HalfScores, 48>>("local.cu", "-DNIGH_HALF_ROWS=48", "local_halves"),
    kernel<search_targets<WordScores, 32>>("local.cu", "-DNIGH_WORD_ROWS=32", "local_words"),
    kernel<align_tiles>("score_tiles.cu", "", "align_tiles"),
    kernel<trace_tiles>("score_tiles.cu", "", "trace_tiles"),
    kernel<align_rows>("score_rows.cu", "", "align_rows"),
};

const Kernel& find_kernel(const std::string& source, const std::string& definitions, const std::string& name) {
    for (const Kernel& kernel : KERNELS) {
        if (source == kernel.source && definitions == kernel.definition && name == kernel.name) {
            return kernel;
        }
    }
    stop("kernels/host/driver/kernels.cpp does not list function '%s' of %s with the definitions '%s'", name.c_str(), source.c_str(),
         definitions.c_str());
}

void run_kernel(const Kernel& kernel, const Geometry& geometry, std::uint64_t seed, const void* arguments) {
    const dim3 grid{geometry.blocks_x, geometry.blocks_y, 1};
    const dim3 block{geometry.threads_x, geometry.threads_y, 1};
    host::launch(grid, block, geometry.shared, seed, [&] { kernel.run(arguments); });
}

}  // namespace standin
