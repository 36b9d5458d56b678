//! Compressed inputs.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

use flate2::{Compression, GzBuilder};

use crate::harness::{Nigh, each_way, each_way_without_devices, once};
use crate::support::packed::bgzf_block;

fn bgzf(text: &[u8]) -> Vec<u8> {
    text.chunks(40_000).chain([&b""[..]]).flat_map(bgzf_block).collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn lzma(text: &[u8]) -> Vec<u8> {
    let options = liblzma::stream::LzmaOptions::new_preset(1).unwrap();
    let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn lz4(text: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(
        lz4_flex::frame::FrameInfo::new().block_size(lz4_flex::frame::BlockSize::Max64KB).content_checksum(true),
        Vec::new(),
    );
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Returns a skippable frame of zstd or lz4.
fn skipped() -> Vec<u8> {
    [&b"\x53\x2a\x4d\x18\x03\x00\x00\x00"[..], b"abc"].concat()
}

type Method = (&'static str, &'static str, fn(&[u8]) -> Vec<u8>);

const METHODS: [Method; 7] = [
    ("gz", "gzip", gzip),
    ("bgz", "gzip", bgzf),
    ("zst", "zstd", zstd),
    ("xz", "xz", xz),
    ("bz2", "bzip2", bzip2),
    ("lz4", "lz4", lz4),
    ("lzma", "lzma", lzma),
];

/// Iterates over the methods whose files may have several members, streams or frames.
fn of_several_streams() -> impl Iterator<Item = Method> {
    METHODS.into_iter().filter(|(_, name, _)| *name != "lzma")
}

#[test]
fn every_compression_is_recognised_by_its_first_bytes() {
    each_way(|nigh| {
        for (extension, _, compress) in METHODS {
            let sequences = format!("s.fa.{extension}");
            nigh.write(&sequences, compress(b">r\nCCCCCGATTACA\n")).write("log", compress(b"one\ndeadlok\n"));
            nigh.prints(&format!("-k0 GATTACA {sequences}"), "r\t5\t12\tGATTACA\t0\t+\t7=\tGATTACA\n");
            nigh.prints("-k1 -n deadlock log", "2:deadlok\n");
            nigh.prints("-k1 -c --no-search-zip --search-zip deadlock log", "1\n");
            nigh.prints("-k0 -x one log", "one\n");
            nigh.finds_nothing("-a -k0 -x --no-decompress one log", "");
            std::fs::create_dir_all(nigh.path().join("d")).unwrap();
            nigh.write("d/log", compress(b"deadlok\n")).write("d/other", "deadlock\n");
            nigh.prints("-k1 -rc deadlock d", "d/log:1\nd/other:1\n");
            nigh.write("d/log", compress(b"\0\ndeadlok\n")).prints("-k1 -rcI deadlock d", "d/log:0\nd/other:1\n");
            let run = nigh.run("-k1 deadlock d/log");
            assert_eq!((run.text().as_str(), run.stderr.as_str()), ("", "nigh: d/log: binary file matches\n"));
            nigh.write("patterns", compress(b"deadlock\n")).prints("-k1 -f patterns log", "deadlok\n");
            nigh.prints_with_input("-k1 deadlock", compress(b"deadlok"), "deadlok\n");
            nigh.write("marked", compress("\u{feff}first\n".as_bytes()));
            nigh.prints("-k0 -c ^first marked", "1\n");
            nigh.write("empty", compress(b""));
            nigh.finds_nothing("-k0 -c x empty", "0\n");
        }
        nigh.write("s.fa.gz", gzip(b">r\nGATTACA\n")).finds_nothing("-k0 -ac --no-decompress GATTACA s.fa.gz", "0\n");
        nigh.write("plain", "BZh9 is no bzip2\n");
        nigh.prints("-k0 -c BZh9 plain", "1\n");
    });
}

#[test]
fn archives_that_are_not_read_are_named_with_a_remedy() {
    each_way_without_devices(|nigh| {
        // Stored without compression, so that their bytes match.
        nigh.write("t.zip", b"PK\x03\x04 deadlok\n").write("t.Z", b"\x1f\x9d deadlok\n").write("t", "deadlok\n");
        for (file, words) in [
            ("t.zip", "zip is not supported; use 'unzip -p t.zip | nigh ...'\n"),
            ("t.Z", ".Z is not supported; use 'gzip -dc t.Z | nigh ...'\n"),
        ] {
            let run = nigh.fails(&format!("-k1 -c deadlock {file} t"), &format!("nigh: {file}: {words}"));
            assert_eq!(run.text(), "t:1\n");
            nigh.prints(&format!("-k1 -c --no-decompress deadlock {file}"), "1\n");
            nigh.prints(&format!("-k1 -c -a deadlock {file}"), "1\n");
        }
        nigh.fails("--fasta GATTACA t.zip", "unzip -p t.zip");
        nigh.prints("-k1 -rc deadlock .", "./t:1\n./t.Z:1\n./t.zip:1\n");
        nigh.write("text.zip", "deadlok\n").prints("-k1 deadlock text.zip", "deadlok\n");
    });
    once(|nigh| {
        let header = [&b"a.txt"[..], &[0; 252], b"ustar\0", &[0; 249]].concat();
        nigh.write("t.tar", [&header, &b"one\ndeadlok\n"[..]].concat());
        let run = nigh.run("-k1 deadlock t.tar");
        let words = "nigh: t.tar: binary file matches; \
                     use 'tar -xOf FILE | nigh ...' to search the files of a tar archive\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("", words, Some(0)));
        nigh.prints("-k1 -c deadlock t.tar", "1\n");
        nigh.write("marked", "\u{feff}\0\ndeadlok\n");
        let run = nigh.run("-k1 deadlock t.tar marked");
        assert_eq!(run.stderr, format!("{words}nigh: marked: binary file matches\n"));
    });
}

#[test]
fn text_that_only_begins_like_compressed_data_needs_an_option() {
    each_way_without_devices(|nigh| {
        let text = b"\x1f\x8b deadlok\n";
        nigh.write("t", text).write("good", "deadlock\n");
        let problem = "begins like gzip data, but cannot be decompressed: invalid gzip header; \
                       use --no-decompress to read its bytes as they are\n";
        assert_eq!(nigh.fails("-k1 -c deadlock t good", problem).text(), "good:1\n");
        assert_eq!(nigh.fails("-k1 -rc deadlock .", problem).text(), "./good:1\n");
        nigh.fails("-k1 -f t good", problem);
        nigh.fails("-k1 --shard 1/2 deadlock t", problem);
        let run = nigh.run_with_input("-k1 deadlock", text);
        assert_eq!((run.stderr, run.status), (format!("nigh: (standard input): {problem}"), Some(2)));
        nigh.prints("-k1 -c --no-decompress deadlock t good", "t:1\ngood:1\n");
    });
}

#[test]
fn text_before_garbage_is_searched_as_it_is() {
    each_way_without_devices(|nigh| {
        for junk in [&b"j"[..], b"\x1fjunk", b"junk that is longer than a header"] {
            for compress in [gzip as fn(&[u8]) -> Vec<u8>, bgzf] {
                nigh.write("t", [&compress(b"one\ntwo"), junk].concat());
                let run = nigh.fails("-k0 -x -e one -e two t", "nigh: t: garbage after the gzip data\n");
                assert_eq!(run.text(), "one\ntwo\n");
            }
        }
    });
}

#[test]
fn members_streams_and_frames_follow_each_other() {
    each_way(|nigh| {
        for (extension, _, compress) in of_several_streams() {
            let parts = [compress(b">r\nCCCCCGAT"), compress(b""), compress(b"TACA"), compress(b"C\n")].concat();
            let name = format!("s.fa.{extension}");
            nigh.write(&name, parts);
            nigh.prints(&format!("-k0 GATTACA {name}"), "r\t5\t12\tGATTACA\t0\t+\t7=\tGATTACA\n");
        }
        let mixed = [bgzf(b">r\nCCCCCGAT"), gzip(b"TACA"), bgzf(b"C\n"), vec![0; 100]].concat();
        nigh.write("m.fa.gz", mixed);
        nigh.prints("-k0 -c GATTACA m.fa.gz", "1\n");
        let padded = [bgzf(b">r\nCCCCCGATTACAC\n"), vec![0; 100]].concat();
        nigh.write("p.fa.gz", padded);
        nigh.prints("-k0 -c GATTACA p.fa.gz", "1\n");
        for compress in [zstd, lz4] {
            let text = compress(b"deadlok\n");
            nigh.write("t", [text.clone(), skipped(), text.clone(), skipped()].concat());
            nigh.prints("-k1 -c deadlock t", "2\n");
        }
        nigh.write("t", [skipped(), zstd(b"deadlok\n")].concat());
        nigh.prints("-k1 -c deadlock t", "1\n");
    });
}

#[test]
fn matches_in_slow_compressed_input_are_printed_at_once() {
    each_way_without_devices(|nigh| {
        for (extension, _, compress) in of_several_streams() {
            let mut command = nigh.command("-k1 deadlock");
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let mut stdout = BufReader::new(child.stdout.take().unwrap());
            for line in ["a deadlok\n", "another deadlock\n"] {
                stdin.write_all(&compress(line.as_bytes())).unwrap();
                let since = Instant::now();
                let mut answer = String::new();
                stdout.read_line(&mut answer).unwrap();
                assert_eq!(answer, line, "{extension}");
                assert!(since.elapsed() < nigh.patience(), "{extension}: the answer took {:?}", since.elapsed());
            }
            drop(stdin);
            assert!(child.wait().unwrap().success());
        }
    });
}

/// Returns text that cannot be compressed, with a matching line at its start.
fn long_text() -> Vec<u8> {
    let mut text = b"the first deadlok\n".to_vec();
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..40_000 {
        text.extend(format!("{:08x} {:08x} {:08x}\n", rng.u32(..), rng.u32(..), rng.u32(..)).bytes());
    }
    text
}

#[test]
fn text_before_damage_is_searched() {
    once(|nigh| {
        let text = long_text();
        nigh.write("good", "deadlok\n");
        for (_, name, compress) in METHODS {
            let whole = compress(&text);
            // Bzip2 returns text only after a complete block of 100 kB.
            let mut changed = whole.clone();
            changed[whole.len() / 2] ^= 0x55;
            for (case, damaged) in [
                ("truncated", &whole[..whole.len() / 2]),
                ("nearly whole", &whole[..whole.len() - 3]),
                ("changed", &changed[..]),
                ("with junk behind it", &[&whole[..], b"junk, and more of it"].concat()),
            ] {
                nigh.write("bad", damaged);
                for threads in [1, 3] {
                    let run = nigh.run(&format!("-j{threads} -k1 --engine cpu deadlock bad good"));
                    let expected = "bad:the first deadlok\ngood:deadlok\n";
                    assert_eq!(run.text(), expected, "{name}, {case}: {}", run.stderr);
                    let message = match (name, case) {
                        ("gzip", "with junk behind it") => "nigh: bad: garbage after the gzip data\n".to_owned(),
                        _ => format!("nigh: bad: corrupt or truncated {name} data: "),
                    };
                    assert!(run.stderr.starts_with(&message), "{name}, {case}: {}", run.stderr);
                    assert_eq!(
                        (run.stderr.lines().count(), run.status),
                        (1, Some(2)),
                        "{name}, {case}: {}",
                        run.stderr
                    );
                }
            }
        }
    });
}

#[test]
fn damage_behind_a_nul_byte_is_reported() {
    once(|nigh| {
        let text = [b"a deadlok\n\0 deadlok\n", &long_text()[..]].concat();
        nigh.write("good", "deadlok\n");
        for (_, name, compress) in METHODS {
            let whole = compress(&text);
            for (damaged, status) in [(&whole[..], 0), (&whole[..whole.len() - 3], 2)] {
                nigh.write("bad", damaged);
                for options in ["-j1", "-j3", "-j3 --batch-size 5000"] {
                    let run = nigh.run(&format!("{options} -k1 --engine cpu deadlock bad good"));
                    assert_eq!(run.text(), "bad:a deadlok\ngood:deadlok\n", "{name} {options}: {}", run.stderr);
                    let (first, rest) = run.stderr.split_once('\n').unwrap();
                    assert_eq!(
                        (first, run.status),
                        ("nigh: bad: binary file matches", Some(status)),
                        "{name} {options}"
                    );
                    let problem = format!("nigh: bad: corrupt or truncated {name} data: ");
                    let count = rest.matches(&problem).count();
                    assert_eq!((count, rest.lines().count()), (status as usize / 2, count), "{name} {options}: {rest}");
                }
                let run = nigh.run("-k1 -j3 --engine cpu deadlock bad");
                assert_eq!((run.text().as_str(), run.status), ("a deadlok\n", Some(status)), "{name}");
            }
        }
    });
}

fn same_with_threads(nigh: &Nigh, name: &str, text: &[u8]) {
    nigh.write("plain", text);
    let arguments = "-k1 --engine cpu -n 0123";
    let expected = nigh.run(&format!("{arguments} plain")).text();
    assert!(!expected.is_empty());
    for threads in [1, 2, 5] {
        let run = nigh.run(&format!("-j{threads} {arguments} packed"));
        assert_eq!((run.text() == expected, run.stderr.as_str()), (true, ""), "{name} with {threads} threads");
    }
}

#[test]
fn pieces_that_are_decompressed_at_once_come_in_order() {
    once(|nigh| {
        let text = long_text().repeat(4);
        let frames = |size: usize| text.chunks(size).flat_map(zstd).collect::<Vec<_>>();
        nigh.write("packed", bgzf(&text));
        same_with_threads(nigh, "bgzf", &text);
        for size in [10_000, 300_000, 3_000_000] {
            nigh.write("packed", frames(size));
            same_with_threads(nigh, "zstd", &text);
        }
        let (first, rest) = text.split_at(text.len() / 2);
        nigh.write("packed", [bgzf(first), gzip(rest)].concat());
        same_with_threads(nigh, "bgzf and gzip", &text);
        nigh.write("packed", gzip(&text));
        same_with_threads(nigh, "one member of gzip", &text);
        nigh.write("packed", [gzip(first), gzip(rest), vec![0; 100]].concat());
        same_with_threads(nigh, "two members of gzip", &text);
    });
}

#[test]
fn damage_of_one_member_of_gzip_is_the_same_with_any_number_of_threads() {
    once(|nigh| {
        let whole = gzip(&long_text().repeat(4));
        for place in [1, 3, 5, 7] {
            let at = whole.len() / 8 * place;
            let mut changed = whole.clone();
            changed[at..at + 10].fill(0x55);
            for damaged in [&changed[..], &whole[..at]] {
                nigh.write("t", damaged);
                let runs = [1, 2, 5].map(|threads| nigh.run(&format!("-j{threads} -k0 --engine cpu -n 0123 t")));
                for run in &runs {
                    let message = "nigh: t: corrupt or truncated gzip data: ";
                    assert!(run.stderr.starts_with(message) && run.status == Some(2), "{}", run.stderr);
                    assert_eq!(run.stderr, runs[0].stderr);
                    assert!(run.text() == runs[0].text() && !run.text().is_empty());
                }
            }
        }
    });
}

#[test]
fn a_block_of_bgzf_that_is_too_large_is_refused() {
    once(|nigh| {
        let mut large = bgzf_block(&[b'a'; 1 << 20]);
        let mut parts = [bgzf_block(b"a deadlok\n"), large.clone()];
        for _ in 0..2 {
            nigh.write("t", parts.concat());
            for threads in [1, 3] {
                let arguments = format!("-j{threads} -k1 deadlock");
                for run in [nigh.run(&format!("{arguments} t")), nigh.run_with_input(&arguments, parts.concat())] {
                    assert_eq!((run.text().as_str(), run.status), ("a deadlok\n", Some(2)), "{}", run.stderr);
                    let problem = "corrupt or truncated gzip data: a bgzf block is larger than 64 KiB\n";
                    assert!(run.stderr.ends_with(problem), "{}", run.stderr);
                }
            }
            // The trailer gives a size that is too small.
            let length = large.len();
            large[length - 4..].fill(0);
            parts[1].clone_from(&large);
        }
    });
}

#[test]
fn a_block_of_bgzf_with_a_wrong_checksum_is_refused() {
    once(|nigh| {
        let mut wrong = bgzf_block(b"a deadlock\n");
        let checksum = wrong.len() - 8;
        wrong[checksum] ^= 1;
        nigh.write("t", [bgzf_block(b"a deadlok\n"), wrong, bgzf_block(b"deadlock\n")].concat());
        for threads in [1, 3] {
            let run = nigh.run(&format!("-j{threads} -k1 deadlock t"));
            assert_eq!((run.text().as_str(), run.status), ("a deadlok\n", Some(2)));
            assert!(run.stderr.starts_with("nigh: t: corrupt or truncated gzip data: "), "{}", run.stderr);
        }
    });
}

#[test]
fn a_window_of_zstd_that_is_too_large_is_refused() {
    once(|nigh| {
        let frame = |window: u8| {
            let head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (window - 10) << 3, 8 << 3 | 1, 0, 0];
            [&head[..], b"deadlok\n"].concat()
        };
        nigh.write("t", frame(27));
        nigh.prints("-k1 deadlock t", "deadlok\n");
        nigh.write("t", frame(28));
        for threads in [1, 3] {
            let words = "zstd data needs a window of more than 128 MiB; decompress it with 'zstd -dc --long=31'";
            nigh.fails(&format!("-j{threads} -k1 deadlock t"), words);
        }
    });
}

#[test]
fn a_truncated_line_or_record_is_not_taken_for_whole() {
    each_way_without_devices(|nigh| {
        let whole = gzip(b"one\nfoobar_baz\n");
        for cut in 14..whole.len() {
            nigh.write("t", &whole[..cut]);
            let run = nigh.run("-k0 -x -e foo -e foob -e fooba -e foobar -e foobar__b t");
            assert_eq!((run.text().as_str(), run.status), ("", Some(2)), "cut to {cut} bytes");
            // A line is counted only if it is complete.
            let whole_lines = nigh.run("-k0 -c baz$ t").text();
            assert_eq!(nigh.run("-k0 -c -v one t").text(), whole_lines, "cut to {cut} bytes");
        }
        let whole = gzip(b">r\nGATTACA\n>s\nGATTACA\n");
        nigh.write("s.fa.gz", &whole[..whole.len() - 12]);
        assert_eq!(nigh.run("-k0 --strand forward -c ATTA$ s.fa.gz").text(), "0\n");
    });
}

#[test]
fn tables_of_patterns_may_be_compressed() {
    once(|nigh| {
        nigh.write("words.tsv.gz", gzip(b"lock\tdeadlock\t1\n")).write("text", "deadlok\n");
        nigh.prints("-k0 --format=ends -f words.tsv.gz text", "text\t7\t1\tlock\n");
    });
}
