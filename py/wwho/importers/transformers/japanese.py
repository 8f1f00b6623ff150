"""Classes in Python that cut words as BERT does, BERT Japanese among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wwho.compile.normal_forms import normal_form
from wwho.errors import SourceError
from wwho.format.steps import Map, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import Patterns
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.components import Component, flag, pre_tokenizers, split
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.japanese_pieces import read_within_words
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_text import CHINESE, NEWER, NOTE, cleaned, punctuation
from wwho.importers.transformers.python_vocab import choice_of
from wwho.importers.transformers.slow_tokens import (
    SPACES,
    SlowTokens,
    draft_of_parts,
    in_class,
    joined,
    lines_of,
    slow_tokens,
)
from wwho.importers.transformers.word_cutting import (
    PROGRAMS,
    SETTINGS,
    WordCutting,
    read_never_split,
    read_program_options,
)

SPACE = "\ufdd2"
"""A code point that no text has: it stands for a space that NFKC makes of another character."""
ROLES = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
NOTES = (
    NOTE,
    "a special token that only appears once control characters are taken out is cut here",
)
BUT = (
    f"{NEWER}. With words that MeCab, Sudachi or Juman++ cuts, words that are never cut, or "
    "SentencePiece within words, wwho import refuses it, as no artifact can do that, and "
    "WWHOTokenizer.from_pretrained is exact in Python (for Juman++ it needs a word_cutter)"
)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class puts a tokenizer together.

    Attributes:
        file: the name of the vocabulary.
        roles: its defaults; see `Draft`.
        around: makes the template.
        lower: whether text becomes lower case where the settings do not say.
        chinese: whether Chinese characters are words where the settings do not say; None: never.
        notes: see `Draft`.
    """

    file: str = "vocab.txt"
    roles: Mapping[str, Any]
    around: Callable[[SlowTokens], Template]
    lower: bool = True
    chinese: bool | None = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Words:
    """How words are cut.

    Attributes:
        basic: whether BERT's rules cut them; otherwise white space does.
        lower: whether text becomes lower case.
        accents: whether accents go; None: if `lower`.
        chinese: whether Chinese characters are words.
    """

    basic: bool
    lower: bool = False
    accents: bool | None = None
    chinese: bool = False

    def steps(self, patterns: Patterns) -> list[Rewrite]:
        """Return the steps before words are cut."""
        if not self.basic:
            return []
        return cleaned(patterns, lower=self.lower, accents=self.accents)

    def cuts(self) -> list[Component]:
        """Return the pre-tokenizers that cut words: at spaces, which go, and with `basic` at signs.

        Signs are punctuation and, if `chinese` says so, ideographs; each is a word of its own.
        """
        spaces = split(in_class(SPACES), "Removed")
        if not self.basic:
            return [spaces]
        alone = punctuation() | CHINESE if self.chinese else punctuation()
        ranges = "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in alone.ranges)
        return [split(f"[{ranges}]", "Isolated"), spaces]


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's vocabulary of words.

    The recipe says what the class does, and `_lower` whether text becomes lower case.

    Raises:
        SourceError: the file is missing or damaged, or a setting is not understood.
    """
    accents = folder.settings.get("strip_accents")
    if accents is not None and not isinstance(accents, bool):
        raise SourceError(
            f"tokenizer_config.json: strip_accents: found {shown(accents)}, expected true, false "
            "or null"
        )
    words = Words(
        basic=flag(folder, "do_basic_tokenize", True),
        lower=_lower(recipe, folder, options),
        accents=accents,
        chinese=flag(folder, "tokenize_chinese_chars", bool(recipe.chinese)),
    )
    return _draft(recipe, folder, options, words, words.steps, "wordpiece")


def read_japanese(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of BERT Japanese, with the defaults of a recipe.

    Without `do_subword_tokenize` words are tokens, otherwise `subword_tokenizer_type` says what is.
    Where more than BERT's own rules is needed to cut words, the model of the draft is one of words,
    and `words` says how to cut these.

    Raises:
        SourceError: the file is missing or damaged; or a setting is not understood.
    """
    settings = folder.settings
    program = settings.get("word_tokenizer_type") or "basic"
    part = settings.get("subword_tokenizer_type") or "wordpiece"
    choice_of("word_tokenizer_type", program, [*PROGRAMS])
    choice_of("subword_tokenizer_type", part, ["wordpiece", "character", "sentencepiece"])
    lower = flag(folder, "do_lower_case", recipe.lower)
    lower = lower if options.lowercase is None else options.lowercase
    never, has_cutter = read_never_split(folder), flag(folder, "do_word_tokenize", True)
    # SentencePiece counts here even where it makes no tokens: the class reads no other vocabulary.
    in_pieces = part == "sentencepiece"
    if in_pieces and not flag(folder, "do_subword_tokenize", True):
        raise SourceError(
            "do_subword_tokenize: found false, expected true: with subword_tokenizer_type "
            "sentencepiece, words that are tokens are not supported"
        )
    if not flag(folder, "do_subword_tokenize", True):
        part = "word"
    cutting: WordCutting | None = None
    program_options = read_program_options(folder, program)
    if in_pieces or (has_cutter and (program != "basic" or never)):
        cutting = WordCutting(
            program=program if has_cutter else None,
            lower=lower,
            never_split=never,
            options=program_options,
            whole=part == "word",
            settings={name: settings[name] for name in SETTINGS if name in settings},
        )
    if in_pieces:
        assert cutting is not None
        return read_within_words(folder, options, cutting, recipe.roles, recipe.around)
    words = Words(basic=has_cutter and cutting is None, lower=lower)

    def steps(patterns: Patterns) -> list[Rewrite]:
        """Return the steps of the normalizer."""
        last: list[Rewrite] = []
        if part == "character":
            last = [_compatible() if words.basic else normal_form("nfkc")]
        return [*words.steps(patterns), *last]

    draft = _draft(recipe, folder, options, words, steps, part)
    if cutting is None:
        return draft
    files = {recipe.file: folder.needed_file(recipe.file).data}
    return replace(draft, words=replace(cutting, files=files))


def _lower(recipe: Recipe, folder: ModelFolder, options: Options) -> bool:
    """Return whether text becomes lower case.

    Args:
        recipe: what the class does by default.
        folder: the settings, whose do_lower_case counts before that.
        options: what the caller says, which counts before both.

    Raises:
        SourceError: the setting is no flag; or tokens are listed that are never cut.
    """
    never = folder.settings.get("never_split")
    if never:
        raise SourceError(
            f"tokenizer_config.json: never_split: found {shown(never)}; words that are never cut "
            "are not supported: add them as tokens"
        )
    lower = flag(folder, "do_lower_case", recipe.lower)
    return lower if options.lowercase is None else options.lowercase


def _compatible() -> Map:
    """Return NFKC, by which characters become `SPACE` in place of spaces."""
    form = normal_form("nfkc")
    space = ord(" ")
    return replace(
        form,
        mapping={
            each: tuple(ord(SPACE) if target == space else target for target in targets)
            for each, targets in form.mapping.items()
        },
    )


def _draft(
    recipe: Recipe,
    folder: ModelFolder,
    options: Options,
    words: Words,
    steps: Callable[[Patterns], list[Rewrite]],
    part: str,
) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's vocabulary of words.

    Args:
        recipe: how the class puts it together.
        folder: the folder.
        options: what the caller says.
        words: how words are cut.
        steps: makes the steps of the normalizer.
        part: how words become tokens: "wordpiece", "character", or "word" for whole ones.
    """
    lines = lines_of(folder.needed_file(recipe.file))
    vocabulary = {line: number for number, line in enumerate(lines)}
    tokens = slow_tokens(folder, vocabulary, recipe.roles)
    unknown = tokens.unknown()
    ids = dict(vocabulary)
    surfaces: dict[int, bytes] = {}
    cuts = words.cuts()
    model: dict[str, Any] = {"type": "WordLevel", "unk_token": unknown}
    if part == "wordpiece":
        model = {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        }
    elif not words.basic:
        cuts = []
    if part == "character":
        cuts.append(split("[\\s\\S]", "Isolated"))
        if words.basic and " " in ids:
            surfaces[ids[" "]] = b" "
            ids[SPACE] = ids.pop(" ")
    return draft_of_parts(
        folder,
        options,
        {"pre_tokenizer": pre_tokenizers(*cuts) if cuts else None, "model": model},
        ids,
        tokens,
        rewrites=steps,
        template=recipe.around(tokens),
        decoder=joined((" ##", "")),
        surfaces=surfaces,
        defaults=recipe.roles,
        notes=(*(NOTES if words.basic else ()), *recipe.notes),
    )


def _bert(tokens: SlowTokens) -> Template:
    """Return the template of BERT."""
    cls, sep = tokens.id_of("cls_token"), tokens.id_of("sep_token")
    return Template.around([cls], [sep], [sep])


def _prophetnet(tokens: SlowTokens) -> Template:
    """Return the template of ProphetNet."""
    sep = tokens.id_of("sep_token")
    return Template.around([], [sep], [sep])


RECIPES: dict[str, tuple[tuple[str, ...], Recipe]] = {
    "RoCBertTokenizer": (
        ("vocab.txt",),
        Recipe(
            roles=ROLES,
            around=_bert,
            notes=("the ids of shapes and sounds, which the model reads too, are not made",),
        ),
    ),
    "ProphetNetTokenizer": (
        ("prophetnet.tokenizer",),
        Recipe(
            file="prophetnet.tokenizer",
            roles={
                **{name: text for name, text in ROLES.items() if name != "cls_token"},
                "x_sep_token": "[X_SEP]",
                "clean_up_tokenization_spaces": True,
            },
            around=_prophetnet,
        ),
    ),
    "BertTokenizerLegacy": (
        ("vocab.txt",),
        Recipe(roles={**ROLES, "clean_up_tokenization_spaces": True}, around=_bert),
    ),
}
"""The files of each class, and how it puts a tokenizer together."""
JAPANESE = Recipe(roles=ROLES, around=_bert, lower=False, chinese=None)

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(files=files, read=partial(read, recipe), but=NEWER)
    for name, (files, recipe) in RECIPES.items()
} | {
    "BertJapaneseTokenizer": ModelClass(
        files=("vocab.txt or spiece.model",),
        read=partial(read_japanese, JAPANESE),
        but=BUT,
    )
}
