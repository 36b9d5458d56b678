// Measures the speed of the kernels. A time is the median of seven runs, measured with events. The device generates the text.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o bench kernels/bench/kernels.cu && ./bench
//
// Before the timing, the hits of every kernel in a small text are compared with Sellers' algorithm on the host.
#include "pairs.h"
#include "quadrant.h"
#include "scan.h"
#include "sliced.h"
#include "walk.h"
#include "word.h"

int main() {
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0), "no device");
    std::printf("%s, %d multiprocessors\n", device.name, device.multiProcessorCount);
    std::printf("%-10s %-34s %10s %12s %12s %12s\n", "kernel", "case", "ms", "symbols/s", "cells/s", "hits");
    bench_sliced();
    bench_word();
    bench_quadrant();
    bench_walk();
    bench_pairs();
    bench_tiles();
    time_carries();
    bench_scan();
}
