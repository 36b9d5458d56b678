// Prints the sites of guides in a sequence, on both strands. A guide is followed by its PAM, which matches without edits.
//
//     c++ -std=c++11 guides.cpp $(pkg-config --cflags --libs nigh) -o guides
//     ./guides TTGCGATCACTGCCGATGCTAGGTT 'GCGATCACCTGCCGATGCT<NGG>'
#include <nigh.h>

#include <cstdio>
#include <cstring>
#include <memory>

namespace {

struct Free {
    void operator()(NighBuilder *builder) const { nigh_builder_free(builder); }
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
    const std::unique_ptr<NighBuilder, Free> builder(nigh_builder_new(NIGH_ALPHABET_DNA));
    nigh_builder_option(builder.get(), "max-errors", "3");
    for (int at = 2; at < argc; at++) {
        nigh_builder_pattern(builder.get(), bytes(argv[at]), nullptr);
    }
    const std::unique_ptr<NighSearcher, Free> searcher(nigh_builder_build(builder.get()));
    if (!searcher) {
        return failed();
    }
    const std::unique_ptr<NighMatches, Free> matches(nigh_find(searcher.get(), sequence, NIGH_SELECTION_SITES));
    if (!matches) {
        return failed();
    }
    NighMatch found;
    int status;
    while ((status = nigh_next(matches.get(), &found, sizeof found)) == 1) {
        std::printf("%s\t%zu\t%zu\t%c\t%zu\t%s\n", argv[2 + found.pattern], found.start, found.end, found.strand,
                    found.distance, nigh_cigar(matches.get()));
    }
    if (status < 0) {
        return failed();
    }
    return 0;
}
