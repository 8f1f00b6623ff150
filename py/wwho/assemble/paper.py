"""The conversion of a vocab.json of the WWHO paper's authors to a model with their encoder's ids.

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
from wwho.assemble.vocab_json import UNKNOWN, VocabJson, json_excerpt, vocab_json_error
from wwho.assemble.vocab_json_merges import LiveMerges, Units, live_merges
from wwho.compile.paper_scanners import JOINERS, paper_scanners
from wwho.compile.schema import Schema
from wwho.errors import SpecialTokenError
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Ids, Unknown
from wwho.reference.scan import matches

SPACE = " "


@dataclass(frozen=True)
class PaperImport:
    """A model, and the numbers of the file's tokens and merges that it lacks.

    Attributes:
        model: The model.
        unmade: Merges left out because no merge makes one of their parts.
        apart: Merges left out because their parts never meet.
        without_id: Merged tokens outside the vocabulary, which are encoded as ``[UNK]``.
        never_written: Tokens that no text is encoded to; their ids decode all the same.
    """

    model: Artifact
    unmade: int
    apart: int
    without_id: int
    never_written: int


class UnitCutter:
    """A function that cuts a text into units as they would be in a segment of the text's script."""

    def __init__(self, schemas: Sequence[Schema], scanners: CompiledScanners) -> None:
        """Prepare to cut texts of some schemas.

        Args:
            schemas: The schemas.
            scanners: The result of `paper_scanners` for them.
        """
        self._scanners = scanners
        automata = scanners.automata[OTHER + 1 :]
        # The texts of each script, with or without a space before them.
        patterns = (re.compile(f" ?{(each.blocks | JOINERS).pattern}+") for each in schemas)
        self._scripts = list(zip(patterns, automata, strict=True))

    def __call__(self, text: str) -> Units | None:
        """Return the units of a text, or None if it can stand in no segment of a script.

        The text should begin and end where units do.

        Raises:
            ArtifactError: If it can stand in segments of two scripts, which cut it differently.
        """
        cuts = {
            tuple(text[start:end] for start, end, _ in matches(self._scanners, automaton, text))
            for pattern, automaton in self._scripts
            if pattern.fullmatch(text)
        }
        if len(cuts) > 1:
            raise vocab_json_error(
                f"the schemas cut {json_excerpt(text)} differently, "
                f"{' and '.join(map(str, sorted(cuts)))}; give schemas that agree about joiners"
            )
        return cuts.pop() if cuts else None


def import_vocab(
    file: VocabJson, schemas: Sequence[Schema], base: Artifact, *, name: str
) -> PaperImport:
    """Return a model made from a vocab.json that has been read.

    `wwho.compile.paper_scanners` cuts text, and the base encodes other text. The id of a token is
    the size of the base's id space plus its id in the file; a lone space that the vocabulary lacks
    gets one more id.

    Args:
        file: The content of the file.
        schemas: The scripts: ``paper/sinhala`` and ``paper/devanagari`` for the published file.
        base: The base vocabulary: o200k_base for the published file.
        name: The name of the encoding, for the provenance.

    Raises:
        ArtifactError: If its merges are not a trainer's (status VOCAB_JSON).
        SchemaError: If there are no schemas, or two of them claim the same character.
        SpecialTokenError: If the base has one of the file's special tokens.
        ValueError: If the base is not a base vocabulary.
    """
    base_model = base_vocabulary(base)
    base_added = {token.text: token.id for token in base.added}
    taken = [text for text in file.specials if text in base_added]
    if taken:
        raise SpecialTokenError(f"special token {taken[0]!r} is one of {base.name}'s already")
    scanners = paper_scanners(schemas)
    cut = UnitCutter(schemas, scanners)
    plain = [text for text in file.vocab if text not in file.specials and text != SPACE]
    units = [text for text in plain if cut(text) == (text,)]
    live = live_merges(units, file.merges, cut)
    mergeable = set(live.texts)
    silent = [text for text in plain if text not in mergeable]
    tokens = arrange_tokens(live, len(units), silent)
    offset = base.n_vocab
    ids = [offset + file.vocab[text] if text in file.vocab else None for text in tokens.texts]
    n_atoms = len(units) + len(silent)
    syllables = BPE(
        symbols=tuple(text.encode("utf-8") for text in tokens.texts[:n_atoms]),
        merges=tokens.pairs,
        units=True,
        first_id=offset + len(file.specials),
        id_policy=Ids.STATED,
        stated=ids,
        space_id=offset + file.vocab.get(SPACE, len(file.vocab)),
        unknown=Unknown.ID,
        unk_id=offset + file.vocab[UNKNOWN],
    )
    specials = {text: offset + file.vocab[text] for text in file.specials}
    artifact = Artifact(
        **schema_cut(replace_pretokenizer(scanners, base.scanners), schemas),
        models=(base_model, syllables),
        added=added_tokens({**base_added, **specials}),
        provenance={
            **derived_provenance(base.provenance, schemas, name),
            **{f"vocab.json:{key}": text for key, text in file.record.items()},
            "vocab.json": f"sha256 {file.digest}",
        },
    )
    return PaperImport(
        artifact,
        unmade=live.unmade,
        apart=live.apart,
        without_id=ids.count(None),
        never_written=len(silent),
    )


def arrange_tokens(live: LiveMerges, n_units: int, silent: Sequence[str]) -> LiveMerges:
    """Return the tokens in the order of an artifact: atoms in byte order, then merged tokens.

    Atoms are the units, and with them the silent tokens, which no merge makes. Those are several
    units long, or stand in no segment, so no unit of a text is ever one of them.

    Args:
        live: The units and the merges that happen.
        n_units: The number of units.
        silent: The texts of the silent tokens.

    Returns:
        A new object, whose pairs are indices of its own texts; its counts of merges left out are 0.
    """
    atoms = sorted([*live.texts[:n_units], *silent], key=lambda text: text.encode("utf-8"))
    texts = [*atoms, *live.texts[n_units:]]
    place_of = {text: place for place, text in enumerate(texts)}
    moved = [place_of[text] for text in live.texts]
    return LiveMerges(texts, [(moved[left], moved[right]) for left, right in live.pairs])
