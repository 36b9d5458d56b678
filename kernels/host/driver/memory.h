// Device memory, pinned host memory, and page-locked memory of the caller. An allocation starts with pseudo-random bytes (noise) and lies between two guards of noise.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

#include "api.h"
#include "settings.h"

namespace standin {

constexpr std::size_t GUARD = 1024;
constexpr std::size_t ALIGNMENT = 256;

// Returns word `at` of the noise of an allocation. The same arguments give the same word.
inline std::uint64_t noise(std::uint64_t allocation, std::uint64_t at) {
    std::uint64_t mixed = (allocation << 40 ^ at) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
    return mixed ^ mixed >> 32;
}

struct Allocation {
    char* block;  // a guard, the usable bytes, and a guard
    std::size_t bytes;
    Context* context;
    std::uint64_t number;

    // Size of the block with both guards, rounded up to ALIGNMENT.
    std::size_t block_bytes() const { return (GUARD + bytes + GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

    void make_noise() const {
        for (std::size_t at = 0; at < block_bytes(); at += sizeof(std::uint64_t)) {
            const std::uint64_t word = noise(number, at / sizeof(word));
            std::memcpy(block + at, &word, sizeof(word));
        }
    }

    // Returns whether the bytes from `from` to `to` of the block are still noise.
    bool is_noise(std::size_t from, std::size_t to) const {
        std::uint64_t word = noise(number, from / sizeof(word));
        for (std::size_t at = from; at < to; ++at) {
            word = at % sizeof(word) == 0 ? noise(number, at / sizeof(word)) : word;
            if (block[at] != static_cast<char>(word >> at % sizeof(word) * 8)) {
                return false;
            }
        }
        return true;
    }

    bool is_guarded() const { return is_noise(0, GUARD) && is_noise(GUARD + bytes, block_bytes()); }
};

// Allocations, ordered by the address of their first usable byte.
class Memory {
  public:
    void* allocate(std::size_t bytes, Context* context) {
        Allocation allocation{nullptr, bytes, context, ++count};
        allocation.block = static_cast<char*>(std::aligned_alloc(ALIGNMENT, allocation.block_bytes()));
        if (allocation.block == nullptr) {
            return nullptr;
        }
        allocation.make_noise();
        allocations[reinterpret_cast<std::uintptr_t>(allocation.block) + GUARD] = allocation;
        return allocation.block + GUARD;
    }

    // Returns the allocation that contains this byte, or null.
    const Allocation* containing(const void* pointer) const {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        auto after = allocations.upper_bound(address);
        if (after == allocations.begin()) {
            return nullptr;
        }
        const auto& [first, allocation] = *--after;
        return address - first < allocation.bytes ? &allocation : nullptr;
    }

    // Returns the allocation that contains all these bytes, or null.
    const Allocation* containing(const void* pointer, std::size_t bytes) const {
        const Allocation* const found = containing(pointer);
        if (found == nullptr) {
            return nullptr;
        }
        const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - found->block) - GUARD;
        return bytes <= found->bytes - offset ? found : nullptr;
    }

    // Frees the allocation that starts at `pointer`, after a check of its guards. Returns false if there is none.
    bool free(const void* pointer, const char* after) {
        const auto found = allocations.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == allocations.end()) {
            return false;
        }
        check(found->second, after);
        std::free(found->second.block);
        allocations.erase(found);
        return true;
    }

    void free_all(const Context* context) {
        for (auto at = allocations.begin(); at != allocations.end();) {
            if (at->second.context == context) {
                std::free(at->second.block);
                at = allocations.erase(at);
            } else {
                ++at;
            }
        }
    }

    // Stops if a guard of any allocation has changed. `after` names the operation for the message.
    void check_all(const char* after) const {
        for (const auto& [first, allocation] : allocations) {
            check(allocation, after);
        }
    }

    std::size_t bytes_of(const Context* context) const {
        std::size_t bytes = 0;
        for (const auto& [first, allocation] : allocations) {
            bytes += allocation.context == context ? allocation.bytes : 0;
        }
        return bytes;
    }

  private:
    static void check(const Allocation& allocation, const char* after) {
        if (!allocation.is_guarded()) {
            stop("%s: code wrote outside an allocation of %zu bytes", after, allocation.bytes);
        }
    }

    std::map<std::uintptr_t, Allocation> allocations;
    std::uint64_t count = 0;
};

// Page-locked memory of the caller.
class LockedMemory {
  public:
    // Adds a range. Returns false if a byte of it is locked already.
    bool add(const void* pointer, std::size_t bytes) {
        const auto first = reinterpret_cast<std::uintptr_t>(pointer);
        const auto after = ranges.lower_bound(first);
        if (containing(pointer) != nullptr || (after != ranges.end() && after->first - first < bytes)) {
            return false;
        }
        ranges[first] = {bytes, std::make_shared<std::size_t>(0)};
        return true;
    }

    // Removes the range that starts at `pointer`. Returns false if there is none. Stops if a copy from it has not run.
    bool remove(const void* pointer) {
        const auto found = ranges.find(reinterpret_cast<std::uintptr_t>(pointer));
        if (found == ranges.end()) {
            return false;
        }
        if (*found->second.copies > 0) {
            stop("cuMemHostUnregister: %zu copies of the memory have not run", *found->second.copies);
        }
        ranges.erase(found);
        return true;
    }

    // Returns the number of queued copies that use the range which contains this byte, or null if the byte is not locked.
    std::shared_ptr<std::size_t> containing(const void* pointer) const {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const auto after = ranges.upper_bound(address);
        if (after == ranges.begin()) {
            return nullptr;
        }
        const auto& [first, range] = *std::prev(after);
        return address - first < range.bytes ? range.copies : nullptr;
    }

  private:
    struct Range {
        std::size_t bytes;
        std::shared_ptr<std::size_t> copies;
    };

    std::map<std::uintptr_t, Range> ranges;
};

}  // namespace standin
