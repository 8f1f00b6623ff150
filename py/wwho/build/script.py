"""A BPE over SCRIPT's symbols: characters become pairs of symbols, which are texts of two bytes.

So the model is one over bytes. Its first merges make the symbols, whatever the text, and the bytes
themselves have no id; all that comes after merges symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from wwho.build.bpe import live_pairs
from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.scanners import Scanner, compile_scanners
from wwho.compile.script import Block, script_blocks
from wwho.compile.syntax import Chars, many
from wwho.errors import ArtifactError
from wwho.format import decoder as decoding
from wwho.format.bpe import BPE, BYTES
from wwho.format.layout import MAX_TOKEN_BYTES
from wwho.format.model import Action, Added, Artifact, Ids, Pair, Route, Stage, Unknown
from wwho.format.rewriting import CUT, Pairs, Replace, Rewriting, Step, symbol_text

DECODER = decoding.Decoder((decoding.Join(), decoding.Pairs()))


class Cuts(NamedTuple):
    """What cuts and rewrites a text before a model sees it, as parts of an `Artifact`."""

    scanners: Sequence[Scanner]
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]


def pair_step(
    blocks: Sequence[Block], *, n_indices: int | None = None, automaton: int | None, spell: bool
) -> Pairs:
    """The step that spells the characters of blocks."""
    most = max(len(block.characters) for block in blocks)
    return Pairs(tuple(block.ranges for block in blocks), n_indices or most, automaton, spell)


def match_scanner() -> Scanner:
    """What cuts at the marks of a `Pairs`: the mark is rule 0."""
    mark = CodePointSet.of(CUT.decode())
    return Scanner("matches", (Chars(mark), many(Chars(ALL - mark), 1)), longest=True)


def drop_scanner(kept: CodePointSet) -> Scanner:
    """What finds characters that are not kept: rule 0."""
    return Scanner("dropped", (many(Chars(ALL - kept), 1), Chars(kept)), longest=True)


def drop_step(automaton: int) -> Replace:
    """The step that drops what a `drop_scanner` finds."""
    return Replace(automaton, ("", None))


def all_characters() -> CodePointSet:
    """All characters that SCRIPT has a pair for."""
    return CodePointSet(tuple(each for block in script_blocks() for each in block.ranges))


def script_cuts(
    blocks: Sequence[Block],
    pretokenizer: Scanner | None,
    before: Sequence[Rewriting] = (),
    *,
    n_indices: int | None = None,
    spell: bool = True,
) -> Cuts:
    """What spells a text with symbols, cut by a pretokenizer; None: it is not cut.

    Args:
        blocks: the blocks, by number.
        pretokenizer: cuts the text before it is spelled.
        before: steps that come before.
        n_indices: how many indices there are; None: as many as the largest block needs.
        spell: whether characters of no block are spelled with symbols of bytes.
    """
    number = None if pretokenizer is None else 0
    step = pair_step(blocks, n_indices=n_indices, automaton=number, spell=spell)
    scanners = [match_scanner()] if pretokenizer is None else [pretokenizer, match_scanner()]
    stages = () if number is None else (Stage(1, (Action.DROP, Action.KEEP)),)
    return Cuts(scanners, (*before, step), stages)


def symbol_model(n_symbols: int, merges: Sequence[Pair], first_id: int = 0) -> BPE:
    """The model with these merges of symbols, all of which replay to themselves."""
    both = (symbol_text(number) for number in range(n_symbols))
    made = [(text[0], text[1]) for text in both]
    made += [(len(BYTES) + left, len(BYTES) + right) for left, right in merges]
    return BPE(
        merges=made,
        first_id=first_id,
        id_policy=Ids.STATED,
        stated=(*(None for _ in BYTES), *range(first_id, first_id + n_symbols + len(merges))),
        unknown=Unknown.ID,
        unk_id=first_id + n_symbols - 1,  # no text has a byte alone
    )


def imported_model(n_symbols: int, merges: Sequence[Pair], first_id: int) -> BPE:
    """The same of merges that another program made: some may make nothing.

    Raises:
        ArtifactError: two tokens are made of the same symbols, or one is too long.
    """
    texts = [symbol_text(number) for number in range(n_symbols)]
    for left, right in merges:
        texts.append(texts[left] + texts[right])
        if len(texts[-1]) > MAX_TOKEN_BYTES:
            raise ArtifactError(
                f"the token {first_id + len(texts) - 1} has {len(texts[-1]) // 2} symbols; "
                f"{MAX_TOKEN_BYTES // 2} are possible",
                status="TOKEN_LENGTH",
            )
    numbers: dict[bytes, int] = {}
    for number, text in enumerate(texts):
        if numbers.setdefault(text, number) != number:
            raise ArtifactError(
                f"the tokens {first_id + numbers[text]} and {first_id + number} are made of the "
                "same symbols; each must be another text",
                status="TOKEN_DUPLICATE",
            )
    pairs = [(texts[left], texts[right]) for left, right in merges]
    live = live_pairs(numbers, pairs, set(texts[:n_symbols]), symbols_of)
    if len(live) == len(merges):
        same = all((live[a + b].left, live[a + b].right) == (a, b) for a, b in pairs)
        if same:
            return symbol_model(n_symbols, merges, first_id)
    made = sorted(live, key=lambda text: live[text].rank)
    unmade = sorted(text for text in texts[n_symbols:] if text not in live)
    order = [*texts[:n_symbols], *made, *unmade]
    place = {text: number for number, text in enumerate(order)}
    found = symbol_model(
        n_symbols, [(place[live[text].left], place[live[text].right]) for text in made], first_id
    )
    ids = (*(None for _ in BYTES), *(first_id + numbers[text] for text in order))
    return replace(found, unmade=tuple(unmade), stated=ids)


def symbols_of(text: bytes) -> Sequence[bytes]:
    """The symbols of a text that is made of them."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def script_artifact(
    cuts: Cuts, model: BPE, provenance: Mapping[str, str], added: tuple[Added, ...] = ()
) -> Artifact:
    """The model over symbols, with what spells and cuts its texts."""
    return Artifact(
        scanners=compile_scanners(cuts.scanners),
        router=None,
        routes=(Route("other", model=0, stages=tuple(range(len(cuts.stages)))),),
        models=(model,),
        stages=cuts.stages,
        added=added,
        normalizer=cuts.steps,
        decoder=DECODER,
        provenance=provenance,
    )
