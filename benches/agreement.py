"""Compares the findings of another program (a peer) with nigh's. A known difference carries its reason."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Findings:
    """The output file of a program, and the number of lines or matches in it."""

    path: Path
    count: int


@dataclass(frozen=True)
class Agreement:
    """The result of a comparison. `complete` is false for a peer that misses matches: it does not count as a rival."""

    note: str
    complete: bool


SAME = Agreement("same", complete=True)
DIFFERS = Agreement("DIFFERS", complete=False)


def same(ours, theirs, query):
    """For a peer that finds exactly nigh's matches."""
    return SAME if ours.count == theirs.count else DIFFERS


def at_least(reason):
    """For a peer that finds all of nigh's matches and may count more."""

    def agree(ours, theirs, query):
        more = theirs.count > ours.count
        return Agreement(reason, complete=True) if more else same(ours, theirs, query)

    return agree


def at_most(reason):
    """For a peer that may miss matches."""

    def agree(ours, theirs, query):
        fewer = theirs.count < ours.count
        return Agreement(reason, complete=False) if fewer else same(ours, theirs, query)

    return agree


def exact(ours, theirs, query):
    """For a peer that finds exact matches only. It is never complete, because it solves an easier problem."""
    return Agreement("exact matches only", complete=False) if theirs.count <= ours.count else DIFFERS


def up_to(length, agree, reason):
    """For a peer that is compared by `agree` if no pattern is longer than `length`, and may be wrong for longer patterns."""

    def agree_up_to(ours, theirs, query):
        if max(map(len, query.patterns)) <= length:
            return agree(ours, theirs, query)
        return SAME if ours.count == theirs.count else Agreement(reason, complete=False)

    return agree_up_to


def nigh_ends(file):
    """Returns a dictionary from ends to distances for each record, pattern and strand."""
    ends = defaultdict(dict)
    for row in file:
        record, _, end, pattern, distance, strand, _ = row.split("\t", 6)
        ends[record, pattern, strand][int(end)] = int(distance)
    return ends


def sassy_matches(file, patterns):
    """Returns a set of (end, distance) for each record, pattern and strand. sassy numbers several patterns from 1."""
    matches = defaultdict(set)
    for row in file:
        pattern, record, distance, strand, _, end, _ = row.split("\t", 6)
        if distance != "cost":
            pattern = patterns[int(pattern) - 1] if pattern.isdigit() else patterns[0]
            matches[record, pattern, strand].add((int(end), int(distance)))
    return matches


def local_minima(distances):
    """Returns the (end, distance) pairs that sassy prints: local minima of the distance, and of equal neighbours the last."""
    minima, falling = set(), True
    for end in sorted(distances):
        distance, before, after = distances[end], distances.get(end - 1), distances.get(end + 1)
        if before != distance:
            falling = before is None or before > distance
        if falling and (after is None or after > distance):
            minima.add((end, distance))
    return minima


def has_match_within(end, matches, reach):
    return any(abs(end - other) <= reach for other, _ in matches)


def reverse_agrees(ends, matches, reach):
    """Returns whether every match of sassy is one of nigh's ends, and every end of nigh is within `reach` of a match."""
    known = all(end in ends and ends[end] <= distance for end, distance in matches)
    return known and all(has_match_within(end, matches, reach) for end in ends)


def sassy_agrees(ours, theirs, query):
    """Compares every row. With one pattern, sassy searches the reverse strand backwards: it prints local minima of starts there."""
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
