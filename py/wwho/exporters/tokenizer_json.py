"""A tokenizer.json of Hugging Face: one that was imported again, or a byte-level BPE."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from wwho.compile.normal_forms import normal_form
from wwho.compile.oniguruma import parse_oniguruma
from wwho.errors import ExportError, PatternError, WwhoError
from wwho.exporters import tokenizer_json_pieces as pieces
from wwho.exporters.exported import Exported, byte_model, cuts_alike, pattern_of, stand_in
from wwho.format.bpe import BPE
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Artifact, Flag
from wwho.format.steps import Rules
from wwho.format.viterbi import Viterbi
from wwho.format.write import write_artifact
from wwho.importers.huggingface.read import make
from wwho.importers.reader import Options
from wwho.importers.source import Source
from wwho.interchange.charsmap import write_charsmap
from wwho.interchange.tokenizer_json import CHARSMAP, KEY, with_charsmap
from wwho.normalize import FORM

FLAGS = {flag.name.lower(): flag for flag in Flag if flag.name and flag is not Flag.HIDDEN}


def write(artifact: Artifact) -> Exported:
    """Return the model in Hugging Face's format.

    Of a model that was imported from such a file, or from a vocab.txt or vocab.json, the record
    tells the components, and the file is imported again to see that the same model comes of it.

    Raises:
        ExportError: the format cannot express the model, or an added token has the text of a token.
    """
    kept = artifact.provenance.get(KEY)
    if not kept and pieces.is_of_pieces(artifact):
        return _write_pieces(artifact)
    parts = _kept_components(artifact, kept) if kept else byte_level(artifact)
    content = document(artifact, parts)
    if kept and (difference := _difference(content, artifact)):
        raise ExportError(
            f"the tokenizer.json of {artifact.name} would be read as another model: {difference}"
        )
    return _export_document(artifact, content)


def _kept_components(artifact: Artifact, kept: str) -> dict[str, Any]:
    """Return the components of a tokenizer.json that a record keeps, by the names of its members.

    A record leaves the charsmap of a Precompiled normalizer empty, since the artifact's first step
    RULES has the same rules: it is written from these. Without such a step, or without an empty
    charsmap, the components are those of the record as they are.

    Args:
        artifact: the artifact, whose normalizer has the rules of the charsmap.
        kept: the record: the components in JSON.

    Raises:
        ExportError: the charsmap cannot be written.
    """
    parts: dict[str, Any] = json.loads(kept)
    rules = next((step.rules for step in artifact.normalizer if isinstance(step, Rules)), None)
    if rules is None or f'"{CHARSMAP}":""' not in kept:
        return parts
    data = base64.b64encode(write_charsmap(dict(rules))).decode()
    return {part: with_charsmap(value, data) for part, value in parts.items()}


def _export_document(artifact: Artifact, content: Mapping[str, Any], *notes: str) -> Exported:
    """Return the file of a document, with the notes and one on special tokens, if there are any."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    if any(Flag.SPECIAL in token.flags for token in artifact.added):
        notes = ("special tokens are found in every text there, even if not allowed", *notes)
    return Exported(f"{text}\n".encode(), notes)


def _write_pieces(artifact: Artifact) -> Exported:
    """Return the whole tokenizer.json of an artifact with one Viterbi, or one BPE over characters.

    Its components do what SentencePiece does. The template and the decoder of the artifact are not
    written; the notes say so.

    Raises:
        ExportError: the format cannot express the model, or the file would be imported as another.
    """
    (model,) = artifact.models
    parts, notes = pieces.components(artifact)
    if isinstance(model, Viterbi):
        parts["model"]["vocab"] = pieces.unigram_vocabulary(artifact, model)
        content = _layout(artifact.added, parts)
        notes.append(pieces.ROUNDING)
        if parts["normalizer"]["normalizers"][0]["type"] == "Precompiled":
            notes.append(pieces.WITHIN)
    else:
        content = document(artifact, parts)
    pieces.check_document(content, artifact)
    if artifact.template is not None:
        notes.append("what stands around a text is for the caller to add")
    notes.append("ids decode as they do in tokenizers")
    return _export_document(artifact, content, *notes)


def _difference(content: dict[str, Any], artifact: Artifact) -> str:
    """Return how the model that a document is imported as differs from an artifact; "" if not.

    Provenance does not count. A document that cannot be imported gives the message of the error.
    """
    options = Options(like_tokenizers="like_tokenizers" in artifact.provenance)
    try:
        made = make(content, Source("tokenizer.json", b""), options, "").artifact
    except WwhoError as error:
        return str(error)
    made = replace(made, provenance=artifact.provenance)
    if write_artifact(made) == write_artifact(artifact):
        return ""
    ours, theirs = (vocabulary(each, token_texts(each)).items() for each in (artifact, made))
    if not (odd := ours ^ theirs):
        return "what normalizes, cuts or decodes text is not what the record says"
    text, number = min(odd, key=itemgetter(1))
    return f"merges alone say what tokens are made of, and none makes the token {number}, {text!r}"


def byte_level(artifact: Artifact) -> dict[str, Any]:
    """Return the components of a byte-level BPE behind one pattern, without its vocabulary.

    Raises:
        ExportError: the model is none, no regular expression is known to cut as it does, Oniguruma
            would cut otherwise, or the text is normalized.
    """
    if artifact.normalizer == (normal_form(FORM),):
        raise ExportError(
            f"{artifact.name} brings text into the NFC of Unicode 16.0, tokenizers into that of 9.0"
        )
    model = byte_model(artifact)
    options = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False)
    by_bytes = {"type": "ByteLevel", **options}
    pattern = {"Regex": in_oniguruma(artifact, pattern_of(artifact))}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    nothing = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    return {
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, by_bytes]},
        "decoder": by_bytes,
        "model": {
            "type": "BPE",
            **dict.fromkeys(nothing),
            **dict.fromkeys(("fuse_unk", "byte_fallback"), False),
            "ignore_merges": model.model.whole,
        },
    }


def in_oniguruma(artifact: Artifact, pattern: str) -> str:
    r"""Return the pattern that tells Oniguruma to cut as a model's pattern does.

    There `X{1,3}+` is no possessive repetition, but a repetition of `X{1,3}`, and `$` is the end of
    a line. So the `+` behind such braces is left out, and `\s++$` becomes `\s++\z`; nothing else
    is changed. What comes out is read by `parse_oniguruma`, not by Oniguruma itself.

    Args:
        artifact: the artifact, with whose automaton the result is compared.
        pattern: the model's pattern, in the dialect of `parse_regex`.

    Raises:
        ExportError: Oniguruma would cut otherwise, or cannot read the pattern.
    """
    simple = re.sub(r"(\{\d+(?:,\d*)?\})\+", r"\1", pattern).replace(r"\s++$", r"\s++\z")
    try:
        alike = cuts_alike(artifact, parse_oniguruma(simple))
    except PatternError as error:
        raise ExportError(
            f"Oniguruma cannot read the pattern of {artifact.name}: {error}"
        ) from error
    if not alike:
        raise ExportError(f"Oniguruma reads the pattern of {artifact.name} otherwise: {simple}")
    return simple


def document(artifact: Artifact, components: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file's content: the components, the vocabulary of the model, and added tokens.

    Args:
        artifact: the artifact, of one model.
        components: the parts of the file; "model", which must be there, gets the vocabulary and
            merges in a copy.

    Raises:
        ExportError: an added token has the text of a token, or the id of another; or the ids of a
            Unigram model do not count up from 0.
    """
    (model,) = artifact.models
    said = components["model"]
    texts = token_texts(artifact)
    vocab = vocabulary(artifact, texts)
    added = list(_added_tokens_in_file(artifact.added, vocab))
    _number(added, vocab, model.unk_id)
    made: dict[str, Any] = {"vocab": dict(sorted(vocab.items(), key=lambda item: item[1]))}
    if isinstance(model, Viterbi):
        scores = dict(zip(texts, model.scores, strict=True))
        if list(made["vocab"].values()) != list(range(len(scores))):
            raise ExportError(f"the ids of {artifact.name} do not count up, as those of Unigram do")
        made["vocab"] = [[text, scores[text]] for text in made["vocab"]]
    if isinstance(model, BPE):
        made["merges"] = [[texts[left], texts[right]] for left, right in model.merges]
    return _layout(added, {**components, "model": {**said, **made}})


def _layout(added: Iterable[Added], components: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of added tokens and components, of which "model" has the vocabulary.

    Hidden tokens are left out: they are in the vocabulary.
    """
    parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": token.id,
                "content": token.text,
                **{name: flag in token.flags for name, flag in FLAGS.items()},
            }
            for token in added
            if Flag.HIDDEN not in token.flags
        ],
        **{part: components.get(part) for part in parts},
        "model": components["model"],
    }


def token_texts(artifact: Artifact) -> list[str]:
    """Return the texts of the one model's tokens as a tokenizer.json writes them.

    The list is in the order of the model's tokens, not of their ids; added tokens are not in it.
    For a BPE without units, each byte is written as ByteLevel's character that stands for it. The
    texts of every other model are decoded as UTF-8, and those that continue a word (WordPiece) get
    the decoder's prefix.

    Raises:
        UnicodeDecodeError: a token of such another model is not UTF-8.
    """
    (model,) = artifact.models
    if isinstance(model, BPE) and not model.units:
        return [stand_in(text) for text in model.texts]
    texts = [text.decode() for text in model.texts]
    if isinstance(model, Greedy):
        n, prefix = len(model.first), artifact.decoder.continuing if artifact.decoder else ""
        texts[n:] = [prefix + text for text in texts[n:]]
    return texts


def vocabulary(artifact: Artifact, texts: Iterable[str]) -> dict[str, int]:
    """Return the ids of the one model's tokens by text, with those of its bytes as `<0xNN>`.

    Args:
        artifact: the model.
        texts: a text for each of the model's tokens, in order; tokens without an id are left out.
    """
    vocab = {
        text: token
        for text, token in zip(texts, artifact.token_ids[0], strict=True)
        if token is not None
    }
    for byte, token in enumerate(artifact.models[0].byte_ids):
        if token is not None:
            vocab[f"<0x{byte:02X}>"] = token
    return vocab


def _added_tokens_in_file(added: Iterable[Added], vocab: dict[str, int]) -> Iterable[Added]:
    """Yield the added tokens as the file names them, and put hidden ones into the vocabulary.

    A normalized token gets the text of the hidden token with its id, as that is the text before
    the normalizer. Hidden tokens that are left are put into `vocab`, in place, after the last one.

    Raises:
        ExportError: two share an id.
    """
    hidden = {token.id: token.text for token in added if Flag.HIDDEN in token.flags}
    texts: dict[int, str] = {}
    for token in added:
        if Flag.HIDDEN in token.flags:
            continue
        if texts.setdefault(token.id, token.text) != token.text:
            raise ExportError(
                f"the added tokens {texts[token.id]!r} and {token.text!r} share the id {token.id}; "
                "a tokenizer.json has one for each: take tiktoken, whose special tokens may"
            )
        normalized = Flag.NORMALIZED in token.flags
        yield (
            replace(token, text=hidden.pop(token.id))
            if normalized and token.id in hidden
            else token
        )
    vocab |= {text: token for token, text in hidden.items()}


def _number(added: Iterable[Added], vocab: dict[str, int], unk_id: int | None) -> None:
    """Put added tokens into `vocab`, in place, but for those that tokenizers numbers so by itself.

    It does so with tokens behind the vocabulary whose ids count up, in this order, from the number
    of texts in it. If one of them has another id, all are put in.

    Args:
        added: the added tokens.
        vocab: the ids of the model's tokens by text.
        unk_id: the id of the token for what is unknown, which must be in the vocabulary.

    Raises:
        ExportError: a token has the text of one in `vocab`, and another id.
    """
    last = max(vocab.values(), default=-1)
    inside = [token for token in added if token.id <= last or token.id == unk_id]
    behind = [token for token in added if token.id > last and token.id != unk_id]
    first = len(vocab) + sum(token.text not in vocab for token in inside)
    if [token.id for token in behind] != list(range(first, first + len(behind))):
        inside += behind
    for token in inside:
        if vocab.setdefault(token.text, token.id) != token.id:
            raise ExportError(f"the added token {token.text!r} is a token of the model, too")
