//! Cases from the test suites of GNU grep, ripgrep, TRE and fuzzysearch.
//!
//! The tables in `peers/` hold the behaviour of each program, which nigh must reproduce. Intended differences are in the
//! tables here, with reasons. NIGH_BESIDE_PEERS=1 also runs grep, rg and tre-agrep, to check new rows.

use std::path::Path;
use std::process::Command;

use crate::harness::{Nigh, Run, finish, once};

const GREP_PATTERNS: &str = include_str!("peers/grep_patterns.tsv");
const GREP_OPTIONS: &str = include_str!("peers/grep_options.txt");
const RIPGREP_OPTIONS: &str = include_str!("peers/ripgrep_options.txt");
const TRE: &str = include_str!("peers/tre.tsv");
const FUZZYSEARCH: &str = include_str!("peers/fuzzysearch.tsv");

/// Texts of the table of fuzzysearch that are too long for a row. They contain edited copies of the patterns.
const DNA: &str = "GCTAAAGACAATTACATAACATACACGTCAACAGGTCTTAGACCGATCAAGCACGAAACTTGTTGGCCCAGTGTGTCAGGTCTTGACCGATCAAAATCGC\
                   TTAAGGGTTAAGTATTACACACACGGAGTGTGATGCATACGCCTTTTCAGGCCTCTTAGACCGATCAAACTTGCTGTGTCCACCCCATCGGACTGGCA";
const PROTEIN: &str = "XXXXXXXXXXKLLTMDVVTTXXXXXXXXXXXXKLLTMEVVTTXXXXXXXXXXXXXXXBBBBBBBBBBKLLTMEVVTT";

/// Patterns that GNU grep accepts, but nigh refuses, because its notation is that of ripgrep; and a part of nigh's
/// message.
const REFUSED: [(&str, &str); 12] = [
    // Look-around and back-references.
    ("(.)\\1", "backreferences are not supported"),
    ("c(?=at)", "look-ahead and look-behind are not supported"),
    // POSIX does not define these patterns. GNU grep treats the operator as a symbol.
    ("*cat", "missing expression"),
    ("(*cat)", "missing expression"),
    ("(+cat)", "missing expression"),
    ("(cat|*)", "missing expression"),
    ("cat)", "unopened group"),
    // '[' in a bracket expression must be escaped.
    ("c[[a]t", "unclosed character class"),
    // nigh and GNU grep both refuse these patterns.
    ("c(a", "unclosed group"),
    ("c[a", "unclosed character class"),
    ("a{2,1}", "invalid repetition"),
    ("c[b-a]t", "invalid character class range"),
];

/// Differences from GNU grep, where nigh prints what ripgrep prints: pattern, line, and the parts of the line that
/// match.
const UNLIKE_GREP: [(&str, &str, &str); 12] = [
    // A repeat with '?' is lazy.
    ("a+?", "aab", "a / a"),
    ("a{2,}?", "aaaaab", "aa / aa"),
    ("<b>(.*?)</b>", "<b>x</b><b>y</b>", "<b>x</b> / <b>y</b>"),
    ("a(.*?)(foo|bar)", "a foo bar", "a foo"),
    ("a+(?:$)??", "aab", "aa"),
    // '\d' and '\D' are classes, also in brackets.
    ("\\d+", "12ddd", "12"),
    ("\\D+", "12ddd", "ddd"),
    ("[\\w]+", "a\\w", "a / w"),
    // '--' in a bracket expression is the difference of two sets.
    ("[--Z]+", "!ABC-./XYZ~", "- / Z"),
    ("[*--]+", "!+*,---ABC", "*"),
    // GNU grep 3.8 does not require the boundary in the second round of the repeat.
    ("(\\bcat\\b ?){2}", "cat cats", "-"),
    ("(\\bcat\\b ?)+", "cat cat cats", "cat cat "),
];

/// Differences from ripgrep: arguments and nigh's output.
const UNLIKE_RIPGREP: [(&str, &str); 15] = [
    // As in GNU grep, a count of 0 is printed.
    ("-c Ada other", "0\n"),
    ("-vc e notes", "0\n"),
    // As in GNU grep, the status of -L is 0 if a line was selected, even though no name is printed.
    ("--files-without-match Ada notes", ""),
    // As in GNU grep, -A and -B override -C in any order.
    ("-A1 -C0 sat ada", "Ada sat.\n  Ada rose.\n"),
    ("-C1 -A0 rose ada", "Ada sat.\n  Ada rose.\n"),
    // As in GNU grep, -I skips binary files, -c counts lines with -o, and -vo prints nothing.
    ("-I Ada ada other", "ada:Ada sat.\nada:  Ada rose.\n"),
    ("-o -c the notes", "3\n"),
    ("-vo Ada notes", ""),
    // A digit as an option is a number of edits.
    ("-0 -l Ada ada other", "ada\n"),
    // As in POSIX, the longest alternative matches, and not the first.
    ("-o foo|foobar foo", "foo\nfoobar\n"),
    // The carriage return at the end of a line is not part of a match or a count.
    ("--crlf -o pier$ crlf", "pier\n"),
    ("--crlf -c .$ crlf", "2\n"),
    // --column does not imply -n.
    ("--column sat ada", "5:Ada sat.\n"),
    // An excerpt is shown of a long line, instead of a message. A line end is no column.
    ("-M20 Ada notes", "…t when Ada came as…\n… asked Ada Lorne f…\n"),
    ("--max-columns=10 sat|rose ada", "Ada sat.\n…Ada rose.\n"),
];

/// Differences from tre-agrep 0.8.0, which misses a line or prints a cost that is too high: arguments, line, and nigh's
/// cost.
const MISSED_BY_TRE: [(&str, &str, &str); 7] = [
    // tre-agrep does not insert symbols before the end of a line or word. Its own test suite calls this a fault.
    ("-x -k1 harbor", "harborx", "1"),
    ("-x -k2 harbor", "xharborx", "2"),
    ("-w -k1 harbor", "harbors here", "1"),
    ("-w -k2 harbor", "boat xharborx rope", "2"),
    ("-w -k1 har+bor", "boat harrbors here", "1"),
    // Limits by kind of edit: tre-agrep keeps one alignment of the smallest cost for each state, which may exceed a
    // limit later.
    ("--edits i<=2,s<=1 cbbcbbcbb", "cabdbcbbcbc", "3"),
    // tre-agrep prints the cost 1, although the repeat may be empty.
    ("-k2 (har|quay)*bor", "quyhrbor", "0"),
];

/// Differences from fuzzysearch 0.8.1: arguments, pattern, text, and nigh's matches. Of several starts with equal
/// distance, nigh takes the one whose match is nearest to the pattern in length. nigh prints every match that does not
/// overlap a better one, and the best later match of an end whose match does; fuzzysearch prints one match of each group of overlapping matches.
const UNLIKE_FUZZYSEARCH: [(&str, &str, &str, &str); 6] = [
    ("-k1", "mop", "lmnopq", "2-5:1"),
    ("-k1", "mnp", "lmnopq", "1-4:1"),
    ("-k2", "mnp", "lmnopq", "1-4:1 4-5:2"),
    ("-k3", "opqrs", "mnopopqrst", "2-4:3 4-9:0"),
    ("-k2s", "opq", "mnoopqr", "3-6:0"),
    ("-k1id", "seagull", "the seagul and the seaggull", "4-10:1 19-27:1"),
];

/// A command of a transcript, its output, and its exit status.
struct Example<'a> {
    arguments: &'a str,
    output: String,
    status: i32,
}

/// Returns the rows of a table without its comments.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().expect("a row has all columns"))
}

/// Writes the files of a transcript, and returns its commands.
fn examples<'a>(nigh: &Nigh, transcript: &'a str) -> Vec<Example<'a>> {
    let text = |block: &[&str]| {
        let text = block.iter().map(|line| format!("{line}\n")).collect::<String>();
        text.replace("\\\n", "").replace("\\0", "\0").replace("\\r", "\r")
    };
    let lines: Vec<&str> = transcript.lines().filter(|line| !line.starts_with("# ")).collect();
    let is_head = |line: &str| ["> ", "$ ", "= "].iter().any(|mark| line.starts_with(mark));
    let mut examples = Vec::<Example<'a>>::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_head(line)) {
        let rest = &lines[index + 1..];
        let block = text(&rest[..rest.iter().position(|line| is_head(line)).unwrap_or(rest.len())]);
        let (mark, argument) = line.split_once(' ').expect("a mark and a blank");
        match mark {
            ">" => drop(nigh.write(argument, block)),
            "$" => examples.push(Example { arguments: argument, output: block, status: 0 }),
            _ => examples.last_mut().expect("a command comes first").status = argument.parse().unwrap(),
        }
    }
    examples
}

/// Splits a command at blanks, except within single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in command.split('\'').enumerate() {
        let mut pieces = if index % 2 == 1 { vec![part] } else { part.split(' ').collect() }.into_iter();
        words.last_mut().unwrap().push_str(pieces.next().unwrap_or(""));
        words.extend(pieces.map(str::to_owned));
    }
    words
}

fn run(mut command: Command, arguments: &[String], folder: &Path, input: &str) -> Run {
    command.args(arguments).current_dir(folder).env("LC_ALL", "C.UTF-8").env_remove("GREP_COLORS");
    finish(command, input.into())
}

/// Checks nigh's output, and with NIGH_BESIDE_PEERS=1 also that of the other program.
fn expect(nigh: &Nigh, options: &str, peer: &[&str], example: &Example<'_>, input: &str) {
    let arguments = words(example.arguments);
    let check = |name: &str, found: Run| {
        let found = (found.text(), found.status);
        assert_eq!(found, (example.output.clone(), Some(example.status)), "{name} {} < {input:?}", example.arguments);
    };
    check("nigh", run(nigh.command(options), &arguments, nigh.path(), input));
    if let [program, before @ ..] = peer
        && is_beside_peers()
    {
        let mut command = Command::new(program);
        command.args(before);
        check(program, run(command, &arguments, nigh.path(), input));
    }
}

fn is_beside_peers() -> bool {
    std::env::var_os("NIGH_BESIDE_PEERS").is_some_and(|value| value == "1")
}

#[test]
fn patterns_match_what_they_match_in_grep_or_in_ripgrep() {
    once(|nigh| {
        for row in rows(GREP_PATTERNS) {
            expect_parts(nigh, &["grep", "-E"], row);
        }
        for (pattern, line, parts) in UNLIKE_GREP {
            expect_parts(nigh, &["rg"], [pattern, line, parts]);
        }
    });
}

/// Checks the parts of a line that match.
fn expect_parts(nigh: &Nigh, peer: &[&str], [pattern, line, parts]: [&str; 3]) {
    let nothing = parts == "-";
    let parts = parts.split(" / ").filter(|part| !part.is_empty() && !nothing);
    let output = parts.map(|part| format!("{part}\n")).collect();
    let arguments = format!("-o -e '{pattern}'");
    let example = Example { arguments: &arguments, output, status: i32::from(nothing) };
    expect(nigh, "-k0", peer, &example, &format!("{line}\n"));
}

#[test]
fn other_patterns_are_refused_with_the_reason() {
    once(|nigh| {
        for (pattern, message) in REFUSED {
            nigh.fails(&format!("-k0 -e {pattern}"), message);
        }
    });
}

#[test]
fn options_print_what_they_print_in_grep() {
    once(|nigh| {
        for example in examples(nigh, GREP_OPTIONS) {
            expect(nigh, "-k0", &["grep"], &example, "");
        }
    });
}

#[test]
fn options_print_what_they_print_in_ripgrep_or_in_grep() {
    once(|nigh| {
        for example in examples(nigh, RIPGREP_OPTIONS) {
            // One thread, so that rg prints files in their order.
            expect(nigh, "-k0", &["rg", "-j1"], &example, "");
        }
        for (arguments, output) in UNLIKE_RIPGREP {
            expect(nigh, "-k0", &[], &Example { arguments, output: output.to_owned(), status: status_of(output) }, "");
        }
    });
}

/// Returns the exit status that belongs to an output, which is 1 for a count of 0 lines.
fn status_of(output: &str) -> i32 {
    i32::from(output == "0\n")
}

#[test]
fn lines_cost_what_they_cost_in_tre() {
    once(|nigh| {
        for [ours, theirs, lines, status, output] in rows(TRE) {
            let shown = |text: &str| text.split(';').map(|line| format!("{line}\n")).collect::<String>();
            let output = if output.is_empty() { String::new() } else { shown(output) };
            let mut example = Example { arguments: ours, output, status: status.parse().unwrap() };
            expect(nigh, "", &[], &example, &shown(lines));
            if is_beside_peers() {
                example.arguments = theirs;
                let found = run(Command::new("tre-agrep"), &words(theirs), nigh.path(), &shown(lines));
                assert_eq!((found.text(), found.status), (example.output, Some(example.status)), "tre-agrep {theirs}");
            }
        }
        for (arguments, line, cost) in MISSED_BY_TRE {
            let example = Example { arguments, output: format!("{cost}:{line}\n"), status: 0 };
            expect(nigh, "--cost", &[], &example, &format!("{line}\n"));
        }
    });
}

#[test]
fn matches_are_where_fuzzysearch_finds_them() {
    once(|nigh| {
        for [options, pattern, text, matches] in
            rows(FUZZYSEARCH).chain(UNLIKE_FUZZYSEARCH.map(|(a, b, c, d)| [a, b, c, d]))
        {
            let text = match text {
                "DNA" => DNA,
                "PROTEIN" => PROTEIN,
                text => text,
            };
            let found = nigh.run_with_input(&format!("-F -o -b --cost {options} {pattern}"), format!("{text}\n"));
            let found: Vec<String> = found.text().lines().map(|row| span(row, text)).collect();
            let expected: Vec<&str> = matches.split(' ').filter(|&part| part != "-").collect();
            assert_eq!(found, expected, "{options} {pattern} {text}");
        }
    });
}

/// Formats a row of `-ob --cost` as start-end:distance, in characters of the text.
fn span(row: &str, text: &str) -> String {
    let [offset, cost, part] = row.splitn(3, ':').collect::<Vec<_>>().try_into().expect("a row has three fields");
    let start = text[..offset.parse().unwrap()].chars().count();
    format!("{start}-{}:{cost}", start + part.chars().count())
}
