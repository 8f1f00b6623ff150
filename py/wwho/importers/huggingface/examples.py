"""Each kind of component, run alone on a text: what the examples of the components call.

A test runs the same examples with the library itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wwho.format.decoder import Decoder
from wwho.format.model import Artifact, Route
from wwho.format.steps import Blocks, Cut
from wwho.importers.huggingface import (
    decoders,
    models,
    normalizers,
    post_processors,
    pre_tokenizers,
)
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.models.vocabulary import Around
from wwho.importers.huggingface.patterns import Patterns, settle_cut
from wwho.reference.cut import cut
from wwho.reference.decode import join
from wwho.reference.piece import Piece, read_piece
from wwho.reference.rewrite import rewrite, rewrite_all
from wwho.reference.walk import Walk

Component = Mapping[str, Any]
"""A component as a tokenizer.json has it."""


def normalize(component: Component, text: str) -> str:
    """Return what a normalizer makes of a text."""
    patterns = Patterns()
    steps = normalizers.steps(Value(component), patterns)
    scanners, _ = patterns.compile(properties=False)
    return rewrite_all(steps, read_piece(text.encode()), scanners).text


def pre_tokenize(component: Component, text: str) -> list[str]:
    """Return the pieces that a pre-tokenizer makes of a text, in order.

    Empty pieces are left out.
    """
    patterns = Patterns()
    steps = pre_tokenizers.steps(Value(component), patterns)
    scanners, _ = patterns.compile(properties=False)
    pieces = [read_piece(text.encode())]
    for step in steps:
        made: list[Piece] = []
        for piece in pieces:
            if isinstance(step, Cut):
                made += cut(settle_cut(step, scanners), piece, scanners)
            elif not isinstance(step, Blocks):
                made.append(rewrite(step, piece, scanners))
        pieces = [piece for piece in made if piece.text]
    return [piece.text for piece in pieces]


def tokenize(component: Component, text: str) -> list[int]:
    """Return the ids that a model gives to a piece; no token is allowed or added."""
    found = models.read(Value(component), Around())
    patterns = Patterns()
    units = None if found.units is None else patterns.number_of("characters", found.units)
    scanners, _ = patterns.compile(properties=False)
    artifact = Artifact(
        scanners=scanners,
        routes=(Route("text", model=0, units=units),),
        models=(found.model,),
        provenance={},
    )
    return [token for token, _, _ in Walk(artifact).tokens(text.encode(), None, False)]


def decode(component: Component | None, tokens: Sequence[str]) -> str:
    """Return the text that a decoder makes of the texts of tokens."""
    ids = {number: text.encode() for number, text in enumerate(tokens)}
    decoder = decoders.read(Value(component), continuing="", texts=lambda: ids)
    texts = [decoder.surfaces.get(number, text) for number, text in ids.items()]
    return join(Decoder(decoder.steps), texts)[0].decode("utf-8", "replace")


def process(
    component: Component, ids: Sequence[int], pair: Sequence[int] | None = None
) -> list[int]:
    """Return the ids of a text, or of a pair of texts, with those that a post-processor adds.

    Ids of the post-processor's tokens are taken as their names: "0" to "255". Without a template,
    the pair comes after the text.
    """
    known = {str(number): number for number in range(256)}
    template = post_processors.read(Value(component), known)
    if template is None:
        return [*ids, *(pair or ())]
    return [*template.ids(ids, pair)]
