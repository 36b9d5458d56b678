"""Families of random searches whose expected rows sellers.cpp computes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import inputs

DNA = "ACGT"
LETTERS = "abcdefghijklmnop"
AWKWARD = [b"a", b"b", b"c", "é".encode(), "日".encode(), "😀".encode(), b"\xff", b"\xe6\x97", b"\xc3"]
IUPAC_TEXT = "ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTacgtNRYK-"


@dataclass(frozen=True)
class Pattern:
    source: str
    k: int


@dataclass(frozen=True)
class Search:
    """A text, patterns, and the options that define a hit, for nigh and for sellers.cpp."""

    text: bytes
    patterns: list[Pattern]
    nigh: list[str]
    sellers: list[str] = field(default_factory=list)
    suffix: str = "txt"


@dataclass(frozen=True)
class Family:
    name: str
    description: str
    # Minimum number of hits, and bytes of a text, both at full scale.
    hits: int
    size: int
    make: Callable[[Random, int], Search]


def short(random: Random, letters, max_length=12, min_share=0.5):
    """Returns a short pattern with k of at least `min_share` of its length: most positions are hits."""
    length = random.randint(2, max_length)
    k = random.randint(int(min_share * length), length - 1)
    return Pattern(inputs.pattern(random, letters, length), min(k, length - 1))


def random_text(random: Random, letters, size, lengths=inputs.LINE_LENGTHS):
    generator = inputs.uniform if random.random() < 0.6 else inputs.repetitive
    return generator(random, letters, size, random.choice(lengths))


def dense(random: Random, size):
    letters = random.choice((DNA, "ab", LETTERS))
    return Search(inputs.uniform(random, letters, size, random.choice((256, 0))), [short(random, letters)], ["-F"])


def short_lines(random: Random, size):
    """Lines that are shorter than the pattern or slightly longer."""
    letters = random.choice((DNA, "ab", LETTERS))
    return Search(inputs.uniform(random, letters, size, 16), [short(random, letters, 40)], ["-F"])


def repeats(random: Random, size):
    letters = random.choice((DNA, "ab", "a"))
    return Search(inputs.repetitive(random, letters, size), [short(random, letters, 20, 0.3)], ["-F"])


def several(random: Random, size):
    patterns = [short(random, DNA, 16, 0.3) for _ in range(random.randint(2, 12))]
    return Search(random_text(random, DNA, size, (256, 0)), patterns, ["-F"])


def long(random: Random, size):
    length = random.choice((13, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 249, 250, 300))
    k = random.choice((length - 1, length - 2, length // 2, length * 2 // 5))
    text = bytearray(random_text(random, DNA, size, (0,)))
    for _ in range(size // 100_000):
        text[random.randrange(size)] = 10
    return Search(bytes(text), [Pattern(inputs.pattern(random, DNA, length), k)], ["-F"])


def sparse(random: Random, size):
    """Rare hits, as filters expect: the text contains edited copies of the patterns."""
    patterns = [inputs.pattern(random, LETTERS, random.randint(8, 60)) for _ in range(random.randint(1, 4))]
    text = bytearray(inputs.uniform(random, LETTERS, size))
    for _ in range(size // 400):
        copy = inputs.edited(random, random.choice(patterns), LETTERS).encode()
        at = random.randrange(len(text))
        text[at : at + len(copy)] = copy
    return Search(bytes(text) + b"\n", [Pattern(p, len(p) // random.randint(4, 9)) for p in patterns], ["-F"])


def ignore_case(random: Random, size):
    return Search(random_text(random, "abAB", size), [short(random, "aAbB")], ["-F", "-i"], ["--ignore-case"])


def characters(random: Random, size):
    text = inputs.characters(random, AWKWARD[: random.randint(3, len(AWKWARD))], size)
    return Search(text, [short(random, "abcé日😀", 8)], ["-F", "-a"])


def single_bytes(random: Random, size):
    text = inputs.characters(random, AWKWARD[: random.randint(3, len(AWKWARD))], size)
    return Search(text, [short(random, "abcé日", 8)], ["-F", "-a", "--bytes"], ["--bytes"])


def classes(random: Random, size):
    atoms = ["a", "b", "c", ".", "[ab]", "[bcd]", "[ad]"]
    atoms = random.choices(atoms, k=random.randint(3, 10))
    k = random.randint(0, len(atoms) - 2)
    return Search(random_text(random, "abcd", size), [Pattern("".join(atoms), k)], [], ["--classes"])


def edges(random: Random, size):
    vocabulary = inputs.words(random, 40)
    chosen = [inputs.edited(random, random.choice(vocabulary), "abcde_") for _ in range(random.randint(1, 3))]
    option = random.choice(("-w", "-x"))
    text = inputs.prose(random, vocabulary, size)
    if option == "-x":
        text = text.replace(b" ", b"\n")
    sellers = {"-w": "--words", "-x": "--lines"}
    patterns = [Pattern(p, random.randint(0, len(p) - 1)) for p in chosen]
    return Search(text, patterns, ["-F", option], [sellers[option]])


# The letters of --edits, and the names of the options of sellers.cpp.
KINDS = {"i": "ins", "d": "del", "s": "sub"}


def limits(random: Random, size):
    max_edits = [random.randint(0, 2) for _ in range(3)]
    limits = {kind: value for kind, value in zip("ids", max_edits) if random.random() < 0.7}
    sellers = [word for kind, value in limits.items() for word in (f"--max-{KINDS[kind]}", str(value))]
    # Each pattern has a bound of its own, which replaces that of --edits.
    edits = ",".join([f"{kind}<={limits[kind]}" if kind in limits else kind for kind in "ids"] + ["e<=1"])
    patterns = [short(random, "abc", 9, 0.3) for _ in range(random.randint(1, 2))]
    return Search(random_text(random, "abc", size), patterns, ["-F", "--edits", edits], sellers)


def costs(random: Random, size):
    costs = {kind: random.randint(1, 3) for kind in "ids"}
    sellers = [word for kind, cost in costs.items() for word in (f"--{KINDS[kind]}-cost", str(cost))]
    edits = "+".join(f"{cost}{kind}" for kind, cost in costs.items()) + "<=1"
    return Search(random_text(random, "abc", size), [short(random, "abc", 9, 0.3)], ["-F", "--edits", edits], sellers)


def transpositions(random: Random, size):
    shared = ["--transpositions"]
    return Search(random_text(random, "abcd", size), [short(random, "abcd", 12, 0.2)], ["-F", *shared], shared)


def groups(random: Random, size):
    parts = [inputs.pattern(random, "abcd", random.randint(2, 5)) for _ in range(3)]
    exact = random.randrange(3)
    source = "".join(f"<{part}>" if index == exact else part for index, part in enumerate(parts))
    k = random.randint(1, sum(len(part) for index, part in enumerate(parts) if index != exact) - 1)
    return Search(random_text(random, "abcd", size), [Pattern(source, k)], ["--exact-group"], ["--groups"])


def sequence_search(text, patterns, *options):
    sellers_options = {"--strand=forward": "--forward", "--exact-group": "--groups"}
    sellers = [sellers_options[option] for option in options if option in sellers_options]
    return Search(text, patterns, list(options), ["--dna", *sellers], "fa")


def sequences(random: Random, size):
    letters = random.choice(("ACGT", "ACGTACGTN", "ACGTRYSWKMBDHVN"))
    patterns = [short(random, letters, 24, 0.2) for _ in range(random.randint(1, 4))]
    return sequence_search(inputs.fasta(random, size, IUPAC_TEXT), patterns)


def guides(random: Random, size):
    """CRISPR guides with a PAM that must match exactly."""
    patterns = [Pattern(inputs.pattern(random, DNA, 20) + "<NGG>", random.randint(3, 9)) for _ in range(4)]
    return sequence_search(inputs.fasta(random, size, DNA), patterns, "--exact-group")


def primers(random: Random, size):
    patterns = [Pattern(inputs.pattern(random, DNA, 20), random.randint(1, 8)) for _ in range(24)]
    return sequence_search(inputs.fasta(random, size, DNA), patterns, "--strand=forward")


MB = 1_000_000
FAMILIES = (
    Family("sparse", "edited copies of patterns of m symbols in random text, k from m/9 to m/4", 1 * MB, 20 * MB, sparse),
    Family("ignore case", "-i", 60 * MB, 10 * MB, ignore_case),
    Family("characters", "UTF-8 of 1 to 4 bytes, and bytes that are not UTF-8", 50 * MB, 4 * MB, characters),
    Family("bytes", "UTF-8 of 1 to 4 bytes, and bytes that are not UTF-8, with --bytes", 50 * MB, 4 * MB, single_bytes),
    Family("classes", "patterns with '.' and classes such as [abc]", 5 * MB, 1 * MB, classes),
    Family("edges", "whole words (-w) and whole lines (-x)", 3 * MB, 1 * MB, edges),
    Family("limits", "--edits with limits", 4 * MB, 1 * MB, limits),
    Family("costs", "--edits with costs from 1 to 3", 4 * MB, 1 * MB, costs),
    Family("transpositions", "--transpositions", 4 * MB, 1 * MB, transpositions),
    Family("groups", "--exact-group", 2 * MB, 1 * MB, groups),
    Family("sequences", "FASTA, both strands, IUPAC codes in text and patterns; each CIGAR checked against the text", 50 * MB, 2 * MB, sequences),
    Family("guides", "4 guides with <NGG>, both strands; each CIGAR checked against the text", MB // 2, MB // 2, guides),
    Family("primers", "24 patterns of 20 bases, one strand; each CIGAR checked against the text", 2 * MB, 4 * MB, primers),
    Family("short lines", "lines of 16 symbols on average, one pattern of up to 40 symbols", 10 * MB, 2 * MB, short_lines),
    Family("dense", "one pattern of m = 2 to 12 symbols, k from m/2 to m-1", 300 * MB, 20 * MB, dense),
    Family("repeats", "repetitive text, one pattern of up to 20 symbols", 150 * MB, 20 * MB, repeats),
    Family("several", "2 to 12 patterns, each with its own k", 280 * MB, 10 * MB, several),
    Family("long", "one pattern of m = 13 to 300 symbols, k up to m-1", 120 * MB, 10 * MB, long),
)
