//! The C interface of nigh. `include/nigh.h` is generated from this file by cbindgen; a test compares the two.
//!
//! Objects are opaque pointers that the caller frees. A function that fails returns a null pointer or a negative number,
//! and [`nigh_last_error`] says why. No panic leaves this library: it becomes an error.
#![allow(unsafe_code, reason = "the interface is made of raw pointers")]

mod error;
mod options;

use std::ffi::{CStr, CString, c_char};
use std::slice;

use nigh::{Best, Match, Matches, Searcher};

use crate::error::{Failure, guarded, last_error};
pub use crate::options::{NighAlphabet, NighCase, NighEngine, NighNotation, NighOptions, NighSelection, NighStrands};

/// Bytes that need not end with a null byte.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NighBytes {
    /// The first byte. May be null if `length` is 0.
    pub data: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

/// A match.
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
    /// The alignment in text order, such as "6=1I1=": `=` a match, `X` a substitution, `I` a symbol that only the
    /// pattern has, `D` a symbol that only the text has. Valid until the next call with the same iterator.
    pub cigar: *const c_char,
    /// '+', or '-' if the reverse complement of the pattern matches.
    pub strand: c_char,
}

/// Searches texts for patterns. May be used by several threads at once.
pub struct NighSearcher {
    searcher: Searcher,
}

/// The matches in a text, in order. May be used by one thread at a time.
pub struct NighMatches {
    /// The rest of the matches; `None` after a panic, which may have left the iterator in any state.
    matches: Option<SelectedMatches>,
    /// The CIGAR of the last match that was returned.
    cigar: CString,
}

/// The matches that an iterator returns.
type SelectedMatches = Box<dyn Iterator<Item = Match<'static>> + Send>;

/// The matches that are selected. The text and the searcher outlive them, as their caller has promised.
enum Selected {
    All(Matches<'static, 'static>),
    Best(Best<'static, 'static>),
}

impl Selected {
    fn into_matches(self) -> SelectedMatches {
        match self {
            Selected::All(matches) => Box::new(matches),
            Selected::Best(matches) => Box::new(matches),
        }
    }

    fn count(self) -> usize {
        match self {
            Selected::All(matches) => matches.count(),
            Selected::Best(matches) => matches.count(),
        }
    }
}

// C may use a searcher in several threads, and move an iterator from one to another.
const _: () = {
    const fn is_send<T: Send>() {}
    const fn is_sync<T: Sync>() {}
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

/// Returns what went wrong in the last call that failed on this thread, as one line; an empty string if none failed. The
/// string is valid until the next call on this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn nigh_last_error() -> *const c_char {
    last_error()
}

/// Makes a searcher for `count` patterns with at most `max_edits` edits: insertions, deletions and substitutions. With
/// null for `options`, all options are 0. Without patterns, nothing matches. In text and bytes, a match lies within one
/// line, so a pattern with a line feed is not valid.
///
/// Returns null if a pattern or an option is not valid, if a pattern would match everywhere, or if the engine is not
/// available. The patterns may be freed after the call.
///
/// # Safety
/// `patterns` must point to `count` elements that point to their bytes. `options` must be null or point to options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_searcher_new(
    patterns: *const NighBytes,
    count: usize,
    max_edits: usize,
    options: *const NighOptions,
) -> *mut NighSearcher {
    let searcher = guarded(|| {
        if patterns.is_null() && count > 0 {
            return Err(Failure::new("the patterns are null"));
        }
        // SAFETY: the caller passes a pointer to `count` elements.
        let patterns = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(patterns, count) } };
        // SAFETY: the caller passes a null pointer, or a pointer to options.
        let options = unsafe { options.as_ref() }.copied().unwrap_or_default();
        let mut builder = options.builder()?.max_edits(max_edits);
        for pattern in patterns {
            // SAFETY: the caller passes elements that point to their bytes.
            builder = builder.pattern(unsafe { bytes(*pattern) }?);
        }
        Ok(NighSearcher { searcher: builder.build().map_err(Failure::new)? })
    });
    searcher.map_or(std::ptr::null_mut(), |searcher| Box::into_raw(Box::new(searcher)))
}

/// Frees a searcher. Its iterators must be freed before. Does nothing with null.
///
/// # Safety
/// `searcher` must be null, or a searcher that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_searcher_free(searcher: *mut NighSearcher) {
    if !searcher.is_null() {
        // SAFETY: `nigh_searcher_new` made the pointer from a box, and the caller frees it once.
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
/// `searcher` must be a searcher, and `text` must point to its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_find(searcher: *const NighSearcher, text: NighBytes, selection: u32) -> *mut NighMatches {
    let matches = guarded(|| {
        // SAFETY: the caller passes a searcher and a text that outlive the iterator.
        let matches = unsafe { find(searcher, text, selection) }?;
        Ok(NighMatches { matches: Some(matches.into_matches()), cigar: CString::default() })
    });
    matches.map_or(std::ptr::null_mut(), |matches| Box::into_raw(Box::new(matches)))
}

/// Moves to the next match. Returns 1 and fills `found` if there is one, 0 at the end, and -1 after an error. If the
/// search failed, all further calls with the same iterator return -1.
///
/// # Safety
/// `matches` must be an iterator, and `found` must point to a match, which need not be initialized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_next(matches: *mut NighMatches, found: *mut NighMatch) -> i32 {
    let next = guarded(|| {
        // SAFETY: the caller passes an iterator that no other thread uses.
        let matches = unsafe { matches.as_mut() }.ok_or_else(|| Failure::new("the iterator is null"))?;
        if found.is_null() {
            return Err(Failure::new("the match is null"));
        }
        let mut rest = matches.matches.take().ok_or_else(|| Failure::new("an error has ended this search"))?;
        // If this panics, no rest is put back.
        let next = rest.next();
        matches.matches = Some(rest);
        let Some(one) = next else { return Ok(0) };
        matches.cigar = CString::new(one.cigar().to_string()).map_err(Failure::new)?;
        let strand = one.strand().sign() as c_char;
        let (pattern, distance, cigar) = (one.pattern(), one.distance(), matches.cigar.as_ptr());
        // SAFETY: the caller passes a pointer to a match, which is written without being read.
        unsafe { found.write(NighMatch { start: one.start(), end: one.end(), pattern, distance, cigar, strand }) };
        Ok(1)
    });
    next.unwrap_or(-1)
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

/// Returns the number of matches in a text; -1 after an error. `selection` is one of `NighSelection`. All matches are
/// counted faster than found, because they are not aligned.
///
/// # Safety
/// `searcher` must be a searcher, and `text` must point to its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_count(searcher: *const NighSearcher, text: NighBytes, selection: u32) -> i64 {
    // SAFETY: the caller passes a searcher and a text that outlive the call.
    let count = guarded(|| unsafe { find(searcher, text, selection) }.map(Selected::count));
    count.map_or(-1, |count| count as i64)
}

/// Returns the edit distance of two strings of bytes: the least number of insertions, deletions and substitutions; -1
/// after an error.
///
/// # Safety
/// `first` and `second` must point to their bytes.
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

/// Returns the matches that are selected.
///
/// # Safety
/// `searcher` must be null or a searcher, and `text` must point to its bytes. Both must outlive the iterator.
unsafe fn find(searcher: *const NighSearcher, text: NighBytes, selection: u32) -> Result<Selected, Failure> {
    // SAFETY: the caller passes a null pointer or a searcher, and bytes, that outlive the iterator.
    let searcher: &'static NighSearcher =
        unsafe { searcher.as_ref() }.ok_or_else(|| Failure::new("the searcher is null"))?;
    // SAFETY: as above.
    let text: &'static [u8] = unsafe { bytes(text) }?;
    let matches = searcher.searcher.find_iter(text);
    Ok(match NighSelection::of(selection)? {
        NighSelection::All => Selected::All(matches),
        NighSelection::Best => Selected::Best(matches.best()),
    })
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
        return Err(Failure::new("a string is null, or its length is not valid"));
    }
    // SAFETY: the caller points to that many bytes.
    Ok(unsafe { slice::from_raw_parts(given.data.cast(), given.length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iterator_that_panicked_is_not_used_again() {
        let mut calls = 0;
        let panics_once = std::iter::from_fn(move || {
            calls += 1;
            assert!(calls > 1, "the engine failed");
            None
        });
        let matches = NighMatches { matches: Some(Box::new(panics_once)), cigar: CString::default() };
        let matches = Box::into_raw(Box::new(matches));
        let mut found = std::mem::MaybeUninit::uninit();
        let mut next = || {
            // SAFETY: the iterator is not freed yet, and there is room for a match.
            let result = unsafe { nigh_next(matches, found.as_mut_ptr()) };
            // SAFETY: the error stays until the next call.
            (result, unsafe { CStr::from_ptr(nigh_last_error()) }.to_str().expect("errors are UTF-8").to_owned())
        };
        assert_eq!(next(), (-1, "the engine failed".to_owned()));
        for _ in 0..2 {
            assert_eq!(next(), (-1, "an error has ended this search".to_owned()));
        }
        // SAFETY: the iterator is freed once.
        unsafe { nigh_matches_free(matches) };
    }
}
