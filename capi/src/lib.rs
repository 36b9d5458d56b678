//! The C interface of nigh. `include/nigh.h` is generated from this file by cbindgen; a test compares the two.
//!
//! Objects are opaque pointers that the caller frees. A function that fails returns a null pointer or a negative number,
//! and [`nigh_last_error`] says why. No panic leaves this library: it becomes an error.
#![allow(unsafe_code, reason = "the interface is made of raw pointers")]

mod error;
mod groups;
mod options;
mod records;
mod stop;

use std::ffi::{CStr, CString, c_char, c_void};
use std::slice;
use std::thread;

use nigh::{Bound, Captures, Match, Searcher, SearcherBuilder};

use crate::error::{Failure, guarded, last_error};
pub use crate::groups::{
    NighGroup, nigh_builder_captures, nigh_bytes_free, nigh_group, nigh_group_count, nigh_group_number, nigh_replace,
};
pub use crate::options::{NighAlphabet, NighSelection};
pub use crate::records::{
    NighRecords, NighSplitter, nigh_next_record, nigh_records_free, nigh_split, nigh_splitter_free, nigh_splitter_new,
};
use crate::stop::Stoppable;

/// The major version of the header.
pub const NIGH_VERSION_MAJOR: u32 = 0;
/// The minor version of the header.
pub const NIGH_VERSION_MINOR: u32 = 1;
/// The patch version of the header.
pub const NIGH_VERSION_PATCH: u32 = 0;

/// Bytes that need not end with a null byte.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NighBytes {
    /// The first byte. May be null if `length` is 0.
    pub data: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

/// A match. Later versions may add fields at the end, so [`nigh_next`] takes the size of the structure.
#[repr(C)]
pub struct NighMatch {
    /// Offset in the text of the first byte of the match.
    pub start: usize,
    /// Offset in the text just past the last byte of the match.
    pub end: usize,
    /// Index of the pattern, from 0.
    pub pattern: usize,
    /// The smallest number of edits of a match with this end.
    pub distance: usize,
    /// Index of the text, from 0; always 0 after `nigh_find`.
    pub text: usize,
    /// '+', or '-' if the reverse complement of the pattern matches.
    pub strand: c_char,
}

/// Collects the patterns and options of a searcher.
pub struct NighBuilder {
    /// The builder, or the failure of the first call that failed.
    builder: Result<SearcherBuilder, Failure>,
}

/// Searches texts for patterns. May be used by several threads at once.
pub struct NighSearcher {
    searcher: Searcher,
}

/// The matches in a text, in order. May be used by one thread at a time.
pub struct NighMatches {
    searcher: &'static Searcher,
    /// The rest of the matches; `None` after a panic, which may have left the iterator in any state.
    matches: Option<SelectedMatches>,
    /// The last match that was returned.
    last: Option<Match<'static>>,
    /// The groups of the last match, once they were asked for.
    groups: Option<Captures<'static>>,
    /// The string of [`nigh_cigar`].
    cigar: CString,
}

impl NighMatches {
    fn new(searcher: &'static Searcher, matches: SelectedMatches) -> Self {
        NighMatches { searcher, matches: Some(matches), last: None, groups: None, cigar: CString::default() }
    }
}

/// The matches that an iterator returns, each with the index of its text. The caller has promised that the texts and
/// the searcher outlive them.
type SelectedMatches = Box<dyn Iterator<Item = (usize, Match<'static>)> + Send>;

// C may use a searcher in several threads at once, and move an iterator from one thread to another.
const _: () = {
    const fn is_send<T: Send>() {}
    const fn is_sync<T: Sync>() {}
    is_send::<NighBuilder>();
    is_send::<NighMatches>();
    is_send::<NighSearcher>();
    is_sync::<NighSearcher>();
};

/// Returns the version of this library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn nigh_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("the version has no null byte"),
    };
    VERSION.as_ptr()
}

/// Returns the reason why the last failed call on this thread failed, as one line; an empty string if no call failed.
/// The string is valid until the next call on this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn nigh_last_error() -> *const c_char {
    last_error()
}

/// Makes a builder without patterns. `alphabet` is one of `NighAlphabet`. By default, patterns are literal, matches
/// have at most one edit, both strands of nucleotides are searched, and the processor searches.
///
/// If a call with a builder fails, all later calls with it fail for the same reason, so it is enough to check what
/// `nigh_builder_build` returns.
///
/// Returns null if `alphabet` is not valid.
#[unsafe(no_mangle)]
pub extern "C" fn nigh_builder_new(alphabet: u32) -> *mut NighBuilder {
    let builder = guarded(|| Ok(NighBuilder { builder: Ok(Searcher::builder(NighAlphabet::of(alphabet)?)) }));
    builder.map_or(std::ptr::null_mut(), |builder| Box::into_raw(Box::new(builder)))
}

/// Adds a pattern. Its index is the number of patterns that were added before. `max_errors` is the pattern's own bound,
/// such as "2", "10%" or "3s" as for the program's option -k, or null for the bound of the builder. Returns 0, or -1
/// after an error.
///
/// # Safety
/// `builder` must be a builder, `pattern` must point to `pattern.length` bytes, and `max_errors` must be null or a
/// string with a null byte at its end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_builder_pattern(
    builder: *mut NighBuilder,
    pattern: NighBytes,
    max_errors: *const c_char,
) -> i32 {
    let add = |builder: SearcherBuilder| {
        // SAFETY: the caller passes bytes.
        let pattern = unsafe { bytes(pattern) }?;
        if max_errors.is_null() {
            return Ok(builder.pattern(pattern));
        }
        // SAFETY: the caller passes a string.
        let bound: Bound = unsafe { string(max_errors) }?.parse().map_err(Failure::new)?;
        Ok(builder.pattern_within(pattern, bound))
    };
    // SAFETY: the caller passes a builder that no other thread uses.
    guarded(|| unsafe { change(builder, add) }).map_or(-1, |()| 0)
}

/// Sets the option of the program that has the long name `name`. For example, the name "within" may have the value
/// "0..80". The options are:
///
/// - "max-errors": the number of edits, such as "2", "10%", "auto" or "2s"; "1..2" also sets the least number, which applies
///   to selected matches and refuses `NIGH_SELECTION_ALL`;
/// - "edits": the edits allowed, such as "i<=1,s<=2", "2i+2d+s<=4" or "1<=e<=2"; "transpositions": a switch;
/// - "exact-group": whether parts of patterns between '<' and '>' match without edits, as they do in sequences;
/// - "fixed-strings": "false" for regular expressions; "ignore-case", "smart-case", "word-regexp", "line-regexp":
///   switches;
/// - "within": a range of positions; "near": a number, set between two patterns;
/// - "overhang": a cost from 0 to 1, or a percentage, or one of these for one end, as in "right:10%"; "min-overlap": a
///   number from 1;
/// - "ambiguous": "any", "none", or with a limit "any:1"; "strand": "both", "forward" or "reverse";
/// - "engine": "cpu", "cuda" or "auto".
///
/// A switch is "true" or "false". Returns 0, or -1 if there is no such option or the value is not one of its values.
///
/// # Safety
/// `builder` must be a builder, and `name` and `value` strings with a null byte at their ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_builder_option(
    builder: *mut NighBuilder,
    name: *const c_char,
    value: *const c_char,
) -> i32 {
    let set = |builder: SearcherBuilder| {
        // SAFETY: the caller passes strings.
        let name = unsafe { string(name) }?;
        // SAFETY: as above.
        let value = unsafe { string(value) }?;
        builder.option(name, value).map_err(Failure::new)
    };
    // SAFETY: the caller passes a builder that no other thread uses.
    guarded(|| unsafe { change(builder, set) }).map_or(-1, |()| 0)
}

/// Makes a searcher. Without patterns, nothing matches. In text and bytes, a match lies within one line, so a pattern with
/// a line feed is not valid.
///
/// Returns null if a pattern is not valid or would match everywhere, if options exclude each other, or if the engine is
/// not available. The builder can be used again, and must be freed.
///
/// # Safety
/// `builder` must be a builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_builder_build(builder: *const NighBuilder) -> *mut NighSearcher {
    let searcher = guarded(|| {
        // SAFETY: the caller passes a builder.
        let builder = unsafe { builder.as_ref() }.ok_or_else(|| Failure::new("the builder is null"))?;
        let builder = builder.builder.clone()?;
        Ok(NighSearcher { searcher: builder.build().map_err(Failure::new)? })
    });
    searcher.map_or(std::ptr::null_mut(), |searcher| Box::into_raw(Box::new(searcher)))
}

/// Frees a builder. Does nothing with null.
///
/// # Safety
/// `builder` must be null, or a builder that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_builder_free(builder: *mut NighBuilder) {
    if !builder.is_null() {
        // SAFETY: `nigh_builder_new` made the pointer from a box, and the caller frees it once.
        let builder = unsafe { Box::from_raw(builder) };
        guarded(|| {
            drop(builder);
            Ok(())
        });
    }
}

/// Frees a searcher. Its iterators must be freed before. Does nothing with null.
///
/// # Safety
/// `searcher` must be null, or a searcher that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_searcher_free(searcher: *mut NighSearcher) {
    if !searcher.is_null() {
        // SAFETY: `nigh_builder_build` made the pointer from a box, and the caller frees it once.
        let searcher = unsafe { Box::from_raw(searcher) };
        guarded(|| {
            drop(searcher);
            Ok(())
        });
    }
}

/// Finds the matches in a text, in the order of their ends, then of their patterns. `selection` is one of
/// `NighSelection`.
///
/// Returns null if an argument is not valid. The text and the searcher must stay valid and unchanged until the iterator
/// is freed.
///
/// # Safety
/// `searcher` must be a searcher, and `text` must point to `text.length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_find(searcher: *const NighSearcher, text: NighBytes, selection: u32) -> *mut NighMatches {
    let matches = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher, and bytes, that outlive the iterator.
        let (searcher, text) = unsafe { searched(searcher, text) }?;
        let found = searcher.find_iter(text);
        let matches: SelectedMatches = match NighSelection::of(searcher, selection)? {
            NighSelection::All => Box::new(found.map(|one| (0, one))),
            NighSelection::Best => Box::new(found.best().map(|one| (0, one))),
            NighSelection::Sites => Box::new(found.sites().map(|one| (0, one))),
        };
        Ok(NighMatches::new(searcher, matches))
    });
    matches.map_or(std::ptr::null_mut(), |matches| Box::into_raw(Box::new(matches)))
}

/// Finds the matches in `count` texts, as `nigh_find` does in each. No match crosses from one text to the next. Many short
/// texts are searched much faster in this way than one by one.
///
/// Returns null if an argument is not valid. The array, the texts and the searcher must stay valid and unchanged until the
/// iterator is freed.
///
/// # Safety
/// `searcher` must be a searcher, and `texts` must point to `count` elements that point to their bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_find_in_texts(
    searcher: *const NighSearcher,
    texts: *const NighBytes,
    count: usize,
    selection: u32,
) -> *mut NighMatches {
    let matches = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher that outlives the iterator.
        let searcher: &'static NighSearcher =
            unsafe { searcher.as_ref() }.ok_or_else(|| Failure::new("the searcher is null"))?;
        // SAFETY: the caller passes `count` elements that point to their bytes, which outlive the iterator.
        let texts: Vec<&'static [u8]> = unsafe { all_bytes(texts, count) }?;
        let found = searcher.searcher.find_in_texts(texts);
        let matches: SelectedMatches = match NighSelection::of(&searcher.searcher, selection)? {
            NighSelection::All => Box::new(found),
            NighSelection::Best => Box::new(found.best()),
            NighSelection::Sites => Box::new(found.sites()),
        };
        Ok(NighMatches::new(&searcher.searcher, matches))
    });
    matches.map_or(std::ptr::null_mut(), |matches| Box::into_raw(Box::new(matches)))
}

/// Moves to the next match. Returns 1 and fills the first `size` bytes of `found` if there is one, 0 at the end, and -1
/// after an error. `size` is `sizeof(NighMatch)`. If the search failed, all further calls with the same iterator return
/// -1.
///
/// # Safety
/// `matches` must be an iterator, and `found` must point to `size` bytes, which need not be initialized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_next(matches: *mut NighMatches, found: *mut NighMatch, size: usize) -> i32 {
    let next = guarded(|| {
        // SAFETY: the caller passes an iterator that no other thread uses.
        let matches = unsafe { matches.as_mut() }.ok_or_else(|| Failure::new("the iterator is null"))?;
        if found.is_null() {
            return Err(Failure::new("the pointer to the match is null"));
        }
        let mut rest =
            matches.matches.take().ok_or_else(|| Failure::new("the search cannot continue after an error"))?;
        // If this panics, `matches.matches` stays `None`.
        let next = rest.next();
        matches.matches = Some(rest);
        let Some((text, one)) = next else { return Ok(0) };
        let (pattern, distance, strand) = (one.pattern(), one.distance(), one.strand().sign() as c_char);
        let (start, end) = (one.start(), one.end());
        (matches.last, matches.groups) = (Some(one), None);
        let one = NighMatch { start, end, pattern, distance, text, strand };
        let length = size.min(size_of::<NighMatch>());
        // SAFETY: the caller passes a pointer to `size` bytes, which are written without being read.
        unsafe { std::ptr::copy_nonoverlapping((&raw const one).cast::<u8>(), found.cast::<u8>(), length) };
        Ok(1)
    });
    next.unwrap_or(-1)
}

/// Returns the alignment of the last match of an iterator in text order, such as "6=1I1=": `=` a match, `X` a substitution,
/// `I` a symbol that only the pattern has, `D` a symbol that only the text has. The string is valid until the next call with
/// the same iterator.
///
/// Returns null if `nigh_next` has not returned 1.
///
/// # Safety
/// `matches` must be an iterator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_cigar(matches: *mut NighMatches) -> *const c_char {
    let cigar = guarded(|| {
        // SAFETY: the caller passes an iterator that no other thread uses.
        let matches = unsafe { matches.as_mut() }.ok_or_else(|| Failure::new("the iterator is null"))?;
        let last = matches.last.as_ref().ok_or_else(|| Failure::new("the iterator has returned no match"))?;
        matches.cigar = CString::new(last.cigar().to_string()).map_err(Failure::new)?;
        Ok(matches.cigar.as_ptr())
    });
    cigar.unwrap_or(std::ptr::null())
}

/// Frees an iterator. Does nothing with null.
///
/// # Safety
/// `matches` must be null, or an iterator that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_matches_free(matches: *mut NighMatches) {
    if !matches.is_null() {
        // SAFETY: `nigh_find` made the pointer from a box, and the caller frees it once.
        let matches = unsafe { Box::from_raw(matches) };
        guarded(|| {
            drop(matches);
            Ok(())
        });
    }
}

/// Returns the number of matches in a text; -1 after an error. `selection` is one of `NighSelection`. With
/// `NIGH_SELECTION_ALL`, this is faster than `nigh_find`, because matches are not aligned.
///
/// # Safety
/// `searcher` must be a searcher, and `text` must point to `text.length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_count(searcher: *const NighSearcher, text: NighBytes, selection: u32) -> i64 {
    let count = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher, and bytes, that outlive the call.
        let (searcher, text) = unsafe { searched(searcher, text) }?;
        let found = searcher.find_iter(text);
        Ok(match NighSelection::of(searcher, selection)? {
            NighSelection::All => found.count(),
            NighSelection::Best => found.best().count(),
            NighSelection::Sites => found.sites().count(),
        })
    });
    count.map_or(-1, |count| count as i64)
}

/// Sets `counts[i]` to the number of matches in `texts[i]`, for each of `count` texts, with up to `threads` threads. Returns
/// 0, or -1 after an error, when the counts have no meaning. `selection` is one of `NighSelection`.
///
/// # Safety
/// `searcher` must be a searcher, `texts` must point to `count` elements that point to their bytes, and `counts` to room for
/// `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_count_in_texts(
    searcher: *const NighSearcher,
    texts: *const NighBytes,
    count: usize,
    selection: u32,
    threads: usize,
    counts: *mut usize,
) -> i32 {
    let counted = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher that outlives the call.
        let searcher = unsafe { searcher.as_ref() }.ok_or_else(|| Failure::new("the searcher is null"))?;
        // SAFETY: the caller passes `count` elements that point to their bytes.
        let texts: Vec<&[u8]> = unsafe { all_bytes(texts, count) }?;
        let selection = NighSelection::of(&searcher.searcher, selection)?;
        if count == 0 {
            return Ok(());
        }
        if counts.is_null() {
            return Err(Failure::new("the array of counts is null"));
        }
        // SAFETY: the caller passes a pointer to room for `count` numbers.
        unsafe { counts.write_bytes(0, count) };
        // SAFETY: as above, and they have values now.
        let counts = unsafe { slice::from_raw_parts_mut(counts, count) };
        count_each(&searcher.searcher, &texts, selection, threads, counts)
    });
    counted.map_or(-1, |()| 0)
}

/// Adds to each of `counts` the number of matches in its text.
fn count_each(
    searcher: &Searcher,
    texts: &[&[u8]],
    selection: NighSelection,
    threads: usize,
    counts: &mut [usize],
) -> Result<(), Failure> {
    let stoppable = Stoppable::current();
    let work = |texts: &[&[u8]], counts: &mut [usize]| {
        let found = searcher.find_in_texts(texts.iter().copied());
        match selection {
            NighSelection::All => found.for_each(|(text, _)| counts[text] += 1),
            NighSelection::Best => found.best().for_each(|(text, _)| counts[text] += 1),
            NighSelection::Sites => found.sites().for_each(|(text, _)| counts[text] += 1),
        }
    };
    let share = texts.len().div_ceil(threads.clamp(1, texts.len()));
    thread::scope(|scope| {
        let shares = texts.chunks(share).zip(counts.chunks_mut(share));
        let started = shares.map(|(texts, counts)| {
            let work = move || {
                stoppable.run(|| {
                    work(texts, counts);
                    Ok(())
                })
            };
            thread::Builder::new().spawn_scoped(scope, work).map_err(Failure::new)
        });
        let started: Vec<_> = started.collect();
        let ended = started.into_iter().map(|thread| match thread?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.fold(Ok(()), Result::and)
    })
}

/// Sets the function that later calls of this thread ask every few milliseconds whether to stop, with `data` as its
/// argument; null removes it. If it returns a number other than 0, the call fails. An iterator whose call failed cannot be
/// used any more.
///
/// # Safety
/// Any thread may call `is_wanted` with `data`, and several at a time, until another function is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_stop_when(
    is_wanted: Option<unsafe extern "C" fn(data: *mut c_void) -> i32>,
    data: *mut c_void,
) {
    // SAFETY: the caller makes the same promise.
    unsafe { stop::stop_when(is_wanted, data) };
}

/// Returns the edit distance of two strings of bytes: the smallest number of insertions, deletions and substitutions;
/// -1 after an error.
///
/// # Safety
/// `first` and `second` must point to as many bytes as their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_distance(first: NighBytes, second: NighBytes) -> i64 {
    let distance = guarded(|| {
        // SAFETY: the caller passes strings that point to their bytes.
        let first = unsafe { bytes(first) }?;
        // SAFETY: as above.
        let second = unsafe { bytes(second) }?;
        Ok(nigh::pairwise::distance(first, second) as i64)
    });
    distance.unwrap_or(-1)
}

/// Returns the searcher and the text that a caller points to.
///
/// # Safety
/// `searcher` must be null or a searcher, and `text` must point to `text.length` bytes. Both must outlive the result.
unsafe fn searched(
    searcher: *const NighSearcher,
    text: NighBytes,
) -> Result<(&'static Searcher, &'static [u8]), Failure> {
    // SAFETY: the caller passes a null pointer or a searcher.
    let searcher: &'static NighSearcher =
        unsafe { searcher.as_ref() }.ok_or_else(|| Failure::new("the searcher is null"))?;
    // SAFETY: the caller passes bytes.
    Ok((&searcher.searcher, unsafe { bytes(text) }?))
}

/// Replaces a builder by the result of `changed`. If an earlier call failed, its failure stays.
///
/// # Safety
/// `builder` must be null, or a builder that no other thread uses.
unsafe fn change(
    builder: *mut NighBuilder,
    changed: impl FnOnce(SearcherBuilder) -> Result<SearcherBuilder, Failure>,
) -> Result<(), Failure> {
    // SAFETY: the caller passes a null pointer or a builder.
    let NighBuilder { builder } = unsafe { builder.as_mut() }.ok_or_else(|| Failure::new("the builder is null"))?;
    // If `changed` panics, this failure stays.
    let before = std::mem::replace(builder, Err(Failure::new("the builder cannot be used after an error")));
    *builder = before.and_then(changed);
    builder.as_ref().map(|_| ()).map_err(Failure::clone)
}

/// Returns a string that a caller points to.
///
/// # Safety
/// `given` must be null, or a string with a null byte at its end that outlives the result.
unsafe fn string<'a>(given: *const c_char) -> Result<&'a str, Failure> {
    if given.is_null() {
        return Err(Failure::new("a string is null"));
    }
    // SAFETY: the caller passes a string.
    unsafe { CStr::from_ptr(given) }.to_str().map_err(Failure::new)
}

/// Returns the bytes that a caller points to.
///
/// # Safety
/// `given` must point to its bytes, which must outlive the slice.
unsafe fn bytes<'a>(given: NighBytes) -> Result<&'a [u8], Failure> {
    if given.length == 0 {
        return Ok(&[]);
    }
    if given.data.is_null() || isize::try_from(given.length).is_err() {
        return Err(Failure::new("a string is null although its length is not 0, or its length is too large"));
    }
    // SAFETY: the caller points to that many bytes.
    Ok(unsafe { slice::from_raw_parts(given.data.cast(), given.length) })
}

/// Returns the bytes that each element of an array points to.
///
/// # Safety
/// `given` must point to `count` elements that point to their bytes, which must outlive the slices.
unsafe fn all_bytes<'a>(given: *const NighBytes, count: usize) -> Result<Vec<&'a [u8]>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if given.is_null() {
        return Err(Failure::new("the array of texts is null"));
    }
    // SAFETY: the caller passes a pointer to `count` elements.
    let given = unsafe { slice::from_raw_parts(given, count) };
    // SAFETY: the caller passes elements that point to their bytes.
    given.iter().map(|text| unsafe { bytes(*text) }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static SEARCHER: LazyLock<Searcher> = LazyLock::new(|| Searcher::new("ab", 0).expect("a valid pattern"));

    #[test]
    fn the_version_of_the_header_is_that_of_the_library() {
        let version = format!("{NIGH_VERSION_MAJOR}.{NIGH_VERSION_MINOR}.{NIGH_VERSION_PATCH}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn an_iterator_that_panicked_is_not_used_again() {
        let mut calls = 0;
        let panics_once = std::iter::from_fn(move || {
            calls += 1;
            assert!(calls > 1, "the engine failed");
            None
        });
        let matches = NighMatches::new(&SEARCHER, Box::new(panics_once));
        let matches = Box::into_raw(Box::new(matches));
        let mut found = std::mem::MaybeUninit::uninit();
        let mut next = || {
            // SAFETY: the iterator is not freed yet, and there is room for a match.
            let result = unsafe { nigh_next(matches, found.as_mut_ptr(), size_of::<NighMatch>()) };
            // SAFETY: the error stays until the next call.
            (result, unsafe { CStr::from_ptr(nigh_last_error()) }.to_str().expect("errors are UTF-8").to_owned())
        };
        assert_eq!(next(), (-1, "the engine failed".to_owned()));
        for _ in 0..2 {
            assert_eq!(next(), (-1, "the search cannot continue after an error".to_owned()));
        }
        // SAFETY: the iterator is freed once.
        unsafe { nigh_matches_free(matches) };
    }
}
