"""A BPE over SCRIPT's symbols: characters become pairs of symbols, which are texts of two bytes.

So the model is one over bytes. Its first merges make the symbols, whatever the text, and the bytes
themselves have no id; all that comes after merges symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from wwho.build.atoms import side_by_side
from wwho.build.base import NO_PATTERN
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
from wwho.format.rewriting import CUT, MARK, MATCH, Pairs, Replace, Rewriting, Step, symbol_text

TAIL = 255
"""The shape of what continues a character; see `shapes_of`."""

REPLACEMENT = "\ufffd"

DECODER = decoding.Decoder((decoding.Join(), decoding.Pairs()))


MARKED = Replace(0, (MARK + MATCH,))
"""The step that puts a mark before each match of a pretokenizer."""
AT_MARKS = Stage(1, (Action.DROP, Action.KEEP))
"""The stage that cuts there, once the text is spelled."""


class Cuts(NamedTuple):
    """What cuts and rewrites a text before a model sees it, as parts of an `Artifact`."""

    scanners: Sequence[Scanner]
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]


def pair_step(
    blocks: Sequence[Block], *, n_indices: int | None = None, spell: bool = True
) -> Pairs:
    """The step that spells the characters of blocks."""
    most = max(len(block.characters) for block in blocks)
    return Pairs(tuple(block.ranges for block in blocks), n_indices or most, spell)


@cache
def script_step() -> Pairs:
    """The step of our own models: it spells all text, with symbols of bytes what has no pair."""
    return pair_step(script_blocks())


def block_record(blocks: Sequence[Block], n_indices: int) -> dict[str, str]:
    """What the provenance says of the symbols: the blocks' names, a line each, and the indices."""
    names = (" ".join(f"{block.script} {block.kind}".split()) for block in blocks)
    return {"script_blocks": "\n".join(names), "script_indices": str(n_indices)}


def shapes_of(symbols: Sequence[bytes]) -> bytes:
    """What keeps characters whole in training: bytes, or symbols of `script_step`.

    Returns:
        For each 0 where it is a character, 1 to 3 where it begins one that lacks so many, `TAIL`
        where it continues one.

    Example:
        >>> shapes = shapes_of([bytes([byte]) for byte in range(256)])
        >>> [shapes[byte] for byte in (0x61, 0xC3, 0xA9, 0xF0)]
        [0, 1, 255, 3]
    """
    if len(symbols) == len(BYTES):
        return bytes(TAIL if 0x80 <= each[0] < 0xC0 else _lacking(each[0]) for each in symbols)
    step = script_step()
    symbols_of_bytes = shapes_of(BYTES)
    return bytes([TAIL]) * step.n_indices + b"\1" * len(step.blocks) + symbols_of_bytes


def _lacking(byte: int) -> int:
    """How many bytes come after the first one of a character."""
    return (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)


def match_scanner() -> Scanner:
    """What cuts at the marks of a `Pairs`: the mark is rule 0."""
    mark = CodePointSet.of(CUT.decode())
    return Scanner("matches", (Chars(mark), many(Chars(ALL - mark), 1)), longest=True)


def dropping(kept: CodePointSet, automaton: int, *, whole: bool) -> tuple[Scanner, Replace]:
    """What drops all characters but some, and the automaton with this number that finds them.

    Args:
        kept: the others.
        automaton: the number.
        whole: whether a byte of broken UTF-8 becomes U+FFFD, if that is kept.
    """
    rules, contents = [many(Chars(ALL - kept), 1)], [""]
    if whole and (broken := CodePointSet.of(REPLACEMENT) & kept):
        kept -= broken
        rules.append(Chars(broken))
        contents.append(REPLACEMENT)
    scanner = Scanner("dropped", (*rules, Chars(kept)), longest=True)
    return scanner, Replace(automaton, (*contents, None))


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
    step = pair_step(blocks, n_indices=n_indices, spell=spell)
    if pretokenizer is None:
        return Cuts([match_scanner()], (*before, step), ())
    return Cuts([pretokenizer, match_scanner()], (*before, MARKED, step), (AT_MARKS,))


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


def grown_script(
    base: Artifact,
    *,
    merges: Sequence[Pair],
    added: tuple[Added, ...],
    provenance: Mapping[str, str],
) -> Artifact:
    """What was merged from SCRIPT's symbols, with the pretokenizer of a base of bytes.

    The symbols have the ids from 0 on: indices, blocks, bytes.
    """
    cut = base.provenance.get("pattern") != NO_PATTERN
    matches = compile_scanners([match_scanner()])
    return replace(
        base,
        scanners=side_by_side(base.scanners, matches) if cut else base.scanners,
        routes=(Route("other", model=0, stages=(0,) if cut else ()),),
        models=(symbol_model(script_step().n_symbols, merges),),
        stages=(AT_MARKS,) if cut else (),
        added=added,
        normalizer=(MARKED, script_step()) if cut else (script_step(),),
        decoder=DECODER,
        provenance=provenance,
    )


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
