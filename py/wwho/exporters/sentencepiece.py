"""A SentencePiece `.model`: a BPE over characters, words, or a Unigram model.

What is written is read again and compared with the model: where it differs, it is refused.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product

from wwho.errors import ArtifactError, ExportError, SourceError
from wwho.exporters.alike import alike
from wwho.exporters.exported import Exported
from wwho.exporters.near_sentencepiece import NOTE, near_flags, without_specials
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag, Unknown
from wwho.format.steps import Blocks, Cut, Ends, Map, Replace, Rewrite, Rules
from wwho.format.viterbi import Viterbi
from wwho.importers.sentencepiece import artifact_of
from wwho.interchange.charsmap import Charsmap
from wwho.interchange.sentencepiece import (
    MARKER,
    Algorithm,
    Kind,
    Model,
    Piece,
    check_pieces,
    write_model,
)
from wwho.reference.sampling import f32


def write(artifact: Artifact) -> Exported:
    """Return a `.model` of an artifact with one model, a BPE over characters or Unigram.

    A BPE without merges becomes a model of the kind CHAR or WORD, if that gives the same.

    Raises:
        ExportError: SentencePiece would give other ids; the message says where it differs.
    """
    made = artifact.models[0]
    if artifact.router is not None or len(artifact.models) > 1:
        raise ExportError(
            f"{artifact.name} has {len(artifact.routes)} routes, which SentencePiece does not"
        )
    if isinstance(made, BPE) and made.units:
        *others, algorithm = [Algorithm.BPE] if made.merges else [*_WITHOUT_MERGES, Algorithm.BPE]
    elif isinstance(made, Viterbi):
        others, algorithm = [], Algorithm.UNIGRAM
    else:
        raise ExportError(
            f"{artifact.name} is neither a BPE over characters nor a Unigram model; for a BPE over "
            "bytes take tokenizer.json"
        )
    if _is_wide(artifact):
        artifact = without_specials(artifact)
    unk_id = _unk_id(artifact)
    surface = artifact.decoder.surfaces.get(unk_id) if artifact.decoder else None
    model = replace(
        normalizer_flags(artifact),
        pieces=_pieces_by_id(_with_narrow_scores(artifact), unk_id),
        algorithm=algorithm,
        byte_fallback=made.unknown is Unknown.BYTES,
        unk_surface=" \u2047 " if surface is None else surface.decode(),
    )
    for other in others:
        with suppress(ExportError):
            return _export_if_equal(artifact, replace(model, algorithm=other))
    return _export_if_equal(artifact, model)


_WITHOUT_MERGES = (Algorithm.CHAR, Algorithm.WORD)


def _export_if_equal(artifact: Artifact, model: Model) -> Exported:
    """Return the file and notes on it, after reading it again and comparing.

    Raises:
        ExportError: what is read is another model, or finds other added tokens.
    """
    try:
        check_pieces(model)
        again = artifact_of(model, artifact.provenance)
    except (SourceError, ArtifactError) as error:
        raise ExportError(f"{artifact.name} cannot be a SentencePiece model: {error}") from error
    near = near_flags(artifact) is not None and not has_its_steps(artifact)
    narrow = _with_narrow_scores(artifact)
    compare(replace(again, models=narrow.models) if near else narrow, again, "SentencePiece")
    if _texts_found_anywhere(artifact) != _texts_found_anywhere(again):
        raise ExportError(f"{artifact.name} finds other added tokens than SentencePiece would")
    notes = ["special tokens are never found in text there"]
    if _is_wide(artifact):
        notes.append(
            "scores and their sums are f32 there and f64 here: where two ways to cut a text come "
            "within a rounding of each other, ids may differ"
        )
    if near:
        notes.append(NOTE)
    if artifact.template is not None:
        notes.append("what stands around a text is for the caller to add")
    if again.decoder != artifact.decoder:
        notes.append("ids decode as they do in SentencePiece")
    return Exported(write_model(model), tuple(notes))


def _is_wide(artifact: Artifact) -> bool:
    """Return whether a model is Unigram with sums in f64."""
    (model, *_) = artifact.models
    return isinstance(model, Viterbi) and not model.narrow


def _with_narrow_scores(artifact: Artifact) -> Artifact:
    """Return an artifact whose model, if it is Unigram, has its scores and sums in f32.

    Any other artifact, and one that is narrow already, is returned as it is.
    """
    (model, *_) = artifact.models
    if not isinstance(model, Viterbi) or model.narrow:
        return artifact
    scores = tuple(map(f32, model.scores))
    return replace(artifact, models=(replace(model, narrow=True, scores=scores),))


def _unk_id(artifact: Artifact) -> int:
    """Return the id of the piece for unknown text: the model's, or else that of `<unk>`.

    Raises:
        ExportError: there is neither.
    """
    unk_id = artifact.models[0].unk_id
    if unk_id is None:
        unk_id = next((token.id for token in artifact.added if token.text == "<unk>"), None)
    if unk_id is None:
        raise ExportError(f"{artifact.name} has no <unk>, which a SentencePiece model must have")
    return unk_id


def normalizer_flags(artifact: Artifact) -> Model:
    """Return a model of two pieces that normalizes as the artifact does, or nearly so.

    Only its charsmap and its flags matter; `near_flags` tells what nearly means.

    Raises:
        ExportError: there is none.
    """
    model = _flags_of_steps(artifact) or near_flags(artifact)
    if model is None:
        raise ExportError(
            f"{artifact.name} normalizes text otherwise than add_dummy_prefix, "
            "remove_extra_whitespaces, escape_whitespaces and a charsmap of SentencePiece do"
        )
    return model


def has_its_steps(artifact: Artifact) -> bool:
    """Return whether an artifact rewrites text step by step as SentencePiece does."""
    return _flags_of_steps(artifact) is not None


def _flags_of_steps(artifact: Artifact) -> Model | None:
    """Return a SentencePiece model of two pieces with the steps of an artifact; None if none has.

    All combinations of the four flags are tried, and the steps that the importer makes of each are
    compared with those of the artifact. The charsmap has the artifact's rules, and those of
    characters that vanish.
    """
    steps = _steps(artifact)
    rules = dict(next((step.rules for step in steps if isinstance(step, Rules)), {}))
    # What vanishes may do so in a step of its own.
    vanishing = (step.mapping for step in steps if isinstance(step, Map))
    rules |= {chr(char): "" for mapping in vanishing for char, to in mapping.items() if not to}
    pieces = (Piece(b"<unk>", kind=Kind.UNKNOWN), Piece(b"a"))
    either = (True, False)
    # Where nothing is put beside the text, it does not matter on which side.
    for prefix, remove, escape, suffix in product(either, either, either, (False, True)):
        model = Model(
            pieces=pieces,
            charsmap=Charsmap(rules),
            add_dummy_prefix=prefix,
            remove_extra_whitespaces=remove,
            escape_whitespaces=escape,
            suffix=suffix,
        )
        if _same_steps(artifact, steps, again := artifact_of(model, {}), _steps(again)):
            return model
    return None


def rewriting_steps(artifact: Artifact) -> list[Rewrite]:
    """Return the steps that rewrite a text, in order; those of a route are of its only route."""
    found = [*artifact.normalizer, *artifact.second, *artifact.routes[0].steps]
    return [step for step in found if not isinstance(step, Cut | Blocks)]


def _steps(artifact: Artifact) -> list[Rewrite]:
    """Return the steps that rewrite a text in SentencePiece's order.

    Two steps change places that do the same in both orders: a marker is put before the text, and
    spaces become markers.
    """
    steps = rewriting_steps(artifact)
    match steps:
        case [Ends(prefix="\u2581") as ends, Replace() as spaces] if ends == Ends(prefix=MARKER):
            return [spaces, ends]
    return steps


def _same_steps(
    one: Artifact, steps: list[Rewrite], other: Artifact, others: list[Rewrite]
) -> bool:
    """Return whether two lists of steps do the same, each with the automata of its artifact.

    They must come in the same order, with equal settings; automata are compared by what they match.
    """
    if len(steps) != len(others):
        return False
    for a, b in zip(steps, others, strict=True):
        if isinstance(a, Replace) and isinstance(b, Replace):
            if not _alike(one.scanners, a.automaton, other.scanners, b.automaton):
                return False
            a = replace(a, automaton=b.automaton)
        if a != b:
            return False
    return True


def _alike(a: CompiledScanners, first: int, b: CompiledScanners, second: int) -> bool:
    """Return whether two automata match alike."""
    return alike(a.classes, a.automata[first], b.classes, b.automata[second])


def _pieces_by_id(artifact: Artifact, unk_id: int) -> tuple[Piece, ...]:
    """Return the pieces of a file, one for each id from 0 to the highest.

    They are the tokens of the model with their scores, its bytes as `<0xNN>`, and the added tokens
    whose ids no token of the model has. An id that nothing has becomes the control piece
    `<unused_ID>`.

    Args:
        artifact: a model of BPE or Unigram.
        unk_id: the id whose piece becomes the unknown piece, with score 0; a token has it.

    Raises:
        ExportError: an added token is found in a way that SentencePiece has not.
    """
    made = artifact.models[0]
    found: dict[int, Piece] = {}
    assert isinstance(made, BPE | Viterbi)
    scores = merge_scores(made) if isinstance(made, BPE) else made.scores
    ids = artifact.token_ids[0]
    for token, text, score in zip(ids, made.texts, scores, strict=True):
        if token is not None:
            found[token] = Piece(text, score)
    for byte, token in enumerate(made.byte_ids):
        if token is not None:
            found[token] = Piece(b"<0x%02X>" % byte, kind=Kind.BYTE)
    for added in artifact.added:
        found.setdefault(added.id, Piece(added.text.encode(), kind=_kind(added, made)))
    found[unk_id] = replace(found[unk_id], kind=Kind.UNKNOWN, score=0.0)
    gap = "<unused_{}>"
    return tuple(
        found.get(token) or Piece(gap.format(token).encode(), kind=Kind.CONTROL)
        for token in range(max(found) + 1)
    )


def merge_scores(model: BPE) -> list[float]:
    """Return a score for each token of a BPE, by which SentencePiece merges in its order.

    Symbols have 0, all further tokens -1, -2 and so on; one that ties has the score before it.
    """
    scores = [0.0] * model.n_symbols
    for number in range(len(model.texts) - model.n_symbols):
        scores.append(scores[-1] if number in model.ties else -1.0 - number)
    return scores


def _kind(added: Added, made: BPE | Viterbi | object) -> Kind:
    """Return the kind of piece that an added token is to SentencePiece.

    Args:
        added: the token.
        made: the model: in Unigram, a hidden token is an unused piece, in others a control piece.

    Raises:
        ExportError: it is found in a way that SentencePiece has not.
    """
    if Flag.SPECIAL in added.flags:
        return Kind.CONTROL
    if Flag.HIDDEN in added.flags:
        return Kind.UNUSED if isinstance(made, Viterbi) else Kind.CONTROL
    if added.flags == Flag.NORMALIZED:
        return Kind.USER_DEFINED
    raise ExportError(f"the added token {added.text!r} is found in a way SentencePiece has not")


def _texts_found_anywhere(artifact: Artifact) -> list[tuple[str, int]]:
    """Return the texts and ids of the added tokens that are found in every text."""
    return [(each.text, each.id) for each in artifact.added if each.flags == Flag.NORMALIZED]


def compare(artifact: Artifact, again: Artifact, engine: str) -> None:
    """Refuse a model that an engine would run as another.

    Args:
        artifact: the model.
        again: what the engine makes of the file, which has one model and one route.
        engine: its name.

    Raises:
        ExportError: it would normalize, cut or merge otherwise, or has other tokens.
    """
    name, (one,), (other,) = artifact.name, artifact.models, again.models
    if not _same_steps(artifact, _steps(artifact), again, _steps(again)):
        raise ExportError(f"{engine} would normalize text otherwise than {name}")
    if {*zip(one.texts, artifact.token_ids[0], strict=True)} != {
        *zip(other.texts, again.token_ids[0], strict=True)
    } or [*one.byte_ids] != [*other.byte_ids]:
        raise ExportError(f"not all tokens of {name} can be what text becomes in {engine}")
    if isinstance(one, BPE) and isinstance(other, BPE):
        texts, others = one.texts, other.texts
        pairs = zip(
            ((texts[a], texts[b]) for a, b in one.merges),
            ((others[a], others[b]) for a, b in other.merges),
            strict=False,
        )
        odd = next((pair for pair, there in pairs if pair != there), None)
        if odd is not None or len(one.merges) != len(other.merges) or one.ties != other.ties:
            raise ExportError(
                f"{engine} merges by texts, {name} by pairs, which differ"
                + (f", first for {odd[0]!r} and {odd[1]!r}" if odd else "")
            )
        if (one.whole and one.unmade) or (one.fuse != other.fuse and not one.byte_ids):
            raise ExportError(f"{name} takes whole pieces or joins what is unknown otherwise")
    elif one != other:
        raise ExportError(f"the scores of {name} are not those of a {engine} model")
    (route,), (another,) = artifact.routes, again.routes
    cuts = (artifact.automata_of(route), again.automata_of(another))
    if len(cuts[0]) != len(cuts[1]) or not all(
        _alike(artifact.scanners, a, again.scanners, b) for a, b in zip(*cuts, strict=True)
    ):
        raise ExportError(f"{name} cuts text before its model sees it, and {engine} does not")
