"""A tokenizer.json for a model of SentencePiece: a BPE over characters, or Unigram.

The components are those that transformers would run, but for white space, which they treat as
SentencePiece does. What is written is imported again and compared.
"""

from __future__ import annotations

import base64
from typing import Any

from wwho.errors import ExportError, WwhoError
from wwho.exporters.exported import few
from wwho.exporters.sentencepiece import normalizer_flags
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Flag, Unknown
from wwho.format.viterbi import Viterbi
from wwho.importers.huggingface.read import make
from wwho.importers.reader import Options
from wwho.importers.source import Source
from wwho.interchange.charsmap import write_charsmap
from wwho.interchange.sentencepiece import MARKER, Model

Json = dict[str, Any]

CLUSTERS = (
    "tokenizers looks up graphemes in the charsmap, SentencePiece the longest text: after a "
    "character that it replaces, what combines with it may be lost there"
)
WITHIN = "text that the charsmap turns into the text of a special token is that token there"
ROUNDING = (
    "sums of scores are f64 there and f32 here: where two ways to cut a text come within a "
    "rounding of each other, ids may differ"
)


def is_of_pieces(artifact: Artifact) -> bool:
    """Return whether an artifact is a single BPE over characters, or a Unigram model."""
    made = artifact.models[0]
    single = artifact.router is None and len(artifact.models) == 1
    return single and (isinstance(made, Viterbi) or (isinstance(made, BPE) and made.units))


def components(artifact: Artifact) -> tuple[Json, list[str]]:
    """Return the normalizer, the decoder and the model's options, and notes on what differs.

    Raises:
        ExportError: it normalizes text as no SentencePiece does, or puts markers behind words; or
            two tokens merge at one rank.
    """
    flags = normalizer_flags(artifact)
    if flags.suffix or not flags.escape_whitespaces:
        raise ExportError(
            f"{artifact.name} does not put U+2581 before each word, as a tokenizer.json is to do"
        )
    notes = [CLUSTERS] if flags.charsmap.rules else []
    decoders: list[Json] = [_replace({"String": MARKER}, " "), {"type": "ByteFallback"}]
    decoders.append({"type": "Fuse"})
    if flags.add_dummy_prefix:
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {
        "normalizer": {"type": "Sequence", "normalizers": _normalizers(flags)},
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": _model(artifact),
    }, notes


def _normalizers(flags: Model) -> list[Json]:
    """Return the normalizers that do what the flags of SentencePiece say, in order.

    They are Precompiled if there is a charsmap, two Replace that take spaces off the ends, the
    Replace that writes markers for spaces, and Prepend for a prefix.

    Raises:
        ExportError: the charsmap cannot be written.
    """
    found: list[Json] = []
    if flags.charsmap.rules:
        data = base64.b64encode(write_charsmap(flags.charsmap.rules)).decode()
        found.append({"type": "Precompiled", "precompiled_charsmap": data})
    if flags.remove_extra_whitespaces:
        found.append(_replace({"Regex": r"\A +"}, ""))
        found.append(_replace({"Regex": rf"[ {MARKER}]+\z"}, ""))
    repeated = {"Regex": " +"} if flags.remove_extra_whitespaces else {"String": " "}
    found.append(_replace(repeated, MARKER))
    if flags.add_dummy_prefix:
        found.append({"type": "Prepend", "prepend": MARKER})
    return found


def _replace(pattern: Json, content: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _model(artifact: Artifact) -> Json:
    """Return the options of the one model, Unigram or BPE, without vocabulary and merges.

    Raises:
        ExportError: two tokens merge at one rank.
    """
    made = artifact.models[0]
    fallback = made.unknown is Unknown.BYTES
    if isinstance(made, Viterbi):
        return {"type": "Unigram", "unk_id": made.unk_id, "byte_fallback": fallback}
    assert isinstance(made, BPE)
    if made.ties:
        raise ExportError(
            f"{len(made.ties)} tokens of {artifact.name} merge at the same rank as others, which a "
            "list of merges cannot say"
        )
    unknown = next((each.text for each in artifact.added if each.id == made.unk_id), None)
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": made.fuse,
        "byte_fallback": fallback,
        "ignore_merges": False,
    }


def unigram_vocabulary(artifact: Artifact, model: Viterbi) -> list[list[Any]]:
    """Return the text and the score, a list of both, for each id of a Unigram model from 0 on.

    Added tokens stand among them, since the ids of such a model are places in its list. They have
    the lowest score: a lower one would lower that of unknown characters.

    Raises:
        ExportError: an id has no token, or a token is there that text never becomes.
    """
    tokens = zip(artifact.token_ids[0], model.texts, model.scores, strict=True)
    found: dict[int, tuple[str, float]] = {
        number: (text.decode(), score) for number, text, score in tokens if number is not None
    }
    lowest = min(model.scores)
    found |= {n: (f"<0x{byte:02X}>", lowest) for byte, n in enumerate(model.byte_ids) if n}
    never = [
        token.text
        for token in artifact.added
        if token.flags & Flag.HIDDEN and token.id not in found and token.id != model.unk_id
    ]
    if never:
        raise ExportError(
            f"{artifact.name} has tokens that no text becomes, which a tokenizer.json of a Unigram "
            f"model would find: {few(never)}"
        )
    for token in artifact.added:
        found.setdefault(token.id, (token.text, lowest))
    gap = next((number for number in range(max(found)) if number not in found), None)
    if gap is not None:
        raise ExportError(
            f"{artifact.name} has no token {gap}; the ids of a Unigram model are places in a list"
        )
    return [list(found[number]) for number in range(len(found))]


def check_document(content: Json, artifact: Artifact) -> None:
    """Raise an error if a document is imported as another model.

    Raises:
        ExportError: it has other tokens, scores or merges, or cannot be imported. A Unigram model
            may have more tokens: the added ones are among them.
    """
    try:
        again = make(content, Source("tokenizer.json", b""), Options(), "").artifact
    except WwhoError as error:
        raise ExportError(f"{artifact.name} cannot be a tokenizer.json: {error}") from error
    ours, theirs = _told(artifact), _told(again)
    if missing := ours - theirs:
        raise ExportError(
            f"a tokenizer.json of {artifact.name} would be another model: it lacks "
            f"{min(map(repr, missing))}"
        )
    if isinstance(artifact.models[0], BPE) and (odd := theirs - ours):
        raise ExportError(
            f"a tokenizer.json of {artifact.name} would be another model: it has "
            f"{min(map(repr, odd))} as well"
        )


def _told(artifact: Artifact) -> set[object]:
    """Return the facts that tell an artifact's one model from others, for two to be compared.

    Of a Unigram model, these are triples of text, id and score; of a BPE, pairs of text and id, and
    pairs of a merge's number in order, from 0, and the two texts that it joins. Texts are bytes, an
    id is None for a token that has none. Added tokens, and all that is not the model, do not count.
    """
    (made,) = artifact.models
    ids = artifact.token_ids[0]
    if isinstance(made, Viterbi):
        return {*zip(made.texts, ids, made.scores, strict=True)}
    assert isinstance(made, BPE)
    texts = made.texts
    merges = enumerate((texts[left], texts[right]) for left, right in made.merges)
    return {*merges, *zip(texts, ids, strict=True)}
