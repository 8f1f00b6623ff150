"""Classes over vocab.json and merges.txt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.importers.huggingface import vocabulary_files
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.choice import tables
from wwho.importers.transformers.components import (
    Component,
    bert_normalizer,
    bpe_model,
    byte_level,
    digits,
    flag,
    normalizers,
    pre_tokenizers,
    roberta_processing,
    split,
    template_processing,
)
from wwho.importers.transformers.document_vocabulary import around_in, ids_in, merges_in
from wwho.importers.transformers.folder import AROUND, ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.tokens import (
    Token,
    Tokens,
    read_tokens,
    role,
    vocabulary_ids,
    with_tokens,
)

FILES = ("vocab.json", "merges.txt")
NFC = {"type": "NFC"}
QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN3_5_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP_PATTERN = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)
NOUGAT_PATTERN = r"""[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*"""
END_OF_TEXT = "<|endoftext|>"
GPT2_ROLES = dict.fromkeys(("unk_token", "bos_token", "eos_token"), END_OF_TEXT)
QWEN_ROLES = dict.fromkeys(("unk_token", "eos_token", "pad_token"), END_OF_TEXT)
ROBERTA_ROLES = {
    **{"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"},
    **{"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"},
}
DEBERTA_ROLES = {
    **{"bos_token": "[CLS]", "eos_token": "[SEP]", "sep_token": "[SEP]", "cls_token": "[CLS]"},
    **{"unk_token": "[UNK]", "pad_token": "[PAD]", "mask_token": "[MASK]"},
}
WITH_TYPES = ["input_ids", "attention_mask", "token_type_ids"]


@dataclass(frozen=True, kw_only=True)
class Made:
    """What is known once the added tokens are: for a post-processor.

    Attributes:
        folder: the folder.
        roles: the text of each role.
        ids: the ids of all tokens.
    """

    folder: ModelFolder
    roles: Mapping[str, str]
    ids: Mapping[str, int]

    def id_of(self, role: str) -> str:
        """Return the text of a role that has an id.

        Raises:
            SourceError: there is no such token.
        """
        text = self.roles.get(role, "")
        if text not in self.ids:
            raise SourceError(f"there is no {role}, which this class puts around texts")
        return text


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class puts a tokenizer together.

    Attributes:
        roles: its defaults; see `Draft`.
        prefix: the default of `add_prefix_space`; None: there is no such setting.
        normalizer: the normalizer.
        pre_tokenizer: makes it, from the settings and whether a text gets a space in front.
        decoder: the decoder.
        model: options of the model, from the settings.
        around: makes the post-processor; None: the settings say what stands around a text.
        gives_way: whether they do so, too, wherever they have an option for it; so does a
            tokenizer.json.
        by_settings: whether they do so even where a tokenizer.json says what stands there.
        twice: whether the class adds its special tokens a second time; see `Tokens.again`.
        by_texts: whether it does so by their texts alone, so that all of them are found as they
            stand.
    """

    roles: Mapping[str, Any] = field(default_factory=dict)
    prefix: bool | None = False
    normalizer: Component | None = None
    pre_tokenizer: Callable[[ModelFolder, bool], Component] = lambda _, prefix: byte_level(
        prefix=prefix
    )
    decoder: Component = field(default_factory=byte_level)
    model: Callable[[ModelFolder, Mapping[str, Any]], dict[str, Any]] = lambda *_: {}
    around: Callable[[Made], Component] | None = None
    gives_way: bool = False
    by_settings: bool = False
    twice: bool = False
    by_texts: bool = False


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's vocab.json, merges.txt.

    The draft holds it as the document of a tokenizer.json. The post-processor is that of the
    recipe; where the recipe has none, or gives way and the settings have `add_bos_token` or
    `add_eos_token`, it is the one that these two settings call for (`with_tokens`). Of a folder
    with a `document`, the class takes the vocabulary and the merges from there, and the
    post-processor wherever the recipe gives way, or has none and does not go by the settings.

    Args:
        recipe: what the class does, such as RobertaTokenizer.
        folder: the folder, with its settings.
        options: what the caller says, of which nothing counts here.

    Raises:
        SourceError: a file is missing or damaged, a setting is not understood, or there is no token
            that the recipe puts around texts.
    """
    merges: Sequence[Any]
    if folder.document is None:
        vocab = folder.needed_file("vocab.json").document
        if wrong := [value for value in vocab.values() if type(value) is not int or value < 0]:
            raise SourceError(f"vocab.json: found the id {shown(wrong[0])}, expected a number")
        merges = vocabulary_files.merges_in(folder.needed_file("merges.txt"))
    else:
        vocab, merges = ids_in(folder.document), merges_in(folder.document)
    prefix = recipe.prefix is not None and flag(folder, "add_prefix_space", recipe.prefix)
    document: dict[str, Any] = {
        "version": "1.0",
        "normalizer": recipe.normalizer,
        "pre_tokenizer": recipe.pre_tokenizer(folder, prefix),
        "decoder": recipe.decoder,
        "model": bpe_model(vocab, merges, **recipe.model(folder, recipe.roles)),
    }
    kept = None if recipe.by_settings else around_in(folder)
    if kept is not None:
        document["post_processor"] = kept
    document, notes = with_tokens(
        folder, document, recipe.roles, twice=recipe.twice, by_texts=recipe.by_texts
    )
    gives_way = recipe.gives_way and (kept is not None or AROUND & folder.settings.keys())
    if recipe.around is not None and not gives_way:
        document["post_processor"] = recipe.around(made_of(folder, document, recipe.roles))
    return Draft(document=document, defaults=json_defaults(recipe.roles), notes=notes)


def made_of(folder: ModelFolder, document: dict[str, Any], defaults: Mapping[str, Any]) -> Made:
    """Return the `Made` of a tokenizer.json: the texts of its roles by name, and ids by text.

    A role without a token is left out. An added token's id counts before one of the vocabulary.

    Args:
        folder: the folder, whose settings name the roles' tokens.
        document: the tokenizer.json, with its added tokens.
        defaults: the roles of the class, for those that the settings do not name.
    """
    tokens: Tokens = read_tokens(folder).with_defaults(defaults)
    named = {**tokens.named, **tokens.roles}
    roles = {name: token.content for name, token in named.items() if token is not None}
    added = {each["content"]: each["id"] for each in document["added_tokens"]}
    return Made(folder=folder, roles=roles, ids={**vocabulary_ids(document), **added})


def json_defaults(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return defaults with the text of each token in its place."""
    return {
        name: value.content if isinstance(value, Token) else value
        for name, value in defaults.items()
    }


def _roberta(made: Made, usual_prefix: bool = False) -> Component:
    """Return the post-processor of RoBERTa, whose offsets the settings may leave untrimmed."""
    return roberta_processing(
        made.id_of("sep_token"),
        made.id_of("cls_token"),
        made.ids,
        trim=flag(made.folder, "trim_offsets", True),
        prefix=flag(made.folder, "add_prefix_space", usual_prefix),
    )


def _deberta(made: Made) -> Component:
    """Return the post-processor of DeBERTa."""
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    pair = f"{cls} $A {sep} {sep} $B {sep}"
    return template_processing(f"{cls} $A {sep}", pair, made.ids)


def _clip(made: Made) -> Component:
    """Return the post-processor of CLIP."""
    eos, bos = made.id_of("eos_token"), made.id_of("bos_token")
    return roberta_processing(eos, bos, made.ids, trim=False, prefix=False)


def _herbert(made: Made) -> Component:
    """Return the post-processor of HerBERT: cls_token before a text, sep_token after each.

    Its class puts the ids 0 and 2 around texts, whatever the vocabulary has there.

    Raises:
        SourceError: cls_token is not the id 0, or sep_token not 2.
    """
    sep, cls = made.id_of("sep_token"), made.id_of("cls_token")
    for text, number in ((sep, 2), (cls, 0)):
        if made.ids[text] != number:
            raise SourceError(
                f"the id of {shown(text)} is {made.ids[text]}; the class puts {number} around "
                "texts, whatever token that is"
            )
    return {"type": "BertProcessing", "sep": [sep, 2], "cls": [cls, 0]}


def _nougat(made: Made) -> Component:
    """Return the post-processor of Nougat, which puts nothing around a pair."""
    bos, eos = made.id_of("bos_token"), made.id_of("eos_token")
    return template_processing(f"{bos}:0 $A:0 {eos}:0", "$A:0 $B:1", made.ids)


def _whisper(made: Made) -> Component:
    """Return the post-processor of Whisper: its marks of language, task and times before a text.

    Raises:
        SourceError: the settings name a language or a task that is none.
    """
    settings = made.folder.settings
    language, task = settings.get("language"), settings.get("task")
    start = "<|startoftranscript|>"
    marks = [start]
    if language is not None:
        code = WHISPER_NAMES.get(str(language).lower(), str(language).lower())
        if code not in WHISPER_LANGUAGES:
            raise SourceError(
                f"tokenizer_config.json: language: found {shown(language)}, expected one of "
                f"{', '.join(WHISPER_LANGUAGES)} or its name in English"
            )
        number = made.ids.get(start, -1) + 1 + WHISPER_LANGUAGES.index(code)
        marks += [text for text, each in made.ids.items() if each == number][:1]
    if task is not None:
        if task not in ("translate", "transcribe"):
            raise SourceError(
                f"tokenizer_config.json: task: found {shown(task)}, expected transcribe or "
                "translate"
            )
        marks.append(f"<|{task}|>")
    if not flag(made.folder, "predict_timestamps", False):
        marks.append("<|notimestamps|>")
    if missing := [mark for mark in marks if mark not in made.ids]:
        raise SourceError(f"there is no token {missing[0]}, which Whisper puts before a text")
    before, eos = " ".join(f"{mark}:0" for mark in marks), made.id_of("eos_token")
    pair = f"{before} $A:0 $B:1 {eos}:1"
    return template_processing(f"{before} $A:0 {eos}:0", pair, made.ids)


WHISPER_LANGUAGES: tuple[str, ...] = tuple(tables()["whisper_languages"])
WHISPER_NAMES: dict[str, str] = tables()["whisper_names"]


def _unk(folder: ModelFolder, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a model with `</w>` and the unknown token of the settings."""
    return {"unk_token": role(folder, "unk_token", defaults), "end_of_word_suffix": "</w>"}


def _herbert_model(folder: ModelFolder, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of HerBERT's model."""
    return {**_unk(folder, defaults), "continuing_subword_prefix": None}


def _qwen(pattern: str) -> Callable[[ModelFolder, bool], Component]:
    """Return what makes the pre-tokenizer of Qwen with a pattern."""
    return lambda _, prefix: pre_tokenizers(
        split(pattern, "Isolated"), byte_level(prefix=prefix, regex=False)
    )


def _neox_cuts(folder: ModelFolder, prefix: bool) -> Component:
    """Return the pre-tokenizer of GPT-NeoX, whose offsets the settings may leave untrimmed."""
    return byte_level(prefix=prefix, trim=flag(folder, "trim_offsets", True))


def _cohere_cuts(_: ModelFolder, prefix: bool) -> Component:
    """Return the pre-tokenizer of Cohere."""
    return pre_tokenizers(digits(), byte_level(prefix=prefix))


def _clip_cuts(*_: object) -> Component:
    """Return the pre-tokenizer of CLIP."""
    return pre_tokenizers(split(CLIP_PATTERN, "Removed", invert=True), byte_level(prefix=False))


def _nougat_cuts(*_: object) -> Component:
    """Return the pre-tokenizer of Nougat, which takes its patterns for texts."""
    return pre_tokenizers(
        split("SPL1T-TH1S-Pl3A5E", "Removed", regex=False),
        digits(),
        split(NOUGAT_PATTERN, "Isolated", regex=False),
        split("\n", "Isolated", regex=False),
        byte_level(prefix=False),
    )


ROBERTA = Recipe(roles=ROBERTA_ROLES, around=_roberta)
BLENDERBOT_MASK = Token("<mask>", lstrip=True, normalized=False)
ENDED_WORDS = {"type": "BPEDecoder", "suffix": "</w>"}
RECIPES: dict[str, Recipe] = {
    "GPT2Tokenizer": Recipe(roles=GPT2_ROLES),
    "CodeGenTokenizer": Recipe(
        roles=GPT2_ROLES, around=lambda _: byte_level(trim=False), gives_way=True
    ),
    "RobertaTokenizer": ROBERTA,
    "BlenderbotTokenizer": Recipe(
        roles={**ROBERTA_ROLES, "mask_token": BLENDERBOT_MASK}, prefix=True
    ),
    "DebertaTokenizer": Recipe(
        roles={**DEBERTA_ROLES, "model_input_names": WITH_TYPES}, around=_deberta
    ),
    "GPTNeoXTokenizer": Recipe(
        roles={**GPT2_ROLES, "pad_token": "<|padding|>"},
        normalizer=NFC,
        pre_tokenizer=_neox_cuts,
        by_settings=True,
    ),
    "Qwen2Tokenizer": Recipe(
        roles=QWEN_ROLES, normalizer=NFC, pre_tokenizer=_qwen(QWEN2_PATTERN), by_texts=True
    ),
    "CohereTokenizer": Recipe(
        roles={
            "unk_token": "<UNK>",
            "bos_token": "<BOS_TOKEN>",
            "eos_token": "<|END_OF_TURN_TOKEN|>",
            "pad_token": "<PAD>",
            "cls_token": "<CLS>",
            "sep_token": "<SEP>",
            "mask_token": "<MASK_TOKEN>",
            "padding_side": "left",
        },
        normalizer=NFC,
        pre_tokenizer=_cohere_cuts,
        twice=True,
    ),
    "CLIPTokenizer": Recipe(
        roles={
            "unk_token": END_OF_TEXT,
            "bos_token": "<|startoftext|>",
            "eos_token": END_OF_TEXT,
            "pad_token": END_OF_TEXT,
        },
        prefix=None,
        normalizer=normalizers(
            NFC,
            {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
            {"type": "Lowercase"},
        ),
        pre_tokenizer=_clip_cuts,
        # Each token that ends a word has </w> for the space after it.
        decoder={
            "type": "Sequence",
            "decoders": [
                byte_level(),
                {"type": "Replace", "pattern": {"String": "</w>"}, "content": " "},
                {"type": "Strip", "content": " ", "start": 0, "stop": 1},
            ],
        },
        model=_unk,
        around=_clip,
    ),
    "HerbertTokenizer": Recipe(
        roles={
            "cls_token": "<s>",
            "unk_token": "<unk>",
            "pad_token": "<pad>",
            "mask_token": "<mask>",
            "sep_token": "</s>",
        },
        prefix=None,
        normalizer=bert_normalizer(strip=False, lower=False),
        pre_tokenizer=lambda *_: {"type": "BertPreTokenizer"},
        decoder=ENDED_WORDS,
        model=_herbert_model,
        around=_herbert,
    ),
    "OpenAIGPTTokenizer": Recipe(
        roles={"unk_token": "<unk>"},
        prefix=None,
        normalizer=bert_normalizer(),
        pre_tokenizer=lambda *_: {"type": "BertPreTokenizer"},
        decoder=ENDED_WORDS,
        model=_unk,
    ),
    "NougatTokenizer": Recipe(
        roles={
            "unk_token": "<unk>",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "pad_token": "<pad>",
        },
        prefix=None,
        normalizer={"type": "NFKC"},
        pre_tokenizer=_nougat_cuts,
        around=_nougat,
    ),
    "WhisperTokenizer": Recipe(
        roles=dict.fromkeys(
            ("unk_token", "bos_token", "eos_token"),
            Token(END_OF_TEXT, special=True, normalized=False),
        ),
        around=_whisper,
    ),
}
"""The classes by name, and how each puts a tokenizer together."""

QWEN3_5 = Recipe(roles=QWEN_ROLES, normalizer=NFC, pre_tokenizer=_qwen(QWEN3_5_PATTERN))
ALIASES = {
    **dict.fromkeys(
        ("BartTokenizer", "LEDTokenizer", "LongformerTokenizer", "MvpTokenizer"),
        "RobertaTokenizer",
    ),
}
"""Names of older versions that transformers takes for other classes."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(
        files=FILES,
        read=partial(read, RECIPES[ALIASES.get(name, name)]),
        rebuild=partial(read, RECIPES[ALIASES.get(name, name)]),
    )
    for name in (*RECIPES, *ALIASES)
} | {
    "LayoutLMv3Tokenizer": ModelClass(
        files=FILES, refusal="which takes words and their places on a page, and no plain text"
    ),
    "LukeTokenizer": ModelClass(
        files=(*FILES, "entity_vocab.json"),
        refusal="which takes entities beside a text, that are no tokens of it",
    ),
    "MarkupLMTokenizer": ModelClass(
        files=FILES, refusal="which takes the nodes of web pages and their paths, and no plain text"
    ),
    "Qwen3_5Tokenizer": ModelClass(
        files=("tokenizer.json",),
        rebuild=partial(read, QWEN3_5),
        refusal="which reads a tokenizer.json and no vocab.json",
    ),
    "EsmcTokenizer": ModelClass(
        files=("tokenizer.json",),
        refusal="which has its vocabulary of proteins in its code and reads no file of it",
    ),
}
