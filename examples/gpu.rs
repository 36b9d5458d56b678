//! Searches both strands of a genome with an NVIDIA GPU, or with the CPU if there is none.
//!
//! `cargo run --release --example gpu`
//!
//! ```text
//! 300000  300020  +  1  13=1X6=
//! 700000  700019  -  1  9=1I10=
//! ```

use nigh::{Alphabet, EngineChoice, Searcher, SearcherBuilder, SearcherError};

const PATTERN: &str = "GGGCGGCGACCTCGCGGGTT";

/// Returns a million bases that contain the pattern with one base substituted, and its reverse complement with one base
/// deleted.
fn genome() -> Vec<u8> {
    let mut genome = b"ACGT".repeat(1 << 18);
    for (start, site) in [(300_000, &b"GGGCGGCGACCTCTCGGGTT"[..]), (700_000, b"AACCCGCGAGTCGCCGCCC")] {
        genome[start..start + site.len()].copy_from_slice(site);
    }
    genome
}

fn builder() -> SearcherBuilder {
    Searcher::builder(Alphabet::Dna).pattern(PATTERN).max_edits(3)
}

fn main() -> Result<(), SearcherError> {
    let searcher = match builder().engine(EngineChoice::cuda()).build() {
        Ok(searcher) => searcher,
        Err(error) => {
            eprintln!("{error}; searching with the CPU");
            builder().build()?
        }
    };
    for found in searcher.find_iter(&genome()).best() {
        let strand = char::from(found.strand().sign());
        println!("{}  {}  {strand}  {}  {}", found.start(), found.end(), found.distance(), found.cigar());
    }
    Ok(())
}
