"""A vocab.json of the WWHO paper's authors as a model that gives the ids of their encoder.

Their encoder is reproduced as it is. It is not lossless: a unit outside the vocabulary becomes
``[UNK]``, and so does a merged token that the vocabulary lacks.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from wwho.format.layout import MAX_ATOM_BYTES
from wwho.format.model import Model
from wwho.build.base import WRITER
from wwho.errors import SpecialTokenError, naming
from wwho.grammar.unicode import UNICODE_VERSION
from wwho.build.cuts import Cuts
from wwho.build.merges import LiveMerges, live_merges
from wwho.build.vocab_json import UNKNOWN, VocabJson, read_vocab_json, refusal, shown
from wwho.schema.model import Schema
from wwho.schema.paper import paper_scanners
from wwho.build.atoms import ROUTER, script_routes, with_pretokenizer

SPACE = " "


@dataclass(frozen=True)
class Imported:
    """A model, and what became of the file's tokens and merges.

    Attributes:
        model: the model.
        unmade: merges left out since nothing makes one of their parts.
        apart: merges left out since their parts never meet.
        without_id: merged tokens outside the vocabulary, which are written as ``[UNK]``.
        never_written: tokens that no text is encoded to; their ids decode all the same.
    """

    model: Model
    unmade: int
    apart: int
    without_id: int
    never_written: int


def import_vocab_json(
    path: str | os.PathLike[str], schemas: Sequence[Schema], base: Model, *, name: str
) -> Imported:
    """Build a model from a vocab.json.

    Text is cut by `wwho.schema.paper`, other text encoded by the base. The id of a token is the
    size of the base's id space plus its id in the file; a lone space that the vocabulary lacks gets
    one more id.

    Args:
        path: the file.
        schemas: the scripts: ``paper/sinhala`` and ``paper/devanagari`` for what is published.
        base: the base vocabulary, for what is published o200k_base.
        name: the encoding's name.

    Raises:
        ArtifactError: the file is not such a file, or its merges are not a trainer's (status
            VOCAB_JSON).
        SchemaError: there are no schemas, or two of them claim the same character.
        SpecialTokenError: the base has one of the file's special tokens.
        ValueError: the base is not a base vocabulary.
        OSError: the file cannot be read.
    """
    file = read_vocab_json(path)
    with naming(path):
        return import_vocab(file, schemas, base, name=name)


def import_vocab(file: VocabJson, schemas: Sequence[Schema], base: Model, *, name: str) -> Imported:
    """As `import_vocab_json`, of a file that has been read."""
    if base.has_sgpe or base.router is not None:
        raise ValueError(f"the base {base.name!r} has routes of its own; give a base vocabulary")
    taken = [text for text in file.specials if text in base.specials]
    if taken:
        raise SpecialTokenError(f"special token {taken[0]!r} is one of {base.name}'s already")
    scanners = paper_scanners(schemas)
    cut = Cuts(schemas, scanners)
    plain = [text for text in file.vocab if text not in file.specials and text != SPACE]
    units = [text for text in plain if cut(text) == (text,)]
    live = live_merges(units, file.merges, cut)
    made = set(live.texts)
    silent = [text for text in plain if text not in made]
    tokens = arranged(live, len(units), silent)
    ids = [base.n_base + file.vocab[t] if t in file.vocab else None for t in tokens.texts]
    model = Model(
        scanners=with_pretokenizer(scanners, base.scanners),
        router=ROUTER,
        routes=script_routes(schemas),
        n_base=base.n_base,
        base_bytes=base.base_bytes,
        base_pairs=base.base_pairs,
        first_atom=base.n_base + len(file.specials),
        atoms=tuple(text.encode("utf-8") for text in tokens.texts[: len(units) + len(silent)]),
        merges=tokens.pairs,
        space_id=base.n_base + file.vocab.get(SPACE, len(file.vocab)),
        unk_id=base.n_base + file.vocab[UNKNOWN],
        specials={**base.specials, **{t: base.n_base + file.vocab[t] for t in file.specials}},
        provenance=provenance(file, schemas, base, name),
        ids=ids,
    )
    return Imported(model, live.unmade, live.apart, ids.count(None), len(silent))


def arranged(live: LiveMerges, n_units: int, silent: Sequence[str]) -> LiveMerges:
    """The tokens in the order of an artifact: atoms in byte order, merged tokens.

    Atoms are the units, and with them the silent tokens, which no merge makes. Those are several
    units long, or stand in no segment, so no unit is ever one of them.

    Raises:
        ArtifactError: one of them is too long for an atom.
    """
    atoms = sorted([*live.texts[:n_units], *silent], key=lambda text: text.encode("utf-8"))
    for text in atoms:
        size = len(text.encode("utf-8"))
        if size > MAX_ATOM_BYTES:
            raise refusal(
                f"no merge makes the token {shown(text)}, of {size} bytes; such a token can have "
                f"{MAX_ATOM_BYTES}"
            )
    texts = [*atoms, *live.texts[n_units:]]
    place = {text: token for token, text in enumerate(texts)}
    new = [place[text] for text in live.texts]
    return LiveMerges(texts, [(new[left], new[right]) for left, right in live.pairs])


def provenance(
    file: VocabJson, schemas: Sequence[Schema], base: Model, name: str
) -> dict[str, str]:
    """Where the model comes from."""
    return {
        **{f"base:{key}": text for key, text in base.provenance.items() if key != "writer"},
        **{f"schema:{schema.name}": f"sha256 {schema.digest}" for schema in schemas},
        **{f"vocab.json:{key}": text for key, text in file.record.items()},
        "vocab.json": f"sha256 {file.digest}",
        "name": name,
        "unicode": UNICODE_VERSION,
        "writer": WRITER,
    }
