#!/usr/bin/env python3
"""Measures nigh with thousands of patterns: guides, panels of primers, phrases of a log. Compares the engines on one machine, and checks that all
print the same.

usage: libraries.py [--nigh PATH] [--data FOLDER] [--runs N] [--cases REGEX] [--scale X] [--engine NAME]...

Generates the texts in the folder, which should be in memory: 3.1 GB of random bases, the same as one gzip member, 100 MB of random bases, 2.7 MB
like a genome with repeats, a log of 240 MB, and its first 0.6 MB. A text that exists is kept. A command that takes longer than 20 s runs once.
"""

import argparse
import os
import re
import statistics
import subprocess
from pathlib import Path
from random import Random

import generate
from devices import LOG, output_of, run_once, write_genome

LONG = 20.0
GENOME, RECORD, PACKED, REPEATS, SHORT_LOG = "genome.fa", "record.fa", "genome.fa.gz", "repeats.fa", "short.log"
REPEATS_SCALE, SHORT_LOG_BYTES = 0.027, 600_000
TEMPLATES = 60


def bases_of(path, length):
    """Returns the first bases of the first record of a file."""
    with open(path, "rb") as file:
        file.readline()
        return file.read(length + length // 64).replace(b"\n", b"")[:length]


def write_patterns(folder):
    random = Random(14)
    for count in (100, 1_000, 10_000, 100_000):
        lines = [generate.random_bases(random, 20) for _ in range(count)]
        (folder / str(count)).write_bytes(b"\n".join(lines) + b"\n")
    guides = [generate.random_bases(random, 20) + b"<NRG>" for _ in range(100)]
    (folder / "nrg").write_bytes(b"\n".join(guides) + b"\n")
    text = bases_of(folder / GENOME, 8_000_000)
    places = [match.start() for match in re.finditer(b"(?=GG)", text) if match.start() > 21]
    guides = [text[at - 21 : at - 1] + b"<NGG>" for at in random.sample(places, min(77_441, len(places)))]
    (folder / "ngg").write_bytes(b"\n".join(guides) + b"\n")
    long = bytearray(text[100_000:110_000])
    for at in random.sample(range(len(long)), len(long) // 20):
        long[at] = random.choice(b"ACGT")
    (folder / "long").write_bytes(bytes(long) + b"\n")


def write_repeats(folder):
    """Writes bases with dispersed repeats, microsatellites and runs of A, and guides that occur in them."""
    random = Random(16)
    bases = bytes(generate.genome_like(random, REPEATS_SCALE))
    with open(folder / REPEATS, "wb") as file:
        generate.write_record(file, b"repeats", bases)
    plain = [bases[at : at + 20] for at in random.sample(range(len(bases) - 20), 20_000)]
    places = [match.start() for match in re.finditer(b"(?=GG)", bases) if match.start() > 21]
    guides = [bases[at - 21 : at - 1] + b"<NGG>" for at in random.sample(places, 20_000)]
    for count in (5_000, 20_000):
        (folder / f"repeats-{count}").write_bytes(b"\n".join(plain[:count]) + b"\n")
        (folder / f"repeats-ngg-{count}").write_bytes(b"\n".join(guides[:count]) + b"\n")


def write_short_log(folder):
    """Writes the start of the log, and phrases that occur in it."""
    random = Random(17)
    with open(folder / LOG, "rb") as file:
        text = file.read(SHORT_LOG_BYTES)
    (folder / SHORT_LOG).write_bytes(text)
    lines = [line for line in text.split(b"\n") if len(line) > 40]
    phrases = []
    while len(phrases) < 3_000:
        line, length = random.choice(lines), random.randrange(8, 31)
        at = random.randrange(len(line) - length)
        phrases += [phrase for phrase in [line[at : at + length].strip()] if len(phrase) >= 8]
    for count in (300, 3_000):
        (folder / f"short-{count}").write_bytes(b"\n".join(phrases[:count]) + b"\n")


def write_log(folder, scale):
    """Writes a log of few kinds of messages with changing numbers, and phrases that occur in it."""
    random = Random(15)
    kinds = [" ".join(random.choice(generate.WORDS) for _ in range(random.randrange(6, 14))) for _ in range(TEMPLATES)]
    lines = []
    for number in range(200_000):
        host, port, code = random.randrange(256), random.randrange(65536), random.randrange(10**6)
        lines.append(f"2026-11-{number % 28 + 1:02} 10.0.{host}.{host ^ 85}:{port} [{code}] {random.choice(kinds)} id={code:x}\n")
    piece = "".join(lines).encode()
    with open(folder / LOG, "wb") as file:
        for _ in range(max(1, int(240_000_000 * scale) // len(piece))):
            file.write(piece)
    for count in (1_000, 10_000):
        phrases = []
        while len(phrases) < count:
            line = random.choice(lines).strip().encode()
            length = random.randrange(8, 31)
            at = random.randrange(max(1, len(line) - length))
            phrases.append(line[at : at + length].strip() or b"connection")
        for at in random.sample(range(count), 3):
            phrases[at] = generate.mutate(random, phrases[at], 1, b"abcdefghijklmnopqrstuvwxyz")
        (folder / f"phrases-{count}").write_bytes(b"\n".join(phrases) + b"\n")


def prepare(folder, scale):
    folder.mkdir(parents=True, exist_ok=True)
    for name, length in ((GENOME, 3.1e9), (RECORD, 1e8)):
        if not (folder / name).exists():
            write_genome(folder / name, int(length * scale), 1)
    if not (folder / PACKED).exists():
        with open(folder / PACKED, "wb") as out:
            subprocess.run(["gzip", "-1", "-c", folder / GENOME], stdout=out, check=True)
    if not (folder / LOG).exists():
        write_log(folder, scale)
    if not (folder / REPEATS).exists():
        write_repeats(folder)
    write_short_log(folder)
    write_patterns(folder)


def cases():
    """Returns the cases: name, arguments, text."""
    guides = ["--exact-group", "-k3", "-f"]
    phrases = ["-F", "-c", "-k2", "-f"]
    yield "100,000 patterns of 20 bases, k = 3, `--format=count-patterns`", ["--format=count-patterns", "-k3", "-f", "100000"], GENOME
    yield "77,441 guides with NGG, k = 3, `--hits best`", ["--hits", "best", *guides, "ngg"], GENOME
    yield "100 guides with NRG, k = 3", [*guides, "nrg"], GENOME
    yield "100 patterns of 20 bases, k = 3", ["-k3", "-f", "100"], GENOME
    yield "1,000 patterns of 20 bases, k = 3", ["-k3", "-f", "1000"], GENOME
    for k in (1, 2, 3):
        for count in ("10000", "100000"):
            yield f"{int(count):,} patterns of 20 bases, k = {k}, 100 MB", [f"-k{k}", "-f", count], RECORD
    for k in (2, 3):
        for count in (5_000, 20_000):
            plain = ["--format=count-patterns", f"-k{k}", "-f", f"repeats-{count}"]
            yield f"{count:,} patterns of 20 bases, k = {k}, repeats", plain, REPEATS
            ngg = ["--format=count-patterns", "--exact-group", f"-k{k}", "-f", f"repeats-ngg-{count}"]
            yield f"{count:,} guides with NGG, k = {k}, repeats", ngg, REPEATS
    for count in (300, 3_000):
        for options in (["-c"], ["-on"], ["--format=count-patterns"]):
            phrases_of_log = ["-F", "-k1", *options, "-f", f"short-{count}"]
            yield f"{count:,} phrases, k = 1, `{options[0]}`, 0.6 MB", phrases_of_log, SHORT_LOG
    yield "one pattern of 10,000 bases, k = 1,000", ["-k1000", "-f", "long"], GENOME
    for count in ("1000", "10000"):
        yield f"{int(count):,} phrases, k = 2, `-c`", [*phrases, f"phrases-{count}"], LOG
        yield f"{int(count):,} phrases, k = 2, `-c -v`", ["-v", *phrases, f"phrases-{count}"], LOG
    yield "one pattern of 20 bases, k = 3, `-c`, gzip", ["-c", "-k3", "ACGTTGCAAGGCTATCGCAT"], PACKED
    yield "one pattern of 20 bases, k = 3, `-c`, not compressed", ["-c", "-k3", "ACGTTGCAAGGCTATCGCAT"], GENOME


def measure(command, folder, runs):
    """Returns the times of up to `runs` runs, the number of lines of the output, and their hash."""
    times = []
    while len(times) < runs and (not times or times[0] < LONG):
        times.append(run_once(command, folder))
    return times, *output_of(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nigh", default="target/release/nigh")
    parser.add_argument("--data", default="/dev/shm/nigh-libraries", type=Path)
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("--cases", default="")
    parser.add_argument("--scale", default=1.0, type=float)
    parser.add_argument("--engine", action="append", help="engine to measure; can be repeated (default: cpu, cuda and auto)")
    options = parser.parse_args()
    engines = options.engine or ["cpu", "cuda", "auto"]
    nigh = os.path.abspath(options.nigh)
    prepare(options.data, options.scale)
    print(f"| case | {' | '.join(f'{engine}, s' for engine in engines)} | rows | same |")
    print("| --- |" + " --: |" * (len(engines) + 1) + " --- |")
    for name, arguments, text in cases():
        if not re.search(options.cases, name):
            continue
        cells, outputs = [], set()
        for engine in engines:
            times, rows, output = measure([nigh, "--engine", engine, *arguments, text], options.data, options.runs)
            outputs.add(output)
            cells.append(f"{statistics.median(times):.2f}" + ("*" if len(times) < options.runs else ""))
        print(f"| {name} | {' | '.join(cells)} | {rows:,} | {'yes' if len(outputs) == 1 else 'NO'} |", flush=True)


if __name__ == "__main__":
    main()
