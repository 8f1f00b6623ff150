"""Whether two tokenizer.json say the same, in the several ways in which that can be said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
PARTS = ("normalizers", "pretokenizers", "processors", "decoders")
USUAL: Mapping[str, Mapping[str, Any]] = {
    "BPE": {
        **{"dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False},
        **{"ignore_merges": False, "continuing_subword_prefix": "", "end_of_word_suffix": ""},
    },
    "Unigram": {"byte_fallback": False},
    "WordPiece": {"max_input_chars_per_word": 100, "continuing_subword_prefix": "##"},
    "Metaspace": {"replacement": "▁", "prepend_scheme": "always", "split": True},
    "Split": {"invert": False},
    "ByteLevel": {"use_regex": True},
    "TemplateProcessing": {},
}
"""What options of some components have where a file does not say."""
WITHOUT_EFFECT: Mapping[tuple[str, str], frozenset[str]] = {
    ("decoder", "ByteLevel"): frozenset({"add_prefix_space", "trim_offsets", "use_regex"}),
    ("decoder", "Metaspace"): frozenset({"split", "str_rep"}),
    ("pre_tokenizer", "Metaspace"): frozenset({"str_rep"}),
    ("pre_tokenizer", "ByteLevel"): frozenset({"trim_offsets"}),
    ("post_processor", "ByteLevel"): frozenset({"use_regex"}),
}
"""Options that a component may have in its place, and does not use there."""


def differing(made: Mapping[str, Any], given: Mapping[str, Any]) -> list[str] | None:
    """Return the names of the parts in which two tokenizer.json differ; None if in nothing at all.

    Two whose scores differ by the rounding of numbers alone differ in no part, but are not the
    same.
    """
    parts = [part for part in COMPONENTS if _plain(made, part) != _plain(given, part)]
    if _by_id(made) != _by_id(given):
        parts.append("added_tokens")
    ours, theirs = made["model"], given["model"]
    if _options(ours) != _options(theirs):
        parts.append("model")
    elif (ours.get("merges") or []) != (theirs.get("merges") or []):
        parts.append("merges")
    if _texts(ours["vocab"]) != _texts(theirs["vocab"]):
        parts.append("vocab")
    return parts or (None if ours["vocab"] == theirs["vocab"] else [])


def _plain(document: Mapping[str, Any], part: str) -> list[Any]:
    """Return the components of one part in a row, each with all its options that have an effect."""
    return _row(document.get(part), part)


def _row(component: Any, part: str) -> list[Any]:
    """Return the components of a Sequence, whatever its depth, or a component alone."""
    if component is None:
        return []
    kind = component.get("type")
    if kind == "Sequence":
        inner = next((component[key] for key in PARTS if key in component), ())
        return [each for one in inner for each in _row(one, part)]
    unused = WITHOUT_EFFECT.get((part, kind), ())
    found = {**USUAL.get(kind, {}), **component}
    if kind == "TemplateProcessing":
        # Tokens that no place has may be listed, too.
        places = [*found["single"], *found["pair"]]
        used = [each["SpecialToken"]["id"] for each in places if "SpecialToken" in each]
        found["special_tokens"] = {text: found["special_tokens"][text]["ids"] for text in used}
    return [{key: value for key, value in found.items() if key not in unused}]


def _by_id(document: Mapping[str, Any]) -> dict[int, Any]:
    """Return the added tokens by their ids."""
    return {each["id"]: each for each in document.get("added_tokens") or ()}


def _options(model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a model, without its vocabulary."""
    kind = str(model.get("type"))
    found = {**USUAL.get(kind, {}), **model}
    if kind == "BPE":
        found |= {key: found[key] or "" for key in USUAL[kind] if "fix" in key}
        if found["unk_token"] is None:
            del found["fuse_unk"]
    return {key: value for key, value in found.items() if key not in ("vocab", "merges")}


def _texts(vocab: Any) -> Any:
    """Return a vocabulary without its scores."""
    return vocab if isinstance(vocab, dict) else [text for text, *_ in vocab]
