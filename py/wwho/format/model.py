"""What an artifact holds, as plain immutable data.

The common ground of writer, reader, trainer and reference backend.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wwho.grammar.automaton import CompiledScanners

Pair = tuple[int, int]


@dataclass(frozen=True)
class Route:
    """One kind of segment and how it is tokenized.

    Attributes:
        name: what the route is called, such as "other" or "sinhala".
        scanner: number of the automaton that cuts its segments into pieces or units.
        sgpe: whether the pieces are syllables for SGPE (model 1) or pretokens for the base (0).
    """

    name: str
    scanner: int
    sgpe: bool


@dataclass(frozen=True)
class Model:
    """A tokenizer, complete (FORMAT.md, sections 2 to 8).

    Attributes:
        scanners: the class map and the automata.
        router: number of the automaton that cuts text into segments; None where there is one route.
        routes: the routes; rule r of the router is route r.
        n_base: ids below it belong to the base, those from it on to SGPE.
        base_bytes: the 256 bytes of the ranks 0..255.
        base_pairs: left and right rank of token 256 + k, in order of rank.
        first_atom: id of the first atom; n_vocab where there is no SGPE.
        atoms: texts of the atoms, in ascending byte order.
        merges: left and right of the merged tokens, counted from first_atom.
        space_id: id of the lone space, the last one unless there are `ids`; None for none.
        unk_id: id of the special token that stands for unknown units, on request or because there
            are `ids`; None for none.
        specials: special tokens, text to id; of several with one id, the first is its text.
        provenance: where it came from; "name" is the encoding's name.
        n_superwords: how many of the merges, the last ones, join words.
        ids: the ids of atoms and merged tokens, where another encoder's are to be reproduced; of
            one that has none it is None, and `unk_id` stands for it. None where they simply count
            up from first_atom.
    """

    scanners: CompiledScanners
    router: int | None
    routes: tuple[Route, ...]
    n_base: int
    base_bytes: bytes
    base_pairs: Sequence[Pair]
    first_atom: int
    atoms: tuple[bytes, ...]
    merges: Sequence[Pair]
    space_id: int | None
    unk_id: int | None
    specials: Mapping[str, int]
    provenance: Mapping[str, str]
    n_superwords: int = 0
    ids: Sequence[int | None] | None = None

    @property
    def name(self) -> str:
        """The encoding's name; "unnamed" where provenance has none."""
        return self.provenance.get("name", "unnamed")

    @property
    def n_base_tokens(self) -> int:
        """How many mergeable tokens the base has."""
        return 256 + len(self.base_pairs)

    @cached_property
    def base_ids(self) -> Sequence[int]:
        """The ids of the base's tokens, in order of rank."""
        return free_ids(self.n_base_tokens, self.specials.values())

    @property
    def n_vocab(self) -> int:
        """Ids are 0..n_vocab-1, not all of them used."""
        n_given = len(self.sgpe_ids) - self.sgpe_ids.count(None)
        return self.first_atom + n_given + (self.space_id is not None)

    @property
    def first_superword(self) -> int:
        """Where the superwords begin, counted from first_atom, as their ids are."""
        return len(self.atoms) + len(self.merges) - self.n_superwords

    @cached_property
    def sgpe_ids(self) -> Sequence[int | None]:
        """The ids of atoms and merged tokens; None for one that has none."""
        n_tokens = len(self.atoms) + len(self.merges)
        return self.ids or range(self.first_atom, self.first_atom + n_tokens)

    @property
    def has_sgpe(self) -> bool:
        """Whether some route is one of SGPE (feature bit 0)."""
        return any(route.sgpe for route in self.routes)

    @cached_property
    def base_tokens(self) -> tuple[bytes, ...]:
        """The texts of the base's tokens, in order of rank."""
        singles = [self.base_bytes[k : k + 1] for k in range(256)]
        return tuple(expand(singles, self.base_pairs))

    @cached_property
    def sgpe_tokens(self) -> tuple[bytes, ...]:
        """The texts of atoms and merged tokens, in their order."""
        return tuple(expand(list(self.atoms), self.merges))


def free_ids(n: int, taken: Collection[int]) -> Sequence[int]:
    """The first n ids that are not taken.

    Example:
        >>> free_ids(3, {1, 9})
        [0, 2, 3]
    """
    if min(taken, default=n) >= n:
        return range(n)
    taken = frozenset(taken)
    return list(islice((number for number in count() if number not in taken), n))


def expand(texts: list[bytes], pairs: Sequence[Pair]) -> list[bytes]:
    """Append to `texts` the text of each pair, in order: its left token's and its right token's."""
    for left, right in pairs:
        texts.append(texts[left] + texts[right])
    return texts
