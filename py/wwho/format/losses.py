"""Reasons why a tokenizer is not lossless."""

from __future__ import annotations

from collections.abc import Iterator

from wwho.format import decoder as decoding
from wwho.format.model import Artifact, Flag, Model, Unknown
from wwho.format.steps import (
    Action,
    Cut,
    Ends,
    Map,
    Replace,
    Rules,
    Spell,
    Step,
    bytes_of_stand_ins,
)

PROBES = (
    ("A", "capital letters become small ones"),
    ("\ufb01", "compatibility characters become others, as in NFKC"),
    ("\u0301", "accents vanish"),
    ("\u212b", "characters become their canonical forms, as in NFC and NFD"),
    ("\x07", "control characters vanish"),
)
"""What a step that rewrites single characters may lose: a character that tells it, and a reason."""


SPACE = 0x20


def losses(artifact: Artifact) -> tuple[str, ...]:
    """Return the reasons why the text of a text's tokens may be another text; none if it never is.

    This looks at what the tokenizer can do, not at a text, so a reason may never apply to some
    texts. A change that the decoder undoes, such as a marker for a space, is no reason except for
    texts that contain the marker. Special tokens that a caller asks for by name, or leaves out, do
    not count.

    Returns:
        Sentences without a full stop, each once, as `wwho inspect` prints them.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> from wwho.format.read import read_artifact
        >>> losses(read_artifact(model_bytes("cl100k_base")))
        ()
    """
    return tuple(dict.fromkeys([*_of_models(artifact), *_of_parts(artifact), *_of_steps(artifact)]))


def _of_models(artifact: Artifact) -> Iterator[str]:
    """Yield the reasons that lie in the models of routes: text that a vocabulary does not have."""
    for number in sorted({route.model for route in artifact.routes}):
        if not artifact.blocks and _is_lossy(artifact.models[number]):  # else symbols are all there
            left_out = artifact.models[number].unknown is Unknown.NONE
            becomes = "is left out" if left_out else "becomes the unknown token"
            yield f"what the vocabulary lacks {becomes}"


def _is_lossy(model: Model) -> bool:
    """Return whether a model may replace or leave out text that its vocabulary does not have."""
    if model.unknown is Unknown.BYTES:
        return None in model.byte_ids or None in model.stated
    if model.unknown is Unknown.NONE and getattr(model, "units", False):
        return True
    return model.unknown is Unknown.ID or None in model.stated


def _of_parts(artifact: Artifact) -> Iterator[str]:
    """Yield the reasons that lie in cuts, in BLOCKS and in added tokens, in this order.

    Each is a clause in English.
    """
    if any(Action.DROP in step.actions for step in artifact.steps if isinstance(step, Cut)):
        yield "a pretokenizer drops text, such as white space"
    if artifact.blocks and not artifact.blocks.spell:
        yield "characters without a pair of symbols vanish"
    if any(token.flags & (Flag.LSTRIP | Flag.RSTRIP) for token in artifact.added):
        yield "added tokens take the white space beside them"
    ids = [t.id for t in artifact.added if not t.flags & (Flag.HIDDEN | Flag.SPECIAL)]
    if len(set(ids)) < len(ids):
        yield "several added tokens have one id"
    if others := _with_other_texts(artifact):
        yield f"added tokens decode to other texts, such as {others[0]!r}"


def _with_other_texts(artifact: Artifact) -> list[str]:
    """Return the texts of the added tokens that the decoder does not turn into these texts.

    Those that have a second text, which is rewritten in a text, are none: the step that does that
    is a reason.
    """
    if artifact.decoder is None:
        return []
    hidden = {token.id for token in artifact.added if Flag.HIDDEN in token.flags}
    unspells = decoding.Unspell() in artifact.decoder.steps
    found = []
    for token in artifact.added:
        surface = artifact.decoder.surfaces.get(token.id, token.text.encode())
        if unspells:
            surface = bytes_of_stand_ins(surface.decode("utf-8", "replace")) or surface
        if token.id not in hidden and surface != token.text.encode():
            found.append(token.text)
    return found


def _of_steps(artifact: Artifact) -> Iterator[str]:
    """Yield the reasons that lie in steps that rewrite, and in the decoder.

    Each is a clause in English.
    """
    steps = artifact.decoder.steps if artifact.decoder else ()
    spaces = {
        step.pattern for step in steps if isinstance(step, decoding.Replace) and step.content == " "
    }
    opens = any(_takes_first(step) for step in steps)
    markers: set[str] = set()
    rewrites = [step for step in artifact.steps if not isinstance(step, Cut)]
    for rewrite in rewrites:
        yield from _of_step(rewrite, spaces, opens)
        if isinstance(rewrite, Map):
            markers.update(chr(target) for target in rewrite.mapping.get(SPACE, ()))
        if isinstance(rewrite, Replace):
            markers.update(filter(None, rewrite.contents))
        if isinstance(rewrite, Ends):
            markers.add(rewrite.prefix)
    if Spell() in rewrites and decoding.Unspell() not in steps:
        yield "characters become those that stand for their bytes"
    for step in steps:
        if isinstance(step, decoding.Replace) and step.content == " " and step.pattern in markers:
            yield f"{step.pattern} in a text becomes a space"
        elif not (
            isinstance(step, decoding.Bytes | decoding.Blocks | decoding.Unspell)
            or step == decoding.Join()
            or _takes_first(step)
        ):
            yield "the decoder puts spaces between tokens, or cleans up"
    if opens and not any(isinstance(rewrite, Ends) and rewrite.prefix for rewrite in rewrites):
        yield "the decoder takes a space off the beginning"


def _takes_first(step: decoding.Step) -> bool:
    """Return whether all that a step does is to remove the first text of a text, a space."""
    if isinstance(step, decoding.Replace):
        return step.where is decoding.Where.FIRST and not step.content
    return (
        isinstance(step, decoding.Strip) and bool(step.left) and not (step.right or step.otherwise)
    )


def _of_step(step: Step, spaces: set[str], opens: bool) -> Iterator[str]:
    """Yield the reasons that lie in one step that rewrites.

    Args:
        step: the step.
        spaces: the texts that the decoder replaces by a space.
        opens: whether the decoder removes the space at the beginning.
    """
    if isinstance(step, Map):
        changed = {*step.decompositions, *step.order}
        if "".join(map(chr, step.mapping.get(SPACE, ()))) in spaces:
            changed.remove(SPACE)
        found = [reason for probe, reason in PROBES if _changes(step, probe)]
        canonical = step.order or step.pairs or step.decomposes_hangul or step.composes_hangul
        yield from found or ([PROBES[3][1]] if canonical else [])
        if changed and not found and not canonical:
            yield "some characters become others, or vanish"
    elif isinstance(step, Rules):
        yield "characters become others by a table, as in NFKC"
    elif isinstance(step, Ends):
        if step.strip:
            yield "white space at the ends of a text is lost"
        if step.prefix and not opens:
            yield "a space is put in front of a text"
        elif step.prefix and (step.unless or step.first):
            yield "a space at the beginning of a text is lost"
    elif (
        isinstance(step, Replace)
        and not {content for content in step.contents if content is not None} <= spaces
    ):
        yield "some texts are replaced"


def _changes(step: Map, probe: str) -> bool:
    """Return whether a step maps a character; for U+0301 and U+0007: whether to nothing."""
    targets = step.mapping.get(ord(probe))
    if probe in ("\u0301", "\x07"):
        return targets == ()
    return targets is not None
