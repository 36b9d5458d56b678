// Turns codes into bit planes in which each bit of a word is one stream of text.
//
// `pack` makes planes in text order from one code per byte: bit i % 32 of word i / 32 belongs to symbol i. A warp makes
// 32 words of every plane with one ballot per word; it reads 1,024 bytes once for each three planes, and writes 128 per
// plane. Grid: x warps, which stride over the text. A host that packs planes itself uploads them in this form, a quarter
// of the bytes.
//
// `transpose` turns them into the planes that sliced.cu reads: symbol i is step i % steps of stream i / steps, stream s
// is bit s % 32 of word s / 32, and memory holds [step / 4][plane][word] as four steps. A block transposes 256 steps of
// 8 words, one warp per word, 32 x 32 bits at a time by the butterfly method (Hacker's Delight, 7-3) in five exchanges
// between lanes. It reads and writes each plane once, in whole sectors. Grid: x groups of 8 words, y groups of 256
// steps; blocks of 256 threads.
#include "device.cuh"

constexpr u32 WORDS_OF_BLOCK = 8;
constexpr u32 STEPS_OF_BLOCK = 256;
// Number of planes that are packed from one read of the codes.
constexpr u32 PLANES_AT_ONCE = 3;
// 32-bit words of shared memory from four steps to the next four, with four words of padding against bank conflicts.
constexpr u32 ROW = WORDS_OF_BLOCK * 4 + 4;

// The shared memory of a transposing block, in bytes.
constexpr u32 transpose_shared_bytes() {
    return STEPS_OF_BLOCK / 4 * ROW * sizeof(u32);
}

// 32 bytes.
struct PackArguments {
    const u8* codes;    //  0
    u32* packed;        //  8: [plane][word]
    u32 symbols;        // 16
    u32 packed_words;   // 20: of a plane; words past the last symbol become zero
    u32 plane_count;    // 24: 2 to 8
    u32 unused;         // 28
};

// 32 bytes.
struct TransposeArguments {
    const u32* packed;  //  0: [plane][word]; zero past the last symbol
    uint4* planes;      //  8: [step / 4][plane][word] as four steps
    u32 packed_words;   // 16: of a plane in text order; missing words count as zero
    u32 words;          // 20: of a step and plane
    u32 steps;          // 24: of a stream, a multiple of 32
    u32 plane_count;    // 28: 2 to 8
};

// Makes 32 words of each plane, from word `first` on; each lane keeps one word of a plane.
__device__ __forceinline__ void pack_words(const PackArguments& args, u32 first) {
    for (u32 plane = 0; plane < args.plane_count; plane += PLANES_AT_ONCE) {
        u32 own[PLANES_AT_ONCE] = {};
#pragma unroll 8
        for (u32 at = 0; at < WARP; ++at) {
            const u64 symbol = static_cast<u64>(first + at) * 32 + lane_index();
            const u32 code = symbol < args.symbols ? args.codes[symbol] >> plane : 0;
#pragma unroll
            for (u32 of = 0; of < PLANES_AT_ONCE; ++of) {
                const u32 word = __ballot_sync(ALL_LANES, code >> of & 1);
                own[of] = at == lane_index() ? word : own[of];
            }
        }
#pragma unroll
        for (u32 of = 0; of < PLANES_AT_ONCE; ++of) {
            if (plane + of < args.plane_count && first + lane_index() < args.packed_words) {
                args.packed[static_cast<u64>(plane + of) * args.packed_words + first + lane_index()] = own[of];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) pack(const PackArguments args) {
    const u32 warps = gridDim.x * (blockDim.x / WARP);
    const u32 warp = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    for (u64 first = static_cast<u64>(warp) * WARP; first < args.packed_words; first += static_cast<u64>(warps) * WARP) {
        pack_words(args, static_cast<u32>(first));
    }
}

// Moves bit t of lane r to bit r of lane t.
__device__ __forceinline__ u32 transpose_bits(u32 own) {
#pragma unroll
    for (u32 apart = 16; apart > 0; apart /= 2) {
        const u32 lower = 0xffffffffu / ((1u << apart) + 1);
        const u32 other = __shfl_xor_sync(ALL_LANES, own, apart);
        own = (lane_index() & apart) == 0 ? (own & lower) | (other << apart & ~lower)
                                          : (own & ~lower) | (other >> apart & lower);
    }
    return own;
}

// Loads 32 steps of this lane's stream in text order; zero past the text.
__device__ __forceinline__ u32 load_stream(const TransposeArguments& args, u32 plane, u32 word, u32 step) {
    const u64 at = ((static_cast<u64>(word) * 32 + lane_index()) * args.steps + step) / 32;
    const bool is_there = word < args.words && at < args.packed_words;
    return is_there ? args.packed[static_cast<u64>(plane) * args.packed_words + at] : 0;
}

// Writes the transposed steps of one plane.
__device__ __forceinline__ void store_steps(const TransposeArguments& args, u32 plane, const u32* rows) {
    const u32 word = blockIdx.x * WORDS_OF_BLOCK + threadIdx.x % WORDS_OF_BLOCK;
    for (u32 four = threadIdx.x / WORDS_OF_BLOCK; four < STEPS_OF_BLOCK / 4; four += blockDim.x / WORDS_OF_BLOCK) {
        const u64 to = static_cast<u64>(blockIdx.y) * (STEPS_OF_BLOCK / 4) + four;
        if (word < args.words && to < args.steps / 4) {
            args.planes[(to * args.plane_count + plane) * args.words + word] =
                *reinterpret_cast<const uint4*>(rows + four * ROW + threadIdx.x % WORDS_OF_BLOCK * 4);
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) transpose(const TransposeArguments args) {
    DYNAMIC_SHARED(shared);
    u32* rows = reinterpret_cast<u32*>(shared);
    const u32 own = threadIdx.x / WARP;
    const u32 left = args.steps - blockIdx.y * STEPS_OF_BLOCK;
    for (u32 plane = 0; plane < args.plane_count; ++plane) {
        for (u32 step = 0; step < STEPS_OF_BLOCK && step < left; step += 32) {
            const u32 stream = load_stream(args, plane, blockIdx.x * WORDS_OF_BLOCK + own,
                                           blockIdx.y * STEPS_OF_BLOCK + step);
            const u32 streams = transpose_bits(stream);
            rows[(step + lane_index()) / 4 * ROW + own * 4 + lane_index() % 4] = streams;
        }
        __syncthreads();
        store_steps(args, plane, rows);
        __syncthreads();
    }
}
