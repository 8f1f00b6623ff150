"""Classes in Python over a SentencePiece model whose tokens come in the order of fairseq."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wwho.errors import SourceError
from wwho.format.layout import MAX_IDS
from wwho.format.template import Template
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.choice import tables
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_pieces import (
    TEXTS,
    check_plain,
    draft_of_pieces,
    texts_of,
)
from wwho.importers.transformers.python_vocab import choice_of
from wwho.importers.transformers.sentencepiece_files import read_pieces
from wwho.importers.transformers.slow_tokens import (
    Counting,
    SlowTokens,
    check_unique,
    lines_of,
    slow_tokens,
)
from wwho.importers.transformers.spm import FAIRSEQ_ROLES
from wwho.importers.transformers.tokens import LISTED, Token, read_tokens, role

FILE = "sentencepiece.bpe.model"
FIRST = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
"""The ids of the first tokens of PLBart."""
MASK = "<mask>"
FIRST_ROLES = ("bos_token", "pad_token", "eos_token", "unk_token", "sep_token", "cls_token")
"""The roles of the first tokens of BARTpho, in the order of their ids."""


def read_plbart(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of PLBart, whose ids are those of the pieces, moved by one.

    The token of `src_lang` stands behind a text and its end; without that setting the languages
    "base" have none, and "multi" English.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    check_plain(folder)
    settings = folder.settings
    sets: Mapping[str, Sequence[str]] = tables()["plbart_languages"]
    kind = choice_of("language_codes", settings.get("language_codes", "base"), [*sets])
    languages = sets[kind]
    model = read_pieces(folder, FILE).model
    pieces = texts_of(model)
    fixed = FIRST | {text: number for number, text in enumerate(languages, len(pieces) + 1)}
    # With other languages than "base" the class first counts this token, and then forgets its id.
    fixed[MASK] = len(pieces) + len(languages) + 1 if kind == "base" else MAX_IDS - 1
    vocabulary = {text: number for number, text in enumerate(pieces, 1) if number > 1} | fixed
    check_unique(vocabulary)
    defaults: dict[str, Any] = {**FAIRSEQ_ROLES, "clean_up_tokenization_spaces": True}
    if not read_tokens(folder).names_extra:
        defaults["extra_special_tokens"] = [*languages]
    counting = Counting(before={*FIRST, *pieces}, pieces={*pieces})
    tokens = slow_tokens(folder, vocabulary, defaults, counting=counting)
    for text in tokens.ids:
        if text in vocabulary and text not in fixed:
            raise SourceError(
                f"{shown(text)} is a piece of the SentencePiece model: this class gives it the "
                "number of the piece, which is the id of another token"
            )
    if kind != "base":
        del vocabulary[MASK]
        tokens = _with_unknown_mask(tokens, vocabulary)
    language = settings.get("src_lang")
    if language is None and kind != "base":
        language = "en_XX"
    # It says nothing of texts.
    settings.get("tgt_lang")
    behind = [tokens.id_of("eos_token")]
    if language is not None:
        names = {text.strip("_"): text for text in languages}
        name = choice_of("src_lang", names.get(language, language), languages)
        behind.append(fixed[name])
    return draft_of_pieces(
        folder,
        options,
        model,
        [vocabulary.get(text) for text in pieces],
        tokens,
        unk_id=vocabulary[tokens.unknown()],
        template=Template.around([], behind, second_type=0),
        decoder=TEXTS,
        defaults=defaults,
    )


def _with_unknown_mask(tokens: SlowTokens, vocabulary: Mapping[str, int]) -> SlowTokens:
    """Return the added tokens of PLBart, where <mask> is found and becomes the unknown token.

    Args:
        tokens: the tokens, among them <mask> with an id of its own, if there is one.
        vocabulary: the ids of the class's own tokens, by their texts, without <mask>.

    Raises:
        SourceError: <mask> is no special token, so the class finds it and then cuts it.
    """
    if MASK not in tokens.ids:
        return replace(tokens, vocabulary=dict(vocabulary))
    if any(token.content == MASK and not token.special for token in tokens.tokens):
        raise SourceError(
            f"{LISTED}: found {MASK} as a token that is not special, expected a special one or "
            "none: with language_codes multi, this class finds it and then cuts it into pieces"
        )
    return replace(
        tokens,
        ids={**tokens.ids, MASK: vocabulary[tokens.unknown()]},
        tokens=tuple(
            Token(MASK, special=True, normalized=False) if token.content == MASK else token
            for token in tokens.tokens
        ),
        vocabulary=dict(vocabulary),
    )


def read_bartpho(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of BARTpho, whose tokens are the pieces that dict.txt lists.

    Raises:
        SourceError: a file is missing or damaged, or a setting is not understood.
    """
    check_plain(folder)
    model = read_pieces(folder, FILE).model
    pieces = texts_of(model)
    vocabulary = _listed(folder)
    counting = Counting(before=vocabulary, pieces={*pieces})
    tokens = slow_tokens(folder, vocabulary, FAIRSEQ_ROLES, counting=counting)
    cls, sep = tokens.id_of("cls_token"), tokens.id_of("sep_token")
    return draft_of_pieces(
        folder,
        options,
        model,
        [tokens.ids.get(text, vocabulary.get(text)) for text in pieces],
        tokens,
        unk_id=vocabulary[tokens.unknown()],
        template=Template.around([cls], [sep], [sep, sep], second_type=0),
        decoder=TEXTS,
        defaults=FAIRSEQ_ROLES,
    )


def _listed(folder: ModelFolder) -> dict[str, int]:
    """Return the ids of BARTpho's tokens by their texts: roles, the lines of dict.txt, a mask.

    Raises:
        SourceError: the file is missing, or a line is empty or comes twice.
    """
    first = [role(folder, name, FAIRSEQ_ROLES) for name in FIRST_ROLES]
    texts = [*dict.fromkeys(text for text in first if text is not None)]
    if None in first:
        name = FIRST_ROLES[first.index(None)]
        raise SourceError(f"{name}: found null, expected a token, which this class needs")
    for number, line in enumerate(lines_of(folder.needed_file("dict.txt")), 1):
        words = line.split()
        if not words:
            raise SourceError(f"dict.txt, line {number}: found {shown(line)}, expected a token")
        texts.append(words[0])
    mask = role(folder, "mask_token", FAIRSEQ_ROLES)
    # A class without a mask has a token of this text.
    texts += [] if str(mask) in texts else [str(mask)]
    found: dict[str, int] = {}
    for number, text in enumerate(texts):
        if found.setdefault(text, number) != number:
            raise SourceError(f"dict.txt: found {shown(text)} twice, or as a token with a role")
    return found


CLASSES: dict[str, ModelClass] = {
    "PLBartTokenizer": ModelClass(
        files=(FILE,),
        read=read_plbart,
        but="tokens to which the class gives the id of another one: they are refused",
    ),
    "BartphoTokenizer": ModelClass(files=(FILE, "dict.txt"), read=read_bartpho),
}
