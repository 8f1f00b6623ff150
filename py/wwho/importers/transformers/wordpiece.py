"""Classes over vocab.txt whose words are cut into the longest pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.importers.huggingface.vocabulary_files import pieces_in
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.byte_level import Made, json_defaults, made_of
from wwho.importers.transformers.components import (
    Component,
    bert_normalizer,
    flag,
    roberta_processing,
    template_processing,
)
from wwho.importers.transformers.document_vocabulary import ids_in
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.tokens import Token, role, with_tokens

FILES = ("vocab.txt",)
BERT_ROLES = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
WITHOUT_TYPES = ["input_ids", "attention_mask"]
WITH_TYPES = ["input_ids", "token_type_ids", "attention_mask"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class puts a tokenizer together.

    Attributes:
        roles: its defaults; see `Draft`.
        around: makes the post-processor.
        lower: whether text becomes lower case where the settings do not say; None: always.
        cleans: whether the settings may say that control characters stay.
    """

    roles: Mapping[str, Any] = field(default_factory=lambda: BERT_ROLES)
    around: Callable[[Made], Component]
    lower: bool | None = True
    cleans: bool = False


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's vocab.txt.

    Of a folder with a `document`, the class takes the vocabulary from there.

    The draft holds it as the document of a tokenizer.json; the post-processor is that of the
    recipe, whatever the settings say. Text becomes lower case as `lowercase` of the options says;
    without that, always if the recipe's `lower` is None; else as `do_lower_case` of the settings
    says, or as the recipe does where they do not.

    Args:
        recipe: what the class does, such as BertTokenizer.
        folder: the folder, with its settings.
        options: what the caller says, of which only `lowercase` counts here.

    Raises:
        SourceError: the file is missing or damaged, a setting is not understood, or there is no
            token that the recipe puts around texts.
    """
    if folder.document is None:
        vocab = pieces_in(folder.needed_file("vocab.txt"))
    else:
        vocab = ids_in(folder.document)
    lower = flag(folder, "do_lower_case", recipe.lower is not False) or recipe.lower is None
    if options.lowercase is not None:
        lower = options.lowercase
    accents = folder.settings.get("strip_accents")
    if accents is not None and not isinstance(accents, bool):
        raise SourceError(
            f"tokenizer_config.json: strip_accents: found {shown(accents)}, expected true, false "
            "or null"
        )
    prefix = folder.settings.get("wordpieces_prefix") if recipe.cleans else None
    document: dict[str, Any] = {
        "version": "1.0",
        "normalizer": bert_normalizer(
            clean=not recipe.cleans or flag(folder, "clean_text", True),
            chinese=flag(folder, "tokenize_chinese_chars", True),
            strip=accents,
            lower=lower,
        ),
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": prefix or "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": role(folder, "unk_token", recipe.roles) or "None",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }
    document, notes = with_tokens(folder, document, recipe.roles)
    document["post_processor"] = recipe.around(made_of(folder, document, recipe.roles))
    return Draft(document=document, defaults=json_defaults(recipe.roles), notes=notes)


def _bert(made: Made, kind: int = 0) -> Component:
    """Return the post-processor of BERT; `kind` is the type of the first token."""
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    first = f"{cls}:{kind} $A:0 {sep}:0"
    return template_processing(first, f"{first} $B:1 {sep}:1", made.ids)


def _mpnet(made: Made) -> Component:
    """Return the post-processor of MPNet."""
    sep, cls = made.id_of("sep_token"), made.id_of("cls_token")
    return roberta_processing(sep, cls, made.ids, prefix=False)


def _splinter(made: Made) -> Component:
    """Return the post-processor of Splinter, whose pairs are a question and a context.

    The question token and a full stop come after the question, which is the first text, or the
    second if padding is on the left.
    """
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    asked = f"{made.id_of('question_token')} ."
    is_first = made.folder.settings.get("padding_side", "right") == "right"
    pair = (
        f"{cls}:0 $A:0 {asked} {sep}:0 $B:1 {sep}:1"
        if is_first
        else f"{cls}:0 $A:0 {sep}:0 $B:1 {asked} {sep}:1"
    )
    return template_processing(f"{cls}:0 $A:0 {sep}:0", pair, made.ids)


BERT = Recipe(roles={**BERT_ROLES, "model_input_names": WITH_TYPES}, around=_bert)
RECIPES: dict[str, Recipe] = {
    "BertTokenizer": BERT,
    "DistilBertTokenizer": Recipe(
        roles={**BERT_ROLES, "model_input_names": WITHOUT_TYPES}, around=_bert
    ),
    **dict.fromkeys(
        ("DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer"),
        Recipe(roles={**BERT_ROLES, "model_input_names": WITH_TYPES}, around=_bert, lower=None),
    ),
    "FunnelTokenizer": Recipe(
        roles={
            "unk_token": "<unk>",
            "sep_token": "<sep>",
            "pad_token": "<pad>",
            "cls_token": "<cls>",
            "mask_token": "<mask>",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "model_input_names": WITHOUT_TYPES,
        },
        around=partial(_bert, kind=2),
        cleans=True,
    ),
    "SplinterTokenizer": Recipe(
        roles={**BERT_ROLES, "question_token": "[QUESTION]", "model_input_names": WITHOUT_TYPES},
        around=_splinter,
    ),
    "MPNetTokenizer": Recipe(
        roles={
            "model_input_names": WITHOUT_TYPES,
            "bos_token": "<s>",
            "eos_token": "</s>",
            "sep_token": "</s>",
            "cls_token": "<s>",
            "unk_token": "[UNK]",
            "pad_token": "<pad>",
            "mask_token": Token("<mask>", lstrip=True),
        },
        around=_mpnet,
    ),
}
"""The classes by name, and how each puts a tokenizer together."""

ALIASES = dict.fromkeys(
    (
        "ElectraTokenizer",
        "LayoutLMTokenizer",
        "LxmertTokenizer",
        "MobileBertTokenizer",
        "SqueezeBertTokenizer",
    ),
    "BertTokenizer",
)
"""Names of older versions that transformers takes for other classes."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(
        files=FILES,
        read=partial(read, RECIPES[ALIASES.get(name, name)]),
        rebuild=partial(read, RECIPES[ALIASES.get(name, name)]),
    )
    for name in (*RECIPES, *ALIASES)
} | {
    # It has no `__init__` of its own, so that it takes a tokenizer.json as it is.
    "ConvBertTokenizer": ModelClass(files=FILES, read=partial(read, BERT)),
    "DPRReaderTokenizer": ModelClass(
        files=FILES, refusal="which takes questions, titles and passages, and no plain text"
    ),
    "LayoutLMv2Tokenizer": ModelClass(
        files=FILES, refusal="which takes words and their places on a page, and no plain text"
    ),
    "RoFormerTokenizer": ModelClass(
        files=FILES, refusal="which cuts words by a program, rjieba, with a dictionary of its own"
    ),
}
