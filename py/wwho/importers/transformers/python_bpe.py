"""Classes in Python whose words are merged, and whose tokens end in "@@" within words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Behind, Seq
from wwho.errors import SourceError
from wwho.format.decoder import Join, Replace, Step, Strip
from wwho.format.steps import MATCH, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.components import Component, bpe_model, flag, split
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_text import lowered
from wwho.importers.transformers.slow_tokens import (
    AT_ENDS,
    SPACES,
    WHITE_SPACE,
    SlowTokens,
    check_unique,
    draft_of_parts,
    in_class,
    joined,
    lines_of,
    slow_tokens,
    split_lines,
)
from wwho.importers.transformers.tokens import role

END = "</w>"
"""What stands behind the last character of a word."""
INSIDE = "@@"
"""What stands behind a token that does not end a word."""
MOST_SURFACES = 60_000
"""How many tokens may have a text of their own for the decoder; a file takes a few more."""
MARKED = "a token that ends a word is written as one that does not"

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class puts a tokenizer together.

    Attributes:
        roles: its defaults; see `Draft`.
        vocabulary: reads the ids of the tokens, by their texts.
        merges: reads the pairs of tokens, in order.
        around: makes the template.
        spaces: the white space around words.
        rewrites: makes the steps of the normalizer; None: there is none.
        refused: settings that must be false, and why.
    """

    roles: Mapping[str, Any]
    vocabulary: Callable[[ModelFolder, Mapping[str, Any]], dict[str, int]]
    merges: Callable[[ModelFolder], tuple[list[Pair], tuple[str, ...]]]
    around: Callable[[SlowTokens], Template]
    spaces: str = SPACES
    rewrites: Callable[[Patterns], list[Rewrite]] | None = None
    refused: tuple[str, str] | None = None


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's tokens and merges.

    The recipe says in which files these are, and what else the class does.

    Raises:
        SourceError: a file is missing or damaged, a setting is not understood, or one is true that
            the recipe refuses.
    """
    if recipe.refused and flag(folder, recipe.refused[0], False):
        name, why = recipe.refused
        raise SourceError(f"tokenizer_config.json: {name}: found true, {why}")
    vocabulary = recipe.vocabulary(folder, recipe.roles)
    tokens = slow_tokens(folder, vocabulary, recipe.roles)
    merges, notes = recipe.merges(folder)
    ids = forms_of(vocabulary, merges)
    unknown = tokens.unknown()
    document: dict[str, Any] = {
        "pre_tokenizer": _words(recipe.spaces),
        "model": bpe_model(
            {},
            merges,
            unk_token=form_of(unknown),
            end_of_word_suffix=END,
            continuing_subword_prefix=None,
        ),
    }
    steps, surfaces, more = _decoder(ids, tokens)
    return draft_of_parts(
        folder,
        options,
        document,
        ids,
        tokens,
        rewrites=recipe.rewrites,
        template=recipe.around(tokens),
        decoder=steps,
        surfaces=surfaces,
        defaults=recipe.roles,
        notes=(*notes, *more),
    )


def _decoder(
    ids: Mapping[str, int | None], tokens: SlowTokens
) -> tuple[tuple[Step, ...], dict[int, bytes], tuple[str, ...]]:
    """Return the steps of the decoder, the texts that it has for some tokens, by id, and notes.

    Args:
        ids: the ids of the tokens, by their forms.
        tokens: the added tokens.
    """
    inside = {
        number: (form + INSIDE).encode()
        for form, number in ids.items()
        if number is not None and not form.endswith(END) and number not in tokens.ids.values()
    }
    if len(inside) <= MOST_SURFACES:
        added = {
            number: (text + END).encode() for text, number in tokens.ids.items() if END in text
        }
        return (Strip(END, 0, 1), *joined((INSIDE + " ", ""))), inside | added, ()
    added = {number: (text + END).encode() for text, number in tokens.ids.items()}
    note = f"text that ends within a word decodes without the {INSIDE} that transformers leaves"
    return (Join(), Replace(END, " "), AT_ENDS), added, (note,)


def _words(spaces: str) -> Component:
    """Return the pre-tokenizer: words between spaces, each with the line feed behind it."""
    return split(f"[^{in_class(spaces)[1:]}+\\n?", "Removed", invert=True)


def _apart(patterns: Patterns) -> list[Rewrite]:
    """Return the steps of Blenderbot Small: signs and line feeds stand apart, in lower case."""
    others = ALL - CodePointSet.of(*WHITE_SPACE)
    return [
        patterns.replace(
            "line feeds behind words",
            (Seq((Behind(negative=False, chars=CodePointSet.of("'")), one_of("\n"))), " "),
            (Seq((Behind(negative=False, chars=others), one_of("\n"))), " __newln__ "),
            (ANY, None),
        ),
        patterns.replace(
            "signs apart",
            (one_of(*".,!?()"), f" {MATCH}"),
            (one_of("'"), " ' "),
            (ANY, None),
        ),
        *lowered(patterns),
    ]


def form_of(text: str) -> str:
    """Return a token of a vocabulary as merges write it.

    Example:
        >>> form_of("lo@@"), form_of("low")
        ('lo', 'low</w>')
    """
    inside = text.removesuffix(INSIDE)
    return inside if inside and inside != text else text + END


def forms_of(vocabulary: Mapping[str, int], merges: Sequence[Pair]) -> dict[str, int | None]:
    """Return the id of each token and each part of one, by its form; None: it has none.

    Args:
        vocabulary: the ids, by the texts of the vocabulary.
        merges: the pairs.

    Raises:
        SourceError: a merge has the end of a word within it; or a token is written in two ways.
    """
    ids: dict[str, int | None] = {form_of(text): number for text, number in vocabulary.items()}
    for left, right in merges:
        if END in left or END in right.removesuffix(END):
            raise SourceError(
                f"the merge {shown(left + ' ' + right)} has {END} within it, which ends words"
            )
        for form in (left, right, left + right):
            text = form.removesuffix(END)
            if text != form and text.endswith(INSIDE) and text != INSIDE:
                raise SourceError(f"the merges make {shown(form)}: {MARKED}, {shown(text)}")
            ids.setdefault(form, None)
    return ids


def _counted(folder: ModelFolder, roles: Mapping[str, Any]) -> dict[str, int]:
    """Return the ids of a vocab.txt whose lines are a token and a number, behind four others.

    Raises:
        SourceError: a line has no space.
    """
    names = ("bos_token", "pad_token", "eos_token", "unk_token")
    found: dict[str, int] = {}
    for number, name in enumerate(names):
        found[str(role(folder, name, roles))] = number
    for number, line in enumerate(lines_of(folder.needed_file("vocab.txt")), 1):
        text, space, _ = line.strip().rpartition(" ")
        if not space:
            raise SourceError(
                f"vocab.txt, line {number}: found {shown(line)}, expected a token, a space and a "
                "number"
            )
        found[text] = len(found)
    check_unique(found)
    return found


def _json(folder: ModelFolder, roles: Mapping[str, Any]) -> dict[str, int]:
    """Return the ids of a vocab.json.

    Raises:
        SourceError: the file is missing or damaged.
    """
    found = dict(folder.needed_file("vocab.json").document)
    check_unique(found)
    return found


def _codes(
    name: str, first: int, numbered: bool, folder: ModelFolder
) -> tuple[list[Pair], tuple[str, ...]]:
    """Return the merges of a file, each a pair of tokens in the order of merging, and notes.

    A line that is not a pair is left out, as transformers does, and so is the text after the last
    line break.

    Args:
        name: the file's name in the folder.
        first: the number of lines at the beginning that are no merges, such as a version.
        numbered: whether each line has a number (how often the pair was seen) behind the pair.
        folder: the model's folder.

    Returns:
        The pairs; and a note on how many lines were left out, if any were.

    Raises:
        SourceError: the file is missing, or not UTF-8.
    """
    lines = [line.split() for line in split_lines(folder.needed_file(name))[first:-1]]
    if numbered:
        lines = [line[:-1] for line in lines]
    pairs = [(line[0], line[1]) for line in lines if len(line) == 2]
    left = len(lines) - len(pairs)
    kind = "two tokens and a number" if numbered else "two tokens"
    note = f"{name}: {left} lines count for nothing, as in transformers: they are not {kind}"
    return pairs, (note,) if left else ()


def _roberta(tokens: SlowTokens) -> Template:
    """Return the template of RoBERTa, of one type."""
    cls, sep = tokens.id_of("cls_token"), tokens.id_of("sep_token")
    return Template.around([cls], [sep], [sep, sep], second_type=0)


def _nothing(_: SlowTokens) -> Template:
    """Return the template without tokens, of one type."""
    return Template.around(second_type=0)


ROLES = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
NORMALIZATION = (
    "normalization",
    "which rewrites users, addresses and emoji by a program of its own; set it to false and give "
    "texts that are rewritten so",
)
CODES = partial(_codes, "bpe.codes", 0, True)
MERGES = partial(_codes, "merges.txt", 1, False)
RECIPES: dict[str, tuple[tuple[str, ...], Recipe]] = {
    "PhobertTokenizer": (
        ("vocab.txt", "bpe.codes"),
        Recipe(roles=ROLES, vocabulary=_counted, merges=CODES, around=_roberta),
    ),
    "BertweetTokenizer": (
        ("vocab.txt", "bpe.codes"),
        Recipe(
            roles=ROLES,
            vocabulary=_counted,
            merges=CODES,
            around=_roberta,
            refused=NORMALIZATION,
        ),
    ),
    "BlenderbotSmallTokenizer": (
        ("vocab.json", "merges.txt"),
        Recipe(
            roles={
                "bos_token": "__start__",
                "eos_token": "__end__",
                "unk_token": "__unk__",
                "pad_token": "__null__",
            },
            vocabulary=_json,
            merges=MERGES,
            around=lambda _: Template(),
            spaces=WHITE_SPACE,
            rewrites=_apart,
        ),
    ),
    "CTRLTokenizer": (
        ("vocab.json", "merges.txt"),
        Recipe(
            roles={"unk_token": "<unk>"},
            vocabulary=_json,
            merges=MERGES,
            around=_nothing,
            spaces=WHITE_SPACE,
        ),
    ),
}
"""The files of each class, and how it puts a tokenizer together."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=files, read=partial(read, recipe))
    for name, (files, recipe) in RECIPES.items()
}
