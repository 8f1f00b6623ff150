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


def with_class_options(
    document: dict[str, Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], set[str]]:
    """Return a tokenizer.json that does what options of its class say, and those that it does.

    An option is not among them if the document has no component for it.

    Args:
        document: the tokenizer.json; it is not changed.
        options: the options; those of other kinds are left alone.

    Raises:
        ValueError: an option is neither True nor False.

    Example:
        >>> document = {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}}
        >>> with_class_options(document, {"add_prefix_space": True, "legacy": False})
        ({'pre_tokenizer': {'type': 'ByteLevel', 'add_prefix_space': True}}, {'add_prefix_space'})
    """
    changed, done = document, set()
    for name, value in options.items():
        if name not in COMPONENT_OF_OPTION:
            continue
        if value is None and name not in MAY_BE_NONE:
            continue
        if not isinstance(value, bool) and value is not None:
            raise ValueError(f"{name}={value!r}: expected True or False")
        part, kind, field = COMPONENT_OF_OPTION[name]
        components = [each for each in _components(document.get(part)) if each["type"] == kind]
        if not components:
            continue
        done.add(name)
        if all(each.get(field) == value for each in components):
            continue
        changed = {**changed, part: deepcopy(changed[part])}
        for each in _components(changed[part]):
            if each["type"] == kind:
                each[field] = value
    return changed, done


def _components(component: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield a component, or those of a Sequence, whatever its depth; nothing for None."""
    if component is None:
        return
    if component.get("type") != "Sequence":
        yield component
        return
    for key in ("normalizers", "pretokenizers"):
        for each in component.get(key) or ():
            yield from _components(each)
