//! Patterns and inputs at will: whatever they hold, they are read or refused, and nothing is lost on the way.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use nigh::alphabet::Alphabet;
use nigh::input::{Batcher, Format, LongLines, Source, Window};
use nigh::pattern::{MaxErrors, PatternSet, PatternSource};

fuzz_target!(|data: &[u8]| {
    let (&[first, ref data @ ..], window) = (match data {
        [window, rest @ ..] if !rest.is_empty() => (rest, usize::from(*window) + 1),
        _ => return,
    }) else {
        return;
    };
    let alphabet = [Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein][usize::from(first) % 4];
    let builder = PatternSet::builder(alphabet).max_errors(MaxErrors::Auto);
    if let Ok(set) = builder.build(&[PatternSource::new(data)]) {
        assert!(set.patterns().iter().all(|pattern| pattern.k() < pattern.symbols().len()));
    }
    let long = if first & 4 == 0 { LongLines::Cut } else { LongLines::Whole };
    let format = match (alphabet.is_sequence(), first & 8 == 0) {
        (true, true) => Format::Fasta { long },
        (true, false) => Format::Fastq,
        (false, _) => Format::Lines { terminator: b'\n', long },
    };
    let window = Window { bytes: window, reach: usize::from(first >> 3), alphabet };
    let mut batcher = Batcher::new(Source::from_reader(Cursor::new(data.to_vec())), format, window);
    let mut owned = Vec::new();
    while let Ok(Some(batch)) = batcher.next_batch(&mut Vec::new()) {
        owned.extend_from_slice(&batch.bytes()[batch.owned()]);
    }
    // Lines own every byte once; FASTA that is refused ends early.
    if !alphabet.is_sequence() {
        assert!(owned == data, "every byte has one owner");
    } else {
        assert!(data.starts_with(&owned), "bytes are owned in order");
    }
});
