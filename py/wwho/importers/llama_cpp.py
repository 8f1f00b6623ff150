"""The tokenizer in a GGUF file, as llama.cpp runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from wwho.build import decoders
from wwho.build.base import WRITER
from wwho.build.bpe import bpe_model, safe_cuts
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.errors import SourceError
from wwho.format.model import Action, Added, Artifact, Flag, Route, Stage
from wwho.format.rewriting import Ends, Replace
from wwho.format.template import Template
from wwho.importers.gguf import read_metadata, value
from wwho.importers.llama_patterns import PRETOKENIZERS, REFUSED, scanners_of
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.sentencepiece import MARK
from wwho.importers.source import Source

ENGINE = "llama.cpp, as packed in llama-cpp-python 0.3.36"

_BYTE = re.compile(rb"<0x([0-9A-F]{2})>")

_KINDS = {
    "gemma4": "a BPE of SentencePiece with merges",
    "bert": "WordPiece",
    "t5": "Unigram",
    "rwkv": "the longest match",
    "plamo2": "PLaMo 2's own",
    "hybriddna": "a BPE and k-mers of DNA",
    "whitespace": "a word list",
    "test": "for tests of llama.cpp alone",
}
"""Models of `tokenizer.ggml.model` besides gpt2, and what they are."""


class TokenType(IntEnum):
    """What a token is for."""

    UNDEFINED = 0
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


_CONTROL_LOOKING = frozenset(
    (
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>"),
        *("<|calls|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>"),
        *("[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>"),
        *("<|tool_response>", "<\uff5cend\u2581of\u2581sentence\uff5c>", "[e~["),
        *(
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<\uff5cfim\u2581begin\uff5c>",
            "<PRE>",
        ),
        *(
            "<PRE>",
            "\u2581<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
            "<|fim_suffix|>",
            "<fim-suffix>",
        ),
        *("<fim_suffix>", "<\uff5cfim\u2581hole\uff5c>", "<SUF>", "\u2581<SUF>", "<|code_suffix|>"),
        *("<|suffix|>", "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<MID>", "\u2581<MID>"),
        *(
            "<\uff5cfim\u2581end\uff5c>",
            "<|code_middle|>",
            "<|middle|>",
            "<|fim_pad|>",
            "<fim-pad>",
        ),
        *("<fim_pad>", "<PAD>", "[PAD]", "<|fim_repo|>", "<|repo_name|>", "<fim-repo>"),
        *("<REPO>", "<reponame>", "<|file_sep|>"),
    )
)
"""Texts that llama.cpp takes for control tokens, whatever the file says."""
_SHOWN = frozenset(("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"))
"""Texts that it always finds."""


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The lists of a GGUF file, checked against each other.

    Attributes:
        texts: the tokens, by id.
        kinds: what each is for, as llama.cpp has it.
        scores: the score of each; empty where there are none.
        metadata: the other values.
    """

    texts: Sequence[bytes]
    kinds: Sequence[TokenType]
    scores: Sequence[float]
    metadata: Mapping[str, Any]

    def text(self, key: str, default: str = "") -> str:
        """A value that is a text."""
        found: bytes = value(self.metadata, key, bytes, default.encode())
        return found.decode("utf-8", "replace")


def sniff(source: Source) -> bool:
    """Whether it begins as such a file does."""
    return source.head.startswith(b"GGUF")


def read(source: Source, options: Options) -> Imported:
    """Make the model."""
    with source.open() as file:
        metadata = read_metadata(file, _is_wanted)
    if value(metadata, "split.no", int, 0):
        raise SourceError(
            f"it is part {metadata['split.no'] + 1} of a model in several files; the tokenizer is "
            "in the first: import that one"
        )
    kind = value(metadata, "tokenizer.ggml.model", bytes)
    if kind is None:
        raise SourceError("it has no tokenizer: the key tokenizer.ggml.model is not there")
    name = kind.decode("utf-8", "replace")
    vocabulary = read_vocabulary(metadata)
    if name not in _MAKE:
        what = _KINDS.get(name)
        raise SourceError(
            f"tokenizer.ggml.model is {name!r}, "
            + (f"which is {what}; it cannot be imported yet" if what else "which is not known")
        )
    artifact, notes = _MAKE[name](vocabulary, options, source)
    return Imported(
        artifact=artifact,
        kind=READER.kind,
        engine=ENGINE,
        notes=(*notes, *_unused(metadata)),
    )


def read_vocabulary(metadata: Mapping[str, Any]) -> Vocabulary:
    """Check the lists of tokens.

    Raises:
        SourceError: there is none, one is too short, or a token comes twice.
    """
    texts = value(metadata, "tokenizer.ggml.tokens", list)
    if not texts or not isinstance(texts[0], bytes):
        raise SourceError("tokenizer.ggml.tokens is no list of texts")
    texts = [text or b"[EMPTY_%d]" % number for number, text in enumerate(texts)]
    first: dict[bytes, int] = {}
    for number, text in enumerate(texts):
        if first.setdefault(text, number) != number:
            raise SourceError(f"the tokens {first[text]} and {number} are both {text!r}")
    kinds = value(metadata, "tokenizer.ggml.token_type", list, [1] * len(texts))
    scores = value(metadata, "tokenizer.ggml.scores", list, [])
    for key, found in (("token_type", kinds), ("scores", scores)):
        if (found or key == "token_type") and len(found) < len(texts):
            raise SourceError(
                f"tokenizer.ggml.{key} has {len(found)} items, but there are {len(texts)} tokens"
            )
    return Vocabulary(
        texts=texts,
        kinds=_types(texts, kinds),
        scores=scores,
        metadata=metadata,
    )


def _types(texts: Sequence[bytes], kinds: Sequence[Any]) -> list[TokenType]:
    """What each token is for: what llama.cpp knows by its text comes before what the file says."""
    found = []
    known = set(texts)
    ended = {b"<|return|>", b"<|call|>", b"<|end|>"} <= known
    ended |= bool({b"<|call|>", b"<|calls|>"} & known) and {b"<|flush|>", b"<|end|>"} <= known
    for text, kind in zip(texts, kinds, strict=False):
        name = text.decode("utf-8", "replace")
        if name in _SHOWN or (name == "<|end|>" and ended):
            found.append(TokenType.USER_DEFINED)
        elif name == "</s>" and known & {b"<|tool_response>", b"<|plamo:eos|>"}:
            found.append(TokenType.NORMAL)
        elif name in _CONTROL_LOOKING:
            found.append(TokenType.CONTROL)
        else:
            found.append(TokenType(kind) if kind in _TYPES else TokenType.UNDEFINED)
    return found


_TYPES = frozenset(map(int, TokenType))
ADDED_TYPES = (TokenType.CONTROL, TokenType.UNKNOWN, TokenType.USER_DEFINED)
"""Types of tokens that are found in a text before all else."""


def _gpt2(
    vocabulary: Vocabulary, options: Options, source: Source
) -> tuple[Artifact, Sequence[str]]:
    """Byte-level BPE."""
    pre = vocabulary.text("tokenizer.ggml.pre")
    if pre in REFUSED:
        raise SourceError(f"tokenizer.ggml.pre is {pre!r}: {REFUSED[pre]}")
    if pre not in PRETOKENIZERS:
        raise SourceError(f"tokenizer.ggml.pre is {pre!r}, which llama.cpp does not know")
    pretokenizer = PRETOKENIZERS[pre]
    scanners = compile_scanners(scanners_of(pretokenizer))
    added = added_tokens(vocabulary)
    merges = _merges(vocabulary)
    vocab, odd = _byte_vocabulary(vocabulary, merges, pretokenizer.whole)
    model = bpe_model(
        vocab,
        merges,
        whole=pretokenizer.whole,
        added=[token.id for token in added],
    )
    artifact = Artifact(
        scanners=scanners,
        router=None,
        routes=(Route("other", model=0, stages=tuple(range(len(scanners.automata)))),),
        models=(model,),
        stages=tuple(
            Stage(automaton=number, actions=(Action.KEEP,) * each.n_rules)
            for number, each in enumerate(scanners.automata)
        ),
        added=added,
        template=_template(vocabulary, bos=11, eos=11, add_bos=pretokenizer.add_bos),
        provenance=_record(options, source, pre or "default"),
    )
    notes = list(odd)
    if not pre or pre == "default":
        notes.append(
            "WARNING: the file names no pretokenizer (tokenizer.ggml.pre), so llama.cpp cuts text "
            "by its default, which is that of no model: its ids are not those the model was "
            "trained with. Convert the model again, or import its tokenizer.json"
        )
    return artifact, notes


def _llama(
    vocabulary: Vocabulary, options: Options, source: Source
) -> tuple[Artifact, Sequence[str]]:
    """SentencePiece's BPE, without its normalizer."""
    name = vocabulary.text("general.name").lower()
    if "phi-3" in name or "phi3" in name:
        raise SourceError(
            f"general.name is {name!r}, whose special tokens take the spaces after them in "
            "llama.cpp; that cannot be imported yet: take its tokenizer.json"
        )
    if not vocabulary.scores:
        raise SourceError("tokenizer.ggml.scores is not there; the model llama needs them")
    added = added_tokens(vocabulary)
    byte_ids: list[int | None] = [None] * 256
    vocab: dict[bytes, int] = {}
    ranks: dict[bytes, float] = {}
    for number, (text, kind) in enumerate(zip(vocabulary.texts, vocabulary.kinds, strict=True)):
        if match := _BYTE.fullmatch(text):
            byte_ids[int(match[1], 16)] = number
        elif kind not in ADDED_TYPES:
            vocab[text] = number
            if len(text.decode("utf-8", "surrogateescape")) > 1:
                ranks[text] = -vocabulary.scores[number]
    if None in byte_ids:
        raise SourceError(f"there is no token <0x{byte_ids.index(None):02X}>; all bytes are needed")
    model = bpe_model(vocab, ranks, units=True, byte_ids=byte_ids)
    scanners = [_scanner("characters", r"[\s\S]"), _scanner("spaces", " ", r"[^ ]")]
    stages: tuple[Stage, ...] = ()
    if (cuts := safe_cuts(model)) is not None:
        scanners.append(Scanner("safe cuts", (cuts,), longest=False))
        stages = (Stage(2, (Action.KEEP,)),)
    prefix = value(vocabulary.metadata, "tokenizer.ggml.add_space_prefix", bool, True)
    steps = (Replace(1, (MARK, None)), *((Ends(prefix=MARK),) if prefix else ()))
    artifact = Artifact(
        scanners=compile_scanners(scanners),
        router=None,
        routes=(Route("text", model=0, stages=(0,) if stages else (), units=0),),
        models=(model,),
        stages=stages,
        added=added,
        normalizer=steps,
        template=_template(vocabulary, bos=1, eos=2, add_bos=True),
        decoder=decoders.sentencepiece({}, dummy_prefix=prefix, remove_spaces=False),
        provenance=_record(options, source, "llama"),
    )
    return artifact, ()


def _template(vocabulary: Vocabulary, *, bos: int, eos: int, add_bos: bool) -> Template | None:
    """The ids around a text, where they are asked for."""
    metadata = vocabulary.metadata
    around: list[list[int]] = []
    for name, default, adds in (("bos", bos, add_bos), ("eos", eos, False)):
        token = value(metadata, f"tokenizer.ggml.{name}_token_id", int, default)
        token = token if 0 <= token < len(vocabulary.texts) else default
        adds = value(metadata, f"tokenizer.ggml.add_{name}_token", bool, adds)
        around.append([token] if adds else [])
    before, behind = around
    return Template.around(before, behind) if before or behind else None


def _record(options: Options, source: Source, pretokenizer: str) -> dict[str, str]:
    return {
        "name": options.name,
        "source": options.source or source.name,
        "license": options.license or "unknown",
        "pretokenizer": f"llama.cpp {pretokenizer}",
        "writer": WRITER,
    }


def _scanner(name: str, *patterns: str) -> Scanner:
    return Scanner(name, tuple(map(parse_regex, patterns)), longest=False)


def added_tokens(vocabulary: Vocabulary) -> tuple[Added, ...]:
    """The tokens that llama.cpp finds in a text before all else.

    Raises:
        SourceError: a text would be cut otherwise than there: it looks for the longest token in
            all of a text, then for the next; here the first in the text counts.
    """
    found = []
    for number, (text, kind) in enumerate(zip(vocabulary.texts, vocabulary.kinds, strict=True)):
        if kind in ADDED_TYPES:
            flags = Flag(0) if kind is TokenType.USER_DEFINED else Flag.SPECIAL
            try:
                found.append(Added(text.decode("utf-8"), number, flags))
            except UnicodeDecodeError:
                raise SourceError(f"the token {number}, {text!r}, is not UTF-8") from None
    check_overlaps([token.text for token in found if token.text])
    return tuple(found)


def check_overlaps(texts: Sequence[str]) -> None:
    """Refuse tokens that may begin within a shorter one: llama.cpp takes the longer one first.

    Raises:
        SourceError: there are such.

    Example:
        >>> check_overlaps(["ab", "bcd"])
        Traceback (most recent call last):
        wwho.errors.SourceError: 'ab' and 'bcd' overlap in 'abcd', which llama.cpp cuts by length
    """
    by_prefix: dict[str, list[str]] = {}
    for text in texts:
        for n in range(1, len(text)):
            by_prefix.setdefault(text[:n], []).append(text)
    by_length = sorted(texts, key=len, reverse=True)
    for first in texts:
        for n in range(1, len(first)):
            for second in by_prefix.get(first[n:], ()):
                whole = first[:n] + second
                if len(second) < len(first) or second == first:
                    continue
                longest = next(text for text in by_length if whole.startswith(text))
                # A longer token at the start, such as a longer run, is what both take first.
                if len(longest) <= len(second) and longest != second:
                    raise SourceError(
                        f"{first!r} and {second!r} overlap in {whole!r}, which llama.cpp cuts by "
                        "length"
                    )


_PLAIN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_BYTES = {chr(byte): byte for byte in _PLAIN} | {
    chr(0x100 + place): byte
    for place, byte in enumerate(byte for byte in range(256) if byte not in _PLAIN)
}
"""The characters that stand for bytes in a byte-level vocabulary."""


def spelled_bytes(text: str) -> bytes | None:
    """The bytes that a text stands for; None where a character stands for none.

    Example:
        >>> spelled_bytes("\u0120caf\u00c3\u00a9").decode()
        ' café'
    """
    try:
        return bytes(map(_BYTES.__getitem__, text))
    except KeyError:
        return None


def _byte_vocabulary(
    vocabulary: Vocabulary, merges: Sequence[tuple[bytes, bytes]], whole: bool
) -> tuple[dict[bytes, int], list[str]]:
    """The tokens that text can become, and notes of others.

    Added tokens are among them where merges speak of them, or whole pretokens may be tokens.
    """
    spoken = {text for left, right in merges for text in (left, right, left + right)}
    vocab: dict[bytes, int] = {}
    lost = []
    for number, (text, kind) in enumerate(zip(vocabulary.texts, vocabulary.kinds, strict=True)):
        spelled = spelled_bytes(text.decode("utf-8", "replace"))
        if kind in ADDED_TYPES and spelled not in spoken and not (whole and spelled == text):
            continue
        if spelled is None:
            lost.append(text)
        else:
            vocab[spelled] = number
    notes = []
    if lost:
        notes.append(f"left out: {len(lost)} tokens that stand for no bytes, such as {lost[0]!r}")
    return vocab, notes


def _merges(vocabulary: Vocabulary) -> list[tuple[bytes, bytes]]:
    """The merges, in order of rank; of one that comes twice, the first counts."""
    listed = value(vocabulary.metadata, "tokenizer.ggml.merges", list)
    if listed is None or (listed and not isinstance(listed[0], bytes)):
        raise SourceError("tokenizer.ggml.merges is no list of texts; gpt2 needs one")
    found: dict[tuple[bytes, bytes], None] = {}
    for number, merge in enumerate(listed):
        left, _, right = merge[1:].partition(b" ")
        pair = [
            spelled_bytes(part.decode("utf-8", "replace")) for part in (merge[:1] + left, right)
        ]
        if not pair[0] or not pair[1]:
            raise SourceError(f"the merge {number}, {merge!r}, is not two tokens and a space")
        found[pair[0], pair[1]] = None
    return list(found)


def _is_wanted(key: str) -> bool:
    return key in ("general.name", "general.architecture", "split.no") or key.startswith(
        "tokenizer."
    )


def _unused(metadata: Mapping[str, Any]) -> list[str]:
    """What the file says of the use of tokens, and a tokenizer does not need."""
    found = [key for key in metadata if "chat_template" in key or key.endswith("huggingface.json")]
    return [f"left out: {key}" for key in found]


_MAKE = {"gpt2": _gpt2, "llama": _llama}

READER = Reader(kind="a GGUF file", sniff=sniff, read=read)
