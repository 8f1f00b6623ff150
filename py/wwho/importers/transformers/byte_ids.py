"""Classes without files, whose ids are bytes and a few special tokens before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from wwho.format.steps import stand_in
from wwho.importers.reader import Options
from wwho.importers.transformers.byte_level import Made, json_defaults, made_of
from wwho.importers.transformers.components import (
    Component,
    bpe_model,
    byte_level,
    template_processing,
)
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.tokens import Token, with_tokens

WITHOUT_TYPES = ["input_ids", "attention_mask"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class numbers its tokens.

    Attributes:
        first: the roles of the tokens before the bytes, in the order of their ids.
        roles: the defaults; see `Draft`.
        sentinels: how many extra tokens there are behind the bytes, unless the settings list some.
        around: makes the post-processor.
        notes: what the class does and this one does not.
    """

    first: tuple[str, ...]
    roles: Mapping[str, Any]
    sentinels: int = 0
    notes: tuple[str, ...] = ()
    around: Callable[[Made], Component]


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the draft of a folder by a recipe; no file of it is read but its settings.

    Raises:
        SourceError: a setting is not understood.
    """
    defaults = dict(recipe.roles)
    if recipe.sentinels:
        names = [f"<extra_id_{number}>" for number in range(recipe.sentinels)]
        defaults["extra_special_tokens"] = names
    texts = [str(getattr(token, "content", token)) for token in map(defaults.get, recipe.first)]
    letters = [chr(stand_in(byte)) for byte in range(256)]
    vocab = {text: number for number, text in enumerate([*texts, *letters])}
    document: dict[str, Any] = {
        "version": "1.0",
        "normalizer": None,
        "pre_tokenizer": byte_level(prefix=False, regex=False),
        "decoder": byte_level(),
        "model": bpe_model(vocab, []),
    }
    document, notes = with_tokens(folder, document, defaults)
    document["post_processor"] = recipe.around(made_of(folder, document, defaults))
    return Draft(
        document=document,
        in_python=True,
        defaults=json_defaults(defaults),
        notes=(*notes, *recipe.notes),
    )


def _byt5(made: Made) -> Component:
    """Return the post-processor of ByT5."""
    eos = made.id_of("eos_token")
    return template_processing(f"$A {eos}", f"$A {eos} $B {eos}", made.ids)


def _perceiver(made: Made) -> Component:
    """Return the post-processor of Perceiver."""
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    return template_processing(f"{cls} $A {sep}", f"{cls} $A {sep} $B {sep}", made.ids)


def _stripped(text: str) -> Token:
    """Return a token that takes the white space around it."""
    return Token(text, lstrip=True, rstrip=True)


RECIPES = {
    "ByT5Tokenizer": Recipe(
        first=("pad_token", "eos_token", "unk_token"),
        roles={
            "pad_token": _stripped("<pad>"),
            "eos_token": _stripped("</s>"),
            "unk_token": _stripped("<unk>"),
            "model_input_names": WITHOUT_TYPES,
        },
        sentinels=125,
        notes=("a text that ends in </s> gets another one, which the class leaves out",),
        around=_byt5,
    ),
    "PerceiverTokenizer": Recipe(
        first=("pad_token", "bos_token", "eos_token", "mask_token", "cls_token", "sep_token"),
        roles={
            "pad_token": "[PAD]",
            "bos_token": "[BOS]",
            "eos_token": "[EOS]",
            "mask_token": "[MASK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "model_input_names": WITHOUT_TYPES,
            "model_max_length": 2048,
        },
        around=_perceiver,
    ),
}
CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=(), read=partial(read, recipe)) for name, recipe in RECIPES.items()
}
