//! Text from Python objects, read without a copy.
#![allow(unsafe_code, reason = "a buffer is a raw pointer")]

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A string, and whether its symbols are characters or bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StringValue<'s> {
    /// The bytes of the string; UTF-8 if it is text.
    pub(crate) bytes: &'s [u8],
    /// Whether symbols are characters, and not bytes.
    pub(crate) is_text: bool,
}

/// A text that stays valid while the lock of the interpreter is released.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    /// Any other object with contiguous bytes, such as a `bytearray`, a `memoryview`, a memory map or a NumPy array.
    Buffer(PyBuffer<u8>),
}

impl StringValue<'_> {
    /// Returns whether each symbol is one byte, which is false only for text that is not ASCII.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_text || self.bytes.is_ascii()
    }
}

impl<'py> Text<'py> {
    /// Takes a `str` or a bytes-like object. Fails for other objects, and for a buffer with gaps.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Text::Str(text.clone()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Text::Bytes(bytes.clone()));
        }
        let wrong = |what| PyTypeError::new_err(format!("expected str or a bytes-like object, not {what}"));
        let buffer = PyBuffer::<u8>::get(object).map_err(|error| {
            let py = object.py();
            let is_other_type = error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyBufferError>(py);
            match object.get_type().name() {
                Ok(name) if is_other_type => wrong(name.to_string()),
                // Keep other errors, such as that of a closed memory map.
                Ok(_) => error,
                Err(error) => error,
            }
        })?;
        if buffer.is_c_contiguous() { Ok(Text::Buffer(buffer)) } else { Err(wrong("a buffer with gaps".to_owned())) }
    }

    /// Returns the bytes of the text; UTF-8 for a `str`.
    pub(crate) fn bytes(&self) -> PyResult<&[u8]> {
        match self {
            Text::Str(text) => Ok(text.to_str()?.as_bytes()),
            Text::Bytes(bytes) => Ok(bytes.as_bytes()),
            Text::Buffer(buffer) if buffer.item_count() == 0 => Ok(&[]),
            Text::Buffer(buffer) => {
                let (start, length) = (buffer.buf_ptr().cast(), buffer.len_bytes());
                // SAFETY: the buffer is contiguous, and its owner keeps it in place until it is released. As with
                // Python's own functions that release the lock, the caller must not change the bytes meanwhile.
                Ok(unsafe { std::slice::from_raw_parts(start, length) })
            }
        }
    }

    /// Returns the bytes of the text, and whether its symbols are characters.
    pub(crate) fn value(&self) -> PyResult<StringValue<'_>> {
        Ok(StringValue { bytes: self.bytes()?, is_text: self.is_str() })
    }

    /// Returns whether each symbol is one byte, which is false only for a `str` that is not ASCII.
    pub(crate) fn is_plain(&self) -> PyResult<bool> {
        Ok(self.value()?.is_plain())
    }

    /// Returns whether the text is a `str`, in which offsets count characters.
    pub(crate) fn is_str(&self) -> bool {
        matches!(self, Text::Str(_))
    }
}
