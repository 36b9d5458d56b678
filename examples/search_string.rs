//! Finds misspellings of a word in a text.
//!
//! `cargo run --example search_string`
//!
//! ```text
//! "adress" at 4..10, 1 edit
//! "addres." at 52..59, 1 edit
//! ```

use nigh::{Searcher, SearcherError};

fn main() -> Result<(), SearcherError> {
    let text = "The adress was wrong, so the letter went to another addres.";
    let searcher = Searcher::new("address", 1)?;
    for found in searcher.find_iter(text.as_bytes()).best() {
        println!("{:?} at {:?}, {} edit", &text[found.range()], found.range(), found.distance());
    }
    Ok(())
}
