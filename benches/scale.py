#!/usr/bin/env python3
"""Measures the speeds that docs/scale.md uses: bytes of text per second of one machine, for logs and a genome, plain and in bgzf, and the cost of
searching a file in parts. Checks that the parts, bgzf and all engines print the same.

usage: scale.py [--nigh PATH] [--data FOLDER] [--runs N] [--cases REGEX] [--scale X] [--engine NAME]...

Generates the texts in the folder, which should be in memory: a log of 4.8 GB and 3.1 GB of random bases in 24 records, both also in bgzf.
"""

import argparse
import multiprocessing
import os
import re
import statistics
import struct
import zlib
from pathlib import Path
from random import Random

import generate
from devices import output_of, run_once, write_genome

LOG, GENOME = "logs", "genome.fa"
LOG_COPIES = 20
PARTS = 16
BGZF_TEXT = 65_280


def bgzf_block(text):
    """Returns a block of bgzf, as in the specification of SAM."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = deflate.compress(text) + deflate.flush()
    header = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25)
    return header + packed + struct.pack("<II", zlib.crc32(text), len(text))


def bgzf_blocks(text):
    return b"".join(bgzf_block(text[at : at + BGZF_TEXT]) for at in range(0, len(text), BGZF_TEXT))


def write_bgzf(plain, packed):
    with open(plain, "rb") as text, open(packed, "wb") as out, multiprocessing.Pool() as pool:
        pieces = iter(lambda: text.read(BGZF_TEXT * 64), b"")
        out.writelines(pool.imap(bgzf_blocks, pieces))
        out.write(bgzf_block(b""))


def prepare(folder, scale):
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / GENOME).exists():
        write_genome(folder / GENOME, int(3.1e9 * scale), 24)
    if not (folder / LOG).exists():
        generate.generate(folder, scale, ["service.log"])
        piece = (folder / "service.log").read_bytes()
        with open(folder / LOG, "wb") as out:
            out.writelines(piece for _ in range(LOG_COPIES))
    for name in (LOG, GENOME):
        if not (folder / f"{name}.gz").exists():
            write_bgzf(folder / name, folder / f"{name}.gz")
    random = Random(14)
    for count in (1_000, 100_000):
        lines = [generate.random_bases(random, 20) for _ in range(count)]
        (folder / str(count)).write_bytes(b"\n".join(lines) + b"\n")
    guides = [generate.random_bases(random, 20) + b"<NRG>" for _ in range(100)]
    (folder / "nrg").write_bytes(b"\n".join(guides) + b"\n")
    (folder / "phrases").write_text("\n".join(generate.log_phrases()) + "\n")


def cases():
    """Yields the name, the arguments and the text of each case."""
    yield "log, one phrase, k = 2", ["--format=ends", "-k2", "connection timed out"], LOG
    yield "log, 1,000 phrases, k = 2, `-c`", ["-c", "-F", "-k2", "-f", "phrases"], LOG
    yield "genome, one pattern of 20 bases, k = 3", ["-k3", "ACGTTGCAAGGCTATCGCAT"], GENOME
    yield "genome, 100 guides with NRG, k = 3", ["--exact-group", "-k3", "-f", "nrg"], GENOME
    yield "genome, 1,000 patterns of 20 bases, k = 3", ["-k3", "-f", "1000"], GENOME
    yield "genome, 100,000 patterns of 20 bases, k = 3, `--format=count-patterns`", ["--format=count-patterns", "-k3", "-f", "100000"], GENOME


def median(command, folder, runs):
    """Returns the median time of some runs, and the number of lines and the hash of the last output."""
    times = [run_once(command, folder) for _ in range(runs)]
    # Rows of text begin with the name of the file.
    (folder / "out").write_bytes((folder / "out").read_bytes().replace(f"{LOG}.gz\t".encode(), f"{LOG}\t".encode()))
    return statistics.median(times), output_of(folder)


def part_times(command, folder):
    """Returns the time of each part, and the number of lines and the hash of their joined outputs."""
    times, outputs = [], []
    for part in range(1, PARTS + 1):
        times.append(run_once([*command, "--shard", f"{part}/{PARTS}"], folder))
        outputs.append((folder / "out").read_bytes())
    (folder / "out").write_bytes(b"".join(outputs))
    return times, output_of(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nigh", default="target/release/nigh")
    parser.add_argument("--data", default="/dev/shm/nigh-scale", type=Path)
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("--cases", default="")
    parser.add_argument("--scale", default=1.0, type=float)
    parser.add_argument("--engine", action="append", help="engine to measure; can be repeated (default: cpu and cuda)")
    options = parser.parse_args()
    engines = options.engine or ["cpu", "cuda"]
    nigh, folder = os.path.abspath(options.nigh), options.data
    prepare(folder, options.scale)
    print(f"{os.cpu_count()} cores\n")
    print("| case | engine | plain, s | GB/s | bgzf, s | GB/s | 16 parts, s | longest part | rows | same |")
    print("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --- |")
    for name, arguments, text in cases():
        if not re.search(options.cases, name):
            continue
        size = (folder / text).stat().st_size / 1e9
        for engine in engines:
            command = [nigh, "--decompress", "--engine", engine, *arguments]
            plain, output = median([*command, text], folder, options.runs)
            packed, packed_output = median([*command, f"{text}.gz"], folder, options.runs)
            counts = any(argument in ("-c", "--format=count-patterns") for argument in arguments)
            times, parts_output = part_times([*command, text], folder)
            same = output == packed_output and (counts or output == parts_output)
            print(
                f"| {name} | {engine} | {plain:.2f} | {size / plain:.1f} | {packed:.2f} | {size / packed:.1f} | {sum(times):.2f} "
                f"| {max(times):.2f} | {output[0]:,} | {'yes' if same else 'NO'} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
