"""The pattern of Mistral's tokenizer.json files that is known to be wrong, and the right one.

Older conversions of Mistral's tekken.json put the pattern of Llama 3 in front of the byte level.
transformers tells such a file by the config.json beside it, and not by its pattern; so does this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wwho.errors import SourceError
from wwho.importers.source import Source, shown

OPTION = "fix_mistral_regex"
"""The option, and the setting, that puts the right pattern in."""
MODEL_TYPES = (None, "mistral", "mistral3", "voxtral", "ministral", "pixtral")
"""Values of `model_type` in config.json of the models that such a file may belong to."""
MOST_IDS = 100_000
"""Ids that a file has at most if it is none of them."""
FIRST_RIGHT = 5
"""The major version of transformers whose files are right."""
PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern of Mistral's tekken.json."""
WARNING = (
    "the folder is one of Mistral's, whose tokenizer.json may have a wrong pattern: many ids are "
    f"then not those that the model has learnt. Give {OPTION}=True (wwho import: "
    "--fix-mistral-regex) for the right pattern, or False to keep what is there"
)


def with_right_pattern(
    document: dict[str, Any], source: Source, fix: bool | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a tokenizer.json with the right pattern, if that is asked for; and a warning, if not.

    Args:
        document: the tokenizer.json; it is not changed.
        source: the file, beside which config.json and tokenizer_config.json lie.
        fix: whether the pattern is put in; None if the caller does not say. The setting of
            tokenizer_config.json counts then, and if there is none, a suspect document stays as it
            is and there is a warning.

    Raises:
        SourceError: a file of settings is damaged.
    """
    if not is_suspect(document, source):
        return document, ()
    wanted = source.json_beside().get(OPTION) if fix is None else fix
    if wanted is True:
        before = document["pre_tokenizer"]
        return {**document, "pre_tokenizer": _right_pre_tokenizer(before)}, ()
    return document, () if wanted is False else (WARNING,)


def is_suspect(document: Mapping[str, Any], source: Source) -> bool:
    """Return whether the pattern of a tokenizer.json may be the wrong one, as transformers tells.

    Args:
        document: the tokenizer.json.
        source: the file, beside which config.json lies.

    Raises:
        SourceError: config.json is damaged, or its version of transformers is none.
    """
    if document.get("pre_tokenizer") is None or source.beside("config.json") is None:
        return False
    texts = {each["content"] for each in document.get("added_tokens") or ()}
    vocab = document["model"]["vocab"]
    known = vocab if isinstance(vocab, dict) else {text for text, _ in vocab}
    if len(known) + sum(text not in known for text in texts) <= MOST_IDS:
        return False
    config = source.json_beside("config.json")
    if config.get("model_type") not in MODEL_TYPES:
        return False
    version = config.get("transformers_version")
    return not version or _is_before_right(str(version))


def _is_before_right(version: str) -> bool:
    """Return whether a version of transformers comes before the first whose files are right.

    Raises:
        SourceError: it is no version.

    Example:
        >>> _is_before_right("4.57.2"), _is_before_right("5.0.0.dev0"), _is_before_right("5.0.0")
        (True, True, False)
    """
    found = re.match(r"v?(\d+)((?:\.\d+)*)", version)
    if found is None:
        raise SourceError(
            f"config.json beside it: transformers_version is {shown(version)}, expected a version "
            'such as "4.57.2"'
        )
    numbers = [int(found[1]), *map(int, re.findall(r"\d+", found[2]))]
    is_first = numbers[0] == FIRST_RIGHT and not any(numbers[1:])
    is_early = re.match(r"[._-]?(a|b|c|rc|alpha|beta|pre|preview|dev)", version[found.end() :])
    return numbers[0] < FIRST_RIGHT or (is_first and is_early is not None)


def _right_pre_tokenizer(before: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Sequence that begins with a Split by the right pattern, as transformers makes it.

    The Split takes the place of the first part of a Sequence. It comes before any other
    pre-tokenizer; a Metaspace becomes a ByteLevel without a pattern. `before` is not changed.
    """
    split = {
        "type": "Split",
        "pattern": {"Regex": PATTERN},
        "behavior": "Isolated",
        "invert": False,
    }
    if before.get("type") == "Sequence":
        return {**before, "pretokenizers": [split, *before["pretokenizers"][1:]]}
    if before.get("type") == "Metaspace":
        byte_level = {"add_prefix_space": False, "trim_offsets": True, "use_regex": False}
        before = {"type": "ByteLevel", **byte_level}
    return {"type": "Sequence", "pretokenizers": [split, before]}
