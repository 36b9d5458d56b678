//! `--hits best`: greedy selection of the best matches that do not overlap. It does not depend on batch boundaries.

use crate::harness::{Nigh, each_way, once, shipped};

/// A match of a pattern in a line or record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    end: usize,
    start: usize,
    distance: usize,
}

impl Match {
    fn length(&self) -> usize {
        self.end - self.start
    }
}

/// Returns all matches of a pattern with at most k edits: each end with its smallest distance, and the start that a
/// traceback finds. It prefers the diagonal step, then the pattern-only step, then the text-only step.
fn matches(pattern: &[char], text: &[char], k: usize) -> Vec<Match> {
    // columns[j][i] is the smallest distance of the first i symbols of the pattern from any substring of the text that
    // ends before position j.
    let mut columns = vec![(0..=pattern.len()).collect::<Vec<usize>>()];
    for symbol in text {
        let left = columns.last().unwrap();
        let mut column = vec![0];
        for row in 1..=pattern.len() {
            let step = left[row - 1] + usize::from(pattern[row - 1] != *symbol);
            column.push(step.min(left[row] + 1).min(column[row - 1] + 1));
        }
        columns.push(column);
    }
    let start_of = |end: usize| {
        let (mut row, mut at) = (pattern.len(), end);
        while row > 0 {
            let here = columns[at][row];
            if at > 0 && here == columns[at - 1][row - 1] + usize::from(pattern[row - 1] != text[at - 1]) {
                (row, at) = (row - 1, at - 1);
            } else if here == columns[at][row - 1] + 1 {
                row -= 1;
            } else {
                at -= 1;
            }
        }
        at
    };
    let ends = (1..=text.len()).filter(|&end| columns[end][pattern.len()] <= k);
    ends.map(|end| Match { end, start: start_of(end), distance: columns[end][pattern.len()] }).collect()
}

/// Returns the best match that ends at `end` and starts at or after `from`, if one has at most k edits: of the least
/// distances the one nearest in length to the pattern, and of two the shorter.
fn later_match(pattern: &[char], text: &[char], k: usize, from: usize, end: usize) -> Option<Match> {
    let starts = (from..end).map(|start| Match { end, start, distance: distance(pattern, &text[start..end]) });
    let rank = |one: &Match| (one.distance, one.length().abs_diff(pattern.len()), one.length());
    starts.filter(|one| one.distance <= k).min_by_key(rank)
}

fn distance(pattern: &[char], text: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=pattern.len()).collect();
    for symbol in text {
        let mut diagonal = row[0];
        row[0] += 1;
        for at in 1..row.len() {
            let substituted = diagonal + usize::from(pattern[at - 1] != *symbol);
            diagonal = row[at];
            row[at] = substituted.min(row[at] + 1).min(row[at - 1] + 1);
        }
    }
    row[pattern.len()]
}

/// Returns the best matches by their definition: takes matches in the order of distance, of start, of difference from
/// the pattern's length and of length, the longest first. A match that overlaps one taken before is replaced by the best
/// match with the same end that starts at its end or later.
fn best(pattern: &str, text: &[char], k: usize) -> Vec<Match> {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut left = matches(&pattern, text, k);
    let mut shown: Vec<Match> = Vec::new();
    let rank = |one: &Match| (one.distance, one.start, one.length().abs_diff(pattern.len()), text.len() - one.length());
    while let Some(best) = (0..left.len()).min_by_key(|&index| rank(&left[index])) {
        let one = left.swap_remove(best);
        if shown.iter().all(|other| other.end <= one.start || one.end <= other.start) {
            shown.push(one);
        } else if shown.iter().all(|other| one.end <= other.start || other.end < one.end) {
            let before = shown.iter().map(|other| other.end).filter(|&end| end < one.end).max();
            left.extend(later_match(&pattern, text, k, before.unwrap_or(0), one.end));
        }
    }
    shown.sort_unstable();
    shown
}

fn reverse_complement(pattern: &str) -> String {
    let complement = |base| ['T', 'G', 'C', 'A']["ACGT".find(base).unwrap()];
    pattern.chars().rev().map(complement).collect()
}

const SIZES: [usize; 8] = [1, 2, 3, 4, 7, 20, 64, 1000];

#[test]
fn sequences_have_the_best_matches_whatever_the_batches() {
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
                    let forward = best(pattern, bases, k).into_iter().map(|one| (one.end, 2 * index, one));
                    let reverse = best(&reverse_complement(pattern), bases, k);
                    rows.extend(forward.chain(reverse.into_iter().map(|one| (one.end, 2 * index + 1, one))));
                }
                rows.sort_unstable();
                let row = |(end, kind, one): (usize, usize, Match)| {
                    let Match { start, distance, .. } = one;
                    format!("r{record} {start} {end} {} {distance} {}\n", patterns[kind / 2], ["+", "-"][kind % 2])
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
                            columns[..6].join(" ") + "\n"
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
fn ends_in_text_are_those_of_the_best_matches_whatever_the_batches() {
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
                for Match { end, distance, .. } in best(&pattern, line, k) {
                    let bytes = text.len() + line[..end].iter().map(|symbol| symbol.len_utf8()).sum::<usize>();
                    expected += &format!("t\t{bytes}\t{distance}\t{pattern}\n");
                }
                text.extend(line);
                text.push('\n');
            }
            nigh.write("t", text);
            for size in SIZES {
                for threads in [1, 3] {
                    let run = nigh
                        .run(&format!("--format=ends --hits best -k{k} -j{threads} --batch-size {size} {pattern} t"));
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
fn the_best_matches_are_the_same_on_every_engine_and_in_every_format() {
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
        nigh.prints("-k1 -c GATTACA s.fa", "2\n");
        nigh.write("t", "deadlok\n");
        nigh.prints("-k1 --format=ends --hits best deadlock t", "t\t7\t1\tdeadlock\n");
        let run = nigh.run("-k1 --hits best deadlock t");
        let words = "nigh: warning: --hits has no effect with lines of text\n";
        assert_eq!((run.text(), run.stderr.as_str()), (nigh.run("-k1 deadlock t").text(), words));
        nigh.fails("-k1 --hits some GATTACA s.fa", "invalid value 'some'");
    });
}

#[test]
fn overlapping_hits_are_selected_in_order() {
    each_way(|nigh| {
        nigh.write("s.fa", format!(">a\n{}\n>b\nACGTAAAAAA\n", "A".repeat(100_000)));
        let run = nigh.run("-k1 --strand forward --hits best AAAAAAAAAA s.fa");
        let text = run.text();
        let ends: Vec<usize> = text.lines().map(|row| row.split('\t').nth(2).unwrap().parse().unwrap()).collect();
        assert!(ends[..10_000].iter().enumerate().all(|(index, &end)| end == 10 * (index + 1)), "{:?}", &ends[..5]);
        assert_eq!(ends.len(), 10_000);
    });
}

/// Returns the rows of a search in sequences: start, end, distance and CIGAR.
fn places(nigh: &Nigh, arguments: &str) -> Vec<String> {
    let rows = nigh.run(arguments);
    let columns = |row: &str| row.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let place = |row: Vec<String>| format!("{} {} {} {}", row[1], row[2], row[4], row[6]);
    rows.text().lines().map(|row| place(columns(row))).collect()
}

#[test]
fn a_match_that_overlaps_a_shown_one_gives_way_to_a_later_one() {
    each_way(|nigh| {
        nigh.write("t", "abcabc\n");
        nigh.prints("-o -k1 xabc t", "abc\nabc\n");
        nigh.write("t", "k=1 k=2 k=3\n");
        nigh.prints("-o -k1 kk=\\d+\\x20? t", "k=1 \nk=2 \nk=3\n");
        nigh.write("t", "aaa ERROR one bbb ERROR two ccc\n");
        nigh.prints("-o -k1 .{0,6}EROR.{0,6} t", "aaa ERROR one b\nbb ERROR two c\n");
        nigh.write("s.fa", ">s\nACGTACGTACGT\n");
        let rows = |arguments: &str| places(nigh, &format!("--strand forward {arguments} s.fa"));
        assert_eq!(rows("--hits best -k1 AACGT"), ["0 4 1 1I4=", "4 8 1 1I4=", "8 12 1 1I4="]);
        nigh.write("s.fa", format!(">s\n{}\n", "CAGT".repeat(12)));
        nigh.prints("--strand forward -k1 --count-matches --hits best ACAGT s.fa", "12\n");
        nigh.prints(
            "--strand forward -k1 --format=count-patterns --hits best ACAGT s.fa",
            "pattern\tsequence\t0\t1\ttotal\nACAGT\tACAGT\t0\t12\t12\n",
        );
    });
}

#[test]
fn the_longest_match_of_an_expression_is_shown_in_every_form() {
    each_way(|nigh| {
        nigh.write("t", "ok user=alice x=12345\n");
        nigh.prints("-o -k1 user=\\w+ t", "user=alice\n");
        nigh.prints("--format=ends --hits best -k1 user=\\w+ t", "t\t13\t0\tuser=\\w+\n");
        nigh.prints("-k0 --format=ends --hits best \\d+ t", "t\t21\t0\t\\d+\n");
        assert!(nigh.run("--format=align -k1 user=\\w+ t").text().contains("user=alice"));
        nigh.write("t", "B_9kkkaKa-k\n");
        nigh.prints("-k2 -o \\w+.ka[^k]a(?:ka|KkK) t", "B_9kkkaKa-k\n");
        nigh.prints("-k2 --format=ends --hits best \\w+.ka[^k]a(?:ka|KkK) t", "t\t11\t2\t\\w+.ka[^k]a(?:ka|KkK)\n");
    });
}

#[test]
fn no_worse_match_hides_a_better_one() {
    each_way(|nigh| {
        let one = |text: &str, arguments: &str, expected: &[&str]| {
            nigh.write("x.fa", format!(">x\n{text}\n"));
            assert_eq!(places(nigh, &format!("--strand forward --hits best {arguments} x.fa")), expected);
        };
        one("CCTTTTTTTTTTTTTTTTTGCC", "-k1 TTTTTTTTTTTG", &["8 20 0 12="]);
        one("CCTTAGGGTTAGGGTTAGGGTTAGGGTTAGGGCATTACG", "-k1 TTAGGGTTAGGGTTAGGGC", &["14 33 0 19="]);
        one("tgagactctgtttcaaaaaaaataaaataaaataaaaaggccggg", "-k3 AAATAAAATAAAATAAAAAG", &["19 39 0 20="]);
        one("TCCTCTCCACGTTGCATCAGCTACGTTGCAACGGTTACGTTGCTCCTCCT", "-k3 ACGTTGCAACGGTTACGTTG", &["22 42 0 20="]);
        one("TTGACCTACACACACACGTGGATCC", "-k2s ACACACACGT", &["9 19 0 10="]);
    });
}

#[test]
fn a_mismatch_at_the_end_of_a_match_stays_a_mismatch() {
    each_way(|nigh| {
        nigh.write("x.fa", ">s\nTTTTTTTTTTGACCTGATCCGATACGGATCTTTTTTTTTT\n");
        assert_eq!(places(nigh, "-k1 --hits best GACCTGATCCGATACGGATG x.fa"), ["10 30 1 19=1X"]);
        assert_eq!(places(nigh, "-k1 --hits best CACCTGATCCGATACGGATC x.fa"), ["10 30 1 1X19="]);
        // The reverse complement of the pattern has the same edit at the site.
        assert_eq!(places(nigh, "-k1 --hits best CATCCGTATCGGATCAGGTC x.fa"), ["10 30 1 19=1X"]);
        nigh.write("t", "deadlocx\nxeadlock\ntimeoux\n");
        nigh.prints("-o -k1 deadlock t", "deadlocx\nxeadlock\n");
        nigh.prints("-o -k1 timeout t", "timeoux\n");
        nigh.write("t", "abcddefg\n");
        nigh.prints("-o --cost -k2s def t", "0:def\n");
        nigh.write("t", "TTTTTTTTTTTTTTTTTG\n");
        nigh.prints("-o --cost -k1 TTTTTTTTTTTG t", "0:TTTTTTTTTTTG\n");
    });
}

#[test]
fn line_breaks_in_a_record_do_not_change_the_rows() {
    each_way(|nigh| {
        nigh.write("one.fa", ">r\nTATGTTGACC\n").write("two.fa", ">r\nTAT\nGTTGACC\n");
        let rows = |file| nigh.run(&format!("-k2 --strand forward --hits best TACTC {file}"));
        assert_eq!(rows("one.fa").text(), rows("two.fa").text());
        nigh.write("t.fa", ">x\nT\nG\nC\nC\nT\nC\nA\nT\nG\nT\nA\n");
        let cut = |size| nigh.run(&format!("-k3 --strand forward --hits best --batch-size {size} CTGTAC t.fa"));
        assert_eq!(cut(1).text(), cut(1000).text());
        assert!(!cut(1).text().is_empty());
    });
}

#[test]
fn a_larger_k_only_adds_matches() {
    once(|nigh| {
        let genome = shipped("lambda.fa");
        let genome = genome.to_str().unwrap();
        let text = std::fs::read_to_string(genome).unwrap();
        let bases: String = text.lines().filter(|line| !line.starts_with('>')).collect();
        let mut random = fastrand::Rng::with_seed(3);
        let repeats = ["TTTTTTTTTT", "ACACACACAC", "GCGGCGGCGGCG"].map(str::to_owned);
        let taken = (0..12).map(|_| {
            let start = random.usize(0..bases.len() - 12);
            bases[start..start + 12].to_ascii_uppercase()
        });
        let mut added = 0;
        for pattern in repeats.into_iter().chain(taken) {
            let shown = |k: usize| nigh.run(&format!("-k{k} --hits best {pattern} {genome}")).text().to_owned();
            let mut fewer = shown(0);
            for k in 1..5 {
                let more = shown(k);
                let distance = |row: &&str| row.split('\t').nth(4).unwrap().parse::<usize>().unwrap();
                let without_last: String =
                    more.lines().filter(|row| distance(row) < k).flat_map(|row| [row, "\n"]).collect();
                assert_eq!(without_last, fewer, "{pattern} with k = {k}");
                added += more.lines().count() - fewer.lines().count();
                fewer = more;
            }
        }
        assert!(added > 10_000, "only {added} rows were added");
    });
}
