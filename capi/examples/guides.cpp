// Prints where guides occur in a sequence, on both strands, and counts all their matches.
//
//     c++ -std=c++11 guides.cpp $(pkg-config --cflags --libs nigh) -o guides
//     ./guides TTGACCAGATTACATTTGTAATCTGG GATTACA CCAGATT
#include <nigh.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {

struct Free {
    void operator()(NighSearcher *searcher) const { nigh_searcher_free(searcher); }
    void operator()(NighMatches *matches) const { nigh_matches_free(matches); }
};

NighBytes bytes(const char *text) { return {text, std::strlen(text)}; }

int failed() {
    std::fprintf(stderr, "guides: %s\n", nigh_last_error());
    return 2;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: guides SEQUENCE GUIDE...\n");
        return 2;
    }
    const NighBytes sequence = bytes(argv[1]);
    std::vector<NighBytes> guides;
    for (int at = 2; at < argc; at++) {
        guides.push_back(bytes(argv[at]));
    }
    NighOptions options = {};
    options.alphabet = NIGH_ALPHABET_DNA;
    const std::unique_ptr<NighSearcher, Free> searcher(nigh_searcher_new(guides.data(), guides.size(), 1, &options));
    if (!searcher) {
        return failed();
    }
    const std::unique_ptr<NighMatches, Free> matches(nigh_find(searcher.get(), sequence, NIGH_SELECTION_BEST));
    if (!matches) {
        return failed();
    }
    NighMatch found;
    int status;
    while ((status = nigh_next(matches.get(), &found)) == 1) {
        std::printf("%s\t%zu\t%zu\t%c\t%zu\t%s\n", argv[2 + found.pattern], found.start, found.end, found.strand,
                    found.distance, found.cigar);
    }
    if (status < 0) {
        return failed();
    }
    const int64_t count = nigh_count(searcher.get(), sequence, NIGH_SELECTION_ALL);
    if (count < 0) {
        return failed();
    }
    std::printf("%lld matches\n", static_cast<long long>(count));
    return 0;
}
