"""Whether a tokenizer is lossless, and if not, why."""

from __future__ import annotations

from collections.abc import Iterator

from wwho.format import decoder as decoding
from wwho.format.model import Artifact, Flag, Model, Unknown
from wwho.format.steps import Action, Cut, Ends, Map, Replace, Rules, Step

PROBES = (
    ("A", "capital letters become small ones"),
    ("\ufb01", "compatibility characters become others, as in NFKC"),
    ("\u0301", "accents vanish"),
    ("\u212b", "characters become their canonical forms, as in NFC and NFD"),
    ("\x07", "control characters vanish"),
)
"""What a step that rewrites single characters may lose: a character that tells it, and a reason."""


def losses(artifact: Artifact) -> tuple[str, ...]:
    """Why the text of a text's tokens may be another text; nothing where it never is.

    This looks at what the tokenizer can do, not at a text: a reason may never apply to some. What
    is undone by the decoder, such as a mark for a space, is no reason, but for texts that hold the
    mark. Special tokens that the caller asks for by name, or leaves out, do not count.

    Example:
        >>> from wwho.encodings import model_bytes
        >>> from wwho.format.read import read_artifact
        >>> losses(read_artifact(model_bytes("cl100k_base")))
        ()
    """
    return tuple(dict.fromkeys([*_of_models(artifact), *_of_parts(artifact), *_of_steps(artifact)]))


def _of_models(artifact: Artifact) -> Iterator[str]:
    for number in sorted({route.model for route in artifact.routes}):
        if not artifact.blocks and _is_lossy(artifact.models[number]):  # else symbols are all there
            yield "what the vocabulary lacks becomes the unknown token"


def _is_lossy(model: Model) -> bool:
    if model.unknown is Unknown.BYTES:
        return None in model.byte_ids or None in model.stated
    return model.unknown is Unknown.ID or None in model.stated


def _of_parts(artifact: Artifact) -> Iterator[str]:
    if any(Action.DROP in step.actions for step in artifact.steps if isinstance(step, Cut)):
        yield "a pretokenizer drops text, such as white space"
    if artifact.blocks and not artifact.blocks.spell:
        yield "characters without a pair of symbols vanish"
    if any(token.flags & (Flag.LSTRIP | Flag.RSTRIP) for token in artifact.added):
        yield "added tokens take the white space beside them"
    ids = [t.id for t in artifact.added if not t.flags & (Flag.HIDDEN | Flag.SPECIAL)]
    if len(set(ids)) < len(ids):
        yield "several added tokens have one id"


def _of_steps(artifact: Artifact) -> Iterator[str]:
    steps = artifact.decoder.steps if artifact.decoder else ()
    spaces = {
        step.pattern for step in steps if isinstance(step, decoding.Replace) and step.content == " "
    }
    opens = any(_takes_first(step) for step in steps)
    marks: set[str] = set()
    rewrites = [step for step in artifact.steps if not isinstance(step, Cut)]
    for rewrite in rewrites:
        yield from _of_step(rewrite, spaces, opens)
        if isinstance(rewrite, Replace):
            marks.update(filter(None, rewrite.contents))
        if isinstance(rewrite, Ends):
            marks.add(rewrite.prefix)
    for step in steps:
        if isinstance(step, decoding.Replace) and step.content == " " and step.pattern in marks:
            yield f"{step.pattern} in a text becomes a space"
        elif not (
            isinstance(step, decoding.Bytes | decoding.Blocks)
            or step == decoding.Join()
            or _takes_first(step)
        ):
            yield "the decoder puts spaces between tokens, or cleans up"
    if opens and not any(isinstance(rewrite, Ends) and rewrite.prefix for rewrite in rewrites):
        yield "the decoder takes a space off the beginning"


def _takes_first(step: decoding.Step) -> bool:
    """Whether a step takes the space off the beginning of a text, and does nothing else."""
    if isinstance(step, decoding.Replace):
        return step.where is decoding.Where.FIRST and not step.content
    return (
        isinstance(step, decoding.Strip) and bool(step.left) and not (step.right or step.otherwise)
    )


def _of_step(step: Step, spaces: set[str], opens: bool) -> Iterator[str]:
    """What one step loses, where the decoder makes spaces of some texts, and takes the first."""
    if isinstance(step, Map):
        changed = {chr(code_point) for code_point in (*step.apart, *step.order)}
        found = [reason for probe, reason in PROBES if _changes(step, probe)]
        canonical = step.order or step.pairs or step.hangul_apart or step.hangul_together
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
    """Whether a character is mapped: an accent, to nothing."""
    targets = step.mapping.get(ord(probe))
    if probe in ("\u0301", "\x07"):
        return targets == ()
    return targets is not None
