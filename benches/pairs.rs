//! Times the comparison of pairs in memory, for `benches/pairs.py`.
//!
//! `pairs OBJECTIVE RESULT THREADS FILE [ENGINE]`: OBJECTIVE is distance, lcs, global or local (scores of BLOSUM62, gaps
//! of 11 and 1); RESULT is values or alignments; FILE has a pair on each line, separated by a tab. If all queries are
//! equal, one query is compared with many targets. ENGINE is cpu, auto or cuda. Prints the mean seconds of wall time and
//! of processor time of several calls, and the sum of the values. With devices, the first call is not timed, because it
//! opens them.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::time::{Duration, Instant};

use nigh::engine::{Devices, EngineChoice, Fallback};
use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution};
use nigh::pairwise::{Objective, PairAligner, matrices};

/// Time for which calls are repeated.
const AT_LEAST: Duration = Duration::from_millis(200);

fn objective(name: &str) -> Objective {
    let scoring = || {
        let matrix = matrices::built_in("BLOSUM62").unwrap();
        Scoring::new(Substitution::Matrix(matrix), GapCosts { open: 11, extend: 1 }).unwrap()
    };
    match name {
        "distance" => Objective::Distance,
        "lcs" => Objective::Lcs,
        "global" => Objective::Global(scoring()),
        "local" => Objective::Local(scoring()),
        _ => panic!("{name} is not an objective"),
    }
}

/// Returns the processor time of this process in seconds.
fn processor_seconds() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}

/// Packs strings one after the other.
fn packed<'a>(strings: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for string in strings {
        bytes.extend_from_slice(string);
        ends.push(bytes.len());
    }
    (bytes, ends)
}

/// Returns packed strings as strings of equal length, if they are.
fn strings<'a>(bytes: &'a [u8], ends: &'a [usize]) -> Strings<'a> {
    let length = ends[0];
    match ends.iter().zip(1..).all(|(&end, count)| end == count * length) {
        true => Strings::Equal { bytes, length },
        false => Strings::Packed { bytes, ends },
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (name, result, threads, file, engine) = match &arguments[..] {
        [name, result, threads, file] => (name, result, threads, file, "cpu"),
        [name, result, threads, file, engine] => (name, result, threads, file, engine.as_str()),
        _ => return eprintln!("pairs: called by benches/pairs.py"),
    };
    let choice = match engine {
        "cpu" => EngineChoice::Cpu,
        "auto" => EngineChoice::Auto(None, None),
        "cuda" => EngineChoice::Cuda(Devices::First, Fallback::Refused),
        _ => panic!("{engine} is not an engine"),
    };
    let table = std::fs::read(file).unwrap();
    let lines = || table.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let column = |index: usize| lines().map(move |line| line.split(|&byte| byte == b'\t').nth(index).unwrap());
    let ((queries, query_ends), (targets, target_ends)) = (packed(column(0)), packed(column(1)));
    let (queries, targets) = (strings(&queries, &query_ends), strings(&targets, &target_ends));
    let first = queries.get(0);
    let pairs = match (1..queries.len()).all(|index| queries.get(index) == first) && queries.len() > 1 {
        true => Pairs::OneToMany { query: first, targets },
        false => Pairs::zipped(queries, targets),
    };
    let aligner = PairAligner::with_engine(objective(name), choice, threads.parse().unwrap()).unwrap();
    let call = || -> i64 {
        match result.as_str() {
            "alignments" => aligner.alignments(&pairs).unwrap().iter().map(|aligned| i64::from(aligned.value)).sum(),
            _ => aligner.values(&pairs).unwrap().into_iter().map(i64::from).sum(),
        }
    };
    if engine != "cpu" {
        call();
    }
    let (wall, processor, mut calls, mut sum) = (Instant::now(), processor_seconds(), 0.0, 0);
    while calls == 0.0 || wall.elapsed() < AT_LEAST {
        sum = call();
        calls += 1.0;
    }
    println!("{} {} {sum}", wall.elapsed().as_secs_f64() / calls, (processor_seconds() - processor) / calls);
}
