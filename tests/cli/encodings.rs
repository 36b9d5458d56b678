//! Text in other encodings than UTF-8, and text with a byte order mark.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

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

type Encode = fn(&str) -> Vec<u8>;

/// The encodings that are recognised without a byte order mark: the name in messages, and a function that encodes text.
const WIDE: [(&str, Encode); 4] = [
    ("UTF-16LE", |text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ("UTF-16BE", |text| text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ("UTF-32LE", |text| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
    ("UTF-32BE", |text| text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()),
];

/// Returns the message about decoded text.
fn decoded(label: &str, encoding: &str) -> String {
    format!(
        "nigh: {label}: decoded as {encoding}, since many bytes are 0; use --encoding none to search its bytes as they are\n"
    )
}

/// Returns a log of a Windows service, with some characters beyond Latin-1.
fn windows_log(lines: usize) -> String {
    let line = |n| format!("2026-01-31 {n:06} The service “Spooler” terminated unexpectedly, näive 😀\r\n");
    (0..lines).map(line).collect()
}

#[test]
fn wide_text_without_a_mark_is_searched_like_the_decoded_text() {
    let forms = ["-n terminatd", "-c termnated", "-o Spoolr", "-l termnated", "-L termnated", "-b 000003 -k0"];
    each_way(|nigh| {
        let text = windows_log(40);
        for (name, encode) in WIDE {
            nigh.write("t", &text);
            let expected = forms.map(|form| nigh.run(&format!("{form} t")));
            nigh.write("t", encode(&text));
            for (form, expected) in forms.iter().zip(expected) {
                let run = nigh.run(&format!("{form} t"));
                assert_eq!((run.text(), run.status), (expected.text(), expected.status), "{name} {form}");
                assert_eq!(run.stderr, decoded("t", name));
                let marked = nigh.write("m", encode(&format!("\u{feff}{text}"))).run(&format!("{form} m"));
                let expected = expected.text().replace("t\n", if form.starts_with("-l") { "m\n" } else { "t\n" });
                assert_eq!((marked.text(), marked.status), (expected, run.status), "{name} {form}");
                assert_eq!(marked.stderr, "", "{name} {form}");
            }
            nigh.write("t", encode("no\nbad\n"));
            assert_eq!(nigh.run("-k0 -c terminated t").status, Some(1));
        }
    });
}

#[test]
fn wide_text_is_decoded_from_every_source() {
    once(|nigh| {
        // Plain text of this size is read in parts.
        let text = windows_log(20_000);
        nigh.write("plain", &text);
        let pattern = "-j3 --batch-size 64K -k1 -n 0199.._The_servise";
        let expected = nigh.run(&format!("{pattern} plain"));
        assert_eq!(expected.text().lines().count(), 100);
        std::fs::create_dir(nigh.path().join("folder")).unwrap();
        for (name, encode) in WIDE {
            let wide = encode(&text);
            nigh.write("t", &wide).write("t.zst", zstd::encode_all(&wide[..], 1).unwrap()).write("folder/t", &wide);
            let file = std::fs::File::open(nigh.path().join("t")).unwrap();
            let output = nigh.command(pattern).stdin(file).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.text(), "{name}");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), decoded("(standard input)", name));
            for (label, run) in [
                ("t", nigh.run(&format!("{pattern} t"))),
                ("t.zst", nigh.run(&format!("{pattern} t.zst"))),
                ("folder/t", nigh.run(&format!("{pattern} -rh folder"))),
                ("(standard input)", nigh.run_with_input(pattern, &wide)),
                ("(standard input)", nigh.run_with_input(pattern, zstd::encode_all(&wide[..], 1).unwrap())),
                ("t", nigh.run(&format!("{pattern} -I t"))),
                ("t", nigh.run(&format!("{pattern} --text t"))),
                ("t", nigh.run(&format!("{pattern} --best t"))),
            ] {
                assert!(run.text() == expected.text(), "{name} {label}");
                assert_eq!((run.stderr, run.status), (decoded(label, name), Some(0)), "{name}");
            }
            nigh.write("s.fa", encode(">r\nCCGATTACA\n"));
            let run = nigh.run("-k0 GATTACA s.fa");
            assert_eq!(
                (run.text().as_str(), run.stderr),
                ("r\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n", decoded("s.fa", name))
            );
        }
    });
}

#[test]
fn the_encoding_of_a_slow_pipe_is_recognised_without_delay() {
    once(|nigh| {
        for (name, encode) in WIDE {
            let mut command = nigh.command("-k0 .");
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let (mut stdin, mut line) = (child.stdin.take().unwrap(), String::new());
            let mut stdout = BufReader::new(child.stdout.take().unwrap());
            for part in encode("a\n").chunks(3) {
                stdin.write_all(part).unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
            // The pipe stays open, so the line is printed before the end.
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, "a\n", "{name}");
            stdin.write_all(&encode("bc\n")).unwrap();
            drop(stdin);
            stdout.read_line(&mut line).unwrap();
            let output = child.wait_with_output().unwrap();
            assert_eq!(
                (line.as_str(), String::from_utf8(output.stderr).unwrap()),
                ("a\nbc\n", decoded("(standard input)", name))
            );
        }
    });
}

#[test]
fn an_encoding_is_not_guessed_where_the_bytes_are_wanted() {
    once(|nigh| {
        for (name, encode) in WIDE {
            nigh.write("t", encode("The service terminated\r\n"));
            nigh.finds_nothing("-k0 -c --encoding none terminated t", "0\n");
            nigh.finds_nothing("-k0 -c --encoding utf-8 terminated t", "0\n");
            nigh.finds_nothing("-k0 -cz terminated t", "0\n");
            nigh.prints(&format!("-k0 -c --encoding {name} terminated t"), "1\n");
            let run = nigh.run("-k0 -cs terminated t");
            assert_eq!((run.text().as_str(), run.stderr.as_str()), ("1\n", ""), "{name}");
        }
        nigh.write("list", b"a\0b\0./long\0");
        nigh.prints("-k0 -z b list", "b\0");
        // A mark of UTF-8 is no sign of UTF-8 if the text after it is UTF-16.
        nigh.write("t", [&b"\xef\xbb\xbf"[..], &WIDE[0].1("terminated\n")].concat());
        let run = nigh.run("-k0 ^terminated t");
        assert_eq!((run.text(), run.stderr), ("terminated\n".to_owned(), decoded("t", "UTF-16LE")));
    });
}

#[test]
fn damage_after_the_start_of_a_compressed_text_does_not_hide_the_start() {
    once(|nigh| {
        let (text, mut packed) = ("match\nother\n", zstd::encode_all(&b"match\nother\n"[..], 1).unwrap());
        packed.extend_from_slice(&zstd::encode_all(text.as_bytes(), 1).unwrap()[..9]);
        nigh.write("t.zst", packed);
        let run = nigh.run("-k0 match t.zst");
        assert_eq!((run.text().as_str(), run.status), ("match\n", Some(2)), "{}", run.stderr);
    });
}

/// The encodings without a byte order mark: the name in messages, the option of `strings`, and a function that encodes
/// text.
fn utf16_orders() -> [(&'static str, &'static str, Encode); 2] {
    [(WIDE[0].0, "-el", WIDE[0].1), (WIDE[1].0, "-eb", WIDE[1].1)]
}

#[test]
fn a_change_of_the_encoding_is_reported_with_its_place() {
    once(|nigh| {
        let lines = "an old line\r\n".repeat(300);
        for (name, _, encode) in utf16_orders() {
            let small = name.to_lowercase();
            let wide = encode("second timeout\r\n");
            nigh.write("t", [lines.as_bytes(), &wide].concat());
            let remedy = |at: usize, to: &str| {
                format!("use 'tail -c +{} FILE | nigh --encoding {to} ...' to search it\n", at + 1)
            };
            let message = format!(
                "nigh: t: from byte {} on, the text is {name} instead of UTF-8, and matches in it are not found; {}",
                lines.len(),
                remedy(lines.len(), &small)
            );
            // The last one is read in several batches, but not as few bytes as the text that shows the encoding.
            for options in ["-j1", "-j3", "-j1 -c", "-j3 --batch-size 600", "--record-start an"] {
                let run = nigh.run(&format!("-k0 {options} timeout t"));
                assert_eq!((run.stderr, run.status), (message.clone(), Some(1)), "{name} {options}");
                let run = nigh.run_with_input(
                    &format!("-k0 --label t {options} timeout"),
                    std::fs::read(nigh.path().join("t")).unwrap(),
                );
                assert_eq!((run.stderr, run.status), (message.clone(), Some(1)), "{name} {options}");
            }
            let rest = std::fs::read(nigh.path().join("t")).unwrap().split_off(lines.len());
            nigh.prints_with_input(&format!("-k0 -o --encoding {small} timeout"), rest, "timeout\n");
            for options in ["-s", "--encoding none", "-I"] {
                nigh.finds_nothing(&format!("-k0 {options} timeout t"), "");
            }

            let start = encode(&format!("\u{feff}{lines}"));
            nigh.write("t", [&start[..], b"second timeout\r\nthird\r\n"].concat());
            let message = format!(
                "nigh: t: from byte {} on, the text is UTF-8 instead of {name}, and matches in it are not found; {}",
                start.len(),
                remedy(start.len(), "utf-8")
            );
            for options in ["-j1", "-j3", "-j1 -c", "-j3 --batch-size 60"] {
                let run = nigh.run(&format!("-k0 {options} timeout t"));
                assert_eq!((run.stderr, run.status), (message.clone(), Some(1)), "{name} {options}");
            }
            nigh.finds_nothing("-k0 -s timeout t", "");
        }
    });
}

#[test]
fn utf16_in_a_binary_file_is_reported_once() {
    once(|nigh| {
        std::fs::create_dir(nigh.path().join("d")).unwrap();
        for (name, order, encode) in utf16_orders() {
            let binary = [b"ElfFile\0\x01\0\x03\x80", &encode("a session timeout")[..], &[7, 0, 0, 9, 1]].concat();
            nigh.write("d/a.evtx", &binary).write("d/b.evtx", &binary);
            let message = format!(
                "nigh: d/a.evtx: binary file with {name} text, in which matches are not found; \
                 use 'strings {order} FILE | nigh ...' to search it\n"
            );
            for options in ["", "-c", "-a", "-o", "-j1"] {
                let run = nigh.run(&format!("-k0 -r -h {options} timeout d"));
                assert_eq!((run.stderr, run.status), (message.clone(), Some(1)), "{name} {options}");
            }
            for options in ["-s", "-I"] {
                nigh.finds_nothing(&format!("-k0 -r {options} timeout d"), "");
            }
        }
    });
}
