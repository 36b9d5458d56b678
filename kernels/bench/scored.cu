// Measures the speed of the kernels for scored alignment, as kernels.cu does for those that search.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o scored-bench kernels/bench/scored.cu && ./scored-bench [SECTION...]
#include "global.h"
#include "local.h"

int main(int count, char** arguments) {
    return run_sections(count, arguments, "pairs", {{"local", bench_local}, {"global", bench_global}});
}
