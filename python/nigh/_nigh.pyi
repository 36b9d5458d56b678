from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol, final

from typing_extensions import Buffer

__all__ = [
    "__version__",
    "Alignment",
    "alignment",
    "alignments",
    "distance",
    "distances",
    "Hits",
    "Match",
    "Matches",
    "Searcher",
]

__version__: str

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Searcher:
    def __new__(
        cls,
        patterns: str | Buffer | Iterable[str | Buffer],
        k: int = 1,
        *,
        alphabet: Literal["text", "bytes", "dna", "protein"] = "text",
        notation: Literal["literal", "regex"] = "literal",
        case: Literal["sensitive", "insensitive", "smart"] = "sensitive",
        strands: Literal["both", "forward", "reverse"] | None = None,
        engine: Literal["auto", "cpu", "cuda"] = "cpu",
    ) -> Searcher: ...
    def find_iter(self, text: str | Buffer, *, best: bool = False) -> Matches: ...
    def search_column(
        self, column: _ArrowArray | _ArrowStream, *, best: bool = False, threads: int | None = None
    ) -> Hits: ...
    def count(self, text: str | Buffer, *, best: bool = False) -> int: ...
    def is_match(self, text: str | Buffer) -> bool: ...

@final
class Match:
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    def pattern(self) -> int: ...
    @property
    def distance(self) -> int: ...
    @property
    def strand(self) -> str: ...
    @property
    def cigar(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Matches(Iterator[Match]):
    def __iter__(self) -> Matches: ...
    def __next__(self) -> Match: ...
    def __length_hint__(self) -> int: ...

@final
class Hits:
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Alignment:
    @property
    def distance(self) -> int: ...
    @property
    def cigar(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def distance(a: str | Buffer, b: str | Buffer) -> int: ...
def distances(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> list[int]: ...
def alignment(a: str | Buffer, b: str | Buffer) -> Alignment: ...
def alignments(
    a: Sequence[str | Buffer],
    b: Sequence[str | Buffer],
    *,
    engine: Literal["auto", "cpu", "cuda"] = "auto",
) -> list[Alignment]: ...
