"""Random texts and patterns: uniform, repetitive, and with copies of a pattern that were edited."""

import re
from random import Random

# The average number of symbols in a line; 0 makes one line.
LINE_LENGTHS = (16, 64, 256, 0)


def table(letters, line_length):
    """A table for bytes.translate: random bytes become letters, and rarely line feeds."""
    feeds = {16: 16, 64: 4, 256: 1, 0: 0}[line_length]
    return bytes(10 if byte < feeds else ord(letters[byte % len(letters)]) for byte in range(256))


def uniform(random: Random, letters, size, line_length=64):
    """Random ASCII letters in lines."""
    return random.randbytes(size).translate(table(letters, line_length)) + b"\n"


def repetitive(random: Random, letters, size, line_length=64):
    """Short units that are repeated some hundred times, with a random letter now and then."""
    parts, length = [], 0
    while length < size:
        unit = "".join(random.choices(letters, k=random.randint(1, 13))).encode()
        part = unit * random.randint(2, 200) + random.choice(letters).encode()
        parts.append(part + b"\n" if line_length and random.random() < len(part) / line_length / 8 else part)
        length += len(part)
    return b"".join(parts) + b"\n"


def characters(random: Random, letters, size):
    """Lines of symbols of several bytes: `letters` are byte strings, some of them not UTF-8."""
    return b"".join(random.choices([*letters * 12, b"\n"], k=size // 2)) + b"\n"


def edited(random: Random, pattern, letters):
    """The pattern after up to a third of its length in edits."""
    symbols = list(pattern)
    for _ in range(random.randint(0, len(symbols) // 3)):
        at = random.randrange(len(symbols))
        symbols[at : at + random.randint(0, 1)] = random.choices(letters, k=random.randint(0, 1))
        symbols = symbols or [random.choice(letters)]
    return "".join(symbols)


def pattern(random: Random, letters, length):
    """A random pattern, in one case of three a repeated unit."""
    unit = length if random.random() < 0.67 else random.randint(1, min(length, 4))
    return ("".join(random.choices(letters, k=unit)) * length)[:length]


def words(random: Random, count, letters="abcde_"):
    """Short words, so that many of them are one another's neighbours."""
    return ["".join(random.choices(letters, k=random.randint(1, 8))) for _ in range(count)]


def prose(random: Random, vocabulary, size):
    """Lines of words with blanks and punctuation between them."""
    symbols = random.choices(vocabulary, k=size // 4)
    gaps = random.choices([" ", " ", " ", ", ", "-", "\n"], k=len(symbols))
    return "".join(word + gap for word, gap in zip(symbols, gaps)).encode() + b"\n"


def fasta(random: Random, size, letters):
    """Records of bases and IUPAC codes in both cases, in lines of one width each."""
    records = []
    rest = size
    while rest > 0:
        length = min(rest, random.choice((0, 30, 1000, 100_000, size)))
        body = uniform(random, letters, length, 0) if random.random() < 0.7 else repetitive(random, letters, length, 0)
        width = random.choice((7, 60, 80, 1_000_000))
        lines = b"\n".join(re.findall(rb".{1,%d}" % width, body.replace(b"\n", b"")))
        records.append(b">record%d of a test\n%s\n" % (len(records), lines))
        rest -= max(length, 10)
    return b"".join(records)
