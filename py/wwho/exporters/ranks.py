"""A rank file of tiktoken: base64 and rank a line."""

from __future__ import annotations

import base64

from wwho.assemble.bpe import bpe_model
from wwho.errors import ExportError
from wwho.exporters.exported import ByteModel, Exported, byte_model, few, only_special, pattern_of
from wwho.format.bpe import BPE
from wwho.format.model import Artifact


def write(artifact: Artifact) -> Exported:
    """Return a file with a line for each of the model's tokens, by ascending id: that is its rank.

    Notes name what such a file does not hold: the pattern, special tokens, and the template.

    Raises:
        ExportError: the model is no byte-level BPE, its ids do not ascend with the ranks, no
            regular expression cuts as it does, or an added token is not special alone.
    """
    model = byte_model(artifact)
    pattern = pattern_of(artifact)
    specials = only_special(model, "tiktoken")
    ranks = ids_as_ranks(model, artifact.name)
    lines = (b"%s %d\n" % (base64.b64encode(text), rank) for text, rank in ranks.items())
    notes = [f"the file does not hold the pattern: {pattern}"]
    if specials:
        named = few([f"{text} {number}" for text, number in specials.items()])
        notes.append(f"nor the special tokens, which wwho inspect --tokens lists: {named}")
    if artifact.template and artifact.template.n_special(False):
        notes.append("nor the special tokens that a model's input begins and ends with")
    return Exported(b"".join(lines), tuple(notes))


def ids_as_ranks(model: ByteModel, name: str) -> dict[bytes, int]:
    """Return the ids of a model's tokens by text, in ascending order; they are ranks, too.

    Args:
        model: the model.
        name: its name, for the message.

    Raises:
        ExportError: they would merge otherwise than the model does.
    """
    ranks = {text: rank for rank, text in sorted(model.tokens.items())}
    made = bpe_model(ranks, ranks, whole=True, added=[token.id for token in model.added])
    if _merges(made) != _merges(model.model) or made.whole != model.model.whole:
        raise ExportError(
            f"by their ids the tokens of {name} would merge otherwise: they are not in the order "
            "of its merges, or some of its tokens only decode"
        )
    return ranks


def _merges(model: BPE) -> list[tuple[bytes, bytes]]:
    """Return the texts that merge, in order of rank."""
    return [(model.texts[left], model.texts[right]) for left, right in model.merges]
