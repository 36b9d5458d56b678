//! Counts how often each of several phrases occurs in a log with at most two edits.
//!
//! `cargo run --example many_patterns -- tests/data/service.log`
//!
//! ```text
//! 3  connection refused
//! 1  deadlock detected
//! 0  disk full
//! ```

use std::error::Error;

use nigh::Alphabet;
use nigh::Searcher;

const PHRASES: [&str; 3] = ["connection refused", "deadlock detected", "disk full"];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or("tests/data/service.log".to_owned());
    let log = std::fs::read(path)?;
    let searcher = Searcher::builder(Alphabet::Text).patterns(PHRASES).max_edits(2).build()?;
    let mut counts = [0; PHRASES.len()];
    for found in searcher.find_iter(&log).best() {
        counts[found.pattern()] += 1;
    }
    for (phrase, count) in PHRASES.iter().zip(counts) {
        println!("{count}  {phrase}");
    }
    Ok(())
}
