//! Groups of patterns as columns: the parts of simulated reads.

use fastrand::Rng;

use crate::harness::{Nigh, each_way, once};

/// A barcode of 16 bases, a UMI of 12, and a tail of T.
const READ: &str = "(?<bc>[ACGT]{16})(?<umi>[ACGT]{12})T{10}";

fn random(rng: &mut Rng, length: usize) -> String {
    (0..length).map(|_| char::from(b"ACGT"[rng.usize(..4)])).collect()
}

fn reverse_complement(sequence: &str) -> String {
    let complement = |base: char| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        _ => 'A',
    };
    sequence.chars().rev().map(complement).collect()
}

/// A read with its barcode and its UMI.
struct SimulatedRead {
    barcode: String,
    umi: String,
    sequence: String,
}

impl SimulatedRead {
    /// Makes a read whose tail has about `edits` edits.
    fn new(rng: &mut Rng, edits: usize) -> Self {
        let (barcode, umi) = (random(rng, 16), random(rng, 11) + "G");
        let mut tail: Vec<char> = "TTTTTTTTTT".chars().collect();
        for _ in 0..edits {
            let at = rng.usize(1..tail.len() - 1);
            match rng.usize(..3) {
                0 => tail[at] = 'C',
                1 => tail.insert(at, 'A'),
                _ => drop(tail.remove(at)),
            }
        }
        let sequence = format!("{barcode}{umi}{}G{}", String::from_iter(tail), random(rng, 30));
        SimulatedRead { barcode, umi, sequence }
    }
}

/// Writes reads, of which every second is the reverse complement, as FASTQ.
fn write_reads(nigh: &Nigh, reads: &[SimulatedRead]) {
    let record = |(index, read): (usize, &SimulatedRead)| {
        let reverse = reverse_complement(&read.sequence);
        let sequence = if index % 2 == 0 { &read.sequence } else { &reverse };
        format!("@r{index}\n{sequence}\n+\n{}\n", "I".repeat(sequence.len()))
    };
    nigh.write("reads.fq", reads.iter().enumerate().map(record).collect::<String>());
}

/// Returns the first 16 and the next 12 symbols of a pattern in an aligned match. A symbol that only the text has belongs to
/// the group before it.
fn parts(matched: &str, cigar: &str, strand: &str) -> [String; 2] {
    let mut edits: Vec<char> = Vec::new();
    let mut length = String::new();
    for symbol in cigar.chars() {
        if symbol.is_ascii_digit() {
            length.push(symbol);
        } else {
            edits.extend(std::iter::repeat_n(symbol, length.parse().unwrap()));
            length.clear();
        }
    }
    let mut text = matched.to_owned();
    if strand == "-" {
        edits.reverse();
        text = reverse_complement(matched);
    }
    let (mut parts, mut read, mut text) = ([String::new(), String::new()], 0, text.chars());
    for edit in edits {
        read += usize::from(edit != 'D');
        let symbol = if edit == 'I' { None } else { text.next() };
        match read {
            1..=16 => parts[0].extend(symbol),
            17..=28 => parts[1].extend(symbol),
            _ => {}
        }
    }
    parts
}

#[test]
fn groups_are_the_parts_of_simulated_reads() {
    each_way(|nigh| {
        let mut rng = Rng::with_seed(43);
        let reads: Vec<SimulatedRead> = (0..200).map(|_| SimulatedRead::new(&mut rng, 0)).collect();
        write_reads(nigh, &reads);
        let expected: String = (reads.iter().enumerate())
            .map(|(index, read)| format!("r{index}\t{}\t{}\t{}\n", read.barcode, read.umi, read.umi))
            .collect();
        nigh.prints(&format!("-k0 --hits best --columns record,bc,umi,2 ^{READ} reads.fq"), &expected);
        let reverse = reads.iter().skip(1).step_by(2);
        let expected: String = reverse.map(|read| format!("{}\n", read.umi)).collect();
        nigh.prints(&format!("-k0 --strand reverse --hits best --columns umi ^{READ} reads.fq"), &expected);
    });
}

#[test]
fn groups_of_reads_with_edits_follow_the_alignment() {
    each_way(|nigh| {
        let mut rng = Rng::with_seed(44);
        let reads: Vec<SimulatedRead> = (0..200).map(|index| SimulatedRead::new(&mut rng, index % 3)).collect();
        write_reads(nigh, &reads);
        let columns = "--columns record,strand,cigar,match,bc,umi,distance";
        let mut as_simulated = 0;
        for pattern in
            [READ, "^(?<bc>[ACGT]{16})(?<umi>[ACGT]{12})T{10}G", "(?<bc>[ACGT]{16})(?<umi>[AC]?[ACGT]{11})T{10,11}"]
        {
            let table = nigh.run(&format!("-k2 --hits best {columns} {pattern} reads.fq")).text();
            let mut rows = 0;
            for row in table.lines() {
                let fields: Vec<&str> = row.split('\t').collect();
                let [record, strand, cigar, matched, bc, umi, _] = fields[..] else { panic!("{row}") };
                let read = &reads[record[1..].parse::<usize>().unwrap()];
                rows += 1;
                as_simulated += usize::from((bc, umi) == (&read.barcode, &read.umi));
                if !pattern.contains("[AC]?") {
                    assert_eq!([bc, umi], parts(matched, cigar, strand).each_ref().map(|part| part.as_str()), "{row}");
                } else {
                    let text = if strand == "-" { reverse_complement(matched) } else { matched.to_owned() };
                    assert!(text.starts_with(&[bc, umi].concat()), "{row}");
                }
            }
            assert!(rows >= 150, "{pattern}: {rows} rows");
        }
        assert!(as_simulated > 250, "{as_simulated} of the rows are as simulated");
    });
}

#[test]
fn parts_in_angle_brackets_are_as_simulated_whatever_edits_the_tail_has() {
    each_way(|nigh| {
        let mut rng = Rng::with_seed(46);
        let reads: Vec<SimulatedRead> = (0..200).map(|index| SimulatedRead::new(&mut rng, index % 3)).collect();
        write_reads(nigh, &reads);
        let expected: String = (reads.iter().enumerate())
            .map(|(index, read)| format!("r{index}\t{}\t{}\n", read.barcode, read.umi))
            .collect();
        let pattern = "^<(?<bc>[ACGT]{16})(?<umi>[ACGT]{12})>T{10}G";
        nigh.prints(&format!("-k2 --hits best --columns record,bc,umi {pattern} reads.fq"), &expected);
    });
}

#[test]
fn a_group_that_took_no_part_is_a_dot_and_a_column_hides_a_group() {
    each_way(|nigh| {
        nigh.write("s.fa", ">a\nCCGAT\nTACACC\n");
        let options = "-k0 --strand forward --hits best";
        nigh.prints(
            &format!("{options} --header --columns a,2,0 (?<a>GATT)ACA(G)? s.fa"),
            "a\t2\t0\nGATT\t.\tGATTACA\n",
        );
        nigh.prints(&format!("{options} --columns start,1 (?<start>GATT)ACA s.fa"), "2\tGATT\n");
        // A group of another pattern.
        let options = format!("{options} --columns a,b,pattern -e (?<a>GAT)TA -e (?<b>CAC)C s.fa");
        nigh.prints(&options, "GAT\t.\t(?<a>GAT)TA\n.\tCAC\t(?<b>CAC)C\n");
    });
}

#[test]
fn names_that_are_neither_columns_nor_groups_are_refused() {
    once(|nigh| {
        nigh.write("s.fa", ">a\nACGT\n");
        nigh.fails(
            "-k0 --columns record,bar (?<bc>AC)(GT) s.fa",
            "nigh: --columns: no such column or group 'bar'; the columns are file, record, start, end, column_start, column_end, pattern,",
        );
        nigh.fails("-k0 --columns record,bar (?<bc>AC)(GT) s.fa", "bulge_size; the groups are bc, 2\n");
        nigh.fails("-k0 --columns 1 ACGT s.fa", "; the patterns have no groups\n");
        nigh.fails("-k0 --columns , ACGT s.fa", "a name is empty");
    });
}
