"""Classes in Python over a SentencePiece model that they run as it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from wwho.compile.normal_forms import normal_form
from wwho.errors import SourceError
from wwho.format.decoder import Step
from wwho.format.steps import Map, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.reader import Options
from wwho.importers.sentencepiece import Rewrites, no_steps
from wwho.importers.source import shown
from wwho.importers.transformers.components import flag
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_pieces import (
    TEXTS,
    check_plain,
    draft_of_pieces,
    texts_of,
)
from wwho.importers.transformers.python_text import NEWER
from wwho.importers.transformers.sentencepiece_files import read_pieces, without_effect
from wwho.importers.transformers.slow_tokens import SlowTokens, slow_tokens

ROLES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class whose ids are the numbers of pieces puts a tokenizer together.

    Attributes:
        file: the name of the SentencePiece model.
        roles: the defaults; see `Draft`.
        rewrites: makes the steps before those of SentencePiece.
        around: makes the template.
        decoder: the steps by which texts of tokens are joined; None: those of SentencePiece.
        refused: settings that must be false, and why.
        unfollowed: settings that the class knows and does not follow.
        but: see `ModelClass`.
    """

    file: str
    roles: Mapping[str, Any]
    around: Callable[[SlowTokens], Template]
    decoder: tuple[Step, ...] | None = TEXTS
    refused: Mapping[str, str] = field(default_factory=dict)
    unfollowed: tuple[str, ...] = ()
    rewrites: Rewrites = no_steps
    but: str = ""


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a class whose ids are the numbers of a SentencePiece model's pieces.

    The recipe says what the class does around that model.

    Raises:
        SourceError: the file is missing or damaged, a setting is not understood, or one is true
            that the recipe refuses.
    """
    check_plain(folder)
    for name, why in recipe.refused.items():
        if flag(folder, name, False):
            raise SourceError(f"tokenizer_config.json: {name}: found true, {why}")
    model = read_pieces(folder, recipe.file).model
    vocabulary = {text: number for number, text in enumerate(texts_of(model))}
    tokens = slow_tokens(folder, vocabulary, recipe.roles)
    return draft_of_pieces(
        folder,
        options,
        model,
        range(len(vocabulary)),
        tokens,
        unk_id=model.unk_id,
        before=recipe.rewrites,
        template=recipe.around(tokens),
        decoder=recipe.decoder,
        defaults=recipe.roles,
        notes=(
            *without_effect(folder, recipe.unfollowed),
            *([recipe.but] if recipe.but else []),
        ),
    )


def read_swedish(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of GPT-SW3, whose roles depend on the folder's path.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    roles = dict(SWEDISH.roles)
    if "gpt-sw3-7b" in str(folder.path):
        roles |= {"pad_token": roles["unk_token"], "bos_token": roles["eos_token"]}
    if null := [name for name in roles if folder.settings.get(name, "") is None]:
        raise SourceError(
            f"tokenizer_config.json: {null[0]}: found null, expected a token: the class takes "
            f"{shown(roles[null[0]])} in its place, so name that, or leave it out"
        )
    return read(replace(SWEDISH, roles=roles), folder, options)


def _printable(_: Patterns) -> list[Rewrite]:
    """Return the steps of GPT-SW3: control characters go, white space becomes spaces, NFC."""
    gone = (*range(9), *range(11, 32), *range(127, 161), 173, 0x200B)
    spaces = "\u2002\u2003\u2005\u2008\u2009\u200a\u202f\u3000\ufffc"
    cleaned = Map(dict.fromkeys(gone, ()) | {ord(each): (ord(" "),) for each in spaces})
    return [cleaned, normal_form("nfc")]


def _eos(tokens: SlowTokens) -> Template:
    """Return the template with one token behind a text, or behind both of a pair."""
    return Template.around([], [tokens.id_of("eos_token")], second_type=0)


NUMBERS = "which writes numbers out in English by a program of its own; set it to false"
RECIPES: dict[str, Recipe] = {
    "BertGenerationTokenizer": Recipe(
        file="spiece.model",
        roles={**ROLES, "sep_token": "<::::>"},
        around=lambda _: Template.around(second_type=0),
    ),
    "SpeechT5Tokenizer": Recipe(
        file="spm_char.model", roles=ROLES, around=_eos, refused={"normalize": NUMBERS}
    ),
}
"""The classes by name, and how each puts a tokenizer together."""

SWEDISH = Recipe(
    file="spiece.model",
    roles={**ROLES, "eos_token": "<|endoftext|>"},
    around=lambda _: Template.around(second_type=0),
    decoder=None,
    rewrites=_printable,
    unfollowed=("do_lower_case", "remove_space", "keep_accents"),
    but=NEWER,
)

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=(recipe.file,), read=partial(read, recipe), but=recipe.but)
    for name, recipe in RECIPES.items()
} | {"GPTSw3Tokenizer": ModelClass(files=(SWEDISH.file,), read=read_swedish, but=SWEDISH.but)}
