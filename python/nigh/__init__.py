"""Approximate string search: every place where a pattern occurs with at most k edits.

Examples
--------
>>> import nigh
>>> searcher = nigh.Searcher("connection refused", k=2)
>>> for found in searcher.find_iter("web02: conection refusd", best=True):
...     print(found.span, found.distance, found.cigar)
(7, 23) 2 2=1I13=1I1=
>>> nigh.distance("kitten", "sitting")
3
"""

from nigh._nigh import (
    Alignment,
    Alignments,
    DistanceMatrix,
    HitBatches,
    Hits,
    Match,
    Matches,
    PairValues,
    RecordSplitter,
    Searcher,
    Split,
    __version__,
    alignment,
    alignments,
    distance,
    distance_matrix,
    distances,
    global_scores,
    lcs_lengths,
    local_scores,
    splits,
)

__all__ = [
    "Alignment",
    "Alignments",
    "DistanceMatrix",
    "HitBatches",
    "Hits",
    "Match",
    "Matches",
    "PairValues",
    "RecordSplitter",
    "Searcher",
    "Split",
    "__version__",
    "alignment",
    "alignments",
    "distance",
    "distance_matrix",
    "distances",
    "global_scores",
    "lcs_lengths",
    "local_scores",
    "splits",
]
