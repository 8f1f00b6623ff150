"""WordPiece: the longest token with which the rest of a piece begins, and so on to its end.

Options:
    vocab: the tokens: text to id.
    unk_token: what stands for a piece that is not made of tokens, or is too long.
    continuing_subword_prefix: what tokens have in front of them that do not begin a piece.
    max_input_chars_per_word: how many characters a piece may have.

Example:
    >>> from wwho.importers.huggingface.examples import tokenize
    >>> options = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    >>> vocab = {"un": 0, "##able": 1, "[UNK]": 2}
    >>> tokenize({"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]", **options}, "unable")
    [0, 1]
"""

from __future__ import annotations

from collections.abc import Mapping

from wwho.format.greedy import Greedy
from wwho.format.model import Ids, Unknown
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import (
    Around,
    Vocabulary,
    check_length,
    read_vocab,
)
from wwho.importers.source import shown

MOST_CHARACTERS = 0xFFFF_FFFE
"""The highest limit of characters that an artifact can state."""


def read(value: Value, _: Around) -> Vocabulary:
    """Return the `Vocabulary` of a WordPiece: a longest match, all tokens, and the hidden ones.

    A token with the prefix may begin a piece, too: one in whose text the prefix stands. An empty
    token is hidden: it only decodes. A limit of 0 characters is one of 1 in the artifact, and
    hides the tokens of one character, so that every piece is unknown, as it is with the limit 0. A
    limit above `MOST_CHARACTERS` becomes that.

    Args:
        value: the member "model" of a tokenizer.json.

    Raises:
        SourceError: an option has no valid value, such as a negative limit; the unknown token is
            none of the vocabulary; or no token is one that a text may become.
    """
    prefix, unk = value.text("continuing_subword_prefix"), value.text("unk_token")
    limit = value.number("max_input_chars_per_word")
    if not 0 <= limit < 1 << 64:
        value.at("max_input_chars_per_word").fail(
            f"found {shown(limit)}, expected 0 to {(1 << 64) - 1}"
        )
    vocab = read_vocab(value.at("vocab"))
    first: dict[bytes, int] = {}
    later: dict[bytes, int] = {}
    hidden: dict[str, int] = {}
    for text, number in vocab.items():
        data = check_length(value.at("vocab"), text)
        # With a limit of 0 characters no piece is a token, and the model's is 1.
        if not text or (not limit and len(text) == 1):
            hidden[text] = number
            continue
        first[data] = number
        if prefix and text.startswith(prefix) and text != prefix:
            later[data.removeprefix(prefix.encode())] = number
    # No piece has as many characters as the format's field can count.
    limit = min(limit, MOST_CHARACTERS) or 1
    model = longest_match(value, first, later if prefix else None, vocab, unk, limit)
    return Vocabulary(model, vocab, hidden, continuing=prefix)


def longest_match(
    value: Value,
    first: Mapping[bytes, int],
    later: Mapping[bytes, int] | None,
    vocab: Mapping[str, int],
    unk: str,
    limit: int | None,
) -> Greedy:
    """Return the model of these tokens, whose ids are stated.

    Args:
        value: the model, for messages.
        first: the tokens that may begin a piece: text to id.
        later: those that may continue one; None: any may.
        vocab: all tokens of the file.
        unk: the token for an unknown piece.
        limit: how many characters a piece may have, at least 1; None: as many as it has.

    Raises:
        SourceError: there is no such unknown token, or no token at all.
    """
    if unk not in vocab:
        value.at("unk_token").fail(
            f"found {shown(unk)}, which is no token of the vocabulary; unknown words need one"
        )
    ids_later = later or {}
    firsts = sorted(first, key=first.__getitem__)
    laters = sorted(ids_later, key=ids_later.__getitem__)
    stated = [first[text] for text in firsts] + [ids_later[text] for text in laters]
    if not stated:
        value.at("vocab").fail("no token is one that a text may become")
    return Greedy(
        first=tuple(firsts),
        later=None if later is None else tuple(laters),
        max_characters=limit,
        first_id=min(stated),
        id_policy=Ids.STATED,
        stated=tuple(stated),
        unknown=Unknown.ID,
        unk_id=vocab[unk],
    )
