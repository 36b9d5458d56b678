// Looks up the seed index at every symbol, tests the entries found there, and searches the text around those that pass.
//
// crates/cpu/src/seeds describes the index, its entries and the test. A warp takes 32 neighbouring boundaries between two
// symbols, a lane each. A lane looks up the ten residues after its boundary and tests their entries with the symbols
// before it, then the ten residues before it with the symbols after it. Four entries are loaded at a time, and tested in
// two words of two halves: for each number of edits and each diagonal a half holds the rows that are reached, and an
// addition carries them through a run of matches. Entries of a q-gram are ordered by the edits that are left, most
// first, so that the diagonals for the most edits are computed once a q-gram.
//
// The warp collects the entries that pass in shared memory. As soon as there are 32, each lane searches the window of
// one for its whole pattern by Myers' algorithm, and reports the ends that a match with this seed can have. Several
// seeds lead to the same hit. A hash set in global memory, which is cleared before the launch, keeps it from being
// reported twice, unless the set is crowded.
//
// With n symbols, e entries for each and t edits left this takes O(n e t^2) operations. Memory traffic: for each symbol
// and side the start of a slot, and four bytes for each of its entries.
//
// Grid: any number of blocks of 256 threads, which stride over the text.
//
// - E. Ukkonen, "Algorithms for approximate string matching", 1985, for diagonals.
// - G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming", 1999.
#include "device.cuh"

constexpr u32 SEED_THREADS = 256;
constexpr u32 GRAM = 10;
constexpr u32 ENTRIES = 4;           // entries in a group, which are loaded together
constexpr u32 SEED_EDITS_SHIFT = 12; // lowest bit of the number of edits in the low plane of an entry
constexpr u32 QUEUE = WARP + ENTRIES * WARP;
constexpr u32 MAX_PROBES = 32;

// 8 bytes.
struct Seed {
    u32 pattern;  // 0
    u32 after;    // 4: number of symbols of the pattern after the boundary
};

// 8 bytes.
struct SeedPattern {
    u32 rows;  // 0: 1 to 64
    u32 k;     // 4
};

// 136 bytes.
struct SeedArguments {
    const u32* packed;            //   0: [plane][word], the two lowest bits of the codes
    const u8* codes;              //   8: [symbol]
    const u32* starts;            //  16: [slot], the first group of its entries; one more element for the end of the last
                                  //      slot
    const uint4* entries;         //  24: [group]: the low planes of entries 0 and 1, the high planes of entries 0 and 1, the
                                  //      low planes of entries 2 and 3, and the high planes of entries 2 and 3
    const uint2* wild;            //  32: [group]: the rows that match any residue; null if there are none
    const u32* seed_of;           //  40: [group][entry]
    const Seed* seeds;     //  48
    const SeedPattern* patterns;  //  56
    const u64* equal;             //  64: [pattern][code]
    u64* known;                   //  72: the hash set, cleared
    HitBuffer buffer;             //  80
    u32 symbols;                  // 104
    u32 packed_words;             // 108: number of words of a plane
    u32 known_mask;               // 112: one less than the capacity of the set, a power of two
    u32 code_count;               // 116
    u32 rows;                     // 120: number of rows of a test, 0 to 12
    u32 first_pattern;            // 124: the first pattern whose hits are reported
    u32 pattern_count;            // 128: number of patterns whose hits are reported
    u32 unused;                   // 132
};

// The entries that passed, of one warp.
struct SeedQueue {
    u32 entry[QUEUE];
    u32 boundary[QUEUE];
};

// The shared memory of a block, in bytes.
constexpr u32 seed_shared_bytes() {
    return SEED_THREADS / WARP * sizeof(SeedQueue);
}

// Residues as bit planes.
struct Residues {
    u32 low;
    u32 high;
};

// Computes the groups of residues from the two lowest planes of their codes.
__device__ __forceinline__ Residues groups(u32 low, u32 high) {
    return {~low, ~(low ^ high)};
}

// Puts a zero after each of the lowest 16 bits.
__device__ __forceinline__ u32 spread(u32 bits) {
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

// Returns a slot: the q-gram of the lowest residues, and its side.
__device__ __forceinline__ u32 slot(Residues residues, u32 side) {
    constexpr u32 MASK = (1u << GRAM) - 1;
    return 2 * (spread(residues.low & MASK) | spread(residues.high & MASK) << 1) + side;
}

// The text next to a boundary on each diagonal, the same in both halves. Diagonal EDITS is the main one.
template <int EDITS>
struct NearText {
    u32 low[2 * EDITS + 1];
    u32 high[2 * EDITS + 1];
};

__device__ __forceinline__ u32 in_both_halves(u32 bits) {
    return (bits & 0xffff) | bits << 16;
}

template <int EDITS>
__device__ __forceinline__ NearText<EDITS> near_text(Residues text) {
    NearText<EDITS> near;
#pragma unroll
    for (int diagonal = 0; diagonal <= 2 * EDITS; ++diagonal) {
        const int right = diagonal > EDITS ? diagonal - EDITS : 0;
        const int left = diagonal < EDITS ? EDITS - diagonal : 0;
        near.low[diagonal] = in_both_halves(text.low >> right << left);
        near.high[diagonal] = in_both_halves(text.high >> right << left);
    }
    return near;
}

// Two entries, one in each half.
struct EntryPair {
    u32 low;
    u32 high;
    u32 wild;
};

// Returns in each half whether its entry matches within the edits that it has left, at most EDITS: nonzero if so.
// `near` has the diagonals for MOST edits. `all_rows` has the rows of a test in each half.
template <int EDITS, int MOST>
__device__ __forceinline__ u32 test(const EntryPair& pair, const NearText<MOST>& near, u32 all_rows) {
    const u32 edits = pair.low >> SEED_EDITS_SHIFT & 0x00070007;
    u32 matches[2 * EDITS + 1];
    u32 reached[2 * EDITS + 1] = {};
#pragma unroll
    for (int diagonal = 0; diagonal <= 2 * EDITS; ++diagonal) {
        const u32 low = near.low[diagonal + MOST - EDITS];
        const u32 high = near.high[diagonal + MOST - EDITS];
        const u32 differs = logic<(A ^ B) | C>(pair.high, high, pair.low ^ low);
        matches[diagonal] = logic<(~A & B) | C>(differs, all_rows, pair.wild);
    }
#pragma unroll
    for (int level = 0; level <= EDITS; ++level) {
        u32 before[2 * EDITS + 1];
#pragma unroll
        for (int diagonal = 0; diagonal <= 2 * EDITS; ++diagonal) {
            before[diagonal] = reached[diagonal];
        }
#pragma unroll
        for (int diagonal = EDITS - level; diagonal <= EDITS + level; ++diagonal) {
            // A pattern symbol is skipped on the diagonal above, a text symbol on the one below.
            u32 next = before[diagonal];
            u32 start = 0;
            if (diagonal < EDITS + level) {
                next |= before[diagonal + 1];
            }
            if (diagonal > EDITS - level) {
                start = before[diagonal - 1];
            }
            start |= next << 1;
            if (diagonal == EDITS) {
                // An entry with e edits left starts at level EDITS - e. So only the halves whose entry has EDITS -
                // level edits left start now.
                const u32 other = edits ^ (EDITS - level) * 0x00010001u;
                start |= ~(other | other >> 1 | other >> 2) & 0x00010001;
            }
            // The lowest row that is reached in a run of matches carries to the row after the run.
            const u32 carried = (start & matches[diagonal]) + matches[diagonal];
            reached[diagonal] = logic<A | (B & ~C & 0xff)>(start, carried, matches[diagonal]);
        }
    }
    u32 any = 0;
#pragma unroll
    for (int diagonal = 0; diagonal <= 2 * EDITS; ++diagonal) {
        any |= reached[diagonal];
    }
    return any & ~all_rows;
}

// Tests four entries. Returns a bit for each that passes. All lanes of a warp call it. `edits` is the largest number of
// edits that an entry of this lane has left; negative if the lane has no entries.
template <int EDITS, int MOST>
__device__ __forceinline__ u32 test_group(const EntryPair (&pairs)[2], const NearText<MOST>& near, u32 all_rows,
                                          int edits) {
    if constexpr (EDITS > 1) {
        if (!__any_sync(ALL_LANES, edits >= EDITS)) {
            return test_group<EDITS - 1, MOST>(pairs, near, all_rows, edits);
        }
    }
    const u32 first = test<EDITS, MOST>(pairs[0], near, all_rows);
    const u32 second = test<EDITS, MOST>(pairs[1], near, all_rows);
    const u32 passing = ((first & 0xffff) != 0 ? 1 : 0) | (first >> 16 != 0 ? 2 : 0) |
                        ((second & 0xffff) != 0 ? 4 : 0) | (second >> 16 != 0 ? 8 : 0);
    return edits < 0 ? 0 : passing;
}

// Returns whether a hit is new, and adds it to the set. If the set is crowded, a hit may seem new that is not.
__device__ __forceinline__ bool is_new(const SeedArguments& args, u32 symbol, u32 pattern) {
    const u64 key = static_cast<u64>(symbol + 1) << 32 | pattern;
    u32 place = static_cast<u32>((key * 0x9e3779b97f4a7c15ull) >> 32);
    for (u32 probe = 0; probe < MAX_PROBES; ++probe, ++place) {
        const u64 there = atomicCAS(args.known + (place & args.known_mask), 0ull, key);
        if (there == key) {
            return false;
        }
        if (there == 0) {
            return true;
        }
    }
    return true;
}

// Reports a hit of each lane that has one. All lanes of a warp call it.
__device__ __forceinline__ void report(const SeedArguments& args, bool is_hit, const Hit& hit) {
    const u32 lanes = __ballot_sync(ALL_LANES, is_hit);
    if (lanes == 0) {
        return;
    }
    u64 first = 0;
    if (lane_index() == 0) {
        first = atomicAdd(args.buffer.found, static_cast<u64>(__popc(lanes)));
    }
    first = __shfl_sync(ALL_LANES, first, 0);
    if (is_hit) {
        put(args.buffer, first + __popc(lanes & ((1u << lane_index()) - 1)), hit);
    }
}

// Searches the windows of up to 32 entries that passed, a lane each. All lanes of a warp call it.
//
// If the text after the boundary has as many symbols as the pattern, a match ends at `nominal`; with k edits it ends at
// most k symbols from there, and begins at most m + k before its end.
__device__ __forceinline__ void search_windows(const SeedArguments& args, const SeedQueue& queue, u32 first, u32 count) {
    bool is_active = lane_index() < count;
    const u32 at = first + (is_active ? lane_index() : 0);
    const Seed seed = args.seeds[args.seed_of[queue.entry[at]]];
    is_active = is_active && seed.pattern - args.first_pattern < args.pattern_count;
    const SeedPattern pattern = args.patterns[seed.pattern];
    const u64* equal = args.equal + static_cast<u64>(seed.pattern) * args.code_count;
    const u32 nominal = queue.boundary[at] + seed.after;
    const u32 reach = pattern.rows + 2 * pattern.k;
    const u32 begin = nominal > reach ? nominal - reach : 0;
    const u32 first_end = nominal > pattern.k ? nominal - pattern.k : 0;
    const u32 end = is_active ? min(nominal + pattern.k, args.symbols) : 0;
    const u32 last_row = pattern.rows - 1;
    u64 plus = ~0ull;
    u64 minus = 0;
    u32 distance = pattern.rows;
    for (u32 symbol = begin; __any_sync(ALL_LANES, symbol < end); ++symbol) {
        bool is_hit = false;
        if (symbol < end) {
            const u64 same = equal[args.codes[symbol]];
            const u64 vertical = same | minus;
            const u64 horizontal = (((same & plus) + plus) ^ plus) | same;
            const u64 more = minus | ~(horizontal | plus);
            const u64 less = plus & horizontal;
            distance += static_cast<u32>(more >> last_row & 1) - static_cast<u32>(less >> last_row & 1);
            plus = less << 1 | ~(vertical | more << 1);
            minus = more << 1 & vertical;
            is_hit = symbol + 1 >= first_end && distance <= pattern.k && is_new(args, symbol, seed.pattern);
        }
        report(args, is_hit, {symbol, seed.pattern, distance});
    }
}

// Adds the entries that passed to the queue, and searches their windows as soon as there is one for each lane. Returns
// the length of the queue. `passing` has a bit for each entry of this lane from `entry` on.
__device__ __forceinline__ u32 collect(const SeedArguments& args, SeedQueue& queue, u32 queued, u32 passing, u32 entry,
                                       u32 boundary) {
    if (!__any_sync(ALL_LANES, passing != 0)) {
        return queued;
    }
#pragma unroll
    for (u32 nth = 0; nth < ENTRIES; ++nth) {
        const u32 is_passing = passing >> nth & 1;
        const u32 lanes = __ballot_sync(ALL_LANES, is_passing);
        if (is_passing != 0) {
            const u32 place = queued + __popc(lanes & ((1u << lane_index()) - 1));
            queue.entry[place] = entry + nth;
            queue.boundary[place] = boundary;
        }
        queued += __popc(lanes);
    }
    __syncwarp();
    while (queued >= WARP) {
        queued -= WARP;
        search_windows(args, queue, queued, WARP);
    }
    __syncwarp();
    return queued;
}

// Tests the entries of a slot for each lane, and collects those that pass. Returns the length of the queue.
template <int EDITS>
__device__ __forceinline__ u32 search_slot(const SeedArguments& args, SeedQueue& queue, u32 queued, u32 slot,
                                           Residues text, u32 boundary) {
    const bool is_there = boundary <= args.symbols;
    u32 group = is_there ? args.starts[slot] : 0;
    const u32 end = is_there ? args.starts[slot + 1] : 0;
    const NearText<EDITS> near = near_text<EDITS>(text);
    const u32 all_rows = in_both_halves((1u << args.rows) - 1);
    for (; __any_sync(ALL_LANES, group < end); ++group) {
        const bool has_entries = group < end;
        const uint4 planes = has_entries ? args.entries[group] : make_uint4(0, 0, 0, 0);
        const bool has_wild = has_entries && args.wild != nullptr;
        const u32 first_wild = has_wild ? args.wild[group].x : 0;
        const u32 second_wild = has_wild ? args.wild[group].y : 0;
        const EntryPair pairs[2] = {{planes.x, planes.y, first_wild}, {planes.z, planes.w, second_wild}};
        // The first entry has the most edits left.
        const int edits = has_entries ? static_cast<int>(planes.x >> SEED_EDITS_SHIFT & 7) : -1;
        const u32 passing = test_group<EDITS, EDITS>(pairs, near, all_rows, edits);
        queued = collect(args, queue, queued, passing, ENTRIES * group, boundary);
    }
    return queued;
}

// Returns a word of a plane; zero outside the text.
__device__ __forceinline__ u32 packed_word(const SeedArguments& args, u32 plane, u32 word) {
    return word < args.packed_words ? args.packed[static_cast<u64>(plane) * args.packed_words + word] : 0;
}

template <int EDITS>
__device__ __forceinline__ void search_seeds(const SeedArguments& args) {
    DYNAMIC_SHARED(shared);
    SeedQueue& queue = reinterpret_cast<SeedQueue*>(shared)[threadIdx.x / WARP];
    u32 queued = 0;
    const u32 warps = gridDim.x * (blockDim.x / WARP);
    for (u32 word = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP; word <= args.symbols / WARP; word += warps) {
        const u32 boundary = word * WARP + lane_index();
        u32 before[2];
        u32 after[2];
#pragma unroll
        for (u32 plane = 0; plane < 2; ++plane) {
            const u32 here = packed_word(args, plane, word);
            before[plane] = __funnelshift_r(packed_word(args, plane, word - 1), here, lane_index());
            after[plane] = __funnelshift_r(here, packed_word(args, plane, word + 1), lane_index());
        }
        const Residues behind = groups(before[0], before[1]);
        const Residues ahead = groups(after[0], after[1]);
        const Residues backward = {__brev(behind.low), __brev(behind.high)};
        const Residues last = {behind.low >> (WARP - GRAM), behind.high >> (WARP - GRAM)};
#pragma unroll 1
        for (u32 side = 0; side < 2; ++side) {
            const u32 there = slot(side == 0 ? ahead : last, side);
            queued = search_slot<EDITS>(args, queue, queued, there, side == 0 ? backward : ahead, boundary);
        }
    }
    if (queued > 0) {
        search_windows(args, queue, 0, queued);
    }
}

#ifdef NIGH_EDITS
extern "C" __global__ void __launch_bounds__(SEED_THREADS, 3) seeds(const SeedArguments args) {
    search_seeds<NIGH_EDITS>(args);
}
#endif
