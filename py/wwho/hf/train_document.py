"""Training a new vocabulary for a model of `tokenizers`, with all its other components kept."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tokenizers import AddedToken

from wwho.backends.backend import SPAN
from wwho.errors import BackendError
from wwho.format.bpe import BPE
from wwho.format.model import Artifact
from wwho.format.read import read_artifact
from wwho.format.steps import Cut, Spell, bytes_of_stand_ins, stand_in
from wwho.format.write import write_artifact
from wwho.importers import Options, Source
from wwho.importers.huggingface import read as tokenizer_json
from wwho.importers.transformers.classes import RECORD, n_tokens
from wwho.interchange.tokenizer_json import KEY
from wwho.reference.piece import Piece
from wwho.reference.walk import Walk
from wwho.tokenizer import Tokenizer
from wwho.train.learn_bpe import PREFIX, learn_bpe

Cutter: TypeAlias = Callable[[bytes], list[bytes]]
"""A function that cuts a text into pieces."""
NO_PART_OF_IT = ("continuing_subword_prefix", "end_of_word_suffix")
"""Members of a BPE that mark where in a word a token stands."""
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
ALPHABET = "".join(chr(stand_in(byte)) for byte in range(256))
"""The characters that stand for the bytes, in their order."""


def train_document(
    enc: Tokenizer,
    added: Sequence[AddedToken],
    texts: Any,
    vocab_size: int,
    new_texts: Mapping[str, str],
    **options: Any,
) -> Tokenizer:
    """Return a model with a new vocabulary, and the components of the tokenizer.json it came from.

    The merges of BPE and the tokens of WordPiece are those that `tokenizers` learns from the same
    texts (which numbers WordPiece's characters in no certain order). A Unigram vocabulary is that
    of `wwho.train.unigram`, whose pieces and scores are others. Added tokens have the first ids,
    and the template has their new ones.

    Args:
        enc: the model to follow, whose provenance has the components.
        added: the added tokens of the new model, in the order of their ids.
        texts: an iterable of `str`, or of lists of `str`.
        vocab_size: how many ids there may be, those of added tokens among them.
        new_texts: new texts of added tokens that the components name by their old ones.
        options: `min_freq` (or `min_frequency`), how often a pair must be seen to be merged (1);
            `progress` and `show_progress` do nothing.

    Raises:
        ValueError: a component cannot be kept; the model is a BPE over characters, or of another
            kind; there is no such option; or the added tokens and characters alone do not fit into
            `vocab_size`.
        BackendError: the model is Unigram, and there is no native trainer here.
        SourceError: the new document cannot be held.
    """
    kept: dict[str, Any] = json.loads(enc.info.provenance[KEY])
    _check_model(enc, kept)
    min_freq = _min_freq(options)
    # Of two tokens with one text, the later one says how it is found.
    by_content = {token.content: token for token in added}
    learn = _LEARNERS[_kind(kept["model"])]
    unknown = _unknown_text(enc, kept["model"])
    unknown = None if unknown is None else new_texts.get(unknown, unknown)
    pieces = count_pieces(enc, texts)
    model, vocab = learn(kept["model"], pieces, [*by_content], unknown, vocab_size, min_freq)
    document = {
        "version": "1.0",
        "added_tokens": [
            {"id": vocab[token.content], "content": token.content}
            | {flag: getattr(token, flag) for flag in FLAGS}
            for token in by_content.values()
        ],
        **{part: kept.get(part) for part in tokenizer_json.COMPONENTS},
        "post_processor": _with_new_ids(kept.get("post_processor"), new_texts, vocab),
        "model": {**kept["model"], **model},
    }
    source = Source(Path("tokenizer.json"), json.dumps(document).encode())
    made = tokenizer_json.make(document, source, Options(source="training"), "a trained model")
    own = made.artifact.provenance
    if RECORD in enc.info.provenance:
        about = json.loads(enc.info.provenance[RECORD])
        if "tokens" in about:
            about["tokens"] = n_tokens(document)
        own = {**own, RECORD: json.dumps(about)}
    return Tokenizer(write_artifact(replace(made.artifact, provenance=own)))


Learnt: TypeAlias = tuple[dict[str, Any], Mapping[str, int]]
"""New members of a document's model, and the id of each token."""


def _learn_bpe(
    model: Mapping[str, Any],
    pieces: Counter[bytes],
    first: Sequence[str],
    unknown: str | None,
    vocab_size: int,
    min_freq: int,
) -> Learnt:
    """Return a BPE in ByteLevel's alphabet, and its ids.

    Args:
        model: the old model.
        pieces: the pretokens, and how often each was seen.
        first: the texts of the tokens that have the first ids.
        unknown: the text of the unknown token; None for none.
        vocab_size: how many ids there may be.
        min_freq: how often a pair must be seen.

    Raises:
        ValueError: the first tokens and the bytes alone do not fit into `vocab_size`.
    """
    words = Counter[str]()
    for piece, number in pieces.items():
        words[piece.decode("latin-1").translate(_SPELLING)] += number
    learnt = learn_bpe(words, first, ALPHABET, vocab_size, min_freq)
    members = {"vocab": learnt.vocab, "merges": [*map(list, learnt.merges)]}
    return members | ({"unk_token": unknown} if model.get("unk_token") else {}), learnt.vocab


def _learn_wordpiece(
    model: Mapping[str, Any],
    pieces: Counter[bytes],
    first: Sequence[str],
    unknown: str | None,
    vocab_size: int,
    min_freq: int,
) -> Learnt:
    """Return a WordPiece model and its ids; arguments and errors are those of `_learn_bpe`."""
    words = {piece.decode(): number for piece, number in sorted(pieces.items())}
    alphabet = {char for word in words for char in word}
    learnt = learn_bpe(words, first, alphabet, vocab_size, min_freq, PREFIX)
    return {"vocab": learnt.vocab, "unk_token": unknown}, learnt.vocab


def _learn_unigram(
    model: Mapping[str, Any],
    pieces: Counter[bytes],
    first: Sequence[str],
    unknown: str | None,
    vocab_size: int,
    min_freq: int,
) -> Learnt:
    """Return a Unigram model and its ids; arguments and errors are those of `_learn_bpe`.

    The unknown token comes first, if it is not among the first tokens. Tokens of bytes come after
    these if the old model has any. A piece must be seen twice, even if `min_freq` is 1.
    """
    assert unknown is not None
    given = first if unknown in first else [unknown, *first]
    # A character of a byte's token would be found as that.
    given = [*given, *(f"<0x{byte:02X}>" for byte in range(256) if model.get("byte_fallback"))]
    try:
        from wwho.train.native import WordTable, record
    except BackendError as error:
        raise BackendError(f"a Unigram vocabulary cannot be learnt: {error}") from error
    from wwho.train.unigram import MAX_ATOMS, learn_unigram

    table = WordTable()
    units = [tuple(char.encode() for char in piece.decode()) for piece in pieces]
    table.add_records(b"".join(map(record, units)), array("Q", pieces.values()))
    characters = sorted({unit for each in units for unit in each} - {t.encode() for t in given})
    if len(given) + len(characters) > vocab_size:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the {len(given)} added tokens and the "
            f"{len(characters)} characters alone are {len(given) + len(characters)}"
        )
    tokens = learn_unigram(
        table,
        characters,
        n_tokens=vocab_size - len(given),
        min_freq=max(min_freq, 2),
        max_units=MAX_ATOMS,
        without=frozenset(text.encode() for text in given),
    )
    scored = [*((text, 0.0) for text in given), *((text.decode(), score) for text, score in tokens)]
    vocab = {text: number for number, (text, _) in enumerate(scored)}
    return {"vocab": [*map(list, scored)], "unk_id": vocab[unknown]}, vocab


_LEARNERS = {"BPE": _learn_bpe, "WordPiece": _learn_wordpiece, "Unigram": _learn_unigram}
"""What learns each kind of model."""


def _kind(model: Mapping[str, Any]) -> str:
    """Return the kind of a document's model, which old documents do not name."""
    kind: str = model.get("type") or ("Unigram" if "unk_id" in model else "WordPiece")
    return kind


def _unknown_text(enc: Tokenizer, model: Mapping[str, Any]) -> str | None:
    """Return the text of a model's unknown token; None if it has none."""
    if _kind(model) != "Unigram":
        text: str | None = model.get("unk_token")
        return text
    artifact = read_artifact(enc._blob)
    return artifact.decoded[model["unk_id"]].decode()


def _check_model(enc: Tokenizer, kept: Mapping[str, Any]) -> None:
    """Raise ValueError unless training can learn a model of this kind and keep its components.

    Args:
        enc: the tokenizer, for messages.
        kept: the components that its provenance records, which training keeps.
    """
    model = kept["model"]
    kind = _kind(model)
    if kind not in _LEARNERS or (kind == "BPE" and "merges" in model):
        raise ValueError(
            f"{enc.name} is a {kind} model, for which there is no trainer here: train with "
            "transformers, and open the tokenizer.json that it saves"
        )
    is_spelled = any(each["type"] == "ByteLevel" for each in _all_components(kept))
    if kind == "BPE" and not is_spelled:
        raise ValueError(
            f"{enc.name} is a BPE over characters, for which there is no trainer here: byte-level "
            "BPE can be trained (a ByteLevel among its pre_tokenizers); train others with "
            "transformers, and open the tokenizer.json that it saves"
        )
    if kind != "BPE" and is_spelled:
        raise ValueError(
            f"{enc.name} is a {kind} model over bytes (with ByteLevel), for which there is no "
            "trainer here: train with transformers, and open the tokenizer.json that it saves"
        )
    if kind == "WordPiece" and model["continuing_subword_prefix"] != PREFIX:
        raise ValueError(
            f"{enc.name} has the prefix {model['continuing_subword_prefix']!r}, and WordPiece is "
            f"trained with {PREFIX!r}: train with transformers, and open the tokenizer.json"
        )
    if any(each.get("precompiled_charsmap") == "" for each in _all_components(kept)):
        raise ValueError(
            f"the record of {enc.name} has no charsmap, so that training cannot keep the "
            "normalizer: train with transformers, and open the tokenizer.json that it saves"
        )
    for name in NO_PART_OF_IT if kind == "BPE" else ():
        if model.get(name):
            raise ValueError(
                f"{enc.name} has {name}={model[name]!r}, which training cannot keep: train with "
                "transformers, and open the tokenizer.json that it saves"
            )


def _all_components(kept: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the components of the normalizer and the pre_tokenizer, in their order.

    A Sequence comes before those in it, at any depth.
    """
    for part, key in (("normalizer", "normalizers"), ("pre_tokenizer", "pretokenizers")):
        waiting = [kept[part]] if kept.get(part) else []
        while waiting:
            each = waiting.pop(0)
            waiting = [*each.get(key, ()), *waiting]
            yield each


def _min_freq(options: Mapping[str, Any]) -> int:
    """Return the option `min_freq`, under either of its names; 1 where it is missing or 0.

    Raises:
        ValueError: another option is given, or its value is no number.
    """
    known = {"min_freq", "min_frequency", "progress", "show_progress"}
    for name, value in options.items():
        if name not in known:
            raise ValueError(
                f"{name}={value!r} is no option of training a model of tokenizers anew; there are "
                "min_freq (or min_frequency) and show_progress"
            )
    found = options.get("min_freq", options.get("min_frequency", 1))
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise ValueError(f"min_freq={found!r}: expected a number, 0 or more")
    return max(found, 1)


def count_pieces(enc: Tokenizer, texts: Any) -> Counter[bytes]:
    """Return the pretokens of texts, without ByteLevel's alphabet, and how often each was seen.

    Texts are rewritten and cut as the model does it. As in training of `tokenizers`, added tokens
    in them are ordinary text.

    Args:
        enc: the model.
        texts: an iterable of `str`, or of lists of `str`.

    Raises:
        TypeError: there is something else among them.
    """
    artifact = read_artifact(enc._blob)
    bare = replace(
        artifact,
        normalizer=(*artifact.normalizer, *artifact.second),
        second=(),
        routes=tuple(replace(route, model=0, units=None) for route in artifact.routes),
        models=(BPE(),),
        added=(),
        properties=b"",
        template=None,
        decoder=None,
    )
    steps = [step for route in bare.routes for step in route.steps]
    is_spelled = any(isinstance(step, Spell) for step in (*bare.normalizer, *steps))
    only_cuts = all(isinstance(step, Cut) for step in steps)
    counted: Counter[bytes] = Counter()
    cut = _quick_cutter(bare) if only_cuts else _plain_cutter(bare)
    for text in _each_text(texts):
        counted.update(cut(text.encode("utf-8", "replace")))
    if not is_spelled:
        return counted
    spelled: Counter[bytes] = Counter()
    for piece, number in counted.items():
        data = bytes_of_stand_ins(piece.decode())
        assert data is not None
        spelled[data] += number
    return spelled


_SPELLING = dict(enumerate(ALPHABET))
"""For each byte the code of its character, as `str.translate` takes it."""


def _quick_cutter(artifact: Artifact) -> Cutter:
    """Return the function that cuts a text into pieces, for a model whose routes only cut.

    The function takes the bytes of a text in UTF-8, rewrites them by the normalizer, and returns
    the pieces as bytes of the result, in order.

    Args:
        artifact: a model without added tokens, all steps of whose routes are a `Cut`; the caller
            sees to that. With other steps, pieces would not be those that the steps make.
    """
    model = Tokenizer(write_artifact(artifact))

    def cut(text: bytes) -> list[bytes]:
        """Return the pieces of a text."""
        rewritten = model._normalized_bytes(text)
        packed = model._backend.spans_packed(rewritten)
        return [rewritten[start:end] for start, end, _, _, _ in SPAN.iter_unpack(packed)]

    return cut


def _plain_cutter(artifact: Artifact) -> Cutter:
    """Return the function that cuts a text in UTF-8 into pieces, whatever its routes do.

    It is slower than that of `_quick_cutter`, which is for routes that only cut.
    """
    walk = Walk(artifact)

    def cut(text: bytes) -> list[bytes]:
        """Return the pieces of a text."""
        parts = [part for part in walk.parts(text, None) if isinstance(part, Piece)]
        return [piece.data for part in parts for piece in walk.pretokens(part, 0)]

    return cut


def _each_text(texts: Any) -> Iterator[str]:
    """Yield the texts of an iterable of texts, or of batches of them.

    Raises:
        TypeError: it holds something else.
    """
    if isinstance(texts, str):
        raise TypeError("expected an iterable of texts, found a str")
    for each in texts:
        batch: Iterable[Any] = [each] if isinstance(each, str) else each
        for text in batch:
            if not isinstance(text, str):
                raise TypeError(f"expected texts, found {type(text).__name__}")
            yield text


def _with_new_ids(
    component: dict[str, Any] | None, new_texts: Mapping[str, str], vocab: Mapping[str, int]
) -> dict[str, Any] | None:
    """Return a post_processor with the new texts and ids of its tokens.

    Args:
        component: the post_processor; None for none.
        new_texts: new texts of tokens, by their old ones.
        vocab: the new ids.

    Raises:
        ValueError: the new vocabulary lacks one of its tokens.
    """

    def renamed(text: str) -> str:
        """Return the new text of a token."""
        new = new_texts.get(text, text)
        if new not in vocab:
            raise ValueError(
                f"the template has the token {text!r}, and the new vocabulary has no {new!r}: add "
                "it to new_special_tokens"
            )
        return new

    if component is None:
        return None
    changed = dict(component)
    if "processors" in component:
        changed["processors"] = [
            _with_new_ids(each, new_texts, vocab) for each in component["processors"]
        ]
    if component["type"] == "TemplateProcessing":
        changed["special_tokens"] = {
            name: {
                **token,
                "tokens": [*map(renamed, token["tokens"])],
                "ids": [vocab[renamed(text)] for text in token["tokens"]],
            }
            for name, token in component["special_tokens"].items()
        }
    for role in {"sep", "cls"} & component.keys():
        text = renamed(component[role][0])
        changed[role] = [text, vocab[text]]
    return changed
