//! Prints the sites of a guide in a FASTA file, each with the best match for its PAM, and counts matches in 1,000 texts.
//! Ctrl-C stops the search.
//!
//! ```text
//! 10889..10911 + 3
//! 10889..10912 + 2
//! 10889..10913 + 3
//! 1000 matches
//! ```
use std::ops::ControlFlow::{Break, Continue};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use nigh::{Alphabet, FileEvent, Searcher};

static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    ctrlc::set_handler(|| STOPPED.store(true, Relaxed))?;
    let guide = Searcher::builder(Alphabet::Dna).pattern("GCGATCACCTGCCGATGCT<NGG>").max_edits(3).build()?;
    let file = std::env::args().nth(1).unwrap_or("tests/data/lambda.fa".to_owned());
    guide.file(file).sites().for_each(|event| {
        if let FileEvent::Hit(site) = event {
            println!("{}..{} {} {}", site.start, site.end, site.strand.sign() as char, site.distance);
        }
        if STOPPED.load(Relaxed) { Break(()) } else { Continue(()) }
    })?;
    let texts: Vec<String> = (0..1000).map(|n| format!("{n}: conection refused")).collect();
    let phrase = Searcher::new("connection refused", 2)?;
    let found = phrase.find_in_texts(texts.iter().map(|text| text.as_bytes())).best();
    println!("{} matches", found.take_while(|_| !STOPPED.load(Relaxed)).count());
    Ok(())
}
