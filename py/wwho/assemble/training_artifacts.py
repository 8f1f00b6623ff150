"""The artifacts around the trainer: the one that cuts the corpus, and the one that comes out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from wwho.assemble.atoms import BASE, PLAIN, AtomKind, CutFields, Words, check_kind, compile_cuts
from wwho.assemble.base import WRITER, base_vocabulary, check_special_text
from wwho.assemble.script import script_from_merges, with_blocks
from wwho.compile.schema import Schema
from wwho.compile.unicode import UNICODE_VERSION
from wwho.errors import SpecialTokenError
from wwho.format.bpe import BPE, BYTES
from wwho.format.model import Added, Artifact, Flag, Pair, Unknown
from wwho.format.viterbi import Viterbi

UNKNOWN = "[UNK]"

PROTECTED = Flag(0)
"""The flags of an added token that is no special token: it is found in every text."""


def counting_model(
    schemas: Sequence[Schema],
    base: Artifact | None = None,
    kind: AtomKind = AtomKind.SYLLABLE,
    words: Words = PLAIN,
    protect: Sequence[str] = (),
) -> Artifact:
    """Return the smallest model that cuts text into words and units; it has no vocabulary.

    The trainer runs it over the corpus. Its model of other text is the 256 bytes, and its model of
    units has no symbols, so all units are spelled in bytes.

    Args:
        schemas: The scripts; without any, all text is cut.
        base: The base vocabulary, whose pretokenizer cuts text into words. That is only used
            without schemas, and then needed unless `words.whitespace` is given. The number of its
            tokens is checked in any case: for BYTE and SCRIPT it must be 256.
        kind: The kind of units.
        words: The kind of words.
        protect: Texts that become added tokens, from id 257 on, and so never parts of words.

    Raises:
        SchemaError: If two schemas claim the same character, schemas are missing, or there may be
            none for this kind.
        ValueError: If the kind is BYTE or SCRIPT and the base is not of 256 tokens; words cannot be
            cut so; or the base is no base vocabulary.
        PatternError: If the scanners are too large.
    """
    check_kind(kind, schemas, len(base_vocabulary(base).texts) if base else len(BYTES), words)
    pretokenizer = base.scanners if base and not schemas else None
    cut = compile_cuts(kind, schemas, pretokenizer, words)
    # Id 256 is that of a lone space, if spaces are not parts of units; it is not given to others.
    first_free = len(BYTES)
    space = None if words.end_of_word else first_free
    units = BPE(symbols=(), units=True, unknown=Unknown.SPELL, first_id=first_free, space_id=space)
    added = tuple(
        Added(text, number, PROTECTED) for number, text in enumerate(protect, start=first_free + 1)
    )
    return Artifact(**cut, models=(BPE(), units), added=added, provenance={})


def special_ids(base: Artifact, specials: Sequence[str]) -> dict[str, int]:
    """Return the ids of the base's added tokens and of new special tokens.

    Args:
        base: The base vocabulary.
        specials: The new texts; their ids count up from `base.n_vocab`, in this order.

    Returns:
        Text to id, the base's tokens first.

    Raises:
        SpecialTokenError: If a text comes twice, is one of the base's, is empty, too long, or not
            valid Unicode.
    """
    ids = {token.text: token.id for token in base.added}
    for number, text in enumerate(specials, start=base.n_vocab):
        if text in ids:
            raise SpecialTokenError(
                f"special token {text!r} is there already, with the id {ids[text]}; leave it out"
            )
        check_special_text(text)
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
    """Return the model of a base, schemas, and the atoms and merges that were learnt.

    For BYTE and SCRIPT the result is a base vocabulary itself. For other kinds it has two models:
    the base's, with the base's ids, and the model of units. Ids of the latter come after all of the
    base's and the special tokens: atoms, merged tokens, and last the lone space (not with
    `words.end_of_word`).

    Args:
        schemas: The scripts.
        base: The base vocabulary; its pretokenizer cuts the other text. Its template, decoder and
            spelling in SCRIPT's pairs go into the model.
        specials: The result of `special_ids`. For BYTE and SCRIPT, ids move up after the merges.
        atoms: The atoms, in order of their ids: text in UTF-8, or symbols of SCRIPT.
        merges: The merges in order of rank, as pairs of indices of atoms and earlier merges.
        provenance: The record of where the model comes from, "name" among it.
        kind: The kind of atoms.
        words: The kind of words.
        protect: The texts of `specials` that are found in every text, and so no special tokens.
        parts: Whether a unit that is no atom is written with the longest atoms that it begins with,
            one after another, before bytes are needed.

    Raises:
        SchemaError: If two schemas claim the same character, or have the same name.
        PatternError: If the scanners are too large.
        ValueError: If the base is no base vocabulary (not for BYTE and SCRIPT).
    """
    if kind is AtomKind.SCRIPT:
        # The ids of special tokens come after all others.
        n_new = len(atoms) - len(BYTES) + len(merges)
        moved = {text: number + n_new for text, number in specials.items()}
        added = added_tokens(moved, protect)
        return script_from_merges(base, merges=merges, added=added, provenance=provenance)
    if kind is AtomKind.BYTE:
        return base_from_merges(
            base, specials=specials, merges=merges, provenance=provenance, protect=protect
        )
    n_new_specials = len(specials) - len(base.added)
    first_id = base.n_vocab + n_new_specials
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
    cut = compile_cuts(kind, schemas, base.scanners, words)
    return artifact_over(base, units, cut, added_tokens(specials, protect), provenance)


def artifact_over(
    base: Artifact,
    units: BPE | Viterbi,
    cut: CutFields,
    added: Iterable[Added],
    provenance: Mapping[str, str],
) -> Artifact:
    """Return an artifact that runs a model of units, and the base for all other text.

    Args:
        base: the base vocabulary; its template and decoder are kept, and its added tokens keep
            their flags.
        units: the model of units, whose ids come after the base's.
        cut: the automata and routes, from `compile_cuts`.
        added: all added tokens, those of the base among them.
        provenance: what the artifact says of itself.
    """
    of_base = {token.text: token for token in base.added}
    return Artifact(
        scanners=cut["scanners"],
        router=cut["router"],
        routes=with_blocks(cut["routes"], base.blocks),
        models=(base_vocabulary(base), units),
        added=tuple(of_base.get(token.text, token) for token in added),
        template=base.template,
        decoder=base.decoder,
        provenance=provenance,
    )


def derived_provenance(
    base: Mapping[str, str], schemas: Sequence[Schema], name: str
) -> dict[str, str]:
    """Return the provenance of a model that is made from a base and schemas.

    Args:
        base: The base's provenance; its keys get the prefix ``base:``, except "writer", which goes.
        schemas: The schemas; the digest of each is recorded under ``schema:`` and its name.
        name: The model's name.

    Returns:
        A new dictionary, with "name", "unicode" (the version) and "writer" (this package's version)
        at the end.
    """
    return {
        **{f"base:{key}": text for key, text in base.items() if key != "writer"},
        **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        "name": name,
        "unicode": UNICODE_VERSION,
        "writer": WRITER,
    }


def unit_model(artifact: Artifact) -> BPE:
    """Return the first model of an artifact whose symbols are units, which is the one trained.

    Raises:
        StopIteration: If there is none.
    """
    return next(each for each in artifact.models if isinstance(each, BPE) and each.units)


def with_merges(artifact: Artifact, merges: Sequence[Pair], n_superwords: int) -> Artifact:
    """Return a copy of a trained artifact whose model of units has other merges.

    Args:
        artifact: An artifact with a base's model and a model of units, and no others.
        merges: All merges in order of rank.
        n_superwords: The number of merges, the last ones, that join words.

    Returns:
        The copy. The id of the lone space, if it has one, moves to the end of the new ids.
    """
    units = unit_model(artifact)
    space = None if units.space_id is None else units.first_id + len(units.symbols) + len(merges)
    units = replace(units, merges=merges, n_superwords=n_superwords, space_id=space)
    return replace(artifact, models=(artifact.models[BASE], units))


def added_tokens(specials: Mapping[str, int], protect: Collection[str] = ()) -> tuple[Added, ...]:
    """Return an artifact's added tokens, sorted by id.

    Args:
        specials: Texts to ids, of special and of protected tokens.
        protect: The texts that are found in every text; all others become special tokens.
    """
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
    """Return a base vocabulary: the 256 bytes and what was merged from them.

    Args:
        base: A base of 256 bytes, whose pretokenizer stays.
        specials: The result of `special_ids`; ids move up by the number of merges, to come last.
        merges: The merges in order of rank, as pairs of ids: 0 to 255 are the bytes in ascending
            order, 256 is the first merge.
        provenance: The record of where the model comes from.
        protect: The texts of `specials` that are found in every text.
    """
    ids = {text: number + len(merges) for text, number in specials.items()}
    return replace(
        base,
        models=(BPE(merges=merges),),
        added=added_tokens(ids, protect),
        provenance=provenance,
    )
