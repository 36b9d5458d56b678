//! Random command lines with regular expressions: the processor and the device print the same.

use std::process::Command;

use fastrand::Rng;

use crate::harness::{Run, finish, has_driver, with_driver};
use crate::support::random::{rounds, seeded};
use crate::support::root::program;
use crate::support::standin::is_on_devices;

/// Sizes of the cases. The stand-in for the driver is several hundred times slower than a device.
struct CaseSizes {
    states: usize,
    text: usize,
    lines: usize,
}

/// A random search: its options, and the file that it reads.
struct CommandLine {
    options: Vec<String>,
    text: String,
}

/// Returns an expression of up to `states` states: repeats of classes between short words.
fn large(rng: &mut Rng, states: usize, words: &[&str], classes: &[&str]) -> String {
    let repeats = rng.usize(1..4);
    let mut expression = (*rng.choice(words).unwrap()).to_owned();
    for _ in 0..repeats {
        let max = rng.usize(states / 2..states) / repeats - 10;
        let min = rng.usize(0..8);
        expression += &format!("{}{{{min},{max}}}{}", rng.choice(classes).unwrap(), rng.choice(words).unwrap());
    }
    expression
}

/// Returns an expression of a few words, alternatives, classes and short repeats.
fn small(rng: &mut Rng, words: &[&str], classes: &[&str]) -> String {
    let word = |rng: &mut Rng| *rng.choice(words).unwrap();
    let mut expression = word(rng).repeat(2);
    for _ in 0..rng.usize(1..4) {
        expression += &match rng.u8(0..4) {
            0 => format!("({}|{}{})", word(rng), word(rng), word(rng)),
            1 => format!("{}{{{},{}}}", rng.choice(classes).unwrap(), rng.usize(0..3), rng.usize(3..30)),
            2 => format!("({}){{1,{}}}", word(rng), rng.usize(2..12)),
            _ => rng.choice(classes).unwrap().repeat(rng.usize(1..4)),
        };
        expression += word(rng);
    }
    expression
}

fn choose(rng: &mut Rng, choices: &[&str]) -> Vec<String> {
    rng.choice(choices).unwrap().split_whitespace().map(str::to_owned).collect()
}

/// Options for the form of the output.
const FORMS_OF_SEQUENCES: &[&str] = &[
    "",
    "--hits best",
    "-c",
    "--count-matches",
    "--format=count-patterns",
    "--format bed",
    "--hits best --format=align",
];
const FORMS_OF_TEXT: &[&str] =
    &["", "-n", "-c", "-o -b", "--count-matches", "--format=count-patterns", "--format=ends", "--json", "-l", "-v -c"];

impl CommandLine {
    fn random(rng: &mut Rng, sizes: &CaseSizes) -> Self {
        let is_dna = rng.bool();
        let words: &[&str] = if is_dna { &["A", "AC", "CG", "GTT", "T"] } else { &["a", "ab", "er", "ror ", "t: "] };
        let classes: &[&str] = if is_dna { &["N", "[ACG]", "R", "M"] } else { &[".", "[a-z ]", "[^:]", "[abt]"] };
        let mut options = vec!["--no-config".to_owned()];
        options.extend(is_dna.then(|| "--fasta".to_owned()));
        let mut least = usize::MAX;
        for _ in 0..rng.usize(1..4) {
            let is_large = rng.bool();
            let states = rng.usize(100..sizes.states);
            let one = if is_large { large(rng, states, words, classes) } else { small(rng, words, classes) };
            least = least.min(if is_large { 2 } else { 4 });
            options.extend(["-e".to_owned(), one]);
        }
        // The shortest string must have more symbols than edits.
        options.push(format!("-k{}", rng.usize(0..least.min(3))));
        options.extend(choose(rng, if is_dna { FORMS_OF_SEQUENCES } else { FORMS_OF_TEXT }));
        let habits: &[&str] = match is_dna {
            true => &["", "--strand forward", "--strand reverse", "--within 3..500", "--max-hits 5"],
            false => &["", "-i", "-w", "-x", "-m 3", "--edits i,d,s<=1,e<=1"],
        };
        options.extend(choose(rng, habits));
        options.push(format!("-j{}", rng.usize(1..4)));
        if rng.bool() {
            options.extend(["--batch-size".to_owned(), rng.usize(20..2 * sizes.text).to_string()]);
        }
        let mut text = String::new();
        for item in 0..rng.usize(1..sizes.lines) {
            let length = rng.usize(0..2 * sizes.text / sizes.lines);
            let start = text.len();
            if is_dna {
                text += &format!(">r{item}\n");
            }
            while text.len() < start + length {
                text += rng.choice(words).unwrap();
                text += if is_dna { "" } else { rng.choice(&["", " ", "x", "\u{e9}"]).unwrap() };
            }
            text.push('\n');
        }
        CommandLine { options, text }
    }

    fn run(&self, mut command: Command, engine: &str) -> Run {
        command.args(["--engine", engine]).args(&self.options).env("NIGH_REQUIRE_CUDA", "1");
        finish(command, self.text.clone().into_bytes())
    }
}

#[test]
fn random_command_lines_print_the_same_on_a_device() {
    if !has_driver() {
        return;
    }
    let (cases, sizes) = match is_on_devices() {
        true => (100, CaseSizes { states: 4_000, text: 20_000, lines: 40 }),
        false => (25, CaseSizes { states: 300, text: 1_500, lines: 10 }),
    };
    let mut rng = seeded(61);
    let (mut with_hits, mut refused) = (0, 0);
    for case in 0..rounds(cases) {
        let line = CommandLine::random(&mut rng, &sizes);
        let on_device = line.run(with_driver(program()), "cuda");
        let expected = line.run(Command::new(program()), "cpu");
        // Objects of JSON with times differ from run to run.
        let text = |run: &Run| {
            let text = String::from_utf8_lossy(&run.stdout).into_owned();
            text.lines()
                .filter(|line| !line.contains("\"elapsed\""))
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        let outputs = [&on_device, &expected].map(|run| (text(run), &run.stderr, run.status));
        if outputs[0] != outputs[1] {
            let at = outputs[0].0.lines().zip(outputs[1].0.lines()).find(|(device, cpu)| device != cpu);
            let others = outputs.each_ref().map(|(text, errors, status)| (text.lines().count(), *errors, *status));
            panic!("case {case}: nigh {:?}\nfirst other line: {at:?}\n{others:?}\n{}", line.options, line.text);
        }
        with_hits += usize::from(expected.status == Some(0));
        refused += usize::from(expected.status == Some(2));
    }
    assert!(with_hits > cases / 4 && refused < cases / 4, "{with_hits} of {cases} with hits, {refused} refused");
}
