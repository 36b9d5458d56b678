// Runs CUDA kernels without a GPU. The kernels compile unchanged; each thread of a block is a fiber.
//
// `__syncthreads` and every `_sync` intrinsic are barriers: the lanes of a mask wait for each other. It is an error
// if lanes of one mask arrive at different barriers. Between barriers the threads run in an order that a seed
// shuffles, and shared memory starts with random bytes, so a missing barrier changes the result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define DYNAMIC_SHARED(name) uint4* const name = static_cast<uint4*>(host::machine().shared)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

struct alignas(8) uint2 {
    unsigned x, y;
};

inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

// Saves the registers and the stack pointer of the running fiber in `from`, and resumes the fiber of the stack pointer `to`.
extern "C" void host_switch(void** from, void* to);

#if defined(__x86_64__)
asm(R"(
.text
.globl host_switch
.type host_switch, @function
host_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size host_switch, .-host_switch
)");

// Returns a stack on which the first switch returns into `function`: six saved registers, the function's address, and padding that
// aligns the stack.
inline void* host_new_stack(char* top, void (*function)()) {
    void** stack = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) / 16 * 16) - 8;
    std::fill(stack, stack + 8, nullptr);
    stack[6] = reinterpret_cast<void*>(function);
    return stack;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl host_switch
.type host_switch, %function
host_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size host_switch, .-host_switch
)");

// Returns a stack on which the first switch returns into `function`: twenty saved registers; the link register holds the function's
// address.
inline void* host_new_stack(char* top, void (*function)()) {
    void** stack = reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) / 16 * 16) - 20;
    std::fill(stack, stack + 20, nullptr);
    stack[11] = reinterpret_cast<void*>(function);
    return stack;
}
#else
#error "fibers are written for x86-64 and for 64-bit Arm"
#endif

namespace host {

constexpr unsigned LANES = 32;
constexpr std::size_t STACK_BYTES = std::size_t{128} << 10;

enum class Kind { SyncThreads, SyncWarp, Ballot, Any, Shuffle };

constexpr const char* NAMES[] = {"__syncthreads", "__syncwarp", "__ballot_sync", "__any_sync", "__shfl_sync"};

// A barrier in the source: its kind, the mask of its lanes, and the line of the call.
struct Site {
    Kind kind;
    unsigned mask;
    const char* file;
    int line;

    bool operator==(const Site& other) const {
        return kind == other.kind && mask == other.mask && line == other.line && std::strcmp(file, other.file) == 0;
    }
};

enum class State { Ready, Waiting, Done };

// A thread of the block, with the barrier that it waits at.
struct Fiber {
    std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
    void* stack_pointer = nullptr;
    // The address sanitizer's state of a suspended fiber.
    void* fake_stack = nullptr;
    dim3 thread;
    unsigned index = 0;
    State state = State::Ready;
    Site site{};
    // The value that this lane contributes to a ballot or a shuffle.
    std::uint64_t value = 0;
    // The lane whose value a shuffle reads.
    unsigned source = 0;
    std::uint64_t result = 0;

    unsigned lane() const { return index % LANES; }
    unsigned warp() const { return index / LANES; }
};

// A barrier with its waiting threads.
struct Barrier {
    Site site;
    // For a warp, the mask of the lanes that have arrived; for a block, the number of threads that have arrived.
    unsigned arrived;
};

struct Warp {
    std::vector<Barrier> barriers;
    // The mask of the lanes that have returned.
    unsigned done = 0;
    // A warp runs in one of `slowness` rounds on average, so that warps drift apart between barriers.
    unsigned slowness = 1;
    bool is_paused = false;
};

// The simulated device: the current launch, and the block that runs.
struct Machine {
    dim3 grid, block, block_index;
    void* shared = nullptr;
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<Warp> warps;
    Barrier block_barrier{};
    unsigned threads = 0;
    Fiber* current = nullptr;
    void* scheduler_stack_pointer = nullptr;
    const void* scheduler_stack = nullptr;
    std::size_t scheduler_stack_size = 0;
    std::function<void()> body;
    std::mt19937_64 random;
};

// Returns the simulated device. It is never destroyed, because a thread may still run a kernel when the process ends.
inline Machine& machine() {
    static Machine& machine = *new Machine;
    return machine;
}

// Ends the process with status 3 and names the thread, the barrier and its line.
[[noreturn]] inline void fail(const Fiber& fiber, const char* message) {
    const Machine& m = machine();
    std::fprintf(stderr, "block (%u, %u), thread %u: %s at %s:%d, mask %08x: %s\n", m.block_index.x, m.block_index.y,
                 fiber.index, NAMES[static_cast<int>(fiber.site.kind)], fiber.site.file, fiber.site.line,
                 fiber.site.mask, message);
    std::fflush(stdout);
    std::_Exit(3);
}

// Suspends a fiber and resumes the scheduler.
inline void to_scheduler(Fiber& fiber) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(fiber.state == State::Done ? nullptr : &fiber.fake_stack,
                                   machine().scheduler_stack, machine().scheduler_stack_size);
#endif
    host_switch(&fiber.stack_pointer, machine().scheduler_stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fiber.fake_stack, nullptr, nullptr);
#endif
}

// Suspends the scheduler and resumes a fiber, until the fiber waits or ends.
inline void to_fiber(Fiber& fiber) {
    machine().current = &fiber;
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, fiber.stack.get(), STACK_BYTES);
#endif
    host_switch(&machine().scheduler_stack_pointer, fiber.stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

// Ends a thread. Fails if a lane waits for it.
inline void finish(Fiber& fiber) {
    Warp& warp = machine().warps[fiber.warp()];
    warp.done |= 1u << fiber.lane();
    fiber.state = State::Done;
    const unsigned first = fiber.warp() * LANES;
    for (unsigned at = first; at < first + LANES && at < machine().threads; ++at) {
        const Fiber& other = *machine().fibers[at];
        if (other.state == State::Waiting && (other.site.mask >> fiber.lane() & 1) != 0) {
            fail(other, "waits for a thread that has returned");
        }
    }
}

// The entry function of every fiber.
inline void enter() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &machine().scheduler_stack, &machine().scheduler_stack_size);
#endif
    Fiber& fiber = *machine().current;
    machine().body();
    finish(fiber);
    to_scheduler(fiber);
    std::abort();
}

// Suspends the running fiber until its barrier is complete. Returns its result.
inline std::uint64_t wait(Fiber& self) {
    self.state = State::Waiting;
    to_scheduler(self);
    return self.result;
}

// Releases the lanes of a complete barrier: computes the result of each and makes it ready.
inline void release(const Barrier& barrier, unsigned warp) {
    Machine& m = machine();
    const auto fiber = [&](unsigned lane) -> Fiber& { return *m.fibers[warp * LANES + lane]; };
    std::uint64_t ballot = 0;
    for (unsigned lane = 0; lane < LANES; ++lane) {
        if ((barrier.arrived >> lane & 1) != 0) {
            ballot |= static_cast<std::uint64_t>(fiber(lane).value != 0) << lane;
        }
    }
    for (unsigned lane = 0; lane < LANES; ++lane) {
        if ((barrier.arrived >> lane & 1) != 0) {
            Fiber& reader = fiber(lane);
            if ((barrier.arrived >> reader.source & 1) == 0) {
                fail(reader, "reads a lane that is not in the mask");
            }
            reader.result = barrier.site.kind == Kind::Shuffle ? fiber(reader.source).value : ballot;
            reader.state = State::Ready;
        }
    }
}

// Waits for all lanes of the mask. `value` is this lane's contribution, `source` the lane whose value it reads. Returns the ballot, or
// for a shuffle the value of `source`.
inline std::uint64_t wait_for_lanes(const Site& site, std::uint64_t value, unsigned source) {
    Machine& m = machine();
    Fiber& self = *m.current;
    Warp& warp = m.warps[self.warp()];
    self.site = site;
    self.value = value;
    self.source = source;
    if ((site.mask >> self.lane() & 1) == 0) {
        fail(self, "the lane is not in its own mask");
    }
    if ((site.mask & warp.done) != 0) {
        fail(self, "waits for a thread that has returned");
    }
    auto barrier = std::find_if(warp.barriers.begin(), warp.barriers.end(),
                                [&](const Barrier& other) { return (other.site.mask & site.mask) != 0; });
    if (barrier == warp.barriers.end()) {
        barrier = warp.barriers.insert(barrier, Barrier{site, 0});
    } else if (!(barrier->site == site)) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(barrier->arrived));
        std::fprintf(stderr, "lanes of a warp are at different barriers:\n");
        std::fprintf(stderr, "  %s:%d\n", m.fibers[self.warp() * LANES + lane]->site.file, barrier->site.line);
        fail(self, "other lanes of the mask wait at another barrier");
    }
    barrier->arrived |= 1u << self.lane();
    if (barrier->arrived != site.mask) {
        return wait(self);
    }
    const Barrier complete = *barrier;
    warp.barriers.erase(barrier);
    release(complete, self.warp());
    return self.result;
}

// Waits for all threads of the block.
inline void wait_for_block(const Site& site) {
    Machine& m = machine();
    Fiber& self = *m.current;
    self.site = site;
    if (m.block_barrier.arrived > 0 && !(m.block_barrier.site == site)) {
        fail(self, "other threads of the block wait at another line");
    }
    m.block_barrier = {site, m.block_barrier.arrived + 1};
    if (m.block_barrier.arrived < m.threads) {
        wait(self);
        return;
    }
    m.block_barrier.arrived = 0;
    for (unsigned at = 0; at < m.threads; ++at) {
        m.fibers[at]->state = State::Ready;
    }
}

// Sets up a thread that starts in `enter`.
inline void prepare(Fiber& fiber, unsigned index) {
    const Machine& m = machine();
    fiber.index = index;
    fiber.thread = {index % m.block.x, index / m.block.x, 0};
    fiber.state = State::Ready;
    fiber.stack_pointer = host_new_stack(fiber.stack.get() + STACK_BYTES, enter);
}

// Runs all threads of the current block. In each round it resumes every ready fiber of the warps that are not paused, in random order.
inline void run_block() {
    Machine& m = machine();
    m.warps.assign((m.threads + LANES - 1) / LANES, Warp{});
    m.block_barrier = {};
    for (Warp& warp : m.warps) {
        warp.slowness = std::array<unsigned, 3>{1, 2, 16}[m.random() % 3];
    }
    std::vector<unsigned> order(m.threads);
    for (unsigned at = 0; at < m.threads; ++at) {
        order[at] = at;
        prepare(*m.fibers[at], at);
    }
    bool any_ran = true;
    for (bool alive = true; alive;) {
        std::shuffle(order.begin(), order.end(), m.random);
        for (Warp& warp : m.warps) {
            warp.is_paused = any_ran && m.random() % warp.slowness != 0;
        }
        alive = false;
        any_ran = false;
        const Fiber* waiting = nullptr;
        bool any_ready = false;
        for (const unsigned at : order) {
            Fiber& fiber = *m.fibers[at];
            any_ready = any_ready || fiber.state == State::Ready;
            if (fiber.state == State::Ready && !m.warps[fiber.warp()].is_paused) {
                any_ran = true;
                to_fiber(fiber);
            }
            waiting = fiber.state == State::Waiting ? &fiber : waiting;
            alive = alive || fiber.state != State::Done;
        }
        if (alive && !any_ready) {
            fail(*waiting, "deadlock: every thread of the block waits");
        }
    }
}

// Runs a kernel once for each block of the grid, in random order. `body` calls the kernel with its arguments.
inline void launch(dim3 grid, dim3 block, std::size_t shared_bytes, std::uint64_t seed, std::function<void()> body) {
    Machine& m = machine();
    m.grid = grid;
    m.block = block;
    m.threads = block.x * block.y;
    m.body = std::move(body);
    m.random.seed(seed);
    while (m.fibers.size() < m.threads) {
        m.fibers.push_back(std::make_unique<Fiber>());
    }
    std::vector<dim3> blocks;
    for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
            blocks.push_back({x, y, 0});
        }
    }
    std::shuffle(blocks.begin(), blocks.end(), m.random);
    // Allocated without a container, so that the address sanitizer detects an access one byte past the end.
    const std::size_t words = (shared_bytes + 15) / 16 * 2;
    m.shared = std::aligned_alloc(16, words * sizeof(std::uint64_t));
    for (const dim3& index : blocks) {
        m.block_index = index;
        std::generate_n(static_cast<std::uint64_t*>(m.shared), words, [&] { return m.random(); });
        run_block();
    }
    std::free(m.shared);
}

}  // namespace host

#define threadIdx (host::machine().current->thread)
#define blockIdx (host::machine().block_index)
#define blockDim (host::machine().block)
#define gridDim (host::machine().grid)

// Every barrier records the source line of its caller.
#define HOST_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(HOST_SITE) {
    host::wait_for_block({host::Kind::SyncThreads, ~0u, file, line});
}

inline void __syncwarp(unsigned mask = ~0u, HOST_SITE) {
    host::wait_for_lanes({host::Kind::SyncWarp, mask, file, line}, 0, host::machine().current->lane());
}

inline unsigned __ballot_sync(unsigned mask, int predicate, HOST_SITE) {
    const unsigned lane = host::machine().current->lane();
    return static_cast<unsigned>(host::wait_for_lanes({host::Kind::Ballot, mask, file, line}, predicate != 0, lane));
}

inline int __any_sync(unsigned mask, int predicate, HOST_SITE) {
    const unsigned lane = host::machine().current->lane();
    return host::wait_for_lanes({host::Kind::Any, mask, file, line}, predicate != 0, lane) != 0;
}

template <typename T>
T __shfl_sync(unsigned mask, T value, unsigned source, HOST_SITE) {
    return static_cast<T>(host::wait_for_lanes({host::Kind::Shuffle, mask, file, line}, value, source % host::LANES));
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, unsigned bits, HOST_SITE) {
    return __shfl_sync(mask, value, host::machine().current->lane() ^ bits, file, line);
}

template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, HOST_SITE) {
    const unsigned lane = host::machine().current->lane();
    return __shfl_sync(mask, value, lane >= distance ? lane - distance : lane, file, line);
}

// Fibers see all writes at once.
inline void __threadfence() {}

template <typename T>
T atomicAdd(T* address, T value) {
    const T before = *address;
    *address += value;
    return before;
}

template <typename T>
T atomicCAS(T* address, T expected, T value) {
    const T before = *address;
    *address = before == expected ? value : before;
    return before;
}

template <typename T>
T atomicOr(T* address, T value) {
    const T before = *address;
    *address |= value;
    return before;
}

inline unsigned min(unsigned a, unsigned b) {
    return std::min(a, b);
}

inline unsigned max(unsigned a, unsigned b) {
    return std::max(a, b);
}

inline int __popc(unsigned value) {
    return __builtin_popcount(value);
}

inline unsigned __brev(unsigned value) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) {
        reversed |= (value >> bit & 1) << (31 - bit);
    }
    return reversed;
}

inline int __ffs(unsigned value) {
    return __builtin_ffs(static_cast<int>(value));
}

inline int __clz(int value) {
    return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value));
}

inline int __clzll(long long value) {
    return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}

inline int __ffsll(unsigned long long value) {
    return __builtin_ffsll(static_cast<long long>(value));
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    shift %= 32;
    return shift == 0 ? low : low >> shift | high << (32 - shift);
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    shift %= 32;
    return shift == 0 ? high : high << shift | low >> (32 - shift);
}
