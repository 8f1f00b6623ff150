"""A rank file of tiktoken: base64 and rank a line."""

from __future__ import annotations

import base64
from itertools import pairwise

from wwho.errors import ExportError
from wwho.exporters.exported import Exported, byte_model, only_special
from wwho.format.model import Artifact


def write(artifact: Artifact) -> Exported:
    """The tokens by rank, which is their id.

    Raises:
        ExportError: the model is no byte-level BPE, or its ids do not ascend with the ranks.
    """
    model = byte_model(artifact)
    specials = only_special(model, "tiktoken")
    merged = model.ids[model.model.n_symbols :]
    if any(first >= second for first, second in pairwise(merged)):
        raise ExportError(
            f"the ids of {artifact.name} are not in the order of its merges, as in a rank file"
        )
    tokens = sorted(model.tokens.items())
    lines = (b"%s %d\n" % (base64.b64encode(text), rank) for rank, text in tokens)
    notes = [f"the file does not hold the pattern: {model.pattern}"]
    if specials:
        named = ", ".join(f"{text} {number}" for text, number in specials.items())
        notes.append(f"nor the special tokens: {named}")
    return Exported(b"".join(lines), tuple(notes))
