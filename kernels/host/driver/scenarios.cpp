// Drives the stand-in for libcuda as a program would, one scenario a run: "scenarios NAME MODULE.PTX".
//
// It prints what went otherwise than it should, and ends with 1. What a scenario is about stands above it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api.h"

using namespace standin;

static std::string ptx;

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition);   \
            std::exit(1);                                                              \
        }                                                                              \
    } while (false)

#define CHECK_CODE(call, wanted)                                                                          \
    do {                                                                                                  \
        if (const Code code = (call); code != (wanted)) {                                                 \
            std::fprintf(stderr, "%s:%d: %s gives %u, not %u\n", __FILE__, __LINE__, #call, code, wanted);  \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (false)

#define DO(call) CHECK_CODE(call, SUCCESS)

static void enter(int device) {
    Context* context = nullptr;
    DO(cuInit(0));
    DO(cuDevicePrimaryCtxRetain(&context, device));
    DO(cuCtxSetCurrent(context));
}

static Stream* new_stream() {
    Stream* stream = nullptr;
    DO(cuStreamCreate(&stream, NON_BLOCKING));
    return stream;
}

static Address allocate(std::size_t bytes) {
    Address address = 0;
    DO(cuMemAlloc_v2(&address, bytes));
    return address;
}

static unsigned* pinned(std::size_t words) {
    void* pointer = nullptr;
    DO(cuMemHostAlloc(&pointer, words * sizeof(unsigned), 0));
    return static_cast<unsigned*>(pointer);
}

static unsigned word_at(Address address) {
    unsigned word = 0;
    DO(cuMemcpyDtoH_v2(&word, address, sizeof(word)));
    return word;
}

static Function* function(const char* name) {
    Module* module = nullptr;
    Function* function = nullptr;
    DO(cuModuleLoadData(&module, ptx.c_str()));
    DO(cuModuleGetFunction(&function, module, name));
    return function;
}

// As in planes.cu.
struct PackArguments {
    Address codes, packed;
    unsigned symbols, packed_words, plane_count, unused;
};

struct TransposeArguments {
    Address packed, planes;
    unsigned packed_words, words, steps, plane_count;
};

template <typename Arguments>
static Code launch(Function* function, unsigned threads, unsigned shared, Stream* stream, Arguments arguments) {
    void* parameters[] = {&arguments};
    return cuLaunchKernel(function, 2, 1, 1, threads, 1, 1, shared, stream, parameters, nullptr);
}

// A text of 1,000 codes, packed in three planes.
struct Packed {
    Stream* stream = new_stream();
    std::vector<unsigned char> codes = std::vector<unsigned char>(1000);
    unsigned words = 32, planes = 3;
    Address text = allocate(codes.size()), packed = allocate(words * planes * sizeof(unsigned));

    Packed() {
        for (std::size_t at = 0; at < codes.size(); ++at) {
            codes[at] = static_cast<unsigned char>(at * at % 7);
        }
        DO(cuMemcpyHtoDAsync_v2(text, codes.data(), codes.size(), stream));
    }

    PackArguments arguments() const { return {text, packed, static_cast<unsigned>(codes.size()), words, planes, 0}; }
};

static void pack_once(Function* kernel) {
    const Packed own;
    DO(launch(kernel, 64, 0, own.stream, own.arguments()));
    std::vector<unsigned> packed(own.words * own.planes);
    DO(cuMemcpyDtoHAsync_v2(packed.data(), own.packed, packed.size() * sizeof(unsigned), own.stream));
    for (unsigned symbol = 0; symbol < own.words * 32; ++symbol) {
        const unsigned code = symbol < own.codes.size() ? own.codes[symbol] : 0;
        for (unsigned plane = 0; plane < own.planes; ++plane) {
            CHECK((packed[plane * own.words + symbol / 32] >> symbol % 32 & 1) == (code >> plane & 1));
        }
    }
    DO(cuMemFree_v2(own.text));
    DO(cuMemFree_v2(own.packed));
    DO(cuStreamDestroy_v2(own.stream));
}

// The kernel does what it is for.
static void pack() {
    enter(0);
    pack_once(function("pack"));
    DO(cuDevicePrimaryCtxRelease_v2(0));
}

// So it does when threads share devices.
static void threads() {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([thread] {
            enter(thread % 2);
            Function* const kernel = function("pack");
            for (int round = 0; round < 20; ++round) {
                pack_once(kernel);
            }
            DO(cuDevicePrimaryCtxRelease_v2(thread % 2));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// Every entry of a module is a kernel that takes what the PTX says.
static void known() {
    enter(0);
    const std::string before = "\n.visible .entry ";
    unsigned entries = 0;
    for (std::size_t at = 0; (at = ptx.find(before, at)) != std::string::npos; ++entries) {
        at += before.size();
        const std::string name = ptx.substr(at, ptx.find('(', at) - at);
        Function* const kernel = function(name.c_str());
        int threads = 0;
        DO(cuFuncGetAttribute(&threads, MOST_THREADS_PER_BLOCK, kernel));
        CHECK(threads >= 32);
    }
    CHECK(entries > 0);
}

// Pinned memory has the new only when somebody has waited, and gives what it has by then; other memory gives what it had.
static void late() {
    enter(0);
    Stream* const stream = new_stream();
    const Address there = allocate(sizeof(unsigned));
    unsigned* const from = pinned(1);
    unsigned* const to = pinned(1);
    unsigned pageable = 5;
    *from = 1;
    *to = 2;
    DO(cuMemcpyHtoDAsync_v2(there, from, sizeof(unsigned), stream));
    DO(cuMemcpyDtoHAsync_v2(to, there, sizeof(unsigned), stream));
    *from = 3;
    CHECK(*to == 2);
    DO(cuStreamSynchronize(stream));
    CHECK(*to == 3);
    DO(cuMemcpyHtoDAsync_v2(there, &pageable, sizeof(unsigned), stream));
    pageable = 6;
    DO(cuStreamSynchronize(stream));
    CHECK(word_at(there) == 5);
}

// Two streams write a word; gives what the second has left, or whether it was the first.
static unsigned race(Address there, bool in_order) {
    Stream* const first = new_stream();
    Stream* const second = new_stream();
    Event* event = nullptr;
    DO(cuEventCreate(&event, DISABLE_TIMING));
    DO(cuMemsetD32Async(there, 1, 1, first));
    DO(cuEventRecord(event, first));
    if (in_order) {
        DO(cuStreamWaitEvent(second, event, 0));
    }
    DO(cuMemsetD32Async(there, 2, 1, second));
    DO(cuStreamDestroy_v2(first));
    DO(cuCtxSynchronize());
    DO(cuEventDestroy_v2(event));
    DO(cuStreamDestroy_v2(second));
    return word_at(there);
}

// Streams come in any order, but for events; the default stream waits for those that do not say otherwise.
static void order() {
    enter(0);
    const Address there = allocate(sizeof(unsigned));
    unsigned wins[3] = {};
    for (int round = 0; round < 100; ++round) {
        CHECK(race(there, true) == 2);
        ++wins[race(there, false)];
    }
    CHECK(wins[1] > 10 && wins[2] > 10);
    Stream* dependent = nullptr;
    DO(cuStreamCreate(&dependent, 0));
    for (unsigned round = 0; round < 50; ++round) {
        DO(cuMemsetD32Async(there, round, 1, dependent));
        CHECK(word_at(there) == round);
    }
}

// Events are done when what was recorded is.
static void events() {
    enter(0);
    Stream* const stream = new_stream();
    Event* event = nullptr;
    Event* later = nullptr;
    float milliseconds = -1;
    DO(cuEventCreate(&event, 0));
    DO(cuEventCreate(&later, 0));
    DO(cuEventQuery(event));
    DO(cuEventSynchronize(event));
    CHECK_CODE(cuEventElapsedTime(&milliseconds, event, later), INVALID_HANDLE);
    const Address there = allocate(400);
    for (unsigned at = 0; at < 100; ++at) {
        DO(cuMemsetD32Async(there + 4 * at, at, 1, stream));
    }
    DO(cuEventRecord(event, stream));
    DO(cuEventRecord(later, stream));
    CHECK_CODE(cuEventQuery(event), NOT_READY);
    unsigned queries = 0;
    while (cuEventQuery(event) == NOT_READY) {
        CHECK(++queries < 200);
    }
    DO(cuEventSynchronize(later));
    DO(cuEventElapsedTime(&milliseconds, event, later));
    CHECK(milliseconds >= 0);
    DO(cuEventDestroy_v2(event));
    CHECK_CODE(cuEventQuery(event), INVALID_HANDLE);
}

// Copies and fills stay inside allocations, which start as noise and end once.
static void bounds() {
    enter(0);
    Stream* const stream = new_stream();
    const Address there = allocate(100);
    unsigned char bytes[200] = {};
    unsigned char noise[100];
    DO(cuMemcpyDtoH_v2(noise, there, 100));
    CHECK(std::memcmp(noise, bytes, 100) != 0);
    DO(cuMemcpyHtoDAsync_v2(there, bytes, 100, stream));
    CHECK_CODE(cuMemcpyHtoDAsync_v2(there, bytes, 101, stream), INVALID_VALUE);
    CHECK_CODE(cuMemcpyHtoDAsync_v2(there + 50, bytes, 51, stream), INVALID_VALUE);
    CHECK_CODE(cuMemcpyDtoHAsync_v2(bytes, there - 1, 2, stream), INVALID_VALUE);
    CHECK_CODE(cuMemsetD8Async(there, 0, 101, stream), INVALID_VALUE);
    CHECK_CODE(cuMemcpyDtoDAsync_v2(there, there + 100, 1, stream), INVALID_VALUE);
    Address none = 0;
    CHECK_CODE(cuMemAlloc_v2(&none, 0), INVALID_VALUE);
    CHECK_CODE(cuMemAlloc_v2(&none, std::size_t{1} << 50), OUT_OF_MEMORY);
    CHECK_CODE(cuMemFree_v2(there + 4), INVALID_VALUE);
    DO(cuMemFree_v2(there));
    CHECK_CODE(cuMemFree_v2(there), INVALID_VALUE);
    CHECK_CODE(cuMemcpyHtoDAsync_v2(there, bytes, 1, stream), INVALID_VALUE);
}

// A launch has no more threads than its kernel was built for, and no more shared memory than was asked for.
static void limits() {
    enter(0);
    const Packed own;
    Function* const pack = function("pack");
    Function* const transpose = function("transpose");
    const TransposeArguments none{own.packed, own.packed, 0, 0, 0, 0};
    CHECK_CODE(launch(pack, 288, 0, own.stream, own.arguments()), LAUNCH_OUT_OF_RESOURCES);
    CHECK_CODE(launch(pack, 2048, 0, own.stream, own.arguments()), INVALID_VALUE);
    CHECK_CODE(launch(pack, 0, 0, own.stream, own.arguments()), INVALID_VALUE);
    CHECK_CODE(launch(transpose, 256, 60000, own.stream, none), INVALID_VALUE);
    CHECK_CODE(cuFuncSetAttribute(transpose, MOST_DYNAMIC_SHARED_BYTES, 300000), INVALID_VALUE);
    DO(cuFuncSetAttribute(transpose, MOST_DYNAMIC_SHARED_BYTES, 60000));
    DO(launch(transpose, 256, 60000, own.stream, none));
    int value = 0;
    DO(cuFuncGetAttribute(&value, MOST_THREADS_PER_BLOCK, pack));
    CHECK(value == 256);
    DO(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, transpose, 256, 60000));
    CHECK(value == 3);
    Function* missing = nullptr;
    Module* module = nullptr;
    DO(cuModuleLoadData(&module, ptx.c_str()));
    CHECK_CODE(cuModuleGetFunction(&missing, module, "unpack"), NOT_FOUND);
    CHECK_CODE(cuModuleLoadData(&module, "not PTX"), INVALID_PTX);
    DO(cuCtxSynchronize());
}

// A kernel that writes behind its memory ends the process.
static void guards() {
    enter(0);
    Packed own;
    own.words += 8;
    DO(launch(function("pack"), 64, 0, own.stream, own.arguments()));
    cuStreamSynchronize(own.stream);
}

// So does one that is given memory of another device.
static void stranger() {
    enter(1);
    const Packed there;
    enter(0);
    const Packed here;
    PackArguments arguments = here.arguments();
    arguments.packed = there.packed;
    launch(function("pack"), 64, 0, here.stream, arguments);
}

// A handle of one context is nothing in another, and all ends with a context.
static void contexts() {
    int count = 0;
    CHECK_CODE(cuDeviceGetCount(&count), NOT_INITIALIZED);
    enter(1);
    DO(cuDeviceGetCount(&count));
    CHECK(count == 2);
    const Address there = allocate(4);
    Stream* const stream = new_stream();
    enter(0);
    CHECK_CODE(cuStreamSynchronize(stream), INVALID_HANDLE);
    CHECK_CODE(cuMemsetD8_v2(there, 0, 4), INVALID_VALUE);
    DO(cuDevicePrimaryCtxRelease_v2(0));
    CHECK_CODE(cuCtxSynchronize(), INVALID_CONTEXT);
    CHECK_CODE(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
    enter(0);
    DO(cuCtxSynchronize());
    Context* context = nullptr;
    CHECK_CODE(cuDevicePrimaryCtxRetain(&context, 2), INVALID_DEVICE);
}

// Failures, each as it is asked for by NIGH_STANDIN_FAIL.

static void fail_init() {
    CHECK_CODE(cuInit(0), NO_DEVICE);
}

static void fail_devices() {
    int count = 1;
    DO(cuInit(0));
    DO(cuDeviceGetCount(&count));
    CHECK(count == 0);
}

static void fail_driver() {
    int version = 0;
    DO(cuDriverGetVersion(&version));
    CHECK(version == 11000);
    enter(0);
    Module* module = nullptr;
    CHECK_CODE(cuModuleLoadData(&module, ptx.c_str()), UNSUPPORTED_PTX_VERSION);
}

static void fail_load() {
    enter(0);
    Module* module = nullptr;
    CHECK_CODE(cuModuleLoadData(&module, ptx.c_str()), INVALID_PTX);
}

// The second launch.
static void fail_launch() {
    enter(0);
    const Packed own;
    Function* const kernel = function("pack");
    DO(launch(kernel, 64, 0, own.stream, own.arguments()));
    DO(cuStreamSynchronize(own.stream));
    DO(launch(kernel, 64, 0, own.stream, own.arguments()));
    DO(cuMemsetD8Async(own.packed, 0, 1, own.stream));
    CHECK_CODE(cuStreamSynchronize(own.stream), ILLEGAL_ADDRESS);
    CHECK_CODE(cuStreamSynchronize(own.stream), ILLEGAL_ADDRESS);
    CHECK_CODE(cuMemFree_v2(own.packed), ILLEGAL_ADDRESS);
    DO(cuDevicePrimaryCtxRelease_v2(0));
    enter(0);
    CHECK_CODE(cuCtxSynchronize(), ILLEGAL_ADDRESS);
}

// The second copy; the first is that of the text.
static void fail_copy() {
    enter(0);
    const Packed own;
    DO(cuStreamSynchronize(own.stream));
    unsigned word = 0;
    CHECK_CODE(cuMemcpyDtoHAsync_v2(&word, own.packed, sizeof(word), own.stream), LAUNCH_FAILED);
}

// The second allocation of either kind.
static void fail_memory() {
    enter(0);
    allocate(4);
    pinned(1);
    Address address = 0;
    void* pointer = nullptr;
    CHECK_CODE(cuMemAlloc_v2(&address, 4), OUT_OF_MEMORY);
    CHECK_CODE(cuMemHostAlloc(&pointer, 4, 0), OUT_OF_MEMORY);
    allocate(4);
    pinned(1);
}

// The second wait.
static void fail_unknown() {
    enter(0);
    DO(cuCtxSynchronize());
    CHECK_CODE(cuCtxSynchronize(), UNHEARD_OF);
    DO(cuCtxSynchronize());
}

static const std::map<std::string, void (*)()> SCENARIOS{
    {"pack", pack},
    {"threads", threads},
    {"known", known},
    {"late", late},
    {"order", order},
    {"events", events},
    {"bounds", bounds},
    {"limits", limits},
    {"guards", guards},
    {"stranger", stranger},
    {"contexts", contexts},
    {"fail_init", fail_init},
    {"fail_devices", fail_devices},
    {"fail_driver", fail_driver},
    {"fail_load", fail_load},
    {"fail_launch", fail_launch},
    {"fail_copy", fail_copy},
    {"fail_memory", fail_memory},
    {"fail_unknown", fail_unknown},
};

int main(int count, char** words) {
    if (count != 3 || SCENARIOS.count(words[1]) == 0) {
        std::fprintf(stderr, "usage: scenarios NAME MODULE.PTX\n");
        return 2;
    }
    std::ifstream file(words[2]);
    ptx.assign(std::istreambuf_iterator<char>(file), {});
    SCENARIOS.at(words[1])();
    return 0;
}
