"""A tokenizer.json as an artifact."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from wwho.assemble.bpe import safe_cuts
from wwho.assemble.fuse import fuse
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import ArtifactError, PatternError, SourceError
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.decoder import Decoder
from wwho.format.greedy import Greedy
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Action, Added, Artifact, Flag, Route
from wwho.format.normalizer import MAX_STEPS
from wwho.format.steps import stood_for
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.around import read_decoder, read_template
from wwho.importers.huggingface.cutting import add_pretokenizer, cut_words
from wwho.importers.huggingface.document import Value
from wwho.importers.huggingface.draft import ANY, MAX_STAGES, NONCHARACTERS, Draft
from wwho.importers.huggingface.rewriting import add_normalizer
from wwho.importers.huggingface.vocabularies import Vocabulary, read_model
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source, shown
from wwho.reference.decoding import listed_texts
from wwho.reference.rewrite import normalize

ENGINE = "tokenizers 0.23.3"
Listed = tuple[str, Flag, int | None]
"""An added token: its text, how it is found, and the id of the file."""
PARTS = {
    "version",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
}
KEY = "components"
"""What the record calls the components of a tokenizer.json."""
COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
VOCABULARY = {"vocab", "merges"}
MOST_KEPT = 1 << 14
"""Characters of JSON."""
IGNORED = {
    "truncation": "the caller says how long a text may be",
    "padding": "the caller says how rows are filled",
}


def sniff(source: Source) -> bool:
    """Whether it has the keys of a tokenizer.json."""
    if not source.is_json:
        return False
    document = source.document
    return isinstance(document.get("model"), dict) and "vocab" in document["model"]


def read(source: Source, options: Options) -> Imported:
    """Make the model."""
    return make(source.document, source, options, READER.kind)


def make(
    document: dict[str, Any], source: Source, options: Options, kind: str, *notes: str
) -> Imported:
    """Make the model of a document like a tokenizer.json.

    Raises:
        SourceError: it holds what no artifact can.
        ArtifactError: its vocabulary is no BPE that an artifact can hold.
    """
    root = Value(document)
    if root.raw.get("version", "1.0") != "1.0":
        root.at("version").fail(f'found {shown(root.raw["version"])}, expected "1.0"')
    bytes_alone = not (spells(root.raw) and loses_bytes(root))
    try:
        return _make(root, source, options, kind, *notes, spelled=not bytes_alone)
    except (SourceError, ArtifactError) as error:
        # Slower, but all can be said of characters that stand for bytes.
        if bytes_alone and spells(root.raw) and (root.at("model").raw or {}).get("dropout") is None:
            with suppress(SourceError, ArtifactError, PatternError):
                return _make(root, source, options, kind, *notes, spelled=True)
        raise error


def spells(raw: Any) -> bool:
    """Whether a component spells texts in the characters that stand for bytes."""
    found = [raw.get("normalizer"), raw.get("pre_tokenizer")]
    while found:
        each = found.pop()
        if isinstance(each, dict):
            if each.get("type") == "ByteLevel":
                return True
            for key in ("normalizers", "pretokenizers"):
                inner = each.get(key)
                found += inner if isinstance(inner, list) else []
    return False


def loses_bytes(root: Value) -> bool:
    """Whether texts do not simply become bytes again, as the decoder takes tokens for others."""
    decoder = root.at("decoder").raw
    while isinstance(decoder, dict) and decoder.get("type") == "Sequence":
        first = decoder.get("decoders")
        decoder = first[0] if isinstance(first, list) and first else None
    return not isinstance(decoder, dict) or decoder.get("type") != "ByteLevel"


def _make(
    root: Value, source: Source, options: Options, kind: str, *notes: str, spelled: bool
) -> Imported:
    draft = Draft(notes=list(notes), spelled=spelled)
    listed = added_tokens(root)
    draft.private = private(root, listed)
    with_patterns(root.at("normalizer"), draft, add_normalizer)
    byte_level_text = draft.byte_level
    if byte_level_text and root.at("pre_tokenizer").raw is not None:
        root.at("pre_tokenizer").fail("a pre-tokenizer after the normalizer ByteLevel cuts bytes")
    if byte_level_text and any(
        flags & Flag.NORMALIZED and flags != Flag.NORMALIZED for _, flags, _ in listed
    ):
        root.at("added_tokens").fail(
            "a normalized token after the normalizer ByteLevel looks at characters that stand for "
            'bytes; set its "normalized" to false, or its other flags'
        )
    if any(flags & Flag.NORMALIZED for _, flags, _ in listed):
        draft.ideographs = None  # Such a token may be found in the spaces around them, or beside.
    with_patterns(root.at("pre_tokenizer"), draft, add_pretokenizer)
    special = {text for text, flags, _ in listed if flags & Flag.SPECIAL}
    vocabulary = read_model(root.at("model"), draft, listed_ids(root, listed), special)
    if len(draft.stages) > MAX_STAGES:
        root.at("pre_tokenizer").fail(
            f"it cuts {len(draft.stages)} times; {MAX_STAGES} times are possible"
        )
    for key, why in IGNORED.items():
        if root.raw.get(key) is not None:
            draft.notes.append(f"ignored: {key}; {why}")
    draft.notes += [
        f"ignored: {key!r}, which tokenizers does not read"
        for key in root.raw
        if key not in PARTS | IGNORED.keys()
    ]
    if beyond := sorted(_texts_beside(source) - {text for text, _, _ in listed}):
        draft.notes.append(
            f"left out: {', '.join(beyond)}; tokenizer_config.json lists them, and this file does "
            "not (wwho.hf adds them)"
        )
    record = options.record(source) | {"engine": ENGINE, "unicode": UNICODE_VERSION}
    # Which added tokens are the model's, too, cannot be told from ids.
    record["vocab_size"] = str(len(root.at("model").at("vocab").raw))
    record |= settings_beside(source) | components(root.raw)
    artifact = assemble(root, draft, vocabulary, listed, record)
    return Imported(artifact=artifact, kind=kind, engine=ENGINE, notes=tuple(draft.notes))


def with_patterns(value: Value, draft: Draft, add: Callable[[Value, Draft], None]) -> None:
    """Add a component; an error of a pattern says where it stands."""
    try:
        add(value, draft)
    except PatternError as error:
        raise SourceError(f"{value.pointer}: {error}", pointer=value.pointer) from error


def private(root: Value, listed: Sequence[Listed]) -> str:
    """Noncharacters that no token has."""
    vocab = (root.at("model").raw or {}).get("vocab") or ()
    texts = (text if isinstance(text, str) else str(text) for text in vocab)
    taken = {char for text in (*texts, *(text for text, _, _ in listed)) for char in text}
    return "".join(each for each in NONCHARACTERS if each not in taken)[:9]


def added_tokens(root: Value) -> list[Listed]:
    """The added tokens in the order of the list."""
    found: dict[str, Listed] = {}
    if root.raw.get("added_tokens") is None:
        return []
    for value in root.items("added_tokens"):
        text = value.text("content")
        flags = Flag(0)
        for key, flag in (
            ("special", Flag.SPECIAL),
            ("lstrip", Flag.LSTRIP),
            ("rstrip", Flag.RSTRIP),
            ("single_word", Flag.SINGLE_WORD),
            ("normalized", Flag.NORMALIZED),
        ):
            flags |= flag if value.flag(key) else Flag(0)
        if len(text.encode()) > MAX_TOKEN_BYTES:
            value.at("content").fail(
                f"a token of {len(text.encode())} bytes; {MAX_TOKEN_BYTES} are possible"
            )
        if text:
            found.setdefault(text, (text, flags, value.number("id")))
    return list(found.values())


def listed_ids(root: Value, listed: Sequence[Listed]) -> dict[str, int]:
    """The ids that the engine gives to added tokens, which need not be those of the file."""
    vocab = root.at("model").at("vocab").raw
    if isinstance(vocab, list):
        known = {
            piece[0]: number
            for number, piece in enumerate(vocab)
            if isinstance(piece, list) and piece and isinstance(piece[0], str)
        }
        size = len(vocab)
    else:
        known, size = (vocab if isinstance(vocab, dict) else {}), len(vocab or ())
    news = (text for text, _, _ in listed if text not in known)
    return {text: known[text] for text, _, _ in listed if text in known} | {
        text: number for number, text in enumerate(news, size)
    }


def assemble(
    root: Value,
    draft: Draft,
    vocabulary: Vocabulary,
    listed: Sequence[Listed],
    record: Mapping[str, str],
) -> Artifact:
    """Put all parts together."""
    ids = listed_ids(root, listed)
    units = None
    if isinstance(vocabulary.model, BPE) and vocabulary.model.units:
        units = draft.scanner("characters", vocabulary.unit)
        if not draft.stages and vocabulary.unit == ANY and (piece := safe_cuts(vocabulary.model)):
            draft.stage("safe cuts", (piece, Action.KEEP))
    if isinstance(vocabulary.model, Viterbi):
        unk_id = vocabulary.model.unk_id
        unk = next((text for text, number in vocabulary.ids.items() if number == unk_id), "")
        cut_words(draft, vocabulary.model, unk)
    needs = Flag.LSTRIP | Flag.RSTRIP | Flag.SINGLE_WORD
    scanners, properties = draft.compiled(any(flags & needs for _, flags, _ in listed))
    added = _added(root, draft, vocabulary, listed, ids, scanners)
    everything = {**vocabulary.ids, **ids}
    prefix = root.at("model").raw.get("continuing_subword_prefix")
    continuing = prefix if isinstance(vocabulary.model, Greedy) and prefix else ""
    stages = tuple(draft.stages)
    route = Route("text", model=0, stages=tuple(range(len(stages))), units=units)
    artifact = Artifact(
        scanners=scanners,
        routes=(route,),
        models=(vocabulary.model,),
        stages=stages,
        added=added,
        properties=properties if any(token.flags & needs for token in added) else b"",
        normalizer=tuple(draft.normalizer),
        rewriting=tuple(draft.rewriting),
        within=tuple(draft.within),
        template=read_template(root.at("post_processor"), everything, byte_level=draft.byte_level),
        decoder=Decoder(continuing=continuing),
        provenance=record,
    )
    decoder = read_decoder(
        root.at("decoder"),
        byte_level=draft.byte_level,
        continuing=continuing,
        before=vocabulary.decoding,
        texts=lambda: {**artifact.decoded, **listed_texts(artifact)},
    )
    own = {*ids.values()}
    told = stood_for_bytes(token for token in added if token.id in own)
    if draft.byte_level and told:
        decoder = replace(decoder or Decoder(), surfaces=told)
    fused = fuse(replace(artifact, decoder=decoder))
    if (n_steps := len(fused.steps)) > MAX_STEPS:
        root.at("normalizer").fail(
            f"it takes {n_steps} steps with those of the pre-tokenizer; {MAX_STEPS} are possible"
        )
    return fused


def _added(
    root: Value,
    draft: Draft,
    vocabulary: Vocabulary,
    listed: Sequence[Listed],
    ids: Mapping[str, int],
    scanners: CompiledScanners,
) -> tuple[Added, ...]:
    """The added tokens as they are found, and the tokens that only decode, by ascending id."""
    owners = {number: text for text, number in vocabulary.ids.items()}
    bytes_alone = isinstance(vocabulary.model, BPE) and not vocabulary.model.units
    added: list[Added] = []
    places: dict[str, int] = {}
    last = {ids[text]: text for text, _, _ in listed}
    forms_of = {text: spelled(text, ids[text], flags, draft, scanners) for text, flags, _ in listed}
    # By which normalized tokens are found: those that are so spelled, or else the first.
    normalized = [text for text, flags, _ in listed if flags & Flag.NORMALIZED]
    normalized.sort(key=lambda text: len(forms_of[text]))
    finders = {forms_of[text][0].text: text for text in reversed(normalized)}
    moved = 0
    rewritten: list[str] = []
    for place, (text, flags, stated) in enumerate(listed):
        number, value = ids[text], root.at("added_tokens").at(place)
        forms = forms_of[text]
        if last[number] != text:
            if len(forms) > 1:
                value.fail(f"the id {number} of {shown(last[number])} decodes to {shown(text)}")
            draft.notes.append(
                f"ignored: the added token {shown(text)}; {ENGINE} gives its id {number} to "
                f"{shown(last[number])}, too, and finds only that"
            )
            continue
        bare = draft.byte_level and not text.isascii() and text not in vocabulary.hidden
        if text in vocabulary.ids and bare:
            value.fail(f"{shown(text)} gets the id {number} of a token that stands for other bytes")
        if bytes_alone and owners.get(number, text) != text:
            value.fail(
                f"{shown(text)} gets the id {number}, which is that of {shown(owners[number])}"
            )
        moved += stated != number
        if not forms[0].text:
            value.fail(
                f"nothing is left of its normalized text, found {shown(text)}; set its "
                '"normalized" to false'
            )
        found, *hidden = forms
        if hidden and finders[found.text] != text:
            draft.notes.append(
                f"the added token {shown(text)} is found as {shown(found.text)}, as another is, "
                f"which it then becomes; {ENGINE} takes either, by chance"
            )
            forms = hidden
        elif hidden and flags & Flag.SPECIAL:
            rewritten.append(text)
        for form in forms:
            if (other := places.setdefault(form.text, place)) != place:
                value.fail(
                    f"{shown(text)} is found as {shown(form.text)}, as is that of "
                    f"/added_tokens/{other}; an artifact has one token of a text: remove one"
                )
        added += forms
    if rewritten:
        draft.notes.append(
            f"{', '.join(rewritten)}: found in every text, also if not allowed; as they are "
            f"normalized, {ENGINE} takes them for special no more"
        )
    if moved:
        draft.notes.append(
            f"{moved} added tokens have other ids than the file says: {ENGINE} gives a token that "
            "the model has the model's id, and the others the next ones"
        )
    taken = {token.text for token in added}
    for text, number in vocabulary.hidden.items():
        if text and text not in taken:
            added.append(Added(text, number, Flag.HIDDEN))
    return tuple(sorted(added, key=lambda token: token.id))


def spelled(
    text: str, number: int, flags: Flag, draft: Draft, scanners: CompiledScanners
) -> list[Added]:
    """An added token; one of normalized text is found by its own normalized form."""
    steps = draft.normalizer if flags & Flag.NORMALIZED else ()
    form = normalize(steps, text.encode(), scanners)[0].decode()
    if form == text:
        return [Added(text, number, flags)]
    # It decodes to that form, too: the first text of an id counts. What is special is known by its
    # text there, so a token that is rewritten is not.
    flags &= ~Flag.SPECIAL
    hidden = Added(text, number, Flag.HIDDEN)
    return [Added(form, number, flags), hidden]


def stood_for_bytes(added: Iterable[Added]) -> dict[int, bytes]:
    """Added tokens that decode to others, as all of their characters stand for bytes.

    The first text of an id counts.

    Example:
        >>> stood_for_bytes([Added("Th\u00e9", 5), Added("the", 6), Added("\u0dc1", 7)])
        {5: b'Th\xe9'}
    """
    texts: dict[int, str] = {}
    for token in added:
        texts.setdefault(token.id, token.text)
    found = {number: stood_for(text) for number, text in texts.items() if not text.isascii()}
    return {number: text for number, text in found.items() if text is not None}


def components(document: Mapping[str, Any]) -> dict[str, str]:
    """All of a document but its vocabulary, for the record: an export cannot tell it from tables.

    A document with a large table, such as a charsmap, goes without.
    """
    kept = {name: document.get(name) for name in COMPONENTS if document.get(name) is not None}
    model = {key: value for key, value in document["model"].items() if key not in VOCABULARY}
    text = json.dumps({**kept, "model": model}, ensure_ascii=False, separators=(",", ":"))
    return {KEY: text} if len(text) <= MOST_KEPT else {}


def settings_beside(source: Source) -> dict[str, str]:
    """What tokenizer_config.json and chat_template.jinja say of chats, for the record."""
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
    """The added tokens that tokenizer_config.json lists."""
    listed = source.json_beside().get("added_tokens_decoder")
    tokens = listed.values() if isinstance(listed, dict) else ()
    return {str(each["content"]) for each in tokens if isinstance(each, dict) and "content" in each}


READER = Reader(kind="a tokenizer.json of Hugging Face", sniff=sniff, read=read)
