//! Fields of rows, as bytes.

use super::contract::HitRow;
use crate::alignment::Cigar;
use crate::alphabet::is_residue;

/// Adds a number in decimal.
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    // Distances and runs of a CIGAR are short.
    match number {
        0..10 => out.push(b'0' + number as u8),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Adds the edits as they are written in SAM.
pub(super) fn push_cigar(place: &HitRow<'_>, out: &mut Vec<u8>) {
    for &(length, edit) in place.cigar.map_or(&[][..], Cigar::runs) {
        push_number(u64::from(length), out);
        out.push(edit.letter());
    }
}

/// Adds a field of a table, with blanks for what would end it.
pub(super) fn push_field(field: &[u8], out: &mut Vec<u8>) {
    out.extend(field.iter().map(|&byte| if byte < b' ' { b' ' } else { byte }));
}

/// Adds the match without line breaks.
pub(super) fn push_match(place: &HitRow<'_>, out: &mut Vec<u8>) {
    // Most matches stand in one line, and so have as many bytes as residues.
    match place.matched.len() as u64 == place.end - place.start {
        true => out.extend_from_slice(place.matched),
        false => out.extend(place.matched.iter().filter(|&&byte| is_residue(byte))),
    }
}

/// Adds a name, with `_` for every byte that is not allowed in it, and `.` if nothing is left.
pub(super) fn push_name(name: &[u8], allowed: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    match name.is_empty() {
        true => out.push(b'.'),
        false => out.extend(name.iter().map(|&byte| if allowed(byte) { byte } else { b'_' })),
    }
}
