"""What an export gives, and what a byte-level model must be to be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wwho.compile.parse import parse_regex
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.syntax import Node
from wwho.errors import ExportError
from wwho.format.bpe import BPE
from wwho.format.model import Action, Added, Artifact, Flag


@dataclass(frozen=True)
class Exported:
    """A file of another library.

    Attributes:
        data: its bytes.
        notes: a line for each thing that the file cannot say, and who uses it must.
    """

    data: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ByteModel:
    """A byte-level BPE behind one pattern: what most libraries run.

    Attributes:
        model: the vocabulary; merges are in order of rank.
        ids: the id of each of its tokens.
        pattern: the pretokenizer, as a regular expression.
        added: the added tokens, by ascending id.
    """

    model: BPE
    ids: Sequence[int]
    pattern: str
    added: tuple[Added, ...]

    @property
    def tokens(self) -> dict[int, bytes]:
        """The texts of the model's tokens by id."""
        return dict(zip(self.ids, self.model.texts, strict=True))


def byte_model(artifact: Artifact) -> ByteModel:
    """What a byte-level model is made of.

    Raises:
        ExportError: it is none.
    """
    if artifact.router is not None:
        names = ", ".join(route.name for route in artifact.routes)
        raise ExportError(
            f"{artifact.name} has routes ({names}): its syllables are cut by grammars that a "
            "byte-level BPE does not have; a model without schemas can be exported"
        )
    (route,) = artifact.routes
    model = artifact.models[route.model]
    if not isinstance(model, BPE) or model.units or len(artifact.models) > 1:
        raise ExportError(f"{artifact.name} is no BPE over bytes, which this kind of file holds")
    if artifact.normalizer:
        raise ExportError(f"{artifact.name} normalizes text, which this kind of file cannot say")
    ids = artifact.token_ids[route.model]
    numbers = [number for number in ids if number is not None]
    if len(numbers) < len(ids):
        raise ExportError(f"{len(ids) - len(numbers)} tokens of {artifact.name} have no id")
    return ByteModel(model, numbers, _pattern(artifact), artifact.added)


def cuts_alike(artifact: Artifact, pattern: Node) -> bool:
    """Whether a pattern cuts as the model's one pretokenizer does."""
    (own,) = artifact.scanners.automata
    made = compile_scanners([Scanner(own.name, (pattern,), longest=False)])
    return made == artifact.scanners


def _pattern(artifact: Artifact) -> str:
    """The pattern that provenance names, if it is the one that the model cuts by."""
    pattern = artifact.provenance.get("pattern")
    (route,) = artifact.routes
    stages = [artifact.stages[number] for number in route.stages]
    kept = [set(stage.actions) for stage in stages] == [{Action.KEEP}]
    if pattern is not None and kept and cuts_alike(artifact, parse_regex(pattern)):
        return pattern
    raise ExportError(
        f"the provenance of {artifact.name} does not name the regular expression of its "
        "pretokenizer, and automata cannot be turned into one again"
    )


def only_special(model: ByteModel, what: str) -> dict[str, int]:
    """The added tokens of a kind of file in which all of them are special.

    Raises:
        ExportError: one is found without leave, or takes white space.
    """
    for token in model.added:
        if token.flags is not Flag.SPECIAL:
            raise ExportError(f"the added token {token.text!r} has flags that {what} does not know")
    return {token.text: token.id for token in model.added}
