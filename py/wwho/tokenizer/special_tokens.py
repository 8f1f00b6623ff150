"""Which special tokens a call allows, and the check for those it does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache, partial
from typing import Literal, NoReturn

from wwho.errors import SpecialTokenError
from wwho.format.model import Added, Flag

Allowed = Literal["all"] | Collection[str]
"""Special tokens: a collection of their texts, or "all"."""

REMEMBERED = 8
"""Of so many different options a model remembers what they mean."""


class Specials:
    """The special tokens of a model: which of them a call allows, and the check for the others.

    What calls name is remembered. Most name the same ones each time, "all" above all, and some
    models have thousands.

    Example:
        >>> from wwho.format.model import Added, Flag
        >>> specials = Specials([Added("<a>", 7, Flag.SPECIAL), Added("<b>", 8, Flag.SPECIAL)])
        >>> specials.mask(specials.named({"<b>"}))
        b'\\x00\\x01'
        >>> specials.refuse(b"a <b>", "all", frozenset({"<b>"}))
    """

    def __init__(self, added: Iterable[Added]) -> None:
        """The special tokens among the added tokens of a model, by ascending id."""
        added = tuple(added)
        self.texts = frozenset(token.text for token in added if token.flags & Flag.SPECIAL)
        self.mask = lru_cache(REMEMBERED)(partial(allowed_mask, added=added))
        self._pattern = lru_cache(REMEMBERED)(self._pattern_of)

    def named(self, names: Allowed) -> frozenset[str]:
        """The texts that an option names.

        Raises:
            TypeError: it is a string other than "all", or holds something else than strings.
        """
        if names == "all":
            return self.texts
        found = frozenset(names)
        wrong = [names] if isinstance(names, str) else [x for x in found if not isinstance(x, str)]
        if wrong:
            raise TypeError(f"expected a set of special tokens or 'all', found {wrong[0]!r}")
        return found

    def refuse(
        self, text: bytes | memoryview, disallowed: Allowed, allowed: frozenset[str]
    ) -> None:
        """Raise where a text spells a special token that the call disallows.

        Raises:
            SpecialTokenError: the message says how to allow it, as an ordinary text or as a token.
        """
        names = self.named(disallowed)
        pattern = self._pattern(names, allowed if disallowed == "all" else frozenset())
        if pattern and (found := pattern.search(text)):
            _refuse(found.group().decode("utf-8"))

    @staticmethod
    def _pattern_of(names: frozenset[str], allowed: frozenset[str]) -> re.Pattern[bytes] | None:
        """What finds those that are not allowed, of several at a place the longest."""
        wanted = sorted(filter(None, names - allowed), key=len, reverse=True)
        parts = [re.escape(token.encode("utf-8", "surrogatepass")) for token in wanted]
        return re.compile(b"|".join(parts)) if parts else None


def allowed_mask(allowed: frozenset[str], added: Iterable[Added]) -> bytes | None:
    """What backends take: one byte for each added token by ascending id; None for none allowed."""
    mask = bytes(token.text in allowed for token in added)
    return mask if any(mask) else None


def _refuse(token: str) -> NoReturn:
    raise SpecialTokenError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        "If you want this text to be encoded as a special token, "
        f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
        "If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
    )
