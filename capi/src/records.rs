//! Records of several lines in a text.

use nigh::{RecordRanges, RecordSplitter};

use crate::error::{Failure, guarded};
use crate::{NighBytes, bytes};

/// Divides texts into records of one or more lines. May be used by several threads at once.
pub struct NighSplitter {
    splitter: RecordSplitter,
}

/// The records of a text, in order. May be used by one thread at a time.
pub struct NighRecords {
    text: &'static [u8],
    /// The rest of the records; `None` after a panic. The caller has promised that the text and the splitter outlive them.
    records: Option<RecordRanges<'static, 'static>>,
}

// C may use a splitter in several threads at once, and move an iterator from one thread to another.
const _: () = {
    const fn is_send<T: Send>() {}
    const fn is_sync<T: Sync>() {}
    is_send::<NighRecords>();
    is_send::<NighSplitter>();
    is_sync::<NighSplitter>();
};

/// Makes a splitter. A record begins with each line that the regular expression `start` matches without edits, and with
/// the first line of a text. Returns null if the expression is not valid.
///
/// # Safety
/// `start` must point to `start.length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_splitter_new(start: NighBytes) -> *mut NighSplitter {
    let splitter = guarded(|| {
        // SAFETY: the caller passes bytes.
        let start = unsafe { bytes(start) }?;
        Ok(NighSplitter { splitter: RecordSplitter::new(start).map_err(Failure::new)? })
    });
    splitter.map_or(std::ptr::null_mut(), |splitter| Box::into_raw(Box::new(splitter)))
}

/// Frees a splitter. Its iterators must be freed before. Does nothing with null.
///
/// # Safety
/// `splitter` must be null, or a splitter that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_splitter_free(splitter: *mut NighSplitter) {
    if !splitter.is_null() {
        // SAFETY: `nigh_splitter_new` made the pointer from a box, and the caller frees it once.
        let splitter = unsafe { Box::from_raw(splitter) };
        guarded(|| {
            drop(splitter);
            Ok(())
        });
    }
}

/// Divides a text into records. Returns null if an argument is not valid. The text and the splitter must stay valid and
/// unchanged until the iterator is freed.
///
/// # Safety
/// `splitter` must be a splitter, and `text` must point to `text.length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_split(splitter: *const NighSplitter, text: NighBytes) -> *mut NighRecords {
    let records = guarded(|| {
        // SAFETY: the caller passes a null pointer or a splitter that outlives the iterator.
        let splitter: &'static NighSplitter =
            unsafe { splitter.as_ref() }.ok_or_else(|| Failure::new("the splitter is null"))?;
        // SAFETY: the caller passes bytes that outlive the iterator.
        let text: &'static [u8] = unsafe { bytes(text) }?;
        Ok(NighRecords { text, records: Some(splitter.splitter.ranges(text)) })
    });
    records.map_or(std::ptr::null_mut(), |records| Box::into_raw(Box::new(records)))
}

/// Moves to the next record. Returns 1 and sets `record` to its bytes in the text if there is one, 0 at the end, and -1
/// after an error. A record has the line ends of its lines, and the next record begins just past it. If the search failed,
/// all further calls with the same iterator return -1.
///
/// # Safety
/// `records` must be an iterator, and `record` must point to room for a pointer and a length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_next_record(records: *mut NighRecords, record: *mut NighBytes) -> i32 {
    let next = guarded(|| {
        // SAFETY: the caller passes an iterator that no other thread uses.
        let records = unsafe { records.as_mut() }.ok_or_else(|| Failure::new("the iterator is null"))?;
        if record.is_null() {
            return Err(Failure::new("the pointer to the record is null"));
        }
        let rest = records.records.take();
        let mut rest = rest.ok_or_else(|| Failure::new("the search cannot continue after an error"))?;
        // If this panics, `records.records` stays `None`.
        let next = rest.next();
        records.records = Some(rest);
        let Some(range) = next else { return Ok(0) };
        let found = &records.text[range];
        // SAFETY: the caller passes a pointer to room for a pointer and a length.
        unsafe { record.write(NighBytes { data: found.as_ptr().cast(), length: found.len() }) };
        Ok(1)
    });
    next.unwrap_or(-1)
}

/// Frees an iterator over records. Does nothing with null.
///
/// # Safety
/// `records` must be null, or an iterator that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nigh_records_free(records: *mut NighRecords) {
    if !records.is_null() {
        // SAFETY: `nigh_split` made the pointer from a box, and the caller frees it once.
        let records = unsafe { Box::from_raw(records) };
        guarded(|| {
            drop(records);
            Ok(())
        });
    }
}
