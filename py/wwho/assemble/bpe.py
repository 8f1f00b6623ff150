"""The making of byte-pair encodings: their symbols, and the one pair that makes each token.

A token comes into being only from the two parts that are left when its own text is merged: what
crosses the border of its text prevents it, and what happens within does not depend on what is
around it. So whatever tells which pairs merge, and in which order, one pair for each token is
enough. A token that its own text does not merge to is made by nothing: it only decodes, or stands
for a pretoken that is its text.

`safe_cuts` and `path_cuts` return patterns that cut texts without pretokens into short pieces,
where no token spans a cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, KeysView, Mapping, Sequence, Set
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
"""Pairs in order of rank, or the rank of each text that tokens may merge to; low ranks first."""

Rank = Callable[[bytes, bytes], float]
"""A function that returns the rank of the pair of two texts; infinite if they never merge."""


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
    """Return the model that merges as a vocabulary and its merges say.

    Args:
        vocab: The tokens, text to id: raw bytes where symbols are bytes, else UTF-8. Symbols are
            those of one byte, or of one code point. Tokens of single bytes, such as ``<0x0A>``, are
            not among them but in `byte_ids`.
        merges: Either pairs in order of rank (tokenizers): of one that is listed twice, the last
            place counts, and several may make one text. Or a rank for each text, of any type of
            number, whatever two tokens it is made of: tiktoken's ranks, SentencePiece's scores with
            the sign changed. Texts of equal rank merge from left to right (with units only).
        units: False: symbols are bytes. True: symbols are code points. A function that returns the
            symbols of a text: symbols are those.
        written: Returns the text of a symbol, or of a token that no merge makes, where `vocab` and
            `merges` hold another form of it, in which the texts of symbols stand one after another.
        prefix: The text with which symbols begin that continue a pretoken (FORMAT.md, Affixes).
        suffix: The text with which symbols end that end a pretoken.
        whole: Whether a pretoken that is a token as a whole is that token, even where merges do not
            make it (tiktoken, `ignore_merges`).
        unk_id: The id for symbols that are no tokens; where symbols are bytes, once for each byte,
            and `fuse` is not possible. None: such symbols are left out, and their neighbours meet
            (with units only).
        fuse: Whether neighbouring unknown symbols become one token.
        byte_ids: The 256 ids of the tokens for the bytes of a symbol that is no token. If a byte
            of such a symbol has none (None), the symbol is `unk_id`. Empty: there are no such ids.
        added: The ids of added tokens, which the model's own ids may step over.
        most_bytes: The most bytes of a token of `vocab`.

    Returns:
        The model, whose ids are those of `vocab`. It is not part of an `Artifact` yet.

    Raises:
        ArtifactError: If two tokens have one id, a merge is of no tokens or makes none, a token is
            too long, or the format has no such model (status RANKS).

    Example:
        >>> vocab = {b"a": 2, b"b": 1, b"ab": 3, b"abab": 4}
        >>> merges = [(b"a", b"b"), (b"ab", b"ab")]
        >>> model = bpe_model(vocab, merges, units=True, unk_id=0)
        >>> model.symbols, model.merges, model.stated
        ((b'a', b'b'), ((0, 1), (2, 2)), (2, 1, 3, 4))
    """
    _check_vocabulary(vocab, most_bytes)
    # The function that splits a text into symbols, and the most bytes of a symbol.
    split: Callable[[bytes], Sequence[bytes]]
    if callable(units):
        split, longest = units, MAX_TOKEN_BYTES
    elif units:
        split, longest = characters, 4
    else:
        split, longest = singles, 1
    symbols = {text for text in vocab if len(text) <= longest and len(split(text)) == 1}
    missing = [] if units else [byte for byte in BYTES if byte not in symbols]
    if missing and (unk_id is None or fuse):
        raise _error(
            f"{len(symbols)} of the 256 bytes are tokens; all must be, or each other one be unk_id"
        )
    if None in byte_ids and unk_id is None:
        raise _error("a byte has no token, and nothing stands for it")
    pairs = live_pairs(vocab, merges, symbols, split)
    if byte_ids:
        unknown = Unknown.BYTES
    elif missing or (units and unk_id is not None):
        unknown = Unknown.ID
    else:
        unknown = Unknown.NONE
    merged = sorted(pairs, key=lambda text: (pairs[text].rank, text))
    ties = [
        number
        for number, (before, text) in enumerate(pairwise(merged), 1)
        if pairs[before].rank == pairs[text].rank
    ]
    if ties and not units:
        raise _error(f"{merged[ties[0] - 1]!r} and {merged[ties[0]]!r} have one rank")
    unmade = sorted((t for t in vocab if t not in pairs and t not in symbols), key=written)
    first = sorted([*symbols, *missing], key=written)
    if not units and not missing:
        # Bytes may stand in any order; in that of their ids, the ids of all tokens may count up.
        by_id = sorted(symbols, key=vocab.__getitem__)
        if id_policy(vocab, [*by_id, *merged, *unmade], added) is not Ids.STATED:
            first = by_id
    texts = [*first, *merged, *unmade]
    policy = Ids.STATED if byte_ids or missing else id_policy(vocab, texts, added)
    ids = [vocab.get(text) for text in texts]
    place_of = {text: place for place, text in enumerate(texts)}
    return BPE(
        symbols=tuple(first if written is None else map(written, first)),
        merges=tuple((place_of[pairs[text].left], place_of[pairs[text].right]) for text in merged),
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
    """Return a copy of a model without the tokens that no merge makes, but for some.

    Args:
        model: A model with stated ids (`Ids.STATED`).
        keep: Called with the text of each such token; those for which it returns something true
            stay. By default none does.
    """
    n_made = len(model.texts) - len(model.unmade)
    unmade = zip(model.unmade, model.stated[n_made:], strict=True)
    kept = [(text, token) for text, token in unmade if keep(text)]
    return replace(
        model,
        unmade=tuple(text for text, _ in kept),
        stated=(*model.stated[:n_made], *(token for _, token in kept)),
        whole=model.whole and bool(kept),
    )


STARTERS = "▁ \n\t。，、；：！？「」（）"
"""Characters before which texts without pretokens may be cut, the most usual in many languages."""
SIGNS = ".,-'\"():;?!।0123456789/[]{}_*#=<>$%&+|@\\~`^"
"""Further such characters. One only counts if no token has it after a letter, and if counting it
leaves at most MOST_GROUPS groups of characters that are told apart."""
MOST_GROUPS = 56


def safe_cuts(model: BPE) -> Node | None:
    """Return the pattern of pieces that, encoded one by one, give the tokens of the whole text.

    A tokenizer without pretokens takes whole texts as one. Where two characters stand side by side
    in no token, no merge joins them, so a text may be cut there: before U+2581 in words that begin
    with it, or within sentences. Pieces like these are short enough to be remembered in a cache.

    Args:
        model: A model whose symbols are code points.

    Returns:
        A pattern that matches at the start of any text; or None where no cut is safe: symbols are
        bytes, pretokens may be tokens as a whole, or no token is one of the characters to cut
        before.

    Example:
        >>> vocab = {"▁".encode(): 1, b"a": 2, "▁a".encode(): 3}
        >>> model = bpe_model(vocab, [("▁".encode(), b"a")], units=True, unk_id=0)
        >>> safe_cuts(model) is None
        False
    """
    if not model.units or (model.unmade and model.whole):
        return None
    merged_texts = model.texts[: len(model.ranks)]
    every_byte_has_id = len(model.byte_ids) == 256 and None not in model.byte_ids
    has_byte_fallback = model.unknown is Unknown.BYTES and every_byte_has_id
    return _safe_piece_pattern(model.symbols, merged_texts, has_byte_fallback=has_byte_fallback)


def path_cuts(model: Viterbi, marker: str, unk: bytes = b"") -> Node | None:
    """Return the pattern of pieces that, encoded one by one, give a Unigram model's tokens.

    Where no token is on both sides of a cut, the best path goes through it, and sums that are not
    rounded compare alike however much was added to them before. That is so where scores were f32
    once: in words of up to 8 million characters.

    Args:
        model: A model with scores of f64.
        marker: A character that each word begins with, and only words do: texts are always cut
            before it, and before other characters as `safe_cuts` does.
        unk: The text of the unknown token; two of them, one after the other, become one.

    Returns:
        A pattern that matches at the start of any text; or None where sums are rounded, or no
        token is one of the characters to cut before.

    Example:
        >>> path_cuts(Viterbi(tokens=(b"a", b","), scores=[-1.1, -2.0]), "_") is None
        True
    """
    # Multiples of 2**-24 up to 54 add up without rounding as long as the sum is below 2**29.
    if model.narrow or any(abs(s) > 54 or not (s * 2**24).is_integer() for s in model.scores):
        return None
    return _safe_piece_pattern(
        [text for text in model.tokens if len(characters(text)) == 1],
        (*model.tokens, 2 * unk),
        has_byte_fallback=False,
        marker=marker,
    )


def _safe_piece_pattern(
    symbols: Iterable[bytes], texts: Iterable[bytes], *, has_byte_fallback: bool, marker: str = ""
) -> Node | None:
    """Return the pattern of pieces that begin at characters before which a text may be cut.

    A text may be cut before one of STARTERS or SIGNS, unless some token has it directly after the
    character before the cut.

    Args:
        symbols: The tokens of one character.
        texts: The texts of all tokens.
        has_byte_fallback: Whether a character that is no token becomes the tokens of its bytes.
        marker: A character before which a text is always cut; empty: there is none.

    Returns:
        A pattern that matches at the start of any text; or None if there is nowhere to cut.
    """
    known = {text.decode("utf-8", "replace") for text in symbols}
    # The characters to cut before, and for each the ones before it in some token.
    lefts_of: dict[str, set[str]] = {each: set() for each in STARTERS + SIGNS if each in known}
    if not lefts_of:
        return None
    for text in texts:
        for left, right in pairwise(text.decode("utf-8", "replace")):
            if right in lefts_of:
                lefts_of[right].add(left)
    if marker:
        lefts_of[marker] = set()
    groups, all_starters = _group_by_starters(known, lefts_of, marker)
    # Unknown characters that are neighbours may become one token, so they are cut off at the marker
    # only. If each becomes the tokens of its bytes, they are like most characters.
    if has_byte_fallback or marker:
        starters_after_unknown = all_starters if has_byte_fallback else marker
        groups.pop(starters_after_unknown, None)
        groups[starters_after_unknown] = reduce(sub, groups.values(), ALL)
    # After the characters of this group a text is never cut.
    groups.pop("", None)
    cuts = [(chars, CodePointSet.of(*starters)) for starters, chars in groups.items() if chars]
    if not cuts:
        return None
    never_last = reduce(sub, (chars for chars, _ in cuts), ALL)
    goes_on: list[Node] = [Chars(never_last)] if never_last else []
    goes_on += [seq(Chars(chars), Look(negative=True, chars=starters)) for chars, starters in cuts]
    # A piece is a run of characters after each of which it goes on, and one after which it does
    # not: the next character begins a new piece.
    last = Chars(ALL - never_last)
    return Alt((seq(many(Alt(tuple(goes_on)), 1), optional(last)), last))


def _group_by_starters(
    known: Set[str], lefts_of: Mapping[str, Set[str]], marker: str
) -> tuple[dict[str, CodePointSet], str]:
    """Return groups of characters, by the starters before which a text may be cut after them.

    A starter is a character that may begin a piece. Those of STARTERS always count. Every other one
    is passed over if a letter is among its lefts, or if counting it makes more than MOST_GROUPS
    groups. Known texts of several characters join no group, unless they are among the lefts.

    Args:
        known: The characters that are tokens.
        lefts_of: For each possible starter, the characters after which a text may not be cut before
            it. Starters are tried in this order.
        marker: A starter that counts in any case; empty: there is none.

    Returns:
        The characters of each group, by its starters in one string; and the string of all starters
        that count, which is the key of the largest group.
    """
    # Characters that are in no set of `lefts_of` all behave alike: they join the groups at the end.
    odd = known & {*chain(*lefts_of.values())}
    groups: dict[str, list[str]] = {"": sorted(odd)}
    all_starters = ""
    for starter, lefts in lefts_of.items():
        split: dict[str, list[str]] = {}
        for starters, members in groups.items():
            for each in members:
                key = starters if each in lefts else starters + starter
                split.setdefault(key, []).append(each)
        few = len(split) <= MOST_GROUPS and not any(map(str.isalpha, lefts))
        if starter in STARTERS + marker or few:
            groups, all_starters = split, all_starters + starter
    others = (each for each in known - odd if len(each) == 1)
    groups.setdefault(all_starters, []).extend(others)
    sets = {starters: CodePointSet.of(*members) for starters, members in groups.items()}
    return sets, all_starters


class LivePair(NamedTuple):
    """The pair of texts that makes a token, and its rank."""

    rank: float
    left: bytes
    right: bytes


def live_pairs(
    vocab: Collection[bytes],
    merges: Merges,
    symbols: Set[bytes],
    cut: Callable[[bytes], Sequence[bytes]],
) -> dict[bytes, LivePair]:
    """Return, for each token that merges make, the one pair that does.

    It takes time linear in the total length of `vocab` for most tokens; the others, whose parts
    have higher ranks, are merged from their symbols.

    Args:
        vocab: The texts of the tokens.
        merges: The merges, as for `bpe_model`.
        symbols: The texts of the symbols.
        cut: Called with a text; returns its symbols.

    Returns:
        Text to pair, in no particular order. Symbols, and tokens that their own texts do not merge
        to, are not there.

    Raises:
        ArtifactError: If a merge is of no tokens, or makes none (status RANKS).

    Example:
        >>> ranks = {b"bc": 1, b"ab": 2, b"abc": 3}
        >>> live_pairs([b"a", b"b", b"c", *ranks], ranks, {b"a", b"b", b"c"}, singles)[b"abc"]
        LivePair(rank=3, left=b'a', right=b'bc')
    """
    splits, targets, rank = _splits_by_rank(vocab, merges)
    # Two texts of these symbols, one after the other, have the symbols of both. Of others that is
    # not known, so all merges of their texts are tried.
    known: Set[bytes] = set()
    if cut is singles:
        known = symbols
    elif cut is characters:
        known = {text for text in symbols if len(text) > 1 or text.isascii()}
    early = _pairs_in_rank_order(splits, known, rank)
    # Tokens of which a part has a higher rank: longer runs of spaces come first in some files.
    late: dict[bytes, LivePair] = {}
    for text in targets - early.keys():
        parts = list(cut(text))
        if len(parts) > 1 and symbols >= {*parts} and (pair := _last_merge(parts, rank)):
            late[text] = pair
    return early | late


def _splits_by_rank(
    vocab: Collection[bytes], merges: Merges
) -> tuple[Iterable[tuple[float, bytes, bytes, bytes]], KeysView[bytes], Rank]:
    """Return the merges in a common form, whichever of its two forms `merges` has.

    Of ranks of texts, each way to cut such a text in two is a pair. Of pairs, one that comes again
    has its last place as its rank.

    Returns:
        Every two texts that may make a token, by rank: the rank, the token, the left and the right
        text; they can be read once. The texts that merges may make. And the function that ranks any
        pair, with `inf` for one that makes nothing.

    Raises:
        ArtifactError: If a merge is of no tokens, or makes none; or if a text that has a rank is no
            token. At once, before any pair is read.
    """
    if isinstance(merges, Mapping):
        ranks = merges
        if strange := [text for text in ranks if text not in vocab]:
            raise _error(f"{strange[0]!r} has a rank and is no token")
        splits = (
            (place, text, text[:at], text[at:])
            for text, place in sorted(ranks.items(), key=itemgetter(1))
            for at in range(1, len(text))
        )
        return splits, ranks.keys(), lambda left, right: ranks.get(left + right, inf)
    # Of a pair that comes again, the last place counts.
    order = {pair: place for place, pair in enumerate(merges)}
    targets = dict.fromkeys(map(b"".join, order)).keys()
    if missing := {text for pair in order for text in pair}.union(targets).difference(vocab):
        needs = ((pair, text) for pair in order for text in (*pair, b"".join(pair)))
        merge, needed = next(each for each in needs if each[1] in missing)
        raise _error(f"the merge {merge} needs the token {needed!r}, which is not there")
    by_place = sorted(order.items(), key=itemgetter(1))
    pair_splits = ((place, left + right, left, right) for (left, right), place in by_place)
    return pair_splits, targets, lambda left, right: order.get((left, right), inf)


def _pairs_in_rank_order(
    splits: Iterable[tuple[float, bytes, bytes, bytes]], symbols: Set[bytes], rank: Rank
) -> dict[bytes, LivePair]:
    """Return the pair that makes each token whose parts are made by merges of lower rank.

    Tokens of which a part, or a part of a part, has a higher rank are not there; neither are those
    that their own texts do not merge to.

    While the two parts of a token come into being, other texts meet at the border between them. The
    pair makes the token unless two of those would merge first. So each two that met are looked at,
    from the last to the first: did they merge before one of them merged with its other neighbour?
    Where ranks are equal, the pair further left merges first.

    Args:
        splits: Rank, token, and two texts that may make it, in order of rank.
        symbols: The texts that need no pair.
        rank: The rank of any pair.
    """
    found: dict[bytes, LivePair] = {}
    pair_of = found.get
    for place, text, left, right in splits:
        # The pairs that made the texts at the border; None: a symbol.
        left_pair = pair_of(left)
        if left_pair is None and left not in symbols:
            continue
        right_pair = pair_of(right)
        if (right_pair is None and right not in symbols) or text in found:
            continue
        met_left, met_right = left, right
        while left_pair or right_pair:
            if left_pair and (not right_pair or right_pair.rank < left_pair.rank):
                # The left text came last; before, its right part stood at the border.
                end, _, met_left = left_pair
                left_pair = pair_of(met_left)
                if rank(met_left, met_right) < end:
                    break
            elif right_pair:
                end, met_right, _ = right_pair
                right_pair = pair_of(met_right)
                if rank(met_left, met_right) <= end:
                    break
        else:
            found[text] = LivePair(place, left, right)
    return found


def _last_merge(parts: list[bytes], rank: Rank) -> LivePair | None:
    """Merge the symbols of a text, lowest rank first, then leftmost; return the last merge.

    It takes quadratic time, and changes `parts`: at the end, these are the two parts of the last
    merge, or those that do not merge.

    Args:
        parts: The text's symbols, at least two.
        rank: The rank of any pair; infinite if it never merges.

    Returns:
        The rank of the last merge and its two parts; None if several parts are left that do not
        merge.
    """
    ranks = [*map(rank, parts, parts[1:])]
    while True:
        lowest = min(ranks)
        if lowest == inf:
            return None
        at = ranks.index(lowest)
        if len(parts) == 2:
            return LivePair(lowest, parts[0], parts[1])
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at:
            ranks[at - 1] = rank(parts[at - 1], parts[at])
        if at < len(ranks):
            ranks[at] = rank(parts[at], parts[at + 1])


def characters(text: bytes) -> Sequence[bytes]:
    """Return the code points of a text, each in UTF-8; a byte that is not UTF-8 stands alone."""
    try:
        return [*map(str.encode, text.decode())]
    except UnicodeDecodeError:
        escaped = text.decode("utf-8", "surrogateescape")
        return [each.encode("utf-8", "surrogateescape") for each in escaped]


def singles(text: bytes) -> Sequence[bytes]:
    """Return the bytes of a text, each as a text of its own."""
    return [text[at : at + 1] for at in range(len(text))]


def id_policy(vocab: Mapping[bytes, int], texts: Sequence[bytes], added: Collection[int]) -> Ids:
    """Return the policy by which tokens in this order have their ids.

    Returns:
        COUNT if they count up one by one, STEP if they count up but step over the ids of added
        tokens, else STATED.
    """
    ids = [vocab[text] for text in texts]
    if not ids or ids == list(range(ids[0], ids[0] + len(ids))):
        return Ids.COUNT
    return Ids.STEP if ids == list(free_ids(len(ids), added, ids[0])) else Ids.STATED


def _check_vocabulary(vocab: Mapping[bytes, int], most_bytes: int) -> None:
    """Raise ArtifactError if a token is empty or too long, or an id is too large or comes twice.

    Ids are 0 to `MAX_IDS` - 1. The error has the status RANKS.
    """
    owners: dict[int, bytes] = {}
    for text, number in vocab.items():
        if not 1 <= len(text) <= most_bytes:
            raise _error(f"a token of {len(text)} bytes; 1 to {most_bytes} are possible")
        if not 0 <= number < MAX_IDS:
            raise _error(f"{text!r} has the id {number}; 0 to {MAX_IDS - 1} are possible")
        if owners.setdefault(number, text) is not text:
            raise _error(f"{owners[number]!r} and {text!r} have the id {number}")


def _error(message: str) -> ArtifactError:
    """Return the error for tokens and merges that are no model (status RANKS)."""
    return ArtifactError(message, status="RANKS")
