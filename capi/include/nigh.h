/* The C interface of nigh: finds every place of a text where a pattern occurs with at most k edits.
 *
 * Generated from capi/src by cbindgen; do not edit. */

#ifndef NIGH_H
#define NIGH_H

#include <stddef.h>
#include <stdint.h>

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

// How patterns are written.
typedef enum {
  // Every symbol stands for itself.
  NIGH_NOTATION_LITERAL = 0,
  // A regular expression.
  NIGH_NOTATION_REGEX = 1,
} NighNotation;

// Whether upper and lower case are equal in text.
typedef enum {
  // They differ.
  NIGH_CASE_SENSITIVE = 0,
  // They are equal.
  NIGH_CASE_INSENSITIVE = 1,
  // They are equal if no pattern has a letter in upper case.
  NIGH_CASE_SMART = 2,
} NighCase;

// The strands that are searched.
typedef enum {
  // Both strands of nucleotides; of anything else, the text as given.
  NIGH_STRANDS_DEFAULT = 0,
  // The text as given.
  NIGH_STRANDS_FORWARD = 1,
  // Its reverse complement, only of nucleotides.
  NIGH_STRANDS_REVERSE = 2,
} NighStrands;

// The hardware that searches.
typedef enum {
  // The processor.
  NIGH_ENGINE_CPU = 0,
  // The first NVIDIA GPU. The processor takes over if it fails.
  NIGH_ENGINE_CUDA = 1,
  // The processor, and the first NVIDIA GPU once the text is long enough to repay its start-up time.
  NIGH_ENGINE_AUTO = 2,
} NighEngine;

// Which matches are found.
typedef enum {
  // One for each position where matches of a pattern end, on each strand.
  NIGH_SELECTION_ALL = 0,
  // The best of those that overlap, for each pattern and strand.
  NIGH_SELECTION_BEST = 1,
} NighSelection;

// The matches in a text, in order. May be used by one thread at a time.
typedef struct NighMatches NighMatches;

// Searches texts for patterns. May be used by several threads at once.
typedef struct NighSearcher NighSearcher;

// Bytes that need not end with a null byte.
typedef struct {
  // The first byte. May be null if `length` is 0.
  const char *data;
  // The number of bytes.
  size_t length;
} NighBytes;

// Options of a searcher. Set all of them to 0 for the defaults.
typedef struct {
  // One of `NighAlphabet`.
  uint32_t alphabet;
  // One of `NighNotation`.
  uint32_t notation;
  // One of `NighCase`.
  uint32_t letter_case;
  // One of `NighStrands`.
  uint32_t strands;
  // One of `NighEngine`.
  uint32_t engine;
} NighOptions;

// A match.
typedef struct {
  // Offset in the text of the first byte of the match.
  size_t start;
  // Offset in the text just past the last byte of the match.
  size_t end;
  // Index of the pattern, from 0.
  size_t pattern;
  // The smallest number of edits of a match with this end.
  size_t distance;
  // The alignment in text order, such as "6=1I1=": `=` a match, `X` a substitution, `I` a symbol that only the
  // pattern has, `D` a symbol that only the text has. Valid until the next call with the same iterator.
  const char *cigar;
  // '+', or '-' if the reverse complement of the pattern matches.
  char strand;
} NighMatch;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of this library, such as "0.1.0".
const char *nigh_version(void);

// Returns what went wrong in the last call that failed on this thread, as one line; an empty string if none failed. The
// string is valid until the next call on this thread fails.
const char *nigh_last_error(void);

// Makes a searcher for `count` patterns with at most `max_edits` edits: insertions, deletions and substitutions. With
// null for `options`, all options are 0. Without patterns, nothing matches. In text and bytes, a match lies within one
// line, so a pattern with a line feed is not valid.
//
// Returns null if a pattern or an option is not valid, if a pattern would match everywhere, or if the engine is not
// available. The patterns may be freed after the call.
//
// # Safety
// `patterns` must point to `count` elements that point to their bytes. `options` must be null or point to options.
NighSearcher *nigh_searcher_new(const NighBytes *patterns,
                                size_t count,
                                size_t max_edits,
                                const NighOptions *options);

// Frees a searcher. Its iterators must be freed before. Does nothing with null.
//
// # Safety
// `searcher` must be null, or a searcher that was not freed.
void nigh_searcher_free(NighSearcher *searcher);

// Finds the matches in a text, in the order of their ends, then of their patterns. `selection` is one of
// `NighSelection`.
//
// Returns null if an argument is not valid. The text and the searcher must stay valid and unchanged until the iterator
// is freed.
//
// # Safety
// `searcher` must be a searcher, and `text` must point to its bytes.
NighMatches *nigh_find(const NighSearcher *searcher,
                       NighBytes text,
                       uint32_t selection);

// Moves to the next match. Returns 1 and fills `found` if there is one, 0 at the end, and -1 after an error. If the
// search failed, all further calls with the same iterator return -1.
//
// # Safety
// `matches` must be an iterator, and `found` must point to a match, which need not be initialized.
int32_t nigh_next(NighMatches *matches,
                  NighMatch *found);

// Frees an iterator. Does nothing with null.
//
// # Safety
// `matches` must be null, or an iterator that was not freed.
void nigh_matches_free(NighMatches *matches);

// Returns the number of matches in a text; -1 after an error. `selection` is one of `NighSelection`. All matches are
// counted faster than found, because they are not aligned.
//
// # Safety
// `searcher` must be a searcher, and `text` must point to its bytes.
int64_t nigh_count(const NighSearcher *searcher,
                   NighBytes text,
                   uint32_t selection);

// Returns the edit distance of two strings of bytes: the least number of insertions, deletions and substitutions; -1
// after an error.
//
// # Safety
// `first` and `second` must point to their bytes.
int64_t nigh_distance(NighBytes first,
                      NighBytes second);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NIGH_H */
