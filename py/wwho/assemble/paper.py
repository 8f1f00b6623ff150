"""A vocab.json of the WWHO paper's authors as a model that gives the ids of their encoder.

Their encoder is reproduced as it is. It is not lossless: a unit outside the vocabulary becomes
``[UNK]``, and so does a merged token that the vocabulary lacks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wwho.assemble.atoms import OTHER, replace_pretokenizer, schema_cut
from wwho.assemble.base import base_vocabulary
from wwho.assemble.training_artifacts import added_tokens, derived_provenance
from wwho.assemble.vocab_json import UNKNOWN, VocabJson, refusal, shown
from wwho.assemble.vocab_json_merges import LiveMerges, Units, live_merges
from wwho.compile.paper_scanners import JOINERS, paper_scanners
from wwho.compile.schema import Schema
from wwho.errors import SpecialTokenError
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Ids, Unknown
from wwho.reference.scan import pieces

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

    model: Artifact
    unmade: int
    apart: int
    without_id: int
    never_written: int


class Cuts:
    """The units of a text that stands in a segment, from where a unit begins to where one ends."""

    def __init__(self, schemas: Sequence[Schema], scanners: CompiledScanners) -> None:
        """Take the schemas, and what `paper_scanners` made of them."""
        self._scanners = scanners
        automata = scanners.automata[OTHER + 1 :]
        # Texts of a script, with or without a space before them.
        patterns = (re.compile(f" ?{(each.blocks | JOINERS).pattern}+") for each in schemas)
        self._scripts = list(zip(patterns, automata, strict=True))

    def __call__(self, text: str) -> Units | None:
        """The units; None where the text can stand in no segment.

        Raises:
            ArtifactError: it can stand in segments of two scripts, which cut it differently.
        """
        cuts = {
            tuple(text[start:end] for start, end, _ in pieces(self._scanners, automaton, text))
            for pattern, automaton in self._scripts
            if pattern.fullmatch(text)
        }
        if len(cuts) > 1:
            raise refusal(
                f"the schemas cut {shown(text)} differently, {' and '.join(map(str, sorted(cuts)))}"
                "; give schemas that agree about joiners"
            )
        return cuts.pop() if cuts else None


def import_vocab(
    file: VocabJson, schemas: Sequence[Schema], base: Artifact, *, name: str
) -> Imported:
    """Build a model from a vocab.json that has been read.

    Text is cut by `wwho.compile.paper_scanners`, other text encoded by the base. The id of a token
    is the size of the base's id space plus its id in the file; a lone space that the vocabulary
    lacks gets one more id.

    Args:
        file: what it holds.
        schemas: the scripts: ``paper/sinhala`` and ``paper/devanagari`` for what is published.
        base: the base vocabulary, for what is published o200k_base.
        name: the encoding's name.

    Raises:
        ArtifactError: its merges are not a trainer's (status VOCAB_JSON).
        SchemaError: there are no schemas, or two of them claim the same character.
        SpecialTokenError: the base has one of the file's special tokens.
        ValueError: the base is not a base vocabulary.
    """
    base_model = base_vocabulary(base)
    names = {token.text: token.id for token in base.added}
    taken = [text for text in file.specials if text in names]
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
    first = base.n_vocab
    ids = [first + file.vocab[t] if t in file.vocab else None for t in tokens.texts]
    syllables = BPE(
        symbols=tuple(text.encode("utf-8") for text in tokens.texts[: len(units) + len(silent)]),
        merges=tokens.pairs,
        units=True,
        first_id=first + len(file.specials),
        id_policy=Ids.STATED,
        stated=ids,
        space_id=first + file.vocab.get(SPACE, len(file.vocab)),
        unknown=Unknown.ID,
        unk_id=first + file.vocab[UNKNOWN],
    )
    artifact = Artifact(
        **schema_cut(replace_pretokenizer(scanners, base.scanners), schemas),
        models=(base_model, syllables),
        added=added_tokens({**names, **{text: first + file.vocab[text] for text in file.specials}}),
        provenance={
            **derived_provenance(base.provenance, schemas, name),
            **{f"vocab.json:{key}": text for key, text in file.record.items()},
            "vocab.json": f"sha256 {file.digest}",
        },
    )
    return Imported(artifact, live.unmade, live.apart, ids.count(None), len(silent))


def arranged(live: LiveMerges, n_units: int, silent: Sequence[str]) -> LiveMerges:
    """The tokens in the order of an artifact: atoms in byte order, merged tokens.

    Atoms are the units, and with them the silent tokens, which no merge makes. Those are several
    units long, or stand in no segment, so no unit is ever one of them.
    """
    atoms = sorted([*live.texts[:n_units], *silent], key=lambda text: text.encode("utf-8"))
    texts = [*atoms, *live.texts[n_units:]]
    place = {text: token for token, text in enumerate(texts)}
    new = [place[text] for text in live.texts]
    return LiveMerges(texts, [(new[left], new[right]) for left, right in live.pairs])
