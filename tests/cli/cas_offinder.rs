//! Cas-OFFinder's input file and columns.

use std::fs;

use crate::harness::{Nigh, each_way, once};

/// Returns whether an IUPAC code stands for a base.
fn is_one_of(base: u8, code: u8) -> bool {
    match code {
        b'N' => true,
        b'R' => b"AG".contains(&base),
        code => base == code,
    }
}

fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let complement = |base: &u8| b"TGCA"[b"ACGT".iter().position(|known| known == base).unwrap()];
    bases.iter().rev().map(complement).collect()
}

/// Returns the rows of a query in a record, in the order of ends, then of strands. A site matches the pattern, and has
/// at most `max` mismatches with the query.
fn sites(record: (&str, &[u8]), pattern: &[u8], query: &str, max: usize) -> Vec<(usize, usize, String)> {
    let (name, bases) = record;
    let mut rows = Vec::new();
    for (start, window) in bases.windows(pattern.len()).enumerate() {
        for (order, strand) in ["+", "-"].into_iter().enumerate() {
            let site = if strand == "+" { window.to_vec() } else { reverse_complement(window) };
            if !site.iter().zip(pattern).all(|(&base, &code)| is_one_of(base, code)) {
                continue;
            }
            let shown = |(&base, code)| if is_one_of(base, code) { base } else { base.to_ascii_lowercase() };
            let shown: String = site.iter().zip(query.bytes()).map(shown).map(char::from).collect();
            let mismatches = shown.bytes().filter(u8::is_ascii_lowercase).count();
            if mismatches <= max {
                rows.push((start, order, format!("{query}\t{name}\t{start}\t{shown}\t{strand}\t{mismatches}\n")));
            }
        }
    }
    rows
}

#[test]
fn sites_are_those_of_every_place_and_strand() {
    each_way(|nigh| {
        let mut random = fastrand::Rng::with_seed(8);
        let mut bases =
            |length: usize| -> String { (0..length).map(|_| char::from(*random.choice(b"ACGT").unwrap())).collect() };
        let records: Vec<(String, String)> = (0..3).map(|index| (format!("chr{index}"), bases(700))).collect();
        let queries = [(bases(8) + "NNN", 3), (bases(8) + "NNN", 4), (bases(4) + "N" + &bases(3) + "NNN", 0)];
        nigh.write(
            "genome.fa",
            records.iter().map(|(name, bases)| format!(">{name} of a genome\n{bases}\n")).collect::<String>(),
        );
        let mut input = "genome.fa\nNNNNNNNNNRG\n".to_owned();
        queries.iter().for_each(|(query, max)| input += &format!("{query} {max}\n"));
        nigh.write("input.txt", input);
        let mut expected = Vec::new();
        for (record, (name, bases)) in records.iter().enumerate() {
            for (number, (query, max)) in queries.iter().enumerate() {
                let rows = sites((name, bases.as_bytes()), b"NNNNNNNNNRG", query, *max);
                expected.extend(rows.into_iter().map(|(start, order, row)| (record, start, number, order, row)));
            }
        }
        expected.sort();
        assert!(expected.len() > 30, "{} sites", expected.len());
        let expected: String = expected.into_iter().map(|(.., row)| row).collect();
        nigh.prints("--format cas-offinder -f input.txt", &expected);
        nigh.prints("--format cas-offinder -f input.txt genome.fa", &expected);
    });
}

#[test]
fn bulges_are_those_of_version_3() {
    each_way(|nigh| {
        // Record a has a site without a bulge, record b one with an additional base, and record c one with a missing
        // base, on the reverse strand.
        nigh.write("s.fa", ">a\nCCCCGATTACACCTTAGGCC\n>b\nCCCCGATTACAGCCTTAGGCC\n>c\nAACCTAAGTGTAATCAA\n");
        nigh.write("input.txt", "s.fa\r\nNNNNNNNNNNNNGG 1 1\r\nGATTACACCTTNNN 0 one\r\n\r\n");
        nigh.prints(
            "--format cas-offinder -f input.txt",
            "one\tX\tGATTACACCTTNGG\tGATTACACCTTAGG\ta\t4\t+\t0\t0\n\
             one\tDNA\tGATTACA-CCTTNGG\tGATTACAGCCTTAGG\tb\t4\t+\t0\t1\n\
             one\tRNA\tGATTACACCTTNGG\tGATTACA-CTTAGG\tc\t2\t-\t0\t1\n",
        );
    });
}

#[test]
fn the_genome_may_be_a_directory() {
    once(|nigh: &Nigh| {
        fs::create_dir(nigh.path().join("genome")).unwrap();
        nigh.write("genome/1.fa", ">x\nGATTACAAGG\n").write("genome/2.fa", ">y\nGATTACATGG\n");
        nigh.write("input.txt", "genome\nNNNNNNNNGG\nGATTACANNN 0\n");
        let rows = "GATTACANNN\tx\t0\tGATTACAAGG\t+\t0\nGATTACANNN\ty\t0\tGATTACATGG\t+\t0\n";
        nigh.prints("--format cas-offinder -f input.txt", rows);
        nigh.write("genome/README.txt", "only sequences are wanted\n");
        nigh.prints("--format cas-offinder -f input.txt", rows);
        nigh.write("input.txt", "none/genome\nNNNNNNNNGG\nGATTACANNN 0\n");
        nigh.fails("--format cas-offinder -f input.txt", "nigh: none/genome: No such file or directory\n");
    });
}

#[test]
fn errors_in_an_input_file_name_its_line() {
    once(|nigh| {
        nigh.write("s.fa", ">x\nGATTACAAGG\n");
        let fails = |input: &str, words: &str| {
            nigh.write("input.txt", input);
            nigh.fails("--format cas-offinder -f input.txt", words);
        };
        fails("", "input.txt:1: expected the path of a genome");
        fails("s.fa\n", "input.txt:2: expected a pattern with a PAM");
        fails(
            "s.fa\nNGG 1\nANN 1\n",
            "input.txt:2: expected a pattern, or a pattern and the sizes of DNA and RNA bulges",
        );
        fails("s.fa\nNGG\nANN\n", "input.txt:3: expected a query, its number of mismatches");
        fails("s.fa\nNGG\nAANN 1\n", "input.txt:3: the query has 4 letters, but the pattern has 3");
        fails("s.fa\nNGG\nANN x\n", "input.txt:3: expected a number, not 'x'");
        fails("s.fa\nNRG\nANN 1\nAGG 1\n", "input.txt:4: letter 2 is G in the query but R in the pattern");
        nigh.fails("--format cas-offinder -f -", "the file cannot be standard input");
        nigh.write("input.txt", "missing.fa\nNGG\nANN 0\n");
        nigh.fails("--format cas-offinder -f input.txt", "missing.fa: No such file");
        nigh.fails(
            "--format cas-offinder -H -f input.txt s.fa",
            "--with-filename cannot be used with --format cas-offinder",
        );
    });
}
