//! Finds the sites of a guide in a FASTA file: the best match for each place of its PAM, which matches without edits.
//!
//! ```text
//! gi|9626243|ref|NC_001416.1| 10889..10911 + 3 7=1D10=1I1X3=
//! gi|9626243|ref|NC_001416.1| 10889..10912 + 2 7=1D10=1X4=
//! gi|9626243|ref|NC_001416.1| 10889..10913 + 3 7=1D10=1X1=1D3=
//! ```

use std::error::Error;
use std::ops::ControlFlow;

use nigh::{Alphabet, FileEvent, Searcher};

fn main() -> Result<(), Box<dyn Error>> {
    let searcher = Searcher::builder(Alphabet::Dna).pattern("GCGATCACCTGCCGATGCT<NGG>").max_edits(3).build()?;
    searcher.file("tests/data/lambda.fa").sites().for_each(|event| {
        match event {
            FileEvent::Hit(hit) => {
                let record = String::from_utf8_lossy(hit.record.unwrap_or_default());
                println!(
                    "{record} {}..{} {} {} {}",
                    hit.start,
                    hit.end,
                    hit.strand.sign() as char,
                    hit.distance,
                    hit.cigar
                );
            }
            FileEvent::Warning(message) => eprintln!("{message}"),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
