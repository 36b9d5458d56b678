// Tests the stand-in for libcuda. Each run executes one scenario: "scenarios NAME MODULE.PTX".
//
// A scenario that fails prints the failed check and exits with status 1. A comment above each scenario states the tested fact.
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
            std::fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (false)

#define CHECK_CODE(call, expected)                                                                        \
    do {                                                                                                  \
        if (const Code code = (call); code != (expected)) {                                               \
            std::fprintf(stderr, "%s:%d: %s returns %u, not %u\n", __FILE__, __LINE__, #call, code, expected); \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (false)

#define DO(call) CHECK_CODE(call, SUCCESS)

// Makes the primary context of a device current.
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

// The arguments of the kernels of planes.cu.
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

// Device memory for a text of 1,000 codes and its three packed planes.
struct PackInput {
    Stream* stream = new_stream();
    std::vector<unsigned char> codes = std::vector<unsigned char>(1000);
    unsigned words = 32, planes = 3;
    Address text = allocate(codes.size()), packed = allocate(words * planes * sizeof(unsigned));

    PackInput() {
        for (std::size_t at = 0; at < codes.size(); ++at) {
            codes[at] = static_cast<unsigned char>(at * at % 7);
        }
        DO(cuMemcpyHtoDAsync_v2(text, codes.data(), codes.size(), stream));
    }

    PackArguments arguments() const { return {text, packed, static_cast<unsigned>(codes.size()), words, planes, 0}; }
};

static void pack_once(Function* kernel) {
    const PackInput input;
    DO(launch(kernel, 64, 0, input.stream, input.arguments()));
    std::vector<unsigned> packed(input.words * input.planes);
    DO(cuMemcpyDtoHAsync_v2(packed.data(), input.packed, packed.size() * sizeof(unsigned), input.stream));
    for (unsigned symbol = 0; symbol < input.words * 32; ++symbol) {
        const unsigned code = symbol < input.codes.size() ? input.codes[symbol] : 0;
        for (unsigned plane = 0; plane < input.planes; ++plane) {
            CHECK((packed[plane * input.words + symbol / 32] >> symbol % 32 & 1) == (code >> plane & 1));
        }
    }
    DO(cuMemFree_v2(input.text));
    DO(cuMemFree_v2(input.packed));
    DO(cuStreamDestroy_v2(input.stream));
}

// A kernel computes its result.
static void pack() {
    enter(0);
    pack_once(function("pack"));
    DO(cuDevicePrimaryCtxRelease_v2(0));
}

// Kernels compute their results when several threads share devices.
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

// Every entry of a module has a kernel with arguments of the size that the PTX states.
static void known() {
    enter(0);
    const std::string prefix = "\n.visible .entry ";
    unsigned entries = 0;
    for (std::size_t at = 0; (at = ptx.find(prefix, at)) != std::string::npos; ++entries) {
        at += prefix.size();
        const std::string name = ptx.substr(at, ptx.find('(', at) - at);
        Function* const kernel = function(name.c_str());
        int threads = 0;
        DO(cuFuncGetAttribute(&threads, MAX_THREADS_PER_BLOCK, kernel));
        CHECK(threads >= 32);
    }
    CHECK(entries > 0);
}

// A copy reads and writes pinned memory only when the caller waits. It reads pageable memory at once.
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

enum class Order { None, ByEvent };

// The first stream writes 1 to a word, the second 2. With Order::ByEvent the second waits for the first. Returns the word at the end.
static unsigned race(Address there, Order order) {
    Stream* const first = new_stream();
    Stream* const second = new_stream();
    Event* event = nullptr;
    DO(cuEventCreate(&event, DISABLE_TIMING));
    DO(cuMemsetD32Async(there, 1, 1, first));
    DO(cuEventRecord(event, first));
    if (order == Order::ByEvent) {
        DO(cuStreamWaitEvent(second, event, 0));
    }
    DO(cuMemsetD32Async(there, 2, 1, second));
    DO(cuStreamDestroy_v2(first));
    DO(cuCtxSynchronize());
    DO(cuEventDestroy_v2(event));
    DO(cuStreamDestroy_v2(second));
    return word_at(there);
}

// Streams without events run in any order. The default stream waits for streams without NON_BLOCKING.
static void order() {
    enter(0);
    const Address there = allocate(sizeof(unsigned));
    unsigned wins[3] = {};
    for (int round = 0; round < 100; ++round) {
        CHECK(race(there, Order::ByEvent) == 2);
        ++wins[race(there, Order::None)];
    }
    CHECK(wins[1] > 10 && wins[2] > 10);
    Stream* dependent = nullptr;
    DO(cuStreamCreate(&dependent, 0));
    for (unsigned round = 0; round < 50; ++round) {
        DO(cuMemsetD32Async(there, round, 1, dependent));
        CHECK(word_at(there) == round);
    }
}

// An event is done when the work before its record is done.
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

// Copies and fills outside an allocation are errors. Allocations start as noise. A second free is an error.
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

// Memory is locked and unlocked once. A copy from locked memory runs before the memory is unlocked.
static void lock() {
    enter(0);
    Stream* const stream = new_stream();
    std::vector<unsigned char> text(5000, 7);
    DO(cuMemHostRegister_v2(text.data(), text.size(), 0));
    CHECK_CODE(cuMemHostRegister_v2(text.data() + 4000, 100, 0), ALREADY_LOCKED);
    CHECK_CODE(cuMemHostUnregister(text.data() + 1), NOT_LOCKED);
    const Address there = allocate(4);
    DO(cuMemcpyHtoDAsync_v2(there, text.data() + 100, 4, stream));
    DO(cuStreamSynchronize(stream));
    CHECK(word_at(there) == 0x07070707);
    DO(cuMemHostUnregister(text.data()));
    CHECK_CODE(cuMemHostUnregister(text.data()), NOT_LOCKED);
}

// A change of locked memory before it is copied ends the process.
static void lock_changed() {
    enter(0);
    Stream* const stream = new_stream();
    std::vector<unsigned char> text(5000, 7);
    DO(cuMemHostRegister_v2(text.data(), text.size(), 0));
    DO(cuMemcpyHtoDAsync_v2(allocate(4), text.data(), 4, stream));
    text[0] = 8;
    cuStreamSynchronize(stream);
}

// Unlocking memory before it is copied ends the process.
static void lock_early() {
    enter(0);
    Stream* const stream = new_stream();
    std::vector<unsigned char> text(5000, 7);
    DO(cuMemHostRegister_v2(text.data(), text.size(), 0));
    DO(cuMemcpyHtoDAsync_v2(allocate(4), text.data(), 4, stream));
    cuMemHostUnregister(text.data());
}

// A launch fails with more threads than the PTX allows, and with more shared memory than the function's limit.
static void limits() {
    enter(0);
    const PackInput input;
    Function* const pack = function("pack");
    Function* const transpose = function("transpose");
    const TransposeArguments none{input.packed, input.packed, 0, 0, 0, 0};
    CHECK_CODE(launch(pack, 288, 0, input.stream, input.arguments()), LAUNCH_OUT_OF_RESOURCES);
    CHECK_CODE(launch(pack, 2048, 0, input.stream, input.arguments()), INVALID_VALUE);
    CHECK_CODE(launch(pack, 0, 0, input.stream, input.arguments()), INVALID_VALUE);
    CHECK_CODE(launch(transpose, 256, 60000, input.stream, none), INVALID_VALUE);
    CHECK_CODE(cuFuncSetAttribute(transpose, MAX_DYNAMIC_SHARED_BYTES, 300000), INVALID_VALUE);
    DO(cuFuncSetAttribute(transpose, MAX_DYNAMIC_SHARED_BYTES, 60000));
    DO(launch(transpose, 256, 60000, input.stream, none));
    int value = 0;
    DO(cuFuncGetAttribute(&value, MAX_THREADS_PER_BLOCK, pack));
    CHECK(value == 256);
    DO(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, transpose, 256, 60000));
    CHECK(value == 3);
    Function* missing = nullptr;
    Module* module = nullptr;
    DO(cuModuleLoadData(&module, ptx.c_str()));
    CHECK_CODE(cuModuleGetFunction(&missing, module, "unpack"), NOT_FOUND);
    CHECK_CODE(cuModuleLoadData(&module, "not PTX"), INVALID_PTX);
    CHECK_CODE(cuModuleLoadData(&module, "\x7f" "ELF"), NO_BINARY_FOR_GPU);
    DO(cuCtxSynchronize());
}

// A kernel that writes past the end of its allocation ends the process.
static void guards() {
    enter(0);
    PackInput input;
    input.words += 8;
    DO(launch(function("pack"), 64, 0, input.stream, input.arguments()));
    cuStreamSynchronize(input.stream);
}

// A kernel that gets a pointer to memory of another device ends the process.
static void stranger() {
    enter(1);
    const PackInput there;
    enter(0);
    const PackInput here;
    PackArguments arguments = here.arguments();
    arguments.packed = there.packed;
    launch(function("pack"), 64, 0, here.stream, arguments);
}

// Handles of one context are invalid in another, and the release of a context invalidates its handles.
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

// Each failure of NIGH_STANDIN_FAIL.

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

// The second launch fails, and its error stays with the device.
static void fail_launch() {
    enter(0);
    const PackInput input;
    Function* const kernel = function("pack");
    DO(launch(kernel, 64, 0, input.stream, input.arguments()));
    DO(cuStreamSynchronize(input.stream));
    DO(launch(kernel, 64, 0, input.stream, input.arguments()));
    DO(cuMemsetD8Async(input.packed, 0, 1, input.stream));
    CHECK_CODE(cuStreamSynchronize(input.stream), ILLEGAL_ADDRESS);
    CHECK_CODE(cuStreamSynchronize(input.stream), ILLEGAL_ADDRESS);
    CHECK_CODE(cuMemFree_v2(input.packed), ILLEGAL_ADDRESS);
    DO(cuDevicePrimaryCtxRelease_v2(0));
    enter(0);
    CHECK_CODE(cuCtxSynchronize(), ILLEGAL_ADDRESS);
}

// The second copy fails. The first is the copy of the text.
static void fail_copy() {
    enter(0);
    const PackInput input;
    DO(cuStreamSynchronize(input.stream));
    unsigned word = 0;
    CHECK_CODE(cuMemcpyDtoHAsync_v2(&word, input.packed, sizeof(word), input.stream), LAUNCH_FAILED);
}

// The second allocation of each kind fails, and the first page lock.
static void fail_memory() {
    enter(0);
    allocate(4);
    pinned(1);
    Address address = 0;
    void* pointer = nullptr;
    CHECK_CODE(cuMemAlloc_v2(&address, 4), OUT_OF_MEMORY);
    CHECK_CODE(cuMemHostAlloc(&pointer, 4, 0), OUT_OF_MEMORY);
    CHECK_CODE(cuMemHostRegister_v2(&address, sizeof(address), 0), INVALID_VALUE);
    DO(cuMemHostRegister_v2(&address, sizeof(address), 0));
    allocate(4);
    pinned(1);
}

// The second wait returns an unlisted error.
static void fail_unknown() {
    enter(0);
    DO(cuCtxSynchronize());
    CHECK_CODE(cuCtxSynchronize(), UNLISTED_ERROR);
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
    {"lock", lock},
    {"lock_changed", lock_changed},
    {"lock_early", lock_early},
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
