"""The merges of a vocab.json that can ever happen, and the tokens that they make.

In a vocab.json a merge joins two texts, whatever they were made of, and its rank is its place in
the list. In an artifact it joins two tokens, of which no two have the same text, and which are
older than what they make. Both give the same tokens wherever the parts of a merge come before it:

Then the ranks of the merges that happen in a word never fall, so all that has happened before a
rank has a lower one; and what has happened between two places in a word at which no merge reached
across is what would have happened to the text between them alone. So two tokens meet in some word
only where their own text, replayed by merges of lower rank, ends with just these two. A merge whose
parts do not meet so never happens, and of several that make one text only one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from wwho.assemble.vocab_json import Merge, json_excerpt, vocab_json_error
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Pair
from wwho.reference.merge import merge as replay

Units = tuple[str, ...]
"""The units of a text, in order."""


@dataclass
class LiveMerges:
    """The units of a vocabulary, and the merges that can happen.

    Attributes:
        texts: The text of each token: the units, then the results of merges in order of rank.
        pairs: The left and the right token of each merge, as indices of `texts`.
        unmade: The number of merges left out because no merge makes one of their parts.
        apart: The number of merges left out because their parts never meet.
    """

    texts: list[str]
    pairs: list[Pair] = field(default_factory=list)
    unmade: int = 0
    apart: int = 0


def live_merges(
    units: Iterable[str], merges: Iterable[Merge], cut: Callable[[str], Units | None]
) -> LiveMerges:
    """Return the merges that can happen, and the tokens that they make.

    Args:
        units: The units in the vocabulary; only they merge.
        merges: Pairs of texts, in order of rank, all different.
        cut: Called with a text; returns its units, or None for a text that stands in no segment.

    Raises:
        ArtifactError: If a merge comes before the one that makes a part of it, or makes a token of
            more than MAX_TOKEN_BYTES bytes.

    Example:
        >>> live = live_merges("abc", [("b", "c"), ("a", "b"), ("ab", "c"), ("a", "bc")], tuple)
        >>> live.texts[3:], live.pairs, live.apart
        (['bc', 'ab', 'abc'], [(1, 2), (0, 1), (0, 3)], 1)
    """
    live = LiveMerges(list(units))
    token_of = {text: token for token, text in enumerate(live.texts)}
    units_of_token: list[tuple[int, ...]] = [(token,) for token in range(len(live.texts))]
    ranks: dict[Pair, int] = {}
    with_unknown_part: list[Merge] = []
    for left, right in merges:
        if left not in token_of or right not in token_of:
            with_unknown_part.append((left, right))
            continue
        pair, text = (token_of[left], token_of[right]), left + right
        its_units = units_of_token[pair[0]] + units_of_token[pair[1]]
        # A text may be cut elsewhere than between its parts, and so never have these units.
        is_cut_so = cut(text) == tuple(live.texts[unit] for unit in its_units)
        if not is_cut_so or replay(its_units, ranks) != list(pair):
            live.apart += 1
            continue
        _check_length(text)
        token_of[text] = ranks[pair] = len(live.texts)
        live.texts.append(text)
        live.pairs.append(pair)
        units_of_token.append(its_units)
    for left, right in with_unknown_part:
        if left in token_of and right in token_of:
            raise vocab_json_error(
                f"the merge {json_excerpt([left, right])} comes before the one that makes a part "
                "of it; a trainer lists parts before wholes"
            )
    live.unmade = len(with_unknown_part)
    return live


def _check_length(text: str) -> None:
    """Raise ArtifactError if a token has more bytes than an artifact can hold."""
    size = len(text.encode("utf-8"))
    if size > MAX_TOKEN_BYTES:
        raise vocab_json_error(
            f"the merges make {json_excerpt(text)}, of {size} bytes; {MAX_TOKEN_BYTES} are possible"
        )
