"""Tokens that are added to a model: the core finds them as it finds the model's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokenizers import AddedToken

from wwho.backends.backend import Info
from wwho.compile.scanners import with_properties
from wwho.compile.unicode import white_space, word
from wwho.errors import ArtifactError
from wwho.format.added import TOUCHING, write_added
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.container import read_container
from wwho.format.layout import Kind
from wwho.format.model import Added, Flag, Ids, Model
from wwho.format.read import read_artifact
from wwho.format.scanners import read_automata, read_classes, write_automata, write_classes
from wwho.format.write import assemble, write_artifact
from wwho.interchange.tokenizer_json import KEY
from wwho.tokenizer import Tokenizer

FLAGS = {
    "special": Flag.SPECIAL,
    "lstrip": Flag.LSTRIP,
    "rstrip": Flag.RSTRIP,
    "single_word": Flag.SINGLE_WORD,
    "normalized": Flag.NORMALIZED,
}


def own_tokens(info: Info) -> dict[int, AddedToken]:
    """The added tokens of a model by id, as transformers has them."""
    # Of one that is found by its normalized form, the text itself is hidden.
    hidden = {token.id: token.text for token in info.added if token.flags & Flag.HIDDEN}
    return {
        token.id: AddedToken(
            hidden.get(token.id, token.text) if token.flags & Flag.NORMALIZED else token.text,
            **{name: bool(token.flags & flag) for name, flag in FLAGS.items()},
        )
        for token in reversed(info.added)  # of several with one id, the first counts
        if not token.flags & Flag.HIDDEN
    }


def with_added(enc: Tokenizer, added: Mapping[int, AddedToken]) -> Tokenizer:
    """The same model with these added tokens, by id, beside and in place of its own.

    Raises:
        ValueError: it cannot take them.
    """
    own = own_tokens(enc.info)
    new = {number: token for number, token in added.items() if own.get(number) != token}
    if not new:
        return enc
    tokens = [token for token in enc.info.added if token.id not in new]
    tokens += [form for number, token in new.items() for form in _forms(enc, number, token)]
    tokens = _one_of_a_form(tokens)
    blob = enc._blob
    if min(new.keys() - own.keys(), default=enc.n_vocab) < enc.n_vocab:
        blob = _stated(blob, [token for token in tokens if token.id in new])
    container = read_container(blob)
    classes = read_classes(container[Kind.CLASSES])
    automata = read_automata(container[Kind.AUTOMATA], classes.n_classes)
    scanners, properties = CompiledScanners(classes, automata), b""
    if any(token.flags & TOUCHING for token in tokens):
        scanners, properties = with_properties(scanners, white_space(), word())
    changed = {
        Kind.CLASSES: write_classes(scanners.classes),
        Kind.AUTOMATA: write_automata(scanners.automata),
        Kind.ADDED: write_added(tokens, properties),
    }
    sections = [(s.kind, changed.get(s.kind, blob[s.offset : s.end])) for s in container.sections]
    try:
        return Tokenizer.from_bytes(assemble(sections), backend=enc._backend.kind)  # type: ignore[arg-type]
    except ArtifactError as error:
        texts = ", ".join(repr(token.content) for token in new.values())
        raise ValueError(f"cannot add {texts} to {enc.name}: {error}") from error


def with_pretokens(enc: Tokenizer) -> Tokenizer:
    """The same model, or where its spans are characters, another one whose spans are pretokens."""
    found = enc.info.provenance.get(KEY)
    if all(route.units is None for route in enc.info.routes) or not found:
        return enc
    if not _cuts(json.loads(found).get("pre_tokenizer")):
        return enc
    artifact = read_artifact(enc._blob)
    cutting = replace(
        artifact,
        routes=tuple(replace(route, model=0, units=None) for route in artifact.routes),
        models=(BPE(first_id=artifact.n_vocab),),
        template=None,
        decoder=None,
    )
    return Tokenizer.from_bytes(write_artifact(cutting))


def _cuts(component: dict[str, Any] | None) -> bool:
    """Whether a pre-tokenizer makes pretokens."""
    if component is None:
        return False
    if component.get("type") == "Sequence":
        return any(map(_cuts, component["pretokenizers"]))
    return bool(component.get("split", True) and component.get("use_regex", True))


def _forms(enc: Tokenizer, number: int, token: AddedToken) -> list[Added]:
    """An added token; one of normalized text is found by its normalized form, if any is left."""
    flags = Flag(sum(flag for name, flag in FLAGS.items() if getattr(token, name)))
    form = enc._form(token.content).decode() if token.normalized else token.content
    hidden = [] if form == token.content else [Added(token.content, number, Flag.HIDDEN)]
    return [*([Added(form, number, flags)] if form else []), *hidden]


def _one_of_a_form(tokens: Sequence[Added]) -> list[Added]:
    """By id, without those of a normalized form that another is found by.

    The one counts that is so spelled, or else the first; fast tokenizers leave it to chance.
    """
    rewritten = {token.id for token in tokens if token.flags & Flag.HIDDEN}
    found: dict[str, Added] = {}
    for token in sorted(tokens, key=lambda token: token.id in rewritten):
        if token.flags & Flag.NORMALIZED:
            found.setdefault(token.text, token)
    kept = (t for t in tokens if not t.flags & Flag.NORMALIZED or found[t.text] is t)
    return sorted(kept, key=lambda token: token.id)


def _stated(blob: bytes, new: Sequence[Added]) -> bytes:
    """An artifact whose models keep their ids where added tokens are given them, too."""
    artifact = read_artifact(blob)

    def stated(model: Model, ids: Sequence[int | None]) -> Model:
        known = {*ids}
        given = [token for token in new if token.id in known]
        same = all(artifact.decoded[token.id] == token.text.encode() for token in given)
        of_bytes = isinstance(model, BPE) and not model.units  # which share no id with other texts
        if not given or ((same or of_bytes) and model.id_policy is not Ids.STEP):
            return model
        return replace(model, id_policy=Ids.STATED, stated=ids)

    models = map(stated, artifact.models, artifact.token_ids)
    return write_artifact(replace(artifact, models=tuple(models)))
