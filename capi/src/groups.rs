//! The groups of matches, and text in place of matches.

use std::ptr;

use crate::error::{Failure, guarded};
use crate::{NighBuilder, NighBytes, NighMatches, NighSearcher, bytes, change, searched};

/// The range of a group of a match in the text. On the reverse strand, the group reads, in the direction of the pattern, as
/// the reverse complement of that range.
#[repr(C)]
pub struct NighGroup {
    /// Offset in the text of the first byte of the group.
    pub start: usize,
    /// Offset in the text just past the last byte of the group.
    pub end: usize,
}

/// Lets the searcher keep the groups of its patterns in parentheses, for `nigh_group` and `nigh_replace`. By default it does
/// not, because they take memory. Returns 0, or -1 after an error.
///
/// # Safety
/// `builder` must be a builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_builder_captures(builder: *mut NighBuilder) -> i32 {
    // SAFETY: the caller passes a builder that no other thread uses.
    guarded(|| unsafe { change(builder, |builder| Ok(builder.captures(true))) }).map_or(-1, |()| 0)
}

/// Returns the number of groups of the pattern with the index `pattern`, which includes group 0, the match; 0 if the
/// searcher keeps no groups; -1 after an error.
///
/// # Safety
/// `searcher` must be a searcher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_group_count(searcher: *const NighSearcher, pattern: usize) -> i64 {
    let count = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher.
        let searcher = unsafe { searcher.as_ref() }.ok_or_else(|| Failure::new("the searcher is null"))?;
        Ok(searcher.searcher.capture_names(pattern).count() as i64)
    });
    count.unwrap_or(-1)
}

/// Returns the number of the group with the name `name` of the pattern with the index `pattern`; -1 if there is none.
///
/// # Safety
/// `searcher` must be a searcher, and `name` must point to `name.length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_group_number(searcher: *const NighSearcher, pattern: usize, name: NighBytes) -> i64 {
    let number = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher, and bytes.
        let (searcher, name) = unsafe { searched(searcher, name) }?;
        let number = searcher.capture_names(pattern).position(|one| one.is_some_and(|one| one.as_bytes() == name));
        number.map(|number| number as i64).ok_or_else(|| Failure::new("the pattern has no group with this name"))
    });
    number.unwrap_or(-1)
}

/// Finds the group with a number of the last match of an iterator. Group 0 is the match; the others are numbered by their
/// opening parentheses. Returns 1 and fills `group` if the group took part in the match, 0 if it did not, and -1 after an
/// error: the searcher keeps no groups, the pattern has no such group, or `nigh_next` has not returned 1.
///
/// # Safety
/// `matches` must be an iterator, and `group` must point to room for a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_group(matches: *mut NighMatches, number: usize, group: *mut NighGroup) -> i32 {
    let found = guarded(|| {
        // SAFETY: the caller passes an iterator that no other thread uses.
        let matches = unsafe { matches.as_mut() }.ok_or_else(|| Failure::new("the iterator is null"))?;
        if group.is_null() {
            return Err(Failure::new("the pointer to the group is null"));
        }
        let last = matches.last.as_ref().ok_or_else(|| Failure::new("the iterator has returned no match"))?;
        if matches.groups.is_none() {
            matches.groups = matches.searcher.captures(last);
        }
        let groups = matches.groups.as_ref();
        let groups = groups.ok_or_else(|| Failure::new("the searcher keeps no groups; call nigh_builder_captures"))?;
        let one = groups.iter().nth(number).ok_or_else(|| Failure::new("the pattern has no group with this number"))?;
        let Some(one) = one else { return Ok(0) };
        // SAFETY: the caller passes a pointer to room for a group.
        unsafe { group.write(NighGroup { start: one.start(), end: one.end() }) };
        Ok(1)
    });
    found.unwrap_or(-1)
}

/// Makes a text with a replacement in place of its matches: the best of those that overlap, over all patterns and strands.
/// `$0` in `replacement` stands for the match, `$1`, `$name` and `${name}` for the text of a group, which is empty if there
/// is no such group or it took no part, and `$$` for a dollar sign. Groups need `nigh_builder_captures`.
///
/// Returns 0 and sets `replaced` to the new text, which must be freed with `nigh_bytes_free`, or -1 after an error.
///
/// # Safety
/// `searcher` must be a searcher, `text` and `replacement` must point to as many bytes as their lengths say, and `replaced`
/// to room for the new text's pointer and length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_replace(
    searcher: *const NighSearcher,
    text: NighBytes,
    replacement: NighBytes,
    replaced: *mut NighBytes,
) -> i32 {
    let made = guarded(|| {
        // SAFETY: the caller passes a null pointer or a searcher, and bytes, that outlive the call.
        let (searcher, text) = unsafe { searched(searcher, text) }?;
        // SAFETY: the caller passes bytes.
        let replacement = unsafe { bytes(replacement) }?;
        if replaced.is_null() {
            return Err(Failure::new("the pointer to the new text is null"));
        }
        let made = searcher.replace_all(text, replacement).map_err(Failure::new)?.into_owned().into_boxed_slice();
        let length = made.len();
        let data = Box::into_raw(made).cast();
        // SAFETY: the caller passes a pointer to room for a pointer and a length.
        unsafe { replaced.write(NighBytes { data, length }) };
        Ok(())
    });
    made.map_or(-1, |()| 0)
}

/// Frees a text that `nigh_replace` made. Does nothing if its pointer is null.
///
/// # Safety
/// `made` must be a text that `nigh_replace` made and that was not freed, or its pointer must be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_bytes_free(made: NighBytes) {
    if !made.data.is_null() {
        let slice = ptr::slice_from_raw_parts_mut(made.data.cast_mut().cast::<u8>(), made.length);
        // SAFETY: `nigh_replace` made the pointer and the length from a boxed slice, and the caller frees it once.
        drop(unsafe { Box::from_raw(slice) });
    }
}
