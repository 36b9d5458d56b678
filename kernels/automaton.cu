// Simulates the automata of regular expressions with at most k edits, with one stream of text per bit.
//
// The recurrence is that of Wu and Manber (1992) over the states of Glushkov's automaton (1961). For each level, which
// is a number of edits, and each state, a plane has a bit for each stream that is in the state. The host encodes each
// automaton as a program: an interpreter runs it, so that expressions need no compilation.
//
// Division of work. A warp simulates one automaton in 1,024 streams: each thread has the 32 streams of a word. Symbol i of
// the text is step i % steps of stream i / steps, as for sliced.cu. Grid: x tiles of 32 words, y automata; one warp a block.
//
// Storage. The planes of states are columns of 32 words, one word for each lane: k + 2 arrays of one column for each
// state, of which one in turn is free; and if k is not 0, an array of what a level takes over from the level below it.
// They are in shared memory, or in global memory if there are too many. The masks of symbol sets for four steps are in
// shared memory.
//
// Code 0 is the end of a line or record, which clears all states. Conditions at a position of the text are evaluated,
// and hits there are reported, when the symbol after the position is read, because conditions look at both sides. A
// stream first reads the end of the stream before it: as much as a match can cover, or from the start of a line on.
// Symbols before the first stream and past the text have code 0.
#include "sliced.cuh"

// Number of steps whose masks are made at a time.
constexpr u32 MASKED = 4;
// Number of states that are advanced together, a group. A program has a word of each state of a group, then another
// word of each.
constexpr u32 GROUP = 4;
// The numbers of the sets that all automata have: ends, and word characters if there are conditions.
constexpr u32 ENDS = 0;
constexpr u32 ASCII_WORDS = 1;
constexpr u32 OTHER_WORDS = 2;
// The flag of an inverted set.
constexpr u32 INVERTED = 1u << 31;

// An automaton, 64 bytes. The offsets of its parts are relative to its program.
struct Automaton {
    u32 id;            //  0: reported with its hits
    u32 k;             //  4
    u32 states;        //  8: a multiple of GROUP after the initial ones; the last may be without use
    u32 initial;       // 12: number of initial states, which come first
    u32 sets;          // 16: number of symbol sets
    u32 conditions;    // 20: number of conditions, without the one that always holds
    u32 accepting;     // 24: number of accepting states
    u32 warm_up;       // 28: symbols read before a stream; 0 to begin at the start of a line
    u32 program;       // 32: index of its program, a multiple of 4. First a word for each set: the offset past its cubes,
                       //     with INVERTED if the set is inverted
    u32 cubes;         // 36: offset of the cubes: 8 bits of a code, then a mask of the bits that count. An inverted set
                       //     has the cubes of the other codes
    u32 contexts;      // 40: offset of the conditions: the contexts in which each holds, as a bit 4 * before + after
    u32 starts;        // 44: offset of the condition of each initial state
    u32 readers;       // 48: offset of the other states, in groups: set | further << 16 of each, then a predecessor of each
    u32 further;       // 52: offset of the further predecessors: state | condition << 16, as for the first
    u32 ends;          // 56: offset of the accepting states, as for predecessors
    u32 unused;        // 60
};

// 120 bytes.
struct AutomatonArguments {
    const uint4* planes;        //  0: [step / 4][plane][word] as four steps
    const Automaton* automata;  //  8
    const u32* programs;        // 16
    u32* states;                // 24: [block][column][lane], if the columns are not in shared memory
    HitBuffer buffer;           // 32
    u32 symbols;                // 56: of the text; one more may follow, which is only looked at
    u32 words;                  // 60: of each step and plane; a multiple of 32
    u32 steps;                  // 64: of each stream, a multiple of 32
    u32 plane_count;            // 68: 4, 6 or 8
    u32 columns;                // 72: of a block in `states`
    u32 unused;                 // 76
    FirstHitFilter filter;          // 80
};

// Returns the number of arrays of columns.
__device__ __forceinline__ u32 arrays_of(const Automaton& automaton) {
    return automaton.k + 2 + (automaton.k > 0 ? 1 : 0);
}

// The memory of a thread: its lane of all columns.
struct Columns {
    u32* masks;       // [set][step]
    u32* conditions;  // [condition]
    u32* states;      // [array][state]
    u32 stride;       // words from one array to the next
};

// The kinds of the last symbol of each stream.
struct Last {
    // The streams whose last symbol is an end, a word character in ASCII, another word character, or any other symbol.
    u32 kinds[4];
};

// Fills the masks of all sets for four steps. A pass has four steps; a negative `pass` reads the last steps of the
// streams before.
template <int PLANES>
__device__ __forceinline__ void fill_masks(const AutomatonArguments& args, const Automaton& automaton, int pass, u32 word,
                                           const Columns& own) {
    const bool before = pass < 0;
    const u32 four = before ? pass + args.steps / MASKED : pass;
    u32 bits[PLANES][MASKED];
#pragma unroll
    for (int plane = 0; plane < PLANES; ++plane) {
        const uint4* at = args.planes + static_cast<u64>(four * PLANES + plane) * args.words + word;
        const uint4 steps = load_four(at, word, before);
        bits[plane][0] = steps.x;
        bits[plane][1] = steps.y;
        bits[plane][2] = steps.z;
        bits[plane][3] = steps.w;
    }
    const u32* const program = args.programs + automaton.program;
    u32 at = automaton.cubes;
    for (u32 set = 0; set < automaton.sets; ++set) {
        const u32 last = program[set];
        u32 equal[MASKED] = {};
        for (; at < (last & ~INVERTED); ++at) {
            const u32 cube = program[at];
            u32 where[MASKED] = {~0u, ~0u, ~0u, ~0u};
#pragma unroll
            for (int plane = 0; plane < PLANES; ++plane) {
                if ((cube >> (8 + plane) & 1) != 0) {
                    const u32 turn = (cube >> plane & 1) - 1;
#pragma unroll
                    for (u32 step = 0; step < MASKED; ++step) {
                        where[step] &= bits[plane][step] ^ turn;
                    }
                }
            }
#pragma unroll
            for (u32 step = 0; step < MASKED; ++step) {
                equal[step] |= where[step];
            }
        }
        const u32 turn = 0u - (last >> 31);
#pragma unroll
        for (u32 step = 0; step < MASKED; ++step) {
            own.masks[(set * MASKED + step) * WARP] = equal[step] ^ turn;
        }
    }
}

__device__ __forceinline__ void fill_masks(const AutomatonArguments& args, const Automaton& automaton, int pass, u32 word,
                                           const Columns& own) {
    switch (args.plane_count) {
        case 4: fill_masks<4>(args, automaton, pass, word, own); break;
        case 6: fill_masks<6>(args, automaton, pass, word, own); break;
        default: fill_masks<8>(args, automaton, pass, word, own); break;
    }
}

// Returns the number of passes before the text after which each stream of the warp has read the start of a line, or all that the
// stream before it has.
__device__ __forceinline__ int passes_to_line_starts(const AutomatonArguments& args, u32 word) {
    const u32 streams = args.symbols / args.steps + 1;
    u32 open = streams <= word * 32 ? 0 : streams - word * 32 >= 32 ? ~0u : (1u << (streams - word * 32)) - 1;
    // The first stream starts with a line.
    open &= word == 0 ? ~1u : ~0u;
    int passes = 0;
    while (__any_sync(ALL_LANES, open != 0) && passes < static_cast<int>(args.steps / MASKED)) {
        ++passes;
        uint4 others = make_uint4(0, 0, 0, 0);
        for (u32 plane = 0; plane < args.plane_count; ++plane) {
            const u32 four = args.steps / MASKED - passes;
            const uint4* at = args.planes + static_cast<u64>(four * args.plane_count + plane) * args.words + word;
            const uint4 steps = load_four(at, word, true);
            others.x |= steps.x;
            others.y |= steps.y;
            others.z |= steps.z;
            others.w |= steps.w;
        }
        open &= others.x & others.y & others.z & others.w;
    }
    return passes;
}

// Returns the streams in which a condition holds. The condition 0 always holds.
__device__ __forceinline__ u32 holds(const Columns& own, u32 condition) {
    return condition == 0 ? ~0u : own.conditions[(condition - 1) * WARP];
}

// Computes the streams in which each condition holds between the last symbol and the next one. Then makes the next symbol the
// last one.
__device__ __forceinline__ void judge(const Automaton& automaton, const u32* contexts, u32 step, Last& last,
                                      const Columns& own) {
    const u32 ends = own.masks[(ENDS * MASKED + step) * WARP];
    const u32 ascii = own.masks[(ASCII_WORDS * MASKED + step) * WARP];
    const u32 others = own.masks[(OTHER_WORDS * MASKED + step) * WARP];
    const u32 next[4] = {ends, ascii, others, ~(ends | ascii | others)};
    for (u32 condition = 0; condition < automaton.conditions; ++condition) {
        const u32 set = contexts[condition];
        u32 where = 0;
#pragma unroll
        for (int before = 0; before < 4; ++before) {
            u32 after = 0;
#pragma unroll
            for (int kind = 0; kind < 4; ++kind) {
                after |= (set >> (4 * before + kind) & 1) != 0 ? next[kind] : 0;
            }
            where |= last.kinds[before] & after;
        }
        own.conditions[condition * WARP] = where;
    }
#pragma unroll
    for (int kind = 0; kind < 4; ++kind) {
        last.kinds[kind] = next[kind];
    }
}

// Returns the streams that come from a predecessor, which is given by its state and a condition.
__device__ __forceinline__ u32 come(const u32* here, const Columns& own, u32 predecessor) {
    const u32 reached = here[(predecessor & 0xffff) * WARP];
    return predecessor >> 16 == 0 ? reached : reached & holds(own, predecessor >> 16);
}

// Reads the symbol of a step for all states of a level. `here` has the planes of the level before the symbol, and
// `next` gets those after it. `below` has what the level takes over from the level below it, by a substitution or an
// insertion, and gets what the next level takes over. `above` has the planes of the next level before the symbol, and
// gets those that delete a symbol of the expression; null at the last level. The states of a group are independent of
// each other, so their loads overlap.
__device__ __forceinline__ void advance(const Automaton& automaton, const u32* program, u32 level, u32 step, const Columns& own,
                                        u32* here, u32* next, u32* below, u32* above) {
    const u32 inside = ~own.masks[(ENDS * MASKED + step) * WARP];
    for (u32 state = 0; state < automaton.initial; ++state) {
        const u32 at = state * WARP;
        if (level == 0) {
            here[at] = holds(own, program[automaton.starts + state]);
        } else {
            next[at] = below[at] & inside;
        }
        if (above != nullptr) {
            below[at] = here[at];
        }
    }
    const uint4* group = reinterpret_cast<const uint4*>(program + automaton.readers);
    const u32* further = program + automaton.further;
    for (u32 state = automaton.initial; state < automaton.states; state += GROUP, group += 2) {
        const u32 heads[GROUP] = {group[0].x, group[0].y, group[0].z, group[0].w};
        const u32 predecessors[GROUP] = {group[1].x, group[1].y, group[1].z, group[1].w};
        u32 following[GROUP], read[GROUP], kept[GROUP], deleted[GROUP];
#pragma unroll
        for (u32 index = 0; index < GROUP; ++index) {
            const u32 at = (state + index) * WARP;
            following[index] = here[(predecessors[index] & 0xffff) * WARP];
            read[index] = own.masks[((heads[index] & 0xffff) * MASKED + step) * WARP];
            kept[index] = level > 0 ? below[at] : 0;
            deleted[index] = above != nullptr ? above[at] : 0;
        }
#pragma unroll
        for (u32 index = 0; index < GROUP; ++index) {
            if (predecessors[index] >> 16 != 0) {
                following[index] &= holds(own, predecessors[index] >> 16);
            }
            for (u32 left = heads[index] >> 16; left > 0; --left) {
                following[index] |= come(here, own, *further++);
            }
        }
#pragma unroll
        for (u32 index = 0; index < GROUP; ++index) {
            const u32 at = (state + index) * WARP;
            next[at] = ((following[index] & read[index]) | kept[index]) & inside;
            if (above != nullptr) {
                below[at] = following[index] | here[at];
                above[at] = deleted[index] | following[index];
            }
        }
    }
}

// Returns the streams of a word that have a position before the symbol of a step; `step` counts from the start of the streams.
__device__ __forceinline__ u32 judged(const AutomatonArguments& args, u32 word, u32 step) {
    const SlicedText text{args.planes, args.symbols + 1, args.words, args.steps, args.plane_count};
    const u32 streams = streams_with(text, word, step);
    return word == 0 && step == 0 ? streams & ~1u : streams;
}

// Reports the hits of some streams at the position before the symbol of a step.
__device__ __forceinline__ void report(const AutomatonArguments& args, u32 id, u32 streams, u32 word, u32 step, u32 distance) {
    if (args.filter.selected != nullptr) {
        for (u32 left = streams; left != 0; left &= left - 1) {
            const u32 symbol = (word * 32 + __ffs(static_cast<int>(left)) - 1) * args.steps + step - 1;
            if (selects(args.filter, symbol, 0)) {
                put(args.buffer, atomicAdd(args.buffer.found, u64{1}), {symbol, id, distance});
            }
        }
        return;
    }
    u64 place = reserve(args.buffer, static_cast<u32>(__popc(streams)));
    for (u32 left = streams; left != 0; left &= left - 1) {
        const u32 symbol = (word * 32 + __ffs(static_cast<int>(left)) - 1) * args.steps + step - 1;
        put(args.buffer, place++, {symbol, id, distance});
    }
}

// Returns the streams in which an accepting state of a level accepts.
__device__ __forceinline__ u32 accept(const Automaton& automaton, const u32* program, const Columns& own, const u32* here) {
    u32 accepted = 0;
    for (u32 index = 0; index < automaton.accepting; ++index) {
        accepted |= come(here, own, program[automaton.ends + index]);
    }
    return accepted;
}

// Reads the symbol of a step. `first` is the array of level 0. Reports the hits at the position before the symbol in the streams
// `wanted`.
__device__ __forceinline__ void read(const AutomatonArguments& args, const Automaton& automaton, const Columns& own, u32 first,
                                     u32 masked, u32 wanted, u32 word, u32 step) {
    const u32* const program = args.programs + automaton.program;
    const u32 levels = automaton.k + 1;
    u32* const below = own.states + (levels + 1) * own.stride;
    u32* next = own.states + (first > 0 ? first - 1 : levels) * own.stride;
    u32* here = own.states + first * own.stride;
    for (u32 level = 0; level < levels; ++level) {
        const u32 array = first + level < levels ? first + level + 1 : first + level - levels;
        u32* const above = level + 1 < levels ? own.states + array * own.stride : nullptr;
        advance(automaton, program, level, masked, own, here, next, below, above);
        const u32 accepted = accept(automaton, program, own, here) & wanted;
        if (__any_sync(ALL_LANES, accepted != 0)) {
            report(args, automaton.id, accepted, word, step, level);
            wanted &= ~accepted;
        }
        next = here;
        here = above;
    }
}

// Simulates an automaton in the 32 words of the block.
__device__ __forceinline__ void simulate(const AutomatonArguments& args, const Automaton& automaton, const Columns& own) {
    const u32 word = blockIdx.x * WARP + lane_index();
    for (u32 column = 0; column < arrays_of(automaton) * automaton.states; ++column) {
        own.states[column * WARP] = 0;
    }
    const int passes = static_cast<int>(args.steps / MASKED);
    const int fixed = static_cast<int>((automaton.warm_up + MASKED - 1) / MASKED);
    const int warm_up = fixed > 0 ? min(fixed, passes) : passes_to_line_starts(args, word);
    const u32* const contexts = args.programs + automaton.program + automaton.contexts;
    Last last = {{~0u, 0, 0, 0}};
    // The streams at the start of a line or record, where no hit ends.
    u32 at_start = ~0u;
    u32 first = 0;
    for (int pass = -warm_up; pass < passes; ++pass) {
        fill_masks(args, automaton, pass, word, own);
        for (u32 masked = 0; masked < MASKED; ++masked) {
            if (automaton.conditions > 0) {
                judge(automaton, contexts, masked, last, own);
            }
            const u32 step = static_cast<u32>(pass) * MASKED + masked;
            const u32 wanted = pass < 0 ? 0 : judged(args, word, step) & ~at_start;
            read(args, automaton, own, first, masked, wanted, word, step);
            at_start = own.masks[(ENDS * MASKED + masked) * WARP];
            first = first > 0 ? first - 1 : automaton.k + 1;
        }
    }
}

// The shared memory of a block without the columns of states, in bytes.
constexpr u32 automaton_shared_bytes(u32 sets, u32 conditions) {
    return (sets * MASKED + conditions) * WARP * sizeof(u32);
}

extern "C" __global__ void __launch_bounds__(32) automaton(const AutomatonArguments args) {
    DYNAMIC_SHARED(shared);
    const Automaton& of_block = args.automata[blockIdx.y];
    u32* const masks = reinterpret_cast<u32*>(shared) + lane_index();
    u32* const conditions = masks + of_block.sets * MASKED * WARP;
    simulate(args, of_block, {masks, conditions, conditions + of_block.conditions * WARP, of_block.states * WARP});
}

extern "C" __global__ void __launch_bounds__(32) automaton_in_memory(const AutomatonArguments args) {
    DYNAMIC_SHARED(shared);
    const Automaton& of_block = args.automata[blockIdx.y];
    u32* const masks = reinterpret_cast<u32*>(shared) + lane_index();
    u32* const conditions = masks + of_block.sets * MASKED * WARP;
    const u64 block = static_cast<u64>(blockIdx.y) * gridDim.x + blockIdx.x;
    u32* const states = args.states + block * args.columns * WARP + lane_index();
    simulate(args, of_block, {masks, conditions, states, of_block.states * WARP});
}
