//! Inputs of a fuzz target: its corpus, and random changes of inputs from the corpus.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fastrand::Rng;
use nigh_cpu::Isa;

use crate::instruction_set;
use crate::support::random::{is_thorough, rounds};
use crate::support::root::root;

/// Environment variable that marks a process that runs one target. It is the process's share of the inputs, such as
/// `1/3`, counted from 0.
const SHARE: &str = "NIGH_CORPORA";

/// Maximum length of an input.
const MAX_LEN: usize = 1200;

/// Runs a target in a process of its own, on its corpus and on `cases` other inputs.
pub(crate) fn check(target: &str, fuzz: fn(&[u8]), cases: usize) {
    check_share(target, fuzz, cases, &[(SHARE, "0/1")]);
}

/// Runs a target with each instruction set of the processor. Each set gets a share of the inputs, or all inputs if
/// NIGH_ROUNDS asks for more cases than usual.
pub(crate) fn check_instruction_sets(target: &str, fuzz: fn(&[u8]), cases: usize) {
    if env::var_os(SHARE).is_some() {
        return check(target, fuzz, cases);
    }
    let sets = Isa::all();
    let count = if is_thorough() { 1 } else { sets.len() };
    for (index, isa) in sets.into_iter().enumerate() {
        let share = format!("{}/{count}", index % count);
        check_share(target, fuzz, cases, &[(SHARE, &share), (instruction_set::VARIABLE, isa.name())]);
    }
}

fn check_share(target: &str, fuzz: fn(&[u8]), cases: usize, settings: &[(&str, &str)]) {
    if let Ok(share) = env::var(SHARE) {
        let (index, count) = share.split_once('/').unwrap();
        return run_share(target, fuzz, cases, (index.parse().unwrap(), count.parse().unwrap()));
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", target, "--nocapture"]).current_dir(root()).env("TMPDIR", scratch.path());
    let output = command.envs(settings.iter().copied()).output().unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{target} with {settings:?}, {}\n{printed}\n{errors}", output.status);
    assert!(printed.contains("1 passed"), "there is no target {target}\n{printed}");
}

/// Runs a target on a share of its corpus, and on a share of `cases` randomly changed inputs, multiplied by
/// NIGH_ROUNDS.
fn run_share(target: &str, fuzz: fn(&[u8]), cases: usize, (index, count): (usize, usize)) {
    let mut inputs = corpus(target);
    inputs.iter().skip(index).step_by(count).for_each(|input| run_one(fuzz, input));
    // An empty input is replaced by random bytes; without a corpus, all cases begin with those.
    inputs.push(Vec::new());
    let mut rng = Rng::with_seed(index as u64);
    for _ in 0..rounds(cases) / count {
        run_one(fuzz, &changed(&mut rng, &inputs));
    }
}

/// Returns the inputs of a corpus. Each is in base64 on a line of its file.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let path = root().join("fuzz/corpus").join(target).with_extension("txt");
    let Ok(text) = fs::read_to_string(path) else { return Vec::new() };
    text.lines().map(|input| BASE64_STANDARD.decode(input).unwrap()).collect()
}

/// Runs a target on an input. If the target panics, panics with the input in the message.
fn run_one(fuzz: fn(&[u8]), input: &[u8]) {
    let outcome = catch_unwind(AssertUnwindSafe(|| fuzz(input)));
    assert!(outcome.is_ok(), "the target fails with the input b\"{}\"", input.escape_ascii());
}

/// Returns an input with one to four random changes.
fn changed(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut input = rng.choice(inputs).unwrap().clone();
    if input.is_empty() {
        input = (0..rng.usize(1..200)).map(|_| rng.u8(..)).collect();
    }
    for _ in 0..rng.usize(1..=4) {
        let place = rng.usize(..=input.len());
        let rest = input.len() - place;
        match rng.u8(..6) {
            0 if rest > 0 => input[place] ^= 1 << rng.u8(..8),
            1 if rest > 0 => input[place] = rng.u8(..),
            2 => input.insert(place, rng.u8(..)),
            3 => drop(input.drain(place..place + rng.usize(..=rest.min(8)))),
            4 => {
                let copied = input[place..place + rng.usize(..=rest.min(16))].to_vec();
                let target = rng.usize(..=input.len());
                input.splice(target..target, copied);
            }
            _ => {
                let other = rng.choice(inputs).unwrap();
                input.truncate(place);
                input.extend_from_slice(&other[place.min(other.len())..]);
            }
        }
    }
    input.truncate(MAX_LEN);
    input
}
