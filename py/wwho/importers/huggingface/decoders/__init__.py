"""The decoders of `tokenizers`, each in a file of its own, as steps of an artifact's DECODER."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from wwho.format.decoder import Decoder, Join, Step, Strip, Where
from wwho.format.decoder import Replace as ReplaceStep
from wwho.importers.huggingface.decoders import (
    bpe,
    byte_fallback,
    byte_level,
    ctc,
    fuse,
    metaspace,
    replace,
    sequence,
    strip,
    wordpiece,
)
from wwho.importers.huggingface.document import Value, check_options
from wwho.reference.decode import join

MOST_SURFACES = 0xFFFF
"""Tokens whose text a decoder of an artifact may state."""

NO_DECODER: tuple[Step, ...] = (Join(" "),)
"""What `tokenizers` does where a file names no decoder: a space between any two tokens."""

AnyStep: TypeAlias = Step | replace.Pattern

STEPS: Mapping[str, Callable[[Value], Sequence[AnyStep]]] = {
    "BPEDecoder": bpe.steps,
    "ByteFallback": byte_fallback.steps,
    "ByteLevel": byte_level.steps,
    "CTC": ctc.steps,
    "Fuse": fuse.steps,
    "Metaspace": metaspace.steps,
    "Replace": replace.steps,
    "Strip": strip.steps,
    "WordPiece": wordpiece.steps,
}
"""For each type of decoder the function that gives its steps; a Sequence has none of its own."""


def steps(value: Value) -> tuple[AnyStep, ...]:
    """Return the steps of a decoder, which may be null or a Sequence, in order.

    Raises:
        SourceError: its type or an option is not known, or an option has no valid value.
    """
    if value.raw is None:
        return NO_DECODER
    found: list[AnyStep] = []
    for part in sequence.parts(value):
        check_options(part)
        found += part.dispatch(STEPS, "decoder")
    return tuple(found)


def read(value: Value, *, continuing: str, texts: Callable[[], Mapping[int, bytes]]) -> Decoder:
    """Return how the texts of tokens join.

    No step of an artifact replaces what a pattern matches. Where such a Replace, and all before it,
    changes each token alone, the texts that it makes of them are stated instead: as surfaces.

    Args:
        value: the decoder; null for none.
        continuing: what stands before tokens that only continue a word.
        texts: gives the text of each id as it stands in the list before the first step.

    Raises:
        SourceError: it is not known, or does what no artifact can.
    """
    found = steps(value)
    *_, last = -1, *(place for place, each in enumerate(found) if isinstance(each, replace.Pattern))
    if last < 0:
        return Decoder(cast(tuple[Step, ...], found), continuing=continuing)
    before = texts()
    surfaces = {
        token: text
        for token, text in _rewrite_texts(found[: last + 1], before).items()
        if text != before[token]
    }
    if len(surfaces) > MOST_SURFACES:
        value.fail(f"its patterns change {len(surfaces)} tokens; {MOST_SURFACES} are possible")
    return Decoder(cast(tuple[Step, ...], found[last + 1 :]), continuing, surfaces)


def _rewrite_texts(found: Sequence[AnyStep], texts: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the texts of all ids after steps that change each token alone.

    Raises:
        SourceError: a step joins tokens, or tells them by their place.
    """
    made = dict(texts)
    for each in found:
        if isinstance(each, replace.Pattern):
            changed = each.replace_in_texts(set(made.values()))
            made = {token: changed[text] for token, text in made.items()}
        elif isinstance(each, (ReplaceStep, Strip)) and each.where is Where.ALL:
            only = Decoder((each,))
            made = {token: join(only, [text])[0] for token, text in made.items()}
        else:
            next(each for each in found[::-1] if isinstance(each, replace.Pattern)).refuse()
    return made
