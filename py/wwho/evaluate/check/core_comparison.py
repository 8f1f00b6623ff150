"""A model in the core beside the same model in the reference backend."""

from __future__ import annotations

import warnings

from wwho.backends.backend import Backend
from wwho.backends.select import default_backend, open_backend
from wwho.errors import BackendError
from wwho.evaluate.check.library_comparison import make_hard_texts
from wwho.format.model import Artifact
from wwho.format.write import write_artifact
from wwho.reference.walk import Walk
from wwho.tokenizer import Tokenizer

Placed = list[tuple[int, tuple[int, int]]]
"""Ids, and the code points of the text from and to which each token reaches."""

MOST_SHOWN = 12
"""Tokens that a message shows."""


def check_core(artifact: Artifact) -> int:
    """Compare ids and offsets on built-in hard texts; special tokens are allowed in all of them.

    The reference backend follows FORMAT.md to the letter, while the core knows quicker ways. So a
    pipeline of an odd kind that the core runs wrongly is found before anybody uses it.

    Args:
        artifact: the model.

    Returns:
        How many texts were compared: 0 if there is no core here, and the reference runs models.

    Raises:
        BackendError: the core gives other ids, or other offsets; the message names the text.
    """
    with warnings.catch_warnings():  # that the reference is slow is for those who use it
        warnings.simplefilter("ignore", RuntimeWarning)
        name = default_backend()
    if name == "reference":
        return 0
    blob = write_artifact(artifact)
    core, walk = open_backend(blob, name), Walk(artifact)
    texts = list(dict.fromkeys(make_hard_texts(Tokenizer.from_bytes(blob, backend=name))))
    for text in texts:
        data, allowed = text.encode("utf-8"), b"\1" * len(artifact.added)
        found = _with_offsets(core, data, *core.encode_with_places(data, allowed, False))
        tokens = list(walk.tokens(data, allowed, False))
        ids, starts, ends = ([token[part] for token in tokens] for part in range(3))
        expected = _with_offsets(core, data, ids, starts, ends)
        if found != expected:
            raise BackendError(
                f"the core encodes {text!r} otherwise than FORMAT.md says: it gives "
                f"{found[:MOST_SHOWN]}, expected {expected[:MOST_SHOWN]} (ids and offsets). This "
                "is a fault of wwho: report it with the file"
            )
    return len(texts)


def _with_offsets(
    core: Backend, data: bytes, ids: list[int], starts: list[int], ends: list[int]
) -> Placed:
    """Return ids with their offsets in code points, from the bytes where tokens begin and end."""
    return list(zip(ids, core.offsets(data, starts, ends, False), strict=True))
