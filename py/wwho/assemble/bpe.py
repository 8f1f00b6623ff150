"""Any byte-pair encoding -> a model: symbols, and the one pair that makes each token.

A token comes into being only from the two parts that are left when its own text is merged: what
crosses the border of its text prevents it, and what happens within does not depend on what is
around it. So whatever tells which pairs merge, and in which order, one pair for each token is
enough. A token that its own text does not merge to is made by nothing: it only decodes, or stands
for a pretoken that is its text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from itertools import chain, pairwise
from math import inf
from operator import itemgetter, sub
from typing import NamedTuple

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Alt, Chars, Look, Node, many, optional, seq
from wwho.errors import ArtifactError
from wwho.format.bpe import BPE, BYTES
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Ids, Unknown, free_ids
from wwho.format.viterbi import Viterbi

Merges = Sequence[tuple[bytes, bytes]] | Mapping[bytes, float]
"""Pairs in order of rank, or the rank of what any two tokens merge to, the lowest first."""


def bpe_model(
    vocab: Mapping[bytes, int],
    merges: Merges,
    *,
    units: bool | Callable[[bytes], Sequence[bytes]] = False,
    written: Callable[[bytes], bytes] | None = None,
    prefix: str = "",
    suffix: str = "",
    whole: bool = False,
    unk_id: int | None = None,
    fuse: bool = False,
    byte_ids: Sequence[int | None] = (),
    added: Collection[int] = (),
    most_bytes: int = MAX_TOKEN_BYTES,
) -> BPE:
    """Find the model that merges as these do.

    Args:
        vocab: the tokens, text to id: raw bytes where symbols are bytes, else UTF-8. Symbols are
            those of one byte, or of one code point. Tokens of single bytes, such as ``<0x0A>``, are
            not among them but in `byte_ids`.
        merges: either pairs in order of rank (tokenizers): of one that is listed twice, the last
            place counts, and a text may be made by several. Or a rank for each text, of any type of
            number, whatever two tokens it is made of: tiktoken's ranks, SentencePiece's scores with
            the sign changed. Texts of equal rank merge from left to right (with units only).
        units: whether symbols are code points, or what gives those of a text; else they are bytes.
        written: gives the text of a symbol, or of a token that no merge makes, where `vocab` and
            `merges` hold another form of it, in which the texts of symbols stand one after another.
        prefix: the text with which symbols begin that continue a pretoken (FORMAT.md, Affixes).
        suffix: the text with which symbols end that end a pretoken.
        whole: whether a pretoken that is a token as a whole is that token, even where merges do not
            make it (tiktoken, `ignore_merges`).
        unk_id: the token for symbols that are not there, for each byte of its own (then without
            `fuse`); None: they are left out, and their neighbours meet (with units only).
        fuse: whether neighbouring unknown symbols are one token.
        byte_ids: the 256 ids of the tokens for the bytes of a symbol that is not there; a symbol
            with a byte that has none (None) is `unk_id`.
        added: the ids of added tokens, which the model's may step over.
        most_bytes: how long a token of `vocab` may be.

    Returns:
        The model; an `Artifact` and its routes are the caller's work.

    Raises:
        ArtifactError: two tokens have one id, a merge is of no tokens or makes none, a token is too
            long, or the format has no such model (status RANKS).

    Example:
        >>> vocab = {b"a": 2, b"b": 1, b"ab": 3, b"abab": 4}
        >>> merges = [(b"a", b"b"), (b"ab", b"ab")]
        >>> model = bpe_model(vocab, merges, units=True, unk_id=0)
        >>> model.symbols, model.merges, model.stated
        ((b'a', b'b'), ((0, 1), (2, 2)), (2, 1, 3, 4))
    """
    _check(vocab, most_bytes)
    cut = units if callable(units) else characters if units else singles
    longest = 1 if cut is singles else 4 if cut is characters else MAX_TOKEN_BYTES  # of a symbol
    symbols = {text for text in vocab if len(text) <= longest and len(cut(text)) == 1}
    missing = [] if units else [byte for byte in BYTES if byte not in symbols]
    if missing and (unk_id is None or fuse):
        raise _fail(
            f"{len(symbols)} of the 256 bytes are tokens; all must be, or each other one be unk_id"
        )
    if None in byte_ids and unk_id is None:
        raise _fail("a byte has no token, and nothing stands for it")
    pairs = live_pairs(vocab, merges, symbols, cut)
    made = sorted(pairs, key=lambda text: (pairs[text].rank, text))
    both = enumerate(pairwise(made), 1)
    ties = [k for k, (before, text) in both if pairs[before].rank == pairs[text].rank]
    if ties and not units:
        raise _fail(f"{made[ties[0] - 1]!r} and {made[ties[0]]!r} have one rank")
    unmade = sorted((t for t in vocab if t not in pairs and t not in symbols), key=written)
    first = sorted([*symbols, *missing], key=written)
    if not units and not missing:  # in the order of ids, they may count up
        by_id = sorted(symbols, key=vocab.__getitem__)
        if id_policy(vocab, [*by_id, *made, *unmade], added) is not Ids.STATED:
            first = by_id
    texts = [*first, *made, *unmade]
    policy = Ids.STATED if byte_ids or missing else id_policy(vocab, texts, added)
    ids = [vocab.get(text) for text in texts]
    number = {text: number for number, text in enumerate(texts)}
    unknown = Unknown.BYTES if byte_ids else Unknown.ID if missing else Unknown.NONE
    if units and not byte_ids and unk_id is not None:
        unknown = Unknown.ID
    return BPE(
        symbols=tuple(first if written is None else map(written, first)),
        merges=tuple((number[pairs[text].left], number[pairs[text].right]) for text in made),
        ties=tuple(ties),
        unmade=tuple(unmade if written is None else map(written, unmade)),
        whole=whole and bool(unmade or prefix or suffix),
        units=bool(units),
        prefix=prefix,
        suffix=suffix,
        first_id=min((each for each in (*ids, *byte_ids) if each is not None), default=0),
        id_policy=policy,
        stated=tuple(ids) if policy is Ids.STATED else (),
        unknown=unknown,
        fuse=fuse and unknown is not Unknown.NONE and unk_id is not None,
        unk_id=None if unknown is Unknown.NONE else unk_id,
        byte_ids=tuple(byte_ids),
    )


def only_made(model: BPE, keep: Callable[[bytes], object] = lambda _: False) -> BPE:
    """A model whose ids are stated, without the tokens that no merge makes, but for some."""
    n = len(model.texts) - len(model.unmade)
    unmade = zip(model.unmade, model.stated[n:], strict=True)
    kept = [(text, token) for text, token in unmade if keep(text)]
    return replace(
        model,
        unmade=tuple(text for text, _ in kept),
        stated=(*model.stated[:n], *(token for _, token in kept)),
        whole=model.whole and bool(kept),
    )


STARTERS = "▁ \n\t。，、；：！？「」（）"
"""Characters before which texts without pretokens may be cut, the most usual in many languages."""
SIGNS = ".,-'\"():;?!।0123456789/[]{}_*#=<>$%&+|@\\~`^"
"""The same, if no token has one after a letter, and as long as MOST_GROUPS of characters do."""
MOST_GROUPS = 56


def safe_cuts(model: BPE) -> Node | None:
    """What cuts a text into pieces that a model of characters encodes as it does the whole.

    A tokenizer without pretokens takes whole texts as one. Where two characters stand side by side
    in no token, no merge joins them: in words between U+2581, which begin with it, or in sentences.
    Pieces like these are short enough to be remembered.

    Args:
        model: a model of code points.

    Returns:
        The pattern of a piece, which matches any text at its start; None where no cut is safe.

    Example:
        >>> vocab = {"▁".encode(): 1, b"a": 2, "▁a".encode(): 3}
        >>> model = bpe_model(vocab, [("▁".encode(), b"a")], units=True, unk_id=0)
        >>> safe_cuts(model) is None
        False
    """
    if not model.units or (model.unmade and model.whole):
        return None
    spelled = model.unknown is Unknown.BYTES and len(model.byte_ids) == 256
    texts = model.texts[: len(model.ranks)]
    return _cuts(model.symbols, texts, spelled and None not in model.byte_ids)


def path_cuts(model: Viterbi, mark: str, unk: bytes = b"") -> Node | None:
    """The same for a Unigram model, in words that begin with a mark.

    Where no token is on both sides of a cut, the best path goes through it, and sums that are not
    rounded compare alike however much was added to them before. That is so where scores were f32
    once: in words of up to 8 million characters.

    Args:
        model: a model with scores of f64.
        mark: what each word begins with, and only words do.
        unk: the text of the unknown token; two of them, one after the other, become one.

    Returns:
        The pattern of a piece; None where sums are rounded.

    Example:
        >>> path_cuts(Viterbi(tokens=(b"a", b","), scores=[-1.1, -2.0]), "_") is None
        True
    """
    if model.narrow or any(abs(s) > 54 or not (s * 2**24).is_integer() for s in model.scores):
        return None
    return _cuts(
        [text for text in model.tokens if len(characters(text)) == 1],
        (*model.tokens, 2 * unk),
        False,
        mark,
    )


def _cuts(
    symbols_: Iterable[bytes], texts: Iterable[bytes], spelled: bool, mark: str = ""
) -> Node | None:
    """What cuts before characters that stand in no token after those before them.

    Args:
        symbols_: the tokens of one character.
        texts: all tokens.
        spelled: whether a character that is no token becomes those of its bytes.
        mark: a character before which there is always a cut.
    """
    symbols = {text.decode("utf-8", "replace") for text in symbols_}
    before: dict[str, set[str]] = {each: set() for each in STARTERS + SIGNS if each in symbols}
    if not before:
        return None
    for text in texts:
        for left, right in pairwise(text.decode("utf-8", "replace")):
            if right in before:
                before[right].add(left)
    before |= {mark: set()} if mark else {}
    # Characters by what may be cut off after them. Unknown ones may become one token, unless each
    # is spelled with the tokens of its bytes: then few characters remain that differ from most.
    odd = symbols & {*chain(*before.values())}
    groups, most = {"": sorted(odd)}, ""
    for starter, lefts in before.items():
        split: dict[str, list[str]] = {}
        for ends, members in groups.items():
            for each in members:
                split.setdefault(ends if each in lefts else ends + starter, []).append(each)
        few = len(split) <= MOST_GROUPS and not any(map(str.isalpha, lefts))
        if starter in STARTERS + mark or few:
            groups, most = split, most + starter
    groups.setdefault(most, []).extend(each for each in symbols - odd if len(each) == 1)
    known = {ends: CodePointSet.of(*members) for ends, members in groups.items()}
    if spelled or mark:
        known.pop(most if spelled else mark, None)
        known[most if spelled else mark] = reduce(sub, known.values(), ALL)
    known.pop("", None)
    cut = [(members, CodePointSet.of(*ends)) for ends, members in known.items() if members]
    rest = reduce(sub, (members for members, _ in cut), ALL)
    goes_on = [seq(Chars(members), Look(negative=True, chars=ends)) for members, ends in cut]
    inner = many(Alt((*([Chars(rest)] if rest else []), *goes_on)), 1)
    last = Chars(ALL - rest)
    return Alt((seq(inner, optional(last)), last)) if cut else None


class LivePair(NamedTuple):
    """The pair that makes a token, and its rank."""

    rank: float
    left: bytes
    right: bytes


def live_pairs(
    vocab: Collection[bytes],
    merges: Merges,
    symbols: Set[bytes],
    cut: Callable[[bytes], Sequence[bytes]],
) -> dict[bytes, LivePair]:
    """The pair of each token that merges make; `cut` gives the symbols of a text.

    Raises:
        ArtifactError: a merge is of no tokens, or makes none.
    """
    splits: Iterable[tuple[float, bytes, bytes, bytes]]
    if isinstance(merges, Mapping):
        ranks, targets = merges, merges.keys()
        if strange := [text for text in targets if text not in vocab]:
            raise _fail(f"{strange[0]!r} has a rank and is no token")
        splits = (
            (place, text, text[:k], text[k:])
            for text, place in sorted(ranks.items(), key=itemgetter(1))
            for k in range(1, len(text))
        )

        def rank(left: bytes, right: bytes) -> float:
            return ranks.get(left + right, inf)
    else:
        order = {pair: place for place, pair in enumerate(merges)}
        targets = dict.fromkeys(map(b"".join, order)).keys()
        splits = (
            (place, left + right, left, right)
            for (left, right), place in sorted(order.items(), key=itemgetter(1))
        )
        if missing := {text for pair in order for text in pair}.union(targets).difference(vocab):
            made = ((each, text) for each in order for text in (*each, b"".join(each)))
            merge, needed = next(each for each in made if each[1] in missing)
            raise _fail(f"the merge {merge} needs the token {needed!r}, which is not there")

        def rank(left: bytes, right: bytes) -> float:
            return order.get((left, right), inf)

    # Two texts of these symbols, one after the other, have the symbols of both. Of others that is
    # not known, so all merges of their texts are tried.
    known = symbols if cut is singles else set()
    if cut is characters:
        known = {text for text in symbols if len(text) > 1 or text.isascii()}
    found = _in_order(splits, known, rank)
    late = {}  # those of which a part has a higher rank: longer runs of spaces are first in some
    for text in targets - found.keys():
        parts = list(cut(text))
        if len(parts) > 1 and symbols >= {*parts} and (pair := _merged(parts, rank)):
            late[text] = pair
    return found | late


Rank = Callable[[bytes, bytes], float]
"""The rank of the pair of two texts; infinite for none."""


def _in_order(
    splits: Iterable[tuple[float, bytes, bytes, bytes]], symbols: Set[bytes], rank: Rank
) -> dict[bytes, LivePair]:
    """The pairs of the tokens whose parts have lower ranks, as have the parts of these.

    While the two parts of a token come into being, other texts meet at the border between them. The
    pair makes the token unless two of those would merge first. So each two that met are looked at,
    from the last to the first: did they merge before one of them merged with its other neighbour?
    Where ranks are equal, the pair further left merges first.

    Args:
        splits: ranks, tokens, and two texts that may make them, in order of rank.
        symbols: what texts are made of.
        rank: that of any pair.
    """
    found: dict[bytes, LivePair] = {}
    made = found.get
    for place, text, left, right in splits:
        a = made(left)
        if a is None and left not in symbols:
            continue
        b = made(right)
        if (b is None and right not in symbols) or text in found:
            continue
        met_left, met_right = left, right
        while a or b:
            if a and (not b or b[0] < a[0]):  # the left one came last
                end, _, met_left = a
                a = made(met_left)
                if rank(met_left, met_right) < end:
                    break
            elif b:
                end, met_right, _ = b
                b = made(met_right)
                if rank(met_left, met_right) <= end:
                    break
        else:
            found[text] = LivePair(place, left, right)
    return found


def _merged(parts: list[bytes], rank: Rank) -> LivePair | None:
    """Merge, lowest rank first, then leftmost: the last merge; None where parts are left."""
    ranks = [*map(rank, parts, parts[1:])]
    while True:
        best = min(ranks)
        if best == inf:
            return None
        k = ranks.index(best)
        if len(parts) == 2:
            return LivePair(best, parts[0], parts[1])
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
        del ranks[k]
        if k:
            ranks[k - 1] = rank(parts[k - 1], parts[k])
        if k < len(ranks):
            ranks[k] = rank(parts[k], parts[k + 1])


def characters(text: bytes) -> Sequence[bytes]:
    """The code points of a text; a byte of none is one of its own."""
    try:
        return [*map(str.encode, text.decode())]
    except UnicodeDecodeError:
        found = text.decode("utf-8", "surrogateescape")
        return [each.encode("utf-8", "surrogateescape") for each in found]


def singles(text: bytes) -> Sequence[bytes]:
    """The bytes of a text."""
    return [text[k : k + 1] for k in range(len(text))]


def id_policy(vocab: Mapping[bytes, int], texts: Sequence[bytes], added: Collection[int]) -> Ids:
    """How tokens in this order get their ids."""
    ids = [vocab[text] for text in texts]
    if not ids or ids == list(range(ids[0], ids[0] + len(ids))):
        return Ids.COUNT
    return Ids.STEP if ids == list(free_ids(len(ids), added, ids[0])) else Ids.STATED


def _check(vocab: Mapping[bytes, int], most_bytes: int) -> None:
    """Refuse what is no vocabulary."""
    owners: dict[int, bytes] = {}
    for text, number in vocab.items():
        if not 1 <= len(text) <= most_bytes:
            raise _fail(f"a token of {len(text)} bytes; 1 to {most_bytes} are possible")
        if not 0 <= number < MAX_IDS:
            raise _fail(f"{text!r} has the id {number}; 0 to {MAX_IDS - 1} are possible")
        if owners.setdefault(number, text) is not text:
            raise _fail(f"{owners[number]!r} and {text!r} have the id {number}")


def _fail(message: str) -> ArtifactError:
    return ArtifactError(message, status="RANKS")
