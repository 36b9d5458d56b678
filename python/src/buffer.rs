//! Arrays of integers that Python reads through the buffer protocol.
#![allow(unsafe_code, reason = "a buffer is a raw pointer")]

use std::ffi::c_int;
use std::ptr::null_mut;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Number of bytes of an integer.
const ITEM_BYTES: usize = size_of::<i32>();

/// The layout of an array in C order, as the buffer protocol describes it.
pub(crate) struct ArrayLayout<const N: usize> {
    /// The lengths of the dimensions.
    shape: [isize; N],
    /// For each dimension, the number of bytes from one item to the next.
    strides: [isize; N],
}

impl<const N: usize> ArrayLayout<N> {
    /// Makes the layout of an array whose dimensions have these lengths.
    pub(crate) fn new(lengths: [usize; N]) -> Self {
        let (mut strides, mut bytes) = ([0; N], ITEM_BYTES);
        for (stride, length) in strides.iter_mut().zip(lengths).rev() {
            *stride = bytes as isize;
            bytes *= length;
        }
        ArrayLayout { shape: lengths.map(|length| length as isize), strides }
    }
}

/// Integers in C order, with the layout of their array.
pub(crate) struct IntegerArray<'a, const N: usize> {
    pub(crate) values: &'a [i32],
    pub(crate) layout: &'a ArrayLayout<N>,
}

/// Fills `view` with the description of a read-only array.
///
/// # Errors
/// Fails if `flags` ask for a writable array, or for Fortran order of an array with several dimensions.
///
/// # Panics
/// Panics if the number of values is not that of the layout.
///
/// # Safety
/// `view` is valid for writes. The values and the layout stay where they are, and unchanged, as long as `owner` lives.
pub(crate) unsafe fn fill<const N: usize>(
    view: *mut ffi::Py_buffer,
    flags: c_int,
    owner: Bound<'_, PyAny>,
    array: &IntegerArray<'_, N>,
) -> PyResult<()> {
    let IntegerArray { values, layout } = *array;
    assert_eq!(
        layout.shape.iter().product::<isize>(),
        values.len() as isize,
        "the layout must have as many items as there are values"
    );
    let has = |flag: c_int| flags & flag == flag;
    if has(ffi::PyBUF_WRITABLE) {
        return Err(PyBufferError::new_err("the values are read-only"));
    }
    if N > 1 && has(ffi::PyBUF_F_CONTIGUOUS) {
        return Err(PyBufferError::new_err("the values are in C order, not in Fortran order"));
    }
    let when = |flag, pointer: *const isize| if has(flag) { pointer.cast_mut() } else { null_mut() };
    let filled = ffi::Py_buffer {
        buf: values.as_ptr().cast_mut().cast(),
        obj: owner.into_ptr(),
        len: size_of_val(values) as isize,
        itemsize: ITEM_BYTES as isize,
        readonly: 1,
        ndim: N as c_int,
        format: if has(ffi::PyBUF_FORMAT) { c"i".as_ptr().cast_mut() } else { null_mut() },
        shape: when(ffi::PyBUF_ND, layout.shape.as_ptr()),
        strides: when(ffi::PyBUF_STRIDES, layout.strides.as_ptr()),
        suboffsets: null_mut(),
        internal: null_mut(),
    };
    // SAFETY: the caller promises that `view` is valid for writes.
    unsafe { view.write(filled) };
    Ok(())
}
