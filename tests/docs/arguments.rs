//! The man page and the completions match the definition of the arguments.

use std::fs;

use crate::generate::{Document, made};
use crate::support::root::root;

#[test]
fn man_page_and_completions_are_those_of_the_arguments() {
    for (document, file, kept) in Document::FILES {
        let made = made(document);
        if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some() {
            fs::write(root().join(file), &made).unwrap();
            continue;
        }
        assert!(kept == made, "{file} is out of date; run NIGH_UPDATE_DOCUMENTS=1 cargo test --test docs");
    }
}

#[test]
fn the_man_page_describes_each_option() {
    let page = made(Document::Man);
    for paragraph in page.split(".TP\n").skip(1) {
        let (name, text) = paragraph.split_once('\n').unwrap();
        assert!(!text.trim().is_empty(), "{name}");
    }
    assert!(page.contains(".TH nigh 1") && page.contains("Treat every input as FASTA"));
}
