// Measures the speed of the kernels. A time is the median of seven runs, measured with events. The device generates the text.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o kernels-bench kernels/bench/kernels.cu && ./kernels-bench [SECTION...]
//
// Before the timing, the hits of every kernel in a small text are compared with Sellers' algorithm on the host.
#include "pairs.h"
#include "quadrant.h"
#include "scan.h"
#include "sliced.h"
#include "walk.h"
#include "word.h"

int main(int count, char** arguments) {
    return run_sections(count, arguments, "hits",
                        {{"sliced", bench_sliced},
                         {"word", bench_word},
                         {"quadrant", bench_quadrant},
                         {"walk", bench_walk},
                         {"traces", bench_traces},
                         {"pairs", bench_pairs},
                         {"tiles", bench_tiles},
                         {"scan", bench_scan}});
}
