"""Options of transformers' classes that change a component of a tokenizer.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

COMPONENT_OF_OPTION = {
    "add_prefix_space": ("pre_tokenizer", "ByteLevel", "add_prefix_space"),
    "do_lower_case": ("normalizer", "BertNormalizer", "lowercase"),
    "strip_accents": ("normalizer", "BertNormalizer", "strip_accents"),
    "tokenize_chinese_chars": ("normalizer", "BertNormalizer", "handle_chinese_chars"),
}
"""For each option: the part of a document, the type of the component in it, and its field."""

MAY_BE_NONE = ("strip_accents",)
"""Options for which None is a value of its own: accents go where letters become lower case."""


SCHEMES = {
    "AlbertTokenizer": ("never", "always"),
    "BarthezTokenizer": ("never", "always"),
    "BigBirdTokenizer": ("never", "always"),
    "CamembertTokenizer": ("never", "always"),
    "DebertaV2Tokenizer": ("first", "always"),
    "LlamaTokenizer": ("never", "first"),
    "RemBertTokenizer": ("never", "always"),
    "XGLMTokenizer": ("never", "always"),
    "XLMRobertaTokenizer": ("never", "always"),
    "XLNetTokenizer": ("never", "always"),
}
"""For classes with a Metaspace: its `prepend_scheme` without and with `add_prefix_space`."""
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
"""The decoder that takes the space off again which `LlamaTokenizer` has put in front."""


def with_class_options(
    document: dict[str, Any],
    options: Mapping[str, Any],
    model_class: str | None,
    is_saved: bool = False,
) -> tuple[dict[str, Any], set[str]]:
    """Return a tokenizer.json that does what options of its class say, and those that it does.

    An option is not among them if the document has no component for it.

    Args:
        document: the tokenizer.json; it is not changed.
        options: the options; those of other kinds are left alone.
        model_class: the class of transformers, without "Fast".
        is_saved: whether the options are settings that lie beside the document. Where they leave
            open which scheme a Metaspace has, the document's stays.

    Raises:
        ValueError: an option is neither True nor False.

    Example:
        >>> document = {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}}
        >>> options = {"add_prefix_space": True, "legacy": False}
        >>> with_class_options(document, options, "GPT2Tokenizer")
        ({'pre_tokenizer': {'type': 'ByteLevel', 'add_prefix_space': True}}, {'add_prefix_space'})
    """
    parts = ("normalizer", "pre_tokenizer", "decoder")
    copied = {part: deepcopy(document[part]) for part in parts if part in document}
    changed, done = {**document, **copied}, set()
    for name, value in options.items():
        if name not in COMPONENT_OF_OPTION or (value is None and name not in MAY_BE_NONE):
            continue
        if not isinstance(value, bool) and value is not None:
            raise ValueError(f"{name}={value!r}: expected True or False")
        part, kind, field = COMPONENT_OF_OPTION[name]
        for each in _of_kind(changed.get(part), kind):
            each[field] = value
            done.add(name)
        if name == "add_prefix_space" and _set_scheme(changed, bool(value), model_class, is_saved):
            done.add(name)
    return changed, done


def _set_scheme(
    document: dict[str, Any], value: bool, model_class: str | None, is_saved: bool
) -> bool:
    """Set the scheme of a document's Metaspace by `add_prefix_space`, in place.

    Of a saved document, a scheme that goes with the value stays. In a Llama the decoder's Strip,
    which takes the first space off, is put in or taken out, too.

    Returns:
        Whether there is one, in a class that does so.
    """
    (found, *more) = [*_of_kind(document.get("pre_tokenizer"), "Metaspace"), None]
    if model_class not in SCHEMES or found is None or more[1:]:
        return False
    is_open = SCHEMES[model_class][0] == "never"
    if is_saved and is_open and (found["prepend_scheme"] != "never") == value:
        return True
    found["prepend_scheme"] = SCHEMES[model_class][value]
    for each in _of_kind(document.get("decoder"), "Metaspace"):
        each["prepend_scheme"] = SCHEMES[model_class][value]
    if model_class == "LlamaTokenizer":
        decoders = document["decoder"]["decoders"]
        decoders[:] = [each for each in decoders if each["type"] != "Strip"] + [STRIP] * value
    return True


def _of_kind(component: dict[str, Any] | None, kind: str) -> Iterator[dict[str, Any]]:
    """Yield a component of a kind, or those in a Sequence, whatever its depth; nothing for None.

    A component that is of this kind is yielded itself, before those in it.
    """
    if component is None:
        return
    if component.get("type") == kind:
        yield component
    for key in ("normalizers", "pretokenizers", "decoders"):
        for each in component.get(key) or ():
            yield from _of_kind(each, kind)
