// Bit-sliced Myers: every bit of a word is a stream of text of its own, and a cell of the matrix five logic operations.
//
// Who computes what. A thread walks 32 streams, one word, through the text; symbol i of the text is step i % steps of
// stream i / steps, and stream s is bit s % 32 of word s / 32. A block has as many words as threads, and takes the
// patterns of its group one after the other. Grid: x tiles of words, y groups of patterns. Any block of whole warps will
// do, up to 128 threads. Every pattern of a launch has at most NIGH_ROWS rows and at least NIGH_ROWS - SKIPPED.
//
// What is kept where. The vertical deltas of all rows are in registers, and eight steps of the horizontal ones, which come
// down from row to row; so each row is touched once for eight steps. For those steps the words that say where the text
// equals a set of symbols lie in shared memory, [warp][slot][half][lane] as four steps each: 1 KiB a slot and warp.
// Below the last row a counter, sliced like the rest, starts at m - (k + 1) and adds up the horizontal deltas, so that its sign is
// the mask of hits.
//
// The logic operations are the limit. `Pipes::Both` takes two of the five of a cell to the multipliers, in every other row; the modules
// are of `Pipes::Logic`, and bench/kernels.cu times both.
//
// Memory traffic. The planes, [step / 4][plane][word] as four steps, are read once for each pattern: 32 bytes a plane for
// 256 symbols, beside 40 operations a row. Hits are 12 bytes, with one atomic for a warp and eight steps.
//
// A stream warms up on the last m + k symbols of the one before it, so it must have as many; before the first stream are
// symbols of code 0. A block reports the hits that end in its own streams, at symbols of the text.
//
// Patterns of more than 64 rows are for word.cu.
#include "device.cuh"

constexpr int STEPS = 8;
constexpr u32 MOST_ROWS = 64;
// Bytes of a slot of one warp, and of its first four steps.
constexpr u32 SLOT = 1024;
constexpr u32 HALF = 512;

// A pattern, 688 bytes.
struct __align__(16) SlicedPattern {
    u32 id;               //   0: what its hits say
    u32 rows;             //   4: m
    u32 k;                //   8: less than m
    u32 unions;           //  12: how many sets have several codes
    u32 until[8];         //  16: how many slots have a code whose lowest three bits are at most this
    u8 codes[64];         //  48: the code of each slot, by their lowest three bits
    u8 slots[MOST_ROWS];  // 112: the slot of each row; those of unions follow those of codes
    u64 members[64];      // 176: for each union the slots of its codes, a bit each
};

// 72 bytes.
struct SlicedArguments {
    const uint4* planes;            //  0
    const SlicedPattern* patterns;  //  8
    HitBuffer buffer;               // 16
    u32 symbols;                    // 40: of the text
    u32 words;                      // 44: of each step and plane; a multiple of the threads of a block
    u32 steps;                      // 48: of each stream, a multiple of 32
    u32 plane_count;                // 52: 2 to 6
    u32 pattern_count;              // 56
    u32 patterns_in_group;          // 60
    u32 first_tile;                 // 64: the tile of the first block
    u32 one;                        // 68: 1, which the compiler is not to know
};

// What a block has in shared memory before the slots.
template <int ROWS>
struct __align__(16) Staged {
    SlicedPattern pattern;
    // For each row, of the last ones if the pattern has fewer, the bytes from the first slot to its own.
    u32 offsets[ROWS];
};

// The bytes of shared memory of a block.
template <int ROWS>
constexpr u32 sliced_shared_bytes(u32 threads, u32 slots) {
    return sizeof(Staged<ROWS>) + threads / WARP * slots * SLOT;
}

// So many leading rows may be missing.
template <int ROWS>
constexpr u32 SKIPPED = ROWS > 32 ? 7 : 3;

// From -(k + 1) to m - (k + 1) in two's complement.
constexpr int counter_bits(int rows) {
    int bits = 1;
    while (1 << (bits - 1) < rows) {
        ++bits;
    }
    return bits;
}

template <int ROWS>
constexpr int COUNTER_BITS = counter_bits(ROWS);

// Horizontal deltas of some steps, below one row.
struct Horizontal {
    u32 plus[STEPS];
    u32 minus[STEPS];
};

// What a thread keeps from step to step.
template <int ROWS>
struct Column {
    u32 pv[ROWS];
    u32 mv[ROWS];
    // Where the first row was equal at the last step: its vertical delta is 0 there, and +1 elsewhere.
    u32 before;
    u32 counter[COUNTER_BITS<ROWS>];
};

struct Equal {
    u32 at[STEPS];
};

__device__ __forceinline__ Equal load_slot(const char* slot) {
    const uint4 first = *reinterpret_cast<const uint4*>(slot);
    const uint4 second = *reinterpret_cast<const uint4*>(slot + HALF);
    return {{first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w}};
}

// Stores a slot, or half of one.
template <int COUNT>
__device__ __forceinline__ void store_slot(char* slot, const u32 (&at)[COUNT]) {
#pragma unroll
    for (int four = 0; four < COUNT; four += 4) {
        *reinterpret_cast<uint4*>(slot + four / 4 * HALF) = make_uint4(at[four], at[four + 1], at[four + 2], at[four + 3]);
    }
}

// Four steps of one plane and word; of the word before if the streams are to see what comes before them.
__device__ __forceinline__ uint4 load_four(const uint4* four, u32 word, bool before) {
    const uint4 own = *four;
    if (!before) {
        return own;
    }
    const uint4 last = word > 0 ? four[-1] : make_uint4(0, 0, 0, 0);
    return make_uint4(own.x << 1 | last.x >> 31, own.y << 1 | last.y >> 31, own.z << 1 | last.z >> 31,
                      own.w << 1 | last.w >> 31);
}

// Some steps of all planes.
template <int PLANES, int COUNT>
struct Bits {
    u32 at[PLANES][COUNT];
};

// Where the lowest three bits of the code are LOW.
template <int LOW, int PLANES, int COUNT>
__device__ __forceinline__ u32 low_bits(const Bits<PLANES, COUNT>& bits, int step) {
    const u32 first = bits.at[0][step];
    const u32 second = bits.at[1][step];
    const u32 where = (LOW & 1 ? first : ~first) & (LOW & 2 ? second : ~second);
    if constexpr (PLANES > 2) {
        const u32 third = bits.at[2][step];
        return where & (LOW & 4 ? third : ~third);
    } else {
        return where;
    }
}

// Where the bits above those are the code's too.
template <int PLANES, int COUNT>
__device__ __forceinline__ u32 high_bits(const Bits<PLANES, COUNT>& bits, int step, u32 code, u32 where) {
#pragma unroll
    for (int plane = 3; plane < PLANES; ++plane) {
        where &= ~(bits.at[plane][step] ^ (0u - (code >> plane & 1)));
    }
    return where;
}

// Fills the slots of the codes whose lowest three bits are LOW, from `slot` on, and of those that come after them.
template <int LOW, int PLANES, int COUNT>
__device__ __forceinline__ void fill_codes(const Bits<PLANES, COUNT>& bits, const SlicedPattern& pattern, u32 slot,
                                           char* slots) {
    const u32 until = pattern.until[LOW];
    if (slot < until) {
        u32 low[COUNT];
#pragma unroll
        for (int step = 0; step < COUNT; ++step) {
            low[step] = low_bits<LOW>(bits, step);
        }
        if constexpr (PLANES <= 3) {
            store_slot(slots + slot * SLOT, low);
        } else {
            for (; slot < until; ++slot) {
                u32 equal[COUNT];
#pragma unroll
                for (int step = 0; step < COUNT; ++step) {
                    equal[step] = high_bits(bits, step, pattern.codes[slot], low[step]);
                }
                store_slot(slots + slot * SLOT, equal);
            }
        }
    }
    if constexpr (LOW + 1 < (PLANES < 3 ? 4 : 8)) {
        fill_codes<LOW + 1>(bits, pattern, until, slots);
    }
}

// Fills the slots of sets with several codes.
__device__ __forceinline__ void fill_unions(const SlicedPattern& pattern, char* slots) {
    for (u32 index = 0; index < pattern.unions; ++index) {
        Equal equal = {};
        for (u64 left = pattern.members[index]; left != 0; left &= left - 1) {
            const Equal more = load_slot(slots + (__ffsll(left) - 1) * SLOT);
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
                equal.at[step] |= more.at[step];
            }
        }
        store_slot(slots + (pattern.until[7] + index) * SLOT, equal.at);
    }
}

// Fills all slots for eight steps of a word, the first of which is at `four`.
template <int PLANES>
__device__ __forceinline__ void fill_slots(const uint4* four, u32 words, u32 word, bool before,
                                           const SlicedPattern& pattern, char* slots) {
    // As many steps at once as leave registers for the rows.
    constexpr int COUNT = PLANES > 3 ? 4 : 8;
#pragma unroll 1
    for (int half = 0; half < 2; half += COUNT / 4) {
        Bits<PLANES, COUNT> bits;
#pragma unroll
        for (int at = 0; at < COUNT; at += 4) {
#pragma unroll
            for (int plane = 0; plane < PLANES; ++plane) {
                const uint4 steps = load_four(four + ((half + at / 4) * PLANES + plane) * words, word, before);
                bits.at[plane][at] = steps.x;
                bits.at[plane][at + 1] = steps.y;
                bits.at[plane][at + 2] = steps.z;
                bits.at[plane][at + 3] = steps.w;
            }
        }
        fill_codes<0>(bits, pattern, 0, slots + half * HALF);
    }
    fill_unions(pattern, slots);
}

// Eight steps in the first row, above which nothing changes: a cell is 1, or 0 where it is equal.
__device__ __forceinline__ Horizontal first_row(u32& before, const Equal& equal) {
    Horizontal horizontal;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const u32 eq = equal.at[step];
        horizontal.plus[step] = before & ~eq;
        horizontal.minus[step] = eq & ~before;
        before = eq;
    }
    return horizontal;
}

// Where the work of a row is done: by logic operations alone, or half of it by the multipliers, in every other row.
enum class Pipes { Logic, Both };

// In which steps the positive deltas between two rows are turned over: in none, in those of odd number, or of even number.
enum class Turned { None, Odd, Even };

__device__ __forceinline__ bool is_turned(Turned turned, int step) {
    return turned != Turned::None && (turned == Turned::Odd) == (step % 2 == 1);
}

// Whether a row uses the multipliers: not those that may be missing, nor the one behind them, nor the last.
template <int ROWS, Pipes PIPES>
__device__ __forceinline__ bool is_multiplied(u32 row) {
    return PIPES == Pipes::Both && row > SKIPPED<ROWS> + 1 && row + 1 < ROWS && (row - SKIPPED<ROWS>) % 2 == 0;
}

// Eight steps in another row.
__device__ __forceinline__ void next_row(u32& pv, u32& mv, Horizontal& horizontal, const Equal& equal, Turned in,
                                         Turned out) {
    constexpr int NEITHER = ~(B | C) & 0xff;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const u32 ph = horizontal.plus[step];
        const u32 mh = horizontal.minus[step];
        const u32 d0 = logic<A | B | C>(equal.at[step], mv, mh);
        horizontal.plus[step] =
            is_turned(out, step) ? logic<~A & (B | C) & 0xff>(mv, d0, pv) : logic<A | NEITHER>(mv, d0, pv);
        horizontal.minus[step] = pv & d0;
        pv = is_turned(in, step) ? logic<A | (~B & C)>(mh, d0, ph) : logic<A | NEITHER>(mh, d0, ph);
        mv = is_turned(in, step) ? ~ph & d0 : ph & d0;
    }
}

// Eight steps in another row, with three logic operations and five additions on the multipliers. As numbers, word by word,
//
//     ph' - mh' = ~(d0 + (pv - mv))    and    pv' - mv' = ~(d0 + (ph - mh))
//
// No step is spent on turning over: every cell gives its positive deltas turned over, and the next one to the right and below takes them so.
// Those from above are turned over in odd steps, those below in even ones.
__device__ __forceinline__ void multiplied_row(u32& pv, u32& mv, Horizontal& horizontal, const Equal& equal, u32 one) {
    const u32 minus_one = 0u - one;
    // pv - mv; in odd steps ~(pv - mv).
    u32 vertical = multiply_add(mv, minus_one, pv);
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const bool turned = step % 2 == 1;
        const u32 sign = turned ? minus_one : one;
        const u32 opposite = turned ? one : minus_one;
        const u32 ph = horizontal.plus[step];
        const u32 mh = horizontal.minus[step];
        const u32 d0 = logic<A | B | C>(equal.at[step], mv, mh);
        const u32 mh_below = turned ? ~pv & d0 : pv & d0;
        const u32 above = multiply_add(mh, opposite, ph);
        const u32 below = multiply_add(d0, sign, vertical);
        mv = turned ? ~ph & d0 : ph & d0;
        vertical = multiply_add(d0, sign, above);
        pv = multiply_add(mv, opposite, vertical);
        horizontal.plus[step] = multiply_add(mh_below, opposite, below);
        horizontal.minus[step] = mh_below;
    }
}

// Eight steps in all rows; gives the deltas below the last.
template <int ROWS, Pipes PIPES>
__device__ __forceinline__ Horizontal advance(Column<ROWS>& column, const Staged<ROWS>& staged, u32 skip,
                                              const char* slots, u32 one) {
    Horizontal horizontal = first_row(column.before, load_slot(slots + staged.offsets[skip]));
#pragma unroll
    for (int four = 0; four < ROWS; four += 4) {
        const uint4 offsets = *reinterpret_cast<const uint4*>(staged.offsets + four);
        const u32 offset[4] = {offsets.x, offsets.y, offsets.z, offsets.w};
#pragma unroll
        for (int at = 0; at < 4; ++at) {
            const u32 row = four + at;
            if (is_multiplied<ROWS, PIPES>(row)) {
                multiplied_row(column.pv[row], column.mv[row], horizontal, load_slot(slots + offset[at]), one);
            } else if (row > SKIPPED<ROWS> || row > skip) {
                next_row(column.pv[row], column.mv[row], horizontal, load_slot(slots + offset[at]),
                         is_multiplied<ROWS, PIPES>(row - 1) ? Turned::Even : Turned::None,
                         is_multiplied<ROWS, PIPES>(row + 1) ? Turned::Odd : Turned::None);
            }
        }
    }
    return horizontal;
}

// Adds one step to the counter; gives where it is negative.
template <int BITS>
__device__ __forceinline__ u32 count(u32 (&counter)[BITS], u32 plus, u32 minus) {
    // Where a bit changes the next one does too, if it was one on the way up, or zero on the way down.
    u32 change = logic<(A & B) | (~A & C)>(counter[0], plus, minus);
    counter[0] = logic<A ^ (B | C)>(counter[0], plus, minus);
#pragma unroll
    for (int bit = 1; bit < BITS; ++bit) {
        const u32 next = logic<A & (B ^ C)>(change, counter[bit], minus);
        counter[bit] ^= change;
        change = next;
    }
    return counter[BITS - 1];
}

// Which of the 32 streams of a word have a symbol at a step.
__device__ __forceinline__ u32 streams_with(const SlicedArguments& args, u32 word, u32 step) {
    const u32 streams = args.symbols / args.steps + (step < args.symbols % args.steps);
    const u32 first = word * 32;
    return streams <= first ? 0 : streams - first >= 32 ? ~0u : (1u << (streams - first)) - 1;
}

// How far from zero a counter is in one stream, where it is negative.
template <int BITS>
__device__ __forceinline__ u32 missing(const u32 (&counter)[BITS], u32 stream) {
    u32 value = 0;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
        value |= (counter[bit] >> stream & 1) << bit;
    }
    return (1u << BITS) - value;
}

// Moves all steps one forward, and the first to the end.
__device__ __forceinline__ void turn(u32 (&steps)[STEPS]) {
    const u32 first = steps[0];
#pragma unroll
    for (int step = 1; step < STEPS; ++step) {
        steps[step - 1] = steps[step];
    }
    steps[STEPS - 1] = first;
}

// Reports the hits of eight steps, behind which the counter stands: it goes back, and step by step on again.
template <int BITS>
__device__ __forceinline__ void take_hits(const SlicedArguments& args, const SlicedPattern& pattern,
                                          u32 (&counter)[BITS], Horizontal horizontal, u32 word, u32 first) {
    u32 within[STEPS];
    u32 hits = 0;
#pragma unroll
    for (int step = STEPS - 1; step >= 0; --step) {
        within[step] = counter[BITS - 1] & streams_with(args, word, first + step);
        hits += __popc(within[step]);
        count(counter, horizontal.minus[step], horizontal.plus[step]);
    }
    u64 place = reserve(args.buffer, hits);
    // Not unrolled: the arrays turn, so that each step is the first in its turn.
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        count(counter, horizontal.plus[0], horizontal.minus[0]);
        for (u32 left = within[0]; left != 0; left &= left - 1) {
            const u32 stream = __ffs(left) - 1;
            const u32 symbol = (word * 32 + stream) * args.steps + first + step;
            put(args.buffer, place++, {symbol, pattern.id, pattern.k + 1 - missing(counter, stream)});
        }
        turn(horizontal.plus);
        turn(horizontal.minus);
        turn(within);
    }
}

// The column before any text.
template <int ROWS>
__device__ __forceinline__ void reset(Column<ROWS>& column, const SlicedPattern& pattern) {
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
        column.pv[row] = ~0u;
        column.mv[row] = 0;
    }
    column.before = 0;
    const u32 start = pattern.rows - pattern.k - 1;
#pragma unroll
    for (int bit = 0; bit < COUNTER_BITS<ROWS>; ++bit) {
        column.counter[bit] = 0u - (start >> bit & 1);
    }
}

// Finds the hits of the staged pattern in the streams of one word.
template <int ROWS, Pipes PIPES>
__device__ __forceinline__ void scan_pattern(const SlicedArguments& args, const Staged<ROWS>& staged, char* slots,
                                             u32 word) {
    const SlicedPattern& pattern = staged.pattern;
    const u32 skip = ROWS - pattern.rows;
    Column<ROWS> column;
    reset(column, pattern);
    const int passes = static_cast<int>(args.steps / STEPS);
    const int warm_up = static_cast<int>((pattern.rows + pattern.k + STEPS - 1) / STEPS);
    for (int pass = -warm_up; pass < passes; ++pass) {
        const bool before = pass < 0;
        const u64 four = static_cast<u64>(before ? pass + passes : pass) * 2 * args.plane_count * args.words + word;
        switch (args.plane_count) {
            case 2: fill_slots<2>(args.planes + four, args.words, word, before, pattern, slots); break;
            case 3: fill_slots<3>(args.planes + four, args.words, word, before, pattern, slots); break;
            case 4: fill_slots<4>(args.planes + four, args.words, word, before, pattern, slots); break;
            case 5: fill_slots<5>(args.planes + four, args.words, word, before, pattern, slots); break;
            default: fill_slots<6>(args.planes + four, args.words, word, before, pattern, slots); break;
        }
        const Horizontal horizontal = advance<ROWS, PIPES>(column, staged, skip, slots, args.one);
        u32 within = 0;
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            within |= count(column.counter, horizontal.plus[step], horizontal.minus[step]);
        }
        if (__any_sync(ALL_LANES, !before && within != 0)) {
            take_hits(args, pattern, column.counter, horizontal, word, pass * STEPS);
        }
    }
}

// Puts a pattern into shared memory.
template <int ROWS>
__device__ __forceinline__ void stage(const SlicedPattern& pattern, Staged<ROWS>& staged) {
    const uint4* from = reinterpret_cast<const uint4*>(&pattern);
    uint4* to = reinterpret_cast<uint4*>(&staged.pattern);
    for (u32 at = threadIdx.x; at < sizeof(SlicedPattern) / sizeof(uint4); at += blockDim.x) {
        to[at] = from[at];
    }
    const u32 skip = ROWS - pattern.rows;
    for (u32 row = threadIdx.x; row < ROWS; row += blockDim.x) {
        staged.offsets[row] = row < skip ? 0 : pattern.slots[row - skip] * SLOT;
    }
}

template <int ROWS, Pipes PIPES>
__device__ __forceinline__ void scan_group(const SlicedArguments& args) {
    DYNAMIC_SHARED(shared);
    Staged<ROWS>& staged = *reinterpret_cast<Staged<ROWS>*>(shared);
    const u32 word = (args.first_tile + blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 first = blockIdx.y * args.patterns_in_group;
    for (u32 index = first; index < first + args.patterns_in_group && index < args.pattern_count; ++index) {
        __syncthreads();
        stage(args.patterns[index], staged);
        __syncthreads();
        const u32 slots = staged.pattern.until[7] + staged.pattern.unions;
        char* own = reinterpret_cast<char*>(shared) + sizeof(Staged<ROWS>) + threadIdx.x / WARP * slots * SLOT +
                    lane_index() * sizeof(uint4);
        scan_pattern<ROWS, PIPES>(args, staged, own, word);
    }
}

// Blocks that a multiprocessor should hold at once, by what the rows leave of its registers.
template <int ROWS>
constexpr int RESIDENT = ROWS <= 20 ? 5 : ROWS <= 32 ? 4 : ROWS <= 48 ? 3 : 2;

#ifdef NIGH_ROWS
extern "C" __global__ void __launch_bounds__(128, RESIDENT<NIGH_ROWS>) sliced(const SlicedArguments args) {
    scan_group<NIGH_ROWS, Pipes::Logic>(args);
}
#endif
