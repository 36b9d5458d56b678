//! Times the comparison of pairs in memory, for `benches/pairs.py`.
//!
//! `pairs OBJECTIVE RESULT ENGINE THREADS FILE`: OBJECTIVE is distance, lcs, global or local (scores of BLOSUM62, gaps
//! of 11 and 1); RESULT is values or alignments; ENGINE is cpu, auto or cuda. FILE has a pair on each line, separated
//! by a tab. If all queries are equal, one query is compared with many targets. Prints the mean seconds of wall time and
//! of processor time of several calls, and the sum of the values. On a device, a first call, which opens it, is not
//! counted.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::time::{Duration, Instant};

use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution};
use nigh::pairwise::{Objective, PairAligner, matrices};
use nigh::{EngineChoice, Fallback};

/// Calls are repeated until they have taken this long in total.
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
        _ => panic!("{name} is not an objective; use distance, lcs, global or local"),
    }
}

fn engine(name: &str) -> EngineChoice {
    match name {
        "cpu" => EngineChoice::cpu(),
        "auto" => EngineChoice::auto(),
        "cuda" => EngineChoice::cuda().fallback(Fallback::Refused),
        _ => panic!("{name} is not an engine; use cpu, auto or cuda"),
    }
}

/// Returns the processor time of this process in seconds.
fn processor_seconds() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}

/// Returns the strings one after the other, and the end of each.
fn packed<'a>(strings: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for string in strings {
        bytes.extend_from_slice(string);
        ends.push(bytes.len());
    }
    (bytes, ends)
}

/// Returns packed strings, marked as strings of equal length if all have the same length.
fn strings<'a>(bytes: &'a [u8], ends: &'a [usize]) -> Strings<'a> {
    let length = ends[0];
    match ends.iter().zip(1..).all(|(&end, count)| end == count * length) {
        true => Strings::Equal { bytes, length },
        false => Strings::Packed { bytes, ends },
    }
}

/// Returns the columns of a table.
fn columns(table: &[u8]) -> impl Iterator<Item = [&[u8]; 2]> {
    table.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(|line| {
        let tab = line.iter().position(|&byte| byte == b'\t').expect("each line has a tab");
        [&line[..tab], &line[tab + 1..]]
    })
}

/// The total time of several calls.
#[derive(Default)]
struct CallTimes {
    wall: Duration,
    processor: f64,
    calls: f64,
}

impl CallTimes {
    /// Makes a call and adds its time.
    fn call<R>(&mut self, call: impl FnOnce() -> R) -> R {
        let (wall, processor) = (Instant::now(), processor_seconds());
        let result = call();
        self.wall += wall.elapsed();
        self.processor += processor_seconds() - processor;
        self.calls += 1.0;
        result
    }
}

/// Compares the pairs once. Returns the sum of the values.
fn sum(aligner: &PairAligner, pairs: &Pairs<'_>, result: &str, spent: &mut CallTimes) -> i64 {
    match result {
        "alignments" => {
            let aligned = spent.call(|| aligner.alignments(pairs).unwrap());
            aligned.iter().map(|aligned| aligned.value).sum()
        }
        _ => spent.call(|| aligner.values(pairs).unwrap()).into_iter().sum(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [name, result, engine_name, threads, file] = &arguments[..] else {
        eprintln!("pairs: run benches/pairs.py, which calls this program");
        return;
    };
    let table = std::fs::read(file).unwrap();
    let [(queries, query_ends), (targets, target_ends)] =
        [0, 1].map(|index| packed(columns(&table).map(|columns| columns[index])));
    drop(table);
    let (queries, targets) = (strings(&queries, &query_ends), strings(&targets, &target_ends));
    let first = queries.get(0);
    let pairs = match (1..queries.len()).all(|index| queries.get(index) == first) && queries.len() > 1 {
        true => Pairs::OneToMany { query: first, targets },
        false => Pairs::zipped(queries, targets),
    };
    let aligner = PairAligner::with_engine(objective(name), engine(engine_name), threads.parse().unwrap()).unwrap();
    if engine_name != "cpu" {
        sum(&aligner, &pairs, result, &mut CallTimes::default());
    }
    let mut spent = CallTimes::default();
    let mut total = sum(&aligner, &pairs, result, &mut spent);
    while spent.wall < AT_LEAST {
        total = sum(&aligner, &pairs, result, &mut spent);
    }
    println!("{} {} {total}", spent.wall.as_secs_f64() / spent.calls, spent.processor / spent.calls);
}
