// Modules: which kernel of which source stands behind a function of shipped PTX, and what that PTX says of it.
//
// The first line of the PTX names source and definitions; its entries say how many bytes a kernel takes and how many threads a
// block of it may have.
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

// A kernel as the host's compiler has made it.
struct Kernel {
    const char* source;
    const char* definition;
    const char* name;
    std::size_t bytes;  // of its arguments
    void (*run)(const void* arguments);
};

// The kernel of a source with its definitions, with blanks between them. There is one: it stops if kernels.cpp has forgotten it.
const Kernel& find_kernel(const std::string& source, const std::string& definitions, const std::string& name);

// The blocks of a grid, the threads of a block, and the bytes of its shared memory.
struct Geometry {
    unsigned blocks_x, blocks_y, threads_x, threads_y, shared;
};

void run_kernel(const Kernel& kernel, const Geometry& geometry, std::uint64_t seed, const void* arguments);

// Of shared memory: of a block, of one whose function has asked for it, and of a multiprocessor.
constexpr unsigned SHARED_BYTES = 48 << 10;
constexpr unsigned MOST_SHARED_BYTES = 227 << 10;
constexpr unsigned MULTIPROCESSOR_SHARED_BYTES = 228 << 10;
constexpr unsigned MULTIPROCESSOR_THREADS = 2048;
constexpr unsigned WARP_THREADS = 32;

struct Function {
    const Kernel* kernel;
    unsigned most_threads;
    unsigned shared_bytes = SHARED_BYTES;
};

struct Module {
    Context* context;
    std::string source;
    std::string definitions;
    std::string text;
    std::vector<std::unique_ptr<Function>> functions;
};

// The number behind some words of a text, or zero.
inline unsigned number_after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    if (at == std::string::npos) {
        return 0;
    }
    return static_cast<unsigned>(std::strtoul(text.c_str() + at + words.size(), nullptr, 10));
}

// Reads "// nvcc 13.0.88 -std=c++17 -ptx -arch=compute_75 -DNIGH_ROWS=20 sliced.cu"; whether this is such PTX.
inline bool read_head(Module& module) {
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

// The version of the oldest driver that takes the PTX, as 12000.
inline unsigned needed_driver(const Module& module) {
    const unsigned major = number_after(module.text, "\n.version ");
    const unsigned minor = number_after(module.text, "\n.version " + std::to_string(major) + ".");
    return (major + 4) * 1000 + minor * 10;
}

// Finds an entry of the PTX, always the same for a name; nothing if there is none.
inline Function* find_function(Module& module, const std::string& name) {
    const std::size_t begin = module.text.find("\n.visible .entry " + name + "(");
    if (begin == std::string::npos) {
        return nullptr;
    }
    const std::string entry = module.text.substr(begin, module.text.find("\n{", begin) - begin);
    const Kernel& kernel = find_kernel(module.source, module.definitions, name);
    if (number_after(entry, name + "_param_0[") != kernel.bytes) {
        stop("'%s' of %s takes other arguments in its PTX: run kernels/build", name.c_str(), kernel.source);
    }
    for (const auto& function : module.functions) {
        if (function->kernel == &kernel) {
            return function.get();
        }
    }
    module.functions.push_back(std::make_unique<Function>(Function{&kernel, number_after(entry, ".maxntid ")}));
    return module.functions.back().get();
}

inline int resident_blocks(const Function& function, unsigned threads, std::size_t shared) {
    if (threads == 0 || threads > function.most_threads || shared > function.shared_bytes) {
        return 0;
    }
    const unsigned warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    const std::size_t by_threads = MULTIPROCESSOR_THREADS / WARP_THREADS / warps;
    const std::size_t by_shared = MULTIPROCESSOR_SHARED_BYTES / (shared + 1024);
    return static_cast<int>(std::min<std::size_t>({by_threads, by_shared, 32}));
}

}  // namespace standin
