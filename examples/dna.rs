//! Searches both strands of a sequence for a restriction site with IUPAC codes.
//!
//! `cargo run --example dna`
//!
//! ```text
//! 6  12  +  0
//! 6  12  -  0
//! 27  33  +  1
//! 27  33  -  1
//! ```

use nigh::{Searcher, SearcherError};

fn main() -> Result<(), SearcherError> {
    let sequence = b"ttgcatGGATCCaacgTTGACGTTAACGGATCACG";
    // The site of BamHI with W, which is A or T, and with at most one edit.
    let searcher = Searcher::dna("GGWTCC", 1)?;
    for found in searcher.find_iter(sequence).best() {
        let strand = char::from(found.strand().sign());
        println!("{}  {}  {strand}  {}", found.start(), found.end(), found.distance());
    }
    Ok(())
}
