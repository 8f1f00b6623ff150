"""The vocabulary of a GGUF file: its tokens, what each is for, and how they are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from wwho.errors import SourceError
from wwho.format.model import Added, Flag
from wwho.interchange.gguf import TokenType, value

WHITE_SPACE = "\t\n\v\f\r "
"""What a token with a flag of white space takes: what C calls so."""


_CONTROL_LOOKING = frozenset(
    """
    <|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn>
    <|endoftext|> </s> <|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos>
    <turn|> <|tool_response> <\uff5cend\u2581of\u2581sentence\uff5c> [e~[ <|fim_prefix|>
    <fim-prefix> <fim_prefix> <\uff5cfim\u2581begin\uff5c> <PRE> \u2581<PRE> <|code_prefix|>
    <|prefix|> <|fim_suffix|> <fim-suffix> <fim_suffix> <\uff5cfim\u2581hole\uff5c> <SUF>
    \u2581<SUF> <|code_suffix|> <|suffix|> <|fim_middle|> <fim-middle> <fim_middle> <MID>
    \u2581<MID> <\uff5cfim\u2581end\uff5c> <|code_middle|> <|middle|> <|fim_pad|> <fim-pad>
    <fim_pad> <PAD> [PAD] <|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>
    """.split()  # noqa: SIM905 - a list would fill the page
)
"""Texts that llama.cpp takes for control tokens, whatever the file says."""
_SHOWN = frozenset(("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"))
"""Texts that it always finds."""


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The lists of a GGUF file, checked against each other.

    Attributes:
        texts: the tokens, by id.
        kinds: what each is for, as llama.cpp has it.
        scores: the score of each; empty where there are none.
        metadata: the other values.
    """

    texts: Sequence[bytes]
    kinds: Sequence[TokenType]
    scores: Sequence[float]
    metadata: Mapping[str, Any]

    def text(self, key: str, default: str = "") -> str:
        """Return a value of `metadata` that is a text, or `default` if the key is not there.

        Raises:
            SourceError: the value is of another type.
        """
        found: bytes = value(self.metadata, key, bytes, default.encode())
        return found.decode("utf-8", "replace")


def read_vocabulary(metadata: Mapping[str, Any]) -> Vocabulary:
    """Return the vocabulary that the lists of a file's metadata tell, after checking them.

    An empty text becomes `[EMPTY_<id>]`.

    Raises:
        SourceError: there is no list of texts, another list is too short or of another type, a
            token comes twice, or a score is no finite number.
    """
    texts = value(metadata, "tokenizer.ggml.tokens", list)
    if not texts or not isinstance(texts[0], bytes):
        raise SourceError("tokenizer.ggml.tokens is no list of texts")
    texts = [text or b"[EMPTY_%d]" % number for number, text in enumerate(texts)]
    first: dict[bytes, int] = {}
    for number, text in enumerate(texts):
        if first.setdefault(text, number) != number:
            raise SourceError(f"the tokens {first[text]} and {number} are both {text!r}")
    kinds = value(metadata, "tokenizer.ggml.token_type", list, [1] * len(texts))
    scores = value(metadata, "tokenizer.ggml.scores", list, [])
    for key, found in (("token_type", kinds), ("scores", scores)):
        if (found or key == "token_type") and len(found) < len(texts):
            raise SourceError(
                f"tokenizer.ggml.{key} has {len(found)} items, but there are {len(texts)} tokens"
            )
    for number, score in enumerate(scores):
        if not isinstance(score, float) or not isfinite(score):
            raise SourceError(
                f"tokenizer.ggml.scores: that of token {number} is {score!r}, no finite number"
            )
    return Vocabulary(
        texts=texts,
        kinds=_types(texts, kinds),
        scores=scores,
        metadata=metadata,
    )


def _types(texts: Sequence[bytes], kinds: Sequence[Any]) -> list[TokenType]:
    """Return the type of each token: the one that llama.cpp knows by its text, or the file's.

    A number that is no type is UNDEFINED. Tokens beyond the last number have no place in the
    result.

    Args:
        texts: the tokens.
        kinds: their types as the file numbers them, in the same order.
    """
    found = []
    known = set(texts)
    ended = {b"<|return|>", b"<|call|>", b"<|end|>"} <= known
    ended |= bool({b"<|call|>", b"<|calls|>"} & known) and {b"<|flush|>", b"<|end|>"} <= known
    for text, kind in zip(texts, kinds, strict=False):
        name = text.decode("utf-8", "replace")
        if name in _SHOWN or (name == "<|end|>" and ended):
            found.append(TokenType.USER_DEFINED)
        elif name == "</s>" and known & {b"<|tool_response>", b"<|plamo:eos|>"}:
            found.append(TokenType.NORMAL)
        elif name in _CONTROL_LOOKING:
            found.append(TokenType.CONTROL)
        else:
            found.append(TokenType(kind) if kind in _TYPES else TokenType.UNDEFINED)
    return found


_TYPES = frozenset(map(int, TokenType))
ADDED_TYPES = (TokenType.CONTROL, TokenType.UNKNOWN, TokenType.USER_DEFINED)
"""Types of tokens that are found in a text before all else."""


def added_tokens(vocabulary: Vocabulary) -> tuple[tuple[Added, ...], list[str]]:
    """Return the tokens that llama.cpp finds in a text before all else, and notes on differences.

    They are those of `ADDED_TYPES`, and their ids are their numbers in the file. llama.cpp looks
    for the longest token in all of a text, then for the next; here the first in the text counts. Of
    tokens of which one is special, a note tells that this makes a difference.

    Raises:
        SourceError: of the tokens that are not special, some would be found otherwise; a token is
            not UTF-8, or has white space that another one takes; or `_flags` refuses.
    """
    found = []
    flags = _flags(vocabulary)
    for number, (text, kind) in enumerate(zip(vocabulary.texts, vocabulary.kinds, strict=True)):
        if kind in ADDED_TYPES:
            try:
                found.append(Added(text.decode("utf-8"), number, flags(text, kind)))
            except UnicodeDecodeError:
                raise SourceError(f"the token {number}, {text!r}, is not UTF-8") from None
    if any(token.flags & (Flag.LSTRIP | Flag.RSTRIP) for token in found):
        spaced = next((each.text for each in found if {*each.text} & {*WHITE_SPACE}), None)
        if spaced is not None:
            raise SourceError(f"other tokens take the white space of the token {spaced!r}")
    check_overlaps([token.text for token in found if Flag.SPECIAL not in token.flags])
    try:
        check_overlaps([token.text for token in found])
    except SourceError as error:
        return tuple(found), [f"where special tokens are allowed, {error}"]
    return tuple(found), []


def _flags(vocabulary: Vocabulary) -> Callable[[bytes, TokenType], Flag]:
    """Return a function that tells how a token is found, by its text and its type.

    Of some models, llama.cpp knows by their names which tokens take white space.

    Raises:
        SourceError: the file is Phi-3 by its name, and has not the tokens of Phi-3.
    """
    names = {
        key: vocabulary.text(key)
        for key in ("tokenizer.ggml.pre", "general.architecture", "general.name")
    }
    pre, architecture, name = names.values()
    lstrip, rstrip = b"", False
    if any(each in pre for each in ("jina-v2-de", "jina-v2-es", "jina-v2-code")) or any(
        each in architecture for each in ("nomic-bert-moe", "jina-bert-v3")
    ):
        lstrip = b"<mask>"
    elif any(each in name.lower() for each in ("phi-3", "phi3")):
        rstrip = True
        missing = {b"</s>", *_NEVER_STRIPPING} - {*vocabulary.texts}
        if missing:
            raise SourceError(f"general.name is {name!r}, but there is no token {min(missing)!r}")
    elif "modern-bert" in name.lower():
        lstrip = b"[MASK]"

    def flags(text: bytes, kind: TokenType) -> Flag:
        """Return how a token is found."""
        found = Flag(0) if kind is TokenType.USER_DEFINED else Flag.SPECIAL
        if text == lstrip:
            found |= Flag.LSTRIP
        return found | Flag.RSTRIP if rstrip and text not in _NEVER_STRIPPING else found

    return flags


_NEVER_STRIPPING = frozenset((b"<unk>", b"<s>", b"<|endoftext|>"))
"""Tokens of Phi-3 that leave the white space after them."""


def check_overlaps(texts: Sequence[str]) -> None:
    """Refuse two tokens that may overlap in a text, where the second is at least as long.

    That is: the end of one is the beginning of another. The first in the text counts here, but
    llama.cpp looks for longer tokens in all of a text first. Two tokens are fine if their joined
    text begins with a token that is longer than both, or with the second one, as it does where
    tokens are runs of one character: both programs take that.

    Args:
        texts: the texts of the tokens.

    Raises:
        SourceError: there are such tokens; the message names the first two.

    Example:
        >>> check_overlaps(["ab", "bcd"])
        Traceback (most recent call last):
        wwho.errors.SourceError: 'ab' and 'bcd' overlap in 'abcd', which llama.cpp cuts by length
    """
    by_prefix: dict[str, list[str]] = {}
    for text in texts:
        for n in range(1, len(text)):
            by_prefix.setdefault(text[:n], []).append(text)
    by_length = sorted(texts, key=len, reverse=True)
    for first in texts:
        for n in range(1, len(first)):
            for second in by_prefix.get(first[n:], ()):
                whole = first[:n] + second
                if len(second) < len(first) or second == first:
                    continue
                longest = next(text for text in by_length if whole.startswith(text))
                # A longer token at the start, such as a longer run, is what both take first.
                if len(longest) <= len(second) and longest != second:
                    raise SourceError(
                        f"{first!r} and {second!r} overlap in {whole!r}, which llama.cpp cuts by "
                        "length"
                    )
