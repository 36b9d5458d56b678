//! Random and adversarial pairs for tests.

use fastrand::Rng;

/// A query and a target that own their bytes.
pub(crate) type OwnedPair = (Vec<u8>, Vec<u8>);

/// Returns a random pair of at most `max_length` symbols each. The target is unrelated to the query, a copy of it with
/// some edits, a part of it, or a string with long runs; either may be empty.
pub(crate) fn random_pair(rng: &mut Rng, max_length: usize) -> OwnedPair {
    let letters: &[u8] = match rng.u8(..4) {
        0 => b"ACGT",
        1 => b"ab",
        2 => b"ARNDCQEGHILKMFPSTWYV",
        _ => b"abcdefghijklmnopqrstuvwxyz0123456789 \x00\xff\x80",
    };
    let query = random_string(rng, letters, max_length);
    let target = match rng.u8(..6) {
        0 => random_string(rng, letters, max_length),
        1 => query.clone(),
        2 => runs(rng, letters, max_length),
        3 => query[rng.usize(..=query.len() / 2)..].to_vec(),
        _ => mutated(rng, &query, letters),
    };
    let mut pair = (query, target);
    pair.1.truncate(max_length);
    if rng.bool() { (pair.1, pair.0) } else { pair }
}

fn random_string(rng: &mut Rng, letters: &[u8], max_length: usize) -> Vec<u8> {
    let length = if rng.u8(..8) == 0 { rng.usize(..=2.min(max_length)) } else { rng.usize(..=max_length) };
    (0..length).map(|_| letters[rng.usize(..letters.len())]).collect()
}

fn runs(rng: &mut Rng, letters: &[u8], max_length: usize) -> Vec<u8> {
    let mut string = Vec::new();
    while string.len() < max_length {
        let letter = letters[rng.usize(..letters.len())];
        string.extend(std::iter::repeat_n(letter, rng.usize(1..=70)));
    }
    string.truncate(rng.usize(..=max_length));
    string
}

fn mutated(rng: &mut Rng, string: &[u8], letters: &[u8]) -> Vec<u8> {
    let rate = rng.u32(1..30);
    let mut changed = Vec::new();
    for &symbol in string {
        match rng.u32(..100) {
            dice if dice >= rate => changed.push(symbol),
            dice => match dice % 3 {
                0 => {}
                1 => changed.push(letters[rng.usize(..letters.len())]),
                _ => changed.extend([letters[rng.usize(..letters.len())], symbol]),
            },
        }
    }
    changed
}
