"""The quality gate: rules on what a vocabulary should not hold, before a model is trained on it.

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
    """The number of tokens of a vocabulary that one rule of the gate found, and its verdict.

    Attributes:
        rule: what is counted, and from which number on it is too much, in words.
        found: how many tokens the rule counts.
        of: how many tokens it looks at.
        verdict: "pass", "warn" or "fail".
    """

    rule: str
    found: int
    of: int
    verdict: Verdict


@dataclass(frozen=True)
class _Rule:
    """A rule on the sizes of tokens.

    Attributes:
        text: the rule in words.
        kind: the tokens it looks at: "content", "structural" or "any", which has no added tokens.
        counts: whether the rule counts a token of a size in bytes.
        judge: returns 0 (pass), 1 (warn) or 2 (fail) for the number counted, and that of all.
    """

    text: str
    kind: Literal["content", "structural", "any"]
    counts: Callable[[int], bool]
    judge: Callable[[int, int], int]


_RULES = (
    _Rule(
        "content tokens over 60 bytes (5 % warn, 15 % fail)",
        "content",
        lambda size: size > 60,
        lambda found, of: (20 * found >= of) + (20 * found >= 3 * of) if found else 0,
    ),
    _Rule(
        "content tokens over 100 bytes (1 warns, 6 fail)",
        "content",
        lambda size: size > 100,
        lambda found, _: (found > 0) + (found > 5),
    ),
    _Rule(
        "tokens over 80 bytes (over 10 % warn)",
        "any",
        lambda size: size > 80,
        lambda found, of: 10 * found > of,
    ),
    _Rule(
        "tokens of a single byte (over 40 % warn)",
        "any",
        lambda size: size == 1,
        lambda found, of: 5 * found > 2 * of,
    ),
    _Rule(
        "structural tokens over 140 bytes (1 warns)",
        "structural",
        lambda size: size > 140,
        lambda found, _: found > 0,
    ),
)


def judge_vocabulary(backend: Backend) -> list[Finding]:
    """Judge a vocabulary by each rule of the gate, and return a finding for each, pass or not.

    Sizes are in bytes. Content tokens hold a letter, a combining mark or a digit, or a part of a
    character. All others are structural, and so are the added tokens. The last finding, which is
    there only if the vocabulary has protected tokens (added tokens that are neither special nor
    hidden), is how many of them are one token when their own text is encoded.

    Example:
        >>> from wwho.backends.select import open_backend
        >>> from wwho.encodings import model_bytes
        >>> for each in judge_vocabulary(open_backend(model_bytes("gpt2"))):
        ...     print(each.verdict, each.found, "of", each.of, each.rule)
        pass 2 of 49296 content tokens over 60 bytes (5 % warn, 15 % fail)
        warn 1 of 49296 content tokens over 100 bytes (1 warns, 6 fail)
        pass 1 of 50256 tokens over 80 bytes (over 10 % warn)
        pass 256 of 50256 tokens of a single byte (over 40 % warn)
        pass 0 of 961 structural tokens over 140 bytes (1 warns)
    """
    added = backend.info.added
    added_ids = {token.id for token in added}
    ids = [token for token in range(backend.info.n_vocab) if token not in added_ids]
    texts = [text for text in backend.tokens_bytes(ids) if text]
    content = [text for text in texts if is_content(text)]
    structural = [text for text in texts if not is_content(text)]
    # Several added tokens may share an id; the last text counts.
    structural += {token.id: token.text.encode() for token in added}.values()
    tokens_of_kind = {"content": content, "structural": structural, "any": texts}
    findings = []
    for rule in _RULES:
        tokens = tokens_of_kind[rule.kind]
        found = sum(rule.counts(len(token)) for token in tokens)
        verdict = VERDICTS[rule.judge(found, len(tokens))]
        findings.append(Finding(rule.text, found, len(tokens), verdict))
    protected = [token for token in added if not token.flags & (Flag.SPECIAL | Flag.HIDDEN)]
    if protected:
        whole = sum(
            token.id in backend.encode(token.text.encode(), None, False) for token in protected
        )
        verdict = VERDICTS[2 * (whole < len(protected))]
        text = "protected tokens found whole (1 missing fails)"
        findings.append(Finding(text, whole, len(protected), verdict))
    return findings


def worst_verdict(findings: Sequence[Finding]) -> Verdict:
    """Return the worst verdict of at least one finding, which is that on the whole vocabulary."""
    return max((each.verdict for each in findings), key=VERDICTS.index)


def is_content(token: bytes) -> bool:
    """Return whether a token has a letter, combining mark or number, or a part of a character.

    Other tokens lay text out: white space, punctuation, symbols.

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
