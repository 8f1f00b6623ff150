"""Tokens that settings give several times, each time otherwise, so that `tokenizers` mixes them.

The library finds such a token as it is given last. But one that was special once is left out of
decoded text for ever, and one that was normalized once is decoded to its normalized text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wwho.errors import SourceError
from wwho.format.model import Flag
from wwho.importers.huggingface.read import literal
from wwho.importers.reader import Options
from wwho.importers.source import Source, shown
from wwho.importers.transformers.folder import ModelFolder


def check_given_twice(
    folder: ModelFolder, document: Mapping[str, Any], tokens: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse tokens that are given twice and that `tokenizers` decodes otherwise than it finds.

    Args:
        folder: the folder whose settings give them.
        document: a tokenizer.json, whose normalizer counts.
        tokens: the tokens in the order in which they are added, as a tokenizer.json lists them.

    Raises:
        SourceError: a token is special and then not; or normalized and then not, and the normalizer
            changes its text.
    """
    given = [token for token in tokens if token["content"]]
    last = {token["content"]: token for token in given}
    lost: dict[str, list[Mapping[str, Any]]] = {
        flag: [each for each in given if each[flag] and not last[each["content"]][flag]]
        for flag in ("special", "normalized")
    }
    if lost["special"]:
        _refuse(lost["special"][0]["content"], "special")
    if not lost["normalized"] or document.get("normalizer") is None:
        return
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    alone = {"version": "1.0", "normalizer": document["normalizer"], "model": model}
    source = Source(folder.path / "tokenizer_config.json")
    for token in lost["normalized"]:
        artifact, _ = literal({**alone, "added_tokens": [token]}, source, Options())
        if any(each.flags & Flag.HIDDEN for each in artifact.added):
            _refuse(token["content"], "normalized")


def _refuse(text: str, flag: str) -> None:
    """Raise the error of a token that is given with a flag and then without it.

    Raises:
        SourceError: always.
    """
    raise SourceError(
        f"{shown(text)}: the settings give this token twice, first with {flag!r} true and then "
        f"false, which transformers mixes; give it once, or alike"
    )
