#!/usr/bin/env python3
"""Generates the texts that compare.py and expressions.py search: bases, a text like a genome, reads, and logs. Each run gives the same texts.

usage: generate.py FOLDER SCALE [NAME...]

SCALE 1 is full size: 100 million bases, 90 million bases of reads, 240 MB of log. A text that exists is kept.
"""

import sys
from pathlib import Path
from random import Random

BASES = 100_000_000
READS = 600_000
READ_LENGTH = 150
LOG_BYTES = 240_000_000
LINE_LENGTH = 80
PIECE = 8_000_000
PHRASES = ("deadlock", "unauthorized", "connection timed out", "authentication failure for user postgres")

WORDS = """disk quota lease volume certificate overflow retry broken pipe tunnel shard leader election backup snapshot
kernel segment corrupt checksum mismatch journal replica lagging throttle bucket empty schema migration stalled worker
crashed signal stack heap exhausted socket refused handshake aborted cipher unknown host route flapping carrier lost
battery fan thermal limit exceeded mount readonly inode leak orphan process zombie parent gone cursor expired ledger
unbalanced invoice duplicate refund webhook bounced mailbox locked password rotated secret missing token revoked""".split()

# Maps a random byte to a base, by its two low bits.
TO_BASES = bytes(b"ACGT"[byte & 3] for byte in range(256))
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")


def random_bases(random, length):
    return random.randbytes(length).translate(TO_BASES)


def mutate(random, text, edits, letters):
    """Returns the text after `edits` random edits. Edits may cancel each other."""
    text = bytearray(text)
    for _ in range(edits):
        at = random.randrange(len(text))
        letter = letters[random.randrange(len(letters))]
        match random.randrange(3):
            case 0:
                text[at] = letter
            case 1:
                text.insert(at, letter)
            case _ if len(text) > 1:
                del text[at]
    return bytes(text)


def write_record(file, name, bases):
    file.write(b">%s\n" % name)
    for start in range(0, len(bases), PIECE):
        piece = bases[start : start + PIECE]
        file.writelines(piece[i : i + LINE_LENGTH] + b"\n" for i in range(0, len(piece), LINE_LENGTH))


def random_genome(random, scale):
    return random_bases(random, int(BASES * scale))


def successors(random):
    """Returns, for every four bases, 256 random successors of four bases: a Markov chain of order four, rich in A and T, poor in CG."""
    weights = [[random.gammavariate(6, 1) * share for share in (3, 2, 2, 3)] for _ in range(256)]
    for state in range(256):
        if state % 4 == 1:
            weights[state][2] /= 4
    table = []
    for state in range(256):
        row = []
        for _ in range(256):
            following = state
            for _ in range(4):
                following = following * 4 % 256 + random.choices(range(4), weights[following])[0]
            row.append(following)
        table.append(row)
    return table


def markov_bases(random, length):
    table, state = successors(random), 0
    words = [bytes(b"ACGT"[state >> shift & 3] for shift in (6, 4, 2, 0)) for state in range(256)]
    bases = bytearray()
    while len(bases) < length:
        bases += b"".join([words[state := table[state][byte]] for byte in random.randbytes(PIECE // 4)])
    del bases[length:]
    return bases


def paste_copies(random, genome, family, share):
    """Writes copies of a family over a share of the genome: truncated at the start, 2 to 25 % mutated, on either strand."""
    pasted = 0
    while pasted < share * len(genome):
        copy = family[random.randrange(len(family))]
        copy = copy[int(len(copy) * random.random() ** 2 * 0.9) :]
        copy = mutate(random, copy, int(len(copy) * random.uniform(0.02, 0.25)), b"ACGT")
        if random.random() < 0.5:
            copy = copy.translate(COMPLEMENT)[::-1]
        at = random.randrange(max(1, len(genome) - len(copy)))
        genome[at : at + len(copy)] = copy[: len(genome) - at]
        pasted += len(copy)


def genome_like(random, scale):
    """Returns bases of a Markov chain. Two fifths are repeats, among them runs of A and microsatellites."""
    genome = markov_bases(random, int(BASES * scale))
    length = len(genome)
    short = random_bases(random, 300)
    shorts = [mutate(random, short, 15, b"ACGT") + b"A" * 25 for _ in range(6)]
    longs = [random_bases(random, 6000) for _ in range(8)]
    others = [random_bases(random, random.randrange(200, 3000)) for _ in range(60)]
    for family, share in ((longs, 0.17), (shorts, 0.10), (others, 0.10)):
        paste_copies(random, genome, family, share)
    satellites = [random_bases(random, random.randrange(1, 7)) * 40 for _ in range(40)]
    paste_copies(random, genome, satellites + [b"A" * 60] * 10, 0.01)
    assert len(genome) == length
    return genome


def genome_writer(make, name):
    def write(paths, random, scale):
        with paths[0].open("wb") as file:
            write_record(file, name, make(random, scale))

    return write


def write_reads(paths, random, scale):
    """Writes reads of the random genome, in which about one base of a hundred is substituted."""
    genome = random_genome(Random("random.fa"), scale)
    with paths[0].open("wb", PIECE) as file:
        for number in range(int(READS * scale)):
            start = random.randrange(len(genome) - READ_LENGTH)
            read = bytearray(genome[start : start + READ_LENGTH])
            for _ in range(random.randrange(4)):
                read[random.randrange(READ_LENGTH)] = b"ACGT"[random.randrange(4)]
            file.write(b">read%d\n%s\n" % (number, read))


def one_of(*choices):
    return lambda random, count: random.choices(choices, k=count)


def number(first, last):
    return lambda random, count: [random.randrange(first, last) for _ in range(count)]


def address(random, count):
    quads = iter(random.randbytes(4 * count))
    return [f"{a}.{b}.{c}.{d}" for a, b, c, d in zip(quads, quads, quads, quads)]


def identifier(random, count):
    return [f"{random.getrandbits(64):016x}" for _ in range(count)]


USER = one_of("anna", "ben", "clara", "dmitri", "deploy", "root", "www", "backup", "ci", "oracle", "admin", "guest")
HOST = one_of(*(f"{kind}{i:02}" for kind in ("front", "queue", "store") for i in range(16)))
SECOND = number(10, 60)
LEVEL = one_of("INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR")
CLASS = one_of("shop.Orders", "shop.auth.Tokens", "shop.db.Pool", "web.Dispatcher", "shop.cache.Client", "shop.pay.Gateway")
PATH = one_of("/", "/login", "/api/v1/users", "/api/v1/orders", "/api/v2/search", "/static/app.js", "/cart/checkout", "/health")
AGENT = one_of(
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "curl/8.5.0", "kube-probe/1.29", "python-requests/2.31.0"
)
SSH = one_of(
    "Accepted publickey for", "Connection closed by authenticating user", "Failed password for invalid user",
    "lost connection from", "session opened for user", "Received disconnect from user",
)  # fmt: skip
APP = one_of(
    "Processed order in time, id =", "Cache miss, loading from database, key =", "Slow query detected, rows =",
    "Retrying after transient error, attempt =", "Waiting for a free connection in pool, active =",
    "Token refreshed, expires in", "Timeout waiting for upstream, ms =", "Scheduled task completed, items =",
)  # fmt: skip

# Kinds of log lines: percentage of the lines, format, and generators of its fields.
KINDS = (
    (40, '%s - %s [21/Nov/2025:10:%d:%d +0000] "GET %s?id=%d HTTP/1.1" %d %d "-" "%s"',
     (address, USER, SECOND, SECOND, PATH, number(0, 100_000), number(200, 505), number(0, 90_000), AGENT)),
    (25, "Nov 21 10:%d:%d %s sshd[%d]: %s %s from %s port %d ssh2",
     (SECOND, SECOND, HOST, number(200, 32_000), SSH, USER, address, number(1024, 65_536))),
    (27, "2025-11-21 10:%d:%d.%d %s [http-exec-%d] %s - %s %d while handling request %s of user %s",
     (SECOND, SECOND, number(100, 1000), LEVEL, number(0, 200), CLASS, APP, number(0, 1_000_000), identifier, USER)),
    (8, '{"ts":"2025-11-21T10:%d:%d.%dZ","host":"%s","level":"%s","request":"%s","user":"%s","msg":"%s %d ..."}',
     (SECOND, SECOND, number(100, 1000), HOST, one_of("info", "info", "warn", "error"), identifier, USER, APP,
      number(0, 1_000_000))),
)  # fmt: skip


def joined(separator, *fields):
    """Returns a generator of the values of several fields with a separator between them."""
    return lambda random, count: [separator.join(map(str, values)) for values in zip(*(field(random, count) for field in fields))]


DOMAIN = one_of("example.com", "mail.example.org", "shop.example.net")
CAUSE = one_of("pool is closed", "no user", "connection reset by peer", "token expired", "cannot parse amount")
EXCEPTION = one_of("NullPointer", "IllegalState", "SocketTimeout", "NumberFormat", "ConcurrentModification")
# Events that expressions find: number of lines in percent of BLOCK, format, generators of its fields, index of the
# field with edits.
EVENTS = (
    (4, "2025-11-21 10:%d:%d [error] upstream %s: connection refused, request %s",
     (SECOND, SECOND, joined(":", address, number(1024, 65_536)), identifier), 2),
    (3, "Nov 21 10:%d:%d %s postfix/smtp[%d]: to=<%s>, relay=none, delay=%d, status=deferred",
     (SECOND, SECOND, HOST, number(200, 32_000), joined("@", USER, DOMAIN), number(1, 900)), 4),
    (2, "2025-11-21 10:%d:%d.%d ERROR [http-exec-%d] %s",
     (SECOND, SECOND, number(100, 1000), number(0, 200), joined("Exception: ", EXCEPTION, CAUSE)), 4),
    (1, "2025-11-21 10:%d:%d.%d WARN  [http-exec-%d] %s after %d ms",
     (SECOND, SECOND, number(100, 1000), number(0, 200), joined(" in ", one_of("error"), CLASS, one_of("timeout")),
      number(0, 5000)), 4),
)  # fmt: skip
FOREIGN = one_of("Müller", "café", "naïve", "Ελλάδα", "Москва", "東京", "서울", "→", "“quoted”", "😀")
BLOCK = 5_000


def log_phrases():
    """Returns a thousand phrases of 8 to 30 symbols from words of logs, the same in every call."""
    random, phrases = Random("phrases"), {}
    while len(phrases) < 1000:
        phrase = " ".join(random.sample(WORDS, random.randrange(2, 5)))
        if 8 <= len(phrase) <= 30:
            phrases[phrase] = None
    return tuple(phrases)


def insert_word(random, line, word):
    """Inserts the word before the first space after a random position in the first two thirds; at the end if there is none."""
    at = line.find(" ", random.randrange(len(line) * 2 // 3))
    return f"{line[:at]} {word}{line[at:]}" if at >= 0 else f"{line} {word} end of entry"


def block_of_lines(random, phrases):
    """Returns shuffled lines of all kinds. One in 500 has a phrase with up to four edits, in 80 % of the cases one of PHRASES."""
    lines = []
    for share, form, fields in KINDS:
        columns = [field(random, BLOCK * share // 100) for field in fields]
        lines += [form % values for values in zip(*columns)]
    random.shuffle(lines)
    for at in random.sample(range(len(lines)), len(lines) // 500):
        phrase = random.choice(PHRASES if random.random() < 0.8 else phrases)
        edited = mutate(random, phrase.encode(), random.randrange(5), b"abcdefghijklmnopqrstuvwxyz ")
        lines[at] = insert_word(random, lines[at], edited.decode())
    return lines


def block_of_events(random):
    """Returns lines of events. In one line of five, the last item of the event in EVENTS names a field that has one or two edits."""
    lines = []
    for share, form, fields, edited in EVENTS:
        columns = [field(random, BLOCK * share // 100) for field in fields]
        column = columns[edited]
        for at in random.sample(range(len(column)), len(column) // 5):
            column[at] = mutate(random, column[at].encode(), random.randrange(1, 3), b"abcdefghij0123456789.: ").decode()
        lines += [form % values for values in zip(*columns)]
    return lines


def write_events(paths, random, scale):
    """Writes a log in which one line in eleven is an event."""
    left, phrases = LOG_BYTES * scale, log_phrases()
    with paths[0].open("wb") as file:
        while left > 0:
            lines = block_of_lines(random, phrases) + block_of_events(random)
            random.shuffle(lines)
            block = "\n".join(lines).encode() + b"\n"
            file.write(block)
            left -= len(block)


def write_logs(paths, random, scale):
    """Writes the log, and a copy that has a word outside ASCII at the end of one line in twenty."""
    left, phrases = LOG_BYTES * scale, log_phrases()
    with paths[0].open("wb") as plain, paths[1].open("wb") as mixed:
        while left > 0:
            lines = block_of_lines(random, phrases)
            block = "\n".join(lines).encode() + b"\n"
            plain.write(block)
            chosen = random.sample(range(len(lines)), len(lines) // 20)
            for at, word in zip(chosen, FOREIGN(random, len(chosen))):
                lines[at] = f"{lines[at]} {word}"
            mixed.write("\n".join(lines).encode() + b"\n")
            left -= len(block)


# The function that writes each group of texts.
WRITERS = {
    ("random.fa",): genome_writer(random_genome, b"random"),
    ("genome.fa",): genome_writer(genome_like, b"genome"),
    ("reads.fa",): write_reads,
    ("service.log", "mixed.log"): write_logs,
    ("events.log",): write_events,
}


def generate(folder, scale, wanted):
    folder.mkdir(parents=True, exist_ok=True)
    for names, write in WRITERS.items():
        paths = [folder / name for name in names]
        if set(names).isdisjoint(wanted) or all(path.exists() for path in paths):
            continue
        print(f"generating {', '.join(names)}", file=sys.stderr)
        unfinished = [path.with_suffix(".part" + path.suffix) for path in paths]
        write(unfinished, Random(names[0]), scale)
        for path, part in zip(paths, unfinished):
            part.rename(path)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    names = sys.argv[3:] or [name for names in WRITERS for name in names]
    generate(Path(sys.argv[1]), float(sys.argv[2]), names)


if __name__ == "__main__":
    main()
