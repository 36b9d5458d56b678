/* Prints the sites of a guide with a PAM, and the number of sites in 1,000 texts. Ctrl-C stops the search. */
#include <nigh.h>
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t stopped;
static void stop(int signal) { stopped = signal; }
static int32_t is_stopped(void *data) { return (void)data, stopped; }
int main(void) {
    static const char sequence[] = "TTGCGATCACTGCCGATGCTAGGTTCCTAGCATCGGCAGGTGATCGC";
    static NighBytes texts[1000];
    size_t counts[1000] = {0}, sum = 0;
    for (int n = 0; n < 1000; n++) texts[n] = (NighBytes){sequence, sizeof sequence - 1};
    signal(SIGINT, stop), nigh_stop_when(is_stopped, NULL);
    NighBuilder *builder = nigh_builder_new(NIGH_ALPHABET_DNA);
    nigh_builder_pattern(builder, (NighBytes){"GCGATCACCTGCCGATGCT<NGG>", 24}, "3");
    NighSearcher *guide = nigh_builder_build(builder);
    NighMatches *sites = nigh_find(guide, texts[0], NIGH_SELECTION_SITES);
    for (NighMatch one; nigh_next(sites, &one, sizeof one) == 1;) printf("%zu %zu %c\n", one.start, one.end, one.strand);
    int failed = nigh_count_in_texts(guide, texts, 1000, NIGH_SELECTION_SITES, 4, counts);
    for (int n = 0; n < 1000; n++) sum += counts[n];
    failed ? fprintf(stderr, "%s\n", nigh_last_error()) : printf("%zu\n", sum);
    nigh_matches_free(sites), nigh_searcher_free(guide), nigh_builder_free(builder);
    return failed ? 2 : 0;
}
