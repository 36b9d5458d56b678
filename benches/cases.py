"""The cases of the benchmark: text, patterns, rivals, and the target for the ratio of nigh's speed to the best rival's."""

from dataclasses import dataclass, replace
from random import Random

from generate import PHRASES, log_phrases


@dataclass(frozen=True)
class Rival:
    tool: str
    # A slow rival searches only this many MB from the start of the text; None for all.
    megabytes: float | None = None
    # Set if the rival is nigh itself: another instruction set, or another text.
    isa: str = ""
    text: str = ""


@dataclass(frozen=True)
class Bases:
    """Patterns: half are copies from the text `source` with up to two bases replaced, half are random."""

    count: int
    length: int
    source: str = "random.fa"


@dataclass(frozen=True)
class LogPhrases:
    """The first `count` phrases of log_phrases(). The log contains some of them, with edits."""

    count: int


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    patterns: Bases | LogPhrases | str
    k: int
    rivals: tuple[Rival, ...]
    # The minimum ratio of nigh's speed to the best rival's.
    target: float
    threads: int = 1
    isa: str = ""

    @property
    def sequences(self):
        return self.text.endswith(".fa")


def text_bases(path):
    """Returns bases from the start of a genome. A slice of the text contains them too."""
    with path.open() as file:
        file.readline()
        return file.read(1_000_000).replace("\n", "")


def base_patterns(random, wanted, folder):
    genome = text_bases(folder / wanted.source)
    patterns = []
    for number in range(wanted.count):
        start = random.randrange(len(genome) - wanted.length)
        pattern = list(genome[start : start + wanted.length])
        changed = range(wanted.length) if number % 2 else random.sample(range(wanted.length), random.randrange(3))
        for at in changed:
            pattern[at] = random.choice("ACGT")
        patterns.append("".join(pattern))
    return tuple(patterns)


def case_patterns(case, folder):
    """Returns the patterns of a case. They are the same in every call."""
    match case.patterns:
        case str(phrase):
            return (phrase,)
        case Bases() as wanted:
            return base_patterns(Random(repr(wanted)), wanted, folder)
        case LogPhrases() as wanted:
            return log_phrases()[: wanted.count]


def genome_case(name, patterns, k, target, **others):
    settings = {"text": "random.fa", "rivals": (Rival("sassy"),), **others}
    return Case(f"DNA, {name}, k = {k}", patterns=patterns, k=k, target=target, **settings)


def genome_cases():
    one, hundred, thousand = Bases(1, 20), Bases(100, 20), Bases(1000, 20)
    yield genome_case("1 pattern of 20 bases", one, 3, 5.0)
    yield genome_case("1 pattern of 20 bases, two threads", one, 3, 8.0, threads=2)
    for k in range(5):
        yield genome_case("100 patterns of 20 bases", hundred, k, 4.0)
    yield genome_case("100 patterns of 20 bases, two threads", hundred, 3, 4.0, threads=2)
    yield genome_case("1,000 patterns of 20 bases", thousand, 3, 5.0, rivals=(Rival("sassy", 25),))
    for k in range(1, 5):
        yield genome_case("1,000 patterns of 20 bases, two threads", thousand, k, 15.0, threads=2, rivals=(Rival("sassy", 25),))
        yield genome_case("10,000 patterns of 20 bases, two threads", Bases(10_000, 20), k, 100.0, threads=2, rivals=(Rival("sassy", 5),))
    yield genome_case("1 pattern of 100 bases", Bases(1, 100), 10, 5.0)
    yield genome_case("1 pattern of 500 bases", Bases(1, 500), 25, 5.0)
    yield genome_case("1 pattern of 1,000 bases", Bases(1, 1000), 100, 5.0)
    yield genome_case("like a genome, 1 pattern of 20 bases", Bases(1, 20, "genome.fa"), 3, 5.0, text="genome.fa")
    yield genome_case("like a genome, 100 patterns of 20 bases", Bases(100, 20, "genome.fa"), 3, 4.0, text="genome.fa")
    yield genome_case("reads, 1 pattern of 20 bases", one, 3, 8.0, text="reads.fa")
    yield genome_case("reads, 100 patterns of 20 bases", hundred, 3, 4.0, text="reads.fa")


def isa_cases():
    """Compares AVX2 with AVX-512 in the genome cases with one thread, except 1000 patterns, which show the same as 100."""
    for case in genome_cases():
        if case.threads == 1 and case.patterns != Bases(1000, 20):
            rivals = (Rival("nigh", isa="avx512"),)
            yield replace(case, name=f"AVX2: {case.name}", rivals=rivals, target=0.6, isa="avx2")


LINE_TOOLS = (
    Rival("sassy agrep"),
    Rival("vectorscan"),
    Rival("nrgrep"),
    Rival("agrep"),
    Rival("ugrep -Z"),
    Rival("tre-agrep", 4),
    Rival("rg"),
    Rival("grep"),
)
# Rivals that are slow with k > 3, and the MB that they search.
SLOW_WITH_EDITS = {"vectorscan": 40, "ugrep -Z": 40}


def line_tools(k):
    for rival in LINE_TOOLS:
        megabytes = SLOW_WITH_EDITS.get(rival.tool, rival.megabytes)
        yield replace(rival, megabytes=megabytes) if k > 3 else rival


def log_cases():
    phrases = [(phrase, k) for phrase in PHRASES for k in (1, 2, 3)]
    phrases += [(PHRASES[-1], 4), (PHRASES[-1], 6)]
    for phrase, k in phrases:
        target = 1.0 if k == 1 else 2.0 if k <= 3 else 3.0
        yield Case(f"log, phrase of {len(phrase)} symbols, k = {k}", "service.log", phrase, k, tuple(line_tools(k)), target)
    for word in ("connection", "error"):
        for k in (1, 2):
            yield Case(f"log, frequent word '{word}', k = {k}", "service.log", word, k, LINE_TOOLS, 1.5)
    for count, megabytes in ((100, 40), (1000, 10)):
        for k in (1, 2):
            rivals = (Rival("vectorscan", megabytes),)
            yield Case(f"log, {count} phrases, k = {k}", "service.log", LogPhrases(count), k, rivals, 10.0)
    for phrase in PHRASES:
        rivals = (Rival("nigh", text="service.log"),)
        yield Case(f"log beyond ASCII, phrase of {len(phrase)} symbols, k = 2", "mixed.log", phrase, 2, rivals, 0.7)


CASES = (*genome_cases(), *isa_cases(), *log_cases())
