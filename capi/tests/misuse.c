/* Calls the library in wrong and unusual ways. Exits with 0 if each call returns what it should. */
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

/* Makes a searcher for `count` literal patterns with at most `max_errors` edits, and sets an option if `name` is not null. */
static NighSearcher *made(const NighBytes *patterns, size_t count, const char *max_errors, const char *name,
                          const char *value) {
    NighBuilder *builder = nigh_builder_new(NIGH_ALPHABET_TEXT);
    for (size_t at = 0; at < count; at++) {
        nigh_builder_pattern(builder, patterns[at], max_errors);
    }
    if (name != NULL) {
        nigh_builder_option(builder, name, value);
    }
    NighSearcher *searcher = nigh_builder_build(builder);
    nigh_builder_free(builder);
    return searcher;
}

static int32_t read_flag(void *data) {
    return *(int32_t *)data;
}

int main(void) {
    NighBytes pattern = bytes("deadlock"), none = {NULL, 0}, broken = {NULL, 3}, two[2] = {{"a\0bcd", 5}, {"xyz", 3}};
    NighMatch found;

    expect(strlen(nigh_version()) >= 5, "the version is empty");
    expect(nigh_last_error()[0] == '\0', "there is an error before the first call that fails");
    expect(NIGH_VERSION_MAJOR == nigh_version()[0] - '0',
           "the version of the header is not that of the library");
    expect(nigh_builder_build(NULL) == NULL, "a null builder is accepted");
    expect(strstr(nigh_last_error(), "null") != NULL, "the error does not say what is null");
    expect(nigh_builder_new(9) == NULL, "the alphabet 9 is accepted");
    expect(nigh_builder_pattern(NULL, pattern, NULL) == -1, "a null builder takes a pattern");
    expect(nigh_builder_option(NULL, "max-errors", "1") == -1, "a null builder takes an option");
    expect(made(&pattern, 1, "8", NULL, NULL) == NULL, "a pattern that matches everywhere is accepted");
    expect(strstr(nigh_last_error(), "deadlock") != NULL, "the error does not name the pattern");
    expect(made(&broken, 1, "1", NULL, NULL) == NULL, "a null pattern with a length is accepted");
    expect(made(&pattern, 1, "one", NULL, NULL) == NULL, "the bound 'one' is accepted");
    expect(made(&pattern, 1, "1", "engine", "99") == NULL, "the engine 99 is accepted");
    expect(strstr(nigh_last_error(), "engine: ") != NULL, "the error does not name the engine");
    expect(made(&pattern, 1, "1", "strand", "reverse") == NULL, "text has a reverse strand");
    expect(made(&pattern, 1, "1", "no-such-option", "1") == NULL, "an unknown option is accepted");
    expect(made(&pattern, 1, "1", "near", "7") == NULL, "near is accepted after the last pattern");

    /* The first error stays. */
    NighBuilder *builder = nigh_builder_new(NIGH_ALPHABET_TEXT);
    expect(nigh_builder_option(builder, "within", "?") == -1 && nigh_builder_option(builder, "within", "0..9") == -1,
           "the builder goes on after an error");
    expect(strstr(nigh_last_error(), "within: ") != NULL, "the first error is forgotten");
    expect(nigh_builder_option(builder, NULL, NULL) == -1 && nigh_builder_build(builder) == NULL,
           "a builder takes an option or is built after an error");
    nigh_builder_free(builder);
    nigh_builder_free(NULL);

    NighSearcher *searcher = made(&pattern, 1, "1", "ignore-case", "true");
    expect(searcher != NULL, "the searcher is not built");
    expect(nigh_find(NULL, bytes("text"), NIGH_SELECTION_ALL) == NULL, "a null searcher is accepted");
    expect(nigh_find(searcher, broken, NIGH_SELECTION_ALL) == NULL, "a null text with a length is accepted");
    expect(nigh_find(searcher, bytes("text"), 7) == NULL, "the selection 7 is accepted");
    NighBuilder *misspelt = nigh_builder_new(NIGH_ALPHABET_TEXT);
    nigh_builder_pattern(misspelt, bytes("timeout"), NULL);
    nigh_builder_option(misspelt, "max-errors", "1..2");
    NighSearcher *least = nigh_builder_build(misspelt);
    expect(nigh_count(least, bytes("timeout tmeout"), NIGH_SELECTION_BEST) == 1, "a match with fewer edits is counted");
    expect(nigh_count(least, bytes("tmeout"), NIGH_SELECTION_ALL) == -1, "all matches have a least number of edits");
    nigh_searcher_free(least);
    nigh_builder_free(misspelt);
    expect(nigh_next(NULL, &found, sizeof found) == -1, "a null iterator is accepted");
    expect(nigh_count(searcher, none, NIGH_SELECTION_ALL) == 0, "an empty text has matches");
    expect(nigh_count(searcher, broken, NIGH_SELECTION_ALL) == -1,
           "matches are counted in a null text with a length");
    expect(nigh_count(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_BEST) == 2,
           "the text does not have two best matches");
    int all = 0;
    NighMatches *each = nigh_find(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_ALL);
    while (nigh_next(each, &found, sizeof found) == 1) {
        all++;
    }
    nigh_matches_free(each);
    expect(all > 2 && nigh_count(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_ALL) == all,
           "the number of matches that are counted and found differs");
    expect(made(&none, 1, "0", NULL, NULL) == NULL, "an empty pattern is accepted");
    NighBytes lines = bytes("ab\ncd");
    expect(made(&lines, 1, "1", NULL, NULL) == NULL, "a pattern of two lines is accepted");
    expect(strstr(nigh_last_error(), "pattern 'ab\\ncd': it has a line feed") != NULL,
           "the error does not name the line feed");
    NighSearcher *nothing = made(NULL, 0, "1", NULL, NULL);
    expect(nothing != NULL && nigh_count(nothing, bytes("text"), NIGH_SELECTION_ALL) == 0,
           "a searcher without patterns is not built, or has matches");
    nigh_searcher_free(nothing);

    NighMatches *matches = nigh_find(searcher, bytes("a DEADLOK, a deadlock"), NIGH_SELECTION_BEST);
    expect(nigh_next(matches, NULL, sizeof found) == -1, "a null match is accepted");
    expect(nigh_cigar(NULL) == NULL && nigh_cigar(matches) == NULL, "there is a CIGAR without a match");
    expect(nigh_next(matches, &found, sizeof found) == 1 && found.start == 2 && found.distance == 1,
           "the first match has a wrong start or distance");
    /* The iterator is freed before its end. */
    nigh_matches_free(matches);
    matches = nigh_find(searcher, none, NIGH_SELECTION_ALL);
    expect(nigh_next(matches, &found, sizeof found) == 0 && nigh_next(matches, &found, sizeof found) == 0,
           "an empty text has a match");
    nigh_matches_free(matches);
    nigh_searcher_free(searcher);
    nigh_matches_free(NULL);
    nigh_searcher_free(NULL);

    searcher = made(two, 2, "0", NULL, NULL);
    NighBytes text = {"xyz a\0bcd", 9};
    matches = nigh_find(searcher, text, NIGH_SELECTION_ALL);
    expect(nigh_next(matches, &found, sizeof found) == 1 && found.pattern == 1 && found.end == 3,
           "xyz is not found");
    expect(nigh_next(matches, &found, sizeof found) == 1 && found.pattern == 0 && found.start == 4 && found.end == 9,
           "the pattern with a null byte is not found");
    expect(strcmp(nigh_cigar(matches), "5=") == 0, "the CIGAR is wrong");
    expect(nigh_next(matches, &found, sizeof found) == 0, "there are more than two matches");
    nigh_matches_free(matches);

    /* Many texts, and an older program whose NighMatch is shorter. */
    NighBytes texts[3] = {{"xyz", 3}, {NULL, 0}, {"an xyz", 6}};
    matches = nigh_find_in_texts(searcher, texts, 3, NIGH_SELECTION_SITES);
    expect(nigh_next(matches, &found, sizeof found) == 1 && found.text == 0 && found.end == 3,
           "the match in the first text is not found");
    found.text = 77;
    expect(nigh_next(matches, &found, offsetof(NighMatch, text)) == 1 && found.start == 3 && found.text == 77,
           "more bytes of a match are written than the given size");
    expect(nigh_next(matches, &found, sizeof found) == 0, "there are more than two matches in the texts");
    nigh_matches_free(matches);
    expect(nigh_find_in_texts(searcher, NULL, 1, NIGH_SELECTION_ALL) == NULL, "null texts are accepted");
    expect(nigh_find_in_texts(searcher, &broken, 1, NIGH_SELECTION_ALL) == NULL, "a null text is accepted");
    expect(nigh_find_in_texts(NULL, texts, 3, NIGH_SELECTION_ALL) == NULL,
           "a null searcher is accepted for texts");

    /* Counts of many texts with several threads, and calls that stop. */
    size_t counts[3] = {7, 7, 7};
    expect(nigh_count_in_texts(searcher, texts, 3, NIGH_SELECTION_BEST, 2, counts) == 0, "texts are not counted");
    expect(counts[0] == 1 && counts[1] == 0 && counts[2] == 1, "the counts of the texts are wrong");
    expect(nigh_count_in_texts(searcher, NULL, 0, NIGH_SELECTION_ALL, 0, NULL) == 0, "no texts are not counted");
    expect(nigh_count_in_texts(searcher, texts, 3, NIGH_SELECTION_ALL, 2, NULL) == -1, "null counts are accepted");
    expect(nigh_count_in_texts(searcher, texts, 3, 9, 2, counts) == -1, "an unknown selection is accepted");
    int32_t stops = 0;
    nigh_stop_when(read_flag, &stops);
    expect(nigh_count(searcher, texts[0], NIGH_SELECTION_ALL) == 1, "a call stops although it is not asked to");
    stops = 1;
    expect(nigh_count(searcher, texts[0], NIGH_SELECTION_ALL) == -1, "a call does not stop");
    expect(strcmp(nigh_last_error(), "the call was interrupted") == 0, "the error does not say that the call stopped");
    expect(nigh_count_in_texts(searcher, texts, 3, NIGH_SELECTION_ALL, 2, counts) == -1, "counting does not stop");
    nigh_stop_when(NULL, NULL);
    expect(nigh_count(searcher, texts[0], NIGH_SELECTION_ALL) == 1, "a call stops although there is no function");
    nigh_searcher_free(searcher);

    /* Groups, and text in place of matches. */
    builder = nigh_builder_new(NIGH_ALPHABET_TEXT);
    nigh_builder_pattern(builder, bytes("user (?<name>[a-z]+)( on [a-z]+)?;"), "1");
    nigh_builder_option(builder, "fixed-strings", "false");
    NighSearcher *plain = nigh_builder_build(builder);
    expect(nigh_builder_captures(builder) == 0, "a builder does not keep groups");
    searcher = nigh_builder_build(builder);
    nigh_builder_free(builder);
    NighGroup group = {7, 7};
    text = bytes("a usr ann; b");
    expect(nigh_builder_captures(NULL) == -1, "a null builder keeps groups");
    expect(nigh_group_count(searcher, 0) == 3 && nigh_group_count(plain, 0) == 0 && nigh_group_count(NULL, 0) == -1,
           "the number of groups is wrong");
    expect(nigh_group_number(searcher, 0, bytes("name")) == 1 && nigh_group_number(searcher, 0, bytes("none")) == -1,
           "the number of a named group is wrong");
    matches = nigh_find(searcher, text, NIGH_SELECTION_BEST);
    expect(nigh_group(matches, 1, &group) == -1 && nigh_group(NULL, 1, &group) == -1, "there is a group without a match");
    expect(nigh_next(matches, &found, sizeof found) == 1 && nigh_group(matches, 1, &group) == 1 && group.start == 6 &&
               group.end == 9,
           "the group is not found");
    expect(nigh_group(matches, 2, &group) == 0 && group.start == 6, "a group that took no part is found");
    expect(nigh_group(matches, 3, &group) == -1 && nigh_group(matches, 1, NULL) == -1,
           "a group that does not exist or a null group is found");
    nigh_matches_free(matches);
    matches = nigh_find(plain, text, NIGH_SELECTION_BEST);
    expect(nigh_next(matches, &found, sizeof found) == 1 && nigh_group(matches, 0, &group) == -1,
           "a searcher without groups has groups");
    nigh_matches_free(matches);
    NighBytes made_text = {NULL, 0};
    expect(nigh_replace(searcher, text, bytes("$$$name"), &made_text) == 0 && made_text.length == 8 &&
               memcmp(made_text.data, "a $ann b", 8) == 0,
           "the text is not replaced");
    nigh_bytes_free(made_text);
    expect(nigh_replace(searcher, none, none, &made_text) == 0 && made_text.length == 0, "an empty text is not replaced");
    nigh_bytes_free(made_text);
    nigh_bytes_free(none);
    expect(nigh_replace(plain, text, bytes("$1"), &made_text) == -1, "a searcher without groups replaces a group");
    expect(nigh_replace(plain, text, broken, &made_text) == -1 && nigh_replace(plain, text, none, NULL) == -1,
           "a null replacement or a null place for the new text is accepted");
    nigh_searcher_free(searcher);
    nigh_searcher_free(plain);

    /* Records of several lines. */
    NighBytes log = bytes("1 a\n b\n2 c\n"), record = {NULL, 0};
    NighSplitter *splitter = nigh_splitter_new(bytes("^[0-9]"));
    expect(nigh_splitter_new(bytes("a(")) == NULL && nigh_splitter_new(broken) == NULL,
           "a splitter is made of no expression");
    expect(nigh_split(NULL, log) == NULL && nigh_split(splitter, broken) == NULL,
           "a null splitter or a null text with a length is divided");
    NighRecords *records = nigh_split(splitter, log);
    expect(nigh_next_record(NULL, &record) == -1 && nigh_next_record(records, NULL) == -1,
           "a null iterator or a null record is accepted");
    expect(nigh_next_record(records, &record) == 1 && record.data == log.data && record.length == 7,
           "the first record is wrong");
    expect(nigh_next_record(records, &record) == 1 && record.data == log.data + 7 && record.length == 4,
           "the second record is wrong");
    expect(nigh_next_record(records, &record) == 0 && nigh_next_record(records, &record) == 0,
           "there are more than two records");
    nigh_records_free(records);
    records = nigh_split(splitter, none);
    expect(nigh_next_record(records, &record) == 0, "an empty text has a record");
    nigh_records_free(records);
    /* The iterator is freed before its end. */
    nigh_records_free(nigh_split(splitter, log));
    nigh_records_free(NULL);
    nigh_splitter_free(splitter);
    nigh_splitter_free(NULL);

    expect(nigh_distance(bytes("kitten"), bytes("sitting")) == 3,
           "the distance of kitten from sitting is not 3");
    expect(nigh_distance(none, bytes("abc")) == 3, "the distance of an empty string from abc is not 3");
    expect(nigh_distance(broken, none) == -1, "a null string with a length is compared");
    return failures > 0;
}
