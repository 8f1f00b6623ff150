"""Which special tokens a call allows, and the check for those it does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Literal, NoReturn

from wwho.errors import SpecialTokenError
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Added

Allowed = Literal["all"] | Collection[str]
"""Special tokens: a collection of their texts, or "all"."""


def check_text(text: str) -> None:
    """See whether a text can be a special token of an artifact.

    Raises:
        SpecialTokenError: it is empty, too long, or not valid Unicode.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SpecialTokenError(f"special token {text!r} is not valid Unicode") from error
    if not 1 <= size <= MAX_TOKEN_BYTES:
        raise SpecialTokenError(
            f"special token {text[:40]!r} has {size} bytes; 1 to {MAX_TOKEN_BYTES} are allowed"
        )


def allowed_set(allowed: Allowed, specials: Collection[str]) -> frozenset[str]:
    """The special tokens that are allowed.

    Raises:
        TypeError: it is a string other than "all", or holds something else than strings.
    """
    if allowed == "all":
        return frozenset(specials)
    names = frozenset(allowed)
    wrong = [allowed] if isinstance(allowed, str) else [x for x in names if not isinstance(x, str)]
    if wrong:
        raise TypeError(f"expected a set of special tokens or 'all', found {wrong[0]!r}")
    return names


def allowed_mask(allowed: frozenset[str], added: Iterable[Added]) -> bytes | None:
    """What backends take: one byte for each added token by ascending id; None for none allowed.

    Example:
        >>> from wwho.format.model import Added
        >>> allowed_mask(frozenset({"<b>"}), [Added("<a>", 7), Added("<b>", 8)])
        b'\\x00\\x01'
    """
    mask = bytes(token.text in allowed for token in added)
    return mask if any(mask) else None


def refuse_disallowed(
    text: bytes, disallowed: Allowed, allowed: frozenset[str], specials: Collection[str]
) -> None:
    """Raise where a text spells a special token that the call disallows.

    Raises:
        SpecialTokenError: the message says how to allow it, as an ordinary text or as a token.

    Example:
        >>> refuse_disallowed(b"a <b>", "all", frozenset({"<b>"}), {"<b>"})
    """
    if disallowed == "all":
        disallowed = frozenset(specials) - allowed
    wanted = sorted(filter(None, allowed_set(disallowed, specials)), key=len, reverse=True)
    if not wanted:
        return
    pattern = b"|".join(re.escape(token.encode("utf-8", "surrogatepass")) for token in wanted)
    if found := re.search(pattern, text):
        _refuse(found.group().decode("utf-8"))


def _refuse(token: str) -> NoReturn:
    raise SpecialTokenError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        "If you want this text to be encoded as a special token, "
        f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
        "If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
    )
