//! Recognises UTF-16 and UTF-32 without a byte order mark by the zero bytes of their characters.

use memchr::memchr;

use super::charset::Charset;
use super::utf32::ByteOrder;

/// Fewest characters that show an encoding.
const MIN_CHARACTERS: usize = 2;

/// Returns the encoding that the zero bytes at the start of a text show; `None` if there are none, or if the text is
/// binary.
///
/// Every character must be valid and printable or white space, so none is NUL. In UTF-16, at least 7 of 8 characters
/// must be of Latin-1, whose second byte is zero; in UTF-32, where every character has a zero byte, at least 1 of 8 must
/// be of ASCII.
pub(crate) fn guess(head: &[u8]) -> Option<Charset> {
    memchr(0, head)?;
    let share = |characters: &[char], is_counted: fn(&char) -> bool| {
        8 * characters.iter().filter(|character| is_counted(character)).count() / characters.len()
    };
    let is_utf16 = |unit: fn([u8; 2]) -> u16| utf16(head, unit).is_some_and(|text| share(&text, is_latin1) >= 7);
    let is_utf32 = |unit: fn([u8; 4]) -> u32| utf32(head, unit).is_some_and(|text| share(&text, char::is_ascii) >= 1);
    match () {
        () if is_utf16(u16::from_le_bytes) => Some(Charset::Standard(encoding_rs::UTF_16LE)),
        () if is_utf16(u16::from_be_bytes) => Some(Charset::Standard(encoding_rs::UTF_16BE)),
        () if is_utf32(u32::from_le_bytes) => Some(Charset::Utf32(ByteOrder::LittleEndian)),
        () if is_utf32(u32::from_be_bytes) => Some(Charset::Utf32(ByteOrder::BigEndian)),
        () => None,
    }
}

fn is_latin1(character: &char) -> bool {
    *character <= '\u{ff}'
}

/// Returns the characters of UTF-16; `None` if it is not text. The last character may be incomplete.
fn utf16(head: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Vec<char>> {
    let mut units: Vec<u16> = head.as_chunks().0.iter().map(|&bytes| unit(bytes)).collect();
    units.pop_if(|last| (0xd800..0xdc00).contains(last));
    text(char::decode_utf16(units).map(Result::ok))
}

/// Returns the characters of UTF-32; `None` if it is not text. The last character may be incomplete.
fn utf32(head: &[u8], unit: fn([u8; 4]) -> u32) -> Option<Vec<char>> {
    text(head.as_chunks().0.iter().map(|&bytes| char::from_u32(unit(bytes))))
}

/// Returns valid characters, at least [`MIN_CHARACTERS`], that are printable or white space; otherwise `None`.
fn text(characters: impl Iterator<Item = Option<char>>) -> Option<Vec<char>> {
    let text: Vec<char> = characters.map(|character| character.filter(is_text)).collect::<Option<_>>()?;
    (text.len() >= MIN_CHARACTERS).then_some(text)
}

/// Returns whether a character occurs in text. Text may have escape sequences for colours, but no noncharacters.
fn is_text(character: &char) -> bool {
    let is_assignable = u32::from(*character) & 0xfffe != 0xfffe;
    is_assignable && (!character.is_control() || matches!(character, '\x07'..='\r' | '\x1b' | '\u{85}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    fn utf32(text: &str, bytes: fn(u32) -> [u8; 4]) -> Vec<u8> {
        text.chars().map(u32::from).flat_map(bytes).collect()
    }

    #[test]
    fn text_in_wide_characters_is_recognised() {
        let [little, big] =
            [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].map(|encoding| Some(Charset::Standard(encoding)));
        for text in ["ab", "Müller\r\n", "The file \x1b[1m\u{4e00}.txt\x1b[0m was deleted 😀\r\n", &"x".repeat(9000)]
        {
            assert_eq!(guess(&utf16(text, u16::to_le_bytes)), little, "{text}");
            assert_eq!(guess(&utf16(text, u16::to_be_bytes)), big, "{text}");
        }
        let [little, big] = [ByteOrder::LittleEndian, ByteOrder::BigEndian].map(|order| Some(Charset::Utf32(order)));
        for text in ["ab", "Ошибка 5\n", "The service terminated\r\n"] {
            assert_eq!(guess(&utf32(text, u32::to_le_bytes)), little, "{text}");
            assert_eq!(guess(&utf32(text, u32::to_be_bytes)), big, "{text}");
        }
    }

    #[test]
    fn text_that_is_cut_inside_a_character_is_recognised() {
        let text = utf16("The file is called 😀", u16::to_le_bytes);
        for cut in 4..text.len() {
            assert_eq!(guess(&text[..cut]), Some(Charset::Standard(encoding_rs::UTF_16LE)), "{cut}");
        }
    }

    #[test]
    fn binary_data_is_not_taken_for_text() {
        let tar = [&b"a.txt"[..], &[0; 59]].concat();
        let numbers = |first: u32, step: usize| (first..200_000).step_by(step).flat_map(u32::to_le_bytes).take(4096);
        let [counted, offsets]: [Vec<u8>; 2] = [numbers(40, 1).collect(), numbers(400, 97).collect()];
        let others: [&[u8]; 17] = [
            b"",
            b"\0",
            b"a\0",
            b"a\0\0\0",
            b"text",
            b"a\0b\0plain text",
            b"./a\0./b\0./c\0./d\0",
            b"name\0value\0",
            &[0; 64],
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            &tar,
            b"\x01\0\0\0\x02\0\0\0",
            b"\x01\0\x02\0\x03\0\x04\0",
            b"\0f\0o\0o\0\n\0b\0a\0r\xff\xff",
            &counted,
            &offsets,
            &utf16("text\u{3a9}\u{3a9}", u16::to_le_bytes),
        ];
        for other in others {
            assert_eq!(guess(other), None, "{}", other[..other.len().min(64)].escape_ascii());
        }
    }
}
