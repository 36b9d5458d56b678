//! A file read in parts, in any order, gives the same text as one batch of the whole file.

use std::sync::Arc;

use crate::support::packed::bgzf_block;
use crate::support::random::{
    ALPHABETS, Place, hits, letters, place, places, random_input, random_set, random_text, rounds,
};
use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_input::{BlockFiles, BoundaryState, Decoding, Format, LongLines, Origin, Parts};
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::{Alphabet, is_residue};
use nigh_text::batch::{Batch, Segment, TextBuffer, Window};
use nigh_text::text::symbols;

const FASTA: Format = Format::Fasta { long: LongLines::Cut };
const LINES: Format = Format::Lines { terminator: b'\n', long: LongLines::Cut };

/// A temporary file with a text.
struct Text(tempfile::NamedTempFile);

impl Text {
    fn new(bytes: &[u8]) -> Self {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Text(file)
    }

    fn parts(&self, format: Format, window: Window) -> Option<Parts> {
        let origin = Origin::File(self.0.path().to_owned());
        Parts::open(&origin, Decoding::AUTOMATIC, format, window, BlockFiles::InOrder).unwrap()
    }

    /// Divides the file into parts, even if it is compressed. Returns `None` if it cannot be divided.
    fn divided(&self, format: Format, window: Window) -> Option<Parts> {
        let origin = Origin::File(self.0.path().to_owned());
        Parts::open(&origin, Decoding::AUTOMATIC, format, window, BlockFiles::Divided).unwrap()
    }
}

/// Returns the batches of a file read in parts, in random order and with reused buffers.
fn batches(parts: &Parts, rng: &mut Rng) -> Vec<Batch<'static>> {
    let mut order: Vec<u64> = (0..parts.count()).collect();
    rng.shuffle(&mut order);
    let mut buffers: Vec<TextBuffer> =
        order.iter().map(|_| vec![*rng.choice(b">\nA").unwrap(); rng.usize(0..40)].into()).collect();
    let mut read: Vec<_> =
        order.iter().map(|&index| (index, parts.read(index, &mut buffers[index as usize]).unwrap())).collect();
    read.sort_unstable_by_key(|(index, _)| *index);
    let mut before = BoundaryState::default();
    let mut batches = Vec::new();
    for ((index, draft), buffer) in read.into_iter().zip(&mut buffers) {
        let found = parts.handover_before(index).unwrap();
        assert_eq!(format!("{found:?}"), format!("{before:?}"), "before part {index}");
        let behind = draft.handover_step().after(&before);
        batches.extend(draft.batch(&before, buffer).unwrap());
        before = behind;
    }
    batches
}

/// Returns a window of random size into which the text can be divided.
fn window(rng: &mut Rng, text: &[u8], alphabet: Alphabet, max_match_len: usize) -> Window {
    let bytes = rng.usize(1..=(text.len() / 4).max(1));
    Window { bytes, max_match_len, alphabet }
}

/// Returns 0, a small number, or a number larger than some parts.
fn random_length(rng: &mut Rng) -> usize {
    let most = *rng.choice(&[1, 5, 60, 400]).unwrap();
    rng.usize(0..most)
}

/// Returns text with lines of very different lengths and contents.
fn awkward_lines(rng: &mut Rng) -> Vec<u8> {
    let awkward: [&[u8]; 9] =
        [b"a", b" ", b"\r", b"\0", "é".as_bytes(), "日".as_bytes(), "😀".as_bytes(), b"\xe6\x97", b"\xff"];
    let mut text = if rng.u8(0..4) == 0 { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    for _ in 0..rng.usize(1..8) {
        let length = random_length(rng);
        let kinds = rng.usize(1..=awkward.len());
        text.extend(random_text(rng, &awkward[..kinds], length));
        text.extend_from_slice(rng.choice(&[&b"\n"[..], b"\r\n", b"\n\n\n", b"\n"]).unwrap());
    }
    text.truncate(text.len() - rng.usize(0..2));
    text
}

/// Returns FASTA with many forms of valid content, including long runs.
fn awkward_fasta(rng: &mut Rng) -> Vec<u8> {
    let newline: &[u8] = if rng.bool() { b"\n" } else { b"\r\n" };
    let mut text = [&b""[..], b"\n \r\n", b"\xef\xbb\xbf", b"  "][rng.usize(0..4)].to_vec();
    for _ in 0..rng.usize(1..8) {
        let length = random_length(rng);
        let header = random_text(rng, &[b"n", b">", b" ", b"\t"], length);
        text.extend([b">", &header[..], newline].concat());
        for _ in 0..rng.usize(0..4) {
            let length = random_length(rng);
            let line = random_text(rng, &[b"A", b"c", b"-", b" ", b">"], length);
            // A line that begins with '>' would be a header.
            let line = line.strip_prefix(b">").map_or(&line[..], |_| b"");
            text.extend([line, newline].concat());
        }
    }
    text.truncate(text.len() - rng.usize(0..newline.len() + 1));
    text
}

fn check_lines(text: &[u8], batches: &[Batch], long: LongLines, max_match_len: usize, case: &str) {
    let mut owned = 0;
    let mark = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for batch in batches {
        let lines = batch.lines().unwrap();
        let from = lines.offset as usize;
        let range = from + batch.owned().start..from + batch.owned().end;
        assert_eq!(range.start, mark + owned, "{case}: every byte has one owner");
        assert_eq!(batch.bytes(), &text[from..from + batch.bytes().len()], "{case}");
        let line_starts = |at: usize| at == mark || text[at - 1] == b'\n';
        assert_eq!(lines.opens, line_starts(from), "{case}");
        let to = from + batch.bytes().len();
        assert_eq!(lines.closes, range.end == text.len() || line_starts(range.end), "{case}");
        assert!(!lines.closes || to == range.end, "{case}");
        assert!(
            lines.closes || (to >= (range.end + 4).min(text.len()) && !text[range.end..to].contains(&b'\n')),
            "{case}"
        );
        assert_eq!(batch.owned().start > 0, !line_starts(range.start), "{case}: there is context only inside a line");
        let context = symbols(Alphabet::Text, &text[from..range.start]).count();
        assert!(context == max_match_len + 1 || lines.opens, "{case}: {context} symbols of context");
        let is_cut = !lines.closes || !line_starts(range.start);
        let may_be_cut = match long {
            LongLines::Cut => true,
            LongLines::Whole => false,
            LongLines::WholeText => text[..to].contains(&0),
        };
        assert!(may_be_cut || !is_cut, "{case}");
        owned += range.len();
    }
    assert_eq!(owned, text.len() - mark, "{case}");
}

#[test]
fn lines_have_one_owner_and_know_their_surroundings() {
    let mut rng = Rng::with_seed(1);
    let mut cut = 0;
    for case in 0..rounds(3000) {
        let text = awkward_lines(&mut rng);
        let file = Text::new(&text);
        let max_match_len = rng.usize(0..12);
        for long in [LongLines::Cut, LongLines::Whole, LongLines::WholeText] {
            let window = window(&mut rng, &text, Alphabet::Text, max_match_len);
            let Some(parts) = file.parts(Format::Lines { terminator: b'\n', long }, window) else { continue };
            let batches = batches(&parts, &mut rng);
            cut += batches.iter().filter(|batch| batch.owned().start > 0).count();
            check_lines(&text, &batches, long, max_match_len, &format!("case {case}, {window:?}, {long:?}, {text:?}"));
        }
    }
    assert!(cut > 1000, "only {cut} cuts are inside a line");
}

/// An expected record: its name and its residues.
type Record = (Vec<u8>, Vec<u8>);

fn records(text: &[u8]) -> Vec<Record> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut records: Vec<Record> = Vec::new();
    let start = text.iter().position(|&byte| byte == b'>').unwrap();
    for line in text[start..].split(|&byte| byte == b'\n') {
        match line.strip_prefix(b">") {
            Some(header) => {
                records.push((header.split(|&byte| !is_residue(byte)).next().unwrap().to_vec(), Vec::new()));
            }
            None => records.last_mut().unwrap().1.extend(line.iter().filter(|&&byte| is_residue(byte))),
        }
    }
    records
}

/// Checks a segment of a record. Earlier segments own `before` residues of the record. Returns the number of owned
/// residues with this segment.
fn check_segment(batch: &Batch, segment: &Segment, record: &Record, before: usize, max_match_len: usize) -> usize {
    let residues = |range: std::ops::Range<usize>| -> Vec<u8> {
        batch.bytes()[range].iter().copied().filter(|&byte| is_residue(byte)).collect()
    };
    let owned = batch.owned();
    let at = segment.bytes.start.max(owned.start);
    let (context, rest) = (residues(segment.bytes.start..at), residues(at..segment.bytes.end));
    let inside = residues(at..segment.bytes.end.min(owned.end).max(at)).len();
    assert_eq!(segment.position as usize, before - context.len());
    assert_eq!(segment.name.of(batch.bytes()), record.0);
    assert_eq!(context, record.1[before - context.len()..before]);
    assert_eq!(rest, record.1[before..before + rest.len()]);
    assert_eq!(segment.opens, segment.position == 0);
    assert!(segment.opens || context.len() == max_match_len + 1);
    assert_eq!(segment.closes, before + inside == record.1.len());
    assert_eq!(rest.len(), inside + usize::from(!segment.closes), "the residue that follows");
    before + inside
}

fn check_records(records: &[Record], batches: &[Batch], max_match_len: usize) {
    let (mut index, mut owned, mut open) = (0, 0, false);
    for batch in batches {
        assert!(!batch.segments().is_empty());
        for segment in batch.segments() {
            assert_eq!(segment.continues, open);
            owned = check_segment(batch, segment, &records[index], owned, max_match_len);
            open = !segment.closes;
            if segment.closes {
                (index, owned) = (index + 1, 0);
            }
        }
    }
    assert_eq!((index, open), (records.len(), false));
}

#[test]
fn residues_have_one_owner_and_records_are_counted_once() {
    let mut rng = Rng::with_seed(2);
    let mut cut = 0;
    for case in 0..rounds(4000) {
        let text = awkward_fasta(&mut rng);
        let file = Text::new(&text);
        let max_match_len = rng.usize(0..12);
        let window = window(&mut rng, &text, Alphabet::Dna, max_match_len);
        let Some(parts) = file.parts(FASTA, window) else { continue };
        println!("case {case}, {window:?}, {:?}", text.escape_ascii().to_string());
        let batches = batches(&parts, &mut rng);
        cut += batches.iter().filter(|batch| batch.segments()[0].continues).count();
        check_records(&records(&text), &batches, max_match_len);
    }
    assert!(cut > 1000, "only {cut} cuts are inside a record");
}

fn places_in_parts(set: &Arc<PatternSet>, parts: &Parts, rng: &mut Rng) -> Vec<Place> {
    let (mut found, mut records) = (Vec::new(), 0);
    for batch in batches(parts, rng) {
        for hit in hits(&EngineChoice::cpu(), set, &batch) {
            let (record, position) = place(&batch, hit.end);
            let start = hit.start.map(|start| place(&batch, start).1);
            found.push((records + record, position, hit.pattern, hit.distance, start));
        }
        records += batch.segments().iter().filter(|segment| segment.closes).count();
    }
    found
}

fn check_places(set: &Arc<PatternSet>, text: &[u8], rng: &mut Rng) -> usize {
    let alphabet = set.alphabet();
    let format = if alphabet.is_sequence() { FASTA } else { LINES };
    let file = Text::new(text);
    let Some(parts) = file.parts(format, window(rng, text, alphabet, set.max_match_len())) else { return 0 };
    let expected = places(&EngineChoice::reference(), set, text, text.len() + 1024);
    assert_eq!(places_in_parts(set, &parts, rng), expected, "{:?}", text.escape_ascii().to_string());
    expected.len()
}

#[test]
fn parts_equal_one_batch() {
    let mut rng = Rng::with_seed(3);
    let mut found = 0;
    for _ in 0..rounds(1500) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let text = random_input(&mut rng, alphabet, &letters, 200);
        let set = random_set(&mut rng, alphabet, &text, &letters, 30);
        found += check_places(&set, &text, &mut rng);
    }
    assert!(found > 10_000, "only {found} hits");
}

#[test]
fn edges_hold_across_parts() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..rounds(1500) {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let text = random_input(&mut rng, alphabet, &[b"A", b"C", b"T"], 60);
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Percent(40));
        let set = Arc::new(builder.build(&[PatternSource::new("^ACT"), PatternSource::new("CAT$")]).unwrap());
        check_places(&set, &text, &mut rng);
    }
}

#[test]
fn distant_line_ends_are_found() {
    let mut rng = Rng::with_seed(5);
    let far = 200_000;
    let texts = [
        [&b">one\nAC"[..], &b"\n".repeat(far), b"GT\n>two\nA"].concat(),
        [&b">one\nAC"[..], &b" ".repeat(far), b">\n>two\nA"].concat(),
        [&b">one\nAC"[..], &b"\n".repeat(far), b">two\nA\n"].concat(),
        [&b">one\nAC"[..], &b"\n".repeat(far)].concat(),
        [&b">"[..], &b"n".repeat(far), b" d\nAC\n"].concat(),
        [&b">one "[..], &b"d>".repeat(far), b"\n\n>two\nAC\n"].concat(),
        [&b">one "[..], &b"d ".repeat(far), b"\nAC\n>"].concat(),
        [&b">one\n"[..], &b"ACGT".repeat(far), b"\n>two"].concat(),
    ];
    for text in texts {
        let file = Text::new(&text);
        for bytes in [3000, 70_000 / 2] {
            let window = Window { bytes, max_match_len: 9, alphabet: Alphabet::Dna };
            let parts = file.parts(FASTA, window).unwrap();
            check_records(&records(&text), &batches(&parts, &mut rng), 9);
        }
    }
    for text in [b"a".repeat(far), [b"a".repeat(far), b"\nb".repeat(far), "é".repeat(far).into_bytes()].concat()] {
        let file = Text::new(&text);
        for (bytes, long) in [(3000, LongLines::Cut), (3000, LongLines::Whole), (35_000, LongLines::Cut)] {
            let window = Window { bytes, max_match_len: 9, alphabet: Alphabet::Text };
            let parts = file.parts(Format::Lines { terminator: b'\n', long }, window).unwrap();
            let batches = batches(&parts, &mut rng);
            check_lines(&text, &batches, long, 9, &format!("{window:?}, {long:?}"));
            let longest = batches.iter().map(|batch| batch.bytes().len()).max().unwrap();
            assert!(long == LongLines::Whole || longest < 3 * bytes, "a batch has {longest} bytes");
        }
    }
}

#[test]
fn inputs_that_cannot_be_divided_are_read_in_order() {
    let window = Window { bytes: 4, max_match_len: 1, alphabet: Alphabet::Dna };
    let opens = |text: &[u8], format| Text::new(text).parts(format, window).is_some();
    assert!(opens(b"a line\nanother line\n", LINES) && !opens(b"a line\n", LINES), "there must be several batches");
    assert!(!opens(b"\x1f\x8b and so on and on and on", LINES), "compressed");
    assert!(opens(b" \n >r\nACGTACGTACGTACGT\n", FASTA));
    assert!(!opens(b"ACGTACGTACGTACGT\n>r\nA\n", FASTA), "no FASTA");
    assert!(!opens(b"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", FASTA), "empty");
    let folder = Origin::File(std::env::temp_dir());
    assert!(Parts::open(&folder, Decoding::AUTOMATIC, LINES, window, BlockFiles::Divided).unwrap().is_none());
    assert!(Parts::open(&Origin::Stdin, Decoding::AUTOMATIC, LINES, window, BlockFiles::Divided).unwrap().is_none());
}

#[test]
fn a_file_that_changes_its_size_is_read_to_its_end() {
    let window = Window { bytes: 10, max_match_len: 3, alphabet: Alphabet::Text };
    let file = Text::new(&b"0123456\n".repeat(10));
    let parts = file.parts(LINES, window).unwrap();
    let owned =
        |parts: &Parts| -> usize { batches(parts, &mut Rng::with_seed(6)).iter().map(|b| b.owned().len()).sum() };
    assert_eq!(owned(&parts), 80);
    std::fs::write(file.0.path(), b"0123456\n".repeat(1000)).unwrap();
    assert_eq!(owned(&parts), 8000);
    let before = parts.count();
    parts.extend();
    assert!(before < 10 && parts.count() == 800, "no part has much more than the others");
    assert_eq!(owned(&parts), 8000);
    std::fs::write(file.0.path(), b"0123456\n0123").unwrap();
    assert_eq!(owned(&parts), 12);
    std::fs::write(file.0.path(), b"").unwrap();
    assert_eq!(owned(&parts), 0);
    let fasta = Text::new(&b">one\nACGT\n".repeat(10));
    let parts = fasta.parts(FASTA, Window { alphabet: Alphabet::Dna, ..window }).unwrap();
    for length in [1000, 37, 12, 3, 0] {
        let text = b">one\nACGT\n".repeat(length / 10 + 1)[..length].to_vec();
        std::fs::write(fasta.0.path(), &text).unwrap();
        let batches = batches(&parts, &mut Rng::with_seed(7));
        if length > 0 {
            check_records(&records(&text), &batches, 3);
        }
    }
}

/// Compresses text in blocks of random sizes: BGZF blocks, or Zstandard frames with skippable frames between them.
fn packed(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let is_bgzf = rng.bool();
    let mut packed = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || rng.u8(..3) == 0 {
        let (block, after) = rest.split_at(rng.usize(..=rest.len().min(60)));
        rest = after;
        if is_bgzf {
            packed.extend(bgzf_block(block));
            continue;
        }
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(rng.bool()).unwrap();
        encoder.set_pledged_src_size(Some(block.len() as u64)).unwrap();
        std::io::Write::write_all(&mut encoder, block).unwrap();
        packed.extend(encoder.finish().unwrap());
        if rng.u8(..4) == 0 {
            packed.extend(b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc");
        }
    }
    packed
}

/// Returns the text that a batch owns, and a description of its lines or records that does not depend on their place in
/// the buffer.
fn seen(batch: &Batch) -> (Vec<u8>, Vec<String>) {
    let bytes = |range: std::ops::Range<usize>| String::from_utf8_lossy(&batch.bytes()[range]).into_owned();
    let lines = batch.lines().map(|lines| format!("{lines:?} {}", bytes(0..batch.bytes().len())));
    let records = batch.segments().iter().map(|segment| {
        let Segment { name, bytes: residues, position, continues, opens, closes, .. } = segment.clone();
        let name = String::from_utf8_lossy(name.of(batch.bytes()));
        format!("{name} {} {position} {continues} {opens} {closes}", bytes(residues))
    });
    (batch.bytes()[batch.owned()].to_vec(), lines.into_iter().chain(records).collect())
}

#[test]
fn files_of_blocks_have_the_parts_of_their_text() {
    let mut rng = Rng::with_seed(8);
    let mut compared = 0;
    for case in 0..rounds(400) {
        let (text, format) =
            if case % 2 == 0 { (awkward_lines(&mut rng), LINES) } else { (awkward_fasta(&mut rng), FASTA) };
        let window = window(&mut rng, &text, Alphabet::Dna, 3);
        let file = Text::new(&packed(&mut rng, &text));
        let Some(plain) = Text::new(&text).parts(format.clone(), window) else { continue };
        let divided = file.divided(format.clone(), window).expect("the file must have several blocks");
        let [divided, plain] = [divided, plain].map(|parts| batches(&parts, &mut rng));
        assert_eq!(
            divided.iter().map(seen).collect::<Vec<_>>(),
            plain.iter().map(seen).collect::<Vec<_>>(),
            "case {case}"
        );
        assert!(file.parts(format, window).is_none(), "a compressed file is read in order unless it must be divided");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn damaged_and_other_compressed_files_are_not_divided() {
    let window = Window { bytes: 40, max_match_len: 3, alphabet: Alphabet::Text };
    let text = b"a line of text\n".repeat(40);
    let blocks: Vec<u8> = text.chunks(50).flat_map(bgzf_block).collect();
    assert!(Text::new(&blocks).divided(LINES, window).is_some());
    for end in [1, 17, 18, 30, blocks.len() / 2 + 3, blocks.len() - 1] {
        let is_cut_between = Text::new(&blocks[..end]).divided(LINES, window).is_some();
        assert!(!is_cut_between, "cut to {end} of {} bytes", blocks.len());
    }
    // If a frame does not say the length of its text, it must be decompressed.
    let unknown = zstd::stream::encode_all(&text[..], 1).unwrap();
    assert!(Text::new(&unknown).divided(LINES, window).is_none());
    let utf16: Vec<u8> = bgzf_block(b"\xff\xfea\x00b\x00").repeat(60);
    assert!(Text::new(&utf16).divided(LINES, window).is_none());
    // A wrong byte in a block is an error for the parts that read the block.
    let mut damaged = blocks.clone();
    let at = blocks.len() / 2;
    damaged[at] ^= 0x55;
    if let Some(parts) = Text::new(&damaged).divided(LINES, window) {
        let read = (0..parts.count()).map(|index| parts.read(index, &mut TextBuffer::default()));
        let failed = read.filter(Result::is_err).count() as u64;
        assert!(failed > 0 && failed < parts.count(), "{failed} of {} parts", parts.count());
    }
}
