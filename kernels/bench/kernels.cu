// How fast the kernels are: times by events, the median of seven runs, in text made on the device.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o bench bench/kernels.cu && ./bench
//
// Every kernel's hits are first compared with those of a plain matrix on the host, in small text.
#include "quadrant.h"
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
}
