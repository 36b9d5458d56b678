//! Text in other encodings than UTF-8, and text with a byte order mark.

use crate::harness::{each_way, once};

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn utf16_is_recognised_by_its_byte_order_mark() {
    each_way(|nigh| {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            nigh.write("t", utf16("first näive line\nok😀go\nno\nnäve", bytes));
            nigh.prints("-k1 naïve t", "");
            nigh.prints("-k1 -b näive t", "0:first näive line\n30:näve\n");
            nigh.prints("-k0 ^first t", "first näive line\n");
            nigh.prints("-k1 -c ok😡go t", "1\n");
            nigh.finds_nothing("-k0 -c --encoding none first t", "0\n");
            nigh.prints("-k0 -c --encoding latin1 first t", "1\n");
            nigh.write("s.fa", utf16(">r\nCCGATTACA\n", bytes));
            nigh.prints("-k0 GATTACA s.fa", "r\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n");
        }
    });
}

#[test]
fn an_encoding_can_be_named() {
    each_way(|nigh| {
        nigh.write("latin", b"na\xefve\n").write("sjis", b"\x93\xfa\x96\x7b\x8c\xea\n");
        nigh.prints("-k0 --encoding=latin1 naïve latin", "naïve\n");
        nigh.prints("-k0 --encoding ISO-8859-1 na.ve latin", "naïve\n");
        nigh.prints("-k1 --encoding sjis 日木語 sjis", "日本語\n");
        let run = nigh.run("-k1 naive latin");
        assert_eq!(run.stdout, b"na\xefve\n", "bytes must be unchanged");
        let run = nigh.run("-k1 --encoding utf-8 naive latin");
        assert_eq!(run.stdout, b"na\xefve\n", "bytes must be unchanged");
        nigh.write("marked", "\u{feff}naïve\n");
        nigh.prints("-k0 -c --encoding latin1 ^naïve marked", "1\n");
        nigh.finds_nothing("-k0 -c --encoding none ^naïve marked", "0\n");
    });
    once(|nigh| {
        nigh.fails("--encoding klingon x", "invalid value 'klingon' for --encoding: unknown encoding");
    });
}

#[test]
fn text_in_utf16_without_a_mark_is_reported() {
    once(|nigh| {
        let text: Vec<u8> = "The service terminated\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        nigh.write("t", text).write("plain", "service terminated\n");
        let run = nigh.run("-k0 -c terminated t");
        let message = "nigh: t: many bytes are 0, so it seems to be UTF-16LE; use --encoding utf-16le\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("0\n", message, Some(1)));
        nigh.prints("-k0 -c --encoding utf-16le terminated t", "1\n");
        nigh.prints("-k0 -c terminated plain", "1\n");
        // The bytes are wanted as they are, so NULs are no surprise.
        let run = nigh.run("-k0 -c --encoding none terminated t");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("0\n", "", Some(1)));
        // The mark of UTF-32 begins with that of UTF-16.
        nigh.write("t", "\u{feff}terminated\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>());
        let message = "nigh: t: many bytes are 0, so it seems to be UTF-32; convert it with iconv\n";
        assert_eq!(nigh.run("-k0 -c terminated t").stderr, message);
        // A mark of UTF-8 is no sign of UTF-8 if the text after it is UTF-16.
        let text: Vec<u8> = "terminated\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        nigh.write("t", [&b"\xef\xbb\xbf"[..], &text].concat());
        let message = "nigh: t: many bytes are 0, so it seems to be UTF-16LE; use --encoding utf-16le\n";
        assert_eq!(nigh.run("-k0 -c terminated t").stderr, message);
    });
}
