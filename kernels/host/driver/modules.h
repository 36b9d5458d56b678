// Modules: finds the host kernel of each function of the shipped PTX.
//
// The first line of a PTX file names its source and definitions. Each entry states the size of the kernel's arguments in bytes and the
// maximum number of threads of a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "api.h"
#include "settings.h"

namespace standin {

// A kernel, compiled for the host.
struct Kernel {
    const char* source;
    const char* definition;
    const char* name;
    std::size_t bytes;  // size of its arguments
    void (*run)(const void* arguments);
};

// Returns the kernel of a source, compiled with these definitions, separated by spaces. Stops if kernels.cpp does not list it.
const Kernel& find_kernel(const std::string& source, const std::string& definitions, const std::string& name);

// Blocks of a grid, threads of a block, and bytes of dynamic shared memory of a block.
struct Geometry {
    unsigned blocks_x, blocks_y, threads_x, threads_y, shared;
};

void run_kernel(const Kernel& kernel, const Geometry& geometry, std::uint64_t seed, const void* arguments);

// Limits of shared memory: for a block, for a block whose function has raised its limit, and for a multiprocessor.
constexpr unsigned SHARED_BYTES = 48 << 10;
constexpr unsigned MAX_SHARED_BYTES = 227 << 10;
constexpr unsigned MULTIPROCESSOR_SHARED_BYTES = 228 << 10;
constexpr unsigned MULTIPROCESSOR_THREADS = 2048;
constexpr unsigned WARP_THREADS = 32;

struct Function {
    const Kernel* kernel;
    unsigned max_threads;
    unsigned shared_bytes = SHARED_BYTES;
};

struct Module {
    Context* context;
    std::string source;
    std::string definitions;
    std::string text;
    std::vector<std::unique_ptr<Function>> functions;
};

// Returns the number after the first occurrence of `label` in a text, or zero.
inline unsigned number_after(const std::string& text, const std::string& label) {
    const std::size_t at = text.find(label);
    if (at == std::string::npos) {
        return 0;
    }
    return static_cast<unsigned>(std::strtoul(text.c_str() + at + label.size(), nullptr, 10));
}

// Parses the first line, as in "// nvcc 13.0.88 -std=c++17 -ptx -arch=compute_75 -DNIGH_ROWS=20 sliced.cu". Returns false if the text is not
// PTX with such a line.
inline bool parse_header(Module& module) {
    std::istringstream words(module.text.substr(0, module.text.find('\n')));
    std::string slashes, compiler;
    words >> slashes >> compiler;
    for (std::string word; words >> word; module.source = word) {
        if (word.compare(0, 2, "-D") == 0) {
            module.definitions += (module.definitions.empty() ? "" : " ") + word;
        }
    }
    return slashes == "//" && compiler == "nvcc" && module.text.find("\n.version ") != std::string::npos;
}

// Returns the oldest driver version that accepts the PTX, as in 12000.
inline unsigned required_driver(const Module& module) {
    const unsigned major = number_after(module.text, "\n.version ");
    const unsigned minor = number_after(module.text, "\n.version " + std::to_string(major) + ".");
    return (major + 4) * 1000 + minor * 10;
}

// Returns the function of an entry of the PTX, or null. Repeated calls with one name return the same function.
inline Function* find_function(Module& module, const std::string& name) {
    const std::size_t begin = module.text.find("\n.visible .entry " + name + "(");
    if (begin == std::string::npos) {
        return nullptr;
    }
    const std::string entry = module.text.substr(begin, module.text.find("\n{", begin) - begin);
    const Kernel& kernel = find_kernel(module.source, module.definitions, name);
    if (number_after(entry, name + "_param_0[") != kernel.bytes) {
        stop("the arguments of '%s' in %s and in its PTX differ in size; run kernels/build", name.c_str(), kernel.source);
    }
    for (const auto& function : module.functions) {
        if (function->kernel == &kernel) {
            return function.get();
        }
    }
    module.functions.push_back(std::make_unique<Function>(Function{&kernel, number_after(entry, ".maxntid ")}));
    return module.functions.back().get();
}

// Returns the number of blocks that one multiprocessor can hold, limited by threads, shared memory and the 32 block slots.
inline int resident_blocks(const Function& function, unsigned threads, std::size_t shared) {
    if (threads == 0 || threads > function.max_threads || shared > function.shared_bytes) {
        return 0;
    }
    const unsigned warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    const std::size_t by_threads = MULTIPROCESSOR_THREADS / WARP_THREADS / warps;
    const std::size_t by_shared = MULTIPROCESSOR_SHARED_BYTES / (shared + 1024);
    return static_cast<int>(std::min<std::size_t>({by_threads, by_shared, 32}));
}

}  // namespace standin
