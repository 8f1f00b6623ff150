"""Classes in Python without files, whose ids are bytes and a few tokens before or among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.format.decoder import Join
from wwho.format.steps import stand_in
from wwho.format.template import Template
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.components import (
    bpe_model,
    byte_level,
    pre_tokenizers,
    split,
)
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.slow_tokens import (
    ENDS_TWICE,
    SlowTokens,
    draft_of_parts,
    slow_tokens,
)
from wwho.importers.transformers.tokens import Token, read_tokens

LETTERS = [chr(stand_in(byte)) for byte in range(256)]
"""What stands for each byte in the model."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class numbers its tokens.

    Attributes:
        first: the roles of the tokens before the bytes, in the order of their ids.
        roles: the defaults; see `Draft`.
        strips: whether the first tokens take the white space around them.
        sentinels: how many extra tokens there are behind the bytes, unless the settings say.
        around: makes the template.
        but: see `ModelClass`.
    """

    first: tuple[str, ...]
    roles: Mapping[str, Any]
    strips: bool = False
    sentinels: int = 0
    around: Callable[[SlowTokens], Template]
    but: str = ""


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a class whose ids are bytes, numbered as a recipe says.

    No file of the folder is read but its settings. If the recipe has sentinels, `extra_ids` of the
    settings says how many; a list of extra tokens takes their place.

    Raises:
        SourceError: a setting is not understood; or special_tokens_map.json lists extra tokens
            with another number of sentinels.
    """
    defaults = dict(recipe.roles)
    given = read_tokens(folder)
    if recipe.sentinels:
        number = _number(folder, "extra_ids", recipe.sentinels)
        n_given = len({each.content for each in given.extra if "extra_id" in each.content})
        if given.names_extra:
            pass
        elif not given.extra:
            defaults["extra_special_tokens"] = [f"<extra_id_{each}>" for each in range(number)]
        elif number and n_given != number:
            raise SourceError(
                f"special_tokens_map.json: additional_special_tokens: found {n_given} tokens with "
                f"extra_id, expected as many as extra_ids, {number}"
            )
    first = {number: _first(folder, name, recipe) for number, name in enumerate(recipe.first)}
    vocabulary = {token.content: number for number, token in first.items()}
    vocabulary |= {chr(byte): len(first) + byte for byte in range(256)}
    tokens = slow_tokens(folder, vocabulary, defaults, first)
    if alike := [text for text in tokens.ids if len(text) == 1 and "\x7f" < text < "\u0100"]:
        raise SourceError(
            f"{shown(alike[0])}: transformers gives this token the id of the byte {ord(alike[0])}, "
            "of which other characters are made; name it otherwise"
        )
    return draft_of_parts(
        folder,
        options,
        {
            "pre_tokenizer": byte_level(prefix=False, regex=False),
            "decoder": byte_level(),
            "model": bpe_model({}, []),
        },
        {letter: len(first) + byte for byte, letter in enumerate(LETTERS)},
        tokens,
        template=recipe.around(tokens),
        defaults=defaults,
        notes=(recipe.but,) if recipe.but else (),
    )


def read_dialogue(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of Dia, whose first three ids are bytes and tokens, too.

    Raises:
        SourceError: a setting is not understood.
    """
    if offset := _number(folder, "offset", 0):
        raise SourceError(f"tokenizer_config.json: offset: found {offset}, expected 0")
    recipe = Recipe(first=(), roles=DIALOGUE_ROLES, around=lambda _: Template())
    first = {0: _first(folder, "pad_token", recipe), 1: Token("[S1]"), 2: Token("[S2]")}
    vocabulary = {token.content: number for number, token in first.items()}
    vocabulary |= {chr(byte): byte for byte in range(3, 256)}
    tokens = slow_tokens(folder, vocabulary, DIALOGUE_ROLES, first)
    cuts = byte_level(prefix=False, regex=False), split("[\\s\\S]", "Isolated")
    return draft_of_parts(
        folder,
        options,
        {
            "pre_tokenizer": pre_tokenizers(*cuts),
            "model": {"type": "WordLevel", "unk_token": LETTERS[0]},
        },
        {letter: byte for byte, letter in enumerate(LETTERS)},
        tokens,
        template=Template.around(second_type=0),
        decoder=(Join(),),
        # As in the class: each byte becomes the character of its number.
        surfaces={byte: chr(byte).encode() for byte in range(3, 256)},
        defaults=DIALOGUE_ROLES,
        notes=("bytes from 128 on decode to the characters of their numbers, as in transformers",),
    )


def _first(folder: ModelFolder, name: str, recipe: Recipe) -> Token:
    """Return the token of a role, as the class adds it before all others.

    Raises:
        SourceError: the settings say that there is none.
    """
    defaults = {name: recipe.roles[name]}
    found = read_tokens(folder).with_defaults(defaults).roles.get(name)
    if found is None:
        raise SourceError(f"{name}: found null, expected a token, which this class needs")
    given = read_tokens(folder).roles.get(name)
    if given is None or given.is_bare:
        return Token(found.content, True, lstrip=recipe.strips, rstrip=recipe.strips)
    return found


def _number(folder: ModelFolder, name: str, usual: int) -> int:
    """Return a setting that is a number from 0 on.

    Raises:
        SourceError: it is none.
    """
    value = folder.settings.get(name, usual)
    if type(value) is not int or not 0 <= value < 1 << 16:
        raise SourceError(f"tokenizer_config.json: {name}: found {shown(value)}, expected a number")
    return value


def _byt5(tokens: SlowTokens) -> Template:
    """Return the template of ByT5."""
    eos = tokens.id_of("eos_token")
    return Template.around([], [eos], [eos], second_type=0)


def _perceiver(tokens: SlowTokens) -> Template:
    """Return the template of Perceiver."""
    cls, sep = tokens.id_of("cls_token"), tokens.id_of("sep_token")
    return Template.around([cls], [sep], [sep])


DIALOGUE_ROLES = {"pad_token": "<pad>", "unk_token": "<pad>"}
RECIPES = {
    "ByT5Tokenizer": Recipe(
        first=("pad_token", "eos_token", "unk_token"),
        roles={"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
        strips=True,
        sentinels=125,
        but=ENDS_TWICE,
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
            "model_max_length": 2048,
        },
        around=_perceiver,
    ),
}
CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=(), read=partial(read, recipe), but=recipe.but)
    for name, recipe in RECIPES.items()
} | {"DiaTokenizer": ModelClass(files=(), read=read_dialogue)}
