"""Models around the trainer: the one that cuts the corpus, and the one that comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wwho.artifact.model import Model, Pair, Route
from wwho.errors import SpecialTokenError
from wwho.grammar.automaton import Automaton, CompiledScanners
from wwho.grammar.classmap import overlay
from wwho.schema.compile import compile_schemas
from wwho.schema.model import Schema

ROUTER, OTHER = 0, 1
"""Places of the router and of what cuts the other text, among the automata of schemas."""

UNKNOWN = "[UNK]"
MAX_SPECIAL = 1023
"""Bytes of a special token, at most (FORMAT.md, section 8)."""


def counting_model(schemas: Sequence[Schema]) -> Model:
    """The smallest model that cuts text into the words of these schemas; it has no vocabulary.

    Raises:
        SchemaError: two schemas claim the same character.
        ValueError: there is no schema.
    """
    if not schemas:
        raise ValueError(
            "training needs at least one schema; without one there is nothing to learn"
        )
    return Model(
        scanners=compile_schemas(schemas, None),
        router=ROUTER,
        routes=_routes(schemas),
        n_base=256,
        base_bytes=bytes(range(256)),
        base_pairs=(),
        first_atom=256,
        atoms=(),
        merges=(),
        space_id=256,
        unk_id=None,
        specials={},
        provenance={},
    )


def special_ids(base: Model, specials: Sequence[str]) -> dict[str, int]:
    """The base's special tokens and the new ones, whose ids follow the base's.

    Raises:
        SpecialTokenError: a text comes twice, is empty, too long, or not valid Unicode.
    """
    ids = dict(base.specials)
    for number, text in enumerate(specials, start=base.n_base):
        if text in ids:
            raise SpecialTokenError(
                f"special token {text!r} is there already, with the id {ids[text]}; leave it out"
            )
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise SpecialTokenError(f"special token {text!r} is not valid Unicode") from error
        if not 1 <= size <= MAX_SPECIAL:
            raise SpecialTokenError(
                f"special token {text[:40]!r} has {size} bytes; 1 to {MAX_SPECIAL} are allowed"
            )
        ids[text] = number
    return ids


def trained_model(
    schemas: Sequence[Schema],
    base: Model,
    *,
    specials: Mapping[str, int],
    atoms: tuple[bytes, ...],
    merges: Sequence[Pair],
    n_superwords: int = 0,
    provenance: Mapping[str, str],
) -> Model:
    """Put base, schemas and what was learnt together.

    Args:
        schemas: the scripts.
        base: the base vocabulary; its pretokenizer cuts the other text.
        specials: the result of `special_ids`.
        atoms: the atoms.
        merges: the merges.
        n_superwords: how many of them, the last ones, join words.
        provenance: where the model comes from.
    """
    first_atom = base.n_base + len(specials) - len(base.specials)
    return Model(
        scanners=with_pretokenizer(compile_schemas(schemas, None), base.scanners),
        router=ROUTER,
        routes=_routes(schemas),
        n_base=base.n_base,
        base_bytes=base.base_bytes,
        base_pairs=base.base_pairs,
        first_atom=first_atom,
        atoms=atoms,
        merges=merges,
        space_id=first_atom + len(atoms) + len(merges),
        unk_id=specials.get(UNKNOWN),
        specials=specials,
        provenance=provenance,
        n_superwords=n_superwords,
    )


def with_pretokenizer(scanners: CompiledScanners, base: CompiledScanners) -> CompiledScanners:
    """The scanners of schemas, in which the base's pretokenizer cuts the other text.

    The tables stay as they are; only the classes are laid over each other.
    """
    classes, labels = overlay([scanners.classes, base.classes])
    automata = [
        _recoloured(automaton, [mine for mine, _ in labels]) for automaton in scanners.automata
    ]
    automata[OTHER] = _recoloured(base.automata[0], [theirs for _, theirs in labels])
    return CompiledScanners(classes, tuple(automata))


def _recoloured(automaton: Automaton, old_classes: Sequence[int]) -> Automaton:
    """The automaton over new classes, of which each is part of one of the old ones."""
    return Automaton(
        name=automaton.name,
        columns=tuple(automaton.columns[old] for old in old_classes),
        n_columns=automaton.n_columns,
        n_states=automaton.n_states,
        table=automaton.table,
    )


def _routes(schemas: Sequence[Schema]) -> tuple[Route, ...]:
    """Route 0 is the other text; route i is schema i - 1."""
    scripts = (
        Route(schema.name, scanner, sgpe=True)
        for scanner, schema in enumerate(schemas, start=OTHER + 1)
    )
    return (Route("other", OTHER, sgpe=False), *scripts)
