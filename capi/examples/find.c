/* Prints the best matches of a pattern in a text.
 *
 *     cc find.c $(pkg-config --cflags --libs nigh) -o find
 *     ./find deadlock 1 "no deadlok here"
 */
#include <nigh.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: find PATTERN MAX_EDITS TEXT\n");
        return 2;
    }
    NighBytes pattern = {argv[1], strlen(argv[1])};
    NighBytes text = {argv[3], strlen(argv[3])};
    NighBuilder *builder = nigh_builder_new(NIGH_ALPHABET_TEXT);
    nigh_builder_pattern(builder, pattern, argv[2]);
    NighSearcher *searcher = nigh_builder_build(builder);
    nigh_builder_free(builder);
    if (searcher == NULL) {
        fprintf(stderr, "find: %s\n", nigh_last_error());
        return 2;
    }
    NighMatches *matches = nigh_find(searcher, text, NIGH_SELECTION_BEST);
    NighMatch found;
    int status = matches == NULL ? -1 : nigh_next(matches, &found, sizeof found);
    int count = 0;
    for (; status == 1; status = nigh_next(matches, &found, sizeof found)) {
        printf("%zu..%zu\t%zu\t%s\t%.*s\n", found.start, found.end, found.distance, nigh_cigar(matches),
               (int)(found.end - found.start), argv[3] + found.start);
        count++;
    }
    if (status < 0) {
        fprintf(stderr, "find: %s\n", nigh_last_error());
    }
    nigh_matches_free(matches);
    nigh_searcher_free(searcher);
    return status < 0 ? 2 : count == 0;
}
