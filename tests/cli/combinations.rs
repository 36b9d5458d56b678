//! Every pair of options: each of the two has an effect, or a message says that it has none.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clap::Arg;
use fastrand::Rng;
use nigh::cli::{answer, command};
use tempfile::TempDir;

/// Options with a value that has an effect on some of [`SEARCHES`]. All other options are in [`WITHOUT_EFFECT`].
const OPTIONS: &[&str] = &[
    "--max-errors=2",
    "--edits=s<=1",
    "--transpositions",
    "--exact-group",
    "--overhang=0.3",
    "--bytes",
    "--hits=best",
    "--hits=sites",
    "--best",
    "--best=file",
    "--best=record",
    "--cost",
    "-0",
    "--regexp=again",
    "--fixed-strings",
    "--ignore-case",
    "--smart-case",
    "--word-regexp",
    "--line-regexp",
    "--within=2..",
    "--invert-match",
    "--strand=forward",
    "--ambiguous=any",
    "--columns=start,end",
    "--header",
    "--max-count=1",
    "--max-hits=1",
    "--byte-offset",
    "--line-number",
    "--column",
    "--vimgrep",
    "--stats",
    "--with-filename",
    "--no-filename",
    "--after-context=1",
    "--before-context=1",
    "--context=1",
    "--passthru",
    "--group-separator=##",
    "--null",
    "--max-columns=20",
    "--replace=<$0>",
    "--trim",
    "--heading",
    "--color=always",
    "--null-data",
    "--crlf",
    "--text",
    "-I",
    "--binary-files=text",
    "--ignore-ansi",
    "--record-start=^d",
    "--encoding=latin1",
    "--fasta",
    "--fastq",
    "--protein",
    "--circular",
    "--ignore-gaps",
    "--shard=1/2",
];

/// Forms of output. Of two, the last applies.
const FORMS: &[&str] = &[
    "--format=matches",
    "--format=ends",
    "--format=align",
    "--format=json",
    "--format=tsv",
    "--format=sites",
    "--format=bed",
    "--format=sam",
    "--format=paf",
    "--format=fasta",
    "--format=count",
    "--format=count-matches",
    "--format=count-patterns",
    "--format=histogram",
    "--format=files",
    "--format=files-without",
    "--format=none",
    "--count",
    "--count-matches",
    "--files-with-matches",
    "--files-without-match",
    "--only-matching",
    "--json",
    "--quiet",
];

/// Options that are no part of a pair, and why.
const WITHOUT_EFFECT: &[(&[&str], &str)] = &[
    (
        &[
            "threads",
            "engine",
            "device",
            "memory",
            "debug",
            "line-buffered",
            "progress",
            "no-config",
            "help",
            "version",
            "-?",
        ],
        "they do not change the output",
    ),
    (
        &[
            "recursive",
            "dereference-recursive",
            "include",
            "exclude",
            "exclude-from",
            "exclude-dir",
            "glob",
            "ignore-vcs",
            "directories",
            "devices",
            "file",
            "label",
            "no-decompress",
        ],
        "they choose inputs",
    ),
    (&["no-messages"], "it suppresses messages"),
    (&["near"], "it stands between two patterns, so it is a part of them"),
    (&["min-overlap"], "it is a part of --overhang"),
    (&["basic-regexp"], "it refuses patterns"),
];

/// Searches with the options in turn: arguments without the files, and the files.
const SEARCHES: &[(&str, &[&str])] = &[
    ("-e deadlock", &["a.txt", "b.txt"]),
    ("-k1 -e dea.lock -e tIme", &["c.txt"]),
    ("-k2 -e straße", &["a.txt"]),
    ("-k1 -e \\s?deadlock -e a.longer.word.of.text", &["b.txt", "words.txt"]),
    ("-k1 -e deadlock", &["binary", "c.txt", "a.txt"]),
    ("-k1 -e ^deadlock -e stra.e$", &["nul", "nul2"]),
    ("-k1 -e deadlock -e straxe", &["words.txt"]),
    (
        "-k1 -e deadlock",
        &[
            "swap.txt",
            "0.txt",
            "1.txt",
            "2.txt",
            "3.txt",
            "4.txt",
            "5.txt",
            "6.txt",
            "7.txt",
            "8.txt",
            "9.txt",
            "nul",
            "lines.nul",
        ],
    ),
    ("-k1 -e straße", &["0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "7.txt", "8.txt", "9.txt"]),
    ("-k0 -e GATTACA<TGG>", &["f.fa", "g.fa"]),
    ("-k1 -e GATTACATT -e AC", &["f.fa"]),
    ("-k2 -e GATTRCA", &["h.fq", "g.fa"]),
    ("-k1 -e GATTACA", &["words.fa"]),
    (
        "-k1 -e GATTACA",
        &[
            "swap.fa",
            "over.fa",
            "reverse.fa",
            "0.fa",
            "1.fa",
            "2.fa",
            "3.fa",
            "4.fa",
            "5.fa",
            "6.fa",
            "7.fa",
            "8.fa",
            "9.fa",
        ],
    ),
    ("-k0 -e GATTACA", &["n.fa", "0.fa", "f.fa"]),
    ("-k0 -e GATTACA", &["gaps.fa"]),
    ("-k0 -e AC", &["j.txt", "k.txt", "f.fa"]),
    ("-k0 -e ac", &["k.txt", "j.txt"]),
    ("-k1 -e GATTACA<TGG>", &["sites.fa", "f.fa"]),
    ("-k0 -e GATTACA --format=bed", &["words.fa"]),
    ("-k1 -e dead<lock>", &["a.txt", "words2.txt", "group.txt"]),
    ("-k0 -e ac -e 12", &["j.txt", "k.txt"]),
    ("-k0 -e ac$", &["lines.nul", "j.txt"]),
    ("-k0 -e dea.lock -e Stra.e", &["a.txt", "words.txt", "binary"]),
    ("-k1 -e deadlock", &["z.nul"]),
    ("-C1 -e deadlock", &["a.txt"]),
    ("-C1 -k0 -e deadlock", &["sep.nul"]),
    ("-C1 -k0 -e deadlock", &["sep.nul", "a.txt"]),
    ("-k0 -e lock$", &["crlf.txt", "swap.txt"]),
    ("-k0 -e lock$", &["crlf2.txt", "swap.txt"]),
    ("-k0 -e lock$", &["crlf3.txt", "swap2.txt"]),
    ("-k0 -x -e dea.lock", &["crlf2.txt"]),
    ("-k0 -e straße -e dea.lock", &["words2.txt", "binary2"]),
    ("-k0 -e Straße", &["words2.txt", "binary2"]),
    ("-k1 -e Straxe -e d.a.lock", &["words2.txt", "binary2"]),
    ("-k3 --cost -e deadlock", &["sub.txt", "swap2.txt", "sub3.txt"]),
    ("-k2 -e deadlock", &["bin1", "swap.txt", "swap2.txt", "sub.txt"]),
    ("-k2 --cost -e deadlock", &["swap.txt", "k.txt"]),
    ("-k1 -e deadlock", &["coloured.txt"]),
    ("-k0 -e deadlock", &["coloured2.txt", "coloured3.txt"]),
];

/// Options that replace each other: of each group, the last one given applies.
const REPLACE_EACH_OTHER: &[&[&str]] = &[
    &["--max-errors", "--edits", "-0"],
    &["--ignore-case", "--smart-case"],
    &["--after-context", "--before-context", "--context", "--passthru"],
    &["--text", "-I", "--binary-files"],
    &["--fasta", "--fastq"],
    &["--with-filename", "--no-filename"],
    &["--best"],
    &["--hits"],
];

/// Options that do what another one asks for as well, or that leave nothing to do for it: the options, the others, and why.
const IMPLIED: &[(&[&str], &[&str], &str)] = &[
    (&["--quiet", "--format=none"], &["--"], "nothing is printed"),
    (
        &["--json", "--format=json"],
        &["--line-number", "--byte-offset", "--column", "--cost", "--stats", "--with-filename", "--text"],
        "JSON always has them",
    ),
    (&["--vimgrep"], &["--line-number", "--column", "--with-filename"], "its lines have them"),
    (&["--edits=s<=1"], &["--hits=sites"], "with substitutions only, each place of a group has one hit"),
    (
        &["--files-with-matches", "--files-without-match", "--format=files", "--format=files-without"],
        &["--max-count", "--with-filename"],
        "the search of a file ends at its first match, and its name is printed",
    ),
    (
        &[
            "--format=ends",
            "--format=json",
            "--json",
            "--format=sam",
            "--format=paf",
            "--format=bed",
            "--format=count-patterns",
            "--format=histogram",
            "--format=fasta",
            "--format=sites",
            "--format=files-without",
            "--files-without-match",
            "--format=count",
            "--format=count-matches",
            "--count",
            "--count-matches",
            "--columns",
            "--invert-match",
        ],
        &["--color"],
        "some of their output has nothing to colour",
    ),
    (&["--format=count-patterns", "--format=histogram"], &["--no-filename"], "they have no file names by default"),
    (
        &[
            "--format=align",
            "--format=matches",
            "--only-matching",
            "--format=count-matches",
            "--count-matches",
            "--best",
        ],
        &["--hits"],
        "the best hits are the default, or the only ones",
    ),
    (
        &[
            "--format=histogram",
            "--format=count-patterns",
            "--format=align",
            "--format=ends",
            "--format=count",
            "--count",
            "--format=count-matches",
            "--count-matches",
            "--format=files",
            "--files-with-matches",
            "--format=files-without",
            "--files-without-match",
        ],
        &["--text", "--binary-files"],
        "they treat binary files like others",
    ),
    (&["--fasta", "--fastq"], &["--ignore-case", "--smart-case"], "case is always ignored in sequences"),
    (&["--fasta", "--fastq"], &["--no-filename"], "rows have no file names by default"),
    (&["--no-filename"], &["--null"], "there are no names to end"),
    (&["--max-count"], &["--group-separator"], "one line is one group"),
    (&["-I"], &["--with-filename"], "a single binary file leaves no line"),
    (&["--null-data"], &["--text", "-I", "--binary-files"], "NUL ends lines, so it shows no binary file"),
    (&["--format=ends"], &["--with-filename"], "its rows have the name"),
    (&["--best"], &["--max-errors"], "the least distance is often below both bounds"),
    (
        &["--files-with-matches", "--files-without-match", "--format=files", "--format=files-without"],
        &["--best=file"],
        "each file with a match has a best one",
    ),
    (
        &["-0"],
        &["--transpositions", "--overhang", "--bytes", "--hits", "--best"],
        "without edits, all matches have the same distance",
    ),
    (&["--line-regexp"], &["--word-regexp"], "a whole line consists of whole words"),
    (&["--line-regexp"], &["--hits", "--best=record"], "a whole record is one match"),
];

/// Returns lines of words, some of them misspelt, with white space, letters beyond ASCII, and carriage returns.
fn lines(random: &mut Rng, count: usize) -> Vec<u8> {
    const WORDS: [&[u8]; 17] = [
        b"deadlock",
        b"Deadlock",
        b"deadlokc",
        b"dedlock",
        b"xdeadlockx",
        b"time",
        b"tiem",
        b"again",
        b"Stra\xc3\x9fe",
        b"STRA\xc3\x9fE",
        b"strae",
        b"Stra\xdfe",
        b"a longer word of text",
        b"dea.lock",
        b"12",
        b"",
        b"dxalxck",
    ];
    let mut text = Vec::new();
    for _ in 0..count {
        text.extend_from_slice([&b""[..], b"", b"  ", b"\t"][random.usize(0..4)]);
        for _ in 0..random.usize(0..4) {
            text.extend_from_slice(WORDS[random.usize(0..WORDS.len())]);
            text.extend_from_slice([&b" "[..], b" ", b"_", b""][random.usize(0..4)]);
        }
        text.extend_from_slice([&b"\n"[..], b"\n", b"\r\n"][random.usize(0..3)]);
    }
    text
}

const PIECES: [&str; 14] = [
    "GATTACA",
    "GATTACATGG",
    "GATACATT",
    "GANTACA",
    "TGTAATC",
    "CCATGTAATC",
    "AC",
    "RY",
    "TTTT",
    "CAGT",
    "GGGG",
    "GATTCAA",
    "GAXTACA",
    "GTTACA",
];

/// Returns residues with planted patterns, misspelt ones, and letters that stand for several bases.
fn residues(random: &mut Rng) -> String {
    let ends = ["", "TACA", "GATTA", "CATT"];
    let inside: String = (0..random.usize(0..7)).map(|_| PIECES[random.usize(0..PIECES.len())]).collect();
    ends[random.usize(0..4)].to_owned() + &inside + ends[random.usize(0..4)]
}

fn write_files(folder: &Path) {
    let random = &mut Rng::with_seed(45);
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::write(folder.join(name), lines(random, 150)).unwrap();
    }
    fs::write(folder.join("binary"), [lines(random, 60), b"\0 deadlock\n".to_vec(), lines(random, 60)].concat())
        .unwrap();
    for name in ["nul", "nul2"] {
        let records: Vec<u8> = (0..40).flat_map(|_| [lines(random, 2), b"\0".to_vec()].concat()).collect();
        fs::write(folder.join(name), records).unwrap();
    }
    let word =
        |random: &mut Rng| lines(random, 1).split(|&byte| byte == b'_').next().unwrap().trim_ascii_end().to_vec();
    let words: Vec<u8> = (0..200).flat_map(|_| [word(random), b"\n".to_vec()].concat()).collect();
    fs::write(folder.join("words.txt"), words).unwrap();
    let words: &[u8] =
        b"Stra\xc3\x9fe\nStra\xdfe\nxStra\xc3\x9fe\nSTRA\xc3\x9fE\nSTRAxxE\ndea.lock\ndxaxlxck\ndeazlock\nStrae\n";
    fs::write(folder.join("words2.txt"), words).unwrap();
    fs::write(folder.join("binary2"), [words, b"\0\n", words].concat()).unwrap();
    fs::write(folder.join("over.fa"), ">o\nCCCGATTA\n").unwrap();
    let groups =
        "dead<lock>\nx deadlock\ndedlock\ndeadlok\nDEADLOCK DEDLOCK\n\tdedlock deadlock dead<lock>\nx ddlock\n";
    fs::write(folder.join("group.txt"), groups).unwrap();
    let sites = ">a\nCCGATACATGGCC\n>b\nGATTACATGGAA\n>c\nTTGATTACATGGATTTACATGG\n>d\nGACTACATGG\n";
    fs::write(folder.join("sites.fa"), sites).unwrap();
    fs::write(folder.join("gaps.fa"), ">a\nGAT-TA\n.CAC\n>b\nTGTA-ATC\n>c\nCC-AA\n").unwrap();
    fs::write(folder.join("bin1"), "x deadlock\n\0\n").unwrap();
    fs::write(folder.join("sub3.txt"), "dxxdlxck\n").unwrap();
    let coloured = "x dead\x1b[31mlock y\n\x1b[31mdeadlock\x1b[0m\ndeadlck\x1b[0m\ndead lock\nlock\n\x1b[1mq\n";
    fs::write(folder.join("coloured.txt"), coloured).unwrap();
    fs::write(folder.join("coloured2.txt"), "w\nx\ndead\x1b[31mlock\ny\nz\n").unwrap();
    fs::write(folder.join("coloured3.txt"), "x\ndeadlock\ny\ndeadlocks\n").unwrap();
    fs::write(folder.join("crlf.txt"), "deadlock\r\nlock\r\nlock\nxlock\n").unwrap();
    fs::write(folder.join("crlf2.txt"), "deaxlock\r\ndea.lock\r\ndeaxlock\ndexxlocc\r\n").unwrap();
    fs::write(folder.join("crlf3.txt"), "dexlock\r\n").unwrap();
    let groups = "deadlock\nq\nq\nq\nq\ndeadlock\n";
    fs::write(folder.join("sep.nul"), groups.to_owned() + "\0q" + &groups.replace('\n', "\0")).unwrap();
    fs::write(folder.join("sub.txt"), "dexdlxck\n").unwrap();
    fs::write(folder.join("swap2.txt"), "daedlock\n").unwrap();
    fs::write(folder.join("z.nul"), "dedlock\nagain\nother\ndeadlock\nx\0dedlock\n\0again\n\0").unwrap();
    fs::write(folder.join("swap.txt"), "a daedlock\na dexdlxck\n").unwrap();
    fs::write(folder.join("reverse.fa"), ">r\nCCCTGTAATCCC\n").unwrap();
    fs::write(folder.join("lines.nul"), b"ac\ndeadlock\n12\nStra\xc3\x9fe").unwrap();
    fs::write(folder.join("swap.fa"), ">s\nCGATATCACC\n").unwrap();
    fs::write(folder.join("n.fa"), ">n\nCGANTACACC\n").unwrap();
    for index in 0..10 {
        fs::write(folder.join(format!("{index}.txt")), lines(random, 2)).unwrap();
        fs::write(folder.join(format!("{index}.fa")), format!(">{index}\n{}\n", residues(random))).unwrap();
    }
    let records: String = (0..40).map(|index| format!(">{index}\n{}\n", PIECES[index % PIECES.len()])).collect();
    fs::write(folder.join("words.fa"), records).unwrap();
    for name in ["f.fa", "g.fa"] {
        let records: String = (0..12).map(|index| format!(">{index}\n{}\n", residues(random))).collect();
        fs::write(folder.join(name), records).unwrap();
    }
    let reads = (0..12).map(|index| (index, residues(random)));
    let reads: String =
        reads.map(|(index, read)| format!("@{index}\n{read}\n+\n{}\n", "I".repeat(read.len()))).collect();
    fs::write(folder.join("h.fq"), reads).unwrap();
    fs::write(folder.join("j.txt"), ">ac\nac 12\nACGT\n12\nb\nac\n").unwrap();
    fs::write(folder.join("k.txt"), "@12\nac\n+\nII\n").unwrap();
}

/// The output of a search without times, its status, and its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    output: Vec<u8>,
    status: u8,
    messages: Vec<String>,
}

fn run(folder: &Path, (pattern, files): (&str, &[&str]), options: &[&str]) -> Outcome {
    let words = ["nigh", "-j1", "--engine=cpu"].into_iter().chain(pattern.split(' ')).chain(options.iter().copied());
    let mut arguments: Vec<OsString> = words.map(OsString::from).collect();
    arguments.extend(files.iter().map(|file| folder.join(file).into_os_string()));
    let mut output = Vec::new();
    let answer = answer(arguments, &mut output);
    let has_time = |line: &[u8]| line.windows(7).any(|word| word == b"seconds" || word == b"elapsed");
    let kept: Vec<&[u8]> = output.split(|&byte| byte == b'\n').filter(|line| !has_time(line)).collect();
    Outcome { output: kept.join(&b'\n'), status: answer.status, messages: answer.messages }
}

impl Outcome {
    /// Returns whether the other outcome differs, apart from messages.
    fn differs(&self, other: &Outcome) -> bool {
        (&self.output, self.status) != (&other.output, other.status)
    }
}

/// Returns an option without its value.
fn name(option: &str) -> &str {
    if option.starts_with("--format=") { option } else { option.split('=').next().unwrap_or(option) }
}

fn has_option(names: &[&str], option: &str) -> bool {
    names.iter().any(|&listed| [option, name(option), "--"].contains(&listed))
}

/// Returns whether of two options only the last applies, or the one that precedes the other.
fn is_excused(option: &str, other: &str) -> bool {
    FORMS.contains(&option) && FORMS.contains(&other)
        || REPLACE_EACH_OTHER.iter().any(|group| has_option(group, option) && has_option(group, other))
}

/// Returns whether an option leaves nothing to do for another.
fn is_implied(option: &str, other: &str) -> bool {
    IMPLIED.iter().any(|(options, others, _)| has_option(options, option) && has_option(others, other))
}

/// The ordered pairs of options that were run so far: whether the first left the second without an effect in all searches.
struct Pairs(HashMap<(usize, usize), bool>);

impl Pairs {
    /// Returns whether each option of the pair had an effect beside the other.
    fn is_decided(&self, first: usize, second: usize) -> bool {
        [(first, second), (second, first)].iter().all(|pair| self.0.get(pair) == Some(&false))
    }

    fn add(&mut self, option: usize, other: usize, is_silent: bool) {
        let known = self.0.entry((option, other)).or_insert(true);
        *known &= is_silent;
    }
}

#[test]
fn of_two_options_each_has_an_effect_or_a_message() {
    let folder = TempDir::new().unwrap();
    write_files(folder.path());
    let options: Vec<&str> = OPTIONS.iter().chain(FORMS).copied().collect();
    let mut unused: Vec<&str> = options.clone();
    let mut pairs = Pairs(HashMap::new());
    for &search in SEARCHES {
        let plain = run(folder.path(), search, &[]);
        let alone: Vec<Outcome> = options.iter().map(|&option| run(folder.path(), search, &[option])).collect();
        let is_active = |index: usize| alone[index].status != 2 && alone[index].differs(&plain);
        unused.retain(|option| !(0..options.len()).any(|index| options[index] == *option && is_active(index)));
        let accepted: Vec<usize> = (0..options.len()).filter(|&index| is_active(index)).collect();
        for (at, &first) in accepted.iter().enumerate() {
            for &second in accepted[at + 1..].iter().filter(|&&second| !is_excused(options[first], options[second])) {
                if pairs.is_decided(first, second) {
                    continue;
                }
                let both = run(folder.path(), search, &[options[first], options[second]]);
                let says = both.messages.iter().any(|message| !plain.messages.contains(message));
                for (option, other) in [(first, second), (second, first)] {
                    pairs.add(option, other, !says && !both.differs(&alone[option]));
                }
            }
        }
    }
    let silent = pairs.0.iter().filter(|(_, is_silent)| **is_silent).map(|(&(option, other), _)| [option, other]);
    let silent =
        silent.map(|pair| pair.map(|index| options[index])).filter(|[option, other]| !is_implied(option, other));
    let mut silent: Vec<String> = silent.map(|[option, other]| format!("{option} drops {other}")).collect();
    silent.sort();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(unused.is_empty(), "options without an effect in any search: {unused:?}");
    assert!(pairs.0.len() > 3500, "{} pairs", pairs.0.len());
}

#[test]
fn every_option_is_in_a_pair() {
    let name = |arg: &Arg| arg.get_long().map_or_else(|| format!("-{}", arg.get_short().unwrap()), str::to_owned);
    let is_listed = |name: &str| {
        let with = |listed: &&str| listed.trim_start_matches("--").split('=').next() == Some(name);
        let excluded = WITHOUT_EFFECT.iter().flat_map(|(names, _)| *names);
        OPTIONS.iter().chain(FORMS).chain(excluded).any(with)
    };
    let command = command();
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_positional());
    let missing: Vec<String> = shown.map(name).filter(|name| !is_listed(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
