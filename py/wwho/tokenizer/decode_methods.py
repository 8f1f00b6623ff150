"""Ids to text: the part of a tokenizer that decodes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import partial
from itertools import accumulate, chain
from operator import index, itemgetter
from typing import Any, TypeVar

from wwho.backends.backend import Backend
from wwho.tokenizer.open_model import Opened

_In = TypeVar("_In")
_Out = TypeVar("_Out")

WORTH_A_THREAD = 2000
"""Characters, bytes or ids: to hand over a shorter text takes longer than to encode it."""
SHORT = 40
"""Tokens: joining the bytes of fewer takes less time than a call of the core."""

CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes that begin no character."""
REPLACEMENT = "\ufffd".encode()
SYMBOLS = re.compile(rb"(?:[\xf5-\xff][\x02-\xf1])+")
"""What is spelled with the symbols of `wwho.format.rewriting.Pairs`."""


class TokenTexts(list[Any]):
    """The bytes of tokens by id; None for one that was not met yet, as for all after the ids.

    A list and not a dict, in which 1.0 would be found as 1. There are as many places after the ids
    as before: those are where negative numbers lead.
    """

    def __init__(self, backend: Backend) -> None:
        """Begin with nothing; the places come with the first token."""
        super().__init__()
        self._backend = backend

    def of(self, tokens: Iterable[int]) -> list[bytes]:
        """The bytes of some tokens, which are met now if they were not before.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
            TypeError: one is no integer.
        """
        if not self:
            self.extend([None] * (2 * self._backend.info.n_vocab))
        numbers = list(map(index, tokens))
        for token in numbers:
            if not 0 <= token < len(self) or self[token] is None:
                text = self._backend.token_bytes(token)
                self[token] = text
        return [self[number] for number in numbers]


class Decoding(Opened):
    """The methods of a tokenizer that make text of ids.

    They keep the bytes of each token that they have met: some 60 bytes of memory for each, 12 MB
    for all of o200k_base, and a list of 16 bytes for each id, made at the first text.
    """

    __slots__ = ()
    _texts: TokenTexts
    _joined: Sequence[bytes | None]
    """The same texts, or nothing where they do not simply join."""

    def decode(
        self, tokens: Sequence[int], errors: str = "replace", *, skip_special_tokens: bool = False
    ) -> str:
        """The text of some tokens.

        Tokens can end within a character, so their bytes need not be UTF-8.

        Args:
            tokens: ids.
            errors: what becomes of bytes that are not UTF-8, as for `bytes.decode`.
            skip_special_tokens: whether special tokens are left out.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode([24912, 2375])
            'hello world'
        """
        # A short text of tokens that were met before: a call more would be felt.
        try:
            if skip_special_tokens:
                pass
            elif 1 < len(tokens) < SHORT:
                return b"".join(itemgetter(*tokens)(self._joined)).decode("utf-8", errors)
            elif len(tokens) == 1 and (text := self._joined[tokens[0]]) is not None:
                return str(text, "utf-8", errors)
        except (TypeError, IndexError):
            pass  # one was not met yet, or it is none, or no sequence of ids
        data = self.decode_bytes(tokens, skip_special_tokens=skip_special_tokens)
        return data.decode("utf-8", errors)

    def decode_bytes(self, tokens: Sequence[int], *, skip_special_tokens: bool = False) -> bytes:
        """The bytes of some tokens, joined as the model's decoder joins them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_bytes([24912, 2375])
            b'hello world'
        """
        if skip_special_tokens:
            return self._backend.decode_part(_id_list(tokens), True, False, False)[0]
        if self._joins and isinstance(tokens, (list, tuple)) and len(tokens) < SHORT:
            return b"".join(self.decode_tokens_bytes(tokens))
        return self._backend.decode(_id_list(tokens))

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each of some tokens, before any decoder.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_tokens_bytes([24912, 2375])
            [b'hello', b' world']
        """
        try:
            texts = list(map(self._texts.__getitem__, tokens))
            if None not in texts:
                return texts
        except (TypeError, IndexError):
            pass  # one is none, or no integer: the error is raised below
        return self._texts.of(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special tokens among them.

        A token that is spelled with SCRIPT's symbols has the bytes of its text, unless it begins or
        ends within a character: then they are the symbols.

        Raises:
            UnknownTokenError: the id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_single_token_bytes(24912)
            b'hello'
        """
        text = self._texts.of((token,))[0]
        if self._joins or not SYMBOLS.fullmatch(text):
            return text
        joined = self.decode_bytes([token])
        n_characters = len(joined.decode("utf-8", "replace"))
        return text if REPLACEMENT in joined and 4 * n_characters != len(text) else joined

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of some tokens, and where each begins.

        Returns:
            The text, and for each token the index of the first code point that has bytes of it. Of
            a model whose decoder changes texts, it is the index at which the text was when the
            token came to be decoded.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: the bytes are not UTF-8.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_with_offsets([24912, 2375])
            ('hello world', [0, 5])
        """
        if not self._joins:
            return self._decoded_with_offsets(tokens)
        texts = self.decode_tokens_bytes(tokens)
        text = b"".join(texts).decode("utf-8", "strict")
        begun = accumulate(len(each.translate(None, CONTINUATION)) for each in texts[:-1])
        # What begins within a character touches the one that has begun.
        within = (0x80 <= each[0] < 0xC0 for each in texts)
        return text, [n - inside for n, inside in zip(chain((0,), begun), within, strict=False)]

    def _decoded_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        parts = list(self._parts(tokens, False))
        text = b"".join(part for part, _ in parts)
        begun = [0, *accumulate(byte not in CONTINUATION for byte in text)]
        ends = accumulate((len(part) for part, _ in parts), initial=0)
        places = [begun[end] for (_, n), end in zip(parts, ends, strict=False) for _ in range(n)]
        return text.decode("utf-8", "strict"), places

    def decode_stream(
        self, tokens: Iterable[int], errors: str = "replace", *, skip_special_tokens: bool = False
    ) -> Iterator[str]:
        """What `decode` gives, in parts, of tokens that come one by one.

        A part ends between two characters: bytes of an incomplete one wait for the next token.

        Args:
            tokens: ids; each is taken when its part is asked for.
            errors: as for `decode`.
            skip_special_tokens: as for `decode`.

        Yields:
            Parts of the text, none of them empty. A decoder may have to wait for tokens that come
            later: of a CTC model, all there is comes at the end.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("cl100k_base")
            >>> enc.encode("so 👍")
            [708, 62904, 235]
            >>> list(enc.decode_stream(iter([708, 62904, 235])))
            ['so', ' ', '👍']
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        for data, _ in self._parts(tokens, skip_special_tokens):
            if part := decoder.decode(data):
                yield part
        if rest := decoder.decode(b"", final=True):
            yield rest

    @property
    def _joins(self) -> bool:
        """Whether the text of tokens is their texts, joined."""
        return self._backend.info.decoder == "none"

    def _parts(self, tokens: Iterable[int], skip: bool) -> Iterator[tuple[bytes, int]]:
        """Bytes of a text, and how many tokens they are the text of."""
        if self._joins and not skip:
            yield from ((self._texts.of((token,))[0], 1) for token in tokens)
            return
        whole = self._backend.info.decoder == "whole"
        held: list[int] = []
        begun = False
        for token in tokens:
            held.append(token)
            if not whole:
                text, read = self._backend.decode_part(held, skip, begun, True)
                del held[:read]
                begun = begun or bool(text)
                yield text, read
        yield self._backend.decode_part(held, skip, begun, False)[0], len(held)

    def decode_batch(
        self,
        batch: Iterable[Sequence[int]],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        num_threads: int = 8,
    ) -> list[str]:
        """The text of each of several lists of tokens; arguments and errors as for `decode`.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_batch([[24912], [2375]])
            ['hello', ' world']
        """
        decode = partial(self.decode, errors=errors, skip_special_tokens=skip_special_tokens)
        return _map(decode, batch, num_threads)

    def decode_bytes_batch(
        self, batch: Iterable[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """The bytes of each of several lists of tokens.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_bytes_batch([[24912], [2375]])
            [b'hello', b' world']
        """
        return _map(self.decode_bytes, batch, num_threads)


def _id_list(tokens: Sequence[int]) -> Sequence[int]:
    """Ids as a list or tuple; arrays of numpy become lists of int."""
    if isinstance(tokens, (list, tuple)):
        return tokens
    to_list: Callable[[], list[int]] | None = getattr(tokens, "tolist", None)
    return to_list() if to_list else list(tokens)


def _map(function: Callable[[_In], _Out], items: Iterable[_In], num_threads: int) -> list[_Out]:
    """What the function makes of each item; by several threads, where the items are long enough."""
    items = list(items)
    total = sum(len(item) for item in items if isinstance(item, Sized))
    from concurrent.futures import ThreadPoolExecutor  # slow to import, seldom used

    with ThreadPoolExecutor(num_threads) as executor:
        long = total >= WORTH_A_THREAD * len(items)
        return list((executor.map if long else map)(function, items))
