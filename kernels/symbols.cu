// Turns bytes into symbols: the code of each symbol, and the offset at which it ends.
//
// Two kernels run in turn. `count_symbols` counts the symbols in each chunk of 4,096 bytes, and its last block turns the
// counts into prefix sums. `encode_symbols` writes the codes and ends of a chunk at their indices; it also clears what the
// search counts and marks. Bytes that start no symbol, such as line breaks in sequences and continuation bytes of characters, leave no gap. Only the device knows
// the number of symbols. The host assumes one per byte, and codes and ends past the last symbol are zero.
//
// After a search, `place_hits` replaces the symbol index of every hit by the offset at which the symbol ends. If the hits
// are to be traced, it also makes the window of each: the symbols that its match may cover.
//
// Grids: `count_symbols` and `encode_symbols` one block of 256 threads per chunk, 512 bytes per warp; `place_hits` any. Memory traffic: the text twice, a code and an end per symbol.
#include "trace.cuh"

constexpr u32 CHUNK = 4096;
constexpr u32 CHUNK_THREADS = 256;
// Number of bytes of a thread.
constexpr u32 ROUNDS = CHUNK / CHUNK_THREADS;

// Which bytes start a symbol.
enum Kind : u32 {
    BYTES = 0,       // every byte
    RESIDUES = 1,    // every byte above the blank
    CHARACTERS = 2,  // every character of UTF-8, and every byte that belongs to none
};

// A range of multi-byte symbols with one code, 12 bytes.
struct CodeRange {
    u32 first;
    u32 last;
    u32 code;
};

// 96 bytes.
struct SymbolArguments {
    const u8* text;           //  0
    const u8* codes_of_bytes; //  8: the code of each byte that is a symbol by itself
    const CodeRange* ranges;  // 16: ascending; symbols in none have code 0
    u32* before;              // 24: [chunk + 1]: symbol counts, then their prefix sums
    u8* codes;                // 32: [symbol], as many as bytes
    u32* ends;                // 40: [symbol], the offset just past its last byte
    u64* found;               // 48: the number of hits, which becomes zero; null if it is not to be cleared
    u32* selected;            // 56: words that become zero
    u32* done;                // 64: the number of blocks of `count_symbols` that are done: zero before and after
    u32 length;               // 72: of the text
    u32 chunks;               // 76
    u32 kind;                 // 80
    u32 range_count;          // 84
    u32 selected_words;       // 88: at most 128 for each chunk
    u32 unused;               // 92
};

// 80 bytes.
struct PlaceArguments {
    HitBuffer buffer;    //  0: the symbol of each hit becomes its end; NOWHERE if there is no such symbol, or it is only context
    const u32* ends;     // 24: [symbol]
    const u32* symbols;  // 32: number of symbols
    const u8* text;      // 40
    const u32* reaches;  // 48: for each id of a pattern, the largest number of symbols that its matches cover
    Window* windows;     // 56: [hit]; null if hits are not traced
    u32 first;           // 64: the symbol of the text that has number 0 in hits
    u32 context;         // 68: number of context symbols from there on
    u32 separator;       // 72: the byte that no match covers
    u32 window_count;    // 76: number of hits with a window
};

constexpr u32 NOWHERE = ~0u;

// The shared memory of the kernels that number symbols, in bytes: one count per warp.
constexpr u32 symbols_shared_bytes() {
    return CHUNK_THREADS / WARP * sizeof(u32);
}

// Returns the sum of `own` over the threads of the block before this one, and sets `all` to the sum over all of them.
// All threads of the block must call it.
__device__ __forceinline__ u32 count_before(u32 own, u32& all) {
    DYNAMIC_SHARED(shared);
    u32* of_warps = reinterpret_cast<u32*>(shared);
    u32 until = own;
#pragma unroll
    for (u32 apart = 1; apart < WARP; apart *= 2) {
        const u32 before = __shfl_up_sync(ALL_LANES, until, apart);
        until += lane_index() >= apart ? before : 0;
    }
    if (lane_index() == WARP - 1) {
        of_warps[threadIdx.x / WARP] = until;
    }
    __syncthreads();
    u32 before = 0;
    all = 0;
#pragma unroll
    for (u32 warp = 0; warp < CHUNK_THREADS / WARP; ++warp) {
        before += warp < threadIdx.x / WARP ? of_warps[warp] : 0;
        all += of_warps[warp];
    }
    __syncthreads();
    return before + until - own;
}

// Returns the byte at an offset; past the text 0, which continues no character.
__device__ __forceinline__ u32 byte_at(const SymbolArguments& args, u32 at) {
    return at < args.length ? args.text[at] : 0;
}

__device__ __forceinline__ bool continues(u32 byte) {
    return (byte & 0xc0) == 0x80;
}

// Returns the length in bytes of the character that begins at `at`; 1 if none begins there.
__device__ __forceinline__ u32 character_length(const SymbolArguments& args, u32 at) {
    const u32 lead = byte_at(args, at);
    if (lead < 0xc2 || lead > 0xf4) {
        return 1;
    }
    const u32 second = byte_at(args, at + 1);
    // The second byte excludes overlong forms, surrogates and numbers above the last character.
    const u32 least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const u32 most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) {
        return 1;
    }
    if (lead < 0xe0) {
        return 2;
    }
    if (!continues(byte_at(args, at + 2))) {
        return 1;
    }
    if (lead < 0xf0) {
        return 3;
    }
    return continues(byte_at(args, at + 3)) ? 4 : 1;
}

// Returns whether a byte belongs to a character that begins before it.
__device__ __forceinline__ bool is_inside(const SymbolArguments& args, u32 at) {
    if (!continues(byte_at(args, at))) {
        return false;
    }
    bool inside = false;
    for (u32 back = 1; back <= 3 && back <= at; ++back) {
        inside = inside || character_length(args, at - back) > back;
    }
    return inside;
}

// Returns whether a symbol begins with this byte.
__device__ __forceinline__ bool begins(const SymbolArguments& args, u32 at) {
    if (at >= args.length) {
        return false;
    }
    switch (args.kind) {
        case BYTES: return true;
        case RESIDUES: return args.text[at] > ' ';
        default: return !is_inside(args, at);
    }
}

// Returns the offset of the first byte of this lane. A warp takes 512 bytes in 16 rounds. In each round its lanes take 32
// adjacent bytes, so that they read and write adjacent memory: with 16 adjacent bytes for each thread, `encode_symbols` took
// 48 us for 2 MiB on an H100.
__device__ __forceinline__ u32 first_byte() {
    return blockIdx.x * CHUNK + threadIdx.x / WARP * WARP * ROUNDS + lane_index();
}

// Finds the bytes of this warp that begin a symbol. Lane r gets their mask in round r; lanes without a round get zero.
__device__ __forceinline__ u32 beginnings(const SymbolArguments& args) {
    const u32 first = first_byte();
    u32 own = 0;
#pragma unroll 8
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 mask = __ballot_sync(ALL_LANES, begins(args, first + round * WARP));
        own = round == lane_index() ? mask : own;
    }
    return own;
}

// Decodes a multi-byte character.
__device__ __forceinline__ u32 character(const SymbolArguments& args, u32 at, u32 length) {
    u32 value = byte_at(args, at) & (0x7f >> length);
    for (u32 more = 1; more < length; ++more) {
        value = value << 6 | (byte_at(args, at + more) & 0x3f);
    }
    return value;
}

// Returns the code of a multi-byte symbol.
__device__ __forceinline__ u32 code_in_ranges(const SymbolArguments& args, u32 symbol) {
    u32 low = 0;
    u32 high = args.range_count;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (args.ranges[middle].last < symbol) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < args.range_count && args.ranges[low].first <= symbol ? args.ranges[low].code : 0;
}

// Turns the counts of all chunks into prefix sums. One block.
__device__ __forceinline__ void number_chunks(const SymbolArguments& args) {
    // Other blocks wrote the counts, so they are not read from a cache of this multiprocessor.
    const volatile u32* const counts = args.before;
    u32 before = 0;
    for (u32 first = 0; first < args.chunks; first += CHUNK_THREADS) {
        const u32 chunk = first + threadIdx.x;
        u32 all;
        const u32 here = before + count_before(chunk < args.chunks ? counts[chunk] : 0, all);
        if (chunk < args.chunks) {
            args.before[chunk] = here;
        }
        before += all;
    }
    if (threadIdx.x == 0) {
        args.before[args.chunks] = before;
    }
}

extern "C" __global__ void __launch_bounds__(256) count_symbols(const SymbolArguments args) {
    DYNAMIC_SHARED(shared);
    u32* const is_last = reinterpret_cast<u32*>(shared);
    u32 all;
    count_before(__popc(beginnings(args)), all);
    if (threadIdx.x == 0) {
        args.before[blockIdx.x] = all;
        __threadfence();
        *is_last = atomicAdd(args.done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    const bool numbers = *is_last != 0;
    __syncthreads();
    if (numbers) {
        __threadfence();
        number_chunks(args);
        if (threadIdx.x == 0) {
            *args.done = 0;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) encode_symbols(const SymbolArguments args) {
    constexpr u32 WORDS = CHUNK / 32;
    const u32 word = blockIdx.x * WORDS + threadIdx.x;
    if (threadIdx.x < WORDS && word < args.selected_words) {
        args.selected[word] = 0;
    }
    if (word == 0 && args.found != nullptr) {
        *args.found = 0;
    }
    const u32 first = first_byte();
    const u32 own = beginnings(args);
    u32 all;
    // The number of symbols before the round of this lane.
    const u32 before = args.before[blockIdx.x] + count_before(__popc(own), all);
#pragma unroll 4
    for (u32 round = 0; round < ROUNDS; ++round) {
        const u32 at = first + round * WARP;
        const u32 starts = __shfl_sync(ALL_LANES, own, round);
        const u32 symbol = __shfl_sync(ALL_LANES, before, round) + __popc(starts & ((1u << lane_index()) - 1));
        if (starts >> lane_index() & 1) {
            const u32 length = args.kind == CHARACTERS ? character_length(args, at) : 1;
            const u32 code = length == 1 ? args.codes_of_bytes[args.text[at]]
                                         : code_in_ranges(args, character(args, at, length));
            args.codes[symbol] = static_cast<u8>(code);
            args.ends[symbol] = at + length;
        }
    }
    const u32 apart = gridDim.x * blockDim.x;
    for (u32 behind = args.before[args.chunks] + blockIdx.x * blockDim.x + threadIdx.x; behind < args.length; behind += apart) {
        args.codes[behind] = 0;
        args.ends[behind] = 0;
    }
}

// Returns the window of a hit whose match ends before the symbol `end`.
__device__ __forceinline__ Window window_before(const PlaceArguments& args, u32 end, u32 pattern) {
    const u32 reach = args.reaches[pattern];
    const u32 least = end > reach ? end - reach : 0;
    u32 first = end;
    while (first > least && args.text[args.ends[first - 1] - 1] != args.separator) {
        --first;
    }
    return {first, end, pattern};
}

extern "C" __global__ void __launch_bounds__(256) place_hits(const PlaceArguments args) {
    const u64 found = *args.buffer.found;
    const u64 kept = found < args.buffer.capacity ? found : args.buffer.capacity;
    const u64 apart = static_cast<u64>(gridDim.x) * blockDim.x;
    for (u64 at = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; at < kept; at += apart) {
        const Hit hit = args.buffer.hits[at];
        const u32 symbol = hit.symbol + args.first;
        const bool is_there = hit.symbol >= args.context && symbol < *args.symbols;
        args.buffer.hits[at].symbol = is_there ? args.ends[symbol] : NOWHERE;
        if (at < args.window_count) {
            args.windows[at] = is_there ? window_before(args, symbol + 1, hit.pattern) : Window{0, 0, hit.pattern};
        }
    }
}
