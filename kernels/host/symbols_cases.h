// Cases of symbols.cu: "symbols SEED KIND RANGES", then the ranges, each "FIRST LAST CODE", then the text as hexadecimal digits. A byte that
// is a symbol by itself has its value as code. Prints the number of symbols, then the code and the end of each.
#pragma once

#include "../symbols.cu"
#include "cases.h"

inline std::vector<u8> read_bytes(std::istream& in) {
    std::string digits;
    in >> digits;
    std::vector<u8> bytes;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
        bytes.push_back(static_cast<u8>(std::stoul(digits.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

// Checks place_hits. Hit `h` is at symbol `h + FIRST`: the kernel must replace `h` by the end of that symbol, or by NOWHERE if the hit is one
// of the first CONTEXT hits or past the last symbol. The window of a hit has the last symbols that end with it and are no separators.
inline void check_places(const std::vector<u8>& text, const std::vector<u32>& ends, u32 count, u64 seed) {
    constexpr u32 FIRST = 1, CONTEXT = 2;
    const std::vector<u32> reaches{static_cast<u32>(seed % 40), 3};
    const u8 separator = text[seed % text.size()];
    std::vector<::Hit> hits(count + 1);
    for (u32 hit = 0; hit <= count; ++hit) {
        hits[hit] = {hit, hit % 2, 0};
    }
    u64 found = hits.size() + 7;
    std::vector<Window> windows(hits.size() / 2 + 1, Window{1, 2, 3});
    const u32 window_count = static_cast<u32>(hits.size() / 2);
    const PlaceArguments args{{hits.data(), hits.size(), &found}, ends.data(), &count, text.data(), reaches.data(), windows.data(),
                              FIRST, CONTEXT, separator, window_count};
    host::launch({2, 1, 1}, {64, 1, 1}, 0, seed, [&] { place_hits(args); });
    for (u32 hit = 0; hit <= count; ++hit) {
        const bool is_inside = hit >= CONTEXT && hit + FIRST < count;
        if (hits[hit].symbol != (is_inside ? ends[hit + FIRST] : NOWHERE)) {
            differ("place_hits: a hit is not at the end of its symbol");
        }
        if (hit < window_count && is_inside) {
            u32 first = hit + FIRST + 1;
            for (u32 left = reaches[hit % 2]; left > 0 && first > 0 && text[ends[first - 1] - 1] != separator; --left) {
                --first;
            }
            if (windows[hit].first != first || windows[hit].end != hit + FIRST + 1 || windows[hit].pattern != hit % 2) {
                differ("place_hits: a window is not that of its hit");
            }
        }
    }
}

inline void run_symbols_case(std::istream& in, std::ostream& out) {
    u64 seed = 0;
    SymbolArguments args{};
    in >> seed >> args.kind >> args.range_count;
    std::vector<CodeRange> ranges(args.range_count);
    for (CodeRange& range : ranges) {
        in >> range.first >> range.last >> range.code;
    }
    const std::vector<u8> text = read_bytes(in);
    std::vector<u8> code_of_byte(256);
    for (u32 byte = 0; byte < 256; ++byte) {
        code_of_byte[byte] = static_cast<u8>(byte);
    }
    args.length = static_cast<u32>(text.size());
    args.chunks = (args.length + CHUNK - 1) / CHUNK;
    std::vector<u32> before(args.chunks + 1), ends(text.size());
    std::vector<u8> codes(text.size(), 77);
    args.text = text.data();
    args.codes_of_bytes = code_of_byte.data();
    args.ranges = ranges.data();
    args.before = before.data();
    args.codes = codes.data();
    args.ends = ends.data();
    u64 found = 77;
    u32 done = 0;
    std::vector<u32> selected(args.length / 32 + 1, 77);
    args.found = &found;
    args.done = &done;
    args.selected = selected.data();
    args.selected_words = args.length / 32;
    const u32 shared = symbols_shared_bytes();
    host::launch({args.chunks, 1, 1}, {CHUNK_THREADS, 1, 1}, shared, seed, [&] { count_symbols(args); });
    host::launch({args.chunks, 1, 1}, {CHUNK_THREADS, 1, 1}, shared, seed, [&] { encode_symbols(args); });
    const u32 count = before[args.chunks];
    check_places(text, ends, count, seed);
    if (std::any_of(codes.begin() + count, codes.end(), [](u8 code) { return code != 0; })) {
        differ("encode_symbols: there is a code after the last symbol");
    }
    const bool is_clear = std::all_of(selected.begin(), selected.end() - 1, [](u32 word) { return word == 0; });
    if (found != 0 || done != 0 || !is_clear || selected.back() != 77) {
        differ("encode_symbols: other words are cleared");
    }
    out << count << '\n';
    for (u32 symbol = 0; symbol < count; ++symbol) {
        out << static_cast<u32>(codes[symbol]) << ' ' << ends[symbol] << '\n';
    }
}
