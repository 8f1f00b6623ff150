"""Classes in Python over a SentencePiece model whose ids stand in a vocab.json."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wwho.compile.codepoints import ALL
from wwho.compile.oniguruma import parse_oniguruma
from wwho.compile.syntax import Behind, Node, Seq
from wwho.errors import SourceError
from wwho.format.model import Added, Flag
from wwho.format.steps import MATCH, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.choice import tables
from wwho.importers.transformers.components import flag
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_pieces import (
    Marks,
    check_plain,
    draft_of_pieces,
    texts_of,
)
from wwho.importers.transformers.sentencepiece_files import read_pieces
from wwho.importers.transformers.slow_tokens import SlowTokens, check_unique, slow_tokens
from wwho.importers.transformers.tokens import read_tokens
from wwho.interchange.sentencepiece import Algorithm, Kind, Model

ROLES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
PIECES = "sentencepiece.bpe.model"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The files of a folder.

    Attributes:
        model: the SentencePiece model.
        texts: the texts of its pieces, by their numbers.
        vocabulary: the ids in vocab.json, by the texts of tokens.
        tokens: the added tokens.
    """

    model: Model
    texts: Sequence[str]
    vocabulary: Mapping[str, int]
    tokens: SlowTokens

    @property
    def ids(self) -> list[int | None]:
        """The ids of the pieces, by their numbers; None for one that vocab.json does not have."""
        known = {**self.vocabulary, **self.tokens.ids}
        return [known.get(text) for text in self.texts]

    @property
    def unk_id(self) -> int:
        """The id of unknown text."""
        return self.vocabulary[self.tokens.unknown()]


def read_parts(folder: ModelFolder, file: str, defaults: Mapping[str, Any]) -> Parts:
    """Return the files of a folder.

    Args:
        folder: the folder.
        file: the name of the SentencePiece model.
        defaults: see `Draft`.

    Raises:
        SourceError: a file is missing or damaged, or a setting is not understood.
    """
    check_plain(folder)
    vocabulary = dict(folder.needed_file("vocab.json").document)
    check_unique(vocabulary)
    if vocabulary and max(vocabulary.values()) >= len(vocabulary):
        raise SourceError(
            f"vocab.json: found the id {max(vocabulary.values())}, expected ids from 0 to "
            f"{len(vocabulary) - 1}: it has {len(vocabulary)} tokens"
        )
    model = read_pieces(folder, file).model
    return Parts(
        model=model,
        texts=texts_of(model),
        vocabulary=vocabulary,
        tokens=slow_tokens(folder, vocabulary, defaults),
    )


def choice_of(name: str, value: Any, known: Sequence[str]) -> str:
    """Return a setting that is one of several texts.

    Raises:
        SourceError: it is none of them.
    """
    if value not in known:
        expected = ", ".join(known[:9]) + (", ..." if len(known) > 9 else "")
        raise SourceError(
            f"tokenizer_config.json: {name}: found {shown(value)}, expected one of {expected}"
        )
    return str(value)


def read_m2m100(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of M2M100, whose languages come behind all tokens.

    `src_lang`, usually English, decides the token of a language before a text.

    Raises:
        SourceError: a file is missing or damaged, or a setting is not understood.
    """
    settings = folder.settings
    defaults = {**ROLES, "sep_token": "</s>"}
    parts = read_parts(folder, PIECES, defaults)
    sets: Mapping[str, Sequence[str]] = tables()["m2m100_languages"]
    codes = sets[choice_of("language_codes", settings.get("language_codes", "m2m100"), [*sets])]
    language = choice_of("src_lang", settings.get("src_lang") or "en", codes)
    # They say nothing of texts.
    for name in ("tgt_lang", "num_madeup_words"):
        settings.get(name)
    languages = {f"__{code}__": number for number, code in enumerate(codes, len(parts.vocabulary))}
    added = {number: text for text, number in parts.tokens.ids.items()}
    for text, number in languages.items():
        own, other = parts.tokens.ids.get(text, number), added.get(number, text)
        if own != number or other != text or text in parts.vocabulary:
            raise SourceError(
                f"the token {shown(text)} has the id {own}, and {shown(other)} has {number}: the "
                "class expects the languages behind all tokens of vocab.json, in its order"
            )
    before = [languages[f"__{language}__"]]
    return draft_of_pieces(
        folder,
        options,
        parts.model,
        [languages.get(text, number) for text, number in zip(parts.texts, parts.ids, strict=True)],
        parts.tokens,
        unk_id=parts.unk_id,
        template=Template.around(before, [parts.tokens.id_of("eos_token")], second_type=0),
        hidden=languages,
        defaults=defaults,
    )


def read_speech(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of Speech2Text.

    With `lang_codes`, the token of `tgt_lang`, usually the first language, stands before a text.

    Raises:
        SourceError: a file is missing or damaged, or a setting is not understood.
    """
    settings = folder.settings
    kind, language = settings.get("lang_codes"), settings.get("tgt_lang")
    sets: Mapping[str, Sequence[str]] = tables()["speech_languages"]
    codes = () if kind is None else sets[choice_of("lang_codes", kind, [*sets])]
    defaults: dict[str, Any] = dict(ROLES)
    if codes and not read_tokens(folder).names_extra:
        defaults["extra_special_tokens"] = [f"<lang:{code}>" for code in codes]
    parts = read_parts(folder, PIECES, defaults)
    # The class knows it, and changes no text by it.
    flag(folder, "do_lower_case", False)
    notes = []
    if upper := flag(folder, "do_upper_case", False):
        notes.append("do_upper_case: decoded text becomes upper case in wwho.hf alone")
    before = []
    if codes:
        code = codes[0] if language is None else choice_of("tgt_lang", language, codes)
        before = [_number_of_piece(parts, f"<lang:{code}>")]
    return draft_of_pieces(
        folder,
        options,
        parts.model,
        parts.ids,
        parts.tokens,
        unk_id=parts.unk_id,
        template=Template.around(before, [parts.tokens.id_of("eos_token")], second_type=0),
        defaults={**defaults, "do_upper_case": upper},
        notes=notes,
    )


def _number_of_piece(parts: Parts, text: str) -> int:
    """Return the number of a piece, which the class takes for the id of a language.

    Raises:
        SourceError: there is no such piece, or no token has this id.
    """
    number = parts.texts.index(text) if text in parts.texts else parts.model.unk_id
    if number not in {*parts.vocabulary.values(), *parts.tokens.ids.values()}:
        raise SourceError(
            f"the language's token {shown(text)} is the piece {number}, and no token has this id"
        )
    return number


def read_marian(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of Marian: texts of the source language.

    A text may begin with the code of a language, `>>fr<<`, which is a token.

    Raises:
        SourceError: a file is missing or damaged, or a setting is not understood.
    """
    if flag(folder, "separate_vocabs", False):
        raise SourceError(
            "tokenizer_config.json: separate_vocabs: found true, expected false: ids are of one "
            "vocabulary when texts become ids, and of another one when ids become text"
        )
    # They say which signs sacremoses rewrites, which the class does not do here.
    for name in ("source_lang", "target_lang"):
        folder.settings.get(name)
    read_pieces(folder, "target.spm")
    parts = read_parts(folder, "source.spm", MARIAN_ROLES)
    known = {**parts.vocabulary, **parts.tokens.ids}
    codes = {text: number for text, number in known.items() if CODE.fullmatch(text)}
    hidden = parts.tokens.ids.keys() & codes.keys()
    if hidden:
        raise SourceError(
            f"the added token {shown(min(hidden))} is the code of a language, which this class "
            "finds at the beginning of a text alone"
        )
    if parts.model.algorithm is not Algorithm.UNIGRAM and parts.model.of_kind(Kind.USER_DEFINED):
        raise SourceError(
            "source.spm: found a BPE with pieces of the user, expected none: this class finds "
            "codes of languages before SentencePiece rewrites a text"
        )

    def mark(patterns: Patterns) -> list[Rewrite]:
        """Return the step that marks the code at the beginning of a text."""
        start = Behind(negative=True, chars=ALL)
        texts = sorted(codes, key=len, reverse=True)
        rules: list[tuple[Node, str | None]] = [
            (Seq((start, *map(one_of, text))), CODE_AHEAD + MATCH) for text in texts
        ]
        rules.append((Seq((start, parse_oniguruma(CODE.pattern))), OTHER_CODE))
        return [patterns.replace("codes", *rules, (ANY, None))]

    found = (
        *(Added(CODE_AHEAD + text, number, Flag.NORMALIZED) for text, number in codes.items()),
        Added(OTHER_CODE, parts.unk_id, Flag.NORMALIZED),
    )
    return draft_of_pieces(
        folder,
        options,
        parts.model,
        parts.ids,
        parts.tokens,
        unk_id=parts.unk_id,
        marks=Marks(steps=mark, tokens=found),
        template=Template.around([], [parts.tokens.id_of("eos_token")], second_type=0),
        kept=" ",
        defaults=MARIAN_ROLES,
    )


MARIAN_ROLES = {
    **{name: text for name, text in ROLES.items() if name != "bos_token"},
    "model_max_length": 512,
}
CODE = re.compile(r">>(?:[^<]|<[^<])*<<")
"""The code of a language at the beginning of a text."""
CODE_AHEAD, OTHER_CODE = "\ufdd3", "\ufdd4"
"""Code points that no text has: before a code, and for one that is no token."""
CLASSES: dict[str, ModelClass] = {
    "M2M100Tokenizer": ModelClass(
        files=("vocab.json", PIECES),
        read=read_m2m100,
        but="tokens to which the class gives the id of a language, too: they are refused",
    ),
    "MarianTokenizer": ModelClass(
        files=("source.spm", "target.spm", "vocab.json"), read=read_marian
    ),
    "Speech2TextTokenizer": ModelClass(files=("vocab.json", PIECES), read=read_speech),
}
