"""BPE: the characters of a piece merge, the pair that is first in the list before all others.

Options:
    vocab: the tokens: text to id.
    merges: the pairs in order, each as two texts, or as one with a space between them.
    unk_token: what stands for a character that is no token; null: it is left out, and its
        neighbours meet.
    fuse_unk: whether neighbouring unknown characters are one.
    byte_fallback: whether an unknown character becomes tokens of its bytes, `<0x00>` to `<0xFF>`,
        if there is one for each.
    continuing_subword_prefix: what characters have in front of them that do not begin a piece.
    end_of_word_suffix: what the last character of a piece has behind it.
    ignore_merges: whether a piece whose text is a token is that token, whatever merges make of it.
    dropout: must be null: it would give other ids each time.

Example:
    >>> from wwho.importers.huggingface.examples import tokenize
    >>> vocab = {"a": 0, "b</w>": 1, "ab</w>": 2, "<unk>": 3}
    >>> options = {"unk_token": "<unk>", "end_of_word_suffix": "</w>"}
    >>> tokenize({"type": "BPE", "vocab": vocab, "merges": [["a", "b</w>"]], **options}, "aab")
    [0, 2]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any, NoReturn

from wwho.assemble.bpe import bpe_model, characters
from wwho.format.bpe import MAX_AFFIX_BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.steps import STAND_INS
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import (
    Around,
    Vocabulary,
    check_length,
    read_vocab,
)
from wwho.importers.huggingface.patterns import ANY
from wwho.importers.source import shown

Merge = tuple[str, str]

MOST_BYTES = 2 * MAX_TOKEN_BYTES
"""How long a token may be here: the characters that stand for bytes have up to two bytes."""
END = b"\xff"
"""Ends each symbol in the written form of a token with affixes: no text has this byte."""


def read(value: Value, around: Around) -> Vocabulary:
    """Return the `Vocabulary` of a BPE, the member "model" of a file; symbols are characters.

    Tokens that only decode are the model's, unless they are added tokens: these are hidden, since
    they have a text and an id beside the model.

    Raises:
        SourceError: an option has no valid value, or the model does what no artifact can.
        ArtifactError: two tokens have one id, or the merges are no BPE.
    """
    if value.at("dropout").raw:
        value.at("dropout").fail(
            "dropout gives other ids each time; set it to null, and give dropout and a seed to "
            "each call that encodes"
        )
    vocab = read_vocab(value.at("vocab"))
    prefix, suffix = _affix(value, "continuing_subword_prefix"), _affix(value, "end_of_word_suffix")
    merges = read_merges(value.at("merges"), vocab, prefix)
    made = {left + right[len(prefix) :] for left, right in merges}
    whole, fuse = (bool(value.option(option, bool)) for option in ("ignore_merges", "fuse_unk"))
    bytes_of = _byte_tokens(value, vocab)
    unk: str | None = value.option("unk_token", str)
    symbols = symbols_of(vocab, prefix, suffix)
    spelled = around.spelled and not (prefix or suffix) and symbols.issuperset(STAND_INS)
    _check_merged(value, merges, symbols, bytes_of, unk if not spelled else None)
    tokens: dict[str, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        if text in bytes_of and not (whole or text in made):
            continue
        only_decodes = text not in made and text not in symbols
        beside = text in around.special if whole else text in around.added or text == unk
        if not text or (only_decodes and beside):
            hidden[text] = number
        else:
            check_length(value.at("vocab"), text, MOST_BYTES)
            tokens[text] = number
    unk_id = _unk_id(value, unk, vocab, never=spelled or len(bytes_of) == 256)
    byte_ids = [vocab.get(f"<0x{byte:02X}>") for byte in range(256)] if bytes_of else []
    if None in byte_ids and unk_id is None:
        value.at("byte_fallback").fail(
            f"found true, but there is no token <0x{byte_ids.index(None):02X}>, and no unk_token "
            "that would stand for a character with this byte"
        )
    options: dict[str, Any] = {
        "whole": whole,
        "unk_id": unk_id,
        "fuse": fuse,
        "byte_ids": byte_ids,
        "added": {*around.added.values()},
        "most_bytes": MOST_BYTES,
    }
    if prefix or suffix:
        written = Written(value, symbols, prefix)
        written.add_merges(merges)
        texts = {written.token(text): text for text in tokens}
        model = bpe_model(
            {form: tokens[text] for form, text in texts.items()},
            [
                (written.forms[left], written.forms[right])
                for left, right in merges
                if left in written.forms and right in written.forms
            ],
            units=cut_symbols,
            written=lambda form: texts[form].encode(),
            prefix=prefix,
            suffix=suffix,
            **options,
        )
    else:
        model = bpe_model(
            {text.encode(): number for text, number in tokens.items()},
            [(left.encode(), right.encode()) for left, right in merges],
            units=characters,
            **options,
        )
    notes: tuple[str, ...] = ()
    apart = [text for text in hidden if text in around.special]
    if whole and around.normalized and apart:
        notes = (
            f"special tokens are found as they are written: tokenizers also gives {shown(apart[0])}"
            " for a pretoken that the normalizer turns into its text",
        )
    return Vocabulary(model, vocab, hidden, ANY, notes=notes)


def _affix(value: Value, option: str) -> str:
    """Return a prefix or suffix; the empty one is none.

    Raises:
        SourceError: it is longer than an artifact can say.
    """
    affix: str = value.option(option, str) or ""
    if len(affix.encode()) > MAX_AFFIX_BYTES:
        value.at(option).fail(
            f"found {shown(affix)}, of {len(affix.encode())} bytes; {MAX_AFFIX_BYTES} are possible"
        )
    return affix


def _byte_tokens(value: Value, vocab: Collection[str]) -> dict[str, int]:
    """Return the tokens that stand for bytes of unknown characters: text to byte."""
    names = {f"<0x{byte:02X}>": byte for byte in range(256)}
    fallback = value.option("byte_fallback", bool)
    return {text: byte for text, byte in names.items() if fallback and text in vocab}


def _unk_id(value: Value, unk: str | None, vocab: Mapping[str, int], *, never: bool) -> int | None:
    """Return the id of the token for unknown characters; None if they are left out.

    Args:
        value: the model.
        unk: the token.
        vocab: all tokens.
        never: whether no character is ever unknown, so that the token need not be one.

    Raises:
        SourceError: it is no token, and a character may be unknown.
    """
    if unk is None or unk in vocab:
        return None if unk is None else vocab[unk]
    if never:
        return None
    return value.at("unk_token").fail(f"found {shown(unk)}, which is no token of the vocabulary")


def _check_merged(
    value: Value,
    merges: Sequence[Merge],
    symbols: Collection[str],
    bytes_of: Collection[str],
    unk: str | None,
) -> None:
    """Refuse merges with a token that stands for unknown characters, unless it is a symbol.

    Args:
        value: the model.
        merges: the merges.
        symbols: the tokens that are symbols.
        bytes_of: the tokens that stand for bytes of unknown characters.
        unk: the token that stands for unknown characters; None if there are none.

    Raises:
        SourceError: there is such a merge.
    """
    parts = {part for pair in merges for part in pair}
    if unk in parts and len(bytes_of) < 256 and (bytes_of or unk not in symbols):
        value.at("unk_token").fail(f"found {shown(unk)}, which is merged with others")
    if merged := parts & {*bytes_of}:
        value.at("merges").fail(
            f"{shown(min(merged))} stands for a byte, and is merged with others"
        )


def read_merges(value: Value, vocab: Collection[str], prefix: str) -> list[Merge]:
    """Return the merges in order, without the line of the version that old files have.

    Args:
        value: the member "merges".
        vocab: the texts of the tokens.
        prefix: what a merge takes off its right part.

    Raises:
        SourceError: one is not two texts, or a part or the result is no token.
    """
    merges: list[Merge] = []
    for number, raw in enumerate(value.be(list)):
        if isinstance(raw, str) and raw.startswith("#version"):
            continue
        left, right = _read_merge(raw, value, number)
        for text in (left, right, left + right[len(prefix) :]):
            if text not in vocab:
                value.at(number).fail(f"{shown(text)} is no token of the vocabulary")
        merges.append((left, right))
    return merges


def _read_merge(raw: Any, listed: Value, number: int) -> Merge:
    """Return the two texts of a merge.

    Args:
        raw: the merge: a list of both, or a text with a space between them.
        listed: the list of merges, for the message.
        number: its place in the list.

    Raises:
        SourceError: it is neither.
    """
    match raw.split(" ") if isinstance(raw, str) else raw:
        case [str(left), str(right)]:
            return left, right
    return listed.at(number).fail(
        f"found {shown(raw)}, expected two texts, or one with a space between them"
    )


def symbols_of(vocab: Collection[str], prefix: str, suffix: str) -> set[str]:
    """Return the tokens that are one character, with a prefix or a suffix or both or neither.

    Empty affixes count as none.

    Example:
        >>> sorted(symbols_of(["a", "ab", "##a", "b##", "#"], "##", ""))
        ['#', '##a', 'a']
    """
    found: set[str] = set()
    for before, after in product({"", prefix}, {"", suffix}):
        size = len(before) + 1 + len(after)
        found |= {
            text
            for text in vocab
            if len(text) == size and text.startswith(before) and text.endswith(after)
        }
    return found


class Written:
    """Tokens of a model with affixes, written as the symbols that they are made of.

    A merge takes the prefix off its right part, so texts do not tell what they are made of. In this
    form the symbols stand one after another, each with `END` behind it.

    Attributes:
        forms: the forms of the symbols, and of what merges make of them; no others have one.
    """

    def __init__(self, value: Value, symbols: Collection[str], prefix: str) -> None:
        """Begin with the symbols.

        Args:
            value: the model, for messages.
            symbols: the texts of the symbols.
            prefix: what a merge takes off its right part.
        """
        self._value, self._prefix = value, prefix
        self.forms = {symbol: symbol.encode() + END for symbol in symbols}

    def add_merges(self, merges: Sequence[Merge]) -> None:
        """Add the forms of what merges make. A part may be made by a merge after it.

        Raises:
            SourceError: a token is made of symbols in two ways.
        """
        left = list(merges)
        while later := [pair for pair in left if not self._add(pair)]:
            if len(later) == len(left):  # these have parts that nothing makes
                return
            left = later

    def _add(self, pair: Merge) -> bool:
        """Add the form of what a merge makes; return whether its parts have forms.

        Raises:
            SourceError: the token has another form already.
        """
        parts = [self.forms.get(text) for text in pair]
        if parts[0] is None or parts[1] is None:
            return False
        text = pair[0] + pair[1][len(self._prefix) :]
        if self.forms.setdefault(text, parts[0] + parts[1]) != parts[0] + parts[1]:
            self._refuse(text)
        return True

    def _refuse(self, text: str) -> NoReturn:
        """Raise SourceError for a token that merges make in two ways."""
        option = "continuing_subword_prefix" if self._prefix else "end_of_word_suffix"
        affix = self._value.raw[option]
        self._value.at(option).fail(
            f"found {shown(affix)}; its token {shown(text)} is made in two ways, and an artifact "
            "has one for each"
        )

    def token(self, text: str) -> bytes:
        """Return the form of a token; that of one without a form is not that of any symbols."""
        return self.forms.get(text) or END + text.encode() + END


def cut_symbols(form: bytes) -> Sequence[bytes]:
    """Return the symbols of a token's form, each with `END` behind it."""
    return [each + END for each in form.split(END)[:-1]]
