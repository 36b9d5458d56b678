//! Whole records in memory: names and residues, each packed without gaps.

use crate::alphabet::{is_residue, reverse_complement};

/// Names and residues of records, in order.
#[derive(Debug, Clone, Default)]
pub struct Records {
    names: Vec<u8>,
    name_ends: Vec<usize>,
    residues: Vec<u8>,
    residue_ends: Vec<usize>,
}

impl Records {
    /// Removes all records.
    pub fn clear(&mut self) {
        self.names.clear();
        self.name_ends.clear();
        self.residues.clear();
        self.residue_ends.clear();
    }

    /// Appends a record. Line breaks and blanks among the residues are left out, and letters become upper case.
    pub(crate) fn push(&mut self, name: &[u8], residues: &[u8]) {
        self.names.extend_from_slice(name);
        self.name_ends.push(self.names.len());
        let start = self.residues.len();
        for line in residues.split(|&byte| byte == b'\n') {
            // Fast path: lines rarely have blanks, apart from a carriage return at the end.
            let line = line.trim_ascii();
            match line.iter().all(|&byte| is_residue(byte)) {
                true => self.residues.extend_from_slice(line),
                false => self.residues.extend(line.iter().filter(|&&byte| is_residue(byte))),
            }
        }
        self.residues[start..].make_ascii_uppercase();
        self.residue_ends.push(self.residues.len());
    }

    /// Appends the records of `others` from index `from` up to index `to`.
    pub fn push_some(&mut self, others: &Records, from: usize, to: usize) {
        for index in from..to {
            self.names.extend_from_slice(others.name(index));
            self.name_ends.push(self.names.len());
            self.residues.extend_from_slice(others.residues(index));
            self.residue_ends.push(self.residues.len());
        }
    }

    /// Returns the records with the reverse complements of their residues.
    pub fn reverse_complemented(&self) -> Records {
        let mut records = self.clone();
        for index in 0..records.len() {
            let residues = start(&records.residue_ends, index)..records.residue_ends[index];
            reverse_complement(&mut records.residues[residues]);
        }
        records
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.name_ends.len()
    }

    /// Returns whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.name_ends.is_empty()
    }

    /// Returns the name of a record.
    pub fn name(&self, index: usize) -> &[u8] {
        &self.names[start(&self.name_ends, index)..self.name_ends[index]]
    }

    /// Returns the residues of a record.
    pub fn residues(&self, index: usize) -> &[u8] {
        &self.residues[start(&self.residue_ends, index)..self.residue_ends[index]]
    }

    /// Returns the residues of all records.
    pub fn all_residues(&self) -> &[u8] {
        &self.residues
    }

    /// Returns the end of each record in [`Records::all_residues`].
    pub fn residue_ends(&self) -> &[usize] {
        &self.residue_ends
    }
}

/// Returns the start of a string in a buffer, given the ends of all strings.
fn start(ends: &[usize], index: usize) -> usize {
    index.checked_sub(1).map_or(0, |before| ends[before])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_have_no_blanks_and_one_case() {
        let mut records = Records::default();
        records.push(b"a", b"\r\nAC gt\r\nnN\r\n");
        records.push(b"", b"");
        records.push(b"bc", b"\nT");
        let mut some = Records::default();
        some.push_some(&records, 1, 3);
        assert_eq!((records.name(0), records.residues(0)), (&b"a"[..], &b"ACGTNN"[..]));
        assert_eq!((records.name(1), records.residues(1)), (&b""[..], &b""[..]));
        assert_eq!((some.len(), some.name(1), some.residues(1)), (2, &b"bc"[..], &b"T"[..]));
        assert_eq!(records.all_residues().len(), *records.residue_ends().last().unwrap());
    }
}
