"""The quality gate: what a vocabulary should not hold, judged before a model is trained on it.

Very long tokens are phrases that a corpus repeats, learnt by heart; a language model sees each of
them too seldom. Mostly single bytes are a vocabulary that learnt nothing. And a protected token
that is not one token in a text protects nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wwho.format.model import Flag

if TYPE_CHECKING:
    from wwho.backends.backend import Backend

Verdict = Literal["pass", "warn", "fail"]
VERDICTS: tuple[Verdict, ...] = ("pass", "warn", "fail")
"""From the best to the worst."""


@dataclass(frozen=True)
class Finding:
    """What one rule of the gate found.

    Attributes:
        rule: what is counted, and from where on it is too much.
        found: how many tokens there are of it.
        of: among how many.
    """

    rule: str
    found: int
    of: int
    verdict: Verdict


_RULES: tuple[tuple[str, str, Callable[[int], bool], Callable[[int, int], int]], ...] = (
    (
        "content tokens over 60 bytes (5 % warn, 15 % fail)",
        "content",
        lambda size: size > 60,
        lambda found, of: (20 * found >= of) + (20 * found >= 3 * of) if found else 0,
    ),
    (
        "content tokens over 100 bytes (1 warns, 6 fail)",
        "content",
        lambda size: size > 100,
        lambda found, _: (found > 0) + (found > 5),
    ),
    (
        "tokens over 80 bytes (over 10 % warn)",
        "any",
        lambda size: size > 80,
        lambda found, of: 10 * found > of,
    ),
    (
        "tokens of a single byte (over 40 % warn)",
        "any",
        lambda size: size == 1,
        lambda found, of: 5 * found > 2 * of,
    ),
    (
        "structural tokens over 140 bytes (1 warns)",
        "structural",
        lambda size: size > 140,
        lambda found, _: found > 0,
    ),
)
"""Each rule, the tokens that it is for, which of them it counts by size, and its judgement."""


def quality(backend: Backend) -> list[Finding]:
    """Judge a vocabulary; sizes are in bytes.

    Content tokens hold a letter, a mark or a digit, or a part of a character. All others are
    structural, and so are the added tokens.

    Example:
        >>> from wwho.backends.select import open_backend
        >>> from wwho.encodings import model_bytes
        >>> for each in quality(open_backend(model_bytes("gpt2"))):
        ...     print(each.verdict, each.found, "of", each.of, each.rule)
        pass 2 of 49296 content tokens over 60 bytes (5 % warn, 15 % fail)
        warn 1 of 49296 content tokens over 100 bytes (1 warns, 6 fail)
        pass 1 of 50256 tokens over 80 bytes (over 10 % warn)
        pass 256 of 50256 tokens of a single byte (over 40 % warn)
        pass 0 of 961 structural tokens over 140 bytes (1 warns)
    """
    added = backend.info.added
    named = {token.id for token in added}
    ids = [token for token in range(backend.info.n_vocab) if token not in named]
    texts = [text for text in backend.tokens_bytes(ids) if text]
    content = [text for text in texts if is_content(text)]
    structural = [text for text in texts if not is_content(text)]
    structural += {token.id: token.text.encode() for token in added}.values()
    findings = []
    for rule, kind, is_found, judge in _RULES:
        tokens = {"content": content, "structural": structural, "any": texts}[kind]
        found = sum(is_found(len(token)) for token in tokens)
        verdict = VERDICTS[judge(found, len(tokens))]
        findings.append(Finding(rule, found, len(tokens), verdict))
    protected = [token for token in added if not token.flags & (Flag.SPECIAL | Flag.HIDDEN)]
    if protected:
        whole = sum(
            token.id in backend.encode(token.text.encode(), None, False) for token in protected
        )
        verdict = VERDICTS[2 * (whole < len(protected))]
        rule = "protected tokens found whole (1 missing fails)"
        findings.append(Finding(rule, whole, len(protected), verdict))
    return findings


def worst(findings: Sequence[Finding]) -> Verdict:
    """The verdict on the whole vocabulary."""
    return max((each.verdict for each in findings), key=VERDICTS.index)


def is_content(token: bytes) -> bool:
    """Whether a token says something, and does not only lay text out.

    Example:
        >>> [is_content(text.encode()) for text in ("a", " 1", "ි", "----", "\\n  ")]
        [True, True, True, False, False]
        >>> is_content(b"\\xe0\\xb6")
        True
    """
    return any(
        char == "\ufffd" or unicodedata.category(char)[0] in "LMN"
        for char in token.decode("utf-8", "replace")
    )
