"""Models around the trainer: the one that cuts the corpus, and the one that comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wwho.errors import SpecialTokenError
from wwho.format.model import Model, Pair
from wwho.schema.model import Schema
from wwho.special import check_text
from wwho.build.atoms import ROUTER, AtomKind, check_kind, compile_cuts

UNKNOWN = "[UNK]"


def counting_model(
    schemas: Sequence[Schema], base: Model | None = None, kind: AtomKind = AtomKind.SYLLABLE
) -> Model:
    """The smallest model that cuts text into words and units; it has no vocabulary.

    Args:
        schemas: the scripts; without any, all text is cut.
        base: what cuts all text into words; not needed with schemas.
        kind: what units are.

    Raises:
        SchemaError: two schemas claim the same character, or there should be schemas, or none.
        ValueError: the base has merges, and they are to be learnt.
    """
    check_kind(kind, schemas, base.n_base_tokens if base else 256)
    scanners, routes = compile_cuts(kind, schemas, None if schemas or not base else base.scanners)
    return Model(
        scanners=scanners,
        router=ROUTER,
        routes=routes,
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
        check_text(text)
        ids[text] = number
    return ids


def trained_model(
    schemas: Sequence[Schema],
    base: Model,
    *,
    specials: Mapping[str, int],
    atoms: tuple[bytes, ...],
    merges: Sequence[Pair],
    provenance: Mapping[str, str],
    kind: AtomKind = AtomKind.SYLLABLE,
) -> Model:
    """Put base, schemas and what was learnt together.

    Args:
        schemas: the scripts.
        base: the base vocabulary; its pretokenizer cuts the other text.
        specials: the result of `special_ids`.
        atoms: the atoms.
        merges: the merges.
        provenance: where the model comes from.
        kind: what the atoms are.
    """
    if kind is AtomKind.BYTE:
        return grown_base(base, specials=specials, merges=merges, provenance=provenance)
    scanners, routes = compile_cuts(kind, schemas, base.scanners)
    first_atom = base.n_base + len(specials) - len(base.specials)
    return Model(
        scanners=scanners,
        router=ROUTER,
        routes=routes,
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
    )


def grown_base(
    base: Model,
    *,
    specials: Mapping[str, int],
    merges: Sequence[Pair],
    provenance: Mapping[str, str],
) -> Model:
    """The 256 bytes and what was merged from them: a base vocabulary.

    The merges are counted from the bytes in ascending order, which get the ids 0..255; the ids of
    special tokens, the result of `special_ids`, move up behind the merges.
    """
    ids = {text: number + len(merges) for text, number in specials.items()}
    n_vocab = max([255 + len(merges), *ids.values()]) + 1
    return replace(
        base,
        n_base=n_vocab,
        first_atom=n_vocab,
        base_bytes=bytes(range(256)),
        base_pairs=merges,
        specials=ids,
        provenance=provenance,
    )
