"""The methods of `Tokenizer` that turn ids into text."""

from __future__ import annotations

import codecs
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import partial
from itertools import accumulate, chain
from operator import index, itemgetter
from typing import Any, TypeVar

from wwho.backends.backend import Backend
from wwho.tokenizer.open_model import OpenModel

_In = TypeVar("_In")
_Out = TypeVar("_Out")

WORTH_A_THREAD = 2000
"""Ids: to hand a shorter list to a thread takes longer than to decode it."""
FEW_TOKENS = 40
"""Tokens: joining the bytes of fewer takes less time than a call of the core."""

CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
"""Bytes that begin no character in UTF-8."""
REPLACEMENT = "\ufffd".encode()
SCRIPT_SYMBOLS = re.compile(rb"(?:[\xf5-\xff][\x02-\xf1])+")
"""Text as SCRIPT spells it: two such symbols, so four bytes, for each character (`Pairs`)."""


class TokenTexts(list[Any]):
    """The bytes of the tokens of one model by id, each asked of the backend when first needed.

    An entry is None until its token was needed. The list is empty at first; then it has twice as
    many entries as there are ids, of which the second half stays None: that is where negative
    numbers lead, which must not find a token.

    It is a list and not a dict, in which 1.0 would be found as 1.
    """

    def __init__(self, backend: Backend) -> None:
        """Begin with an empty list; `texts_of` gives it its size."""
        super().__init__()
        self._backend = backend

    def texts_of(self, tokens: Iterable[int]) -> list[bytes]:
        """Return the bytes of each of some tokens, and remember them.

        Raises:
            UnknownTokenError: an id is not in the vocabulary.
            TypeError: an id is no integer.
        """
        if not self:
            self.extend([None] * (2 * self._backend.info.n_vocab))
        ids = list(map(index, tokens))
        for token in ids:
            if not 0 <= token < len(self) or self[token] is None:
                # Ids in the second half are unknown, too: then this raises.
                text = self._backend.token_bytes(token)
                self[token] = text
        return [self[token] for token in ids]


class DecodeMethods(OpenModel):
    """The methods of a tokenizer that turn ids into text.

    They remember the bytes of each token that they have met: some 60 bytes of memory for each,
    12 MB for all of o200k_base, and a list of 16 bytes for each id, made at the first call.
    """

    __slots__ = ()
    _texts: TokenTexts
    _joined: Sequence[bytes | None]
    """`_texts` itself, or () for a model with a decoder, which does not simply join the texts."""

    def decode(
        self,
        tokens: Sequence[int],
        errors: str = "replace",
        *,
        skip_special_tokens: bool = False,
        like_tokenizers: bool = False,
    ) -> str:
        """Return the text of some tokens.

        Tokens can end within a character, so their bytes need not be UTF-8. Where a model has a
        decoder, it may change the text of a token by those beside it.

        Args:
            tokens: ids; a list, a tuple or an array of numpy is quickest.
            errors: what becomes of bytes that are not UTF-8, as for `bytes.decode`; as a rule,
                they become U+FFFD.
            skip_special_tokens: whether special tokens are left out.
            like_tokenizers: whether added tokens of a byte-level model that comes from a
                tokenizer.json, such as "Café", decode to the bytes that `tokenizers` makes of them,
                which are no text; otherwise to their texts.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.
            ValueError: with `like_tokenizers`, the model comes from no tokenizer.json.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode([24912, 2375])
            'hello world'
        """
        # The quick way for a short text of tokens that were met before: one more call, even that
        # of `decode_bytes`, would be felt.
        try:
            if skip_special_tokens or like_tokenizers:
                pass
            elif 1 < len(tokens) < FEW_TOKENS:
                return b"".join(itemgetter(*tokens)(self._joined)).decode("utf-8", errors)
            elif len(tokens) == 1 and (text := self._joined[tokens[0]]) is not None:
                return str(text, "utf-8", errors)
        except (TypeError, IndexError):
            pass  # A token was not met yet, or is no id, or `tokens` is no sequence.
        data = self.decode_bytes(
            tokens, skip_special_tokens=skip_special_tokens, like_tokenizers=like_tokenizers
        )
        return data.decode("utf-8", errors)

    def decode_bytes(
        self,
        tokens: Sequence[int],
        *,
        skip_special_tokens: bool = False,
        like_tokenizers: bool = False,
    ) -> bytes:
        """Return the bytes of some tokens, joined as the model's decoder joins them.

        Args:
            tokens: ids.
            skip_special_tokens: whether special tokens are left out.
            like_tokenizers: as for `decode`.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            TypeError: an id is no integer.
            ValueError: with `like_tokenizers`, the model comes from no tokenizer.json.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_bytes([24912, 2375])
            b'hello world'
        """
        if like_tokenizers:
            peer = self._with_peer_bytes()
            return peer.decode_bytes(tokens, skip_special_tokens=skip_special_tokens)
        if skip_special_tokens:
            return self._backend.decode_part(_id_list(tokens), True, False, False)[0]
        if self._has_no_decoder and isinstance(tokens, (list, tuple)) and len(tokens) < FEW_TOKENS:
            return b"".join(self.decode_tokens_bytes(tokens))
        return self._backend.decode(_id_list(tokens))

    @abstractmethod
    def _with_peer_bytes(self) -> DecodeMethods:
        """Return the tokenizer whose added tokens decode as `tokenizers` decodes them.

        Raises:
            ValueError: the model comes from no tokenizer.json.
        """

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each of some tokens on its own, before any decoder.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            TypeError: an id is no integer.

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
            pass  # One is no id, or no integer: `texts_of` raises the right error.
        return self._texts.texts_of(tokens)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token, which may be a special token.

        A token of a model that spells characters with SCRIPT's symbols has the bytes of its text,
        unless it begins or ends within a character: then it has those of its symbols.

        Raises:
            UnknownTokenError: the id is not in the vocabulary (also a KeyError).
            TypeError: the id is no integer.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_single_token_bytes(24912)
            b'hello'
        """
        text = self._texts.texts_of((token,))[0]
        if self._has_no_decoder or not SCRIPT_SYMBOLS.fullmatch(text):
            return text
        decoded = self.decode_bytes([token])
        n_characters = len(decoded.decode("utf-8", "replace"))
        is_cut = REPLACEMENT in decoded and 4 * n_characters != len(text)
        return text if is_cut else decoded

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text of some tokens, and where in it each token begins.

        Returns:
            text: the text, which must be UTF-8.
            offsets: for each token the index of the first code point that has bytes of it. Of a
                model whose decoder changes texts, it is how many code points there were when the
                token came to be decoded.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: the bytes are not UTF-8; nothing is replaced here.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_with_offsets([24912, 2375])
            ('hello world', [0, 5])
        """
        if not self._has_no_decoder:
            return self._decode_in_parts_with_offsets(tokens)
        texts = self.decode_tokens_bytes(tokens)
        text = b"".join(texts).decode("utf-8", "strict")
        # Characters that have begun before each token, but for the first.
        begun = accumulate(len(each.translate(None, CONTINUATION_BYTES)) for each in texts[:-1])
        # A token that begins within a character touches the one that has begun.
        is_within = (0x80 <= each[0] < 0xC0 for each in texts)
        offsets = [n - within for n, within in zip(chain((0,), begun), is_within, strict=False)]
        return text, offsets

    def _decode_in_parts_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return what `decode_with_offsets` does, for a model whose decoder changes texts.

        All tokens that the decoder joins to one part begin where the part begins; offsets are in
        code points.
        """
        parts = list(self._decoded_parts(tokens, skip_special_tokens=False))
        text = b"".join(part for part, _ in parts)
        # For each byte place, how many characters have begun before it.
        begun = [0, *accumulate(byte not in CONTINUATION_BYTES for byte in text)]
        part_starts = accumulate((len(part) for part, _ in parts), initial=0)
        offsets = [
            begun[start]
            for (_, n_tokens), start in zip(parts, part_starts, strict=False)
            for _ in range(n_tokens)
        ]
        return text.decode("utf-8", "strict"), offsets

    def decode_stream(
        self, tokens: Iterable[int], errors: str = "replace", *, skip_special_tokens: bool = False
    ) -> Iterator[str]:
        """Yield the text of tokens that come one by one, in parts that joined are that of `decode`.

        A part ends between two characters: bytes of an incomplete one wait for the next token.

        Args:
            tokens: ids; each is taken only when the next part is asked for.
            errors: as for `decode`.
            skip_special_tokens: as for `decode`.

        Yields:
            Parts of the text, none of them empty. A decoder may have to wait for tokens that come
            later: that of a CTC model gives everything at the end.

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
        for data, _ in self._decoded_parts(tokens, skip_special_tokens):
            if part := decoder.decode(data):
                yield part
        if rest := decoder.decode(b"", final=True):
            yield rest

    @property
    def _has_no_decoder(self) -> bool:
        """Whether the text of any tokens is simply their bytes joined."""
        return self._backend.info.decoder == "none"

    def _decoded_parts(
        self, tokens: Iterable[int], skip_special_tokens: bool
    ) -> Iterator[tuple[bytes, int]]:
        """Yield the text of tokens in parts, each with the number of tokens that it is the text of.

        The next token is taken only when the parts that are complete have been yielded. A part may
        be empty, and a part of no tokens may come for a token that waits for the next one.
        """
        if self._has_no_decoder and not skip_special_tokens:
            yield from ((self._texts.texts_of((token,))[0], 1) for token in tokens)
            return
        needs_all_tokens = self._backend.info.decoder == "whole"
        waiting: list[int] = []
        has_text_before = False
        for token in tokens:
            waiting.append(token)
            if not needs_all_tokens:
                part, n_read = self._backend.decode_part(
                    waiting, skip_special_tokens, has_text_before, True
                )
                del waiting[:n_read]
                has_text_before = has_text_before or bool(part)
                yield part, n_read
        rest, _ = self._backend.decode_part(waiting, skip_special_tokens, has_text_before, False)
        yield rest, len(waiting)

    def decode_batch(
        self,
        batch: Iterable[Sequence[int]],
        *,
        errors: str = "replace",
        skip_special_tokens: bool = False,
        like_tokenizers: bool = False,
        num_threads: int = 8,
    ) -> list[str]:
        """Return the text of each of several lists of tokens.

        Args:
            batch: lists of ids.
            errors: as for `decode`.
            skip_special_tokens: as for `decode`.
            like_tokenizers: as for `decode`.
            num_threads: how many threads share the lists, if these are long enough to gain by it.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).
            UnicodeDecodeError: with errors="strict", the bytes are not UTF-8.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_batch([[24912], [2375]])
            ['hello', ' world']
        """
        decode = partial(
            self.decode,
            errors=errors,
            skip_special_tokens=skip_special_tokens,
            like_tokenizers=like_tokenizers,
        )
        return _map_with_threads(decode, batch, num_threads)

    def decode_bytes_batch(
        self, batch: Iterable[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """Return the bytes of each of several lists of tokens, as `decode_bytes` does.

        Raises:
            UnknownTokenError: an id is not in the vocabulary (also a KeyError).

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").decode_bytes_batch([[24912], [2375]])
            [b'hello', b' world']
        """
        return _map_with_threads(self.decode_bytes, batch, num_threads)


def _id_list(tokens: Sequence[int]) -> Sequence[int]:
    """Return ids as a list or tuple of `int`; arrays of numpy are converted at once."""
    if isinstance(tokens, (list, tuple)):
        return tokens
    to_list: Callable[[], list[int]] | None = getattr(tokens, "tolist", None)
    return to_list() if to_list else list(tokens)


def _map_with_threads(
    function: Callable[[_In], _Out], items: Iterable[_In], num_threads: int
) -> list[_Out]:
    """Return what a function makes of each item, in the order of the items.

    Threads share the items if these are long enough on average, `WORTH_A_THREAD`; otherwise the
    calling thread does them all.
    """
    items = list(items)
    total = sum(len(item) for item in items if isinstance(item, Sized))
    from concurrent.futures import ThreadPoolExecutor  # slow to import, seldom used

    with ThreadPoolExecutor(num_threads) as executor:
        is_worth_it = total >= WORTH_A_THREAD * len(items)
        return list((executor.map if is_worth_it else map)(function, items))
