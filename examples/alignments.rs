//! Shows the alignment of a pattern with each of its matches.
//!
//! `cargo run --example alignments`
//!
//! ```text
//! 2..23 8=1I5=1I8=
//!   transaction rolled back
//!   transact-on ro-led back
//! 32..55 18=1D3=1I1=
//!   transaction rolled- back
//!   transaction rolled  ba-k
//! ```

use nigh::Edit;
use nigh::{Match, Searcher, SearcherError};

/// Returns the row of the pattern and the row of the match, with `-` where one of them has no symbol.
fn rows(pattern: &[u8], found: &Match<'_>) -> (String, String) {
    let (mut above, mut below) = (String::new(), String::new());
    let mut symbols = (pattern.iter(), found.text().iter());
    let show = |symbol: Option<&u8>| symbol.map_or('-', |&byte| char::from(byte));
    for (length, edit) in found.cigar().runs() {
        for _ in 0..length {
            above.push(if edit == Edit::TextOnly { '-' } else { show(symbols.0.next()) });
            below.push(if edit == Edit::PatternOnly { '-' } else { show(symbols.1.next()) });
        }
    }
    (above, below)
}

fn main() -> Result<(), SearcherError> {
    let pattern = "transaction rolled back";
    let text = b"a transacton roled back, then a transaction rolled  bak";
    for found in Searcher::new(pattern, 3)?.find_iter(text).best() {
        let (above, below) = rows(pattern.as_bytes(), &found);
        println!("{:?} {}\n  {above}\n  {below}", found.range(), found.cigar());
    }
    Ok(())
}
