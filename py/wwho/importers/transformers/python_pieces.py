"""A SentencePiece model as classes in Python use it: its pieces by their texts, with other ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wwho.assemble import decoders
from wwho.assemble.fold import fold
from wwho.errors import SourceError
from wwho.format.decoder import Decoder, Join, Replace, Step
from wwho.format.model import Added, Artifact, Flag, Ids
from wwho.format.model import Model as EncodingModel
from wwho.format.steps import Rewrite
from wwho.format.template import Template
from wwho.importers import sentencepiece
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.huggingface.read import settings_beside
from wwho.importers.reader import Options
from wwho.importers.sentencepiece import Rewrites, no_steps
from wwho.importers.source import Source, shown
from wwho.importers.transformers.byte_level import json_defaults
from wwho.importers.transformers.components import flag
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft
from wwho.importers.transformers.slow_tokens import AT_ENDS, INPUTS, SlowTokens
from wwho.importers.transformers.tokens import Token
from wwho.importers.transformers.unknown_texts import stand_ins
from wwho.interchange.sentencepiece import MARKER, Kind, Model

KEPT = "\\ufdd5"
"""A code point that no text has: a marker that stays one in decoded text."""
TEXTS: tuple[Step, ...] = (Join(), Replace(MARKER, " "), AT_ENDS)
"""The decoder of a class that joins the texts of pieces, whatever the pieces are."""
STRETCHES = (
    "text around a special token is decoded as one text; transformers, and wwho.hf, decode each "
    "stretch alone, which loses the space at its beginning, and leave no white space at the ends"
)
"""The note on decoders that are those of SentencePiece."""
FLAGS = {"special": Flag.SPECIAL, "lstrip": Flag.LSTRIP, "rstrip": Flag.RSTRIP}


def texts_of(model: Model) -> list[str]:
    """Return the texts of the pieces, by their numbers.

    Raises:
        SourceError: two pieces have the same text.
    """
    texts = [piece.text.decode() for piece in model.pieces]
    numbers: dict[str, int] = {}
    for number, text in enumerate(texts):
        if numbers.setdefault(text, number) != number:
            raise SourceError(
                f"the pieces {numbers[text]} and {number} have the same text, {shown(text)}: the "
                "class finds pieces by their texts"
            )
    return texts


def check_plain(folder: ModelFolder) -> None:
    """Refuse settings by which the SentencePiece model itself would be run otherwise.

    Raises:
        SourceError: there is one.
    """
    if not flag(folder, "legacy", True):
        raise SourceError(
            "tokenizer_config.json: legacy: found false, expected true: this class then takes the "
            "prefix out of the SentencePiece model, which is not supported"
        )
    if sampling := folder.settings.get("sp_model_kwargs"):
        raise SourceError(
            f"tokenizer_config.json: sp_model_kwargs: found {shown(sampling)}, expected none: text "
            "would be cut by chance; leave it out, and give sample=(alpha, -1), or of a BPE "
            "model dropout=alpha, and a seed to each call that encodes"
        )


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Tokens that are found in text that steps have marked.

    Attributes:
        steps: makes the steps, which come before all others.
        tokens: the tokens.
    """

    steps: Rewrites = no_steps
    tokens: tuple[Added, ...] = ()


NO_MARKS = Marks()


def draft_of_pieces(
    folder: ModelFolder,
    options: Options,
    model: Model,
    ids: Sequence[int | None],
    tokens: SlowTokens,
    *,
    unk_id: int,
    marks: Marks = NO_MARKS,
    before: Rewrites = no_steps,
    behind: Rewrites = no_steps,
    dummy_prefix: bool = True,
    template: Template,
    decoder: Iterable[Step] | None = None,
    kept: str = MARKER,
    hidden: Mapping[str, int] | None = None,
    defaults: Mapping[str, Any],
    notes: Iterable[str] = (),
) -> Draft:
    """Return the draft of a class in Python over a SentencePiece model.

    Args:
        folder: the folder.
        options: what the caller says.
        model: the SentencePiece model.
        ids: for each piece its id, by its number; None: it is written as the unknown token.
        tokens: the added tokens, and the vocabulary, which may have tokens that are no pieces: they
            only decode.
        unk_id: the id of unknown text.
        marks: tokens that are found before SentencePiece's steps.
        before: makes the steps before those of SentencePiece.
        behind: makes the steps behind them.
        dummy_prefix: whether text gets the marker in front that the model asks for.
        template: what stands around texts.
        decoder: the steps by which the texts of tokens are joined; None: those of SentencePiece.
        kept: what a marker becomes, by these, in the text of a token that is no piece.
        hidden: the ids of tokens that only decode and count for nothing, by their texts.
        defaults: see `Draft`.
        notes: see `Draft`.

    Raises:
        SourceError, ArtifactError: no artifact can hold it.
    """
    source = Source(folder.path / "tokenizer_config.json")
    own = [_added(token, tokens.ids[token.content]) for token in tokens.tokens]
    stripping = any(each.flags & (Flag.LSTRIP | Flag.RSTRIP) for each in own)
    record = {
        **options.record(source),
        "engine": sentencepiece.ENGINE,
        **settings_beside(source),
        "vocab_size": str(len(tokens.vocabulary)),
    }
    numbers = {text: number for number, text in enumerate(texts_of(model))}
    alone, more = stand_ins(model, {**tokens.vocabulary, **tokens.ids})
    extended, ids = alone.extended(model, ids)
    if not dummy_prefix:
        extended = replace(extended, add_dummy_prefix=False)
    marking: list[Rewrite] = []

    def all_before(patterns: Patterns) -> list[Rewrite]:
        """Return the steps before those of SentencePiece; those of marks go to `marking`."""
        marking.extend(marks.steps(patterns))
        return [*marking, *before(patterns)]

    artifact = sentencepiece.literal(
        extended,
        record,
        all_before,
        lambda patterns: [*behind(patterns), *alone.steps(patterns)],
        properties=stripping,
    )
    if n_first := len(marking):
        steps = artifact.normalizer
        artifact = replace(artifact, normalizer=steps[:n_first], second=steps[n_first:])
    found, twice = _tokens_of_text(artifact, ids, own, unk_id)
    known = {each.text for each in found}
    others = {
        text: number
        for text, number in {**tokens.vocabulary, **(hidden or {})}.items()
        if text not in numbers and text not in known
    }
    found += [Added(text, number, Flag.HIDDEN) for text, number in others.items()]
    found += marks.tokens
    artifact = replace(
        artifact,
        models=(_with_ids(artifact, ids, unk_id),),
        added=tuple(sorted(found, key=lambda each: each.id)),
        template=template,
        decoder=_decoder(model, ids, tokens, others, decoder, kept),
    )
    return Draft(
        artifact=fold(artifact),
        tokens=tokens.size,
        in_python=True,
        defaults=json_defaults({"model_input_names": INPUTS, **defaults}),
        notes=(*([STRETCHES] if decoder is None else []), *more, *twice, *notes),
    )


def _added(token: Token, number: int) -> Added:
    """Return an added token, which is found in text as it is given."""
    flags = Flag(0)
    for name, each in FLAGS.items():
        flags |= each if getattr(token, name) else Flag(0)
    return Added(token.content, number, flags)


def _tokens_of_text(
    artifact: Artifact, ids: Sequence[int | None], own: list[Added], unk_id: int
) -> tuple[list[Added], tuple[str, ...]]:
    """Return the added tokens of a class and those of its SentencePiece model, and notes.

    Args:
        artifact: the SentencePiece model, whose added tokens have the numbers of pieces.
        ids: the ids of the pieces, by their numbers.
        own: the added tokens of the class.
        unk_id: the id of unknown text.
    """
    texts = {each.text for each in own}
    found, twice = list(own), []
    for token in artifact.added:
        is_found = bool(token.flags & Flag.NORMALIZED)
        number = ids[token.id]
        if token.text in texts:
            twice += [token.text] if is_found and artifact.normalizer else []
        elif is_found:
            found.append(Added(token.text, unk_id if number is None else number, token.flags))
        elif number is not None:
            found.append(Added(token.text, number, Flag.HIDDEN))
    notes = (
        f"{shown(text)} is found as it stands, and not where normalized text becomes it"
        for text in twice
    )
    return found, tuple(notes)


def _with_ids(artifact: Artifact, ids: Sequence[int | None], unk_id: int) -> EncodingModel:
    """Return the model of an artifact with other ids.

    Args:
        artifact: the artifact, whose model's ids are the numbers of pieces.
        ids: for each of these its id; None for none.
        unk_id: the id of unknown text.

    Raises:
        SourceError: a byte has none.
    """
    (model,), (numbers,) = artifact.models, artifact.token_ids
    if lacking := [each for each in model.byte_ids if each is not None and ids[each] is None]:
        raise SourceError(
            f"{len(lacking)} of 256 bytes are pieces of the model, but no tokens of the vocabulary"
        )
    stated, byte_ids = (
        tuple(None if each is None else ids[each] for each in some)
        for some in (numbers, model.byte_ids)
    )
    return replace(
        model,
        id_policy=Ids.STATED,
        stated=stated,
        first_id=min((each for each in (*stated, *byte_ids) if each is not None), default=0),
        unk_id=unk_id,
        byte_ids=byte_ids,
    )


def _decoder(
    model: Model,
    ids: Sequence[int | None],
    tokens: SlowTokens,
    others: Mapping[str, int],
    steps: Iterable[Step] | None,
    kept: str,
) -> Decoder:
    """Return the decoder.

    Args:
        model: the SentencePiece model.
        ids: for each piece its id; None for none.
        tokens: the added tokens.
        others: the ids of tokens that are no pieces, by their texts.
        steps: the steps; None: those of SentencePiece, which leaves markers in what is no piece.
        kept: what such markers become.
    """
    if steps is not None:
        return Decoder(tuple(steps))
    added = {*tokens.ids.values()}
    surfaces = {
        number: text
        for pieces, text in (
            (model.of_kind(Kind.CONTROL), b""),
            ([model.unk_id], model.unk_surface.encode()),
        )
        for piece in pieces
        if (number := ids[piece]) is not None and number not in added
    }
    pieces = {piece.text for piece in model.pieces}
    marked = {
        number: text.replace(MARKER, KEPT).encode()
        for text, number in {**others, **tokens.ids}.items()
        if MARKER in text and text.encode() not in pieces
    }
    found = decoders.sentencepiece(
        {**surfaces, **marked},
        dummy_prefix=model.add_dummy_prefix,
        remove_spaces=model.remove_extra_whitespaces,
    )
    return replace(found, steps=(*found.steps, Replace(KEPT, kept))) if marked else found
