"""The methods of `Tokenizer` that count the tokens of a text without listing them."""

from __future__ import annotations

from operator import index

from wwho.backends.backend import MAX_LENGTH
from wwho.text import Text, Unk
from wwho.tokenizer.open_model import OpenModel
from wwho.tokenizer.special_tokens import Allowed


class CountMethods(OpenModel):
    """The methods of a tokenizer that count the tokens of a text."""

    __slots__ = ()

    def count(
        self,
        text: Text,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int:
        """Return how many tokens `encode` gives for the same arguments, without making a list.

        Raises:
            SpecialTokenError: the text spells a disallowed special token.
            TypeError: as for `encode`.
            ValueError: as for `encode`.

        Example:
            >>> import wwho
            >>> wwho.get_encoding("o200k_base").count("hello world")
            2
        """
        unk_as_token = unk != "spell" and self._unk_as_token(unk)
        data: Text
        mask: bytes | None
        if allowed_special or disallowed_special or self._disallowed:
            data, mask = self._bytes_and_mask(text, allowed_special, disallowed_special)
        else:
            data, mask = text, None
        n_tokens = self._backend.count(data, mask, unk_as_token, MAX_LENGTH)
        if pair is not None:
            data, mask = self._bytes_and_mask(pair, allowed_special, disallowed_special)
            n_tokens += self._backend.count(data, mask, unk_as_token, MAX_LENGTH)
        elif not add_special_tokens:
            return n_tokens
        return n_tokens + self._template.n_special(pair is not None, add_special_tokens)

    def count_till_limit(
        self,
        text: Text,
        limit: int,
        pair: Text | None = None,
        *,
        add_special_tokens: bool = False,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Allowed | None = None,
        unk: Unk = "spell",
    ) -> int | None:
        """Return how many tokens `encode` gives if there are at most `limit`, otherwise None.

        Counting stops soon after the limit; only a long run of one script, or one long word, is
        read to its end. Disallowed special tokens are looked for in the whole text all the same.
        Arguments but the limit are as for `encode`.

        Raises:
            TypeError: the limit is no whole number, or as for `encode`.
            ValueError: the limit is negative, or as for `encode`.
            SpecialTokenError: the text spells a disallowed special token.

        Example:
            >>> import wwho
            >>> enc = wwho.get_encoding("o200k_base")
            >>> enc.count_till_limit("hello world", 10), enc.count_till_limit("hello world", 1)
            (2, None)
        """
        limit = index(limit)
        if limit < 0:
            raise ValueError(f"limit is {limit}; give the number of tokens there is room for")
        texts = (text,) if pair is None else (text, pair)
        # Both are checked before either is counted, so that an error does not depend on the limit.
        checked = [
            self._bytes_and_mask(each, allowed_special, disallowed_special) for each in texts
        ]
        unk_as_token = self._unk_as_token(unk)
        n_tokens = self._template.n_special(pair is not None, add_special_tokens)
        for data, mask in checked:
            if n_tokens <= limit:
                n_tokens += self._backend.count(data, mask, unk_as_token, limit - n_tokens)
        return n_tokens if n_tokens <= limit else None
