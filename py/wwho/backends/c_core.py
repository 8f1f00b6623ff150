"""Facts of a model, versions and refusals, for the two backends that run the C core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Protocol

from wwho.backends import header
from wwho.backends.backend import DECODERS, Backend, Info, ModelInfo, RouteInfo
from wwho.errors import ArtifactError, BackendError
from wwho.format.layout import NONE, Kind
from wwho.format.model import Added, Flag, Ids, Unknown
from wwho.format.provenance import read_provenance
from wwho.format.template import Place, Template, What

MODEL_KINDS = ("", "bpe", "greedy", "viterbi")
MODEL_SYMBOLS = ("bytes", "units")


class CoreBackend(Backend, Protocol):
    """A backend that runs the C core, and normalizes by one call of it: `_normalize`."""

    def normalize(self, text: bytes) -> bytes:
        """Return a text after the steps that rewrite the whole text, by one call of the core."""
        return self._normalize(text)[0]

    def normalize_some(self, text: bytes) -> tuple[bytes, int]:
        """Normalize the beginning of a text, as far as text that follows cannot change the result.

        Returns:
            The normalized text, and how many bytes of `text` it stands for.
        """
        normalized, _, n_read = self._normalize(text, more=True)
        return normalized, n_read

    def sources(self, text: bytes) -> tuple[bytes, Sequence[int]]:
        """Normalize a text, and say where each byte of the result came from.

        Returns:
            The normalized text, and for each of its bytes the place in `text` at which the
            character begins that it came from.
        """
        return self._normalize(text, with_sources=True)[:2]

    def _normalize(
        self, text: bytes, *, more: bool = False, with_sources: bool = False
    ) -> tuple[bytes, Sequence[int], int]:
        """Call the core's `normalize`, with buffers that are large enough.

        Args:
            text: the text.
            more: whether text follows, so that only what it cannot change is normalized.
            with_sources: whether to say where each byte came from.

        Returns:
            The normalized text; for each of its bytes the place in `text` at which the character
            begins that it came from, or () without `with_sources`; and how many bytes of `text`
            were read, which is all of them without `more`.
        """


class CoreModel(Protocol):
    """A model that the core has opened, with the functions of wwho.h that tell about it.

    Each backend has its own, over cffi or over WebAssembly. Every method but `number` takes an
    index that exists.
    """

    def number(self, of: int, number: int, index: int) -> int | None:
        """Return a number by `wwho_info`, or None if there is no such number.

        Args:
            of: a constant `OF_...` of header.py: the kind of the thing.
            number: which thing of this kind; 0 for the tokenizer.
            index: which of the thing's numbers, in the order of `header.NUMBERS`.
        """

    def route_name(self, route: int) -> bytes:
        """Return the name of a route in UTF-8, by `wwho_route_name`."""

    def added_token(self, index: int) -> tuple[int, int, bytes]:
        """Return the id, flags and UTF-8 text of an added token, by `wwho_added`."""

    def section(self, kind: Kind) -> bytes:
        """Return the bytes of a section of the artifact, by `wwho_section_bytes`."""


def core_info(model: CoreModel) -> Info:
    """Collect the facts of a model that the core has opened."""
    numbers = _named_numbers(model, header.OF_TOKENIZER)
    return Info(
        n_vocab=numbers["n_vocab"],
        models=tuple(_model_info(model, number) for number in range(numbers["n_models"])),
        added=tuple(_added_token(model, index) for index in range(numbers["n_added"])),
        routes=tuple(_route(model, number) for number in range(numbers["n_routes"])),
        n_steps=numbers["n_steps"],
        n_normalizer=numbers["n_normalizer"],
        provenance=read_provenance(model.section(Kind.PROVENANCE)),
        template=_template(model),
        decoder=DECODERS[numbers["decoder"]],
    )


def _all_numbers(model: CoreModel, of: int, number: int = 0) -> list[int]:
    """Return all numbers of a thing, in the order of header.py; [] if there is no such thing."""
    numbers: list[int] = []
    while (value := model.number(of, number, len(numbers))) is not None:
        numbers.append(value)
    return numbers


def _named_numbers(model: CoreModel, of: int, number: int = 0) -> dict[str, int]:
    """Return the numbers of a thing by their names in `header.NUMBERS`.

    Where numbers end with a list, only the first of the list is there, if any.
    """
    return dict(zip(header.NUMBERS[of], _all_numbers(model, of, number), strict=False))


def _template(model: CoreModel) -> Template | None:
    """Return the template of a model; None if it has none."""
    single = _template_places(_all_numbers(model, header.OF_TEMPLATE, 0))
    pair = _template_places(_all_numbers(model, header.OF_TEMPLATE, 1))
    return Template(single, pair) if single else None


def _template_places(numbers: Sequence[int]) -> tuple[Place, ...]:
    """Return the places that numbers describe, three each: what it holds, type, and id or trim."""
    triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    return tuple(Place(What(what), type_id, id_or_trim) for what, type_id, id_or_trim in triples)


def _added_token(model: CoreModel, index: int) -> Added:
    """Return an added token, by its index in the order of ids."""
    token, flags, text = model.added_token(index)
    return Added(text.decode("utf-8"), token, Flag(flags))


def _route(model: CoreModel, number: int) -> RouteInfo:
    """Return the name and the numbers of a route."""
    model_number, units, *steps = _all_numbers(model, header.OF_ROUTE, number)
    name = model.route_name(number).decode("utf-8")
    return RouteInfo(name=name, model=model_number, steps=tuple(steps), units=_or_none(units))


def _model_info(model: CoreModel, number: int) -> ModelInfo:
    """Return the facts of one of the models of an artifact, by its number."""
    numbers = _named_numbers(model, header.OF_MODEL, number)
    return ModelInfo(
        kind=MODEL_KINDS[numbers["kind"]],
        symbols=MODEL_SYMBOLS[numbers["symbols"]],
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
    """Return a number, or None for the one that means none (0xFFFFFFFF)."""
    return None if number == NONE else number


def check_version(found: int, core_name: str) -> None:
    """Raise BackendError unless a compiled core fits this package.

    Args:
        found: what `wwho_abi_version` returned: the major version times 65536, and the minor one.
        core_name: the name of the compiled core, for the message.

    Raises:
        BackendError: the core has another major version, or an earlier minor one.
    """
    major, minor = divmod(found, 1 << 16)
    if major != header.VERSION_MAJOR or minor < header.VERSION_MINOR:
        needed = f"{header.VERSION_MAJOR}.{header.VERSION_MINOR}"
        raise BackendError(
            f"{core_name} has interface {major}.{minor}, this package needs {needed}: reinstall it"
        )


def refuse_artifact(status: str, blob: bytes) -> NoReturn:
    """Raise ArtifactError for an artifact that the core refuses.

    The core gives only the status. So the reader in Python reads the artifact again: if it finds
    the same fault, its message says where that is.

    Args:
        status: the name of the core's status, such as "CHECKSUM".
        blob: the artifact.

    Raises:
        ArtifactError: always; its status is `status`.
    """
    from wwho.format.read import read_artifact  # for an error alone: it takes long to import

    try:
        read_artifact(blob)
    except ArtifactError as error:
        if error.status == status:
            raise
    raise ArtifactError(f"{status}: the artifact is refused", status=status)
