// Measures the speed of the kernels for scored alignment, as kernels.cu does for those that search.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o bench kernels/bench/scored.cu && ./bench
#include "global.h"
#include "local.h"

int main() {
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0), "no device");
    std::printf("%s, %d multiprocessors\n", device.name, device.multiProcessorCount);
    std::printf("%-10s %-34s %10s %12s %12s %12s\n", "kernel", "case", "ms", "symbols/s", "cells/s", "pairs");
    bench_local();
    bench_global();
}
