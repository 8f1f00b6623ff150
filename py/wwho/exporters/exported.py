"""What an export gives, and what a byte-level model must be to be one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wwho.assemble.base import SCRIPT_PATTERN
from wwho.assemble.patterns import PATTERNS
from wwho.compile.codepoints import ALL
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners, with_properties
from wwho.compile.syntax import Chars, Node
from wwho.compile.unicode import white_space, word
from wwho.errors import ExportError, PatternError
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag
from wwho.format.steps import Action, Cut
from wwho.format.steps import stand_in as stand_in_of

MOST_SHOWN = 8
"""Tokens that a note names."""


@dataclass(frozen=True)
class Exported:
    """A file of another library.

    Attributes:
        data: its bytes.
        notes: a line for each thing that the file cannot express, and its user must set.
    """

    data: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ByteModel:
    """A byte-level BPE: what most libraries run.

    Attributes:
        model: the vocabulary; merges are in order of rank.
        ids: the id of each of its tokens.
        added: the added tokens, by ascending id.
    """

    model: BPE
    ids: Sequence[int]
    added: tuple[Added, ...]

    @property
    def tokens(self) -> dict[int, bytes]:
        """The texts of the model's tokens by id."""
        return dict(zip(self.ids, self.model.texts, strict=True))


def byte_model(artifact: Artifact) -> ByteModel:
    """Return the vocabulary and the added tokens of an artifact that is a byte-level BPE.

    Raises:
        ExportError: it is none: it has routes, another model or several, steps that rewrite text,
            the pretokenizer "script", or tokens without an id.
    """
    if artifact.router is not None:
        raise ExportError(
            f"{artifact.name} has {len(artifact.routes)} routes: it cuts syllables by grammars, "
            "which a byte-level BPE does not have; a model without schemas can be exported"
        )
    (route,) = artifact.routes
    model = artifact.models[route.model]
    if not isinstance(model, BPE) or model.units or len(artifact.models) > 1:
        raise ExportError(f"{artifact.name} is no BPE over bytes, which this kind of file holds")
    if any(not isinstance(step, Cut) for step in artifact.steps):
        raise ExportError(f"{artifact.name} normalizes text, which this kind of file cannot say")
    if artifact.provenance.get("pattern") == SCRIPT_PATTERN:
        raise ExportError(
            f"{artifact.name} cuts text by the scripts of its characters (--pattern script), which "
            "no regular expression of another library says"
        )
    ids = artifact.token_ids[route.model]
    numbers = [number for number in ids if number is not None]
    if len(numbers) < len(ids):
        raise ExportError(f"{len(ids) - len(numbers)} tokens of {artifact.name} have no id")
    return ByteModel(model, numbers, artifact.added)


def cuts_alike(artifact: Artifact, pattern: Node) -> bool:
    """Return whether a pattern cuts as the model's one pretokenizer does, and leaves no text over.

    Imported ones have a second rule, for the text between matches, and more classes where added
    tokens look at the characters beside them. An artifact of several automata gives False.

    Raises:
        ValueError: the artifact has no automaton.
        PatternError: the pattern cannot be compiled.
    """
    own, *others = artifact.scanners.automata
    rules = (pattern, Chars(ALL))[: own.n_rules]
    made = compile_scanners([Scanner(own.name, rules, longest=False)])
    if artifact.properties:
        made, _ = with_properties(made, white_space(), word())
    left_over = any(mark > 1 for row in own.table for mark, _ in row)
    return made == artifact.scanners and not others and not left_over


def pattern_of(artifact: Artifact) -> str:
    """Return the pattern that the model cuts by: the provenance names it, or it is a known one.

    Raises:
        ExportError: there is no such pattern, or the model has another number of cuts than one.
    """
    (route,) = artifact.routes
    cuts = [step for step in route.steps if isinstance(step, Cut)]
    if len(cuts) != 1:
        raise ExportError(
            f"{artifact.name} has {len(cuts)} pretokenizers; this kind of file has one pattern"
        )
    record = artifact.provenance
    named = [record["pattern"]] if "pattern" in record else []
    named += _regexes(json.loads(record.get("components", "{}")).get("pre_tokenizer"))
    if cuts[0].actions[0] is Action.KEEP:
        for pattern in dict.fromkeys([*named, *PATTERNS.values()]):
            with suppress(PatternError):
                if cuts_alike(artifact, parse_regex(pattern)):
                    return pattern
    raise ExportError(
        f"the record of {artifact.name} does not name the regular expression of its pretokenizer, "
        "and automata cannot be turned into one again"
    )


def _regexes(component: Any) -> Iterator[str]:
    """Yield the regular expressions in a pre-tokenizer of a tokenizer.json, which is JSON.

    It looks into all objects and lists, at any depth, for a member `Regex` that is a text.
    """
    if isinstance(component, dict) and isinstance(component.get("Regex"), str):
        yield component["Regex"]
    elif isinstance(component, (dict, list)):
        inner = component.values() if isinstance(component, dict) else component
        for each in inner:
            yield from _regexes(each)


def only_special(model: ByteModel, what: str) -> dict[str, int]:
    """Return the ids of a model's added tokens by text, if all are plain special tokens.

    Args:
        model: the model.
        what: the library whose files have no others, for the message.

    Raises:
        ExportError: a token lacks SPECIAL, so that it is found in every text and not only where a
            call allows it; or it has flags such as LSTRIP.
    """
    for token in model.added:
        if not token.flags & Flag.SPECIAL:
            raise ExportError(
                f"the added token {token.text!r} is protected: it is found in every text without "
                f"leave, which a file of {what} cannot say; take tokenizer.json"
            )
        # Without a normalizer, text is normalized as it is.
        if token.flags & ~Flag.NORMALIZED != Flag.SPECIAL:
            raise ExportError(f"the added token {token.text!r} has flags that {what} does not know")
    return {token.text: token.id for token in model.added}


def few(texts: Sequence[str]) -> str:
    """Return texts as a note lists them: of many, the first ones and how many more there are.

    Example:
        >>> few("abcdefghij"), few("abc")
        ('a, b, c, d, e, f, g, h and 2 more', 'a, b, c')
    """
    first, more = ", ".join(texts[:MOST_SHOWN]), len(texts) - MOST_SHOWN
    return f"{first} and {more:,} more" if more > 0 else first


def stand_in(text: bytes) -> str:
    """Return a token in the characters that stand for bytes in byte-level vocabularies, as GPT-2's.

    Example:
        >>> stand_in(b" caf\\xc3\\xa9")
        'ĠcafÃ©'
    """
    return text.decode("latin-1").translate(_STAND_INS)


_STAND_INS = {byte: stand_in_of(byte) for byte in range(256)}
