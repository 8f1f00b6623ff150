"""Structured output with a `WWHOTokenizer`: for llguidance, xgrammar and outlines.

These libraries let a language model write only what follows a JSON schema or a grammar. They ask
for the bytes of each token; for what else each asks, there is a function. Special tokens, and ids
that no token has, never stand for text.

Example:
    >>> from wwho.hf import WWHOTokenizer
    >>> tokenizer = WWHOTokenizer("wwho_328k")
    >>> token_bytes(tokenizer)[240086].decode()
    'ගමේ'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from wwho.errors import ExportError
from wwho.hf.pretrained_tokenizer import WWHOTokenizer
from wwho.tokenizer import Tokenizer

if TYPE_CHECKING:
    from llguidance import LLTokenizer
    from outlines_core import Vocabulary
    from xgrammar import TokenizerInfo


def token_bytes(tokenizer: WWHOTokenizer, n_ids: int | None = None) -> list[bytes]:
    """Return the bytes that each token stands for within a text; the index is the id.

    They are empty for special tokens, and for ids that no token has.

    Args:
        tokenizer: the tokenizer, with the tokens that were added to it.
        n_ids: how many ids the language model has: its logits, which are often padded. Tokens from
            that id on are left out. None for `len(tokenizer)`.

    Raises:
        ExportError: tokens of the model have no bytes of their own, because its decoder looks at
            those beside them, as that of speech does.
        ValueError: `n_ids` is less than 1.
    """
    if n_ids is not None and n_ids < 1:
        raise ValueError(f"n_ids is {n_ids}; it must be at least 1")
    enc = tokenizer._reader.enc
    info = enc.info
    if info.decoder == "whole":
        raise ExportError(
            f"{enc.name}: its decoder needs all tokens of a text before it can tell the text of "
            "one; structured output needs tokens that have bytes of their own, such as those of "
            "BPE"
        )
    special = {id for id, token in tokenizer.added_tokens_decoder.items() if token.special}
    of_models = {id for number in range(len(info.models)) for id in info.model_ids(number)}
    ids = sorted((of_models | {token.id for token in info.added}) - special)
    size = len(tokenizer) if n_ids is None else n_ids
    texts = [b""] * max(size, len(tokenizer), enc.n_vocab)
    for id, text in zip(ids, enc.decode_tokens_bytes(ids), strict=True):
        texts[id] = text if info.decoder == "none" else _bytes_within_text(enc, id, text)
    return texts[:size]


def _bytes_within_text(enc: Tokenizer, token: int, text: bytes) -> bytes:
    """Return what a model with a decoder writes for a token behind others.

    Args:
        enc: the model, whose decoder needs no later tokens.
        token: the id.
        text: the token's bytes before the decoder.
    """
    # Alone, a token of a byte becomes U+FFFD.
    is_part_of_character = len(text) == 1 and text[0] >= 0x80
    return (
        text if is_part_of_character else enc._backend.decode_part([token], False, True, False)[0]
    )


def llguidance_tokenizer(
    tokenizer: WWHOTokenizer,
    *,
    n_ids: int | None = None,
    stop_ids: Sequence[int] | None = None,
    slices: Sequence[str] | None = None,
) -> LLTokenizer:
    """Return a tokenizer for llguidance, which is to be kept: making it takes about a second.

    A grammar may name a special token, as in `<|endoftext|>`.

    Args:
        tokenizer: the tokenizer.
        n_ids: how many ids the language model has; None for `len(tokenizer)`.
        stop_ids: the tokens that end a text; None for the `eos_token` alone.
        slices: as for `llguidance.LLTokenizer`; None for its own.

    Raises:
        ExportError: as for `token_bytes`.
        ModuleNotFoundError: llguidance is not installed.
        ValueError: there is no `eos_token`, and `stop_ids` is not given; or a token that ends a
            text is none of the language model's, or `n_ids` is less than 1.
    """
    from llguidance import LLTokenizer, TokenizerWrapper

    stop = _stop_ids(tokenizer, stop_ids, n_ids)
    return LLTokenizer(
        TokenizerWrapper(_Encoder(tokenizer, n_ids, stop)),
        n_vocab=n_ids,
        eos_token=stop,
        slices=None if slices is None else list(slices),
    )


def xgrammar_tokenizer_info(
    tokenizer: WWHOTokenizer, *, n_ids: int | None = None, stop_ids: Sequence[int] | None = None
) -> TokenizerInfo:
    """Return what `xgrammar.GrammarCompiler` takes.

    Args:
        tokenizer: the tokenizer.
        n_ids: how many ids the language model has; None for `len(tokenizer)`.
        stop_ids: the tokens that end a text; None for the `eos_token` alone.

    Raises:
        ExportError: as for `token_bytes`.
        ModuleNotFoundError: xgrammar, or PyTorch, which it needs, is not installed.
        ValueError: there is no `eos_token`, and `stop_ids` is not given; or a token that ends a
            text is none of the language model's, or `n_ids` is less than 1.
    """
    from xgrammar import TokenizerInfo, VocabType

    return TokenizerInfo(
        token_bytes(tokenizer, n_ids),
        VocabType.RAW,
        stop_token_ids=_stop_ids(tokenizer, stop_ids, n_ids),
    )


def outlines_vocabulary(tokenizer: WWHOTokenizer, *, n_ids: int | None = None) -> Vocabulary:
    """Return the vocabulary of which `outlines_core.Index` makes an index for a pattern.

    Args:
        tokenizer: the tokenizer, whose `eos_token` ends a text.
        n_ids: how many ids the language model has; None for `len(tokenizer)`.

    Raises:
        ExportError: as for `token_bytes`.
        ModuleNotFoundError: outlines_core is not installed.
        ValueError: there is no `eos_token`, or it is none of the language model's; or `n_ids` is
            less than 1.
    """
    from outlines_core import Vocabulary

    (stop,) = _stop_ids(tokenizer, None, n_ids)
    ids_of_bytes: dict[bytes, list[int]] = {}
    for id, text in enumerate(token_bytes(tokenizer, n_ids)):
        if text and id != stop:
            ids_of_bytes.setdefault(text, []).append(id)
    return Vocabulary(stop, ids_of_bytes)


def _stop_ids(
    tokenizer: WWHOTokenizer, given: Sequence[int] | None, n_ids: int | None
) -> list[int]:
    """Return the tokens that end a text: those given, or else the `eos_token`.

    Raises:
        ValueError: there is neither; or one is none of the `n_ids` ids of the language model.
    """
    ids = [tokenizer.eos_token_id] if given is None else list(given)
    if not ids or None in ids:
        raise ValueError(
            "structured output needs a token that ends a text, and this tokenizer has no "
            "eos_token: give it one (eos_token='...')"
        )
    size = len(tokenizer) if n_ids is None else n_ids
    for id in ids:
        if not 0 <= id < size:
            raise ValueError(
                f"the token {id} is to end a text, and the language model has the ids 0 to "
                f"{size - 1}: give stop_ids, or the right n_ids"
            )
    return ids


class _Encoder:
    """A tokenizer as `llguidance.TokenizerWrapper` takes it; the attributes' names are its own.

    Attributes:
        tokens: the bytes of each token by id; those of a special token are its text.
        special_token_ids: ids that stand for no text.
        eos_token_id: the token that ends a text.
        bos_token_id: the token that begins one; None for none.
    """

    def __init__(self, tokenizer: WWHOTokenizer, n_ids: int | None, stop: Sequence[int]) -> None:
        """Take the bytes of a tokenizer's tokens.

        Raises:
            ExportError: as for `token_bytes`.
        """
        self._enc = tokenizer._reader.enc
        self.tokens = token_bytes(tokenizer, n_ids)
        self.special_token_ids = [id for id, text in enumerate(self.tokens) if not text]
        for id, token in tokenizer.added_tokens_decoder.items():
            if token.special and id < len(self.tokens):
                self.tokens[id] = token.content.encode()
        self.eos_token_id = stop[0]
        self.bos_token_id = tokenizer.bos_token_id if tokenizer.bos_token else None

    def __call__(self, text: bytes) -> list[int]:
        """Return the ids of a text whose tokens have exactly its bytes; no special tokens.

        They are those of the model. If it changes the text, as by a space before it or by NFC, or
        if the language model lacks one of them, they are the longest tokens from left to right.

        Raises:
            ExportError: no token begins with a byte of the text.
        """
        ids = self._enc.encode_ordinary(text)
        is_known = max(ids, default=0) < len(self.tokens)
        if is_known and b"".join(map(self.tokens.__getitem__, ids)) == text:
            return ids
        ids, start = [], 0
        while start < len(text):
            ends = range(min(len(text), start + self._longest), start, -1)
            end = next((end for end in ends if text[start:end] in self._ids), None)
            if end is None:
                raise ExportError(f"no token of {self._enc.name} begins with {text[start:]!r}")
            ids.append(self._ids[text[start:end]])
            start = end
        return ids

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        """The id of each text that a token has, which is not special."""
        special = set(self.special_token_ids)
        return {text: id for id, text in enumerate(self.tokens) if id not in special}

    @cached_property
    def _longest(self) -> int:
        """The length of the longest token that is not special, in bytes; 0 without tokens."""
        return max(map(len, self._ids), default=0)
