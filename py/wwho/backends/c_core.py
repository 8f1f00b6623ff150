"""What the two backends that run the C core share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Protocol

from wwho.backends import header
from wwho.backends.backend import DECODERS, Backend, Info, ModelInfo
from wwho.errors import ArtifactError, BackendError
from wwho.format.layout import NONE, Kind
from wwho.format.model import Added, Flag, Ids, Route, Unknown
from wwho.format.provenance import read_provenance
from wwho.format.template import Place, Template, What

KINDS = ("", "bpe", "greedy", "viterbi")
SYMBOLS = ("bytes", "units")


class CoreBackend(Backend, Protocol):
    """What the two make of one call of the core that normalizes."""

    def normalize(self, text: bytes) -> bytes:
        """See `Backend`."""
        return self._normalize(text)[0]

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """See `Backend`."""
        normalized, _, read = self._normalize(text, more=True)
        return normalized, read

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """See `Backend`."""
        return self._normalize(text, with_sources=True)[:2]

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """A normalized text, its sources if they are wanted, and how many bytes were read."""


class Opened(Protocol):
    """A model that the core has opened, asked in its own words. None: there is no such thing."""

    def number(self, of: int, number: int, index: int) -> int | None:
        """What `wwho_info` gives for an `OF_` of header.py."""

    def route_name(self, route: int) -> bytes:
        """What `wwho_route_name` gives."""

    def added(self, index: int) -> tuple[int, int, bytes]:
        """What `wwho_added` gives: id, flags and text."""

    def section(self, kind: Kind) -> bytes:
        """What `wwho_section_bytes` gives."""


def core_info(core: Opened) -> Info:
    """The numbers and names of a model that the core has opened."""
    numbers = _named(core, header.OF_TOKENIZER)
    return Info(
        n_vocab=numbers["n_vocab"],
        models=tuple(_model(core, number) for number in range(numbers["n_models"])),
        added=tuple(_added(*core.added(index)) for index in range(numbers["n_added"])),
        routes=tuple(_route(core, number) for number in range(numbers["n_routes"])),
        n_steps=numbers["n_steps"],
        provenance=read_provenance(core.section(Kind.PROVENANCE)),
        template=_template(core),
        decoder=DECODERS[numbers["decoder"]],
    )


def _numbers(core: Opened, of: int, number: int = 0) -> list[int]:
    """The numbers that tell of a thing, in the order of header.py."""
    numbers: list[int] = []
    while (value := core.number(of, number, len(numbers))) is not None:
        numbers.append(value)
    return numbers


def _named(core: Opened, of: int, number: int = 0) -> dict[str, int]:
    """The same, by their names; the last name may be that of the first of a list."""
    return dict(zip(header.NUMBERS[of], _numbers(core, of, number), strict=False))


def _template(core: Opened) -> Template | None:
    single, pair = (_places(_numbers(core, header.OF_TEMPLATE, pair)) for pair in range(2))
    return Template(single, pair) if single else None


def _places(numbers: Sequence[int]) -> tuple[Place, ...]:
    """Three numbers for each: what stands there, its type, and its id or trim."""
    places = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    return tuple(Place(What(what), type_id, token) for what, type_id, token in places)


def _added(token: int, flags: int, text: bytes) -> Added:
    return Added(text.decode("utf-8"), token, Flag(flags))


def _route(core: Opened, number: int) -> Route:
    model, units, *stages = _numbers(core, header.OF_ROUTE, number)
    name = core.route_name(number).decode("utf-8")
    return Route(name=name, model=model, stages=tuple(stages), units=_or_none(units))


def _model(core: Opened, number: int) -> ModelInfo:
    numbers = _named(core, header.OF_MODEL, number)
    return ModelInfo(
        kind=KINDS[numbers["kind"]],
        symbols=SYMBOLS[numbers["symbols"]],
        unknown=Unknown(numbers["unknown"]).name.lower(),
        ids=Ids(numbers["ids"]).name.lower(),
        first_id=numbers["first_id"],
        n_ids=numbers["n_ids"],
        n_symbols=numbers["n_symbols"],
        n_merges=numbers["n_merges"],
        n_superwords=numbers["n_superwords"],
        space_id=_or_none(numbers["space_id"]),
        unk_id=_or_none(numbers["unk_id"]),
    )


def _or_none(number: int) -> int | None:
    return None if number == NONE else number


def check_version(found: int, what: str) -> None:
    """See that a compiled core fits this package.

    Raises:
        BackendError: it is of another major version, or of an earlier minor one.
    """
    major, minor = divmod(found, 1 << 16)
    if major != header.VERSION_MAJOR or minor < header.VERSION_MINOR:
        needed = f"{header.VERSION_MAJOR}.{header.VERSION_MINOR}"
        raise BackendError(
            f"{what} has interface {major}.{minor}, this package needs {needed}: reinstall it"
        )


def refuse(status: str, blob: bytes) -> NoReturn:
    """Raise for an artifact that the core refuses, in the words of the reference reader."""
    from wwho.format.read import read_artifact  # for an error alone: it takes long to import

    try:
        read_artifact(blob)
    except ArtifactError as error:
        if error.status == status:
            raise
    raise ArtifactError(f"{status}: the artifact is refused", status=status)
