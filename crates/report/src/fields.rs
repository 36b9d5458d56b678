//! Functions that append the fields of a row to a byte buffer.

use super::hit::HitRow;
use nigh_text::alignment::Cigar;

/// Appends a number in decimal.
pub fn push_number(number: u64, out: &mut Vec<u8>) {
    // Fast path: most distances and CIGAR runs have one digit.
    match number {
        0..10 => out.push(b'0' + number as u8),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Appends the CIGAR of a hit.
pub(super) fn push_cigar(hit: &HitRow<'_>, out: &mut Vec<u8>) {
    if let Some(cigar) = hit.cigar {
        push_runs(cigar, out);
    }
}

/// Appends a CIGAR.
pub fn push_runs(cigar: &Cigar, out: &mut Vec<u8>) {
    for (length, edit) in cigar.runs() {
        push_number(length as u64, out);
        out.push(edit.letter());
    }
}

/// Appends numbers, each after a tab.
pub fn push_columns(numbers: &[u64], out: &mut Vec<u8>) {
    for &number in numbers {
        out.push(b'\t');
        push_number(number, out);
    }
}

/// Appends a field of a table. Replaces each control character with a blank, since it could end the field.
pub fn push_field(field: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(field);
    hide_controls(&mut out[start..]);
}

/// Replaces each control character of a field with a blank.
pub(super) fn hide_controls(field: &mut [u8]) {
    field.iter_mut().filter(|byte| **byte < b' ').for_each(|byte| *byte = b' ');
}

/// Appends a name, with `_` in place of each byte that is not `allowed`. Appends `.` if the name is empty.
pub fn push_name(name: &[u8], allowed: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    if name.is_empty() {
        out.push(b'.');
    } else {
        out.extend(name.iter().map(|&byte| if allowed(byte) { byte } else { b'_' }));
    }
}
