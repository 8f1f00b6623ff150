"""The special tokens that a call allows, and the error for a text that spells another one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache, partial
from typing import Literal, NoReturn

from wwho.errors import SpecialTokenError
from wwho.format.model import Added, Flag

Allowed = Literal["all"] | Collection[str]
"""Special tokens: a collection of their texts, or "all"."""

REMEMBERED_OPTIONS = 8
"""For how many different options a model remembers the mask, and the pattern."""


class SpecialTokens:
    """The special tokens of one model, which turns options of calls into texts, masks and errors.

    Masks and patterns are remembered by their options. Most calls name the same tokens each time,
    mostly "all", and some models have thousands of them.

    Attributes:
        texts: the texts of the special tokens, without added tokens that are always found.

    Example:
        >>> from wwho.format.model import Added, Flag
        >>> specials = SpecialTokens([Added("<a>", 7, Flag.SPECIAL), Added("<b>", 8, Flag.SPECIAL)])
        >>> specials.mask(specials.texts_of({"<b>"}))
        b'\\x00\\x01'
        >>> specials.refuse(b"a <b>", "all", frozenset({"<b>"}))
    """

    def __init__(self, added: Iterable[Added]) -> None:
        """Take all added tokens of a model by ascending id, special or not.

        `mask(allowed)` is then `allowed_mask(allowed, added)` of these tokens.
        """
        added = tuple(added)
        self.texts = frozenset(token.text for token in added if token.flags & Flag.SPECIAL)
        self.mask = lru_cache(REMEMBERED_OPTIONS)(partial(allowed_mask, added=added))
        self._pattern = lru_cache(REMEMBERED_OPTIONS)(_pattern_of)

    def texts_of(self, option: Allowed) -> frozenset[str]:
        """Return the texts that an option names: those of all special tokens for "all".

        Texts that are no special tokens of this model are returned, too; they have no effect on
        `mask`, but `refuse` looks for them.

        Raises:
            TypeError: the option is a string other than "all", or holds something that is no `str`.
        """
        if option == "all":
            return self.texts
        texts = frozenset(option)
        if isinstance(option, str):
            wrong: list[object] = [option]
        else:
            wrong = [each for each in texts if not isinstance(each, str)]
        if wrong:
            raise TypeError(f"expected a set of special tokens or 'all', found {wrong[0]!r}")
        return texts

    def refuse(
        self, text: bytes | memoryview, disallowed: Allowed, allowed: frozenset[str]
    ) -> None:
        """Raise SpecialTokenError if a text spells a special token that the call disallows.

        Args:
            text: the UTF-8 bytes of the text.
            disallowed: the tokens whose spelling is an error. "all" leaves out those of `allowed`;
                a collection does not: what it names is an error even if it is allowed.
            allowed: the texts of the allowed tokens.

        Raises:
            SpecialTokenError: the message names the first such token of the text, and says how to
                allow it, as a token or as ordinary text.
            TypeError: as for `texts_of`.
        """
        texts = self.texts_of(disallowed)
        pattern = self._pattern(texts, allowed if disallowed == "all" else frozenset())
        if pattern and (match := pattern.search(text)):
            _raise_special_token_error(match.group().decode("utf-8"))


def _pattern_of(texts: frozenset[str], allowed: frozenset[str]) -> re.Pattern[bytes] | None:
    """Return a pattern that matches the UTF-8 of each of `texts` that is not in `allowed`.

    Where several match at one place, it matches the longest. None if nothing is left to look for;
    empty texts are left out.
    """
    wanted = sorted(filter(None, texts - allowed), key=len, reverse=True)
    alternatives = [re.escape(token.encode("utf-8", "surrogatepass")) for token in wanted]
    return re.compile(b"|".join(alternatives)) if alternatives else None


def allowed_mask(allowed: frozenset[str], added: Iterable[Added]) -> bytes | None:
    """Return the mask of allowed tokens as backends take it (see `Backend`).

    Args:
        allowed: the texts of the allowed tokens.
        added: all added tokens of the model, by ascending id.

    Returns:
        One byte for each added token, 1 if its text is allowed, else 0; None if all are 0.
    """
    mask = bytes(token.text in allowed for token in added)
    return mask if any(mask) else None


def _raise_special_token_error(token: str) -> NoReturn:
    """Raise SpecialTokenError for a text that spells `token`, in tiktoken's words."""
    raise SpecialTokenError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        "If you want this text to be encoded as a special token, "
        f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
        "If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
    )
