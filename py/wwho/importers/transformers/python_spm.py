"""Classes in Python over a SentencePiece model that they run as it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.format.decoder import Step
from wwho.format.template import Template
from wwho.importers.reader import Options
from wwho.importers.transformers.components import flag
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_pieces import (
    TEXTS,
    check_plain,
    draft_of_pieces,
    texts_of,
)
from wwho.importers.transformers.sentencepiece_files import read_pieces
from wwho.importers.transformers.slow_tokens import SlowTokens, slow_tokens

ROLES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class whose ids are the numbers of pieces puts a tokenizer together.

    Attributes:
        file: the name of the SentencePiece model.
        roles: the defaults; see `Draft`.
        around: makes the template.
        decoder: the steps by which texts of tokens are joined; None: those of SentencePiece.
        refused: settings that must be false, and why.
    """

    file: str
    roles: Mapping[str, Any]
    around: Callable[[SlowTokens], Template]
    decoder: tuple[Step, ...] | None = TEXTS
    refused: Mapping[str, str] | None = None


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the draft of a folder by a recipe.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    check_plain(folder)
    for name, why in (recipe.refused or {}).items():
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
        template=recipe.around(tokens),
        decoder=recipe.decoder,
        defaults=recipe.roles,
    )


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

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=(recipe.file,), read=partial(read, recipe))
    for name, recipe in RECIPES.items()
}
