// Shared by the bit-sliced kernels: planes, slots (the equality masks of symbol sets), the cell of the matrix, the
// counter below the last row, and hits.
//
// A cell takes four logic operations of three inputs. A difference has two words: where it is not zero, and its sign.
// The sign of a vertical difference may have any value where the difference is zero. So the word of the horizontal
// differences of +1 above the row, from the step before, serves as the sign and costs nothing. With step = 1 for a step
// that costs an edit,
//
//     v' = step - h    h' = step - v    step = 0 where the symbols are equal, or v or h is -1
//
// a difference is not zero where the step and the other difference differ. v' can be -1 only where h is +1, and h' can
// be +1 only where v is not +1.
#pragma once

#include "device.cuh"

constexpr int STEPS = 8;
// Bytes of a slot of one warp, and of its first four steps.
constexpr u32 SLOT = 1024;
constexpr u32 HALF = 512;

// The planes of a text, and its division into streams.
struct SlicedText {
    const uint4* planes;  // [step / 4][plane][word] as four steps
    u32 symbols;
    u32 words;
    u32 steps;
    u32 plane_count;
};

// The position of a warp among the one, two or four warps that share slots. Of two warps, each fills half of each slot;
// of four, each fills half of every other slot.
struct Share {
    u32 own;
    u32 count;
};

__device__ __forceinline__ u32 slots_apart(const Share& share) {
    return share.count > 2 ? 2 : 1;
}

// Returns the first slot of a warp's share at or after `slot`.
__device__ __forceinline__ u32 first_slot(u32 slot, const Share& share) {
    return slot + ((share.own / 2 - slot) & (slots_apart(share) - 1));
}

// The counter ranges from -(k + 1) to m - (k + 1), in two's complement.
constexpr int counter_bits(int rows) {
    int bits = 1;
    while (1 << (bits - 1) < rows) {
        ++bits;
    }
    return bits;
}

// Horizontal differences of some steps, below one row.
struct Horizontal {
    u32 plus[STEPS];     // where they are +1
    u32 changes[STEPS];  // where they are not zero
};

struct Equal {
    u32 at[STEPS];
};

__device__ __forceinline__ Equal load_slot(const char* slot) {
    const uint4 first = *reinterpret_cast<const uint4*>(slot);
    const uint4 second = *reinterpret_cast<const uint4*>(slot + HALF);
    return {{first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w}};
}

// Stores half of a slot.
__device__ __forceinline__ void store_half(char* half, const u32 (&at)[4]) {
    *reinterpret_cast<uint4*>(half) = make_uint4(at[0], at[1], at[2], at[3]);
}

// Loads four steps of one plane and word. If `before` is true, shifts in the word before, for the context of the
// streams.
__device__ __forceinline__ uint4 load_four(const uint4* four, u32 word, bool before) {
    const uint4 own = *four;
    if (!before) {
        return own;
    }
    const uint4 last = word > 0 ? four[-1] : make_uint4(0, 0, 0, 0);
    return make_uint4(own.x << 1 | last.x >> 31, own.y << 1 | last.y >> 31, own.z << 1 | last.z >> 31,
                      own.w << 1 | last.w >> 31);
}

// Four steps of all planes.
template <int PLANES>
struct Bits {
    u32 at[PLANES][4];
};

// Returns the streams in which the lowest three bits of the code are LOW.
template <int LOW, int PLANES>
__device__ __forceinline__ u32 low_bits(const Bits<PLANES>& bits, int step) {
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

// Restricts `where` to the streams in which the higher bits equal those of the code.
template <int PLANES>
__device__ __forceinline__ u32 high_bits(const Bits<PLANES>& bits, int step, u32 code, u32 where) {
#pragma unroll
    for (int plane = 3; plane < PLANES; ++plane) {
        where &= ~(bits.at[plane][step] ^ (0u - (code >> plane & 1)));
    }
    return where;
}

// Returns the values of the lowest three bits of codes for which a warp fills slots, as a mask.
template <typename Pattern>
__device__ __forceinline__ u32 lows_of(const Pattern& pattern, const Share& share) {
    u32 lows = 0;
    u32 first = 0;
    for (u32 low = 0; low < 8; ++low) {
        const u32 slot = first_slot(first, share);
        first = pattern.until[low];
        lows |= (slot < first ? 1u : 0u) << low;
    }
    return lows;
}

// The streams in which the lowest three bits of the code are LOW, for four steps.
struct Four {
    u32 at[4];
};

template <int LOW, int PLANES>
__device__ __forceinline__ Four four_low_bits(const Bits<PLANES>& bits) {
    Four low;
#pragma unroll
    for (int step = 0; step < 4; ++step) {
        low.at[step] = low_bits<LOW>(bits, step);
    }
    return low;
}

// Fills half of the slots of codes of at most three bits that are at least LOW and in `lows`.
template <int LOW, int PLANES, typename Pattern>
__device__ __forceinline__ void fill_lows(const Bits<PLANES>& bits, const Pattern& pattern, u32 lows, char* half) {
    if ((lows >> LOW & 1) != 0) {
        const u32 slot = LOW > 0 ? pattern.until[LOW - 1] : 0;
        store_half(half + slot * SLOT, four_low_bits<LOW>(bits).at);
    }
    if constexpr (LOW + 1 < (PLANES < 3 ? 4 : 8)) {
        fill_lows<LOW + 1>(bits, pattern, lows, half);
    }
}

// Fills half of the slots, within the share, of the codes whose lowest three bits are LOW, from slot `first` on; then
// of those after them.
template <int LOW, int PLANES, typename Pattern>
__device__ __forceinline__ void fill_codes(const Bits<PLANES>& bits, const Pattern& pattern, const Share& share,
                                           u32 first, char* half) {
    const u32 until = pattern.until[LOW];
    u32 slot = first_slot(first, share);
    if (slot < until) {
        const Four low = four_low_bits<LOW>(bits);
        for (; slot < until; slot += slots_apart(share)) {
            Four equal;
#pragma unroll
            for (int step = 0; step < 4; ++step) {
                equal.at[step] = high_bits(bits, step, pattern.codes[slot], low.at[step]);
            }
            store_half(half + slot * SLOT, equal.at);
        }
    }
    if constexpr (LOW + 1 < 8) {
        fill_codes<LOW + 1>(bits, pattern, share, until, half);
    }
}

// Fills the share of the slots of unions.
template <typename Pattern>
__device__ __forceinline__ void fill_unions(const Pattern& pattern, const Share& share, char* slots) {
    for (u32 index = share.own; index < pattern.unions; index += share.count) {
        Equal equal = {};
        for (u64 left = pattern.members[index]; left != 0; left &= left - 1) {
            const Equal more = load_slot(slots + (__ffsll(left) - 1) * SLOT);
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
                equal.at[step] |= more.at[step];
            }
        }
        char* slot = slots + (pattern.until[7] + index) * SLOT;
        store_half(slot, {equal.at[0], equal.at[1], equal.at[2], equal.at[3]});
        store_half(slot + HALF, {equal.at[4], equal.at[5], equal.at[6], equal.at[7]});
    }
}

template <int PLANES, typename Pattern>
__device__ __forceinline__ void fill_planes(const SlicedText& text, int pass, u32 word, const Pattern& pattern,
                                            const Share& share, u32 lows, char* slots) {
    const bool before = pass < 0;
    const u32 four = (before ? pass + text.steps / STEPS : pass) * 2;
    const u64 next = static_cast<u64>(2 * PLANES) * text.words;
#pragma unroll 1
    for (u32 half = share.count > 1 ? share.own % 2 : 0; half < 2; half += share.count > 1 ? 2 : 1) {
        Bits<PLANES> bits;
#pragma unroll
        for (int plane = 0; plane < PLANES; ++plane) {
            const uint4* at = text.planes + static_cast<u64>((four + half) * PLANES + plane) * text.words + word;
            const uint4 steps = load_four(at, word, before);
            bits.at[plane][0] = steps.x;
            bits.at[plane][1] = steps.y;
            bits.at[plane][2] = steps.z;
            bits.at[plane][3] = steps.w;
            if (four + 2 < text.steps / 4) {
                prefetch(at + next);
            }
        }
        if constexpr (PLANES <= 3) {
            fill_lows<0>(bits, pattern, lows, slots + half * HALF);
        } else {
            fill_codes<0>(bits, pattern, share, 0, slots + half * HALF);
        }
    }
}

// Fills all slots for eight steps of a word, together with the other warps that share them. A pass before the first
// reads the last steps of the streams before. All threads of a block must call it.
template <typename Pattern>
__device__ __forceinline__ void fill_slots(const SlicedText& text, int pass, u32 word, const Pattern& pattern,
                                           const Share& share, u32 lows, char* slots) {
    switch (text.plane_count) {
        case 2: fill_planes<2>(text, pass, word, pattern, share, lows, slots); break;
        case 3: fill_planes<3>(text, pass, word, pattern, share, lows, slots); break;
        case 4: fill_planes<4>(text, pass, word, pattern, share, lows, slots); break;
        case 5: fill_planes<5>(text, pass, word, pattern, share, lows, slots); break;
        default: fill_planes<6>(text, pass, word, pattern, share, lows, slots); break;
    }
    if (share.count > 1) {
        __syncthreads();
    }
    if (pattern.unions > 0) {
        fill_unions(pattern, share, slots);
        if (share.count > 1) {
            __syncthreads();
        }
    }
}

// Computes eight steps of a row. `changes` and `minus` are its vertical difference.
__device__ __forceinline__ void next_row(u32& changes, u32& minus, Horizontal& horizontal, const Equal& equal) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        const u32 plus = horizontal.plus[step];
        const u32 free = logic<A | (B & C)>(equal.at[step], changes, minus);
        const u32 after = logic<(A | (~B & C)) ^ C ^ 0xff>(free, plus, horizontal.changes[step]);
        horizontal.changes[step] = logic<A ^ B ^ C>(after, horizontal.changes[step], changes);
        horizontal.plus[step] = logic<A & ~(B & ~C)>(horizontal.changes[step], changes, minus);
        changes = after;
        minus = plus;
    }
}

// Adds one step to the counter; returns its sign bits.
template <int BITS>
__device__ __forceinline__ u32 count(u32 (&counter)[BITS], u32 plus, u32 changes) {
    // The next bit changes too where a bit was one on the way up, or zero on the way down.
    u32 change = logic<A & ~(B ^ C)>(changes, counter[0], plus);
    counter[0] ^= changes;
#pragma unroll
    for (int bit = 1; bit < BITS; ++bit) {
        const u32 next = logic<A & ~(B ^ C)>(change, counter[bit], plus);
        counter[bit] ^= change;
        change = next;
    }
    return counter[BITS - 1];
}

// Adds eight steps; returns the streams in which the counter was negative after any of them.
template <int BITS>
__device__ __forceinline__ u32 count_all(u32 (&counter)[BITS], const Horizontal& horizontal) {
    u32 within = 0;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
        within |= count(counter, horizontal.plus[step], horizontal.changes[step]);
    }
    return within;
}

// Sets the counter to its value before any text.
template <int BITS, typename Pattern>
__device__ __forceinline__ void reset_counter(u32 (&counter)[BITS], const Pattern& pattern) {
    const u32 start = pattern.rows - pattern.k - 1;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
        counter[bit] = 0u - (start >> bit & 1);
    }
}

// Returns the mask of the 32 streams of a word that have a symbol at a step.
__device__ __forceinline__ u32 streams_with(const SlicedText& text, u32 word, u32 step) {
    const u32 streams = text.symbols / text.steps + (step < text.symbols % text.steps);
    const u32 first = word * 32;
    return streams <= first ? 0 : streams - first >= 32 ? ~0u : (1u << (streams - first)) - 1;
}

// Returns the distance of a negative counter from zero in one stream.
template <int BITS>
__device__ __forceinline__ u32 missing(const u32 (&counter)[BITS], u32 stream) {
    u32 value = 0;
#pragma unroll
    for (int bit = 0; bit < BITS; ++bit) {
        value |= (counter[bit] >> stream & 1) << bit;
    }
    return (1u << BITS) - value;
}

// Rotates the steps by one: the first moves to the end.
__device__ __forceinline__ void turn(u32 (&steps)[STEPS]) {
    const u32 first = steps[0];
#pragma unroll
    for (int step = 1; step < STEPS; ++step) {
        steps[step - 1] = steps[step];
    }
    steps[STEPS - 1] = first;
}

// Keeps about one hit of each line or record, and drops the others. 40 bytes; all zero if every hit is wanted.
struct FirstHitFilter {
    const u8* text;    //  0: of the symbols
    const u32* ends;   //  8: [symbol], the offset just past its last byte; 0 past the last symbol
    u32* selected;     // 16: a bit for each byte of the text, set where a selected item starts; null if every hit is wanted
    u32 after;         // 24: only hits that end after this offset are selected,
    u32 until;         // 28: and at or before this one
    u32 separator;     // 32: the byte that divides items
    u32 unused;        // 36
};

// An item counts as ending at each offset that is a multiple of this number of bytes. This bounds the search for the
// start of an item.
constexpr u32 ITEM_BYTES = 4096;

// Returns a word with all lower bits of each byte set, and the top bit of each byte in which the two words differ.
__device__ __forceinline__ u32 differing_bytes(u32 word, u32 wanted) {
    const u32 other = word ^ wanted;
    return ((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other | 0x7f7f7f7f;
}

// Returns the offset at which the item of the byte before `end` starts, or the multiple of ITEM_BYTES before `end` if
// that is later. The text is aligned to four bytes.
__device__ __forceinline__ u32 item_start(const FirstHitFilter& filter, u32 end) {
    const u32 least = (end - 1) / ITEM_BYTES * ITEM_BYTES;
    const u32 wanted = filter.separator * 0x01010101u;
    u32 at = end - 1;
    // The bytes of a word at or after `at` count as different.
    u32 before = (1u << at % 4 * 8) - 1;
#pragma unroll 1
    for (at -= at % 4;; at -= 4) {
        const u32 word = *reinterpret_cast<const u32*>(filter.text + at);
        const u32 equal = ~differing_bytes(word, wanted) & before;
        if (equal != 0) {
            return at + (32 - __clz(static_cast<int>(equal))) / 8;
        }
        if (at == least) {
            return least;
        }
        before = ~0u;
    }
}

// Returns whether a hit is the first of its item, and marks the item as selected. `symbol` is the last symbol of the
// match. A match has at least `shortest` symbols, so a hit with fewer bytes before it crosses the start of its item.
__device__ __forceinline__ bool selects(const FirstHitFilter& filter, u32 symbol, u32 shortest) {
    const u32 end = filter.ends[symbol];
    if (end <= filter.after || end > filter.until || filter.text[end - 1] == filter.separator) {
        return false;
    }
    const u32 start = item_start(filter, end);
    if (end - start < shortest && (start == 0 || filter.text[start - 1] == filter.separator)) {
        return false;
    }
    const u32 bit = 1u << start % 32;
    return (filter.selected[start / 32] & bit) == 0 && (atomicOr(filter.selected + start / 32, bit) & bit) == 0;
}

// Repeats eight steps one by one from the counter before them. Passes the index of the symbol and the distance of each hit
// to `report`.
template <int BITS, typename Pattern, typename Report>
__device__ __forceinline__ void repeat_steps(const SlicedText& text, const Pattern& pattern, u32 (&counter)[BITS],
                                             Horizontal& horizontal, u32 word, u32 first, Report report) {
    // Not unrolled: the arrays rotate, so each step is the first in its turn.
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        const u32 within = count(counter, horizontal.plus[0], horizontal.changes[0]);
        for (u32 left = within & streams_with(text, word, first + step); left != 0; left &= left - 1) {
            const u32 stream = __ffs(left) - 1;
            report((word * 32 + stream) * text.steps + first + step, pattern.k + 1 - missing(counter, stream));
        }
        turn(horizontal.plus);
        turn(horizontal.changes);
    }
}

// Reports the hits of eight steps that the counter has passed: rewinds it and repeats the steps one by one. With a
// filter, each hit has an atomic of its own, because few are left.
template <int BITS, typename Pattern>
__device__ __forceinline__ void take_hits(const SlicedText& text, const HitBuffer& buffer, const FirstHitFilter& filter,
                                          const Pattern& pattern, u32 (&counter)[BITS], Horizontal horizontal, u32 word,
                                          u32 first) {
    u32 hits = 0;
#pragma unroll
    for (int step = STEPS - 1; step >= 0; --step) {
        hits += __popc(counter[BITS - 1] & streams_with(text, word, first + step));
        count(counter, ~horizontal.plus[step], horizontal.changes[step]);
    }
    if (filter.selected != nullptr) {
        repeat_steps(text, pattern, counter, horizontal, word, first, [&](u32 symbol, u32 distance) {
            if (selects(filter, symbol, pattern.rows - pattern.k)) {
                put(buffer, atomicAdd(buffer.found, u64{1}), {symbol, pattern.id, distance});
            }
        });
        return;
    }
    u64 place = reserve(buffer, hits);
    repeat_steps(text, pattern, counter, horizontal, word, first, [&](u32 symbol, u32 distance) {
        put(buffer, place++, {symbol, pattern.id, distance});
    });
}
