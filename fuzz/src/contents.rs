//! Lines and FASTA records of inputs, parsed independently of nigh.

/// A FASTA record.
#[derive(Debug, Default)]
pub struct Record {
    pub name: Vec<u8>,
    /// Without blanks and line breaks.
    pub residues: Vec<u8>,
}

fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

/// Returns the records of a FASTA file; `None` if the first byte is not that of FASTA.
pub fn fasta_records(content: &[u8]) -> Option<Vec<Record>> {
    let first = content.iter().position(|&byte| !is_blank(byte))?;
    let mut records: Vec<Record> = Vec::new();
    for line in content[first..].split(|&byte| byte == b'\n') {
        match line.strip_prefix(b">") {
            Some(header) => {
                let name = header.iter().copied().take_while(|&byte| !is_blank(byte)).collect();
                records.push(Record { name, residues: Vec::new() });
            }
            None => records.last_mut()?.residues.extend(line.iter().copied().filter(|&byte| !is_blank(byte))),
        }
    }
    Some(records)
}

/// Returns a line without its end, by its 1-based number.
pub fn line(content: &[u8], number: usize) -> Option<&[u8]> {
    content.split(|&byte| byte == b'\n').nth(number.checked_sub(1)?)
}

/// Returns the 1-based number of the line that contains a byte.
pub fn line_number(content: &[u8], offset: usize) -> usize {
    content[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Returns true if a file has no byte order mark, so that its bytes are searched unchanged.
pub fn is_plain(content: &[u8]) -> bool {
    ![&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| content.starts_with(mark))
}
