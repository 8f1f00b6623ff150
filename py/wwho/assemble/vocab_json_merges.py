"""Which of the merges of a vocab.json can ever happen.

There a merge joins two texts, whatever they were made of, and its rank is its place in the list.
Here it joins two tokens, of which no two have the same text, and which are older than what they
make. Both give the same tokens wherever the parts of a merge come before it:

Then the ranks of the merges that happen in a word never fall, so all that has happened before a
rank has a lower one; and what has happened between two places in a word at which no merge reached
across is what would have happened to the text between them alone. So two tokens meet in some word
only where their own text, replayed by merges of lower rank, ends with just these two. A merge whose
parts do not meet so never happens, and of several that make one text only one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from wwho.assemble.vocab_json import Merge, refusal, shown
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Pair
from wwho.reference.merge import merge as replay

Units = tuple[str, ...]
"""The units of a text."""


@dataclass
class LiveMerges:
    """Units, and the merges that can happen.

    Attributes:
        texts: of each token: the units, then what the merges make, in order of rank.
        pairs: left and right token of each merge.
        unmade: how many merges have a part that nothing makes.
        apart: how many have parts that never meet.
    """

    texts: list[str]
    pairs: list[Pair] = field(default_factory=list)
    unmade: int = 0
    apart: int = 0


def live_merges(
    units: Iterable[str], merges: Iterable[Merge], cut: Callable[[str], Units | None]
) -> LiveMerges:
    """Find the merges that can happen.

    Args:
        units: the units that merge: those in the vocabulary.
        merges: pairs of texts, in order of rank, all different.
        cut: gives the units of a text; None for a text that stands in no segment.

    Raises:
        ArtifactError: a merge comes before the one that makes a part of it, or makes too long a
            token.

    Example:
        >>> found = live_merges("abc", [("b", "c"), ("a", "b"), ("ab", "c"), ("a", "bc")], tuple)
        >>> found.texts[3:], found.pairs, found.apart
        (['bc', 'ab', 'abc'], [(1, 2), (0, 1), (0, 3)], 1)
    """
    live = LiveMerges(list(units))
    known = {text: token for token, text in enumerate(live.texts)}
    spelled: list[tuple[int, ...]] = [(token,) for token in range(len(live.texts))]
    ranks: dict[Pair, int] = {}
    waiting: list[Merge] = []
    for left, right in merges:
        if left not in known or right not in known:
            waiting.append((left, right))
            continue
        pair, text = (known[left], known[right]), left + right
        parts = spelled[pair[0]] + spelled[pair[1]]
        stand_so = cut(text) == tuple(live.texts[part] for part in parts)
        if not stand_so or replay(parts, ranks) != list(pair):
            live.apart += 1
            continue
        _check_length(text)
        known[text] = ranks[pair] = len(live.texts)
        live.texts.append(text)
        live.pairs.append(pair)
        spelled.append(parts)
    for left, right in waiting:
        if left in known and right in known:
            raise refusal(
                f"the merge {shown([left, right])} comes before the one that makes a part of it; "
                "a trainer lists parts before wholes"
            )
    live.unmade = len(waiting)
    return live


def _check_length(text: str) -> None:
    """Refuse a token that no artifact can hold."""
    size = len(text.encode("utf-8"))
    if size > MAX_TOKEN_BYTES:
        raise refusal(
            f"the merges make {shown(text)}, of {size} bytes; {MAX_TOKEN_BYTES} are possible"
        )
