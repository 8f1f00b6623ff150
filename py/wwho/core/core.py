"""What the two backends that run the C core share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wwho.core.base import Info
from wwho.format.container import read_container
from wwho.format.layout import NONE, Kind
from wwho.format.read import read_provenance, route_entries

INFO_NUMBERS = 12
"""How many 32-bit numbers a `wwho_info` of wwho.h has."""


def core_info(
    numbers: Sequence[int], special: Callable[[int], tuple[str, int]], blob: bytes
) -> Info:
    """The numbers and names of a model that the core has opened.

    Args:
        numbers: the fields of `wwho_info`, in their order.
        special: text and id of the special token with a number.
        blob: the artifact, already checked.
    """
    n_vocab, n_base, n_base_tokens, first_atom, n_atoms, n_merges = numbers[:6]
    space_id, unk_id = (None if number == NONE else number for number in numbers[6:8])
    container = read_container(blob)
    return Info(
        n_vocab=n_vocab,
        n_base=n_base,
        n_base_tokens=n_base_tokens,
        first_atom=first_atom,
        n_atoms=n_atoms,
        n_merges=n_merges,
        n_superwords=numbers[11],
        space_id=space_id,
        unk_id=unk_id,
        specials=dict(map(special, range(numbers[8]))),
        routes=route_entries(container[Kind.ROUTES])[1],
        provenance=read_provenance(container),
    )
