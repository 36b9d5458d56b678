#!/usr/bin/env python3
"""Compares the engines of nigh on random command lines. See README.md in this folder."""

import argparse
import gzip
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import inputs

# A command line that takes longer than this, in seconds, or prints more than this number of bytes, is not compared, but
# counted as too slow.
LIMIT = 60
LARGEST = 1 << 30
COMPLEMENT = str.maketrans("ACGT", "TGCA")


class Inputs:
    """The files that are searched, and pieces of them for patterns."""

    def __init__(self, random: Random, folder: Path):
        self.vocabulary = [*inputs.words(random, 300, "abcdefgh"), "é", "日本", "10.0.0.1", "id=77", "took 12ms"]
        words = [word.encode() for word in self.vocabulary]
        lines = [b" ".join(random.choices(words, k=random.choice([1, 4, 12, 12, 40]))) for _ in range(12_000)]
        lines += [b" ".join(random.choices(words, k=4_000)) for _ in range(3)]
        random.shuffle(lines)
        text = b"\n".join(lines) + b"\n"
        (folder / "log").write_bytes(text)
        (folder / "log.gz").write_bytes(gzip.compress(text))
        (folder / "repeats").write_bytes(inputs.repetitive(random, "ab", 60_000, 256))
        small = folder / "small"
        small.mkdir()
        for number in range(100):
            (small / f"{number:03}").write_bytes(b"\n".join(random.choices(lines[:900], k=random.randint(0, 30))))
        family = "".join(random.choices("ACGT", k=300))
        parts = []
        while sum(map(len, parts)) < 800_000:
            parts.append("".join(random.choices("ACGT", k=random.randint(100, 4_000))))
            parts.append(inputs.edited(random, family, "ACGT"))
            parts.append(random.choice(["A" * 60, "CA" * 200, "N" * 70, "acgtta" * 10, "RYKM", ""]))
        self.genome = "".join(parts)
        cuts = sorted(random.sample(range(len(self.genome)), 25))
        records = [self.genome[first:end] for first, end in zip([0, *cuts], [*cuts, len(self.genome)])]
        fasta = "".join(
            f">r{number} a record\n" + "\n".join(record[at : at + 60] for at in range(0, len(record), 60)) + "\n"
            for number, record in enumerate(records)
        )
        (folder / "genome.fa").write_text(fasta)
        (folder / "genome.fa.gz").write_bytes(gzip.compress(fasta.encode()))
        (folder / "line.fa").write_text(f">one\n{self.genome[:300_000]}\n")
        reads = [self.bases(random, 150) for _ in range(3_000)]
        (folder / "reads.fq").write_text("".join(f"@q{n}\n{read}\n+\n{'I' * 150}\n" for n, read in enumerate(reads)))
        pairs = [self.bases(random, length) for length in random.choices([0, 9, 40, 150, 900], k=1_000)]
        rows = (f"{one}\t{inputs.edited(random, one, 'ACGT') if one else 'A'}\n" for one in pairs)
        (folder / "pairs.tsv").write_text("".join(rows))
        starts = random.sample(range(len(self.genome) - 500), 20)
        primers = ((self.genome[at : at + 18].upper(), self.genome[at + 300 : at + 318].upper()) for at in starts)
        rows = (f"p{n}\t{one}\t{two.translate(COMPLEMENT)[::-1]}\n" for n, (one, two) in enumerate(primers))
        (folder / "primers.tsv").write_text("".join(rows))

    def bases(self, random: Random, length):
        """Returns a piece of the genome, or of its other strand, in upper case."""
        start = random.randrange(len(self.genome) - length)
        piece = self.genome[start : start + length].upper()
        return piece if random.random() < 0.5 else piece.translate(COMPLEMENT)[::-1]


def text_expression(random: Random, vocabulary):
    """Returns a regular expression. Some have thousands of states."""
    word = lambda: random.choice(vocabulary).replace(".", r"\.")
    pieces = [
        word,
        lambda: rf"\d{{1,{random.randint(1, 6)}}}",
        lambda: "[a-f]+",
        lambda: rf"\w{{2,{random.choice([5, 60, 500])}}}",
        lambda: f".{{0,{random.choice([3, 30, 300, 1500])}}}",
        lambda: f"({word()}|{word()}|{word()})",
        lambda: f"({word()} ?){{1,{random.choice([3, 20, 100])}}}",
        lambda: r"[^ ]*",
        lambda: r"\b",
    ]
    source = "".join(random.choice(pieces)() for _ in range(random.randint(2, 4)))
    return random.choice(["", "", "", "^"]) + source + random.choice(["", "", "", "$"])


def text_search(random: Random, files: Inputs):
    """Returns the arguments of a search of text."""
    kind = random.random()
    count = random.choice([1, 1, 1, 2, 5, 100])
    if kind < 0.5:
        patterns = [" ".join(random.choices(files.vocabulary, k=random.randint(2, 5))) for _ in range(count)]
        patterns = ["-F"] + [part for pattern in patterns for part in ("-e", inputs.edited(random, pattern, "abc "))]
    else:
        sources = [text_expression(random, files.vocabulary) for _ in range(min(count, 3))]
        patterns = [part for source in sources for part in ("-e", source)]
        if len(sources) == 1 and random.random() < 0.1:
            patterns += ["--near", "20", "-e", random.choice(files.vocabulary)]
    output = random.choice(
        "-c|-n|-o|-on|-ob|--json|--vimgrep|--count-matches|--format=ends|--format=ends --hits best|-l|-L|-v -c|-q|-m 7|--color=always|"
        "-C 1 -n|--format=count-patterns|--format=align -m 50|--cost|--best|--best=file|--max-hits 30 --format=ends|"
        "-n --replace <$0>|-M 60".split("|")
    ).split()
    options = [option for option in ("-i", "-w", "-x", "--bytes") if random.random() < 0.05]
    options += ["--record-start", random.choice(["^[a-d]", "id=77", ".*a$", ""])] if random.random() < 0.15 else []
    edits = random.choice([["-k0"], ["-k1"], ["-k1"], ["-k2"], ["-k3"], ["-k10%"], ["-k2", "--transpositions"]])
    file = random.choice(["log", "log", "log", "log.gz", "repeats", "-r small", "- < log"])
    return ["nigh", *edits, *output, *options, *patterns, *file.split()]


def sequence_expression(random: Random, files: Inputs):
    """Returns a regular expression over bases."""
    pieces = [
        lambda: files.bases(random, random.randint(4, 12)),
        lambda: "[ACG]",
        lambda: f"N{{0,{random.choice([5, 40, 200])}}}",
        lambda: f"({files.bases(random, 4)}|{files.bases(random, 6)})",
        lambda: "R{1,4}",
        lambda: f"(...){{2,{random.choice([4, 30, 100])}}}",
    ]
    return files.bases(random, 5) + "".join(random.choice(pieces)() for _ in range(random.randint(2, 5)))


def sequence_search(random: Random, files: Inputs):
    """Returns the arguments of a search of sequences."""
    kind = random.random()
    options = []
    if kind < 0.4:
        length = random.choice([12, 20, 23, 30, 60, 64, 65, 150, 900])
        count = random.choice([1, 1, 2, 30, 400])
        sources = [inputs.edited(random, files.bases(random, length), "ACGTN")[:length] for _ in range(count)]
        edits = f"-k{random.randint(0, max(1, min(length // 6, 8)))}"
    elif kind < 0.65:
        guides = [files.bases(random, 20) for _ in range(random.choice([1, 10, 300]))]
        sources = [f"<TTTV>{guide}" if random.random() < 0.2 else f"{guide}<NGG>" for guide in guides]
        edits = f"-k{random.randint(0, 4)}"
        options = random.choice([[], ["--hits", "sites"], ["--hits", "sites", "--format=count-patterns"]])
    elif kind < 0.9:
        sources, edits = [sequence_expression(random, files)], f"-k{random.randint(0, 2)}"
    else:
        return product_search(random)
    if not options:
        options = random.choice(
            "|-c|--hits best|--format bed|--format sam|--format paf|--format json|--format=count-patterns|--best=record|-v -c|--max-hits 9|"
            "--strand forward|--format=align|--overhang 1|--ambiguous none|--edits i,d,s<=1,e<=1|--format fasta".split("|")
        ).split()
    file = random.choice(["genome.fa", "genome.fa", "line.fa", "reads.fq", "genome.fa.gz", "--fasta - < genome.fa"])
    return ["nigh", edits, *options, *[part for source in sources for part in ("-e", source)], *file.split()]


def product_search(random: Random):
    """Returns the arguments of a search for the products of primers."""
    options = random.choice(["", "--pool", "--circular", "--inner", "--format counts", "--format bed"])
    file = random.choice(["genome.fa", "genome.fa", "line.fa", "genome.fa.gz"])
    lengths = f"1..{random.choice([300, 5000])}"
    return ["nigh-pcr", f"-k{random.randint(0, 3)}", "--lengths", lengths, *options.split(), "primers.tsv", file]


def pair_search(random: Random):
    """Returns the arguments of a comparison of pairs."""
    mode = random.choice(["--distance", "--lcs", "--global", "--local", "--distance -k 9"])
    options = random.choice(["", "-c", "--format paf", "--format json", "--format=values"])
    return ["nigh-align", *mode.split(), *options.split(), "--pairs", "pairs.tsv"]


def command_line(seed, number, files: Inputs):
    """Returns a random command line without its engine."""
    random = Random(f"{seed} {number}")
    kind = random.random()
    if kind < 0.06:
        return pair_search(random) + [f"-j{random.choice([1, 2, 4])}"]
    arguments = text_search(random, files) if kind < 0.5 else sequence_search(random, files)
    size = random.choice(["", "64K", "256K", "1M"])
    return [arguments[0], f"-j{random.choice([1, 2, 4, 8])}", *(["--batch-size", size] if size else []), *arguments[1:]]


def run(programs: Path, folder: Path, arguments, engine):
    """Runs a command line with an engine. Returns its status, output and messages without the name of the engine and times."""
    source = None
    if arguments[-2] == "<":
        source, arguments = open(folder / arguments[-1], "rb"), arguments[:-2]
    command = [programs / arguments[0], "--engine", engine, *arguments[1:]]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    with tempfile.TemporaryFile(dir=folder) as printed:
        try:
            done = subprocess.run(
                command, cwd=folder, stdin=source or subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, timeout=LIMIT, preexec_fn=limit
            )
        except subprocess.TimeoutExpired:
            return None
        finally:
            if source:
                source.close()
        if printed.tell() >= LARGEST:
            return None
        printed.seek(0)
        lines = printed.read().split(b"\n")
    output = b"\n".join(line for line in lines if not line.startswith(b"@PG\t") and b'"elapsed"' not in line)
    return done.returncode, output, done.stderr.replace(engine.encode(), b"")


def compare(options, folder: Path, files: Inputs, number):
    """Returns what came of a command line, and the command line."""
    arguments = command_line(options.seed, number, files)
    if time.monotonic() > options.end:
        return "left out", arguments
    first, second = (run(options.programs, folder, arguments, engine) for engine in options.engines.split(","))
    if first is None or second is None:
        return "too slow", arguments
    if first != second:
        return "different", arguments
    status, output, _ = first
    return "refused" if status == 2 else "with output" if output.strip() else "without output", arguments


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, help="the folder of nigh, nigh-align and nigh-pcr")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first command line")
    parser.add_argument("--lines", type=int, default=1_000, help="number of command lines")
    parser.add_argument("--seconds", type=float, default=600, help="command lines that have not begun after this time are left out")
    parser.add_argument("--jobs", type=int, default=2, help="number of command lines at a time; processes that share a device wait for each other")
    parser.add_argument("--engines", default="cpu,cuda", help="the two engines")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    options.end = time.monotonic() + options.seconds
    os.environ["NIGH_REQUIRE_CUDA"] = "1"
    tally = Counter()
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        files = Inputs(Random(options.seed), Path(name))
        numbers = range(options.first, options.first + options.lines)
        results = pool.map(lambda number: compare(options, Path(name), files, number), numbers)
        for number, (result, arguments) in zip(numbers, results):
            tally[result] += 1
            if result not in ("with output", "without output", "refused", "left out"):
                print(f"{result}: line {number} of seed {options.seed}: {shlex.join(arguments)[:600]}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in sorted(tally.items())))
    if tally["different"] or not tally["with output"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
