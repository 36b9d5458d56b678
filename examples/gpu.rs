//! Searches with an NVIDIA GPU, or with the CPU if there is none.
//!
//! `cargo run --release --example gpu`

use nigh::{Alphabet, Devices, EngineChoice, Fallback, Searcher, SearcherBuilder, SearcherError};

fn main() -> Result<(), SearcherError> {
    let builder =
        || -> SearcherBuilder { Searcher::builder(Alphabet::Dna).pattern("GGGCGGCGACCTCGCGGGTT").max_edits(3) };
    let cuda = builder().engine(EngineChoice::Cuda(Devices::First, Fallback::Allowed)).build();
    let searcher = cuda.or_else(|error| {
        eprintln!("{error}; searching on the CPU");
        builder().build()
    })?;
    let genome = b"ACGT".repeat(1 << 20);
    println!("{} matches", searcher.find_iter(&genome).count());
    Ok(())
}
