//! `--ignore-ansi`: escape sequences of terminals are printed but not searched.

use crate::harness::{Nigh, each_way, once};

const RED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";

#[test]
fn patterns_match_across_escape_sequences() {
    each_way(|nigh| {
        nigh.write(
            "t",
            format!("12:30 {RED}er{RESET}ror here\n{RED}ok{RESET}\n\x1b]8;;http://a/\x1b\\error\x1b]8;;\x07"),
        );
        nigh.finds_nothing("-k0 -x ok t", "");
        nigh.prints("-k0 --ignore-ansi -x ok t", &format!("{RED}ok{RESET}\n"));
        nigh.prints("-k0 --ignore-ansi -on --column -b error t", &format!("1:7:11:er{RESET}ror\n3:1:54:error\n"));
        nigh.prints("-k0 --ignore-ansi -c ^error$ t", "1\n");
        let red = "\x1b[01;31m\x1b[K";
        // The match keeps its colour after a sequence inside of it.
        let expected = format!("12:30 {RED}{red}er\x1b[m\x1b[K{RESET}{red}ror\x1b[m\x1b[K here\n");
        nigh.prints("-k0 --ignore-ansi -m1 --color=always error t", &expected);
        nigh.prints("-k0 --ignore-ansi -M9 -m1 error t", &format!("… {RED}er{RESET}ror …\n"));
        // The start of a sequence that has no end is text.
        nigh.write("t", "a\x1b[3\nb\x1b\n");
        nigh.prints("-k0 --ignore-ansi -o .*3 t", "a\x1b[3\n");
    });
}

#[test]
fn escape_sequences_may_be_spelled_as_rsyslog_and_json_do() {
    each_way(|nigh| {
        nigh.write("s.log", "app[16]: #033[34mINFO#033[0m#011conn#033[1mection refused\n");
        nigh.write("s.json", "{\"log\":\"conn\\u001b[1mection refused\\u001b[0m\\n\"}\n");
        nigh.write("t", "conn\\x1b[0mec\\033[1;31mtion re\\e[Kfused\nconn\\e[1]ection refused\n");
        for file in ["s.log", "s.json", "t"] {
            nigh.finds_nothing(&format!("-k0 connection_refused {file}"), "");
            nigh.prints(&format!("-c -k0 --ignore-ansi connection_refused {file}"), "1\n");
        }
        nigh.prints("-k0 --ignore-ansi -ow INFO s.log", "INFO\n");
        nigh.prints("-k0 --ignore-ansi -o connection s.log", "conn#033[1mection\n");
    });
}

/// Pieces of a line: text, and escape sequences.
const TEXT: [&str; 8] = ["error", "eror", "terror ", " ", "ä", "x", "timeout", "time "];
const SEQUENCES: [&str; 8] =
    [RED, RESET, "\x1b[1;38;5;10m", "\x1b[K", "\x1b]8;;http://a/b\x1b\\", "\x1b]8;;\x07", "#033[34m", "\\u001b[0m"];

/// Returns a random text twice: as it is, and without its escape sequences.
fn random_text(rng: &mut fastrand::Rng, lines: usize) -> [String; 2] {
    let (mut whole, mut plain) = (String::new(), String::new());
    for _ in 0..lines {
        for _ in 0..rng.usize(0..12) {
            let text = *rng.choice(&TEXT).unwrap();
            let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let cut = *rng.choice(&cuts).unwrap();
            for part in [&text[..cut], &text[cut..]] {
                whole.push_str(part);
                plain.push_str(part);
                if rng.u8(0..3) == 0 {
                    whole.push_str(rng.choice(&SEQUENCES).unwrap());
                }
            }
        }
        whole.push('\n');
        plain.push('\n');
    }
    [whole, plain]
}

fn without_sequences(text: &str) -> String {
    SEQUENCES.iter().fold(text.to_owned(), |text, sequence| text.replace(sequence, ""))
}

/// Compares a search of a random text with that of the same text without escape sequences.
fn check(nigh: &Nigh, rng: &mut fastrand::Rng, lines: usize) {
    let [whole, plain] = random_text(rng, lines);
    nigh.write("whole", &whole).write("plain", &plain);
    let pattern =
        *rng.choice(&["error", "-w error", "^err", "timeout$", "-e error -e timeout", "err.r", "-x x"]).unwrap();
    let forms =
        ["-n --column --cost", "-o -n --column", "-c", "--format=ends", "-v -n", "-A1 -n", "--vimgrep -h", "-M15"];
    let form = *rng.choice(&forms).unwrap();
    let way = *rng.choice(&["-j1", "-j4 --batch-size 7", "-j4 --batch-size 100"]).unwrap();
    let arguments = format!("{way} -k{} {form} {pattern}", rng.u8(0..3));
    let hiding = format!("{arguments} --ignore-ansi");
    let runs = [
        (nigh.run(&format!("{hiding} whole")), nigh.run(&format!("{arguments} plain"))),
        (nigh.run_with_input(&hiding, &whole), nigh.run_with_input(&arguments, &plain)),
    ];
    for (run, expected) in runs {
        let is_equal = without_sequences(&run.text()).replace("whole", "plain") == expected.text()
            && run.stderr.replace("whole", "plain") == expected.stderr;
        let shown: String = whole.chars().take(400).collect();
        assert!(is_equal && run.status == expected.status, "{arguments}: {shown:?}");
        if form == "-v -n" {
            let is_line =
                |line: &str| whole.lines().any(|one| line.split_once(':').is_some_and(|(_, text)| text == one));
            assert!(
                run.stdout.is_empty() || String::from_utf8(run.stdout).unwrap().lines().all(is_line),
                "{arguments}"
            );
        }
    }
}

#[test]
fn a_search_is_that_of_the_text_without_escape_sequences() {
    once(|nigh| {
        let mut rng = fastrand::Rng::with_seed(47);
        for lines in [1, 3, 40, 400].repeat(23) {
            check(nigh, &mut rng, lines);
        }
    });
}

#[test]
fn offsets_are_those_of_the_input() {
    once(|nigh| {
        let mut rng = fastrand::Rng::with_seed(48);
        for lines in [1, 3, 40].repeat(20) {
            let [whole, plain] = random_text(&mut rng, lines);
            nigh.write("whole", &whole).write("plain", &plain);
            let way = *rng.choice(&["-j1", "-j4 --batch-size 7", "-j4 --batch-size 100"]).unwrap();
            let form = *rng.choice(&["", "-o", "-A1", "-v"]).unwrap();
            let arguments = format!("{way} -k1 -b --ignore-ansi {form} error whole");
            let run = nigh.run(&arguments);
            for line in run.text().lines().filter(|line| *line != "--") {
                let (offset, text) = line.split_once([':', '-']).unwrap();
                let at: usize = offset.parse().unwrap();
                assert!(whole[at..].starts_with(text), "{arguments}: {line:?} in {whole:?}");
            }
            let events = nigh.run(&format!("{way} -k1 --json --ignore-ansi error whole")).text();
            let objects = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
            for object in objects.filter(|object| object["type"] == "match") {
                let (line, offset) = (&object["data"]["line_number"], &object["data"]["absolute_offset"]);
                let before = whole.split_inclusive('\n').take(line.as_u64().unwrap() as usize - 1);
                let expected: usize = before.map(str::len).sum();
                assert_eq!(offset.as_u64().unwrap() as usize, expected, "{way}: {object} in {whole:?}");
            }
        }
        let text = format!("{RED}x{RESET}\n\0error\n");
        nigh.write("t", &text);
        let nul = format!("\"binary_offset\":{}", text.find('\0').unwrap());
        assert!(nigh.run("-k0 --json --ignore-ansi x t").text().contains(&nul));
    });
}

#[test]
fn replacements_keep_the_escape_sequences_of_matches() {
    each_way(|nigh| {
        nigh.write("t", format!("{RED}fai{RESET}led {RED}fail{RESET} x\n{RED}  lead{RESET} fail\n"));
        let expected = format!("{RED}X{RESET}ed {RED}X{RESET} x\n{RED}  lead{RESET} X\n");
        nigh.prints("-k0 --ignore-ansi --replace X fail t", &expected);
        nigh.prints("-k0 --ignore-ansi --replace= led t", &format!("{RED}fai{RESET} {RED}fail{RESET} x\n"));
        nigh.prints("-k0 --ignore-ansi -o --replace X fail t", &format!("X{RESET}\nX\nX\n"));
        nigh.prints("-k0 --ignore-ansi -M6 --replace X lead t", &format!("{RED}  X{RESET} f…\n"));
        // White space after a sequence is trimmed, with and without a replacement.
        let expected = |text: &str| format!("{RED}{text}{RESET} fail\n");
        nigh.prints("-k0 --ignore-ansi --trim lead t", &expected("lead"));
        nigh.prints("-k0 --ignore-ansi --trim --replace X lead t", &expected("X"));
    });
}
