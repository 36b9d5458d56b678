//! Compares nigh-gunzip with zlib-rs and rapidgzip-core: wall time, CPU time and peak memory of reading a gzip file to
//! its end.
//!
//! ```text
//! cargo run --release -- FILE.gz [THREADS]...
//! ```
//!
//! Each run is a process of its own that reads the file through 128 KiB buffers and computes the CRC-32 of the text. The
//! decoders take turns, nine rounds after one to warm up. The table has medians; the texts must be the same.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use flate2::Crc;
use flate2::bufread::MultiGzDecoder;
use nigh_gunzip::{Gunzip, Pool};
use rapidgzip_core::Decoder;

const ROUNDS: usize = 9;
const BUFFER: usize = 128 << 10;

type Failure = Box<dyn Error>;

/// The measurements of one process.
#[derive(Clone, PartialEq)]
struct Run {
    seconds: f64,
    cpu_seconds: f64,
    peak_megabytes: f64,
    /// The length of the text and its checksum.
    text: (u64, u32),
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [one, decoder, threads, file] if one == "--one" => print_run(decoder, threads.parse()?, file),
        [file, threads @ ..] => compare(file, threads),
        [] => Err("usage: FILE.gz [THREADS]...".into()),
    }
}

fn print_run(decoder: &str, threads: usize, file: &str) -> Result<(), Failure> {
    let start = Instant::now();
    let reader: Box<dyn Read> = match decoder {
        "zlib-rs" => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, File::open(file)?))),
        "nigh-gunzip" => {
            let file = BufReader::with_capacity(BUFFER, File::open(file)?);
            match threads {
                1 => Box::new(Gunzip::new(file)),
                _ => Box::new(Gunzip::with_helpers(file, Arc::new(Pool::new(threads)))),
            }
        }
        "rapidgzip-core" => Box::new(Decoder::builder().decoder_threads(threads).build()?.open(file)?),
        _ => return Err(format!("there is no decoder '{decoder}'").into()),
    };
    let text = read_to_end(reader)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds} {} {} {} {}", cpu_seconds()?, peak_megabytes()?, text.0, text.1);
    Ok(())
}

fn read_to_end(mut reader: Box<dyn Read>) -> Result<(u64, u32), Failure> {
    let (mut buffer, mut length, mut sum) = (vec![0; BUFFER], 0, Crc::new());
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok((length, sum.sum()));
        }
        length += read as u64;
        sum.update(&buffer[..read]);
    }
}

/// Returns the CPU time of this process, from /proc, which counts hundredths of a second.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}

fn peak_megabytes() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("/proc/self/status has no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1e3)
}

fn compare(file: &str, threads: &[String]) -> Result<(), Failure> {
    let mut cases = vec![("zlib-rs", "1"), ("nigh-gunzip", "1")];
    for threads in threads {
        cases.extend([("nigh-gunzip", threads.as_str()), ("rapidgzip-core", threads.as_str())]);
    }
    let mut runs: BTreeMap<usize, Vec<Run>> = BTreeMap::new();
    let mut text = None;
    for round in 0..=ROUNDS {
        for (index, (decoder, threads)) in cases.iter().enumerate() {
            let output = Command::new(std::env::current_exe()?).args(["--one", decoder, threads, file]).output()?;
            if !output.status.success() {
                return Err(format!("{decoder}: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
            let run = parse(&String::from_utf8(output.stdout)?)?;
            if *text.get_or_insert(run.text) != run.text {
                return Err(format!("{decoder} with {threads} threads returns another text than the first run").into());
            }
            if round > 0 {
                runs.entry(index).or_default().push(run);
            }
        }
    }
    let (length, sum) = text.ok_or("no run")?;
    println!("{length} bytes of text, CRC-32 {sum:08x}, the same in all runs; medians of {ROUNDS} rounds\n");
    println!("| decoder | threads | wall, s | CPU, s | peak, MB |\n| --- | --: | --: | --: | --: |");
    for (index, (decoder, threads)) in cases.iter().enumerate() {
        let median = |value: fn(&Run) -> f64| {
            let mut values: Vec<f64> = runs[&index].iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let [wall, cpu, peak] =
            [median(|run| run.seconds), median(|run| run.cpu_seconds), median(|run| run.peak_megabytes)];
        println!("| {decoder} | {threads} | {wall:.3} | {cpu:.2} | {peak:.0} |");
    }
    Ok(())
}

fn parse(line: &str) -> Result<Run, Failure> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [seconds, cpu_seconds, peak_megabytes, length, sum] = fields[..] else {
        return Err("a run printed an unexpected line".into());
    };
    Ok(Run {
        seconds: seconds.parse()?,
        cpu_seconds: cpu_seconds.parse()?,
        peak_megabytes: peak_megabytes.parse()?,
        text: (length.parse()?, sum.parse()?),
    })
}
