//! Escape sequences of terminals: colours and other control sequences (CSI), and commands such as links (OSC). See
//! ECMA-48, "Control Functions for Coded Character Sets", 1991, sections 5.4 and 8.3.89.

use memchr::memchr2;

/// The byte with which an escape sequence starts.
pub const ESCAPE: u8 = 0x1b;

const BELL: u8 = 0x07;

/// Returns the length in bytes of the escape sequence with which `bytes` starts; `None` if they start with none, or end
/// before it does.
///
/// A control sequence is ESC `[`, parameter bytes `0` to `?`, intermediate bytes space to `/`, and a final byte `@` to
/// `~`. A command is ESC `]`, bytes other than control characters, and BEL or ESC `\`.
pub fn escape_length(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(&[ESCAPE])?;
    let (kind, rest) = rest.split_first()?;
    let leading = |bytes: &[u8], of: fn(&u8) -> bool| bytes.iter().take_while(|byte| of(byte)).count();
    let length = match kind {
        b'[' => {
            let parameters = leading(rest, |byte| (b'0'..=b'?').contains(byte));
            let before_final = parameters + leading(&rest[parameters..], |byte| (b' '..=b'/').contains(byte));
            rest.get(before_final).filter(|byte| (b'@'..=b'~').contains(byte)).map(|_| before_final + 1)
        }
        b']' => {
            let end = memchr2(BELL, ESCAPE, rest)?;
            let is_text = rest[..end].iter().all(|byte| !byte.is_ascii_control());
            let of_end = if rest[end] == BELL { Some(1) } else { rest[end..].starts_with(b"\x1b\\").then_some(2) };
            of_end.filter(|_| is_text).map(|of_end| end + of_end)
        }
        _ => None,
    };
    length.map(|length| length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_and_commands_are_escape_sequences() {
        let whole: [&[u8]; 8] = [
            b"\x1b[m",
            b"\x1b[31m",
            b"\x1b[1;38;5;10m",
            b"\x1b[?25l",
            b"\x1b[ q",
            b"\x1b]0;title\x07",
            b"\x1b]8;;https://a.b/\xc3\xa4\x1b\\",
            b"\x1b]8;;\x07",
        ];
        for sequence in whole {
            let shown = sequence.escape_ascii();
            assert_eq!(escape_length(sequence), Some(sequence.len()), "{shown}");
            assert_eq!(escape_length(&[sequence, b"text"].concat()), Some(sequence.len()), "{shown}");
            for length in 0..sequence.len() {
                assert_eq!(escape_length(&sequence[..length]), None, "{length} bytes of {shown}");
            }
        }
        for other in
            [&b""[..], b"m", b"\x1b", b"\x1bM", b"\x1b[3\n", b"\x1b[\xc3\xa4", b"\x1b]0;a\nb\x07", b"\x1b]0\x1b["]
        {
            assert_eq!(escape_length(other), None, "{}", other.escape_ascii());
        }
    }
}
