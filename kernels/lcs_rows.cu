// Longest common subsequence, row by row, with the table of previous occurrences.
//
// Algorithm: J. Yang, Y. Xu, Y. Shang, "An efficient parallel algorithm for longest common subsequence problem on GPUs",
// 2010. Let P[c][j] be the last of the first j columns with symbol c, counted from 1, or 0. With the symbol c of row i,
//     L[i][j] = max(L[i-1][j], L[i-1][P[c][j] - 1] + 1), or L[i-1][j] if P[c][j] = 0.
// So a row needs only the row before, and all its cells are computed at once. O(mn) cells of two loads each, where
// tiles.cu takes three operations for 32 cells; this form is here to be compared with.
//
// Division of work. `lcs_previous` makes P, a warp for each symbol. `lcs_rows` computes rows: one block takes any number,
// with a barrier between two, and many blocks take one row a launch. A thread takes each column that is its index plus a
// multiple of the number of threads.
//
// Memory traffic: for each cell four bytes of P and eight to twelve of L. A single block may keep both rows of L in shared
// memory. Grid: `lcs_previous` x symbols, blocks of 32 threads; `lcs_rows` x blocks of any number of threads.
#include "device.cuh"

// 56 bytes.
struct LcsArguments {
    const u8* query;    //  0: codes, from 0
    const u8* target;   //  8
    u32* previous;      // 16: P, [code][column], columns + 1 for each code
    u32* lengths;       // 24: two rows of columns + 1, the first zero before row 0; null if they are in shared memory
    int* value;         // 32
    u32 first_row;      // 40: of this launch
    u32 rows;           // 44: of this launch; 1 if there are several blocks
    u32 last_row;       // 48: of the query
    u32 columns;        // 52
};

// The shared memory of a block that keeps the rows of L there, in bytes.
constexpr u32 lcs_shared_bytes(u32 columns) {
    return 2 * (columns + 1) * sizeof(u32);
}

__device__ __forceinline__ void find_previous(const LcsArguments& args) {
    u32* row = args.previous + static_cast<u64>(blockIdx.x) * (args.columns + 1);
    u32 last = 0;
    if (lane_index() == 0) {
        row[0] = 0;
    }
    for (u32 first = 0; first < args.columns; first += WARP) {
        const u32 column = first + lane_index();
        const u32 here = __ballot_sync(ALL_LANES, column < args.columns && args.target[column] == blockIdx.x);
        const u32 until = here & ~0u >> (WARP - 1 - lane_index());
        if (column < args.columns) {
            row[column + 1] = until != 0 ? first + WARP - __clz(static_cast<int>(until)) : last;
        }
        last = here != 0 ? first + WARP - __clz(static_cast<int>(here)) : last;
    }
}

// Computes a row from the row before.
__device__ __forceinline__ void compute_lcs_row(const LcsArguments& args, u32 row, const u32* above, u32* here) {
    const u32* previous = args.previous + static_cast<u64>(args.query[row]) * (args.columns + 1);
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 column = blockIdx.x * blockDim.x + threadIdx.x; column <= args.columns; column += threads) {
        const u32 at = previous[column];
        const u32 length = max(above[column], at > 0 ? above[at - 1] + 1 : 0);
        here[column] = length;
        if (row == args.last_row && column == args.columns) {
            *args.value = static_cast<int>(length);
        }
    }
}

__device__ __forceinline__ void compute_lcs_rows(const LcsArguments& args) {
    DYNAMIC_SHARED(shared);
    u32* lengths = args.lengths;
    if (lengths == nullptr) {
        lengths = reinterpret_cast<u32*>(shared);
        for (u32 column = threadIdx.x; column <= args.columns; column += blockDim.x) {
            lengths[column] = 0;
        }
        __syncthreads();
    }
    for (u32 row = args.first_row; row < args.first_row + args.rows; ++row) {
        u32* above = lengths + row % 2 * (args.columns + 1);
        u32* here = lengths + (row + 1) % 2 * (args.columns + 1);
        compute_lcs_row(args, row, above, here);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(32) lcs_previous(const LcsArguments args) {
    find_previous(args);
}
extern "C" __global__ void __launch_bounds__(1024) lcs_rows(const LcsArguments args) {
    compute_lcs_rows(args);
}
