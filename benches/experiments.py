"""The cases of literature.py: for each paper, tables of cases, with the input and the command of each."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import generate
from strings import CAPITALS, NUCLEOTIDES, RESIDUES, protein_lengths, random_letters

DATABASE_SEQUENCES = 392_768
# Length of the longest sequence of Swiss-Prot. One sequence of the database has this length.
MAX_PROTEIN_LENGTH = 35_213
PAIRS_AT_A_TIME = 100_000
TEXT_SYMBOLS = 10_000_000
RECORDS = 10
ALIGNMENTS = ", alignments"
# Maximum length of strings for kernels that scan the carry: they use one block for a pair, and take seconds for longer
# strings.
MAX_SCAN_LENGTH = 100_000


@dataclass(frozen=True)
class Column:
    """A way of running a case."""

    name: str
    engine: str
    threads: int
    carry: str = ""


@dataclass(frozen=True)
class Case:
    name: str
    # Position on the horizontal axis of the plot.
    size: float
    # Number of cells of all matrices.
    cells: float
    # Writes the input in a folder. Returns the arguments that follow those of the engine.
    prepare: Callable[[Path], list[str]]
    # Whether the paper has this case.
    in_paper: bool
    # Forms of the carry (NIGH_CARRY) with which a device also runs the case.
    carries: tuple[str, ...] = ()
    # Cases of rank 1 run first.
    rank: int = 1


@dataclass(frozen=True)
class Table:
    """Cases that one command runs. Times of the program `pairs` are measured in memory, other times are those of a whole process."""

    paper: str
    key: str
    title: str
    axis: str
    arguments: Callable[[Column], list[str]]
    cases: tuple[Case, ...]

    @property
    def in_memory(self):
        return self.arguments(Column("", "cpu", 1))[0] == "pairs"


def in_memory(objective):
    return lambda column: ["pairs", objective, "values", column.engine, str(column.threads)]


def program(name, *options):
    return lambda column: [name, *options, "--engine", column.engine, "-j", str(column.threads)]


def random_pair(folder, lengths, letters):
    random = Random(str(lengths))
    strings = [random_letters(random, letters, length) for length in lengths]
    (folder / "pairs.tsv").write_bytes(b"\t".join(strings) + b"\n")
    return ["pairs.tsv"]


def pair_case(lengths, in_paper, letters=NUCLEOTIDES, **others):
    rows, columns = lengths
    prepare = functools.partial(random_pair, lengths=lengths, letters=letters)
    return Case(f"{rows:,} x {columns:,}", math.sqrt(rows * columns), rows * columns, prepare, in_paper, **others)


def distance_cases(scale):
    for lengths in ((50_000, 50_000), (50_000, 100_000)):
        yield pair_case(lengths, True, CAPITALS, carries=("scan",))
    for length in (1_000, 10_000, 100_000, 1_000_000):
        if length <= 1_000_000 * scale:
            carries = ("scan",) if length <= MAX_SCAN_LENGTH else ()
            yield pair_case((length, length), False, carries=carries, rank=1 if length >= 100_000 else 2)


def records_with_copies(folder, length, k, symbols):
    """Writes records. Every second one ends with a copy of the pattern that has up to half of the edits that are allowed."""
    random = Random(length)
    pattern = random_letters(random, NUCLEOTIDES, length)
    with (folder / "text.fa").open("wb") as text:
        for record in range(RECORDS):
            copy = generate.mutate(random, pattern, k // 2, b"ACGT") if record % 2 else b""
            bases = random_letters(random, NUCLEOTIDES, symbols // RECORDS - len(copy))
            text.write(b">r%d\n%s%s\n" % (record, bases, copy))
    (folder / "pattern.txt").write_bytes(pattern + b"\n")
    return ["-k", str(k), "-f", "pattern.txt", "text.fa"]


def matching_cases(scale):
    symbols = int(TEXT_SYMBOLS * min(1, scale * 10))
    for length in (25, 64, 256, 1_024, 2_048, 4_096, 16_384, 49_152):
        if length <= 49_152 * scale * 10:
            prepare = functools.partial(records_with_copies, length=length, k=length // 10, symbols=symbols)
            carries = ("skew", "scan") if length > 1_024 else ()
            yield Case(f"m = {length:,}, k = {length // 10:,}", length, length * symbols, prepare, length == 49_152,
                       carries, rank=1 if length in (25, 2_048, 49_152) else 2)  # fmt: skip


def global_cases(scale):
    for exponent in range(8, 17):
        if 2**exponent <= 65_536 * scale * 10:
            yield pair_case((2**exponent, 2**exponent), True)


def subsequence_cases(scale):
    for length in range(5_120, 10_241, 1_024):
        yield pair_case((length, length), True)
    for length in (100_000, 1_000_000):
        if length <= 1_000_000 * scale * 10:
            yield pair_case((length, length), False)


@functools.cache
def proteins(count):
    """Returns the database: random residues and the length of each sequence."""
    random = Random("proteins")
    lengths = [MAX_PROTEIN_LENGTH, *protein_lengths(random, count - 1, MAX_PROTEIN_LENGTH)]
    residues = random_letters(random, RESIDUES, sum(lengths))
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    return [residues[start:end] for start, end in zip(starts, starts[1:])]


def residue_query(length):
    return random_letters(Random(f"query {length}"), RESIDUES, length)


def search_table(folder, length, count):
    """Writes a table whose first line has the query."""
    with (folder / "search.tsv").open("wb") as table:
        table.write(residue_query(length) + b"\t")
        table.write(b"\n".join(proteins(count)) + b"\n")
    return ["search.tsv"]


def search_files(folder, length, count):
    database = folder.parent / "database.fa"
    if not database.exists():
        with database.open("wb") as file:
            file.writelines(b">p%d\n%s\n" % record for record in enumerate(proteins(count)))
    (folder / "query.fa").write_bytes(b">query\n" + residue_query(length) + b"\n")
    return ["query.fa", "../database.fa"]


def search_cases(scale, write):
    count = int(DATABASE_SEQUENCES * scale)
    residues = sum(map(len, proteins(count)))
    for length in (1024, 512, 256, 128, 64, 32, 16, 8, 4):
        prepare = functools.partial(write, length=length, count=count)
        name = f"{length:,} residues, {count:,} sequences"
        in_paper = scale == 1 and write is search_files
        yield Case(name, length, length * residues, prepare, in_paper, rank=1 if length in (1024, 256, 4) else 2)


def short_pairs(folder, count, length):
    """Writes a table of pairs of random nucleotides, once for all tables of cases."""
    random, width = Random(length), 2 * length + 2
    path = folder.parent / f"pairs-{count}-{length}.tsv"
    if not path.exists():
        with path.open("wb") as table:
            for start in range(0, count, PAIRS_AT_A_TIME):
                lines = min(PAIRS_AT_A_TIME, count - start)
                rows = bytearray(random_letters(random, NUCLEOTIDES, width * lines))
                rows[length::width] = b"\t" * lines
                rows[width - 1 :: width] = b"\n" * lines
                table.write(rows)
    return [f"../{path.name}"]


def short_cases(scale, result):
    for full_count, length in ((12_582_720, 32), (23_040_503, 36), (1_258_272, 32), (125_827, 32)):
        count = int(full_count * scale)
        prepare = functools.partial(short_pairs, count=count, length=length)
        in_paper = scale == 1 and count > 10_000_000 and result == ALIGNMENTS
        name = f"{count:,} pairs of {length}{result}"
        yield Case(name, count, count * length * length, prepare, in_paper, rank=1 if full_count > 10_000_000 else 2)


def tables(scale):
    """Returns the tables of all papers. Scale 1 has the sizes of the papers; some cases are only in larger scales."""

    def table(paper, key, title, axis, arguments, cases):
        return Table(paper, key, title, axis, arguments, tuple(cases))

    search = ("--local", "--matrix", "BLOSUM62", "--top", "10")
    return (
        table("yang-zhang", "distance", "Edit distance of two strings, in memory", "symbols of a string, or the geometric mean of two lengths",
              in_memory("distance"), distance_cases(scale)),
        table("yang-zhang", "matching", "Matching: the records that a pattern matches with at most k edits, from file to output",
              "symbols of the pattern", program("nigh", "-c", "--strand=forward"), matching_cases(scale)),
        table("dicker", "global", "Global score of two strings of nucleotides, linear gaps, in memory", "symbols of each string",
              in_memory("linear"), global_cases(scale)),
        table("yang-xu-shang", "lcs", "Length of the longest common subsequence of two strings of nucleotides, in memory",
              "symbols of each string", in_memory("lcs"), subsequence_cases(scale)),
        table("akoglu-striemer", "search", "The ten best targets of a query, from files to output", "residues of the query",
              program("nigh-align", *search), search_cases(scale, search_files)),
        table("akoglu-striemer", "scores", "The local scores of all targets, in memory", "residues of the query",
              in_memory("local"), search_cases(scale, search_table)),
        table("farivar", "files", "Alignments with CIGAR, from a file to a file", "pairs",
              program("nigh-align", "--pairs", "--cigar"), short_cases(scale, ALIGNMENTS)),
        table("farivar", "distances", "Distances, from a file to a file", "pairs",
              program("nigh-align", "--pairs", "--format=values"), short_cases(scale, "")),
        table("farivar", "memory", "Distances, in memory", "pairs", in_memory("distance"), short_cases(scale, "")),
    )  # fmt: skip


@dataclass(frozen=True)
class KernelSeries:
    """Rows that a benchmark of the kernels prints. `case` is a regular expression for their case; its group is the key of the row."""

    name: str
    kernel: str
    case: str


@dataclass(frozen=True)
class KernelTable:
    """A section of a benchmark of the kernels: a table with a row for each key and a column for each series."""

    paper: str
    program: str
    section: str
    title: str
    key: str
    series: tuple[KernelSeries, ...]
    # Two groups of series. The record says for which keys the first group has the fastest series.
    rivals: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


KERNEL_TABLES = (
    KernelTable("yang-zhang", "kernels-bench", "carries", "Kernels for the distance of a pair: the two forms of the carry",
                "rows x columns", (
        KernelSeries("scan, 1 word a thread", "scan", r"distance, (\d+x\d+), 1 words.*"),
        KernelSeries("scan, 4 words a thread", "scan", r"distance, (\d+x\d+), 4 words.*"),
        KernelSeries("skew", "tiles", r"distance, (\d+x\d+), 1 words.*"),
    ), (("scan, 1 word a thread", "scan, 4 words a thread"), ("skew",))),
    KernelTable("yang-zhang", "kernels-bench", "scan", "Kernels for a search: the two forms of the carry", "rows and symbols", (
        KernelSeries("scan, 1 word a thread", "scan", r"(m=\d+ n=\d+), 1 words"),
        KernelSeries("scan, 4 words a thread", "scan", r"(m=\d+ n=\d+), 4 words"),
        KernelSeries("skew, 1 word a lane", "word", r"(m=\d+ n=\d+), 1 words"),
        KernelSeries("skew, 4 words a lane", "word", r"(m=\d+ n=\d+), 4 words"),
    ), (("scan, 1 word a thread", "scan, 4 words a thread"), ("skew, 1 word a lane", "skew, 4 words a lane"))),
    KernelTable("dicker", "scored-bench", "global", "Kernels for the global score of a pair, linear gaps", "symbols", (
        KernelSeries("scan along rows", "rows", r"(\d+), score"),
        KernelSeries("diagonals", "tiles", r"(\d+), score"),
        KernelSeries("scan, alignment", "rows", r"(\d+), alignment"),
        KernelSeries("diagonals, borders kept", "tiles", r"(\d+), borders kept"),
        KernelSeries("diagonals, traceback", "tiles", r"(\d+), trace"),
    ), (("scan along rows",), ("diagonals",))),
    KernelTable("akoglu-striemer", "scored-bench", "local", "Kernels for the local scores of a database of the same size",
                "residues of the query", (
        KernelSeries("16-bit scores", "local", r"(\d+) rows, 16 bits.*"),
        KernelSeries("32-bit scores", "local", r"(\d+) rows, 32 bits.*"),
    )),
    KernelTable("farivar", "kernels-bench", "traces", "Kernels for the alignments of pairs", "pairs", (
        KernelSeries("alphabet of 4", "pair_trace", r"(\d+ pairs of \d+), 2 planes"),
        KernelSeries("alphabet of 256", "pair_trace", r"(\d+ pairs of \d+), 8 planes"),
    )),
    KernelTable("farivar", "kernels-bench", "pairs", "Kernels for the distances of pairs", "pairs", (
        KernelSeries("alphabet of 4", "pairs", r"distance, (\d+ pairs of \d+), 2 planes"),
        KernelSeries("alphabet of 256", "pairs", r"distance, (\d+ pairs of \d+), 8 planes"),
    )),
)  # fmt: skip
