"""Whether a peer found what nigh found, and, where it may differ, why."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Findings:
    """What a program printed, and how many lines or matches that are."""

    path: Path
    count: int


@dataclass(frozen=True)
class Agreement:
    """How a peer's findings are related to nigh's. One that misses some is no rival."""

    note: str
    complete: bool


SAME = Agreement("same", complete=True)
DIFFERS = Agreement("DIFFERS", complete=False)


def same(ours, theirs, query):
    return SAME if ours.count == theirs.count else DIFFERS


def at_least(reason):
    """A peer that finds what nigh finds, and may count more."""

    def agree(ours, theirs, query):
        more = theirs.count > ours.count
        return Agreement(reason, complete=True) if more else same(ours, theirs, query)

    return agree


def at_most(reason):
    """A peer that may miss something."""

    def agree(ours, theirs, query):
        fewer = theirs.count < ours.count
        return Agreement(reason, complete=False) if fewer else same(ours, theirs, query)

    return agree


def exact(ours, theirs, query):
    """A peer that finds exact matches only, and so does another work, even if all matches are exact."""
    return Agreement("exact matches only", complete=False) if theirs.count <= ours.count else DIFFERS


def up_to(length, agree, reason):
    """A peer that agrees in one way for patterns of at most so many symbols, and is wrong beyond."""

    def agree_up_to(ours, theirs, query):
        if max(map(len, query.patterns)) <= length:
            return agree(ours, theirs, query)
        return SAME if ours.count == theirs.count else Agreement(reason, complete=False)

    return agree_up_to


def nigh_ends(file):
    """Distances by end, for each record, pattern and strand."""
    ends = defaultdict(dict)
    for row in file:
        record, _, end, pattern, distance, strand, _ = row.split("\t", 6)
        ends[record, pattern, strand][int(end)] = int(distance)
    return ends


def sassy_matches(file, patterns):
    """Ends and distances, for each record, pattern and strand. With several patterns sassy numbers them from 1."""
    matches = defaultdict(set)
    for row in file:
        pattern, record, distance, strand, _, end, _ = row.split("\t", 6)
        if distance != "cost":
            pattern = patterns[int(pattern) - 1] if pattern.isdigit() else patterns[0]
            matches[record, pattern, strand].add((int(end), int(distance)))
    return matches


def local_minima(distances):
    """The ends that sassy prints: no neighbour is better, and of neighbours that are equal the last one."""
    minima, falling = set(), True
    for end in sorted(distances):
        distance, before, after = distances[end], distances.get(end - 1), distances.get(end + 1)
        if before != distance:
            falling = before is None or before > distance
        if falling and (after is None or after > distance):
            minima.add((end, distance))
    return minima


def near(end, matches, reach):
    return any(abs(end - other) <= reach for other, _ in matches)


def reverse_agrees(ends, matches, reach):
    """Whether every match of sassy is one of nigh's ends, and each of those lies near a match."""
    known = all(end in ends and ends[end] <= distance for end, distance in matches)
    return known and all(near(end, matches, reach) for end in ends)


def sassy_agrees(ours, theirs, query):
    """Compares every row. sassy searches one pattern backwards on the reverse strand: its local minima are among starts there."""
    with ours.path.open() as ours_file, theirs.path.open() as theirs_file:
        ends, matches = nigh_ends(ours_file), sassy_matches(theirs_file, query.patterns)
    for key in ends.keys() | matches.keys():
        if key[2] == "-" and len(query.patterns) == 1:
            agrees = reverse_agrees(ends[key], matches[key], len(key[1]) + query.k)
        else:
            agrees = local_minima(ends[key]) == matches[key]
        if not agrees:
            return DIFFERS
    return Agreement("the same local minima", complete=True)
