//! The man page and the completions match the definition of the arguments.

use std::fs;

use crate::generate::{Document, NIGH, PROGRAMS, made};
use crate::support::root::root;

#[test]
fn man_page_and_completions_are_those_of_the_arguments() {
    let documents = PROGRAMS.into_iter().flat_map(|program| Document::ALL.map(|document| (program, document)));
    for (program, document) in documents {
        let (made, file) = (made(program, document), document.file(program));
        if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some() {
            fs::write(root().join(file), &made).unwrap();
            continue;
        }
        let kept = fs::read_to_string(root().join(&file)).unwrap();
        assert!(kept == made, "{file} is out of date; run NIGH_UPDATE_DOCUMENTS=1 cargo test --test docs");
    }
}

#[test]
fn the_man_page_describes_each_option() {
    for program in PROGRAMS {
        for paragraph in made(program, Document::Man).split(".TP\n").skip(1) {
            let (name, text) = paragraph.split_once('\n').unwrap();
            assert!(!text.trim().is_empty(), "{name} has no description");
        }
    }
    let page = made(NIGH, Document::Man);
    assert!(page.contains(".TH nigh 1") && page.contains("Treat every input as FASTA"));
}
