"""A tokenizer.json as an artifact."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from wwho.assemble.fold import fold
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import PatternError, SourceError
from wwho.format.decoder import Decoder, Unspell
from wwho.format.layout import MAX_LISTED_STEPS, MAX_TOKEN_BYTES
from wwho.format.model import Artifact, Flag, Route
from wwho.format.steps import Cut, Rewrite, Spell, Step, bytes_of_stand_ins, stand_in
from wwho.importers.huggingface import (
    decoders,
    models,
    normalizers,
    post_processors,
    pre_tokenizers,
)
from wwho.importers.huggingface.added import (
    NEEDS_PROPERTIES,
    Listed,
    added_tokens,
    ids_of,
    read_listed,
)
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.mistral import with_right_pattern
from wwho.importers.huggingface.models.vocabulary import Around, Vocabulary
from wwho.importers.huggingface.normalizers.replace import INSERTS
from wwho.importers.huggingface.patterns import Patterns, settle, settle_rewrite
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import JSON_BEGINS, Source, shown
from wwho.interchange.tokenizer_json import KEY, with_charsmap
from wwho.reference.decode import listed_texts

Read = TypeVar("Read")

ENGINE = "tokenizers 0.23.3"
PARTS = {
    "version",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
}
COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
VOCABULARY = {"vocab", "merges"}
MOST_NAMED = 5
"""Tokens that a note shows."""
MOST_KEPT = 1 << 14
"""Characters of JSON that the record may keep."""
IGNORED = {
    "truncation": "the caller says how long a text may be",
    "padding": "the caller says how rows are filled",
}


def sniff(source: Source) -> bool:
    """Return whether a JSON object has the keys of a tokenizer.json."""
    document = source.document
    return isinstance(document.get("model"), dict) and "vocab" in document["model"]


def read(source: Source, options: Options) -> Imported:
    """Return the model of a tokenizer.json.

    Raises:
        SourceError: it holds what no artifact can.
        ArtifactError: its vocabulary is no BPE that an artifact can hold.
    """
    document, warnings = with_right_pattern(source.document, source, options.fix_mistral_regex)
    return make(document, source, options, READER.kind, *warnings)


def make(
    document: dict[str, Any], source: Source, options: Options, kind: str, *notes: str
) -> Imported:
    """Return the model of a document like a tokenizer.json, in the form that runs fast.

    Args:
        document: the document.
        source: the file that it is from, for what lies beside it.
        options: what the caller says.
        kind: what the file is, with an article.
        notes: what a user should know of the document; they come first.

    Raises:
        SourceError: it holds what no artifact can.
        ArtifactError: its vocabulary is no BPE that an artifact can hold.
    """
    artifact, found = literal(document, source, options)
    folded = fold(artifact)
    check_size(Value(document), folded)
    decoder = artifact.decoder
    own: frozenset[int] = frozenset()
    if decoder is not None and Unspell() in decoder.steps and not options.like_tokenizers:
        own = frozenset(decoder.surfaces) & {token.id for token in artifact.added}
    return Imported(
        artifact=folded, kind=kind, engine=ENGINE, notes=(*notes, *found), own_texts=own
    )


def literal(
    document: dict[str, Any],
    source: Source,
    options: Options,
    rewrites: Callable[[Patterns], list[Rewrite]] | None = None,
) -> tuple[Artifact, tuple[str, ...]]:
    """Return the model of a document, step by step as the library does it, and notes.

    The normalizer's steps come first, then those of the pre-tokenizer, then a model of characters.
    It may have more steps than a file may; `fold` needs fewer.

    Args:
        document: the document.
        source: the file that it is from, for what lies beside it.
        options: what the caller says.
        rewrites: gives the steps of a normalizer that takes the place of the document's, whose
            patterns it adds; None: the document's counts.

    Raises:
        SourceError: it holds what no artifact can.
        ArtifactError: its vocabulary is no BPE that an artifact can hold.
    """
    root = Value(document)
    if root.raw.get("version", "1.0") != "1.0":
        root.at("version").fail(f'found {shown(root.raw["version"])}, expected "1.0"')
    patterns, listed = Patterns(), read_listed(root)
    normalizer = _read_placed(
        root.at("normalizer"),
        lambda value: rewrites(patterns) if rewrites else normalizers.steps(value, patterns),
    )
    route = _read_placed(
        root.at("pre_tokenizer"), lambda value: pre_tokenizers.steps(value, patterns)
    )
    if any(isinstance(step, Spell) for step in route) and normalizers.may_insert_in_front(
        root.at("normalizer")
    ):
        root.at("pre_tokenizer").fail(INSERTS)
    around = Around(
        added=ids_of(listed),
        special={each.text for each in listed if each.flags & Flag.SPECIAL},
        spelled=_ends_in_byte_level_spelling([*normalizer, *route]),
        normalized=bool(normalizer),
    )
    vocabulary = models.read(root.at("model"), around)
    record = options.record(source) | {"engine": ENGINE, "unicode": UNICODE_VERSION}
    # Which added tokens are the model's, too, cannot be told from ids.
    record["vocab_size"] = str(len(root.at("model").at("vocab").raw))
    record |= settings_beside(source) | components(root.raw)
    like_library = options.like_tokenizers
    if like_library:
        record["like_tokenizers"] = "true"
    artifact, notes = _assemble(
        root, patterns, normalizer, route, vocabulary, listed, record, like_library
    )
    return artifact, (*vocabulary.notes, *_notes_on_omissions(root, source, listed), *notes)


def _read_placed(value: Value, read_component: Callable[[Value], Read]) -> Read:
    """Return what a function makes of a component; an error of a pattern says where that stands.

    Raises:
        SourceError: the pattern cannot be compiled, or as the function does.
    """
    try:
        return read_component(value)
    except PatternError as error:
        raise SourceError(f"{value.pointer}: {error}", pointer=value.pointer) from error


def _ends_in_byte_level_spelling(steps: list[Step]) -> bool:
    """Return whether the last step that rewrites writes all of a text in ByteLevel's alphabet."""
    rewrites = [step for step in steps if not isinstance(step, Cut)]
    return bool(rewrites) and isinstance(rewrites[-1], Spell)


def _assemble(
    root: Value,
    patterns: Patterns,
    normalizer: list[Rewrite],
    route: list[Step],
    vocabulary: Vocabulary,
    listed: list[Listed],
    record: Mapping[str, str],
    like_library: bool,
) -> tuple[Artifact, tuple[str, ...]]:
    """Return the artifact of all components, and the notes on its added tokens alone.

    Args:
        root: the document, for the post-processor, the decoder, and the places in messages.
        patterns: the patterns of the steps. The units of the vocabulary are added to them, if it
            has any, and then they are compiled.
        normalizer: the normalizer's steps, not yet settled: as they were before their patterns
            were compiled.
        route: the pre-tokenizer's steps, not yet settled either.
        vocabulary: the model with its ids.
        listed: the added tokens that the document lists.
        record: the provenance.
        like_library: whether added tokens decode as in `tokenizers` where that breaks their text.

    Raises:
        SourceError: a pattern cannot be compiled or run, two added tokens are found by one text,
            or the post-processor or the decoder cannot be represented.
    """
    units = None
    if vocabulary.units is not None:
        units = patterns.number_of("characters", vocabulary.units)
    marked = any(each.flags & NEEDS_PROPERTIES for each in listed)
    scanners, properties = _read_placed(
        root.at("pre_tokenizer"), lambda _: patterns.compile(properties=marked)
    )
    normalizer = _read_placed(
        root.at("normalizer"), lambda _: [settle_rewrite(step, scanners) for step in normalizer]
    )
    added = added_tokens(listed, vocabulary, normalizer, scanners, ENGINE)
    needed = any(token.flags & NEEDS_PROPERTIES for token in added.tokens)
    everything = {**vocabulary.ids, **ids_of(listed)}
    artifact = Artifact(
        scanners=scanners,
        routes=(
            Route(
                "text",
                model=0,
                steps=tuple(settle(step, scanners) for step in route),
                units=units,
            ),
        ),
        models=(vocabulary.model,),
        added=added.tokens,
        properties=properties if needed else b"",
        normalizer=tuple(normalizer),
        template=post_processors.read(root.at("post_processor"), everything),
        decoder=Decoder(continuing=vocabulary.continuing),
        provenance=record,
    )
    decoder = decoders.read(
        root.at("decoder"),
        continuing=vocabulary.continuing,
        texts=lambda: {**artifact.decoded, **listed_texts(artifact)},
    )
    notes: tuple[str, ...] = ()
    if not like_library:
        # Of a token that is found in another form, the text that the document lists.
        own = {each.id: each.text for each in listed if each.text not in vocabulary.ids}
        decoder, notes = with_own_texts(decoder, own)
    return replace(artifact, decoder=decoder), (*added.notes, *notes)


def with_own_texts(decoder: Decoder, added: Mapping[int, str]) -> tuple[Decoder, tuple[str, ...]]:
    """Return a decoder by which added tokens decode to their texts, and notes on those it changes.

    ByteLevel's decoder takes the letters of a token such as "é" for bytes, which are then no text.

    Args:
        decoder: the decoder.
        added: the texts of the added tokens that are none of the model's own, by id.
    """
    if Unspell() not in decoder.steps:
        return decoder, ()
    changed = {
        number: text
        for number, text in added.items()
        if not text.isascii() and bytes_of_stand_ins(text) is not None
    }
    spelled = {
        number: "".join(chr(stand_in(byte)) for byte in text.encode()).encode()
        for number, text in changed.items()
    }
    if not changed:
        return decoder, ()
    texts = ", ".join(sorted(map(repr, changed.values()))[:MOST_NAMED])
    note = (
        f"{len(changed)} added tokens decode to their texts, such as {texts}; tokenizers makes "
        "other bytes of them, as --like-tokenizers does"
    )
    return replace(decoder, surfaces={**decoder.surfaces, **spelled}), (note,)


def check_size(root: Value, artifact: Artifact) -> None:
    """Refuse a document that takes more than a file may have.

    Raises:
        SourceError: there are too many steps in the normalizer or in the route, or a token is too
            long.
    """
    (route,), (model,) = artifact.routes, artifact.models
    for part, steps in (
        ("normalizer", artifact.normalizer),
        ("pre_tokenizer", artifact.second),
        ("pre_tokenizer", route.steps),
    ):
        if len(steps) > MAX_LISTED_STEPS:
            root.at(part).fail(f"it takes {len(steps)} steps; {MAX_LISTED_STEPS} are possible")
    longest = max(model.texts, key=len, default=b"")
    if len(longest) > MAX_TOKEN_BYTES:
        root.at("model").at("vocab").fail(
            f"a token of {len(longest)} bytes; {MAX_TOKEN_BYTES} are possible: "
            f"{shown(longest.decode('utf-8', 'replace'))}"
        )


def _notes_on_omissions(root: Value, source: Source, listed: list[Listed]) -> list[str]:
    """Return notes on what of a document, and of the files beside it, is left out, and why."""
    notes = [
        f"ignored: {key}; {why}" for key, why in IGNORED.items() if root.raw.get(key) is not None
    ]
    notes += [
        f"ignored: {key!r}, which tokenizers does not read"
        for key in root.raw
        if key not in PARTS | IGNORED.keys()
    ]
    if beyond := sorted(_texts_beside(source) - {each.text for each in listed}):
        notes.append(
            f"left out: {', '.join(beyond)}; tokenizer_config.json lists them, and this file does "
            "not (wwho.hf adds them)"
        )
    return notes


def components(document: Mapping[str, Any]) -> dict[str, str]:
    """Return a document's components and model without vocabulary, as JSON, for the record.

    The result has one key, `KEY`, whose value is an object with those of `COMPONENTS` that are not
    null, and "model", the model without `VOCABULARY`; in at most `MOST_KEPT` characters.

    An export cannot tell the components from tables, but for a charsmap, which is a table: of a
    document that would be large with it, the charsmap is kept as "". A document that is large all
    the same goes without: then the result is empty.
    """
    kept = {name: document.get(name) for name in COMPONENTS if document.get(name) is not None}
    model = {key: value for key, value in document["model"].items() if key not in VOCABULARY}
    for content in (kept, with_charsmap(kept, "")):
        text = json.dumps({**content, "model": model}, ensure_ascii=False, separators=(",", ":"))
        if len(text) <= MOST_KEPT:
            return {KEY: text}
    return {}


def settings_beside(source: Source) -> dict[str, str]:
    """Return the tokens with roles and the chat template of the files beside one, for the record.

    The files are tokenizer_config.json and chat_template.jinja, whose template counts before.

    Raises:
        SourceError: tokenizer_config.json is damaged.
    """
    found: dict[str, str] = {}
    document = source.json_beside()
    for key, value in document.items():
        text = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and isinstance(text, str):
            found[key] = text
    template = document.get("chat_template")
    if template:
        found["chat_template"] = template if isinstance(template, str) else json.dumps(template)
    if (file := source.beside("chat_template.jinja")) is not None:
        found["chat_template"] = file.data.decode("utf-8", "replace")
    return found


def _texts_beside(source: Source) -> set[str]:
    """Return the added tokens that tokenizer_config.json names: by ids, by names, and in lists."""
    settings = source.json_beside()
    tokens: list[Any] = [value for key, value in settings.items() if key.endswith("_token")]
    for key in ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"):
        value = settings.get(key)
        if isinstance(value, dict):
            tokens += value.values()
        elif isinstance(value, list):
            tokens += value
    texts = (each.get("content") if isinstance(each, dict) else each for each in tokens)
    return {text for text in texts if isinstance(text, str) and text}


READER = Reader(
    kind="a tokenizer.json of Hugging Face",
    begins=JSON_BEGINS,
    sniff=sniff,
    read=read,
    takes=frozenset({"fix_mistral_regex", "like_tokenizers"}),
    marks=('"vocab"',),
)
