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
    // BamHI, and every site with one edit. W is A or T.
    let searcher = Searcher::dna("GGWTCC", 1)?;
    for found in searcher.find_iter(sequence).best() {
        let strand = char::from(found.strand().sign());
        println!("{}  {}  {strand}  {}", found.start(), found.end(), found.distance());
    }
    Ok(())
}
