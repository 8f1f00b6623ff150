"""Models of `tokenizers` that do to nearly all texts what SentencePiece does.

The tokenizer.json that people make of a Unigram `.model` treats white space and the charsmap by
other components. For texts without U+2581, and where no mark or joiner follows a character that the
charsmap replaces, they come to the same, which is tried on texts here; the rest is said in a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from wwho.backends.reference import ReferenceBackend
from wwho.errors import ExportError
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag, Ids
from wwho.format.steps import Rules
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.importers.sentencepiece import artifact_of
from wwho.interchange.charsmap import Charsmap
from wwho.interchange.sentencepiece import MARKER, Kind, Model, Piece
from wwho.interchange.tokenizer_json import KEY

NORMALIZERS = frozenset(("Sequence", "Precompiled", "Strip", "Replace", "Prepend"))
PRE_TOKENIZERS = frozenset(("Sequence", "WhitespaceSplit", "Metaspace"))
"""Components that only treat the charsmap and white space: none of them cuts but at spaces."""

SPACES = (" ", "  ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u3000", "\u200b", " \n ")
TRIED = ("", *SPACES, *(f"{a}x{b}y{c}" for a, b, c in product(("", *SPACES), repeat=3)))
"""Texts with white space everywhere."""

NOTE = (
    f"white space is treated there as in this model, which was tried on {len(TRIED):,} texts; not "
    "so U+2581 in a text, and marks and joiners after a character that the charsmap replaces"
)


def near_flags(artifact: Artifact) -> Model | None:
    """Return a model of two pieces that normalizes nearly as the artifact of a Unigram model does.

    It makes the same of all texts in `TRIED`; `NOTE` says what may differ. None if the artifact has
    another model, was imported from no tokenizer.json or from one with other components, has a
    token across words, or SentencePiece would treat white space otherwise.
    """
    kept, made = artifact.provenance.get(KEY), artifact.models[0]
    if not kept or not isinstance(made, Viterbi) or len(artifact.models) > 1:
        return None
    components = json.loads(kept)
    if not NORMALIZERS.issuperset(_types(components.get("normalizer"))):
        return None
    if not PRE_TOKENIZERS.issuperset(_types(components.get("pre_tokenizer"))):
        return None
    marker = MARKER.encode()
    if any(marker in text[len(marker) :] for text in made.texts if text.startswith(marker)):
        return None  # a token across words, which only a model without cuts makes
    rules = next((step.rules for step in artifact.normalizer if isinstance(step, Rules)), ())
    expected = _normalize_tried(artifact)
    pieces = (Piece(b"<unk>", kind=Kind.UNKNOWN), Piece(b"a"))
    for prefix, remove in product((True, False), repeat=2):
        model = Model(
            pieces=pieces,
            charsmap=Charsmap(dict(rules)),
            add_dummy_prefix=prefix,
            remove_extra_whitespaces=remove,
        )
        if _normalize_tried(artifact_of(model, {})) == expected:
            return model
    return None


def without_specials(artifact: Artifact) -> Artifact:
    """Return an artifact whose Unigram model lacks special tokens and the unknown one.

    A tokenizer.json lists them among the tokens that text becomes; SentencePiece has them apart.
    All ids stay: those of the model are then stated. Special tokens stay added tokens; an unknown
    token that is none becomes a hidden one. An artifact whose model lacks them already is returned
    as it is.

    Args:
        artifact: an artifact whose one model is a Unigram.

    Raises:
        ExportError: one of them has the lowest score alone, on which that of the unknown depends;
            or the model has no other tokens.
    """
    (model,) = artifact.models
    assert isinstance(model, Viterbi)
    ids = artifact.token_ids[0]
    apart = {token.id for token in artifact.added if token.flags & Flag.SPECIAL} | {model.unk_id}
    kept = [place for place, number in enumerate(ids) if number not in apart]
    if len(kept) == len(ids):
        return artifact
    scores = [model.scores[place] for place in kept]
    if not scores or min(scores) > min(model.scores):
        raise ExportError(
            f"{artifact.name} has a special token with a score below all others, by which unknown "
            "characters are scored; SentencePiece does not count it"
        )
    added = artifact.added
    if all(token.id != model.unk_id for token in added):
        text = model.texts[ids.index(model.unk_id)].decode()
        added = (*added, Added(text, model.unk_id or 0, Flag.HIDDEN))
    made = replace(
        model,
        tokens=tuple(model.tokens[place] for place in kept),
        scores=tuple(scores),
        first_id=0,
        id_policy=Ids.STATED,
        stated=tuple(ids[place] for place in kept),
    )
    by_id = tuple(sorted(added, key=lambda token: token.id))
    return replace(artifact, models=(made,), added=by_id)


def _types(component: Any) -> Iterator[str]:
    """Yield the types of a component, or of a list of components, and of those in it.

    Components that a Sequence holds come after it, at any depth; null has none, and a component
    without a type gives "None".
    """
    if isinstance(component, list):
        for each in component:
            yield from _types(each)
    elif isinstance(component, dict):
        yield str(component.get("type"))
        for key in ("normalizers", "pretokenizers"):
            yield from _types(component.get(key))


def _normalize_tried(artifact: Artifact) -> list[bytes]:
    """Return what the steps of an artifact make of each text in `TRIED`: its pretokens, joined."""
    (route,) = artifact.routes
    steps = replace(
        artifact,
        models=(BPE(),),
        routes=(replace(route, units=None),),
        added=(),
        template=None,
        decoder=None,
        properties=b"",
    )
    backend = ReferenceBackend(write_artifact(steps))
    return [bytes(backend.encode(text.encode(), None, False)) for text in TRIED]
