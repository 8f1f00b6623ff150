"""Models with tokens that transformers adds: the core finds them as it finds the model's own."""

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

FLAG_OF_OPTION = {
    "special": Flag.SPECIAL,
    "lstrip": Flag.LSTRIP,
    "rstrip": Flag.RSTRIP,
    "single_word": Flag.SINGLE_WORD,
    "normalized": Flag.NORMALIZED,
}


def added_tokens_of(info: Info) -> dict[int, AddedToken]:
    """Return the added tokens of a model by id, special or not, as transformers has them."""
    # A token that is found by the normalized form of its text: the model hides the text itself.
    hidden = {token.id: token.text for token in info.added if token.flags & Flag.HIDDEN}
    return {
        token.id: AddedToken(
            hidden.get(token.id, token.text) if token.flags & Flag.NORMALIZED else token.text,
            **{option: bool(token.flags & flag) for option, flag in FLAG_OF_OPTION.items()},
        )
        for token in reversed(info.added)  # of several with one id, the first counts
        if not token.flags & Flag.HIDDEN
    }


def aliases_of(info: Info) -> dict[str, int]:
    """Return the added tokens of a model that decode to the text of another one: texts to ids.

    PLBart finds `<mask>` in a text, and makes the unknown token of it.
    """
    own = added_tokens_of(info)
    return {
        token.text: token.id
        for token in info.added
        if not token.flags & (Flag.HIDDEN | Flag.NORMALIZED) and own[token.id].content != token.text
    }


def with_added_tokens(enc: Tokenizer, added: Mapping[int, AddedToken]) -> Tokenizer:
    """Return a model that finds these added tokens beside its own.

    A token whose id one of the model's own added tokens has takes its place. The result is a new
    model, with the same backend; or `enc` itself, if it has all of these tokens already.

    Args:
        enc: the model.
        added: the added tokens by id; ids may be beyond the model's, or those of its tokens.

    Raises:
        ValueError: the model cannot have these tokens; the message says why.
    """
    own = added_tokens_of(enc.info)
    new = {token_id: token for token_id, token in added.items() if own.get(token_id) != token}
    if not new:
        return enc
    tokens = [token for token in enc.info.added if token.id not in new]
    for token_id, token in new.items():
        tokens += _artifact_forms(enc, token_id, token)
    tokens = _one_token_per_form(tokens)
    blob = enc._blob
    lowest_id = min(new.keys() - own.keys(), default=enc.n_vocab)
    if lowest_id < enc.n_vocab:
        blob = _with_stated_ids(blob, [token for token in tokens if token.id in new])
    # Write only the sections that change, and copy the others as they are.
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


def with_pretoken_spans(enc: Tokenizer) -> Tokenizer:
    """Return a model that cuts a text as `enc` does, and whose spans are pretokens.

    The spans of a model over characters are its characters, even if a pre-tokenizer makes
    pretokens first. If the provenance has such a pre_tokenizer, the result is a new model with the
    same cuts, whose ids mean nothing; otherwise it is `enc` itself.
    """
    record = enc.info.provenance.get(KEY)
    if all(route.units is None for route in enc.info.routes) or not record:
        return enc
    if not _makes_pretokens(json.loads(record).get("pre_tokenizer")):
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


def _makes_pretokens(component: dict[str, Any] | None) -> bool:
    """Return whether a pre_tokenizer of a tokenizer.json cuts text into pretokens.

    A Sequence does if one of its components does. One with `split` or `use_regex` false does not,
    and None (null) neither.
    """
    if component is None:
        return False
    if component.get("type") == "Sequence":
        return any(map(_makes_pretokens, component["pretokenizers"]))
    return bool(component.get("split", True) and component.get("use_regex", True))


def _artifact_forms(enc: Tokenizer, token_id: int, token: AddedToken) -> list[Added]:
    """Return what an artifact needs of an added token: one entry, two, or only a hidden one.

    A token of normalized text is found by the normalized form of its text, if any text is left
    then. If that is another text, a hidden entry has the text itself, which the token decodes to.
    """
    flags = Flag(sum(flag for option, flag in FLAG_OF_OPTION.items() if getattr(token, option)))
    form = enc._normalized_bytes(token.content).decode() if token.normalized else token.content
    found = [Added(form, token_id, flags)] if form else []
    hidden = [] if form == token.content else [Added(token.content, token_id, Flag.HIDDEN)]
    return [*found, *hidden]


def _one_token_per_form(tokens: Sequence[Added]) -> list[Added]:
    """Return added tokens by ascending id, only one of those with the same normalized form.

    It is the token whose text is that form, or else the first; fast tokenizers leave it to chance.
    """
    rewritten_ids = {token.id for token in tokens if token.flags & Flag.HIDDEN}
    token_of_form: dict[str, Added] = {}
    for token in sorted(tokens, key=lambda token: token.id in rewritten_ids):
        if token.flags & Flag.NORMALIZED:
            token_of_form.setdefault(token.text, token)
    kept = (
        token
        for token in tokens
        if not token.flags & Flag.NORMALIZED or token_of_form[token.text] is token
    )
    return sorted(kept, key=lambda token: token.id)


def _with_stated_ids(blob: bytes, new: Sequence[Added]) -> bytes:
    """Return an artifact whose models keep their ids although added tokens get some of these.

    Where a model counts its ids and would no longer have the same ones, they are stated.

    Args:
        blob: the artifact.
        new: the added tokens that will be written into it later.
    """
    artifact = read_artifact(blob)

    def with_stated_ids(model: Model, ids: Sequence[int | None]) -> Model:
        """Return the model of an artifact with stated ids, if it needs them."""
        known_ids = {*ids}
        shared = [token for token in new if token.id in known_ids]
        same_texts = all(artifact.decoded[token.id] == token.text.encode() for token in shared)
        # A BPE over bytes may share no id with another text: stating ids would not change that.
        is_over_bytes = isinstance(model, BPE) and not model.units
        keeps_ids = model.id_policy is not Ids.STEP and (same_texts or is_over_bytes)
        if not shared or keeps_ids:
            return model
        return replace(model, id_policy=Ids.STATED, stated=ids)

    models = map(with_stated_ids, artifact.models, artifact.token_ids)
    return write_artifact(replace(artifact, models=tuple(models)))
