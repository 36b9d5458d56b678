/* Calls the library in wrong and unusual ways. Exits with 0 if it says so each time. */
#include <nigh.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int is_right, const char *what) {
    if (!is_right) {
        printf("%s; last error: %s\n", what, nigh_last_error());
        failures++;
    }
}

static NighBytes bytes(const char *text) {
    NighBytes all = {text, strlen(text)};
    return all;
}

int main(void) {
    NighBytes pattern = bytes("deadlock"), none = {NULL, 0}, broken = {NULL, 3}, two[2] = {{"a\0bcd", 5}, {"xyz", 3}};
    NighOptions options = {0, 0, 0, 0, 0};
    NighMatch found;

    expect(strlen(nigh_version()) >= 5, "the version is empty");
    expect(nigh_last_error()[0] == '\0', "there is an error before the first");
    expect(nigh_searcher_new(NULL, 1, 1, NULL) == NULL, "null patterns are accepted");
    expect(strstr(nigh_last_error(), "null") != NULL, "the error does not say what is null");
    expect(nigh_searcher_new(&pattern, 1, 8, NULL) == NULL, "a pattern that matches everywhere is accepted");
    expect(strstr(nigh_last_error(), "deadlock") != NULL, "the error does not name the pattern");
    expect(nigh_searcher_new(&broken, 1, 1, NULL) == NULL, "a null pattern with a length is accepted");
    options.engine = 99;
    expect(nigh_searcher_new(&pattern, 1, 1, &options) == NULL, "the engine 99 is accepted");
    expect(strstr(nigh_last_error(), "engine: 99") != NULL, "the error does not name the engine");
    options.engine = NIGH_ENGINE_AUTO;
    options.strands = NIGH_STRANDS_REVERSE;
    expect(nigh_searcher_new(&pattern, 1, 1, &options) == NULL, "text has a reverse strand");
    options.strands = NIGH_STRANDS_DEFAULT;
    options.letter_case = NIGH_CASE_INSENSITIVE;

    NighSearcher *searcher = nigh_searcher_new(&pattern, 1, 1, &options);
    expect(searcher != NULL, "no searcher");
    expect(nigh_find(NULL, bytes("text"), NIGH_SELECTION_ALL) == NULL, "a null searcher is accepted");
    expect(nigh_find(searcher, broken, NIGH_SELECTION_ALL) == NULL, "a null text with a length is accepted");
    expect(nigh_find(searcher, bytes("text"), 7) == NULL, "the selection 7 is accepted");
    expect(nigh_next(NULL, &found) == -1, "a null iterator is accepted");
    expect(nigh_count(searcher, none, NIGH_SELECTION_ALL) == 0, "an empty text has matches");
    expect(nigh_count(searcher, broken, NIGH_SELECTION_ALL) == -1, "a null text with a length is counted in");
    expect(nigh_count(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_BEST) == 2, "not two matches");
    int all = 0;
    NighMatches *each = nigh_find(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_ALL);
    while (nigh_next(each, &found) == 1) {
        all++;
    }
    nigh_matches_free(each);
    expect(all > 2 && nigh_count(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_ALL) == all,
           "the count is not that of the matches");
    expect(nigh_searcher_new(&none, 1, 0, NULL) == NULL, "an empty pattern is accepted");
    NighBytes lines = bytes("ab\ncd");
    expect(nigh_searcher_new(&lines, 1, 1, NULL) == NULL, "a pattern of two lines is accepted");
    expect(strstr(nigh_last_error(), "pattern 'ab\\ncd': it has a line feed") != NULL,
           "the error does not speak of the line feed");
    NighSearcher *nothing = nigh_searcher_new(NULL, 0, 1, NULL);
    expect(nothing != NULL && nigh_count(nothing, bytes("text"), NIGH_SELECTION_ALL) == 0, "no patterns match");
    nigh_searcher_free(nothing);

    NighMatches *matches = nigh_find(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_BEST);
    expect(nigh_next(matches, NULL) == -1, "a null match is accepted");
    expect(nigh_next(matches, &found) == 1 && found.start == 2 && found.distance == 1, "the first match is wrong");
    /* The iterator is freed before its end. */
    nigh_matches_free(matches);
    matches = nigh_find(searcher, none, NIGH_SELECTION_ALL);
    expect(nigh_next(matches, &found) == 0 && nigh_next(matches, &found) == 0, "an empty text has a match");
    nigh_matches_free(matches);
    nigh_searcher_free(searcher);
    nigh_matches_free(NULL);
    nigh_searcher_free(NULL);

    searcher = nigh_searcher_new(two, 2, 0, NULL);
    NighBytes text = {"xyz a\0bcd", 9};
    matches = nigh_find(searcher, text, NIGH_SELECTION_ALL);
    expect(nigh_next(matches, &found) == 1 && found.pattern == 1 && found.end == 3, "xyz is not found");
    expect(nigh_next(matches, &found) == 1 && found.pattern == 0 && found.start == 4 && found.end == 9,
           "a pattern with a null byte is not found");
    expect(strcmp(found.cigar, "5=") == 0, "the CIGAR is wrong");
    expect(nigh_next(matches, &found) == 0, "there are more than two matches");
    nigh_matches_free(matches);
    nigh_searcher_free(searcher);

    expect(nigh_distance(bytes("kitten"), bytes("sitting")) == 3, "the distance of kitten and sitting");
    expect(nigh_distance(none, bytes("abc")) == 3, "the distance from nothing");
    expect(nigh_distance(broken, none) == -1, "the distance of a null string with a length");
    return failures > 0;
}
