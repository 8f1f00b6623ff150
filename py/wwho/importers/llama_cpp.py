"""The tokenizer in a GGUF file, as llama.cpp runs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wwho.assemble import decoders
from wwho.assemble.bpe import bpe_model, characters, only_made, safe_cuts
from wwho.assemble.fold import fold
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners, regex_scanner, with_properties
from wwho.compile.syntax import Chars, many
from wwho.compile.unicode import white_space
from wwho.errors import SourceError
from wwho.format.decoder import Bytes, Decoder, Join, Strip
from wwho.format.decoder import Replace as Spelled
from wwho.format.greedy import Greedy
from wwho.format.model import Added, Artifact, Flag, Ids, Model, Route, Unknown
from wwho.format.steps import Action, Cut, Ends, Replace, Rewrite, Rules, bytes_of_stand_ins
from wwho.format.template import Template
from wwho.format.viterbi import Viterbi
from wwho.importers.llama_vocabulary import (
    ADDED_TYPES,
    WHITE_SPACE,
    Vocabulary,
    added_tokens,
    read_vocabulary,
)
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.rwkv import longest_match
from wwho.importers.source import Source
from wwho.interchange.charsmap import read_charsmap
from wwho.interchange.gguf import TokenType, read_metadata, value
from wwho.interchange.llama_patterns import (
    CHARACTER_NAMES,
    PRETOKENIZERS,
    REFUSED,
    bert_map,
    cuts_of,
    removed_characters,
    words_apart,
)
from wwho.interchange.sentencepiece import MARKER
from wwho.reference.sampling import f32

Record = Mapping[str, str]
Made = tuple[Artifact, Sequence[str]]
"""A model, and notes."""

ENGINE = "llama.cpp, as packed in llama-cpp-python 0.3.36"

_KINDS = {
    "plamo2": "PLaMo 2's own",
    "hybriddna": "a BPE and k-mers of DNA",
    "whitespace": "a word list",
    "test": "for tests of llama.cpp alone",
}
"""Models of `tokenizer.ggml.model` that cannot be imported, and what they are."""


def read(source: Source, options: Options) -> Imported:
    """Return the tokenizer of a GGUF file, as llama.cpp runs it.

    Raises:
        SourceError: the file is damaged or is not the first of several, has no tokenizer or one of
            a kind that is not known, or llama.cpp would do what no artifact does.
        ArtifactError: its vocabulary is no BPE.
        PatternError: a pattern cannot be compiled.
    """
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
            + (f"which is {what}; it cannot be imported" if what else "which is not known")
        )
    artifact, notes = _MAKE[name](vocabulary, options.record(source))
    return Imported(
        artifact=replace(artifact, provenance={**artifact.provenance, **_record(vocabulary)}),
        kind=READER.kind,
        engine=ENGINE,
        notes=(*notes, *_notes_on_unused_keys(metadata)),
    )


def _gpt2(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model gpt2, a byte-level BPE, and notes; of some names, that of `_characters`.

    Raises:
        SourceError: the pretokenizer is not known or refused, a byte of characters has no token, or
            the lists of tokens or merges are malformed.
        ArtifactError: the tokens and merges are no BPE.
    """
    pre = vocabulary.text("tokenizer.ggml.pre")
    if pre in CHARACTER_NAMES:
        return _characters(vocabulary, record)
    if pre in REFUSED:
        raise SourceError(f"tokenizer.ggml.pre is {pre!r}: {REFUSED[pre]}")
    if pre not in PRETOKENIZERS:
        raise SourceError(f"tokenizer.ggml.pre is {pre!r}, which llama.cpp does not know")
    pretokenizer = PRETOKENIZERS[pre]
    added, notes = added_tokens(vocabulary)
    merges = _merges(vocabulary, bytes_of_stand_ins)
    vocab, odd = _byte_vocabulary(vocabulary, merges, pretokenizer.whole)
    missing = [byte for byte in range(256) if bytes([byte]) not in vocab]
    unk_id, vanishing = _without(missing, vocabulary, notes)
    model = bpe_model(
        vocab,
        merges,
        whole=pretokenizer.whole,
        unk_id=unk_id,
        added=[token.id for token in added],
    )
    if not pre or pre == "default":
        notes.append(
            "WARNING: the file names no pretokenizer (tokenizer.ggml.pre), so llama.cpp cuts text "
            "by its default, which is that of no model: its ids are not those the model was "
            "trained with. Convert the model again, or import its tokenizer.json"
        )
    cuts = cuts_of(pretokenizer)
    artifact = _artifact(
        model,
        added,
        _with_name(record, pre or "default"),
        [*(scanner for scanner, _ in cuts), *vanishing],
        cuts=[
            *(cut for _, cut in cuts),
            *(Cut(len(cuts), (Action.DROP, Action.KEEP)) for _ in vanishing),
        ],
        template=_template(vocabulary, bos=11, eos=11, add_bos=pretokenizer.add_bos),
    )
    return artifact, [*odd, *notes]


def _without(
    missing: Sequence[int], vocabulary: Vocabulary, notes: list[str]
) -> tuple[int | None, tuple[Scanner, ...]]:
    """Return the id that stands for bytes without a token, and the scanner that drops some of them.

    Those of ASCII vanish, and part what is around them, as in llama.cpp. Others are refused, but
    for those that no character has, or only characters from U+40000 to U+BFFFF, which are none.

    Args:
        missing: the bytes, ascending.
        vocabulary: the file.
        notes: gets a note on bytes that are not ASCII.

    Returns:
        The id of the unknown, padding, eos or bos token, the first that there is; and one scanner,
        whose rule 0 matches a byte to drop, or none. Without missing bytes, None and none.

    Raises:
        SourceError: a byte that characters have is missing, or there is no such token.
    """
    if not missing:
        return None, ()
    odd = next((byte for byte in missing if 0x80 <= byte not in _RARE), None)
    if odd is not None:
        raise SourceError(f"there is no token for the byte 0x{odd:02X}, which characters have")
    names = ("unknown", "padding", "eos", "bos")
    found = (_token(vocabulary, name, None) for name in names)
    unk_id = next((token for token in found if token is not None), None)
    if unk_id is None:
        raise SourceError(f"{len(missing)} bytes have no token, and no token is for the unknown")
    if missing[-1] > 0x7F:
        notes.append(
            f"{sum(byte > 0x7F for byte in missing)} bytes of broken UTF-8, or of characters from "
            f"U+40000 to U+BFFFF, have no token: they are {unk_id}; llama.cpp leaves them out"
        )
    gone = CodePointSet.of(*(byte for byte in missing if byte < 0x80))
    rules = (Chars(gone), many(Chars(~gone), 1))
    return unk_id, (Scanner("without tokens", rules, longest=False),) if gone else ()


_RARE = frozenset((0xC0, 0xC1, 0xF1, 0xF2, *range(0xF5, 0x100)))
"""Bytes that no character has, or none that means anything."""


def _characters(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model of a BPE over code points with merges, as Gemma 4's, and notes.

    U+2581 stands for spaces in it.

    Raises:
        SourceError: a byte has no token, or the lists of tokens or merges are malformed.
        ArtifactError: the tokens and merges are no BPE.
    """
    pre = vocabulary.text("tokenizer.ggml.pre")
    gemma = vocabulary.text("tokenizer.ggml.model") == "gemma4"
    lines = gemma or pre != "sarvam-moe"  # a line break is a token of its own, as are several
    added, notes = added_tokens(vocabulary)
    merges = _merges(vocabulary, str.encode)
    spoken = {text for left, right in merges for text in (left, right, left + right)}
    vocab = {
        text: number
        for number, text in enumerate(vocabulary.texts)
        if text in spoken or len(characters(text)) == 1 or (lines and not text.strip(b"\n"))
    }
    byte_ids = _byte_ids(vocabulary)
    model = bpe_model(vocab, merges, units=True, whole=lines, byte_ids=byte_ids)
    model = only_made(model, lambda text: lines and not text.strip(b"\n"))
    scanners = [_CHARACTERS, _SPACES, regex_scanner("lines", r"[^\n]+|[\n]+")]
    cuts = [Cut(2, (Action.KEEP,))]
    if (node := safe_cuts(replace(model, whole=False))) is not None:
        # A run of line breaks may be a token that no merge makes, so no cut is within it.
        scanners.append(Scanner("safe cuts", (parse_regex(r"\n+"), node), longest=False))
        cuts.append(Cut(3, (Action.KEEP, Action.KEEP)))
    default = None if gemma else 11
    artifact = _artifact(
        model,
        _with_hidden(added, vocabulary, model),
        _with_name(record, pre or "gemma4"),
        scanners,
        cuts=cuts,
        units=0,
        normalizer=(Replace(1, (MARKER, None)),),
        template=_template(vocabulary, bos=default, eos=default, add_bos=lines, always=lines),
        decoder=Decoder((Spelled(MARKER, " "), Bytes(each=True))),
    )
    return artifact, notes


def _llama(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model llama, SentencePiece's BPE without its normalizer, and notes.

    Raises:
        SourceError: there are no scores, a byte has no token, or the added tokens are refused.
        ArtifactError: the tokens are no BPE.
    """
    if not vocabulary.scores:
        raise SourceError("tokenizer.ggml.scores is not there; the model llama needs them")
    added, notes = added_tokens(vocabulary)
    byte_ids = _byte_ids(vocabulary)
    # A token of any kind is what text can merge to.
    vocab = {text: number for number, text in enumerate(vocabulary.texts)}
    ranks = {
        text: -vocabulary.scores[number]
        for text, number in vocab.items()
        if len(characters(text)) > 1
    }
    model = only_made(bpe_model(vocab, ranks, units=True, byte_ids=byte_ids))
    prefix = value(vocabulary.metadata, "tokenizer.ggml.add_space_prefix", bool, True)
    artifact = _artifact(
        model,
        _with_hidden(added, vocabulary, model),
        _with_name(record, "llama"),
        [_CHARACTERS, _SPACES],
        units=0,
        normalizer=(Replace(1, (MARKER, None)), *((Ends(prefix=MARKER),) if prefix else ())),
        template=_template(vocabulary, bos=1, eos=2, add_bos=True),
        decoder=decoders.sentencepiece({}, dummy_prefix=prefix, remove_spaces=False),
    )
    return artifact, notes


def _t5(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model t5, SentencePiece's Unigram with sums in f64, and notes.

    Raises:
        SourceError: there are no scores, no normal or no unknown token, the charsmap is damaged, or
            the added tokens are refused.
    """
    if not vocabulary.scores:
        raise SourceError("tokenizer.ggml.scores is not there; the model t5 needs them")
    metadata = vocabulary.metadata
    added, notes = added_tokens(vocabulary)
    unk_id = _token(vocabulary, "unknown", 2)
    if unk_id is None or TokenType.NORMAL not in vocabulary.kinds:
        raise SourceError(
            "there is no normal token, or no token for what is unknown; t5 needs both"
        )
    numbers, scores = _scores(vocabulary, added, notes)
    texts = tuple(sorted(scores, key=lambda text: numbers.get(text, len(vocabulary.texts))))
    model = Viterbi(
        tokens=texts,
        scores=[scores[text] for text in texts],
        id_policy=Ids.STATED,
        stated=tuple(numbers.get(text) for text in texts),
        unknown=Unknown.ID,
        unk_id=unk_id,
    )
    prefix = value(metadata, "tokenizer.ggml.add_space_prefix", bool, False)
    merges = value(metadata, "tokenizer.ggml.remove_extra_whitespaces", bool, False)
    charsmap = read_charsmap(value(metadata, "tokenizer.ggml.precompiled_charsmap", bytes, b""))
    steps: list[Rewrite] = [Rules(dict(charsmap.rules))] if charsmap.rules else []
    if merges:
        steps.append(Ends(strip=" ", left=True, right=True))
    steps.append(Replace(0, (MARKER, None)))
    if merges or prefix:
        steps.append(Ends(prefix=MARKER))
    if prefix and not merges:
        notes.append("a text of spaces alone has a token more than in llama.cpp")
    artifact = _artifact(
        model,
        _with_hidden(added, vocabulary, model),
        _with_name(record, "t5"),
        [regex_scanner("spaces", " +" if merges else " ", r"[\s\S]")],
        normalizer=steps,
        template=_template(vocabulary, bos=None, eos=1, add_bos=False, add_eos=True),
        decoder=decoders.sentencepiece({}, dummy_prefix=prefix, remove_spaces=False),
    )
    return artifact, notes


def _scores(
    vocabulary: Vocabulary, added: Sequence[Added], notes: list[str]
) -> tuple[dict[bytes, int], dict[bytes, float]]:
    """Return the ids and the scores of the tokens of a Unigram model, by their texts.

    The text of two spaces may have a score alone, and no id.

    The unknown character's score is the least of normal tokens less 10, in f32; here that of the
    least of all tokens less 10, in f64. So tokens that never win go, and one that no text has, as
    it holds a space, makes up for what rounding takes.

    Args:
        vocabulary: the file, which has scores.
        added: the added tokens; those found without leave have the score 0.
        notes: gets a note if the scores of unknown characters differ all the same.
    """
    tokens = list(zip(vocabulary.texts, vocabulary.kinds, vocabulary.scores, strict=False))
    kinds = (TokenType.NORMAL, TokenType.USER_DEFINED, TokenType.UNUSED)
    numbers = {text: k for k, (text, kind, _) in enumerate(tokens) if kind in kinds}
    defined = {token.id for token in added if Flag.SPECIAL not in token.flags}
    scores = {text: vocabulary.scores[k] * (k not in defined) for text, k in numbers.items()}
    least = f32(min(score for _, kind, score in tokens if kind is TokenType.NORMAL) - 10) + 10
    for text in [text for text, score in scores.items() if score < least]:
        chars = characters(text)
        if len(chars) > 1 and scores[text] < sum(scores.get(c, least - 10) for c in chars) - 1:
            del scores[text], numbers[text]
    lowest = min(scores.values())
    if least < lowest:
        scores[b"  "] = least
    elif least > lowest:
        notes.append(
            f"an unknown character has a score lower than in llama.cpp, by {least - lowest:.1e}"
        )
    return numbers, scores


def _bert(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model bert, a WordPiece with U+2581 before what begins a word, and notes.

    Raises:
        SourceError: U+2581 is a token of its own, there is no unknown token, or the added tokens
            are refused.
    """
    metadata = vocabulary.metadata
    added, notes = added_tokens(vocabulary)
    mark = MARKER.encode()
    first = {
        text.removeprefix(mark): number
        for number, text in enumerate(vocabulary.texts)
        if text.startswith(mark)
    }
    later = {text: number for number, text in enumerate(vocabulary.texts)}
    if first.pop(b"", None) is not None:
        raise SourceError("U+2581 is a token of its own, which stands before any word")
    unk_id, sep = _token(vocabulary, "unknown", 100), _token(vocabulary, "seperator", 102)
    bos = _token(vocabulary, "bos", 101)
    if unk_id is None:
        raise SourceError("tokenizer.ggml.unknown_token_id is no token; the model bert needs one")
    firsts, laters = sorted(first, key=first.__getitem__), sorted(later, key=later.__getitem__)
    model = Greedy(
        first=tuple(firsts),
        later=tuple(laters),
        id_policy=Ids.STATED,
        stated=(*(first[text] for text in firsts), *(later[text] for text in laters)),
        unknown=Unknown.ID,
        unk_id=unk_id,
    )
    lower = value(metadata, "tokenizer.ggml.normalizer.lowercase", bool, True)
    strip = value(metadata, "tokenizer.ggml.normalizer.strip_accents", bool, lower)
    rules = (white_space(), Action.DROP), (words_apart(), Action.KEEP), (ALL, Action.GROUP)
    gone = Scanner("clean", (Chars(removed_characters()), Chars(ALL)), longest=False)
    bert = Scanner("bert", tuple(Chars(chars) for chars, _ in rules), longest=False)
    cleanup = tuple(
        Spelled(text, text.strip(" ") if text == " ' " else text[1:]) for text in _CLEANED
    )
    before, behind = ([each] if each is not None else [] for each in (bos, sep))
    artifact = _artifact(
        model,
        added,
        _with_name(record, "bert"),
        [gone, bert],
        cuts=[Cut(1, tuple(action for _, action in rules))],
        normalizer=(Replace(0, ("", None)), bert_map(lowercase=lower, strip_accents=strip)),
        template=Template.around(before, behind, behind),
        decoder=Decoder(
            (Strip("##", 1, 0, " "), Join(), *cleanup),
            "##",
            {token.id: f"##{token.text}".encode() for token in added[:1023]},
        ),
    )
    return artifact, notes


def _rwkv(vocabulary: Vocabulary, record: Record) -> Made:
    """Return the model rwkv, which takes the longest match over bytes, and its notes.

    Raises:
        SourceError: an added token is spelled with an escape, or not every byte is a token.
    """
    added, notes = added_tokens(vocabulary)
    tokens = {unescape_token(text): number for number, text in enumerate(vocabulary.texts)}
    tokens.pop(b"", None)
    odd = next((each for each in added if tokens.get(each.text.encode()) != each.id), None)
    if odd is not None:
        raise SourceError(f"the special token {odd.id}, {odd.text!r}, is spelled with an escape")
    return replace(longest_match(tokens, record), added=added), notes


def unescape_token(text: bytes) -> bytes:
    r"""Return the bytes that a token of RWKV stands for: `\n`, `\r`, `\t` and `\xNN` become bytes.

    Any other character behind a backslash stands for itself.

    Example:
        >>> unescape_token(rb"\n\xff\'")
        b"\n\xff'"
    """
    known = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}

    def of(match: re.Match[bytes]) -> bytes:
        digits, char = match.groups()
        return bytes.fromhex(digits.decode()) if digits else known.get(char, char)

    return _ESCAPE.sub(of, text)


_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_CLEANED = (" ?", " !", " .", " ,", " ' ", " 's", " 'm", " 're", " 've")
"""Spaces that llama.cpp takes out of what tokens of BERT decode to."""


def _artifact(
    model: Model,
    added: tuple[Added, ...],
    record: Mapping[str, str],
    scanners: Sequence[Scanner],
    *,
    cuts: Sequence[Cut] = (),
    units: int | None = None,
    normalizer: Sequence[Rewrite] = (),
    template: Template | None = None,
    decoder: Decoder | None = None,
) -> Artifact:
    """Return the artifact of these parts with one route, in the form that runs fast.

    The numbers of automata in `cuts`, `units` and `normalizer` are places among the scanners.

    Raises:
        PatternError: the scanners are too large.
    """
    compiled, properties = compile_scanners(scanners), b""
    if any(token.flags & (Flag.LSTRIP | Flag.RSTRIP) for token in added):
        spaces = CodePointSet.of(*WHITE_SPACE)
        compiled, properties = with_properties(compiled, spaces, CodePointSet(()))
    return fold(
        Artifact(
            scanners=compiled,
            routes=(Route("text", model=0, steps=tuple(cuts), units=units),),
            models=(model,),
            added=added,
            properties=properties,
            normalizer=tuple(normalizer),
            template=template,
            decoder=decoder,
            provenance=record,
        )
    )


def _byte_ids(vocabulary: Vocabulary) -> list[int]:
    """Return the ids of the 256 tokens `<0xNN>`, in the order of their bytes.

    Raises:
        SourceError: one of them is missing.
    """
    numbers = {text: number for number, text in enumerate(vocabulary.texts)}
    names = [b"<0x%02X>" % byte for byte in range(256)]
    missing = next((name for name in names if name not in numbers), None)
    if missing is not None:
        raise SourceError(f"there is no token {missing.decode()}; all bytes are needed")
    return [numbers[name] for name in names]


def _with_hidden(
    added: tuple[Added, ...], vocabulary: Vocabulary, model: Model
) -> tuple[Added, ...]:
    """Return the added tokens, with all other ids that the model lacks as hidden ones, by id."""
    known = {*model.stated, *model.byte_ids, *(token.id for token in added)}
    hidden = [
        Added(text.decode("utf-8", "replace"), number, Flag.HIDDEN)
        for number, text in enumerate(vocabulary.texts)
        if number not in known
    ]
    return tuple(sorted((*added, *hidden), key=lambda token: token.id))


def _token(vocabulary: Vocabulary, name: str, default: int | None) -> int | None:
    """Return the id of the token of a use, such as bos; None if there is none.

    It is the id that the file gives, if that is the id of a token, else `default`, llama.cpp's own,
    if that is one.

    Raises:
        SourceError: the file gives something else than an id.
    """
    n = len(vocabulary.texts)
    default = None if default is None or default >= n else default
    found: int | None = value(vocabulary.metadata, f"tokenizer.ggml.{name}_token_id", int, default)
    return default if found is None or not 0 <= found < n else found


def _template(
    vocabulary: Vocabulary,
    *,
    bos: int | None,
    eos: int | None,
    add_bos: bool,
    add_eos: bool = False,
    always: bool = False,
) -> Template | None:
    """Return the template that puts bos before a text and eos behind it; None if it puts neither.

    A token that neither the file nor the argument has an id for is not put.

    Args:
        vocabulary: the file; its add_bos_token and add_eos_token come before `add_bos`, `add_eos`.
        bos: the id of bos if the file names none; None for no such id.
        eos: the same for eos.
        add_bos: whether bos is put if the file does not say.
        add_eos: whether eos is put if the file does not say.
        always: whether bos is put even if the file says no.
    """
    around: list[list[int]] = []
    for name, default, adds in (("bos", bos, add_bos), ("eos", eos, add_eos)):
        token = _token(vocabulary, name, default)
        said = value(vocabulary.metadata, f"tokenizer.ggml.add_{name}_token", bool, adds)
        adds = said or (always and name == "bos")
        around.append([token] if adds and token is not None else [])
    before, behind = around
    return Template.around(before, behind) if before or behind else None


def _with_name(record: Record, pretokenizer: str) -> Record:
    """Return the record, with what llama.cpp calls the pretokenizer."""
    return {**record, "pretokenizer": f"llama.cpp {pretokenizer}"}


_CHARACTERS = regex_scanner("characters", r"[\s\S]")
_SPACES = regex_scanner("spaces", " ", r"[^ ]")


def _byte_vocabulary(
    vocabulary: Vocabulary, merges: Sequence[tuple[bytes, bytes]], whole: bool
) -> tuple[dict[bytes, int], list[str]]:
    """Return the ids of the tokens that text can become, by their bytes, and notes on others.

    Args:
        vocabulary: the file's tokens, in which characters stand for bytes.
        merges: the merges. An added token that is in one, or is made by one, is taken, too.
        whole: whether pretokens may be tokens as a whole: then an added token that is spelled as
            its bytes are is taken, too.
    """
    spoken = {text for left, right in merges for text in (left, right, left + right)}
    vocab: dict[bytes, int] = {}
    lost = []
    for number, (text, kind) in enumerate(zip(vocabulary.texts, vocabulary.kinds, strict=True)):
        spelled = bytes_of_stand_ins(text.decode("utf-8", "replace"))
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


def _merges(
    vocabulary: Vocabulary, spell: Callable[[str], bytes | None]
) -> list[tuple[bytes, bytes]]:
    """Return the merges, in order of rank; of one that comes twice, the first counts.

    Args:
        vocabulary: the file.
        spell: gives the bytes of a token's text; None if it has none, so that the merge is refused.

    Raises:
        SourceError: there is no list of texts, or one is not two tokens with a space between.
    """
    listed = value(vocabulary.metadata, "tokenizer.ggml.merges", list)
    if listed is None or (listed and not isinstance(listed[0], bytes)):
        raise SourceError("tokenizer.ggml.merges is no list of texts; a BPE needs one")
    found: dict[tuple[bytes, bytes], None] = {}
    for number, merge in enumerate(listed):
        left, _, right = merge[1:].partition(b" ")
        pair = [spell(part.decode("utf-8", "replace")) for part in (merge[:1] + left, right)]
        if not pair[0] or not pair[1]:
            raise SourceError(f"the merge {number}, {merge!r}, is not two tokens and a space")
        found[pair[0], pair[1]] = None
    return list(found)


def _is_wanted(key: str) -> bool:
    return key in ("general.name", "general.architecture", "split.no") or key.startswith(
        "tokenizer."
    )


def _notes_on_unused_keys(metadata: Mapping[str, Any]) -> list[str]:
    """Return a note for each key of the file that is left out: a tokenizer does not need it."""
    found = [key for key in metadata if key.endswith("huggingface.json")]
    found += [key for key in metadata if key.startswith("tokenizer.chat_template.")]
    return [f"left out: {key}" for key in found]


def _record(vocabulary: Vocabulary) -> dict[str, str]:
    """Return the chat template and the texts of bos and eos that the file names, for the record.

    Keys are `chat_template`, `bos_token` and `eos_token`; what the file does not name is left out,
    and so is an id of no token.
    """
    template = vocabulary.text("tokenizer.chat_template")
    found = {"chat_template": template} if template else {}
    for name in ("bos", "eos"):
        token = value(vocabulary.metadata, f"tokenizer.ggml.{name}_token_id", int)
        if token is not None and 0 <= token < len(vocabulary.texts):
            found[f"{name}_token"] = vocabulary.texts[token].decode("utf-8", "replace")
    return found


_MAKE = {
    "gpt2": _gpt2,
    "llama": _llama,
    "gemma4": _characters,
    "t5": _t5,
    "bert": _bert,
    "rwkv": _rwkv,
}

READER = Reader(kind="a GGUF file", begins=rb"GGUF", read=read)
