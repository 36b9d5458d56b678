import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, final, overload

from typing_extensions import Buffer

__all__ = [
    "__version__",
    "Alignment",
    "alignment",
    "Alignments",
    "alignments",
    "distance",
    "distance_matrix",
    "DistanceMatrix",
    "distances",
    "global_scores",
    "HitBatches",
    "Hits",
    "lcs_lengths",
    "local_scores",
    "Match",
    "Matches",
    "PairValues",
    "RecordSplitter",
    "Searcher",
    "Split",
    "splits",
]

__version__: str

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _NumPyArray(Protocol):
    @property
    def __array_interface__(self) -> dict[str, object]: ...

_Column = _ArrowArray | _ArrowStream | _NumPyArray
_Strings = Sequence[str | Buffer] | _Column

_Pattern = str | Buffer | tuple[str | Buffer, int | str]

@final
class Searcher:
    def __new__(
        cls,
        patterns: str | Buffer | Iterable[_Pattern] | Mapping[str, _Pattern],
        k: int | str = 1,
        *,
        alphabet: Literal["text", "bytes", "dna", "protein"] = "text",
        notation: Literal["literal", "regex"] = "literal",
        case: Literal["sensitive", "insensitive", "smart"] = "sensitive",
        strands: Literal["both", "forward", "reverse"] | None = None,
        engine: Literal["auto", "cpu", "cuda"] = "cpu",
        captures: bool = False,
        exact_group: bool | None = None,
        transpositions: bool | None = None,
        word_regexp: bool | None = None,
        line_regexp: bool | None = None,
        edits: str | None = None,
        within: str | tuple[int | None, int | None] | None = None,
        near: int | None = None,
        near_patterns: tuple[int, int] | None = None,
        overhang: float | str | None = None,
        min_overlap: int | None = None,
        ambiguous: str | None = None,
    ) -> Searcher: ...
    @property
    def patterns(self) -> list[str | bytes]: ...
    @property
    def names(self) -> list[str] | None: ...
    def find_iter(self, text: str | Buffer, *, best: bool = False, sites: bool = False) -> Matches: ...
    @overload
    def replace(self, text: str, replacement: str | Buffer) -> str: ...
    @overload
    def replace(self, text: Buffer, replacement: str | Buffer) -> bytes: ...
    def search_column(
        self,
        column: Sequence[str | None] | Sequence[Buffer | None] | _Column,
        *,
        best: bool = False,
        sites: bool = False,
        text: bool = False,
        threads: int | None = None,
    ) -> Hits: ...
    def search_file(
        self,
        file: str | bytes | os.PathLike[str] | Split,
        *,
        best: bool = False,
        sites: bool = False,
        text: bool = False,
        groups: bool = False,
        ignore_ansi: bool = False,
        record_start: str | Buffer | RecordSplitter | None = None,
        threads: int | None = None,
    ) -> Hits: ...
    def search_file_batches(
        self,
        file: str | bytes | os.PathLike[str] | Split,
        *,
        best: bool = False,
        sites: bool = False,
        text: bool = False,
        groups: bool = False,
        ignore_ansi: bool = False,
        record_start: str | Buffer | RecordSplitter | None = None,
        threads: int | None = None,
    ) -> HitBatches: ...
    def count(self, text: str | Buffer, *, best: bool = False, sites: bool = False) -> int: ...
    def is_match(self, text: str | Buffer) -> bool: ...

    def __getnewargs_ex__(
        self,
    ) -> tuple[
        tuple[list[_Pattern] | dict[str, _Pattern], int | str],
        dict[str, str | float | bool | tuple[int | None, int | None] | None],
    ]: ...

@final
class RecordSplitter:
    def __new__(cls, start: str | Buffer) -> RecordSplitter: ...
    @overload
    def split(self, text: str) -> list[str]: ...
    @overload
    def split(self, text: Buffer) -> list[bytes]: ...
    def spans(self, text: str | Buffer) -> list[tuple[int, int]]: ...
    def __getnewargs__(self) -> tuple[bytes]: ...

@final
class Match:
    def __new__(
        cls,
        start: int,
        end: int,
        pattern: int,
        distance: int,
        strand: str,
        cigar: str,
        groups: list[tuple[str | None, tuple[int, int] | None]] | None = None,
        name: str | None = None,
    ) -> Match: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    def pattern(self) -> int: ...
    @property
    def name(self) -> str | None: ...
    @property
    def distance(self) -> int: ...
    @property
    def strand(self) -> str: ...
    @property
    def cigar(self) -> str: ...
    @property
    def text(self) -> Any: ...
    def group(self, *groups: int | str) -> Any: ...
    def groups(self, default: Any = None) -> tuple[Any, ...]: ...
    def groupdict(self, default: Any = None) -> dict[str, Any]: ...
    def group_span(self, group: int | str | None = None) -> tuple[int, int] | None: ...
    def __getitem__(self, group: int | str, /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(
        self,
    ) -> tuple[
        type[Match],
        tuple[int, int, int, int, str, str, list[tuple[str | None, tuple[int, int] | None]] | None, str | None],
    ]: ...

@final
class Matches(Iterator[Match]):
    def __iter__(self) -> Matches: ...
    def __next__(self) -> Match: ...
    def __length_hint__(self) -> int: ...

@final
class Split:
    def __new__(cls, path: str | os.PathLike[str], index: int, count: int, size: int, text: int) -> Split: ...
    @property
    def path(self) -> Path: ...
    @property
    def index(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def text(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Split], tuple[Path, int, int, int, int]]: ...

def splits(path: str | bytes | os.PathLike[str], n: int) -> list[Split]: ...

@final
class Hits:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class HitBatches(Iterator[Hits]):
    def __iter__(self) -> HitBatches: ...
    def __next__(self) -> Hits: ...

@final
class Alignment:
    def __new__(cls, distance: int, cigar: str) -> Alignment: ...
    @property
    def distance(self) -> int: ...
    @property
    def cigar(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Alignment], tuple[int, str]]: ...

@final
class Alignments:
    def __len__(self) -> int: ...
    def to_arrow(self) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class PairValues:
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int | None: ...
    def to_arrow(self) -> Any: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class DistanceMatrix:
    @property
    def shape(self) -> tuple[int, int]: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

def distance_matrix(
    a: _Strings,
    b: _Strings | None = None,
    *,
    k: int | None = None,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> DistanceMatrix: ...
def distance(a: str | Buffer, b: str | Buffer) -> int: ...
@overload
def distances(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    k: int | None = None,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> list[int]: ...
@overload
def distances(
    a: _Column,
    b: _Strings,
    *,
    k: int | None = None,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> PairValues: ...
@overload
def distances(
    a: _Strings,
    b: _Column,
    *,
    k: int | None = None,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> PairValues: ...
@overload
def lcs_lengths(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> list[int]: ...
@overload
def lcs_lengths(
    a: _Column,
    b: _Strings,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> PairValues: ...
@overload
def lcs_lengths(
    a: _Strings,
    b: _Column,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> PairValues: ...
@overload
def global_scores(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> list[int]: ...
@overload
def global_scores(
    a: _Column,
    b: _Strings,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> PairValues: ...
@overload
def global_scores(
    a: _Strings,
    b: _Column,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> PairValues: ...
@overload
def local_scores(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> list[int]: ...
@overload
def local_scores(
    a: _Column,
    b: _Strings,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> PairValues: ...
@overload
def local_scores(
    a: _Strings,
    b: _Column,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
    matrix: str | None = None,
    match: int = 2,
    mismatch: int = 3,
    gap_open: int | None = None,
    gap_extend: int | None = None,
) -> PairValues: ...
def alignment(a: str | Buffer, b: str | Buffer) -> Alignment: ...
@overload
def alignments(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> list[Alignment]: ...
@overload
def alignments(
    a: _Column,
    b: _Strings,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> Alignments: ...
@overload
def alignments(
    a: _Strings,
    b: _Column,
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> Alignments: ...
