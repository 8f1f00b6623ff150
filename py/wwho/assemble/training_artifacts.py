"""Artifacts around the trainer: the one that cuts the corpus, and the one that comes out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from wwho.assemble.atoms import BASE, PLAIN, AtomKind, Words, check_kind, compile_cuts
from wwho.assemble.base import WRITER, check_text, vocabulary_of
from wwho.assemble.script import script_from_merges
from wwho.compile.schema import Schema
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import SpecialTokenError
from wwho.format.bpe import BPE, BYTES
from wwho.format.model import Added, Artifact, Flag, Pair, Unknown

UNKNOWN = "[UNK]"

PROTECTED = Flag(0)
"""The flags of a token that is found in every text."""


def counting_model(
    schemas: Sequence[Schema],
    base: Artifact | None = None,
    kind: AtomKind = AtomKind.SYLLABLE,
    words: Words = PLAIN,
    protect: Sequence[str] = (),
) -> Artifact:
    """The smallest model that cuts text into words and units; it has no vocabulary.

    Args:
        schemas: the scripts; without any, all text is cut.
        base: what cuts all text into words; not needed with schemas.
        kind: what units are.
        words: what words are.
        protect: texts that are cut out before words are.

    Raises:
        SchemaError: two schemas claim the same character, or there should be schemas, or none.
        ValueError: the base has merges, and they are to be learnt; or words cannot be cut so.
    """
    check_kind(kind, schemas, len(vocabulary_of(base).texts) if base else 256, words)
    cut = compile_cuts(kind, schemas, None if schemas or not base else base.scanners, words)
    space = None if words.end_of_word else 256
    units = BPE(symbols=(), units=True, unknown=Unknown.SPELL, first_id=256, space_id=space)
    added = tuple(Added(text, number, PROTECTED) for number, text in enumerate(protect, start=257))
    return Artifact(**cut, models=(BPE(), units), added=added, provenance={})


def special_ids(base: Artifact, specials: Sequence[str]) -> dict[str, int]:
    """The base's special tokens and the new ones, whose ids follow the base's.

    Raises:
        SpecialTokenError: a text comes twice, is empty, too long, or not valid Unicode.
    """
    ids = {token.text: token.id for token in base.added}
    for number, text in enumerate(specials, start=base.n_vocab):
        if text in ids:
            raise SpecialTokenError(
                f"special token {text!r} is there already, with the id {ids[text]}; leave it out"
            )
        check_text(text)
        ids[text] = number
    return ids


def trained_model(
    schemas: Sequence[Schema],
    base: Artifact,
    *,
    specials: Mapping[str, int],
    atoms: tuple[bytes, ...],
    merges: Sequence[Pair],
    provenance: Mapping[str, str],
    kind: AtomKind = AtomKind.SYLLABLE,
    words: Words = PLAIN,
    protect: Collection[str] = (),
    parts: bool = False,
) -> Artifact:
    """Put base, schemas and what was learnt together.

    Args:
        schemas: the scripts.
        base: the base vocabulary; its pretokenizer cuts the other text.
        specials: the result of `special_ids`.
        atoms: the atoms.
        merges: the merges.
        provenance: where the model comes from.
        kind: what the atoms are.
        words: what words are.
        protect: which of `specials` are found in every text.
        parts: whether a unit that is no atom is spelled with the longest atoms that it begins with.
    """
    if kind is AtomKind.SCRIPT:
        n_symbols = len(atoms) - len(BYTES)  # ids of special tokens come after all others
        moved = {text: number + n_symbols + len(merges) for text, number in specials.items()}
        added = added_tokens(moved, protect)
        return script_from_merges(base, merges=merges, added=added, provenance=provenance)
    if kind is AtomKind.BYTE:
        return base_from_merges(
            base, specials=specials, merges=merges, provenance=provenance, protect=protect
        )
    first_id = base.n_vocab + len(specials) - len(base.added)
    units = BPE(
        symbols=atoms,
        merges=merges,
        units=True,
        parts=parts,
        first_id=first_id,
        space_id=None if words.end_of_word else first_id + len(atoms) + len(merges),
        unknown=Unknown.SPELL,
        unk_id=specials.get(UNKNOWN),
    )
    own = {token.text: token for token in base.added}
    return Artifact(
        **compile_cuts(kind, schemas, base.scanners, words),
        models=(vocabulary_of(base), units),
        added=tuple(own.get(token.text, token) for token in added_tokens(specials, protect)),
        template=base.template,
        pairs=base.pairs,
        decoder=base.decoder,
        provenance=provenance,
    )


def derived_provenance(
    base: Mapping[str, str], schemas: Sequence[Schema], name: str
) -> dict[str, str]:
    """What a model says of its making: what its base says, its schemas, and what wrote it."""
    return {
        **{f"base:{key}": text for key, text in base.items() if key != "writer"},
        **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        "name": name,
        "unicode": UNICODE_VERSION,
        "writer": WRITER,
    }


def unit_model(artifact: Artifact) -> BPE:
    """The model of units that was trained."""
    return next(each for each in artifact.models if isinstance(each, BPE) and each.units)


def with_merges(artifact: Artifact, merges: Sequence[Pair], n_superwords: int) -> Artifact:
    """The artifact with other merges of its units, the last of which join words."""
    units = unit_model(artifact)
    space = None if units.space_id is None else units.first_id + len(units.symbols) + len(merges)
    units = replace(units, merges=merges, n_superwords=n_superwords, space_id=space)
    return replace(artifact, models=(artifact.models[BASE], units))


def added_tokens(specials: Mapping[str, int], protect: Collection[str] = ()) -> tuple[Added, ...]:
    """Special tokens and protected ones, text to id, as an artifact holds them."""
    by_id = sorted(specials.items(), key=lambda item: item[1])
    protected = frozenset(protect)
    return tuple(
        Added(text, number, PROTECTED if text in protected else Flag.SPECIAL)
        for text, number in by_id
    )


def base_from_merges(
    base: Artifact,
    *,
    specials: Mapping[str, int],
    merges: Sequence[Pair],
    provenance: Mapping[str, str],
    protect: Collection[str],
) -> Artifact:
    """The 256 bytes and what was merged from them: a base vocabulary.

    The merges are counted from the bytes in ascending order, which get the ids 0..255; the ids of
    special tokens, the result of `special_ids`, move up after the merges.
    """
    ids = {text: number + len(merges) for text, number in specials.items()}
    return replace(
        base,
        models=(BPE(merges=merges),),
        added=added_tokens(ids, protect),
        provenance=provenance,
    )
