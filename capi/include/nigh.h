/* The C interface of nigh: finds every place of a text where a pattern occurs with at most k edits.
 *
 * Generated from capi/src by cbindgen; do not edit. */

#ifndef NIGH_H
#define NIGH_H

#include <stddef.h>
#include <stdint.h>

// The major version of the header.
#define NIGH_VERSION_MAJOR 0

// The minor version of the header.
#define NIGH_VERSION_MINOR 1

// The patch version of the header.
#define NIGH_VERSION_PATCH 0

// The symbols of patterns and texts.
typedef enum {
  // Characters of UTF-8 text in lines. Each invalid byte is a character of its own.
  NIGH_ALPHABET_TEXT = 0,
  // Bytes, in lines.
  NIGH_ALPHABET_BYTES = 1,
  // Nucleotides of one sequence, with the IUPAC codes. Case is ignored and U equals T.
  NIGH_ALPHABET_DNA = 2,
  // Amino acids of one sequence. Case is ignored.
  NIGH_ALPHABET_PROTEIN = 3,
} NighAlphabet;

// Which matches are found.
typedef enum {
  // One match of each pattern and strand for each position where matches end.
  NIGH_SELECTION_ALL = 0,
  // The best of overlapping matches, for each pattern and strand.
  NIGH_SELECTION_BEST = 1,
  // The best match for each place of an exact group, such as a PAM, at the start or the end of a pattern.
  NIGH_SELECTION_SITES = 2,
} NighSelection;

// Collects the patterns and options of a searcher.
typedef struct NighBuilder NighBuilder;

// The matches in a text, in order. May be used by one thread at a time.
typedef struct NighMatches NighMatches;

// The records of a text, in order. May be used by one thread at a time.
typedef struct NighRecords NighRecords;

// Searches texts for patterns. May be used by several threads at once.
typedef struct NighSearcher NighSearcher;

// Divides texts into records of one or more lines. May be used by several threads at once.
typedef struct NighSplitter NighSplitter;

// Bytes that need not end with a null byte.
typedef struct {
  // The first byte. May be null if `length` is 0.
  const char *data;
  // The number of bytes.
  size_t length;
} NighBytes;

// A match. Later versions may add fields at the end, so [`nigh_next`] takes the size of the structure.
typedef struct {
  // Offset in the text of the first byte of the match.
  size_t start;
  // Offset in the text just past the last byte of the match.
  size_t end;
  // Index of the pattern, from 0.
  size_t pattern;
  // The smallest number of edits of a match with this end.
  size_t distance;
  // Index of the text, from 0; always 0 after `nigh_find`.
  size_t text;
  // '+', or '-' if the reverse complement of the pattern matches.
  char strand;
} NighMatch;

// The range of a group of a match in the text. On the reverse strand, the group reads, in the direction of the pattern, as
// the reverse complement of that range.
typedef struct {
  // Offset in the text of the first byte of the group.
  size_t start;
  // Offset in the text just past the last byte of the group.
  size_t end;
} NighGroup;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of this library, such as "0.1.0".
const char *nigh_version(void);

// Returns the reason why the last failed call on this thread failed, as one line; an empty string if no call failed.
// The string is valid until the next call on this thread fails.
const char *nigh_last_error(void);

// Makes a builder without patterns. `alphabet` is one of `NighAlphabet`. By default, patterns are literal, matches
// have at most one edit, both strands of nucleotides are searched, and the processor searches.
//
// If a call with a builder fails, all later calls with it fail for the same reason, so it is enough to check what
// `nigh_builder_build` returns.
//
// Returns null if `alphabet` is not valid.
NighBuilder *nigh_builder_new(uint32_t alphabet);

// Adds a pattern. Its index is the number of patterns that were added before. `max_errors` is the pattern's own bound,
// such as "2", "10%" or "3s" as for the program's option -k, or null for the bound of the builder. Returns 0, or -1
// after an error.
//
// `builder` must be a builder, `pattern` must point to `pattern.length` bytes, and `max_errors` must be null or a
// string with a null byte at its end.
int32_t nigh_builder_pattern(NighBuilder *builder,
                             NighBytes pattern,
                             const char *max_errors);

// Sets the option of the program that has the long name `name`. For example, the name "within" may have the value
// "0..80". The options are:
//
// - "max-errors": the number of edits, such as "2", "10%", "auto" or "2s"; "1..2" also sets the least number, which applies
//   to selected matches and refuses `NIGH_SELECTION_ALL`;
// - "edits": the edits allowed, such as "i<=1,s<=2", "2i+2d+s<=4" or "1<=e<=2"; "transpositions": a switch;
// - "exact-group": whether parts of patterns between '<' and '>' match without edits, as they do in sequences;
// - "fixed-strings": "false" for regular expressions; "ignore-case", "smart-case", "word-regexp", "line-regexp":
//   switches;
// - "within": a range of positions; "near": a number, set between two patterns;
// - "overhang": a cost from 0 to 1, or a percentage, or one of these for one end, as in "right:10%"; "min-overlap": a
//   number from 1;
// - "ambiguous": "any", "none", or with a limit "any:1"; "strand": "both", "forward" or "reverse";
// - "engine": "cpu", "cuda" or "auto".
//
// A switch is "true" or "false". Returns 0, or -1 if there is no such option or the value is not one of its values.
//
// `builder` must be a builder, and `name` and `value` strings with a null byte at their ends.
int32_t nigh_builder_option(NighBuilder *builder,
                            const char *name,
                            const char *value);

// Makes a searcher. Without patterns, nothing matches. In text and bytes, a match lies within one line, so a pattern with
// a line feed is not valid.
//
// Returns null if a pattern is not valid or would match everywhere, if options exclude each other, or if the engine is
// not available. The builder can be used again, and must be freed.
//
// `builder` must be a builder.
NighSearcher *nigh_builder_build(const NighBuilder *builder);

// Frees a builder. Does nothing with null.
//
// `builder` must be null, or a builder that was not freed.
void nigh_builder_free(NighBuilder *builder);

// Frees a searcher. Its iterators must be freed before. Does nothing with null.
//
// `searcher` must be null, or a searcher that was not freed.
void nigh_searcher_free(NighSearcher *searcher);

// Finds the matches in a text, in the order of their ends, then of their patterns. `selection` is one of
// `NighSelection`.
//
// Returns null if an argument is not valid. The text and the searcher must stay valid and unchanged until the iterator
// is freed.
//
// `searcher` must be a searcher, and `text` must point to `text.length` bytes.
NighMatches *nigh_find(const NighSearcher *searcher,
                       NighBytes text,
                       uint32_t selection);

// Finds the matches in `count` texts, as `nigh_find` does in each. No match crosses from one text to the next. Many short
// texts are searched much faster in this way than one by one.
//
// Returns null if an argument is not valid. The array, the texts and the searcher must stay valid and unchanged until the
// iterator is freed.
//
// `searcher` must be a searcher, and `texts` must point to `count` elements that point to their bytes.
NighMatches *nigh_find_in_texts(const NighSearcher *searcher,
                                const NighBytes *texts,
                                size_t count,
                                uint32_t selection);

// Moves to the next match. Returns 1 and fills the first `size` bytes of `found` if there is one, 0 at the end, and -1
// after an error. `size` is `sizeof(NighMatch)`. If the search failed, all further calls with the same iterator return
// -1.
//
// `matches` must be an iterator, and `found` must point to `size` bytes, which need not be initialized.
int32_t nigh_next(NighMatches *matches,
                  NighMatch *found,
                  size_t size);

// Returns the alignment of the last match of an iterator in text order, such as "6=1I1=": `=` a match, `X` a substitution,
// `I` a symbol that only the pattern has, `D` a symbol that only the text has. The string is valid until the next call with
// the same iterator.
//
// Returns null if `nigh_next` has not returned 1.
//
// `matches` must be an iterator.
const char *nigh_cigar(NighMatches *matches);

// Frees an iterator. Does nothing with null.
//
// `matches` must be null, or an iterator that was not freed.
void nigh_matches_free(NighMatches *matches);

// Returns the number of matches in a text; -1 after an error. `selection` is one of `NighSelection`. With
// `NIGH_SELECTION_ALL`, this is faster than `nigh_find`, because matches are not aligned.
//
// `searcher` must be a searcher, and `text` must point to `text.length` bytes.
int64_t nigh_count(const NighSearcher *searcher, NighBytes text, uint32_t selection);

// Sets `counts[i]` to the number of matches in `texts[i]`, for each of `count` texts, with up to `threads` threads. Returns
// 0, or -1 after an error, when the counts have no meaning. `selection` is one of `NighSelection`.
//
// `searcher` must be a searcher, `texts` must point to `count` elements that point to their bytes, and `counts` to room for
// `count` numbers.
int32_t nigh_count_in_texts(const NighSearcher *searcher,
                            const NighBytes *texts,
                            size_t count,
                            uint32_t selection,
                            size_t threads,
                            size_t *counts);

// Sets the function that later calls of this thread ask every few milliseconds whether to stop, with `data` as its
// argument; null removes it. If it returns a number other than 0, the call fails. An iterator whose call failed cannot be
// used any more.
//
// Any thread may call `is_wanted` with `data`, and several at a time, until another function is set.
void nigh_stop_when(int32_t (*is_wanted)(void *data),
                    void *data);

// Returns the edit distance of two strings of bytes: the smallest number of insertions, deletions and substitutions;
// -1 after an error.
//
// `first` and `second` must point to as many bytes as their lengths say.
int64_t nigh_distance(NighBytes first,
                      NighBytes second);

// Lets the searcher keep the groups of its patterns in parentheses, for `nigh_group` and `nigh_replace`. By default it does
// not, because they take memory. Returns 0, or -1 after an error.
//
// `builder` must be a builder.
int32_t nigh_builder_captures(NighBuilder *builder);

// Returns the number of groups of the pattern with the index `pattern`, which includes group 0, the match; 0 if the
// searcher keeps no groups; -1 after an error.
//
// `searcher` must be a searcher.
int64_t nigh_group_count(const NighSearcher *searcher,
                         size_t pattern);

// Returns the number of the group with the name `name` of the pattern with the index `pattern`; -1 if there is none.
//
// `searcher` must be a searcher, and `name` must point to `name.length` bytes.
int64_t nigh_group_number(const NighSearcher *searcher,
                          size_t pattern,
                          NighBytes name);

// Finds the group with a number of the last match of an iterator. Group 0 is the match; the others are numbered by their
// opening parentheses. Returns 1 and fills `group` if the group took part in the match, 0 if it did not, and -1 after an
// error: the searcher keeps no groups, the pattern has no such group, or `nigh_next` has not returned 1.
//
// `matches` must be an iterator, and `group` must point to room for a group.
int32_t nigh_group(NighMatches *matches,
                   size_t number,
                   NighGroup *group);

// Makes a text with a replacement in place of its matches: the best of those that overlap, over all patterns and strands.
// `$0` in `replacement` stands for the match, `$1`, `$name` and `${name}` for the text of a group, which is empty if there
// is no such group or it took no part, and `$$` for a dollar sign. Groups need `nigh_builder_captures`.
//
// Returns 0 and sets `replaced` to the new text, which must be freed with `nigh_bytes_free`, or -1 after an error.
//
// `searcher` must be a searcher, `text` and `replacement` must point to as many bytes as their lengths say, and `replaced`
// to room for the new text's pointer and length.
int32_t nigh_replace(const NighSearcher *searcher,
                     NighBytes text,
                     NighBytes replacement,
                     NighBytes *replaced);

// Frees a text that `nigh_replace` made. Does nothing if its pointer is null.
//
// `made` must be a text that `nigh_replace` made and that was not freed, or its pointer must be null.
void nigh_bytes_free(NighBytes made);

// Makes a splitter. A record begins with each line that the regular expression `start` matches without edits, and with
// the first line of a text. Returns null if the expression is not valid.
//
// `start` must point to `start.length` bytes.
NighSplitter *nigh_splitter_new(NighBytes start);

// Frees a splitter. Its iterators must be freed before. Does nothing with null.
//
// `splitter` must be null, or a splitter that was not freed.
void nigh_splitter_free(NighSplitter *splitter);

// Divides a text into records. Returns null if an argument is not valid. The text and the splitter must stay valid and
// unchanged until the iterator is freed.
//
// `splitter` must be a splitter, and `text` must point to `text.length` bytes.
NighRecords *nigh_split(const NighSplitter *splitter,
                        NighBytes text);

// Moves to the next record. Returns 1 and sets `record` to its bytes in the text if there is one, 0 at the end, and -1
// after an error. A record has the line ends of its lines, and the next record begins just past it. If the search failed,
// all further calls with the same iterator return -1.
//
// `records` must be an iterator, and `record` must point to room for a pointer and a length.
int32_t nigh_next_record(NighRecords *records,
                         NighBytes *record);

// Frees an iterator over records. Does nothing with null.
//
// `records` must be null, or an iterator that was not freed.
void nigh_records_free(NighRecords *records);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NIGH_H */
