"""The artifacts of Unigram models that are learnt here: of units over a base, and of bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from wwho.assemble.atoms import PLAIN, AtomKind, Words, compile_cuts
from wwho.assemble.training_artifacts import UNKNOWN, added_tokens, artifact_over
from wwho.compile.schema import Schema
from wwho.format.decoder import Decoder, Join, Unspell
from wwho.format.model import Artifact, Unknown
from wwho.format.steps import Spell, stand_in
from wwho.format.viterbi import Viterbi

Scored = Sequence[tuple[bytes, float]]
"""Texts of tokens in the order of their ids, and their scores, which are numbers of 32 bits."""


def unigram_over_base(
    schemas: Sequence[Schema],
    base: Artifact,
    *,
    specials: Mapping[str, int],
    tokens: Scored,
    kind: AtomKind,
    words: Words = PLAIN,
    protect: Collection[str] = (),
) -> Artifact:
    """Return the model of a base, schemas, and the tokens of units that were learnt.

    Its ids are the base's, those of special tokens, and those of tokens. No token cuts a unit that
    is a token itself; a unit that is none is cut into tokens and characters, and characters that
    are no tokens are written with tokens of the base.

    Args:
        schemas: The scripts.
        base: The base vocabulary; its pretokenizer cuts the other text. Its template, decoder and
            spelling in SCRIPT's pairs go into the model.
        specials: The result of `special_ids`.
        tokens: The tokens, every unit among them that is to be one.
        kind: The kind of units.
        words: The kind of words.
        protect: The texts of `specials` that are found in every text, and so no special tokens.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
        PatternError: If the scanners are too large.
        ValueError: If the base is no base vocabulary.
    """
    units = Viterbi(
        tokens=tuple(text for text, _ in tokens),
        scores=tuple(score for _, score in tokens),
        narrow=True,
        units=True,
        first_id=base.n_vocab + len(specials) - len(base.added),
        unknown=Unknown.SPELL,
        unk_id=specials.get(UNKNOWN),
    )
    cut = compile_cuts(kind, schemas, base.scanners, words)
    return artifact_over(base, units, cut, added_tokens(specials, protect), {})


def unigram_over_bytes(
    base: Artifact, *, specials: Mapping[str, int], tokens: Scored, protect: Collection[str] = ()
) -> Artifact:
    """Return the model of tokens that are learnt from bytes, in the alphabet of ByteLevel.

    Ids are those of the tokens, in their order, and then those of special tokens.

    Args:
        base: A base of 256 bytes, whose pretokenizer stays.
        specials: The result of `special_ids`; ids move up, to come last.
        tokens: The tokens, all 256 bytes among them.
        protect: The texts of `specials` that are found in every text.
    """
    moved = {text: number - base.n_vocab + len(tokens) for text, number in specials.items()}
    model = Viterbi(
        tokens=tuple("".join(chr(stand_in(byte)) for byte in text).encode() for text, _ in tokens),
        scores=tuple(score for _, score in tokens),
        narrow=True,
        unknown=Unknown.ID,
        # The format wants an id for what is unknown; every byte is a token, so nothing is.
        unk_id=0,
    )
    (route,) = base.routes
    return replace(
        base,
        routes=(replace(route, steps=(*route.steps, Spell())),),
        models=(model,),
        added=added_tokens(moved, protect),
        decoder=Decoder((Unspell(), Join())),
        provenance={},
    )
