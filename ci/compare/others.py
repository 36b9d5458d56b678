"""Families of random searches that nigh and another program both run."""

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import inputs
from runs import Difference, NotInstalled, RunSettings, Workspace, version

DNA = "ACGT"
# Each IUPAC code with the bases that it stands for.
IUPAC = {"R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT",
         "V": "ACG", "N": "ACGT"}  # fmt: skip


@dataclass(frozen=True)
class Family:
    program: str
    name: str
    description: str
    hits: int
    size: int
    run: Callable[[Random, Workspace, RunSettings, int], tuple[int, int]]


def compare(family, random: Random, work: Workspace, settings: RunSettings, size: int):
    """Compares one random search of a family. Returns the bytes of text and the number of hits."""
    return family.run(random, work, settings, size)


def library(name):
    """Imports a Python module. Raises NotInstalled if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotInstalled(name) from error


def expect(work: Workspace, settings: RunSettings, command, expected, actual, program):
    """Compares nigh's results with those of another program. Returns their number, or raises Difference with the first pair that differs."""
    if expected == actual:
        return len(expected)
    index = next((i for i, (a, b) in enumerate(zip(expected, actual)) if a != b), min(len(expected), len(actual)))
    ours = actual[index] if index < len(actual) else "end of output"
    theirs = expected[index] if index < len(expected) else "end of output"
    raise Difference(f"{work.shell_line(settings, command)}\n{program}: {theirs}\nnigh: {ours}")


# ---- edlib and parasail: the smallest distance in each line, and the ends with this distance


def lines_with_copies(random: Random, pattern, letters, size):
    """Returns lines of 20 to 300 letters. About half of them contain an edited copy of the pattern."""
    lines = []
    while size > 0:
        line = "".join(random.choices(letters, k=random.randint(20, 300)))
        if random.random() < 0.5:
            at = random.randrange(len(line))
            line = line[:at] + inputs.edited(random, pattern, letters) + line[at:]
        lines.append(line)
        size -= len(line) + 1
    return lines


def best_ends(output, lines):
    """Converts rows of --format=ends to (line, end in the line, distance)."""
    facts, number, start = [], 0, 0
    for row in output.splitlines():
        _, end, distance, _ = row.split(b"\t")
        while int(end) > start + len(lines[number]):
            start += len(lines[number]) + 1
            number += 1
        facts.append((number, int(end) - start, int(distance)))
    return facts


def nearest_ends(random: Random, work: Workspace, settings: RunSettings, size):
    """Searches the nearest ends of each line with nigh. Returns the pattern, k, the lines, the command and the ends."""
    pattern = inputs.pattern(random, DNA, random.randint(2, 60))
    lines = lines_with_copies(random, pattern, DNA, size)
    work.write("text.txt", "".join(line + "\n" for line in lines).encode())
    k = random.randint(len(pattern) // 3, len(pattern) // 2)
    command = work.nigh(settings, ["--format=ends", "--best=record", "-F", f"-k{k}", pattern, "text.txt"])
    return pattern, k, lines, command, best_ends(work.output(settings, command), lines)


def edlib_lines(random: Random, work: Workspace, settings: RunSettings, size):
    edlib = library("edlib")
    pattern, k, lines, command, found = nearest_ends(random, work, settings, size)
    expected = []
    for number, line in enumerate(lines):
        result = edlib.align(pattern, line, mode="HW", task="distance")
        if result["editDistance"] <= k:
            expected += [(number, end + 1, result["editDistance"]) for _, end in result["locations"]]
    return sum(map(len, lines)), expect(work, settings, command, expected, found, "edlib")


def parasail_lines(random: Random, work: Workspace, settings: RunSettings, size):
    """Compares the distances in lines. parasail returns one of the best ends of a line, which must be among nigh's."""
    parasail = library("parasail")
    matrix = parasail.matrix_create(DNA, 0, -1)
    pattern, k, lines, command, found = nearest_ends(random, work, settings, size)
    ends = {}
    for number, end, distance in found:
        ends.setdefault(number, (distance, set()))[1].add(end)
    expected = []
    for number, line in enumerate(lines):
        result = parasail.sg_dx_scan_16(pattern, line, 1, 1, matrix)
        distance, end = -result.score, result.end_ref + 1
        if distance <= k:
            expected.append((number, distance, end))
    actual = [(number, ends[number][0], end if end in ends[number][1] else sorted(ends[number][1]))
              for number, _, end in expected if number in ends]  # fmt: skip
    if len(ends) != len(expected):
        raise Difference(f"{work.shell_line(settings, command)}\nparasail: {len(expected)} lines\nnigh: {len(ends)} lines")
    return sum(map(len, lines)), expect(work, settings, command, expected, actual, "parasail")


def edlib_records(random: Random, work: Workspace, settings: RunSettings, size):
    """Compares FASTA records. edlib gets the IUPAC codes of the pattern as additional equalities."""
    edlib = library("edlib")
    pattern = inputs.pattern(random, "ACGTACGTACGTRYSWKMBDHVN", random.randint(4, 80))
    plain = "".join(random.choice(IUPAC.get(code, code)) for code in pattern)
    records = lines_with_copies(random, plain, DNA, size)
    work.write("text.fa", "".join(f">{n}\n{record}\n" for n, record in enumerate(records)).encode())
    k = random.randint(len(pattern) // 3, len(pattern) // 2)
    command = work.nigh(settings, ["--best=record", "--strand=forward", f"-k{k}", pattern, "text.fa"])
    rows = [row.split(b"\t") for row in work.output(settings, command).splitlines()]
    found = [(int(row[0]), int(row[2]), int(row[4])) for row in rows]
    equal = [(code, base) for code, members in IUPAC.items() for base in members]
    expected = []
    for number, record in enumerate(records):
        result = edlib.align(pattern, record, mode="HW", task="distance", additionalEqualities=equal)
        if result["editDistance"] <= k:
            expected += [(number, end + 1, result["editDistance"]) for _, end in result["locations"]]
    return sum(map(len, records)), expect(work, settings, command, expected, found, "edlib")


# ---- tre-agrep: lines and their smallest cost


@dataclass(frozen=True)
class TreSearch:
    """A pattern, and the same options in the syntax of nigh and of tre-agrep."""

    pattern: str
    nigh: list[str]
    tre: list[str]


def tre(random: Random, work: Workspace, settings: RunSettings, size, search: TreSearch):
    """Compares the numbers of the matching lines, and their costs."""
    lines = lines_with_copies(random, search.pattern, "abcd", size)
    work.write("text.txt", "".join(line + "\n" for line in lines).encode())
    command = work.nigh(settings, ["-n", "--cost", "-F", *search.nigh, search.pattern, "text.txt"])
    # Both programs print the line number, then the cost.
    expected = work.output(settings, ["tre-agrep", "-n", "-s", *search.tre, search.pattern, "text.txt"])
    found = work.output(settings, command)
    return sum(map(len, lines)), expect(work, settings, command, expected.splitlines(), found.splitlines(), "tre-agrep")


def tre_errors(random: Random, work: Workspace, settings: RunSettings, size):
    pattern = inputs.pattern(random, "abcd", random.randint(3, 24))
    k = random.randint(0, min(len(pattern) - 1, 8))
    return tre(random, work, settings, size, TreSearch(pattern, [f"-k{k}"], ["-E", str(k)]))


def tre_options(random: Random, work: Workspace, settings: RunSettings, size):
    pattern = inputs.pattern(random, "abcd", random.randint(3, 12))
    k, option = random.randint(0, len(pattern) // 3), random.choice(("-i", "-v"))
    lines = lines_with_copies(random, pattern, "abcdABCD", size)
    work.write("text.txt", "".join(line + "\n" for line in lines).encode())
    command = work.nigh(settings, ["-n", "-F", f"-k{k}", option, pattern, "text.txt"])
    expected = work.output(settings, ["tre-agrep", "-n", "-E", str(k), option, pattern, "text.txt"])
    found = work.output(settings, command)
    return sum(map(len, lines)), expect(work, settings, command, expected.splitlines(), found.splitlines(), "tre-agrep")


def tre_costs(random: Random, work: Workspace, settings: RunSettings, size):
    pattern = inputs.pattern(random, "abcd", random.randint(6, 20))
    k = random.randint(1, len(pattern) // 2)
    costs = [random.randint(1, 3) for _ in range(3)]
    ours = [f"--{kind}-cost={cost}" for kind, cost in zip(("ins", "del", "sub"), costs)]
    theirs = [f"-{letter}{cost}" for letter, cost in zip("IDS", costs)]
    return tre(random, work, settings, size, TreSearch(pattern, [f"-k{k}", *ours], ["-E", str(k), *theirs]))


def tre_limits(random: Random, work: Workspace, settings: RunSettings, size):
    """Requires each line of tre-agrep to be one of nigh's, with no lower cost: with limits tre-agrep misses lines and overestimates costs."""
    pattern = inputs.pattern(random, "abcd", random.randint(6, 20))
    limits = [random.randint(0, 2) for _ in range(3)]
    k = random.randint(1, 4)
    ours = [f"--max-{kind}={limit}" for kind, limit in zip(("ins", "del", "sub"), limits)]
    inserts, deletes, substitutions = limits
    limited = f"({pattern}){{+{inserts} -{deletes} #{substitutions} ~{k}}}"
    lines = lines_with_copies(random, pattern, "abcd", size)
    work.write("text.txt", "".join(line + "\n" for line in lines).encode())
    command = work.nigh(settings, ["-n", "--cost", "-F", f"-k{k}", *ours, pattern, "text.txt"])
    found = dict(numbers(row) for row in work.output(settings, command).splitlines())
    expected = [numbers(row) for row in work.output(settings, ["tre-agrep", "-n", "-s", limited, "text.txt"]).splitlines()]
    actual = [(number, cost if found.get(number, cost + 1) <= cost else "no line with at most this cost") for number, cost in expected]
    return sum(map(len, lines)), expect(work, settings, command, expected, actual, "tre-agrep")


def numbers(row):
    """Returns the number and the cost of a line from a row of output."""
    number, cost, _ = row.split(b":", 2)
    return int(number), int(cost)


# ---- GNU grep: the output with k = 0

FINITE = ["ab", "a.c", "[ab]c", "[^ab]{2}", "(ab|cd)e", "a{2,3}", "ab?c", "^ab", "cd$", "^[a-e]{3}$", "(a|b)(c|d)", "_", "\\bab", "e\\b"]
OPTIONS = ["-c", "-n", "-b", "-on", "-ob", "-vn", "-vc", "-wn", "-won", "-xn", "-in", "-ion", "-wvn", "-xvc"]


def grep(random: Random, work: Workspace, settings: RunSettings, size, syntax, patterns):
    vocabulary = inputs.words(random, 60, "abcdeABC_")
    text = inputs.prose(random, vocabulary, size)
    work.write("text.txt", text)
    pattern_arguments = [word for pattern in patterns for word in ("-e", pattern)]
    options = random.choice(OPTIONS)
    command = work.nigh(settings, ["-k0", *(["-F"] if syntax == "-F" else []), options, *pattern_arguments, "text.txt"])
    expected = work.output(settings, ["grep", syntax, options, *pattern_arguments, "text.txt"])
    found = work.output(settings, command)
    hits = expect(work, settings, command, expected.splitlines(), found.splitlines(), f"grep {syntax}")
    # With -c the output is one number, the count of lines.
    return len(text), int(expected) if "c" in options else hits


def grep_strings(random: Random, work: Workspace, settings: RunSettings, size):
    return grep(random, work, settings, size, "-F", inputs.words(random, random.randint(1, 5), "abcdeABC_"))


def grep_finite(random: Random, work: Workspace, settings: RunSettings, size):
    return grep(random, work, settings, size, "-E", random.sample(FINITE, random.randint(1, 3)))


MB = 1_000_000


def families():
    """Returns all families. A program's name includes its version if it is installed."""
    return (
        Family(python("edlib"), "lines", "smallest distance in each line and all ends with this distance, one pattern of 2 to 60 symbols", 2 * MB, 2 * MB, edlib_lines),
        Family(python("edlib"), "records", "smallest distance in each FASTA record and all ends with this distance, IUPAC codes in the pattern", MB // 10, MB, edlib_records),
        Family(python("parasail"), "lines", "smallest distance in each line; the end that parasail finds is one of nigh's", MB // 5, 2 * MB, parasail_lines),
        Family(tool("tre-agrep"), "errors", "matching lines and their costs, -E 0 to 8", MB // 10, MB, tre_errors),
        Family(tool("tre-agrep"), "options", "matching lines with -i or -v", MB // 10, MB, tre_options),
        Family(tool("tre-agrep"), "costs", "matching lines and their costs, -I -D -S from 1 to 3", MB // 20, MB, tre_costs),
        Family(tool("tre-agrep"), "limits", "limits {+I -D #S ~K}; nigh finds each line of tre-agrep, at the same or a lower cost", MB // 20, MB, tre_limits),
        Family(tool("grep"), "strings", "output for sets of strings (-F) with -c -n -b -o -v -w -x -i", 5 * MB, 10 * MB, grep_strings),
        Family(tool("grep"), "finite", "output for finite patterns (-E) with the same options", 5 * MB, 10 * MB, grep_finite),
    )  # fmt: skip


def python(module):
    try:
        return f"{module} {importlib.metadata.version(module)}"
    except importlib.metadata.PackageNotFoundError:
        return module


def tool(name):
    try:
        return version(name)
    except NotInstalled:
        return name
