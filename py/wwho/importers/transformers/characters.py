"""Classes in Python whose tokens are characters, or letters that stand apart."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wwho.errors import SourceError
from wwho.format.decoder import Join, Step, Unique
from wwho.format.steps import Map, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.components import Component, flag, pre_tokenizers, split
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.slow_tokens import (
    AT_ENDS,
    SPACES,
    SlowTokens,
    draft_of_parts,
    in_class,
    slow_tokens,
)
from wwho.importers.transformers.tokens import Token

DELIMITER = "|"
"""The token of wav2vec2 that stands between words."""
SPEECH_ROLES = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "word_delimiter_token": DELIMITER,
}
PICTURE_ROLES = {
    "unk_token": "[GO]",
    "bos_token": "[GO]",
    "eos_token": "[s]",
    "pad_token": "[GO]",
}
PROTEIN_ROLES = {
    "unk_token": "<unk>",
    "cls_token": "<cls>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
    "eos_token": "<eos>",
}
CODE_POINT_NAMES = {
    0: "[PAD]",
    0xE000: "[CLS]",
    0xE001: "[SEP]",
    0xE002: "[BOS]",
    0xE003: "[MASK]",
    0xE004: "[RESERVED]",
}
"""What code points decode to that are no added tokens."""
CODE_POINT_ROLES = {
    "bos_token": "\ue000",
    "eos_token": "\ue001",
    "sep_token": "\ue001",
    "cls_token": "\ue000",
    "pad_token": "\0",
    "mask_token": "\ue003",
    "model_max_length": 2048,
    "model_input_names": ["input_ids", "attention_mask", "token_type_ids"],
}
SPACED: tuple[Step, ...] = (Join(" "),)


def read_speech(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of wav2vec2.

    The delimiter stands for a space. With `do_lower_case` text becomes upper case, as it does
    there.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    settings = folder.settings
    delimiter = settings.get("word_delimiter_token", DELIMITER)
    if isinstance(delimiter, dict):
        delimiter = delimiter.get("content")
    if delimiter != DELIMITER:
        raise SourceError(
            f"word_delimiter_token: found {shown(delimiter)}, expected {DELIMITER!r}, which "
            "transformers takes whatever the settings say"
        )
    between = settings.get("replace_word_delimiter_char", " ")
    if not isinstance(between, str):
        raise SourceError(f"replace_word_delimiter_char: found {shown(between)}, expected a text")
    upper = flag(folder, "do_lower_case", False)
    vocabulary = _of_language(folder.needed_file("vocab.json").document, folder)
    tokens = _with_long_ones(slow_tokens(folder, vocabulary, SPEECH_ROLES))

    def steps(patterns: Patterns) -> list[Rewrite]:
        """Return the steps: upper case, and delimiters in place of spaces."""
        spaces = patterns.replace("spaces", (one_of(" "), DELIMITER), (ANY, None))
        return [_upper_case(), spaces] if upper else [spaces]

    surfaces = {tokens.ids[DELIMITER]: between.encode()}
    if "pad_token" in tokens.roles:
        surfaces[tokens.id_of("pad_token")] = b""
    notes = ["neighbours that are the same become one in decoded text: ids are those of speech"]
    if upper:
        notes.append("text becomes upper case by the Unicode of the Python that imports it")
    return _draft(
        folder,
        options,
        tokens,
        steps=steps,
        decoder=(Unique(), Join(), AT_ENDS),
        surfaces=surfaces,
        defaults={**SPEECH_ROLES, "do_lower_case": upper},
        notes=tuple(notes),
    )


def _of_language(vocab: Mapping[str, Any], folder: ModelFolder) -> dict[str, int]:
    """Return the vocabulary of the language that the settings name, if it has several.

    Raises:
        SourceError: there is no such language, or none is named.
    """
    language = folder.settings.get("target_lang")
    if language is None:
        if nested := [name for name, each in vocab.items() if isinstance(each, dict)]:
            raise SourceError(
                f"target_lang: found none, expected one of {', '.join(sorted(nested)[:9])}, ...: "
                "vocab.json has a vocabulary for each"
            )
        return dict(vocab)
    found = vocab.get(language)
    if not isinstance(found, dict):
        raise SourceError(
            f"target_lang: found {shown(language)}, for which vocab.json has no vocabulary; "
            f"expected one of {', '.join(sorted(vocab)[:9])}, ..."
        )
    return found


def _with_long_ones(tokens: SlowTokens) -> SlowTokens:
    """Return the added tokens with all of the vocabulary that have several characters.

    Those take white space on both sides and are not normalized; one that is an added token already
    is replaced, and stays special if it was.
    """
    special = {token.content for token in tokens.tokens if token.special}
    long = {
        text: Token(text, text in special, lstrip=True, rstrip=True, normalized=False)
        for text in tokens.vocabulary
        if len(text) > 1
    }
    others = [token for token in tokens.tokens if token.content not in long]
    ids = {**tokens.ids, **{text: tokens.vocabulary[text] for text in long}}
    return replace(tokens, tokens=(*others, *long.values()), ids=ids)


def _upper_case() -> Map:
    """Return the step of `str.upper`, character by character."""
    return Map(
        {
            point: tuple(map(ord, chr(point).upper()))
            for point in range(sys.maxunicode + 1)
            if not 0xD800 <= point < 0xE000 and chr(point).upper() != chr(point)
        }
    )


def read_pictures(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of MGP-STR.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    vocabulary = dict(folder.needed_file("vocab.json").document)
    tokens = slow_tokens(folder, vocabulary, PICTURE_ROLES)
    return _draft(folder, options, tokens, decoder=SPACED, defaults=PICTURE_ROLES)


def read_proteins(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of ESM.

    Each line of vocab.txt is a token, whose id is its number; tokens are found in text, the longest
    first, and spaces are dropped.

    Raises:
        SourceError: the file is missing or damaged, a setting is not understood, or a token may
            overlap with an added one.
    """
    file = folder.needed_file("vocab.txt")
    try:
        lines = file.data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise SourceError(f"vocab.txt: byte {error.start} is not UTF-8") from None
    vocabulary = {line.strip(): number for number, line in enumerate(lines)}
    tokens = slow_tokens(folder, vocabulary, PROTEIN_ROLES)
    cls, eos = tokens.id_of("cls_token"), tokens.id_of("eos_token")
    longest = sorted(filter(None, vocabulary), key=len, reverse=True)
    first = {text[0] for text in tokens.ids}
    for text in longest:
        if len(text) > 1 and text not in tokens.ids and first & {*text[1:]}:
            raise SourceError(
                f"vocab.txt: {shown(text)} may overlap with an added token, of which either may "
                "be found"
            )
    known = "|".join("".join(in_class(each) for each in text) for text in longest)
    cuts = [split(known, "Isolated"), split(in_class(SPACES), "Removed")]
    return _draft(
        folder,
        options,
        tokens,
        cuts=cuts,
        template=Template.around([cls], [eos], [eos]),
        decoder=SPACED,
        defaults=PROTEIN_ROLES,
    )


def read_code_points(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of CANINE, whose ids are code points; no file of it is read.

    Raises:
        SourceError: a setting is not understood.
    """
    # The class takes it and does nothing with it.
    folder.settings.get("add_prefix_space")
    vocabulary = {chr(point): point for point in range(sys.maxunicode + 1)}
    tokens = slow_tokens(folder, vocabulary, CODE_POINT_ROLES)
    cls, sep = tokens.id_of("cls_token"), tokens.id_of("sep_token")
    surfaces = {
        point: name.encode()
        for point, name in CODE_POINT_NAMES.items()
        if point not in tokens.ids.values()
    }
    return draft_of_parts(
        folder,
        options,
        {
            "pre_tokenizer": split("[\\s\\S]", "Isolated"),
            # No character is unknown.
            "model": {"type": "WordLevel", "unk_token": "a"},
        },
        {text: point for text, point in vocabulary.items() if not "\ud800" <= text <= "\udfff"},
        tokens,
        template=Template.around([cls], [sep], [sep], second_type=0),
        decoder=(Join(),),
        surfaces=surfaces,
        defaults=CODE_POINT_ROLES,
    )


def _draft(
    folder: ModelFolder,
    options: Options,
    tokens: SlowTokens,
    *,
    cuts: list[Component] | None = None,
    steps: Any = None,
    **others: Any,
) -> Draft:
    """Return the draft of a class whose pretokens are tokens as a whole.

    Args:
        folder: the folder.
        options: what the caller says.
        tokens: the added tokens.
        cuts: the pre-tokenizers; None: each character is a piece.
        steps: makes the steps of the normalizer.
        others: see `draft_of_parts`.
    """
    each = [split("[\\s\\S]", "Isolated")]
    return draft_of_parts(
        folder,
        options,
        {
            "pre_tokenizer": pre_tokenizers(*(cuts or each)),
            "model": {"type": "WordLevel", "unk_token": tokens.unknown()},
        },
        dict(tokens.vocabulary),
        tokens,
        rewrites=steps,
        **others,
    )


CLASSES: dict[str, ModelClass] = {
    "Wav2Vec2CTCTokenizer": ModelClass(files=("vocab.json",), read=read_speech),
    "CanineTokenizer": ModelClass(files=(), read=read_code_points),
    "MgpstrTokenizer": ModelClass(files=("vocab.json",), read=read_pictures),
    "EsmTokenizer": ModelClass(files=("vocab.txt",), read=read_proteins),
}
