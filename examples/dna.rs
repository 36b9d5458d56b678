//! Searches both strands of a sequence for a restriction site with IUPAC codes.
//!
//! `cargo run --example dna`

use nigh::{Searcher, SearcherError};

fn main() -> Result<(), SearcherError> {
    let sequence = b"ttgcatGGATCCaacgTTGACGTTAACGGATCACG";
    // BamHI, and every site with one edit. W is A or T.
    let searcher = Searcher::dna("GGWTCC", 1)?;
    for found in searcher.find_iter(sequence).best() {
        let strand = char::from(found.strand().sign());
        println!("{}\t{}\t{strand}\t{}", found.start(), found.end(), found.distance());
    }
    Ok(())
}
