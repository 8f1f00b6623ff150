"""Options of transformers: those that count here, those that do nothing, and those refused.

An option that changes ids is honoured or refused, never ignored without a word. An option is

- honoured by `WWHOTokenizer` itself (`OWN`), by the import of a folder, whose class asks for it, or
  by a change of a tokenizer.json or of the template;
- without effect (`NOTHING`), for the reason that stands beside it;
- refused with a ValueError, if transformers' class of the model knows it;
- kept in `init_kwargs`, as transformers keeps it, with a warning that it changes nothing, if that
  class does not know it either.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from transformers import PreTrainedTokenizer
from transformers.models.auto.tokenization_auto import tokenizer_class_from_name
from transformers.tokenization_utils_base import PreTrainedTokenizerBase
from transformers.utils import logging

from wwho.errors import SamplingError

OWN = frozenset(
    {
        *PreTrainedTokenizer.SPECIAL_TOKENS_ATTRIBUTES,
        *("extra_special_tokens", "additional_special_tokens", "model_specific_special_tokens"),
        *("special_tokens_pattern", "token_type_ids_pattern", "added_tokens_decoder"),
        *("token_type_ids_include_special_tokens", "split_special_tokens", "model_input_names"),
        *("padding_side", "truncation_side", "model_max_length", "max_len", "pad_token_type_id"),
        *("clean_up_tokenization_spaces", "chat_template", "response_template"),
        "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output",
        *("chat_control_tokens", "processor_class", "verbose"),
    }
)
"""Options of every tokenizer, which `WWHOTokenizer` and its base class honour."""

NOTHING = {
    "use_fast": "there is one implementation",
    "tokenizer_class": "the class is this one",
    "tokenizer_type": "the class is this one",
    "use_default_system_prompt": "no version from 5 on has a default system prompt",
    "response_schema": "transformers drops it",
    "backend": "transformers notes with it which implementation it has taken",
    "files_loaded": "transformers notes with it which files it has read",
    "auto_map": "AutoTokenizer has read it",
    "init_inputs": "transformers has read it",
    "fast_tokenizer_files": "transformers has read it",
    "special_tokens_map_file": "transformers has read it",
    "name": "a name of the folder",
    "max_length": "a call says how long a text may be",
    "stride": "a call says how far rows overlap",
    "truncation_strategy": "a call says how rows are cut",
    "pad_to_multiple_of": "a call says how rows are filled",
    "lang2id": "it numbers languages, for a model's embeddings",
    "id2lang": "it numbers languages, for a model's embeddings",
    "device_map": "it says where a model's weights lie",
    "dtype": "it says how a model's weights are stored",
    "torch_dtype": "it says how a model's weights are stored",
    "proxies": "it says how files are fetched",
    "subfolder": "it says where files are",
    "revision": "it says where files are",
    "force_download": "it says how files are fetched",
    "resume_download": "it says how files are fetched",
    "use_auth_token": "it says how files are fetched",
    "code_revision": "it says where files are",
    "config": "AutoTokenizer has read it",
    "return_unused_kwargs": "it is an option of a model's settings",
    "adapter_kwargs": "it is an option of a model's weights",
}
"""Options that change no ids and no text here, and why."""

ALLOWED: dict[str, tuple[Any, ...]] = {
    # How a decoder writes bytes that are not UTF-8: as U+FFFD.
    "errors": ("replace",),
    # Options of the SentencePiece library, which is not used; see also `check_sampling`.
    "sp_model_kwargs": (None, {}),
}
"""Options with the only values that they may have here, which change nothing."""

ANY_FAST = frozenset({"add_bos_token", "add_eos_token", "fix_mistral_regex"})
"""Options that each class of transformers over `tokenizers` knows, beside those of its own."""

ATTRIBUTES = ("padding_side", "truncation_side", "model_input_names")
"""Options whose values a class of transformers has as attributes."""
IGNORED_BY_TRANSFORMERS = "transformers' {name} knows no such option, and it changes nothing"

DRAWS_ELSEWHERE = frozenset({"alpha", "enable_sampling", "n_best", "nbest_size", "sp_model_kwargs"})
"""Options of SentencePiece's sampling, which no call has."""
CHANGES_IDS = frozenset(
    {
        *ANY_FAST,
        *("add_prefix_space", "legacy", "legacy_behaviour", "do_lower_case", "do_lowercase"),
        *("do_upper_case", "do_lowercase_and_remove_accent", "strip_accents", "keep_accents"),
        *("tokenize_chinese_chars", "do_basic_tokenize", "do_word_tokenize", "never_split"),
        *("do_subword_tokenize", "word_tokenizer_type", "subword_tokenizer_type", "clean_text"),
        *("do_clean_text", "remove_space", "split_by_punct", "wordpieces_prefix", "normalize"),
        *("normalization", "phonemize", "do_phonemize", "is_uroman", "add_blank", "mecab_kwargs"),
        *("sudachi_kwargs", "jumanpp_kwargs", "offset", "extra_ids", "num_madeup_words"),
        *("src_lang", "tgt_lang", "source_lang", "target_lang", "language", "task"),
        *("predict_timestamps", "language_codes", "lang_codes", "langs", "separate_vocabs"),
        *("trim_offsets", "spaces_between_special_tokens", "use_source_tokenizer", "errors"),
        *("tokenizer_object", "vocab", "merges", "dropout", "sp_model_kwargs", "gguf_file"),
        *("unk_id", "mask_token_sent", "_spm_precompiled_charsmap", "replace_word_delimiter_char"),
        *("phonemizer_lang", "phonemizer_backend", "source_spm", "target_spm", "entity_vocab"),
        *("cls_token_box", "sep_token_box", "pad_token_box", "pad_token_label"),
        *("only_label_first_subword", "max_entity_length", "max_mention_length", "tags_dict"),
        *("max_depth", "max_width", "pad_width", "question_encoder", "generator"),
        *("cell_trim_length", "max_column_id", "max_row_id", "strip_column_names"),
        *("update_answer_coordinates", "min_question_length", "max_question_length"),
    }
)
"""Options by which some class of transformers changes ids, offsets, labels or decoded text."""

logger = logging.get_logger(__name__)


@cache
def class_parameters(name: str | None) -> dict[str, Any]:
    """Return what a class of transformers can be given beyond `OWN`, with its defaults.

    Args:
        name: the class, with or without "Fast"; the result is {} if there is none of this name.

    Example:
        >>> class_parameters("Qwen2Tokenizer")["add_prefix_space"] is None
        True
    """
    found = tokenizer_class_from_name(name) if name else None
    if found is None:
        return {}
    known: dict[str, Any] = {}
    for each in found.__mro__:
        if "__init__" not in vars(each):
            continue
        for parameter in inspect.signature(vars(each)["__init__"]).parameters.values():
            is_variable = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            if not is_variable and parameter.name != "self":
                known.setdefault(parameter.name, parameter.default)
    return {each: default for each, default in known.items() if each not in OWN}


@cache
def class_attributes(name: str | None) -> dict[str, Any]:
    """Return what a class of transformers gives itself where nobody says anything, by option.

    These are the sides, the names of columns and the special tokens with usual roles. A name that
    transformers does not know stands for its generic class, as in AutoTokenizer.

    Args:
        name: the class, with or without "Fast"; the result is {} for None.

    Example:
        >>> class_attributes("GemmaTokenizer")["padding_side"], class_attributes(None)
        ('left', {})
    """
    if name is None:
        return {}
    found = tokenizer_class_from_name(name) or tokenizer_class_from_name("TokenizersBackend")
    given = {each: getattr(found, each) for each in ATTRIBUTES}
    parameters = inspect.signature(found.__init__).parameters
    for role in PreTrainedTokenizer.SPECIAL_TOKENS_ATTRIBUTES:
        if role in parameters and parameters[role].default is not inspect.Parameter.empty:
            given[role] = parameters[role].default
    return given


def check_given(
    given: Mapping[str, Any],
    done: Collection[str],
    model_class: str | None,
    is_fixed: bool,
) -> None:
    """Raise ValueError for an option that the caller gives and that is not honoured.

    An option that changes nothing in transformers either is warned of.

    Args:
        given: the options of the caller.
        done: the options that the import, or a change of the model, has honoured.
        model_class: the class of transformers, without "Fast"; None if nothing names one.
        is_fixed: whether the model was made before.

    Raises:
        ValueError: the message names the option, its value, and what would do.
    """
    known = class_parameters(model_class)
    for name, value in given.items():
        if name in OWN or name in done or name in NOTHING or value is None:
            continue
        if name.endswith("_token") and name not in ANY_FAST:
            # A special token with a name of its own.
            continue
        if name in ALLOWED and value in ALLOWED[name]:
            continue
        if not is_fixed and name in known and value == known[name]:
            # The class has this value where nobody says anything.
            continue
        if name in known or name in ANY_FAST or (model_class is None and name in CHANGES_IDS):
            raise ValueError(refusal(name, value, model_class, is_fixed))
        kind = model_class or "model"
        logger.warning(f"{name}={value!r}: {IGNORED_BY_TRANSFORMERS.format(name=kind)}")


def check_saved(saved: Mapping[str, Any], done: Collection[str], model_class: str | None) -> None:
    """Raise ValueError for a setting of a folder that changes ids and is not honoured.

    Args:
        saved: the settings of a folder without a tokenizer.json.
        done: those that the import has honoured.
        model_class: the class of transformers that reads the folder, without "Fast".

    Raises:
        SamplingError: by a setting every call would draw its tokens.
        ValueError: the message names the setting, its value, and what would do.
    """
    known = class_parameters(model_class)
    unknown = {
        name: value
        for name, value in saved.items()
        if name in known and not name.endswith(("_file", "_spm", "vocab", "merges"))
    }
    check_sampling(unknown)
    check_given(unknown, done, model_class, is_fixed=False)


def check_sampling(given: Mapping[str, Any]) -> None:
    """Raise SamplingError for an option by which every call of a tokenizer would draw its tokens.

    Args:
        given: options of the caller, or settings of a folder.

    Raises:
        SamplingError: there is one; the message says how a call draws.
    """
    kwargs = given.get("sp_model_kwargs")
    if given.get("dropout"):
        asked, instead = "dropout", f"dropout={given['dropout']!r}"
    elif given.get("sample") is not None:
        asked, instead = "sample", "sample=(alpha, -1)"
    elif isinstance(kwargs, Mapping) and kwargs.get("enable_sampling"):
        alpha, n_best = kwargs.get("alpha", 0.1), kwargs.get("nbest_size", -1)
        asked = "sp_model_kwargs"
        instead = f"sample=({alpha!r}, -1) (or, of a BPE model, dropout={alpha!r})"
        if n_best not in (None, -1):
            instead += f"; paths are drawn from all that there are, not from nbest_size={n_best!r}"
    else:
        return
    raise SamplingError(
        f"{asked}={given[asked]!r} would draw the tokens of every call, and nothing is drawn here "
        "without a seed: open the model without it, and give each call a seed of its own and "
        f"{instead}"
    )


def check_call(options: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise ValueError for an option of a call that would change ids and is not honoured.

    Args:
        options: the options of the call.
        known: the names of those that are honoured.

    Raises:
        SamplingError: the option is one by which SentencePiece draws; the message says how a call
            draws here.
        ValueError: the message names the option, its value, and what would do.
    """
    for name, value in options.items():
        if name in DRAWS_ELSEWHERE and value is not None:
            raise SamplingError(
                f"{name}={value!r} is no option of a call here: paths are drawn with "
                "sample=(alpha, -1) and a seed"
            )
        if name in known or value is None or name not in CHANGES_IDS | OWN:
            continue
        raise ValueError(
            f"{name}={value!r} is no option of a call here: give it where the tokenizer is made, "
            f"from_pretrained(folder, {name}={value!r})"
        )


def check_decode(options: Mapping[str, Any], model_class: str | None) -> None:
    """Raise ValueError for an option of `decode` that the class of transformers reads.

    Args:
        options: options that are not honoured. Those that the class does not read, or that have its
            own default, change nothing.
        model_class: the class, without "Fast"; None if nothing names one.

    Raises:
        ValueError: the message names the option, its value, and what would do.
    """
    read = decode_parameters(model_class)
    for name, value in options.items():
        if value is not None and name in read and value != read[name]:
            raise ValueError(
                f"{name}={value!r} is no option of decode here, though it is one of "
                f"{model_class}: decode without it, or with the class of transformers"
            )


@cache
def decode_parameters(name: str | None) -> dict[str, Any]:
    """Return the options of `decode` that a class of transformers has of its own, with defaults.

    They are those of `decode` and `_decode` in the class and those that it derives from, up to
    transformers' base class; the nearest class's default counts. {} for None, and for a name that
    transformers does not know.

    Args:
        name: the name of the class.
    """
    found = tokenizer_class_from_name(name) if name else None
    known: dict[str, Any] = {}
    for each in () if found is None else found.__mro__:
        if each is PreTrainedTokenizerBase:
            break
        for method in {"decode", "_decode"} & vars(each).keys():
            for parameter in inspect.signature(vars(each)[method]).parameters.values():
                if parameter.default is not parameter.empty:
                    known.setdefault(parameter.name, parameter.default)
    return known


@cache
def encodes_targets_otherwise(name: str | None) -> bool:
    """Return whether a class of transformers encodes `text_target` in another way than `text`.

    Example:
        >>> encodes_targets_otherwise("NllbTokenizer"), encodes_targets_otherwise("T5Tokenizer")
        (True, False)
    """
    found = tokenizer_class_from_name(name) if name else None
    return hasattr(found, "_switch_to_target_mode")


def refusal(name: str, value: Any, model_class: str | None, is_fixed: bool) -> str:
    """Return the message that an option is not honoured, and what would do."""
    given = f"{name}={value!r}"
    if is_fixed:
        return (
            f"{given} cannot change a model that is made already: open the folder that it was "
            f"imported from with this option, WWHOTokenizer.from_pretrained(folder, {given})"
        )
    return (
        f"{given} is not supported for {model_class or 'this kind of file'}: open the folder with "
        f"transformers, AutoTokenizer.from_pretrained(folder, {given}), save it with "
        "save_pretrained, and take the tokenizer.json that this writes"
    )
