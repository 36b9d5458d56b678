//! `--hits best`: one of all ends that are mostly the same match, wherever the text is cut.

use crate::harness::{each_way, once};

/// The least distance of the pattern from a text that ends at each place, for a start anywhere.
fn distances(pattern: &[char], text: &[char]) -> Vec<usize> {
    let mut column: Vec<usize> = (0..=pattern.len()).collect();
    let mut found = vec![pattern.len()];
    for symbol in text {
        let mut diagonal = std::mem::replace(&mut column[0], 0);
        for row in 1..=pattern.len() {
            let step = diagonal + usize::from(pattern[row - 1] != *symbol);
            diagonal = column[row];
            column[row] = step.min(diagonal + 1).min(column[row - 1] + 1);
        }
        found.push(column[pattern.len()]);
    }
    found
}

/// The definition: ends and distances of what is shown of a pattern in a line or record.
fn best(pattern: &str, text: &[char], k: usize) -> Vec<(usize, usize)> {
    let pattern: Vec<char> = pattern.chars().collect();
    let (mut shown, mut floor) = (Vec::new(), 0);
    loop {
        let from_floor = distances(&pattern, &text[floor..]);
        let hits = || from_floor.iter().enumerate().skip(1).filter(|&(_, &distance)| distance <= k);
        let Some((first, _)) = hits().next() else { return shown };
        let (end, &distance) =
            hits().take_while(|(end, _)| *end <= first + 2 * k).min_by_key(|&(end, d)| (d, end)).unwrap();
        shown.push((floor + end, distance));
        floor += end;
    }
}

fn reverse_complement(pattern: &str) -> String {
    let complement = |base| ['T', 'G', 'C', 'A']["ACGT".find(base).unwrap()];
    pattern.chars().rev().map(complement).collect()
}

const SIZES: [usize; 8] = [1, 2, 3, 4, 7, 20, 64, 1000];

#[test]
fn sequences_have_one_hit_for_each_cluster_whatever_the_batches() {
    once(|nigh| {
        let mut random = fastrand::Rng::with_seed(11);
        for round in 0..30 {
            let letters = [&b"A"[..], b"AT", b"AAAC", b"ACGT"][round % 4];
            let mut records = Vec::new();
            let mut text = String::new();
            for record in 0..3 {
                let bases: String =
                    (0..random.usize(0..150)).map(|_| char::from(letters[random.usize(0..letters.len())])).collect();
                text += &format!(">r{record}\n");
                bases
                    .as_bytes()
                    .chunks(9)
                    .for_each(|line| text += &format!("{}\n", std::str::from_utf8(line).unwrap()));
                records.push(bases.chars().collect::<Vec<char>>());
            }
            let k = round % 3;
            let length = random.usize(k + 1..8);
            let patterns: Vec<String> = (0..2)
                .map(|_| (0..length).map(|_| char::from(letters[random.usize(0..letters.len())])).collect())
                .collect();
            let mut expected = String::new();
            for (record, bases) in records.iter().enumerate() {
                let mut rows = Vec::new();
                for (index, pattern) in patterns.iter().enumerate() {
                    let forward = best(pattern, bases, k).into_iter().map(|(end, distance)| (end, 2 * index, distance));
                    let reverse = best(&reverse_complement(pattern), bases, k);
                    rows.extend(
                        forward.chain(reverse.into_iter().map(|(end, distance)| (end, 2 * index + 1, distance))),
                    );
                }
                rows.sort_unstable();
                let row = |(end, kind, distance)| {
                    format!("r{record} {end} {} {distance} {}\n", patterns[kind / 2], ["+", "-"][kind % 2])
                };
                expected.extend(rows.into_iter().map(row));
            }
            nigh.write("s.fa", text);
            for size in SIZES {
                for threads in [1, 3] {
                    let run = nigh.run(&format!(
                        "--hits best -k{k} -j{threads} --batch-size {size} -e {} -e {} s.fa",
                        patterns[0], patterns[1]
                    ));
                    let rows = run
                        .text()
                        .lines()
                        .map(|row| {
                            let columns: Vec<&str> = row.split('\t').collect();
                            format!("{} {} {} {} {}\n", columns[0], columns[2], columns[3], columns[4], columns[5])
                        })
                        .collect::<String>();
                    assert_eq!(
                        rows, expected,
                        "k {k}, {patterns:?}, batches of {size}, {threads} threads, {records:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn ends_in_text_have_one_for_each_cluster_whatever_the_batches() {
    once(|nigh| {
        let mut random = fastrand::Rng::with_seed(5);
        let letters = ['a', 'ß', '日', 'b'];
        for round in 0..20 {
            let some = 1 + round % 4;
            let lines: Vec<Vec<char>> =
                (0..3).map(|_| (0..random.usize(0..90)).map(|_| letters[random.usize(0..some)]).collect()).collect();
            let k = round % 3;
            let pattern: String = (0..random.usize(k + 1..7)).map(|_| letters[random.usize(0..some)]).collect();
            let (mut expected, mut text) = (String::new(), String::new());
            for line in &lines {
                for (end, distance) in best(&pattern, line, k) {
                    let bytes = text.len() + line[..end].iter().map(|symbol| symbol.len_utf8()).sum::<usize>();
                    expected += &format!("t\t{bytes}\t{distance}\t{pattern}\n");
                }
                text.extend(line);
                text.push('\n');
            }
            nigh.write("t", text);
            for size in SIZES {
                for threads in [1, 3] {
                    let run =
                        nigh.run(&format!("--ends --hits best -k{k} -j{threads} --batch-size {size} {pattern} t"));
                    assert_eq!(
                        run.text(),
                        expected,
                        "k {k}, {pattern}, batches of {size}, {threads} threads, {lines:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn the_best_of_a_cluster_is_the_same_on_every_engine_and_in_every_format() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTACATTTTGATACATT\n>q\nTGTAATCGATTACA\n");
        let rows = "r\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n\
                    r\t13\t19\tGATTACA\t1\t+\t2=1I4=\tGATACA\n\
                    q\t0\t7\tGATTACA\t0\t-\t7=\tTGTAATC\n\
                    q\t7\t14\tGATTACA\t0\t+\t7=\tGATTACA\n";
        nigh.prints("-k1 --hits best GATTACA s.fa", rows);
        assert!(nigh.run("-k1 GATTACA s.fa").text().lines().count() > 4);
        assert_eq!(nigh.run("-k1 --hits all GATTACA s.fa").text(), nigh.run("-k1 GATTACA s.fa").text());
        let bed = "r\t2\t9\tGATTACA\t1000\t+\nr\t13\t19\tGATTACA\t857\t+\n";
        nigh.prints("-k1 --hits best --format bed -m1 GATTACA s.fa", bed);
        nigh.prints("-k1 -o GATTACA s.fa", "GATTACA\nGATACA\nTGTAATC\nGATTACA\n");
        assert!(nigh.run("-k1 -o --hits all GATTACA s.fa").text().lines().count() > 4);
        nigh.prints("-k1 -c --hits best GATTACA s.fa", "2\n");
        nigh.write("t", "deadlok\n");
        nigh.prints("-k1 --ends --hits best deadlock t", "t\t7\t1\tdeadlock\n");
        nigh.fails("-k1 --hits best deadlock t", "--hits is for --ends, --align and sequences");
        nigh.fails("-k1 --hits some GATTACA s.fa", "invalid value 'some'");
    });
}

#[test]
fn hits_without_end_are_chosen_from_in_order() {
    each_way(|nigh| {
        nigh.write("s.fa", format!(">a\n{}\n>b\nACGTAAAAAA\n", "A".repeat(100_000)));
        let run = nigh.run("-k1 --strand forward --hits best AAAAAAAAAA s.fa");
        let text = run.text();
        let ends: Vec<usize> = text.lines().map(|row| row.split('\t').nth(2).unwrap().parse().unwrap()).collect();
        assert!(ends[..10_000].iter().enumerate().all(|(index, &end)| end == 10 * (index + 1)), "{:?}", &ends[..5]);
        assert_eq!(ends.len(), 10_000);
    });
}
