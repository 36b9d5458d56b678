/*
 * Counts the lines of a file that match within k edits, as `grep -c` does, with the approximate matching of the library Vectorscan (or
 * Hyperscan).
 *
 *     vectorscan K PATTERN_FILE FILE      one literal pattern a line
 *     vectorscan --version
 *
 * Prints the number of lines, and the wall and CPU seconds to compile the patterns. A file may have up to 4 GB. The library does not
 * distinguish lines: a match may cross a line end, and counts for the line in which it ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hs/hs.h>

typedef struct {
    const char *bytes;
    size_t length;
} text_t;

typedef struct {
    char **expressions;
    unsigned count;
} patterns_t;

typedef struct {
    text_t text;
    size_t line_start;
    size_t line_end;
    size_t lines;
} counter_t;

static void fail(const char *message, const char *subject) {
    fprintf(stderr, "vectorscan: %s: %s\n", subject, message);
    exit(2);
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static text_t map(const char *path) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail("cannot be read", path);
    text_t text = {"", (size_t)status.st_size};
    if (text.length == 0) return text;
    if (text.length > 0xffffffffu) fail("is larger than 4 GB", path);
    void *bytes = mmap(NULL, text.length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail("cannot be mapped", path);
    text.bytes = bytes;
    return text;
}

/* Returns the bytes as \xNN each, so that none has a special meaning. */
static char *literal(const char *bytes, size_t length) {
    char *expression = malloc(4 * length + 1);
    if (expression == NULL) fail("no memory", "patterns");
    for (size_t i = 0; i < length; i++) sprintf(expression + 4 * i, "\\x%02x", (unsigned char)bytes[i]);
    return expression;
}

static patterns_t read_patterns(const char *path) {
    text_t text = map(path);
    patterns_t patterns = {malloc((text.length + 1) * sizeof(char *)), 0};
    if (patterns.expressions == NULL) fail("no memory", path);
    for (size_t start = 0; start < text.length;) {
        const char *end = memchr(text.bytes + start, '\n', text.length - start);
        size_t length = (end ? (size_t)(end - text.bytes) : text.length) - start;
        if (length > 0) patterns.expressions[patterns.count++] = literal(text.bytes + start, length);
        start += length + 1;
    }
    return patterns;
}

static hs_database_t *compile(patterns_t patterns, unsigned k) {
    hs_expr_ext_t extension = {.flags = HS_EXT_FLAG_EDIT_DISTANCE, .edit_distance = k};
    const hs_expr_ext_t **extensions = calloc(patterns.count, sizeof *extensions);
    if (extensions == NULL) fail("no memory", "patterns");
    for (unsigned i = 0; i < patterns.count; i++) extensions[i] = &extension;
    hs_database_t *database = NULL;
    hs_compile_error_t *error = NULL;
    /* No identifiers, because counting does not need the numbers of patterns. */
    if (hs_compile_ext_multi((const char *const *)patterns.expressions, NULL, NULL, extensions, patterns.count,
                             HS_MODE_BLOCK, NULL, &database, &error) != HS_SUCCESS)
        fail(error->message, "patterns");
    free(extensions);
    return database;
}

/* Counts a line once. The ends of matches come in order. A line feed belongs to the line that it ends. */
static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context) {
    (void)id, (void)from, (void)flags;
    counter_t *counter = context;
    if (to <= counter->line_start) fail("matches out of order", "library");
    if (to <= counter->line_end) return 0;
    const text_t text = counter->text;
    const char *line_feed = memchr(text.bytes + to - 1, '\n', text.length - (to - 1));
    const char *before = memrchr(text.bytes, '\n', to - 1);
    counter->lines++;
    counter->line_start = before ? (size_t)(before - text.bytes) + 1 : 0;
    counter->line_end = line_feed ? (size_t)(line_feed - text.bytes) + 1 : text.length;
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--version") == 0) return printf("vectorscan %s\n", hs_version()) < 0;
    if (argc != 4) fail("usage: vectorscan K PATTERN_FILE FILE", "arguments");
    patterns_t patterns = read_patterns(argv[2]);
    if (patterns.count == 0) fail("no patterns", argv[2]);
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    hs_database_t *database = compile(patterns, (unsigned)atoi(argv[1]));
    wall = seconds(CLOCK_MONOTONIC) - wall, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    hs_scratch_t *scratch = NULL;
    if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS) fail("no memory", "scratch");
    counter_t counter = {.text = map(argv[3])};
    if (hs_scan(database, counter.text.bytes, (unsigned)counter.text.length, 0, scratch, on_match, &counter) != HS_SUCCESS)
        fail("scan failed", argv[3]);
    printf("%zu %.6f %.6f\n", counter.lines, wall, cpu);
    return 0;
}
