"""Random texts and patterns: uniform, repetitive, and with edited copies of a pattern."""

import re
from random import Random

# The average number of symbols in a line; 0 makes one line.
LINE_LENGTHS = (16, 64, 256, 0)


def table(letters, line_length):
    """Returns a table for bytes.translate that maps random bytes to letters and, rarely, to line feeds."""
    feeds = {16: 16, 64: 4, 256: 1, 0: 0}[line_length]
    return bytes(10 if byte < feeds else ord(letters[byte % len(letters)]) for byte in range(256))


def uniform(random: Random, letters, size, line_length=64):
    """Returns lines of random ASCII letters."""
    return random.randbytes(size).translate(table(letters, line_length)) + b"\n"


def repetitive(random: Random, letters, size, line_length=64):
    """Returns short units, each repeated up to 200 times and followed by a random letter."""
    parts, length = [], 0
    while length < size:
        unit = "".join(random.choices(letters, k=random.randint(1, 13))).encode()
        part = unit * random.randint(2, 200) + random.choice(letters).encode()
        parts.append(part + b"\n" if line_length and random.random() < len(part) / line_length / 8 else part)
        length += len(part)
    return b"".join(parts) + b"\n"


def characters(random: Random, letters, size):
    """Returns lines of random symbols. `letters` are byte strings, some of which are not UTF-8."""
    return b"".join(random.choices([*letters * 12, b"\n"], k=size // 2)) + b"\n"


def edited(random: Random, pattern, letters):
    """Returns the pattern after random edits, at most a third of its length."""
    symbols = list(pattern)
    for _ in range(random.randint(0, len(symbols) // 3)):
        at = random.randrange(len(symbols))
        symbols[at : at + random.randint(0, 1)] = random.choices(letters, k=random.randint(0, 1))
        symbols = symbols or [random.choice(letters)]
    return "".join(symbols)


def pattern(random: Random, letters, length):
    """Returns a random pattern. One pattern in three is a repeated unit."""
    unit = length if random.random() < 0.67 else random.randint(1, min(length, 4))
    return ("".join(random.choices(letters, k=unit)) * length)[:length]


def words(random: Random, count, letters="abcde_"):
    """Returns short words over few letters, so that many words are within a few edits of each other."""
    return ["".join(random.choices(letters, k=random.randint(1, 8))) for _ in range(count)]


def prose(random: Random, vocabulary, size):
    """Returns lines of words, separated by spaces and punctuation."""
    symbols = random.choices(vocabulary, k=size // 4)
    gaps = random.choices([" ", " ", " ", ", ", "-", "\n"], k=len(symbols))
    return "".join(word + gap for word, gap in zip(symbols, gaps)).encode() + b"\n"


def fasta(random: Random, size, letters):
    """Returns FASTA records. The lines of a record have one width."""
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
