#!/usr/bin/env python3
"""Measures nigh on NVIDIA devices and on the CPU of the same machine, and checks that both print the same.

usage: devices.py [--nigh PATH] [--data FOLDER] [--runs N] [--cases REGEX] [--scale X] [--device LIST]...

Generates the texts in the folder, which should be in memory: 3.1 GB of random bases in 24 records, 100 MB in one record, and logs of 240 MB and
10 GB. A text that exists is kept. The start-up time is the time of the same engine for a text of one line.
"""

import argparse
import hashlib
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import generate

LINE = 80
LOG = "service.log"
PIECE = 100_000 * LINE


def in_lines(bases):
    """Returns the bases in lines of LINE bases. Bases of an incomplete last line are dropped."""
    count = len(bases) // LINE
    out = bytearray(b"\n") * (count * (LINE + 1))
    for at in range(LINE):
        out[at :: LINE + 1] = bases[at : count * LINE : LINE]
    return out


def write_genome(path, length, records):
    random = Random(31)
    with open(path, "wb") as file:
        for record in range(records):
            file.write(b">chr%d\n" % (record + 1))
            for _ in range(max(1, length // records // PIECE)):
                file.write(in_lines(generate.random_bases(random, PIECE)))


def write_patterns(folder):
    random = Random(5)
    for name, count, length, tail in (("1000", 1000, 20, b""), ("guides", 100, 20, b"NRG"), ("long", 1, 49_152, b"")):
        patterns = [generate.random_bases(random, length) + tail for _ in range(count)]
        (folder / name).write_bytes(b"\n".join(patterns) + b"\n")


def prepare(folder, scale):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one.fa").write_bytes(b">r\nACGTTGCAAGGCTATCGCAT\n")
    (folder / "one.log").write_bytes(b"connection timed out\n")
    write_patterns(folder)
    if not (folder / "genome.fa").exists():
        write_genome(folder / "genome.fa", int(3.1e9 * scale), 24)
    if not (folder / "record.fa").exists():
        write_genome(folder / "record.fa", int(1e8 * scale), 1)
    generate.generate(folder, scale, [LOG])
    if not (folder / "large.log").exists():
        with open(folder / "large.log", "wb") as file:
            text = (folder / LOG).read_bytes()
            for _ in range(max(1, int(1e10 * scale) // len(text))):
                file.write(text)


def cases():
    """Returns the cases: name, arguments, text, text of one line for the start-up, engines, and patterns x strands."""
    both = ("cuda", "cpu")
    return (
        ("one pattern of 20 bases, k = 3", ["-k3", "ACGTTGCAAGGCTATCGCAT"], "genome.fa", "one.fa", both + ("auto",), 2),
        ("1,000 patterns of 20 bases, k = 3", ["-k3", "-f", "1000"], "genome.fa", "one.fa", both + ("auto",), 2000),
        ("100 guides with NRG, k = 3", ["-k3", "-f", "guides"], "genome.fa", "one.fa", both, 200),
        ("one pattern of 49,152 bases, k = 491", ["-k491", "--strand=forward", "-f", "long"], "record.fa", "one.fa", both, 1),
        ("log of 240 MB, k = 2", ["-c", "-k2", "connection timed out"], LOG, "one.log", ("auto", "cpu"), 1),
        ("log of 10 GB, k = 2", ["-c", "-k2", "connection timed out"], "large.log", "one.log", ("auto", "cpu"), 1),
    )


def run_once(command, folder):
    """Runs a command with its output in the file `out` of the folder. Returns the seconds it took."""
    with open(folder / "out", "wb") as out:
        start = time.perf_counter()
        run = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, cwd=folder, check=False)
        wall = time.perf_counter() - start
    if run.returncode > 1 or run.stderr:
        sys.exit(f"{' '.join(command)}: {run.stderr.decode()}")
    return wall


def output_of(folder):
    """Returns the number of lines that the last command printed, and their hash."""
    printed = (folder / "out").read_bytes()
    return printed.count(b"\n"), hashlib.sha256(printed).hexdigest()


def seconds(command, folder, runs):
    """Runs a command `runs` times. Returns the median time, the number of lines of its output and their hash."""
    times = [run_once(command, folder) for _ in range(runs)]
    return statistics.median(times), *output_of(folder)


def engine_devices(engines, devices):
    """Yields pairs of an engine and a choice of devices: none for cpu, the first choice for auto, each choice for cuda."""
    for engine in engines:
        for device in {"cpu": [""], "auto": devices[:1], "cuda": devices}[engine]:
            yield engine, device


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nigh", default="target/release/nigh")
    parser.add_argument("--data", default="/dev/shm/nigh-devices", type=Path)
    parser.add_argument("--runs", default=5, type=int)
    parser.add_argument("--cases", default="")
    parser.add_argument("--scale", default=1.0, type=float)
    parser.add_argument("--device", action="append", help="devices as for nigh --device; repeat the option to measure several choices")
    options = parser.parse_args()
    nigh = os.path.abspath(options.nigh)
    prepare(options.data, options.scale)
    print("| case | engine | s | s without start-up | GB/s x pattern | rows | same |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, arguments, text, line, engines, strands in cases():
        if not re.search(options.cases, name):
            continue
        hashes = {}
        for engine, device in engine_devices(engines, options.device or ["0"]):
            command = [nigh, "--engine", engine, *(["--device", device] if device else []), *arguments]
            start, _, _ = seconds([*command, line], options.data, options.runs)
            wall, rows, hashes[engine, device] = seconds([*command, text], options.data, options.runs)
            speed = (options.data / text).stat().st_size * strands / max(wall - start, 1e-9) / 1e9
            same = "yes" if len(set(hashes.values())) == 1 else "NO"
            print(f"| {name} | {engine} {device} | {wall:.3f} | {wall - start:.3f} | {speed:,.1f} | {rows:,} | {same} |", flush=True)


if __name__ == "__main__":
    main()
