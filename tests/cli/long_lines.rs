//! Lines that are longer than a batch. `-o` and `--count-matches` divide them, which must not change the output.

use std::process::Command;

use fastrand::Rng;

use crate::harness::{each_way, finish, once};
#[cfg(target_os = "linux")]
use crate::memory::run_within;

/// Returns lines of random symbols, most of them longer than several batches. Overlapping matches form long chains.
fn long_lines(rng: &mut Rng) -> String {
    let letters = [&['a'][..], &['a', 'b'], &['a', 'b', ' ', '\u{e9}', '\u{20ac}']][rng.usize(..3)];
    let length = rng.usize(1..1500);
    let symbol = |rng: &mut Rng| if rng.u8(..) == 0 { '\n' } else { letters[rng.usize(..letters.len())] };
    (0..length).map(|_| symbol(rng)).collect()
}

#[test]
fn matches_in_a_line_do_not_depend_on_how_it_is_cut() {
    once(|nigh| {
        let mut rng = Rng::with_seed(17);
        let patterns =
            ["-e ab", "-e aab", "-e aba -e ba", "-e a\u{e9}b -e aab_a", "-e bab_aba -e abab", "-e ^aab -e bba$"];
        let outputs =
            ["-o", "-onb --column", "--count-matches", "-o -m1", "--count-matches -m2", "-ow", "-o --cost -H"];
        let mut bytes = 0;
        for _ in 0..60 {
            nigh.write("t", long_lines(&mut rng)).write("u", long_lines(&mut rng));
            let (k, batch, threads) = (rng.usize(..2), rng.usize(1..200), rng.usize(1..5));
            let search = format!("-k{k} {} {}", rng.choice(outputs).unwrap(), rng.choice(patterns).unwrap());
            let expected = nigh.run(&format!("--engine reference -j1 --batch-size 64M {search} t u"));
            let cut = nigh.run(&format!("--engine cpu -j{threads} --batch-size {batch} {search} t u"));
            assert_eq!(cut.stderr, "");
            assert!(cut.stdout == expected.stdout, "--batch-size {batch} {search}: {} {}", cut.text(), expected.text());
            bytes += expected.stdout.len();
        }
        assert!(bytes > 10_000, "{bytes}");
    });
}

#[test]
fn a_match_near_a_cut_waits_for_a_better_one() {
    each_way(|nigh| {
        // A match with an edit ends at the end of each of many batches, and the better match after it.
        let line = format!("{}dedlock deadlock {}", "deadlo ck ".repeat(40), "x ".repeat(200));
        let expected = "deadlo ck\n".repeat(40) + "dedlock\ndeadlock\n";
        nigh.prints_with_input("-k1 -o deadlock", &line, &expected);
        nigh.prints_with_input("-k1 --count-matches deadlock", &line, "42\n");
        nigh.prints_with_input("-k1 -o -m1 --column deadlock", format!("{line}\n{line}"), &columns(&line));
    });
}

/// Returns each match of `deadlock` in a line of words and its column.
fn columns(line: &str) -> String {
    let exact = ["deadlo ck", "dedlock", "deadlock"];
    let mut all: Vec<(usize, &str)> = exact.iter().flat_map(|word| line.match_indices(*word)).collect();
    all.sort_unstable();
    all.iter().map(|(at, word)| format!("{}:{word}\n", at + 1)).collect()
}

#[test]
fn matches_after_a_byte_order_mark_and_in_lines_of_a_shard_have_their_columns() {
    each_way(|nigh| {
        let line = "x ".repeat(300);
        nigh.write("marked", format!("\u{feff}{line}needle {line}needle\n{line}nedle\n"));
        let expected = "1:604:603:needle\n1:1211:1210:needle\n2:601:1817:nedle\n";
        nigh.prints("-k1 -onb --column needle marked", expected);
        let shards: String = (1..=3)
            .map(|shard| nigh.run(&format!("-k1 -ob --column --shard {shard}/3 needle marked")).text())
            .collect();
        assert_eq!(shards, expected.replace("1:604", "604").replace("1:1211", "1211").replace("2:601", "601"));
    });
}

#[test]
fn the_input_after_the_last_selected_long_line_is_left() {
    each_way(|nigh| {
        let line = "abcdefgh ".repeat(100);
        nigh.write("t", format!("{line}needle {line}\nnext needle\n"));
        for (arguments, printed) in [("-m1 -k1 -o needle", "needle\n"), ("-m1 -k1 --count-matches needle", "1\n")] {
            let mut shell = Command::new("sh");
            let command = nigh.command(arguments);
            let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap().to_owned()).collect();
            shell.args(["-c", &format!("(\"$NIGH\" {}; cat) <t", words.join(" "))]).current_dir(nigh.path());
            shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            shell.env("NIGH", command.get_program());
            assert_eq!(finish(shell, Vec::new()).text(), format!("{printed}next needle\n"), "{arguments}");
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_line_that_is_not_printed_takes_little_memory() {
    once(|nigh| {
        let make = "(head -c 200000000 /dev/zero | tr '\\0' a; echo ' dedlock')";
        for arguments in ["-j1 -k1 -o deadlock", "-j2 -k1 -o -b --column deadlock", "-j2 -k1 --count-matches deadlock"]
        {
            let run = run_within(nigh, 150, &format!("{make} | $NIGH {arguments}; {make} >t; $NIGH {arguments} t"));
            let expected = match arguments {
                "-j2 -k1 -o -b --column deadlock" => "200000002:200000001:dedlock\n",
                "-j1 -k1 -o deadlock" => "dedlock\n",
                _ => "1\n",
            };
            assert_eq!((run.text(), run.stderr.as_str()), (expected.repeat(2), ""), "{arguments}");
        }
    });
}

#[test]
fn a_match_across_pieces_of_a_long_line_is_found() {
    once(|nigh| {
        // A piece ends at one of the bytes 65533 to 65536, between two symbols.
        let starts = 65_500..65_540;
        let lines: Vec<String> =
            starts.clone().map(|at| format!("{}error \u{e9}\u{20ac} 7 timeout", "x".repeat(at))).collect();
        nigh.write("t", lines.iter().map(|line| format!("{line}{}\n", "y".repeat(70_000))).collect::<String>());
        nigh.prints("-j1 -c -k1 error.*7.timeout t", &format!("{}\n", starts.len()));
        nigh.prints("-j1 -c -k0 error.{2,}7.timeout|zzz+ t", &format!("{}\n", starts.len()));
        let places = lines.iter().zip(starts).scan(0, |offset, (line, at)| {
            let place = *offset + at;
            *offset += line.len() + 70_001;
            Some(format!("{place}:error \u{e9}\u{20ac} 7 timeout\n"))
        });
        nigh.prints("-j1 -ob -k0 error.*7.timeout t", &places.collect::<String>());
    });
}
